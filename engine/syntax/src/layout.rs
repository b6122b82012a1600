//! Logical lines: where statements begin and end, how they are indented, and which brackets and strings never close.
//! Works on any text, so that a broken line cannot take its neighbours along. Knows keywords, but no grammar.

use crate::ast::SyntaxError;
use crate::span::{SourceFile, Span};
use crate::token::{Token, TokenKind, skip_trivia, token};

/// A logical line: one statement or several with semicolons, or the header of a compound statement.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Offset of its first token.
    pub(crate) start: usize,
    /// One past its last token; comments do not count.
    pub(crate) end: usize,
    /// Columns of indentation, a tab going to the next multiple of eight.
    pub(crate) indent: usize,
    /// Columns with a tab counting as one, to find tabs and spaces mixed.
    pub(crate) tabs_as_one: usize,
    /// What is wrong with its brackets, strings or indentation.
    pub(crate) problem: Option<SyntaxError>,
    /// Its first token is a keyword that opens a block and its last one a colon.
    pub(crate) opens_block: bool,
}

impl Line {
    /// Its text.
    pub(crate) fn text<'t>(&self, source: &'t SourceFile) -> &'t str {
        source.text.get(self.start..self.end).unwrap_or("")
    }

    /// Its first word, or its first token where that is no word.
    pub(crate) fn first_word<'t>(&self, source: &'t SourceFile) -> &'t str {
        token(&source.text, self.start).text(&source.text)
    }
}

/// CPython's limit on open brackets.
const MAX_BRACKETS: usize = 200;
/// What it says past that limit.
pub(crate) const TOO_MANY_BRACKETS: &str = "too many nested parentheses";
/// CPython's limit on indentation.
const MAX_INDENTS: usize = 100;

/// The words that start a statement and can stand nowhere else, so that an open bracket before them is a mistake.
const STATEMENT_WORDS: &[&str] = &[
    "assert", "break", "class", "continue", "def", "del", "global", "import", "nonlocal", "pass", "raise", "return",
    "try", "while", "with",
];

/// Splits a file into logical lines, each with the problem of its brackets, strings and characters if it has one.
pub(crate) fn lines(source: &SourceFile) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = 0;
    while let Some((line, next)) = line(source, at) {
        lines.push(line);
        at = next;
    }
    lines
}

/// The first logical line at or after `at`, which is where a line begins or ends, and where to look for the next one.
pub(crate) fn line(source: &SourceFile, at: usize) -> Option<(Line, usize)> {
    let (start, indent, tabs_as_one) = next_line(&source.text, at)?;
    let mut scanned = scan(source, start, None);
    if scanned.unclosed {
        // Read on to the end of the file in vain: take the line to end where a statement evidently starts.
        scanned = scan(source, start, Some(indent));
    }
    let opens_block = scanned.ends_with_colon && opens_block(source, start);
    let line = Line { start, end: scanned.end, indent, tabs_as_one, problem: scanned.problem, opens_block };
    Some((line, scanned.next))
}

/// The first token at or after `at`, which is at the start of a line, with its two measures of indentation.
fn next_line(text: &str, mut at: usize) -> Option<(usize, usize, usize)> {
    let (mut indent, mut tabs_as_one) = (0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b' ' => (indent, tabs_as_one) = (indent + 1, tabs_as_one + 1),
            b'\t' => (indent, tabs_as_one) = (indent / 8 * 8 + 8, tabs_as_one + 1),
            b'\n' | b'\r' | b'\x0c' => (indent, tabs_as_one) = (0, 0),
            b'#' => {
                at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
                continue;
            }
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 1,
            // A byte order mark at the start of the file.
            0xef if at == 0 && text.starts_with('\u{feff}') => at += 2,
            _ => return Some((at, indent, tabs_as_one)),
        }
        at += 1;
    }
    None
}

struct Scanned {
    end: usize,
    next: usize,
    problem: Option<SyntaxError>,
    unclosed: bool,
    ends_with_colon: bool,
}

