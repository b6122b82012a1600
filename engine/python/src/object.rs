//! The seam through which Rust adds kinds of values: iterators here, arrays and Refs in `pallas-jax`.
//! Methods and properties come from the object's [`Class`]; this trait has only what a table cannot say.

use crate::call::CallArgs;
use crate::class::Class;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use std::any::Any;
use std::rc::Rc;

/// A value whose behaviour is written in Rust. `this` is always the `Value` that holds `self`.
///
/// Every hook has Python's default: what is not overridden raises the `TypeError` that Python raises.
/// `Ok(None)` from an operator hook means `NotImplemented`.
pub trait Object: Any {
    /// Its type: `type(x)`. Methods and properties are looked up there, after [`Object::get_attr`].
    fn class(&self, interp: &Interp) -> Rc<Class>;

    /// An attribute that depends on the value; `None` falls through to the class.
    fn get_attr(&self, _this: &Value, _name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(None)
    }

    /// Sets an attribute; `false` means that the object has no such attribute to set.
    fn set_attr(&self, _name: &str, _value: Value, _interp: &Interp) -> PyResult<bool> {
        Ok(false)
    }

    /// Names for `dir()` and completion beyond those of the class.
    fn attribute_names(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// `this(...)`; `None` means not callable.
    fn call(&self, _this: &Value, _args: CallArgs, _interp: &Interp) -> Option<PyResult<Value>> {
        None
    }

    /// Whether `callable(this)`.
    fn is_callable(&self) -> bool {
        false
    }

    /// `this[key]`; `None` means not subscriptable.
    fn get_item(&self, _this: &Value, _key: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        None
    }

    /// `this[key] = value`; `None` means no item assignment.
    fn set_item(&self, _this: &Value, _key: &Value, _value: Value, _interp: &Interp) -> Option<PyResult<()>> {
        None
    }

    /// `this op other`, or `other op this` where `reflected`.
    fn binary(
        &self,
        _this: &Value,
        _op: BinaryOp,
        _other: &Value,
        _reflected: bool,
        _interp: &Interp,
    ) -> PyResult<Option<Value>> {
        Ok(None)
    }

    /// `this op other` for `== != < <= > >=`, or mirrored by the caller where `this` stands right.
    fn compare(&self, _this: &Value, _op: CompareOp, _other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(None)
    }

    /// `-this`, `+this`, `~this`. `not` goes through [`Object::truth`].
    fn unary(&self, _this: &Value, _op: UnaryOp, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(None)
    }

    /// `bool(this)`; `None` means: by length if there is one, else true.
    fn truth(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<bool>> {
        Ok(None)
    }

    /// `len(this)`; `None` means that it has none.
    fn length(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<usize>> {
        None
    }

    /// `iter(this)`; `None` means not iterable. Iterators return themselves.
    fn iterate(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        None
    }

    /// `next(this)`: `Some(Ok(None))` is the end; `None` means that it is not an iterator.
    fn next(&self, _interp: &Interp) -> Option<PyResult<Option<Value>>> {
        None
    }

    /// `item in this`; `None` means: by iteration.
    fn contains(&self, _this: &Value, _item: &Value, _interp: &Interp) -> Option<PyResult<bool>> {
        None
    }

    /// `repr(this)`; `None` gives `<module.Class object>`.
    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(None)
    }

    /// `str(this)`; `None` means as `repr`.
    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(None)
    }

    /// `format(this, spec)`; `None` means: as `str`, and a spec is an error unless empty.
    fn format(&self, _this: &Value, _spec: &str, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(None)
    }

    /// `hash(this)`; `Some(Err)` for unhashable; `None` means by identity.
    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        None
    }

    /// As an index or `int(...)`, for `__index__`, `__int__`; `None` means that it has none.
    fn as_int(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<crate::int::Int>> {
        None
    }

    /// `int(this)`, for `__int__`, where it differs from [`Object::as_int`].
    fn to_int(&self, this: &Value, interp: &Interp) -> Option<PyResult<crate::int::Int>> {
        self.as_int(this, interp)
    }

    /// Whether [`Object::as_int`] may serve as a list index and in `range` (`__index__`), too.
    fn is_index(&self) -> bool {
        false
    }

    /// `float(...)`.
    fn as_float(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<f64>> {
        None
    }

    /// In analysis: whether the value is known by its type only, so that tests, numbers and texts made of it are unknown.
    fn is_undecided(&self) -> bool {
        false
    }

    /// One short line for hovers and inlay hints, such as `f32[8, 128]`; `None` for nothing worth showing.
    fn summary(&self, _interp: &Interp) -> Option<String> {
        None
    }
}
