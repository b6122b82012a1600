//! `lax.gather` and `lax.scatter*` with their dimension numbers: lowered to the gather and scatter of the IR, which take one
//! tile of positions per indexed axis.

use crate::context::Context;
use crate::convert;
use crate::jnp::compose;
use crate::primitive as p;
use crate::python_types::Plain::Required;
use crate::python_types::{self, Plain, Record};
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar, Shape};

/// `lax.GatherDimensionNumbers`
static GATHER_NUMBERS: Record = Record {
    name: "GatherDimensionNumbers",
    module: "jax.lax",
    fields: &[
        ("offset_dims", Required),
        ("collapsed_slice_dims", Required),
        ("start_index_map", Required),
        ("operand_batching_dims", Plain::Empty),
        ("start_indices_batching_dims", Plain::Empty),
    ],
    keyword_only: false,
    methods: &[],
    properties: &[],
};

/// `lax.ScatterDimensionNumbers`
static SCATTER_NUMBERS: Record = Record {
    name: "ScatterDimensionNumbers",
    module: "jax.lax",
    fields: &[
        ("update_window_dims", Required),
        ("inserted_window_dims", Required),
        ("scatter_dims_to_operand_dims", Required),
        ("operand_batching_dims", Plain::Empty),
        ("scatter_indices_batching_dims", Plain::Empty),
    ],
    keyword_only: false,
    methods: &[],
    properties: &[],
};

macro_rules! scatters {
    ($($name:literal $combine:literal $doc:literal)*) => {
        [$(NativeDef {
            name: $name,
            signature: "(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, \
                        unique_indices=False, mode=None)",
            doc: $doc,
            run: |interp, args| scatter(interp, args, $combine),
        }),*]
    };
}

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "gather",
    signature: "(operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=False, \
                indices_are_sorted=False, mode=None, fill_value=None)",
    doc: "Slices at computed places.",
    run: gather,
}];

/// Rows of the module.
pub(super) static SCATTERS: &[NativeDef] = &scatters! {
    "scatter" "set" "The operand with slices replaced at computed places."
    "scatter_add" "add" "The operand with updates added at computed places."
    "scatter_sub" "sub" "The operand with updates subtracted at computed places."
    "scatter_mul" "mul" "The operand multiplied with updates at computed places."
    "scatter_min" "min" "The smaller of the operand and updates at computed places."
    "scatter_max" "max" "The larger of the operand and updates at computed places."
};

/// Adds the classes of dimension numbers.
pub(super) fn populate(interp: &Interp, namespace: &mut Namespace) {
    python_types::populate(interp, namespace, &[], &[&GATHER_NUMBERS, &SCATTER_NUMBERS]);
}

/// What happens to slices that are not inside.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Clip,
    Fill,
}

fn mode(interp: &Interp, value: &Value) -> PyResult<Option<Mode>> {
    let name = match value {
        Value::None | Value::Unset => return Ok(None),
        Value::Str(name) => name.to_string(),
        value => interp.str(value)?,
    };
    let name = name.rsplit('.').next().unwrap_or_default().to_lowercase();
    match &*name {
        "clip" | "promise_in_bounds" => Ok(Some(Mode::Clip)),
        "fill" | "drop" | "fill_or_drop" => Ok(Some(Mode::Fill)),
        _ => {
            let shown = interp.repr(value)?;
            Err(interp.value_error(format!("Unknown gather mode \"{}\"", shown.trim_matches('\''))))
        }
    }
}

/// How slices of an operand and positions relate, the same for gather and scatter.
struct Layout {
    /// Dimensions of the result (or the updates) that run over a slice.
    window: Vec<usize>,
    /// Dimensions of the operand that are no dimensions of a slice.
    collapsed: Vec<usize>,
    /// Dimensions of the operand that the components of a position are for.
    map: Vec<usize>,
    /// Dimensions of the operand that run along with dimensions of the positions.
    batching: Vec<(usize, usize)>,
    /// Extents of a slice.
    sizes: Vec<usize>,
}

/// A dimension of what the IR's gather gives.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Batch(usize),
    Operand(usize),
}

/// The IR's gather: axes with their positions, and where its dimensions belong in lax's result.
struct Plan {
    axes: Vec<usize>,
    indices: Vec<Tile>,
    /// Dimension `i` of lax's result is dimension `permutation[i]` of the IR's.
    permutation: Vec<usize>,
    /// Which positions have their whole slice inside, over the batch dimensions.
    inside: Option<Tile>,
    /// Dimensions of lax's result that are batch dimensions.
    batch_dims: Vec<usize>,
}

fn list(interp: &Interp, numbers: &Value, name: &str) -> PyResult<Vec<usize>> {
    interp.collect(&interp.get_attr(numbers, name)?)?.iter().map(|v| interp.to_usize(v)).collect()
}

