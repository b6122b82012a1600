//! Subscripts of Refs: from Python's `ref[i, 2:5, pl.ds(j, 8), ...]` to an index pattern with operands, as JAX's
//! `NDIndexer.from_indices_and_shape` (jax/_src/state/indexing.py). Slices that JAX knows to lie outside raise as there; other
//! positions out of bounds pass: values follow JAX (which clamps), and `pallas-check` reports them.

use crate::context::Context;
use crate::convert;
use crate::pallas::slice::{Size, SliceObject};
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{DimIndex, IndexOperand, IndexPattern, Position};
use pallas_python::Diagnosis;
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::{Slice, Value};
use pallas_tensor::{DType, Shape};
use smallvec::SmallVec;

/// A parsed subscript.
#[derive(Clone)]
pub struct RefIndex {
    /// One entry per dimension.
    pub pattern: IndexPattern,
    /// Dynamic parts in order; scalars are int32.
    pub operands: Vec<Tile>,
    /// Shape of what is read or written.
    pub shape: Shape,
}

impl RefIndex {
    /// As JAX prints an `NDIndexer`.
    pub fn text(&self) -> String {
        let parts: Vec<String> = self
            .pattern
            .0
            .iter()
            .map(|dim| match dim {
                DimIndex::At(Position::Static(at)) => at.to_string(),
                DimIndex::Slice { start: Position::Static(start), size, stride } => {
                    format!("Slice(start={start}, size={size}, stride={stride})")
                }
                DimIndex::Slice { size, stride, .. } => {
                    format!("Slice(start=JitTracer(int32[]), size={size}, stride={stride})")
                }
                DimIndex::Part { start, .. } => {
                    let start = match start {
                        Position::Static(start) => start.to_string(),
                        Position::Dynamic => "JitTracer(int32[])".to_string(),
                    };
                    format!("Slice(start={start}, size=JitTracer(int32[]), stride=1)")
                }
                DimIndex::At(Position::Dynamic) | DimIndex::Array => "JitTracer(int32[])".to_string(),
            })
            .collect();
        let comma = if parts.len() == 1 { "," } else { "" };
        format!(
            "NDIndexer(indices=({}{comma}), shape={}, int_indexer_shape=(), validate=True)",
            parts.join(", "),
            self.shape
        )
    }

    /// Lengths that are computed, by dimension of what is selected.
    pub fn lengths(&self) -> Vec<(usize, Tile)> {
        let mut operands = self.operands.iter();
        let mut lengths = Vec::new();
        let kept = |dim: &&DimIndex| !matches!(dim, DimIndex::At(_) | DimIndex::Array);
        // The dimensions of the arrays stand between those of the slices.
        let of_arrays = self.shape.rank() - self.pattern.0.iter().filter(kept).count();
        let first = self.pattern.array_position();
        let mut axis = 0;
        for dim in &self.pattern.0 {
            let last = dim.operands().iter().filter_map(|_| operands.next()).last();
            if let (DimIndex::Part { .. }, Some(length)) = (dim, last) {
                lengths.push((if axis < first { axis } else { axis + of_arrays }, length.clone()));
            }
            axis += usize::from(kept(&dim));
        }
        lengths
    }
}

/// Whether the key is `...`, `()` or `:`.
pub fn is_everything(key: &Value) -> bool {
    match key {
        Value::Ellipsis => true,
        Value::Tuple(items) => items.iter().all(is_everything),
        Value::Slice(slice) => slice.lower.is_none() && slice.upper.is_none() && slice.step.is_none(),
        _ => false,
    }
}

/// Parses a subscript of a Ref with this shape.
///
/// # Errors
/// Python exceptions in JAX's words: too many indices, two ellipses, wrong kinds, slices with traced bounds.
pub fn parse(cx: &Context<'_>, shape: &Shape, key: &Value) -> PyResult<RefIndex> {
    parse_bounded(cx, shape, &[], key)
}

