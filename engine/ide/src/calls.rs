//! The calls around a cursor in a text that is being typed: which function, which arguments so far. Reads characters, not the
//! syntax tree, since a call without its closing parenthesis has none.

/// The brackets that are open at an offset, outermost first.
pub(crate) struct Open<'a> {
    /// The brackets.
    pub(crate) frames: Vec<Frame<'a>>,
    /// The string that is open there: where its text begins.
    pub(crate) string: Option<usize>,
    /// Whether the offset is in a comment.
    pub(crate) comment: bool,
}

/// An open bracket.
pub(crate) struct Frame<'a> {
    /// The dotted name before an opening parenthesis.
    pub(crate) callee: Option<&'a str>,
    /// What stands between the commas so far, the piece at the offset last.
    pub(crate) pieces: Vec<&'a str>,
    start: usize,
}

impl Frame<'_> {
    /// The name of the keyword argument at the offset.
    pub(crate) fn keyword(&self) -> Option<&str> {
        keyword(self.pieces.last()?).map(|(name, _)| name)
    }

    /// The keyword arguments before the one at the offset.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pieces[..self.pieces.len() - 1].iter().filter_map(|piece| keyword(piece))
    }

    /// Positional arguments before the one at the offset.
    pub(crate) fn positional(&self) -> impl Iterator<Item = &str> {
        self.pieces[..self.pieces.len() - 1].iter().copied().filter(|piece| keyword(piece).is_none())
    }
}

/// `name=value` taken apart.
fn keyword(piece: &str) -> Option<(&str, &str)> {
    let (name, value) = piece.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !value.starts_with('=')).then(|| (name, value.trim()))
}

/// What is open at an offset.
pub(crate) fn open(text: &str, offset: usize) -> Open<'_> {
    let text = &text[..offset.min(text.len())];
    let start = statement_start(text);
    let bytes = text.as_bytes();
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut index = start;
    while index < bytes.len() {
        match bytes[index] {
            b'#' => match text[index..].find('\n') {
                Some(length) => index += length,
                None => return Open { frames: closed(frames, text), string: None, comment: true },
            },
            quote @ (b'"' | b'\'') => match string_end(text, index, quote) {
                Some(end) => {
                    index = end;
                    continue;
                }
                None => {
                    let triple = text[index..].starts_with("\"\"\"") || text[index..].starts_with("'''");
                    let begins = index + if triple { 3 } else { 1 };
                    return Open { frames: closed(frames, text), string: Some(begins), comment: false };
                }
            },
            bracket @ (b'(' | b'[' | b'{') => {
                let callee = (bracket == b'(').then(|| dotted_name_before(text, index)).flatten();
                frames.push(Frame { callee, pieces: Vec::new(), start: index + 1 });
            }
            b')' | b']' | b'}' => {
                frames.pop();
            }
            b',' => {
                if let Some(frame) = frames.last_mut() {
                    frame.pieces.push(&text[frame.start..index]);
                    frame.start = index + 1;
                }
            }
            _ => {}
        }
        index += 1;
    }
    Open { frames: closed(frames, text), string: None, comment: false }
}

/// Adds the piece at the end of the text.
fn closed<'a>(mut frames: Vec<Frame<'a>>, text: &'a str) -> Vec<Frame<'a>> {
    for frame in &mut frames {
        frame.pieces.push(&text[frame.start.min(text.len())..]);
    }
    frames
}

/// Where the top-level statement at the end of a text begins: its last line that starts in the first column and cannot be the
/// rest of another.
fn statement_start(text: &str) -> usize {
    let mut end = text.len();
    loop {
        let line = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        let first = text[line..].chars().next();
        if line == 0 || first.is_some_and(|c| !c.is_whitespace() && !matches!(c, ')' | ']' | '}' | '#' | '"' | '\'')) {
            return line;
        }
        end = line - 1;
    }
}

