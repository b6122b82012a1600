//! The tuned matrix product. Panels of both factors are packed so that a small block of the result stays in registers
//! while it runs along the inner dimension.
//!
//! Every element is one fused multiply-add after the other along the whole inner dimension, whatever the sizes and the
//! processor: the digits of the plain loop, and of XLA on the CPU where it does not cut the inner dimension.

use crate::buffer::Element;
use crate::isa::{Fma, Isa, isa};
use crate::threads::{available, spread};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m512, _mm512_loadu_ps, _mm512_setzero_ps, _mm512_storeu_ps};

/// A matrix as it lies in memory: the element of row `i` and column `j` is at `i * row + j * column`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<'a, T> {
    pub(crate) elements: &'a [T],
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl<T: Copy> Strided<'_, T> {
    #[inline(always)]
    pub(crate) fn at(&self, row: usize, column: usize) -> T {
        self.elements[row * self.row + column * self.column]
    }

    /// What begins at a row and column.
    fn part(self, row: usize, column: usize) -> Self {
        Strided { elements: &self.elements[row * self.row + column * self.column..], ..self }
    }

    /// Rows as columns.
    fn turned(self) -> Self {
        Strided { row: self.column, column: self.row, ..self }
    }
}

/// Types that the tuned product knows.
pub(crate) trait Product: Element + std::ops::Add<Output = Self> {
    /// `x * y + sum` with one rounding.
    fn multiply_add<F: Fma>(x: Self, y: Self, sum: Self) -> Self;

    /// Packs the first rows of a matrix, `stride` elements apart, as columns of a panel that is `width` wide, as many as
    /// there is a quick way for; gives their number.
    fn turn(_panel: &mut [Self], _rows: &[Self], _stride: usize, _count: usize, _width: usize, _depth: usize) -> usize {
        0
    }

    /// Like [`block`], the rows of the left factor as they lie; false where there is no quick way for it.
    fn block_of_rows(_left: [&[Self]; MR], _right: &[Self], _sums: &mut [[Self; NR]; MR]) -> bool {
        false
    }

    /// A block of the result for processors with AVX-512: `MR` rows of `NR` columns, see [`block`].
    #[cfg(target_arch = "x86_64")]
    fn block_512(left: &[Self], right: &[Self], sums: &mut [[Self; NR]; MR]);

    /// The same for processors with AVX2.
    #[cfg(target_arch = "x86_64")]
    fn block_256(left: &[Self], right: &[Self], sums: &mut [[Self; NR]; MR]);
}

/// Rows of the block of the result that stays in registers.
const MR: usize = 12;
/// Columns of the block of the result that stays in registers.
const NR: usize = 32;
/// Bytes after which addresses meet in the innermost cache.
const PAGE: usize = 4096;
/// Inner elements, rows and columns of packed panels: the left ones and a stretch of the right ones fit the second cache.
const INNER: usize = 256;
const ROWS: usize = MR * 12;
const COLUMNS: usize = NR * 16;

/// Multiplications that a thread is worth starting for.
const SHARE: usize = 1 << 22;

/// `result = left @ right` for a row-major `result`, sizes (rows, inner, columns); on all cores that are available, each
/// with rows of its own.
pub(crate) fn matrix_product<T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    (rows, inner, columns): (usize, usize, usize),
) {
    let work = rows.saturating_mul(inner).saturating_mul(columns);
    let threads = available().min(work / SHARE).min(rows.div_ceil(MR)).max(1);
    if threads == 1 {
        rows_product(result, left, right, (rows, inner, columns));
        return;
    }
    // Whole blocks of rows for each thread.
    let share = rows.div_ceil(threads).next_multiple_of(MR);
    let parts = result.chunks_mut(share * columns).enumerate().collect();
    spread(parts, |(number, part): (usize, &mut [T])| {
        let rows = part.len() / columns;
        rows_product(part, left.part(number * share, 0), right, (rows, inner, columns));
    });
}