/// Reads one logical line from its first token. With `indent` given, an open bracket ends where a line starts with a
/// statement's word, or no deeper than the statement itself, or after a header's line that ends with a colon.
fn scan(source: &SourceFile, start: usize, indent: Option<usize>) -> Scanned {
    let text = &*source.text;
    let mut at = start;
    let mut end = start;
    let mut open: Vec<Token> = Vec::new();
    let mut problem: Option<SyntaxError> = None;
    let mut last_is_colon = false;
    let mut astray = false;
    let is_header = indent.is_some() && opens_block(source, start);
    let span = |token: &Token| Span::new(source.id, token.start, token.end);
    let next = loop {
        // Between tokens: a newline ends the line unless a bracket is open.
        let gap_end = skip_trivia(text, at, text.len()).unwrap_or(text.len());
        let newline = line_end(&text[at..gap_end]).map(|n| at + n);
        if let Some(newline) = newline
            && (open.is_empty()
                || (is_header && last_is_colon)
                || indent.is_some_and(|indent| starts_statement(text, gap_end, indent)))
        {
            break newline;
        }
        if gap_end == text.len() {
            break gap_end;
        }
        let token = token(text, gap_end);
        let word = token.text(text);
        last_is_colon = false;
        let mut report = |span: Span, message: String| {
            problem.get_or_insert(SyntaxError { span, message });
        };
        match (token.kind, word) {
            (TokenKind::Operator, "(" | "[" | "{") => {
                if open.len() >= MAX_BRACKETS {
                    report(span(&token), TOO_MANY_BRACKETS.into());
                    open.clear();
                    // The rest of this physical line goes with it.
                    end = text[token.end..].find('\n').map_or(text.len(), |n| token.end + n);
                    break end;
                }
                open.push(token);
            }
            (TokenKind::Operator, ")" | "]" | "}") => match open.pop() {
                None => report(span(&token), format!("unmatched '{word}'")),
                Some(opening) if !matches_bracket(opening.text(text), word) => {
                    let before = opening.text(text);
                    let [here, there] = [&token, &opening].map(|token| source.shown(token.start as u32).at.line);
                    // A bracket of another line is likelier never closed than closed wrongly.
                    astray |= here != there;
                    let place = if here == there { String::new() } else { format!(" on line {there}") };
                    report(
                        span(&token),
                        format!("closing parenthesis '{word}' does not match opening parenthesis '{before}'{place}"),
                    );
                }
                Some(_) => {}
            },
            (TokenKind::Operator, ":") => last_is_colon = open.is_empty() || is_header,
            (TokenKind::Unterminated(triple), _) => {
                // A final newline starts no line of its own.
                let last = token.end.min(text.trim_end_matches('\n').len());
                let line = source.shown(last as u32).at.line;
                let kind = if triple { "triple-quoted string" } else { "string" };
                report(span(&token), format!("unterminated {kind} literal (detected at line {line})"));
                if triple {
                    // All that follows may be meant as code: give up on this line only.
                    end = text[token.start..].find('\n').map_or(text.len(), |n| token.start + n);
                    open.clear();
                    break end;
                }
            }
            (TokenKind::Unknown, _) => {
                if let Some(c) = word.chars().next() {
                    let message = match c {
                        '$' | '?' | '`' | '!' => "invalid syntax".to_string(),
                        '\0' => "source code cannot contain null bytes".to_string(),
                        '\\' => "unexpected character after line continuation character".into(),
                        c if c.is_control() || c.is_whitespace() => {
                            format!("invalid non-printable character U+{:04X}", c as u32)
                        }
                        c => format!("invalid character '{c}' (U+{:04X})", c as u32),
                    };
                    report(span(&token), message);
                }
            }
            _ => {}
        }
        end = token.end;
        at = token.end.max(gap_end + 1);
    };
    let unclosed = astray || !open.is_empty();
    if let Some(opening) = open.first() {
        // CPython names the innermost bracket; the first is where a reader looks, and they agree where there is one.
        let innermost = open.last().unwrap_or(opening);
        problem.get_or_insert(SyntaxError {
            span: span(innermost),
            message: format!("'{}' was never closed", innermost.text(text)),
        });
    }
    Scanned { end, next, problem, unclosed, ends_with_colon: last_is_colon }
}

/// Offset of the first newline in a gap between tokens that is not joined by a backslash.
fn line_end(gap: &str) -> Option<usize> {
    let bytes = gap.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => return Some(at),
            b'\\' => at += if bytes[at + 1..].starts_with(b"\r\n") { 3 } else { 2 },
            b'#' => at = gap[at..].find('\n').map_or(bytes.len(), |n| at + n),
            _ => at += 1,
        }
    }
    None
}

fn matches_bracket(open: &str, close: &str) -> bool {
    matches!((open, close), ("(", ")") | ("[", "]") | ("{", "}"))
}

/// Whether the token at `at`, the first of its physical line, evidently starts a new statement.
fn starts_statement(text: &str, at: usize, indent: usize) -> bool {
    if at >= text.len() {
        return true;
    }
    let token = token(text, at);
    let word = token.text(text);
    if STATEMENT_WORDS.contains(&word) || word == "@" {
        return true;
    }
    let line_start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let column = next_line(text, line_start).map_or(0, |(_, indent, _)| indent);
    column <= indent && !matches!(word, ")" | "]" | "}")
}

/// How CPython speaks of the statement that a word opens.
pub(crate) fn opener(word: &str) -> Option<&'static str> {
    Some(match word {
        "def" => "function definition",
        "class" => "class definition",
        "if" => "'if' statement",
        "elif" => "'elif' statement",
        "else" => "'else' statement",
        "for" => "'for' statement",
        "while" => "'while' statement",
        "with" => "'with' statement",
        "try" => "'try' statement",
        "except" => "'except' statement",
        "finally" => "'finally' statement",
        "match" => "'match' statement",
        "case" => "'case' statement",
        _ => return None,
    })
}

/// The word that says what a line opens: the one after `async` where that comes first.
pub(crate) fn opening_word(source: &SourceFile, start: usize) -> &str {
    let first = token(&source.text, start);
    let word = first.text(&source.text);
    if word != "async" {
        return word;
    }
    skip_trivia(&source.text, first.end, source.text.len())
        .map_or("", |next| token(&source.text, next).text(&source.text))
}

