//! Sums and products over several axes in XLA's order, which is a tree of windows; `reduce_lanes` has those over one axis.

use std::ops::Range;

use super::number::Float;
use super::turn::{LANES, WINDOW};
use crate::isa::for_each_isa;
use crate::shape::Shape;
use crate::threads::{LARGE, spread};

/// How elements come together.
pub(super) struct Reduction<C, W> {
    /// Two of them.
    pub(super) combine: C,
    /// Windows of [`WINDOW`] elements, one behind the other, with what each of them has so far.
    pub(super) windows: W,
}

/// Windows that go through one after the other.
pub(super) fn one_by_one<T: Copy>(combine: impl Fn(T, T) -> T) -> impl Fn(&[T], &mut [T]) {
    move |elements, sums| {
        for (window, sum) in elements.as_chunks::<WINDOW>().0.iter().zip(sums) {
            *sum = window.iter().fold(*sum, |sum, &x| combine(sum, x));
        }
    }
}

for_each_isa! {
/// Adds windows that lie one behind the other to what each of them has so far, none of which is subnormal.
pub(super) fn add_windows<F, T: Float>(values: &[T], sums: &mut [T]) {
    let mut turned = [[T::ZERO; LANES]; WINDOW];
    for (group, sums) in values.chunks(LANES * WINDOW).zip(sums.chunks_mut(LANES)) {
        match <&[T; LANES * WINDOW]>::try_from(group) {
            Ok(_) if T::add_windows(group, sums) => continue,
            Ok(windows) => T::turn(windows, &mut turned),
            Err(_) => {
                for (lane, window) in group.as_chunks::<WINDOW>().0.iter().enumerate() {
                    for (turned, &x) in turned.iter_mut().zip(window) {
                        turned[lane] = x;
                    }
                }
            }
        }
        // (Sums that are new each time stay in registers. Those of windows that are not there are nobody's.)
        let mut lanes = [T::ZERO; LANES];
        lanes[..sums.len()].copy_from_slice(sums);
        for column in &turned {
            let mut next = [T::ZERO; LANES];
            for lane in 0..LANES {
                next[lane] = lanes[lane].plus(column[lane]);
            }
            lanes = next;
        }
        sums.copy_from_slice(&lanes[..sums.len()]);
    }
}
}

/// XLA on the CPU reduces [`WINDOW`] elements along one dimension in one go. Larger dimensions are cut into windows of as
/// many, centred with the identity around them, until one window is left (`TreeReductionRewriter`).
pub(super) fn tree<T: Copy + Send + Sync>(
    elements: &[T],
    dimensions: &[usize],
    identity: T,
    reduction: &Reduction<impl Fn(T, T) -> T + Sync, impl Fn(&[T], &mut [T]) + Sync>,
) -> T {
    let Some(long) = dimensions.iter().position(|&size| size > WINDOW).filter(|_| !elements.is_empty()) else {
        return elements.iter().fold(identity, |sum, &x| (reduction.combine)(sum, x));
    };
    let windows: Shape = dimensions.iter().map(|size| size.div_ceil(WINDOW)).collect();
    let mut partial = vec![identity; windows.size()];
    let (size, inside) = (dimensions[long], &dimensions[long + 1..]);
    if inside.is_empty() {
        elements.chunks_exact(size).for_each(|row| reduction.row(row, &mut partial));
        return tree(&partial, &windows, identity, reduction);
    }
    // Dimensions before the first long one have one window, so that each window of that one has results for itself.
    let stride: usize = inside.iter().product();
    let jobs: Vec<_> = partial.chunks_mut(windows[long + 1..].iter().product()).enumerate().collect();
    let reduce = |(window, sums): (usize, &mut [T])| {
        let Range { start, end } = window_of(size, window);
        for slab in elements.chunks_exact(size * stride) {
            reduction.add(&slab[start * stride..end * stride], inside, sums);
        }
    };
    if elements.len() < LARGE {
        jobs.into_iter().for_each(reduce)
    } else {
        spread(jobs, reduce)
    }
    tree(&partial, &windows, identity, reduction)
}

