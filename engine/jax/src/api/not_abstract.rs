//! What is said of an argument of a traced function that is no array and no number: which it is, by the name of its parameter.

use super::jit::Split;
use crate::blame::Names;
use crate::context::Context;
use crate::tree;
use pallas_python::Stop;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// The TypeError of a leaf of a call's arguments, by number.
pub(super) fn not_abstract(cx: &Context<'_>, function: &Value, split: &Split, leaf: usize) -> Box<Stop> {
    message(cx, function, split, leaf).map_or_else(|stop| stop, |message| cx.interp.type_error(message))
}

fn message(cx: &Context<'_>, function: &Value, split: &Split, leaf: usize) -> PyResult<String> {
    let interp = cx.interp;
    let (leaves, _) = tree::flatten_with_path(interp, &split.dynamic, None)?;
    let Some((path, value)) = leaves.into_iter().nth(leaf) else { return Ok("an argument is no array".to_string()) };
    let class = interp.repr(&Value::Class(interp.type_of(&value)))?;
    let name = leaf_name(cx, function, split, &path)?;
    let origin = interp.repr(function)?;
    Ok(format!(
        "Error interpreting argument to {origin} as an abstract array. The problematic value is of type {class} and was passed to \
         the function at path {name}.\nThis typically means that a jit-wrapped function was called with a non-array \
         argument, and this argument was not marked as static using the static_argnums or static_argnames parameters of jax.jit."
    ))
}

/// The names of a traced function's parameters: `leaves` says which leaf of the call each is.
pub(super) fn names(function: &Value, split: &Split, leaves: Vec<usize>) -> Box<Names> {
    let (function, split) = (function.clone(), split.clone());
    Box::new(move |cx, number| {
        let (paths, _) = tree::flatten_with_path(cx.interp, &split.dynamic, None).ok()?;
        let (path, _) = paths.get(*leaves.get(number)?)?;
        leaf_name(cx, &function, &split, path).ok()
    })
}

fn leaf_name(cx: &Context<'_>, function: &Value, split: &Split, path: &[Value]) -> PyResult<String> {
    let argument = tree::key_string(cx.interp, &path[..path.len().min(1)], true, "")?.parse().unwrap_or(0);
    let inside = tree::key_string(cx.interp, path.get(1..).unwrap_or_default(), false, "")?;
    Ok(format!("{}{inside}", name(cx, function, split, argument)?))
}

/// The name of a traced argument: `x`, `rest[1]`, `options['key']`; `args[0]` where the function does not tell its parameters.
fn name(cx: &Context<'_>, function: &Value, split: &Split, argument: usize) -> PyResult<String> {
    let interp = cx.interp;
    let Some(place) = split.place(argument) else { return Ok(format!("args[{argument}]")) };
    let inspect = interp.import("inspect")?;
    let signature = interp.call_method(&inspect, "signature", [function.clone()]);
    let parameters = match signature {
        Ok(signature) => {
            let parameters = interp.get_attr(&signature, "parameters")?;
            interp.collect(&interp.call_method(&parameters, "values", [])?)?
        }
        Err(_) => Vec::new(),
    };
    let mut position = 0;
    let (mut rest, mut others) = (("args".to_string(), 0), "kwargs".to_string());
    for parameter in &parameters {
        let name = interp.str(&interp.get_attr(parameter, "name")?)?;
        let kind = interp.str(&interp.get_attr(&interp.get_attr(parameter, "kind")?, "name")?)?;
        match (&*kind, &place) {
            ("VAR_POSITIONAL", _) => rest = (name, position),
            ("VAR_KEYWORD", _) => others = name,
            (_, Err(keyword)) if **keyword == *name => return Ok(name),
            ("KEYWORD_ONLY", _) => {}
            (_, Ok(number)) if *number == position => return Ok(name),
            _ => position += 1,
        }
    }
    Ok(match place {
        Ok(number) => format!("{}[{}]", rest.0, number.saturating_sub(rest.1)),
        Err(keyword) => format!("{others}['{keyword}']"),
    })
}
