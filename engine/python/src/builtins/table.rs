//! What the tables of this folder are written with: rows, the early way out for unknown arguments, and receivers of
//! methods checked as CPython's descriptors check them.

use crate::dict::{Dict, Set};
use crate::int::Int;
use crate::interp::Interp;
use crate::native::{NativeDef, NativeFn};
use crate::raise::{PyResult, Stop};
use crate::value::{Range, Slice, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// One row of a table.
pub(crate) const fn row(name: &'static str, signature: &'static str, doc: &'static str, run: NativeFn) -> NativeDef {
    NativeDef { name, signature, doc, run }
}

/// A table: `name, signature, doc, function;` for each row, then rows that are constants.
macro_rules! rows {
    ($($name:literal, $signature:literal, $doc:literal, $run:expr;)* $($shared:path,)*) => {
        &[$($crate::builtins::table::row($name, $signature, $doc, $run),)* $($shared,)*]
    };
}
pub(crate) use rows;

/// The first unknown value among the arguments: what a function of values only gives back at once.
pub(crate) fn unknown_in(values: &[Value]) -> Option<Value> {
    values.iter().find(|value| value.is_unknown()).cloned()
}

/// Returns from the function with the unknown argument, if there is one.
macro_rules! known {
    ($arguments:expr) => {
        if let Some(unknown) = $crate::builtins::table::unknown_in($arguments.values()) {
            return Ok(unknown);
        }
    };
}
pub(crate) use known;

fn wrong_receiver(interp: &Interp, v: &Value, class: &str, method: &str) -> Box<Stop> {
    interp.type_error(format!(
        "descriptor '{method}' for '{class}' objects doesn't apply to a '{}' object",
        interp.type_name(v)
    ))
}

macro_rules! receivers {
    ($($name:ident $class:literal $pattern:pat => $result:expr, $type:ty;)*) => {
        $(
            #[doc = concat!("The receiver of a method of `", $class, "`, subclasses included.")]
            pub(crate) fn $name(interp: &Interp, v: &Value, method: &str) -> PyResult<$type> {
                match interp.plain(v) {
                    $pattern => Ok($result),
                    _ => Err(wrong_receiver(interp, v, $class, method)),
                }
            }
        )*
    };
}

receivers! {
    this_str "str" Value::Str(text) => text, Rc<str>;
    this_bytes "bytes" Value::Bytes(bytes) => bytes, Rc<[u8]>;
    this_list "list" Value::List(list) => list, Rc<RefCell<Vec<Value>>>;
    this_tuple "tuple" Value::Tuple(items) => items, Rc<[Value]>;
    this_dict "dict" Value::Dict(dict) => dict, Rc<RefCell<Dict>>;
    this_set "set" Value::Set(set) => set, Rc<RefCell<Set>>;
    this_range "range" Value::Range(range) => range, Rc<Range>;
    this_slice "slice" Value::Slice(slice) => slice, Rc<Slice>;
    this_float "float" Value::Float(value) => value, f64;
}

/// The receiver of a method of `int`; bools are integers.
pub(crate) fn this_int(interp: &Interp, v: &Value, method: &str) -> PyResult<Int> {
    match interp.plain(v) {
        Value::Int(value) => Ok(value),
        Value::Bool(value) => Ok(Int::Small(i64::from(value))),
        _ => Err(wrong_receiver(interp, v, "int", method)),
    }
}

/// A `str` argument: TypeError in the words of Argument Clinic otherwise.
pub(crate) fn text_argument(interp: &Interp, v: &Value, function: &str, position: &str) -> PyResult<Rc<str>> {
    match interp.plain(v) {
        Value::Str(text) => Ok(text),
        _ => {
            Err(interp.type_error(format!("{function}() argument {position}must be str, not {}", interp.type_name(v))))
        }
    }
}

/// A copy of the members of a shared set, for work that may run user code.
pub(crate) fn members(set: &RefCell<Set>) -> Set {
    set.borrow().clone()
}

/// Changes a shared set by code that may run the user's `__hash__` and `__eq__`: the set is empty meanwhile, and no
/// borrow is held.
pub(crate) fn with_set<R>(set: &RefCell<Set>, change: impl FnOnce(&mut Set) -> PyResult<R>) -> PyResult<R> {
    let mut taken = std::mem::take(&mut *set.borrow_mut());
    let result = change(&mut taken);
    let old = std::mem::replace(&mut *set.borrow_mut(), taken);
    drop(old);
    result
}
