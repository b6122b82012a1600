//! Tiles from nothing, and moves of whole tiles: constants, iota, broadcast, reshape, transpose, squeeze, reverse,
//! concatenate.

use super::bounds;
use super::eval::{attribute, one, sizes, take};
use super::rule::{self, tuple};
use crate::op::{EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::{Array, Shape, ops};

/// A known value. No operands. Attributes: `value`, an array; `weak` (default false). Printed as
/// `%c = constant 1.5 : f32[]`.
pub static CONSTANT: OpDef = OpDef {
    name: "constant",
    doc: "The array `value`",
    attributes: &["value", "weak"],
    infer: |context| {
        rule::count(context, "constant", 0)?;
        let value = context.attributes.array("value").ok_or_else(|| rule::missing("constant", "value"))?;
        Ok(rule::one(TensorType {
            dtype: value.dtype(),
            shape: value.shape().clone(),
            weak: context.attributes.flag("weak"),
        }))
    },
    kind: OpKind::Pure {
        eval: |context, _| Ok(smallvec::smallvec![attribute(context.attributes.array("value"), "value")?.clone()]),
        interval: Some(bounds::constant),
    },
};

/// Each element its index along `axis`. No operands. Attributes: `dtype` (a number), `shape`, `axis`.
pub static IOTA: OpDef = OpDef {
    name: "iota",
    doc: "Each element its index along `axis`",
    attributes: &["dtype", "shape", "axis"],
    infer: infer_iota,
    kind: OpKind::Pure {
        eval: |context, _| {
            let dtype = attribute(context.attributes.dtype("dtype"), "dtype")?;
            let shape = sizes(context.attributes.ints("shape"), "shape")?;
            let axis = attribute(context.attributes.int("axis"), "axis")?;
            let axis = usize::try_from(axis).map_err(|_| EvalError::new(format!("axis {axis} is negative")))?;
            one(Array::iota(dtype, shape.as_slice(), axis))
        },
        interval: Some(bounds::iota),
    },
};

/// The position of the device among `size` along a named axis: known where a kernel runs, not where it is traced. Where the
/// name of the `axis` is given, mapping the launch over that axis puts the number in its place.
pub static AXIS_INDEX: OpDef = OpDef {
    name: "axis_index",
    doc: "The position of the device along an axis of `size` devices",
    attributes: &["size", "axis"],
    infer: |context| {
        rule::count(context, "axis_index", 0)?;
        Ok(rule::one(TensorType::scalar(pallas_tensor::DType::I32)))
    },
    kind: OpKind::Pure {
        eval: |_, _| Err(EvalError::new("which device a kernel runs on is not provided by the workbench yet")),
        interval: Some(bounds::device),
    },
};

/// Copies along new or stretched dimensions. Attributes: `shape`, the result's; `dims`, for each dimension of the
/// operand the dimension of the result that it becomes, increasing.
pub static BROADCAST_IN_DIM: OpDef = OpDef {
    name: "broadcast_in_dim",
    doc: "Copies along new or stretched dimensions; operand dimension i becomes result dimension `dims[i]`",
    attributes: &["shape", "dims"],
    infer: infer_broadcast,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let shape = sizes(context.attributes.ints("shape"), "shape")?;
            let dims = sizes(context.attributes.ints("dims"), "dims")?;
            one(ops::broadcast_in_dim(&x, shape.as_slice(), &dims))
        },
        interval: Some(bounds::same),
    },
};

/// The same elements in row-major order under another shape. Attribute: `shape`.
pub static RESHAPE: OpDef = OpDef {
    name: "reshape",
    doc: "The same elements in row-major order under another shape",
    attributes: &["shape"],
    infer: infer_reshape,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let shape = sizes(context.attributes.ints("shape"), "shape")?;
            one(ops::reshape(&x, shape.as_slice()))
        },
        interval: Some(bounds::same),
    },
};

/// Permutes dimensions. Attribute: `permutation`; result dimension `i` is operand dimension `permutation[i]`.
pub static TRANSPOSE: OpDef = OpDef {
    name: "transpose",
    doc: "Permutes dimensions",
    attributes: &["permutation"],
    infer: infer_transpose,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let permutation = sizes(context.attributes.ints("permutation"), "permutation")?;
            one(ops::transpose(&x, &permutation))
        },
        interval: Some(bounds::same),
    },
};

/// Takes dimensions of size 1 away. Attribute: `axes`.
pub static SQUEEZE: OpDef = OpDef {
    name: "squeeze",
    doc: "Takes dimensions of size 1 away",
    attributes: &["axes"],
    infer: infer_squeeze,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let axes = sizes(context.attributes.ints("axes"), "axes")?;
            let shape = x.shape().without_axes(&axes);
            one(ops::reshape(&x, shape))
        },
        interval: Some(bounds::same),
    },
};

