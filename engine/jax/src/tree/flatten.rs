//! Values taken apart: one level at a time, down to the leaves, with or without the path to each leaf.

use super::keys::{KeyKind, KeyObject};
use super::{Registration, RegistrationKind, Registry, TreeDef};
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// A leaf with the keys that lead to it.
pub type PathAndLeaf = (Vec<Value>, Value);

/// Takes a pytree apart. `is_leaf`, where given, stops at values for which it is true.
pub fn flatten(interp: &Interp, value: &Value, is_leaf: Option<&Value>) -> PyResult<(Vec<Value>, TreeDef)> {
    let mut leaves = Vec::new();
    let def = walk(interp, value, is_leaf, &mut None, &mut |_, leaf| leaves.push(leaf))?;
    Ok((leaves, def))
}

/// As [`flatten`], with the path to each leaf.
pub fn flatten_with_path(
    interp: &Interp,
    value: &Value,
    is_leaf: Option<&Value>,
) -> PyResult<(Vec<PathAndLeaf>, TreeDef)> {
    let mut leaves = Vec::new();
    let def = walk(interp, value, is_leaf, &mut Some(Vec::new()), &mut |path, leaf| {
        leaves.push((path.map(<[Value]>::to_vec).unwrap_or_default(), leaf));
    })?;
    Ok((leaves, def))
}

fn walk(
    interp: &Interp,
    value: &Value,
    is_leaf: Option<&Value>,
    path: &mut Option<Vec<Value>>,
    found: &mut dyn FnMut(Option<&[Value]>, Value),
) -> PyResult<TreeDef> {
    if let Some(test) = is_leaf {
        let arguments = [value.clone()];
        if interp.truth(&interp.call_values(test, arguments)?)? {
            found(path.as_deref(), value.clone());
            return Ok(TreeDef::Leaf);
        }
    }
    let Some((node, children)) = one_level(interp, value)? else {
        found(path.as_deref(), value.clone());
        return Ok(TreeDef::Leaf);
    };
    let keys = match path {
        Some(_) => keys(interp, value, &node, children.len())?,
        None => Vec::new(),
    };
    let mut defs = Vec::with_capacity(children.len());
    for (index, child) in children.iter().enumerate() {
        if let Some(path) = path {
            path.push(keys.get(index).cloned().unwrap_or(Value::None));
        }
        defs.push(walk(interp, child, is_leaf, path, found)?);
        if let Some(path) = path {
            path.pop();
        }
    }
    Ok(node.with_children(defs))
}

