//! Calls a function that nobody calls as if on the devices of a mesh.

use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

/// What `function(*args)` gives on two devices along each of these axes, with the same arrays on all of them.
///
/// # Errors
/// What the function raises.
pub fn within(interp: &Interp, function: &Value, axes: &[Name], args: &CallArgs) -> PyResult<Value> {
    let module = interp.import_silently("_pallas_uncalled_within")?;
    let axes = Value::tuple(axes.iter().map(|axis| Value::str(&**axis)));
    let (positional, keywords) = super::packed(interp, args);
    interp.call_method(&module, "within", [function.clone(), axes, positional, keywords])
}