/// [`matrix_product`] on this thread.
fn rows_product<T: Product>(
    result: &mut [T],
    left: Strided<'_, T>,
    right: Strided<'_, T>,
    (rows, inner, columns): (usize, usize, usize),
) {
    result.fill(T::default());
    let (mut packed_left, mut packed_right) = (Vec::new(), Vec::new());
    for first_column in (0..columns).step_by(COLUMNS) {
        let some_columns = COLUMNS.min(columns - first_column);
        for first in (0..inner).step_by(INNER) {
            let depth = INNER.min(inner - first);
            let panel = right.turned().part(first_column, first);
            pack::<T, NR>(&mut packed_right, panel, some_columns, depth);
            for first_row in (0..rows).step_by(ROWS) {
                let some_rows = ROWS.min(rows - first_row);
                let mut packed = false;
                for (number, right) in packed_right.chunks_exact(NR * depth).enumerate() {
                    for place in 0..some_rows.div_ceil(MR) {
                        let (row, column) = (first_row + place * MR, first_column + number * NR);
                        let (height, width) = (MR.min(rows - row), NR.min(columns - column));
                        let mut sums = [[T::default(); NR]; MR];
                        for (i, sums) in sums.iter_mut().enumerate().take(height) {
                            let start = (row + i) * columns + column;
                            sums[..width].copy_from_slice(&result[start..start + width]);
                        }
                        // Rows that begin a page apart would push each other out of the innermost cache.
                        let as_it_lies = left.column == 1
                            && !(left.row * size_of::<T>()).is_multiple_of(PAGE)
                            && T::block_of_rows(rows_of(left, row, height, first, depth), right, &mut sums);
                        if !as_it_lies {
                            if !packed {
                                pack::<T, MR>(&mut packed_left, left.part(first_row, first), some_rows, depth);
                                packed = true;
                            }
                            block(&packed_left[place * MR * depth..][..MR * depth], right, &mut sums);
                        }
                        for (i, sums) in sums.iter().enumerate().take(height) {
                            let start = (row + i) * columns + column;
                            result[start..start + width].copy_from_slice(&sums[..width]);
                        }
                    }
                }
            }
        }
    }
}

/// `MR` rows of a matrix, a stretch of each; the last one again where there are fewer.
fn rows_of<'a, T: Copy>(
    matrix: Strided<'a, T>,
    row: usize,
    height: usize,
    first: usize,
    depth: usize,
) -> [&'a [T]; MR] {
    std::array::from_fn(|i| &matrix.elements[(row + i.min(height - 1)) * matrix.row + first..][..depth])
}

/// Rows side by side in groups of `WIDTH`: for every inner element the group's elements stand together, zeros where a group
/// is not full.
fn pack<T: Product, const WIDTH: usize>(packed: &mut Vec<T>, matrix: Strided<'_, T>, rows: usize, depth: usize) {
    let groups = rows.div_ceil(WIDTH);
    packed.resize(groups * WIDTH * depth, T::default());
    for (group, target) in packed.chunks_exact_mut(WIDTH * depth).enumerate() {
        let first = group * WIDTH;
        let width = WIDTH.min(rows - first);
        if width < WIDTH {
            target.fill(T::default());
        }
        if matrix.row == 1 {
            for (k, target) in target.chunks_exact_mut(WIDTH).enumerate() {
                let start = first + k * matrix.column;
                target[..width].copy_from_slice(&matrix.elements[start..start + width]);
            }
            continue;
        }
        let lines = match matrix.column {
            1 => T::turn(target, &matrix.elements[first * matrix.row..], matrix.row, width, WIDTH, depth),
            _ => 0,
        };
        for line in lines..width {
            let source = matrix.elements[(first + line) * matrix.row..].iter().step_by(matrix.column);
            let target = target[line..].iter_mut().step_by(WIDTH);
            target.zip(source.take(depth)).for_each(|(target, &x)| *target = x);
        }
    }
}

/// Adds the products of one packed panel on the left and one on the right to a block of sums.
fn block<T: Product>(left: &[T], right: &[T], sums: &mut [[T; NR]; MR]) {
    match isa() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => T::block_512(left, right, sums),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => T::block_256(left, right, sums),
        Isa::Baseline => plain::<T, crate::isa::BaselineFma>(left, right, sums),
    }
}

