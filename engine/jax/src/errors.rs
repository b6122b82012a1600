//! The exception classes of `jax.errors`, and the tracer errors with JAX's wording.

use crate::context::Context;
use crate::tile::Traced;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::raise::{Diagnosis, Stop};
use std::rc::Rc;

const MODULE: &str = "jax.errors";

/// `jax.errors.JAXTypeError`
pub fn jax_type_error(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "JAXTypeError", &interp.types().type_error)
}

/// `jax.errors.JAXIndexError`
pub fn jax_index(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "JAXIndexError", &interp.types().index_error)
}

/// `jax.errors.JaxRuntimeError`
pub fn jax_runtime(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "JaxRuntimeError", &interp.types().runtime_error)
}

/// `jax.errors.KeyReuseError`
pub fn key_reuse(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "KeyReuseError", &interp.types().runtime_error)
}

/// `jax.errors.ConcretizationTypeError`
pub fn concretization(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "ConcretizationTypeError", &interp.types().type_error)
}

/// `jax.errors.TracerBoolConversionError`
pub fn tracer_bool(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "TracerBoolConversionError", &concretization(interp))
}

/// `jax.errors.TracerIntegerConversionError`
pub fn tracer_integer(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "TracerIntegerConversionError", &interp.types().type_error)
}

/// `jax.errors.TracerArrayConversionError`
pub fn tracer_array(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "TracerArrayConversionError", &interp.types().type_error)
}

/// `jax.errors.UnexpectedTracerError`
pub fn unexpected_tracer(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "UnexpectedTracerError", &interp.types().type_error)
}

/// `jax.errors.NonConcreteBooleanIndexError`
pub fn non_concrete_boolean_index(interp: &Interp) -> Rc<Class> {
    interp.exception_class(MODULE, "NonConcreteBooleanIndexError", &interp.types().index_error)
}

/// `jax.dtypes.TypePromotionError`
pub fn type_promotion(interp: &Interp) -> Rc<Class> {
    interp.exception_class("jax.dtypes", "TypePromotionError", &interp.types().value_error)
}

/// Every class of the module, for its namespace.
pub fn all(interp: &Interp) -> Vec<Rc<Class>> {
    vec![
        jax_type_error(interp),
        concretization(interp),
        tracer_bool(interp),
        tracer_integer(interp),
        tracer_array(interp),
        unexpected_tracer(interp),
        non_concrete_boolean_index(interp),
        jax_index(interp),
        jax_runtime(interp),
        key_reuse(interp),
    ]
}

/// `if tracer:`
pub fn boolean_conversion(cx: &Context<'_>, traced: &Traced) -> Box<Stop> {
    cx.interp.error_with(
        &tracer_bool(cx.interp),
        format!(
            "Attempted boolean conversion of traced array with shape {}.\n{}\nSee https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError",
            bare_type(traced),
            crate::blame::origin(cx, traced)
        ),
        Diagnosis {
            code: "PL306",
            message: Some(format!(
                "Python needs a known boolean here, but this is a traced value of type {}",
                bare_type(traced)
            )),
            help: Some(
                "use `pl.when(condition)` for effects, `jnp.where` for values, or `lax.cond` for both".to_string(),
            ),
            ..Diagnosis::default()
        },
    )
}

/// `int(tracer)`, `range(tracer)`, `list[tracer]`
pub fn integer_conversion(cx: &Context<'_>, traced: &Traced) -> Box<Stop> {
    cx.interp.error_with(
        &tracer_integer(cx.interp),
        format!(
            "The __index__() method was called on traced array with shape {}\n{}\nSee https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerIntegerConversionError",
            bare_type(traced),
            crate::blame::origin(cx, traced)
        ),
        Diagnosis {
            code: "PL307",
            message: Some(format!(
                "Python needs a known integer here, but this is a traced value of type {}",
                bare_type(traced)
            )),
            help: Some(
                "use `lax.fori_loop` for loops with traced bounds, and `pl.ds(start, size)` for slices".to_string(),
            ),
            ..Diagnosis::default()
        },
    )
}

/// `float(tracer)`, `np.asarray(tracer)`, `.item()`
pub fn concrete_value_needed(cx: &Context<'_>, traced: &Traced, what: &str) -> Box<Stop> {
    cx.interp.error_with(
        &concretization(cx.interp),
        format!(
            "Abstract tracer value encountered where concrete value is expected: traced array with shape {}\n{what}\n\
             {}\n\nSee https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError",
            bare_type(traced),
            crate::blame::origin(cx, traced)
        ),
        Diagnosis {
            code: "PL307",
            message: Some(format!(
                "Python needs a known value here, but this is a traced value of type {}",
                bare_type(traced)
            )),
            help: Some(
                "what a kernel reads is known only when it runs: compute with `jnp` and `lax`, and show values with \
                 `pl.debug_print`"
                    .to_string(),
            ),
            ..Diagnosis::default()
        },
    )
}

/// `jnp.zeros((n, 128))` where `n` is traced.
pub fn traced_shape(cx: &Context<'_>, message: String) -> Box<Stop> {
    cx.interp.error_with(
        &cx.interp.types().type_error,
        message,
        Diagnosis {
            code: "PL307",
            message: Some(
                "the shape of an array must be known while tracing, but this one depends on a traced value".to_string(),
            ),
            help: Some(
                "give the array the greatest length that can occur, and mask what is too much: \
                 `jnp.where(jax.lax.iota(jnp.int32, N) < n, x, 0)`"
                    .to_string(),
            ),
            ..Diagnosis::default()
        },
    )
}

/// `float32[8,128]`, as messages print types.
fn bare_type(traced: &Traced) -> String {
    type_text(&traced.ty)
}

/// `float32[8,128]`, as tracers print their types, without the mark of weak types.
pub fn type_text(ty: &pallas_ir::TensorType) -> String {
    let dims: Vec<String> = ty.shape.iter().map(usize::to_string).collect();
    format!("{}[{}]", ty.dtype.name(), dims.join(","))
}
