//! Small helpers for the tables of this crate: binding constructors' arguments, and functions that are methods.

use pallas_python::CallArgs;
use pallas_python::function::BoundMethod;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef, NativeFunction};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// What makes `@jax.jit` and its like on a method a method: `__get__` of functions.
pub const METHOD: NativeDef = NativeDef {
    name: "__get__",
    signature: "(self, instance, owner=None, /)",
    doc: "Binds to an instance, stays itself on the class.",
    run: |_interp, args| {
        let [function, instance, _] = args.take();
        Ok(match instance {
            Value::None => function,
            receiver => Value::BoundMethod(Rc::new(BoundMethod { receiver, function })),
        })
    },
};

/// Binds a call to a native signature; for constructors, which get raw arguments.
pub fn bind(interp: &Interp, def: &'static NativeDef, args: CallArgs) -> PyResult<Arguments> {
    let function = NativeFunction::new(def, "");
    function.signature().bind(interp, &function, args)
}