/// A node without its children, and the children; `None` for a leaf.
pub fn one_level(interp: &Interp, value: &Value) -> PyResult<Option<(TreeDef, Vec<Value>)>> {
    Ok(Some(match value {
        Value::None => (TreeDef::None, Vec::new()),
        Value::Tuple(items) => (TreeDef::Tuple(Vec::new()), items.to_vec()),
        Value::List(items) => (TreeDef::List(Vec::new()), items.borrow().clone()),
        Value::Dict(dict) => {
            let entries: Vec<(Value, Value)> = dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
            let (keys, values) = sorted(interp, entries)?.into_iter().unzip();
            (TreeDef::Dict(keys, Vec::new()), values)
        }
        Value::Instance(instance) => {
            let class = instance.class.borrow().clone();
            if let Some(registration) = interp.extension::<Registry>().find(&class) {
                let (children, data) = custom(interp, value, &registration)?;
                return Ok(Some((TreeDef::Custom(registration, data, Vec::new()), children)));
            }
            let payload = instance.payload.borrow().clone();
            match payload {
                Value::Dict(dict) if is_from_collections(&class, "OrderedDict") => {
                    let (keys, values) = dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).unzip();
                    (TreeDef::OrderedDict(class, keys, Vec::new()), values)
                }
                Value::Dict(dict) if is_from_collections(&class, "defaultdict") => {
                    let factory = interp.find_attr(value, "default_factory")?.unwrap_or(Value::None);
                    let entries = dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                    let (keys, values) = sorted(interp, entries)?.into_iter().unzip();
                    (TreeDef::DefaultDict(class, factory, keys, Vec::new()), values)
                }
                Value::Tuple(items) if class.lookup("_fields").is_some() => {
                    (TreeDef::NamedTuple(class, Vec::new()), items.to_vec())
                }
                _ => return Ok(None),
            }
        }
        // Instances of classes that extend a native one: `Partial`.
        Value::Object(_) => match interp.extension::<Registry>().find(&interp.type_of(value)) {
            Some(registration) => {
                let (children, data) = custom(interp, value, &registration)?;
                (TreeDef::Custom(registration, data, Vec::new()), children)
            }
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn is_from_collections(class: &Class, name: &str) -> bool {
    *class.name == *name && &*class.module == "collections"
}

/// Children and auxiliary data of an instance of a registered class.
fn custom(interp: &Interp, value: &Value, registration: &Registration) -> PyResult<(Vec<Value>, Value)> {
    match &registration.kind {
        RegistrationKind::Static => Ok((Vec::new(), value.clone())),
        RegistrationKind::Dataclass { data, meta } => {
            let get = |names: &[Rc<str>]| names.iter().map(|n| interp.get_attr(value, n)).collect::<PyResult<Vec<_>>>();
            Ok((get(data)?, Value::tuple(get(meta)?)))
        }
        RegistrationKind::Functions { flatten, .. } => {
            let (children, data) = pair(interp, &interp.call_values(flatten, [value.clone()])?)?;
            Ok((interp.collect(&children)?, data))
        }
        RegistrationKind::Keyed { with_keys, .. } => {
            let (children, data) = pair(interp, &interp.call_values(with_keys, [value.clone()])?)?;
            let children = interp.collect(&children)?;
            let children = children.iter().map(|keyed| Ok(pair(interp, keyed)?.1)).collect::<PyResult<_>>()?;
            Ok((children, data))
        }
    }
}

fn pair(interp: &Interp, value: &Value) -> PyResult<(Value, Value)> {
    match <[Value; 2]>::try_from(interp.collect(value)?) {
        Ok([first, second]) => Ok((first, second)),
        Err(_) => Err(interp.value_error("a pytree's flatten function must return (children, aux_data)".to_string())),
    }
}

/// The keys of a node's children.
pub(super) fn keys(interp: &Interp, value: &Value, node: &TreeDef, count: usize) -> PyResult<Vec<Value>> {
    let numbered = |kind: KeyKind| (0..count).map(|index| KeyObject::value(kind, Value::from(index))).collect();
    let named = |kind: KeyKind, keys: &[Value]| keys.iter().map(|key| KeyObject::value(kind, key.clone())).collect();
    Ok(match node {
        TreeDef::Leaf | TreeDef::None => Vec::new(),
        TreeDef::Tuple(_) | TreeDef::List(_) => numbered(KeyKind::Sequence),
        TreeDef::Dict(keys, _) | TreeDef::OrderedDict(_, keys, _) | TreeDef::DefaultDict(_, _, keys, _) => {
            named(KeyKind::Dict, keys)
        }
        TreeDef::NamedTuple(class, _) => {
            let fields = class.lookup("_fields").unwrap_or(Value::None);
            named(KeyKind::Attribute, &interp.collect(&fields)?)
        }
        TreeDef::Custom(registration, ..) => match &registration.kind {
            RegistrationKind::Static => Vec::new(),
            RegistrationKind::Dataclass { data, .. } => {
                let names: Vec<Value> = data.iter().map(|name| Value::Str(name.clone())).collect();
                named(KeyKind::Attribute, &names)
            }
            RegistrationKind::Functions { with_keys, .. } if with_keys.is_none() => numbered(KeyKind::FlatIndex),
            RegistrationKind::Functions { with_keys, .. } | RegistrationKind::Keyed { with_keys, .. } => {
                let (children, _) = pair(interp, &interp.call_values(with_keys, [value.clone()])?)?;
                let children = interp.collect(&children)?;
                children.iter().map(|keyed| Ok(pair(interp, keyed)?.0)).collect::<PyResult<_>>()?
            }
        },
    })
}

/// Dict entries in the order of their keys, as Python's `sorted` puts them.
///
/// # Errors
/// `ValueError` for keys that cannot be compared.
fn sorted(interp: &Interp, entries: Vec<(Value, Value)>) -> PyResult<Vec<(Value, Value)>> {
    let mut sorted: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut at = sorted.len();
        while at > 0 {
            let less = interp
                .compare(pallas_syntax::ast::CompareOp::Lt, &entry.0, &sorted[at - 1].0)
                .and_then(|less| interp.truth(&less))
                .map_err(|stop| match matches!(*stop, pallas_python::Stop::Abort(_)) {
                    true => stop,
                    false => interp.value_error("Comparator raised exception while sorting pytree dictionary keys."),
                })?;
            if !less {
                break;
            }
            at -= 1;
        }
        sorted.insert(at, entry);
    }
    Ok(sorted)
}
