//! Exceptions: building and raising them, matching `except` clauses, chaining, traceback objects.
//! Printing them is in [`crate::traceback`].

use crate::class::{Class, Instance};
use crate::interp::Interp;
use crate::object::Object;
use crate::raise::{Diagnosis, PyResult, Raise, Stop, TraceEntry};
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// `e.__traceback__`: where an exception has been, innermost first.
pub struct Traceback {
    /// The entries; shared with nothing, as Python's chain is.
    pub entries: Vec<TraceEntry>,
}

impl Object for Traceback {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        Rc::clone(&interp.types().traceback)
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(outermost) = self.entries.last() else {
            return Ok(None);
        };
        Ok(match name {
            "tb_lineno" => {
                let line = interp.source(outermost.span.file).map_or(0, |source| source.line_of(outermost.span.start));
                Some(Value::from(i64::from(line)))
            }
            "tb_next" => Some(match self.entries.len() {
                1 => Value::None,
                inner => Value::object(Traceback { entries: self.entries[..inner - 1].to_vec() }),
            }),
            _ => None,
        })
    }
}

macro_rules! shortcuts {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl Interp {
            $($(#[$doc])*
            #[doc = ""]
            #[doc = "The exception to return as `Err`."]
            pub fn $name(&self, message: impl Into<String>) -> Box<Stop> {
                self.error(&self.types().$name, message)
            })*
        }
    };
}

shortcuts! {
    /// `TypeError(message)`
    type_error;
    /// `ValueError(message)`
    value_error;
    /// `IndexError(message)`
    index_error;
    /// `AttributeError(message)`
    attribute_error;
    /// `NotImplementedError(message)`
    not_implemented_error;
    /// `RuntimeError(message)`
    runtime_error;
    /// `OverflowError(message)`
    overflow_error;
    /// `ZeroDivisionError(message)`
    zero_division_error;
    /// `NameError(message)`
    name_error;
    /// `AssertionError(message)`
    assertion_error;
    /// `ImportError(message)`
    import_error;
    /// `SyntaxError(message)`
    syntax_error;
    /// `RecursionError(message)`
    recursion_error;
}

impl Interp {
    /// An exception of `class` with one argument, or none where the message is empty.
    pub fn error(&self, class: &Rc<Class>, message: impl Into<String>) -> Box<Stop> {
        let message = message.into();
        let args = if message.is_empty() { Value::tuple([]) } else { Value::tuple([Value::str(message)]) };
        self.raise_value(self.exception_of(class, args), None)
    }

    /// An exception that carries what the workbench knows beyond its text.
    pub fn error_with(&self, class: &Rc<Class>, message: impl Into<String>, diagnosis: Diagnosis) -> Box<Stop> {
        let args = Value::tuple([Value::str(message.into())]);
        self.raise_value(self.exception_of(class, args), Some(Box::new(diagnosis)))
    }

    /// `KeyError(key)`
    pub fn key_error(&self, key: &Value) -> Box<Stop> {
        self.raise_value(self.exception_of(&self.types().key_error, Value::tuple([key.clone()])), None)
    }

    /// `StopIteration(value)`; without arguments for `None`.
    pub fn stop_iteration(&self, value: Value) -> Box<Stop> {
        let args = if value.is_none() { Value::tuple([]) } else { Value::tuple([value.clone()]) };
        let exception = self.exception_of(&self.types().stop_iteration, args);
        if let Value::Instance(instance) = &exception {
            instance.fields.borrow_mut().insert(Name::from("value"), value);
        }
        self.raise_value(exception, None)
    }

    /// An exception instance made without running any `__init__`.
    pub fn exception_of(&self, class: &Rc<Class>, args: Value) -> Value {
        Value::Instance(Rc::new(Instance {
            class: RefCell::new(Rc::clone(class)),
            fields: RefCell::default(),
            payload: RefCell::new(args),
        }))
    }

