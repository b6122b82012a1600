//! The hover: type and shape of the expression under the cursor, and what findings there mean.

use pallas_engine::{Analysis, Fact, Span, check};

/// A hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The expression it is about.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
}

/// The hover at a byte offset of the analysed file.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let fact = analysis.facts.at(analysis.source.id, offset);
    let finding = analysis
        .findings
        .iter()
        .filter(|f| f.span.file == analysis.source.id && f.span.touches(offset))
        .min_by_key(|f| f.span.end - f.span.start);
    let mut parts = Vec::new();
    let mut span = None;
    if let Some((fact_span, fact)) = fact {
        span = Some(fact_span);
        let text = first_line(analysis.source.slice(fact_span));
        parts.push(format!("```python\n{text}: {}\n```", describe(fact)));
    }
    if let Some(finding) = finding {
        span = span.or(Some(finding.span));
        let name = check::find(finding.code).map_or("", |rule| rule.name);
        parts.push(format!("**{}** {name}: {}", finding.code, finding.message));
        if let Some(evidence) = &finding.evidence {
            parts.push(evidence.clone());
        }
        if let Some(help) = &finding.help {
            parts.push(format!("*{help}*"));
        }
    }
    Some(Hover { span: span?, markdown: parts.join("\n\n") })
}

/// `f32[8,128]`, or `int = 3`.
fn describe(fact: &Fact) -> String {
    match (&fact.ty, &fact.value) {
        (Some(ty), _) => ty.clone(),
        (None, Some(value)) => format!("{} = {value}", fact.class),
        (None, None) => fact.class.clone(),
    }
}

fn first_line(text: &str) -> String {
    match text.split_once('\n') {
        Some((line, _)) => format!("{} ...", line.trim_end()),
        None => text.to_string(),
    }
}
