//! What memory of a block holds when it begins, where that is seen to ([`Memory::begins`](crate::ir::Memory::begins)): threads store it
//! before any barrier is there, so that no engine and no other block can have come before them.

use super::printer::Printer;
use super::types::literal;
use crate::Refusal;
use crate::ir::{Memory, Space, TensorProduct};
use crate::lower::tensor::packed;

impl Printer<'_> {
    /// Shared memory, of the block and of its teams.
    pub(super) fn begin_shared(&mut self) -> Result<(), Refusal> {
        let mut begins = false;
        for (id, memory) in self.kernel.memories() {
            let Some(element) = self.element(memory)? else { continue };
            let (first, threads) = match memory.space {
                Space::Shared => ("threadIdx.x", self.kernel.block_threads()),
                Space::Team => ("t", self.kernel.threads),
                _ => continue,
            };
            let (name, len) = (self.name(id), memory.len);
            self.line(format!("for (int i = {first}; i < {len}; i += {threads}) {name}[i] = {element};"));
            begins = true;
        }
        if begins {
            // Engines come next.
            self.publish();
            self.line("__syncthreads();");
        }
        Ok(())
    }

    /// Tensor memory, each warp of the first team its own lanes.
    pub(super) fn begin_columns(&mut self) -> Result<(), Refusal> {
        let mut begins = Vec::new();
        for (id, memory) in self.kernel.memories().filter(|(_, memory)| memory.space == Space::Tensor) {
            let Some(element) = self.element(memory)? else { continue };
            let words = self.words(memory.dtype)?;
            let word = match packed(memory.dtype) {
                2 => format!("0x10001u * (unsigned short)({element})"),
                4 => format!("0x1010101u * (unsigned char)({element})"),
                _ if words.memory == "float" => format!("__float_as_uint({element})"),
                _ => format!("(unsigned)({element})"),
            };
            begins.push((self.name(id), super::tensor::width(memory), word));
        }
        if begins.is_empty() {
            return Ok(());
        }
        self.line(format!("if (threadIdx.x < {}) {{", TensorProduct::LANES));
        for (name, columns, word) in begins {
            self.line(format!(
                "  for (int i = 0; i < {columns}; ++i) asm volatile(\"tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {{%1}};\" :: \"r\"({name} + \
                 i + ((t >> 5) << 21)), \"r\"({word}) : \"memory\");"
            ));
        }
        self.line("  asm volatile(\"tcgen05.wait::st.sync.aligned;\" ::: \"memory\");");
        self.line("}");
        self.meet_with_tensor();
        Ok(())
    }

    /// What an array's elements begin as, as memory holds it.
    fn element(&self, memory: &Memory) -> Result<Option<String>, Refusal> {
        let Some(element) = memory.begins.filter(|_| memory.len > 0) else { return Ok(None) };
        let store = self.words(memory.dtype)?.store;
        Ok(Some(format!("{store}({})", literal(element, memory.dtype))))
    }
}
