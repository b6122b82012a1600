//! A report's JSON without its long lists of events. What is left of a list is the number under which its place in the source
//! has been noted, so that everything else can be read at once, and the lists when there is time.
//!
//! This is a look at bytes, not a parser. It takes the first `]` for the end of a list, as events have no lists of their own. Who
//! reads the lists notices where that was wrong, since their brackets do not fit then, and reads the report the slow way.

use memchr::{memchr, memmem};
use std::io::{self, Read};
use std::ops::Range;

/// What a list of events is called.
const KEY: &[u8] = b"\"events\"";
/// Bytes from which on a list is long.
pub(crate) const LONG: usize = 1 << 20;
/// Bytes that are looked at together: as many as stay in a cache.
const BLOCK: usize = 1 << 18;

/// Hands on what it reads, but for long lists of events.
pub(crate) struct Sift<R> {
    source: R,
    /// Bytes that have been read and not yet handed on.
    buffer: Vec<u8>,
    /// How many of them have been handed on.
    taken: usize,
    /// How many may be.
    ready: usize,
    /// Bytes of the source before the buffer's.
    base: u64,
    ended: bool,
    /// Where the lists are that were left out, without their brackets.
    sections: Vec<Range<u64>>,
}

impl<R: Read> Sift<R> {
    pub(crate) fn new(source: R) -> Sift<R> {
        Sift { source, buffer: Vec::new(), taken: 0, ready: 0, base: 0, ended: false, sections: Vec::new() }
    }

    /// The source, and where the lists are that were left out.
    pub(crate) fn into_parts(self) -> (R, Vec<Range<u64>>) {
        (self.source, self.sections)
    }

    /// Reads until there are so many bytes, or no more.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        while self.buffer.len() < wanted && !self.ended {
            let length = self.buffer.len();
            self.buffer.resize(length + BLOCK, 0);
            let count = self.source.read(&mut self.buffer[length..])?;
            self.buffer.truncate(length + count);
            self.ended = count == 0;
        }
        Ok(())
    }

    /// Makes more bytes ready.
    fn more(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.taken);
        self.base += self.taken as u64;
        (self.taken, self.ready) = (0, 0);
        self.fill(BLOCK)?;
        let Some(key) = memmem::find(&self.buffer, KEY) else {
            let kept = if self.ended { 0 } else { KEY.len() - 1 };
            self.ready = self.buffer.len().saturating_sub(kept);
            return Ok(());
        };
        let behind = key + KEY.len();
        self.fill(behind + LONG)?;
        self.ready = behind;
        let space = |from: usize| from + self.buffer[from..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let colon = space(behind);
        if self.buffer.get(colon) != Some(&b':') {
            return Ok(());
        }
        let bracket = space(colon + 1);
        let short = self.ended || memchr(b']', &self.buffer[bracket.min(self.buffer.len())..]).is_some();
        if short || self.buffer.get(bracket) != Some(&b'[') {
            return Ok(());
        }
        self.leave_out(colon, bracket + 1)
    }

    /// Leaves out a list whose first byte is at `from`, and writes its number behind the colon.
    fn leave_out(&mut self, colon: usize, from: usize) -> io::Result<()> {
        let start = self.base + from as u64;
        let mut at = self.base + self.buffer.len() as u64;
        let mut block = vec![0; BLOCK];
        let (end, rest) = loop {
            let count = self.source.read(&mut block)?;
            if count == 0 {
                self.ended = true;
                break (at, &block[..0]);
            }
            if let Some(bracket) = memchr(b']', &block[..count]) {
                break (at + bracket as u64, &block[bracket + 1..count]);
            }
            at += count as u64;
        };
        let number = self.sections.len();
        self.sections.push(start..end);
        self.buffer.truncate(colon);
        self.buffer.extend_from_slice(format!(":{number}").as_bytes());
        self.ready = self.buffer.len();
        self.buffer.extend_from_slice(rest);
        // What is in front of the rest has another length now than in the source.
        self.base = (end + 1).wrapping_sub(self.ready as u64);
        Ok(())
    }
}

impl<R: Read> Read for Sift<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready {
            if self.ended && self.taken == self.buffer.len() {
                return Ok(0);
            }
            self.more()?;
        }
        let count = out.len().min(self.ready - self.taken);
        out[..count].copy_from_slice(&self.buffer[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out bytes in pieces of this many.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn sift(text: &str, piece: usize) -> (String, Vec<Range<u64>>) {
        let mut sift = Sift::new(Pieces(text.as_bytes(), piece));
        let mut out = String::new();
        sift.read_to_string(&mut out).expect("it is read");
        (out, sift.into_parts().1)
    }

    #[test]
    fn long_lists_of_events_are_left_out_and_nothing_else() {
        let long = "{\"program\":1},".repeat(LONG / 10);
        let text = format!(
            "{{\"events\":[1],\"note\":\"no \\\"events\\\":[ here\",\"a\":{{\"events\" :\n [{long}{{}}],\"b\":2}},\"events\":[{long}],\
             \"events\":[]}}"
        );
        for piece in [1000, 4093, BLOCK, usize::MAX] {
            let (out, sections) = sift(&text, piece);
            assert_eq!(
                out,
                "{\"events\":[1],\"note\":\"no \\\"events\\\":[ here\",\"a\":{\"events\" :0,\"b\":2},\"events\":1,\"events\":[]}",
                "pieces of {piece}"
            );
            let lists: Vec<&str> = sections.iter().map(|at| &text[at.start as usize..at.end as usize]).collect();
            assert_eq!(lists, [format!("{long}{{}}"), long.clone()]);
        }
    }

    #[test]
    fn a_text_that_ends_in_the_middle_is_handed_on_to_its_end() {
        let long = "{},".repeat(LONG);
        let (out, sections) = sift(&format!("{{\"events\":[{long}"), BLOCK);
        assert_eq!((out.as_str(), sections.len()), ("{\"events\":0", 1));
        for text in ["", "{", "\"events\"", "\"events\":", "\"events\" : [", "\"even"] {
            assert_eq!(sift(text, 3), (text.to_string(), Vec::new()));
        }
    }
}
