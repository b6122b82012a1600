//! From byte offsets to LSP positions and back, in the three encodings that the protocol knows.
//! Holds the table of line starts of one text; knows no documents and no protocol types.
//!
//! Every conversion is total: lines past the end mean the end, columns past the end of a line mean the end of that
//! line (before its line ending), and a column inside a character means the start of that character.

use std::ops::Range;
use std::sync::Arc;

/// The unit in which columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units; what a client means that says nothing.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The encoding with this name in the protocol.
    pub(crate) fn named(name: &str) -> Option<Encoding> {
        [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].into_iter().find(|encoding| encoding.name() == name)
    }

    /// Its name in the protocol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf32 => "utf-32",
        }
    }

    /// Units that a character takes.
    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// Units that a text takes.
    fn measure(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            _ if text.is_ascii() => text.len(),
            _ => text.chars().map(|character| self.units(character)).sum(),
        }
    }

    /// The byte offset in `line` of a column, at most the length of the line, never inside a character.
    fn offset(self, line: &str, column: usize) -> usize {
        if line.is_ascii() {
            return column.min(line.len());
        }
        let mut units = 0;
        for (offset, character) in line.char_indices() {
            units += self.units(character);
            if units > column {
                return offset;
            }
        }
        line.len()
    }
}

/// A zero-based line and a zero-based column in some [`Encoding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinePosition {
    /// Zero-based line.
    pub(crate) line: u32,
    /// Zero-based column.
    pub(crate) column: u32,
}

/// A text with the starts of its lines. Lines end at `\n`, `\r\n` and a lone `\r`, as the protocol has it.
#[derive(Clone, Debug)]
pub(crate) struct LineTable {
    text: Arc<str>,
    /// Byte offset of each line; the first is 0.
    starts: Arc<[usize]>,
    /// The lines that positions are of, if not all: positions count from the first of them.
    window: Option<(u32, u32)>,
}

impl LineTable {
    /// Indexes a text.
    pub(crate) fn new(text: Arc<str>) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (index, byte) in bytes.iter().enumerate() {
            let ends_line = match byte {
                b'\n' => true,
                b'\r' => bytes.get(index + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                starts.push(index + 1);
            }
        }
        LineTable { text, starts: starts.into(), window: None }
    }

    /// The text.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The same text, with positions in these lines of it: those that a client takes for a text of their own.
    pub(crate) fn window(&self, lines: Range<u32>) -> LineTable {
        LineTable { window: Some((lines.start, lines.end.saturating_sub(1))), ..self.clone() }
    }

    /// The same text with positions in all of it.
    pub(crate) fn whole(&self) -> LineTable {
        LineTable { window: None, ..self.clone() }
    }

    /// Whether a byte offset has a position of its own.
    pub(crate) fn shows(&self, offset: usize) -> bool {
        let line = self.starts.partition_point(|start| *start <= offset) as u32 - 1;
        self.window.is_none_or(|(first, last)| (first..=last).contains(&line))
    }

    /// Bytes of a line without its ending.
    fn line(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        Some(start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len())
    }

    /// The byte offset of a position.
    pub(crate) fn offset(&self, position: LinePosition, encoding: Encoding) -> usize {
        let (first, last) = self.window.unwrap_or((0, u32::MAX));
        // Lines past the end mean the end.
        let (line, column) = match first.saturating_add(position.line) {
            line if line > last => (last, u32::MAX),
            line => (line, position.column),
        };
        match self.line(line as usize) {
            Some(line) => line.start + encoding.offset(&self.text[line.clone()], column as usize),
            None => self.text.len(),
        }
    }

    /// The bytes between two positions, in whichever order they come.
    pub(crate) fn range(&self, a: LinePosition, b: LinePosition, encoding: Encoding) -> Range<usize> {
        let (a, b) = (self.offset(a, encoding), self.offset(b, encoding));
        a.min(b)..a.max(b)
    }

    /// The position of a byte offset. Offsets past the end mean the end; one inside a character means its start, and one
    /// inside a line ending the end of its line.
    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> LinePosition {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        // The first start is 0, so at least one start is not past the offset.
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let range = self.line(line).unwrap_or_default();
        let before = &self.text[range.start..offset.min(range.end)];
        let at = LinePosition { line: line as u32, column: encoding.measure(before) as u32 };
        match self.window {
            Some((first, _)) if at.line < first => LinePosition::default(),
            Some((first, last)) if at.line > last => {
                let end = self.line(last as usize).unwrap_or_default();
                LinePosition { line: last - first, column: encoding.measure(&self.text[end]) as u32 }
            }
            Some((first, _)) => LinePosition { line: at.line - first, ..at },
            None => at,
        }
    }
}

