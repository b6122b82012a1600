//! Copies from shared into tensor memory in CUDA C++ (`tcgen05.cp`), started by the first thread, one for each piece.

use super::printer::Printer;
use crate::ir::{Places, Scales, TensorCopy, TensorSource};

/// Bytes of a row that one instruction copies.
const BYTES: usize = 32;

impl Printer<'_> {
    pub(super) fn copy_tensor(&mut self, copy: &TensorCopy, terms: &[String]) {
        let group = 1 + u32::from(copy.pair);
        let (shape, function) = match copy.from {
            TensorSource::Rows(_) => ("128x256b", "copy_rows"),
            TensorSource::Scales(_) => ("32x128b.warpx4", "copy_scales"),
            TensorSource::Places(_) => ("128x128b", "copy_places"),
        };
        let name = format!("{function}{}", if copy.pair { "_of_two" } else { "" });
        let text = format!(
            "__device__ __forceinline__ void {name}(unsigned to, unsigned long long from) {{ asm \
             volatile(\"tcgen05.cp.cta_group::{group}.{shape} [%0], %1;\" :: \"r\"(to), \"l\"(from) : \"memory\"); }}"
        );
        self.instructions.insert(name.clone(), text);
        let (to, from) = (self.name(copy.to), self.name(copy.from.memory()));
        let bytes = self.kernel.memory(copy.to).dtype.size_bytes();
        let [rows, columns] = copy.extents;
        self.line("if (t == 0) {");
        self.line("  asm volatile(\"tcgen05.fence::after_thread_sync;\" ::: \"memory\");");
        match copy.from {
            TensorSource::Rows(factor) => {
                let packed = crate::lower::tensor::packed(self.kernel.memory(copy.to).dtype);
                let begin = super::tensor::of_words(&terms[0], packed);
                for number in 0..columns * bytes / BYTES {
                    let descriptor = self.tensor_descriptor(&factor, &terms[1], 0, number * BYTES / bytes);
                    self.line(format!("  {name}({to} + {begin} + {}, {descriptor});", number * BYTES / 4));
                }
            }
            TensorSource::Scales(_) => {
                let scales = Scales { rows, count: columns };
                for (tile, fours) in
                    (0..scales.tiles()).flat_map(|tile| (0..columns / 4).map(move |fours| (tile, fours)))
                {
                    let [_, byte] = scales.place(tile * Scales::TILE[0], fours * 4);
                    let far = scales.lies(tile * Scales::TILE[0], fours * 4);
                    // Eight rows of 16 bytes are neighbours, and so are those eights.
                    let descriptor = format!("factor_at({from} + {} + {far}, 0, 128, 0)", terms[1]);
                    self.line(format!("  {name}({to} + {}, {descriptor});", byte / 4));
                }
            }
            TensorSource::Places(_) => {
                for tile in 0..columns / Places::WORDS {
                    let far = tile * Places::WORDS * rows;
                    let descriptor = format!("factor_at({from} + {} + {far}, 0, 128, 0)", terms[1]);
                    self.line(format!("  {name}({to} + {}, {descriptor});", tile * Places::WORDS));
                }
            }
        }
        self.line("}");
    }
}
