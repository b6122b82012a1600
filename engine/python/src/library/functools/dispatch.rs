//! `functools.singledispatch` and `singledispatchmethod`: a registry from classes to functions, searched along the
//! method resolution order of the first argument's class.

use super::super::support::{arguments, callable, dict, form, row};
use super::wrap::copy_metadata;
use crate::call::CallArgs;
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::library::support::callable as functions;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

const METHODS: &[crate::native::NativeDef] = &[
    row("register", "(self, cls, func=None)", "Adds a function for a class; a decorator without func.", register),
    row("dispatch", "(self, cls)", "The function for a class.", dispatch),
    row("__get__", "(self, instance, owner=None, /)", "Binds to an instance.", get),
];

static FUNCTION: NativeClass = NativeClass {
    name: "function",
    module: "functools",
    doc: "A function chosen by the type of its first argument.",
    methods: METHODS,
    properties: &[],
    construct: None,
    instance_check: None,
};

static METHOD: NativeClass = NativeClass {
    name: "singledispatchmethod",
    module: "functools",
    doc: "A method chosen by the type of its first argument.",
    methods: METHODS,
    properties: &[],
    construct: None,
    instance_check: None,
};

struct Dispatch {
    is_method: bool,
    /// In order of registration; the last entry for a class counts.
    registry: RefCell<Vec<(Rc<Class>, Value)>>,
    fields: RefCell<Namespace>,
}

pub(super) fn singledispatch(interp: &Interp, args: Arguments) -> PyResult<Value> {
    make(interp, args, false)
}

pub(super) fn method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    make(interp, args, true)
}

fn make(interp: &Interp, args: Arguments, is_method: bool) -> PyResult<Value> {
    let [function] = args.take();
    let registry = vec![(interp.types().object.clone(), function.clone())];
    let value = Value::object(Dispatch { is_method, registry: RefCell::new(registry), fields: RefCell::default() });
    copy_metadata(interp, &value, &function)?;
    Ok(value)
}

impl Dispatch {
    fn find(&self, class: &Rc<Class>) -> Value {
        self.inherited(class).unwrap_or_else(|| self.fallback())
    }

    /// What is registered for a class or what it is derived from, other than `object`.
    fn inherited(&self, class: &Rc<Class>) -> Option<Value> {
        let registry = self.registry.borrow();
        let known = registry.get(1..)?;
        std::iter::once(class)
            .chain(&class.ancestors)
            .find_map(|ancestor| known.iter().rev().find(|(known, _)| Rc::ptr_eq(known, ancestor)))
            .map(|(_, function)| function.clone())
    }

    fn fallback(&self) -> Value {
        self.registry.borrow().first().map_or(Value::None, |(_, function)| function.clone())
    }

    /// The function for a value: by its class, else by an abstract class that takes it for its own, as `jax.Array` takes arrays.
    fn of(&self, value: &Value, interp: &Interp) -> PyResult<Value> {
        if let Some(function) = self.inherited(&interp.type_of(value)) {
            return Ok(function);
        }
        let known: Vec<(Rc<Class>, Value)> = self.registry.borrow().iter().skip(1).rev().cloned().collect();
        for (class, function) in known {
            if interp.is_instance(value, &Value::Class(class))? {
                return Ok(function);
            }
        }
        Ok(self.fallback())
    }
}

impl Object for Dispatch {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.is_method { &METHOD } else { &FUNCTION })
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        if name == "registry" {
            let result = dict();
            for (class, function) in self.registry.borrow().iter() {
                interp.set_item(&result, &Value::Class(class.clone()), function.clone())?;
            }
            return Ok(Some(result));
        }
        Ok(self.fields.borrow().get(name).cloned())
    }

    fn set_attr(&self, name: &str, value: Value, _: &Interp) -> PyResult<bool> {
        self.fields.borrow_mut().insert(name.into(), value);
        Ok(true)
    }

    fn call(&self, _: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let chosen = match args.positional.get(usize::from(self.is_method)) {
            Some(first) => match self.of(first, interp) {
                Ok(function) => function,
                Err(stop) => return Some(Err(stop)),
            },
            None => {
                let name = match self.fields.borrow().get("__name__") {
                    Some(Value::Str(name)) => name.to_string(),
                    _ => String::from("singledispatch function"),
                };
                return Some(Err(interp.type_error(format!("{name} requires at least 1 positional argument"))));
            }
        };
        Some(interp.call(&chosen, args))
    }

    fn is_callable(&self) -> bool {
        true
    }
}

fn get(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let is_method = args.get(0).downcast::<Dispatch>().is_some_and(|dispatch| dispatch.is_method);
    if is_method && args.get(1).is_none() {
        let [this, ..] = args.take::<3>();
        return Ok(this);
    }
    functions::get(interp, args)
}

fn register(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, target, function] = args.take();
    if !function.is_none() {
        return add(interp, &this, &target, function);
    }
    match &target {
        Value::Class(_) => {
            let class = target.clone();
            Ok(callable("register", move |interp, args| {
                let [function] = arguments(interp, const { &form("register", "(func)") }, args)?.take();
                add(interp, &this, &class, function)
            }))
        }
        Value::Unknown(_) => Ok(target),
        // `@f.register` over a function with an annotated first parameter.
        function if interp.is_callable(function) => {
            let hints = interp.import("typing")?;
            let hints = interp.call_method(&hints, "get_type_hints", [function.clone()])?;
            let first = crate::library::support::entries(interp, &hints)?
                .into_iter()
                .find(|(name, _)| crate::library::support::text(name).as_deref() != Some("return"));
            let Some((name, class)) = first else {
                return Err(interp.type_error(format!(
                    "Invalid first argument to `register()`: {}. Use either `@register(some_class)` or plain \
                     `@register` on an annotated function.",
                    interp.repr(function)?
                )));
            };
            // An annotation in quotes that names nothing is still text.
            if let Value::Str(text) = &class {
                return Err(interp.error(&interp.types().name_error, format!("name '{text}' is not defined")));
            }
            if !matches!(class, Value::Class(_)) && !is_union(interp, &class) {
                return Err(interp.type_error(format!(
                    "Invalid annotation for {}. {} is not a class.",
                    interp.repr(&name)?,
                    interp.repr(&class)?
                )));
            }
            add(interp, &this, &class, target.clone())
        }
        _ => Err(interp.type_error(format!(
            "Invalid first argument to `register()`: {}. Use either `@register(some_class)` or plain `@register` on \
             an annotated function.",
            interp.repr(&target)?
        ))),
    }
}

fn is_union(interp: &Interp, value: &Value) -> bool {
    interp.type_name(value) == "UnionType" || interp.type_name(value) == "_UnionGenericAlias"
}

fn add(interp: &Interp, this: &Value, target: &Value, function: Value) -> PyResult<Value> {
    let Some(dispatch) = this.downcast::<Dispatch>() else { return Ok(function) };
    match target {
        Value::Class(class) => dispatch.registry.borrow_mut().push((class.clone(), function.clone())),
        union => {
            for class in interp.collect(&interp.get_attr(union, "__args__")?)? {
                if let Value::Class(class) = class {
                    dispatch.registry.borrow_mut().push((class, function.clone()));
                }
            }
        }
    }
    Ok(function)
}

fn dispatch(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, class] = args.take();
    match (this.downcast::<Dispatch>(), &class) {
        (Some(dispatch), Value::Class(class)) => Ok(dispatch.find(class)),
        _ => Err(interp.type_error("dispatch() expects a class")),
    }
}
