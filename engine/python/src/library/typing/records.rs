//! `typing.NamedTuple` and `typing.TypedDict`, as base classes and as functions.

use super::special::as_type;
use crate::call::CallArgs;
use crate::class::{Class, Namespace, NativeClass};
use crate::interp::Interp;
use crate::library::collections::namedtuple;
use crate::library::support::{ClassBuilder, add_class, arguments, dict, entries, form, native, row, text};
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

static NAMED_TUPLE: NativeClass = NativeClass {
    name: "NamedTuple",
    module: "typing",
    doc: "A named tuple class made of annotated fields.",
    methods: &[row("__init_subclass__", "(cls, **kwargs)", "Makes fields of the annotations.", named_tuple_subclass)],
    properties: &[],
    construct: Some(construct_named_tuple),
    instance_check: None,
};

static TYPED_DICT: NativeClass = NativeClass {
    name: "TypedDict",
    module: "typing",
    doc: "A dict with known keys; calling the class makes a plain dict.",
    methods: &[row("__init_subclass__", "(cls, total=True, **kwargs)", "Notes the keys.", typed_dict_subclass)],
    properties: &[],
    construct: Some(construct_typed_dict),
    instance_check: None,
};

fn named_tuple(interp: &Interp) -> Rc<Class> {
    interp.native_class_with(&NAMED_TUPLE, std::slice::from_ref(&interp.types().tuple))
}

fn typed_dict(interp: &Interp) -> Rc<Class> {
    interp.native_class_with(&TYPED_DICT, std::slice::from_ref(&interp.types().dict))
}

pub(super) fn populate(interp: &Interp, names: &mut Namespace) {
    add_class(names, &named_tuple(interp));
    add_class(names, &typed_dict(interp));
}

fn own_annotations(class: &Rc<Class>) -> Vec<(String, Value)> {
    match class.namespace.borrow().get("__annotations__") {
        Some(Value::Dict(annotations)) => annotations
            .borrow()
            .iter()
            .filter_map(|(name, annotation)| Some((text(name)?.to_string(), annotation.clone())))
            .collect(),
        _ => Vec::new(),
    }
}

fn named_tuple_subclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let Value::Class(class) = args.get(0) else { return Ok(Value::None) };
    // A subclass of a finished named tuple is an ordinary class.
    if !class.bases.iter().any(|base| Rc::ptr_eq(base, &named_tuple(interp))) {
        return Ok(Value::None);
    }
    let annotations = own_annotations(class);
    let fields: Vec<String> = annotations.iter().map(|(name, _)| name.clone()).collect();
    let annotations = annotations.into_iter().map(|(name, annotation)| (name, as_type(interp, annotation)));
    let annotations = interp.dict_of(annotations);
    class.namespace.borrow_mut().insert("__annotations__".into(), annotations);
    let mut defaults = Vec::new();
    let mut with_default: Vec<&str> = Vec::new();
    for field in &fields {
        if field.starts_with('_') {
            let shown = interp.repr(&Value::str(field))?;
            return Err(interp.value_error(format!("Field names cannot start with an underscore: {shown}")));
        }
        let default = class.namespace.borrow().get(field.as_str()).cloned();
        match default {
            Some(default) => {
                with_default.push(field);
                defaults.push(default);
            }
            None if !with_default.is_empty() => {
                return Err(interp.type_error(format!(
                    "Non-default namedtuple field {field} cannot follow default field{} {}",
                    if with_default.len() > 1 { "s" } else { "" },
                    with_default.join(", ")
                )));
            }
            None => {}
        }
    }
    let overridable = ["__doc__", "__slots__", "__match_args__"];
    for (name, value) in namedtuple::attributes(interp, &class.name, &fields, defaults) {
        let mut namespace = class.namespace.borrow_mut();
        if !(overridable.contains(&name.as_str()) && namespace.contains_key(name.as_str())) {
            namespace.insert(name.as_str().into(), value);
        }
    }
    for def in namedtuple::methods() {
        let mut namespace = class.namespace.borrow_mut();
        if !namespace.contains_key(def.name) {
            namespace.insert(def.name.into(), native(def, ""));
        }
    }
    Ok(Value::None)
}