/// As [`parse`], of a Ref some of whose extents are computed.
///
/// # Errors
/// As there; and slices of Python along such a dimension.
pub fn parse_bounded(cx: &Context<'_>, shape: &Shape, lengths: &[(usize, Tile)], key: &Value) -> PyResult<RefIndex> {
    let keys: Vec<Value> = match key {
        Value::Tuple(items) => items.to_vec(),
        key => vec![key.clone()],
    };
    let keys = expand_ellipsis(cx, shape, keys)?;
    let mut pattern: SmallVec<[DimIndex; 4]> = SmallVec::new();
    let mut operands = Vec::new();
    let mut array_shapes: Vec<Shape> = Vec::new();
    for (axis, (key, &extent)) in keys.iter().zip(shape.iter()).enumerate() {
        let length = lengths.iter().find(|(bounded, _)| *bounded == axis).map(|(_, length)| length);
        let dim = match key {
            Value::Slice(_) if length.is_some() => return Err(slice_of_part(cx, length)),
            Value::Slice(slice) => python_slice(cx, slice, extent, "slice must have a step >= 1 (found: {})")?,
            Value::Object(_) if key.downcast::<SliceObject>().is_some() => {
                dynamic_slice(cx, key, extent, &mut operands)?
            }
            _ => integer(cx, key, extent, &mut operands, &mut array_shapes)?,
        };
        pattern.push(dim);
    }
    let arrays: Vec<&Shape> = array_shapes.iter().collect();
    let Some(front) = Shape::broadcast(&arrays) else {
        let texts: Vec<String> = array_shapes.iter().map(Shape::to_string).collect();
        return Err(cx.interp.value_error(format!("Cannot broadcast shapes for indexing: {}", texts.join(", "))));
    };
    let operands = broadcast_arrays(cx, &pattern, operands, &front)?;
    let pattern = IndexPattern(pattern);
    let shape = pattern.result_shape(&front);
    Ok(RefIndex { pattern, operands, shape })
}

/// Integer arrays take their common shape, as the op wants them.
fn broadcast_arrays(cx: &Context<'_>, pattern: &[DimIndex], operands: Vec<Tile>, front: &Shape) -> PyResult<Vec<Tile>> {
    let kinds = pattern.iter().flat_map(|dim| dim.operands()).map(|kind| *kind == IndexOperand::Array);
    operands
        .into_iter()
        .zip(kinds)
        .map(|(tile, is_array)| if is_array { primitive::broadcast_to(cx, &tile, front) } else { Ok(tile) })
        .collect()
}

fn expand_ellipsis(cx: &Context<'_>, shape: &Shape, keys: Vec<Value>) -> PyResult<Vec<Value>> {
    let rank = shape.len();
    let ellipses = keys.iter().filter(|k| matches!(k, Value::Ellipsis)).count();
    if ellipses > 1 {
        return Err(cx.interp.value_error("Only one ellipsis is supported.".to_string()));
    }
    if keys.iter().any(Value::is_none) {
        return Err(wrong_kind(cx, &Value::None));
    }
    let given = keys.len() - ellipses;
    if given > rank {
        return Err(cx.interp.error_with(
            &cx.interp.types().value_error,
            format!(
                "`indices` must not be longer than `shape`: indices={}, shape={shape}",
                cx.interp.repr(&Value::tuple(keys.iter().filter(|key| !matches!(key, Value::Ellipsis)).cloned()))?
            ),
            Diagnosis {
                code: "PL309",
                message: Some(match rank {
                    0 => format!(
                        "this Ref has no dimensions, but {given} {} indexed",
                        if given == 1 { "is" } else { "are" }
                    ),
                    1 => format!("this Ref has one dimension, but {given} are indexed"),
                    _ => format!("this Ref has {rank} dimensions, but {given} are indexed"),
                }),
                ..Diagnosis::default()
            },
        ));
    }
    let everything =
        || Value::Slice(std::rc::Rc::new(Slice { lower: Value::None, upper: Value::None, step: Value::None }));
    let mut expanded = Vec::with_capacity(rank);
    for key in keys {
        if matches!(key, Value::Ellipsis) {
            expanded.extend((0..rank - given).map(|_| everything()));
        } else {
            expanded.push(key);
        }
    }
    while expanded.len() < rank {
        expanded.push(everything());
    }
    Ok(expanded)
}

