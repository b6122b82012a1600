//! `textwrap`: paragraphs wrapped, filled, indented, dedented.

use super::support::row;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

const OPTIONS: &str = "(text, width=70, *, initial_indent='', subsequent_indent='', expand_tabs=True, \
                       replace_whitespace=True, drop_whitespace=True, break_long_words=True, break_on_hyphens=True, \
                       max_lines=None, placeholder=' [...]', tabsize=8, fix_sentence_endings=False)";

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "textwrap",
    doc: "Paragraphs wrapped and filled.",
    functions: &[
        row("dedent", "(text)", "The text without the indentation that all lines share.", |interp, args| {
            Ok(Value::from(dedent(&interp.to_str(args.get(0))?)))
        }),
        row("indent", "(text, prefix, predicate=None)", "The text with a prefix before its lines.", indent),
        row("wrap", OPTIONS, "The lines of a paragraph.", |interp, args| {
            Ok(Value::list(lines(interp, &args)?.into_iter().map(Value::from).collect::<Vec<_>>()))
        }),
        row("fill", OPTIONS, "A paragraph with line breaks.", |interp, args| {
            Ok(Value::from(lines(interp, &args)?.join("\n")))
        }),
        row("shorten", "(text, width, *, placeholder=' [...]')", "As many words as fit.", |interp, args| {
            let text = interp.to_str(args.get(0))?;
            let width = interp.to_usize(args.get(1))?;
            let placeholder = interp.to_str(args.get(2))?;
            Ok(Value::from(shorten(&text, width, &placeholder)))
        }),
    ],
    populate: |_, _| {},
};

/// Width of a text in characters.
fn width_of(text: &str) -> usize {
    text.chars().count()
}

fn dedent(text: &str) -> String {
    let blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
    let mut margin: Option<&str> = None;
    for line in text.split('\n').filter(|line| !blank(line)) {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        margin = Some(match margin {
            None => indent,
            Some(margin) => {
                let shared = margin.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
                &margin[..shared]
            }
        });
    }
    let margin = margin.unwrap_or("").len();
    let lines = text.split('\n').map(|line| if blank(line) { "" } else { &line[margin..] });
    lines.collect::<Vec<_>>().join("\n")
}

fn indent(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [text, prefix, predicate] = args.take();
    let (text, prefix) = (interp.to_str(&text)?, interp.to_str(&prefix)?);
    let mut result = String::new();
    for line in text.split_inclusive('\n') {
        let wanted = if predicate.is_none() {
            !line.trim().is_empty()
        } else {
            interp.truth(&interp.call_values(&predicate, [Value::str(line)])?)?
        };
        if wanted {
            result.push_str(&prefix);
        }
        result.push_str(line);
    }
    Ok(Value::from(result))
}

fn shorten(text: &str, width: usize, placeholder: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let whole = words.join(" ");
    if width_of(&whole) <= width {
        return whole;
    }
    for count in (0..words.len()).rev() {
        let candidate = format!("{}{placeholder}", words[..count].join(" "));
        let candidate = if count == 0 { placeholder.trim_start().to_owned() } else { candidate };
        if width_of(&candidate) <= width {
            return candidate;
        }
    }
    placeholder.trim().to_owned()
}

/// Options of a `TextWrapper`, those that matter here.
struct Wrapper {
    width: usize,
    initial: String,
    subsequent: String,
    break_long_words: bool,
    break_on_hyphens: bool,
    drop_whitespace: bool,
    max_lines: Option<usize>,
    placeholder: String,
}

fn lines(interp: &Interp, args: &Arguments) -> PyResult<Vec<String>> {
    let text = interp.to_str(args.get(0))?;
    let on = |index: usize| interp.truth(args.get(index));
    let wrapper = Wrapper {
        width: match usize::try_from(interp.to_i64(args.get(1))?) {
            Ok(width) if width > 0 => width,
            _ => {
                let shown = interp.repr(args.get(1))?;
                return Err(interp.value_error(format!("invalid width {shown} (must be > 0)")));
            }
        },
        initial: interp.to_str(args.get(2))?.to_string(),
        subsequent: interp.to_str(args.get(3))?.to_string(),
        drop_whitespace: on(6)?,
        break_long_words: on(7)?,
        break_on_hyphens: on(8)?,
        max_lines: if args.get(9).is_none() { None } else { Some(interp.to_usize(args.get(9))?) },
        placeholder: interp.to_str(args.get(10))?.to_string(),
    };
    let text = if on(4)? { text.replace('\t', "        ") } else { text.to_string() };
    let text = if on(5)? { text.replace(['\t', '\n', '\x0b', '\x0c', '\r'], " ") } else { text };
    let chunks = chunks(&text, wrapper.break_on_hyphens);
    Ok(wrapper.wrap(chunks))
}

