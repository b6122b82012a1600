//! Registration of classes as pytree nodes.

use super::given;
use crate::tree::{Registration, RegistrationKind, Registry};
use pallas_python::CallArgs;
use pallas_python::class::Class;
use pallas_python::dict::Dict;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// Rows of `jax.tree_util`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "register_pytree_node",
        signature: "(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None)",
        doc: "Registers a class as a node.",
        run: |interp, args| {
            let [class, flatten, unflatten, with_keys] = args.take();
            let kind = RegistrationKind::Functions { flatten, unflatten, with_keys };
            register(interp, &class, kind)?;
            Ok(Value::None)
        },
    },
    NativeDef {
        name: "register_pytree_node_class",
        signature: "(cls)",
        doc: "Registers a class with `tree_flatten` and `tree_unflatten`; a decorator.",
        run: |interp, args| {
            let [value] = args.take();
            let kind = RegistrationKind::Functions {
                flatten: interp.get_attr(&value, "tree_flatten")?,
                unflatten: interp.get_attr(&value, "tree_unflatten")?,
                with_keys: Value::None,
            };
            register(interp, &value, kind)?;
            Ok(value)
        },
    },
    NativeDef {
        name: "register_pytree_with_keys",
        signature: "(nodetype, flatten_with_keys, unflatten_func, flatten_func=None)",
        doc: "Registers a class as a node that names its children.",
        run: |interp, args| {
            let [class, with_keys, unflatten, flatten] = args.take();
            let kind = match given(&flatten) {
                Some(flatten) => RegistrationKind::Functions { flatten: flatten.clone(), unflatten, with_keys },
                None => RegistrationKind::Keyed { with_keys, unflatten },
            };
            register(interp, &class, kind)?;
            Ok(Value::None)
        },
    },
    NativeDef {
        name: "register_pytree_with_keys_class",
        signature: "(cls)",
        doc: "Registers a class with `tree_flatten_with_keys` and `tree_unflatten`; a decorator.",
        run: |interp, args| {
            let [value] = args.take();
            let with_keys = interp.get_attr(&value, "tree_flatten_with_keys")?;
            let unflatten = interp.get_attr(&value, "tree_unflatten")?;
            let kind = match interp.find_attr(&value, "tree_flatten")? {
                Some(flatten) => RegistrationKind::Functions { flatten, unflatten, with_keys },
                None => RegistrationKind::Keyed { with_keys, unflatten },
            };
            register(interp, &value, kind)?;
            Ok(value)
        },
    },
    NativeDef {
        name: "register_dataclass",
        signature: "(nodetype, data_fields=None, meta_fields=None, drop_fields=())",
        doc: "Registers a dataclass: data fields are children, meta fields are part of the structure.",
        run: register_dataclass,
    },
    NativeDef {
        name: "register_static",
        signature: "(cls)",
        doc: "Registers a class as a node without leaves; a decorator.",
        run: |interp, args| {
            let [value] = args.take();
            register(interp, &value, RegistrationKind::Static)?;
            Ok(value)
        },
    },
];

/// Rows of `jax.tree`.
pub(super) static SHORT: &[NativeDef] = &[NativeDef {
    name: "static",
    signature: "(**kwargs)",
    doc: "A dataclass field that `register_dataclass` takes as part of the structure.",
    run: |interp, args| {
        let [keywords] = args.take();
        let field = interp.get_attr(&interp.import("dataclasses")?, "field")?;
        let mut call = CallArgs::default();
        let mut metadata = Dict::default();
        if let Value::Dict(dict) = &keywords {
            for (key, value) in dict.borrow().iter() {
                match &*interp.to_str(key)? {
                    "metadata" => {
                        for name in interp.collect(value)? {
                            let item = interp.get_item(value, &name)?;
                            metadata.insert(interp, name, item)?;
                        }
                    }
                    name => call.keywords.push((Name::from(name), value.clone())),
                }
            }
        }
        metadata.insert(interp, Value::from("static"), Value::Bool(true))?;
        call.keywords.push((Name::from("metadata"), Value::Dict(Rc::new(RefCell::new(metadata)))));
        interp.call(&field, call)
    },
}];

fn register(interp: &Interp, class: &Value, kind: RegistrationKind) -> PyResult<()> {
    let class = class_of(interp, class)?;
    interp.extension::<Registry>().register(interp, Registration { class, kind })
}

