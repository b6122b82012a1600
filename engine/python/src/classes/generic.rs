//! `list[int]` and `int | None`: types as values, for annotations and `isinstance`. Checks nothing about them.

use crate::call::CallArgs;
use crate::class::Class;
use crate::interp::Interp;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use std::rc::Rc;

/// `list[int]`
pub struct GenericAlias {
    /// `list`
    pub origin: Value,
    /// `(int,)`
    pub arguments: Rc<[Value]>,
}

/// `int | None`
pub struct Union {
    /// In order, flattened, each once.
    pub members: Vec<Value>,
}

impl Interp {
    /// `Class[key]`: the metaclass, then `__class_getitem__`, then a generic alias for the classes that have one.
    pub(crate) fn class_item(&self, v: &Value, class: &Rc<Class>, key: &Value) -> PyResult<Value> {
        if let Some(value) = self.call_special(v, "__getitem__", [key.clone()])? {
            return Ok(value);
        }
        if let Some(getter) = self.class_attr(v, class, "__class_getitem__")? {
            let getter = match getter {
                // A plain function there is a class method, as `__init_subclass__` is.
                Value::Function(_) => crate::attributes::bound(v, &getter),
                getter => getter,
            };
            return self.call_values(&getter, [key.clone()]);
        }
        let types = self.types();
        let generic = [&types.list, &types.tuple, &types.dict, &types.set, &types.frozenset, &types.type_];
        let has_parameters = class.lookup(crate::exec::define::TYPE_PARAMS).is_some();
        if has_parameters
            || generic.iter().any(|base| Rc::ptr_eq(base, class))
            || class.span.is_none() && &*class.module != "builtins"
        {
            return Ok(self.generic_alias(v, key));
        }
        Err(self.type_error(format!("type '{}' is not subscriptable", class.qualified_name)))
    }

    /// `origin[key]` as a type.
    pub fn generic_alias(&self, origin: &Value, key: &Value) -> Value {
        let arguments: Rc<[Value]> = match key {
            Value::Tuple(items) => Rc::clone(items),
            key => Rc::from([key.clone()]),
        };
        Value::object(GenericAlias { origin: origin.clone(), arguments })
    }

    /// `a | b` for types.
    pub fn union_of(&self, a: &Value, b: &Value) -> Value {
        let mut members: Vec<Value> = Vec::new();
        for side in [a, b] {
            let new = match side.downcast::<Union>() {
                Some(union) => union.members.clone(),
                None => vec![side.clone()],
            };
            for member in new {
                if !members.iter().any(|known| self.identical(known, &member)) {
                    members.push(member);
                }
            }
        }
        match members.as_slice() {
            [only] => only.clone(),
            _ => Value::object(Union { members }),
        }
    }

    /// A type as annotations print it: `int`, `mod.Class`, `None`.
    pub fn type_text(&self, v: &Value) -> PyResult<String> {
        match v {
            Value::Class(class) if &*class.module == "builtins" => Ok(class.qualified_name.to_string()),
            Value::Class(class) => Ok(format!("{}.{}", class.module, class.qualified_name)),
            Value::None => Ok("None".to_owned()),
            Value::Ellipsis => Ok("...".to_owned()),
            // The parameters of `Callable[[int], str]`.
            Value::List(items) => {
                let items = items.borrow().clone();
                let texts = items.iter().map(|item| self.type_text(item)).collect::<PyResult<Vec<_>>>()?;
                Ok(format!("[{}]", texts.join(", ")))
            }
            other => self.repr(other),
        }
    }
}

impl Object for GenericAlias {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        Rc::clone(&interp.types().generic_alias)
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        match name {
            "__origin__" => Ok(Some(self.origin.clone())),
            "__args__" => Ok(Some(Value::Tuple(Rc::clone(&self.arguments)))),
            "__class__" | "__class_getitem__" => Ok(None),
            _ => interp.find_attr(&self.origin, name),
        }
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(interp.call(&self.origin, args))
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(interp.generic_alias(&self.origin, key)))
    }

    fn binary(
        &self,
        this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        Ok(type_union(this, op, other, reflected, interp))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<GenericAlias>() else {
            return Ok(None);
        };
        let same = interp.equals(&self.origin, &other.origin)?
            && interp.equals(&Value::Tuple(Rc::clone(&self.arguments)), &Value::Tuple(Rc::clone(&other.arguments)))?;
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(same)),
            CompareOp::NotEq => Some(Value::Bool(!same)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        let arguments = interp.hash(&Value::Tuple(Rc::clone(&self.arguments)));
        Some(arguments.and_then(|arguments| Ok(arguments ^ interp.hash(&self.origin)?)))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let arguments: Vec<String> =
            self.arguments.iter().map(|argument| interp.type_text(argument)).collect::<PyResult<_>>()?;
        let arguments = if arguments.is_empty() { "()".to_owned() } else { arguments.join(", ") };
        Ok(Some(format!("{}[{arguments}]", interp.type_text(&self.origin)?)))
    }
}

impl Object for Union {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        Rc::clone(&interp.types().union_type)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "__args__" => Some(Value::tuple(self.members.clone())),
            _ => None,
        })
    }

    fn binary(
        &self,
        this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        Ok(type_union(this, op, other, reflected, interp))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Union>() else {
            return Ok(None);
        };
        let within = |inner: &[Value], outer: &[Value]| -> PyResult<bool> {
            for member in inner {
                let mut found = false;
                for candidate in outer {
                    found = found || interp.equals(member, candidate)?;
                }
                if !found {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let same = within(&self.members, &other.members)? && within(&other.members, &self.members)?;
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(same)),
            CompareOp::NotEq => Some(Value::Bool(!same)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let members: Vec<String> =
            self.members.iter().map(|member| interp.type_text(member)).collect::<PyResult<_>>()?;
        Ok(Some(members.join(" | ")))
    }
}

fn type_union(this: &Value, op: BinaryOp, other: &Value, reflected: bool, interp: &Interp) -> Option<Value> {
    let is_type = matches!(other, Value::Class(_) | Value::None)
        || other.downcast::<Union>().is_some()
        || other.downcast::<GenericAlias>().is_some();
    if op != BinaryOp::BitOr || !is_type {
        return None;
    }
    Some(if reflected { interp.union_of(other, this) } else { interp.union_of(this, other) })
}
