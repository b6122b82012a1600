//! Sums of `f32` in the order in which XLA's CPU back end adds: `jnp.sum` and what is made of it.
//!
//! Two rules, by the number of elements that go in (`xla/service/cpu/cpu_compiler.cc` sends the
//! larger sums to the YNNPACK library):
//!
//! - Below 4096: the pass `TreeReductionRewriter` (`xla/service/tree_reduction_rewriter.cc`) cuts
//!   every reduced axis longer than 32 into windows of 32, with zeros on both sides to fill up (the
//!   odd one behind), adds each window from its first element to its last, and goes on with the
//!   windows' sums. Measured equal for single axes and for several; only a full sum of very few
//!   elements in two axes (4 by 4) was seen in another order.
//! - From 4096: along the last axis, 16 partial sums, one for every sixteenth element; along
//!   another axis, one partial sum per column. They are added by fours and sixteens up to a block,
//!   the blocks with Kahan's compensation, and the 16 partial sums at the end by halves. Measured
//!   equal up to 32768 elements; above, XLA may cut an axis among the machine's threads and the
//!   order is the machine's, so that the last digits may differ here.
//!
//! The eager `jnp.sum`, one under `jit` and one in an interpreted kernel agree. `jnp.mean` is the
//! sum times the rounded `1 / n`. A 16-bit sum is this sum of the values as `f32`, rounded once.
//! Products have the first rule for every length; maxima and minima do not depend on the order.

use super::arith::flush;

/// The longest window of the tree reduction.
const WINDOW: usize = 32;
/// From this many elements a sum follows the second rule.
const LARGE: usize = 4096;
/// Partial sums along the last axis.
const LANES: usize = 16;
/// Vectors of [`LANES`] that make one block.
const ROW_BLOCK: usize = 64;
/// Rows that make one block when whole columns are summed, for narrow arrays.
const COLUMN_BLOCK: usize = 256;
/// Elements that a block of columns holds at most.
const COLUMN_BLOCK_ELEMENTS: usize = 32768;

/// The sum over `axes` of an array in row-major order, in the shape of the other axes.
///
/// `values` has the product of `shape` elements; axes that do not exist are ignored. A large sum
/// over axes with others between them has no measured order: it follows the first rule.
#[must_use]
pub fn sum(values: &[f32], shape: &[usize], axes: &[usize]) -> Vec<f32> {
    let reduced: Vec<bool> = (0..shape.len()).map(|axis| axes.contains(&axis)).collect();
    let kept: usize = shape.iter().zip(&reduced).filter(|(_, reduced)| !**reduced).map(|(size, _)| size).product();
    if values.is_empty() {
        return vec![0.0; kept];
    }
    match neighbours(shape, &reduced) {
        Some((length, inner)) if values.len() >= LARGE && length > 1 => sum_large(values, length, inner),
        _ => sum_windows(values, shape, &reduced),
    }
}

/// When the reduced axes stand together: the product of their sizes, and of those behind them.
fn neighbours(shape: &[usize], reduced: &[bool]) -> Option<(usize, usize)> {
    let first = reduced.iter().position(|&reduced| reduced)?;
    let last = reduced.iter().rposition(|&reduced| reduced)?;
    let together = reduced[first..=last].iter().all(|&reduced| reduced);
    together.then(|| (shape[first..=last].iter().product(), shape[last + 1..].iter().product()))
}

fn add(a: f32, b: f32) -> f32 {
    flush(a + b)
}

/// The first rule: passes over the array until every reduced axis has size one.
fn sum_windows(values: &[f32], shape: &[usize], reduced: &[bool]) -> Vec<f32> {
    let mut values: Vec<f32> = values.iter().map(|&value| flush(value)).collect();
    let mut shape = shape.to_vec();
    loop {
        let done = shape.iter().zip(reduced).all(|(&size, &reduced)| !reduced || size <= WINDOW);
        (values, shape) = window_pass(&values, &shape, reduced);
        if done {
            return values;
        }
    }
}

