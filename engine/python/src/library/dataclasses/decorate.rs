//! The decorator: gathers the fields of a class and its bases, and decides which methods to add
//! (`_process_class` in CPython's dataclasses.py).

use super::field::{Field, collect_own, fields_of};
use super::generated;
use crate::class::Class;
use crate::interp::Interp;
use crate::library::support::{arguments, callable, dict, entries, form, text};
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// The arguments of the decorator.
#[derive(Clone, Copy)]
pub(super) struct Options {
    init: bool,
    repr: bool,
    eq: bool,
    order: bool,
    unsafe_hash: bool,
    frozen: bool,
    match_args: bool,
    keyword_only: bool,
    slots: bool,
}

impl Options {
    fn from(interp: &Interp, values: &[Value]) -> PyResult<Options> {
        let on = |index: usize| values.get(index).map_or(Ok(false), |value| interp.truth(value));
        Ok(Options {
            init: on(0)?,
            repr: on(1)?,
            eq: on(2)?,
            order: on(3)?,
            unsafe_hash: on(4)?,
            frozen: on(5)?,
            match_args: on(6)?,
            keyword_only: on(7)?,
            slots: on(8)?,
        })
    }
}

/// Of what is a dataclass in another library, and a class of another kind here.
const DECLARED: Options = Options {
    init: true,
    repr: true,
    eq: true,
    order: false,
    unsafe_hash: false,
    frozen: true,
    match_args: true,
    keyword_only: false,
    slots: false,
};

/// Lets the functions of the module take instances of a class for those of a frozen dataclass with these fields and defaults,
/// each an attribute and a parameter already.
pub fn declare_fields(
    interp: &Interp,
    class: &Rc<Class>,
    fields: impl IntoIterator<Item = (&'static str, Option<Value>)>,
) {
    let table = dict();
    if let Value::Dict(table) = &table {
        for (name, default) in fields {
            table.borrow_mut().insert_str(name, Value::object(Field::declared(name, default)));
        }
    }
    let mut names = class.namespace.borrow_mut();
    names.insert("__dataclass_fields__".into(), table);
    names.insert("__dataclass_params__".into(), params(interp, DECLARED));
}

pub(super) fn dataclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let options = Options::from(interp, &args.values()[1..])?;
    match args.get(0) {
        Value::None => Ok(callable("wrap", move |interp, args| {
            let [class] = arguments(interp, const { &form("wrap", "(cls)") }, args)?.take();
            apply(interp, class, options)
        })),
        class => apply(interp, class.clone(), options),
    }
}

fn apply(interp: &Interp, value: Value, options: Options) -> PyResult<Value> {
    let Value::Class(class) = &value else {
        if value.is_unknown() {
            return Ok(value);
        }
        return Err(
            interp.type_error(format!("dataclass() should be called on a class, not '{}'", interp.type_name(&value)))
        );
    };
    process(interp, class, options)?;
    Ok(value)
}

fn process(interp: &Interp, class: &Rc<Class>, options: Options) -> PyResult<()> {
    let fields = gather(interp, class, options)?;
    if options.order && !options.eq {
        return Err(interp.value_error("eq must be true if order is true"));
    }
    let own: Vec<String> = class.namespace.borrow().keys().map(ToString::to_string).collect();
    let defines = |name: &str| own.iter().any(|own| own == name);
    let explicit_hash = match class.namespace.borrow().get("__hash__") {
        None => false,
        Some(Value::None) => !defines("__eq__"),
        Some(_) => true,
    };
    let add = |name: &str, value: Value| {
        class.namespace.borrow_mut().insert(name.into(), value);
    };
    let qualified = &class.qualified_name;
    if options.init && !defines("__init__") {
        add("__init__", generated::init(interp, class, &fields, options.frozen)?);
    }
    if options.repr && !defines("__repr__") {
        add("__repr__", generated::repr(qualified, &fields));
    }
    if options.eq && !defines("__eq__") {
        add("__eq__", generated::eq(qualified, &fields));
    }
    if options.order {
        for (name, function) in generated::order(qualified, &fields) {
            if defines(name) {
                return Err(interp.type_error(format!(
                    "Cannot overwrite attribute {name} in class {}. Consider using functools.total_ordering",
                    class.name
                )));
            }
            add(name, function);
        }
    }
    if options.frozen {
        for (name, function) in generated::frozen(qualified, &fields) {
            if defines(name) {
                return Err(interp.type_error(format!("Cannot overwrite attribute {name} in class {}", class.name)));
            }
            add(name, function);
        }
    }
    hash(interp, class, options, explicit_hash, &fields)?;
    if options.match_args && !defines("__match_args__") {
        let names = fields
            .iter()
            .filter_map(|field| field.downcast::<Field>())
            .filter(|field| field.is_parameter() && !field.is_keyword_only())
            .map(|field| Value::Str(field.name.borrow().clone()));
        add("__match_args__", Value::tuple(names));
    }
    if options.slots {
        if defines("__slots__") {
            return Err(interp.type_error(format!("{} already specifies __slots__", class.name)));
        }
        let names = fields
            .iter()
            .filter_map(|field| field.downcast::<Field>())
            .filter(|field| field.is_stored())
            .map(|field| Value::Str(field.name.borrow().clone()));
        add("__slots__", Value::tuple(names));
    }
    if !defines("__doc__") || matches!(class.namespace.borrow().get("__doc__"), Some(Value::None)) {
        let doc = format!("{}{}", class.name, generated::signature(interp, &fields)?);
        add("__doc__", Value::str(doc));
    }
    add("__dataclass_params__", params(interp, options));
    Ok(())
}

