//! Functions about objects: attributes, classes, identity, namespaces, imports.

use crate::builtins::repr::address;
use crate::builtins::table::known;
use crate::class::Class;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

fn attribute_name(interp: &Interp, v: &Value) -> PyResult<Rc<str>> {
    match interp.plain(v) {
        Value::Str(name) => Ok(name),
        _ => Err(interp.type_error(format!("attribute name must be string, not '{}'", interp.type_name(v)))),
    }
}

pub(super) fn get_attribute(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [object, name, default] = arguments.take();
    if name.is_unknown() {
        return Ok(name);
    }
    let name = attribute_name(interp, &name)?;
    if default.is_unset() {
        return interp.get_attr(&object, &name);
    }
    Ok(interp.find_attr(&object, &name)?.unwrap_or(default))
}

pub(super) fn has_attribute(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [object, name] = arguments.take();
    let name = attribute_name(interp, &name)?;
    Ok(Value::Bool(interp.find_attr(&object, &name)?.is_some()))
}

pub(super) fn set_attribute(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [object, name, value] = arguments.take();
    if !name.is_unknown() {
        interp.set_attr(&object, &attribute_name(interp, &name)?, value)?;
    }
    Ok(Value::None)
}

pub(super) fn delete_attribute(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [object, name] = arguments.take();
    if !name.is_unknown() {
        interp.delete_attr(&object, &attribute_name(interp, &name)?)?;
    }
    Ok(Value::None)
}

pub(super) fn callable(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [object] = arguments.take();
    Ok(Value::Bool(interp.is_callable(&object)))
}

pub(super) fn is_instance(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [object, class] = arguments.take();
    let found = interp.is_instance(&object, &class)?;
    Ok(inherited(found, &interp.type_of(&object)))
}

/// What a test of a class gives: where it fails for one with an ancestor that is not known, nothing is said.
fn inherited(found: bool, class: &Class) -> Value {
    match &class.unknown_base {
        Some(unknown) if !found => unknown.clone(),
        _ => Value::Bool(found),
    }
}

pub(super) fn is_subclass(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [class, other] = arguments.take();
    let found = interp.is_subclass(&class, &other)?;
    Ok(match &class {
        Value::Class(class) => inherited(found, class),
        _ => Value::Bool(found),
    })
}

pub(super) fn hash(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [object] = arguments.take();
    interp.hash_value(&object)
}

pub(super) fn identity(_interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [object] = arguments.take();
    Ok(Value::from(address(&object)))
}

pub(super) fn names(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [object] = arguments.take();
    if object.is_unset() {
        let mut names = interp.collect(&interp.locals())?;
        names = crate::builtins::sort::sort(interp, names, None, false)?;
        return Ok(Value::list(names));
    }
    if let Some(own) = interp.call_special(&object, "__dir__", [])? {
        let names = interp.collect(&own)?;
        return Ok(Value::list(crate::builtins::sort::sort(interp, names, None, false)?));
    }
    Ok(Value::list(interp.attribute_names(&object).into_iter().map(Value::from)))
}

pub(super) fn variables(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [object] = arguments.take();
    if object.is_unset() {
        return Ok(interp.locals());
    }
    match interp.find_attr(&object, "__dict__")? {
        Some(names) => Ok(names),
        None => Err(interp.type_error("vars() argument must have __dict__ attribute")),
    }
}

pub(super) fn globals(interp: &Interp, _arguments: Arguments) -> PyResult<Value> {
    Ok(interp.globals())
}

pub(super) fn locals(interp: &Interp, _arguments: Arguments) -> PyResult<Value> {
    Ok(interp.locals())
}

/// `__import__('a.b')` is `a`; with names to import from it, it is `a.b`.
pub(super) fn import(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [name, _globals, _locals, names, level] = arguments.take();
    let Value::Str(name) = interp.plain(&name) else {
        return Err(interp.type_error(format!("__import__() argument 1 must be str, not {}", interp.type_name(&name))));
    };
    if interp.to_i64(&level)? != 0 {
        return Err(interp.import_error("relative imports through __import__() are not supported"));
    }
    let module = interp.import(&name)?;
    if interp.truth(&names)? {
        return Ok(module);
    }
    match name.split_once('.') {
        Some((package, _)) => interp.import(package),
        None => Ok(module),
    }
}
