//! Calls a function that nobody calls as if on the devices of a mesh, or under a mesh that is set.

use super::Learnt;
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// What `function(*args)` gives where a call has taught what meshes it wants: on two devices along each axis that is bound, with
/// the same arrays on all of them; or with a mesh of two devices along each axis set.
///
/// # Errors
/// What the function raises.
pub fn within(interp: &Interp, function: &Value, learnt: &Learnt, args: &CallArgs) -> PyResult<Value> {
    let (name, axes) = match learnt.axes() {
        [] => ("under", learnt.context_mesh()),
        axes => ("within", axes),
    };
    let module = interp.import_silently("_pallas_uncalled_within")?;
    let axes = Value::tuple(axes.iter().map(|axis| Value::str(&**axis)));
    let (positional, keywords) = super::packed(interp, args);
    interp.call_method(&module, name, [function.clone(), axes, positional, keywords])
}
