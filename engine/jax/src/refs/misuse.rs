//! What is said when a Ref is used as if it were an array.

use super::RefObject;
use crate::context::Context;
use crate::trace::TraceKind;
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

/// A Ref as an index of an array. In index maps that is most often a scalar Ref where the grid's index should be.
pub fn used_as_index(cx: &Context<'_>, value: &Value, reference: &RefObject) -> Box<Stop> {
    let shown = cx.interp.str(value).unwrap_or_default();
    let what = reference.type_text();
    let is_map = cx.trace().is_some_and(|trace| trace.kind == TraceKind::IndexMap);
    let help = match is_map {
        true => {
            "an index map takes an index for each axis of the grid first, and then the prefetched scalars: \
             `lambda i, scalars: (scalars[i], 0)`"
        }
        false => "read the Ref first: `ref[...]`",
    };
    cx.interp.error_with(
        &cx.interp.types().index_error,
        format!(
            "only integers, slices (`:`), ellipsis (`...`), newaxis (`None`) and integer or boolean arrays are valid \
             indices. Got {shown}"
        ),
        Diagnosis {
            code: "PL308",
            message: Some(format!("an index is an array or a number, but this is a Ref of type {what}")),
            help: Some(help.to_string()),
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
