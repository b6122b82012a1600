//! How much memory the tiles of a kernel take at once, about: those in registers, and those that Refs hold. What operations need beside
//! their operands and results is not in it.

use super::{Action, Block, FusedEnd, Register, Source, Step};
use pallas_ir::{Function, Type, ValueId};
use std::collections::{HashMap, HashSet};

/// The most bytes that the tiles of a block take at once.
pub(super) fn room(function: &Function, block: &Block) -> usize {
    let mut room = Room { function, held: HashMap::new(), copied: HashSet::new(), now: 0, most: 0 };
    room.block(block);
    room.most
}

struct Room<'a> {
    function: &'a Function,
    /// Bytes of the tiles in registers.
    held: HashMap<Register, usize>,
    /// Refs whose block was copied, or replaced.
    copied: HashSet<Register>,
    now: usize,
    most: usize,
}

impl Room<'_> {
    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        let reference = step.operands.first().map(|source| source.register);
        let mut gives = true;
        match &step.action {
            // What it reads stays where it is.
            Action::Window(_) | Action::View(_) | Action::Number(_) | Action::Element(_) | Action::Reinterpret(..) => {
                gives = false;
            }
            Action::Load(access, _) => {
                self.copies(reference);
                // All of a block is the copy itself.
                gives = !access.is_full();
            }
            Action::Store(..) | Action::Swap(..) | Action::Atomic { .. } => self.copies(reference),
            Action::Fused(fused) if matches!(fused.end, FusedEnd::Store(_)) => self.copies(reference),
            Action::Product(product) if product.onto.is_some() => self.copies(reference),
            Action::For(body) | Action::Scoped(body, _) => self.block(body),
            Action::While { condition, body } => {
                self.block(condition);
                self.block(body);
            }
            Action::Cond(branches) => branches.iter().for_each(|branch| self.block(branch)),
            Action::Pipeline(pipeline) => self.block(&pipeline.body),
            _ => {}
        }
        if gives {
            step.results.iter().for_each(|&result| self.holds(result));
        }
        step.operands.iter().for_each(|&source| self.ends(source));
        for &register in &step.drops {
            self.now = self.now.saturating_sub(self.held.remove(&register).unwrap_or(0));
        }
    }

    fn ends(&mut self, source: Source) {
        if source.last_use {
            self.now = self.now.saturating_sub(self.held.remove(&source.register).unwrap_or(0));
        }
    }

    fn holds(&mut self, register: Register) {
        let bytes = self.bytes(register);
        if self.held.insert(register, bytes).is_none() {
            self.adds(bytes);
        }
    }

    fn copies(&mut self, reference: Option<Register>) {
        if let Some(reference) = reference
            && self.copied.insert(reference)
        {
            self.adds(self.bytes(reference));
        }
    }

    fn adds(&mut self, bytes: usize) {
        self.now = self.now.saturating_add(bytes);
        self.most = self.most.max(self.now);
    }

    fn bytes(&self, register: Register) -> usize {
        let (dtype, shape) = match self.function.ty(ValueId(register)) {
            Type::Tensor(ty) => (ty.dtype, &ty.shape),
            Type::Ref(ty) => (ty.dtype, &ty.shape),
        };
        shape.size().saturating_mul(dtype.size_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tape;
    use pallas_ir::text::parse_function;

    fn tiles(body: &str) -> usize {
        let text = format!("func @f(%x: ref<f32[256,256]>, %o: ref<f32[256,256]>) {{\n{body}\n}}");
        let tape = Tape::both(&parse_function(&text).expect("well written")).expect("well formed");
        assert_eq!(tape.room % (256 * 256 * 4), 0);
        tape.room / (256 * 256 * 4)
    }

    #[test]
    fn tiles_count_from_their_op_to_their_last_reader() {
        // The chain reads the block where it lies, and is computed where the result belongs.
        let chain = "%0 = load %x[:, :] : f32[256,256]\n%1 = neg %0 : f32[256,256]\nstore %o[:, :], %1";
        assert_eq!(tiles(chain), 1);
        // A copy of the block, what it is turned into, and the block that is stored.
        let turned = "%0 = load %x[:, :] : f32[256,256]\n%1 = transpose %0 permutation=[1, 0] : f32[256,256]
          store %o[:, :], %1";
        assert_eq!(tiles(turned), 3);
        let twice = "%0 = load %x[:, :] : f32[256,256]\n%1 = transpose %0 permutation=[1, 0] : f32[256,256]
          %2 = transpose %1 permutation=[1, 0] : f32[256,256]\n%3 = transpose %2 permutation=[1, 0] : f32[256,256]
          store %o[:, :], %3";
        assert_eq!(tiles(twice), 3, "one goes before the next but one comes");
    }
}
