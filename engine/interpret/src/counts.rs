//! Outputs of integers that programs only add to: what several threads have added can be added up afterwards, as sums of
//! integers do not depend on an order.

use pallas_ir::op::{ControlOp, MemoryOp};
use pallas_ir::{Function, OpId, OpKind, RegionId, Type, ValueId};
use pallas_tensor::Scalar;

/// The axis of the grid that an output's Ref is counted along: every program adds something to it that does not depend on it,
/// and only those that are first on the axis may set it to something else.
pub(crate) fn counted(function: &Function, reference: ValueId) -> Option<usize> {
    let Type::Ref(ty) = function.ty(reference) else { return None };
    if !ty.dtype.is_integer() || ty.dtype.bits() < 8 {
        return None;
    }
    let yielded = |value: ValueId| function.regions.iter().any(|region| region.yields.contains(&value));
    if yielded(reference) {
        return None;
    }
    let users = |value: ValueId| -> Vec<(OpId, usize)> {
        let operands = |(number, op): (usize, &pallas_ir::function::OpData)| {
            let positions = op.operands.iter().enumerate().filter(move |&(_, &operand)| operand == value);
            positions.map(move |(position, _)| (OpId(number as u32), position)).collect::<Vec<_>>()
        };
        function.ops.iter().enumerate().flat_map(operands).collect()
    };
    let mut axis = None;
    let mut sums = Vec::new();
    let mut stores = Vec::new();
    for (id, position) in users(reference) {
        let op = function.op(id);
        let full = op.attributes.index().is_some_and(|index| index.is_full(&ty.shape));
        if position != 0 || !full || ["masked", "other", "padded"].iter().any(|flag| op.attributes.flag(flag)) {
            return None;
        }
        match op.op.kind {
            OpKind::Memory(MemoryOp::Load) => {
                // What is read goes into a sum, once, and nowhere else.
                let &[value] = op.results.as_slice() else { return None };
                let [(sum, _)] = users(value)[..] else { return None };
                if function.op(sum).op.name != "add" || yielded(value) {
                    return None;
                }
                let &[result] = function.op(sum).results.as_slice() else { return None };
                // It is stored at the end, if at all, and nowhere else.
                let back = |&(id, position): &(OpId, usize)| {
                    let store = function.op(id);
                    position == 1
                        && matches!(store.op.kind, OpKind::Memory(MemoryOp::Store))
                        && store.operands.first() == Some(&reference)
                };
                if yielded(result) || !users(result).iter().all(back) {
                    return None;
                }
                sums.push(result);
            }
            OpKind::Memory(MemoryOp::Store) => stores.push(id),
            _ => return None,
        }
    }
    for id in stores {
        let &value = function.op(id).operands.get(1)?;
        if sums.contains(&value) {
            continue;
        }
        let first = first_on(function, region_of(function, id)?)?;
        if axis.is_some_and(|axis| axis != first) {
            return None;
        }
        axis = Some(first);
    }
    axis.filter(|_| !sums.is_empty())
}

fn region_of(function: &Function, id: OpId) -> Option<RegionId> {
    let place = function.regions.iter().position(|region| region.ops.contains(&id))?;
    Some(RegionId(place as u32))
}

/// The axis whose first programs run a region: the second branch of a condition that the program's number is 0.
fn first_on(function: &Function, region: RegionId) -> Option<usize> {
    let cond = function.ops.iter().find(|op| op.regions.get(1) == Some(&region))?;
    if !matches!(cond.op.kind, OpKind::Control(ControlOp::Cond)) || cond.regions.len() != 2 {
        return None;
    }
    let of = |value: ValueId| function.ops.iter().find(|op| op.results.as_slice() == [value]);
    let mut test = of(*cond.operands.first()?)?;
    if test.op.name == "convert_element_type" {
        test = of(*test.operands.first()?)?;
    }
    let &[left, right] = test.operands.as_slice() else { return None };
    let (number, zero) = (of(left)?, of(right)?);
    let is_zero = zero.op.name == "constant"
        && zero.attributes.array("value").and_then(|value| value.item()).and_then(Scalar::as_int) == Some(0);
    if test.op.name != "eq" || number.op.name != "program_id" || !is_zero {
        return None;
    }
    usize::try_from(number.attributes.int("axis")?).ok()
}
