//! The small modules beside `jax` that hold transformations: `jax.ad_checkpoint`, `jax.checkpoint_policies`,
//! `jax.custom_derivatives`, `jax.custom_batching`.

use super::{checkpoint, closure, custom_batching, custom_jvp, custom_vjp};
use crate::pallas::add_functions;
use pallas_python::module::ModuleDef;

/// The modules.
pub static MODULES: &[&ModuleDef] = &[&AD_CHECKPOINT, &CHECKPOINT_POLICIES, &CUSTOM_DERIVATIVES, &CUSTOM_BATCHING];

static AD_CHECKPOINT: ModuleDef = ModuleDef {
    name: "jax.ad_checkpoint",
    doc: "Names for what derivatives keep.",
    functions: &[],
    populate: |_interp, namespace| add_functions(namespace, "jax.ad_checkpoint", checkpoint::NAMES),
};

static CHECKPOINT_POLICIES: ModuleDef = ModuleDef {
    name: "jax.checkpoint_policies",
    doc: "What derivatives keep and what they compute again.",
    functions: &[],
    populate: |_interp, namespace| add_functions(namespace, "jax.checkpoint_policies", checkpoint::POLICIES),
};

static CUSTOM_DERIVATIVES: ModuleDef = ModuleDef {
    name: "jax.custom_derivatives",
    doc: "Functions whose derivatives are defined by the program.",
    functions: &[],
    populate: |_interp, namespace| {
        for table in [custom_jvp::FUNCTIONS, custom_vjp::FUNCTIONS, closure::FUNCTIONS] {
            add_functions(namespace, "jax.custom_derivatives", table);
        }
        crate::written::extend("jax.custom_derivatives", namespace);
    },
};

static CUSTOM_BATCHING: ModuleDef = ModuleDef {
    name: "jax.custom_batching",
    doc: "Functions whose mapping is defined by the program.",
    functions: &[],
    populate: |_interp, namespace| add_functions(namespace, "jax.custom_batching", custom_batching::FUNCTIONS),
};
