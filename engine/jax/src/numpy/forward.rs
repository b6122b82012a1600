//! Functions of numpy that ask their argument: `np.sum(x)` calls `x.sum()` where `x` is no numpy array, so that a JAX
//! array (or tracer) gives a JAX array; and functions whose result is a view of a numpy array.

use super::NdArray;
use crate::array::ArrayObject;
use crate::jnp;
use crate::jnp::call;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef, NativeFn};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::sync::LazyLock;

macro_rules! forwarded {
    ($($name:literal)*) => {
        &[$(($name, (|interp, args| forward(interp, args, $name)) as NativeFn)),*]
    };
}

/// The functions with what runs instead of the shared row.
const FUNCTIONS: &[(&str, NativeFn)] = forwarded! {
    "all" "amax" "amin" "any" "argmax" "argmin" "around" "choose" "cumprod" "cumsum" "flip" "max" "mean" "min" "moveaxis"
    "nonzero" "prod" "ravel" "repeat" "reshape" "round" "searchsorted" "split" "squeeze" "std" "sum" "swapaxes" "take"
    "transpose" "var"
};

/// The rows, with the signatures of the shared ones.
pub(super) static ROWS: LazyLock<Vec<NativeDef>> = LazyLock::new(|| {
    jnp::numpy_rows()
        .filter_map(|row| {
            let (_, run) = FUNCTIONS.iter().find(|(name, _)| *name == row.name)?;
            Some(NativeDef { name: row.name, signature: row.signature, doc: row.doc, run: *run })
        })
        .collect()
});

fn forward(interp: &Interp, args: Arguments, name: &str) -> PyResult<Value> {
    let first = args.get(0);
    if name == "reshape"
        && let Some(grid) = crate::sharding::device_grid(interp, first)?
    {
        return interp.call_method(&grid, name, [args.get(1).clone()]);
    }
    let Some(shared) = jnp::numpy_rows().find(|row| row.name == name) else {
        return Err(interp.attribute_error(format!("module 'numpy' has no attribute '{name}'")));
    };
    if first.downcast::<ArrayObject>().is_some() && name != "ravel" {
        // numpy passes its default mode, which JAX has not.
        if name == "take" && args.values().get(4).and_then(call::given).is_none() {
            return Err(interp.not_implemented_error("The 'raise' mode to jnp.take is not supported."));
        }
        let jax = jnp::JAX_ROWS.iter().flat_map(|table| table.iter());
        if let Some(row) = jax.into_iter().find(|row| row.name == name && row.signature == shared.signature) {
            return (row.run)(interp, args);
        }
    }
    if first.downcast::<NdArray>().is_some_and(|array| !array.is_scalar())
        && call::find_unknown(first, 1).is_none()
        && let Some(view) = view(interp, &args, name)?
    {
        return Ok(view);
    }
    (shared.run)(interp, args)
}

/// The view that a function gives of a numpy array; `None` for functions that compute.
fn view(interp: &Interp, args: &Arguments, name: &str) -> PyResult<Option<Value>> {
    let given = |index: usize| args.values().get(index).and_then(call::given).cloned();
    let (method, rest): (&str, Vec<Value>) = match name {
        "reshape" => match (given(1), given(2)) {
            // Another order than C is for the shared function.
            (Some(shape), None) => ("reshape", vec![shape]),
            (Some(shape), Some(Value::Str(order))) if &*order == "C" => ("reshape", vec![shape]),
            _ => return Ok(None),
        },
        "transpose" => ("transpose", given(1).into_iter().collect()),
        "swapaxes" => ("swapaxes", given(1).into_iter().chain(given(2)).collect()),
        "squeeze" => ("squeeze", given(1).into_iter().collect()),
        "ravel" => match given(1) {
            Some(Value::Str(order)) if &*order != "C" => return Ok(None),
            _ => ("ravel", Vec::new()),
        },
        _ => return Ok(None),
    };
    if let Some(unknown) = rest.iter().find_map(|value| call::find_unknown(value, 2)) {
        return Ok(Some(unknown));
    }
    interp.call_method(args.get(0), method, rest).map(Some)
}
