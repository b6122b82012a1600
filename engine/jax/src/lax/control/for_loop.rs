//! `fori_loop`, and what its carry may be.

use super::carry::{Carried, next_carry, settled};
use super::{assemble, leaves, staged, tiles, values};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::held::threads::Threads;
use crate::primitive;
use crate::tile::Tile;
use crate::tree::{self, TreeDef};
use pallas_ir::{Attributes, Op, TensorType, Type, ops};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar};

pub(super) fn fori_loop(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [lower, upper, body, init, _unroll] = args.take();
    let cx = Context::jax(interp);
    let lower = convert::tile(&cx, &lower, "fori_loop")?;
    let upper = convert::tile(&cx, &upper, "fori_loop")?;
    // Known bounds are Python ints to JAX, and so is the index then: weakly typed.
    let [lower, upper] = if lower.is_traced() || upper.is_traced() || !are_counts(&lower, &upper) {
        [lower, upper]
    } else {
        [lower, upper].map(|bound| as_int(convert::default_int(&cx), &bound))
    };
    let carried = Carried::counting(&lower, &upper);
    for_loop(&cx, &carried, [&lower, &upper], &init, &mut |cx, index, carry| {
        cx.interp.call_values(&body, [Value::object(ArrayObject { tile: index }), carry])
    })
}

fn are_counts(lower: &Tile, upper: &Tile) -> bool {
    [lower, upper].iter().all(|bound| bound.rank() == 0 && bound.dtype().is_integer())
        && (lower.dtype() == upper.dtype() || lower.weak() != upper.weak())
}

/// A known bound as a Python int.
fn as_int(dtype: DType, bound: &Tile) -> Tile {
    let value = bound.array().and_then(|array| array.get(0)).and_then(Scalar::as_int);
    match value {
        Some(value) => Tile::Concrete { array: Array::scalar(dtype, Scalar::Int(value)), weak: true },
        None => Tile::Abstract(TensorType { weak: true, ..TensorType::scalar(dtype) }),
    }
}

/// `for i in lower..upper: carry = body(i, carry)` as one op.
pub(crate) fn for_loop(
    cx: &Context<'_>,
    carried: &Carried,
    [lower, upper]: [&Tile; 2],
    init: &Value,
    body: &mut dyn FnMut(&Context<'_>, Tile, Value) -> PyResult<Value>,
) -> PyResult<Value> {
    let (dtype, _) = convert::common_dtype(cx, &[lower, upper])?;
    if !dtype.is_integer() || lower.rank() != 0 || upper.rank() != 0 {
        return Err(cx.interp.type_error(format!(
            "lower and upper arguments to fori_loop must have integer types, got {} and {}",
            lower.dtype().name(),
            upper.dtype().name()
        )));
    }
    let weak = lower.weak() && lower.dtype() == dtype;
    let threads = Threads::live(cx);
    let refs = CarriedRefs::of(cx, init)?;
    let init = &threads.join(&refs.apart(cx, init)?, threads.tiles());
    let body = &mut |cx: &Context<'_>, index: Tile, carry: Value| {
        threads.round(cx, &carry, |carry| refs.apart(cx, &body(cx, index, refs.join(cx, carry)?)?))
    };
    let result = threads.settle(cx, carrying_for(cx, carried, (dtype, weak), [lower, upper], init, body))?;
    refs.join(cx, result)
}

/// Refs in the carry of a loop: they stay what they are, and do not go round.
struct CarriedRefs(Option<(TreeDef, Vec<Option<Value>>)>);

impl CarriedRefs {
    pub(super) fn of(cx: &Context<'_>, carry: &Value) -> PyResult<CarriedRefs> {
        let (found, def) = tree::flatten(cx.interp, carry, None)?;
        let is_ref = |value: &Value| value.downcast::<crate::refs::RefObject>().is_some();
        if !found.iter().any(is_ref) {
            return Ok(CarriedRefs(None));
        }
        let refs = found.into_iter().map(|value| is_ref(&value).then_some(value)).collect();
        Ok(CarriedRefs(Some((def, refs))))
    }

    /// The rest of a carry.
    pub(super) fn apart(&self, cx: &Context<'_>, carry: &Value) -> PyResult<Value> {
        let Some((_, refs)) = &self.0 else { return Ok(carry.clone()) };
        let (found, _) = tree::flatten(cx.interp, carry, None)?;
        let rest = found.into_iter().zip(refs).filter(|(_, known)| known.is_none()).map(|(value, _)| value);
        Ok(Value::tuple(rest.collect::<Vec<_>>()))
    }

    /// The carry with its Refs.
    pub(super) fn join(&self, cx: &Context<'_>, rest: Value) -> PyResult<Value> {
        let Some((def, refs)) = &self.0 else { return Ok(rest) };
        let mut rest = cx.interp.collect(&rest)?.into_iter();
        let mut all = refs.iter().filter_map(|known| known.clone().or_else(|| rest.next()));
        tree::unflatten(cx.interp, def, &mut all)
    }
}

fn carrying_for(
    cx: &Context<'_>,
    carried: &Carried,
    (dtype, weak): (DType, bool),
    [lower, upper]: [&Tile; 2],
    init: &Value,
    body: &mut dyn FnMut(&Context<'_>, Tile, Value) -> PyResult<Value>,
) -> PyResult<Value> {
    let (carry, def) = leaves(cx, init, "fori_loop")?;
    let results = settled(cx, carry, |settling| {
        staged(cx, "fori_loop", |trace| {
            let mut params = vec![Type::Tensor(TensorType { weak, ..TensorType::scalar(dtype) })];
            params.extend(settling.carry().iter().map(|tile| Type::Tensor(tile.ty())));
            let (region, ()) = trace.in_region(&params, |inside| {
                let mut inside = tiles(trace, inside).into_iter();
                let index =
                    inside.next().ok_or_else(|| cx.interp.runtime_error("a loop has no counter".to_string()))?;
                let value = assemble(cx, &def, inside)?;
                let result = body(cx, index, value)?;
                Ok((next_carry(cx, trace, carried, &def, settling, &result)?, ()))
            })?;
            let mut operands = vec![primitive::convert(cx, lower, dtype, false)?];
            operands.push(primitive::convert(cx, upper, dtype, false)?);
            operands.extend(settling.carry().iter().cloned());
            let operands = values(cx, trace, &operands)?;
            let results = trace.add(cx, Op(&ops::FOR), &operands, Attributes::none(), &[region])?;
            Ok(tiles(trace, &results))
        })
    })?;
    assemble(cx, &def, results)
}
