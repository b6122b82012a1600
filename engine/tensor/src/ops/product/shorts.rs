//! Products of integers of 8 and 16 bits to sums of 32: two inner elements of each factor go through as one pair, whose products the
//! processor adds in one instruction. Sums wrap, so that their order does not matter.

use super::numbers::Product;
use super::pack::Scratch;
#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
use super::{Onto, Strided, matrix_product};
use crate::isa::{Fma, for_each_isa};
use crate::lack::collected;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::cell::RefCell;
use std::thread::LocalKey;

/// An integer that is multiplied as one of 16 bits.
pub(crate) trait Short: Copy + Send + Sync + Into<i16> {}

impl Short for i8 {}
impl Short for u8 {}
impl Short for i16 {}

/// Two inner elements of a factor, or a sum of 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Pair(i32);

impl Pair {
    #[inline(always)]
    fn new(low: i16, high: i16) -> Pair {
        Pair(i32::from(high) << 16 | i32::from(low as u16))
    }
}

impl std::ops::Add for Pair {
    type Output = Pair;

    #[inline(always)]
    fn add(self, other: Pair) -> Pair {
        Pair(self.0.wrapping_add(other.0))
    }
}

impl Product for Pair {
    #[cfg(target_arch = "x86_64")]
    type Wide = Wide;
    #[cfg(target_arch = "x86_64")]
    type Narrow = Narrow;

    #[inline(always)]
    fn multiply_add<F: Fma>(Pair(x): Pair, Pair(y): Pair, Pair(sum): Pair) -> Pair {
        let product = |x: i32, y: i32| i32::from(x as i16) * i32::from(y as i16);
        // The greatest of all sums of two is one too large.
        Pair(sum.wrapping_add(product(x, y).wrapping_add(product(x >> 16, y >> 16))))
    }

    #[inline(always)]
    fn added(self, product: Pair) -> Pair {
        self + product
    }

    fn scratch() -> &'static LocalKey<RefCell<Scratch<Pair>>> {
        thread_local!(static SCRATCH: RefCell<Scratch<Pair>> = RefCell::default());
        &SCRATCH
    }
}

