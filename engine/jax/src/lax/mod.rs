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
use pallas_python::deferred_names;
use pallas_python::embedded::DeferredName;
use pallas_python::module::ModuleDef;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// `jax.lax`
pub static MODULES: &[&ModuleDef] = &[&LAX, &PLAIN];

/// Classes of plain data, which most programs do without: they are made when somebody asks for one.
static PLAIN: ModuleDef = ModuleDef {
    name: PLAIN_NAME,
    doc: "Enumerations and records of jax.lax.",
    functions: &[],
    populate: |interp, namespace| {
        precision::populate(interp, namespace);
        gathering::populate(interp, namespace);
    },
};

const PLAIN_NAME: &str = "jax._src.lax.plain";

/// Where the module has them from.
pub static DEFERRED: &[DeferredName] = &deferred_names! {
    "jax.lax", PLAIN_NAME =>
    "Precision", "DotAlgorithmPreset", "RoundingMethod", "GatherScatterMode", "GatherDimensionNumbers",
    "ScatterDimensionNumbers",
};

static LAX: ModuleDef = ModuleDef {
    name: "jax.lax",
    doc: "The operations of XLA.",
    functions: &[],
    populate: |_interp, namespace| {
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
        crate::written::extend("jax.lax", namespace);
        primitives::populate(namespace);
    },
};

/// Operands that a function takes as a sequence.
fn tiles(cx: &Context<'_>, values: &Value, function: &str) -> PyResult<Vec<Tile>> {
    cx.interp.collect(values)?.iter().map(|v| convert::operand(cx, v, function)).collect()
}
