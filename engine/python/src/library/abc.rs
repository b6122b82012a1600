//! `abc`: abstract base classes. That a class with abstract methods cannot be instantiated is the evaluator's part.

use super::support::row;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::{Property, Value};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "abc",
    doc: "Abstract base classes.",
    functions: &[
        row("abstractmethod", "(funcobj)", "Marks a method that subclasses must define.", abstract_method),
        row("abstractclassmethod", "(callable)", "An abstract class method.", |interp, args| {
            mark(interp, args.get(0))?;
            Ok(Value::ClassMethod(Rc::new(args.get(0).clone())))
        }),
        row("abstractstaticmethod", "(callable)", "An abstract static method.", |interp, args| {
            mark(interp, args.get(0))?;
            Ok(Value::StaticMethod(Rc::new(args.get(0).clone())))
        }),
        row("abstractproperty", "(fget)", "An abstract property.", |interp, args| {
            mark(interp, args.get(0))?;
            Ok(super::support::property(args.get(0).clone()))
        }),
        row("get_cache_token", "()", "A number that changes with every registration.", |interp, _| {
            Ok(interp.extension::<Registry>().virtual_subclasses.borrow().len().into())
        }),
        row("update_abstractmethods", "(cls)", "cls, unchanged.", |_, args| Ok(args.get(0).clone())),
    ],
    populate: |interp, names| {
        let meta = meta(interp);
        super::support::add_class(names, &meta);
        names.insert("ABC".into(), Value::Class(base(interp)));
    },
};

/// `ABCMeta`. The evaluator knows it by its name.
static META: NativeClass = NativeClass {
    name: "ABCMeta",
    module: "abc",
    doc: "The class of abstract base classes.",
    methods: &[
        row("register", "(self, subclass)", "Makes a class count as a subclass.", register),
        row("__instancecheck__", "(self, instance)", "Registered classes count, too.", |interp, args| {
            let [class, instance] = args.take();
            let Value::Class(class) = &class else { return Ok(Value::Bool(false)) };
            is_subclass(interp, &interp.type_of(&instance), class).map(Value::Bool)
        }),
        row("__subclasscheck__", "(self, subclass)", "Registered classes count, too.", |interp, args| {
            let [class, subclass] = args.take();
            match (&class, &subclass) {
                (Value::Class(class), Value::Class(subclass)) => is_subclass(interp, subclass, class).map(Value::Bool),
                _ => Err(interp.type_error("issubclass() arg 1 must be a class")),
            }
        }),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

static BASE: NativeClass = NativeClass {
    name: "ABC",
    module: "abc",
    doc: "A class whose subclasses may have abstract methods.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// `abc.ABCMeta`
pub(super) fn meta(interp: &Interp) -> Rc<Class> {
    interp.native_class_with(&META, std::slice::from_ref(&interp.types().type_))
}

fn base(interp: &Interp) -> Rc<Class> {
    interp.native_class_full(&BASE, &[], Some(meta(interp)))
}

#[derive(Default)]
struct Registry {
    /// Abstract class and the class registered with it.
    virtual_subclasses: RefCell<Vec<(Weak<Class>, Weak<Class>)>>,
}

fn register(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, subclass] = args.take();
    match (&class, &subclass) {
        (Value::Class(class), Value::Class(subclass)) => {
            let registry = interp.extension::<Registry>();
            registry.virtual_subclasses.borrow_mut().push((Rc::downgrade(class), Rc::downgrade(subclass)));
            Ok(Value::Class(subclass.clone()))
        }
        _ => Err(interp.type_error("Can only register classes")),
    }
}

/// `issubclass` of an abstract class: by inheritance, `__subclasshook__`, registration.
pub(super) fn is_subclass(interp: &Interp, subclass: &Rc<Class>, class: &Rc<Class>) -> PyResult<bool> {
    if subclass.is_subclass(class) {
        return Ok(true);
    }
    if let Some(Value::ClassMethod(hook)) = class.namespace.borrow().get("__subclasshook__").cloned() {
        let verdict = interp.call_values(&hook, [Value::Class(class.clone()), Value::Class(subclass.clone())])?;
        if let Value::Bool(verdict) = verdict {
            return Ok(verdict);
        }
    }
    let registered: Vec<Rc<Class>> = interp
        .extension::<Registry>()
        .virtual_subclasses
        .borrow()
        .iter()
        .filter(|(owner, _)| owner.upgrade().is_some_and(|owner| owner.is_subclass(class)))
        .filter_map(|(_, registered)| registered.upgrade())
        .collect();
    Ok(registered.iter().any(|registered| subclass.is_subclass(registered)))
}

/// Sets `__isabstractmethod__` on the function inside.
fn mark(interp: &Interp, value: &Value) -> PyResult<()> {
    match value {
        Value::ClassMethod(inner) | Value::StaticMethod(inner) => mark(interp, inner),
        Value::Property(property) => {
            let Property { getter, .. } = &**property;
            mark(interp, getter)
        }
        Value::None | Value::Unknown(_) => Ok(()),
        function => interp.set_attr(function, "__isabstractmethod__", Value::Bool(true)),
    }
}

fn abstract_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function] = args.take();
    mark(interp, &function)?;
    Ok(function)
}
