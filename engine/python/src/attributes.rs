//! Attributes: the lookup order of Python's data model, descriptors, and the attributes that functions, classes and
//! modules have of themselves. The text of AttributeError is made in [`crate::suggestions`].

mod assign;
pub(crate) mod code;
pub(crate) mod special;

use crate::class::{Class, Instance};
use crate::function::BoundMethod;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::{Property, Value};
use std::rc::Rc;

impl Interp {
    /// `type(v)`
    pub fn type_of(&self, v: &Value) -> Rc<Class> {
        let types = self.types();
        Rc::clone(match v {
            Value::None | Value::Unset => &types.none_type,
            Value::NotImplemented => &types.not_implemented_type,
            Value::Ellipsis => &types.ellipsis_type,
            Value::Bool(_) => &types.bool,
            Value::Int(_) => &types.int,
            Value::Float(_) => &types.float,
            Value::Complex(..) => &types.complex,
            Value::Str(_) => &types.str,
            Value::Bytes(_) => &types.bytes,
            Value::Tuple(_) => &types.tuple,
            Value::List(_) => &types.list,
            Value::Dict(_) => &types.dict,
            Value::Set(_) => &types.set,
            Value::FrozenSet(_) => &types.frozenset,
            Value::Range(_) => &types.range,
            Value::Slice(_) => &types.slice,
            Value::Function(_) => &types.function,
            Value::Native(native) => {
                if native.owner.is_some() {
                    &types.native_method
                } else if native.module.is_empty() {
                    &types.native_function
                } else {
                    // Functions of jax and numpy are Python functions there.
                    &types.function
                }
            }
            Value::BoundMethod(method) => match method.function {
                Value::Native(_) => &types.native_function,
                _ => &types.method,
            },
            Value::Class(class) => {
                return class.metaclass.clone().unwrap_or_else(|| Rc::clone(&types.type_));
            }
            Value::Instance(instance) => return Rc::clone(&instance.class.borrow()),
            Value::Module(_) => &types.module,
            Value::Property(_) => &types.property,
            Value::StaticMethod(_) => &types.static_method,
            Value::ClassMethod(_) => &types.class_method,
            Value::Object(object) => return object.class(self),
            Value::Unknown(_) => &types.unknown,
        })
    }

    /// `type(v).__name__`
    pub fn type_name(&self, v: &Value) -> String {
        let class = self.type_of(v);
        // Types of compiled modules carry the module in the name that messages show (CPython's `tp_name`).
        if &*class.module == "jaxlib._jax" {
            format!("{}.{}", class.module, class.name)
        } else {
            class.name.to_string()
        }
    }

    /// `v.name`. AttributeError with a suggestion where there is none.
    pub fn get_attr(&self, v: &Value, name: &str) -> PyResult<Value> {
        match self.lookup_attr(v, name)? {
            Some(value) => Ok(value),
            None => self.absent(v, name),
        }
    }

    /// `v.name`, or `None` where there is none (`hasattr`, `getattr` with a default).
    pub fn find_attr(&self, v: &Value, name: &str) -> PyResult<Option<Value>> {
        match self.lookup_attr(v, name) {
            Err(stop) if self.stop_is(&stop, &self.types().attribute_error) => Ok(None),
            result => result,
        }
    }

    /// `v.name` with everything that a user's class may do about it; `None` where nothing answers.
    pub(crate) fn lookup_attr(&self, v: &Value, name: &str) -> PyResult<Option<Value>> {
        match v {
            Value::Instance(instance) => self.instance_attr(v, instance, name),
            Value::Module(module) => {
                let value = module.namespace.borrow().get(name).cloned();
                match value {
                    Some(value) => Ok(Some(value)),
                    None => self.module_attr(module, name),
                }
            }
            Value::Class(class) => self.class_attr(v, class, name),
            Value::Object(object) => {
                if let Some(value) = object.get_attr(v, name, self)? {
                    return Ok(Some(value));
                }
                self.builtin_attr(v, name)
            }
            Value::Unknown(_) => Ok(Some(v.clone())),
            _ => self.builtin_attr(v, name),
        }
    }

