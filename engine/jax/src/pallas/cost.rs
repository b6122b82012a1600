//! `pl.estimate_cost`: what a function costs by its operations, as jax/_src/pallas/cost_estimate.py counts them: one per
//! element for arithmetic, two per product of a contraction, bytes for the function's operands and results only.

use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::trace::{Trace, TraceKind};
use crate::tree;
use pallas_ir::{Function, OpData, TensorType, Type, ValueId};
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

/// Rows of the `pallas` module.
pub static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "estimate_cost",
    signature: "(fun, *args, **kwargs)",
    doc: "A CostEstimate of a function, from the shapes and dtypes of its arguments.",
    run: estimate_cost,
}];

/// Operations that count one each per element of the result.
const ARITHMETIC: &[&str] =
    &["add", "mul", "sub", "div", "min", "max", "or", "and", "xor", "neg", "floor", "ceil", "round", "not"];

/// Operations that count as transcendental.
const TRANSCENDENTAL: &[&str] =
    &["cos", "sin", "tan", "sinh", "cosh", "tanh", "acos", "asin", "atan", "exp", "log", "logistic", "sqrt"];

fn estimate_cost(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, positional, keywords] = args.take();
    let cx = Context::jax(interp);
    let (leaves, def) = tree::flatten(interp, &positional, None)?;
    let trace = Trace::new(&cx, TraceKind::Jit, "cost_estimate", "cost_estimate".to_string(), None);
    let mut types = Vec::new();
    let mut tracers = Vec::new();
    for leaf in &leaves {
        let Some((shape, dtype)) = super::spec::declared(&cx, leaf)? else {
            return Err(convert::not_an_array(&cx, leaf, "estimate_cost"));
        };
        let ty = TensorType::new(dtype, shape);
        types.push(ty.clone());
        if let Some(tile) = trace.tile(trace.param(Type::Tensor(ty), None)) {
            tracers.push(Value::object(ArrayObject { tile }));
        }
    }
    let mut call = CallArgs::positional(interp.collect(&tree::unflatten(interp, &def, &mut tracers.into_iter())?)?);
    if let Value::Dict(dict) = &keywords {
        for (key, value) in dict.borrow().iter() {
            call.keywords.push((Name::from(&*interp.to_str(key)?), value.clone()));
        }
    }
    let yields = trace.within(&cx, || {
        let result = interp.call(&function, call)?;
        let (leaves, _) = tree::flatten(interp, &result, None)?;
        leaves
            .iter()
            .map(|leaf| cx.value_in(&trace, &convert::tile(&cx, leaf, "estimate_cost")?))
            .collect::<PyResult<Vec<ValueId>>>()
    })?;
    let function = trace.finish(yields.clone());
    types.extend(yields.iter().filter_map(|&value| function.ty(value).tensor().cloned()));
    let bytes: u128 = types.iter().map(TensorType::bytes).sum();
    let (flops, transcendentals) = count(&function);
    let class = interp.get_attr(&interp.import("jax.experimental.pallas")?, "CostEstimate")?;
    let integer = |value: u128| Value::from(i64::try_from(value).unwrap_or(i64::MAX));
    interp.call_values(&class, [integer(flops), integer(transcendentals), integer(bytes)])
}

/// Operations and transcendental operations of a function's own region; bodies of loops and branches count nothing.
fn count(function: &Function) -> (u128, u128) {
    let (mut flops, mut transcendentals) = (0u128, 0u128);
    for &id in &function.region(function.body).ops {
        let op = function.op(id);
        let elements = op.results.first().map_or(0, |&result| size(function, result));
        match op.op.name {
            name if ARITHMETIC.contains(&name) => flops += elements,
            name if TRANSCENDENTAL.contains(&name) => transcendentals += elements,
            "integer_pow" => flops += elements * squarings(op.attributes.int("y").unwrap_or(1)),
            "dot_general" => flops += contraction(function, op, elements),
            _ => {}
        }
    }
    (flops, transcendentals)
}

fn size(function: &Function, value: ValueId) -> u128 {
    function.ty(value).shape().iter().map(|&extent| extent as u128).product()
}

/// Multiplications of a power by repeated squaring.
fn squarings(power: i64) -> u128 {
    match power {
        0 | 1 => 0,
        power => u128::from(power.unsigned_abs().ilog2() + power.unsigned_abs().count_ones()),
    }
}

/// A multiplication and an addition per product.
fn contraction(function: &Function, op: &OpData, results: u128) -> u128 {
    let lists = op.attributes.int_lists("contracting").unwrap_or_default();
    let shape = op.operands.first().map(|&lhs| function.ty(lhs).shape().clone());
    let depth: u128 = match (lists.first(), shape) {
        (Some(dims), Some(shape)) => {
            dims.iter().filter_map(|&dim| shape.get(dim as usize)).map(|&extent| extent as u128).product()
        }
        _ => 1,
    };
    2 * depth * results
}
