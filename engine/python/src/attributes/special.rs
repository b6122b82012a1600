//! The attributes that values have of themselves: `__class__`, `__name__`, `__doc__`, `__mro__`, `__wrapped__`...
//! and the methods that every object has from `object`.

use crate::class::{Builtin, Class, NativeClass};
use crate::function::{Code, Function};
use crate::interp::Interp;
use crate::module::Module;
use crate::native::{Arguments, NativeDef, NativeFunction};
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{CompareOp, Param};
use std::rc::Rc;

impl Interp {
    /// What `v` answers itself where neither its fields nor its class have the name.
    pub(super) fn special_attr(&self, v: &Value, name: &str) -> PyResult<Option<Value>> {
        if name == "__class__" {
            return Ok(Some(Value::Class(self.type_of(v))));
        }
        let own = match v {
            Value::Function(function) => self.function_attr(function, name)?,
            Value::Native(native) => native_attr(native, name),
            Value::BoundMethod(method) => match name {
                "__self__" => Some(method.receiver.clone()),
                "__func__" => Some(method.function.clone()),
                _ => self.lookup_attr(&method.function, name)?,
            },
            Value::Class(class) => self.type_attr(class, name),
            Value::Instance(instance) => match name {
                "__dict__" => Some(crate::namespace_view::of_instance(instance)),
                "__doc__" => self.type_attr(&Rc::clone(&instance.class.borrow()), name),
                "__module__" => Some(Value::name(&instance.class.borrow().module)),
                _ => self.exception_attr(v, name),
            },
            Value::StaticMethod(inner) | Value::ClassMethod(inner) => match name {
                "__func__" | "__wrapped__" => Some((**inner).clone()),
                "__doc__" | "__name__" | "__qualname__" | "__module__" | "__isabstractmethod__" => {
                    self.lookup_attr(inner, name)?
                }
                _ => None,
            },
            Value::Property(property) => match name {
                "fget" => Some(property.getter.clone()),
                "fset" => Some(property.setter.clone()),
                "fdel" => Some(property.deleter.clone()),
                "__doc__" => Some(property.doc.clone()),
                "__isabstractmethod__" => self.lookup_attr(&property.getter, name)?,
                _ => None,
            },
            Value::Slice(slice) => match name {
                "start" => Some(slice.lower.clone()),
                "stop" => Some(slice.upper.clone()),
                "step" => Some(slice.step.clone()),
                _ => None,
            },
            _ => match name {
                "__doc__" => self.type_attr(&self.type_of(v), name),
                "__module__" if matches!(v, Value::Object(_)) => Some(Value::name(&self.type_of(v).module)),
                _ => None,
            },
        };
        if own.is_some() {
            return Ok(own);
        }
        if let (Value::Object(object), Some(method)) = (v, protocol_method(name)) {
            let has = match name {
                "__next__" => self.is_iterator(v),
                "__iter__" => object.iterate(v, self).is_some(),
                _ => object.length(v, self).is_some(),
            };
            if has {
                return Ok(Some(super::bound(v, &method)));
            }
        }
        if name == "__call__" && self.is_callable(v) {
            return Ok(Some(v.clone()));
        }
        Ok(object_method(name).map(|method| match (v, name) {
            (Value::Class(_), _) => method,
            // `__new__` and `__init_subclass__` take the class, which the caller writes out.
            (_, "__new__") => method,
            _ => super::bound(v, &method),
        }))
    }

