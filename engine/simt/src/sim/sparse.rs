//! Sparse left factors in the simulator: the words that say where their elements stand, copied and read, and the factor with its zeros.

use super::products::Side;
use super::world::World;
use super::{Fault, fault};
use crate::ir::{Inst, MemoryId, Places, TensorCopy, TensorProduct, Value};
use pallas_tensor::DType;

/// A factor with its zeros, of which each row then has so many terms. Words are those of a row in each lane.
pub(super) fn spread(dtype: DType, factor: &[f64], words: &[f64], terms: usize) -> Vec<f64> {
    let kept = terms / 2;
    let width = kept / Places::WORD;
    let mut dense = vec![0.0; factor.len() * 2];
    for (number, &element) in factor.iter().enumerate() {
        let (row, column) = (number / kept, number % kept);
        let [lane, position] = Places::lies(dtype, row, column);
        let word = words[lane * width + position / Places::WORD] as u32;
        let place = (word >> (2 * (position % Places::WORD)) & 3) as usize;
        dense[row * terms + column / 2 * 4 + place] = element;
    }
    dense
}

impl World<'_> {
    /// All words that a product takes.
    pub(super) fn places_lent(
        &mut self,
        inst: &Inst,
        product: &TensorProduct,
        rank: Option<usize>,
    ) -> Result<Option<Side>, Fault> {
        let Some(places) = product.places else { return Ok(None) };
        let width = self.kernel.memory(places).len;
        let indices = (0..(TensorProduct::LANES * width) as i64).collect();
        self.lanes_lent(inst, places, indices, rank).map(Some)
    }

    /// Words in shared memory, tile by tile, and where they go.
    pub(super) fn places_borrowed(
        &mut self,
        inst: &Inst,
        copy: &TensorCopy,
        memory: MemoryId,
        begin: Value,
        rank: Option<usize>,
    ) -> Result<(Side, Vec<Vec<i64>>), Fault> {
        let first = self.uniform(begin)?;
        if first % 4 != 0 {
            return Err(fault(format!(
                "what is copied begins at word {first} of shared memory, which is no multiple of 4"
            )));
        }
        let [rows, width] = copy.extents;
        let from = (0..(rows * width) as i64).map(|word| first + word).collect();
        let target = (0..rows * width).map(|word| {
            let (row, inside) = (word / Places::WORDS, word % Places::WORDS);
            (row % rows * width + row / rows * Places::WORDS + inside) as i64
        });
        Ok((self.elements_borrowed(inst, memory, from, rank)?, vec![target.collect()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stand_where_their_words_say() {
        // Of one row of 64 elements the first pair stands at 1 and 3, the second at 0 and 2, all others at 0 and 1.
        let mut words = [f64::from(0x4444_4444_u32); 4];
        words[0] = f64::from(0x4444_4444_u32 & !0xff | 0b10_00_11_01);
        let factor: Vec<f64> = (1..=64).map(f64::from).collect();
        let dense = spread(DType::F8E4M3Fn, &factor, &words, 128);
        assert_eq!(dense[..12], [0.0, 1.0, 0.0, 2.0, 3.0, 0.0, 4.0, 0.0, 5.0, 6.0, 0.0, 0.0]);
    }
}
