//! `collections.ChainMap`: several mappings searched in order; writes go to the first.

use super::super::support::{ClassBuilder, classes, dict, entries, iterator_of, lookup, row};
use super::class_name;
use crate::call::CallArgs;
use crate::class::Class;
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

const METHODS: &[NativeDef] = &[
    row("__getitem__", "(self, key)", "The first value found.", get_item),
    row("__setitem__", "(self, key, value)", "Sets it in the first mapping.", |interp, args| {
        let [this, key, value] = args.take();
        interp.set_item(&first(interp, &this)?, &key, value)?;
        Ok(Value::None)
    }),
    row("__delitem__", "(self, key)", "Deletes it from the first mapping.", delete_item),
    row("__contains__", "(self, key)", "Whether any mapping has it.", |interp, args| {
        Ok(Value::Bool(find(interp, args.get(0), args.get(1))?.is_some()))
    }),
    row("__len__", "(self)", "The number of different keys.", |interp, args| {
        interp.len(&merged(interp, args.get(0))?).map(Value::from)
    }),
    row("__iter__", "(self)", "The different keys.", |interp, args| {
        Ok(iterator_of(entries(interp, &merged(interp, args.get(0))?)?.into_iter().map(|(key, _)| key).collect()))
    }),
    row("__bool__", "(self)", "Whether there is any key.", |interp, args| {
        Ok(Value::Bool(interp.len(&merged(interp, args.get(0))?)? > 0))
    }),
    row("__eq__", "(self, other)", "Compares as a dict.", |interp, args| {
        let [this, other] = args.take();
        let other = match interp.find_attr(&other, "maps")? {
            Some(_) => merged(interp, &other)?,
            None => other,
        };
        Ok(Value::Bool(interp.equals(&merged(interp, &this)?, &other)?))
    }),
    row("__repr__", "(self)", "The mappings.", repr),
    row("get", "(self, key, default=None)", "The first value found, or the default.", |interp, args| {
        let [this, key, default] = args.take();
        Ok(find(interp, &this, &key)?.unwrap_or(default))
    }),
    row("keys", "(self)", "The different keys.", |interp, args| view(interp, &args, "keys")),
    row("values", "(self)", "The values of the different keys.", |interp, args| view(interp, &args, "values")),
    row("items", "(self)", "The different entries.", |interp, args| view(interp, &args, "items")),
    row("new_child", "(self, m=None, **kwargs)", "A ChainMap with another mapping in front.", new_child),
];

const PROPERTIES: &[NativeDef] =
    &[row("parents", "(self)", "A ChainMap without the first mapping.", |interp, args| {
        let [this] = args.take();
        let maps = interp.collect(&interp.get_attr(&this, "maps")?)?;
        interp.call_values(&Value::Class(interp.type_of(&this)), maps.into_iter().skip(1))
    })];

pub(super) fn class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "ChainMap", |interp| {
        ClassBuilder::new("ChainMap", "collections", &interp.types().object)
            .doc("ChainMap(*maps): several mappings searched in order.")
            .construct(construct)
            .methods(METHODS)
            .properties(PROPERTIES)
            .build()
    })
}

fn construct(_: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let mut maps = args.positional.to_vec();
    if maps.is_empty() {
        maps.push(dict());
    }
    let value = classes::instance(class, Value::Unset);
    if let Value::Instance(instance) = &value {
        instance.fields.borrow_mut().insert("maps".into(), Value::list(maps));
    }
    Ok(value)
}

fn first(interp: &Interp, this: &Value) -> PyResult<Value> {
    interp.get_item(&interp.get_attr(this, "maps")?, &Value::int(0i64))
}

fn find(interp: &Interp, this: &Value, key: &Value) -> PyResult<Option<Value>> {
    for map in interp.collect(&interp.get_attr(this, "maps")?)? {
        if let Some(value) = lookup(interp, &map, key)? {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// One dict: keys of the last mapping first, values of the first mapping that has them.
fn merged(interp: &Interp, this: &Value) -> PyResult<Value> {
    let result = dict();
    for map in interp.collect(&interp.get_attr(this, "maps")?)?.iter().rev() {
        for (key, value) in entries(interp, map)? {
            interp.set_item(&result, &key, value)?;
        }
    }
    Ok(result)
}

fn get_item(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key] = args.take();
    match find(interp, &this, &key)? {
        Some(value) => Ok(value),
        None => match interp.find_attr(&this, "__missing__")? {
            Some(missing) => interp.call_values(&missing, [key]),
            None => Err(interp.key_error(&key)),
        },
    }
}

fn delete_item(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key] = args.take();
    let map = first(interp, &this)?;
    if !interp.contains(&map, &key)? {
        let message = format!("Key not found in the first mapping: {}", interp.repr(&key)?);
        return Err(interp.key_error(&Value::str(message)));
    }
    interp.delete_item(&map, &key)?;
    Ok(Value::None)
}

fn view(interp: &Interp, args: &Arguments, kind: &str) -> PyResult<Value> {
    interp.call_method(&merged(interp, args.get(0))?, kind, [])
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let maps = interp.collect(&interp.get_attr(&this, "maps")?)?;
    let shown = interp.nested(|| maps.iter().map(|map| interp.repr(map)).collect::<PyResult<Vec<_>>>())?;
    Ok(Value::str(format!("{}({})", class_name(interp, &this), shown.join(", "))))
}

fn new_child(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, map, keywords] = args.take();
    let map = match map.given() {
        Some(map) => {
            interp.call_method(&map, "update", [keywords])?;
            map
        }
        None => keywords,
    };
    let maps = interp.collect(&interp.get_attr(&this, "maps")?)?;
    interp.call_values(&Value::Class(interp.type_of(&this)), std::iter::once(map).chain(maps))
}
