//! Functions on dataclasses and their instances: `fields`, `asdict`, `astuple`, `replace`, `is_dataclass`.

use super::field::{Field, Kind, fields_of};
use crate::call::CallArgs;
use crate::interp::Interp;
use crate::library::support::{entries, keywords, plain};
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

/// Whether a value is an instance of a dataclass, not the class itself.
pub(in crate::library) fn is_instance(interp: &Interp, value: &Value) -> bool {
    !matches!(value, Value::Class(_)) && interp.type_of(value).lookup("__dataclass_fields__").is_some()
}

pub(super) fn is_dataclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    Ok(Value::Bool(match args.get(0) {
        Value::Class(class) => class.lookup("__dataclass_fields__").is_some(),
        value => is_instance(interp, value),
    }))
}

fn all_fields(interp: &Interp, value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Class(class) => fields_of(class),
        value => fields_of(&interp.type_of(value)),
    }
}

pub(super) fn fields(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    if target.is_unknown() {
        return Ok(target);
    }
    match all_fields(interp, &target) {
        Some(fields) => {
            Ok(Value::tuple(fields.into_iter().filter(|field| field.downcast::<Field>().is_some_and(Field::is_stored))))
        }
        None => Err(interp.type_error("must be called with a dataclass type or instance")),
    }
}

/// Names and values of the stored fields.
fn stored(interp: &Interp, value: &Value) -> PyResult<Vec<(Value, Value)>> {
    let mut pairs = Vec::new();
    for field in all_fields(interp, value).unwrap_or_default() {
        if let Some(field) = field.downcast::<Field>()
            && field.is_stored()
        {
            let name = field.name.borrow().clone();
            let current = interp.get_attr(value, &name)?;
            pairs.push((Value::Str(name), current));
        }
    }
    Ok(pairs)
}

pub(super) fn as_dict(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [object, factory] = args.take();
    if object.is_unknown() {
        return Ok(object);
    }
    if !is_instance(interp, &object) {
        return Err(interp.type_error("asdict() should be called on dataclass instances"));
    }
    let factory = if factory.is_unset() { Value::Class(interp.types().dict.clone()) } else { factory };
    convert(interp, &object, &Target::Dict(factory))
}

pub(super) fn as_tuple(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [object, factory] = args.take();
    if object.is_unknown() {
        return Ok(object);
    }
    if !is_instance(interp, &object) {
        return Err(interp.type_error("astuple() should be called on dataclass instances"));
    }
    let factory = if factory.is_unset() { Value::Class(interp.types().tuple.clone()) } else { factory };
    convert(interp, &object, &Target::Tuple(factory))
}

/// What instances become, and who makes it.
enum Target {
    Dict(Value),
    Tuple(Value),
}

fn convert(interp: &Interp, value: &Value, target: &Target) -> PyResult<Value> {
    interp.nested(|| {
        if is_instance(interp, value) {
            let mut items = Vec::new();
            for (name, current) in stored(interp, value)? {
                let current = convert(interp, &current, target)?;
                items.push(match target {
                    Target::Dict(_) => Value::tuple([name, current]),
                    Target::Tuple(_) => current,
                });
            }
            let (Target::Dict(factory) | Target::Tuple(factory)) = target;
            return interp.call_values(factory, [Value::list(items)]);
        }
        let class = interp.type_of(value);
        match plain(value) {
            Value::Tuple(items) => {
                let items = items.iter().map(|item| convert(interp, item, target)).collect::<PyResult<Vec<_>>>()?;
                if class.lookup("_fields").is_some() {
                    interp.call_values(&Value::Class(class), items)
                } else {
                    interp.call_values(&Value::Class(class), [Value::list(items)])
                }
            }
            Value::List(items) => {
                let items = items.borrow().clone();
                let items = items.iter().map(|item| convert(interp, item, target)).collect::<PyResult<Vec<_>>>()?;
                interp.call_values(&Value::Class(class), [Value::list(items)])
            }
            Value::Dict(_) => {
                let mut pairs = Vec::new();
                for (key, item) in entries(interp, &plain(value))? {
                    pairs.push(Value::tuple([convert(interp, &key, target)?, convert(interp, &item, target)?]));
                }
                let mut args = vec![Value::list(pairs)];
                if class.lookup("__missing__").is_some()
                    && let Some(factory) = interp.find_attr(value, "default_factory")?
                {
                    args.insert(0, factory);
                }
                interp.call_values(&Value::Class(class), args)
            }
            _ => super::super::copy::deep_copy(interp, value),
        }
    })
}

pub(super) fn replace(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [object, changes] = args.take();
    if object.is_unknown() {
        return Ok(object);
    }
    if !is_instance(interp, &object) {
        return Err(interp.type_error("replace() should be called on dataclass instances"));
    }
    let mut call = CallArgs::default();
    call.keywords.extend(keywords(&changes));
    for field in all_fields(interp, &object).unwrap_or_default() {
        let Some(field) = field.downcast::<Field>() else { continue };
        let name = field.name.borrow().clone();
        let changed = call.keywords.iter().any(|(keyword, _)| **keyword == *name);
        if field.kind.get() == Kind::ClassVar {
            continue;
        }
        if !field.init {
            if changed {
                return Err(interp.value_error(format!(
                    "field {name} is declared with init=False, it cannot be specified with replace()"
                )));
            }
            continue;
        }
        if !changed {
            if field.kind.get() == Kind::InitVar {
                if field.default.is_unset() {
                    return Err(interp.value_error(format!("InitVar '{name}' must be specified with replace()")));
                }
                continue;
            }
            call.keywords.push(((&*name).into(), interp.get_attr(&object, &name)?));
        }
    }
    interp.call(&Value::Class(interp.type_of(&object)), call)
}
