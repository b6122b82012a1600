//! Functions written in Rust: declared in tables as Python shows them (name, signature, doc), bound by their signature.
//! Arity errors, `help`, completion and hovers all read the table.

use crate::class::Namespace;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::signature::Signature;
use crate::value::Value;
use pallas_syntax::ast::Name;
use smallvec::SmallVec;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The Rust side of a native function. It gets one value per parameter, in the order of the signature:
/// defaults filled in, `*args` as a tuple, `**kwargs` as a dict. A default written `=...` that was not given arrives
/// as [`Value::Unset`].
pub type NativeFn = fn(&Interp, Arguments) -> PyResult<Value>;

/// One row of a library table.
pub struct NativeDef {
    /// Its name.
    pub name: &'static str,
    /// As Python shows it: `(a, /, axis=None, *, keepdims=False)`. Defaults are literals.
    pub signature: &'static str,
    /// One line.
    pub doc: &'static str,
    /// What it does.
    pub run: NativeFn,
}

/// A native function as a value. Several may share a definition under different receivers.
pub struct NativeFunction {
    /// The row it comes from.
    pub def: &'static NativeDef,
    /// `jax.numpy`, for `repr` and tracebacks; empty for builtins.
    pub module: &'static str,
    /// The class that it is a method of; `None` for functions.
    pub owner: Option<&'static str>,
    /// Parsed on first use.
    pub(crate) signature: OnceCell<Signature>,
    /// Attributes that the program has set on it, where the real function is one in Python.
    fields: OnceCell<Box<RefCell<Namespace>>>,
}

impl NativeFunction {
    /// The function of a table row.
    pub fn new(def: &'static NativeDef, module: &'static str) -> Rc<Self> {
        Rc::new(NativeFunction { def, module, owner: None, signature: OnceCell::new(), fields: OnceCell::new() })
    }

    /// A method of the native class `owner`.
    pub fn method(def: &'static NativeDef, module: &'static str, owner: &'static str) -> Rc<Self> {
        Rc::new(NativeFunction { def, module, owner: Some(owner), signature: OnceCell::new(), fields: OnceCell::new() })
    }

    /// An attribute that the program has set.
    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        self.fields.get()?.borrow().get(name).cloned()
    }

    /// Sets an attribute, and returns the old one. Python's own functions take none: those of libraries do, as most of them are
    /// written in Python.
    pub(crate) fn set_field(&self, name: &str, value: Value) -> Result<Option<Value>, Value> {
        if self.module.is_empty() || self.owner.is_some() || crate::library::is_standard(self) {
            return Err(value);
        }
        let fields = self.fields.get_or_init(Box::default);
        Ok(fields.borrow_mut().insert(Name::from(name), value))
    }

    /// `list.append` for methods, `len` for functions.
    pub fn qualified_name(&self) -> String {
        match self.owner {
            Some(owner) => format!("{owner}.{}", self.def.name),
            None => self.def.name.to_owned(),
        }
    }

    /// Its parsed signature.
    pub fn signature(&self) -> &Signature {
        self.signature.get_or_init(|| Signature::parse(self.def.signature))
    }
}

/// One value per parameter of a native function.
pub struct Arguments {
    values: SmallVec<[Value; 8]>,
}

impl Arguments {
    /// Values in the order of the signature.
    pub fn new(values: SmallVec<[Value; 8]>) -> Self {
        Arguments { values }
    }

    /// All values at once: `let [x, axis, keepdims] = args.take();`. `N` must be the number of parameters of the
    /// table row; a mismatch is a mistake in the table, caught by the test that calls every row.
    pub fn take<const N: usize>(self) -> [Value; N] {
        let mut values = self.values.into_iter();
        std::array::from_fn(|_| values.next().unwrap_or(Value::Unset))
    }

    /// The value of one parameter.
    pub fn get(&self, index: usize) -> &Value {
        &self.values[index]
    }

    /// All values.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}
