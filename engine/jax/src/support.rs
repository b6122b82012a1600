//! Small helpers for the tables of this crate: binding constructors' arguments.

use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef, NativeFunction};
use pallas_python::raise::PyResult;

/// Binds a call to a native signature; for constructors, which get raw arguments.
pub fn bind(interp: &Interp, def: &'static NativeDef, args: CallArgs) -> PyResult<Arguments> {
    let function = NativeFunction::new(def, "");
    function.signature().bind(interp, &function, args)
}
