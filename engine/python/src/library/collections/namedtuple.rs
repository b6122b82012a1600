//! `collections.namedtuple`, and the class that `typing.NamedTuple` makes of a class body.
//! A named tuple is an instance with a tuple inside; its fields are properties that index it.

use super::super::support::{
    ClassBuilder, arguments, bind::Parameter, bind::python_arguments, callable, classes, dict, form, plain, row, text,
};
use crate::call::CallArgs;
use crate::class::{Builtin, Class};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::{Property, Value};
use std::rc::Rc;

const METHODS: &[NativeDef] = &[
    row("__repr__", "(self)", "Field names with their values.", repr),
    row("_asdict", "(self)", "A dict from field names to values.", as_dict),
    row("_replace", "(self, /, **kwds)", "A copy with some fields replaced.", replace),
    row("__getnewargs__", "(self)", "The plain tuple.", |_, args| Ok(plain(args.get(0)))),
];

const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Whether a text can name a variable, keywords not considered.
pub(in crate::library) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic()) && chars.all(|c| c == '_' || c.is_alphanumeric())
}

pub(in crate::library) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

pub(super) fn namedtuple(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [type_name, field_names, rename, defaults, module] = args.take();
    let type_name = interp.to_str(&interp.str(&type_name)?.into())?;
    let mut names: Vec<String> = match text(&field_names) {
        Some(text) => text.replace(',', " ").split_whitespace().map(str::to_owned).collect(),
        None => interp.collect(&field_names)?.iter().map(|name| interp.str(name)).collect::<PyResult<_>>()?,
    };
    let rename = interp.truth(&rename)?;
    if rename {
        for index in 0..names.len() {
            let name = &names[index];
            let bad = !is_identifier(name) || is_keyword(name) || name.starts_with('_');
            if bad || names[..index].contains(name) {
                names[index] = format!("_{index}");
            }
        }
    }
    check_names(interp, &type_name, &names, rename)?;
    let defaults = match defaults.given() {
        Some(defaults) => interp.collect(&defaults)?,
        None => Vec::new(),
    };
    if defaults.len() > names.len() {
        return Err(interp.type_error("Got more default values than field names"));
    }
    let module = match module.given() {
        Some(module) => interp.str(&module)?,
        None => current_module(interp),
    };
    Ok(Value::Class(make(interp, &type_name, &module, &names, defaults)))
}

/// The module whose code is running: what CPython reads off the caller's frame.
pub(in crate::library) fn current_module(interp: &Interp) -> String {
    interp.current_module_name().to_string()
}

fn check_names(interp: &Interp, type_name: &str, names: &[String], renamed: bool) -> PyResult<()> {
    for name in std::iter::once(type_name).chain(names.iter().map(String::as_str)) {
        let shown = interp.repr(&Value::str(name))?;
        if !is_identifier(name) {
            return Err(interp.value_error(format!("Type names and field names must be valid identifiers: {shown}")));
        }
        if is_keyword(name) {
            return Err(interp.value_error(format!("Type names and field names cannot be a keyword: {shown}")));
        }
    }
    for (index, name) in names.iter().enumerate() {
        let shown = interp.repr(&Value::str(name))?;
        if name.starts_with('_') && !renamed {
            return Err(interp.value_error(format!("Field names cannot start with an underscore: {shown}")));
        }
        if names[..index].contains(name) {
            return Err(interp.value_error(format!("Encountered duplicate field name: {shown}")));
        }
    }
    Ok(())
}

/// The class; `defaults` belong to the last fields.
pub(in crate::library) fn make(
    interp: &Interp,
    name: &str,
    module: &str,
    fields: &[String],
    defaults: Vec<Value>,
) -> Rc<Class> {
    let mut builder = ClassBuilder::new(name, module, &interp.types().tuple)
        .builtin(Builtin::Tuple)
        .construct(construct)
        .methods(METHODS);
    for (key, value) in attributes(interp, name, fields, defaults) {
        builder = builder.attribute(&key, value);
    }
    builder.build()
}

/// A named tuple class of the standard library itself, made once per interpreter.
pub(in crate::library) fn cached_class(
    interp: &Interp,
    name: &'static str,
    module: &'static str,
    fields: &[&str],
) -> Rc<Class> {
    classes::cached(interp, name, |interp| {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        make(interp, name, module, &fields, Vec::new())
    })
}

