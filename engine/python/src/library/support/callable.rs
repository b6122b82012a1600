//! Functions made of Rust closures: what `functools.wraps(f)` or `operator.itemgetter(1)` return. In CPython many of
//! these are Python functions, so they take attributes, and bind as methods when found in a class.

use crate::call::CallArgs;
use crate::class::{Class, Namespace, NativeClass};
use crate::function::BoundMethod;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

use super::{address, row};

type Body = dyn Fn(&Interp, CallArgs) -> PyResult<Value>;

/// A closure as a Python value.
pub(in crate::library) struct Callable {
    table: &'static NativeClass,
    body: Box<Body>,
    /// Attributes: `__name__`, `__wrapped__`, and whatever the program sets.
    pub(in crate::library) fields: RefCell<Namespace>,
}

/// Looks like a Python function.
static FUNCTION: NativeClass = NativeClass {
    name: "function",
    module: "builtins",
    doc: "A function made by a standard module.",
    methods: &[row("__get__", "(self, instance, owner=None, /)", "Binds to an instance.", get)],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// `__get__` of functions: binds to an instance, stays itself on the class.
pub(in crate::library) fn get(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, instance, _] = args.take();
    Ok(match instance {
        Value::None => this,
        receiver => method(receiver, this),
    })
}

/// `function` bound to `receiver`.
pub(in crate::library) fn method(receiver: Value, function: Value) -> Value {
    Value::BoundMethod(Rc::new(BoundMethod { receiver, function }))
}

/// A Python function named `name`.
pub(in crate::library) fn callable(name: &str, body: impl Fn(&Interp, CallArgs) -> PyResult<Value> + 'static) -> Value {
    callable_in(&FUNCTION, name, body)
}

/// A callable of a class of its own.
pub(in crate::library) fn callable_in(
    table: &'static NativeClass,
    name: &str,
    body: impl Fn(&Interp, CallArgs) -> PyResult<Value> + 'static,
) -> Value {
    let mut fields = Namespace::default();
    fields.insert("__name__".into(), Value::str(name));
    fields.insert("__qualname__".into(), Value::str(name));
    Value::object(Callable { table, body: Box::new(body), fields: RefCell::new(fields) })
}

impl Object for Callable {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(self.table)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        if let Some(value) = self.fields.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        Ok(match name {
            "__dict__" => Some(interp.dict_of(
                self.fields.borrow().iter().filter(|(name, _)| !is_function_slot(name)).map(|(k, v)| (k, v.clone())),
            )),
            "__doc__" => Some(Value::None),
            "__module__" => Some(Value::str(self.table.module)),
            _ => None,
        })
    }

    fn set_attr(&self, name: &str, value: Value, _: &Interp) -> PyResult<bool> {
        self.fields.borrow_mut().insert(name.into(), value);
        Ok(true)
    }

    fn call(&self, _: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some((self.body)(interp, args))
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn repr(&self, this: &Value, _: &Interp) -> PyResult<Option<String>> {
        if !std::ptr::eq(self.table, &FUNCTION) {
            return Ok(None);
        }
        let fields = self.fields.borrow();
        let name = match fields.get("__qualname__") {
            Some(Value::Str(name)) => name.to_string(),
            _ => String::from("?"),
        };
        Ok(Some(format!("<function {name} at 0x{:x}>", address(this))))
    }
}

fn is_function_slot(name: &str) -> bool {
    matches!(name, "__name__" | "__qualname__" | "__doc__" | "__module__" | "__annotations__")
}
