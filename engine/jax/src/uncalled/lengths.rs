//! How long the dimensions of a made-up array are. Powers of two that common blocks divide, so that what a kernel asks of
//! its arguments holds; smaller for what is small in real programs.

/// One choice of lengths. An array of another choice has other lengths in every dimension whose name says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Where the name of a dimension says nothing.
    pub other: usize,
    /// Whether names count at all; if not, every dimension has the same length.
    pub named: bool,
}

impl Lengths {
    /// What is tried first: small batches and heads, 128 features.
    pub const USUAL: Lengths = Lengths { other: 1024, named: true };
    /// The same with other lengths: what both show does not depend on them.
    pub const LONGER: Lengths = Lengths { other: 2048, named: true };
    /// All alike: arrays fit each other that are not known to have a dimension in common.
    pub const SQUARE: Lengths = Lengths { other: 1024, named: false };

    /// The length of a dimension of this name.
    pub fn of(&self, name: &str) -> usize {
        if let Ok(number) = name.parse() {
            return number;
        }
        let name = name.trim_start_matches('_').to_lowercase();
        match BY_NAME.iter().find(|(known, _)| *known == name) {
            Some((_, length)) if self.named => *length,
            _ => self.other,
        }
    }
}

const BY_NAME: [(&str, usize); 26] = [
    ("b", 2),
    ("bs", 2),
    ("batch", 2),
    ("batch_size", 2),
    ("num_batches", 2),
    ("g", 4),
    ("groups", 4),
    ("num_groups", 4),
    ("e", 4),
    ("experts", 4),
    ("num_experts", 4),
    ("heads", 8),
    ("h", 8),
    ("nh", 8),
    ("num_heads", 8),
    ("n_heads", 8),
    ("q_heads", 8),
    ("kv_heads", 8),
    ("num_q_heads", 8),
    ("num_kv_heads", 8),
    ("d", 128),
    ("dim", 128),
    ("head_dim", 128),
    ("head_size", 128),
    ("d_head", 128),
    ("dk", 128),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_say_how_long() {
        assert_eq!(Lengths::USUAL.of("batch"), 2);
        assert_eq!(Lengths::USUAL.of("m"), 1024);
        assert_eq!(Lengths::LONGER.of("m"), 2048);
        assert_eq!(Lengths::SQUARE.of("batch"), 1024);
        assert_eq!(Lengths::SQUARE.of("3"), 3);
    }
}
