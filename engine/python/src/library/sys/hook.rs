//! `sys.excepthook`: what is called with an exception that nobody has caught, where a program has put a function of its own there.

use crate::exceptions::{Traceback, set_field};
use crate::interp::Interp;
use crate::raise::{Raise, Stop};
use crate::traceback::render;
use crate::value::Value;

/// The name of the interpreter's own.
pub(super) const NAME: &str = "excepthook";

/// What is left to print of an exception that ends the program, once the program's hook was called.
pub fn uncaught(interp: &Interp, raise: &Raise) -> String {
    let Some(hook) = replaced(interp) else { return render(interp, raise) };
    let traceback = Value::object(Traceback { entries: raise.traceback.clone() });
    // As if it were caught here: the module `traceback` asks the exception.
    set_field(&raise.exception, "__traceback__", traceback.clone());
    let class = Value::Class(interp.type_of(&raise.exception));
    match interp.call_values(&hook, [class, raise.exception.clone(), traceback]) {
        Ok(_) => String::new(),
        Err(stop) => match *stop {
            Stop::Raise(own) => format!(
                "Error in sys.excepthook:\n{}\nOriginal exception was:\n{}",
                render(interp, &own),
                render(interp, raise)
            ),
            Stop::Abort(_) => render(interp, raise),
        },
    }
}

/// What stands in the place of the interpreter's own hook.
fn replaced(interp: &Interp) -> Option<Value> {
    let sys = interp.modules.borrow().get("sys").cloned()?;
    let hook = interp.find_attr(&sys, NAME).ok().flatten()?;
    match &hook {
        Value::Native(native) if native.def.name == NAME => None,
        _ => Some(hook),
    }
}
