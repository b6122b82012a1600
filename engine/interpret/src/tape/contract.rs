//! Products that are added: XLA compiles `x * y + z` in float32 to one fused multiply-add wherever the product has no
//! other reader, in jitted functions and in interpreted kernels alike (measured on JAX 0.10.2, CPU). Ops outside any
//! function are never fused, and neither are 16-bit floats, which round at every step. Doing the same keeps the last digit
//! the same.

use super::simplify::Simplified;
use pallas_ir::{Function, Op, OpId, ValueId, ops};
use pallas_tensor::DType;
use pallas_tensor::ops::MultiplyAdd;
use std::collections::{HashMap, HashSet};

/// An addition or subtraction that takes a product in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contraction {
    /// The multiplication, which needs no step of its own.
    pub(super) product: OpId,
    /// Position of the other operand.
    pub(super) addend: usize,
    /// What is computed.
    pub(super) form: MultiplyAdd,
    /// Whether the product is with the reciprocal of its second factor.
    pub(super) divides: bool,
}

/// The contractions of a function, by the op that adds. Their products are marked as skipped.
pub(super) fn contract(
    function: &Function,
    simplified: &mut Simplified,
    reciprocals: &HashSet<OpId>,
) -> HashMap<OpId, Contraction> {
    let mut readers = vec![0u32; function.values.len()];
    for value in function.regions.iter().flat_map(|region| &region.yields) {
        readers[value.0 as usize] += 1;
    }
    for region in &function.regions {
        for &id in &region.ops {
            if !simplified.skipped[id.0 as usize] {
                for (position, operand) in function.op(id).operands.iter().enumerate() {
                    // What is read in its place counts.
                    let operand = simplified.scalars.get(&(id, position)).unwrap_or(operand);
                    readers[operand.0 as usize] += 1;
                }
            }
        }
    }
    let mut found = HashMap::new();
    for region in &function.regions {
        // Products of this region that may still be taken in.
        let mut products: HashMap<ValueId, OpId> = HashMap::new();
        for &id in &region.ops {
            if simplified.skipped[id.0 as usize] {
                continue;
            }
            let op = function.op(id);
            let ([left, right], [result]) = (op.operands.as_slice(), op.results.as_slice()) else {
                continue;
            };
            if function.ty(*result).dtype() != DType::F32 {
                continue;
            }
            if op.op == Op(&ops::MUL) || reciprocals.contains(&id) {
                if readers[result.0 as usize] == 1 {
                    products.insert(*result, id);
                }
                continue;
            }
            let subtracts = op.op == Op(&ops::SUB);
            if !subtracts && op.op != Op(&ops::ADD) {
                continue;
            }
            for (position, operand) in [left, right].into_iter().enumerate() {
                let replaced = simplified.scalars.contains_key(&(id, position));
                let Some(&product) = products.get(operand).filter(|_| !replaced) else {
                    continue;
                };
                let form = match (subtracts, position) {
                    (false, _) => MultiplyAdd::Add,
                    (true, 0) => MultiplyAdd::SubtractAddend,
                    (true, _) => MultiplyAdd::SubtractProduct,
                };
                found.insert(
                    id,
                    Contraction { product, addend: 1 - position, form, divides: reciprocals.contains(&product) },
                );
                simplified.skipped[product.0 as usize] = true;
                products.remove(operand);
                break;
            }
        }
    }
    found
}
