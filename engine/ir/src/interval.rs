//! Bounds of integers with a stride, for reasoning about indices: `{ lower + k * stride } ∩ [lower, upper]`.
//! Says nothing of floats.

/// A set of integers that contains every value that an expression can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Smallest value.
    pub lower: i64,
    /// Largest value.
    pub upper: i64,
    /// Every value is `lower` plus a multiple of this; 0 for a single value.
    pub stride: i64,
}

impl Interval {
    /// Any integer.
    pub const ANY: Interval = Interval { lower: i64::MIN, upper: i64::MAX, stride: 1 };

    /// One value.
    pub fn exactly(value: i64) -> Self {
        Interval { lower: value, upper: value, stride: 0 }
    }

    /// `lower..=upper`.
    pub fn range(lower: i64, upper: i64) -> Self {
        Interval { lower, upper, stride: i64::from(lower != upper) }
    }

    /// The only value, if there is just one.
    pub fn value(self) -> Option<i64> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Whether nothing is known.
    pub fn is_any(self) -> bool {
        self.lower == i64::MIN && self.upper == i64::MAX
    }

    /// Whether a bound is the end of the type, that is, not known.
    pub fn is_bounded(self) -> bool {
        self.lower != i64::MIN && self.upper != i64::MAX
    }

    /// The smallest interval that contains both.
    pub fn union(self, other: Interval) -> Interval {
        let lower = self.lower.min(other.lower);
        let upper = self.upper.max(other.upper);
        let gap = self.lower.checked_sub(other.lower).map_or(1, i64::abs);
        Interval { lower, upper, stride: if lower == upper { 0 } else { gcd(gcd(self.stride, other.stride), gap) } }
    }
}

/// Greatest common divisor of magnitudes; `gcd(0, n) == n`.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}
