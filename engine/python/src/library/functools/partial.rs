//! `functools.partial` and `functools.partialmethod`.

use crate::call::CallArgs;
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::library::support::{callable, method, row};
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) static PARTIAL: NativeClass = NativeClass {
    name: "partial",
    module: "functools",
    doc: "partial(func, *args, **keywords): func with some arguments given already.",
    methods: &[],
    properties: &[],
    construct: Some(construct),
    instance_check: None,
};

pub(super) static PARTIAL_METHOD: NativeClass = NativeClass {
    name: "partialmethod",
    module: "functools",
    doc: "partialmethod(func, *args, **keywords): a method with some arguments given already.",
    methods: &[row("__get__", "(self, instance, owner=None, /)", "Binds to an instance.", get_method)],
    properties: &[],
    construct: Some(construct_method),
    instance_check: None,
};

/// `functools.partial`: a callable with some of its arguments. A partial of a partial is flat, as in CPython.
pub struct Partial {
    /// What it calls; never itself a plain `Partial`.
    pub function: Value,
    /// What comes before the arguments of the call.
    pub args: CallArgs,
    class: Rc<Class>,
    fields: RefCell<Namespace>,
}

impl Partial {
    /// The arguments of a call with the stored ones in front; keywords of the call win.
    pub fn merged(&self, call: CallArgs) -> CallArgs {
        merge(&self.args, call)
    }
}

/// Whether a class is `functools.partial`, or is derived from it without a constructor of its own.
pub(crate) fn is_partial(class: &Class) -> bool {
    class
        .constructor()
        .is_some_and(|constructor| std::ptr::fn_addr_eq(constructor, construct as crate::class::ConstructFn))
        && class.lookup("__new__").is_none()
}

fn merge(stored: &CallArgs, call: CallArgs) -> CallArgs {
    let mut merged = stored.clone();
    // Behind so many that it is not known which ones they are.
    if stored.unknown.positional.is_none() {
        merged.positional.extend(call.positional);
        merged.unknown.positional = call.unknown.positional;
    }
    merged.unknown.keywords = call.unknown.keywords.or(merged.unknown.keywords);
    for (name, value) in call.keywords {
        match merged.keywords.iter_mut().find(|(existing, _)| *existing == name) {
            Some((_, existing)) => *existing = value,
            None => merged.keywords.push((name, value)),
        }
    }
    merged
}

/// Takes the callable off the arguments of a constructor.
fn split(interp: &Interp, name: &str, mut args: CallArgs) -> PyResult<(Value, CallArgs)> {
    if args.positional.is_empty() {
        return Err(interp.type_error(format!("type '{name}' takes at least one argument")));
    }
    let function = args.positional.remove(0);
    Ok((function, args))
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (function, args) = split(interp, "partial", args)?;
    if !interp.is_callable(&function) && !function.is_unknown() {
        return Err(interp.type_error("the first argument must be callable"));
    }
    let (function, args) = match function.downcast::<Partial>() {
        // Attributes set on the inner partial would be lost.
        Some(inner) if inner.fields.borrow().is_empty() => (inner.function.clone(), inner.merged(args)),
        _ => (function, args),
    };
    Ok(Value::object(Partial { function, args, class: class.clone(), fields: RefCell::default() }))
}

impl Object for Partial {
    fn class(&self, _: &Interp) -> Rc<Class> {
        self.class.clone()
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "func" => Some(self.function.clone()),
            "args" => Some(Value::tuple(self.args.positional.iter().cloned())),
            "keywords" => Some(interp.dict_of(self.args.keywords.iter().cloned())),
            "__dict__" => Some(interp.dict_of(self.fields.borrow().iter().map(|(k, v)| (k, v.clone())))),
            _ => self.fields.borrow().get(name).cloned(),
        })
    }

    fn set_attr(&self, name: &str, value: Value, interp: &Interp) -> PyResult<bool> {
        if matches!(name, "func" | "args" | "keywords") {
            return Err(interp.attribute_error("readonly attribute"));
        }
        self.fields.borrow_mut().insert(name.into(), value);
        Ok(true)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["func", "args", "keywords"]
    }

    fn call(&self, _: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let args = self.merged(args);
        let unknown = args.unknown.positional.as_ref().or(args.unknown.keywords.as_ref());
        if let Some(unknown) = unknown.filter(|_| !crate::eval::call::binds_in_python(&self.function)) {
            return Some(Ok(unknown.clone()));
        }
        Some(interp.call(&self.function, args))
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let class = if &*self.class.module == "functools" {
            format!("functools.{}", self.class.qualified_name)
        } else {
            self.class.qualified_name.to_string()
        };
        Ok(Some(format!("{class}({})", shown(interp, &self.function, &self.args)?)))
    }
}

fn shown(interp: &Interp, function: &Value, args: &CallArgs) -> PyResult<String> {
    let mut parts = vec![interp.repr(function)?];
    for value in &args.positional {
        parts.push(interp.repr(value)?);
    }
    for (name, value) in &args.keywords {
        parts.push(format!("{name}={}", interp.repr(value)?));
    }
    Ok(parts.join(", "))
}

struct PartialMethod {
    function: Value,
    args: CallArgs,
}

fn construct_method(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if args.positional.is_empty() {
        return Err(interp.type_error("partialmethod.__init__() missing 1 required positional argument: 'func'"));
    }
    let (function, args) = split(interp, "partialmethod", args)?;
    let is_descriptor = matches!(function, Value::ClassMethod(_) | Value::StaticMethod(_) | Value::Property(_))
        || interp.type_of(&function).lookup("__get__").is_some();
    if !interp.is_callable(&function) && !is_descriptor {
        return Err(interp.type_error(format!("{} is not callable or a descriptor", interp.repr(&function)?)));
    }
    Ok(match function.downcast::<PartialMethod>() {
        Some(inner) => {
            Value::object(PartialMethod { function: inner.function.clone(), args: merge(&inner.args, args) })
        }
        None => Value::object(PartialMethod { function, args }),
    })
}

impl Object for PartialMethod {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&PARTIAL_METHOD)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "func" => Some(self.function.clone()),
            "args" => Some(Value::tuple(self.args.positional.iter().cloned())),
            "keywords" => Some(interp.dict_of(self.args.keywords.iter().cloned())),
            _ => None,
        })
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("functools.partialmethod({})", shown(interp, &self.function, &self.args)?)))
    }
}

/// The receiver goes first, then the stored arguments, then those of the call.
fn get_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, instance, owner] = args.take();
    let Some(partial) = this.downcast::<PartialMethod>() else { return Ok(Value::NotImplemented) };
    let stored = partial.args.clone();
    match &partial.function {
        Value::ClassMethod(function) => {
            let (function, owner) = ((**function).clone(), owner);
            Ok(callable(&interp.callable_name(&function.clone()), move |interp, call| {
                interp.call(&function, merge(&stored, call).with_receiver(owner.clone()))
            }))
        }
        Value::StaticMethod(function) => {
            let function = (**function).clone();
            Ok(callable(&interp.callable_name(&function.clone()), move |interp, call| {
                interp.call(&function, merge(&stored, call))
            }))
        }
        function => {
            let function = function.clone();
            let bound = callable(&interp.callable_name(&function.clone()), move |interp, mut call| {
                if call.positional.is_empty() {
                    return interp.call(&function, merge(&stored, call));
                }
                let receiver = call.positional.remove(0);
                interp.call(&function, merge(&stored, call).with_receiver(receiver))
            });
            Ok(if instance.is_none() { bound } else { method(instance, bound) })
        }
    }
}