/// Defines a register of pairs. Loads and stores go through pointers to slices that were just cut to the register's length.
#[cfg(target_arch = "x86_64")]
macro_rules! registers {
    ($($name:ident($register:ty), $lanes:literal, $zero:ident, $splat:ident, $load:ident, $store:ident, $add:ident,
        $multiply:ident;)*) => { $(
        #[derive(Clone, Copy)]
        pub(crate) struct $name($register);

        #[expect(unsafe_code, reason = "registers are those of certain processors")]
        impl Vector for $name {
            type Element = Pair;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn zero() -> Self {
                unsafe { $name($zero()) }
            }

            #[inline(always)]
            unsafe fn splat(Pair(x): Pair) -> Self {
                unsafe { $name($splat(x)) }
            }

            #[inline(always)]
            unsafe fn load(elements: &[Pair]) -> Self {
                unsafe { $name($load(elements[..$lanes].as_ptr().cast())) }
            }

            #[inline(always)]
            unsafe fn store(self, elements: &mut [Pair]) {
                unsafe { $store(elements[..$lanes].as_mut_ptr().cast(), self.0) }
            }

            #[inline(always)]
            unsafe fn multiply_add(x: Self, y: Self, sum: Self) -> Self {
                unsafe { $name($add($multiply(x.0, y.0), sum.0)) }
            }

            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                unsafe { $name($add(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn added(self, product: Self) -> Self {
                unsafe { Vector::add(self, product) }
            }
        }
    )* };
}

#[cfg(target_arch = "x86_64")]
registers! {
    Wide(__m512i), 16, _mm512_setzero_si512, _mm512_set1_epi32, _mm512_loadu_epi32, _mm512_storeu_epi32, _mm512_add_epi32,
        _mm512_madd_epi16;
    Narrow(__m256i), 8, _mm256_setzero_si256, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi32,
        _mm256_madd_epi16;
}

/// `result = left @ right` for row-major matrices, sizes (rows, inner, columns); in the memory of `result`.
pub(crate) fn short_product<L: Short, R: Short>(
    result: Vec<i32>,
    left: &[L],
    right: &[R],
    (rows, inner, columns): (usize, usize, usize),
) -> Vec<i32> {
    let depth = inner.div_ceil(2);
    let pairs = |count: usize| collected(std::iter::repeat_n(Pair(0), count));
    let (mut pairs_left, mut pairs_right) = (pairs(rows * depth), pairs(depth * columns));
    along(left, &mut pairs_left, inner);
    across(right, &mut pairs_right, columns);
    // (What differs is the name of the type: both ways nothing is copied.)
    let mut sums: Vec<Pair> = result.into_iter().map(Pair).collect();
    let left = Strided { elements: &pairs_left[..], row: depth, column: 1 };
    let right = Strided { elements: &pairs_right[..], row: columns, column: 1 };
    matrix_product(&mut sums, left, right, (rows, depth, columns), Onto::Nothing);
    sums.into_iter().map(|Pair(sum)| sum).collect()
}

for_each_isa! {
/// Neighbours in rows of `inner` elements, and zeros beside the last ones of odd rows.
fn along<F, T: Short>(elements: &[T], pairs: &mut [Pair], inner: usize) {
    for (row, pairs) in elements.chunks_exact(inner).zip(pairs.chunks_exact_mut(inner.div_ceil(2))) {
        let (whole, rest) = row.as_chunks::<2>();
        for (pair, &[low, high]) in pairs.iter_mut().zip(whole) {
            *pair = Pair::new(low.into(), high.into());
        }
        if let ([.., pair], &[last]) = (pairs, rest) {
            *pair = Pair::new(last.into(), 0);
        }
    }
}

/// Elements of two rows, one below the other, and zeros below the last row of an odd number.
fn across<F, T: Short>(elements: &[T], pairs: &mut [Pair], columns: usize) {
    for (rows, pairs) in elements.chunks(2 * columns).zip(pairs.chunks_exact_mut(columns)) {
        let (upper, lower) = rows.split_at(columns);
        if lower.is_empty() {
            pairs.iter_mut().zip(upper).for_each(|(pair, &x)| *pair = Pair::new(x.into(), 0));
        } else {
            let rows = upper.iter().zip(lower);
            pairs.iter_mut().zip(rows).for_each(|(pair, (&x, &y))| *pair = Pair::new(x.into(), y.into()));
        }
    }
}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_give_the_sums_of_single_products() {
        let value = |i: usize, seed: usize| (i.wrapping_mul(0x9E37_79B1) ^ seed).wrapping_mul(0x85EB_CA6B) >> 7;
        for (rows, inner, columns) in [(2, 1, 1), (3, 7, 5), (33, 40, 70), (13, 521, 33), (150, 2, 34)] {
            let left: Vec<i8> = (0..rows * inner).map(|i| value(i, 1) as i8).collect();
            let right: Vec<u8> = (0..inner * columns).map(|i| value(i, 2) as u8).collect();
            // The least of all, whose squares are the greatest products: two of them make no sum of 32 bits.
            let least: Vec<i16> = vec![i16::MIN; inner * columns];
            let sum = |row: usize, column: usize, right: &dyn Fn(usize) -> i32| {
                (0..inner).fold(0i32, |sum, k| {
                    sum.wrapping_add(i32::from(left[row * inner + k]).wrapping_mul(right(k * columns + column)))
                })
            };
            let sizes = (rows, inner, columns);
            let all = |right: &dyn Fn(usize) -> i32| -> Vec<i32> {
                (0..rows * columns).map(|place| sum(place / columns, place % columns, right)).collect()
            };
            let found = short_product(vec![0; rows * columns], &left, &right, sizes);
            assert_eq!(found, all(&|place| i32::from(right[place])), "{sizes:?}");
            let found = short_product(vec![0; rows * columns], &left, &least, sizes);
            assert_eq!(found, all(&|place| i32::from(least[place])), "{sizes:?}");
            let square =
                short_product(vec![0; columns * columns], &least, &least[..inner * columns], (columns, inner, columns));
            let expected = (0..inner).fold(0i32, |sum, _| sum.wrapping_add(1 << 30));
            assert_eq!(square, vec![expected; columns * columns], "{sizes:?}");
        }
    }
}