    fn function_attr(&self, function: &Rc<Function>, name: &str) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "__name__" => Value::name(&function.code.name()),
            "__qualname__" => Value::name(&function.qualified_name),
            "__module__" => Value::name(&function.module.name),
            "__doc__" => match &function.code {
                Code::Def(def) => def.docstring.as_deref().map_or(Value::None, Value::str),
                Code::Lambda(_) => Value::None,
            },
            "__globals__" => crate::namespace_view::of_module(&function.module),
            "__dict__" => crate::namespace_view::of_function(function),
            "__annotations__" => {
                let annotations = self.dict_of(std::iter::empty::<(&str, Value)>());
                function.fields.borrow_mut().insert("__annotations__".into(), annotations.clone());
                annotations
            }
            "__defaults__" => {
                let params = function.code.params();
                let defaults: Vec<Value> = params
                    .positional_only
                    .iter()
                    .chain(&params.positional)
                    .filter_map(|param| function.default_of(param))
                    .collect();
                if defaults.is_empty() { Value::None } else { Value::tuple(defaults) }
            }
            "__kwdefaults__" => {
                let params = function.code.params();
                let defaults: Vec<(String, Value)> = params
                    .keyword_only
                    .iter()
                    .filter_map(|param| Some((param.name.to_string(), function.default_of(param)?)))
                    .collect();
                if defaults.is_empty() { Value::None } else { self.dict_of(defaults) }
            }
            "__closure__" => Value::None,
            "__code__" => Value::object(crate::attributes::code::CodeObject { function: Rc::clone(function) }),
            _ => return Ok(None),
        }))
    }

    fn type_attr(&self, class: &Rc<Class>, name: &str) -> Option<Value> {
        Some(match name {
            "__name__" => Value::name(&class.name),
            "__qualname__" => {
                let changed = class.namespace.borrow().get("__qualname__").cloned();
                changed.unwrap_or_else(|| Value::name(&class.qualified_name))
            }
            "__module__" => {
                let changed = class.namespace.borrow().get("__module__").cloned();
                changed.unwrap_or_else(|| Value::name(&class.module))
            }
            "__doc__" => match class.namespace.borrow().get("__doc__") {
                Some(doc) => doc.clone(),
                None if class.doc.is_empty() => Value::None,
                None => Value::str(class.doc),
            },
            "__bases__" => Value::tuple(class.bases.iter().map(|base| Value::Class(Rc::clone(base)))),
            "__base__" => class.bases.first().map_or(Value::None, |base| Value::Class(Rc::clone(base))),
            "__mro__" => {
                Value::tuple(std::iter::once(class).chain(&class.ancestors).map(|class| Value::Class(Rc::clone(class))))
            }
            "__dict__" => crate::namespace_view::of_class(class),
            "__annotations__" => {
                let own = class.namespace.borrow().get("__annotations__").cloned();
                own.unwrap_or_else(|| self.dict_of(std::iter::empty::<(&str, Value)>()))
            }
            _ => return None,
        })
    }

    fn exception_attr(&self, v: &Value, name: &str) -> Option<Value> {
        if !self.exception_is(v, &self.types().base_exception) {
            return None;
        }
        Some(match name {
            "args" => Value::tuple(self.exception_args(v)),
            "__cause__" | "__context__" | "__traceback__" => Value::None,
            "__suppress_context__" => Value::Bool(false),
            "value" if self.exception_is(v, &self.types().stop_iteration) => {
                self.exception_args(v).into_iter().next().unwrap_or(Value::None)
            }
            "code" if self.exception_is(v, &self.types().system_exit) => match self.exception_args(v).as_slice() {
                [] => Value::None,
                [code] => code.clone(),
                args => Value::tuple(args.to_vec()),
            },
            "name" | "path"
                if self.exception_is(v, &self.types().import_error)
                    || self.exception_is(v, &self.types().name_error)
                    || self.exception_is(v, &self.types().attribute_error) =>
            {
                Value::None
            }
            "errno" | "strerror" | "filename" if self.exception_is(v, &self.types().os_error) => {
                let args = self.exception_args(v);
                let at = ["errno", "strerror", "filename"].iter().position(|field| *field == name)?;
                if args.len() < 2 { Value::None } else { args.get(at).cloned().unwrap_or(Value::None) }
            }
            _ => return None,
        })
    }

    /// Attributes that a module answers beyond its globals: `__dict__`, and PEP 562's `__getattr__`.
    pub(super) fn module_attr(&self, module: &Rc<Module>, name: &str) -> PyResult<Option<Value>> {
        match name {
            "__dict__" => {
                self.take_in_deferred_names(module)?;
                return Ok(Some(crate::namespace_view::of_module(module)));
            }
            "__class__" => return Ok(Some(Value::Class(Rc::clone(&self.types().module)))),
            "__name__" => return Ok(Some(Value::name(&module.name))),
            "__doc__" => return Ok(Some(Value::None)),
            "__file__" => {
                if let Some(path) = &module.path {
                    return Ok(Some(Value::str(path)));
                }
            }
            _ => {}
        }
        if let Some(submodule) = self.loaded_submodule(module, name) {
            return Ok(Some(submodule));
        }
        if let Some(value) = self.deferred_name(module, name)? {
            return Ok(Some(value));
        }
        let fallback = module.namespace.borrow().get("__getattr__").cloned();
        match fallback {
            Some(fallback) if !name.starts_with("__") => match self.call_values(&fallback, [Value::str(name)]) {
                // What the real package has, is not missing: whoever asked says so.
                Err(stop) if self.is_attribute_error(&stop) && self.is_known_of(module, name) => Ok(None),
                answer => answer.map(Some),
            },
            _ => Ok(None),
        }
    }

    fn is_attribute_error(&self, stop: &Stop) -> bool {
        matches!(stop, Stop::Raise(raise) if self.exception_is(&raise.exception, &self.types().attribute_error))
    }

    /// `__qualname__`, as `functools.wraps` may have changed it.
    pub fn function_qualified_name(&self, function: &Function) -> String {
        match function.fields.borrow().get("__qualname__") {
            Some(Value::Str(name)) => name.to_string(),
            _ => function.qualified_name.to_string(),
        }
    }
}

