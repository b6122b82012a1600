//! Running sums, products, extremes and log-sum-exps along an axis.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::error::OpError;
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
/// Elements are combined in order. 16- and 8-bit floats round at every step.
///
/// # Errors
/// For `bool`, keys, integers under log-sum-exp, and an axis out of bounds.
pub fn cumulative(
    op: CumulativeOp,
    array: &Array,
    axis: usize,
    reverse: bool,
) -> Result<Array, OpError> {
    let dtype = array.dtype();
    let accepted = dtype.is_float() || dtype.is_integer() && op != CumulativeOp::LogSumExp;
    if !accepted {
        return Err(OpError::DType {
            op: op.name(),
            dtype,
        });
    }
    let rank = array.rank();
    if axis >= rank {
        return Err(OpError::argument(
            op.name(),
            format!("axis {axis} is out of bounds for shape {}", array.shape()),
        ));
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
                CumulativeOp::LogSumExp => scan($x, length, reverse, |x, y| {
                    let largest = Float::maximum(x, y);
                    if largest.is_infinite() || largest.is_nan() {
                        return largest;
                    }
                    let smallest = Float::minimum(x, y);
                    round(largest + $functions::log1p($functions::exp(smallest - largest)))
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
        Buffer::F32(x) if narrow => floats!(x, single, |x: f32| round_to(dtype, x)),
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

fn round_to(dtype: DType, x: f32) -> f32 {
    match dtype {
        DType::BF16 => half::bf16::from_f32(x).to_f32(),
        DType::F16 => half::f16::from_f32(x).to_f32(),
        _ => crate::Float8::of(dtype).map_or(x, |format| format.decode(format.encode(x))),
    }
}

fn scan<T: Copy>(elements: &mut [T], length: usize, reverse: bool, f: impl Fn(T, T) -> T) {
    for row in elements.chunks_exact_mut(length) {
        if reverse {
            for index in (1..length).rev() {
                row[index - 1] = f(row[index], row[index - 1]);
            }
        } else {
            for index in 1..length {
                row[index] = f(row[index - 1], row[index]);
            }
        }
    }
}
