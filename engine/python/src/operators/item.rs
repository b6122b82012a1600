//! `v[key]`, `v[key] = value`, `del v[key]`, `len(v)`, `item in v`.

use crate::int::Int;
use crate::interp::Interp;
use crate::operators::slice::Positions;
use crate::raise::{PyResult, Stop};
use crate::value::{Range, Slice, Value};
use std::rc::Rc;

impl Interp {
    /// `v[key]`. TypeError where it is not subscriptable; IndexError and KeyError as Python raises them.
    pub fn get_item(&self, v: &Value, key: &Value) -> PyResult<Value> {
        if let (Value::List(list), Value::Int(Int::Small(index))) = (v, key) {
            let list = list.borrow();
            let at = if *index < 0 { *index + list.len() as i64 } else { *index };
            return match usize::try_from(at).ok().and_then(|at| list.get(at)) {
                Some(item) => Ok(item.clone()),
                None => Err(self.index_error("list index out of range")),
            };
        }
        match v {
            Value::Unknown(_) => Ok(v.clone()),
            Value::Dict(dict) => match self.dict_get(dict, key)? {
                Some(value) => Ok(value),
                None if key.is_unknown() => Ok(key.clone()),
                None => Err(self.key_error(key)),
            },
            Value::Object(object) => match object.get_item(v, key, self) {
                Some(result) => result,
                None => match self.call_special(v, "__getitem__", [key.clone()])? {
                    Some(value) => Ok(value),
                    None => Err(self.not_subscriptable(v)),
                },
            },
            Value::Instance(_) => {
                if self.overrides(v, "__getitem__")
                    && let Some(value) = self.call_special(v, "__getitem__", [key.clone()])?
                {
                    return Ok(value);
                }
                match self.plain(v) {
                    Value::Instance(_) => match self.call_special(v, "__getitem__", [key.clone()])? {
                        Some(value) => Ok(value),
                        None => Err(self.not_subscriptable(v)),
                    },
                    Value::Dict(dict) => match self.dict_get(&dict, key)? {
                        Some(value) => Ok(value),
                        None => match self.call_special(v, "__missing__", [key.clone()])? {
                            Some(value) => Ok(value),
                            None => Err(self.key_error(key)),
                        },
                    },
                    payload => self.get_item(&payload, key),
                }
            }
            Value::Class(class) => self.class_item(v, class, key),
            Value::List(_) | Value::Tuple(_) | Value::Str(_) | Value::Bytes(_) | Value::Range(_) => {
                if key.is_unknown() {
                    return Ok(key.clone());
                }
                match self.plain(key) {
                    Value::Slice(slice) => self.get_slice(v, &slice),
                    key => self.get_index(v, &key),
                }
            }
            _ => Err(self.not_subscriptable(v)),
        }
    }

    fn not_subscriptable(&self, v: &Value) -> Box<Stop> {
        self.type_error(format!("'{}' object is not subscriptable", self.type_name(v)))
    }

    /// An index into a sequence of this length; `what` begins the error messages.
    fn position(&self, key: &Value, length: usize, what: &str, out_of_range: &str) -> PyResult<usize> {
        let Some(index) = self.as_index(key)? else {
            let expected = if what == "byte" { "byte indices" } else { what };
            let plural = if what == "byte" { expected.to_owned() } else { format!("{what} indices") };
            return Err(self.type_error(format!("{plural} must be integers or slices, not {}", self.type_name(key))));
        };
        let Some(index) = index.to_i64() else {
            return Err(self.error(&self.types().index_error, "cannot fit 'int' into an index-sized integer"));
        };
        let at = if index < 0 { index.saturating_add(length as i64) } else { index };
        match usize::try_from(at) {
            Ok(at) if at < length => Ok(at),
            _ => Err(self.index_error(out_of_range)),
        }
    }

