//! Ops across a mapped axis: every lane of `vmap`, every shard of `shard_map`, gives and takes.
//!
//! They are gone before anything runs: mapping over the axis turns each into ops on all lanes at once. What is left of
//! one has lost its axis, and says so.

use super::rule;
use crate::op::{Eval, EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::{TensorType, Type};
use pallas_tensor::Shape;

/// Outside of its axis an op has no value.
const LOST: Eval = |context, _| {
    let axis = context.attributes.str("axis_name").unwrap_or("?");
    Err(EvalError::new(format!("an operation over the named axis `{axis}` is used where nothing maps over that axis")))
};

const fn collective(
    name: &'static str,
    doc: &'static str,
    attributes: &'static [&'static str],
    infer: fn(&InferContext<'_>) -> Result<Types, InferError>,
) -> OpDef {
    OpDef { name, doc, attributes, infer, kind: OpKind::Pure { eval: LOST, interval: None } }
}

/// The sum over the axis. Operand: x. Attribute: `axis_name`. Result: as x. A cotangent of it is summed as well.
pub static PSUM: OpDef = collective("psum", "The sum over the mapped axis `axis_name`", &["axis_name"], same);

/// The sum over the axis, as [`PSUM`], where it is known which values are equal on all shards: a cotangent of the sum is
/// the cotangent of each addend.
pub static PSUM_INVARIANT: OpDef =
    collective("psum_invariant", "The sum over the mapped axis `axis_name`, equal everywhere", &["axis_name"], same);

/// The greatest over the axis. Operand: x. Attribute: `axis_name`. Result: as x.
pub static PMAX: OpDef = collective("pmax", "The greatest over the mapped axis `axis_name`", &["axis_name"], same);

/// The least over the axis. Operand: x. Attribute: `axis_name`. Result: as x.
pub static PMIN: OpDef = collective("pmin", "The least over the mapped axis `axis_name`", &["axis_name"], same);

/// The operand, which is equal everywhere, as one that may differ along the axis. Operand: x. Attribute: `axis_name`.
pub static PVARY: OpDef =
    collective("pvary", "The operand as a value that may differ along `axis_name`", &["axis_name"], same);

/// Sends each lane's operand to another lane; lanes that nobody sends to get zeros. Operand: x. Attributes: `axis_name`;
/// `perm`, pairs of source and target.
pub static PPERMUTE: OpDef =
    collective("ppermute", "Operands sent from lane to lane along `axis_name`", &["axis_name", "perm"], same);

/// The operands of all lanes. Operand: x. Attributes: `axis_name`; `size`, the axis'; `axis`, where they stand in the
/// result; `tiled`, whether they are joined along an existing dimension.
pub static ALL_GATHER: OpDef = collective(
    "all_gather",
    "The operands of all lanes along `axis_name`",
    &["axis_name", "size", "axis", "tiled"],
    infer_all_gather,
);

/// The sum over the axis, of which each lane gets its part. Operand: x. Attributes: `axis_name`, `size`; `axis`, the
/// dimension that is divided; `tiled`, whether the dimension stays.
pub static REDUCE_SCATTER: OpDef = collective(
    "reduce_scatter",
    "The sum over `axis_name`, a part for each lane",
    &["axis_name", "size", "axis", "tiled"],
    infer_reduce_scatter,
);

/// Each lane sends a part to each lane. Operand: x. Attributes: `axis_name`, `size`; `split_axis`, the dimension that is
/// divided; `concat_axis`, where the parts that arrive are put together; `tiled`, whether dimensions stay.
pub static ALL_TO_ALL: OpDef = collective(
    "all_to_all",
    "A part from each lane to each lane along `axis_name`",
    &["axis_name", "size", "split_axis", "concat_axis", "tiled"],
    infer_all_to_all,
);

fn same(context: &InferContext<'_>) -> Result<Types, InferError> {
    rule::count(context, "a collective", 1)?;
    axis_name(context)?;
    Ok(rule::one(context.tensor(0)?.clone()))
}

fn axis_name(context: &InferContext<'_>) -> Result<(), InferError> {
    context.attributes.str("axis_name").map(|_| ()).ok_or_else(|| rule::missing("a collective", "axis_name"))
}

/// The extents of the operand, a dimension among them, and the size of the mapped axis.
fn parts(context: &InferContext<'_>, dimension: &str) -> Result<(Vec<usize>, usize, usize), InferError> {
    rule::count(context, "a collective", 1)?;
    axis_name(context)?;
    let at = rule::size(context.attributes, "a collective", dimension)?;
    let size = rule::size(context.attributes, "a collective", "size")?;
    Ok((context.tensor(0)?.shape.to_vec(), at, size))
}

fn result(context: &InferContext<'_>, shape: &[usize]) -> Result<Types, InferError> {
    let ty = context.tensor(0)?;
    Ok(smallvec::smallvec![Type::Tensor(TensorType { dtype: ty.dtype, shape: Shape::from(shape), weak: false })])
}

fn infer_all_gather(context: &InferContext<'_>) -> Result<Types, InferError> {
    let (mut shape, axis, size) = parts(context, "axis")?;
    let tiled = context.attributes.flag("tiled");
    if axis > shape.len() || tiled && axis == shape.len() {
        return Err(InferError::value_error(format!(
            "axis {axis} is out of bounds for array of dimension {}",
            shape.len() + usize::from(!tiled)
        )));
    }
    if tiled {
        shape[axis] *= size;
    } else {
        shape.insert(axis, size);
    }
    result(context, &shape)
}

fn infer_reduce_scatter(context: &InferContext<'_>) -> Result<Types, InferError> {
    let (mut shape, axis, size) = parts(context, "axis")?;
    let Some(&extent) = shape.get(axis) else {
        return Err(InferError::value_error(format!(
            "axis {axis} is out of bounds for array of dimension {}",
            shape.len()
        )));
    };
    if context.attributes.flag("tiled") {
        if size == 0 || extent % size != 0 {
            return Err(InferError::value_error(format!(
                "tiled reduce_scatter operand scatter dimension size {extent} must be divisible by shard_count \
                 {size}"
            )));
        }
        shape[axis] = extent / size;
    } else {
        if extent != size {
            return Err(InferError::value_error(format!(
                "reduce_scatter operand scatter dimension size {extent} must match shard count {size}"
            )));
        }
        shape.remove(axis);
    }
    result(context, &shape)
}

fn infer_all_to_all(context: &InferContext<'_>) -> Result<Types, InferError> {
    let (mut shape, split, size) = parts(context, "split_axis")?;
    let concat = rule::size(context.attributes, "all_to_all", "concat_axis")?;
    let bound = |axis: usize| {
        InferError::value_error(format!("axis {axis} is out of bounds for array of dimension {}", shape.len()))
    };
    if split >= shape.len() {
        return Err(bound(split));
    }
    if concat >= shape.len() {
        return Err(bound(concat));
    }
    if context.attributes.flag("tiled") {
        if size == 0 || shape[split] % size != 0 {
            return Err(InferError::value_error(format!(
                "The size of all_to_all split_axis ({}) has to be divisible by the size of the named axis {} ({size})",
                shape[split],
                context.attributes.str("axis_name").unwrap_or("?")
            )));
        }
        shape[split] /= size;
        shape[concat] *= size;
    } else {
        if shape[split] != size {
            return Err(InferError::value_error(format!(
                "all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], but they are \
                 {size} and {} respectively.",
                shape[split]
            )));
        }
        shape.remove(split);
        shape.insert(concat, size);
    }
    result(context, &shape)
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&PSUM, &PSUM_INVARIANT, &PMAX, &PMIN, &PVARY, &PPERMUTE, &ALL_GATHER, &REDUCE_SCATTER, &ALL_TO_ALL].into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::{Attribute, Attributes};
    use crate::builder::Builder;
    use crate::function::Location;
    use crate::op::Op;
    use pallas_tensor::DType;

    /// The shape that an op gives an operand of 8 by 4 over an axis of 4, or what it refuses.
    fn shape(op: &'static OpDef, more: &[(&'static str, i64)], tiled: bool) -> Result<Vec<usize>, String> {
        let mut builder = Builder::new("f", Location::default());
        let x = builder.param(Type::Tensor(TensorType::new(DType::F32, Shape::from([8, 4]))), None);
        let mut attributes = Attributes::none().with("axis_name", Attribute::Str("i".into()));
        attributes = attributes.with("size", Attribute::Int(4)).with("tiled", Attribute::Bool(tiled));
        for (name, value) in more {
            attributes = attributes.with(name, Attribute::Int(*value));
        }
        let results = builder.add(Op(op), &[x], attributes, &[], Location::default());
        results.map(|values| builder.ty(values[0]).shape().to_vec()).map_err(|error| error.message)
    }

    #[test]
    fn gathering_adds_or_stretches_a_dimension() {
        assert_eq!(shape(&ALL_GATHER, &[("axis", 1)], false), Ok(vec![8, 4, 4]));
        assert_eq!(shape(&ALL_GATHER, &[("axis", 2)], false), Ok(vec![8, 4, 4]));
        assert_eq!(shape(&ALL_GATHER, &[("axis", 0)], true), Ok(vec![32, 4]));
        assert!(shape(&ALL_GATHER, &[("axis", 2)], true).is_err());
    }

    #[test]
    fn scattering_takes_or_divides_a_dimension() {
        assert_eq!(shape(&REDUCE_SCATTER, &[("axis", 1)], false), Ok(vec![8]));
        assert_eq!(shape(&REDUCE_SCATTER, &[("axis", 0)], true), Ok(vec![2, 4]));
        let refusal = "reduce_scatter operand scatter dimension size 8 must match shard count 4";
        assert_eq!(shape(&REDUCE_SCATTER, &[("axis", 0)], false), Err(refusal.to_string()));
    }

    #[test]
    fn exchanging_divides_one_dimension_and_stretches_another() {
        let axes = |split, concat| [("split_axis", split), ("concat_axis", concat)];
        assert_eq!(shape(&ALL_TO_ALL, &axes(0, 1), true), Ok(vec![2, 16]));
        assert_eq!(shape(&ALL_TO_ALL, &axes(1, 0), false), Ok(vec![4, 8]));
        assert!(shape(&ALL_TO_ALL, &axes(0, 1), false).is_err());
    }
}
