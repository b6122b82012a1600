//! The methods that the decorator adds. CPython compiles them from source text; here they are closures over the fields.

use super::field::{Field, Kind};
use super::frozen_error;
use crate::class::Class;
use crate::interp::Interp;
use crate::library::support::bind::{Parameter, python_arguments};
use crate::library::support::{arguments, callable, form, text};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{CompareOp, Name};
use std::rc::Rc;

/// A closure with the qualified name that CPython gives the generated function.
fn function(
    class: &str,
    name: &str,
    body: impl Fn(&Interp, crate::call::CallArgs) -> PyResult<Value> + 'static,
) -> Value {
    let value = callable(name, body);
    if let Some(this) = value.downcast::<crate::library::support::Callable>() {
        this.fields.borrow_mut().insert("__qualname__".into(), Value::str(format!("{class}.{name}")));
    }
    value
}

fn views(fields: &[Value]) -> impl Iterator<Item = &Field> {
    fields.iter().filter_map(|field| field.downcast::<Field>())
}

/// Names of the stored fields that pass `test`.
fn names(fields: &[Value], test: impl Fn(&Field) -> bool) -> Rc<[Name]> {
    views(fields)
        .filter(|field| field.is_stored() && test(field))
        .map(|field| Name::from(&**field.name.borrow()))
        .collect()
}

/// What `__init__` does about one field.
struct Step {
    name: Name,
    kind: Kind,
    /// Its place among the parameters; `None` where `init=False`.
    parameter: Option<usize>,
    default: Value,
    factory: Value,
}

pub(super) fn init(interp: &Interp, owner: &Class, fields: &[Value], frozen: bool) -> PyResult<Value> {
    let mut seen_default = false;
    for field in views(fields).filter(|field| field.is_parameter() && !field.is_keyword_only()) {
        if seen_default && !field.has_default() {
            let name = field.name.borrow();
            return Err(interp.type_error(format!("non-default argument '{name}' follows default argument")));
        }
        seen_default |= field.has_default();
    }
    let mut parameters = Vec::new();
    let mut order = Vec::new();
    for keyword_only in [false, true] {
        for field in views(fields).filter(|field| field.is_parameter() && field.is_keyword_only() == keyword_only) {
            let default = match (&field.default, &field.default_factory) {
                (Value::Unset, Value::Unset) => Value::Unset,
                // Stands for the call of the factory; no caller can pass it.
                (Value::Unset, _) => Value::NotImplemented,
                (default, _) => default.clone(),
            };
            let name = Name::from(&**field.name.borrow());
            order.push(name.clone());
            parameters.push(Parameter { name, default, keyword_only });
        }
    }
    let steps: Vec<Step> = views(fields)
        .filter(|field| field.kind.get() != Kind::ClassVar)
        .map(|field| {
            let name = Name::from(&**field.name.borrow());
            Step {
                parameter: order.iter().position(|parameter| *parameter == name),
                name,
                kind: field.kind.get(),
                default: field.default.clone(),
                factory: field.default_factory.clone(),
            }
        })
        .collect();
    let class = &*owner.qualified_name;
    if let Some(unknown) = owner.unknown_base.clone() {
        return Ok(open_init(class, parameters, unknown));
    }
    let qualified = format!("{class}.__init__");
    Ok(function(class, "__init__", move |interp, mut args| {
        if args.positional.is_empty() {
            return Err(interp.type_error(format!("{qualified}() missing 1 required positional argument: 'self'")));
        }
        let this = args.positional.remove(0);
        let values = python_arguments(interp, &qualified, &parameters, true, args)?;
        let mut init_vars = Vec::new();
        for step in &steps {
            let value = match step.parameter {
                Some(index) => values[index].clone(),
                None if !step.factory.is_unset() => Value::NotImplemented,
                None => {
                    // Without a parameter the default stays in the class, where reading finds it.
                    if step.kind == Kind::InitVar {
                        init_vars.push(step.default.clone());
                    }
                    continue;
                }
            };
            let value = match value {
                Value::NotImplemented if !step.factory.is_unset() => interp.call_values(&step.factory, [])?,
                value => value,
            };
            match step.kind {
                Kind::InitVar => init_vars.push(value),
                _ if frozen => interp.set_attr_plainly(&this, &step.name, value)?,
                _ => interp.set_attr(&this, &step.name, value)?,
            }
        }
        if interp.type_of(&this).lookup("__post_init__").is_some() {
            interp.call_method(&this, "__post_init__", init_vars)?;
        }
        Ok(Value::None)
    }))
}

/// `__init__` of a class with a base that is not known, and so with fields that are not: keywords are kept whatever their
/// names are, and which fields positional arguments are for cannot be said.
fn open_init(class: &str, parameters: Vec<Parameter>, unknown: Value) -> Value {
    function(class, "__init__", move |interp, args| {
        let Some((this, positional)) = args.positional.split_first() else {
            return Ok(unknown.clone());
        };
        for parameter in &parameters {
            let factory = matches!(parameter.default, Value::NotImplemented | Value::Unset);
            let value = if factory || !positional.is_empty() { &unknown } else { &parameter.default };
            interp.set_attr_plainly(this, &parameter.name, value.clone())?;
        }
        for (name, value) in args.keywords {
            interp.set_attr_plainly(this, &name, value)?;
        }
        Ok(Value::None)
    })
}

