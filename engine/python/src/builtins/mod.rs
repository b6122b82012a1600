//! The builtin functions and the methods of builtin types, as tables: name, signature as Python shows it, one line of
//! documentation, and what it does. How operators, attributes and calls find them is in the core.

pub mod bytes_methods;
mod codec;
pub(crate) mod construct;
pub mod dict_methods;
pub(crate) mod exceptions;
pub mod float_methods;
pub mod format;
pub mod functions;
pub mod int_methods;
pub mod list_methods;
pub mod number;
pub mod range_methods;
pub mod repr;
pub mod set_methods;
pub(crate) mod sort;
pub(crate) mod special;
pub mod str_methods;
pub(crate) mod table;
pub mod text;

use crate::class::{Namespace, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::value::Value;
use pallas_syntax::ast::Name;

/// The tables of the builtin types, found by name when the classes are made.
pub static CLASSES: &[&NativeClass] = &[
    &int_methods::INT,
    &int_methods::BOOL,
    &float_methods::FLOAT,
    &float_methods::COMPLEX,
    &str_methods::CLASS,
    &bytes_methods::CLASS,
    &list_methods::LIST,
    &list_methods::TUPLE,
    &dict_methods::CLASS,
    &set_methods::SET,
    &set_methods::FROZEN_SET,
    &range_methods::RANGE,
    &range_methods::SLICE,
];

/// The `builtins` module. The core adds the classes.
pub static MODULE: ModuleDef = ModuleDef {
    name: "builtins",
    doc: "Built-in functions, types, exceptions, and other objects.",
    functions: functions::FUNCTIONS,
    populate,
};

fn populate(interp: &Interp, namespace: &mut Namespace) {
    functions::lazy::populate(interp, namespace);
    for (name, value) in [("None", Value::None), ("True", Value::Bool(true)), ("False", Value::Bool(false))] {
        namespace.insert(Name::from(name), value);
    }
}
