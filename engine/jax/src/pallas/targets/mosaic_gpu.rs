//! `jax.experimental.pallas.mosaic_gpu`, as far as launches with blocks go.

use crate::pallas::{access, add_functions, memory, record, spec};
use crate::python_types;
use pallas_ir::MemorySpace;
use pallas_python::module::ModuleDef;
use pallas_syntax::ast::Name;

const NAME: &str = "jax.experimental.pallas.mosaic_gpu";

/// `jax.experimental.pallas.mosaic_gpu`
pub(super) static MODULE: ModuleDef = ModuleDef {
    name: NAME,
    doc: "Pallas for GPUs through Mosaic.",
    functions: &[],
    populate: |interp, namespace| {
        add_functions(namespace, NAME, access::VIEW_FUNCTIONS);
        python_types::populate(interp, namespace, &[], &[&record::GPU_COMPILER_PARAMS]);
        namespace.insert(Name::from("MemorySpace"), memory::gpu_spaces(interp));
        for (name, space) in [("GMEM", MemorySpace::Gmem), ("SMEM", MemorySpace::Shared)] {
            namespace.insert(Name::from(name), memory::space_value(space));
        }
        for (name, value) in spec::exports(interp) {
            if name == "BlockSpec" {
                namespace.insert(Name::from(name), value);
            }
        }
    },
};