/// One past the closing quote; `None` if there is none. Strings of one line end with it, closed or not.
fn string_end(text: &str, start: usize, quote: u8) -> Option<usize> {
    let rest = &text[start..];
    let mark = char::from(quote).to_string().repeat(3);
    if rest.starts_with(&mark) {
        return rest[3..].find(&mark).map(|length| start + 3 + length + 3);
    }
    let bytes = text.as_bytes();
    let mut index = start + 1;
    while index < bytes.len() {
        match bytes[index] {
            b'\\' => index += 1,
            b'\n' => return Some(index),
            byte if byte == quote => return Some(index + 1),
            _ => {}
        }
        index += 1;
    }
    None
}

/// `pl.pallas_call` before its parenthesis.
fn dotted_name_before(text: &str, end: usize) -> Option<&str> {
    let before = text[..end].trim_end_matches([' ', '\t']);
    let length = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        .map(char::len_utf8)
        .sum::<usize>();
    let name = &before[before.len() - length..];
    let first = name.chars().next()?;
    (first.is_alphabetic() || first == '_').then_some(name)
}

/// The part of a name that stands before an offset.
pub(crate) fn word_before(text: &str, offset: usize) -> &str {
    let before = &text[..offset.min(text.len())];
    let length =
        before.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum::<usize>();
    &before[before.len() - length..]
}

/// The dotted name that a text ends with.
pub(crate) fn dotted_before(text: &str) -> &str {
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let length = text.chars().rev().take_while(is_part).map(char::len_utf8).sum::<usize>();
    &text[text.len() - length..]
}

/// The tuple that a text begins with, as it is written.
pub(crate) fn tuple_text(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then(|| &text[..=at]);
        }
    }
    None
}

/// Elements of a tuple that is written out: `(4, 2)` has two, `(4,)` one. `None` for anything else.
pub(crate) fn tuple_length(text: &str) -> Option<usize> {
    let inner = text.trim().strip_prefix(['(', '['])?;
    let (mut depth, mut count, mut is_empty) = (0usize, 0, true);
    for character in inner.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some(count + usize::from(!is_empty)),
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                count += 1;
                is_empty = true;
                continue;
            }
            _ => {}
        }
        is_empty &= character.is_whitespace();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `callee(piece|piece)` for each frame.
    fn shown(text: &str) -> Vec<String> {
        let frames = open(text, text.len()).frames;
        frames.iter().map(|frame| format!("{}({})", frame.callee.unwrap_or("-"), frame.pieces.join("|"))).collect()
    }

    #[test]
    fn open_brackets_are_found_in_half_typed_text() {
        assert_eq!(shown("y = pl.pallas_call(k, grid=(4, "), ["pl.pallas_call(k| grid=(4, )", "-(4| )"]);
        assert_eq!(shown("f(a, b)(c, [d"), ["-(c| [d)", "-(d)"]);
        assert_eq!(shown("f('),', \"(\", # (\n  x"), ["f('),'| \"(\"| # (\n  x)"]);
        assert!(shown("f(a)\n").is_empty());
        assert_eq!(shown("g(1\nh(2"), ["h(2)"], "a line in the first column begins anew");
    }

    #[test]
    fn keywords_are_told_from_comparisons() {
        let text = "f(a, b == c, grid=(1, 2), in_";
        let open = open(text, text.len());
        let frame = &open.frames[0];
        assert_eq!(frame.given().collect::<Vec<_>>(), [("grid", "(1, 2)")]);
        assert_eq!(frame.positional().count(), 2);
        assert_eq!(frame.keyword(), None);
    }

    #[test]
    fn strings_and_comments_are_known() {
        assert!(open("f(\"par", 6).string.is_some());
        assert!(open("f(x) # (", 8).comment);
        assert!(open("f('''a\n'", 8).string.is_some());
    }

    #[test]
    fn tuples_are_counted() {
        for (text, length) in [("(4, 2)", 2), ("(4,)", 1), ("()", 0), ("(f(a, b), 1, )", 2), ("[1]", 1)] {
            assert_eq!(tuple_length(text), Some(length), "{text}");
        }
        assert_eq!(tuple_length("grid"), None);
        assert_eq!(tuple_length("(4, "), None);
    }
}