/// What distinguishes one named tuple class from another; also what `typing.NamedTuple` adds to a class body.
pub(in crate::library) fn attributes(
    interp: &Interp,
    name: &str,
    fields: &[String],
    defaults: Vec<Value>,
) -> Vec<(String, Value)> {
    let with_default = fields.iter().skip(fields.len() - defaults.len());
    let field_defaults = interp.dict_of(with_default.zip(defaults));
    let texts = || Value::tuple(fields.iter().map(Value::str));
    let mut attributes = vec![
        ("__doc__".to_owned(), Value::str(format!("{name}({})", fields.join(", ")))),
        ("__slots__".to_owned(), Value::tuple([])),
        ("_fields".to_owned(), texts()),
        ("_field_defaults".to_owned(), field_defaults),
        ("__match_args__".to_owned(), texts()),
        (
            "_make".to_owned(),
            Value::ClassMethod(Rc::new(callable("_make", |interp, args| {
                let [class, iterable] = arguments(interp, const { &form("_make", "(cls, iterable)") }, args)?.take();
                from_values(interp, &class, interp.collect(&iterable)?)
            }))),
        ),
        (
            "__new__".to_owned(),
            Value::StaticMethod(Rc::new(callable("__new__", |interp, mut args| {
                if args.positional.is_empty() {
                    return Err(interp.type_error("__new__() missing 1 required positional argument: '_cls'"));
                }
                match args.positional.remove(0) {
                    Value::Class(class) => construct(interp, &class, args),
                    other => Ok(other),
                }
            }))),
        ),
    ];
    for (index, field) in fields.iter().enumerate() {
        let property = Property {
            getter: field_getter(field, index),
            setter: callable(field, |interp, _| Err(interp.attribute_error("can't set attribute"))),
            deleter: Value::None,
            doc: Value::from(format!("Alias for field number {index}")),
        };
        attributes.push((field.clone(), Value::Property(Rc::new(property))));
    }
    attributes
}

/// Methods that every named tuple class has, for `typing.NamedTuple`.
pub(in crate::library) fn methods() -> &'static [NativeDef] {
    METHODS
}

fn field_getter(name: &str, index: usize) -> Value {
    callable(name, move |interp, args| match args.positional.first() {
        Some(Value::Instance(instance)) => match &*instance.payload.borrow() {
            Value::Tuple(values) => {
                values.get(index).cloned().ok_or_else(|| interp.index_error("tuple index out of range"))
            }
            _ => Ok(Value::None),
        },
        Some(other) => interp.get_item(other, &Value::from(index)),
        None => Ok(Value::None),
    })
}

fn field_names(interp: &Interp, class: &Rc<Class>) -> PyResult<Vec<Rc<str>>> {
    match class.lookup("_fields") {
        Some(fields) => interp.collect(&fields)?.iter().map(|name| interp.to_str(name)).collect(),
        None => Ok(Vec::new()),
    }
}

/// `Point(...)`, bound like the `__new__` that CPython generates.
pub(in crate::library) fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let defaults = class.lookup("_field_defaults").unwrap_or_else(dict);
    let parameters = field_names(interp, class)?
        .iter()
        .map(|name| {
            let default = super::super::support::lookup(interp, &defaults, &Value::Str(name.clone()))?;
            Ok(Parameter { name: (&**name).into(), default: default.unwrap_or(Value::Unset), keyword_only: false })
        })
        .collect::<PyResult<Vec<_>>>()?;
    // The function belongs to the class that declares the fields.
    let owner = std::iter::once(class)
        .chain(&class.ancestors)
        .find(|class| class.namespace.borrow().contains_key("_fields"))
        .unwrap_or(class);
    let values = python_arguments(interp, &format!("{}.__new__", owner.name), &parameters, true, args)?;
    Ok(classes::instance(class, Value::tuple(values)))
}

fn from_values(interp: &Interp, class: &Value, values: Vec<Value>) -> PyResult<Value> {
    let Value::Class(class) = class else { return Ok(Value::None) };
    let expected = field_names(interp, class)?.len();
    if values.len() != expected {
        return Err(interp.type_error(format!("Expected {expected} arguments, got {}", values.len())));
    }
    Ok(classes::instance(class, Value::tuple(values)))
}

fn pairs(interp: &Interp, this: &Value) -> PyResult<Vec<(Rc<str>, Value)>> {
    let names = field_names(interp, &interp.type_of(this))?;
    Ok(names.into_iter().zip(interp.collect(&plain(this))?).collect())
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let fields = interp.nested(|| {
        pairs(interp, &this)?
            .iter()
            .map(|(name, value)| Ok(format!("{name}={}", interp.repr(value)?)))
            .collect::<PyResult<Vec<_>>>()
    })?;
    Ok(Value::str(format!("{}({})", interp.type_of(&this).name, fields.join(", "))))
}

fn as_dict(interp: &Interp, args: Arguments) -> PyResult<Value> {
    Ok(interp.dict_of(pairs(interp, args.get(0))?))
}

fn replace(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, changes] = args.take();
    let mut changes = super::super::support::keywords(&changes);
    let mut values = Vec::new();
    for (name, value) in pairs(interp, &this)? {
        let change = changes.iter().position(|(changed, _)| **changed == *name);
        values.push(change.map_or(value, |at| changes.remove(at).1));
    }
    if !changes.is_empty() {
        let names: Vec<Value> = changes.iter().map(|(name, _)| Value::name(name)).collect();
        return Err(interp.value_error(format!("Got unexpected field names: {}", interp.repr(&Value::list(names))?)));
    }
    from_values(interp, &Value::Class(interp.type_of(&this)), values)
}
