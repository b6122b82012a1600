//! Joining and splitting arrays: concatenate, stack and their spellings, split, append. Follows
//! jax/_src/numpy/lax_numpy.py.

use super::call::{self, functions, given, operand, result};
use super::compose;
use super::shaping;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_python::Diagnosis;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};

functions! { JAX_ROWS NUMPY_ROWS
    "concatenate" "(arrays, axis=0, dtype=None)" "Joins arrays along an axis." concatenate;
    "concat" "(arrays, /, *, axis=0)" "Joins arrays along an axis." concat;
    "stack" "(arrays, axis=0, out=None, dtype=None)" "Joins arrays along a new axis." stack;
    "unstack" "(x, /, *, axis=0)" "The slices along an axis." unstack;
    "vstack" "(tup, dtype=None)" "Stacks rows." |cx, args| stack_at_least(cx, args, "vstack", 2);
    "row_stack" "(tup, dtype=None)" "Stacks rows." |cx, args| stack_at_least(cx, args, "vstack", 2);
    "hstack" "(tup, dtype=None)" "Joins along the second axis (the first for vectors)." |cx, args| stack_at_least(cx, args, "hstack", 1);
    "dstack" "(tup, dtype=None)" "Joins along the third axis." |cx, args| stack_at_least(cx, args, "dstack", 3);
    "column_stack" "(tup)" "Stacks vectors as columns." column_stack;
    "block" "(arrays)" "Joins nested lists of blocks." block;
    "append" "(arr, values, axis=None)" "Joins values to the end." append;
    "split" "(ary, indices_or_sections, axis=0)" "Parts of equal size, or between positions." |cx, args| split(cx, args, "split", None);
    "array_split" "(ary, indices_or_sections, axis=0)" "Parts of nearly equal size, or between positions." |cx, args| split(cx, args, "array_split", None);
    "vsplit" "(ary, indices_or_sections)" "Splits along the first axis." |cx, args| split(cx, args, "vsplit", Some(0));
    "hsplit" "(ary, indices_or_sections)" "Splits along the second axis (the first for vectors)." |cx, args| split(cx, args, "hsplit", Some(1));
    "dsplit" "(ary, indices_or_sections)" "Splits along the third axis." |cx, args| split(cx, args, "dsplit", Some(2));
}

/// The arrays of a sequence; a single array gives its rows.
fn parts(cx: &Context<'_>, arrays: &Value, name: &str) -> PyResult<Vec<Tile>> {
    // (What a list holds is not made one array first, element by element.)
    if !matches!(arrays, Value::List(_) | Value::Tuple(_))
        && let Ok(Some(tile)) = call::try_operand(cx, arrays)
    {
        if tile.rank() == 0 {
            return Err(cx.interp.type_error("iteration over a 0-d array"));
        }
        return (0..tile.shape()[0]).map(|row| compose::take_axis(cx, &tile, 0, row)).collect();
    }
    call::operands(cx, &cx.interp.collect(arrays)?, name)
}

/// Operands with one dtype: the one asked for, or the one they promote to.
fn unify(cx: &Context<'_>, tiles: &[Tile], dtype: Option<DType>) -> PyResult<Vec<Tile>> {
    match dtype {
        Some(dtype) => tiles.iter().map(|tile| p::convert(cx, tile, dtype, false)).collect(),
        None => convert::promote_dtypes(cx, &tiles.iter().collect::<Vec<_>>()),
    }
}

/// Joins tiles of several dtypes along an axis.
///
/// # Errors
/// `ValueError` for no tiles and for scalars; shape errors in lax's or numpy's words.
pub fn concatenate_tiles(cx: &Context<'_>, tiles: &[Tile], axis: i64, dtype: Option<DType>) -> PyResult<Tile> {
    let Some(first) = tiles.first() else {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => "Need at least one array to concatenate.",
            Rules::Numpy => "need at least one array to concatenate",
        }));
    };
    if first.rank() == 0 {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => "Zero-dimensional arrays cannot be concatenated.",
            Rules::Numpy => "zero-dimensional arrays cannot be concatenated",
        }));
    }
    let axis = convert::normalize_axis(cx, axis, first.rank())?;
    let tiles = unify(cx, tiles, dtype)?;
    if cx.rules == Rules::Numpy {
        check_numpy_shapes(cx, &tiles, axis)?;
    }
    if let [only] = tiles.as_slice() {
        return Ok(only.clone());
    }
    p::concatenate(cx, &tiles.iter().collect::<Vec<_>>(), axis)
}

