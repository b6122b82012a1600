//! `os.environ`: the host's variables, with the program's own changes on top, in memory.

use super::super::support::{iterator_of, row};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

static ENVIRON: NativeClass = NativeClass {
    name: "_Environ",
    module: "os",
    doc: "The variables of the environment.",
    methods: &[
        row("get", "(self, key, default=None)", "A variable, or the default.", |interp, args| {
            let [_, key, default] = args.take();
            Ok(find(interp, &key)?.unwrap_or(default))
        }),
        row("setdefault", "(self, key, value)", "A variable, set if absent.", |interp, args| {
            let [_, key, value] = args.take();
            match find(interp, &key)? {
                Some(found) => Ok(found),
                None => {
                    change(interp, &key, &value)?;
                    Ok(value)
                }
            }
        }),
        row("pop", "(self, key, default=...)", "Takes a variable out.", |interp, args| {
            let [_, key, default] = args.take();
            match find(interp, &key)? {
                Some(found) => {
                    set(interp, &interp.to_str(&key)?, None);
                    Ok(found)
                }
                None if default.is_unset() => Err(interp.key_error(&key)),
                None => Ok(default),
            }
        }),
        row("update", "(self, other=(), /, **kwds)", "Sets several variables.", |interp, args| {
            let [_, other, keywords] = args.take();
            if interp.find_attr(&other, "keys")?.is_some() {
                for (key, value) in super::super::support::entries(interp, &other)? {
                    change(interp, &key, &value)?;
                }
            }
            for (key, value) in super::super::support::entries(interp, &keywords)? {
                change(interp, &key, &value)?;
            }
            Ok(Value::None)
        }),
        row("keys", "(self)", "The names that the program has set.", |interp, _| Ok(Value::list(names(interp)))),
        row("values", "(self)", "The values that the program has set.", |interp, _| {
            Ok(Value::list(pairs(interp).into_iter().map(|(_, value)| Value::from(value)).collect::<Vec<_>>()))
        }),
        row("items", "(self)", "Names and values that the program has set.", |interp, _| {
            let pairs = pairs(interp).into_iter().map(|(name, value)| Value::tuple([name.into(), value.into()]));
            Ok(Value::list(pairs.collect::<Vec<_>>()))
        }),
        row("copy", "(self)", "A dict.", |interp, _| {
            Ok(interp.dict_of(pairs(interp).into_iter().map(|(name, value)| (name, Value::from(value)))))
        }),
        row("__delitem__", "(self, key)", "Removes a variable.", |interp, args: Arguments| {
            let key = args.get(1);
            match find(interp, key)? {
                Some(_) => {
                    set(interp, &interp.to_str(key)?, None);
                    Ok(Value::None)
                }
                None => Err(interp.key_error(key)),
            }
        }),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The program's changes; `None` where it removed a variable.
#[derive(Default)]
struct Changes {
    values: RefCell<BTreeMap<String, Option<String>>>,
}

/// The value of a variable.
pub(super) fn get(interp: &Interp, name: &str) -> Option<String> {
    match interp.extension::<Changes>().values.borrow().get(name) {
        Some(changed) => changed.clone(),
        None => interp.host().environment(name),
    }
}

/// Sets a variable, or removes it.
pub(super) fn set(interp: &Interp, name: &str, value: Option<String>) {
    interp.extension::<Changes>().values.borrow_mut().insert(name.to_owned(), value);
}

fn pairs(interp: &Interp) -> Vec<(String, String)> {
    let changes = interp.extension::<Changes>();
    let values = changes.values.borrow();
    values.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?))).collect()
}

fn names(interp: &Interp) -> Vec<Value> {
    pairs(interp).into_iter().map(|(name, _)| Value::from(name)).collect()
}

fn find(interp: &Interp, key: &Value) -> PyResult<Option<Value>> {
    match super::super::support::text(key) {
        Some(name) => Ok(get(interp, &name).map(Value::from)),
        None if key.is_unknown() => Ok(Some(key.clone())),
        None => Err(interp.type_error(format!("str expected, not {}", interp.type_name(key)))),
    }
}

fn change(interp: &Interp, key: &Value, value: &Value) -> PyResult<()> {
    for part in [key, value] {
        if part.is_unknown() {
            return Ok(());
        }
        if super::super::support::text(part).is_none() {
            return Err(interp.type_error(format!("str expected, not {}", interp.type_name(part))));
        }
    }
    set(interp, &interp.to_str(key)?, Some(interp.to_str(value)?.to_string()));
    Ok(())
}

struct Environment;

pub(super) fn mapping() -> Value {
    Value::object(Environment)
}

impl Object for Environment {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&ENVIRON)
    }

    fn get_item(&self, _: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(find(interp, key).and_then(|found| found.ok_or_else(|| interp.key_error(key))))
    }

    fn set_item(&self, _: &Value, key: &Value, value: Value, interp: &Interp) -> Option<PyResult<()>> {
        Some(change(interp, key, &value))
    }

    fn length(&self, _: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        Some(Ok(pairs(interp).len()))
    }

    fn iterate(&self, _: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(iterator_of(names(interp))))
    }

    fn contains(&self, _: &Value, item: &Value, interp: &Interp) -> Option<PyResult<bool>> {
        Some(find(interp, item).map(|found| found.is_some()))
    }
}
