//! Subscripts of arrays: from a Python key to one entry per index, with the axes that each consumes. Follows
//! `_parse_indices` and `IndexType.from_index` of jax/_src/numpy/indexing.py (0.10.2). Computes nothing.

use crate::context::{Context, Rules};
use crate::convert;
use crate::errors;
use crate::jnp::creation::array_from;
use crate::pallas::slice::SliceObject;
use crate::tile::Tile;
use pallas_python::int::Int;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::{Slice, Value};
use pallas_tensor::{Array, DType, Scalar, Shape};
use std::ops::Range;
use std::rc::Rc;

/// One index.
#[derive(Clone)]
pub(super) enum Kind {
    /// `None`
    NewAxis,
    /// `...`
    Ellipsis,
    /// `a:b:c`
    Slice(Rc<Slice>),
    /// A known integer.
    Integer(Int),
    /// An array of integers, of any rank.
    Array(Tile),
    /// A mask, of any rank.
    Boolean(Tile),
    /// `pl.ds(start, size)`
    Dynamic {
        /// The start: known or traced.
        start: Tile,
        /// Number of positions.
        size: usize,
        /// Distance between them.
        stride: usize,
    },
}

/// An index with the axes of the array that it consumes.
#[derive(Clone)]
pub(super) struct Entry {
    /// The index.
    pub(super) kind: Kind,
    /// Neighbouring axes: none for `None` and scalar masks, several for masks and `...`.
    pub(super) axes: Range<usize>,
    /// Which index of the key it came from.
    pub(super) position: usize,
}

/// A key in the context of a shape; `None` where analysis does not know an index.
pub(super) type Parsed = Option<Vec<Entry>>;

/// Parses a key.
///
/// # Errors
/// JAX's `IndexError` and `TypeError` for too many indices, two ellipses and wrong kinds.
pub(super) fn parse(cx: &Context<'_>, shape: &Shape, key: &Value) -> PyResult<Parsed> {
    let key = cx.interp.plain(key);
    let keys: Vec<Value> = match &key {
        Value::Tuple(items) => items.to_vec(),
        Value::List(_) | Value::Range(_) | Value::Bytes(_) if cx.rules == Rules::Jax => {
            return Err(list_index(cx, &key));
        }
        _ => vec![key],
    };
    let mut kinds = Vec::with_capacity(keys.len());
    for key in &keys {
        match kind(cx, key)? {
            Some(kind) => kinds.push(kind),
            None => return Ok(None),
        }
    }
    if kinds.iter().filter(|kind| matches!(kind, Kind::Ellipsis)).count() > 1 {
        return Err(cx.interp.index_error("an index can only have a single ellipsis ('...')"));
    }
    let consumed: usize = kinds.iter().map(consumption).sum();
    let rank = shape.rank();
    if consumed > rank {
        let message = match cx.rules {
            Rules::Jax => format!("Too many indices: array is {rank}-dimensional, but {consumed} were indexed"),
            Rules::Numpy => {
                format!("too many indices for array: array is {rank}-dimensional, but {consumed} were indexed")
            }
        };
        return Err(cx.interp.error_with(
            &cx.interp.types().index_error,
            message,
            Diagnosis { code: "PL309", ..Diagnosis::default() },
        ));
    }
    let mut at = 0;
    let entries = kinds.into_iter().enumerate().map(|(position, kind)| {
        let count = if matches!(kind, Kind::Ellipsis) { rank - consumed } else { consumption(&kind) };
        at += count;
        Entry { kind, axes: at - count..at, position }
    });
    Ok(Some(entries.collect()))
}

/// Number of axes that an index takes, `...` aside.
fn consumption(kind: &Kind) -> usize {
    match kind {
        Kind::NewAxis | Kind::Ellipsis => 0,
        Kind::Boolean(mask) => mask.rank(),
        _ => 1,
    }
}