#[inline(always)]
fn plain<T: Product, F: Fma>(left: &[T], right: &[T], sums: &mut [[T; NR]; MR]) {
    for (left, right) in left.chunks_exact(MR).zip(right.chunks_exact(NR)) {
        for (sums, &x) in sums.iter_mut().zip(left) {
            sums.iter_mut().zip(right).for_each(|(sum, &y)| *sum = T::multiply_add::<F>(x, y, *sum));
        }
    }
}

/// The first sixteen elements.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn sixteen(elements: &[f32]) -> __m512 {
    // The slice is as long as a vector.
    #[expect(unsafe_code, reason = "vector loads take pointers")]
    unsafe {
        _mm512_loadu_ps(elements[..16].as_ptr())
    }
}

/// A block of sums in registers: the first and the second half of each row.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn halves(sums: &[[f32; NR]; MR]) -> ([__m512; MR], [__m512; MR]) {
    let mut low = [_mm512_setzero_ps(); MR];
    let mut high = low;
    for i in 0..MR {
        (low[i], high[i]) = (sixteen(&sums[i]), sixteen(&sums[i][16..]));
    }
    (low, high)
}

/// Puts what [`halves`] took back.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn put_halves(sums: &mut [[f32; NR]; MR], low: [__m512; MR], high: [__m512; MR]) {
    for i in 0..MR {
        let (first, second) = sums[i].split_at_mut(16);
        // Both halves have sixteen elements.
        #[expect(unsafe_code, reason = "vector stores take pointers")]
        unsafe {
            _mm512_storeu_ps(first.as_mut_ptr(), low[i]);
            _mm512_storeu_ps(second.as_mut_ptr(), high[i]);
        }
    }
}

impl Product for f32 {
    #[cfg(target_arch = "x86_64")]
    fn turn(panel: &mut [f32], rows: &[f32], stride: usize, count: usize, width: usize, depth: usize) -> usize {
        match isa() {
            Isa::Avx512 => super::turned::pack(panel, rows, stride, count, width, depth),
            _ => 0,
        }
    }

    #[inline(always)]
    fn multiply_add<F: Fma>(x: f32, y: f32, sum: f32) -> f32 {
        F::fma(x, y, sum)
    }

    #[cfg(target_arch = "x86_64")]
    fn block_of_rows(left: [&[f32]; MR], right: &[f32], sums: &mut [[f32; NR]; MR]) -> bool {
        use std::arch::x86_64::{_mm512_fmadd_ps, _mm512_set1_ps};

        #[target_feature(enable = "avx512f")]
        fn run(left: [&[f32]; MR], right: &[f32], sums: &mut [[f32; NR]; MR]) {
            let (mut low, mut high) = halves(sums);
            let right = right.as_chunks::<NR>().0;
            // All of one length, which the compiler sees here.
            let left = left.map(|row| &row[..right.len()]);
            for (k, right) in right.iter().enumerate() {
                let (first, second) = (sixteen(right), sixteen(&right[16..]));
                for i in 0..MR {
                    let x = _mm512_set1_ps(left[i][k]);
                    low[i] = _mm512_fmadd_ps(x, first, low[i]);
                    high[i] = _mm512_fmadd_ps(x, second, high[i]);
                }
            }
            put_halves(sums, low, high);
        }
        if isa() != Isa::Avx512 {
            return false;
        }
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The processor was just asked for AVX-512.
        unsafe {
            run(left, right, sums);
        }
        true
    }

