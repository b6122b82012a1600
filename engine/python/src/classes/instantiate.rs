//! `Class(...)`: `__new__`, then `__init__`, and the values inside instances of subclasses of builtins.

use crate::call::CallArgs;
use crate::class::{Builtin, Class, Instance};
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

impl Interp {
    /// `class(*args)`
    pub(crate) fn instantiate(&self, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
        if let Some(metaclass) = &class.metaclass
            && let Some(call) = metaclass.lookup("__call__")
        {
            return self.call(&call, args.with_receiver(Value::Class(Rc::clone(class))));
        }
        self.instantiate_plainly(class, args)
    }

    /// `type.__call__`
    pub(crate) fn instantiate_plainly(&self, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
        self.refuse_abstract(class)?;
        let user_new = match class.lookup("__new__") {
            Some(Value::StaticMethod(new)) => Some((*new).clone()),
            new => new,
        };
        let init = class.lookup("__init__");
        let value = match user_new {
            Some(new) => self.call(&new, args.clone().with_receiver(Value::Class(Rc::clone(class))))?,
            None => {
                let plain = class.builtin.is_none() && class.constructor().is_none() && class.unknown_base.is_none();
                if plain && init.is_none() && !(args.positional.is_empty() && args.keywords.is_empty()) {
                    return Err(self.type_error(format!("{}() takes no arguments", class.name)));
                }
                self.object_new(class, args.clone())?
            }
        };
        let Some(init) = init else { return Ok(value) };
        if !self.type_of(&value).is_subclass(class) {
            return Ok(value);
        }
        // Containers that were made from the arguments already have nothing more to initialise.
        if crate::attributes::is_of_layout(&init) {
            return Ok(value);
        }
        let result = match &init {
            Value::Function(_) | Value::Native(_) => self.call(&init, args.with_receiver(value.clone()))?,
            other => {
                let method = self.bind_descriptor(other, &value, class)?;
                self.call(&method, args)?
            }
        };
        if !result.is_none() && !result.is_unknown() {
            return Err(self.type_error(format!("__init__() should return None, not '{}'", self.type_name(&result))));
        }
        Ok(value)
    }

    /// `object.__new__(class, ...)`: an instance before `__init__`; for subclasses of builtins with the value inside.
    pub(crate) fn object_new(&self, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
        if class.builtin == Some(Builtin::Exception) {
            return crate::builtins::exceptions::construct(self, class, args);
        }
        if class.builtin == Some(Builtin::Type) && class.span.is_some() {
            return super::create::construct_type(self, class, args);
        }
        let layout = self.layout_class(class);
        if let Some(layout) = layout.filter(|layout| !Rc::ptr_eq(layout, class))
            && class.construct.is_none()
            && self.nearest_constructor_is(class, &layout)
        {
            // `__init__` gives containers their items; others are made by `__new__` from the arguments.
            let fills_later = matches!(class.builtin, Some(Builtin::List | Builtin::Dict | Builtin::Set))
                && class.lookup("__init__").is_some_and(|init| !crate::attributes::is_of_layout(&init));
            let given = if fills_later { CallArgs::default() } else { args };
            let payload = match layout.constructor() {
                Some(construct) => construct(self, &layout, given)?,
                None => Value::Unset,
            };
            return Ok(instance(class, payload));
        }
        // `float(array)` where analysis knows the array's type only.
        if matches!(class.builtin, Some(Builtin::Int | Builtin::Float | Builtin::Str))
            && let Some(undecided) = args.positional.iter().find(|value| value.is_undecided())
        {
            return Ok(undecided.to_unknown("depends on the data of an array"));
        }
        match class.constructor() {
            Some(construct) => construct(self, class, args),
            None => Ok(instance(class, Value::Unset)),
        }
    }

    /// The builtin class whose layout `class` has.
    fn layout_class(&self, class: &Rc<Class>) -> Option<Rc<Class>> {
        let types = self.types();
        Some(Rc::clone(match class.builtin? {
            Builtin::Int => &types.int,
            Builtin::Float => &types.float,
            Builtin::Str => &types.str,
            Builtin::Bytes => &types.bytes,
            Builtin::Tuple => &types.tuple,
            Builtin::List => &types.list,
            Builtin::Dict => &types.dict,
            Builtin::Set => &types.set,
            Builtin::FrozenSet => &types.frozenset,
            Builtin::Exception | Builtin::Type => return None,
        }))
    }

    /// Whether the first class with a constructor is the builtin one, and not a native class between.
    fn nearest_constructor_is(&self, class: &Rc<Class>, layout: &Rc<Class>) -> bool {
        let nearest = std::iter::once(class).chain(&class.ancestors).find(|class| class.construct.is_some());
        nearest.is_none_or(|nearest| Rc::ptr_eq(nearest, layout)) && !Rc::ptr_eq(class, &self.types().bool)
    }

    /// TypeError for classes with abstract methods left.
    fn refuse_abstract(&self, class: &Rc<Class>) -> PyResult<()> {
        let Some(Value::FrozenSet(names)) = class.namespace.borrow().get("__abstractmethods__").cloned() else {
            return Ok(());
        };
        if names.is_empty() {
            return Ok(());
        }
        let mut names: Vec<String> = names.iter().map(|name| self.str(name)).collect::<PyResult<_>>()?;
        names.sort();
        let plural = if names.len() == 1 { "" } else { "s" };
        Err(self.type_error(format!(
            "Can't instantiate abstract class {} with abstract method{plural} {}",
            class.name,
            names.join(", ")
        )))
    }

    /// Arguments from a tuple and a dict of `str` keys.
    pub fn call_args(&self, args: &Value, keywords: &Value) -> PyResult<CallArgs> {
        let mut call = CallArgs::positional(self.collect(args)?);
        if let Value::Dict(dict) = keywords {
            for (key, value) in dict.borrow().iter() {
                if let Value::Str(key) = key {
                    call.keywords.push((Name::from(&**key), value.clone()));
                }
            }
        }
        Ok(call)
    }
}

/// A bare instance.
pub fn instance(class: &Rc<Class>, payload: Value) -> Value {
    Value::Instance(Rc::new(Instance {
        class: RefCell::new(Rc::clone(class)),
        fields: RefCell::default(),
        payload: RefCell::new(payload),
    }))
}
