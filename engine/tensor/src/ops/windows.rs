//! Sums of windows of 32 `float32`, of sixteen windows at a time, in vector registers: the first step of XLA's order of sums,
//! and most of the work. Nothing here knows about rows.

use crate::ops::turn::{LANES, WINDOW};

/// Sums of windows, from the first element of each to its last, where the processor has vectors of sixteen and no sum can be
/// subnormal; else false, and nothing is to be made of `sums`. There are sixteen windows, or a multiple of that.
pub(super) fn sums_f32(windows: &[f32], sums: &mut [f32]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if crate::isa::isa() == crate::isa::Isa::Avx512 {
        let groups = windows.as_chunks::<{ LANES * WINDOW }>().0.iter().zip(sums.as_chunks_mut::<LANES>().0);
        // The processor was just asked.
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        for (windows, sums) in groups {
            if unsafe { !wide(windows, sums) } {
                return false;
            }
        }
        return true;
    }
    let _ = (windows, sums);
    false
}

/// What no element that is not zero may be below: such elements are multiples of `2^-125`, and so are their sums, which then are zero
/// or not subnormal.
#[cfg(target_arch = "x86_64")]
const LEAST: f32 = f32::from_bits((127 - 102) << 23);

/// How many elements ahead the memory is asked for.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 2 * LANES * WINDOW;

/// Elements that windows are gone through by: a quarter of a vector.
#[cfg(target_arch = "x86_64")]
const QUARTER: usize = LANES / 4;

/// Sixteen windows; false if a sum could be subnormal.
///
/// Four elements of four windows are one vector, put together while they are loaded: so half of what would be exchanged between vectors
/// is in its place, and exchanges are what processors can do one of at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn wide(windows: &[f32; LANES * WINDOW], sums: &mut [f32; LANES]) -> bool {
    use std::arch::x86_64::{
        _MM_HINT_T0, _mm_loadu_ps, _mm_prefetch, _mm512_add_ps, _mm512_castpd_ps, _mm512_castps_pd,
        _mm512_castps128_ps512, _mm512_castps512_ps128, _mm512_mask_broadcast_f32x4, _mm512_range_ps,
        _mm512_reduce_min_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps, _mm512_unpackhi_pd,
        _mm512_unpackhi_ps, _mm512_unpacklo_pd, _mm512_unpacklo_ps,
    };
    /// The smaller magnitude, without its sign.
    const MAGNITUDE: i32 = 0b1010;
    let mut total = _mm512_setzero_ps();
    let mut least = _mm512_set1_ps(f32::MAX);
    for place in (0..WINDOW).step_by(QUARTER) {
        let mut rows = [total; 4];
        for (i, row) in rows.iter_mut().enumerate() {
            let mut quarters = [_mm512_castps512_ps128(total); 4];
            for (number, quarter) in quarters.iter_mut().enumerate() {
                let window = i + 4 * number;
                let elements = &windows[window * WINDOW + place..][..QUARTER];
                // The slice is as long as a quarter of a vector.
                #[expect(unsafe_code, reason = "vector loads take pointers")]
                unsafe {
                    *quarter = _mm_loadu_ps(elements.as_ptr());
                    // Windows are not gone through in the order of memory, so nobody foresees them. Asking reads nothing.
                    if place.is_multiple_of(LANES) {
                        _mm_prefetch::<_MM_HINT_T0>(elements.as_ptr().wrapping_add(AHEAD).cast());
                    }
                }
            }
            let [a, b, c, d] = quarters;
            *row = _mm512_castps128_ps512(a);
            *row = _mm512_mask_broadcast_f32x4(*row, 0x00f0, b);
            *row = _mm512_mask_broadcast_f32x4(*row, 0x0f00, c);
            *row = _mm512_mask_broadcast_f32x4(*row, 0xf000, d);
            least = _mm512_range_ps::<MAGNITUDE>(least, *row);
        }
        // `rows[i]` has windows i, 4 + i, 8 + i and 12 + i: elements change places with those of neighbours, then pairs do.
        let [a, b, c, d] = rows;
        let (low, high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (other_low, other_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        let [low, high, other_low, other_high] =
            [_mm512_castps_pd(low), _mm512_castps_pd(high), _mm512_castps_pd(other_low), _mm512_castps_pd(other_high)];
        for column in [
            _mm512_unpacklo_pd(low, other_low),
            _mm512_unpackhi_pd(low, other_low),
            _mm512_unpacklo_pd(high, other_high),
            _mm512_unpackhi_pd(high, other_high),
        ] {
            total = _mm512_add_ps(total, _mm512_castpd_ps(column));
        }
    }
    // The array is as long as a vector.
    #[expect(unsafe_code, reason = "vector stores take pointers")]
    unsafe {
        _mm512_storeu_ps(sums.as_mut_ptr(), total);
    }
    // Zeros are the smallest, and may be there.
    let least = _mm512_reduce_min_ps(least);
    least >= LEAST || least == 0.0 && no_small(windows)
}

/// Whether no element is small and not zero.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq")]
fn no_small(windows: &[f32; LANES * WINDOW]) -> bool {
    let mut least = u32::MAX;
    for x in windows {
        // Twice the bits have no sign; less one, zeros become the greatest number.
        least = least.min((x.to_bits() << 1).wrapping_sub(1));
    }
    least >= (LEAST.to_bits() << 1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::number::Float;

    /// What `sums_f32` gives, or what it leaves to others, is the sum in order.
    #[test]
    fn sums_in_registers_are_those_in_order_and_leave_small_numbers_alone() {
        let usual: [f32; LANES * WINDOW] = std::array::from_fn(|i| (i * 37 % 101) as f32 * 0.31 - 15.5);
        let smallest = f32::from_bits((127 - 102) << 23);
        let cases = [
            (1.0, true),
            (0.0, true),
            (-0.0, true),
            (f32::INFINITY, true),
            (smallest, true),
            (-smallest, true),
            (smallest.next_down(), false),
            (f32::MIN_POSITIVE, false),
            (-1e-40, false),
        ];
        for (value, in_registers) in cases {
            for place in [0, 33, 500] {
                let mut windows = usual;
                windows[place] = value;
                // What is left where the window cancels.
                windows[place ^ 1] = -value;
                let mut sums = [f32::NAN; LANES];
                let done = sums_f32(&windows, &mut sums);
                #[cfg(target_arch = "x86_64")]
                assert_eq!(done, in_registers && crate::isa::isa() == crate::isa::Isa::Avx512, "{value:e}");
                #[cfg(not(target_arch = "x86_64"))]
                assert!(!(done && in_registers), "{value:e}");
                if done {
                    for (window, sum) in windows.as_chunks::<WINDOW>().0.iter().zip(sums) {
                        let in_order = window.iter().fold(0.0f32, |sum, &x| sum.plus(x));
                        assert!(sum.to_bits() == in_order.to_bits() || sum.is_nan() && in_order.is_nan());
                    }
                }
            }
        }
    }
}
