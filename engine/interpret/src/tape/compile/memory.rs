//! Loads, stores and views as steps: that operands fit their subscript, which is prepared.

use super::Compiler;
use crate::access::Access;
use crate::error::RunError;
use crate::tape::{Action, Masking};
use pallas_ir::function::OpData;
use pallas_ir::op::MemoryOp;
use pallas_ir::{IndexOperand, MemorySpace, Type};
use pallas_tensor::Shape;
use pallas_tensor::ops::BinaryOp;

impl Compiler<'_> {
    pub(super) fn memory(&self, op: &OpData, kind: MemoryOp) -> Result<Action, RunError> {
        if kind == MemoryOp::Reinterpret {
            return match (op.operands.as_slice(), op.results.first().map(|&result| self.function.ty(result))) {
                ([reference], Some(Type::Ref(ty))) if !self.is_tile(*reference) => {
                    let permutation = op.attributes.ints("permutation");
                    let permutation = permutation.map(|axes| axes.iter().map(|&axis| axis as usize).collect());
                    Ok(Action::Reinterpret(Box::new(ty.clone()), permutation))
                }
                _ => Err(RunError::malformed("a Ref that is to be reinterpreted is missing")),
            };
        }
        let (Some(pattern), Some(&reference)) = (op.attributes.index(), op.operands.first()) else {
            return Err(RunError::malformed("an access has no subscript"));
        };
        let writes = matches!(kind, MemoryOp::Store | MemoryOp::Swap | MemoryOp::Atomic);
        let masking = Masking { mask: op.attributes.flag("masked"), other: op.attributes.flag("other") };
        let first = 1 + usize::from(writes);
        let count = pattern.operand_count();
        let expected = first + count + usize::from(masking.mask) + usize::from(masking.other);
        if op.operands.len() != expected
            || self.is_tile(reference)
            || !op.operands[1..].iter().all(|&value| self.is_tile(value))
        {
            return Err(RunError::malformed(format!("the operands of {} do not fit its subscript", op.op.name)));
        }
        let arrays: Vec<&Shape> = pattern
            .operands()
            .zip(&op.operands[first..first + count])
            .filter(|(kind, _)| *kind == IndexOperand::Array)
            .map(|(_, &operand)| self.function.ty(operand).shape())
            .collect();
        let index_shape =
            Shape::broadcast(&arrays).ok_or_else(|| RunError::malformed("index arrays do not broadcast"))?;
        let padded = op.attributes.flag("padded");
        let mut access = Box::new(Access::new(pattern, self.function.ty(reference).shape(), index_shape, padded));
        let space = self.function.ty(reference).as_ref_type().map(|ty| ty.space);
        access.overhangs = space == Some(MemorySpace::Gmem);
        // Refs of a kernel's own tape stay what they are while programs run one after the other.
        let fixed = self.fusion.runs_alone && self.function.params().contains(&reference);
        access.stays = kind == MemoryOp::View && fixed && op.operands.len() == 1;
        Ok(match kind {
            MemoryOp::Load => Action::Load(access, masking),
            MemoryOp::Store => Action::Store(access, masking),
            MemoryOp::Swap => Action::Swap(access, masking),
            MemoryOp::View | MemoryOp::Reinterpret => Action::View(access),
            MemoryOp::Atomic => Action::Atomic {
                access,
                masking,
                combine: match op.attributes.str("combine") {
                    Some("add") => Some(BinaryOp::Add),
                    Some("max") => Some(BinaryOp::Max),
                    Some("min") => Some(BinaryOp::Min),
                    Some("and") => Some(BinaryOp::And),
                    Some("or") => Some(BinaryOp::Or),
                    Some("xor") => Some(BinaryOp::Xor),
                    Some("xchg") => None,
                    _ => return Err(RunError::malformed("an atomic op says not what it does")),
                },
                accumulates: op.attributes.flag("accumulate"),
            },
        })
    }
}
