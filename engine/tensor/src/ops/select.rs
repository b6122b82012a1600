//! Choosing between arrays element by element, and clamping.

use crate::array::{Array, elements_like, reserve};
use crate::buffer::{Element, with_elements};
use crate::deferred::put_off;
use crate::dtype::DType;
use crate::error::OpError;
use crate::ops::binary::{BinaryOp, binary};
use crate::ops::fused::Code;

/// `on_true` where the condition holds, else `on_false`.
///
/// The condition has the shape of the cases or size 1; a case of size 1 meets every element.
///
/// # Errors
/// If the condition is not `bool`, the cases' dtypes differ, or shapes do not fit.
pub fn select(condition: &Array, on_true: &Array, on_false: &Array) -> Result<Array, OpError> {
    const OP: &str = "select";
    if let Some(result) = put_off(&[condition, on_false, on_true], Code::Select, on_true.dtype()) {
        return Ok(result);
    }
    let Some(condition_elements) = condition.elements::<bool>() else {
        return Err(OpError::DType { op: OP, dtype: condition.dtype() });
    };
    if on_true.dtype() != on_false.dtype() {
        return Err(OpError::DTypeMismatch { op: OP, left: on_true.dtype(), right: on_false.dtype() });
    }
    // The result has the shape of whichever operand is not broadcast.
    let shape = [condition, on_true, on_false]
        .into_iter()
        .map(Array::shape)
        .reduce(|widest, shape| {
            let wider = shape.size() != 1 && widest.size() == 1
                || shape.size() == widest.size() && shape.rank() > widest.rank();
            if wider { shape } else { widest }
        })
        .cloned()
        .unwrap_or_default();
    for operand in [condition, on_true, on_false] {
        if operand.size() != 1 && *operand.shape() != shape {
            return Err(OpError::shapes(OP, &shape, operand.shape()));
        }
    }
    if condition.size() == 1 {
        let chosen = if condition_elements[0] { on_true } else { on_false };
        if *chosen.shape() == shape {
            return Ok(chosen.clone());
        }
    }
    let buffer = with_elements!(on_true.buffer(), on_true => {
        let mut result = reserve(&shape)?;
        let on_false = Element::slice(on_false.buffer()).unwrap_or_default();
        let step = |length: usize| usize::from(length != 1);
        let steps = (step(condition.size()), step(on_true.len()), step(on_false.len()));
        if steps == (1, 1, 1) {
            let cases = on_true.iter().zip(on_false);
            let choices = condition_elements.iter().zip(cases);
            result.extend(choices.map(|(&condition, (&yes, &no))| if condition { yes } else { no }));
        } else {
            result.extend((0..shape.size()).map(|index| {
                if condition_elements[index * steps.0] {
                    on_true[index * steps.1]
                } else {
                    on_false[index * steps.2]
                }
            }));
        }
        Element::wrap(result)
    });
    Ok(Array::from_parts(on_true.dtype(), shape, buffer))
}

/// Element by element the case that `which` names, as `lax.select_n`: `bool` between two cases,
/// or `int32` between any number, out of range clamped.
///
/// # Errors
/// For no cases, cases that differ in dtype or shape, a wrong dtype or shape of `which`.
pub fn select_n(which: &Array, cases: &[&Array]) -> Result<Array, OpError> {
    const OP: &str = "select_n";
    let Some((&first, others)) = cases.split_first() else {
        return Err(OpError::argument(OP, "needs at least one case"));
    };
    for &other in others {
        if other.dtype() != first.dtype() {
            return Err(OpError::DTypeMismatch { op: OP, left: first.dtype(), right: other.dtype() });
        }
        if other.shape() != first.shape() {
            return Err(OpError::shapes(OP, first.shape(), other.shape()));
        }
    }
    if which.size() != 1 && which.shape() != first.shape() {
        return Err(OpError::shapes(OP, first.shape(), which.shape()));
    }
    match (which.dtype(), cases) {
        (DType::Bool, [only]) => return Ok((*only).clone()),
        (DType::Bool, [on_false, on_true]) => return select(which, on_true, on_false),
        (DType::I32, _) => {}
        (dtype, _) => return Err(OpError::DType { op: OP, dtype }),
    }
    let which = which.elements::<i32>().unwrap_or_default();
    let last = others.len() as i32;
    let shape = first.shape().clone();
    let buffer = with_elements!(first.buffer(), elements => {
        let mut result = reserve(&shape)?;
        let cases = elements_like(elements, cases);
        let step = usize::from(which.len() != 1);
        result.extend((0..shape.size()).map(|index| {
            cases[which[index * step].clamp(0, last) as usize][index]
        }));
        Element::wrap(result)
    });
    Ok(Array::from_parts(first.dtype(), shape, buffer))
}

/// `min(max(low, x), high)`, NaN kept, as `lax.clamp`; the limits have x's shape or size 1.
///
/// # Errors
/// As [`binary`].
pub fn clamp(low: &Array, x: Array, high: &Array) -> Result<Array, OpError> {
    for limit in [low, high] {
        if limit.size() != 1 && limit.shape() != x.shape() {
            return Err(OpError::shapes("clamp", x.shape(), limit.shape()));
        }
    }
    let shape = x.shape().clone();
    let raised = binary(BinaryOp::Max, x, low.clone())?;
    let clamped = binary(BinaryOp::Min, raised, high.clone())?;
    // A limit of size 1 and higher rank must not lend its rank.
    crate::ops::reshape(&clamped, shape)
}
