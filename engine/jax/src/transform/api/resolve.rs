//! Calls of functions with custom derivatives, by position: keywords find their places by the function's signature, and
//! parameters that were not given take their defaults (`resolve_kwargs` of jax/_src/api_util.py).

use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// The arguments by position. What has no signature to look at keeps them as they are given.
///
/// # Errors
/// `TypeError` where the arguments do not fit, or keywords have no place.
pub(super) fn positional(interp: &Interp, function: &Value, args: CallArgs) -> PyResult<Vec<Value>> {
    // As in JAX, partials do not show what is inside.
    let is_partial = &*interp.type_of(function).name == "partial";
    let params = match interp.underlying_function(function) {
        Some(underlying) if !is_partial => underlying.code.params().clone(),
        _ if args.keywords.is_empty() => return Ok(args.positional.into_vec()),
        _ => return Err(unresolved(interp, args.keywords.iter().map(|(name, _)| &**name))),
    };
    let given: Vec<_> = args.keywords.iter().map(|(name, _)| name.clone()).collect();
    let mut resolved = Vec::new();
    for (name, value) in interp.bind(function, args)? {
        if params.vararg.as_ref().is_some_and(|param| param.name == name) {
            resolved.extend(interp.collect(&value)?);
        } else if params.kwarg.as_ref().is_some_and(|param| param.name == name) {
            let left = interp.collect(&value)?;
            if !left.is_empty() {
                let names = left.iter().map(|name| interp.str(name)).collect::<PyResult<Vec<_>>>()?;
                return Err(unresolved(interp, names.iter().map(String::as_str)));
            }
        } else if params.keyword_only.iter().any(|param| param.name == name) {
            if given.contains(&name) {
                return Err(unresolved(interp, [&*name].into_iter()));
            }
        } else {
            resolved.push(value);
        }
    }
    Ok(resolved)
}

fn unresolved<'a>(interp: &Interp, names: impl Iterator<Item = &'a str>) -> Box<pallas_python::Stop> {
    let names: Vec<&str> = names.collect();
    interp
        .type_error(format!("The following keyword arguments could not be resolved to positions: {}", names.join(", ")))
}
