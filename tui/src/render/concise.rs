//! `file.py:3:5: error[PL120] message`, a line each, as compilers do.

use super::Batch;

pub(super) fn render(batches: &[Batch]) -> String {
    let mut text = String::new();
    for batch in batches {
        for finding in &batch.findings {
            let Some(source) = batch.source(finding.span) else { continue };
            text.push_str(&format!(
                "{}: {}[{}] {}\n",
                source.place(finding.span.start),
                finding.severity.name(),
                finding.code,
                finding.message
            ));
        }
    }
    text
}
