//! Sums and extremes of rows of up to sixteen `float32`, sixteen rows at a time, in vector registers: rows are loaded under a mask and
//! turned, so that each lane goes through a row of its own from its first element to its last. What counts as zero does here, too.

use crate::ops::reduce_lanes::Combine;

/// What rows of `length` elements that lie one behind the other are combined to, where the processor has vectors of sixteen; else
/// false, as where a row whose extreme is looked for has a NaN, and nothing is to be made of `result`.
#[inline]
pub(super) fn short_rows_f32(combine: Combine, rows: &[f32], length: usize, result: &mut [f32]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if (1..=wide::LANES).contains(&length) && crate::isa::isa() == crate::isa::Isa::Avx512 {
        // The processor was just asked.
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        return unsafe { wide::combined(combine, rows, length, result) };
    }
    let _ = (combine, rows, length, result);
    false
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::Combine;
    pub(super) use crate::ops::turn::LANES;
    use crate::ops::turn::{Square, turned};
    use std::arch::x86_64::{
        __m512, __m512i, _CMP_UNORD_Q, _mm512_add_ps, _mm512_and_si512, _mm512_castps_si512, _mm512_castsi512_ps,
        _mm512_cmp_ps_mask, _mm512_mask_and_epi32, _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_max_epi32,
        _mm512_min_epi32, _mm512_set1_epi32, _mm512_setzero_ps, _mm512_srai_epi32, _mm512_testn_epi32_mask,
        _mm512_xor_si512,
    };

    #[target_feature(enable = "avx512f")]
    pub(super) fn combined(combine: Combine, rows: &[f32], length: usize, result: &mut [f32]) -> bool {
        if combine == Combine::Product {
            return false;
        }
        for (rows, result) in rows.chunks(LANES * length).zip(result.chunks_mut(LANES)) {
            let columns = columns(rows, length, result.len());
            let found = match combine {
                Combine::Sum => Some(sums(&columns[..length])),
                _ => extremes(&columns[..length], combine == Combine::Max),
            };
            let Some(found) = found else { return false };
            // As many lanes as the result has.
            #[expect(unsafe_code, reason = "vector stores take pointers")]
            unsafe {
                _mm512_mask_storeu_ps(result.as_mut_ptr(), first(result.len()), found);
            }
        }
        true
    }

    /// So many of the first lanes.
    #[inline]
    fn first(count: usize) -> u16 {
        ((1u32 << count) - 1) as u16
    }

    /// Columns of `count` rows; lanes and columns that nobody has are zero.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn columns(rows: &[f32], length: usize, count: usize) -> Square {
        let mut square = [_mm512_setzero_ps(); LANES];
        for (i, vector) in square.iter_mut().enumerate().take(count) {
            let row = &rows[i * length..(i + 1) * length];
            // The mask keeps to the row.
            #[expect(unsafe_code, reason = "vector loads take pointers")]
            unsafe {
                *vector = _mm512_maskz_loadu_ps(first(length), row.as_ptr());
            }
        }
        turned(square)
    }

    /// Zeros, with their signs, in the place of what is subnormal.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn flushed(x: __m512) -> __m512 {
        let bits = _mm512_castps_si512(x);
        let is_small = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(f32::INFINITY.to_bits().cast_signed()));
        let sign = _mm512_set1_epi32(i32::MIN);
        _mm512_castsi512_ps(_mm512_mask_and_epi32(bits, is_small, bits, sign))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn sums(columns: &[__m512]) -> __m512 {
        let mut total = _mm512_setzero_ps();
        for &column in columns {
            total = flushed(_mm512_add_ps(total, flushed(column)));
        }
        total
    }

    /// Integers in the order of the numbers, -0 before +0; and back.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn ordered(bits: __m512i) -> __m512i {
        let below = _mm512_srai_epi32::<31>(bits);
        _mm512_xor_si512(bits, _mm512_and_si512(below, _mm512_set1_epi32(i32::MAX)))
    }

    /// None if there is a NaN. (To count what is subnormal as zero changes no order, so that the end is early enough.)
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn extremes(columns: &[__m512], greatest: bool) -> Option<__m512> {
        let mut best = ordered(_mm512_castps_si512(columns[0]));
        let mut unordered = 0;
        for &column in columns {
            unordered |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(column, column);
            let column = ordered(_mm512_castps_si512(column));
            best = match greatest {
                true => _mm512_max_epi32(best, column),
                false => _mm512_min_epi32(best, column),
            };
        }
        (unordered == 0).then_some(flushed(_mm512_castsi512_ps(ordered(best))))
    }
}
