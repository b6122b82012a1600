//! Differentiates a function that nobody calls: what stands behind `defvjp` is reached in no other way.

use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// The gradient of the sum of all floats that `function(*args)` gives, with respect to all floats among its positional
/// arguments.
///
/// # Errors
/// What the function raises, and what JAX raises where it cannot be differentiated.
pub fn gradient(interp: &Interp, function: &Value, args: &CallArgs) -> PyResult<Value> {
    let module = interp.import_silently("_pallas_uncalled")?;
    let (positional, keywords) = super::packed(interp, args);
    interp.call_method(&module, "gradient", [function.clone(), positional, keywords])
}