    /// Raises an exception instance: its context is the exception being handled now.
    pub fn raise_value(&self, exception: Value, diagnosis: Option<Box<Diagnosis>>) -> Box<Stop> {
        let handled = self.handled.borrow().last().cloned();
        if let Some(handled) = handled
            && !self.identical(&handled, &exception)
        {
            break_context_cycle(&handled, &exception);
            set_field(&exception, "__context__", handled);
        }
        let diagnosis = diagnosis.or_else(|| crate::exec::unwind::kept_diagnosis(&exception));
        let traceback = match field(&exception, "__traceback__") {
            Some(value) => value.downcast::<Traceback>().map_or_else(Vec::new, |traceback| traceback.entries.clone()),
            None => Vec::new(),
        };
        Box::new(Stop::Raise(Raise { exception, traceback, diagnosis }))
    }

    /// Whether `exception` is an instance of `class`.
    pub fn exception_is(&self, exception: &Value, class: &Rc<Class>) -> bool {
        self.type_of(exception).is_subclass(class)
    }

    /// Whether this stop is a raised exception of `class`.
    pub fn stop_is(&self, stop: &Stop, class: &Rc<Class>) -> bool {
        matches!(stop, Stop::Raise(raise) if self.exception_is(&raise.exception, class))
    }

    /// Whether `except expected` catches `exception`.
    pub(crate) fn exception_matches(&self, exception: &Value, expected: &Value) -> PyResult<bool> {
        match expected {
            Value::Class(class) if class.is_subclass(&self.types().base_exception) => {
                Ok(self.exception_is(exception, class))
            }
            Value::Tuple(items) => {
                for item in items.iter() {
                    if self.exception_matches(exception, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Unknown(_) => Ok(true),
            _ => Err(self.type_error("catching classes that do not inherit from BaseException is not allowed")),
        }
    }

    /// What `raise value` raises: an instance, or a class to be called.
    pub(crate) fn exception_from(&self, value: &Value) -> PyResult<Value> {
        match value {
            Value::Class(class) if class.is_subclass(&self.types().base_exception) => {
                let exception = self.call_values(value, [])?;
                if self.exception_is(&exception, &self.types().base_exception) {
                    return Ok(exception);
                }
                Err(self.type_error(format!(
                    "calling {} should have returned an instance of BaseException, not {}",
                    self.repr(value)?,
                    self.repr(&Value::Class(self.type_of(&exception)))?
                )))
            }
            Value::Instance(_) if self.exception_is(value, &self.types().base_exception) => Ok(value.clone()),
            _ => Err(self.type_error("exceptions must derive from BaseException")),
        }
    }

    /// The message of an exception: `str(e)`, or a placeholder where that raises.
    pub fn exception_message(&self, exception: &Value) -> String {
        self.str(exception).unwrap_or_else(|_| "<exception str() failed>".to_owned())
    }

    /// `ValueError: message`, as the last line of a traceback shows it without notes.
    pub fn exception_line(&self, exception: &Value) -> String {
        let class = self.type_of(exception);
        let name = match &*class.module {
            "builtins" | "__main__" => class.qualified_name.to_string(),
            module => format!("{module}.{}", class.qualified_name),
        };
        match self.exception_message(exception) {
            message if message.is_empty() => name,
            message => format!("{name}: {message}"),
        }
    }

    /// Keeps the traceback with the exception, for handlers and for raising it again.
    pub(crate) fn store_traceback(&self, raise: &Raise) {
        set_field(&raise.exception, "__traceback__", Value::object(Traceback { entries: raise.traceback.clone() }));
    }
}

/// A field of an exception instance.
pub(crate) fn field(exception: &Value, name: &str) -> Option<Value> {
    match exception {
        Value::Instance(instance) => instance.fields.borrow().get(name).cloned(),
        _ => None,
    }
}

/// Sets a field of an exception instance.
pub(crate) fn set_field(exception: &Value, name: &str, value: Value) {
    if let Value::Instance(instance) = exception {
        let old = instance.fields.borrow_mut().insert(Name::from(name), value);
        drop(old);
    }
}

/// Cuts `exception` out of the contexts of `handled`, as CPython does before it makes `handled` the context.
fn break_context_cycle(handled: &Value, exception: &Value) {
    let mut current = handled.clone();
    // A chain longer than this was made by hand; printing it is bounded, too.
    for _ in 0..1000 {
        let Some(next) = field(&current, "__context__") else {
            return;
        };
        if let (Value::Instance(a), Value::Instance(b)) = (&next, exception)
            && Rc::ptr_eq(a, b)
        {
            set_field(&current, "__context__", Value::None);
            return;
        }
        current = next;
    }
}
