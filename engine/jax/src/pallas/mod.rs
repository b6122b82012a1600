//! `jax.experimental.pallas` and its targets' modules: launches, specs, Refs' helpers, memory spaces.

pub mod access;
pub mod agents;
pub mod asynchronous;
mod cache;
pub mod call;
pub mod cost;
pub mod debug;
pub mod enumerations;
pub mod interpretation;
pub mod launch;
pub mod memory;
pub mod mesh;
pub mod program;
pub mod record;
pub(crate) mod scalars;
pub mod scoped;
pub mod semaphore;
pub mod slice;
pub mod spec;
mod targets;
pub mod tpu_info;

use crate::python_types;
use pallas_ir::MemorySpace;
use pallas_python::class::Namespace;
use pallas_python::deferred_names;
use pallas_python::embedded::DeferredName;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{NativeDef, NativeFunction};
use pallas_python::value::Value;
use pallas_syntax::ast::Name;

/// `jax.experimental.pallas`
pub static MODULES: &[&ModuleDef] = &[
    &EXPERIMENTAL,
    &PALLAS,
    &PLAIN,
    &asynchronous::copies::PRIVATE_MODULE,
    &asynchronous::pipeline::GRIDS,
    &agents::MODULE,
];

/// Classes of plain data, which most programs do without: they are made when somebody asks for one.
static PLAIN: ModuleDef = ModuleDef {
    name: PLAIN_NAME,
    doc: "Enumerations and records of pallas.",
    functions: &[],
    populate: |interp, namespace| {
        let enumerations = [&enumerations::DEVICE_ID_TYPE, &enumerations::REVISIT_MODE];
        python_types::populate(interp, namespace, &enumerations, &[&record::COST_ESTIMATE]);
    },
};

const PLAIN_NAME: &str = "jax._src.pallas.plain";

/// Where the module has them from.
pub static DEFERRED: &[DeferredName] =
    &deferred_names! { NAME, PLAIN_NAME => "DeviceIdType", "RevisitMode", "CostEstimate" };

/// The modules of its targets.
pub static TARGET_MODULES: &[&ModuleDef] = targets::MODULES;

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
        debug::FUNCTIONS,
        mesh::FUNCTIONS,
        asynchronous::semaphores::FUNCTIONS,
        cost::FUNCTIONS,
    ] {
        add_functions(namespace, NAME, table);
    }
    crate::written::extend(NAME, namespace);
    for (name, value) in spec::exports(interp) {
        namespace.insert(Name::from(name), value);
    }
    namespace.insert(Name::from("Slice"), slice::class(interp));
    namespace.insert(Name::from("MemoryRef"), memory::memory_ref_class(interp));
    namespace.insert(Name::from("ANY"), memory::space_value(MemorySpace::Any));
    namespace.insert(Name::from("MemorySpace"), memory::core_spaces(interp));
    namespace.insert(Name::from("HOST"), memory::space_value(MemorySpace::Host));
}

/// Adds the functions of a table to a namespace.
pub(crate) fn add_functions(namespace: &mut Namespace, module: &'static str, table: &'static [NativeDef]) {
    for def in table {
        namespace.insert(Name::from(def.name), Value::Native(NativeFunction::new(def, module)));
    }
}
