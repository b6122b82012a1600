//! `sys.modules`: a view of the modules imported so far.

use super::super::support::{iterator_of, row};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::rc::Rc;

static MODULES: NativeClass = NativeClass {
    name: "dict",
    module: "builtins",
    doc: "The modules imported so far.",
    methods: &[
        row("get", "(self, key, default=None, /)", "A module, or the default.", |interp, args| {
            let [_, key, default] = args.take();
            Ok(find(interp, &key).unwrap_or(default))
        }),
        row("keys", "(self, /)", "The names.", |interp, _| Ok(Value::list(names(interp)))),
        row("values", "(self, /)", "The modules.", |interp, _| {
            Ok(Value::list(names(interp).iter().filter_map(|name| find(interp, name)).collect::<Vec<_>>()))
        }),
        row("items", "(self, /)", "Names and modules.", |interp, _| {
            let pairs = names(interp).into_iter().filter_map(|name| {
                let module = find(interp, &name)?;
                Some(Value::tuple([name, module]))
            });
            Ok(Value::list(pairs.collect::<Vec<_>>()))
        }),
        row("pop", "(self, key, default=..., /)", "Forgets a module.", pop),
        row("setdefault", "(self, key, default=None, /)", "A module, set if absent.", |interp, args| {
            let [this, key, default] = args.take();
            match find(interp, &key) {
                Some(module) => Ok(module),
                None => {
                    interp.set_item(&this, &key, default.clone())?;
                    Ok(default)
                }
            }
        }),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

struct Modules;

pub(super) fn view(_: &Interp) -> Value {
    Value::object(Modules)
}

fn find(interp: &Interp, key: &Value) -> Option<Value> {
    match key {
        Value::Str(name) => interp.modules.borrow().get(&**name).cloned(),
        _ => None,
    }
}

fn names(interp: &Interp) -> Vec<Value> {
    let mut names: Vec<Name> = interp.modules.borrow().keys().cloned().collect();
    names.sort();
    names.iter().map(Value::name).collect()
}

fn pop(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [_, key, default] = args.take();
    let removed = match &key {
        Value::Str(name) => interp.modules.borrow_mut().remove(&**name),
        _ => None,
    };
    match removed {
        Some(module) => Ok(module),
        None if default.is_unset() => Err(interp.key_error(&key)),
        None => Ok(default),
    }
}

impl Object for Modules {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&MODULES)
    }

    fn get_item(&self, _: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(find(interp, key).ok_or_else(|| interp.key_error(key)))
    }

    fn set_item(&self, _: &Value, key: &Value, value: Value, interp: &Interp) -> Option<PyResult<()>> {
        Some(interp.to_str(key).map(|name| {
            interp.modules.borrow_mut().insert(Name::from(&*name), value);
        }))
    }

    fn length(&self, _: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        Some(Ok(interp.modules.borrow().len()))
    }

    fn iterate(&self, _: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(iterator_of(names(interp))))
    }

    fn contains(&self, _: &Value, item: &Value, interp: &Interp) -> Option<PyResult<bool>> {
        Some(Ok(find(interp, item).is_some()))
    }
}