fn opens_block(source: &SourceFile, start: usize) -> bool {
    opener(opening_word(source, start)).is_some()
}

/// Finds indentation errors, worded as CPython words them. Such an error takes the place of another of its line.
pub(crate) fn check_indentation(source: &SourceFile, lines: &mut [Line]) {
    let mut stack: Vec<(usize, usize)> = vec![(0, 0)];
    for index in 0..lines.len() {
        let (before, rest) = lines.split_at_mut(index);
        let line = &mut rest[0];
        let previous = before.last();
        let &(top, top_tabs) = stack.last().unwrap_or(&(0, 0));
        let here = (line.indent, line.tabs_as_one);
        let expects_block = previous.filter(|p| p.opens_block && p.problem.is_none());
        let mixed = (here.0 == top && here.1 != top_tabs) || (here.0 > top && here.1 <= top_tabs);
        let message = if mixed {
            Some("inconsistent use of tabs and spaces in indentation".to_string())
        } else if here.0 > top {
            let allowed = previous.is_some_and(|p| p.opens_block);
            // A broken header may well have been meant to open a block.
            let excused = previous.is_some_and(|p| p.problem.is_some() || is_header(source, p));
            (!allowed && !excused).then(|| "unexpected indent".to_string())
        } else if let Some(header) = expects_block {
            Some(missing_block(source, header))
        } else if here.0 < top && !stack.iter().any(|(indent, _)| *indent == here.0) {
            Some("unindent does not match any outer indentation level".to_string())
        } else {
            None
        };
        let message = message.or_else(|| {
            (here.0 > top && stack.len() >= MAX_INDENTS).then(|| "too many levels of indentation".to_string())
        });
        while stack.len() > 1 && stack.last().is_some_and(|(indent, _)| *indent > here.0) {
            stack.pop();
        }
        if stack.last().is_none_or(|(indent, _)| *indent < here.0) {
            stack.push(here);
        }
        if let Some(message) = message {
            let span = Span::new(source.id, line.start, line.end);
            line.problem = Some(SyntaxError { span, message });
        }
    }
    if let Some(last) = lines.last_mut()
        && last.opens_block
        && last.problem.is_none()
    {
        let message = missing_block(source, last);
        let span = Span::new(source.id, last.start, last.end);
        last.problem = Some(SyntaxError { span, message });
    }
}

fn is_header(source: &SourceFile, line: &Line) -> bool {
    opener(opening_word(source, line.start)).is_some()
}

fn missing_block(source: &SourceFile, header: &Line) -> String {
    let what = opener(opening_word(source, header.start)).unwrap_or("statement");
    let number = source.shown(header.start as u32).at.line;
    format!("expected an indented block after {what} on line {number}")
}

#[cfg(test)]
mod tests {
    use super::{Line, check_indentation, lines};
    use crate::span::{FileId, SourceFile};

    fn of(text: &str) -> (SourceFile, Vec<Line>) {
        let source = SourceFile::new(FileId(0), "t.py", text);
        let mut lines = lines(&source);
        check_indentation(&source, &mut lines);
        (source, lines)
    }

    #[test]
    fn logical_lines_and_their_indentation() {
        let (source, lines) = of("def f(a,\n      b):  # note\n\n  # note\n  return (a +\n b)\nx = \\\n 1\n");
        let texts: Vec<_> = lines.iter().map(|line| (line.text(&source), line.indent)).collect();
        assert_eq!(texts, [("def f(a,\n      b):", 0), ("return (a +\n b)", 2), ("x = \\\n 1", 0)]);
        assert!(lines.iter().all(|line| line.problem.is_none()));
    }

    #[test]
    fn an_open_bracket_takes_no_other_statement_along() {
        let (source, lines) = of("def f():\n  x = g(\n  return x\n\ndef h():\n  pass\n");
        let texts: Vec<_> = lines.iter().map(|line| line.text(&source)).collect();
        assert_eq!(texts, ["def f():", "x = g(", "return x", "def h():", "pass"]);
        let problem = lines[1].problem.as_ref().map(|p| p.message.as_str());
        assert_eq!(problem, Some("'(' was never closed"));
    }

    #[test]
    fn indentation_is_checked() {
        let message = |text: &str| of(text).1.into_iter().find_map(|line| line.problem).map(|problem| problem.message);
        let expect = |text, expected: &str| assert_eq!(message(text).as_deref(), Some(expected));
        // The wording is CPython 3.11's.
        expect("  x\n", "unexpected indent");
        expect("x\n  y\n", "unexpected indent");
        expect("if x:\ny\n", "expected an indented block after 'if' statement on line 1");
        expect("def f():\n", "expected an indented block after function definition on line 1");
        expect("if x:\n    y\n  z\n", "unindent does not match any outer indentation level");
        expect("if x:\n        y\n\tz\n", "inconsistent use of tabs and spaces in indentation");
    }
}
