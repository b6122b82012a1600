//! Where a file can be cut into top-level statements, and cutting it again after an edit: lines before the edit, and from a line
//! behind it on that begins as it did before, are not read again.

use crate::layout::{self, Line};
use crate::span::SourceFile;
use std::ops::Range;
use std::sync::Arc;

/// The lines of a version of a file.
#[derive(Default)]
pub(crate) struct Cut {
    text: Arc<str>,
    lines: Vec<CutLine>,
}

/// What must be known of a logical line.
#[derive(Clone, Copy)]
struct CutLine {
    start: usize,
    end: usize,
    /// Where reading went on after it.
    next: usize,
    is_indented: bool,
    /// What stands where the next statement would belongs to this line: a decorator, or the header of a block.
    wants_more: bool,
    /// It is a clause of the statement before.
    is_clause: bool,
    /// A header, so that indented lines, or what stands in their place, follow.
    opens_block: bool,
    /// What it is does not depend on text behind it.
    is_settled: bool,
}

impl Cut {
    /// The next version of the file; the pieces that it is cut into.
    pub(crate) fn again(&mut self, source: &SourceFile) -> Vec<Range<usize>> {
        let before = std::mem::take(&mut self.lines);
        self.lines = lines(source, &self.text, &before);
        self.text = source.text.clone();
        self.pieces()
    }

    /// Lines that are not indented begin a piece, unless they go on with the statement before.
    fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        let mut previous: Option<&CutLine> = None;
        for line in &self.lines {
            let goes_on =
                line.is_clause || previous.is_some_and(|previous| previous.wants_more || previous.opens_block);
            match pieces.last_mut() {
                Some(piece) if line.is_indented || goes_on => piece.end = line.end,
                _ => {
                    // With its indentation, where the file begins with some.
                    let start = self.text[..line.start].rfind('\n').map_or(0, |newline| newline + 1);
                    pieces.push(if line.is_indented { start } else { line.start }..line.end);
                }
            }
            previous = Some(line);
        }
        pieces
    }
}

/// The lines of a source, given those of another version.
fn lines(source: &SourceFile, old_text: &str, old: &[CutLine]) -> Vec<CutLine> {
    let text = &*source.text;
    let prefix = text.bytes().zip(old_text.bytes()).take_while(|(a, b)| a == b).count();
    let most = text.len().min(old_text.len()) - prefix;
    let suffix = text.bytes().rev().zip(old_text.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    // Text from here on stands in the old version, too, by so much further on.
    let (same_from, old_from) = (text.len() - suffix, old_text.len() - suffix);

    let kept = old.iter().take_while(|line| line.is_settled && line.next + 1 < prefix).count();
    // The last of them is read again: what follows it may have become a part of it.
    let mut lines = old[..kept.saturating_sub(1)].to_vec();
    let mut at = lines.last().map_or(0, |line| line.next);
    let mut candidates = old.iter().enumerate().skip(lines.len()).peekable();
    while let Some((line, next)) = layout::line(source, at) {
        // Where the newline before it has been there before, a line that begins at the same place is the same line.
        let line_start = text[..line.start].rfind('\n').unwrap_or(0);
        if line_start >= same_from && line_start > 0 {
            let wanted = line.start - same_from + old_from;
            while candidates.next_if(|(_, known)| known.start < wanted).is_some() {}
            if let Some((index, _)) = candidates.peek().filter(|(_, known)| known.start == wanted) {
                let moved = |offset: usize| offset - old_from + same_from;
                lines.extend(old[*index..].iter().map(|line| CutLine {
                    start: moved(line.start),
                    end: moved(line.end),
                    next: moved(line.next),
                    ..*line
                }));
                return lines;
            }
        }
        lines.push(CutLine::new(source, &line, next));
        at = next;
    }
    lines
}

impl CutLine {
    fn new(source: &SourceFile, line: &Line, next: usize) -> CutLine {
        let word = line.first_word(source);
        let is_sound = line.problem.is_none();
        CutLine {
            start: line.start,
            end: line.end,
            next,
            is_indented: line.indent > 0,
            wants_more: line.indent == 0 && word == "@",
            is_clause: matches!(word, "elif" | "else" | "except" | "finally"),
            opens_block: line.opens_block && is_sound,
            is_settled: is_sound && has_closed_braces(line.text(source)),
        }
    }
}

/// An f-string whose braces do not close may be closed by what follows.
fn has_closed_braces(text: &str) -> bool {
    let mut depth = 0usize;
    for byte in text.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return false,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    fn source(text: &str) -> SourceFile {
        SourceFile::new(FileId(0), "t.py", text)
    }

    #[test]
    fn cutting_again_is_cutting_afresh() {
        let versions = [
            "import a\n@b\ndef f(x):\n  return x\n\nif a:\n  b\nelse:\n  c\nd = (1,\n2)\n",
            "import a\n@b\ndef f(x):\n  return (x\n\nif a:\n  b\nelse:\n  c\nd = (1,\n2)\n",
            "import a\n@b\ndef f(x):\n  return (x)\n\nif a:\n  b\n\nd = (1,\n2)\n",
            "import a\n  @b\ndef f(x):\n  return (x)\n\nif a:\nb\n\nd = (1,\n2)\n",
            "import a\n'''\n@b\ndef f(x):\n  return (x)\n\nif a:\nb\n\nd = (1,\n2)\n",
            "import a\n'''\n@b\ndef f(x):\n  return (x)\n'''\nif a:\nb\n\nd = (1,\n2)\n",
            "f'{a'\nimport a\nd = (1,\n2)\n",
            "f'{a'\nimport a\n}'d = (1,\n2)\n",
            "",
            "x",
        ];
        for from in versions {
            for to in versions {
                let mut cut = Cut::default();
                cut.again(&source(from));
                assert_eq!(cut.again(&source(to)), Cut::default().again(&source(to)), "from {from:?} to {to:?}");
            }
        }
    }
}
