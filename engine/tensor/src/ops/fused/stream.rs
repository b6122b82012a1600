//! Writes past the caches: results that no cache holds need not be read from memory before they are written, nor take the place of
//! what the next chunk reads.

use crate::buffer::Element;

/// Elements of an array from which on it is written past the caches: more than the second cache of a core and its share of
/// what cores share.
pub(crate) const LARGE: usize = 1 << 22;

/// `out = x`, past the caches. Before anybody else reads, [`done`].
#[inline]
pub(crate) fn copy<T: Element>(out: &mut [T], x: &[T]) {
    let length = out.len().min(x.len());
    #[cfg(target_arch = "x86_64")]
    {
        let head = out.as_ptr().align_offset(LINE).min(length);
        let lines = (length - head) * size_of::<T>() / LINE;
        let tail = head + lines * (LINE / size_of::<T>());
        out[..head].copy_from_slice(&x[..head]);
        // The lines lie inside of both slices, those that are written at multiples of their size. Elements are plain numbers.
        #[expect(unsafe_code, reason = "the intrinsics take pointers")]
        unsafe {
            let (out, x) = (out.as_mut_ptr().add(head).cast(), x.as_ptr().add(head).cast());
            match crate::isa::isa() {
                crate::isa::Isa::Avx512 => wide(out, x, lines),
                _ => narrow(out, x, lines),
            }
        }
        out[tail..length].copy_from_slice(&x[tail..length]);
    }
    #[cfg(not(target_arch = "x86_64"))]
    out[..length].copy_from_slice(&x[..length]);
}

/// Has everything that was written past the caches seen by everybody.
pub(crate) fn done() {
    #[cfg(target_arch = "x86_64")]
    // Waits for stores of this thread, and does nothing else.
    #[expect(unsafe_code, reason = "not marked safe where the standard library is older")]
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Bytes of a line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// # Safety
/// Both are so many lines, the first at a multiple of their size.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "the intrinsics take pointers")]
unsafe fn wide(out: *mut u8, x: *const u8, lines: usize) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_stream_si512};
    for line in 0..lines {
        unsafe { _mm512_stream_si512(out.add(line * LINE).cast(), _mm512_loadu_si512(x.add(line * LINE).cast())) };
    }
}

/// # Safety
/// As [`wide`].
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the intrinsics take pointers")]
unsafe fn narrow(out: *mut u8, x: *const u8, lines: usize) {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_stream_si128};
    for part in 0..lines * (LINE / 16) {
        unsafe { _mm_stream_si128(out.add(part * 16).cast(), _mm_loadu_si128(x.add(part * 16).cast())) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_past_the_caches_is_the_same() {
        let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        for (from, to) in [(0, 1000), (1, 1000), (3, 4), (7, 7), (15, 33), (16, 999)] {
            let mut out = vec![-1.0; 1000];
            copy(&mut out[from..to], &x[..to - from]);
            done();
            assert!(out[from..to].iter().zip(&x).all(|(a, b)| a == b), "{from} to {to}");
            assert!(out[..from].iter().chain(&out[to..]).all(|&a| a == -1.0), "{from} to {to}");
        }
        let (x, mut out) = (vec![true; 300], vec![false; 300]);
        copy(&mut out[5..], &x[..295]);
        assert_eq!(out.iter().filter(|&&x| x).count(), 295);
    }
}
