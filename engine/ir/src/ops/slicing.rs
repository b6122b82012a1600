//! Parts of tiles: static and dynamic slices, updates, padding.

use super::bounds;
use super::eval::{Operands, attribute, one, sizes, take};
use super::rule::{self, tuple};
use crate::op::{EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::ops::{self, PadDimension};
use pallas_tensor::{Array, Shape};

/// `x[start:limit:strides]` in every dimension. Attributes: `start`, `limit`, `strides` (empty or absent: all 1).
pub static SLICE: OpDef = OpDef {
    name: "slice",
    doc: "`x[start:limit:strides]` in every dimension",
    attributes: &["start", "limit", "strides"],
    infer: infer_slice,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let start = sizes(context.attributes.ints("start"), "start")?;
            let limit = sizes(context.attributes.ints("limit"), "limit")?;
            let strides = match context.attributes.ints("strides") {
                None | Some([]) => None,
                strides => Some(sizes(strides, "strides")?),
            };
            one(ops::slice(&x, &start, &limit, strides.as_deref()))
        },
        interval: Some(bounds::same),
    },
};

/// A block at a computed place. Operands: `x`, then one integer scalar per dimension. Attribute: `sizes`. Starts are
/// clamped so that the block lies inside; negative ones are *not* counted from the end here (`jax.lax.dynamic_slice`
/// adds the size to them beforehand: the tracer emits that).
pub static DYNAMIC_SLICE: OpDef = OpDef {
    name: "dynamic_slice",
    doc: "The block of `sizes` at the index operands, clamped into the tile; with `rotates`, of a tile beside itself, for a \
          rotation that a machine has as such; operands: x, starts...",
    attributes: &["sizes", "rotates"],
    infer: infer_dynamic_slice,
    kind: OpKind::Pure {
        eval: |context, mut operands| {
            if operands.is_empty() {
                return Err(EvalError::new("takes at least 1 operand"));
            }
            let x = operands.remove(0);
            let starts = starts(&operands)?;
            let sizes = sizes(context.attributes.ints("sizes"), "sizes")?;
            one(ops::dynamic_slice(&x, &starts, &sizes))
        },
        interval: Some(bounds::same),
    },
};

/// Writes a block at a computed place. Operands: `x`, `update`, then one integer scalar per dimension, clamped as in
/// [`DYNAMIC_SLICE`].
pub static DYNAMIC_UPDATE_SLICE: OpDef = OpDef {
    name: "dynamic_update_slice",
    doc: "`x` with `update` written at the index operands, clamped; operands: x, update, starts...",
    attributes: &[],
    infer: infer_dynamic_update_slice,
    kind: OpKind::Pure {
        eval: |_, mut operands: Operands| {
            if operands.len() < 2 {
                return Err(EvalError::new("takes at least 2 operands"));
            }
            let (x, update) = (operands.remove(0), operands.remove(0));
            let starts = starts(&operands)?;
            one(ops::dynamic_update_slice(x, &update, &starts))
        },
        interval: Some(|attributes, operands| bounds::any_of(attributes, &operands[..operands.len().min(2)])),
    },
};

/// Surrounds and spreads. Operands: `x`, `value` (a scalar of its dtype). Attributes: `low`, `high` (negative crops),
/// `interior`, one integer per dimension each.
pub static PAD: OpDef = OpDef {
    name: "pad",
    doc: "Surrounds `x` with `value`: `low` before, `high` after, `interior` between neighbours; operands: x, value",
    attributes: &["low", "high", "interior"],
    infer: infer_pad,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x, value] = take(operands)?;
            let get = |name| attribute(context.attributes.ints(name), name);
            let (low, high, interior) = (get("low")?, get("high")?, get("interior")?);
            let padding: Vec<PadDimension> = low
                .iter()
                .zip(high)
                .zip(interior)
                .map(|((&low, &high), &interior)| PadDimension {
                    low,
                    high,
                    // The type rule has refused negative ones.
                    interior: usize::try_from(interior).unwrap_or(0),
                })
                .collect();
            one(ops::pad(&x, &value, &padding))
        },
        interval: Some(bounds::any_of),
    },
};

