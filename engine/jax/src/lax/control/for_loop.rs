//! `fori_loop`, and what its carry may be.

use super::carry::{next_carry, stable_carry};
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
use pallas_tensor::DType;

pub(super) fn fori_loop(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [lower, upper, body, init, _unroll] = args.take();
    let cx = Context::jax(interp);
    let lower = convert::tile(&cx, &lower, "fori_loop")?;
    let upper = convert::tile(&cx, &upper, "fori_loop")?;
    for_loop(&cx, &lower, &upper, &init, &mut |cx, index, carry| {
        cx.interp.call_values(&body, [Value::object(ArrayObject { tile: index }), carry])
    })
}

/// `for i in lower..upper: carry = body(i, carry)` as one op.
pub fn for_loop(
    cx: &Context<'_>,
    lower: &Tile,
    upper: &Tile,
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
    let threads = Threads::live(cx);
    let refs = CarriedRefs::of(cx, init)?;
    let init = &threads.join(&refs.apart(cx, init)?, threads.tiles());
    let body = &mut |cx: &Context<'_>, index: Tile, carry: Value| {
        threads.round(cx, &carry, |carry| refs.apart(cx, &body(cx, index, refs.join(cx, carry)?)?))
    };
    let result = threads.settle(cx, carrying_for(cx, dtype, [lower, upper], init, body))?;
    refs.join(cx, result)
}

/// Refs in the carry of a loop: they stay what they are, and do not go round.
pub(super) struct CarriedRefs(Option<(TreeDef, Vec<Option<Value>>)>);

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

pub(super) fn carrying_for(
    cx: &Context<'_>,
    dtype: DType,
    [lower, upper]: [&Tile; 2],
    init: &Value,
    body: &mut dyn FnMut(&Context<'_>, Tile, Value) -> PyResult<Value>,
) -> PyResult<Value> {
    let (carry, def) = leaves(cx, init, "fori_loop")?;
    let carry = stable_carry(cx, carry, &mut |cx, types, trace| {
        let index = Tile::Abstract(TensorType::scalar(dtype));
        let index = trace.tile(cx.value_in(trace, &index)?).unwrap_or(index);
        let value = assemble(cx, &def, types.iter().cloned())?;
        body(cx, index, value)
    })?;
    let results = staged(cx, "fori_loop", |trace| {
        let lower = primitive::convert(cx, lower, dtype, false)?;
        let upper = primitive::convert(cx, upper, dtype, false)?;
        let mut operands = values(cx, trace, &[lower, upper])?;
        let carry_values = values(cx, trace, &carry)?;
        let mut params = vec![Type::Tensor(TensorType::scalar(dtype))];
        params.extend(carry_values.iter().map(|&v| trace.ty(v)));
        let (region, ()) = trace.in_region(&params, |inside| {
            let mut inside = tiles(trace, inside).into_iter();
            let index = inside.next().ok_or_else(|| cx.interp.runtime_error("a loop has no counter".to_string()))?;
            let value = assemble(cx, &def, inside)?;
            let result = body(cx, index, value)?;
            Ok((next_carry(cx, trace, "fori_loop", &def, &carry, &result)?, ()))
        })?;
        operands.extend(carry_values);
        let results = trace.add(cx, Op(&ops::FOR), &operands, Attributes::none(), &[region])?;
        Ok(tiles(trace, &results))
    })?;
    assemble(cx, &def, results)
}