/// One pass of the first rule: each window becomes its sum.
fn window_pass(values: &[f32], shape: &[usize], reduced: &[bool]) -> (Vec<f32>, Vec<usize>) {
    // Per axis: how many results, and the place of the first window's start, at or before zero.
    let count = |axis: usize| match (reduced[axis], shape[axis]) {
        (false, size) => size,
        (true, size) if size > WINDOW => size.div_ceil(WINDOW),
        (true, _) => 1,
    };
    let counts: Vec<usize> = (0..shape.len()).map(count).collect();
    let filled: Vec<usize> = (0..shape.len())
        .map(|axis| if shape[axis] > WINDOW && reduced[axis] { counts[axis] * WINDOW - shape[axis] } else { 0 })
        .collect();
    let mut sums = vec![0.0; counts.iter().product()];
    let mut place = vec![0; shape.len()];
    // In row-major order of the elements, every window meets its elements in its own order.
    for &value in values {
        let target = (0..shape.len()).fold(0, |target, axis| {
            let window = match reduced[axis] {
                false => place[axis],
                true if shape[axis] > WINDOW => (place[axis] + filled[axis] / 2) / WINDOW,
                true => 0,
            };
            target * counts[axis] + window
        });
        sums[target] = add(sums[target], value);
        for axis in (0..shape.len()).rev() {
            place[axis] += 1;
            if place[axis] < shape[axis] {
                break;
            }
            place[axis] = 0;
        }
    }
    (sums, counts)
}

/// The second rule, for an array of `length` by `inner` behind any number of outer elements.
fn sum_large(values: &[f32], length: usize, inner: usize) -> Vec<f32> {
    let mut sums = Vec::new();
    // `inner` is zero only if the shape has no elements, which `values` then contradicts.
    for part in values.chunks((length * inner).max(1)) {
        if inner == 1 {
            let mut vectors: Vec<f32> = part.iter().map(|&value| flush(value)).collect();
            vectors.resize(length.next_multiple_of(LANES), 0.0);
            let mut lanes = compensated(&vectors, LANES, ROW_BLOCK, row_block);
            while lanes.len() > 1 {
                let upper = lanes.split_off(lanes.len() / 2);
                add_to(&mut lanes, &upper);
            }
            sums.append(&mut lanes);
        } else {
            let rows: Vec<f32> = part.iter().map(|&value| flush(value)).collect();
            let block = (COLUMN_BLOCK_ELEMENTS / inner.max(1)).clamp(1, COLUMN_BLOCK);
            sums.append(&mut compensated(&rows, inner, block, column_block));
        }
    }
    sums
}

fn add_to(sums: &mut [f32], values: &[f32]) {
    for (sum, &value) in sums.iter_mut().zip(values) {
        *sum = add(*sum, value);
    }
}

/// Adds vectors of `width`: blocks of `block` vectors with Kahan's compensation, then the rest,
/// which takes the last correction along.
fn compensated(vectors: &[f32], width: usize, block: usize, sum_block: fn(&[f32], usize) -> Vec<f32>) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    let mut corrections = vec![0.0; width];
    let blocks = vectors.chunks_exact(block * width);
    let rest = blocks.remainder();
    for part in blocks {
        let added = sum_block(part, width);
        for ((sum, correction), added) in sums.iter_mut().zip(&mut corrections).zip(added) {
            let term = add(added, -*correction);
            let total = add(*sum, term);
            *correction = add(add(total, -*sum), -term);
            *sum = total;
        }
    }
    let rest = if rest.is_empty() { vec![0.0; width] } else { sum_block(rest, width) };
    for ((sum, correction), rest) in sums.iter_mut().zip(corrections).zip(rest) {
        *sum = add(*sum, add(rest, -correction));
    }
    sums
}

/// Adds vectors group by group: `sizes` are the group's sizes from the outermost in.
fn groups(vectors: &[f32], width: usize, sizes: &[usize]) -> Vec<f32> {
    let mut sums = vec![0.0; width];
    match sizes.split_first() {
        None => vectors.chunks(width).for_each(|vector| add_to(&mut sums, vector)),
        Some((size, inner)) => {
            vectors.chunks(size * width).for_each(|group| add_to(&mut sums, &groups(group, width, inner)))
        }
    }
    sums
}

/// A block of whole columns: groups of sixteen made of groups of four, short ones included.
fn column_block(vectors: &[f32], width: usize) -> Vec<f32> {
    groups(vectors, width, &[16, 4])
}

/// A block along the last axis: groups of sixteen, then what is left by fours, then what is left.
fn row_block(vectors: &[f32], width: usize) -> Vec<f32> {
    let sixteens = vectors.len() / (16 * width) * (16 * width);
    let (whole, rest) = vectors.split_at(sixteens);
    let mut sums = groups(whole, width, &[16, 4]);
    for group in rest.chunks(4 * width) {
        add_to(&mut sums, &groups(group, width, &[]));
    }
    sums
}
