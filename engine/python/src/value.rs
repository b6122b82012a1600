//! The values of the evaluated language. Cheap to clone; mutable ones are shared, as in Python.
//! Holds data only: what operators and attributes do is in [`crate::interp`] and the type tables.

use crate::class::{Class, Instance};
use crate::dict::{Dict, Set};
use crate::function::{BoundMethod, Function};
use crate::int::Int;
use crate::module::Module;
use crate::native::NativeFunction;
use crate::object::Object;
use pallas_syntax::Span;
use pallas_syntax::ast::Name;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// A Python value.
#[derive(Clone)]
pub enum Value {
    /// `None`
    None,
    /// `NotImplemented`
    NotImplemented,
    /// `...`
    Ellipsis,
    /// Not a Python value: an optional parameter that was not given, or a local that is not bound yet.
    Unset,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(Int),
    /// `float`
    Float(f64),
    /// `complex`: real and imaginary part.
    Complex(f64, f64),
    /// `str`
    Str(Rc<str>),
    /// `bytes`
    Bytes(Rc<[u8]>),
    /// `tuple`
    Tuple(Rc<[Value]>),
    /// `list`
    List(Rc<RefCell<Vec<Value>>>),
    /// `dict`
    Dict(Rc<RefCell<Dict>>),
    /// `set`
    Set(Rc<RefCell<Set>>),
    /// `frozenset`
    FrozenSet(Rc<Set>),
    /// `range`
    Range(Rc<Range>),
    /// `slice`
    Slice(Rc<Slice>),
    /// A `def` or `lambda` with its closure.
    Function(Rc<Function>),
    /// A function written in Rust.
    Native(Rc<NativeFunction>),
    /// A function with its receiver.
    BoundMethod(Rc<BoundMethod>),
    /// A class, builtin or user-defined.
    Class(Rc<Class>),
    /// An instance of a user-defined or exception class.
    Instance(Rc<Instance>),
    /// A module.
    Module(Rc<Module>),
    /// `property(getter, setter)`
    Property(Rc<Property>),
    /// `staticmethod(f)`
    StaticMethod(Rc<Value>),
    /// `classmethod(f)`
    ClassMethod(Rc<Value>),
    /// A value with its behaviour in Rust: iterators, arrays, Refs, block specs.
    Object(Rc<dyn Object>),
    /// In analysis: a value that cannot be known. Operations on it give `Unknown` again.
    Unknown(Rc<Unknown>),
}

/// `range(start, stop, step)`; `step` is never zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// First value.
    pub start: i64,
    /// Bound, excluded.
    pub stop: i64,
    /// Distance, not zero.
    pub step: i64,
}

impl Range {
    /// Number of values.
    pub fn len(&self) -> usize {
        let (start, stop, step) = (self.start as i128, self.stop as i128, self.step as i128);
        let count = if step > 0 { (stop - start + step - 1) / step } else { (start - stop - step - 1) / -step };
        usize::try_from(count.max(0)).unwrap_or(usize::MAX)
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at `index`, which must be below `len()`.
    pub fn at(&self, index: usize) -> i64 {
        // The value itself is in range where the product need not be: both wrap around to it.
        self.start.wrapping_add(self.step.wrapping_mul(index as i64))
    }
}

/// `slice(lower, upper, step)`; absent parts are `Value::None`.
#[derive(Clone)]
pub struct Slice {
    /// `start`
    pub lower: Value,
    /// `stop`
    pub upper: Value,
    /// `step`
    pub step: Value,
}

/// `property`
pub struct Property {
    /// Called with the instance.
    pub getter: Value,
    /// Called with the instance and the value; `Value::None` where read-only.
    pub setter: Value,
    /// Called with the instance by `del`; `Value::None` where it cannot be deleted.
    pub deleter: Value,
    /// `__doc__`
    pub doc: Value,
}

/// Why a value is not known, and where that began.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// For the reader: `module 'torch' was not found`.
    pub why: String,
    /// The expression where it began.
    pub span: Option<Span>,
}

impl Value {
    /// A `str`.
    pub fn str(text: impl AsRef<str>) -> Value {
        Value::Str(Rc::from(text.as_ref()))
    }

    /// A `str` from an identifier.
    pub fn name(name: &Name) -> Value {
        Value::Str(Rc::from(&**name))
    }

    /// An `int`.
    pub fn int(value: impl Into<Int>) -> Value {
        Value::Int(value.into())
    }

    /// A `tuple`.
    pub fn tuple(values: impl IntoIterator<Item = Value>) -> Value {
        Value::Tuple(values.into_iter().collect())
    }

    /// A `list`.
    pub fn list(values: impl IntoIterator<Item = Value>) -> Value {
        Value::List(Rc::new(RefCell::new(values.into_iter().collect())))
    }

    /// A value with its behaviour in Rust.
    pub fn object(object: impl Object) -> Value {
        Value::Object(Rc::new(object))
    }

    /// The Rust object inside, if it is a `T`.
    pub fn downcast<T: Object>(&self) -> Option<&T> {
        match self {
            Value::Object(object) => (&**object as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// `Value::Unknown` with a reason.
    pub fn unknown(why: impl Into<String>, span: Option<Span>) -> Value {
        Value::Unknown(Rc::new(Unknown { why: why.into(), span }))
    }

    /// `is None`
    pub fn is_none(&self) -> bool {
        matches!(self, Value::None)
    }

    /// Not given.
    pub fn is_unset(&self) -> bool {
        matches!(self, Value::Unset)
    }

    /// Unknown in analysis.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown(_))
    }

    /// Unknown in analysis, or known by its type only: what a test of it gives cannot be said.
    pub fn is_undecided(&self) -> bool {
        match self {
            Value::Unknown(_) => true,
            Value::Object(object) => object.is_undecided(),
            _ => false,
        }
    }

    /// This value where it is unknown, or an unknown one that stands for what is made of it.
    pub fn to_unknown(&self, why: &str) -> Value {
        match self {
            Value::Unknown(_) => self.clone(),
            _ => Value::unknown(why, None),
        }
    }

    /// `Some(self)` unless it is `None` or was not given.
    pub fn given(self) -> Option<Value> {
        match self {
            Value::None | Value::Unset => None,
            value => Some(value),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(value.into())
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Value::Int(Int::from(value as i64))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::str(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::str(value)
    }
}