    #[cfg(target_arch = "x86_64")]
    fn block_512(left: &[f32], right: &[f32], sums: &mut [[f32; NR]; MR]) {
        use std::arch::x86_64::{_mm512_fmadd_ps, _mm512_set1_ps};

        #[target_feature(enable = "avx512f")]
        fn run(left: &[f32], right: &[f32], sums: &mut [[f32; NR]; MR]) {
            let (mut low, mut high) = halves(sums);
            let (left, right) = (left.as_chunks::<MR>().0, right.as_chunks::<NR>().0);
            for k in 0..left.len().min(right.len()) {
                let (left, right) = (&left[k], &right[k]);
                let (first, second) = (sixteen(right), sixteen(&right[16..]));
                for i in 0..MR {
                    let x = _mm512_set1_ps(left[i]);
                    low[i] = _mm512_fmadd_ps(x, first, low[i]);
                    high[i] = _mm512_fmadd_ps(x, second, high[i]);
                }
            }
            put_halves(sums, low, high);
        }
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The caller has asked the processor for AVX-512.
        unsafe {
            run(left, right, sums);
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn block_256(left: &[f32], right: &[f32], sums: &mut [[f32; NR]; MR]) {
        use std::arch::x86_64::{_mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_storeu_ps};
        /// Rows at a time: with sixteen columns, as many as there are registers for.
        const AT_ONCE: usize = 6;

        #[target_feature(enable = "avx2,fma")]
        fn run(left: &[f32], right: &[f32], sums: &mut [[f32; NR]; MR]) {
            // Each load and store goes through a reference to the eight elements that it takes.
            #[expect(unsafe_code, reason = "vector loads take pointers")]
            let load = |elements: &[f32]| unsafe { _mm256_loadu_ps(elements[..8].as_ptr()) };
            let (left, right) = (left.as_chunks::<MR>().0, right.as_chunks::<NR>().0);
            for row in (0..MR).step_by(AT_ONCE) {
                for column in (0..NR).step_by(16) {
                    let mut low = [_mm256_set1_ps(0.0); AT_ONCE];
                    let mut high = low;
                    for i in 0..AT_ONCE {
                        (low[i], high[i]) = (load(&sums[row + i][column..]), load(&sums[row + i][column + 8..]));
                    }
                    for k in 0..left.len().min(right.len()) {
                        let (left, right) = (&left[k], &right[k]);
                        let (first, second) = (load(&right[column..]), load(&right[column + 8..]));
                        for i in 0..AT_ONCE {
                            let x = _mm256_set1_ps(left[row + i]);
                            low[i] = _mm256_fmadd_ps(x, first, low[i]);
                            high[i] = _mm256_fmadd_ps(x, second, high[i]);
                        }
                    }
                    for i in 0..AT_ONCE {
                        let (first, second) = sums[row + i][column..column + 16].split_at_mut(8);
                        #[expect(unsafe_code, reason = "vector stores take pointers")]
                        // Both halves have eight elements.
                        unsafe {
                            _mm256_storeu_ps(first.as_mut_ptr(), low[i]);
                            _mm256_storeu_ps(second.as_mut_ptr(), high[i]);
                        }
                    }
                }
            }
        }
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The caller has asked the processor for AVX2 and fused multiply-adds.
        unsafe {
            run(left, right, sums);
        }
    }
}

impl Product for f64 {
    #[inline(always)]
    fn multiply_add<F: Fma>(x: f64, y: f64, sum: f64) -> f64 {
        x.mul_add(y, sum)
    }

    #[cfg(target_arch = "x86_64")]
    fn block_512(left: &[f64], right: &[f64], sums: &mut [[f64; NR]; MR]) {
        Self::block_256(left, right, sums);
    }

    #[cfg(target_arch = "x86_64")]
    fn block_256(left: &[f64], right: &[f64], sums: &mut [[f64; NR]; MR]) {
        #[target_feature(enable = "avx2,fma")]
        fn run(left: &[f64], right: &[f64], sums: &mut [[f64; NR]; MR]) {
            plain::<f64, crate::isa::Hardware>(left, right, sums);
        }
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The caller has asked the processor for AVX2 and fused multiply-adds.
        unsafe {
            run(left, right, sums);
        }
    }
}

impl Product for i32 {
    #[inline(always)]
    fn multiply_add<F: Fma>(x: i32, y: i32, sum: i32) -> i32 {
        sum.wrapping_add(x.wrapping_mul(y))
    }

    #[cfg(target_arch = "x86_64")]
    fn block_512(left: &[i32], right: &[i32], sums: &mut [[i32; NR]; MR]) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn run(left: &[i32], right: &[i32], sums: &mut [[i32; NR]; MR]) {
            in_registers(left, right, sums);
        }
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The caller has asked the processor for AVX-512.
        unsafe {
            run(left, right, sums);
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn block_256(left: &[i32], right: &[i32], sums: &mut [[i32; NR]; MR]) {
        #[target_feature(enable = "avx2")]
        fn run(left: &[i32], right: &[i32], sums: &mut [[i32; NR]; MR]) {
            in_registers(left, right, sums);
        }
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        // The caller has asked the processor for AVX2.
        unsafe {
            run(left, right, sums);
        }
    }
}

/// A block of integers, a few rows at a time, so that their sums stay in registers.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
fn in_registers(left: &[i32], right: &[i32], sums: &mut [[i32; NR]; MR]) {
    const AT_ONCE: usize = 4;
    let (left, right) = (left.as_chunks::<MR>().0, right.as_chunks::<NR>().0);
    for (number, sums) in sums.as_chunks_mut::<AT_ONCE>().0.iter_mut().enumerate() {
        let mut rows = *sums;
        for (left, right) in left.iter().zip(right) {
            for (i, row) in rows.iter_mut().enumerate() {
                let x = left[number * AT_ONCE + i];
                row.iter_mut().zip(right).for_each(|(sum, &y)| *sum = sum.wrapping_add(x.wrapping_mul(y)));
            }
        }
        *sums = rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::fma;

    #[test]
    fn every_size_and_layout_gives_the_plain_loop() {
        let value = |i: usize| (i as f32 * 0.37) % 5.0 - 2.4;
        let sizes =
            [(1, 1, 1), (12, 300, 32), (13, 5, 33), (150, 257, 70), (3, 600, 530), (40, 1024, 48), (300, 190, 160)];
        for (rows, inner, columns) in sizes {
            let left: Vec<f32> = (0..rows * inner).map(value).collect();
            let right: Vec<f32> = (0..inner * columns).map(|i| value(i * 3)).collect();
            for turned in 0..4 {
                let a = if turned & 1 == 1 { (1, rows) } else { (inner, 1) };
                let b = if turned & 2 == 2 { (1, inner) } else { (columns, 1) };
                let left = Strided { elements: &left, row: a.0, column: a.1 };
                let right = Strided { elements: &right, row: b.0, column: b.1 };
                let mut result = vec![f32::NAN; rows * columns];
                matrix_product(&mut result, left, right, (rows, inner, columns));
                for (place, &found) in result.iter().enumerate() {
                    let (row, column) = (place / columns, place % columns);
                    let sum = (0..inner).fold(0.0, |sum, k| fma(left.at(row, k), right.at(k, column), sum));
                    assert_eq!(found, sum, "{rows} x {inner} x {columns}, row {row}, column {column}");
                }
            }
        }
    }

    #[test]
    fn whole_numbers_wrap_in_every_size() {
        let value = |i: usize| (i as i32).wrapping_mul(0x9E37_79B1u32 as i32);
        for (rows, inner, columns) in [(2, 3, 5), (12, 300, 32), (50, 257, 70)] {
            let left: Vec<i32> = (0..rows * inner).map(value).collect();
            let right: Vec<i32> = (0..inner * columns).map(|i| value(i * 3 + 1)).collect();
            let mut result = vec![-1; rows * columns];
            let (a, b) = (
                Strided { elements: &left, row: inner, column: 1 },
                Strided { elements: &right, row: columns, column: 1 },
            );
            matrix_product(&mut result, a, b, (rows, inner, columns));
            for (place, &found) in result.iter().enumerate() {
                let (row, column) = (place / columns, place % columns);
                let sum = (0..inner).fold(0i32, |sum, k| sum.wrapping_add(a.at(row, k).wrapping_mul(b.at(k, column))));
                assert_eq!(found, sum);
            }
        }
    }
}