fn check_numpy_shapes(cx: &Context<'_>, tiles: &[Tile], axis: usize) -> PyResult<()> {
    let first = tiles[0].shape();
    for (index, tile) in tiles.iter().enumerate().skip(1) {
        let shape = tile.shape();
        if shape.rank() != first.rank() {
            return Err(cx.interp.value_error(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along \
                 dimension 0, the array at index 0 has {} dimension(s) and the array at index {index} has {} dimension(s)",
                first.rank(),
                shape.rank()
            )));
        }
        if let Some(dim) = (0..first.rank()).find(|&dim| dim != axis && first[dim] != shape[dim]) {
            return Err(cx.interp.value_error(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along \
                 dimension {dim}, the array at index 0 has size {} and the array at index {index} has size {}",
                first[dim], shape[dim]
            )));
        }
    }
    Ok(())
}

fn concatenate(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [arrays, axis, dtype] = args.take();
    concatenate_values(cx, &arrays, &axis, &dtype)
}

fn concat(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [arrays, axis] = args.take();
    concatenate_values(cx, &arrays, &axis, &Value::None)
}

fn concatenate_values(cx: &Context<'_>, arrays: &Value, axis: &Value, dtype: &Value) -> PyResult<Value> {
    let tiles = parts(cx, arrays, "concatenate")?;
    let dtype = call::dtype(cx, dtype)?;
    let tile = match given(axis) {
        Some(axis) => concatenate_tiles(cx, &tiles, cx.interp.to_i64(axis)?, dtype)?,
        None => {
            let flat = tiles
                .iter()
                .map(|tile| p::reshape(cx, tile, &Shape::from([tile.shape().size()])))
                .collect::<PyResult<Vec<_>>>()?;
            concatenate_tiles(cx, &flat, 0, dtype)?
        }
    };
    result(cx, tile)
}

/// Joins tiles of one shape and dtype along a new axis.
pub fn stack_tiles(cx: &Context<'_>, tiles: &[Tile], axis: usize) -> PyResult<Tile> {
    let widened = tiles.iter().map(|tile| p::expand_dims(cx, tile, &[axis])).collect::<PyResult<Vec<_>>>()?;
    if let [only] = widened.as_slice() {
        return Ok(only.clone());
    }
    p::concatenate(cx, &widened.iter().collect::<Vec<_>>(), axis)
}

fn stack(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [arrays, axis, out, dtype] = args.take();
    call::refuse_out(cx, &out, "stack")?;
    let tiles = parts(cx, &arrays, "stack")?;
    let Some(first) = tiles.first() else {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => "Need at least one array to stack.",
            Rules::Numpy => "need at least one array to stack",
        }));
    };
    if tiles.iter().any(|tile| tile.shape() != first.shape()) {
        let shapes: Vec<String> = tiles.iter().map(|tile| tile.shape().to_string()).collect();
        let message = match cx.rules {
            Rules::Jax if tiles.iter().any(|tile| tile.rank() != first.rank()) => {
                format!("Cannot stack arrays with different numbers of dimensions: got {}.", shapes.join(", "))
            }
            Rules::Jax => format!("All input arrays must have the same shape. Got {}.", shapes.join(", ")),
            Rules::Numpy => "all input arrays must have the same shape".to_string(),
        };
        let class = &cx.interp.types().value_error;
        return Err(cx.interp.error_with(class, message, Diagnosis { code: "PL303", ..Diagnosis::default() }));
    }
    let axis = convert::normalize_axis(cx, call::integer(cx, &axis, 0)?, first.rank() + 1)?;
    let tiles = unify(cx, &tiles, call::dtype(cx, &dtype)?)?;
    result(cx, stack_tiles(cx, &tiles, axis)?)
}

fn unstack(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "unstack")?;
    if x.rank() == 0 {
        return Err(cx.interp.value_error("Unstack requires arrays with rank > 0, however a scalar array was passed."));
    }
    let axis = convert::axis(cx, args.get(1), x.rank())?;
    let slices =
        (0..x.shape()[axis]).map(|index| compose::take_axis(cx, &x, axis, index)).collect::<PyResult<Vec<_>>>()?;
    call::results(cx, slices)
}

fn stack_at_least(cx: &Context<'_>, args: Arguments, name: &str, rank: usize) -> PyResult<Value> {
    let [arrays, dtype] = args.take();
    let tiles = parts(cx, &arrays, name)?
        .iter()
        .map(|tile| shaping::at_least_rank(cx, tile, rank))
        .collect::<PyResult<Vec<_>>>()?;
    let axis = match (rank, tiles.first().map(Tile::rank)) {
        (1, Some(1)) | (2, _) => 0,
        (1, _) => 1,
        _ => 2,
    };
    let tile = concatenate_tiles(cx, &tiles, axis, call::dtype(cx, &dtype)?)?;
    result(cx, tile)
}

