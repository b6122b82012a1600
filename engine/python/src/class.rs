//! Classes and their instances: names, bases, method resolution order, namespaces.
//! Attribute protocol and instantiation are in [`crate::interp`].

use crate::native::NativeDef;
use crate::raise::PyResult;
use crate::value::Value;
use crate::{call::CallArgs, interp::Interp};
use indexmap::IndexMap;
use pallas_syntax::Span;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// Names to values, in the order of definition. Made with `Namespace::default()`.
pub type Namespace = IndexMap<Name, Value, BuildHasherDefault<NameHasher>>;

/// Hashes identifiers: every name lookup goes through here, and identifiers are short and not hostile, so a
/// multiplicative hash serves where the standard one would cost more than the rest of the lookup.
#[derive(Clone, Copy, Debug, Default)]
pub struct NameHasher(u64);

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        const MULTIPLIER: u64 = 0x517c_c1b7_2722_0a95;
        let mut state = self.0;
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            state = (state.rotate_left(5) ^ u64::from_le_bytes(*chunk)).wrapping_mul(MULTIPLIER);
        }
        let mut last = rest.len() as u64;
        for byte in rest {
            last = last << 8 | u64::from(*byte);
        }
        self.0 = (state.rotate_left(5) ^ last).wrapping_mul(MULTIPLIER);
    }

    fn write_u8(&mut self, _: u8) {
        // The terminator that `str` appends: the length is hashed already.
    }
}

/// A class, builtin or user-defined.
pub struct Class {
    /// `__name__`
    pub name: Name,
    /// `__qualname__`
    pub qualified_name: Name,
    /// `__module__`
    pub module: Name,
    /// Direct bases.
    pub bases: Vec<Rc<Class>>,
    /// C3 linearisation of the ancestors, this class itself excluded (so that a class holds no cycle).
    pub ancestors: Vec<Rc<Class>>,
    /// `__dict__`
    pub namespace: RefCell<Namespace>,
    /// How `Class(...)` makes a value, for classes whose values are not plain instances (`int`, `BlockSpec`).
    /// Inherited by subclasses that do not define `__new__`.
    pub construct: Option<ConstructFn>,
    /// What subclasses of a builtin keep inside: `str` for `class Color(str, Enum)`.
    pub builtin: Option<Builtin>,
    /// Decides `isinstance` where the class tree does not (`jax.Array` holds tracers, too).
    pub instance_check: Option<fn(&Value) -> bool>,
    /// Where a user's class was defined.
    pub span: Option<Span>,
    /// One line of documentation for native classes; user classes keep `__doc__` in the namespace.
    pub doc: &'static str,
    /// `type(Class)` where it is not `type`: its methods answer `len(Class)`, `Class[key]`, `for x in Class`, and its
    /// attributes those that the class lacks. Inherited by subclasses.
    pub metaclass: Option<Rc<Class>>,
    /// In analysis, where it derives from what is not known: that value. What the class lacks may be inherited then.
    pub unknown_base: Option<Value>,
}

/// Makes a value of `class` (which may be a subclass of the class that declared it).
pub type ConstructFn = fn(&Interp, class: &Rc<Class>, CallArgs) -> PyResult<Value>;

/// The builtin layouts that a user's class can extend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in Python")]
pub enum Builtin {
    Int,
    Float,
    Str,
    Bytes,
    Tuple,
    List,
    Dict,
    Set,
    FrozenSet,
    Exception,
    Type,
}

/// A table of a native class: what `pallas-jax` and the standard modules declare.
pub struct NativeClass {
    /// `__name__`
    pub name: &'static str,
    /// `__module__`
    pub module: &'static str,
    /// One line.
    pub doc: &'static str,
    /// `(self, ...)` functions.
    pub methods: &'static [NativeDef],
    /// `(self)` functions read as attributes.
    pub properties: &'static [NativeDef],
    /// How it is called; `None` where it cannot be.
    pub construct: Option<ConstructFn>,
    /// Decides `isinstance` where the class tree does not.
    pub instance_check: Option<fn(&Value) -> bool>,
}

/// An instance of a user-defined or exception class.
pub struct Instance {
    /// Its class (assignable: `self.__class__ = ...`).
    pub class: RefCell<Rc<Class>>,
    /// `__dict__`
    pub fields: RefCell<Namespace>,
    /// The builtin value inside, for subclasses of `int`, `str`, `tuple`, `list`, `dict`; the argument tuple of an
    /// exception; `Value::Unset` otherwise.
    pub payload: RefCell<Value>,
}

impl Class {
    /// Whether this is `other` or derives from it.
    pub fn is_subclass(self: &Rc<Self>, other: &Rc<Class>) -> bool {
        Rc::ptr_eq(self, other) || self.ancestors.iter().any(|a| Rc::ptr_eq(a, other))
    }

    /// The value that `name` has in this class or its ancestors.
    pub fn lookup(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.namespace.borrow().get(name) {
            return Some(value.clone());
        }
        self.ancestors.iter().find_map(|a| a.namespace.borrow().get(name).cloned())
    }

    /// What `name` may be where neither the class nor a known ancestor has it: unknown in analysis, where an ancestor is.
    /// Special names are left out: the evaluator asks for them to see what a class can do.
    pub fn inherited_unknown(&self, name: &str) -> Option<Value> {
        self.unknown_base.clone().filter(|_| !name.starts_with("__"))
    }

    /// The nearest `construct` along the method resolution order.
    pub fn constructor(&self) -> Option<ConstructFn> {
        self.construct.or_else(|| self.ancestors.iter().find_map(|a| a.construct))
    }
}