    fn instance_attr(&self, v: &Value, instance: &Rc<Instance>, name: &str) -> PyResult<Option<Value>> {
        let class = Rc::clone(&instance.class.borrow());
        if let Some(custom) = class.lookup("__getattribute__")
            && matches!(custom, Value::Function(_))
        {
            let result = self.call_values(&custom, [v.clone(), Value::str(name)]);
            return self.or_getattr(v, &class, name, result.map(Some));
        }
        let found = self.instance_attr_plainly(v, instance, &class, name);
        self.or_getattr(v, &class, name, found)
    }

    /// Asks `__getattr__` where the ordinary lookup found nothing.
    fn or_getattr(
        &self,
        v: &Value,
        class: &Rc<Class>,
        name: &str,
        found: PyResult<Option<Value>>,
    ) -> PyResult<Option<Value>> {
        match found {
            Ok(Some(value)) => return Ok(Some(value)),
            Err(stop) if !self.stop_is(&stop, &self.types().attribute_error) => return Err(stop),
            _ => {}
        }
        match class.lookup("__getattr__") {
            Some(fallback) => self.call_values(&fallback, [v.clone(), Value::str(name)]).map(Some),
            None => match class.inherited_unknown(name) {
                Some(unknown) => Ok(Some(unknown)),
                None => found,
            },
        }
    }

    /// `object.__getattribute__`
    pub(crate) fn instance_attr_plainly(
        &self,
        v: &Value,
        instance: &Rc<Instance>,
        class: &Rc<Class>,
        name: &str,
    ) -> PyResult<Option<Value>> {
        let in_class = class.lookup(name);
        if let Some(descriptor) = &in_class
            && self.is_data_descriptor(descriptor)
        {
            return self.bind_descriptor(descriptor, v, class).map(Some);
        }
        if let Some(value) = instance.fields.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        match in_class {
            Some(value) => self.bind_descriptor(&value, v, class).map(Some),
            None => self.special_attr(v, name),
        }
    }

    fn is_data_descriptor(&self, v: &Value) -> bool {
        match v {
            Value::Property(_) => true,
            Value::Instance(instance) => {
                let class = instance.class.borrow();
                class.lookup("__set__").is_some() || class.lookup("__delete__").is_some()
            }
            _ => false,
        }
    }

    /// What a class attribute gives when read through `receiver`: bound methods, property values, `__get__`.
    pub(crate) fn bind_descriptor(&self, attribute: &Value, receiver: &Value, class: &Rc<Class>) -> PyResult<Value> {
        match attribute {
            Value::Function(_) | Value::Native(_) => Ok(bound(receiver, attribute)),
            Value::Property(property) => self.read_property(property, receiver),
            Value::StaticMethod(inner) => Ok((**inner).clone()),
            Value::ClassMethod(inner) => self.bind_class_method(inner, class),
            Value::Instance(instance) => {
                let getter = instance.class.borrow().lookup("__get__");
                match getter {
                    Some(getter) => {
                        self.call_values(&getter, [attribute.clone(), receiver.clone(), Value::Class(Rc::clone(class))])
                    }
                    None => Ok(attribute.clone()),
                }
            }
            Value::Object(object) => match object.class(self).lookup("__get__") {
                Some(getter) => {
                    self.call_values(&getter, [attribute.clone(), receiver.clone(), Value::Class(Rc::clone(class))])
                }
                None => Ok(attribute.clone()),
            },
            _ => Ok(attribute.clone()),
        }
    }

    fn bind_class_method(&self, inner: &Value, class: &Rc<Class>) -> PyResult<Value> {
        match inner {
            Value::Property(property) => self.read_property(property, &Value::Class(Rc::clone(class))),
            inner => Ok(bound(&Value::Class(Rc::clone(class)), inner)),
        }
    }