/// Index operands as numbers.
fn starts(operands: &[Array]) -> Result<Vec<i64>, EvalError> {
    operands
        .iter()
        .map(|operand| {
            operand
                .item()
                .and_then(|scalar| scalar.as_int())
                // Starts are clamped anyway.
                .map(|value| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
                .ok_or_else(|| EvalError::new("an index operand is not a scalar"))
        })
        .collect()
}

fn infer_slice(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "slice", 1)?;
    let ty = context.tensor(0)?;
    let (shape, rank) = (&ty.shape, ty.shape.rank());
    let get = |name| {
        let values = context.attributes.ints(name);
        values.ok_or_else(|| rule::missing("slice", name))
    };
    let (start, limit) = (get("start")?, get("limit")?);
    let strides = context.attributes.ints("strides").unwrap_or_default();
    if start.len() != rank {
        return Err(InferError::type_error(format!(
            "slice start_indices must have length equal to the number of dimensions of the operand, got indices {} for \
             operand shape {shape}.",
            tuple(start)
        )));
    }
    if limit.len() != rank {
        return Err(InferError::type_error(format!(
            "slice limit_indices must have the same length as start_indices, got start_indices {} and limit_indices {}.",
            tuple(start),
            tuple(limit)
        )));
    }
    if limit.iter().zip(shape).any(|(&limit, &size)| i128::from(limit) > size as i128) {
        return Err(InferError::type_error(format!(
            "slice limit_indices must be less than or equal to operand shape, got limit_indices {} for operand shape \
             {shape}.",
            tuple(limit)
        )));
    }
    if start.iter().any(|&start| start < 0) {
        return Err(InferError::type_error(format!(
            "slice start_indices must have every element be nonnegative, got {}.",
            tuple(start)
        )));
    }
    if limit.iter().zip(start).any(|(limit, start)| limit < start) {
        return Err(InferError::type_error(format!(
            "slice limit_indices must be greater than or equal to start_indices, got start_indices {} and \
             limit_indices {}.",
            tuple(start),
            tuple(limit)
        )));
    }
    if !strides.is_empty() && strides.len() != rank {
        return Err(InferError::type_error(format!(
            "slice strides must have length equal to the number of dimensions of the operand, got strides {} for \
             operand shape {shape}.",
            tuple(strides)
        )));
    }
    if strides.iter().any(|&stride| stride <= 0) {
        return Err(InferError::type_error(format!("slice strides must be positive, got {}", tuple(strides))));
    }
    let result = (0..rank)
        .map(|axis| {
            // Both lie in 0..=size here.
            let length = (limit[axis] - start[axis]) as usize;
            length.div_ceil(strides.get(axis).map_or(1, |&stride| stride as usize))
        })
        .collect();
    Ok(rule::one(TensorType { dtype: ty.dtype, shape: result, weak: ty.weak }))
}

/// Checks that index operands are integer scalars of one dtype.
fn check_indices(name: &str, indices: &[&TensorType], separator: &str) -> Result<(), InferError> {
    if indices.iter().any(|ty| ty.shape.rank() > 0) {
        let types: Vec<String> = indices.iter().map(|ty| rule::aval(ty)).collect();
        return Err(InferError::type_error(format!(
            "start_indices arguments to {name} must be scalars,  got indices ({})",
            types.join(", ")
        )));
    }
    if indices.iter().any(|ty| ty.dtype != indices[0].dtype || !ty.dtype.is_integer()) {
        let dtypes: Vec<&str> = indices.iter().map(|ty| ty.dtype.name()).collect();
        return Err(InferError::type_error(format!(
            "index arguments to {name} must be integers of the same type, got{separator} {}",
            dtypes.join(", ")
        ))
        .with_code("PL304"));
    }
    Ok(())
}

