//! `# pallas: ignore[PL203]` at the end of a line: findings of these rules on this line are not reported, and a comment that
//! keeps nothing back is reported itself. Without codes, every rule is meant.
//!
//! The comment stands on any line that the finding underlines. Reads text; knows nothing of what rules mean.

use crate::settings::Selector;
use pallas_ir::{Finding, Fix};
use pallas_syntax::ast::Module;
use pallas_syntax::{SourceFile, Span};
use std::sync::Arc;

/// How the comment begins.
const MARK: &str = "# pallas: ignore";

/// One comment.
struct Suppression {
    /// All of it, from `#`.
    span: Span,
    line: u32,
    /// The codes with their places; empty if all rules are meant.
    codes: Vec<(String, Span)>,
}

/// Takes out what comments keep back, in any file. For `main`, adds what its comments do not keep back.
pub(crate) fn apply(findings: &mut Vec<Finding>, sources: &[Arc<SourceFile>], main: &Module, is_complete: bool) {
    let mut unused = Vec::new();
    let files = sources.iter().filter(|source| !source.id.is_piece());
    for source in files.filter(|source| source.text.contains(MARK)) {
        let suppressions = find(source);
        let mut used: Vec<Vec<bool>> = suppressions.iter().map(|s| vec![false; s.codes.len().max(1)]).collect();
        findings.retain(|finding| {
            let span = main.place(finding.span);
            if span.file != source.id {
                return true;
            }
            let (first, last) = (source.line_of(span.start), source.line_of(span.end));
            let mut is_kept_back = false;
            for (suppression, used) in suppressions.iter().zip(&mut used) {
                if !(first..=last).contains(&suppression.line) {
                    continue;
                }
                if suppression.codes.is_empty() {
                    (used[0], is_kept_back) = (true, true);
                }
                for ((code, _), used) in suppression.codes.iter().zip(used.iter_mut()) {
                    if names(code, finding.code) {
                        (*used, is_kept_back) = (true, true);
                    }
                }
            }
            !is_kept_back
        });
        if source.id == main.source.id && is_complete {
            for (suppression, used) in suppressions.iter().zip(&used) {
                unused.extend(report(suppression, used, source));
            }
        }
    }
    findings.extend(unused);
}

/// Whether a comment means a rule: by its code or by its name.
fn names(written: &str, code: &str) -> bool {
    written.eq_ignore_ascii_case(code) || pallas_check::find(written).is_some_and(|rule| rule.code == code)
}

/// What is said of a code that keeps nothing back.
fn unused(written: &str) -> String {
    match Selector::parse(written) {
        _ if pallas_check::find(written).is_some() => format!("{written} is not found on this line"),
        // The beginning of codes: settings take it, comments name rules.
        Ok(_) => format!("`{written}` is not one rule: comments name rules one by one"),
        Err(message) => message,
    }
}

fn find(source: &SourceFile) -> Vec<Suppression> {
    let mut found = Vec::new();
    for (at, _) in source.text.match_indices(MARK) {
        let line = source.line_of(at as u32);
        let end = source.line_range(line).end;
        let rest = &source.text[at + MARK.len()..end];
        // `# pallas: ignored` is another sentence.
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let mut codes = Vec::new();
        let mut stop = at + MARK.len();
        if let Some(list) = rest.strip_prefix('[')
            && let Some(length) = list.find(']')
        {
            let mut start = stop + 1;
            stop = start + length + 1;
            for code in list[..length].split(',') {
                let from = start + (code.len() - code.trim_start().len());
                codes.push((code.trim().to_string(), Span::new(source.id, from, from + code.trim().len())));
                start += code.len() + 1;
            }
        }
        found.push(Suppression { span: Span::new(source.id, at, stop), line, codes });
    }
    found
}

fn report(suppression: &Suppression, used: &[bool], source: &SourceFile) -> Vec<Finding> {
    let finding = |span, message: String, fix| Finding {
        help: Some("take it out, so that it keeps nothing back one day that you would want to know".to_string()),
        fix,
        ..crate::findings::proved("PL006", span, message)
    };
    if used.iter().all(|used| !used) {
        let all = match suppression.codes.as_slice() {
            [] => "nothing is found on this line".to_string(),
            [(code, _)] => unused(code),
            _ => "none of these is found on this line".to_string(),
        };
        // With the blanks before it, so that the line ends where the code does.
        let before = source.text[..suppression.span.start as usize].trim_end_matches([' ', '\t']).len();
        let span = Span { start: before as u32, ..suppression.span };
        let fix = Fix::replace("remove the comment", span, "");
        return vec![finding(suppression.span, all, Some(fix))];
    }
    let each = suppression.codes.iter().zip(used).filter(|(_, used)| !**used);
    each.map(|((code, span), _)| finding(*span, unused(code), None)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_ir::{Certainty, Severity};
    use pallas_syntax::FileId;

    fn found(code: &'static str, span: Span) -> Finding {
        Finding {
            code,
            severity: Severity::Error,
            certainty: Certainty::Proved,
            message: String::new(),
            span,
            labels: Vec::new(),
            evidence: None,
            help: None,
            fix: None,
        }
    }

    /// What is left of findings at some texts of a file.
    fn left(text: &str, findings: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        let source = Arc::new(SourceFile::new(FileId(0), "a.py", text));
        let at = |part: &str| text.find(part).map(|start| Span::new(FileId(0), start, start + part.len()));
        let mut all: Vec<Finding> =
            findings.iter().map(|(code, part)| found(code, at(part).expect("in the text"))).collect();
        apply(&mut all, std::slice::from_ref(&source), &pallas_syntax::parse(source.clone()), true);
        all.iter().map(|finding| (finding.code, source.slice(finding.span).to_string())).collect()
    }

    #[test]
    fn comments_keep_findings_back() {
        let text = "a = 1  # pallas: ignore[PL203]\nb = 2  # pallas: ignore\nc = 3\n";
        assert_eq!(left(text, &[("PL203", "a"), ("PL120", "b"), ("PL203", "c")]), [("PL203", "c".to_string())]);
    }

    #[test]
    fn rules_go_by_their_names_too_and_names_that_no_rule_has_are_said() {
        assert!(left("a = 1  # pallas: ignore[read-before-write]\n", &[("PL203", "a")]).is_empty());
        assert_eq!(unused("PL203"), "PL203 is not found on this line");
        assert!(unused("read-befor-write").contains("did you mean `read-before-write`?"));
        assert!(unused("PL2").contains("not one rule"));
    }

    #[test]
    fn a_finding_over_several_lines_is_kept_back_on_any() {
        assert!(
            left("f(\n  1,  # pallas: ignore[pl120]\n)\n", &[("PL120", "f(\n  1,  # pallas: ignore[pl120]\n)")])
                .is_empty()
        );
    }

    #[test]
    fn comments_that_keep_nothing_back_are_found() {
        let text = "a = 1  # pallas: ignore[PL203, PL120]\nb = 2  # pallas: ignore\n";
        let expected = [("PL006", "PL120".to_string()), ("PL006", "# pallas: ignore".to_string())];
        assert_eq!(left(text, &[("PL203", "a")]), expected);
        assert!(left("a = 1  # pallas: ignored\n", &[]).is_empty());
    }
}