impl Function {
    /// The default of one of its parameters.
    pub fn default_of(&self, param: &Param) -> Option<Value> {
        self.defaults.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value.clone())
    }
}

fn native_attr(native: &NativeFunction, name: &str) -> Option<Value> {
    Some(match name {
        "__name__" => Value::str(native.def.name),
        "__qualname__" => Value::from(native.qualified_name()),
        "__module__" => match native.module {
            "" => Value::str("builtins"),
            module => Value::str(module),
        },
        "__doc__" => Value::str(native.def.doc),
        "__text_signature__" => Value::str(&native.def.signature[native.def.signature.find('(').unwrap_or(0)..]),
        "__annotations__" => Value::Dict(Rc::default()),
        _ => return None,
    })
}

/// What every object inherits from `object`. These rows stand outside the class's namespace, so that a lookup tells
/// whether a class has a method of its own.
static OBJECT: NativeClass = NativeClass {
    name: "object",
    module: "object",
    doc: "The base class of the class hierarchy.",
    methods: &[
        NativeDef { name: "__init__", signature: "(self, *args, **kwargs)", doc: "Initialize self.", run: init },
        NativeDef { name: "__new__", signature: "(cls, *args, **kwargs)", doc: "Create a new object.", run: new },
        NativeDef { name: "__repr__", signature: "(self, /)", doc: "Return repr(self).", run: repr },
        NativeDef { name: "__str__", signature: "(self, /)", doc: "Return str(self).", run: str },
        NativeDef { name: "__format__", signature: "(self, spec, /)", doc: "Default object formatter.", run: format },
        NativeDef { name: "__eq__", signature: "(self, value, /)", doc: "Return self==value.", run: equal },
        NativeDef { name: "__ne__", signature: "(self, value, /)", doc: "Return self!=value.", run: not_equal },
        NativeDef { name: "__hash__", signature: "(self, /)", doc: "Return hash(self).", run: hash },
        NativeDef { name: "__setattr__", signature: "(self, name, value, /)", doc: "Set an attribute.", run: setattr },
        NativeDef { name: "__getattribute__", signature: "(self, name, /)", doc: "Get an attribute.", run: getattr },
        NativeDef { name: "__delattr__", signature: "(self, name, /)", doc: "Delete an attribute.", run: delattr },
        NativeDef { name: "__dir__", signature: "(self, /)", doc: "Names of the attributes.", run: dir },
        NativeDef {
            name: "__init_subclass__",
            signature: "(cls=None, **kwargs)",
            doc: "Called when a class is subclassed.",
            run: init_subclass,
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The method `name` of `object`.
pub(crate) fn object_method(name: &str) -> Option<Value> {
    let def = OBJECT.methods.iter().find(|def| def.name == name)?;
    Some(Value::Native(NativeFunction::method(def, "builtins", "object")))
}

/// Methods that values written in Rust have by their hooks: programs ask for `iterator.__next__` to call it often.
static PROTOCOL: &[NativeDef] = &[
    NativeDef { name: "__next__", signature: "(self, /)", doc: "Implement next(self).", run: next_of },
    NativeDef { name: "__iter__", signature: "(self, /)", doc: "Implement iter(self).", run: iter_of },
    NativeDef { name: "__len__", signature: "(self, /)", doc: "Return len(self).", run: len_of },
];

fn protocol_method(name: &str) -> Option<Value> {
    let def = PROTOCOL.iter().find(|def| def.name == name)?;
    Some(Value::Native(NativeFunction::method(def, "builtins", "object")))
}

fn next_of(interp: &Interp, args: Arguments) -> PyResult<Value> {
    interp.next_item(args.get(0))
}

fn iter_of(interp: &Interp, args: Arguments) -> PyResult<Value> {
    interp.iter(args.get(0))
}

fn len_of(interp: &Interp, args: Arguments) -> PyResult<Value> {
    interp.len(args.get(0)).map(Value::from)
}

fn init(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, args, keywords] = args.take();
    interp.object_init(&this, &args, &keywords)?;
    Ok(Value::None)
}

fn new(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, args, keywords] = args.take();
    let Value::Class(class) = class else {
        return Err(interp.type_error("object.__new__(X): X is not a type object"));
    };
    interp.object_new(&class, interp.call_args(&args, &keywords)?)
}

fn repr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::from(match &this {
        Value::Instance(_) if interp.exception_is(&this, &interp.types().base_exception) => {
            interp.repr_exception(&this)?
        }
        Value::Instance(_) => match interp.plain(&this) {
            Value::Instance(_) => interp.default_repr(&this),
            payload => interp.repr(&payload)?,
        },
        _ => interp.repr(&this)?,
    }))
}

