//! The innermost loops of products of `bfloat16` matrices in `float32` registers, see [`super::halves`] for their order.

use super::NR;
#[cfg(target_arch = "x86_64")]
use super::halves::GROUP;
use super::kernel::Rows;
#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
use crate::isa::Isa;

/// Rows of a block.
pub(super) const HEIGHT: usize = 4;

/// Adds the products of so many rows with a panel to a block of sums, where none of all sums is subnormal; false where there
/// is no quick way for it.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there are no such registers"))]
pub(super) fn grouped(
    isa: Isa,
    left: Rows<'_, f32>,
    height: usize,
    panel: &[f32],
    sums: &mut [[f32; NR]; HEIGHT],
) -> bool {
    match isa {
        // What a processor is taken for, it is.
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        Isa::Avx512 => unsafe {
            wide(left, height, panel, sums);
            true
        },
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        Isa::Avx2 => unsafe {
            narrow(left, height, panel, sums);
            true
        },
        Isa::Baseline => false,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
fn wide(left: Rows<'_, f32>, height: usize, panel: &[f32], sums: &mut [[f32; NR]; HEIGHT]) {
    in_vectors::<std::arch::x86_64::__m512, HEIGHT, 2>(left, height, panel, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn narrow(left: Rows<'_, f32>, height: usize, panel: &[f32], sums: &mut [[f32; NR]; HEIGHT]) {
    in_vectors::<std::arch::x86_64::__m256, 2, 2>(left, height, panel, sums);
}

/// `H` rows of `W` registers at a time: their sums, those of even places and those of odd ones stay in registers. Only for
/// functions that are compiled for the registers.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn in_vectors<V: Vector<Element = f32>, const H: usize, const W: usize>(
    left: Rows<'_, f32>,
    height: usize,
    panel: &[f32],
    sums: &mut [[f32; NR]; HEIGHT],
) {
    for row in (0..height).step_by(H) {
        for column in (0..NR).step_by(W * V::LANES) {
            #[expect(unsafe_code, reason = "registers are those of certain processors")]
            // The caller is compiled for them. Loops and no closures: functions of the standard library are not.
            unsafe {
                let panel = panel.as_chunks::<NR>().0.as_chunks::<GROUP>().0;
                // The last row again where there are fewer. All of one length, which the compiler sees here.
                let mut rows = [&left.elements[..0].as_chunks::<GROUP>().0[..0]; H];
                for (i, rows) in rows.iter_mut().enumerate() {
                    *rows = &left.row((row + i).min(height - 1)).as_chunks::<GROUP>().0[..panel.len()];
                }
                let mut total = [[V::zero(); W]; H];
                for i in 0..H {
                    for j in 0..W {
                        total[i][j] = V::load(&sums[row + i][column + j * V::LANES..]);
                    }
                }
                for (group, right) in panel.iter().enumerate() {
                    let mut parts = [[[V::zero(); W]; H]; 2];
                    for pair in 0..GROUP / 2 {
                        for (odd, parts) in parts.iter_mut().enumerate() {
                            let k = 2 * pair + odd;
                            let mut factors = [V::zero(); W];
                            for j in 0..W {
                                factors[j] = V::load(&right[k][column + j * V::LANES..]);
                            }
                            for i in 0..H {
                                let x = V::splat(rows[i][group][k]);
                                for j in 0..W {
                                    parts[i][j] = V::multiply_add(x, factors[j], parts[i][j]);
                                }
                            }
                        }
                    }
                    for i in 0..H {
                        for j in 0..W {
                            total[i][j] = V::add(total[i][j], V::add(parts[0][i][j], parts[1][i][j]));
                        }
                    }
                }
                for i in 0..H {
                    for j in 0..W {
                        total[i][j].store(&mut sums[row + i][column + j * V::LANES..]);
                    }
                }
            }
        }
    }
}
