//! Rows of a pattern that are columns of what is read: along them every element is on another line of the caches, of which the rows
//! beside read the next element. So some rows are read together, a square at a time.

use super::Pattern;
use crate::buffer::Element;
use crate::recycled;
use crate::threads::{portion, spread};
use std::ops::Range;

/// Rows, and elements of each, that are read together: what a line of the caches holds of `float32`.
const SIDE: usize = 16;
/// Elements from which on that pays.
const WORTH: usize = 1024;

impl Pattern {
    /// Whether so many elements are read square by square: neighbours in a column lie side by side, and those in a row do not.
    pub(crate) fn is_turned(&self, count: usize) -> bool {
        let [.., (rows, down), (length, along)] = self.dimensions[..] else { return false };
        down == 1 && along > 1 && rows >= SIDE && length >= SIDE && count >= WORTH
    }

    /// [`Pattern::stretch`] for patterns that are read square by square; none for others, or without memory.
    pub(super) fn turned<T: Element>(&self, source: &[T], range: Range<usize>) -> Option<Vec<T>> {
        if !self.is_turned(range.len()) {
            return None;
        }
        let mut result = recycled::take(range.len())?.elements;
        let (width, count) = (self.dimensions.last()?.0, range.len());
        // As many rows as are read together, from a first one on.
        let part = SIDE * width * portion(SIDE * width, count);
        let jobs = result.chunks_mut(part).enumerate().collect();
        spread(jobs, |(number, target): (usize, &mut [T])| {
            let start = range.start + number * part;
            self.squares(source, target, start..start + target.len());
        });
        Some(result)
    }

    /// The elements at some of the positions, into a slice of as many.
    pub(super) fn squares<T: Copy>(&self, source: &[T], target: &mut [T], range: Range<usize>) {
        let mut rest = target;
        // Rows that begin side by side, as far as they have come: where the first begins, and how many elements each has.
        let (mut first, mut count, mut width, mut step) = (0, 0, 0, 1);
        self.rows_of(range, |position, length, stride| {
            let start = position as usize;
            if count > 0 && (start != first + count || length != width || count == SIDE) {
                together(source, &mut rest, (first, step), (count, width));
                count = 0;
            }
            if count == 0 {
                (first, width, step) = (start, length, stride as usize);
            }
            count += 1;
        });
        together(source, &mut rest, (first, step), (count, width));
    }
}

/// Rows of `width` elements, `step` apart, from `count` positions on that lie side by side, to the front of what is left.
fn together<T: Copy>(source: &[T], rest: &mut &mut [T], (first, step): (usize, usize), (count, width): (usize, usize)) {
    let (target, tail) = std::mem::take(rest).split_at_mut(count * width);
    *rest = tail;
    let mut place = 0;
    if count == SIDE {
        while width - place >= SIDE {
            let mut square = [[source[first]; SIDE]; SIDE];
            for (i, line) in square.iter_mut().enumerate() {
                line.copy_from_slice(&source[first + (place + i) * step..][..SIDE]);
            }
            for (j, row) in target.chunks_exact_mut(width).enumerate() {
                let row = &mut row[place..place + SIDE];
                for i in 0..SIDE {
                    row[i] = square[i][j];
                }
            }
            place += SIDE;
        }
    }
    if place == width {
        return;
    }
    for (j, row) in target.chunks_exact_mut(width).enumerate() {
        let elements = source[first + j + place * step..].iter().step_by(step);
        row[place..].iter_mut().zip(elements).for_each(|(target, &element)| *target = element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn turned_rows_are_those_of_single_elements_in_every_stretch() {
        for (outer, rows, length) in [(1, 16, 64), (1, 33, 70), (3, 40, 19), (2, 17, 100)] {
            let source: Vec<i32> = (0..(outer * rows * length) as i32).collect();
            let shape = Shape::from([outer, rows, length]);
            let pattern = Pattern::new(0, &shape, &[(rows * length) as isize, 1, rows as isize]);
            let at = |place: usize| {
                let (group, place) = (place / (rows * length), place % (rows * length));
                source[group * rows * length + place % length * rows + place / length]
            };
            let size = source.len();
            for range in [0..size, 1..size, 5..size - 3, length..size, length * 3 + 1..size - length] {
                let found = pattern.turned(&source, range.clone());
                let expected: Vec<i32> = range.clone().map(at).collect();
                assert!(found.is_none_or(|found| found == expected), "{rows} x {length}, {range:?}");
            }
            assert_eq!(pattern.turned(&source, 0..size).map(|found| found.len()), Some(size));
            let mut found = vec![0; size];
            pattern.read_into(&source, &mut found);
            assert_eq!(found, (0..size).map(at).collect::<Vec<_>>());
        }
    }
}
