//! `collections.abc`: abstract classes of containers. Which builtin classes belong to one is a table here; other classes
//! belong by inheritance, by registration, or, for classes of one or two methods, by having the methods.

use super::super::support::{add_class, iterator_of, row};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(in crate::library) static MODULE: ModuleDef = ModuleDef {
    name: "collections.abc",
    doc: "Abstract base classes of containers.",
    functions: &[],
    populate: |interp, names| {
        for entry in CLASSES {
            if let Some(class) = class(interp, entry.table.name) {
                add_class(names, &class);
            }
        }
    },
};

/// One abstract class.
struct Entry {
    table: NativeClass,
    bases: &'static [&'static str],
    /// Methods that make any class belong; empty where only inheritance and the builtins below count.
    structural: &'static [&'static str],
    /// Builtin classes that belong.
    builtins: &'static [&'static str],
}

const fn entry(
    name: &'static str,
    bases: &'static [&'static str],
    structural: &'static [&'static str],
    builtins: &'static [&'static str],
    methods: &'static [NativeDef],
) -> Entry {
    Entry {
        table: NativeClass {
            name,
            module: "collections.abc",
            doc: "An abstract base class.",
            methods,
            properties: &[],
            construct: None,
            instance_check: None,
        },
        bases,
        structural,
        builtins,
    }
}

static CLASSES: &[Entry] = &[
    entry("Hashable", &[], &["__hash__"], &[], &[]),
    entry("Iterable", &[], &["__iter__"], &[], &[]),
    entry("Iterator", &["Iterable"], &["__next__", "__iter__"], &[], ITERATOR),
    entry(
        "Reversible",
        &["Iterable"],
        &["__reversed__", "__iter__"],
        &["list", "tuple", "range", "dict", "str", "dict_keys", "dict_items", "dict_values"],
        &[],
    ),
    entry("Generator", &["Iterator"], &["send", "throw", "close", "__next__"], &["generator"], &[]),
    entry("Sized", &[], &["__len__"], &[], &[]),
    entry("Container", &[], &["__contains__"], &[], &[]),
    entry("Collection", &["Sized", "Iterable", "Container"], &["__len__", "__iter__", "__contains__"], &[], &[]),
    entry("Callable", &[], &["__call__"], &[], &[]),
    entry("Set", &["Collection"], &[], &["set", "frozenset", "dict_keys", "dict_items"], SET),
    entry("MutableSet", &["Set"], &[], &["set"], &[]),
    entry("Mapping", &["Collection"], &[], &["dict", "mappingproxy"], MAPPING),
    entry("MutableMapping", &["Mapping"], &[], &["dict"], MUTABLE_MAPPING),
    entry("MappingView", &["Sized"], &[], &["dict_keys", "dict_values", "dict_items"], &[]),
    entry("KeysView", &["MappingView", "Set"], &[], &["dict_keys"], &[]),
    entry("ItemsView", &["MappingView", "Set"], &[], &["dict_items"], &[]),
    entry("ValuesView", &["MappingView", "Collection"], &[], &["dict_values"], &[]),
    entry(
        "Sequence",
        &["Reversible", "Collection"],
        &[],
        &["tuple", "str", "range", "bytes", "list", "deque"],
        SEQUENCE,
    ),
    entry("MutableSequence", &["Sequence"], &[], &["list", "deque"], MUTABLE_SEQUENCE),
    entry("ByteString", &["Sequence"], &[], &["bytes"], &[]),
    entry("Buffer", &[], &["__buffer__"], &["bytes"], &[]),
    entry("Awaitable", &[], &["__await__"], &[], &[]),
    entry("Coroutine", &["Awaitable"], &["send", "throw", "close", "__await__"], &[], &[]),
    entry("AsyncIterable", &[], &["__aiter__"], &[], &[]),
    entry("AsyncIterator", &["AsyncIterable"], &["__anext__", "__aiter__"], &[], &[]),
    entry("AsyncGenerator", &["AsyncIterator"], &["asend", "athrow", "aclose", "__anext__"], &[], &[]),
];