/// A text with a range replaced.
pub(crate) fn replaced(text: &str, range: Range<usize>, new_text: &str) -> String {
    let mut edited = String::with_capacity(text.len() - range.len() + new_text.len());
    edited.push_str(&text[..range.start]);
    edited.push_str(new_text);
    edited.push_str(&text[range.end..]);
    edited
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn at(line: u32, column: u32) -> LinePosition {
        LinePosition { line, column }
    }

    fn table(text: &str) -> LineTable {
        LineTable::new(text.into())
    }

    #[test]
    fn columns_count_the_units_of_their_encoding() {
        // "e" + combining acute: two scalars; the flag: two scalars of two UTF-16 units each; 𝐱: one scalar, two units.
        let text = "x = 'e\u{301}🇫🇷𝐱é'  # 中";
        let table = table(text);
        for (needle, utf8, utf16, utf32) in [
            ("x", 0, 0, 0),
            ("e\u{301}", 5, 5, 5),
            ("\u{301}", 6, 6, 6),
            ("🇫", 8, 7, 7),
            ("🇷", 12, 9, 8),
            ("𝐱", 16, 11, 9),
            ("é", 20, 13, 10),
            ("#", 25, 17, 14),
            ("中", 27, 19, 16),
        ] {
            let offset = text.find(needle).expect("the needle is in the text");
            for (encoding, column) in ENCODINGS.into_iter().zip([utf8, utf16, utf32]) {
                assert_eq!(table.position(offset, encoding), at(0, column), "{needle} in {}", encoding.name());
                assert_eq!(table.offset(at(0, column), encoding), offset, "{needle} in {}", encoding.name());
            }
        }
    }

    #[test]
    fn every_character_survives_the_round_trip_in_every_encoding() {
        let text = "a\r\n🙂b\rc\n\n\u{301}\u{1F469}\u{200D}\u{1F680}\r\n";
        let table = table(text);
        for encoding in ENCODINGS {
            for (offset, character) in text.char_indices() {
                if character == '\n' && text[..offset].ends_with('\r') {
                    continue; // inside a line ending there is no position
                }
                assert_eq!(table.offset(table.position(offset, encoding), encoding), offset, "{offset}");
            }
            assert_eq!(table.offset(table.position(text.len(), encoding), encoding), text.len());
        }
    }

    #[test]
    fn lines_end_as_the_protocol_says() {
        let table = table("a\nb\r\nc\rd\n");
        let starts: Vec<usize> = (0..6).map(|line| table.offset(at(line, 0), Encoding::Utf16)).collect();
        assert_eq!(starts, [0, 2, 5, 7, 9, 9]);
        assert_eq!(table.position(9, Encoding::Utf16), at(4, 0));
    }

    #[test]
    fn columns_past_the_end_of_a_line_stop_before_its_ending() {
        let table = table("ab\r\nc");
        assert_eq!(table.offset(at(0, 99), Encoding::Utf16), 2);
        assert_eq!(table.offset(at(1, 99), Encoding::Utf16), 5);
        assert_eq!(table.offset(at(u32::MAX, u32::MAX), Encoding::Utf8), 5);
        assert_eq!(table.position(3, Encoding::Utf8), at(0, 2));
        assert_eq!(table.position(usize::MAX, Encoding::Utf8), at(1, 1));
    }

    #[test]
    fn a_column_inside_a_character_is_its_start() {
        let table = table("🙂x");
        assert_eq!(table.offset(at(0, 1), Encoding::Utf16), 0);
        assert_eq!(table.offset(at(0, 2), Encoding::Utf16), 4);
        for column in 0..4 {
            assert_eq!(table.offset(at(0, column), Encoding::Utf8), 0);
        }
        assert_eq!(table.position(2, Encoding::Utf16), at(0, 0));
    }

    #[test]
    fn ranges_may_come_the_wrong_way_round() {
        let table = table("abc\ndef");
        assert_eq!(table.range(at(1, 1), at(0, 1), Encoding::Utf16), 1..5);
        assert_eq!(replaced("abc\ndef", 1..5, "🙂"), "a🙂ef");
    }

    #[test]
    fn a_window_has_positions_of_its_own() {
        let whole = table("mark\na = 1\nbé = 2\nmark\nc\n");
        let window = whole.window(1..3);
        let of_b = whole.text().find('=').map_or(0, |first| first + 8);
        assert_eq!((&whole.text()[of_b..=of_b], window.position(of_b, Encoding::Utf16)), ("=", at(1, 3)));
        assert_eq!(window.offset(at(1, 3), Encoding::Utf16), of_b);
        let ends = [(0, at(0, 0)), (whole.text().len(), at(1, 6))];
        assert_eq!(
            ends.map(|(offset, _)| window.position(offset, Encoding::Utf16)),
            ends.map(|(_, position)| position)
        );
        for past in [at(1, 99), at(2, 0), at(u32::MAX, u32::MAX)] {
            assert_eq!(window.offset(past, Encoding::Utf16), whole.offset(at(2, 99), Encoding::Utf16));
        }
        assert_eq!([0, 5, of_b, 19, 20].map(|offset| window.shows(offset)), [false, true, true, false, false]);
        assert_eq!(window.whole().position(of_b, Encoding::Utf16), at(2, 3));
    }

    #[test]
    fn an_empty_text_has_one_line() {
        let table = table("");
        assert_eq!(table.offset(at(0, 0), Encoding::Utf16), 0);
        assert_eq!(table.offset(at(7, 7), Encoding::Utf32), 0);
        assert_eq!(table.position(7, Encoding::Utf8), at(0, 0));
    }
}
