//! Sums and products over several axes in XLA's order, which is a tree of windows; `reduce_lanes` has those over one axis.

use std::ops::Range;

use super::reduce_lanes::WINDOW;
use crate::shape::Shape;
use crate::threads::spread;

/// Elements from which on a reduction is worth several threads.
const LARGE: usize = 1 << 18;

/// XLA on the CPU reduces [`WINDOW`] elements along one dimension in one go. Larger dimensions are cut into windows of as
/// many, centred with the identity around them, until one window is left (`TreeReductionRewriter`).
pub(super) fn tree<T: Copy + Send + Sync>(
    elements: &[T],
    dimensions: &[usize],
    identity: T,
    combine: &(impl Fn(T, T) -> T + Sync),
) -> T {
    let Some(long) = dimensions.iter().position(|&size| size > WINDOW).filter(|_| !elements.is_empty()) else {
        return elements.iter().fold(identity, |sum, &x| combine(sum, x));
    };
    let windows: Shape = dimensions.iter().map(|size| size.div_ceil(WINDOW)).collect();
    let mut partial = vec![identity; windows.size()];
    // Dimensions before the first long one have one window, so that each window of that one has results for itself.
    let (size, inside) = (dimensions[long], &dimensions[long + 1..]);
    let stride: usize = inside.iter().product();
    let jobs: Vec<_> = partial.chunks_mut(windows[long + 1..].iter().product()).enumerate().collect();
    let reduce = |(window, sums): (usize, &mut [T])| {
        let Range { start, end } = window_of(size, window);
        for slab in elements.chunks_exact(size * stride) {
            add(&slab[start * stride..end * stride], inside, sums, combine);
        }
    };
    if elements.len() < LARGE {
        jobs.into_iter().for_each(reduce)
    } else {
        spread(jobs, reduce)
    }
    tree(&partial, &windows, identity, combine)
}

/// Which indices of a dimension a window has.
fn window_of(size: usize, window: usize) -> Range<usize> {
    let before = if size <= WINDOW { 0 } else { (size.div_ceil(WINDOW) * WINDOW - size) / 2 };
    (window * WINDOW).saturating_sub(before)..((window + 1) * WINDOW - before).min(size)
}

/// Combines the elements of one window of a dimension with what their windows of the dimensions `inside` have so far. In row-major
/// order, every window meets its elements in row-major order as well.
fn add<T: Copy>(elements: &[T], inside: &[usize], sums: &mut [T], combine: &impl Fn(T, T) -> T) {
    let Some((&size, deeper)) = inside.split_first() else {
        if let [sum] = sums {
            *sum = elements.iter().fold(*sum, |sum, &x| combine(sum, x));
        }
        return;
    };
    let stride: usize = deeper.iter().product();
    let each: usize = deeper.iter().map(|size| size.div_ceil(WINDOW)).product();
    for slab in elements.chunks_exact(size * stride) {
        for (window, sums) in sums.chunks_exact_mut(each).enumerate() {
            let Range { start, end } = window_of(size, window);
            add(&slab[start * stride..end * stride], deeper, sums, combine);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::alone;

    /// The window of each element, found by itself.
    fn one_by_one(elements: &[f32], dimensions: &Shape) -> f32 {
        if dimensions.iter().all(|&size| size <= WINDOW) {
            return elements.iter().sum();
        }
        let windows: Shape = dimensions.iter().map(|size| size.div_ceil(WINDOW)).collect();
        let mut partial = vec![0.0; windows.size()];
        for (position, element) in elements.iter().enumerate() {
            let window = dimensions.iter().zip(dimensions.strides()).zip(&windows).fold(
                0,
                |window, ((&size, stride), &count)| {
                    let before = if size <= WINDOW { 0 } else { (count * WINDOW - size) / 2 };
                    window * count + (position / stride % size + before) / WINDOW
                },
            );
            partial[window] += element;
        }
        one_by_one(&partial, &windows)
    }

    #[test]
    fn windows_go_together_as_one_by_one() {
        let shapes: [&[usize]; 9] = [
            &[5, 32, 4],
            &[33, 7],
            &[7, 33],
            &[40, 1, 70],
            &[3, 100, 2, 37],
            &[1025, 33],
            &[2, 3, 1100],
            &[600, 500],
            &[4, 300, 300],
        ];
        for shape in shapes {
            let dimensions = Shape::from(shape);
            let elements: Vec<f32> = (0..dimensions.size()).map(|i| (i as f32 * 0.37) % 5.0 - 2.4).collect();
            let expected = one_by_one(&elements, &dimensions).to_bits();
            let sum = || tree(&elements, &dimensions, 0.0f32, &|x, y| x + y).to_bits();
            assert_eq!((sum(), alone(sum)), (expected, expected), "{shape:?}");
        }
    }
}
