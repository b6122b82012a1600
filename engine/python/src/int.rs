//! Python's `int`: machine-sized where it fits, unbounded where not. Arithmetic keeps the small form whenever it can.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use std::fmt;
use std::rc::Rc;

/// An unbounded integer. `Big` never holds a value that fits `Small`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Int {
    /// Fits in 64 bits.
    Small(i64),
    /// Does not.
    Big(Rc<BigInt>),
}

impl Int {
    /// As `i64`, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Int::Small(value) => Some(*value),
            Int::Big(_) => None,
        }
    }

    /// As a big integer.
    pub fn to_big(&self) -> BigInt {
        match self {
            Int::Small(value) => BigInt::from(*value),
            Int::Big(value) => (**value).clone(),
        }
    }

    /// As the nearest float; infinite where it is too large.
    pub fn to_f64(&self) -> f64 {
        match self {
            Int::Small(value) => *value as f64,
            Int::Big(value) => value.to_f64().unwrap_or(f64::INFINITY),
        }
    }

    /// `== 0`
    pub fn is_zero(&self) -> bool {
        match self {
            Int::Small(value) => *value == 0,
            Int::Big(value) => value.is_zero(),
        }
    }

    /// `< 0`
    pub fn is_negative(&self) -> bool {
        match self {
            Int::Small(value) => *value < 0,
            Int::Big(value) => value.is_negative(),
        }
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Int::Small(value)
    }
}

impl From<i32> for Int {
    fn from(value: i32) -> Self {
        Int::Small(value.into())
    }
}

impl From<usize> for Int {
    fn from(value: usize) -> Self {
        i64::try_from(value).map_or_else(|_| BigInt::from(value).into(), Int::Small)
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Self {
        value.to_i64().map_or_else(|| Int::Big(Rc::new(value)), Int::Small)
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int::Small(value) => value.fmt(f),
            Int::Big(value) => value.fmt(f),
        }
    }
}
