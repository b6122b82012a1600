//! `contextlib.contextmanager`.

use super::super::functools::copy_metadata;
use super::super::support::{callable, name_of, row};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

static MANAGER: NativeClass = NativeClass {
    name: "_GeneratorContextManager",
    module: "contextlib",
    doc: "A context manager made of a generator.",
    methods: &[
        row("__enter__", "(self)", "What the generator yields.", enter),
        row("__exit__", "(self, typ, value, traceback)", "Lets the generator finish.", exit),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

struct Manager {
    function: Value,
    args: CallArgs,
    generator: RefCell<Value>,
}

pub(super) fn context_manager(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function] = args.take();
    let wrapped = function.clone();
    let helper = callable(&name_of(interp, &function), move |interp, args| make(interp, &function, args));
    copy_metadata(interp, &helper, &wrapped)?;
    Ok(helper)
}

fn make(interp: &Interp, function: &Value, args: CallArgs) -> PyResult<Value> {
    let generator = interp.call(function, args.clone())?;
    Ok(Value::object(Manager { function: function.clone(), args, generator: RefCell::new(generator) }))
}

impl Object for Manager {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&MANAGER)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "gen").then(|| self.generator.borrow().clone()))
    }

    /// As a decorator: every call of the function runs in a context of its own.
    fn call(&self, _: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let [target] = args.positional.as_slice() else {
            return Some(Err(interp.type_error("a context manager decorates one function")));
        };
        let (function, own, target) = (self.function.clone(), self.args.clone(), target.clone());
        let wrapped = target.clone();
        let inner = callable(&name_of(interp, &target), move |interp, call| {
            let manager = make(interp, &function, own.clone())?;
            super::inside(interp, &manager, |interp| interp.call(&target, call.clone()))
        });
        Some(copy_metadata(interp, &inner, &wrapped).map(|()| inner))
    }

    fn is_callable(&self) -> bool {
        true
    }
}

fn generator(args: &Arguments) -> Value {
    args.get(0).downcast::<Manager>().map_or(Value::None, |manager| manager.generator.borrow().clone())
}

fn enter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let generator = generator(&args);
    if generator.is_unknown() {
        return Ok(generator);
    }
    match interp.next(&generator)? {
        Some(value) => Ok(value),
        None => Err(interp.runtime_error("generator didn't yield")),
    }
}

fn exit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let generator = generator(&args);
    let [_, class, value, _] = args.take();
    if generator.is_unknown() {
        return Ok(Value::Bool(false));
    }
    if class.is_none() {
        return match interp.next(&generator)? {
            None => Ok(Value::Bool(false)),
            Some(_) => Err(interp.runtime_error("generator didn't stop")),
        };
    }
    let value = if value.is_none() { interp.call_values(&class, [])? } else { value };
    match interp.call_method(&generator, "throw", [value.clone()]) {
        Ok(_) => Err(interp.runtime_error("generator didn't stop after throw()")),
        Err(stop) => {
            let Stop::Raise(raise) = &*stop else { return Err(stop) };
            if interp.identical(&raise.exception, &value) {
                return Ok(Value::Bool(false));
            }
            // The generator caught it and ended.
            if interp.stop_is(&stop, &interp.types().stop_iteration) {
                return Ok(Value::Bool(true));
            }
            Err(stop)
        }
    }
}
