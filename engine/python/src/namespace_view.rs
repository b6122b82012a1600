//! `__dict__` of instances, classes, functions and modules: a live mapping onto the namespace.

use crate::class::{Class, Instance, Namespace, NativeClass};
use crate::dict::Dict;
use crate::function::Function;
use crate::interp::Interp;
use crate::module::Module;
use crate::native::{Arguments, NativeDef};
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp, Name};
use std::cell::RefCell;
use std::rc::Rc;

/// Whose namespace it is.
enum Owner {
    Instance(Rc<Instance>),
    Class(Rc<Class>),
    Function(Rc<Function>),
    Module(Rc<Module>),
}

/// A live view of a namespace.
pub struct NamespaceView {
    owner: Owner,
}

pub(crate) fn of_instance(instance: &Rc<Instance>) -> Value {
    Value::object(NamespaceView { owner: Owner::Instance(Rc::clone(instance)) })
}

pub(crate) fn of_class(class: &Rc<Class>) -> Value {
    Value::object(NamespaceView { owner: Owner::Class(Rc::clone(class)) })
}

pub(crate) fn of_function(function: &Rc<Function>) -> Value {
    Value::object(NamespaceView { owner: Owner::Function(Rc::clone(function)) })
}

pub(crate) fn of_module(module: &Rc<Module>) -> Value {
    Value::object(NamespaceView { owner: Owner::Module(Rc::clone(module)) })
}

static TABLE: NativeClass = NativeClass {
    name: "dict",
    module: "builtins",
    doc: "A namespace as a mapping.",
    methods: &[
        NativeDef { name: "keys", signature: "(self, /)", doc: "Its names.", run: keys },
        NativeDef { name: "values", signature: "(self, /)", doc: "Its values.", run: values },
        NativeDef { name: "items", signature: "(self, /)", doc: "Its names and values.", run: items },
        NativeDef { name: "get", signature: "(self, key, default=None, /)", doc: "A value.", run: get },
        NativeDef { name: "copy", signature: "(self, /)", doc: "A dict of its names.", run: copy },
        NativeDef { name: "update", signature: "(self, other=(), /, **kwargs)", doc: "Sets names.", run: update },
        NativeDef { name: "pop", signature: "(self, key, default=..., /)", doc: "Takes a name out.", run: pop },
        NativeDef {
            name: "setdefault",
            signature: "(self, key, default=None, /)",
            doc: "Sets a name that is not there.",
            run: set_default,
        },
        NativeDef { name: "clear", signature: "(self, /)", doc: "Removes all names.", run: clear },
        NativeDef { name: "__delitem__", signature: "(self, key, /)", doc: "Removes a name.", run: delete },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl NamespaceView {
    fn with<R>(&self, run: impl FnOnce(&RefCell<Namespace>) -> R) -> R {
        match &self.owner {
            Owner::Instance(instance) => run(&instance.fields),
            Owner::Class(class) => run(&class.namespace),
            Owner::Function(function) => run(&function.fields),
            Owner::Module(module) => run(&module.namespace),
        }
    }

    /// A dict with the same entries.
    pub fn to_dict(&self) -> Dict {
        self.with(|namespace| {
            let mut dict = Dict::new();
            for (name, value) in namespace.borrow().iter() {
                dict.insert_str(name, value.clone());
            }
            dict
        })
    }

    fn find(&self, key: &Value) -> Option<Value> {
        match key {
            Value::Str(key) => self.with(|namespace| namespace.borrow().get(&**key).cloned()),
            _ => None,
        }
    }

    fn put(&self, interp: &Interp, key: &Value, value: Value) -> PyResult<()> {
        let name = Name::from(&*interp.to_str(key)?);
        let old = self.with(|namespace| namespace.borrow_mut().insert(name, value));
        drop(old);
        Ok(())
    }

    fn take(&self, key: &Value) -> Option<Value> {
        match key {
            Value::Str(key) => self.with(|namespace| namespace.borrow_mut().shift_remove(&**key)),
            _ => None,
        }
    }

    fn dict_value(&self) -> Value {
        Value::Dict(Rc::new(RefCell::new(self.to_dict())))
    }
}

impl Object for NamespaceView {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class_with(&TABLE, &[Rc::clone(&interp.types().dict)])
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.find(key).ok_or_else(|| interp.key_error(key)))
    }

    fn set_item(&self, _this: &Value, key: &Value, value: Value, interp: &Interp) -> Option<PyResult<()>> {
        Some(self.put(interp, key, value))
    }

    fn binary(
        &self,
        _this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        let (this, other) = (self.dict_value(), plain_mapping(other));
        if reflected { interp.try_binary(op, &other, &this) } else { interp.try_binary(op, &this, &other) }
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let other = plain_mapping(other);
        match other {
            Value::Dict(_) => interp.compare(op, &self.dict_value(), &other).map(Some),
            _ => Ok(None),
        }
    }

    fn length(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<usize>> {
        Some(Ok(self.with(|namespace| namespace.borrow().len())))
    }

    fn iterate(&self, _this: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(interp.iter(&self.dict_value()))
    }

    fn contains(&self, _this: &Value, item: &Value, _interp: &Interp) -> Option<PyResult<bool>> {
        Some(Ok(self.find(item).is_some()))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let text = interp.repr(&self.dict_value())?;
        Ok(Some(match self.owner {
            Owner::Class(_) => format!("mappingproxy({text})"),
            _ => text,
        }))
    }

    fn hash(&self, _this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        Some(Err(interp.type_error("unhashable type: 'dict'")))
    }
}

/// A namespace view as the dict it shows; other values as they are.
pub fn plain_mapping(v: &Value) -> Value {
    v.downcast::<NamespaceView>().map_or_else(|| v.clone(), NamespaceView::dict_value)
}

fn view<'a>(interp: &Interp, this: &'a Value) -> PyResult<&'a NamespaceView> {
    this.downcast::<NamespaceView>()
        .ok_or_else(|| interp.type_error(format!("expected a namespace, not '{}'", interp.type_name(this))))
}

