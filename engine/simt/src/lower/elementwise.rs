//! Functions of single elements: the SIMT IR has the kernel IR's own ops for registers.

use super::context::Lower;
use crate::Refusal;
use crate::ir::Value;
use pallas_ir::{Attributes, Op, OpData, ops};
use pallas_tensor::DType;

/// Ops that are elementwise and not in the tables of unary and binary ones.
const OTHERS: [&str; 6] =
    ["select_n", "clamp", "convert_element_type", "bitcast_convert_type", "reduce_precision", "pow"];

/// Whether an op acts on each element by itself.
pub(crate) fn is_elementwise(op: Op) -> bool {
    ops::is_elementwise_unary(op) || ops::is_elementwise_binary(op) || OTHERS.contains(&op.name)
}

impl Lower<'_> {
    pub(crate) fn lower_elementwise(&mut self, op: &OpData) -> Result<(), Refusal> {
        let result = self.function.ty(op.results[0]).clone();
        let shape = result.shape().to_vec();
        if op.op.name == "bitcast_convert_type" && self.function.ty(op.operands[0]).shape() != result.shape() {
            return self.lower_bitcast(op);
        }
        let mut operands: Vec<Value> = Vec::with_capacity(op.operands.len());
        let layout = self.dealt(op.results[0]);
        for &operand in &op.operands {
            let tile = self.held(operand)?;
            // Limits and choices may be scalars.
            operands.push(self.spread(&tile, &layout, shape.len()));
        }
        // As many as there are: XLA picks the first for everything that is out of range.
        let attributes = Attributes(op.attributes.0.iter().filter(|(name, _)| *name != "weak").cloned().collect());
        let value = match (op.op.name, operands.as_slice()) {
            ("convert_element_type", &[x]) => self.b.convert(x, result.dtype()),
            (_, operands) => match self.folded(op, operands, result.dtype()) {
                Some(value) => value,
                None => self
                    .b
                    .try_scalar(op.op, attributes, operands)
                    .ok_or_else(|| self.refuse_because(op, "does not take these registers"))?,
            },
        };
        self.set_dealt(op.results[0], value, layout);
        Ok(())
    }

    /// Arithmetic on known scalars leaves no instruction behind.
    fn folded(&mut self, op: &OpData, operands: &[Value], dtype: DType) -> Option<Value> {
        let pallas_ir::OpKind::Pure { eval, .. } = &op.op.kind else { return None };
        let regs = self.b.ty(*operands.first()?).regs;
        let arrays: Option<smallvec::SmallVec<[pallas_tensor::Array; 4]>> = operands
            .iter()
            .map(|&value| Some(pallas_tensor::Array::scalar(self.b.ty(value).dtype, self.b.constant_of(value)?)))
            .collect();
        let types = [pallas_ir::Type::Tensor(pallas_ir::TensorType::scalar(dtype))];
        let context = pallas_ir::op::EvalContext { attributes: &op.attributes, results: &types };
        let result = eval(&context, arrays?).ok()?.first()?.item()?;
        Some(self.b.constant(dtype, result, regs))
    }
}
