//! Sums of windows of 32 `float32`, of sixteen windows at a time, in vector registers: the first step of XLA's order of sums,
//! and most of the work. Nothing here knows about rows.

#[cfg(any(target_arch = "x86_64", test))]
use crate::ops::turn::{LANES, WINDOW};

/// Adds windows, from the first element of each to its last, to what each has so far, where the processor has vectors of sixteen and no
/// sum can be subnormal; else false, and the sums of sixteen windows that have none are as they were. There are sixteen windows, or a
/// multiple of that.
pub(super) fn add_f32(windows: &[f32], sums: &mut [f32]) -> bool {
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

/// Twice the bits, less one, of what no element that is not zero may be below, and no sum so far: such elements are multiples of
/// `2^-125`, and so are their sums, which then are zero or not subnormal. Twice has no sign; zeros become the greatest number.
#[cfg(target_arch = "x86_64")]
const LEAST: u32 = (f32::from_bits((127 - 102) << 23).to_bits() << 1) - 1;

/// How many elements ahead the memory is asked for.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 2 * LANES * WINDOW;

/// Sixteen windows; false, and nothing is added, if a sum could be subnormal.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn wide(windows: &[f32; LANES * WINDOW], sums: &mut [f32; LANES]) -> bool {
    use crate::ops::turn::turned;
    use std::arch::x86_64::{
        _MM_HINT_T0, _mm_prefetch, _mm512_add_epi32, _mm512_add_ps, _mm512_castps_si512, _mm512_cmplt_epu32_mask,
        _mm512_loadu_ps, _mm512_min_epu32, _mm512_set1_epi32, _mm512_storeu_ps,
    };
    let one = _mm512_set1_epi32(-1);
    // The array is as long as a vector.
    #[expect(unsafe_code, reason = "vector loads take pointers")]
    let mut total = unsafe { _mm512_loadu_ps(sums.as_ptr()) };
    let bits = _mm512_castps_si512(total);
    let mut least = _mm512_add_epi32(_mm512_add_epi32(bits, bits), one);
    for place in (0..WINDOW).step_by(LANES) {
        let mut rows = [total; LANES];
        for (i, row) in rows.iter_mut().enumerate() {
            let elements = &windows[i * WINDOW + place..i * WINDOW + place + LANES];
            // The slice is as long as a vector.
            #[expect(unsafe_code, reason = "vector loads take pointers")]
            unsafe {
                *row = _mm512_loadu_ps(elements.as_ptr());
                // Windows are not gone through in the order of memory, so nobody foresees them. Asking reads nothing.
                _mm_prefetch::<_MM_HINT_T0>(elements.as_ptr().wrapping_add(AHEAD).cast());
            }
            let bits = _mm512_castps_si512(*row);
            least = _mm512_min_epu32(least, _mm512_add_epi32(_mm512_add_epi32(bits, bits), one));
        }
        for column in turned(rows) {
            total = _mm512_add_ps(total, column);
        }
    }
    if _mm512_cmplt_epu32_mask(least, _mm512_set1_epi32(LEAST.cast_signed())) != 0 {
        return false;
    }
    // The array is as long as a vector.
    #[expect(unsafe_code, reason = "vector stores take pointers")]
    unsafe {
        _mm512_storeu_ps(sums.as_mut_ptr(), total);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::number::Float;

    /// What `add_f32` gives, or what it leaves to others, is the sum in order, also onto others.
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
                let mut sums = [0.0; LANES];
                let done = add_f32(&windows, &mut sums);
                #[cfg(target_arch = "x86_64")]
                assert_eq!(done, in_registers && crate::isa::isa() == crate::isa::Isa::Avx512, "{value:e}");
                #[cfg(not(target_arch = "x86_64"))]
                assert!(!(done && in_registers), "{value:e}");
                if done {
                    for (window, sum) in windows.as_chunks::<WINDOW>().0.iter().zip(sums) {
                        let in_order = window.iter().fold(0.0f32, |sum, &x| sum.plus(x));
                        assert!(sum.to_bits() == in_order.to_bits() || sum.is_nan() && in_order.is_nan());
                    }
                    let before = sums;
                    assert!(add_f32(&usual, &mut sums));
                    for ((window, sum), before) in usual.as_chunks::<WINDOW>().0.iter().zip(sums).zip(before) {
                        let in_order = window.iter().fold(before, |sum, &x| sum.plus(x));
                        assert!(sum.to_bits() == in_order.to_bits() || sum.is_nan() && in_order.is_nan());
                    }
                } else {
                    assert_eq!(sums, [0.0; LANES]);
                }
                let mut sums = [3e-38; LANES];
                assert!(!add_f32(&usual, &mut sums), "what is so small may become subnormal");
                assert_eq!(sums, [3e-38; LANES]);
            }
        }
    }
}
