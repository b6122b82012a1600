//! Setting and deleting attributes: properties, descriptors, `__setattr__`, `__slots__`.

use crate::class::Class;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::rc::Rc;

impl Interp {
    /// `v.name = value`
    pub fn set_attr(&self, v: &Value, name: &str, value: Value) -> PyResult<()> {
        if let Value::Instance(instance) = v {
            let class = Rc::clone(&instance.class.borrow());
            if let Some(custom) = class.lookup("__setattr__") {
                return self.call_values(&custom, [v.clone(), Value::str(name), value]).map(|_| ());
            }
        }
        self.set_attr_plainly(v, name, value)
    }

    /// `object.__setattr__`
    pub fn set_attr_plainly(&self, v: &Value, name: &str, value: Value) -> PyResult<()> {
        let old = match v {
            Value::Instance(instance) => {
                let class = Rc::clone(&instance.class.borrow());
                match class.lookup(name) {
                    Some(Value::Property(property)) => {
                        if property.setter.is_none() {
                            return Err(self.attribute_error(format!(
                                "property '{name}' of '{}' object has no setter",
                                class.name
                            )));
                        }
                        return self.call_values(&property.setter, [v.clone(), value]).map(|_| ());
                    }
                    Some(descriptor @ (Value::Instance(_) | Value::Object(_)))
                        if self.type_of(&descriptor).lookup("__set__").is_some() =>
                    {
                        self.call_special(&descriptor, "__set__", [v.clone(), value])?;
                        return Ok(());
                    }
                    _ => {}
                }
                if name == "__class__" {
                    let Value::Class(class) = value else {
                        return Err(self.type_error(format!(
                            "__class__ must be set to a class, not '{}' object",
                            self.type_name(&value)
                        )));
                    };
                    *instance.class.borrow_mut() = class;
                    return Ok(());
                }
                if name == "args" && class.is_subclass(&self.types().base_exception) {
                    let args = Value::tuple(self.collect(&value)?);
                    instance.payload.replace(args)
                } else if name == "__dict__"
                    && let Value::Dict(dict) = &value
                {
                    let fields = dict
                        .borrow()
                        .iter()
                        .filter_map(|(key, value)| match key {
                            Value::Str(key) => Some((Name::from(&**key), value.clone())),
                            _ => None,
                        })
                        .collect();
                    let old = instance.fields.replace(fields);
                    drop(old);
                    return Ok(());
                } else {
                    self.check_slots(&class, name)?;
                    instance.fields.borrow_mut().insert(Name::from(name), value).unwrap_or(Value::Unset)
                }
            }
            Value::Class(class) => {
                if let Some(metaclass) = &class.metaclass
                    && let Some(custom @ (Value::Function(_) | Value::Native(_))) = metaclass.lookup("__setattr__")
                {
                    return self.call_values(&custom, [v.clone(), Value::str(name), value]).map(|_| ());
                }
                if class.span.is_none() && &*class.module == "builtins" {
                    return Err(
                        self.type_error(format!("cannot set '{name}' attribute of immutable type '{}'", class.name))
                    );
                }
                class.namespace.borrow_mut().insert(Name::from(name), value).unwrap_or(Value::Unset)
            }
            Value::Module(module) => {
                module.namespace.borrow_mut().insert(Name::from(name), value).unwrap_or(Value::Unset)
            }
            Value::Function(function) => {
                function.fields.borrow_mut().insert(Name::from(name), value).unwrap_or(Value::Unset)
            }
            Value::Native(native) => match native.set_field(name, value) {
                Ok(old) => old.unwrap_or(Value::Unset),
                Err(_) => return Err(self.cannot_set(v, name)?),
            },
            Value::Object(object) => {
                if object.set_attr(name, value.clone(), self)? {
                    return Ok(());
                }
                if let Some(Value::Property(property)) = object.class(self).lookup(name)
                    && !property.setter.is_none()
                {
                    return self.call_values(&property.setter, [v.clone(), value]).map(|_| ());
                }
                return Err(self.cannot_set(v, name)?);
            }
            Value::Unknown(_) => Value::Unset,
            _ => return Err(self.cannot_set(v, name)?),
        };
        drop(old);
        Ok(())
    }

    fn cannot_set(&self, v: &Value, name: &str) -> PyResult<Box<Stop>> {
        Ok(match self.find_attr(v, name)? {
            Some(_) => self.attribute_error(format!("'{}' object attribute '{name}' is read-only", self.type_name(v))),
            None => self.attribute_error(format!("'{}' object has no attribute '{name}'", self.type_name(v))),
        })
    }

    /// AttributeError where every class of the instance declares `__slots__` and none has this name.
    fn check_slots(&self, class: &Rc<Class>, name: &str) -> PyResult<()> {
        if class.lookup("__slots__").is_none() {
            return Ok(());
        }
        for class in std::iter::once(class).chain(&class.ancestors) {
            if class.span.is_none() {
                continue;
            }
            let slots = class.namespace.borrow().get("__slots__").cloned();
            match slots {
                None => return Ok(()),
                Some(Value::Str(slot)) if &*slot == name || &*slot == "__dict__" => return Ok(()),
                Some(Value::Str(_)) => {}
                Some(slots) => {
                    for slot in self.collect(&slots)? {
                        if matches!(&slot, Value::Str(slot) if &**slot == name || &**slot == "__dict__") {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Err(self.attribute_error(format!("'{}' object has no attribute '{name}'", class.name)))
    }

    /// `del v.name`
    pub fn delete_attr(&self, v: &Value, name: &str) -> PyResult<()> {
        let removed = match v {
            Value::Unknown(_) => return Ok(()),
            Value::Instance(instance) => {
                let class = Rc::clone(&instance.class.borrow());
                if let Some(custom) = class.lookup("__delattr__") {
                    return self.call_values(&custom, [v.clone(), Value::str(name)]).map(|_| ());
                }
                match class.lookup(name) {
                    Some(Value::Property(property)) => {
                        if property.deleter.is_none() {
                            return Err(self.attribute_error(format!(
                                "property '{name}' of '{}' object has no deleter",
                                class.name
                            )));
                        }
                        return self.call_values(&property.deleter, [v.clone()]).map(|_| ());
                    }
                    Some(descriptor @ Value::Instance(_))
                        if self.type_of(&descriptor).lookup("__delete__").is_some() =>
                    {
                        self.call_special(&descriptor, "__delete__", [v.clone()])?;
                        return Ok(());
                    }
                    _ => {}
                }
                instance.fields.borrow_mut().shift_remove(name)
            }
            Value::Class(class) => class.namespace.borrow_mut().shift_remove(name),
            Value::Module(module) => module.namespace.borrow_mut().shift_remove(name),
            Value::Function(function) => function.fields.borrow_mut().shift_remove(name),
            _ => None,
        };
        match removed {
            Some(_) => Ok(()),
            None => Err(self.no_attribute(v, name)),
        }
    }
}
