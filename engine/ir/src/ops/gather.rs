//! Elements at computed positions: `gather` and `scatter` with one index tile per indexed axis. `jnp`'s indexing by
//! arrays, `take`, `take_along_axis` and `.at[...]` lower to these.

use super::bounds;
use super::eval::{Operands, Results, attribute, one};
use super::rule::{self, tuple};
use crate::op::{EvalContext, EvalError, InferContext, InferError, OpDef, OpKind, Types};
use crate::types::TensorType;
use pallas_tensor::ops::{self, BinaryOp, Combine, Runs, scatter_flat, take_flat};
use pallas_tensor::{Array, Scalar, Shape};

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

    /// Where each index tuple points, from where what is indexed begins; -1 outside, unless `clip`.
    fn places(&self, shape: &Shape, indices: &[Array], clip: bool) -> Result<Array, EvalError> {
        let strides = shape.strides();
        let axes: Vec<(&Array, usize, usize)> =
            self.axes.iter().zip(indices).map(|(&axis, index)| (index, shape[axis], strides[axis])).collect();
        Ok(ops::places(&axes, self.index_shape.size(), clip)?)
    }

    /// Axes that are not indexed: those that stand before the indices in the result, and those behind.
    fn kept(&self, shape: &Shape) -> (Vec<usize>, Vec<usize>) {
        let mut before: Vec<usize> = (0..shape.rank()).filter(|axis| !self.axes.contains(axis)).collect();
        let after = before.split_off(self.position);
        (before, after)
    }

    /// What is taken or put together, if the axes behind the indices are the last ones: elements of them lie one behind the other.
    /// Where their stretches begin, and how many elements there are in a run.
    fn runs(&self, shape: &Shape) -> Option<(Vec<usize>, usize)> {
        let (before, after) = self.kept(shape);
        let are_last = after.iter().copied().eq(shape.rank() - after.len()..shape.rank());
        are_last.then(|| (offsets(shape, &before), after.iter().map(|&axis| shape[axis]).product()))
    }

    /// Flat positions in the operand of every element of the result; -1 outside.
    fn positions(&self, shape: &Shape, places: &[i64]) -> Result<Vec<i64>, EvalError> {
        let (before, after) = self.kept(shape);
        let (before, after) = (offsets(shape, &before), offsets(shape, &after));
        let mut positions = Vec::new();
        positions
            .try_reserve_exact(self.result.size())
            .map_err(|_| EvalError::new(format!("a tile of shape {} is too large", self.result)))?;
        for outer in before {
            for &place in places {
                let position = |inner: &usize| if place < 0 { -1 } else { place + (outer + inner) as i64 };
                positions.extend(after.iter().map(position));
            }
        }
        Ok(positions)
    }
}

/// Flat offsets of every combination of indices along some axes, in row-major order.
fn offsets(shape: &Shape, axes: &[usize]) -> Vec<usize> {
    let strides = shape.strides();
    axes.iter().fold(vec![0], |offsets, &axis| {
        let along = |offset: &usize| {
            let offset = *offset;
            (0..shape[axis]).map(move |index| (offset, index))
        };
        offsets.iter().flat_map(along).map(|(offset, index)| offset + index * strides[axis]).collect()
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
    let places = plan.places(x.shape(), &operands, !fill)?;
    let places = places.elements::<i64>().unwrap_or_default();
    let filler = Array::scalar(x.dtype(), Scalar::filler(x.dtype()));
    if let Some((before, length)) = plan.runs(x.shape()) {
        return one(Runs { before: &before, places, length }.take(&x, plan.result, &filler));
    }
    let positions = plan.positions(x.shape(), places)?;
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
    let places = plan.places(x.shape(), &operands, clip)?;
    let places = places.elements::<i64>().unwrap_or_default();
    if let (Combine::Replace, Some((before, length))) = (combine, plan.runs(x.shape())) {
        return one(Runs { before: &before, places, length }.put(x, &updates));
    }
    let positions = plan.positions(x.shape(), places)?;
    one(scatter_flat(x, &positions, &updates, combine))
}

/// The family.
pub(super) fn all() -> impl Iterator<Item = &'static OpDef> {
    [&GATHER, &SCATTER].into_iter()
}