/// Reverses the order of elements. Attribute: `axes`.
pub static REV: OpDef = OpDef {
    name: "rev",
    doc: "Reverses the order of elements along `axes`",
    attributes: &["axes"],
    infer: infer_rev,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let [x] = take(operands)?;
            let axes = sizes(context.attributes.ints("axes"), "axes")?;
            one(ops::reverse(&x, &axes))
        },
        interval: Some(bounds::same),
    },
};

/// Joins tiles. Operands: one or more of equal dtype and rank. Attribute: `axis`.
pub static CONCATENATE: OpDef = OpDef {
    name: "concatenate",
    doc: "Joins tiles along `axis`",
    attributes: &["axis"],
    infer: infer_concatenate,
    kind: OpKind::Pure {
        eval: |context, operands| {
            let axis = attribute(context.attributes.int("axis"), "axis")?;
            let axis = usize::try_from(axis).map_err(|_| EvalError::new(format!("axis {axis} is negative")))?;
            let operands: Vec<&Array> = operands.iter().collect();
            one(ops::concatenate(&operands, axis))
        },
        interval: Some(bounds::any_of),
    },
};

fn infer_iota(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "iota", 0)?;
    let dtype = context.attributes.dtype("dtype").ok_or_else(|| rule::missing("iota", "dtype"))?;
    let shape = rule::sizes(context.attributes, "iota", "shape")?;
    if !(rule::NUMBER.test)(dtype) {
        return Err(InferError::type_error(format!(
            "iota does not accept dtype {dtype}. Accepted dtypes are subtypes of {}.",
            rule::NUMBER.names
        ))
        .with_code("PL304"));
    }
    let axis = context.attributes.int("axis").ok_or_else(|| rule::missing("iota", "axis"))?;
    if usize::try_from(axis).is_ok_and(|axis| axis < shape.len()) {
        return Ok(rule::one(TensorType::new(dtype, shape)));
    }
    Err(InferError::value_error(format!(
        "iota dimension must be between 0 and len(shape), got dimension={axis} for shape={}",
        tuple(&shape)
    )))
}

fn infer_broadcast(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "broadcast_in_dim", 1)?;
    let ty = context.tensor(0)?;
    let shape = Shape::from(rule::sizes(context.attributes, "broadcast_in_dim", "shape")?);
    let dims = rule::sizes(context.attributes, "broadcast_in_dim", "dims")?;
    let rank = ty.shape.rank();
    if dims.len() != rank {
        return Err(InferError::type_error(format!(
            "broadcast_in_dim broadcast_dimensions must have length equal to operand ndim; got broadcast_dimensions {} \
             for operand ndim {rank}.",
            tuple(&dims)
        )));
    }
    if shape.rank() < rank {
        return Err(InferError::type_error(format!(
            "broadcast_in_dim target broadcast shape must have equal or higher rank to the operand shape; got operand \
             ndim {rank} and target broadcast ndim {}.",
            shape.rank()
        )));
    }
    if dims.iter().any(|&dim| dim >= shape.rank()) {
        return Err(InferError::type_error(format!(
            "broadcast_in_dim broadcast_dimensions must be a subset of output dimensions, got {} for operand ndim \
             {rank} and shape {shape}.",
            tuple(&dims)
        )));
    }
    let fits = ty.shape.iter().zip(&dims).all(|(&size, &dim)| size == 1 || size == shape[dim]);
    if !fits {
        return Err(InferError::type_error(format!(
            "broadcast_in_dim operand dimension sizes must either be 1, or be equal to their corresponding dimensions \
             in the target broadcast shape; got operand of shape {}, target broadcast shape {shape}, \
             broadcast_dimensions {} ",
            ty.shape,
            tuple(&dims)
        ))
        .with_code("PL303"));
    }
    if !dims.is_sorted_by(|a, b| a < b) {
        return Err(InferError::type_error(format!(
            "broadcast_in_dim broadcast_dimensions must be strictly increasing, got {}.",
            tuple(&dims)
        )));
    }
    Ok(rule::one(TensorType { dtype: ty.dtype, shape, weak: ty.weak }))
}

