//! `repr`, `str` and `format`: which of user methods, Rust objects and builtin formatting answers.

use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

impl Interp {
    /// `repr(v)`
    pub fn repr(&self, v: &Value) -> PyResult<String> {
        match v {
            Value::Object(object) => match self.nested(|| object.repr(v, self))? {
                Some(text) => Ok(text),
                None => self.repr_by_method(v),
            },
            Value::Instance(_) => self.nested(|| self.repr_by_method(v)),
            Value::Class(class) if class.metaclass.is_some() => {
                if let Some(text) = self.call_special(v, "__repr__", [])? {
                    return Ok(self.to_str(&text)?.to_string());
                }
                self.repr_class(class)
            }
            Value::Class(class) => self.repr_class(class),
            Value::Function(function) => Ok(format!(
                "<function {} at {}>",
                self.function_qualified_name(function),
                address(Rc::as_ptr(function))
            )),
            Value::Native(native) => Ok(match native.owner {
                Some(owner) if native.def.name.starts_with("__") => {
                    format!("<slot wrapper '{}' of '{owner}' objects>", native.def.name)
                }
                Some(owner) => format!("<method '{}' of '{owner}' objects>", native.def.name),
                None if native.module.is_empty() => {
                    format!("<built-in function {}>", native.def.name)
                }
                None => format!("<function {} at {}>", native.def.name, address(std::ptr::from_ref(native.def))),
            }),
            Value::BoundMethod(method) => match &method.function {
                Value::Function(function) => Ok(format!(
                    "<bound method {} of {}>",
                    self.function_qualified_name(function),
                    self.repr(&method.receiver)?
                )),
                Value::Native(native) => Ok(format!(
                    "<built-in method {} of {} object at {}>",
                    native.def.name,
                    self.type_name(&method.receiver),
                    address(Rc::as_ptr(native))
                )),
                other => Ok(format!("<bound method {} of {}>", self.repr(other)?, self.repr(&method.receiver)?)),
            },
            Value::Module(module) => Ok(match &module.path {
                Some(path) => format!("<module '{}' from '{path}'>", module.name),
                None => format!("<module '{}' (built-in)>", module.name),
            }),
            Value::Property(property) => Ok(format!("<property object at {}>", address(Rc::as_ptr(property)))),
            Value::StaticMethod(inner) => Ok(format!("<staticmethod({})>", self.repr(inner)?)),
            Value::ClassMethod(inner) => Ok(format!("<classmethod({})>", self.repr(inner)?)),
            Value::Unknown(unknown) => Ok(format!("<unknown: {}>", unknown.why)),
            Value::Unset => Ok("<unset>".to_owned()),
            _ => self.nested(|| crate::builtins::repr::repr(self, v)),
        }
    }

    fn repr_class(&self, class: &crate::class::Class) -> PyResult<String> {
        Ok(match &*class.module {
            "builtins" => format!("<class '{}'>", class.qualified_name),
            module => format!("<class '{module}.{}'>", class.qualified_name),
        })
    }

    fn repr_by_method(&self, v: &Value) -> PyResult<String> {
        let class = self.type_of(v);
        if class.lookup("__repr__").is_some()
            && let Some(text) = self.call_special(v, "__repr__", [])?
        {
            return match self.plain(&text) {
                Value::Str(text) => Ok(text.to_string()),
                Value::Unknown(_) => Ok(String::new()),
                other => {
                    Err(self.type_error(format!("__repr__ returned non-string (type {})", self.type_name(&other))))
                }
            };
        }
        if self.exception_is(v, &self.types().base_exception) {
            return self.repr_exception(v);
        }
        match self.plain(v) {
            Value::Instance(_) | Value::Object(_) => Ok(self.default_repr(v)),
            payload => {
                // Containers show the name of a subclass only where they do so in CPython: `set` and its kin.
                let text = self.repr(&payload)?;
                Ok(match payload {
                    Value::Set(_) | Value::FrozenSet(_) => match text.find('(') {
                        Some(at) => format!("{}{}", class.name, &text[at..]),
                        None => format!("{}({text})", class.name),
                    },
                    _ => text,
                })
            }
        }
    }

    /// `<module.Class object at 0x...>`
    pub fn default_repr(&self, v: &Value) -> String {
        let class = self.type_of(v);
        let pointer = match v {
            Value::Instance(instance) => address(Rc::as_ptr(instance)),
            Value::Object(object) => address(Rc::as_ptr(object).cast::<()>()),
            _ => String::from("0x0"),
        };
        match &*class.module {
            "builtins" => format!("<{} object at {pointer}>", class.qualified_name),
            module => format!("<{module}.{} object at {pointer}>", class.qualified_name),
        }
    }

    pub(crate) fn repr_exception(&self, v: &Value) -> PyResult<String> {
        let args = self.exception_args(v);
        let inner = match args.as_slice() {
            [] => String::new(),
            args => args.iter().map(|arg| self.repr(arg)).collect::<PyResult<Vec<_>>>()?.join(", "),
        };
        Ok(format!("{}({inner})", self.type_of(v).name))
    }

