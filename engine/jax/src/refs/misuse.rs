//! What is said when a Ref is used as if it were an array.

use super::RefObject;
use crate::context::Context;
use pallas_python::raise::{Diagnosis, Stop};
use pallas_python::value::Value;

/// A Ref where an array is needed.
pub fn used_as_array(cx: &Context<'_>, value: &Value, function: &str) -> Box<Stop> {
    let what = value.downcast::<RefObject>().map(RefObject::type_text).unwrap_or_default();
    cx.interp.error_with(
        &cx.interp.types().type_error,
        format!("{function} requires ndarray or scalar arguments, got {what} at position 0."),
        Diagnosis {
            code: "PL308",
            message: Some(format!("`{function}` takes an array, but this is a Ref of type {what}")),
            help: Some("read the Ref first: `ref[...]`".to_string()),
            ..Diagnosis::default()
        },
    )
}

/// A Ref as an operand of a function of `jax.lax`.
pub fn passed_to_primitive(cx: &Context<'_>, object: &RefObject, primitive: &str) -> Box<Stop> {
    let what = object.type_text();
    cx.interp.error_with(
        &cx.interp.types().value_error,
        format!(
            "Attempting to pass a Ref {what} to a primitive: {primitive} -- did you forget to unpack ([...]) the ref?"
        ),
        Diagnosis {
            code: "PL308",
            message: Some(format!("`{primitive}` takes an array, but this is a Ref of type {what}")),
            help: Some("read the Ref first: `ref[...]`".to_string()),
            ..Diagnosis::default()
        },
    )
}

/// An operator on a Ref: JAX's words, our explanation.
pub(super) fn operator_on_ref(cx: &Context<'_>, object: &RefObject, method: &str) -> Box<Stop> {
    cx.interp.error_with(
        &cx.interp.types().attribute_error,
        format!("'AbstractRef' object has no attribute '_{method}'"),
        Diagnosis {
            code: "PL308",
            message: Some(format!("arithmetic on a Ref of type {}: a Ref is a place, not a value", object.type_text())),
            help: Some("read the Ref first: `ref[...]`".to_string()),
            ..Diagnosis::default()
        },
    )
}
