//! `jax.lax`: thin functions over the ops, without promotion beyond Python scalars, and structured control flow.

mod associative_scan;
pub(crate) mod collective;
pub mod control;
mod elementwise;
mod gathering;
pub(crate) mod precision;
pub(crate) mod primitives;
mod products;
mod reductions;
mod shapes;
mod slicing;
mod sorting;

use crate::context::Context;
use crate::convert;
use crate::pallas::add_functions;
use crate::tile::Tile;
use pallas_python::module::ModuleDef;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

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
            slicing::FUNCTIONS,
            reductions::FUNCTIONS,
            sorting::FUNCTIONS,
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

/// Operands that a function takes as a sequence.
fn tiles(cx: &Context<'_>, values: &Value, function: &str) -> PyResult<Vec<Tile>> {
    cx.interp.collect(values)?.iter().map(|v| convert::operand(cx, v, function)).collect()
}
