//! Integers that are known, or that the threads compute: positions, starts, strides. Arithmetic on what is known leaves no
//! instruction behind.

use crate::ir::{Builder, Value};
use pallas_ir::ops;

/// An `i32` in one register, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// Known.
    Known(i64),
    /// Computed.
    Computed(Value),
}

use Number::{Computed, Known};

impl Number {
    /// Of a value, known if its constant is.
    pub(crate) fn of(b: &mut Builder, value: Value) -> Number {
        match b.constant_of(value).and_then(pallas_tensor::Scalar::as_int).and_then(|number| i64::try_from(number).ok())
        {
            Some(number) => Known(number),
            None => Computed(b.convert(value, pallas_tensor::DType::I32)),
        }
    }

    /// As a value of one register.
    pub(crate) fn value(self, b: &mut Builder) -> Value {
        match self {
            Known(number) => b.int(number),
            Computed(value) => value,
        }
    }

    pub(crate) fn add(self, b: &mut Builder, other: Number) -> Number {
        match (self, other) {
            (Known(a), Known(c)) => Known(a.saturating_add(c)),
            (Known(0), other) => other,
            (this, Known(0)) => this,
            (this, other) => binary(b, &ops::ADD, this, other),
        }
    }

    pub(crate) fn times(self, b: &mut Builder, factor: i64) -> Number {
        match (self, factor) {
            (Known(number), _) => Known(number.saturating_mul(factor)),
            (_, 0) => Known(0),
            (this, 1) => this,
            (this, factor) => binary(b, &ops::MUL, this, Known(factor)),
        }
    }

    /// Negative ones count from the end.
    pub(crate) fn wrapped(self, b: &mut Builder, end: i64) -> Number {
        match self {
            Known(number) if number < 0 => Known(number.saturating_add(end)),
            Known(number) => Known(number),
            Computed(value) => {
                let zero = b.int(0);
                let negative = b.binary(&ops::LT, value, zero);
                let moved = self.add(b, Known(end)).value(b);
                Computed(b.select(negative, moved, value))
            }
        }
    }

    /// Moved into `low..=high`; `low` is not above `high`.
    pub(crate) fn clamp(self, b: &mut Builder, low: i64, high: i64) -> Number {
        match self {
            Known(number) => Known(number.clamp(low, high.max(low))),
            _ if low >= high => Known(low),
            this => {
                let above = binary(b, &ops::MAX, this, Known(low));
                binary(b, &ops::MIN, above, Known(high))
            }
        }
    }
}

pub(crate) fn binary(b: &mut Builder, op: &'static pallas_ir::OpDef, left: Number, right: Number) -> Number {
    let (left, right) = (left.value(b), right.value(b));
    Computed(b.binary(op, left, right))
}