fn infer_dynamic_slice(context: &InferContext<'_>) -> Result<Types, InferError> {
    let operands = rule::tensors(context)?;
    let Some((x, indices)) = operands.split_first() else {
        return rule::count(context, "dynamic_slice", 1).map(|()| Types::new());
    };
    let sizes = rule::sizes(context.attributes, "dynamic_slice", "sizes")?;
    if sizes.len() != x.shape.rank() || indices.len() != x.shape.rank() {
        return Err(InferError::type_error(format!(
            "dynamic_slice start_indices must have length equal to the number of dimensions of the operand, got {} \
             indices and slice_sizes {} for operand shape {}.",
            indices.len(),
            tuple(&sizes),
            x.shape
        )));
    }
    if sizes.iter().zip(&x.shape).any(|(size, whole)| size > whole) {
        return Err(InferError::type_error(format!(
            "slice slice_sizes must be less than or equal to operand shape, got slice_sizes {} for operand shape {}.",
            tuple(&sizes),
            x.shape
        )));
    }
    check_indices("dynamic_slice", indices, ":")?;
    Ok(rule::one(TensorType { dtype: x.dtype, shape: Shape::from(sizes), weak: x.weak }))
}

fn infer_dynamic_update_slice(context: &InferContext<'_>) -> Result<Types, InferError> {
    const NAME: &str = "dynamic_update_slice";
    let operands = rule::tensors(context)?;
    let [x, update, indices @ ..] = operands.as_slice() else {
        return Err(InferError::type_error(format!("{NAME} takes at least 2 operands, got {}", operands.len())));
    };
    if x.shape.rank() != update.shape.rank() {
        return Err(InferError::type_error(format!(
            "{NAME} update must have the same rank as operand, got update shape {} for operand shape {}.",
            update.shape, x.shape
        ))
        .with_code("PL303"));
    }
    if x.shape.rank() != indices.len() {
        return Err(InferError::type_error(format!(
            "{NAME} start_indices must have length equal to the rank of operand, got {} indices for operand shape {}.",
            indices.len(),
            x.shape
        )));
    }
    if update.shape.iter().zip(&x.shape).any(|(part, whole)| part > whole) {
        return Err(InferError::type_error(format!(
            "{NAME} update shape must be smaller than operand shape, got update shape {} for operand shape {}.",
            update.shape, x.shape
        ))
        .with_code("PL303"));
    }
    rule::same_dtypes(NAME, &[x, update])?;
    check_indices(NAME, indices, "")?;
    Ok(rule::one(x.with_dtype(x.dtype)))
}

fn infer_pad(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "pad", 2)?;
    let operands = rule::tensors(context)?;
    let (x, value) = (operands[0], operands[1]);
    let get = |name| {
        let values = context.attributes.ints(name);
        values.ok_or_else(|| rule::missing("pad", name))
    };
    let (low, high, interior) = (get("low")?, get("high")?, get("interior")?);
    let rank = x.shape.rank();
    if value.shape.rank() != 0 {
        return Err(InferError::value_error(format!(
            "padding_value must be a scalar; got np.shape(padding_value)={}",
            value.shape
        )));
    }
    if [low.len(), high.len(), interior.len()] != [rank; 3] {
        return Err(InferError::value_error(format!(
            "length of padding_config must equal the number of axes of operand, got low {}, high {} and interior {} for \
             operand shape {}",
            tuple(low),
            tuple(high),
            tuple(interior),
            x.shape
        )));
    }
    if interior.iter().any(|&between| between < 0) {
        return Err(InferError::value_error(format!(
            "interior padding in padding_config must be nonnegative, got interior {}",
            tuple(interior)
        )));
    }
    let mut shape = Vec::with_capacity(rank);
    for (axis, &size) in x.shape.iter().enumerate() {
        let size = size as i128;
        let spread = size + (size - 1).max(0) * i128::from(interior[axis]);
        let result = spread + i128::from(low[axis]) + i128::from(high[axis]);
        shape.push(usize::try_from(result).map_err(|_| {
            InferError::value_error(format!(
                "Dimension size after padding is not at least 0, got {result} in dimension {axis} for operand shape {}",
                x.shape
            ))
        })?);
    }
    if x.dtype != value.dtype {
        return Err(InferError::type_error(format!(
            "pad operand and padding_value must be same dtype: got {} and {}.",
            x.dtype, value.dtype
        ))
        .with_code("PL304"));
    }
    Ok(rule::one(TensorType { dtype: x.dtype, shape: shape.into(), weak: rule::all_weak(&operands) }))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&SLICE, &DYNAMIC_SLICE, &DYNAMIC_UPDATE_SLICE, &PAD].into_iter()
}
