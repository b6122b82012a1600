//! `_assertions`: lets test frameworks say what a failed assertion has compared. No module of Python's.

use super::support::row;
use crate::exceptions::field;
use crate::module::ModuleDef;
use crate::value::Value;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "_assertions",
    doc: "What failed assertions have compared.",
    functions: &[
        row("explain", "()", "From now on, assertions keep what they compare.", |interp, _| {
            interp.explains_assertions.set(true);
            Ok(Value::None)
        }),
        row("explanation", "(exception, /)", "What an AssertionError has compared, as text, or None.", |_, args| {
            Ok(field(args.get(0), "__explanation__").unwrap_or(Value::None))
        }),
    ],
    populate: |_, _| {},
};
