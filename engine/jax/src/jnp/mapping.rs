//! Functions that call a function: `vectorize`, `apply_along_axis`, `apply_over_axes`, `piecewise`.

use super::call::{self, functions, operand, result};
use super::compose;
use super::joining;
use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::CallArgs;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use pallas_tensor::Shape;

functions! { JAX_ROWS NUMPY_ROWS
    "apply_along_axis" "(func1d, axis, arr, *args, **kwargs)" "Applies a function to every line along an axis." apply_along_axis;
    "apply_over_axes" "(func, a, axes)" "Applies a function over axes in turn." apply_over_axes;
    "piecewise" "(x, condlist, funclist, *args, **kw)" "Values of functions chosen by conditions." piecewise;
}

/// The remaining arguments of a call, behind `first`.
fn call_arguments(cx: &Context<'_>, first: Value, args: &Value, keywords: &Value) -> PyResult<CallArgs> {
    let mut call = CallArgs::positional([first]);
    call.positional.extend(cx.interp.collect(args)?);
    if let Value::Dict(entries) = keywords {
        for (name, value) in entries.borrow().iter() {
            call.keywords.push((Name::from(&*cx.interp.to_str(name)?), value.clone()));
        }
    }
    Ok(call)
}

fn apply_along_axis(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [function, axis, x, rest, keywords] = args.take();
    let x = operand(cx, &x, "apply_along_axis")?;
    let axis = convert::axis(cx, &axis, x.rank())?;
    let last = super::shaping::move_axes(cx, &x, &[axis], &[x.rank() - 1])?;
    let outer: Shape = last.shape()[..last.rank() - 1].into();
    let lines = p::reshape(cx, &last, &Shape::from([outer.size(), x.shape()[axis]]))?;
    let mut results = Vec::new();
    for row in 0..outer.size() {
        let line = convert::value(cx, compose::take_axis(cx, &lines, 0, row)?);
        let value = cx.interp.call(&function, call_arguments(cx, line, &rest, &keywords)?)?;
        results.push(operand(cx, &value, "apply_along_axis")?);
    }
    let Some(first) = results.first() else {
        return Err(cx.interp.value_error("Cannot apply_along_axis when any iteration dimensions are 0"));
    };
    let inner = first.shape().clone();
    let stacked = joining::stack_tiles(cx, &results, 0)?;
    let shape: Shape = outer.iter().chain(inner.iter()).copied().collect();
    let stacked = p::reshape(cx, &stacked, &shape)?;
    // The function's own dimensions take the place of the axis.
    let source: Vec<usize> = (outer.rank()..shape.rank()).collect();
    let destination: Vec<usize> = (axis..axis + inner.rank()).collect();
    result(cx, super::shaping::move_axes(cx, &stacked, &source, &destination)?)
}

fn apply_over_axes(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [function, x, axes] = args.take();
    let mut x = operand(cx, &x, "apply_over_axes")?;
    for axis in call::int_sequence(cx, &axes)? {
        let value = convert::value(cx, x.clone());
        let value = cx.interp.call_values(&function, [value, Value::from(axis)])?;
        let tile = operand(cx, &value, "apply_over_axes")?;
        x = if tile.rank() == x.rank() {
            tile
        } else if tile.rank() + 1 == x.rank() {
            let axis = convert::normalize_axis(cx, axis, x.rank())?;
            p::expand_dims(cx, &tile, &[axis])?
        } else {
            return Err(cx.interp.value_error("function is not returning an array of the correct shape"));
        };
    }
    result(cx, x)
}

/// Every function is called on the whole array, and the conditions choose: the later one wins, as in numpy.
fn piecewise(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, conditions, functions, rest, keywords] = args.take();
    let x = operand(cx, &x, "piecewise")?;
    let conditions = call::operands(cx, &cx.interp.collect(&conditions)?, "piecewise")?;
    let mut functions = cx.interp.collect(&functions)?;
    let count = conditions.len();
    let default = match functions.len() {
        n if n == count + 1 => functions.pop().unwrap_or(Value::from(0i64)),
        n if n == count => Value::from(0i64),
        n => {
            return Err(cx.interp.value_error(format!(
                "with {count} condition(s), either {count} or {} functions are expected; got {n}",
                count + 1
            )));
        }
    };
    let evaluate = |function: &Value| -> PyResult<Tile> {
        let value = if cx.interp.is_callable(function) {
            let input = convert::value(cx, x.clone());
            cx.interp.call(function, call_arguments(cx, input, &rest, &keywords)?)?
        } else {
            function.clone()
        };
        let tile = p::convert(cx, &operand(cx, &value, "piecewise")?, x.dtype(), x.weak())?;
        p::broadcast_to(cx, &tile, x.shape())
    };
    let mut out = evaluate(&default)?;
    for (condition, function) in conditions.iter().zip(&functions) {
        let condition = compose::as_bool(cx, condition)?;
        let condition = p::broadcast_to(cx, &condition, x.shape())?;
        let value = evaluate(function)?;
        out = cx.bind(&ops::SELECT_N, &[&condition, &out, &value], Default::default())?;
    }
    result(cx, out)
}
