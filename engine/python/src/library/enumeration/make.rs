//! How a class body becomes members (`EnumType.__new__` in CPython's enum.py).

use super::super::support::{dict, native, plain, row, text};
use super::{Auto, EnumClasses, Marked, blank_member, flags, is_enum_class, set_slot, slot};
use crate::class::{Builtin, Class};
use crate::interp::Interp;
use crate::native::NativeDef;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// Turns the values that the body of `class` binds into members.
pub(super) fn make_members(interp: &Interp, class: &Rc<Class>, keywords: &Value) -> PyResult<()> {
    if let Some(base) = class.bases.iter().find(|base| !member_names(base).is_empty()) {
        return Err(interp.type_error(format!("<enum '{}'> cannot extend <enum '{}'>", class.name, base.name)));
    }
    let bound = candidates(interp, class)?;
    let state = State { names: Value::list([]), map: dict(), by_value: dict() };
    {
        let mut namespace = class.namespace.borrow_mut();
        namespace.insert("_member_names_".into(), state.names.clone());
        namespace.insert("_member_map_".into(), state.map.clone());
        namespace.insert("_value2member_map_".into(), state.by_value.clone());
        for (name, _) in &bound {
            namespace.shift_remove(name.as_str());
        }
    }
    if class.is_subclass(&EnumClasses::of(interp).flag) {
        flags::prepare(interp, class, keywords);
    }
    keep_names_shown(interp, class);
    let mut last_values = Vec::new();
    for (name, value) in bound {
        let value = resolve(interp, class, &name, value, &last_values)?;
        let member = make_member(interp, class, &name, &value)?;
        last_values.push(slot(&member, "_value_"));
        state.register(interp, class, &name, member)?;
    }
    Ok(())
}

fn member_names(class: &Rc<Class>) -> Vec<Value> {
    match class.namespace.borrow().get("_member_names_") {
        Some(Value::List(names)) => names.borrow().clone(),
        _ => Vec::new(),
    }
}

struct State {
    names: Value,
    map: Value,
    by_value: Value,
}

/// `(name, value)` of the body that become members, in order.
fn candidates(interp: &Interp, class: &Rc<Class>) -> PyResult<Vec<(String, Value)>> {
    let ignored: Vec<String> = match class.namespace.borrow().get("_ignore_") {
        Some(Value::Str(names)) => names.replace(',', " ").split_whitespace().map(str::to_owned).collect(),
        Some(Value::List(names)) => names.borrow().iter().filter_map(text).map(|name| name.to_string()).collect(),
        Some(Value::Tuple(names)) => names.iter().filter_map(text).map(|name| name.to_string()).collect(),
        _ => Vec::new(),
    };
    let private = format!("_{}__", class.name.trim_start_matches('_'));
    let entries: Vec<(String, Value)> =
        class.namespace.borrow().iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let mut bound = Vec::new();
    for (name, value) in entries {
        if ignored.contains(&name) {
            class.namespace.borrow_mut().shift_remove(name.as_str());
            continue;
        }
        if let Some(marked) = value.downcast::<Marked>() {
            if marked.is_member {
                bound.push((name, marked.value.clone()));
            } else {
                class.namespace.borrow_mut().insert(name.as_str().into(), marked.value.clone());
            }
            continue;
        }
        let dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
        let sunder = name.len() > 2 && name.starts_with('_') && name.ends_with('_') && !name.starts_with("__");
        if dunder || sunder || (name.starts_with(&private) && !name.ends_with("__")) || is_descriptor(interp, &value) {
            continue;
        }
        if name == "mro" {
            return Err(interp.value_error("invalid enum member name(s) 'mro'"));
        }
        bound.push((name, value));
    }
    Ok(bound)
}