fn str(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::from(match &this {
        Value::Instance(_) if interp.exception_is(&this, &interp.types().base_exception) => {
            interp.str_exception(&this)?
        }
        Value::Instance(_) => match interp.plain(&this) {
            Value::Instance(_) => interp.repr(&this)?,
            payload => interp.str(&payload)?,
        },
        _ => interp.str(&this)?,
    }))
}

fn format(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, spec] = args.take();
    let spec = interp.to_str(&spec)?;
    match interp.plain(&this) {
        payload if spec.is_empty() => match payload {
            Value::Instance(_) => interp.str(&this).map(Value::from),
            payload => interp.str(&payload).map(Value::from),
        },
        Value::Instance(_) => {
            Err(interp
                .type_error(format!("unsupported format string passed to {}.__format__", interp.type_name(&this))))
        }
        payload => interp.format(&payload, &spec).map(Value::from),
    }
}

fn equal(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, other] = args.take();
    match (interp.plain(&this), interp.plain(&other)) {
        (Value::Instance(_), _) | (_, Value::Instance(_)) => {
            Ok(if interp.identical(&this, &other) { Value::Bool(true) } else { Value::NotImplemented })
        }
        (a, b) => interp.compare(CompareOp::Eq, &a, &b),
    }
}

fn not_equal(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, other] = args.take();
    interp.compare(CompareOp::NotEq, &this, &other)
}

fn hash(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    match interp.plain(&this) {
        Value::Instance(instance) => Ok(Value::from((Rc::as_ptr(&instance) as usize >> 4) as i64)),
        payload => Ok(Value::from(interp.hash(&payload)? as i64)),
    }
}

fn setattr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, name, value] = args.take();
    interp.set_attr_plainly(&this, &interp.to_str(&name)?, value)?;
    Ok(Value::None)
}

fn getattr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, name] = args.take();
    let name = interp.to_str(&name)?;
    let found = match &this {
        Value::Instance(instance) => {
            let class = Rc::clone(&instance.class.borrow());
            interp.instance_attr_plainly(&this, instance, &class, &name)?
        }
        _ => interp.lookup_attr(&this, &name)?,
    };
    found.ok_or_else(|| interp.no_attribute(&this, &name))
}

fn delattr(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, name] = args.take();
    let name = interp.to_str(&name)?;
    let removed = match &this {
        Value::Instance(instance) => instance.fields.borrow_mut().shift_remove(&*name),
        _ => return interp.delete_attr(&this, &name).map(|()| Value::None),
    };
    match removed {
        Some(_) => Ok(Value::None),
        None => Err(interp.no_attribute(&this, &name)),
    }
}

fn dir(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::list(interp.attribute_names(&this).into_iter().map(Value::from)))
}

fn init_subclass(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, keywords] = args.take();
    if interp.len(&keywords)? > 0 {
        let name = match &class {
            Value::Class(class) => class.name.to_string(),
            _ => "object".to_owned(),
        };
        return Err(interp.type_error(format!("{name}.__init_subclass__() takes no keyword arguments")));
    }
    Ok(Value::None)
}

impl Interp {
    /// `object.__init__`, and what the builtin layouts do there: exceptions take their arguments, containers their items.
    fn object_init(&self, this: &Value, args: &Value, keywords: &Value) -> PyResult<()> {
        let Value::Instance(instance) = this else {
            return Ok(());
        };
        let class = Rc::clone(&instance.class.borrow());
        let types = self.types();
        let layout = match class.builtin {
            Some(Builtin::Exception) => {
                instance.payload.replace(args.clone());
                return Ok(());
            }
            Some(Builtin::List) => &types.list,
            Some(Builtin::Dict) => &types.dict,
            Some(Builtin::Set) => &types.set,
            Some(_) => return Ok(()),
            None => {
                let given = self.len(args)? + self.len(keywords)?;
                // object.c: extra arguments are an error only where neither `__new__` nor `__init__` is the class's own.
                let own_init = class.lookup("__init__").is_some();
                let own_new = class.lookup("__new__").is_some();
                if given > 0 && own_init {
                    return Err(
                        self.type_error("object.__init__() takes exactly one argument (the instance to initialize)")
                    );
                }
                if given > 0 && !own_new {
                    return Err(self.type_error(format!("{}() takes no arguments", class.name)));
                }
                return Ok(());
            }
        };
        if let Some(construct) = layout.constructor() {
            let payload = construct(self, layout, self.call_args(args, keywords)?)?;
            let old = instance.payload.replace(payload);
            drop(old);
        }
        Ok(())
    }
}
