//! The texts of a notebook's code cells, and where each byte of them stands in the file. Reads JSON that was looked through before;
//! what has not the form of a notebook's is passed over.

use serde_json::from_str;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::ops::Range;

type Fields<'a> = HashMap<String, &'a RawValue>;

/// The text of a cell.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) text: String,
    /// For each byte of the text, the bytes of the file that stand for its character.
    places: Vec<Range<usize>>,
}

impl Text {
    /// The bytes of the file that say these bytes of the text.
    pub(super) fn place(&self, range: Range<usize>) -> Option<Range<usize>> {
        let first = self.places.get(range.start)?;
        let last = self.places.get(range.end.checked_sub(1)?)?;
        (first.start < last.end).then_some(first.start..last.end)
    }

    /// Takes in a text that stands at `start` of the file, with its quotes.
    fn push(&mut self, token: &str, start: usize) {
        let mut at = 1;
        while let Some(length) = character(&token[at..]) {
            let raw = &token[at..at + length];
            let decoded = from_str::<String>(&format!("\"{raw}\"")).unwrap_or_default();
            self.places.extend(decoded.bytes().map(|_| start + at..start + at + length));
            self.text.push_str(&decoded);
            at += length;
        }
    }
}

/// How many bytes the first character of a JSON text takes; `None` at its closing quote.
fn character(text: &str) -> Option<usize> {
    let length = match text.as_bytes() {
        [] | [b'"', ..] => return None,
        // Two escapes stand for a character that UTF-16 has no single unit for.
        [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..] => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        _ => text.chars().next()?.len_utf8(),
    };
    text.is_char_boundary(length).then_some(length)
}

/// The texts of the code cells of a file, in order.
pub(super) fn texts(json: &str) -> Vec<Text> {
    let within = |part: &str| part.as_ptr() as usize - json.as_ptr() as usize;
    let file: Fields<'_> = from_str(json).unwrap_or_default();
    let cells: Vec<&RawValue> = file.get("cells").and_then(|cells| from_str(cells.get()).ok()).unwrap_or_default();
    let mut found = Vec::new();
    for cell in cells {
        let fields: Fields<'_> = from_str(cell.get()).unwrap_or_default();
        if fields.get("cell_type").is_none_or(|kind| kind.get() != "\"code\"") {
            continue;
        }
        let mut text = Text::default();
        if let Some(source) = fields.get("source") {
            // Jupyter keeps lines, others one text.
            let lines: Vec<&RawValue> = from_str(source.get()).unwrap_or_else(|_| vec![*source]);
            for line in lines.into_iter().map(RawValue::get).filter(|line| line.starts_with('"')) {
                text.push(line, within(line));
            }
        }
        found.push(text);
    }
    found
}