fn params(interp: &Interp, options: Options) -> Value {
    let rows = [
        ("init", options.init),
        ("repr", options.repr),
        ("eq", options.eq),
        ("order", options.order),
        ("unsafe_hash", options.unsafe_hash),
        ("frozen", options.frozen),
    ];
    crate::library::types::namespace_of(interp, rows.map(|(name, on)| (name, Value::Bool(on))))
}

/// The fields of the bases, each in its place, then those of the class; stored as `__dataclass_fields__`.
fn gather(interp: &Interp, class: &Rc<Class>, options: Options) -> PyResult<Vec<Value>> {
    let fields = dict();
    let Value::Dict(table) = &fields else { return Ok(Vec::new()) };
    let (mut any_frozen, mut any_base) = (false, false);
    for base in class.ancestors.iter().rev() {
        if !base.namespace.borrow().contains_key("__dataclass_fields__") {
            continue;
        }
        any_base = true;
        for field in fields_of(base).unwrap_or_default() {
            if let Some(this) = field.downcast::<Field>() {
                table.borrow_mut().insert_str(&this.name.borrow(), field.clone());
            }
        }
        let params = base.namespace.borrow().get("__dataclass_params__").cloned();
        if let Some(params) = params {
            any_frozen |= interp.truth(&interp.get_attr(&params, "frozen")?)?;
        }
    }
    for field in collect_own(interp, class, options.keyword_only)? {
        if let Some(this) = field.downcast::<Field>() {
            table.borrow_mut().insert_str(&this.name.borrow(), field.clone());
        }
    }
    if any_base && any_frozen && !options.frozen {
        return Err(interp.type_error("cannot inherit non-frozen dataclass from a frozen one"));
    }
    if any_base && !any_frozen && options.frozen {
        return Err(interp.type_error("cannot inherit frozen dataclass from a non-frozen one"));
    }
    let all = table.borrow().values().cloned().collect();
    class.namespace.borrow_mut().insert("__dataclass_fields__".into(), fields);
    Ok(all)
}

/// The table of `_hash_action` in dataclasses.py.
fn hash(interp: &Interp, class: &Rc<Class>, options: Options, explicit: bool, fields: &[Value]) -> PyResult<()> {
    let value = match (options.unsafe_hash, options.eq, options.frozen) {
        (false, true, false) if !explicit => Value::None,
        (false, true, true) if !explicit => generated::hash(&class.qualified_name, fields),
        (true, _, _) if explicit => {
            return Err(interp.type_error(format!("Cannot overwrite attribute __hash__ in class {}", class.name)));
        }
        (true, _, _) => generated::hash(&class.qualified_name, fields),
        _ => return Ok(()),
    };
    class.namespace.borrow_mut().insert("__hash__".into(), value);
    Ok(())
}

pub(super) fn make_dataclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let options = Options::from(interp, &args.values()[4..])?;
    let values = args.values();
    let (name, fields, bases, namespace) = (&values[0], &values[1], &values[2], &values[3]);
    let (annotations, body) = (dict(), dict());
    for item in interp.collect(fields)? {
        let (name, annotation) = match text(&item) {
            Some(name) => (name, Value::str("typing.Any")),
            None => {
                let parts = interp.collect(&item)?;
                if let Some(default) = parts.get(2) {
                    interp.set_item(&body, &parts[0], default.clone())?;
                }
                match parts.as_slice() {
                    [name, annotation] | [name, annotation, _] => (interp.to_str(name)?, annotation.clone()),
                    _ => return Err(interp.type_error(format!("Invalid field: {}", interp.repr(&item)?))),
                }
            }
        };
        interp.set_item(&annotations, &Value::Str(name), annotation)?;
    }
    if !namespace.is_none() {
        for (key, value) in entries(interp, namespace)? {
            interp.set_item(&body, &key, value)?;
        }
    }
    interp.set_item(&body, &Value::str("__annotations__"), annotations)?;
    let metaclass = Value::Class(interp.types().type_.clone());
    let class = interp.call_values(&metaclass, [name.clone(), bases.clone(), body])?;
    apply(interp, class, options)
}