    fn read_property(&self, property: &Property, receiver: &Value) -> PyResult<Value> {
        if property.getter.is_none() {
            return Err(self.attribute_error("unreadable attribute"));
        }
        self.call_values(&property.getter, [receiver.clone()])
    }

    /// An attribute of a class object: its own and inherited ones, then those of its metaclass.
    pub(crate) fn class_attr(&self, v: &Value, class: &Rc<Class>, name: &str) -> PyResult<Option<Value>> {
        let metaclass = class.metaclass.clone();
        let in_metaclass = metaclass.as_ref().and_then(|metaclass| metaclass.lookup(name));
        if let (Some(metaclass), Some(descriptor)) = (&metaclass, &in_metaclass)
            && self.is_data_descriptor(descriptor)
        {
            return self.bind_descriptor(descriptor, v, metaclass).map(Some);
        }
        // What `type` answers itself is never inherited from a base.
        if matches!(name, "__name__" | "__qualname__" | "__module__" | "__doc__" | "__dict__" | "__bases__" | "__mro__")
            && let Some(value) = self.special_attr(v, name)?
        {
            return Ok(Some(value));
        }
        if let Some(attribute) = class.lookup(name) {
            return Ok(Some(match &attribute {
                Value::StaticMethod(inner) => (**inner).clone(),
                Value::ClassMethod(inner) => self.bind_class_method(inner, class)?,
                Value::Instance(instance) => {
                    let getter = instance.class.borrow().lookup("__get__");
                    match getter {
                        Some(getter) => self.call_values(&getter, [attribute.clone(), Value::None, v.clone()])?,
                        None => attribute,
                    }
                }
                Value::Object(object) => match object.class(self).lookup("__get__") {
                    Some(getter) => self.call_values(&getter, [attribute.clone(), Value::None, v.clone()])?,
                    None => attribute,
                },
                _ => attribute,
            }));
        }
        if let (Some(metaclass), Some(attribute)) = (&metaclass, &in_metaclass) {
            return self.bind_descriptor(attribute, v, metaclass).map(Some);
        }
        if let Some(value) = self.special_attr(v, name)? {
            return Ok(Some(value));
        }
        if let Some(fallback) = metaclass.as_ref().and_then(|metaclass| metaclass.lookup("__getattr__")) {
            return self.call_values(&fallback, [v.clone(), Value::str(name)]).map(Some);
        }
        Ok(match self.types().type_.lookup(name) {
            Some(attribute) => Some(self.bind_descriptor(&attribute, v, &self.types().type_)?),
            None => class.inherited_unknown(name),
        })
    }

    /// Attributes of builtin values and of objects written in Rust.
    fn builtin_attr(&self, v: &Value, name: &str) -> PyResult<Option<Value>> {
        if let Value::Function(function) = v
            && let Some(value) = function.fields.borrow().get(name)
        {
            return Ok(Some(value.clone()));
        }
        if let Value::Native(native) = v
            && let Some(value) = native.field(name)
        {
            return Ok(Some(value));
        }
        let class = self.type_of(v);
        if let Some(attribute) = class.lookup(name)
            && !(matches!(v, Value::Function(_) | Value::Native(_) | Value::BoundMethod(_)) && is_of_object(self, name))
        {
            return self.bind_descriptor(&attribute, v, &class).map(Some);
        }
        self.special_attr(v, name)
    }

