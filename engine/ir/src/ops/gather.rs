//! Elements at computed positions: `gather` and `scatter` with one index tile per indexed axis. `jnp`'s indexing by
//! arrays, `take`, `take_along_axis` and `.at[...]` lower to these.

use super::bounds;
use super::eval::{Operands, Results, attribute, one};
use super::rule::{self, tuple};
use crate::op::{EvalContext, EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::ops::{BinaryOp, Combine, convert, scatter_flat, take_flat};
use pallas_tensor::{Array, DType, Scalar, Shape};

/// Elements (or slices over the axes that are not indexed) at computed positions.
///
/// Operands: `x`, then one integer tile per entry of `axes`, all of one shape and dtype. Attributes: `axes`, distinct
/// and increasing; `mode`: `clip` (default; positions are clamped) or `fill` (positions outside, negative ones
/// included, give NaN, the smallest signed integer, the largest unsigned one, or true). Negative positions are *not*
/// counted from the end: the caller adds the size.
///
/// Result: `x`'s shape where the index shape takes the place of `axes` if they are neighbours, else stands in front (as
/// numpy does).
pub static GATHER: OpDef = OpDef {
    name: "gather",
    doc: "Elements at the positions in the index operands along `axes`; operands: x, indices...; `mode`: clip or fill",
    attributes: &["axes", "mode"],
    infer: |context| {
        let operands = rule::tensors(context)?;
        let [x, indices @ ..] = operands.as_slice() else {
            return Err(InferError::type_error("gather takes at least 1 operand, got 0"));
        };
        mode(context, "gather")?;
        let plan = plan(context, "gather", x, indices)?;
        Ok(rule::one(TensorType { dtype: x.dtype, shape: plan.result, weak: x.weak }))
    },
    kind: OpKind::Pure {
        eval: eval_gather,
        interval: Some(|attributes, operands| match attributes.str("mode") {
            // The filler is the end of the dtype's range.
            Some("fill") => crate::Interval::ANY,
            _ => bounds::same(attributes, operands),
        }),
    },
};

/// `x` with elements (or slices) at computed positions combined with updates, in row-major order of the updates.
///
/// Operands: `x`, `updates` (shape of the [`GATHER`] with the same axes and indices, dtype of `x`), then one integer
/// tile per entry of `axes`. Attributes: `axes`; `mode`: `fill` (default; updates outside are dropped) or `clip`;
/// `combine`: `set`, `add`, `sub`, `mul`, `min` or `max`.
pub static SCATTER: OpDef = OpDef {
    name: "scatter",
    doc: "`x` with `updates` combined in at the positions in the index operands along `axes`; operands: x, updates, \
          indices...",
    attributes: &["axes", "mode", "combine"],
    infer: infer_scatter,
    kind: OpKind::Pure { eval: eval_scatter, interval: None },
};

/// How a gather or scatter walks its operand.
struct Plan {
    axes: Vec<usize>,
    index_shape: Shape,
    /// Where the index dimensions stand in the result.
    position: usize,
    result: Shape,
}

impl Plan {
    fn new(shape: &Shape, axes: Vec<usize>, index_shape: Shape) -> Plan {
        let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let position = match axes.first() {
            Some(&first) if neighbours => first,
            _ => 0,
        };
        let kept = shape.without_axes(&axes);
        let result = kept[..position].iter().chain(index_shape.iter()).chain(&kept[position..]).copied().collect();
        Plan { axes, index_shape, position, result }
    }

    /// Flat positions in the operand of every element of the result; -1 outside, unless `clip`.
    fn positions(&self, shape: &Shape, indices: &[Array], clip: bool) -> Result<Vec<i64>, EvalError> {
        let strides = shape.strides();
        let count = self.index_shape.size();
        // Where each index tuple points, as a flat offset.
        let mut bases = vec![0i64; count];
        for (&axis, index) in self.axes.iter().zip(indices) {
            let (size, stride) = (shape[axis] as i64, strides[axis] as i64);
            // What is above the range of an i64 is outside anyway.
            let values = match index.dtype() {
                DType::U64 => {
                    index.iter_scalars().map(|x| x.as_int().unwrap_or(-1).min(i64::MAX.into()) as i64).collect()
                }
                _ => convert(index, DType::I64)?.into_elements::<i64>().unwrap_or_default(),
            };
            for (base, &value) in bases.iter_mut().zip(&values) {
                let value = if clip { value.clamp(0, (size - 1).max(0)) } else { value };
                if (0..size).contains(&value) && *base >= 0 {
                    *base += value * stride;
                } else {
                    *base = -1;
                }
            }
        }
        let kept: Vec<usize> = (0..shape.rank()).filter(|a| !self.axes.contains(a)).collect();
        let (before, after) = kept.split_at(self.position);
        let before = offsets(shape, before);
        let after = offsets(shape, after);
        let mut positions = Vec::new();
        positions
            .try_reserve_exact(self.result.size())
            .map_err(|_| EvalError::new(format!("a tile of shape {} is too large", self.result)))?;
        if before == [0] && after == [0] {
            return Ok(bases);
        }
        for outer in before {
            for &base in &bases {
                positions.extend(after.iter().map(|inner| if base < 0 { -1 } else { outer + base + inner }));
            }
        }
        Ok(positions)
    }
}

/// Flat offsets of every combination of indices along some axes, in row-major order.
fn offsets(shape: &Shape, axes: &[usize]) -> Vec<i64> {
    let strides = shape.strides();
    axes.iter().fold(vec![0], |offsets, &axis| {
        offsets
            .iter()
            .flat_map(|offset| (0..shape[axis] as i64).map(move |index| (offset, index)))
            .map(|(offset, index)| offset + index * strides[axis] as i64)
            .collect()
    })
}

fn plan(context: &InferContext<'_>, name: &str, x: &TensorType, indices: &[&TensorType]) -> Result<Plan, InferError> {
    let axes = rule::sizes(context.attributes, name, "axes")?;
    if !axes.is_sorted_by(|a, b| a < b) || !rule::are_axes(&axes, x.shape.rank()) {
        return Err(InferError::value_error(format!(
            "{name} axes must be increasing and less than the operand's rank, got {} for operand shape {}",
            tuple(&axes),
            x.shape
        )));
    }
    if axes.len() != indices.len() {
        return Err(InferError::type_error(format!(
            "{name} takes one index operand per axis, got {} for axes {}",
            indices.len(),
            tuple(&axes)
        )));
    }
    if let Some(index) = indices.iter().find(|ty| !ty.dtype.is_integer()) {
        return Err(InferError::type_error(format!(
            "Indexer must have integer or boolean type, got indexer with type {}",
            index.dtype
        ))
        .with_code("PL304"));
    }
    if indices.iter().any(|ty| ty.shape != indices[0].shape || ty.dtype != indices[0].dtype) {
        let types: Vec<String> = indices.iter().map(|ty| ty.to_string()).collect();
        return Err(InferError::type_error(format!(
            "{name} index operands must have one type, got {}",
            types.join(", ")
        ))
        .with_code("PL303"));
    }
    let index_shape = indices.first().map_or_else(Shape::default, |ty| ty.shape.clone());
    Ok(Plan::new(&x.shape, axes, index_shape))
}

fn mode(context: &InferContext<'_>, name: &str) -> Result<(), InferError> {
    match context.attributes.str("mode") {
        None | Some("clip" | "fill") => Ok(()),
        Some(mode) => Err(InferError::value_error(format!("{name} mode must be clip or fill, got {mode}"))),
    }
}

fn combine(name: Option<&str>) -> Option<Combine> {
    match name {
        None | Some("set") => Some(Combine::Replace),
        Some("add") => Some(Combine::With(BinaryOp::Add)),
        Some("sub") => Some(Combine::With(BinaryOp::Sub)),
        Some("mul") => Some(Combine::With(BinaryOp::Mul)),
        Some("min") => Some(Combine::With(BinaryOp::Min)),
        Some("max") => Some(Combine::With(BinaryOp::Max)),
        Some(_) => None,
    }
}

fn infer_scatter(context: &InferContext<'_>) -> Result<Types, InferError> {
    let operands = rule::tensors(context)?;
    let [x, updates, indices @ ..] = operands.as_slice() else {
        return Err(InferError::type_error(format!("scatter takes at least 2 operands, got {}", operands.len())));
    };
    mode(context, "scatter")?;
    if combine(context.attributes.str("combine")).is_none() {
        return Err(InferError::value_error(format!(
            "scatter combine must be set, add, sub, mul, min or max, got {}",
            context.attributes.str("combine").unwrap_or_default()
        )));
    }
    let plan = plan(context, "scatter", x, indices)?;
    if plan.result != updates.shape {
        return Err(InferError::type_error(format!(
            "scatter updates must have shape {}, got {}",
            plan.result, updates.shape
        ))
        .with_code("PL303"));
    }
    rule::same_dtypes("scatter", &[x, updates])?;
    Ok(rule::one(x.with_dtype(x.dtype)))
}

/// Axes as the type rule has checked them.
fn axes(context: &EvalContext<'_>) -> Result<Vec<usize>, EvalError> {
    Ok(super::eval::sizes(context.attributes.ints("axes"), "axes")?.into_vec())
}

fn eval_gather(context: &EvalContext<'_>, mut operands: Operands) -> Results {
    if operands.is_empty() {
        return Err(EvalError::new("takes at least 1 operand"));
    }
    let x = operands.remove(0);
    let index_shape = operands.first().map_or_else(Shape::default, |i| i.shape().clone());
    let plan = Plan::new(x.shape(), axes(context)?, index_shape);
    let fill = context.attributes.str("mode") == Some("fill");
    let positions = plan.positions(x.shape(), &operands, !fill)?;
    let filler = Array::scalar(x.dtype(), Scalar::filler(x.dtype()));
    one(take_flat(&x, &positions, plan.result, &filler))
}

fn eval_scatter(context: &EvalContext<'_>, mut operands: Operands) -> Results {
    if operands.len() < 2 {
        return Err(EvalError::new("takes at least 2 operands"));
    }
    let (x, updates) = (operands.remove(0), operands.remove(0));
    let index_shape = operands.first().map_or_else(Shape::default, |i| i.shape().clone());
    let plan = Plan::new(x.shape(), axes(context)?, index_shape);
    let clip = context.attributes.str("mode") == Some("clip");
    let combine = attribute(combine(context.attributes.str("combine")), "combine")?;
    // Along the one axis that there is, indices are positions.
    if let ([index], 1, false) = (operands.as_slice(), x.rank(), clip)
        && let Some(positions) = index.elements::<i32>()
    {
        return one(scatter_flat(x, positions, &updates, combine));
    }
    let positions = plan.positions(x.shape(), &operands, clip)?;
    one(scatter_flat(x, &positions, &updates, combine))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&GATHER, &SCATTER].into_iter()
}
