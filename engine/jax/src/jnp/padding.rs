//! `pad` with its modes, as `_pad` in jax/_src/numpy/lax_numpy.py.

use super::call::{self, functions, given, operand, result};
use super::compose;
use super::ranges;
use super::reductions::{self as r, Options};
use super::statistics;
use crate::context::{Context, Rules};
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};

functions! { JAX_ROWS NUMPY_ROWS
    "pad" "(array, pad_width, mode='constant', **kwargs)" "Surrounds an array." pad;
}

/// Padding before and after, per dimension.
type Widths = Vec<(usize, usize)>;

/// Modes and the keywords that they take.
static MODES: &[(&str, &[&str])] = &[
    ("constant", &["constant_values"]),
    ("edge", &[]),
    ("empty", &[]),
    ("linear_ramp", &["end_values"]),
    ("maximum", &["stat_length"]),
    ("mean", &["stat_length"]),
    ("median", &["stat_length"]),
    ("minimum", &["stat_length"]),
    ("reflect", &["reflect_type"]),
    ("symmetric", &["reflect_type"]),
    ("wrap", &[]),
];

fn pad(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, width, mode, keywords] = args.take();
    let x = operand(cx, &x, "pad")?;
    let widths = widths(cx, &width, x.rank())?;
    let Value::Str(mode) = &mode else {
        return Err(cx.interp.not_implemented_error("functions as the mode of pad are not supported here"));
    };
    let Some((_, allowed)) = MODES.iter().find(|(name, _)| **name == **mode) else {
        return Err(match cx.rules {
            Rules::Jax => cx.interp.not_implemented_error(format!("Unimplemented padding mode '{mode}' for np.pad.")),
            Rules::Numpy => cx.interp.value_error(format!("mode '{mode}' is not supported")),
        });
    };
    let keyword = |name: &str| -> Option<Value> {
        let Value::Dict(entries) = &keywords else { return None };
        let entries = entries.borrow();
        entries.iter().find(|(key, _)| matches!(key, Value::Str(key) if **key == *name)).map(|(_, value)| value.clone())
    };
    if let Value::Dict(entries) = &keywords {
        for (key, _) in entries.borrow().iter() {
            let key = cx.interp.to_str(key)?;
            if !allowed.contains(&&*key) {
                let message = format!("unsupported keyword arguments for mode '{mode}': {{'{key}'}}");
                return Err(cx.interp.value_error(message));
            }
        }
    }
    if x.rank() == 0 {
        return result(cx, x);
    }
    let odd = match keyword("reflect_type") {
        Some(kind) => &*cx.interp.to_str(&kind)? == "odd",
        None => false,
    };
    let tile = match &**mode {
        "constant" => constant(cx, &x, &widths, keyword("constant_values"))?,
        "empty" => constant(cx, &x, &widths, None)?,
        "edge" => by_axis(cx, &x, &widths, "edge", edge)?,
        "wrap" => by_axis(cx, &x, &widths, "wrap", wrap)?,
        "reflect" => by_axis(cx, &x, &widths, "reflect", |cx, x, axis, w| mirror(cx, x, axis, w, true, odd))?,
        "symmetric" => by_axis(cx, &x, &widths, "symmetric", |cx, x, axis, w| mirror(cx, x, axis, w, false, odd))?,
        "linear_ramp" => {
            let ends = pairs(cx, keyword("end_values"), x.rank())?;
            let mut tile = x;
            for (axis, &width) in widths.iter().enumerate() {
                tile = linear_ramp(cx, &tile, axis, width, &ends[axis])?;
            }
            tile
        }
        statistic => {
            let lengths = match keyword("stat_length").filter(|value| given(value).is_some()) {
                Some(value) => Some(self::widths(cx, &value, x.rank())?),
                None => None,
            };
            let mut tile = x;
            for (axis, &width) in widths.iter().enumerate() {
                let length = lengths.as_ref().map(|lengths| lengths[axis]);
                tile = by_statistic(cx, &tile, axis, width, length, statistic)?;
            }
            tile
        }
    };
    result(cx, tile)
}

/// `pad_width`: a number, a pair, or a pair per dimension.
fn widths(cx: &Context<'_>, value: &Value, rank: usize) -> PyResult<Widths> {
    let values = pairs(cx, Some(value.clone()), rank)?;
    values
        .into_iter()
        .map(|(before, after)| {
            let width = |value: Value| -> PyResult<usize> {
                let Ok(width) = cx.interp.to_i64(&value) else {
                    return Err(cx.interp.type_error("`pad_width` must be of integral type."));
                };
                usize::try_from(width).map_err(|_| cx.interp.value_error("index can't contain negative values"))
            };
            Ok((width(before)?, width(after)?))
        })
        .collect()
}

