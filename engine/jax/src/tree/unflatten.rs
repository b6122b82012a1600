//! Values put together again from their structure and leaves.

use super::{Registration, RegistrationKind, TreeDef};
use pallas_python::CallArgs;
use pallas_python::dict::Dict;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// Puts a pytree together from its leaves; leaves beyond those needed are left.
pub fn unflatten(interp: &Interp, def: &TreeDef, leaves: &mut impl Iterator<Item = Value>) -> PyResult<Value> {
    fn all(interp: &Interp, defs: &[TreeDef], leaves: &mut impl Iterator<Item = Value>) -> PyResult<Vec<Value>> {
        let mut values = Vec::with_capacity(defs.len());
        for def in defs {
            values.push(unflatten(interp, def, leaves)?);
        }
        Ok(values)
    }
    Ok(match def {
        TreeDef::Leaf => match leaves.next() {
            Some(leaf) => leaf,
            None => return Err(interp.value_error("Too few leaves for PyTreeDef".to_string())),
        },
        TreeDef::None => Value::None,
        TreeDef::Tuple(defs) => Value::tuple(all(interp, defs, leaves)?),
        TreeDef::List(defs) => Value::list(all(interp, defs, leaves)?),
        TreeDef::Dict(keys, defs) => {
            let mut dict = Dict::default();
            for (key, value) in keys.iter().zip(all(interp, defs, leaves)?) {
                dict.insert(interp, key.clone(), value)?;
            }
            Value::Dict(Rc::new(RefCell::new(dict)))
        }
        TreeDef::OrderedDict(class, keys, defs) => {
            let values = all(interp, defs, leaves)?;
            let pairs = keys.iter().zip(values).map(|(key, value)| Value::tuple([key.clone(), value]));
            interp.call_values(&Value::Class(class.clone()), [Value::list(pairs)])?
        }
        TreeDef::DefaultDict(class, factory, keys, defs) => {
            let mut dict = Dict::default();
            for (key, value) in keys.iter().zip(all(interp, defs, leaves)?) {
                dict.insert(interp, key.clone(), value)?;
            }
            let dict = Value::Dict(Rc::new(RefCell::new(dict)));
            interp.call_values(&Value::Class(class.clone()), [factory.clone(), dict])?
        }
        TreeDef::NamedTuple(class, defs) => {
            let values = all(interp, defs, leaves)?;
            interp.call(&Value::Class(class.clone()), CallArgs::positional(values))?
        }
        TreeDef::Custom(registration, auxiliary, defs) => {
            let children = all(interp, defs, leaves)?;
            unflatten_custom(interp, registration, auxiliary, children)?
        }
    })
}

fn unflatten_custom(
    interp: &Interp,
    registration: &Registration,
    auxiliary: &Value,
    children: Vec<Value>,
) -> PyResult<Value> {
    match &registration.kind {
        RegistrationKind::Static => Ok(auxiliary.clone()),
        RegistrationKind::Functions { unflatten, .. } | RegistrationKind::Keyed { unflatten, .. } => {
            interp.call_values(unflatten, [auxiliary.clone(), Value::tuple(children)])
        }
        RegistrationKind::Dataclass { data, meta } => {
            let mut args = CallArgs::default();
            let names = data.iter().chain(meta);
            for (name, value) in names.zip(children.into_iter().chain(interp.collect(auxiliary)?)) {
                args.keywords.push((pallas_syntax::ast::Name::from(&**name), value));
            }
            interp.call(&Value::Class(registration.class.clone()), args)
        }
    }
}
