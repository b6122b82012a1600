//! `super()`: attribute lookup that starts after a class in the order of another.

use crate::call::CallArgs;
use crate::class::Class;
use crate::interp::Interp;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// What `super()` returns.
pub struct SuperObject {
    /// Lookup starts after this class.
    pub start: Rc<Class>,
    /// The instance, or the class in class methods.
    pub receiver: Value,
}

impl SuperObject {
    /// The classes after `start` in the receiver's resolution order, and whether the receiver is a class itself.
    fn rest(&self, interp: &Interp) -> (Rc<Class>, Vec<Rc<Class>>) {
        let class = match &self.receiver {
            Value::Class(class) if class.is_subclass(&self.start) => Rc::clone(class),
            receiver => interp.type_of(receiver),
        };
        let order: Vec<Rc<Class>> = std::iter::once(Rc::clone(&class)).chain(class.ancestors.iter().cloned()).collect();
        let at = order.iter().position(|class| Rc::ptr_eq(class, &self.start)).map_or(order.len(), |at| at + 1);
        (class, order[at..].to_vec())
    }
}

impl Object for SuperObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        Rc::clone(&interp.types().super_)
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        if name == "__class__" {
            return Ok(None);
        }
        let (class, rest) = self.rest(interp);
        let on_class = matches!(&self.receiver, Value::Class(receiver) if Rc::ptr_eq(receiver, &class));
        let found = rest.iter().find_map(|class| class.namespace.borrow().get(name).cloned());
        if let Some(attribute) = found {
            return Ok(Some(match &attribute {
                // Through a class, functions stay unbound and `__new__` and class methods get the class.
                Value::Function(_) | Value::Native(_) if on_class => attribute,
                Value::Property(_) if on_class => attribute,
                _ => interp.bind_descriptor(&attribute, &self.receiver, &class)?,
            }));
        }
        // `__init__` of a base that is not known takes what it takes.
        let unknown = if name == "__init__" { class.unknown_base.clone() } else { class.inherited_unknown(name) };
        if unknown.is_some() {
            return Ok(unknown);
        }
        Ok(crate::attributes::special::object_method(name).map(|method| match name {
            "__new__" => method,
            "__init_subclass__" => crate::attributes::bound(&self.receiver, &method),
            _ => crate::attributes::bound(&self.receiver, &method),
        }))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<super: <class '{}'>, <{} object>>", self.start.name, interp.type_name(&self.receiver))))
    }
}

/// `super()` and `super(class, receiver)`.
pub(crate) fn construct(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let (start, receiver) = match args.positional.as_slice() {
        [] => interp.implicit_super()?,
        [Value::Class(start), receiver] => (Rc::clone(start), receiver.clone()),
        [Value::Unknown(unknown), ..] => return Ok(Value::Unknown(Rc::clone(unknown))),
        [other, ..] => {
            return Err(
                interp.type_error(format!("super() argument 1 must be a type, not {}", interp.type_name(other)))
            );
        }
    };
    let fits = match &receiver {
        Value::Class(class) if class.is_subclass(&start) => true,
        Value::Unknown(_) => return Ok(receiver),
        receiver => interp.type_of(receiver).is_subclass(&start),
    };
    if !fits {
        return Err(interp.type_error("super(type, obj): obj must be an instance or subtype of type"));
    }
    Ok(Value::object(SuperObject { start, receiver }))
}

impl Interp {
    /// The class and the receiver of the method that is running.
    fn implicit_super(&self) -> PyResult<(Rc<Class>, Value)> {
        let env = self.frames.borrow().last().map(|frame| Rc::clone(&frame.env));
        let function = env.as_ref().and_then(|env| env.function.clone());
        let (Some(env), Some(function)) = (env, function) else {
            return Err(self.runtime_error("super(): no arguments"));
        };
        let params = function.code.params();
        let first = params.positional_only.first().or(params.positional.first()).map(|param| param.name.clone());
        let receiver = match (&first, &params.vararg) {
            (Some(first), _) => env.scope.names.borrow().get(first).cloned(),
            (None, Some(vararg)) => match env.scope.names.borrow().get(&vararg.name) {
                Some(Value::Tuple(args)) => args.first().cloned(),
                _ => None,
            },
            (None, None) => None,
        };
        let Some(receiver) = receiver else {
            return Err(self.runtime_error("super(): no arguments"));
        };
        let owner = function.owner.borrow().as_ref().and_then(std::rc::Weak::upgrade);
        match owner {
            Some(owner) => Ok((owner, receiver)),
            None => Err(self.runtime_error("super(): __class__ cell not found")),
        }
    }
}