/// A value per side and dimension: one for all, a pair for all dimensions, or a pair each. Zeros if absent.
fn pairs(cx: &Context<'_>, value: Option<Value>, rank: usize) -> PyResult<Vec<(Value, Value)>> {
    let zero = Value::from(0i64);
    let Some(value) = value else { return Ok(vec![(zero.clone(), zero); rank]) };
    let is_sequence = |value: &Value| -> bool {
        matches!(value, Value::List(_) | Value::Tuple(_))
            || call::try_operand(cx, value).ok().flatten().is_some_and(|tile| tile.rank() > 0)
    };
    if !is_sequence(&value) {
        return Ok(vec![(value.clone(), value); rank]);
    }
    let items = cx.interp.collect(&value)?;
    let pair = |items: &[Value]| -> PyResult<(Value, Value)> {
        match items {
            [only] => Ok((only.clone(), only.clone())),
            [before, after] => Ok((before.clone(), after.clone())),
            _ => Err(cx.interp.type_error("`pad_width` entries must be the same shape")),
        }
    };
    if items.iter().any(is_sequence) {
        let rows = items.iter().map(|item| pair(&cx.interp.collect(item)?)).collect::<PyResult<Vec<_>>>()?;
        if rows.len() == rank {
            return Ok(rows);
        }
        if let [only] = rows.as_slice() {
            return Ok(vec![only.clone(); rank]);
        }
        return Err(cx.interp.value_error(format!(
            "jnp.pad: pad_width with nd={rank} has unsupported shape ({}, 2). Valid shapes are ({rank}, 2), (1, 2), (2,), \
             (1,), or ().",
            rows.len()
        )));
    }
    if items.len() > 2 {
        return Err(cx.interp.value_error(format!(
            "jnp.pad: pad_width with nd={rank} has unsupported shape ({},). Valid shapes are ({rank}, 2), (1, 2), (2,), \
             (1,), or ().",
            items.len()
        )));
    }
    Ok(vec![pair(&items)?; rank])
}

/// `lax.pad` without interior padding.
pub fn pad_tile(cx: &Context<'_>, x: &Tile, value: &Tile, widths: &[(usize, usize)]) -> PyResult<Tile> {
    if widths.iter().all(|&width| width == (0, 0)) {
        return Ok(x.clone());
    }
    let ints = |values: Vec<usize>| Attribute::Ints(values.into_iter().map(|v| v as i64).collect());
    let attributes = Attributes::none()
        .with("low", ints(widths.iter().map(|w| w.0).collect()))
        .with("high", ints(widths.iter().map(|w| w.1).collect()))
        .with("interior", ints(vec![0; widths.len()]));
    cx.bind(&ops::PAD, &[x, value], attributes)
}

fn constant(cx: &Context<'_>, x: &Tile, widths: &Widths, values: Option<Value>) -> PyResult<Tile> {
    let converted = |value: &Value| -> PyResult<Tile> {
        let tile = operand(cx, value, "pad")?;
        p::convert(cx, &tile, x.dtype(), x.weak())
    };
    let zero = Value::from(0i64);
    let single = match &values {
        None => Some(converted(&zero)?),
        Some(Value::List(_) | Value::Tuple(_)) => None,
        Some(value) => Some(converted(value)?).filter(|tile| tile.rank() == 0),
    };
    if let Some(value) = single {
        return pad_tile(cx, x, &value, widths);
    }
    let values = pairs(cx, values, x.rank())?;
    let mut tile = x.clone();
    for (axis, ((before, after), value)) in widths.iter().zip(&values).enumerate() {
        let mut one = vec![(0, 0); x.rank()];
        one[axis] = (*before, 0);
        tile = pad_tile(cx, &tile, &converted(&value.0)?, &one)?;
        one[axis] = (0, *after);
        tile = pad_tile(cx, &tile, &converted(&value.1)?, &one)?;
    }
    Ok(tile)
}