    fn get_index(&self, v: &Value, key: &Value) -> PyResult<Value> {
        match v {
            Value::List(list) => {
                let length = list.borrow().len();
                let at = self.position(key, length, "list", "list index out of range")?;
                let item = list.borrow().get(at).cloned();
                item.ok_or_else(|| self.index_error("list index out of range"))
            }
            Value::Tuple(items) => {
                let at = self.position(key, items.len(), "tuple", "tuple index out of range")?;
                Ok(items[at].clone())
            }
            Value::Str(text) => {
                if self.as_index(key)?.is_none() {
                    return Err(
                        self.type_error(format!("string indices must be integers, not '{}'", self.type_name(key)))
                    );
                }
                if text.is_ascii() {
                    let at = self.position(key, text.len(), "string", "string index out of range")?;
                    return Ok(Value::str(&text[at..=at]));
                }
                let length = text.chars().count();
                let at = self.position(key, length, "string", "string index out of range")?;
                Ok(Value::from(text.chars().nth(at).map(String::from).unwrap_or_default()))
            }
            Value::Bytes(bytes) => {
                let at = self.position(key, bytes.len(), "byte", "index out of range")?;
                Ok(Value::from(i64::from(bytes[at])))
            }
            Value::Range(range) => {
                let at = self.position(key, range.len(), "range", "range object index out of range")?;
                Ok(Value::from(range.at(at)))
            }
            _ => Err(self.not_subscriptable(v)),
        }
    }

    fn get_slice(&self, v: &Value, slice: &Slice) -> PyResult<Value> {
        let charge = |positions: &Positions, size: usize| self.charge_bytes(positions.count as u128 * size as u128);
        match v {
            Value::List(list) => {
                let positions = self.slice_positions(slice, list.borrow().len())?;
                charge(&positions, std::mem::size_of::<Value>())?;
                let list = list.borrow();
                // Evaluating the slice's parts may have shortened the list.
                Ok(Value::list(positions.iter().filter_map(|at| list.get(at).cloned())))
            }
            Value::Tuple(items) => {
                let positions = self.slice_positions(slice, items.len())?;
                charge(&positions, std::mem::size_of::<Value>())?;
                Ok(Value::tuple(positions.iter().map(|at| items[at].clone())))
            }
            Value::Bytes(bytes) => {
                let positions = self.slice_positions(slice, bytes.len())?;
                charge(&positions, 1)?;
                Ok(Value::Bytes(positions.iter().map(|at| bytes[at]).collect()))
            }
            Value::Str(text) if text.is_ascii() => {
                let positions = self.slice_positions(slice, text.len())?;
                charge(&positions, 1)?;
                if positions.step == 1 {
                    let start = positions.start as usize;
                    return Ok(Value::str(&text[start..start + positions.count]));
                }
                Ok(Value::from(positions.iter().map(|at| text.as_bytes()[at] as char).collect::<String>()))
            }
            Value::Str(text) => {
                let chars: Vec<char> = text.chars().collect();
                let positions = self.slice_positions(slice, chars.len())?;
                charge(&positions, 4)?;
                Ok(Value::from(positions.iter().map(|at| chars[at]).collect::<String>()))
            }
            Value::Range(range) => {
                let positions = self.slice_positions(slice, range.len())?;
                let at = |position: i64| range.start.wrapping_add(range.step.wrapping_mul(position));
                let step = range.step.saturating_mul(positions.step);
                Ok(Value::Range(Rc::new(Range { start: at(positions.start), stop: at(positions.stop), step })))
            }
            _ => Err(self.not_subscriptable(v)),
        }
    }

    /// `v[key] = value`. TypeError where it cannot.
    pub fn set_item(&self, v: &Value, key: &Value, value: Value) -> PyResult<()> {
        match v {
            Value::Unknown(_) => Ok(()),
            Value::Dict(dict) => {
                if key.is_unknown() {
                    return Ok(());
                }
                self.dict_set(dict, key.clone(), value)
            }
            Value::List(list) => {
                if key.is_unknown() {
                    return Ok(());
                }
                match self.plain(key) {
                    Value::Slice(slice) => {
                        let items = self.collect(&value).map_err(|stop| {
                            if self.stop_is(&stop, &self.types().type_error) {
                                return self.type_error("can only assign an iterable");
                            }
                            stop
                        })?;
                        self.set_list_slice(list, &slice, items)
                    }
                    key => {
                        let length = list.borrow().len();
                        let at = self.position(&key, length, "list", "list assignment index out of range")?;
                        let old = list.borrow_mut().get_mut(at).map(|item| std::mem::replace(item, value));
                        drop(old);
                        Ok(())
                    }
                }
            }
            Value::Object(object) => match object.set_item(v, key, value.clone(), self) {
                Some(result) => result,
                None => self.set_item_by_method(v, key, value),
            },
            Value::Instance(_) => {
                if self.overrides(v, "__setitem__") {
                    return self.set_item_by_method(v, key, value);
                }
                match self.plain(v) {
                    Value::Instance(_) => self.set_item_by_method(v, key, value),
                    payload => self.set_item(&payload, key, value),
                }
            }
            _ => self.set_item_by_method(v, key, value),
        }
    }