impl Layout {
    fn plan(&self, cx: &Context<'_>, operand: &Shape, starts: &Tile) -> PyResult<Plan> {
        let batch: Vec<usize> = starts.shape()[..starts.rank() - 1].to_vec();
        let is_window = |d: usize| !self.collapsed.contains(&d) && self.batching.iter().all(|(o, _)| *o != d);
        let window: Vec<usize> = (0..operand.len()).filter(|&d| is_window(d)).collect();
        let needs_index = |d: usize| self.map.contains(&d) || !is_window(d) || self.sizes.get(d) != operand.get(d);
        let axes: Vec<usize> = (0..operand.len()).filter(|&d| needs_index(d)).collect();
        // Positions vary over the batch, and over the slice along the axes that are indexed.
        let inner: Vec<usize> = axes.iter().copied().filter(|&d| is_window(d)).collect();
        let shape: Shape = batch.iter().copied().chain(inner.iter().map(|&d| self.sizes[d])).collect();
        let batch_axes: Vec<usize> = (0..batch.len()).collect();
        let mut inside: Option<Tile> = None;
        let mut indices = Vec::new();
        for &axis in &axes {
            let mut index = p::full(cx, &shape, DType::I32, Scalar::Int(0))?;
            if let Some(component) = self.map.iter().position(|&d| d == axis) {
                let start = compose::take_axis(cx, starts, starts.rank() - 1, component)?;
                let start = p::convert(cx, &start, DType::I32, false)?;
                let last = operand[axis].saturating_sub(self.sizes[axis]);
                let bound = |value: usize| p::full(cx, start.shape(), DType::I32, Scalar::Int(value as i128));
                let clamped = cx.bind(&ops::CLAMP, &[&bound(0)?, &start, &bound(last)?], Attributes::none())?;
                let same = p::binary(cx, &ops::EQ, &clamped, &start)?;
                inside = Some(match inside {
                    None => same,
                    Some(others) => p::binary(cx, &ops::AND, &others, &same)?,
                });
                index = p::broadcast_in_dim(cx, &clamped, &shape, &batch_axes)?;
            } else if let Some((_, along)) = self.batching.iter().find(|(d, _)| *d == axis) {
                index = p::iota(cx, DType::I32, &shape, *along)?;
            }
            if let Some(at) = inner.iter().position(|&d| d == axis)
                && self.sizes[axis] > 1
            {
                let steps = p::iota(cx, DType::I32, &shape, batch.len() + at)?;
                index = p::binary(cx, &ops::ADD, &index, &steps)?;
            }
            indices.push(index);
        }
        // As the IR's gather orders its result.
        let kept: Vec<usize> = (0..operand.len()).filter(|d| !axes.contains(d)).collect();
        let neighbours = axes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let position = axes.first().copied().filter(|_| neighbours).unwrap_or(0);
        let labels: Vec<Label> = kept[..position]
            .iter()
            .map(|&d| Label::Operand(d))
            .chain((0..batch.len()).map(Label::Batch))
            .chain(inner.iter().map(|&d| Label::Operand(d)))
            .chain(kept[position..].iter().map(|&d| Label::Operand(d)))
            .collect();
        let rank = batch.len() + window.len();
        let (mut next_batch, mut next_window) = (0, 0);
        let (mut permutation, mut batch_dims) = (Vec::new(), Vec::new());
        for dim in 0..rank {
            let label = if self.window.contains(&dim) {
                next_window += 1;
                window.get(next_window - 1).map(|&d| Label::Operand(d))
            } else {
                batch_dims.push(dim);
                next_batch += 1;
                Some(Label::Batch(next_batch - 1))
            };
            let found = label.and_then(|label| labels.iter().position(|&other| other == label));
            permutation.push(found.ok_or_else(|| {
                cx.interp.type_error("dimension numbers do not fit the operand and the indices".to_string())
            })?);
        }
        Ok(Plan { axes, indices, permutation, inside, batch_dims })
    }
}

/// The `slice_sizes`, one per dimension of the operand.
fn check_sizes(interp: &Interp, operand: &Shape, sizes: &[usize]) -> PyResult<()> {
    if sizes.len() != operand.len() {
        return Err(interp.type_error(format!(
            "Gather op must have one slice size for every input dimension; got: len(slice_sizes)={}, input_shape.rank={}",
            sizes.len(),
            operand.len()
        )));
    }
    match sizes.iter().zip(operand.iter()).position(|(size, extent)| size > extent) {
        None => Ok(()),
        Some(at) => Err(interp.type_error(format!(
            "Slice size at index {at} in gather op is out of range, must be within [0, {} + 1), got {}.",
            operand[at], sizes[at]
        ))),
    }
}

/// Positions with at least their component dimension.
fn positions(cx: &Context<'_>, value: &Value, function: &str) -> PyResult<Tile> {
    let starts = convert::operand(cx, value, function)?;
    match starts.rank() {
        0 => p::reshape(cx, &starts, &Shape::from(&[1][..])),
        _ => Ok(starts),
    }
}

