//! Findings as an editor shows them: all of them at a place in the file that is open, with their sentences put together.
//! The findings themselves, and the catalogue of rules, belong to the engine.

use pallas_engine::{Analysis, Certainty, Finding, Fix, Severity, Span, check};

/// A finding, made ready to be shown in the analysed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule, such as `PL104`.
    pub code: &'static str,
    /// The rule's name, such as `block-out-of-bounds`; empty where the catalogue lacks it.
    pub name: &'static str,
    /// How bad.
    pub severity: Severity,
    /// How it is known.
    pub certainty: Certainty,
    /// What to underline. In the analysed file, and never empty unless the file is.
    pub span: Span,
    /// What is wrong, the evidence, and what to do: a line each.
    pub message: String,
    /// Other places, which may lie in other files.
    pub notes: Vec<Note>,
    /// A change that is certain to be right.
    pub fix: Option<Fix>,
    /// What editors may show it as, besides the underline.
    pub tag: Option<Tag>,
}

/// How a place may be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Faded: it has no effect.
    Unnecessary,
    /// Struck through: there is a newer way to say it.
    Deprecated,
}

/// The rules whose findings are tagged.
const TAGS: [(&str, Tag); 2] = [("PL006", Tag::Unnecessary), ("PL008", Tag::Deprecated)];

impl Diagnostic {
    /// Whether every language server for Python says the same: that the file is not Python, or that a name is not defined.
    pub fn is_common(&self) -> bool {
        self.code == "PL000" || (self.code == "PL001" && self.message.contains("raises NameError: name '"))
    }
}

/// A second place of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub span: Span,
    /// What it has to do with it.
    pub text: String,
}

/// What an editor shows for an analysed file, in the order of the analysis: errors first, then by position.
///
/// A file that neither mentions JAX nor imports a file that does is none of our business, and has none.
pub fn diagnostics(analysis: &Analysis) -> Vec<Diagnostic> {
    if !analysis.speaks_of_jax() {
        return Vec::new();
    }
    analysis.findings.iter().map(|finding| diagnostic(analysis, finding)).collect()
}

impl Diagnostic {
    /// The message with the notes written below it, for clients that show no second places.
    pub fn message_with_notes(&self, analysis: &Analysis) -> String {
        let mut message = self.message.clone();
        for note in &self.notes {
            message.push_str(&format!("\n{}: {}", place(analysis, note.span), note.text));
        }
        message
    }
}

fn diagnostic(analysis: &Analysis, finding: &Finding) -> Diagnostic {
    let mut message = finding.message.clone();
    let mut notes: Vec<Note> = finding
        .labels
        .iter()
        .map(|label| Note { span: analysis.place(label.span), text: label.text.clone() })
        .collect();
    let here = analysis.source.id;
    let mut span = analysis.place(finding.span);
    if span.file != here {
        // Shown where this file led there, or else at its start; the place itself becomes a note.
        message.push_str(&format!(" (in {})", place(analysis, span)));
        notes.insert(0, Note { span, text: finding.message.clone() });
        span = notes
            .iter()
            .map(|note| note.span)
            .find(|span| span.file == here)
            .unwrap_or(Span { file: here, ..Span::default() });
        notes.retain(|note| note.span != span);
    }
    if let Some(evidence) = &finding.evidence {
        message.push_str(&format!("\n{evidence}"));
    }
    if let Some(help) = &finding.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    Diagnostic {
        code: finding.code,
        name: check::find(finding.code).map_or("", |rule| rule.name),
        severity: finding.severity,
        certainty: finding.certainty,
        span: visible(analysis, span),
        message,
        notes,
        fix: finding.fix.as_ref().map(|fix| placed(analysis, fix)),
        tag: TAGS.iter().find(|(code, _)| *code == finding.code).map(|(_, tag)| *tag),
    }
}

/// A fix with its edits in files as they are.
fn placed(analysis: &Analysis, fix: &Fix) -> Fix {
    let mut fix = fix.clone();
    for edit in &mut fix.edits {
        edit.span = analysis.place(edit.span);
    }
    fix
}

/// `helper.py:12`
fn place(analysis: &Analysis, span: Span) -> String {
    let place = analysis.source_of(span).line_place(span.start);
    place.rsplit(['/', '\\']).next().unwrap_or(&place).to_string()
}

/// Nothing can be seen under an empty span: it grows over the word that it stands at, or the character before it.
fn visible(analysis: &Analysis, span: Span) -> Span {
    if span.start < span.end {
        return span;
    }
    let text = &analysis.source.text;
    let Some((before, after)) = text.split_at_checked(span.start as usize) else {
        return Span { file: span.file, start: text.len() as u32, end: text.len() as u32 };
    };
    let word: usize = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
    if word > 0 {
        return Span { end: span.start + word as u32, ..span };
    }
    match (after.chars().next(), before.chars().next_back()) {
        (Some(next), _) if next != '\n' && next != '\r' => Span { end: span.start + next.len_utf8() as u32, ..span },
        (_, Some(last)) if last != '\n' => Span { start: span.start - last.len_utf8() as u32, ..span },
        _ => span,
    }
}
