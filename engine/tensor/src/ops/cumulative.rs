//! Running sums, products, extremes and log-sum-exps along an axis.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::elementwise::round_narrow;
use crate::ops::functions::{double, single};
use crate::ops::number::{Float, Integer};
use crate::ops::{convert, transpose};

/// What a cumulative operation accumulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CumulativeOp {
    /// `cumsum`
    Sum,
    /// `cumprod`
    Prod,
    /// `cummax`
    Max,
    /// `cummin`
    Min,
    /// `cumlogsumexp`, floats only.
    LogSumExp,
}

impl CumulativeOp {
    /// The name in jaxprs: `cumsum`.
    pub fn name(self) -> &'static str {
        match self {
            CumulativeOp::Sum => "cumsum",
            CumulativeOp::Prod => "cumprod",
            CumulativeOp::Max => "cummax",
            CumulativeOp::Min => "cummin",
            CumulativeOp::LogSumExp => "cumlogsumexp",
        }
    }
}

/// Each element combined with all before it along `axis` (after it, if `reverse`).
///
/// Floats are combined in XLA's order (see `scan_line`); 16- and 8-bit floats round at every step.
///
/// # Errors
/// For `bool`, keys, integers under log-sum-exp, and an axis out of bounds.
pub fn cumulative(op: CumulativeOp, array: &Array, axis: usize, reverse: bool) -> Result<Array, OpError> {
    let dtype = array.dtype();
    let accepted = dtype.is_float() || dtype.is_integer() && op != CumulativeOp::LogSumExp;
    if !accepted {
        return Err(OpError::DType { op: op.name(), dtype });
    }
    let rank = array.rank();
    if axis >= rank {
        return Err(OpError::argument(op.name(), format!("axis {axis} is out of bounds for shape {}", array.shape())));
    }
    // Exchanging the axis with the innermost is its own inverse.
    let mut permutation: Vec<usize> = (0..rank).collect();
    permutation.swap(axis, rank - 1);
    let mut moved = transpose(array, &permutation)?;
    let length = array.shape()[axis];
    if moved.size() == 0 {
        return Ok(array.clone());
    }
    let narrow = dtype.is_float() && dtype.bits() <= 16;
    if narrow {
        moved = convert(&moved, DType::F32)?;
    }
    macro_rules! integers {
        ($x:expr) => {
            match op {
                CumulativeOp::Sum => scan($x, length, reverse, Integer::add),
                CumulativeOp::Prod => scan($x, length, reverse, Integer::mul),
                CumulativeOp::Max => scan($x, length, reverse, Ord::max),
                _ => scan($x, length, reverse, Ord::min),
            }
        };
    }
    macro_rules! floats {
        ($x:expr, $functions:ident, $round:expr) => {{
            let round = $round;
            match op {
                CumulativeOp::Sum => scan($x, length, reverse, |x, y| round(Float::add(x, y))),
                CumulativeOp::Prod => scan($x, length, reverse, |x, y| round(Float::mul(x, y))),
                CumulativeOp::Max => scan($x, length, reverse, Float::maximum),
                CumulativeOp::Min => scan($x, length, reverse, Float::minimum),
                // `jnp.logaddexp`, step by step.
                CumulativeOp::LogSumExp => scan($x, length, reverse, |x, y| {
                    let difference = round(Float::sub(x, y));
                    if difference.is_nan() {
                        return round(x + y);
                    }
                    let ratio = round($functions::exp(-difference.abs()));
                    round(Float::maximum(x, y) + round($functions::log1p(ratio)))
                }),
            }
        }};
    }
    match moved.make_mut() {
        Buffer::I8(x) => integers!(x),
        Buffer::I16(x) => integers!(x),
        Buffer::I32(x) => integers!(x),
        Buffer::I64(x) => integers!(x),
        Buffer::U8(x) => integers!(x),
        Buffer::U16(x) => integers!(x),
        Buffer::U32(x) => integers!(x),
        Buffer::U64(x) => integers!(x),
        Buffer::F32(x) if narrow => floats!(x, single, |x: f32| round_narrow(dtype, x)),
        Buffer::F32(x) => floats!(x, single, |x: f32| x),
        Buffer::F64(x) => floats!(x, double, |x: f64| x),
        // Converted above or refused.
        Buffer::Bool(_) | Buffer::BF16(_) | Buffer::F16(_) | Buffer::Key(_) => {}
    }
    crate::ops::elementwise::wrap_four_bits(dtype, moved.make_mut());
    if narrow {
        moved = convert(&moved, dtype)?;
    }
    transpose(&moved, &permutation)
}

/// Lines longer than this are done in blocks of it: XLA turns the `reduce_window` behind these
/// operations into a scan within blocks, a scan of the blocks' totals, and one combination of both.
const BLOCK: usize = 16;

fn scan<T: Copy>(elements: &mut [T], length: usize, reverse: bool, f: impl Fn(T, T) -> T) {
    for line in elements.chunks_exact_mut(length) {
        scan_line(line, reverse, &f);
    }
}

fn scan_line<T: Copy>(line: &mut [T], reverse: bool, f: &impl Fn(T, T) -> T) {
    for block in line.chunks_mut(BLOCK) {
        if reverse {
            // Every window is combined from its first element on, so no sum serves the next.
            for start in 0..block.len() {
                let (first, rest) = (block[start], &block[start + 1..]);
                block[start] = rest.iter().fold(first, |sum, &x| f(sum, x));
            }
        } else {
            for index in 1..block.len() {
                block[index] = f(block[index - 1], block[index]);
            }
        }
    }
    if line.len() <= BLOCK {
        return;
    }
    let total = |block: &[T]| {
        if reverse { block[0] } else { block[block.len() - 1] }
    };
    let mut totals: Vec<T> = line.chunks(BLOCK).map(total).collect();
    scan_line(&mut totals, reverse, f);
    for (index, block) in line.chunks_mut(BLOCK).enumerate() {
        let before = if reverse { Some(index + 1) } else { index.checked_sub(1) };
        if let Some(&carried) = before.and_then(|index| totals.get(index)) {
            block.iter_mut().for_each(|x| *x = f(carried, *x));
        }
    }
}
