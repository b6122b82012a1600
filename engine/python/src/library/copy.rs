//! `copy`: shallow and deep copies.

use super::support::{address, entries, row};
use crate::class::{Builtin, Instance};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "copy",
    doc: "Shallow and deep copies.",
    functions: &[
        row("copy", "(x)", "A shallow copy.", |interp, args| shallow(interp, args.get(0))),
        row("deepcopy", "(x, memo=None)", "A deep copy.", deepcopy),
        row("replace", "(obj, /, **changes)", "A copy with some fields replaced.", replace),
    ],
    populate: |interp, names| {
        let error = interp.exception_class("copy", "Error", &interp.types().exception);
        names.insert("Error".into(), Value::Class(error.clone()));
        names.insert("error".into(), Value::Class(error));
    },
};

fn shallow(interp: &Interp, value: &Value) -> PyResult<Value> {
    Ok(match value {
        Value::List(items) => Value::list(items.borrow().clone()),
        Value::Dict(_) | Value::Set(_) => interp.call_method(value, "copy", [])?,
        Value::Instance(instance) => {
            if let Some(copied) = interp.call_special(value, "__copy__", [])? {
                return Ok(copied);
            }
            let payload = shallow_payload(interp, instance)?;
            Value::Instance(Rc::new(Instance {
                class: RefCell::new(instance.class.borrow().clone()),
                fields: RefCell::new(instance.fields.borrow().clone()),
                payload: RefCell::new(payload),
            }))
        }
        Value::Object(_) => match interp.call_special(value, "__copy__", [])? {
            Some(copied) => copied,
            None => value.clone(),
        },
        immutable => immutable.clone(),
    })
}

fn shallow_payload(interp: &Interp, instance: &Instance) -> PyResult<Value> {
    let payload = instance.payload.borrow().clone();
    shallow(interp, &payload)
}

fn deepcopy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [value, memo] = args.take();
    let memo = memo.given().unwrap_or_else(super::support::dict);
    copy_into(interp, &value, &mut HashMap::new(), &memo)
}

/// `copy.deepcopy(value)`
pub(super) fn deep_copy(interp: &Interp, value: &Value) -> PyResult<Value> {
    copy_into(interp, value, &mut HashMap::new(), &super::support::dict())
}

/// Copies by address: what was copied already, for values that contain themselves. `memo` is what user-defined
/// `__deepcopy__` methods get.
fn copy_into(interp: &Interp, value: &Value, seen: &mut HashMap<usize, Value>, memo: &Value) -> PyResult<Value> {
    let key = address(value);
    if let Some(copied) = seen.get(&key).filter(|_| key != 0) {
        return Ok(copied.clone());
    }
    interp.charge(1)?;
    interp.nested(|| match value {
        Value::List(items) => {
            let result = Rc::new(RefCell::new(Vec::new()));
            seen.insert(key, Value::List(result.clone()));
            let items = items.borrow().clone();
            for item in items {
                let item = copy_into(interp, &item, seen, memo)?;
                result.borrow_mut().push(item);
            }
            Ok(Value::List(result))
        }
        Value::Tuple(items) => {
            let items = items.iter().map(|item| copy_into(interp, item, seen, memo)).collect::<PyResult<Vec<_>>>()?;
            Ok(Value::tuple(items))
        }
        Value::Dict(_) => {
            let result = super::support::dict();
            seen.insert(key, result.clone());
            for (name, item) in entries(interp, value)? {
                let name = copy_into(interp, &name, seen, memo)?;
                let item = copy_into(interp, &item, seen, memo)?;
                interp.set_item(&result, &name, item)?;
            }
            Ok(result)
        }
        Value::Set(_) => {
            let result = interp.call_method(value, "copy", [])?;
            interp.call_method(&result, "clear", [])?;
            for item in interp.collect(value)? {
                let item = copy_into(interp, &item, seen, memo)?;
                interp.call_method(&result, "add", [item])?;
            }
            Ok(result)
        }
        Value::Instance(instance) => copy_instance(interp, value, instance, seen, memo),
        Value::Object(_) => match interp.call_special(value, "__deepcopy__", [memo.clone()])? {
            Some(copied) => Ok(copied),
            None => shallow(interp, value),
        },
        other => Ok(other.clone()),
    })
}

fn copy_instance(
    interp: &Interp,
    value: &Value,
    instance: &Rc<Instance>,
    seen: &mut HashMap<usize, Value>,
    memo: &Value,
) -> PyResult<Value> {
    if let Some(copied) = interp.call_special(value, "__deepcopy__", [memo.clone()])? {
        seen.insert(address(value), copied.clone());
        return Ok(copied);
    }
    let class = instance.class.borrow().clone();
    let result = Rc::new(Instance {
        class: RefCell::new(class.clone()),
        fields: RefCell::default(),
        payload: RefCell::new(Value::Unset),
    });
    seen.insert(address(value), Value::Instance(result.clone()));
    let payload = instance.payload.borrow().clone();
    let payload = if class.builtin == Some(Builtin::Exception) || !matches!(payload, Value::Unset) {
        copy_into(interp, &payload, seen, memo)?
    } else {
        payload
    };
    *result.payload.borrow_mut() = payload;
    let fields = instance.fields.borrow().clone();
    for (name, field) in fields {
        let field = copy_into(interp, &field, seen, memo)?;
        result.fields.borrow_mut().insert(name, field);
    }
    Ok(Value::Instance(result))
}

fn replace(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [object, changes] = args.take();
    let mut call = crate::call::CallArgs::default();
    call.keywords.extend(super::support::keywords(&changes));
    match interp.find_attr(&object, "_replace")? {
        Some(method) => interp.call(&method, call),
        None => {
            let replace = interp.get_attr(&interp.import("dataclasses")?, "replace")?;
            interp.call(&replace, call.with_receiver(object))
        }
    }
}
