//! `while_loop`.

use super::carry::{Carried, next_carry, settled};
use super::{ValueFn, assemble, leaves, staged, tiles, values};
use crate::context::Context;
use crate::convert;
use crate::held::threads::Threads;
use crate::primitive;
use pallas_ir::{Attributes, Op, Type, ops};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::DType;

pub(super) fn while_loop(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [test, body, init] = args.take();
    let cx = Context::jax(interp);
    let threads = Threads::live(&cx);
    let init = threads.join(&init, threads.tiles());
    let mut test = |carry: Value| interp.call_values(&test, [threads.split(&cx, &carry)?]);
    let carried = Carried::of_body(interp, "while_loop", &body);
    let mut body = |carry: Value| threads.round(&cx, &carry, |carry| interp.call_values(&body, [carry]));
    threads.settle(&cx, carrying_while(&cx, &carried, &init, &mut test, &mut body))
}

fn carrying_while(
    cx: &Context<'_>,
    carried: &Carried,
    init: &Value,
    test: ValueFn<'_>,
    body: ValueFn<'_>,
) -> PyResult<Value> {
    let interp = cx.interp;
    let (carry, def) = leaves(cx, init, "while_loop")?;
    let results = settled(cx, carry, |settling| {
        staged(cx, "while_loop", |trace| {
            let params: Vec<Type> = settling.carry().iter().map(|tile| Type::Tensor(tile.ty())).collect();
            let (test_region, ()) = trace.in_region(&params, |inside| {
                let verdict = test(assemble(cx, &def, tiles(trace, inside))?)?;
                let verdict = convert::tile(cx, &verdict, "while_loop")?;
                if verdict.rank() != 0 || verdict.dtype() != DType::Bool {
                    let weak = if verdict.weak() { ", weak_type=True" } else { "" };
                    return Err(interp.type_error(format!(
                        "cond_fun must return a boolean scalar, but got output type(s) [ShapedArray({}{weak})].",
                        primitive::type_text(&verdict.ty())
                    )));
                }
                Ok((vec![cx.value_in(trace, &verdict)?], ()))
            })?;
            let (body_region, ()) = trace.in_region(&params, |inside| {
                let result = body(assemble(cx, &def, tiles(trace, inside))?)?;
                Ok((next_carry(cx, trace, carried, &def, settling, &result)?, ()))
            })?;
            let regions = [test_region, body_region];
            let operands = values(cx, trace, settling.carry())?;
            let results = trace.add(cx, Op(&ops::WHILE), &operands, Attributes::none(), &regions)?;
            Ok(tiles(trace, &results))
        })
    })?;
    assemble(cx, &def, results)
}
