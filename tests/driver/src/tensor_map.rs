//! The rules of `cuTensorMapEncodeTiled`, as the CUDA Driver API lists them, and the description that the PTX machine reads.

use crate::codes::{Code, INVALID_VALUE, NOT_SUPPORTED};
use crate::log;

/// What is to be described; the innermost dimension first.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) element: u32,
    pub(crate) address: u64,
    pub(crate) extents: &'a [u64],
    /// In bytes, without that of the innermost dimension.
    pub(crate) strides: &'a [u64],
    pub(crate) boxed: &'a [u32],
    pub(crate) steps: &'a [u32],
    pub(crate) interleave: u32,
    pub(crate) swizzle: u32,
    pub(crate) promotion: u32,
    pub(crate) fill: u32,
}

/// Bytes of an element, by the number of its kind; packed kinds of less than a byte are not described here.
fn bytes(element: u32) -> Option<u64> {
    const SIZES: [u64; 13] = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4];
    SIZES.get(element as usize).copied()
}

/// What is wrong with a description.
fn wrong(asked: &Asked<'_>) -> Option<&'static str> {
    let Some(size) = bytes(asked.element) else { return Some("a kind of element that there is not") };
    let Asked { extents, strides, boxed, steps, interleave, swizzle, .. } = *asked;
    let alignment = if interleave == 2 { 32 } else { 16 };
    if interleave > 2 || swizzle > 6 || asked.promotion > 3 || asked.fill > 1 {
        return Some("a number that no enumeration has");
    }
    if !asked.address.is_multiple_of(alignment) || asked.address == 0 {
        return Some("an address that is not aligned");
    }
    if extents.iter().any(|&extent| extent == 0 || extent > 1 << 32) {
        return Some("an extent of none, or of more than 2^32");
    }
    if strides.iter().any(|&stride| !stride.is_multiple_of(alignment) || stride >= 1 << 40) {
        return Some("a stride that is not aligned, or of 2^40 and more");
    }
    if boxed.iter().any(|&extent| extent == 0 || extent > 256) {
        return Some("a box of none, or of more than 256 elements");
    }
    if steps.iter().any(|&step| step == 0 || step > 8) {
        return Some("a step of none, or of more than 8");
    }
    let inner = u64::from(boxed[0]) * size;
    if interleave == 0 && !inner.is_multiple_of(16) {
        return Some("a row of the box that is no multiple of 16 bytes");
    }
    let span = [u64::MAX, 32, 64, 128, 128, 128, 128][swizzle as usize];
    if interleave == 0 && inner > span {
        return Some("a row of the box that is longer than the swizzle's span");
    }
    if interleave == 2 && swizzle != 1 {
        return Some("an interleaving of 32 bytes without its swizzle");
    }
    if interleave != 0 && extents.len() < 3 {
        return Some("an interleaving of fewer than three dimensions");
    }
    // Not a number is a fill for numbers.
    if asked.fill == 1 && asked.element < 6 {
        return Some("a fill of no number for integers");
    }
    // What a stride spans, the dimension inside of it must fit into.
    let mut before = size;
    for (extent, stride) in extents.iter().zip(strides) {
        if extent.checked_mul(before).is_none_or(|whole| *stride < whole) {
            return Some("rows that lie on each other");
        }
        before = *stride;
    }
    None
}

/// The description.
///
/// # Errors
/// It breaks a rule, which the log says.
pub(crate) fn encoded(asked: &Asked<'_>) -> Result<[u8; 128], Code> {
    if let Some(words) = wrong(asked) {
        log::line(&format!("WRONG BOX: {words}: {asked:?}"));
        return Err(INVALID_VALUE);
    }
    let element = bytes(asked.element).unwrap_or(0);
    let map = pallas_ptx::TensorMap {
        element: element as usize,
        address: asked.address,
        extents: asked.extents.to_vec(),
        strides: [element].into_iter().chain(asked.strides.iter().copied()).collect(),
        boxed: asked.boxed.to_vec(),
        steps: asked.steps.to_vec(),
        // The last kinds exchange larger pieces, of which the machine knows nothing.
        swizzle: [0, 32, 64, 128].get(asked.swizzle as usize).copied().ok_or(NOT_SUPPORTED)?,
        fills_nan: asked.fill == 1,
        dtype: asked.element,
    };
    let known = map.encode().filter(|_| asked.interleave == 0);
    known.ok_or(NOT_SUPPORTED)
}