    fn set_item_by_method(&self, v: &Value, key: &Value, value: Value) -> PyResult<()> {
        match self.call_special(v, "__setitem__", [key.clone(), value])? {
            Some(_) => Ok(()),
            None => Err(self.type_error(format!("'{}' object does not support item assignment", self.type_name(v)))),
        }
    }

    fn set_list_slice(&self, list: &std::cell::RefCell<Vec<Value>>, slice: &Slice, items: Vec<Value>) -> PyResult<()> {
        let positions = self.slice_positions(slice, list.borrow().len())?;
        if positions.step == 1 {
            let mut list = list.borrow_mut();
            let start = (positions.start as usize).min(list.len());
            let end = (start + positions.count).min(list.len());
            let old: Vec<Value> = list.splice(start..end, items).collect();
            drop(list);
            drop(old);
            return Ok(());
        }
        if items.len() != positions.count {
            return Err(self.value_error(format!(
                "attempt to assign sequence of size {} to extended slice of size {}",
                items.len(),
                positions.count
            )));
        }
        let mut old = Vec::new();
        let mut list = list.borrow_mut();
        for (at, item) in positions.iter().zip(items) {
            if let Some(slot) = list.get_mut(at) {
                old.push(std::mem::replace(slot, item));
            }
        }
        drop(list);
        Ok(())
    }

    /// `del v[key]`. TypeError where it cannot.
    pub fn delete_item(&self, v: &Value, key: &Value) -> PyResult<()> {
        match v {
            Value::Unknown(_) => Ok(()),
            Value::Dict(dict) => match self.dict_remove(dict, key)? {
                Some(_) => Ok(()),
                None if key.is_unknown() => Ok(()),
                None => Err(self.key_error(key)),
            },
            Value::List(list) => match self.plain(key) {
                Value::Unknown(_) => Ok(()),
                Value::Slice(slice) => {
                    let positions = self.slice_positions(&slice, list.borrow().len())?;
                    let gone: std::collections::HashSet<usize> = positions.iter().collect();
                    let mut at = 0;
                    let mut old = Vec::new();
                    list.borrow_mut().retain_mut(|item| {
                        at += 1;
                        let keep = !gone.contains(&(at - 1));
                        if !keep {
                            old.push(std::mem::replace(item, Value::None));
                        }
                        keep
                    });
                    Ok(())
                }
                key => {
                    let length = list.borrow().len();
                    let at = self.position(&key, length, "list", "list assignment index out of range")?;
                    let old = list.borrow_mut().remove(at);
                    drop(old);
                    Ok(())
                }
            },
            _ => {
                if let Some(_done) = self.call_special(v, "__delitem__", [key.clone()])? {
                    return Ok(());
                }
                match self.plain(v) {
                    payload @ (Value::Dict(_) | Value::List(_)) => self.delete_item(&payload, key),
                    _ => Err(self.type_error(format!("'{}' object does not support item deletion", self.type_name(v)))),
                }
            }
        }
    }