fn class_of(interp: &Interp, value: &Value) -> PyResult<Rc<Class>> {
    match value {
        Value::Class(class) => Ok(class.clone()),
        value => {
            let shown = interp.repr(value)?;
            Err(interp.type_error(format!("expected a class, got {shown}")))
        }
    }
}

fn register_dataclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [value, data, meta, drop] = args.take();
    let class = class_of(interp, &value)?;
    let names =
        |list: &Value| -> PyResult<Vec<Rc<str>>> { interp.collect(list)?.iter().map(|n| interp.to_str(n)).collect() };
    if data.is_none() != meta.is_none() {
        return Err(interp.type_error(
            "register_dataclass: data_fields and meta_fields must both be specified when either is specified.",
        ));
    }
    let is_dataclass = interp.find_attr(&value, "__dataclass_fields__")?;
    if data.is_none() {
        let Some(fields) = is_dataclass else {
            return Err(interp.type_error(
                "register_dataclass: data_fields and meta_fields are required when nodetype is not a dataclass. Got \
                 nodetype="
                    .to_string()
                    + &interp.repr(&value)?
                    + ".",
            ));
        };
        let (data, meta) = by_metadata(interp, &fields)?;
        register(interp, &value, RegistrationKind::Dataclass { data, meta })?;
        return Ok(value);
    }
    let (data, meta) = (names(&data)?, names(&meta)?);
    if let Some(fields) = is_dataclass {
        check_fields(interp, &fields, &data, &meta, &names(&drop)?)?;
    }
    interp
        .extension::<Registry>()
        .register(interp, Registration { class, kind: RegistrationKind::Dataclass { data, meta } })?;
    Ok(value)
}

/// Names of fields: children, and parts of the structure.
type FieldNames = (Vec<Rc<str>>, Vec<Rc<str>>);

/// Fields that the constructor takes: those with `metadata=dict(static=True)` are part of the structure.
fn by_metadata(interp: &Interp, fields: &Value) -> PyResult<FieldNames> {
    let (mut data, mut meta) = (Vec::new(), Vec::new());
    for name in init_fields(interp, fields)? {
        let field = interp.get_item(fields, &Value::Str(name.clone()))?;
        let metadata = interp.get_attr(&field, "metadata")?;
        let is_static = match interp.contains(&metadata, &Value::from("static"))? {
            true => interp.truth(&interp.get_item(&metadata, &Value::from("static"))?)?,
            false => false,
        };
        if is_static { meta.push(name) } else { data.push(name) }
    }
    Ok((data, meta))
}

fn init_fields(interp: &Interp, fields: &Value) -> PyResult<Vec<Rc<str>>> {
    let mut names = Vec::new();
    for name in interp.collect(fields)? {
        let field = interp.get_item(fields, &name)?;
        if interp.truth(&interp.get_attr(&field, "init")?)? {
            names.push(interp.to_str(&name)?);
        }
    }
    Ok(names)
}

/// Every field that the constructor takes must be named once.
fn check_fields(
    interp: &Interp,
    fields: &Value,
    data: &[Rc<str>],
    meta: &[Rc<str>],
    dropped: &[Rc<str>],
) -> PyResult<()> {
    let expected: Vec<Rc<str>> =
        init_fields(interp, fields)?.into_iter().filter(|name| !dropped.contains(name)).collect();
    let given: Vec<&Rc<str>> = data.iter().chain(meta).collect();
    let missing: Vec<&Rc<str>> = expected.iter().filter(|name| !given.contains(name)).collect();
    let unexpected: Vec<&&Rc<str>> = given.iter().filter(|name| !expected.contains(name)).collect();
    if missing.is_empty() && unexpected.is_empty() {
        return Ok(());
    }
    let list = |names: Vec<String>| format!("{{{}}}", names.join(", "));
    let mut message =
        "data_fields and meta_fields must include all dataclass fields with ``init=True`` and only them.".to_string();
    if !missing.is_empty() {
        let names = missing.iter().map(|name| format!("'{name}'")).collect();
        message.push_str(&format!(" Missing fields: {}. Add them to drop_fields to suppress this error.", list(names)));
    }
    if !unexpected.is_empty() {
        message
            .push_str(&format!(" Unexpected fields: {}.", list(unexpected.iter().map(|n| format!("'{n}'")).collect())));
    }
    Err(interp.value_error(message))
}
