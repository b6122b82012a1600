//! Values on their way into an array: converted, checked and broadcast to what a subscript selects.

use super::NdArray;
use super::array::op_error;
use super::operators::python_int;
use crate::context::Context;
use crate::jnp::call;
use crate::jnp::creation::array_from;
use crate::tile::Tile;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Shape};

/// What numpy says of too many values for a subscript with arrays: other words than for a slice.
pub(super) fn check_count(cx: &Context<'_>, key: &Value, values: &Value, shape: &Shape) -> PyResult<()> {
    let Some(tile) = call::try_operand(cx, values)? else { return Ok(()) };
    let given = tile.shape();
    let fits = given.len() <= shape.len()
        && given.iter().rev().zip(shape.iter().rev()).all(|(&given, &wanted)| given == 1 || given == wanted);
    let leading = given.len().saturating_sub(shape.len());
    if fits || (leading > 0 && given[..leading].iter().all(|&extent| extent == 1)) {
        return Ok(());
    }
    let is_mask = key.downcast::<NdArray>().is_some_and(|mask| mask.dtype() == DType::Bool);
    let text = |shape: &Shape| shape.to_string().replace(", ", ",");
    Err(cx.interp.value_error(if is_mask && given.len() == 1 && shape.len() == 1 {
        format!(
            "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where the \
             mask is true",
            given[0], shape[0]
        )
    } else {
        format!(
            "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
            text(given),
            text(shape)
        )
    }))
}

/// Values converted to a dtype and broadcast to a shape; `None` where analysis does not know them.
///
/// # Errors
/// `ValueError: could not broadcast input array from shape (2,) into shape (3,)`; conversions that fail.
pub(super) fn values_for(cx: &Context<'_>, values: &Value, shape: &Shape, dtype: DType) -> PyResult<Option<Array>> {
    if call::find_unknown(values, 4).is_some() {
        return Ok(None);
    }
    let tile = match values {
        Value::Int(value) if dtype.is_integer() => python_int(cx, value, dtype)?,
        values => array_from(cx, values, None)?,
    };
    // A nested list may not be deeper than what it is written to; an array may, by dimensions of extent 1.
    let nested = shape.rank() == 0 || matches!(values, Value::List(_) | Value::Tuple(_));
    if nested && tile.rank() > shape.rank() {
        return Err(cx.interp.value_error(match shape.rank() {
            0 => "setting an array element with a sequence.".to_string(),
            rank => format!(
                "setting an array element with a sequence. The requested array would exceed the maximum number of \
                 dimension of {rank}."
            ),
        }));
    }
    // Leading dimensions of extent 1 fall away: `a[:] = [[1, 2]]`.
    let surplus = tile.rank().saturating_sub(shape.rank());
    let fits = tile.shape()[..surplus].iter().all(|&extent| extent == 1)
        && tile.shape()[surplus..]
            .iter()
            .rev()
            .zip(shape.iter().rev())
            .all(|(&given, &wanted)| given == 1 || given == wanted);
    if !fits {
        let text = |shape: &Shape| shape.to_string().replace(", ", ",");
        return Err(cx.interp.value_error(format!(
            "could not broadcast input array from shape {} into shape {}",
            text(tile.shape()),
            text(shape)
        )));
    }
    let Tile::Concrete { array, .. } = tile else { return Ok(None) };
    let array = pallas_tensor::ops::convert(&array, dtype).map_err(|error| op_error(cx, &error))?;
    let kept = Shape::from(&array.shape()[surplus..]);
    let dims: Vec<usize> = (shape.rank() - kept.rank()..shape.rank()).collect();
    pallas_tensor::ops::reshape(&array, kept)
        .and_then(|array| pallas_tensor::ops::broadcast_in_dim(&array, shape.clone(), &dims))
        .map(Some)
        .map_err(|error| op_error(cx, &error))
}