    /// `len(v)`. TypeError where it has none.
    pub fn len(&self, v: &Value) -> PyResult<usize> {
        Ok(match v {
            Value::Str(text) => {
                if text.is_ascii() {
                    text.len()
                } else {
                    text.chars().count()
                }
            }
            Value::Bytes(bytes) => bytes.len(),
            Value::Tuple(items) => items.len(),
            Value::List(items) => items.borrow().len(),
            Value::Dict(dict) => dict.borrow().len(),
            Value::Set(set) => set.borrow().len(),
            Value::FrozenSet(set) => set.len(),
            Value::Range(range) => range.len(),
            Value::Unknown(_) => 0,
            Value::Object(object) if object.length(v, self).is_some() => match object.length(v, self) {
                Some(length) => length?,
                None => 0,
            },
            _ => {
                let own = self.overrides(v, "__len__");
                let payload = self.plain(v);
                if !own && !matches!(payload, Value::Instance(_)) && matches!(v, Value::Instance(_)) {
                    return self.len(&payload);
                }
                let Some(length) = self.call_special(v, "__len__", [])? else {
                    return Err(self.type_error(format!("object of type '{}' has no len()", self.type_name(v))));
                };
                if length.is_unknown() {
                    return Ok(0);
                }
                let length = self.to_i64(&length)?;
                usize::try_from(length).map_err(|_| self.value_error("__len__() should return >= 0"))?
            }
        })
    }

    /// `item in container`. TypeError where it is no container.
    pub fn contains(&self, container: &Value, item: &Value) -> PyResult<bool> {
        match container {
            Value::Unknown(_) => Ok(false),
            Value::Dict(dict) => Ok(self.dict_get(dict, item)?.is_some()),
            Value::Set(set) => self.set_contains(set, item),
            Value::FrozenSet(set) => set.contains(self, item),
            Value::Str(text) => match self.plain(item) {
                Value::Str(part) => Ok(text.contains(&*part)),
                Value::Unknown(_) => Ok(false),
                other => Err(self.type_error(format!(
                    "'in <string>' requires string as left operand, not {}",
                    self.type_name(&other)
                ))),
            },
            Value::Bytes(bytes) => match self.plain(item) {
                Value::Bytes(part) => Ok(part.is_empty() || bytes.windows(part.len()).any(|window| *window == *part)),
                Value::Int(Int::Small(byte)) if (0..256).contains(&byte) => {
                    Ok(bytes.iter().any(|b| i64::from(*b) == byte))
                }
                Value::Int(_) => Err(self.value_error("byte must be in range(0, 256)")),
                other => {
                    Err(self.type_error(format!("a bytes-like object is required, not '{}'", self.type_name(&other))))
                }
            },
            Value::Range(range) => match item {
                Value::Int(Int::Small(value)) => {
                    let offset = i128::from(*value) - i128::from(range.start);
                    let step = i128::from(range.step);
                    Ok(offset % step == 0 && offset / step >= 0 && ((offset / step) as u128) < range.len() as u128)
                }
                Value::Int(_) => Ok(false),
                _ => self.contains_by_iteration(container, item),
            },
            Value::Tuple(items) => {
                for candidate in items.iter() {
                    if self.equals(candidate, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Object(object) => match object.contains(container, item, self) {
                Some(result) => result,
                None => self.contains_by_method(container, item),
            },
            Value::Instance(_) => {
                if self.overrides(container, "__contains__") {
                    return self.contains_by_method(container, item);
                }
                match self.plain(container) {
                    Value::Instance(_) => self.contains_by_method(container, item),
                    payload => self.contains(&payload, item),
                }
            }
            Value::Class(_) => self.contains_by_method(container, item),
            _ => self.contains_by_iteration(container, item),
        }
    }

    fn contains_by_method(&self, container: &Value, item: &Value) -> PyResult<bool> {
        match self.call_special(container, "__contains__", [item.clone()])? {
            Some(result) => self.truth(&result),
            None => self.contains_by_iteration(container, item),
        }
    }

    fn contains_by_iteration(&self, container: &Value, item: &Value) -> PyResult<bool> {
        let iterator = self.iter(container).map_err(|stop| {
            if self.stop_is(&stop, &self.types().type_error) {
                return self.type_error(format!("argument of type '{}' is not iterable", self.type_name(container)));
            }
            stop
        })?;
        while let Some(candidate) = self.next(&iterator)? {
            self.charge(1)?;
            if self.equals(&candidate, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
