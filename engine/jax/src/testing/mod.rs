//! What JAX's own tests import beside its public modules: `jax._src.test_util` and its kin, and those private modules that
//! the Pallas tests name. They are Python over the public modules (see [`pallas_python::embedded`]).
//!
//! The private modules here hold only what tests use; programs have no business there.

use pallas_python::embedded::EmbeddedModule;

macro_rules! module {
    ($name:literal, $file:literal) => {
        EmbeddedModule { name: $name, text: include_str!($file), is_package: false }
    };
}

/// Every module.
pub static MODULES: &[EmbeddedModule] = &[
    module!("jax._src.test_util", "test_util.py"),
    module!("jax._src.public_test_util", "public_test_util.py"),
    module!("jax._src.test_loader", "test_loader.py"),
    module!("jax.test_util", "jax_test_util.py"),
    module!("jax._src.hypothesis_test_util", "hypothesis_test_util.py"),
    module!("jax._src.pallas.pallas_test_util", "pallas_test_util.py"),
    module!("jax._src.api_util", "private/api_util.py"),
    module!("jax.api_util", "private/api_util.py"),
    module!("jax._src.core", "private/core.py"),
    module!("jax._src.dtypes", "private/dtypes.py"),
    module!("jax._src.hijax", "private/hijax.py"),
    module!("jax._src.interpreters.partial_eval", "private/partial_eval.py"),
    module!("jax.interpreters.partial_eval", "private/partial_eval.py"),
    module!("jax._src.linear_util", "private/linear_util.py"),
    module!("jax.extend.linear_util", "private/linear_util.py"),
    module!("jax._src.pallas.mosaic.error_handling", "private/mosaic_error_handling.py"),
    EmbeddedModule {
        name: "jax._src.pallas.mosaic.interpret",
        text: include_str!("private/interpreter_package.py"),
        is_package: true,
    },
    module!("jax._src.pallas.mosaic.interpret.interpret_pallas_call", "private/interpreter.py"),
    module!("jax._src.pallas.mosaic.interpret.utils", "private/interpreter_utils.py"),
    EmbeddedModule {
        name: "jax._src.pallas.mosaic_gpu.interpret",
        text: include_str!("private/interpreter_package.py"),
        is_package: true,
    },
    module!("jax._src.pallas.mosaic_gpu.interpret.interpret_pallas_call", "private/interpreter_gpu.py"),
    module!("jax._src.pallas.mosaic.tpu_info", "private/tpu_info.py"),
    module!("jax._src.pallas.triton.core", "private/triton_core.py"),
    module!("jax._src.pallas.pallas_call", "private/pallas_call.py"),
    module!("jax._src.pallas.primitives", "private/pallas_primitives.py"),
    module!("jax._src.state", "private/state.py"),
    module!("jax._src.state.discharge", "private/state_discharge.py"),
    module!("jax._src.state.indexing", "private/state_indexing.py"),
    module!("jax._src.state.utils", "private/state_utils.py"),
    module!("jax.experimental.mosaic", "private/mosaic.py"),
    EmbeddedModule {
        name: "jax.experimental.mosaic.gpu",
        text: include_str!("private/mosaic_gpu.py"),
        is_package: true,
    },
    module!("jax.experimental.mosaic.gpu.profiler", "private/mosaic_gpu_profiler.py"),
    module!("jax._src.util", "private/util.py"),
];