fn infer_reshape(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "reshape", 1)?;
    let ty = context.tensor(0)?;
    let shape = Shape::from(rule::sizes(context.attributes, "reshape", "shape")?);
    if shape.checked_size() != ty.shape.checked_size() {
        return Err(InferError::type_error(format!(
            "cannot reshape array of shape {} (size {}) into shape {shape} (size {})",
            ty.shape,
            ty.shape.size(),
            shape.size()
        ))
        .with_code("PL303"));
    }
    Ok(rule::one(TensorType { dtype: ty.dtype, shape, weak: ty.weak }))
}

fn infer_transpose(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "transpose", 1)?;
    let ty = context.tensor(0)?;
    let permutation = rule::sizes(context.attributes, "transpose", "permutation")?;
    if permutation.len() != ty.shape.rank() || !rule::are_axes(&permutation, ty.shape.rank()) {
        return Err(InferError::type_error(format!(
            "transpose permutation isn't a permutation of operand dimensions, got permutation {} for operand shape {}.",
            tuple(&permutation),
            ty.shape
        )));
    }
    Ok(rule::one(TensorType {
        dtype: ty.dtype,
        shape: permutation.iter().map(|&axis| ty.shape[axis]).collect(),
        weak: ty.weak,
    }))
}

fn infer_squeeze(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "squeeze", 1)?;
    let ty = context.tensor(0)?;
    let axes = rule::sizes(context.attributes, "squeeze", "axes")?;
    if !rule::are_distinct(&axes) {
        return Err(InferError::value_error(format!("dimensions are not unique: {}", tuple(&axes))));
    }
    if !rule::are_axes(&axes, ty.shape.rank()) {
        return Err(InferError::value_error(format!("dimensions outside range [0, ndim): {}", tuple(&axes))));
    }
    if axes.iter().any(|&axis| ty.shape[axis] != 1) {
        return Err(InferError::value_error(format!(
            "cannot select an axis to squeeze out which has size not equal to one, got shape={} and dimensions={}",
            ty.shape,
            tuple(&axes)
        )));
    }
    Ok(rule::one(TensorType { dtype: ty.dtype, shape: ty.shape.without_axes(&axes), weak: ty.weak }))
}

fn infer_rev(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "rev", 1)?;
    let ty = context.tensor(0)?;
    let axes = rule::sizes(context.attributes, "rev", "axes")?;
    if !rule::are_distinct(&axes) {
        return Err(InferError::type_error(format!("rev dimensions must be unique, got {}.", tuple(&axes))));
    }
    if !rule::are_axes(&axes, ty.shape.rank()) {
        return Err(InferError::type_error(format!(
            "rev dimensions must all be less than operand ndim, got dimensions {} for operand ndim {}.",
            tuple(&axes),
            ty.shape.rank()
        )));
    }
    Ok(rule::one(ty.clone()))
}

fn infer_concatenate(context: &InferContext<'_>) -> Result<Types, InferError> {
    let operands = rule::tensors(context)?;
    let Some((first, rest)) = operands.split_first() else {
        return Err(InferError::type_error("concatenate expects at least one operand, got 0."));
    };
    let shapes = || {
        let shapes: Vec<String> = operands.iter().map(|ty| ty.shape.to_string()).collect();
        shapes.join(", ")
    };
    if rest.iter().any(|ty| ty.shape.rank() != first.shape.rank()) {
        return Err(InferError::type_error(format!(
            "Cannot concatenate arrays with different numbers of dimensions: got {}.",
            shapes()
        ))
        .with_code("PL303"));
    }
    let axis = context.attributes.int("axis").ok_or_else(|| rule::missing("concatenate", "axis"))?;
    let Some(axis) = usize::try_from(axis).ok().filter(|&a| a < first.shape.rank()) else {
        return Err(InferError::type_error(format!(
            "concatenate dimension out of bounds: dimension {axis} for shapes {}.",
            shapes()
        )));
    };
    let others = |ty: &TensorType| ty.shape.without_axes(&[axis]);
    if rest.iter().any(|ty| others(ty) != others(first)) {
        return Err(InferError::type_error(format!(
            "Cannot concatenate arrays with shapes that differ in dimensions other than the one being concatenated: \
             concatenating along dimension {axis} for shapes {}.",
            shapes()
        ))
        .with_code("PL303"));
    }
    rule::same_dtypes("concatenate", &operands)?;
    let mut shape = first.shape.clone();
    shape[axis] = operands.iter().fold(0, |total: usize, ty| total.saturating_add(ty.shape[axis]));
    Ok(rule::one(TensorType { dtype: first.dtype, shape, weak: rule::all_weak(&operands) }))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&CONSTANT, &IOTA, &AXIS_INDEX, &BROADCAST_IN_DIM, &RESHAPE, &TRANSPOSE, &SQUEEZE, &REV, &CONCATENATE].into_iter()
}