/// Functions, properties and the like stay what they are.
fn is_descriptor(interp: &Interp, value: &Value) -> bool {
    match value {
        Value::Function(_)
        | Value::Native(_)
        | Value::Property(_)
        | Value::StaticMethod(_)
        | Value::ClassMethod(_)
        | Value::BoundMethod(_) => true,
        Value::Object(_) | Value::Instance(_) => {
            let class = interp.type_of(value);
            ["__get__", "__set__", "__delete__"].iter().any(|name| class.lookup(name).is_some())
        }
        _ => false,
    }
}

/// Puts chosen values in the place of `auto()`.
fn resolve(interp: &Interp, class: &Rc<Class>, name: &str, value: Value, last: &[Value]) -> PyResult<Value> {
    let choose = |auto: &Auto| -> PyResult<Value> {
        if auto.value.borrow().is_unset() {
            let generate = interp.get_attr(&Value::Class(class.clone()), "_generate_next_value_")?;
            let count = member_names(class).len();
            let chosen = interp.call_values(
                &generate,
                [Value::str(name), Value::int(1i64), count.into(), Value::list(last.iter().cloned())],
            )?;
            *auto.value.borrow_mut() = chosen;
        }
        Ok(auto.value.borrow().clone())
    };
    if let Some(auto) = value.downcast::<Auto>() {
        return choose(auto);
    }
    if let Value::Tuple(items) = &value
        && items.iter().any(|item| item.downcast::<Auto>().is_some())
    {
        let items = items
            .iter()
            .map(|item| item.downcast::<Auto>().map_or_else(|| Ok(item.clone()), &choose))
            .collect::<PyResult<Vec<_>>>()?;
        return Ok(Value::tuple(items));
    }
    Ok(value)
}

/// The builtin class that members hold: `int` for `IntEnum`.
fn data_type(interp: &Interp, class: &Rc<Class>) -> Option<Rc<Class>> {
    let types = interp.types();
    Some(match class.builtin? {
        Builtin::Int => types.int.clone(),
        Builtin::Float => types.float.clone(),
        Builtin::Str => types.str.clone(),
        Builtin::Bytes => types.bytes.clone(),
        Builtin::Tuple => types.tuple.clone(),
        Builtin::List => types.list.clone(),
        Builtin::Dict => types.dict.clone(),
        Builtin::Set => types.set.clone(),
        Builtin::FrozenSet => types.frozenset.clone(),
        Builtin::Exception | Builtin::Type => return None,
    })
}

fn make_member(interp: &Interp, class: &Rc<Class>, name: &str, value: &Value) -> PyResult<Value> {
    let data = data_type(interp, class);
    let args: Vec<Value> = match value {
        Value::Tuple(items) if class.builtin != Some(Builtin::Tuple) => items.to_vec(),
        value => vec![value.clone()],
    };
    let custom = class.lookup("__new__").filter(|new| match new {
        Value::StaticMethod(inner) => matches!(**inner, Value::Function(_)),
        Value::Function(_) => true,
        _ => false,
    });
    let member = if custom.is_some() {
        let new = interp.get_attr(&Value::Class(class.clone()), "__new__")?;
        interp.call_values(&new, std::iter::once(Value::Class(class.clone())).chain(args.iter().cloned()))?
    } else {
        match &data {
            Some(data) => {
                check_text(interp, class, &args)?;
                let inner = interp.call_values(&Value::Class(data.clone()), args.iter().cloned())?;
                blank_member(class, plain(&inner))
            }
            None => blank_member(class, Value::Unset),
        }
    };
    if slot(&member, "_value_").is_none() {
        let value = match (&custom, &data) {
            (None, Some(_)) => plain(&member),
            (Some(_), Some(data)) => {
                interp.call_values(&Value::Class(data.clone()), args.iter().cloned()).unwrap_or_else(|_| value.clone())
            }
            _ => value.clone(),
        };
        set_slot(&member, "_value_", value);
    }
    set_slot(&member, "_name_", Value::str(name));
    set_slot(&member, "__objclass__", Value::Class(class.clone()));
    if let Some(Value::Function(_)) = class.lookup("__init__") {
        interp.call_method(&member, "__init__", args)?;
    }
    Ok(member)
}