/// Pads one axis after the other; empty axes cannot be padded.
fn by_axis(
    cx: &Context<'_>,
    x: &Tile,
    widths: &Widths,
    mode: &str,
    pad_axis: impl Fn(&Context<'_>, &Tile, usize, (usize, usize)) -> PyResult<Tile>,
) -> PyResult<Tile> {
    let mut tile = x.clone();
    for (axis, &width) in widths.iter().enumerate() {
        if tile.shape()[axis] == 0 {
            if width != (0, 0) {
                return Err(cx.interp.value_error(format!("Cannot apply '{mode}' padding to empty axis")));
            }
            continue;
        }
        if width != (0, 0) {
            tile = pad_axis(cx, &tile, axis, width)?;
        }
    }
    Ok(tile)
}

fn concatenate(cx: &Context<'_>, parts: &[Tile], axis: usize) -> PyResult<Tile> {
    let parts: Vec<&Tile> = parts.iter().filter(|part| part.shape()[axis] > 0).collect();
    match parts.as_slice() {
        [only] => Ok((*only).clone()),
        parts => p::concatenate(cx, parts, axis),
    }
}

fn repeated(cx: &Context<'_>, line: &Tile, axis: usize, count: usize) -> PyResult<Tile> {
    let mut shape = line.shape().clone();
    shape[axis] = count;
    p::broadcast_to(cx, line, &shape)
}

fn edge(cx: &Context<'_>, x: &Tile, axis: usize, (before, after): (usize, usize)) -> PyResult<Tile> {
    let size = x.shape()[axis];
    let first = repeated(cx, &compose::slice_axis(cx, x, axis, 0, 1)?, axis, before)?;
    let last = repeated(cx, &compose::slice_axis(cx, x, axis, size - 1, size)?, axis, after)?;
    concatenate(cx, &[first, x.clone(), last], axis)
}

fn wrap(cx: &Context<'_>, x: &Tile, axis: usize, (before, after): (usize, usize)) -> PyResult<Tile> {
    let size = x.shape()[axis];
    let mut parts = vec![compose::slice_axis(cx, x, axis, size - before % size, size)?];
    parts.extend(std::iter::repeat_n(x.clone(), before / size + after / size + 1));
    parts.push(compose::slice_axis(cx, x, axis, 0, after % size)?);
    concatenate(cx, &parts, axis)
}

/// `reflect` (the edge is not repeated) and `symmetric` (it is); `odd` reflects through the edge.
fn mirror(
    cx: &Context<'_>,
    x: &Tile,
    axis: usize,
    (before, after): (usize, usize),
    reflect: bool,
    odd: bool,
) -> PyResult<Tile> {
    let size = x.shape()[axis];
    let offset = usize::from(reflect && size > 1);
    let mut tile = x.clone();
    for (mut missing, front) in [(before, true), (after, false)] {
        let total = tile.shape()[axis];
        let at = if front { 0 } else { total - 1 };
        let mut edge = compose::slice_axis(cx, &tile, axis, at, at + 1)?;
        while missing > 0 {
            let count = missing.min(size - offset);
            missing -= count;
            let total = tile.shape()[axis];
            let start = if front { offset } else { total - count - offset };
            let part = compose::slice_axis(cx, &tile, axis, start, start + count)?;
            let mut part = compose::reverse(cx, &part, &[axis])?;
            if odd {
                let twice = compose::with_constant(cx, &ops::MUL, &edge, 2.0)?;
                part = p::binary(cx, &ops::SUB, &p::broadcast_to(cx, &twice, part.shape())?, &part)?;
                if size > 1 {
                    let at = if front { 0 } else { count - 1 };
                    edge = compose::slice_axis(cx, &part, axis, at, at + 1)?;
                }
            }
            tile = if front { concatenate(cx, &[part, tile], axis)? } else { concatenate(cx, &[tile, part], axis)? };
        }
    }
    Ok(tile)
}

fn linear_ramp(
    cx: &Context<'_>,
    x: &Tile,
    axis: usize,
    (before, after): (usize, usize),
    ends: &(Value, Value),
) -> PyResult<Tile> {
    let size = x.shape()[axis];
    let ramp = |end: &Value, position: usize, count: usize| -> PyResult<Tile> {
        let edge = compose::take_axis(cx, x, axis, position)?;
        let ramp = ranges::ramp(cx, &operand(cx, end, "pad")?, &edge, count, x.dtype(), axis)?;
        p::convert(cx, &ramp, x.dtype(), x.weak())
    };
    if size == 0 {
        return Err(cx.interp.value_error("Cannot apply 'linear_ramp' padding to empty axis"));
    }
    let first = ramp(&ends.0, 0, before)?;
    let last = compose::reverse(cx, &ramp(&ends.1, size - 1, after)?, &[axis])?;
    concatenate(cx, &[first, x.clone(), last], axis)
}

fn by_statistic(
    cx: &Context<'_>,
    x: &Tile,
    axis: usize,
    (before, after): (usize, usize),
    length: Option<(usize, usize)>,
    statistic: &str,
) -> PyResult<Tile> {
    let size = x.shape()[axis];
    let options = Options::over(Some(vec![axis]), true);
    let of = |part: &Tile| -> PyResult<Tile> {
        let value = match statistic {
            "maximum" => r::reduce(cx, &r::MAX, part, &options)?,
            "minimum" => r::reduce(cx, &r::MIN, part, &options)?,
            "mean" => r::mean(cx, part, &options)?,
            _ => {
                let half = p::scalar(DType::F32, Scalar::Float(0.5));
                statistics::quantile(cx, part, &half, Some(vec![axis]), "midpoint", true, false)?
            }
        };
        let value =
            if x.dtype().is_integer() && value.dtype().is_float() { compose::round_even(cx, &value)? } else { value };
        p::convert(cx, &value, x.dtype(), x.weak())
    };
    let (first, last) = match length {
        None => {
            let value = of(x)?;
            (value.clone(), value)
        }
        Some((0, _) | (_, 0)) => return Err(cx.interp.value_error("stat_length of 0 yields no value for padding")),
        Some((front, back)) => (
            of(&compose::slice_axis(cx, x, axis, 0, front.min(size))?)?,
            of(&compose::slice_axis(cx, x, axis, size - back.min(size), size)?)?,
        ),
    };
    concatenate(cx, &[repeated(cx, &first, axis, before)?, x.clone(), repeated(cx, &last, axis, after)?], axis)
}
