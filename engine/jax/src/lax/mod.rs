//! `jax.lax`: thin functions over the ops, without promotion beyond Python scalars, and structured control flow.

mod associative_scan;
mod collective;
pub mod control;
mod elementwise;
mod gathering;
pub(crate) mod precision;
pub(crate) mod primitives;
mod products;
mod shapes;

use crate::pallas::add_functions;
use pallas_python::module::ModuleDef;

/// `jax.lax`
pub static MODULES: &[&ModuleDef] = &[&LAX];

static LAX: ModuleDef = ModuleDef {
    name: "jax.lax",
    doc: "The operations of XLA.",
    functions: &[],
    populate: |interp, namespace| {
        for table in [
            collective::FUNCTIONS,
            control::FUNCTIONS,
            elementwise::UNARY,
            elementwise::BINARY,
            elementwise::MORE,
            shapes::FUNCTIONS,
            crate::sharding::LAX,
            products::FUNCTIONS,
            gathering::FUNCTIONS,
            gathering::SCATTERS,
        ] {
            add_functions(namespace, "jax.lax", table);
        }
        precision::populate(interp, namespace);
        gathering::populate(interp, namespace);
        crate::written::extend("jax.lax", namespace);
        primitives::populate(namespace);
    },
};