/// `a:b:c` with known parts; clipped to the extent, as Python does. A step that does not go forward is refused with
/// these words, `{}` being the step.
pub(crate) fn python_slice(cx: &Context<'_>, slice: &Slice, extent: usize, refusal: &str) -> PyResult<DimIndex> {
    let part = |value: &Value| -> PyResult<Option<i64>> {
        if value.is_none() {
            return Ok(None);
        }
        if crate::refs::array_tile(value).is_some_and(Tile::is_traced) {
            return Err(traced_slice(cx));
        }
        cx.interp.to_i64(value).map(Some)
    };
    let (lower, upper, step) = (part(&slice.lower)?, part(&slice.upper)?, part(&slice.step)?.unwrap_or(1));
    if step < 1 {
        return Err(cx.interp.value_error(refusal.replace("{}", &step.to_string())));
    }
    let n = extent as i64;
    let clip = |value: i64| if value < 0 { (value + n).max(0) } else { value.min(n) };
    let start = clip(lower.unwrap_or(0));
    let stop = clip(upper.unwrap_or(n));
    let size = ((stop - start).max(0) as usize).div_ceil(step as usize);
    Ok(DimIndex::Slice { start: Position::Static(start), size, stride: step as usize })
}

fn traced_slice(cx: &Context<'_>) -> Box<Stop> {
    cx.interp.error_with(
        &cx.interp.types().index_error,
        "Array slice indices must have static start/stop/step to be used with NumPy indexing syntax. To index a \
         statically sized array at a dynamic position, try lax.dynamic_slice/dynamic_update_slice (JAX does not support \
         dynamically sized arrays within JIT compiled functions)."
            .to_string(),
        Diagnosis {
            code: "PL307",
            message: Some("the bounds of this slice are traced values, but a slice needs a known size".to_string()),
            help: Some("write `pl.ds(start, size)`: the start may be traced, the size is known".to_string()),
            ..Diagnosis::default()
        },
    )
}

/// `pl.ds(start, size)`
fn dynamic_slice(cx: &Context<'_>, key: &Value, extent: usize, operands: &mut Vec<Tile>) -> PyResult<DimIndex> {
    let Some(slice) = key.downcast::<SliceObject>() else { return Err(wrong_kind(cx, key)) };
    let known = match &slice.start {
        Value::Int(start) => start.to_i64(),
        _ => None,
    };
    if let (Some(start), false) = (known, slice.is_of_array) {
        within(cx, start, slice, extent)?;
    }
    let start = match known {
        Some(start) => Position::Static(start),
        None => {
            operands.push(scalar_index(cx, &convert::tile(cx, &slice.start, "dslice")?, "start")?);
            Position::Dynamic
        }
    };
    Ok(match &slice.size {
        Size::Known(size) => DimIndex::Slice { start, size: *size, stride: slice.stride },
        Size::Traced(length) => {
            operands.push(length.clone());
            // As many as there are behind the start, if that is known.
            let before = known.and_then(|start| usize::try_from(start).ok()).unwrap_or(0);
            DimIndex::Part { start, bound: extent.saturating_sub(before) }
        }
    })
}

/// Refuses a slice that JAX knows to lie outside: one whose start is a number. At 0 it does not look.
fn within(cx: &Context<'_>, start: i64, slice: &SliceObject, extent: usize) -> PyResult<()> {
    let last = match slice.size {
        Size::Known(size) if size > 0 => {
            let length = (size as i64 - 1).saturating_mul(slice.stride as i64);
            Some((size, start.saturating_add(length)))
        }
        _ => None,
    };
    let end = extent as i64;
    let (message, said) = match last {
        _ if start == 0 => return Ok(()),
        _ if start >= end => (
            format!("Out of bound slice: start={start}, dim={extent}."),
            format!("this slice starts at {start}, behind the end of a dimension of {extent}"),
        ),
        Some((size, last)) if last >= end => (
            format!("Out of bound slice: start={start}, size={size}, stride={}, dim={extent}.", slice.stride),
            format!("this slice takes elements {start} to {last} of a dimension of {extent}"),
        ),
        _ => return Ok(()),
    };
    // The first element of a slice that ends with its dimension.
    let latest = match last.map(|(_, last)| end - 1 - (last - start)) {
        Some(latest @ 0..) => format!("a slice of this size starts at {latest} at the latest"),
        Some(_) => format!("take no more than the {extent} elements that there are"),
        None => "keep `start + size <= ref.shape[axis]`".to_string(),
    };
    Err(cx.interp.error_with(
        &cx.interp.types().value_error,
        message,
        Diagnosis {
            code: "PL201",
            message: Some(said),
            help: Some(format!(
                "{latest}; a mask does not help, as JAX looks at the slice first, but a start that is traced \
                 (`pl.program_id(0) * 8`) may reach past the end under one"
            )),
            ..Diagnosis::default()
        },
    ))
}

