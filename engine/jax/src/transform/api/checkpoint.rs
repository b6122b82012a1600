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

/// Rows of `jax.ad_checkpoint`.
pub(super) static NAMES: &[NativeDef] = &[NativeDef {
    name: "checkpoint_name",
    signature: "(x, name)",
    doc: "`x` under a name that policies can speak of.",
    run: |_interp, args| {
        let [x, _name] = args.take();
        Ok(x)
    },
}];

/// A policy as a value: nothing asks it, since keeping and computing again give the same.
fn policy(interp: &Interp, _args: Arguments) -> PyResult<Value> {
    interp.get_attr(&interp.import("jax.checkpoint_policies")?, "everything_saveable")
}

/// Policies are functions of a primitive and its operands; families of them are functions of names.
macro_rules! policies {
    ($($name:literal $signature:literal $doc:literal;)*) => {
        &[$(NativeDef { name: $name, signature: $signature, doc: $doc, run: policy }),*]
    };
}

/// Rows of `jax.checkpoint_policies`.
pub(super) static POLICIES: &[NativeDef] = policies! {
    "everything_saveable" "(*args, **kwargs)" "Keeps everything.";
    "nothing_saveable" "(*args, **kwargs)" "Keeps nothing.";
    "dots_saveable" "(*args, **kwargs)" "Keeps products of matrices.";
    "checkpoint_dots" "(*args, **kwargs)" "Keeps products of matrices.";
    "dots_with_no_batch_dims_saveable" "(*args, **kwargs)" "Keeps products of matrices without batch dimensions.";
    "checkpoint_dots_with_no_batch_dims" "(*args, **kwargs)" "Keeps products of matrices without batch dimensions.";
    "offload_dot_with_no_batch_dims" "(offload_src, offload_dst)" "Moves products of matrices away.";
    "save_only_these_names" "(*names_which_can_be_saved)" "Keeps what has one of these names.";
    "save_any_names_but_these" "(*names_not_to_save)" "Keeps what has another name.";
    "save_anything_except_these_names" "(*names_not_to_save)" "Keeps what has not one of these names.";
    "save_and_offload_only_these_names" "(*, names_which_can_be_saved, names_which_can_be_offloaded, offload_src, offload_dst)" "Keeps or moves away what has one of these names.";
    "save_from_both_policies" "(policy_1, policy_2)" "Keeps what either keeps.";
};

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
        let _sealed = crate::transform::known::seal(cx);
        cx.interp.call(function, args)
    }
}