fn gather(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [operand, starts, numbers, sizes, _, _, given_mode, fill] = args.take();
    let cx = Context::jax(interp);
    let operand = convert::operand(&cx, &operand, "gather")?;
    let starts = positions(&cx, &starts, "gather")?;
    let sizes = convert::shape(&cx, &sizes)?.to_vec();
    check_sizes(interp, operand.shape(), &sizes)?;
    let batching = list(interp, &numbers, "operand_batching_dims")?;
    let along = list(interp, &numbers, "start_indices_batching_dims")?;
    let layout = Layout {
        window: list(interp, &numbers, "offset_dims")?,
        collapsed: list(interp, &numbers, "collapsed_slice_dims")?,
        map: list(interp, &numbers, "start_index_map")?,
        batching: batching.into_iter().zip(along).collect(),
        sizes,
    };
    let plan = layout.plan(&cx, operand.shape(), &starts)?;
    let tiles: Vec<&Tile> = plan.indices.iter().collect();
    let gathered = compose::gather(&cx, &operand, &plan.axes, &tiles, "clip")?;
    let result = p::transpose(&cx, &gathered, &plan.permutation)?;
    // Without a mode positions are promised to be inside, and XLA holds them there.
    let fills = mode(interp, &given_mode)? == Some(Mode::Fill);
    let Some(inside) = plan.inside.filter(|_| fills) else {
        return Ok(convert::value(&cx, result));
    };
    let filler = match fill.given() {
        Some(fill) => p::convert(&cx, &convert::tile(&cx, &fill, "gather")?, result.dtype(), false)?,
        None => p::scalar(result.dtype(), Scalar::filler(result.dtype())),
    };
    let shape = result.shape().clone();
    let inside = p::broadcast_in_dim(&cx, &inside, &shape, &plan.batch_dims)?;
    let filler = p::broadcast_to(&cx, &filler, &shape)?;
    Ok(convert::value(&cx, p::select(&cx, &inside, &result, &filler)?))
}

fn scatter(interp: &Interp, args: Arguments, combine: &str) -> PyResult<Value> {
    let [operand, starts, updates, numbers, _, _, given_mode] = args.take();
    let cx = Context::jax(interp);
    let operand = convert::operand(&cx, &operand, "scatter")?;
    let starts = positions(&cx, &starts, "scatter")?;
    let updates = convert::tile(&cx, &updates, "scatter")?;
    let updates = if updates.weak() { p::convert(&cx, &updates, operand.dtype(), false)? } else { updates };
    let window = list(interp, &numbers, "update_window_dims")?;
    let collapsed = list(interp, &numbers, "inserted_window_dims")?;
    let batching = list(interp, &numbers, "operand_batching_dims")?;
    let along = list(interp, &numbers, "scatter_indices_batching_dims")?;
    // A slice is as large as the updates' window.
    let mut extents = window.iter().map(|&d| updates.shape().get(d).copied().unwrap_or(1));
    let sizes = (0..operand.rank())
        .map(|d| if collapsed.contains(&d) || batching.contains(&d) { 1 } else { extents.next().unwrap_or(1) })
        .collect();
    let layout = Layout {
        window,
        collapsed,
        map: list(interp, &numbers, "scatter_dims_to_operand_dims")?,
        batching: batching.into_iter().zip(along).collect(),
        sizes,
    };
    let plan = layout.plan(&cx, operand.shape(), &starts)?;
    let mut indices = plan.indices;
    if mode(interp, &given_mode)? != Some(Mode::Clip)
        && let Some(inside) = &plan.inside
    {
        // What is not wholly inside is dropped: no position is negative.
        let batch_axes: Vec<usize> = (0..inside.rank()).collect();
        for index in &mut indices {
            let shape = index.shape().clone();
            let inside = p::broadcast_in_dim(&cx, inside, &shape, &batch_axes)?;
            let outside = p::full(&cx, &shape, DType::I32, Scalar::Int(-1))?;
            *index = p::select(&cx, &inside, index, &outside)?;
        }
    }
    let mut order = vec![0; plan.permutation.len()];
    for (dim, &from) in plan.permutation.iter().enumerate() {
        order[from] = dim;
    }
    let updates = p::transpose(&cx, &updates, &order)?;
    let attributes = Attributes::none()
        .with("axes", Attribute::Ints(plan.axes.iter().map(|&axis| axis as i64).collect()))
        .with("mode", Attribute::Str("fill".into()))
        .with("combine", Attribute::Str(combine.into()));
    let operands: Vec<&Tile> = [&operand, &updates].into_iter().chain(&indices).collect();
    Ok(convert::value(&cx, cx.bind(&ops::SCATTER, &operands, attributes)?))
}