/// What kind of index a value is; `None` where analysis does not know it.
fn kind(cx: &Context<'_>, key: &Value) -> PyResult<Option<Kind>> {
    let key = cx.interp.plain(key);
    Ok(Some(match &key {
        Value::Unknown(_) => return Ok(None),
        Value::None => Kind::NewAxis,
        Value::Ellipsis => Kind::Ellipsis,
        Value::Slice(slice) => {
            let unknown = |part: &Value| {
                part.is_unknown() || crate::refs::array_tile(part).is_some_and(|t| matches!(t, Tile::Abstract(_)))
            };
            if [&slice.lower, &slice.upper, &slice.step].into_iter().any(unknown) {
                return Ok(None);
            }
            Kind::Slice(slice.clone())
        }
        Value::Int(value) => Kind::Integer(value.clone()),
        Value::Str(_) => {
            let shown = cx.interp.repr(&key)?;
            return Err(cx.interp.type_error(format!("JAX does not support string indexing; got idx={shown}")));
        }
        Value::Float(_) => return Err(wrong_dtype(cx, "float64")),
        Value::Complex(..) => return Err(wrong_dtype(cx, "complex128")),
        Value::List(_) | Value::Tuple(_) | Value::Range(_) => {
            if crate::jnp::call::find_unknown(&key, 4).is_some() {
                return Ok(None);
            }
            if cx.interp.len(&key)? == 0 {
                let empty = Array::from_scalars(DType::I32, [0], &[]);
                return empty
                    .map(|array| Some(Kind::Array(Tile::concrete(array))))
                    .map_err(|error| cx.interp.value_error(error.to_string()));
            }
            array_kind(cx, array_from(cx, &key, None)?)?
        }
        _ => match key.downcast::<SliceObject>() {
            Some(slice) => match convert::try_tile(cx, &slice.start)? {
                Some(start) => Kind::Dynamic { start, size: slice.known_size(cx)?, stride: slice.stride },
                None if slice.start.is_unknown() => return Ok(None),
                None => return Err(wrong_kind(cx, &key)),
            },
            None => match convert::try_tile(cx, &key)? {
                Some(tile) => {
                    let is_numpy_scalar = key.downcast::<crate::numpy::NdArray>().is_some_and(|a| a.is_scalar());
                    let kind = array_kind(cx, tile)?;
                    match (&kind, is_numpy_scalar) {
                        (Kind::Array(_), true) => Kind::Integer(cx.interp.to_int(&key)?),
                        _ => kind,
                    }
                }
                None => return Err(wrong_kind(cx, &key)),
            },
        },
    }))
}

/// An array as an index: integers or a mask.
fn array_kind(cx: &Context<'_>, tile: Tile) -> PyResult<Kind> {
    if tile.dtype() == DType::Bool {
        Ok(Kind::Boolean(tile))
    } else if tile.dtype().is_integer() {
        Ok(Kind::Array(tile))
    } else {
        Err(wrong_dtype(cx, tile.dtype().name()))
    }
}

fn wrong_dtype(cx: &Context<'_>, dtype: &str) -> Box<Stop> {
    let message = match cx.rules {
        Rules::Jax => format!("Indexer must have integer or boolean type, got indexer with type {dtype}"),
        Rules::Numpy => "arrays used as indices must be of integer (or boolean) type".to_string(),
    };
    let class = match cx.rules {
        Rules::Jax => &cx.interp.types().type_error,
        Rules::Numpy => &cx.interp.types().index_error,
    };
    cx.interp.error_with(class, message, Diagnosis { code: "PL309", ..Diagnosis::default() })
}

fn wrong_kind(cx: &Context<'_>, key: &Value) -> Box<Stop> {
    if let Some(reference) = key.downcast::<crate::refs::RefObject>() {
        return crate::refs::used_as_index(cx, key, reference);
    }
    let shown = cx.interp.str(key).unwrap_or_default();
    cx.interp.index_error(format!(
        "only integers, slices (`:`), ellipsis (`...`), newaxis (`None`) and integer or boolean arrays are valid indices. \
         Got {shown}"
    ))
}

/// A list, range or bytes as the whole key, which JAX refuses.
fn list_index(cx: &Context<'_>, key: &Value) -> Box<Stop> {
    let nested = cx.interp.collect(key).unwrap_or_default().iter().any(|item| match item {
        Value::List(_)
        | Value::Tuple(_)
        | Value::Range(_)
        | Value::Str(_)
        | Value::Slice(_)
        | Value::Ellipsis
        | Value::None => true,
        item => matches!(convert::try_tile(cx, item), Ok(Some(tile)) if tile.rank() > 0),
    });
    let instead = if nested { "tuple" } else { "array" };
    cx.interp.error_with(
        &cx.interp.types().type_error,
        format!(
            "Using a non-tuple sequence for multidimensional indexing is not allowed; use `arr[{instead}(seq)]` instead of \
             `arr[seq]`. See https://github.com/jax-ml/jax/issues/4564 for more information."
        ),
        Diagnosis {
            code: "PL309",
            help: Some(match nested {
                true => "index with a tuple".to_string(),
                false => "index with `jnp.array([...])`".to_string(),
            }),
            ..Diagnosis::default()
        },
    )
}

/// The positions of a slice: the first, the distance, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Positions {
    /// The first position; meaningless where there are none.
    pub(super) start: i64,
    /// Distance to the next, never zero.
    pub(super) step: i64,
    /// How many.
    pub(super) count: usize,
}

impl Positions {
    /// Every position of an axis, in order.
    pub(super) fn is_whole(&self, extent: usize) -> bool {
        self.count == extent && (extent == 0 || (self.start == 0 && self.step == 1))
    }
}

