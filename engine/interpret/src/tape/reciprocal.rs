//! Divisions that XLA turns into multiplications: in float32, `x / y` with `y` a constant or broadcast is `x * (1 / y)`,
//! since one reciprocal serves many elements (measured on JAX 0.10.2, CPU; 16-bit floats divide). Doing the same keeps the
//! last digit the same.

use pallas_ir::{Function, Op, OpId, ValueId, ops};
use pallas_tensor::DType;
use std::collections::HashSet;

/// The divisions of a function whose divisor is a constant or broadcast.
pub(super) fn reciprocals(function: &Function) -> HashSet<OpId> {
    let mut copied: HashSet<ValueId> = HashSet::new();
    for op in &function.ops {
        let constant = op.op == Op(&ops::CONSTANT);
        let broadcast = op.op == Op(&ops::BROADCAST_IN_DIM)
            && matches!((op.operands.as_slice(), op.results.as_slice()), ([from], [to])
                if function.ty(*from).shape().size() != function.ty(*to).shape().size());
        if constant || broadcast {
            copied.extend(op.results.iter().copied());
        }
    }
    let divides = |id: &OpId| {
        let op = function.op(*id);
        matches!((op.operands.as_slice(), op.results.as_slice()), ([_, divisor], [result])
            if op.op == Op(&ops::DIV) && function.ty(*result).dtype() == DType::F32 && copied.contains(divisor))
    };
    (0..function.ops.len() as u32).map(OpId).filter(divides).collect()
}
