//! `jax.experimental.pallas` and its targets' modules: launches, specs, Refs' helpers, memory spaces.

pub mod access;
pub mod call;
pub mod launch;
pub mod memory;
pub mod program;
pub mod record;
pub mod scoped;
pub mod slice;
pub mod spec;
mod targets;

use pallas_ir::MemorySpace;
use pallas_python::class::Namespace;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{NativeDef, NativeFunction};
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

/// `jax.experimental.pallas` and its submodules.
pub static MODULES: &[&ModuleDef] =
    &[&EXPERIMENTAL, &PALLAS, &targets::TRITON, &targets::TPU, &targets::MOSAIC_GPU, &targets::GPU];

static EXPERIMENTAL: ModuleDef =
    ModuleDef { name: "jax.experimental", doc: "Experimental parts of JAX.", functions: &[], populate: |_, _| {} };

static PALLAS: ModuleDef =
    ModuleDef { name: "jax.experimental.pallas", doc: "Kernels written in JAX.", functions: &[], populate };

const NAME: &str = "jax.experimental.pallas";

fn populate(interp: &Interp, namespace: &mut Namespace) {
    for table in [
        call::FUNCTIONS,
        program::FUNCTIONS,
        slice::FUNCTIONS,
        scoped::FUNCTIONS,
        access::FUNCTIONS,
        access::ATOMICS,
        targets::SHARED_FUNCTIONS,
    ] {
        add_functions(namespace, NAME, table);
    }
    for (name, value) in spec::exports(interp) {
        namespace.insert(Name::from(name), value);
    }
    namespace.insert(Name::from("Slice"), slice::class(interp));
    namespace.insert(Name::from("MemoryRef"), memory::memory_ref_class(interp));
    namespace.insert(Name::from("ANY"), memory::space_value(MemorySpace::Any));
    namespace.insert(Name::from("CostEstimate"), Value::Class(interp.native_class(&record::COST_ESTIMATE)));
}

/// Adds the functions of a table to a namespace.
pub(crate) fn add_functions(namespace: &mut Namespace, module: &'static str, table: &'static [NativeDef]) {
    for def in table {
        namespace.insert(Name::from(def.name), Value::Native(NativeFunction::new(def, module)));
    }
}