fn construct_named_tuple(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if !Rc::ptr_eq(class, &named_tuple(interp)) {
        return namedtuple::construct(interp, class, args);
    }
    let form = const { &form("NamedTuple", "(typename, fields=None, /, **kwargs)") };
    let [name, fields, keywords] = arguments(interp, form, args)?.take();
    let name = interp.to_str(&name)?;
    let pairs: Vec<(Value, Value)> = match fields.given() {
        None => entries(interp, &keywords)?,
        Some(fields) => {
            let mut pairs = Vec::new();
            for field in interp.collect(&fields)? {
                match interp.collect(&field)?.as_slice() {
                    [name, annotation] => pairs.push((name.clone(), annotation.clone())),
                    _ => return Err(interp.value_error("NamedTuple fields must be pairs of name and type")),
                }
            }
            pairs
        }
    };
    let annotations = dict();
    let mut names = Vec::new();
    for (name, annotation) in pairs {
        names.push(interp.to_str(&name)?.to_string());
        interp.set_item(&annotations, &name, annotation)?;
    }
    let module = namedtuple::current_module(interp);
    let class = namedtuple::make(interp, &name, &module, &names, Vec::new());
    class.namespace.borrow_mut().insert("__annotations__".into(), annotations);
    Ok(Value::Class(class))
}

fn typed_dict_subclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let Value::Class(class) = args.get(0) else { return Ok(Value::None) };
    let total = interp.truth(args.get(1))?;
    finish_typed_dict(interp, class, total)?;
    Ok(Value::None)
}

/// Gathers the keys of the bases and of the class.
fn finish_typed_dict(interp: &Interp, class: &Rc<Class>, total: bool) -> PyResult<()> {
    let all = dict();
    let (mut required, mut optional) = (Vec::new(), Vec::new());
    for base in class.bases.iter().filter(|base| base.namespace.borrow().contains_key("__total__")) {
        if let Some(annotations) = base.lookup("__annotations__") {
            for (name, annotation) in entries(interp, &annotations)? {
                interp.set_item(&all, &name, annotation)?;
            }
        }
        for (name, keys) in [("__required_keys__", &mut required), ("__optional_keys__", &mut optional)] {
            if let Some(inherited) = base.lookup(name) {
                keys.extend(interp.collect(&inherited)?);
            }
        }
    }
    for (name, annotation) in own_annotations(class) {
        let shown = match text(&annotation) {
            Some(text) => text.to_string(),
            None => interp.repr(&annotation)?,
        };
        let head = shown.trim_start_matches("typing.").trim_start_matches("typing_extensions.").to_owned();
        let is_required = if head.starts_with("NotRequired[") { false } else { total || head.starts_with("Required[") };
        if is_required { &mut required } else { &mut optional }.push(Value::str(&name));
        interp.set_item(&all, &Value::str(&name), as_type(interp, annotation))?;
    }
    let frozen =
        |values: Vec<Value>| interp.call_values(&Value::Class(interp.types().frozenset.clone()), [Value::list(values)]);
    let (required, optional) = (frozen(required)?, frozen(optional)?);
    let mut namespace = class.namespace.borrow_mut();
    namespace.insert("__annotations__".into(), all);
    namespace.insert("__required_keys__".into(), required);
    namespace.insert("__optional_keys__".into(), optional);
    namespace.insert("__total__".into(), Value::Bool(total));
    Ok(())
}

fn construct_typed_dict(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if !Rc::ptr_eq(class, &typed_dict(interp)) {
        return interp.call(&Value::Class(interp.types().dict.clone()), args);
    }
    let form = const { &form("TypedDict", "(typename, fields=None, /, *, total=True, **kwargs)") };
    let [name, fields, total, keywords] = arguments(interp, form, args)?.take();
    let annotations = fields.given().unwrap_or(keywords);
    let class = ClassBuilder::new(&interp.to_str(&name)?, &namedtuple::current_module(interp), class)
        .attribute("__annotations__", annotations)
        .build();
    finish_typed_dict(interp, &class, interp.truth(&total)?)?;
    Ok(Value::Class(class))
}

pub(super) fn is_typed_dict(interp: &Interp, args: Arguments) -> PyResult<Value> {
    Ok(Value::Bool(match args.get(0) {
        Value::Class(class) => class.is_subclass(&typed_dict(interp)) && class.lookup("__total__").is_some(),
        _ => false,
    }))
}
