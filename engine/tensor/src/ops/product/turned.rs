//! The rows of a transposed factor of a matrix product, packed as the columns of a panel.

use crate::ops::turn::{LANES as SIDE, square};

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
                square(source, stride, target, width);
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
