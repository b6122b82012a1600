//! What a rule is: its entry in the catalogue, and, for rules about launches, the function that looks for it.

use crate::checked::Checked;
use pallas_ir::{Certainty, Finding, Severity};
use pallas_syntax::Span;

/// One rule of the catalogue.
pub struct Rule {
    /// `PL120`; never reused for another meaning.
    pub code: &'static str,
    /// `block-out-of-bounds`
    pub name: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// One line, for lists.
    pub summary: &'static str,
    /// The rule's page: Markdown with the sections *What it does*, *Why is this bad?*, *Example*, *Use instead*.
    pub doc: &'static str,
    /// Looks for it in a launch. `None` for rules that are found while evaluating or tracing.
    pub check: Option<fn(&Checked<'_>, &mut Vec<Finding>)>,
}

impl Rule {
    /// The page with its heading, as Markdown.
    pub fn page(&self) -> String {
        let (code, name, severity) = (self.code, self.name, self.severity.name());
        format!("# {code} {name} ({severity})\n\n{}\n\n{}\n", self.summary, self.doc.trim())
    }

    /// A finding of this rule with nothing but its sentence and place.
    pub fn finding(&self, certainty: Certainty, span: Span, message: String) -> Finding {
        Finding {
            code: self.code,
            severity: self.severity,
            certainty,
            message,
            span,
            labels: Vec::new(),
            evidence: None,
            help: None,
            fix: None,
        }
    }
}
