//! `jax.experimental.pallas.mosaic_gpu`: memory spaces, options and specs. What kernels do while they go on is written in
//! Python (`written/mosaic_gpu`), on top of `agents`.

use crate::pallas::{memory, record, semaphore, spec};
use crate::python_types;
use pallas_python::module::ModuleDef;
use pallas_syntax::ast::Name;

const NAME: &str = "jax.experimental.pallas.mosaic_gpu";

/// `jax.experimental.pallas.mosaic_gpu`
pub(super) static MODULE: ModuleDef = ModuleDef {
    name: NAME,
    doc: "Pallas for GPUs through Mosaic.",
    functions: &[],
    populate: |interp, namespace| {
        crate::written::extend(NAME, namespace);
        python_types::populate(interp, namespace, &[&semaphore::GPU_SEMAPHORE_TYPE], &[&record::GPU_COMPILER_PARAMS]);
        namespace.insert(Name::from("MemorySpace"), memory::gpu_spaces(interp));
        python_types::members(interp, namespace, "MemorySpace", &["GMEM", "SMEM", "TMEM", "REGS"]);
        namespace.insert(Name::from("BlockSpec"), spec::gpu_block_spec(interp));
    },
};
