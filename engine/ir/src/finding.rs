//! A finding: one mistake, where it is, how it is known, and what to do. The catalogue of rules is in `pallas-check`.

use pallas_syntax::{FileId, Span};

/// How bad it is. Ordered: errors first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Wrong results, an exception, or undefined behaviour on hardware.
    Error,
    /// Very likely a mistake.
    Warning,
    /// Worth knowing.
    Info,
}

/// How a finding is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// Holds for every program and every input.
    Proved,
    /// Happened in this run or for a named program.
    Found,
    /// May happen under the condition in the evidence.
    Possible,
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule, such as `PL104`.
    pub code: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How it is known.
    pub certainty: Certainty,
    /// One sentence, without a final dot.
    pub message: String,
    /// What to underline.
    pub span: Span,
    /// Other places, with a note each.
    pub labels: Vec<Label>,
    /// A concrete case: `program (3, 0): rows 96..128 of x, which has 100`.
    pub evidence: Option<String>,
    /// What to do.
    pub help: Option<String>,
    /// A change that is certain to be right.
    pub fix: Option<Fix>,
}

/// A second place of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What it has to do with it.
    pub text: String,
}

/// A change of the source that mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What an editor shows: `divide by the block size`.
    pub title: String,
    /// All that is to be changed, in the order of the source; the spans do not overlap.
    pub edits: Vec<Edit>,
}

/// Replacement text for a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

impl Fix {
    /// A change of one place.
    pub fn replace(title: impl Into<String>, span: Span, replacement: impl Into<String>) -> Fix {
        Fix { title: title.into(), edits: vec![Edit { span, replacement: replacement.into() }] }
    }

    /// A text with the edits of one file made.
    pub fn apply(&self, file: FileId, text: &str) -> String {
        let mut edits: Vec<&Edit> = self.edits.iter().filter(|edit| edit.span.file == file).collect();
        edits.sort_by_key(|edit| edit.span);
        let mut mended = text.to_string();
        for edit in edits.into_iter().rev() {
            if text.get(edit.span.range()).is_some() {
                mended.replace_range(edit.span.range(), &edit.replacement);
            }
        }
        mended
    }
}

impl Finding {
    /// The program that the evidence names as in `program (3, 0)`, if it names one.
    pub fn program(&self) -> Option<Vec<usize>> {
        let evidence = self.evidence.as_deref()?;
        let ids = evidence.split_once("program (")?.1.split_once(')')?.0;
        ids.split(',').map(str::trim).filter(|id| !id.is_empty()).map(|id| id.parse().ok()).collect()
    }

    /// Labels the calls that led to its place: what is wrong may stand in a function that several callers share.
    pub fn called_from(&mut self, calls: &[Span]) {
        self.labels.extend(calls.iter().map(|&span| Label { span, text: "called here".to_string() }));
    }
}

impl Severity {
    /// As printed and as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }
}

impl Certainty {
    /// As printed.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Proved => "proved",
            Certainty::Found => "found",
            Certainty::Possible => "possible",
        }
    }
}