static META: NativeClass = NativeClass {
    name: "ABCMeta",
    module: "abc",
    doc: "The class of abstract base classes.",
    methods: &[
        row("__instancecheck__", "(self, instance)", "By table, by methods, by inheritance.", |interp, args| {
            let [class, instance] = args.take();
            let Value::Class(class) = &class else { return Ok(Value::Bool(false)) };
            belongs(interp, class, &interp.type_of(&instance), Some(&instance)).map(Value::Bool)
        }),
        row("__subclasscheck__", "(self, subclass)", "By table, by methods, by inheritance.", |interp, args| {
            let [class, subclass] = args.take();
            match (&class, &subclass) {
                (Value::Class(class), Value::Class(subclass)) => {
                    belongs(interp, class, subclass, None).map(Value::Bool)
                }
                _ => Err(interp.type_error("issubclass() arg 1 must be a class")),
            }
        }),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

fn find(name: &str) -> Option<&'static Entry> {
    CLASSES.iter().find(|entry| entry.table.name == name)
}

/// The class by name.
pub(in crate::library) fn class(interp: &Interp, name: &str) -> Option<Rc<Class>> {
    let entry = find(name)?;
    let bases: Vec<Rc<Class>> = entry.bases.iter().filter_map(|base| class(interp, base)).collect();
    let base = super::super::abc::meta(interp);
    let meta = interp.native_class_with(&META, &[base]);
    Some(interp.native_class_full(&entry.table, &bases, Some(meta)))
}

fn belongs(interp: &Interp, class: &Rc<Class>, subclass: &Rc<Class>, instance: Option<&Value>) -> PyResult<bool> {
    if super::super::abc::is_subclass(interp, subclass, class)? {
        return Ok(true);
    }
    // A user's class that derives from one of these is asked by inheritance alone.
    let Some(entry) =
        find(&class.name).filter(|entry| class.span.is_none() && class.module.as_ref() == entry.table.module)
    else {
        return Ok(false);
    };
    let lineage = || std::iter::once(subclass).chain(&subclass.ancestors);
    let listed = lineage().any(|ancestor| {
        ancestor.span.is_none()
            && CLASSES
                .iter()
                .filter(|entry| entry.builtins.contains(&&*ancestor.name))
                .any(|entry| inherits(entry, class))
    });
    if listed {
        return Ok(true);
    }
    // `Hashable` is the rule, and the exceptions say so.
    if entry.table.name == "Hashable" {
        if let Some(instance) = instance {
            return Ok(interp.hash(instance).is_ok());
        }
        return Ok(!matches!(subclass.lookup("__hash__"), Some(Value::None)));
    }
    if entry.table.name == "Callable"
        && let Some(instance) = instance
    {
        return Ok(interp.is_callable(instance));
    }
    if entry.structural.is_empty() {
        return Ok(false);
    }
    let is_object = matches!(instance, Some(Value::Object(_)));
    for method in entry.structural {
        let found = match subclass.lookup(method) {
            Some(Value::None) => false,
            Some(_) => true,
            // Builtin values answer without a method in their class's table.
            None => match (instance, *method) {
                (Some(instance), "__iter__") => subclass.span.is_none() && answers(interp.iter(instance)),
                (Some(instance), "__len__") => subclass.span.is_none() && answers(interp.len(instance)),
                (Some(instance), "__next__") => {
                    is_object && interp.iter(instance).is_ok_and(|iterator| interp.identical(&iterator, instance))
                }
                (Some(instance), method) => interp.find_attr(instance, method)?.is_some(),
                (None, method) => {
                    BUILTIN_CONTAINERS.contains(&&*subclass.name)
                        && matches!(method, "__iter__" | "__len__" | "__contains__")
                }
            },
        };
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

const BUILTIN_CONTAINERS: &[&str] = &["list", "tuple", "dict", "set", "frozenset", "str", "bytes", "range"];

fn answers<T>(result: PyResult<T>) -> bool {
    result.is_ok()
}

fn inherits(entry: &Entry, class: &Rc<Class>) -> bool {
    entry.table.name == &*class.name
        || entry.bases.iter().filter_map(|base| find(base)).any(|base| inherits(base, class))
}

const ITERATOR: &[NativeDef] = &[row("__iter__", "(self)", "Itself.", |_, args| Ok(args.get(0).clone()))];

const SET: &[NativeDef] = &[
    row("isdisjoint", "(self, other)", "Whether nothing is in both.", |interp, args| {
        let [this, other] = args.take();
        for item in interp.collect(&other)? {
            if interp.contains(&this, &item)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }),
    row("__le__", "(self, other)", "Whether everything is in other.", |interp, args| {
        let [this, other] = args.take();
        for item in interp.collect(&this)? {
            if !interp.contains(&other, &item)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }),
    row("__eq__", "(self, other)", "Whether both have the same.", |interp, args| {
        let [this, other] = args.take();
        if interp.len(&this)? != interp.len(&other)? {
            return Ok(Value::Bool(false));
        }
        for item in interp.collect(&this)? {
            if !interp.contains(&other, &item)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }),
];

const MAPPING: &[NativeDef] = &[
    row("get", "(self, key, default=None)", "The value of key, or the default.", |interp, args| {
        let [this, key, default] = args.take();
        found(interp, &this, &key).map(|value| value.unwrap_or(default))
    }),
    row("__contains__", "(self, key)", "Whether key is there.", |interp, args| {
        Ok(Value::Bool(found(interp, args.get(0), args.get(1))?.is_some()))
    }),
    row("keys", "(self)", "The keys.", |interp, args| interp.collect(args.get(0)).map(Value::list)),
    row("values", "(self)", "The values.", |interp, args| {
        let this = args.get(0);
        let values =
            interp.collect(this)?.iter().map(|key| interp.get_item(this, key)).collect::<PyResult<Vec<_>>>()?;
        Ok(Value::list(values))
    }),
    row("items", "(self)", "Keys with their values.", |interp, args| pairs(interp, args.get(0)).map(Value::list)),
    row("__eq__", "(self, other)", "Compares as a dict.", |interp, args| {
        let dict = Value::Class(interp.types().dict.clone());
        let [this, other] = args.take();
        if interp.find_attr(&other, "keys")?.is_none() {
            return Ok(Value::NotImplemented);
        }
        let this = interp.call_values(&dict, [Value::list(pairs(interp, &this)?)])?;
        let other = interp.call_values(&dict, [Value::list(pairs(interp, &other)?)])?;
        interp.equals(&this, &other).map(Value::Bool)
    }),
];

fn pairs(interp: &Interp, this: &Value) -> PyResult<Vec<Value>> {
    interp
        .collect(this)?
        .into_iter()
        .map(|key| {
            let value = interp.get_item(this, &key)?;
            Ok(Value::tuple([key, value]))
        })
        .collect()
}

fn found(interp: &Interp, this: &Value, key: &Value) -> PyResult<Option<Value>> {
    match interp.get_item(this, key) {
        Ok(value) => Ok(Some(value)),
        Err(stop) if interp.stop_is(&stop, &interp.types().key_error) => Ok(None),
        Err(stop) => Err(stop),
    }
}

const MUTABLE_MAPPING: &[NativeDef] = &[
    row("pop", "(self, key, default=...)", "Takes a key out.", |interp, args| {
        let [this, key, default] = args.take();
        match found(interp, &this, &key)? {
            Some(value) => {
                interp.delete_item(&this, &key)?;
                Ok(value)
            }
            None if default.is_unset() => Err(interp.key_error(&key)),
            None => Ok(default),
        }
    }),
    row("popitem", "(self)", "Takes some entry out.", |interp, args| {
        let [this] = args.take();
        let iterator = interp.iter(&this)?;
        let Some(key) = interp.next(&iterator)? else { return Err(interp.error(&interp.types().key_error, "")) };
        let value = interp.get_item(&this, &key)?;
        interp.delete_item(&this, &key)?;
        Ok(Value::tuple([key, value]))
    }),
    row("clear", "(self)", "Removes everything.", |interp, args| {
        let [this] = args.take();
        for key in interp.collect(&this)? {
            interp.delete_item(&this, &key)?;
        }
        Ok(Value::None)
    }),
    row("update", "(self, other=(), /, **kwds)", "Sets several entries.", |interp, args| {
        let [this, other, keywords] = args.take();
        let mut entries = super::super::support::entries(interp, &keywords)?;
        if interp.find_attr(&other, "keys")?.is_some() {
            entries.splice(0..0, super::super::support::entries(interp, &other)?);
        } else {
            let mut given = Vec::new();
            for pair in interp.collect(&other)? {
                match interp.collect(&pair)?.as_slice() {
                    [key, value] => given.push((key.clone(), value.clone())),
                    other => {
                        return Err(interp
                            .value_error(format!("not enough values to unpack (expected 2, got {})", other.len())));
                    }
                }
            }
            entries.splice(0..0, given);
        }
        for (key, value) in entries {
            interp.set_item(&this, &key, value)?;
        }
        Ok(Value::None)
    }),
    row(
        "setdefault",
        "(self, key, default=None)",
        "The value of key, set to the default if absent.",
        |interp, args| {
            let [this, key, default] = args.take();
            match found(interp, &this, &key)? {
                Some(value) => Ok(value),
                None => {
                    interp.set_item(&this, &key, default.clone())?;
                    Ok(default)
                }
            }
        },
    ),
];

/// Every item, by `__getitem__` until IndexError.
fn items(interp: &Interp, this: &Value) -> PyResult<Vec<Value>> {
    let mut items = Vec::new();
    for at in 0..interp.len(this)? {
        items.push(interp.get_item(this, &at.into())?);
    }
    Ok(items)
}

const SEQUENCE: &[NativeDef] = &[
    row("__iter__", "(self)", "The items.", |interp, args| Ok(iterator_of(items(interp, args.get(0))?))),
    row("__reversed__", "(self)", "The items from the end.", |interp, args| {
        Ok(iterator_of(items(interp, args.get(0))?.into_iter().rev().collect()))
    }),
    row("__contains__", "(self, value)", "Whether value is an item.", |interp, args| {
        Ok(Value::Bool(position(interp, &args)?.is_some()))
    }),
    row("index", "(self, value, start=0, stop=None)", "Where value is first.", |interp, args| {
        position(interp, &args)?.map(Value::from).ok_or_else(|| interp.error(&interp.types().value_error, ""))
    }),
    row("count", "(self, value)", "How often value is an item.", |interp, args| {
        let mut count = 0usize;
        for item in items(interp, args.get(0))? {
            count += usize::from(interp.equals(&item, args.get(1))?);
        }
        Ok(count.into())
    }),
];

fn position(interp: &Interp, args: &Arguments) -> PyResult<Option<usize>> {
    for (at, item) in items(interp, args.get(0))?.iter().enumerate() {
        if interp.equals(item, args.get(1))? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

const MUTABLE_SEQUENCE: &[NativeDef] = &[
    row("append", "(self, value)", "Adds value at the end.", |interp, args| {
        let [this, value] = args.take();
        let length = interp.len(&this)?;
        interp.call_method(&this, "insert", [length.into(), value])
    }),
    row("extend", "(self, values)", "Adds every value at the end.", |interp, args| {
        let [this, values] = args.take();
        for value in interp.collect(&values)? {
            interp.call_method(&this, "append", [value])?;
        }
        Ok(Value::None)
    }),
    row("pop", "(self, index=-1)", "Takes an item out.", |interp, args| {
        let [this, index] = args.take();
        let value = interp.get_item(&this, &index)?;
        interp.delete_item(&this, &index)?;
        Ok(value)
    }),
    row("remove", "(self, value)", "Removes the first occurrence.", |interp, args| match position(interp, &args)? {
        Some(at) => {
            interp.delete_item(args.get(0), &at.into())?;
            Ok(Value::None)
        }
        None => Err(interp.error(&interp.types().value_error, "")),
    }),
];
