//! `jax.checkpoint` (`jax.remat`): says what to keep and what to compute again on the way back. The values are the same
//! either way, so the function is called as it is.

use super::object::{Transformation, transformed};
use crate::context::Context;
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

const SIGNATURE: &str = "(fun=None, /, *, prevent_cse=True, policy=None, static_argnums=(), concrete=False)";

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "checkpoint",
        signature: SIGNATURE,
        doc: "A function whose derivatives compute again what they need.",
        run: checkpoint,
    },
    NativeDef {
        name: "remat",
        signature: SIGNATURE,
        doc: "A function whose derivatives compute again what they need.",
        run: checkpoint,
    },
];

struct Checkpoint;

fn checkpoint(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let function = args.get(0).clone();
    if function.is_none() || function.is_unset() {
        return transformed_later(interp);
    }
    transformed(interp, function, Checkpoint)
}

/// `jax.checkpoint(policy=...)`: waits for its function.
fn transformed_later(interp: &Interp) -> PyResult<Value> {
    let module = interp.import("jax")?;
    interp.get_attr(&module, "checkpoint")
}

impl Transformation for Checkpoint {
    fn call(&self, cx: &Context<'_>, function: &Value, args: CallArgs) -> PyResult<Value> {
        cx.interp.call(function, args)
    }
}
