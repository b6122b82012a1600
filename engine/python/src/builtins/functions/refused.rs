//! Builtins that make code from text: they say clearly that they are not available. Leaving the program is here, too.

use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

fn no_dynamic_code(interp: &Interp, name: &str) -> PyResult<Value> {
    if interp.is_analysis() {
        return Ok(Value::unknown(format!("{name}() makes code from text"), Some(interp.span())));
    }
    Err(interp
        .not_implemented_error(format!("{name}() is not available: the workbench does not run code made from text")))
}

pub(super) fn evaluate(interp: &Interp, _arguments: Arguments) -> PyResult<Value> {
    no_dynamic_code(interp, "eval")
}

pub(super) fn execute(interp: &Interp, _arguments: Arguments) -> PyResult<Value> {
    no_dynamic_code(interp, "exec")
}

pub(super) fn compile(interp: &Interp, _arguments: Arguments) -> PyResult<Value> {
    no_dynamic_code(interp, "compile")
}

pub(super) fn build_class(interp: &Interp, _arguments: Arguments) -> PyResult<Value> {
    no_dynamic_code(interp, "__build_class__")
}

pub(super) fn exit(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [code] = arguments.take();
    let exception = interp.exception_of(&interp.types().system_exit, Value::tuple([code]));
    Err(interp.raise_value(exception, None))
}
