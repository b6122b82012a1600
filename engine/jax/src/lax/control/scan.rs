//! `scan` and `map`: loops over the rows of arrays.

use super::carry::{Carried, explained, probe};
use super::for_loop::for_loop;
use super::{Step, assemble, leaves};
use crate::context::Context;
use crate::convert;
use crate::held::threads::Threads;
use crate::primitive;
use crate::tile::Tile;
use crate::tree::{self, TreeDef};
use pallas_ir::{Attribute, Attributes, TensorType, ops};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};

pub(super) fn map(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, xs, _batch] = args.take();
    let cx = Context::jax(interp);
    let (_, stacked) = scan_over(
        &cx,
        Carried::of_body(interp, "scan", &function),
        &mut |cx, _carry, x| Ok((Value::None, cx.interp.call_values(&function, [x])?)),
        &Value::None,
        &xs,
        None,
        false,
    )?;
    Ok(stacked)
}

pub(super) fn scan(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, init, xs, length, reverse, _unroll, _split] = args.take();
    let cx = Context::jax(interp);
    let length = match length.given() {
        Some(length) => Some(interp.to_usize(&length)?),
        None => None,
    };
    let reverse = interp.truth(&reverse)?;
    let (carry, stacked) = scan_over(
        &cx,
        Carried::of_body(interp, "scan", &function),
        &mut |cx, carry, x| {
            let result = cx.interp.call_values(&function, [carry, x])?;
            let (_, def) = tree::flatten(cx.interp, &result, None)?;
            let parts = match def {
                TreeDef::Tuple(_) | TreeDef::List(_) | TreeDef::NamedTuple(..) => cx.interp.collect(&result)?,
                _ if result.is_unknown() => cx.interp.collect(&result)?,
                _ => Vec::new(),
            };
            match parts.as_slice() {
                [carry, y] => Ok((carry.clone(), y.clone())),
                _ => Err(not_a_pair(cx, &result)?),
            }
        },
        &init,
        &xs,
        length,
        reverse,
    )?;
    Ok(Value::tuple([carry, stacked]))
}

/// A body that returns its carry alone, most often.
fn not_a_pair(cx: &Context<'_>, result: &Value) -> PyResult<Box<Stop>> {
    let interp = cx.interp;
    let (leaves, def) = tree::flatten(interp, result, None)?;
    let types = leaves.iter().map(|leaf| match convert::try_tile(cx, leaf)? {
        Some(tile) if matches!(def, TreeDef::Leaf) => Ok(primitive::type_text(&tile.ty())),
        Some(tile) => {
            let weak = if tile.weak() { ", weak_type=True" } else { "" };
            Ok(format!("ShapedArray({}{weak})", primitive::type_text(&tile.ty())))
        }
        None => interp.repr(leaf),
    });
    let types = types.collect::<PyResult<Vec<_>>>()?;
    let shown = match (&def, types.as_slice()) {
        (TreeDef::Leaf, [one]) => one.clone(),
        (TreeDef::Tuple(_), [one]) => format!("({one},)"),
        (TreeDef::Tuple(_), types) => format!("({})", types.join(", ")),
        (TreeDef::List(_), types) => format!("[{}]", types.join(", ")),
        _ => def.text(interp)?,
    };
    Ok(interp.error_with(
        &interp.types().type_error,
        format!("scan body output must be a pair, got {shown}."),
        Diagnosis {
            code: "PL310",
            message: Some("the body of a scan returns a pair: what goes round, and what is stacked".to_string()),
            help: Some("`return carry, None` where nothing is stacked".to_string()),
            ..Diagnosis::default()
        },
    ))
}

