//! Every fix is applied, and the file analysed again: the finding is gone, nothing else that is wrong came, and the text is what
//! a person would have written. Near misses have no fix.

mod blocks;
mod spellings;
mod sums;
mod values;

use pallas_engine::{Analysis, AnalysisOptions, Disk, Finding, Severity};
use std::sync::Arc;

const PRELUDE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
";

fn analyse(text: &str) -> Analysis {
    Analysis::new("/work/kernel.py", text, &AnalysisOptions::new(Arc::new(Disk)))
}

fn describe(analysis: &Analysis) -> Vec<String> {
    let line = |finding: &Finding| analysis.source.line_of(finding.span.start);
    analysis.findings.iter().map(|f| format!("{} {}: {}", f.code, line(f), f.message)).collect()
}

/// A file with findings of a rule that fixes mend: the first is fixed until there is none.
#[track_caller]
fn check(code: &str, before: &str, after: &str) {
    let mut text = format!("{PRELUDE}{before}");
    let first = analyse(&text);
    let others = |analysis: &Analysis| -> Vec<String> {
        let serious = analysis.findings.iter().filter(|f| f.code != code && f.severity != Severity::Info);
        serious.map(|f| f.message.clone()).collect()
    };
    let known = others(&first);
    assert!(first.findings.iter().any(|f| f.code == code), "{:#?}", describe(&first));
    for _ in 0..5 {
        let analysis = analyse(&text);
        let Some(finding) = analysis.findings.iter().find(|f| f.code == code) else { break };
        let fix = finding.fix.as_ref().unwrap_or_else(|| panic!("no fix: {:#?}\n{text}", describe(&analysis)));
        assert!(!fix.title.is_empty() && !fix.title.ends_with('.'));
        text = fix.apply(analysis.source.id, &text);
    }
    assert_eq!(text, format!("{PRELUDE}{after}"));
    let mended = analyse(&text);
    assert!(!mended.findings.iter().any(|f| f.code == code), "{:#?}", describe(&mended));
    let new: Vec<String> = others(&mended).into_iter().filter(|message| !known.contains(message)).collect();
    assert!(new.is_empty(), "{new:#?}\n{text}");
}

/// A file with a finding of a rule that no fix is certain for.
#[track_caller]
fn check_none(code: &str, text: &str) {
    let analysis = analyse(&format!("{PRELUDE}{text}"));
    let findings: Vec<&Finding> = analysis.findings.iter().filter(|f| f.code == code).collect();
    assert!(!findings.is_empty(), "{:#?}", describe(&analysis));
    assert!(findings.iter().all(|f| f.fix.is_none()), "{findings:#?}");
}

/// A kernel that copies its block.
const COPY: &str = "
def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]

";