/// `slice.indices(extent)`; the parts must be known.
///
/// # Errors
/// `IndexError` for traced parts, `ValueError` for a step of zero, `TypeError` for parts that are no integers.
pub(super) fn slice_positions(
    cx: &Context<'_>,
    slice: &Rc<Slice>,
    extent: usize,
    position: usize,
) -> PyResult<Positions> {
    let parts = [&slice.lower, &slice.upper, &slice.step];
    if parts.iter().any(|part| crate::refs::array_tile(part).is_some_and(Tile::is_traced)) {
        return Err(traced_slice(cx, slice, position));
    }
    let part = |value: &Value| -> PyResult<Option<i64>> {
        match value {
            Value::None => Ok(None),
            value => {
                let int = cx.interp.to_int(value)?;
                Ok(Some(int.to_i64().unwrap_or(if int.is_negative() { i64::MIN / 2 } else { i64::MAX / 2 })))
            }
        }
    };
    let (lower, upper, step) = (part(parts[0])?, part(parts[1])?, part(parts[2])?.unwrap_or(1));
    if step == 0 {
        return Err(cx.interp.value_error("slice step cannot be zero"));
    }
    let extent = extent as i64;
    // The ends between which a bound is clipped: going down, one before the first element is a bound.
    let (low, high) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let clip = |bound: i64| if bound < 0 { (bound + extent).max(low) } else { bound.min(high) };
    let start = lower.map_or(if step > 0 { low } else { high }, clip);
    let stop = upper.map_or(if step > 0 { high } else { low }, clip);
    let distance = if step > 0 { stop - start } else { start - stop };
    let count = if distance > 0 { (distance as u64).div_ceil(step.unsigned_abs()) as usize } else { 0 };
    Ok(Positions { start, step, count })
}

fn traced_slice(cx: &Context<'_>, slice: &Rc<Slice>, position: usize) -> Box<Stop> {
    let shown = cx.interp.repr(&Value::Slice(slice.clone())).unwrap_or_default();
    cx.interp.error_with(
        &cx.interp.types().index_error,
        format!("Slice entries must be static integers. Got {shown} at position {position}"),
        Diagnosis {
            code: "PL307",
            message: Some("the bounds of this slice are traced values, but a slice needs a known size".to_string()),
            help: Some(
                "use `lax.dynamic_slice_in_dim(x, start, size)`, or `ref[pl.ds(start, size)]` when reading from a Ref"
                    .to_string(),
            ),
            ..Diagnosis::default()
        },
    )
}

/// Masks replaced by the positions where they are true; scalar masks stay. `None` where analysis does not know a mask.
///
/// # Errors
/// `NonConcreteBooleanIndexError` for traced masks; `IndexError` where a mask does not fit.
pub(super) fn expand_masks(cx: &Context<'_>, shape: &Shape, entries: Vec<Entry>) -> PyResult<Parsed> {
    let mut expanded = Vec::with_capacity(entries.len());
    for entry in entries {
        let Kind::Boolean(mask) = &entry.kind else {
            expanded.push(entry);
            continue;
        };
        let array = match mask {
            Tile::Concrete { array, .. } => array,
            Tile::Abstract(_) => return Ok(None),
            Tile::Traced(traced) => return Err(traced_mask(cx, traced)),
        };
        if array.rank() == 0 {
            expanded.push(entry);
            continue;
        }
        let expected = &shape[entry.axes.clone()];
        if !array.shape().iter().zip(expected).all(|(&given, &extent)| given == 0 || given == extent) {
            let expected: Vec<String> = expected.iter().map(usize::to_string).collect();
            return Err(cx.interp.index_error(format!(
                "boolean index did not match shape of indexed array in index {}: got {}, expected [{}]",
                entry.position,
                array.shape(),
                expected.join(", ")
            )));
        }
        for (positions, axis) in where_true(array).into_iter().zip(entry.axes.clone()) {
            let scalars: Vec<Scalar> = positions.iter().map(|&p| Scalar::Int(p as i128)).collect();
            let array = Array::from_scalars(DType::I32, [scalars.len()], &scalars)
                .map_err(|error| cx.interp.value_error(error.to_string()))?;
            let kind = Kind::Array(Tile::concrete(array));
            expanded.push(Entry { kind, axes: axis..axis + 1, position: entry.position });
        }
    }
    Ok(Some(expanded))
}

/// For each dimension, the index of every true element in row-major order.
pub(crate) fn where_true(mask: &Array) -> Vec<Vec<usize>> {
    let strides = mask.shape().strides();
    let mut positions = vec![Vec::new(); mask.rank()];
    for (flat, value) in mask.iter_scalars().enumerate() {
        if value.as_bool() == Some(true) {
            for (axis, list) in positions.iter_mut().enumerate() {
                list.push(flat / strides[axis] % mask.shape()[axis]);
            }
        }
    }
    positions
}

fn traced_mask(cx: &Context<'_>, traced: &crate::tile::Traced) -> Box<Stop> {
    let shown = errors::type_text(&traced.ty);
    cx.interp.error_with(
        &errors::non_concrete_boolean_index(cx.interp),
        format!(
            "Array boolean indices must be concrete; got {shown}\n\nSee \
             https://docs.jax.dev/en/latest/errors.html#jax.errors.NonConcreteBooleanIndexError"
        ),
        Diagnosis {
            code: "PL307",
            message: Some(format!("this mask is a traced value of type {shown}: the shape of the result is not known")),
            help: Some("use `jnp.where(mask, x, other)`, which keeps the shape".to_string()),
            ..Diagnosis::default()
        },
    )
}