/// A scan as a `for` whose carry holds the stacked results.
fn scan_over(
    cx: &Context<'_>,
    carried: Carried,
    step: Step<'_>,
    init: &Value,
    xs: &Value,
    length: Option<usize>,
    reverse: bool,
) -> PyResult<(Value, Value)> {
    let threads = Threads::live(cx);
    let init = &threads.join(init, threads.tiles());
    let step = &mut |cx: &Context<'_>, carry: Value, x: Value| {
        let (next, y) = step(cx, threads.split(cx, &carry)?, x)?;
        Ok((threads.join(&next, threads.now()), y))
    };
    let mut stacked = Value::None;
    let carry = carrying_scan(cx, carried, step, init, xs, length, reverse).map(|(carry, ys)| {
        stacked = ys;
        carry
    });
    Ok((threads.settle(cx, carry)?, stacked))
}

fn carrying_scan(
    cx: &Context<'_>,
    carried: Carried,
    step: Step<'_>,
    init: &Value,
    xs: &Value,
    length: Option<usize>,
    reverse: bool,
) -> PyResult<(Value, Value)> {
    let interp = cx.interp;
    let (inputs, input_def) = leaves(cx, xs, "scan")?;
    let mut extents = inputs.iter().map(|t| t.shape().first().copied());
    let given = length;
    let length = match (length, extents.next()) {
        (Some(length), _) => length,
        (None, Some(Some(extent))) => extent,
        (None, Some(None)) => {
            return Err(interp.value_error("scan got value with no leading axis to scan over".to_string()));
        }
        (None, None) => {
            return Err(interp.value_error("scan got no values to scan over and `length` not provided.".to_string()));
        }
    };
    if inputs.iter().any(|t| t.shape().first() != Some(&length)) {
        let mut sizes: Vec<usize> = Vec::new();
        for size in inputs.iter().map(|t| t.shape().first().copied().unwrap_or(0)) {
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        let shown: Vec<String> = sizes.iter().map(usize::to_string).collect();
        return Err(interp.value_error(match given {
            Some(length) => format!(
                "scan got `length` argument of {length} which disagrees with leading axis sizes [{}].",
                inputs
                    .iter()
                    .map(|t| t.shape().first().copied().unwrap_or(0).to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            None => format!("scan got values with different leading axis sizes: {}.", shown.join(", ")),
        }));
    }
    let (carry, carry_def) = leaves(cx, init, "scan")?;
    let at = |cx: &Context<'_>, index: &Tile| -> PyResult<Value> {
        let rows = inputs.iter().map(|t| row(cx, t, index)).collect::<PyResult<Vec<_>>>()?;
        assemble(cx, &input_def, rows)
    };
    // What one step gives, to size the stacked results and settle weak carries.
    let mut y_types: Option<(Vec<TensorType>, TreeDef)> = None;
    let zero = primitive::scalar(DType::I32, Scalar::Int(0));
    let carry = {
        let mut found = None;
        let types = probe(cx, &carry, &mut |cx, inside, _trace| {
            let value = assemble(cx, &carry_def, inside.iter().cloned())?;
            let (next, y) = step(cx, value, at(cx, &zero)?)?;
            let (ys, def) = leaves(cx, &y, "scan")?;
            found = Some((ys.iter().map(Tile::ty).collect::<Vec<_>>(), def));
            Ok(next)
        })?;
        y_types = found.or(y_types);
        match types {
            Some(types) => carry
                .into_iter()
                .zip(types)
                .map(|(tile, ty)| {
                    if tile.weak() && tile.shape() == &ty.shape {
                        primitive::convert(cx, &tile, ty.dtype, ty.weak)
                    } else {
                        Ok(tile)
                    }
                })
                .collect::<PyResult<Vec<_>>>()?,
            None => carry,
        }
    };
    let Some((y_types, y_def)) = y_types else {
        return Err(interp.type_error("scan's function returned nothing to stack".to_string()));
    };
    let mut state = carry.clone();
    for ty in &y_types {
        let shape = std::iter::once(length).chain(ty.shape.iter().copied()).collect();
        let empty = primitive::full(cx, &shape, ty.dtype, primitive::zero_scalar(ty.dtype))?;
        state.push(primitive::convert(cx, &empty, ty.dtype, ty.weak)?);
    }
    let count = carry.len();
    let state_def = TreeDef::Tuple(state.iter().map(|_| TreeDef::Leaf).collect());
    let init_state = assemble(cx, &state_def, made_here(cx, state)?)?;
    let upper = primitive::scalar(DType::I32, Scalar::Int(length as i128));
    let carried = carried.parts_of(&carry_def);
    let result = for_loop(cx, &carried, [&zero, &upper], &init_state, &mut |cx, index, state| {
        let index = if reverse {
            let last = primitive::scalar(DType::I32, Scalar::Int(length as i128 - 1));
            primitive::binary(cx, &ops::SUB, &last, &index)?
        } else {
            index
        };
        let (state, _) = leaves(cx, &state, "scan")?;
        let (carry_now, stacked) = state.split_at(count);
        let value = assemble(cx, &carry_def, carry_now.iter().cloned())?;
        let (next, y) = step(cx, value, at(cx, &index)?)?;
        let (mut next, next_def) = leaves(cx, &next, "scan")?;
        if !carry_def.same(&next_def, cx.interp)? {
            return Err(cx.interp.error_with(
                &cx.interp.types().type_error,
                carried.other_structure(cx.interp, &carry_def, &next_def)?,
                explained(cx.interp, &carry_def, &next_def, &Value::Unset)?,
            ));
        }
        let (ys, _) = leaves(cx, &y, "scan")?;
        for (array, y) in stacked.iter().zip(&ys) {
            next.push(set_row(cx, array, &index, y)?);
        }
        assemble(cx, &state_def, made_here(cx, next)?)
    })?;
    let (state, _) = leaves(cx, &result, "scan")?;
    let (carry, stacked) = state.split_at(count);
    Ok((assemble(cx, &carry_def, carry.iter().cloned())?, assemble(cx, &y_def, stacked.iter().cloned())?))
}

/// Numbers of Python's as values of the trace that is open: as arrays they would look as if a kernel had captured them.
fn made_here(cx: &Context<'_>, tiles: Vec<Tile>) -> PyResult<Vec<Tile>> {
    let Some(trace) = cx.trace() else { return Ok(tiles) };
    let made = tiles.into_iter().map(|tile| match &tile {
        Tile::Concrete { .. } if tile.rank() == 0 => {
            let value = cx.value_in(&trace, &tile)?;
            Ok(trace.tile(value).unwrap_or(tile))
        }
        _ => Ok(tile),
    });
    made.collect()
}

/// `x[index]` along the leading axis.
pub(crate) fn row(cx: &Context<'_>, x: &Tile, index: &Tile) -> PyResult<Tile> {
    let sizes: Vec<i64> = std::iter::once(1).chain(x.shape().iter().skip(1).map(|&d| d as i64)).collect();
    let zero = primitive::scalar(index.dtype(), Scalar::Int(0));
    let mut operands = vec![x, index];
    operands.extend((1..x.rank()).map(|_| &zero));
    let slice = cx.bind(&ops::DYNAMIC_SLICE, &operands, Attributes::none().with("sizes", Attribute::Ints(sizes)))?;
    primitive::squeeze(cx, &slice, &[0])
}

/// `x.at[index].set(y)` along the leading axis.
pub(crate) fn set_row(cx: &Context<'_>, x: &Tile, index: &Tile, y: &Tile) -> PyResult<Tile> {
    let update = primitive::expand_dims(cx, &primitive::convert(cx, y, x.dtype(), x.weak())?, &[0])?;
    let zero = primitive::scalar(index.dtype(), Scalar::Int(0));
    let mut operands = vec![x, &update, index];
    operands.extend((1..x.rank()).map(|_| &zero));
    let updated = cx.bind(&ops::DYNAMIC_UPDATE_SLICE, &operands, Attributes::none())?;
    primitive::convert(cx, &updated, x.dtype(), x.weak())
}