pub(super) fn repr(class: &str, fields: &[Value]) -> Value {
    let names = names(fields, |field| field.repr);
    function(class, "__repr__", move |interp, args| {
        let [this] = arguments(interp, const { &form("__repr__", "(self)") }, args)?.take();
        let guard = interp.extension::<Shown>();
        let address = crate::library::support::address(&this);
        if guard.values.borrow().contains(&address) {
            return Ok(Value::str("..."));
        }
        guard.values.borrow_mut().push(address);
        let parts = interp.nested(|| {
            names
                .iter()
                .map(|name| Ok(format!("{name}={}", interp.repr(&interp.get_attr(&this, name)?)?)))
                .collect::<PyResult<Vec<_>>>()
        });
        guard.values.borrow_mut().pop();
        Ok(Value::str(format!("{}({})", interp.type_of(&this).qualified_name, parts?.join(", "))))
    })
}

/// Instances whose `repr` is being made: one inside itself shows as `...`.
#[derive(Default)]
struct Shown {
    values: std::cell::RefCell<Vec<usize>>,
}

fn values(interp: &Interp, this: &Value, names: &[Name]) -> PyResult<Value> {
    let values = names.iter().map(|name| interp.get_attr(this, name)).collect::<PyResult<Vec<_>>>()?;
    Ok(Value::tuple(values))
}

fn comparison(class: &str, fields: &[Value], name: &'static str, op: CompareOp) -> Value {
    let names = names(fields, |field| field.compare);
    function(class, name, move |interp, args| {
        let [this, other] = arguments(interp, const { &form("comparison", "(self, other)") }, args)?.take();
        if !Rc::ptr_eq(&interp.type_of(&this), &interp.type_of(&other)) {
            return Ok(Value::NotImplemented);
        }
        interp.compare(op, &values(interp, &this, &names)?, &values(interp, &other, &names)?)
    })
}

pub(super) fn eq(class: &str, fields: &[Value]) -> Value {
    comparison(class, fields, "__eq__", CompareOp::Eq)
}

pub(super) fn order(class: &str, fields: &[Value]) -> [(&'static str, Value); 4] {
    [("__lt__", CompareOp::Lt), ("__le__", CompareOp::LtE), ("__gt__", CompareOp::Gt), ("__ge__", CompareOp::GtE)]
        .map(|(name, op)| (name, comparison(class, fields, name, op)))
}

pub(super) fn hash(class: &str, fields: &[Value]) -> Value {
    let names = names(fields, |field| field.hash.unwrap_or(field.compare));
    function(class, "__hash__", move |interp, args| {
        let [this] = arguments(interp, const { &form("__hash__", "(self)") }, args)?.take();
        interp.hash_value(&values(interp, &this, &names)?)
    })
}

/// `__setattr__` and `__delattr__` that refuse.
pub(super) fn frozen(class: &str, fields: &[Value]) -> [(&'static str, Value); 2] {
    let refuse = |name: &'static str, verb: &'static str| {
        let stored = names(fields, |_| true);
        let own = class.to_owned();
        function(class, name, move |interp, args| {
            let attribute = args.positional.get(1).and_then(text).unwrap_or_default();
            let this = args.positional.first().cloned().unwrap_or(Value::None);
            let declared = stored.iter().any(|field| **field == *attribute);
            // An undecorated subclass may have attributes of its own.
            if declared || *interp.type_of(&this).qualified_name == *own {
                return Err(interp.error(&frozen_error(interp), format!("cannot {verb} field '{attribute}'")));
            }
            match args.positional.get(2) {
                Some(value) => interp.set_attr_plainly(&this, &attribute, value.clone())?,
                None => {
                    let object = Value::Class(interp.types().object.clone());
                    let delete = interp.get_attr(&object, "__delattr__")?;
                    interp.call_values(&delete, [this, Value::Str(attribute)])?;
                }
            }
            Ok(Value::None)
        })
    };
    [("__setattr__", refuse("__setattr__", "assign to")), ("__delattr__", refuse("__delattr__", "delete"))]
}

/// `(x: int, y: int = 0)`, for `__doc__`.
pub(super) fn signature(interp: &Interp, fields: &[Value]) -> PyResult<String> {
    let mut parts = Vec::new();
    for keyword_only in [false, true] {
        let group: Vec<&Field> =
            views(fields).filter(|field| field.is_parameter() && field.is_keyword_only() == keyword_only).collect();
        if keyword_only && !group.is_empty() {
            parts.push("*".to_owned());
        }
        for field in group {
            let annotation = match &*field.annotation.borrow() {
                Value::Class(class) if &*class.module == "builtins" => class.qualified_name.to_string(),
                Value::Class(class) => format!("{}.{}", class.module, class.qualified_name),
                other => interp.repr(other)?,
            };
            let default = match (&field.default, &field.default_factory) {
                (Value::Unset, Value::Unset) => String::new(),
                (Value::Unset, _) => " = <factory>".to_owned(),
                (default, _) => format!(" = {}", interp.repr(default)?),
            };
            parts.push(format!("{}: {annotation}{default}", field.name.borrow()));
        }
    }
    Ok(format!("({})", parts.join(", ")))
}