fn column_stack(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let columns = parts(cx, args.get(0), "column_stack")?
        .iter()
        .map(|tile| match tile.rank() {
            0 => p::expand_dims(cx, tile, &[0, 1]),
            1 => p::expand_dims(cx, tile, &[1]),
            _ => Ok(tile.clone()),
        })
        .collect::<PyResult<Vec<_>>>()?;
    result(cx, concatenate_tiles(cx, &columns, 1, None)?)
}

fn block(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (tile, _) = block_of(cx, args.get(0))?;
    result(cx, tile)
}

/// A block and its depth in the nest of lists.
fn block_of(cx: &Context<'_>, value: &Value) -> PyResult<(Tile, usize)> {
    match value {
        Value::List(items) => {
            let items = items.borrow().clone();
            if items.is_empty() {
                return Err(cx.interp.value_error("jax.numpy.block does not allow empty list arguments"));
            }
            let blocks =
                items.iter().map(|item| cx.interp.nested(|| block_of(cx, item))).collect::<PyResult<Vec<_>>>()?;
            let depth = blocks[0].1;
            if blocks.iter().any(|(_, other)| *other != depth) {
                return Err(cx.interp.value_error("Mismatched list depths in jax.numpy.block"));
            }
            let rank = blocks.iter().map(|(tile, _)| tile.rank()).max().unwrap_or(0).max(depth);
            let tiles = blocks
                .iter()
                .map(|(tile, _)| p::expand_dims(cx, tile, &(0..rank - tile.rank()).collect::<Vec<_>>()))
                .collect::<PyResult<Vec<_>>>()?;
            Ok((concatenate_tiles(cx, &tiles, -(depth as i64), None)?, depth + 1))
        }
        Value::Tuple(_) => {
            let shown = cx.interp.repr(value)?;
            Err(cx.interp.value_error(format!("jax.numpy.block does not allow tuples, got {shown}")))
        }
        value => Ok((operand(cx, value, "block")?, 1)),
    }
}

fn append(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, values, axis] = args.take();
    let mut tiles = [operand(cx, &x, "append")?, call::operand_at(cx, &values, "append", 1)?];
    let axis = match given(&axis) {
        Some(axis) => cx.interp.to_i64(axis)?,
        None => {
            for tile in &mut tiles {
                *tile = p::reshape(cx, tile, &Shape::from([tile.shape().size()]))?;
            }
            0
        }
    };
    result(cx, concatenate_tiles(cx, &tiles, axis, None)?)
}

fn split(cx: &Context<'_>, args: Arguments, name: &str, fixed_axis: Option<usize>) -> PyResult<Value> {
    let x = operand(cx, args.get(0), name)?;
    let axis = match fixed_axis {
        None => convert::axis(cx, args.get(2), x.rank())?,
        Some(1) if x.rank() == 1 => 0,
        Some(axis) => convert::normalize_axis(cx, axis as i64, x.rank())?,
    };
    let size = x.shape()[axis];
    let tiles = match sections(cx, args.get(1))? {
        Sections::Count(count) => {
            let rest = size % count;
            if rest != 0 && name != "array_split" {
                return Err(cx.interp.value_error(match cx.rules {
                    Rules::Jax => format!("array split does not result in an equal division: rest is {rest}"),
                    Rules::Numpy => "array split does not result in an equal division".to_string(),
                }));
            }
            let mut start = 0;
            (0..count)
                .map(|part| {
                    let extent = size / count + usize::from(part < rest);
                    start += extent;
                    compose::slice_axis(cx, &x, axis, start - extent, start)
                })
                .collect::<PyResult<Vec<_>>>()?
        }
        Sections::At(positions) => {
            let clamped = positions.into_iter().map(|position| {
                let position = if position < 0 { position + size as i64 } else { position };
                usize::try_from(position).unwrap_or(0).min(size)
            });
            let mut bounds: Vec<usize> = std::iter::once(0).chain(clamped).collect();
            bounds.push(size);
            bounds
                .windows(2)
                .map(|pair| compose::slice_axis(cx, &x, axis, pair[0].min(pair[1]), pair[1]))
                .collect::<PyResult<Vec<_>>>()?
        }
    };
    call::result_list(cx, tiles)
}

/// Where to split.
enum Sections {
    Count(usize),
    At(Vec<i64>),
}

fn sections(cx: &Context<'_>, value: &Value) -> PyResult<Sections> {
    let sequence = matches!(value, Value::List(_) | Value::Tuple(_) | Value::Range(_))
        || call::try_operand(cx, value)?.is_some_and(|tile| tile.rank() > 0);
    if sequence {
        return Ok(Sections::At(call::int_sequence(cx, value)?));
    }
    let count = cx.interp.to_i64(value)?;
    match usize::try_from(count) {
        Ok(0) => Err(cx.interp.zero_division_error("integer division or modulo by zero")),
        Ok(count) => Ok(Sections::Count(count)),
        Err(_) => Err(cx.interp.value_error("number sections must be larger than 0.")),
    }
}