/// An integer, an integer array, or a traced one.
fn integer(
    cx: &Context<'_>,
    key: &Value,
    extent: usize,
    operands: &mut Vec<Tile>,
    array_shapes: &mut Vec<Shape>,
) -> PyResult<DimIndex> {
    if let Value::Int(at) = key {
        let at = at.to_i64().unwrap_or(i64::MAX);
        let resolved = if at < 0 { at.saturating_add(extent as i64) } else { at };
        return Ok(DimIndex::At(Position::Static(resolved)));
    }
    let tile = match key {
        Value::List(_) => crate::jnp::creation::array_from(cx, key, None)?,
        _ => match convert::try_tile(cx, key)? {
            Some(tile) => tile,
            None => return Err(wrong_kind(cx, key)),
        },
    };
    if !tile.dtype().is_integer() {
        return Err(cx.interp.error_with(
            &cx.interp.types().type_error,
            format!("Indexer must have integer or boolean type, got indexer with type {}", tile.dtype().name()),
            Diagnosis {
                code: "PL309",
                help: Some("`/` gives floats: divide with `//`, or convert with `.astype(jnp.int32)`".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    if tile.rank() == 0 {
        if let Some(at) = tile.array().and_then(|a| a.item()).and_then(|s| s.as_int()) {
            let at = at as i64;
            return Ok(DimIndex::At(Position::Static(if at < 0 { at + extent as i64 } else { at })));
        }
        operands.push(tile);
        return Ok(DimIndex::At(Position::Dynamic));
    }
    array_shapes.push(tile.shape().clone());
    operands.push(tile);
    Ok(DimIndex::Array)
}

/// A slice of Python along a dimension whose extent is computed: JAX cannot say where it ends.
fn slice_of_part(cx: &Context<'_>, length: Option<&Tile>) -> Box<Stop> {
    match length {
        Some(Tile::Traced(traced)) => {
            let mut stop = crate::errors::concrete_value_needed(cx, traced, "argument `d2` of `core.max_dim`");
            if let Stop::Raise(raise) = &mut *stop
                && let Some(diagnosis) = &mut raise.diagnosis
            {
                diagnosis.message =
                    Some("this dimension's extent is a traced value, so that a slice with `:` has no end".to_string());
                diagnosis.help = Some(
                    "index the Ref once, with all subscripts: `ref.at[pl.ds(start, size), 0:4]`; what has a traced \
                     extent can be copied, not read"
                        .to_string(),
                );
            }
            stop
        }
        _ => cx.interp.runtime_error("an extent that is computed is no traced value"),
    }
}

/// A traced start or size as a scalar.
pub(crate) fn scalar_index(cx: &Context<'_>, tile: &Tile, what: &str) -> PyResult<Tile> {
    if tile.rank() != 0 || !tile.dtype().is_integer() {
        return Err(cx.interp.type_error(format!(
            "the {what} of a slice must be an integer scalar, got {}",
            primitive::type_text(&tile.ty())
        )));
    }
    primitive::convert(cx, tile, if tile.weak() { DType::I32 } else { tile.dtype() }, false)
}

fn wrong_kind(cx: &Context<'_>, key: &Value) -> Box<Stop> {
    let shown = cx.interp.repr(key).unwrap_or_default();
    cx.interp.error_with(
        &cx.interp.types().value_error,
        format!("Cannot use `{shown}` as an index into a Ref"),
        Diagnosis {
            code: "PL309",
            help: Some("indices are integers, slices, `pl.ds(start, size)`, integer arrays and `...`".to_string()),
            ..Diagnosis::default()
        },
    )
}
