//! Settings as context managers: `with jax.numpy_rank_promotion("raise"):`.

use super::states::State;
use super::{Default, lookup, set};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// `jax.numpy_rank_promotion`
struct Setting {
    state: &'static State,
}

/// `jax.numpy_rank_promotion("raise")`
struct Scope {
    state: &'static State,
    value: Value,
    /// What to go back to, innermost last.
    before: RefCell<Vec<Value>>,
}

static SETTING: NativeClass = NativeClass {
    name: "State",
    module: "jax._src.config",
    doc: "A setting, and the context manager for it.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

static SCOPE: NativeClass = NativeClass {
    name: "StateContextManager",
    module: "jax._src.config",
    doc: "A setting has another value while it is entered.",
    methods: &[
        NativeDef {
            name: "__enter__",
            signature: "(self)",
            doc: "Changes the setting.",
            run: |interp, args| {
                let [this] = args.take();
                if let Some(scope) = this.downcast::<Scope>() {
                    let before = lookup(interp, scope.state.option).unwrap_or(Value::None);
                    set(interp, scope.state.option, scope.value.clone())?;
                    scope.before.borrow_mut().push(before);
                }
                Ok(Value::None)
            },
        },
        NativeDef {
            name: "__exit__",
            signature: "(self, kind=None, value=None, traceback=None)",
            doc: "Changes it back.",
            run: |interp, args| {
                let [this, ..] = args.take::<4>();
                if let Some(scope) = this.downcast::<Scope>() {
                    let before = scope.before.borrow_mut().pop();
                    if let Some(before) = before {
                        set(interp, scope.state.option, before)?;
                    }
                }
                Ok(Value::Bool(false))
            },
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The setting as a value.
pub(super) fn value(state: &'static State) -> Value {
    Value::object(Setting { state })
}

impl Object for Setting {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SETTING)
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "value" => lookup(interp, self.state.option),
            "_name" | "name" => Some(Value::from(self.state.option)),
            _ => None,
        })
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let given = args.positional.into_iter().next().or_else(|| args.keywords.into_iter().next().map(|(_, v)| v));
        let value = match (given, self.state.default) {
            (Some(value), _) => value,
            (None, Default::Bool(_)) => Value::Bool(true),
            (None, _) => {
                return Some(Err(interp.type_error(format!(
                    "Context manager for {} config option requires an argument representing the new value for the \
                     config option.",
                    self.state.attribute
                ))));
            }
        };
        Some(Ok(Value::object(Scope { state: self.state, value, before: RefCell::default() })))
    }
}

impl Object for Scope {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SCOPE)
    }

    fn is_callable(&self) -> bool {
        true
    }

    /// As a decorator: the function runs with the setting.
    fn call(&self, this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(decorate(interp, this, args))
    }
}

fn decorate(interp: &Interp, scope: &Value, args: CallArgs) -> PyResult<Value> {
    let class = interp.get_attr(&interp.import("contextlib")?, "ContextDecorator")?;
    let method = interp.get_attr(&class, "__call__")?;
    interp.call(&method, args.with_receiver(scope.clone()))
}
