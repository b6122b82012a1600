//! Slices of sequences: which positions `start:stop:step` names.

use crate::int::Int;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::{Slice, Value};

/// A slice fitted to a length (`PySlice_AdjustIndices`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positions {
    /// First position.
    pub start: i64,
    /// Bound, excluded; -1 where a negative step runs to the beginning.
    pub stop: i64,
    /// Distance, not zero.
    pub step: i64,
    /// Number of positions.
    pub count: usize,
}

impl Positions {
    /// The positions in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        // Fitted positions lie within the sequence, so the arithmetic stays in range.
        (0..self.count).map(move |index| (self.start + self.step * index as i64) as usize)
    }
}

impl Interp {
    /// `slice.indices(length)`. TypeError for parts that are no integers, ValueError for a step of zero.
    pub fn slice_positions(&self, slice: &Slice, length: usize) -> PyResult<Positions> {
        let length = length as i64;
        let step = self.slice_part(&slice.step)?.unwrap_or(1);
        if step == 0 {
            return Err(self.value_error("slice step cannot be zero"));
        }
        // Steps beyond any length behave alike; this keeps the negation below in range.
        let step = step.clamp(-i64::MAX / 4, i64::MAX / 4);
        let fit = |part: Option<i64>, default: i64| match part {
            None => default,
            Some(position) => {
                let position = if position < 0 { position.saturating_add(length) } else { position };
                if step < 0 { position.clamp(-1, length - 1) } else { position.clamp(0, length) }
            }
        };
        let start = fit(self.slice_part(&slice.lower)?, if step < 0 { length - 1 } else { 0 });
        let stop = fit(self.slice_part(&slice.upper)?, if step < 0 { -1 } else { length });
        let count = if step > 0 {
            if start < stop { (stop - start - 1) / step + 1 } else { 0 }
        } else if stop < start {
            (start - stop - 1) / -step + 1
        } else {
            0
        };
        Ok(Positions { start, stop, step, count: count as usize })
    }

    fn slice_part(&self, part: &Value) -> PyResult<Option<i64>> {
        match part {
            Value::None | Value::Unset | Value::Unknown(_) => Ok(None),
            part => match self.as_index(part)? {
                Some(Int::Small(value)) => Ok(Some(value)),
                Some(big) => Ok(Some(if big.is_negative() { i64::MIN / 4 } else { i64::MAX / 4 })),
                None => Err(self.type_error("slice indices must be integers or None or have an __index__ method")),
            },
        }
    }
}