    /// The arguments of an exception.
    pub fn exception_args(&self, v: &Value) -> Vec<Value> {
        match v {
            Value::Instance(instance) => match &*instance.payload.borrow() {
                Value::Tuple(args) => args.to_vec(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// `str(v)`
    pub fn str(&self, v: &Value) -> PyResult<String> {
        match v {
            Value::Str(text) => Ok(text.to_string()),
            Value::Object(object) => match self.nested(|| object.str(v, self))? {
                Some(text) => Ok(text),
                None => {
                    if self.type_of(v).lookup("__str__").is_some()
                        && let Some(text) = self.call_special(v, "__str__", [])?
                    {
                        return Ok(self.to_str(&text)?.to_string());
                    }
                    self.repr(v)
                }
            },
            Value::Instance(_) => self.nested(|| self.str_instance(v)),
            Value::Class(class) if class.metaclass.is_some() => {
                if let Some(text) = self.call_special(v, "__str__", [])? {
                    return Ok(self.to_str(&text)?.to_string());
                }
                self.repr(v)
            }
            Value::Class(_)
            | Value::Function(_)
            | Value::Native(_)
            | Value::BoundMethod(_)
            | Value::Module(_)
            | Value::Property(_)
            | Value::StaticMethod(_)
            | Value::ClassMethod(_)
            | Value::Unknown(_)
            | Value::Unset => self.repr(v),
            _ => self.nested(|| crate::builtins::repr::str(self, v)),
        }
    }

    fn str_instance(&self, v: &Value) -> PyResult<String> {
        let class = self.type_of(v);
        if let Some(text) = self.call_special(v, "__str__", [])? {
            return match self.plain(&text) {
                Value::Str(text) => Ok(text.to_string()),
                Value::Unknown(_) => Ok(String::new()),
                other => Err(self.type_error(format!("__str__ returned non-string (type {})", self.type_name(&other)))),
            };
        }
        if self.exception_is(v, &self.types().base_exception) {
            return self.str_exception(v);
        }
        if class.lookup("__repr__").is_some() && !matches!(self.plain(v), Value::Str(_)) {
            return self.repr(v);
        }
        match self.plain(v) {
            Value::Instance(_) => self.repr(v),
            Value::Set(_) | Value::FrozenSet(_) => self.repr(v),
            payload => self.str(&payload),
        }
    }

    pub(crate) fn str_exception(&self, v: &Value) -> PyResult<String> {
        let args = self.exception_args(v);
        if self.exception_is(v, &self.types().os_error)
            && let [number, text, ..] = args.as_slice()
        {
            let file = crate::exceptions::field(v, "filename").filter(|f| !f.is_none());
            let file = match file {
                Some(file) => format!(": {}", self.repr(&file)?),
                None => String::new(),
            };
            return Ok(format!("[Errno {}] {}{file}", self.str(number)?, self.str(text)?));
        }
        match args.as_slice() {
            [] => Ok(String::new()),
            [key] if self.exception_is(v, &self.types().key_error) => self.repr(key),
            [one] => self.str(one),
            _ => self.repr(&Value::tuple(args)),
        }
    }

    /// `format(v, spec)`
    pub fn format(&self, v: &Value, spec: &str) -> PyResult<String> {
        match v {
            Value::Unknown(_) => Ok(format!("<unknown: {}>", self.type_name(v))),
            Value::Object(object) => match self.nested(|| object.format(v, spec, self))? {
                Some(text) => Ok(text),
                None => {
                    if self.type_of(v).lookup("__format__").is_some()
                        && let Some(text) = self.call_special(v, "__format__", [Value::str(spec)])?
                    {
                        return Ok(self.to_str(&text)?.to_string());
                    }
                    self.format_plainly(v, spec)
                }
            },
            Value::Instance(_) => {
                if let Some(text) = self.call_special(v, "__format__", [Value::str(spec)])? {
                    return match self.plain(&text) {
                        Value::Str(text) => Ok(text.to_string()),
                        Value::Unknown(_) => Ok(String::new()),
                        other => {
                            Err(self
                                .type_error(format!("__format__ must return a str, not {}", self.type_name(&other))))
                        }
                    };
                }
                let class = self.type_of(v);
                if class.lookup("__str__").is_some() && spec.is_empty() {
                    return self.str(v);
                }
                match self.plain(v) {
                    payload @ (Value::Int(_) | Value::Float(_) | Value::Bool(_)) if !spec.is_empty() => {
                        self.format(&payload, spec)
                    }
                    Value::Str(_) if !spec.is_empty() => {
                        crate::builtins::format::format(self, &Value::str(self.str(v)?), spec)
                    }
                    _ => self.format_plainly(v, spec),
                }
            }
            Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Str(_) | Value::Complex(..) => {
                if spec.is_empty() {
                    return self.str(v);
                }
                crate::builtins::format::format(self, v, spec)
            }
            _ => self.format_plainly(v, spec),
        }
    }

    fn format_plainly(&self, v: &Value, spec: &str) -> PyResult<String> {
        if spec.is_empty() {
            return self.str(v);
        }
        Err(self.type_error(format!("unsupported format string passed to {}.__format__", self.type_name(v))))
    }
}

/// An address as CPython prints it.
fn address<T>(pointer: *const T) -> String {
    format!("0x{:x}", pointer as usize)
}
