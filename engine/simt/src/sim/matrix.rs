//! Tensor cores in the simulator: what each lane gets of pieces of shared memory, and products of what lanes hold.

use super::world::World;
use super::{Fault, fault};
use crate::ir::{Inst, MemoryId, Mma, Value};
use pallas_tensor::{Array, DType, Scalar, ops};

/// Bytes of a piece.
const PIECE: usize = 16;

impl World<'_> {
    /// Every warp multiplies what its lanes hold.
    pub(super) fn mma(&mut self, inst: &Inst, mma: Mma) -> Result<(), Fault> {
        let exact = !mma.dtype.is_float();
        let numbers = |value: Value| -> Result<Vec<f64>, Fault> {
            let array = ops::convert(&self.get(value)?, DType::F64)?;
            Ok(array.into_elements::<f64>().unwrap_or_default())
        };
        let (mut a, mut b, mut c) =
            (numbers(inst.operands[0])?, numbers(inst.operands[1])?, numbers(inst.operands[2])?);
        if mma.dtype == DType::F32 {
            for factor in a.iter_mut().chain(b.iter_mut()) {
                *factor = f64::from(f32::from_bits((*factor as f32).to_bits() & !0x1fff));
            }
        }
        let (threads, per_word, terms) = (self.threads, mma.per_word() as usize, mma.terms());
        // The register and lane that hold an element, as the definition of the op says.
        let term = |k: usize| (k / per_word % 4, k / per_word / 4, k % per_word);
        let of_a = |row: usize, k: usize| {
            let (lane, word, within) = term(k);
            ((row / 8 + 2 * word) * per_word + within, row % 8 * 4 + lane)
        };
        let of_b = |k: usize, column: usize| {
            let (lane, word, within) = term(k);
            (word * per_word + within, column * 4 + lane)
        };
        let of_c = |row: usize, column: usize| (column % 2 + row / 8 * 2, row % 8 * 4 + column / 2);
        let [a_tile, b_tile, c_tile] = mma.registers().map(|registers| registers as usize);
        for warp in (0..threads).step_by(32) {
            for tile in 0..(mma.rows * mma.columns) as usize {
                let (rows, columns) = (tile / mma.columns as usize, tile % mma.columns as usize);
                for row in 0..Mma::M {
                    for column in 0..Mma::N {
                        let (register, lane) = of_c(row, column);
                        let place = (tile * c_tile + register) * threads + warp + lane;
                        let mut sum = 0.0;
                        for k in 0..terms {
                            let ((r, l), (s, m)) = (of_a(row, k), of_b(k, column));
                            sum += a[(rows * a_tile + r) * threads + warp + l]
                                * b[(columns * b_tile + s) * threads + warp + m];
                        }
                        c[place] = if exact { c[place] + sum } else { f64::from(c[place] as f32 + sum as f32) };
                    }
                }
            }
        }
        let elements: Vec<Scalar> = c
            .iter()
            .map(|&number| if exact { Scalar::Int(number as i128).cast(DType::I32) } else { Scalar::Float(number) })
            .collect();
        let sums = Array::from_scalars(mma.sums(), [elements.len()].as_slice(), &elements)?;
        self.put(inst.results[0], sums);
        Ok(())
    }

    /// Every lane gets words of pieces that other lanes say.
    pub(super) fn load_matrix(&mut self, inst: &Inst, memory: MemoryId, trans: bool, words: u32) -> Result<(), Fault> {
        let begins = self.get(inst.operands[0])?;
        let begins = begins.elements::<i32>().ok_or_else(|| fault("an index is no i32".to_string()))?.to_vec();
        let (threads, words) = (self.threads, words as usize);
        let memory = self.at(memory);
        let ram = &self.rams[memory];
        let (bytes, len) = (ram.array.dtype().size_bytes(), ram.array.size() as i64);
        let (per_piece, per_word) = ((PIECE / bytes) as i64, 4 / bytes);
        let count = begins.len() / threads;
        let mut taken = vec![-1; count * words * per_word * threads];
        for register in 0..count {
            for warp in (0..threads).step_by(32) {
                let said = |lane: usize| i64::from(begins[register * threads + warp + lane]);
                for word in 0..words {
                    let pieces: Vec<i64> = (0..8).map(|row| said(8 * word + row)).collect();
                    if pieces.iter().any(|&piece| piece < 0 || piece % per_piece != 0 || piece + per_piece > len) {
                        return Err(fault("a piece of a matrix that begins nowhere".to_string()));
                    }
                    self.report.bank_conflicts += super::memory::turns(&pieces, bytes, PIECE).saturating_sub(1);
                    for lane in 0..32 {
                        for within in 0..per_word {
                            let place = ((register * words + word) * per_word + within) * threads + warp + lane;
                            taken[place] = match trans {
                                false => pieces[lane / 4] + (lane % 4 * per_word + within) as i64,
                                true => pieces[lane % 4 * 2 + within] + (lane / 4) as i64,
                            };
                        }
                    }
                }
            }
        }
        let access = self.access(&taken, 1, inst.span);
        let ram = &mut self.rams[memory];
        ram.seen(&access, &mut self.report);
        let zero = Array::scalar(ram.array.dtype(), Scalar::zero(ram.array.dtype()));
        let loaded = ops::take_flat(&ram.array, &taken, [taken.len()].as_slice(), &zero)?;
        self.put(inst.results[0], loaded);
        Ok(())
    }
}
