//! Running sums, products, extremes and log-sum-exps along an axis.

use crate::array::Array;
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::error::OpError;
use crate::lack::collected;
use crate::ops::convert;
use crate::ops::elementwise::round_narrow;
use crate::ops::functions::{double, single};
use crate::ops::number::{Float, Integer};
use crate::ops::strided::Pattern;
use crate::shape::Shape;
use crate::threads::{portion, spread};

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
/// Floats are combined in XLA's order (see `scan_rows`); 16- and 8-bit floats round at every step.
///
/// # Errors
/// For `bool`, keys, integers under log-sum-exp, and an axis out of bounds.
pub fn cumulative(op: CumulativeOp, array: &Array, axis: usize, reverse: bool) -> Result<Array, OpError> {
    let dtype = array.dtype();
    let accepted = dtype.is_float() || dtype.is_integer() && op != CumulativeOp::LogSumExp;
    if !accepted {
        return Err(OpError::DType { op: op.name(), dtype });
    }
    if axis >= array.rank() {
        return Err(OpError::argument(op.name(), format!("axis {axis} is out of bounds for shape {}", array.shape())));
    }
    if array.size() == 0 {
        return Ok(array.clone());
    }
    let narrow = dtype.is_float() && dtype.bits() <= 16;
    let mut result = if narrow { convert(array, DType::F32)? } else { array.clone() };
    let lines = Lines { length: array.shape()[axis], inner: array.shape()[axis + 1..].iter().product(), reverse };
    macro_rules! integers {
        ($x:expr) => {
            match op {
                CumulativeOp::Sum => lines.scan($x, Integer::add),
                CumulativeOp::Prod => lines.scan($x, Integer::mul),
                CumulativeOp::Max => lines.scan($x, Ord::max),
                _ => lines.scan($x, Ord::min),
            }
        };
    }
    macro_rules! floats {
        ($x:expr, $functions:ident, $round:expr) => {{
            let round = $round;
            match op {
                CumulativeOp::Sum => lines.scan($x, |x, y| round(Float::add(x, y))),
                CumulativeOp::Prod => lines.scan($x, |x, y| round(Float::mul(x, y))),
                CumulativeOp::Max => lines.scan($x, Float::maximum),
                CumulativeOp::Min => lines.scan($x, Float::minimum),
                // `jnp.logaddexp`, step by step.
                CumulativeOp::LogSumExp => lines.scan($x, |x, y| {
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
    match result.make_mut() {
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
    crate::ops::elementwise::wrap_four_bits(dtype, result.make_mut());
    if narrow { convert(&result, dtype) } else { Ok(result) }
}

/// Lines longer than this are done in blocks of it: XLA turns the `reduce_window` behind these
/// operations into a scan within blocks, a scan of the blocks' totals, and one combination of both.
const BLOCK: usize = 16;
/// Lines that are laid beside each other at least, where there are so many.
const BESIDE: usize = 16;

/// How the lines lie that are accumulated along: (outer, `length`, `inner`).
#[derive(Clone, Copy)]
struct Lines {
    length: usize,
    inner: usize,
    reverse: bool,
}

impl Lines {
    fn scan<T: Copy + Send>(self, elements: &mut [T], f: impl Fn(T, T) -> T + Sync) {
        let Lines { length, inner, reverse } = self;
        let slab = length * inner;
        let part = slab * portion(slab, elements.len()).max(if inner == 1 { BESIDE } else { 1 });
        spread(elements.chunks_mut(part).collect(), |slabs: &mut [T]| {
            // A line by itself has none to be laid beside.
            if inner > 1 || slabs.len() == slab {
                slabs.chunks_exact_mut(slab).for_each(|slab| scan_rows(slab, inner, reverse, &f));
                return;
            }
            // Beside each other, as each has to wait for its last element before the next.
            let count = slabs.len() / length;
            let mut rows = collected(slabs.iter().copied());
            Pattern::new(0, &Shape::from([length, count]), &[1, length as isize]).read_into(slabs, &mut rows);
            scan_rows(&mut rows, count, reverse, &f);
            Pattern::new(0, &Shape::from([count, length]), &[1, count as isize]).read_into(&rows, slabs);
        });
    }
}

/// Along the first axis of rows of `inner` elements.
fn scan_rows<T: Copy>(rows: &mut [T], inner: usize, reverse: bool, f: &impl Fn(T, T) -> T) {
    for block in rows.chunks_mut(BLOCK * inner) {
        if reverse {
            // Every window is combined from its first element on, so no sum serves the next.
            for start in (0..block.len()).step_by(inner) {
                let (first, rest) = block[start..].split_at_mut(inner);
                for row in rest.chunks_exact(inner) {
                    first.iter_mut().zip(row).for_each(|(sum, &x)| *sum = f(*sum, x));
                }
            }
        } else {
            for start in (inner..block.len()).step_by(inner) {
                let (before, row) = block[start - inner..].split_at_mut(inner);
                row.iter_mut().zip(before).for_each(|(x, &mut sum)| *x = f(sum, *x));
            }
        }
    }
    if rows.len() <= BLOCK * inner {
        return;
    }
    let total = |block: &[T]| {
        let start = if reverse { 0 } else { block.len() - inner };
        block[start..start + inner].to_vec()
    };
    let mut totals: Vec<T> = rows.chunks(BLOCK * inner).flat_map(total).collect();
    scan_rows(&mut totals, inner, reverse, f);
    for (index, block) in rows.chunks_mut(BLOCK * inner).enumerate() {
        let before = if reverse { Some(index + 1) } else { index.checked_sub(1) };
        if let Some(carried) = before.and_then(|index| totals.get(index * inner..(index + 1) * inner)) {
            for row in block.chunks_exact_mut(inner) {
                row.iter_mut().zip(carried).for_each(|(x, &carried)| *x = f(carried, *x));
            }
        }
    }
}
