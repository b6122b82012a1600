//! Outputs that a kernel has in main memory and does nothing to but copy tiles there: threads may keep what their programs
//! copy, and it is put together in the end ([`crate::journal`]). Read off the kernel, with the axes of the grid along which
//! programs are likely to copy to other places; whether they do is seen when they have.

use pallas_ir::op::{MemoryOp, ProgramOp};
use pallas_ir::{CopyOp, Function, Launch, OpKind, RegionId, Role, Type, ValueId};
use std::collections::HashMap;

/// Axes of the grid, a bit for each.
type Axes = u64;

/// For each output whether it is only copied to, and along which axes places are likely to differ.
pub(crate) fn copied_outputs(launch: &Launch) -> Vec<Option<Axes>> {
    let function = &launch.kernel;
    let mut finder = Finder { function, depends: HashMap::new(), parts: HashMap::new(), outputs: Vec::new() };
    for (operand, &param) in launch.operands.iter().zip(function.params()) {
        if operand.role == Role::Output {
            finder.parts.insert(param, (finder.outputs.len(), 0));
            let whole = operand.index_map.is_none() && operand.block_shape() == operand.array.shape[..];
            finder.outputs.push(whole.then_some(Uses::default()));
        }
    }
    finder.region(function.body);
    finder.outputs.into_iter().map(|uses| uses.filter(|uses| uses.copied).map(|uses| uses.axes)).collect()
}

/// How an output is used.
#[derive(Clone, Copy)]
struct Uses {
    copied: bool,
    /// The axes that each place depends on.
    axes: Axes,
}

impl Default for Uses {
    fn default() -> Uses {
        Uses { copied: false, axes: Axes::MAX }
    }
}

struct Finder<'a> {
    function: &'a Function,
    /// The axes that values depend on.
    depends: HashMap<ValueId, Axes>,
    /// Refs that are an output or part of one: which, and the axes that its place depends on.
    parts: HashMap<ValueId, (usize, Axes)>,
    /// Nothing of those that are used in another way.
    outputs: Vec<Option<Uses>>,
}

impl Finder<'_> {
    fn region(&mut self, region: RegionId) {
        let data = self.function.region(region);
        for &id in &data.ops {
            let op = self.function.op(id);
            let (mut own, mut copy) = (None, None);
            match op.op.kind {
                OpKind::Program(ProgramOp::ProgramId) => {
                    let axis = op.attributes.int("axis").and_then(|axis| u32::try_from(axis).ok());
                    own = axis.and_then(|axis| 1u64.checked_shl(axis));
                }
                OpKind::Pure { .. } => own = Some(self.of(&op.operands)),
                OpKind::Memory(MemoryOp::View) => {
                    if let (Some(&(output, axes)), [result]) =
                        (op.operands.first().and_then(|base| self.parts.get(base)), op.results.as_slice())
                    {
                        let axes = axes | self.of(&op.operands[1..]);
                        self.parts.insert(*result, (output, axes));
                        continue;
                    }
                }
                OpKind::Copy(kind) if !op.attributes.flag("add") && !op.attributes.flag("remote") => {
                    copy = Some(kind);
                }
                _ => {}
            }
            if let Some(axes) = own {
                self.depends.extend(op.results.iter().map(|&result| (result, axes)));
            }
            for (position, operand) in op.operands.iter().enumerate() {
                let Some(&(output, axes)) = self.parts.get(operand) else { continue };
                match (copy.filter(|_| position == 1), &mut self.outputs[output]) {
                    (Some(CopyOp::Start), Some(uses)) => *uses = Uses { copied: true, axes: uses.axes & axes },
                    (Some(CopyOp::Wait), Some(_)) => {}
                    (_, uses) => *uses = None,
                }
            }
            op.regions.iter().for_each(|&region| self.region(region));
        }
        for value in &data.yields {
            if let Some(&(output, _)) = self.parts.get(value) {
                self.outputs[output] = None;
            }
        }
    }

    fn of(&self, values: &[ValueId]) -> Axes {
        let known = values.iter().filter(|&&value| matches!(self.function.ty(value), Type::Tensor(_)));
        known.fold(0, |axes, value| axes | self.depends.get(value).copied().unwrap_or(0))
    }
}
