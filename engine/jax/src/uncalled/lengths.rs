//! How long the dimensions of a made-up array are. Powers of two that common blocks divide, so that what a kernel asks of
//! its arguments holds; smaller for what is small in real programs.

/// One choice of lengths. An array of another choice has other lengths in every dimension whose name says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Where the name of a dimension says nothing.
    pub other: usize,
    /// Whether names count at all; if not, every dimension has the same length.
    pub named: bool,
    /// Whether dimensions whose names say nothing differ from each other, so that a length tells which dimension it is.
    pub apart: bool,
}

impl Lengths {
    /// What is tried first: small batches and heads, 128 features.
    pub const USUAL: Lengths = Lengths { other: 1024, named: true, apart: false };
    /// The same with other lengths: what both show does not depend on them.
    pub const LONGER: Lengths = Lengths { other: 2048, named: true, apart: false };
    /// All alike: arrays fit each other that are not known to have a dimension in common.
    pub const SQUARE: Lengths = Lengths { other: 1024, named: false, apart: false };
    /// What is tried when no call with the others comes to a launch: what it fails for says which lengths have to agree.
    pub const APART: Lengths = Lengths { other: 1024, named: true, apart: true };
    /// The same with lengths of which few blocks would be too large.
    pub const LONG_APART: Lengths = Lengths { other: 16384, named: true, apart: true };
    /// The same with lengths that loops may be unrolled over.
    pub const SMALL_APART: Lengths = Lengths { other: 8, named: true, apart: true };

    /// The length of a dimension of this name.
    pub fn of(&self, name: &str) -> usize {
        self.known(name).unwrap_or(self.other)
    }

    /// The length of a dimension whose name says it.
    pub(super) fn known(&self, name: &str) -> Option<usize> {
        if let Ok(number) = name.parse() {
            return Some(number);
        }
        let name = name.trim_start_matches('_').to_lowercase();
        let by_name = BY_NAME.iter().find(|(known, _)| *known == name);
        let by_end = || BY_END.iter().find(|(known, _)| name.ends_with(known));
        by_name.or_else(by_end).map(|(_, length)| *length).filter(|_| self.named)
    }

    /// The length of the dimension of this number among those whose names say nothing.
    pub(super) fn nth(&self, number: usize) -> usize {
        if self.apart { self.other * (2 * number + 1) } else { self.other }
    }
}

/// How names of small dimensions end.
const BY_END: [(&str, usize); 10] = [
    ("_heads", 8),
    ("_experts", 4),
    ("_groups", 4),
    ("_mult", 4),
    ("_head_dim", 128),
    ("_lanes", 128),
    ("_packing", 1),
    ("num_seqs", 12),
    ("batch_size", 2),
    ("pages_per_seq", 5),
];

const BY_NAME: [(&str, usize); 28] = [
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
    ("kh", 3),
    ("kw", 3),
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