    /// The method `name` of `v`'s class with the receiver to put in front: as `get_attr`, without making a bound method.
    pub(crate) fn method_of(&self, v: &Value, name: &str) -> PyResult<Option<(Value, Option<Value>)>> {
        match v {
            Value::Instance(instance) => {
                let class = Rc::clone(&instance.class.borrow());
                if let Some(function @ (Value::Function(_) | Value::Native(_))) = class.lookup(name)
                    && !instance.fields.borrow().contains_key(name)
                    && class.lookup("__getattribute__").is_none_or(|f| !matches!(f, Value::Function(_)))
                {
                    return Ok(Some((function, Some(v.clone()))));
                }
            }
            Value::Str(_)
            | Value::List(_)
            | Value::Dict(_)
            | Value::Tuple(_)
            | Value::Set(_)
            | Value::Int(_)
            | Value::Float(_) => {
                if let Some(function @ Value::Native(_)) = self.type_of(v).lookup(name) {
                    return Ok(Some((function, Some(v.clone()))));
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// Whether `v`'s class has a method `name` other than the one of the builtin type whose value it holds inside.
    pub(crate) fn overrides(&self, v: &Value, name: &str) -> bool {
        self.type_of(v).lookup(name).is_some_and(|method| !is_of_layout(&method))
    }

    /// Calls the special method `name` of `v`'s type, which instance attributes do not override. `None` where there is
    /// none.
    pub fn call_special(
        &self,
        v: &Value,
        name: &str,
        args: impl IntoIterator<Item = Value>,
    ) -> PyResult<Option<Value>> {
        let class = match v {
            Value::Instance(instance) => Rc::clone(&instance.class.borrow()),
            Value::Class(class) => match &class.metaclass {
                Some(metaclass) => Rc::clone(metaclass),
                None => return Ok(None),
            },
            _ => self.type_of(v),
        };
        let Some(attribute) = class.lookup(name) else {
            return Ok(None);
        };
        match &attribute {
            Value::Function(_) | Value::Native(_) => {
                self.call_values(&attribute, std::iter::once(v.clone()).chain(args)).map(Some)
            }
            // `__hash__ = None` and its like: the class has opted out.
            Value::None => Ok(None),
            Value::Unknown(_) => Ok(Some(attribute.clone())),
            _ => {
                let method = self.bind_descriptor(&attribute, v, &class)?;
                self.call_values(&method, args).map(Some)
            }
        }
    }

    /// `dir(v)`: sorted.
    pub fn attribute_names(&self, v: &Value) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut add_class = |class: &Rc<Class>| {
            for class in std::iter::once(class).chain(&class.ancestors) {
                names.extend(class.namespace.borrow().keys().map(|name| name.to_string()));
            }
        };
        match v {
            Value::Class(class) => add_class(class),
            Value::Module(_) => {}
            _ => add_class(&self.type_of(v)),
        }
        match v {
            Value::Instance(instance) => names.extend(instance.fields.borrow().keys().map(|name| name.to_string())),
            Value::Module(module) => {
                names.extend(module.namespace.borrow().keys().map(|name| name.to_string()));
                names.extend(self.deferred_names(module).into_iter().map(str::to_owned));
            }
            Value::Function(function) => names.extend(function.fields.borrow().keys().map(|name| name.to_string())),
            Value::Object(object) => names.extend(object.attribute_names().into_iter().map(str::to_owned)),
            _ => {}
        }
        names.sort();
        names.dedup();
        names
    }
}

/// Whether this is a method of a builtin type that users' classes can extend: it works on the value inside.
pub(crate) fn is_of_layout(method: &Value) -> bool {
    const LAYOUTS: &[&str] = &["int", "float", "str", "bytes", "tuple", "list", "dict", "set", "frozenset"];
    matches!(method, Value::Native(native)
        if native.module == "builtins" && native.owner.is_some_and(|owner| LAYOUTS.contains(&owner)))
}

/// Functions have `__eq__`, `__init__` and the like from `object`, but `special_attr` answers first for what differs.
fn is_of_object(interp: &Interp, name: &str) -> bool {
    matches!(name, "__doc__" | "__module__" | "__dict__" | "__name__") && interp.types().object.lookup(name).is_some()
}

/// A function with its receiver.
pub(crate) fn bound(receiver: &Value, function: &Value) -> Value {
    Value::BoundMethod(Rc::new(BoundMethod { receiver: receiver.clone(), function: function.clone() }))
}