/// Words and the white space between them; hyphenated words are several chunks.
fn chunks(text: &str, on_hyphens: bool) -> Vec<String> {
    let mut chunks = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let blank = first.is_whitespace();
        let end = rest.find(|c: char| c.is_whitespace() != blank).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at(end);
        if blank || !on_hyphens {
            chunks.push(chunk.to_owned());
        } else {
            chunks.extend(hyphenated(chunk));
        }
        rest = after;
    }
    chunks
}

/// Splits after hyphens between letters.
fn hyphenated(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut pieces = Vec::new();
    let mut start = 0;
    for at in 2..letters.len().saturating_sub(1) {
        let splits = letters[at] == '-'
            && letters[at - 1].is_alphabetic()
            && letters[at - 2].is_alphabetic()
            && letters[at + 1].is_alphabetic()
            && letters.get(at + 2).is_some_and(|c| c.is_alphabetic() || *c == '-');
        if splits {
            pieces.push(letters[start..=at].iter().collect());
            start = at + 1;
        }
    }
    pieces.push(letters[start..].iter().collect());
    pieces
}

impl Wrapper {
    fn wrap(&self, chunks: Vec<String>) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut left = chunks.into_iter().rev().collect::<Vec<_>>();
        while !left.is_empty() {
            let indent = if lines.is_empty() { &self.initial } else { &self.subsequent };
            let width = self.width.saturating_sub(width_of(indent));
            if self.drop_whitespace && !lines.is_empty() && left.last().is_some_and(|chunk| chunk.trim().is_empty()) {
                left.pop();
            }
            let mut line: Vec<String> = Vec::new();
            let mut used = 0;
            while let Some(chunk) = left.last() {
                let length = width_of(chunk);
                if used + length > width {
                    break;
                }
                used += length;
                line.extend(left.pop());
            }
            // A word longer than a line is broken, or stands alone.
            if let Some(chunk) = left.last()
                && width_of(chunk) > width
            {
                let room = if width < 1 { 1 } else { width.saturating_sub(used) };
                if self.break_long_words {
                    let letters: Vec<char> = chunk.chars().collect();
                    let hyphen = letters[..room].iter().rposition(|c| *c == '-').filter(|_| self.break_on_hyphens);
                    let end = match hyphen {
                        Some(at) if letters[..at].iter().any(|c| *c != '-') => at + 1,
                        _ => room,
                    };
                    let (head, tail): (String, String) =
                        (letters[..end].iter().collect(), letters[end..].iter().collect());
                    left.pop();
                    left.push(tail);
                    line.push(head);
                    used += end;
                } else if line.is_empty() {
                    line.extend(left.pop());
                }
            }
            if self.drop_whitespace && line.last().is_some_and(|chunk| chunk.trim().is_empty()) {
                used -= line.pop().map_or(0, |chunk| width_of(&chunk)).min(used);
            }
            if line.is_empty() {
                if left.is_empty() || self.drop_whitespace { continue } else { break }
            }
            let is_last_allowed = self.max_lines.is_some_and(|most| lines.len() + 1 >= most);
            let only_space_left = self.drop_whitespace && left.len() == 1 && left[0].trim().is_empty();
            if !is_last_allowed || ((left.is_empty() || only_space_left) && used <= width) {
                lines.push(format!("{indent}{}", line.concat()));
                continue;
            }
            let room = width_of(&self.placeholder);
            while let Some(last) = line.last() {
                if !last.trim().is_empty() && used + room <= width {
                    line.push(self.placeholder.clone());
                    lines.push(format!("{indent}{}", line.concat()));
                    return lines;
                }
                used = used.saturating_sub(width_of(last));
                line.pop();
            }
            if let Some(last) = lines.last_mut() {
                let trimmed = last.trim_end();
                if width_of(trimmed) + room <= self.width {
                    *last = format!("{trimmed}{}", self.placeholder);
                    return lines;
                }
            }
            lines.push(format!("{indent}{}", self.placeholder.trim_start()));
            return lines;
        }
        lines
    }
}
