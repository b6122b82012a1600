//! `Generic` and `Protocol`.

use super::alias::Alias;
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::library::support::{add_class, row, text};
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

static GENERIC: NativeClass = NativeClass {
    name: "Generic",
    module: "typing",
    doc: "The base class of generic classes.",
    methods: &[
        row("__class_getitem__", "(cls, params)", "The class for certain types.", class_getitem),
        row("__init_subclass__", "(cls, **kwargs)", "Nothing to do.", |_, _| Ok(Value::None)),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

static PROTOCOL_TYPE: NativeClass = NativeClass {
    name: "_ProtocolMeta",
    module: "typing",
    doc: "The class of protocols.",
    methods: &[row(
        "__instancecheck__",
        "(self, instance)",
        "By members, for runtime_checkable protocols.",
        instance_check,
    )],
    properties: &[],
    construct: None,
    instance_check: None,
};

static PROTOCOL: NativeClass = NativeClass {
    name: "Protocol",
    module: "typing",
    doc: "The base class of protocols: classes that others match by their members.",
    methods: &[row(
        "__init_subclass__",
        "(cls, **kwargs)",
        "Notes whether the class is a protocol itself.",
        |interp, args| {
            if let Value::Class(class) = args.get(0) {
                let direct = class.bases.iter().any(|base| Rc::ptr_eq(base, &protocol(interp)));
                class.namespace.borrow_mut().insert("_is_protocol".into(), Value::Bool(direct));
            }
            Ok(Value::None)
        },
    )],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn generic(interp: &Interp) -> Rc<Class> {
    interp.native_class(&GENERIC)
}

fn protocol(interp: &Interp) -> Rc<Class> {
    let base = crate::library::abc::meta(interp);
    let meta = interp.native_class_with(&PROTOCOL_TYPE, &[base]);
    interp.native_class_full(&PROTOCOL, &[generic(interp)], Some(meta))
}

/// Protocols of one method.
const SUPPORTS: &[(&str, &str)] = &[
    ("SupportsInt", "__int__"),
    ("SupportsFloat", "__float__"),
    ("SupportsComplex", "__complex__"),
    ("SupportsBytes", "__bytes__"),
    ("SupportsIndex", "__index__"),
    ("SupportsAbs", "__abs__"),
    ("SupportsRound", "__round__"),
];

pub(super) fn populate(interp: &Interp, names: &mut Namespace) {
    add_class(names, &generic(interp));
    let protocol = protocol(interp);
    add_class(names, &protocol);
    for (name, method) in SUPPORTS {
        let class = crate::library::support::ClassBuilder::new(name, "typing", &protocol)
            .attribute("_is_protocol", Value::Bool(true))
            .attribute("_is_runtime_protocol", Value::Bool(true))
            .attribute(method, Value::None)
            .build();
        add_class(names, &class);
    }
}

fn class_getitem(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, key] = args.take();
    let items: Rc<[Value]> = match &key {
        Value::Tuple(items) => items.clone(),
        key => Rc::from([key.clone()]),
    };
    if items.is_empty() {
        return Err(interp.type_error(format!("Parameter list to {}[...] cannot be empty", interp.type_text(&class)?)));
    }
    Ok(Value::object(Alias { base: class, args: items }))
}

pub(super) fn runtime_checkable(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    if let Value::Class(class) = &target {
        if !is_protocol(class) {
            return Err(interp.type_error(format!(
                "@runtime_checkable can be only applied to protocol classes, got {}",
                interp.repr(&target)?
            )));
        }
        class.namespace.borrow_mut().insert("_is_runtime_protocol".into(), Value::Bool(true));
    }
    Ok(target)
}

fn is_protocol(class: &Rc<Class>) -> bool {
    matches!(class.namespace.borrow().get("_is_protocol"), Some(Value::Bool(true)))
}

/// The names that a protocol asks for.
fn members(class: &Rc<Class>) -> Vec<String> {
    const IGNORED: &[&str] = &[
        "__module__",
        "__qualname__",
        "__doc__",
        "__annotations__",
        "__dict__",
        "__weakref__",
        "__slots__",
        "__abstractmethods__",
        "__orig_bases__",
        "__parameters__",
        "__init_subclass__",
        "__class_getitem__",
        "__firstlineno__",
        "__static_attributes__",
        "__match_args__",
        "__init__",
        "__new__",
        "_is_protocol",
        "_is_runtime_protocol",
    ];
    let mut names = Vec::new();
    for class in std::iter::once(class).chain(&class.ancestors).filter(|class| is_protocol(class)) {
        let namespace = class.namespace.borrow();
        names.extend(namespace.keys().map(ToString::to_string));
        if let Some(Value::Dict(annotations)) = namespace.get("__annotations__") {
            names.extend(annotations.borrow().keys().filter_map(text).map(|name| name.to_string()));
        }
    }
    names.retain(|name| !IGNORED.contains(&name.as_str()));
    names
}

fn instance_check(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, instance] = args.take();
    let Value::Class(class) = &class else { return Ok(Value::Bool(false)) };
    if interp.type_of(&instance).is_subclass(class) {
        return Ok(Value::Bool(true));
    }
    if !is_protocol(class) {
        return Ok(Value::Bool(false));
    }
    if !matches!(class.namespace.borrow().get("_is_runtime_protocol"), Some(Value::Bool(true))) {
        return Err(interp.type_error("Instance and class checks can only be used with @runtime_checkable protocols"));
    }
    for name in members(class) {
        if interp.find_attr(&instance, &name)?.is_none() {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}