/// `StrEnum` takes text only.
fn check_text(interp: &Interp, class: &Rc<Class>, args: &[Value]) -> PyResult<()> {
    if !class.is_subclass(&EnumClasses::of(interp).str_enum) {
        return Ok(());
    }
    if args.len() > 3 {
        return Err(
            interp.type_error(format!("too many arguments for str(): {}", interp.repr(&Value::tuple(args.to_vec()))?))
        );
    }
    match args.first() {
        Some(first) if text(first).is_none() && !first.is_unknown() => {
            Err(interp.type_error(format!("{} is not a string", interp.repr(first)?)))
        }
        _ => Ok(()),
    }
}

impl State {
    fn register(&self, interp: &Interp, class: &Rc<Class>, name: &str, member: Value) -> PyResult<()> {
        if interp.contains(&self.map, &Value::str(name))? {
            return Err(interp.type_error(format!("'{name}' already defined as {}", interp.repr(&member)?)));
        }
        let value = slot(&member, "_value_");
        let canonical = find(interp, class, &value)?;
        let is_alias = canonical.is_some();
        let member = canonical.unwrap_or(member);
        interp.set_item(&self.map, &Value::str(name), member.clone())?;
        class.namespace.borrow_mut().insert(name.into(), member.clone());
        if is_alias {
            return Ok(());
        }
        let is_flag = class.is_subclass(&EnumClasses::of(interp).flag);
        if !is_flag || flags::is_single_bit(interp, &value)? {
            interp.call_method(&self.names, "append", [Value::str(name)])?;
        }
        if is_flag {
            flags::extend_mask(interp, class, &value)?;
        }
        // Values that cannot be keys are found by comparison.
        if interp.hash(&value).is_ok() {
            interp.set_item(&self.by_value, &value, member)?;
        }
        Ok(())
    }
}

/// The member with this value.
pub(super) fn find(interp: &Interp, class: &Rc<Class>, value: &Value) -> PyResult<Option<Value>> {
    let by_value = class.namespace.borrow().get("_value2member_map_").cloned();
    if let Some(Value::Dict(map)) = &by_value
        && interp.hash(value).is_ok()
    {
        return interp.dict_get(map, value);
    }
    for (_, member) in super::member_map(class).unwrap_or_default() {
        if interp.equals(&slot(&member, "_value_"), value)? {
            return Ok(Some(member));
        }
    }
    Ok(None)
}

static HASH_BY_VALUE: NativeDef = row("__hash__", "(self)", "As the value.", |interp, args| {
    interp.hash(&plain(args.get(0))).map(|hash| Value::from(hash as i64))
});

/// A data type's `__repr__`, `__str__` and `__format__` come first in the method resolution order, but members show
/// as members: what the nearest enum class says is copied into the new class.
fn keep_names_shown(interp: &Interp, class: &Rc<Class>) {
    // Members of a data type hash as their value does, unless a class says otherwise.
    let hashes = std::iter::once(class).chain(&class.ancestors).find(|a| a.namespace.borrow().contains_key("__hash__"));
    if data_type(interp, class).is_some() && hashes.is_none_or(|a| Rc::ptr_eq(a, &EnumClasses::of(interp).base)) {
        class.namespace.borrow_mut().insert("__hash__".into(), native(&HASH_BY_VALUE, "enum"));
    }
    for name in ["__repr__", "__str__", "__format__"] {
        if class.namespace.borrow().contains_key(name) {
            continue;
        }
        let shown = class
            .ancestors
            .iter()
            .filter(|ancestor| {
                &*ancestor.module != "builtins" && (is_enum_class(interp, ancestor) || ancestor.span.is_some())
            })
            .find_map(|ancestor| ancestor.namespace.borrow().get(name).cloned());
        if let Some(shown) = shown {
            class.namespace.borrow_mut().insert(name.into(), shown);
        }
    }
}
