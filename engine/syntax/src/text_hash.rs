//! A quick hash of texts, for tables that live in memory only: eight bytes at a time. Whoever may choose texts to make a table
//! slow only slows down an editor of their own.

use std::hash::{BuildHasherDefault, Hasher};

/// For tables whose keys are texts.
pub(crate) type ByText = BuildHasherDefault<TextHasher>;

/// The multiplier of Knuth's MMIX generator.
const FACTOR: u64 = 6_364_136_223_846_793_005;

/// See the module.
#[derive(Default)]
pub(crate) struct TextHasher(u64);

impl Hasher for TextHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
        let mut last = [0; 8];
        last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        self.add(u64::from_le_bytes(last) ^ bytes.len() as u64);
    }

    fn finish(&self) -> u64 {
        // Tables look at the upper bits and at the lower ones.
        self.0 ^ self.0 >> 32
    }
}

impl TextHasher {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(FACTOR);
    }
}

/// The hash of one text.
pub(crate) fn of(text: &str) -> u64 {
    let mut hasher = TextHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_little_differ() {
        let texts = ["", "a", "b", "ab", "ba", "12345678", "12345679", "123456780", "1234567800", "\0", "\0\0"];
        let mut hashes: Vec<u64> = texts.iter().map(|text| of(text)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), texts.len());
    }
}
