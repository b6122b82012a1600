//! Small helpers for the tables of this crate: binding constructors, reading receivers, making classes known.

use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::signature::Signature;

/// Binds a call to a native signature; for constructors, which get raw arguments.
pub fn bind(interp: &Interp, def: &'static NativeDef, args: CallArgs) -> PyResult<Arguments> {
    Signature::parse(def.signature).bind(interp, def.name, args)
}
