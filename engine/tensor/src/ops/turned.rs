//! Rows as columns, sixteen by sixteen in registers: what packing a transposed factor of a matrix product is made of.

use std::arch::x86_64::{
    __m512, _mm512_castpd_ps, _mm512_castps_pd, _mm512_loadu_ps, _mm512_shuffle_f32x4, _mm512_storeu_ps,
    _mm512_unpackhi_pd, _mm512_unpackhi_ps, _mm512_unpacklo_pd, _mm512_unpacklo_ps,
};

/// Rows and columns that are turned at once.
const SIDE: usize = 16;

/// Writes the first of `count` rows, which begin `stride` elements apart, as columns of a panel that is `width` wide and
/// `depth` long: as many as come in sixteens. Gives their number. Only for processors with AVX-512.
pub(super) fn pack(panel: &mut [f32], rows: &[f32], stride: usize, count: usize, width: usize, depth: usize) -> usize {
    let lines = count - count % SIDE;
    let whole = depth - depth % SIDE;
    for line in (0..lines).step_by(SIDE) {
        for k in (0..whole).step_by(SIDE) {
            let source = &rows[line * stride + k..];
            let target = &mut panel[k * width + line..];
            #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
            // The caller has asked the processor for AVX-512.
            unsafe {
                turn(target, width, source, stride);
            }
        }
        // Nothing is left of most.
        let lines = if whole < depth { line..line + SIDE } else { 0..0 };
        for (i, row) in lines.enumerate() {
            let rest = &rows[row * stride + whole..row * stride + depth];
            let target = panel[whole * width + line + i..].iter_mut().step_by(width);
            target.zip(rest).for_each(|(target, &x)| *target = x);
        }
    }
    lines
}

/// `target[j * width + i] = source[i * stride + j]` for `i` and `j` below sixteen.
#[target_feature(enable = "avx512f,avx512dq")]
fn turn(target: &mut [f32], width: usize, source: &[f32], stride: usize) {
    let load = |i: usize| {
        let elements = &source[i * stride..i * stride + SIDE];
        #[expect(unsafe_code, reason = "vector loads take pointers")]
        // The slice has sixteen elements.
        unsafe {
            _mm512_loadu_ps(elements.as_ptr())
        }
    };
    let rows: [__m512; SIDE] = std::array::from_fn(load);
    // Pairs of rows, then fours, within each quarter of a register.
    let mut pairs = rows;
    for i in (0..SIDE).step_by(2) {
        pairs[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
    }
    let mut fours = pairs;
    for i in (0..SIDE).step_by(4) {
        for half in 0..2 {
            let (a, b) = (_mm512_castps_pd(pairs[i + half]), _mm512_castps_pd(pairs[i + half + 2]));
            fours[i + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            fours[i + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    }
    // Now `fours[4 * g + c]` holds, in its quarter `q`, column `4 * q + c` of rows `4 * g` to `4 * g + 3`.
    for c in 0..4 {
        let (first, second) = (fours[c], fours[4 + c]);
        let (third, fourth) = (fours[8 + c], fours[12 + c]);
        let low = _mm512_shuffle_f32x4::<0b01_00_01_00>(first, second);
        let high = _mm512_shuffle_f32x4::<0b11_10_11_10>(first, second);
        let low_rest = _mm512_shuffle_f32x4::<0b01_00_01_00>(third, fourth);
        let high_rest = _mm512_shuffle_f32x4::<0b11_10_11_10>(third, fourth);
        let columns = [
            _mm512_shuffle_f32x4::<0b10_00_10_00>(low, low_rest),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(low, low_rest),
            _mm512_shuffle_f32x4::<0b10_00_10_00>(high, high_rest),
            _mm512_shuffle_f32x4::<0b11_01_11_01>(high, high_rest),
        ];
        for (q, column) in columns.into_iter().enumerate() {
            let place = (4 * q + c) * width;
            let elements = &mut target[place..place + SIDE];
            #[expect(unsafe_code, reason = "vector stores take pointers")]
            // The slice has sixteen elements.
            unsafe {
                _mm512_storeu_ps(elements.as_mut_ptr(), column);
            }
        }
    }
}