fn keys(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let dict = view(interp, args.get(0))?.dict_value();
    interp.call_method(&dict, "keys", [])
}

fn values(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let dict = view(interp, args.get(0))?.dict_value();
    interp.call_method(&dict, "values", [])
}

fn items(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let dict = view(interp, args.get(0))?.dict_value();
    interp.call_method(&dict, "items", [])
}

fn get(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key, default] = args.take();
    Ok(view(interp, &this)?.find(&key).unwrap_or(default))
}

fn copy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    Ok(view(interp, args.get(0))?.dict_value())
}

fn update(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, other, keywords] = args.take();
    let this = view(interp, &this)?;
    for mapping in [plain_mapping(&other), keywords] {
        let pairs = match interp.plain(&mapping) {
            Value::Dict(dict) => dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            other => interp.pairs_of(&other)?,
        };
        for (key, value) in pairs {
            this.put(interp, &key, value)?;
        }
    }
    Ok(Value::None)
}

fn pop(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key, default] = args.take();
    match (view(interp, &this)?.take(&key), default) {
        (Some(value), _) => Ok(value),
        (None, Value::Unset) => Err(interp.key_error(&key)),
        (None, default) => Ok(default),
    }
}

fn set_default(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key, default] = args.take();
    let this = view(interp, &this)?;
    if let Some(value) = this.find(&key) {
        return Ok(value);
    }
    this.put(interp, &key, default.clone())?;
    Ok(default)
}

fn clear(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let old = view(interp, args.get(0))?.with(|namespace| std::mem::take(&mut *namespace.borrow_mut()));
    drop(old);
    Ok(Value::None)
}

fn delete(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, key] = args.take();
    match view(interp, &this)?.take(&key) {
        Some(_) => Ok(Value::None),
        None => Err(interp.key_error(&key)),
    }
}