/// [`tree`] over dimensions of which the first consists of whole windows. `each` hands over the elements of the window with a number,
/// some of its rows after the other.
pub(super) fn tree_of_windows<T: Copy + Send + Sync>(
    dimensions: &[usize],
    identity: T,
    reduction: &Reduction<impl Fn(T, T) -> T + Sync, impl Fn(&[T], &mut [T]) + Sync>,
    each: impl Fn(usize, &mut dyn FnMut(&[T])) + Sync,
) -> T {
    let windows: Shape = dimensions.iter().map(|size| size.div_ceil(WINDOW)).collect();
    let mut partial = vec![identity; windows.size()];
    let jobs: Vec<_> = partial.chunks_mut(windows[1..].iter().product()).enumerate().collect();
    spread(jobs, |(window, sums): (usize, &mut [T])| {
        each(window, &mut |elements| reduction.add(elements, &dimensions[1..], sums));
    });
    tree(&partial, &windows, identity, reduction)
}

/// Elements that the first window of a dimension has less than others.
fn before(size: usize) -> usize {
    if size <= WINDOW { 0 } else { (size.div_ceil(WINDOW) * WINDOW - size) / 2 }
}

/// Which indices of a dimension a window has.
fn window_of(size: usize, window: usize) -> Range<usize> {
    let before = before(size);
    (window * WINDOW).saturating_sub(before)..((window + 1) * WINDOW - before).min(size)
}

impl<C, W> Reduction<C, W> {
    /// Combines the elements of one window of a dimension with what their windows of the dimensions `inside` have so far. In
    /// row-major order, every window meets its elements in row-major order as well.
    fn add<T: Copy>(&self, elements: &[T], inside: &[usize], sums: &mut [T])
    where
        C: Fn(T, T) -> T,
        W: Fn(&[T], &mut [T]),
    {
        let Some((&size, deeper)) = inside.split_first() else { return };
        if deeper.is_empty() {
            elements.chunks_exact(size).for_each(|row| self.row(row, sums));
            return;
        }
        let stride: usize = deeper.iter().product();
        let each: usize = deeper.iter().map(|size| size.div_ceil(WINDOW)).product();
        for slab in elements.chunks_exact(size * stride) {
            for (window, sums) in sums.chunks_exact_mut(each).enumerate() {
                let Range { start, end } = window_of(size, window);
                self.add(&slab[start * stride..end * stride], deeper, sums);
            }
        }
    }

    /// The windows of one row.
    fn row<T: Copy>(&self, row: &[T], sums: &mut [T])
    where
        C: Fn(T, T) -> T,
        W: Fn(&[T], &mut [T]),
    {
        let part = |elements: &[T], sum: &mut T| *sum = elements.iter().fold(*sum, |sum, &x| (self.combine)(sum, x));
        let first = (WINDOW - before(row.len())).min(row.len()) % WINDOW;
        let (head, row) = row.split_at(first);
        let (middle, tail) = row.split_at(row.len() / WINDOW * WINDOW);
        let (head_sum, sums) = sums.split_at_mut(usize::from(!head.is_empty()));
        let (sums, tail_sum) = sums.split_at_mut(middle.len() / WINDOW);
        head_sum.iter_mut().for_each(|sum| part(head, sum));
        (self.windows)(middle, sums);
        tail_sum.iter_mut().for_each(|sum| part(tail, sum));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::asked_for::with_each;
    use crate::threads::alone;

    /// The window of each element, found by itself.
    fn each_by_itself(elements: &[f32], dimensions: &Shape) -> f32 {
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
        each_by_itself(&partial, &windows)
    }

    #[test]
    fn windows_go_together_as_one_by_one() {
        let shapes: [&[usize]; 12] = [
            &[5, 32, 4],
            &[33, 7],
            &[7, 33],
            &[40, 1, 70],
            &[3, 100, 2, 37],
            &[1025, 33],
            &[2, 3, 1100],
            &[600, 500],
            &[4, 300, 300],
            &[70, 544],
            &[3, 512, 512],
            &[2, 40, 256],
        ];
        for shape in shapes {
            let dimensions = Shape::from(shape);
            let elements: Vec<f32> = (0..dimensions.size()).map(|i| (i as f32 * 0.37) % 5.0 - 2.4).collect();
            let expected = each_by_itself(&elements, &dimensions).to_bits();
            let sum = || {
                tree(
                    &elements,
                    &dimensions,
                    0.0f32,
                    &Reduction { combine: |x, y| x + y, windows: one_by_one(|x, y| x + y) },
                )
                .to_bits()
            };
            let in_lanes = || {
                tree(&elements, &dimensions, 0.0f32, &Reduction { combine: Float::plus, windows: add_windows })
                    .to_bits()
            };
            assert_eq!([sum(), alone(sum)], [expected; 2], "{shape:?}");
            for (isa, found) in with_each(|isa| (isa, in_lanes())) {
                assert_eq!(found, expected, "{shape:?}, {isa:?}");
            }
        }
    }
}
