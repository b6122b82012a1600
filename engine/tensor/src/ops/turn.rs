//! Sixteen windows that lie one behind the other, laid side by side: what is added in order along each window can then be
//! added for all of them at once. Squares of elements are turned in vector registers.

/// Windows that are laid side by side.
pub(crate) const LANES: usize = 16;
/// Elements of a window.
pub(super) const WINDOW: usize = 32;

/// The element `place` of the window `lane` goes to `turned[place][lane]`.
#[inline(always)]
pub(super) fn turn<T: Copy>(windows: &[T; LANES * WINDOW], turned: &mut [[T; LANES]; WINDOW]) {
    for lane in 0..LANES {
        for place in 0..WINDOW {
            turned[place][lane] = windows[lane * WINDOW + place];
        }
    }
}

/// [`turn`] for `f32`, in vector registers where the processor has large ones.
#[inline]
pub(super) fn turn_f32(windows: &[f32; LANES * WINDOW], turned: &mut [[f32; LANES]; WINDOW]) {
    #[cfg(target_arch = "x86_64")]
    if crate::isa::isa() == crate::isa::Isa::Avx512 {
        // The processor was just asked.
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        unsafe {
            turn_avx512(windows, turned);
        }
        return;
    }
    turn(windows, turned);
}

/// Two squares, side by side in the windows, one below the other in what is turned.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn turn_avx512(windows: &[f32; LANES * WINDOW], turned: &mut [[f32; LANES]; WINDOW]) {
    let turned = turned.as_flattened_mut();
    for place in (0..WINDOW).step_by(LANES) {
        square(&windows[place..], WINDOW, &mut turned[place * LANES..], LANES);
    }
}

/// `target[j * width + i] = source[i * stride + j]` for `i` and `j` below [`LANES`].
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn square(source: &[f32], stride: usize, target: &mut [f32], width: usize) {
    use std::arch::x86_64::{_mm512_loadu_ps, _mm512_setzero_ps, _mm512_storeu_ps};
    // Loops and no closures: functions of the standard library are not compiled for the instruction set.
    let mut rows = [_mm512_setzero_ps(); LANES];
    for (i, row) in rows.iter_mut().enumerate() {
        let elements = &source[i * stride..i * stride + LANES];
        // The slice is as long as a vector.
        #[expect(unsafe_code, reason = "vector loads take pointers")]
        unsafe {
            *row = _mm512_loadu_ps(elements.as_ptr());
        }
    }
    for (place, vector) in turned(rows).into_iter().enumerate() {
        let elements = &mut target[place * width..place * width + LANES];
        // The slice is as long as a vector.
        #[expect(unsafe_code, reason = "vector stores take pointers")]
        unsafe {
            _mm512_storeu_ps(elements.as_mut_ptr(), vector);
        }
    }
}

/// Sixteen vectors of sixteen elements.
#[cfg(target_arch = "x86_64")]
pub(super) type Square = [std::arch::x86_64::__m512; LANES];

/// Columns in the place of rows: elements, pairs, and quarters of vectors change places.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn turned(rows: Square) -> Square {
    use std::arch::x86_64::{
        _mm512_castpd_ps, _mm512_castps_pd, _mm512_shuffle_f32x4, _mm512_unpackhi_pd, _mm512_unpackhi_ps,
        _mm512_unpacklo_pd, _mm512_unpacklo_ps,
    };
    // Within quarters: neighbours, then pairs of them.
    let mut singles = rows;
    for i in (0..LANES).step_by(2) {
        singles[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
        singles[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
    }
    let mut pairs = singles;
    for i in (0..LANES).step_by(4) {
        for k in 0..2 {
            let (a, b) = (_mm512_castps_pd(singles[i + k]), _mm512_castps_pd(singles[i + k + 2]));
            pairs[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            pairs[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    }
    // `pairs[4 * r + column]` has, in quarter q, rows 4 r to 4 r + 3 of column 4 q + `column`.
    let mut columns = pairs;
    for column in 0..4 {
        let [a, b, c, d] = [pairs[column], pairs[4 + column], pairs[8 + column], pairs[12 + column]];
        let (even, odd) = (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xdd>(a, b));
        let (even_rest, odd_rest) = (_mm512_shuffle_f32x4::<0x88>(c, d), _mm512_shuffle_f32x4::<0xdd>(c, d));
        columns[column] = _mm512_shuffle_f32x4::<0x88>(even, even_rest);
        columns[4 + column] = _mm512_shuffle_f32x4::<0x88>(odd, odd_rest);
        columns[8 + column] = _mm512_shuffle_f32x4::<0xdd>(even, even_rest);
        columns[12 + column] = _mm512_shuffle_f32x4::<0xdd>(odd, odd_rest);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_turn_windows_as_single_elements_do() {
        let windows: [f32; LANES * WINDOW] = std::array::from_fn(|i| i as f32);
        let (mut one, mut many) = ([[0.0; LANES]; WINDOW], [[0.0; LANES]; WINDOW]);
        turn(&windows, &mut one);
        turn_f32(&windows, &mut many);
        assert_eq!(one, many);
        assert_eq!(one[3][5], 163.0);
    }
}
