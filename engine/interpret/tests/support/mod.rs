//! Texts damaged at random, the same ones in every run.

/// Draws numbers (xorshift64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Random {
        Random(0x2545_f491_4f6c_dd1d)
    }

    /// A number below another; 0 below 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// A text with words in the place of a few letters, in so many places; none if it has sizes that are not worth their
    /// memory in a test.
    pub(crate) fn damaged(&mut self, letters: &[char], words: &[&str], places: usize) -> Option<String> {
        let mut damaged = letters.to_vec();
        for _ in 0..places {
            let at = self.below(damaged.len());
            let length = self.below(4).min(damaged.len() - at);
            let word = words[self.below(words.len())];
            damaged.splice(at..at + length, word.chars());
        }
        let damaged: String = damaged.into_iter().collect();
        let large = damaged.split(|c: char| !c.is_ascii_digit()).any(|number| number.len() > 3);
        (!large).then_some(damaged)
    }
}
