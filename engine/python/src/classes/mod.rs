//! Classes: the method resolution order, `isinstance`, and what the parts of this folder do: making classes
//! ([`create`]), calling them ([`instantiate`]), `super` ([`super_object`]), `list[int]` and `int | None` ([`generic`]).

pub mod create;
pub mod generic;
pub mod instantiate;
pub mod native;
pub mod super_object;

use crate::class::Class;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// The ancestors of a class with these bases, in C3 order; `None` where the orders of the bases contradict each other.
pub fn linearise(bases: &[Rc<Class>]) -> Option<Vec<Rc<Class>>> {
    let mut sequences: Vec<Vec<Rc<Class>>> = bases
        .iter()
        .map(|base| std::iter::once(Rc::clone(base)).chain(base.ancestors.iter().cloned()).collect())
        .collect();
    sequences.push(bases.to_vec());
    let mut order = Vec::new();
    loop {
        sequences.retain(|sequence| !sequence.is_empty());
        if sequences.is_empty() {
            return Some(order);
        }
        let next = sequences.iter().map(|sequence| &sequence[0]).find(|candidate| {
            sequences.iter().all(|sequence| !sequence[1..].iter().any(|class| Rc::ptr_eq(class, candidate)))
        });
        let next = Rc::clone(next?);
        for sequence in &mut sequences {
            if Rc::ptr_eq(&sequence[0], &next) {
                sequence.remove(0);
            }
        }
        order.push(next);
    }
}

impl Interp {
    /// `isinstance(v, class)`. TypeError where `class` is no class, tuple of classes or union.
    pub fn is_instance(&self, v: &Value, class: &Value) -> PyResult<bool> {
        match class {
            Value::Class(class) => {
                if let Some(check) = class.instance_check {
                    return Ok(check(v));
                }
                if let Some(metaclass) = &class.metaclass
                    && metaclass.lookup("__instancecheck__").is_some()
                {
                    let class = Value::Class(Rc::clone(class));
                    if let Some(result) = self.call_special(&class, "__instancecheck__", [v.clone()])? {
                        return self.truth(&result);
                    }
                }
                let own = self.type_of(v);
                if own.is_subclass(class) {
                    return Ok(true);
                }
                // Everything is an object, whatever a native table says of its bases.
                if Rc::ptr_eq(class, &self.types().object) {
                    return Ok(true);
                }
                Ok(Rc::ptr_eq(class, &self.types().type_) && matches!(v, Value::Class(_)))
            }
            Value::Tuple(classes) => {
                for class in classes.iter() {
                    if self.is_instance(v, class)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::None => Ok(v.is_none()),
            Value::Unknown(_) => Ok(false),
            _ => {
                if let Some(union) = class.downcast::<generic::Union>() {
                    for member in &union.members {
                        if self.is_instance(v, member)? {
                            return Ok(true);
                        }
                    }
                    return Ok(false);
                }
                if class.downcast::<generic::GenericAlias>().is_some() {
                    return Err(self.type_error("isinstance() argument 2 cannot be a parameterized generic"));
                }
                if let Some(result) = self.call_special(class, "__instancecheck__", [v.clone()])? {
                    return self.truth(&result);
                }
                Err(self.type_error("isinstance() arg 2 must be a type, a tuple of types, or a union"))
            }
        }
    }

    /// `issubclass(class, other)`. TypeError where they are no classes.
    pub fn is_subclass(&self, class: &Value, other: &Value) -> PyResult<bool> {
        let Value::Class(class) = class else {
            return match class {
                Value::Unknown(_) => Ok(false),
                _ => Err(self.type_error("issubclass() arg 1 must be a class")),
            };
        };
        match other {
            Value::Class(target) => {
                if class.is_subclass(target) || Rc::ptr_eq(target, &self.types().object) {
                    return Ok(true);
                }
                // Abstract base classes know registered classes, and those that have the methods.
                match self.call_special(other, "__subclasscheck__", [Value::Class(Rc::clone(class))])? {
                    Some(result) => self.truth(&result),
                    None => Ok(false),
                }
            }
            Value::Tuple(others) => {
                for other in others.iter() {
                    if self.is_subclass(&Value::Class(Rc::clone(class)), other)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Unknown(_) => Ok(false),
            _ => {
                if let Some(union) = other.downcast::<generic::Union>() {
                    for member in &union.members {
                        if self.is_subclass(&Value::Class(Rc::clone(class)), member)? {
                            return Ok(true);
                        }
                    }
                    return Ok(false);
                }
                Err(self.type_error("issubclass() arg 2 must be a class, a tuple of classes, or a union"))
            }
        }
    }

    /// `callable(v)`
    pub fn is_callable(&self, v: &Value) -> bool {
        match v {
            Value::Function(_)
            | Value::Native(_)
            | Value::BoundMethod(_)
            | Value::Class(_)
            | Value::Unknown(_)
            | Value::StaticMethod(_) => true,
            Value::Instance(instance) => instance.class.borrow().lookup("__call__").is_some(),
            Value::Object(object) => object.is_callable() || object.class(self).lookup("__call__").is_some(),
            _ => false,
        }
    }

    /// A builtin class that has only a name, such as those of iterators; made once.
    pub fn named_class(&self, name: &'static str) -> Rc<Class> {
        self.exception_class("builtins", name, &self.types().object)
    }
}
