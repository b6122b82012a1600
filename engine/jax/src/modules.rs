//! The native modules of this crate, and their installation in an interpreter.

use pallas_python::imports::SourceRule;
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;

/// Every module, by family.
pub fn all() -> Vec<&'static ModuleDef> {
    let mut modules: Vec<&'static ModuleDef> = Vec::new();
    modules.extend(crate::api::MODULES);
    modules.extend(crate::jnp::MODULES);
    modules.extend(crate::lax::MODULES);
    modules.push(&crate::dtype::ML_DTYPES);
    modules.push(&crate::held::REF_MODULE);
    modules.extend(crate::nn::MODULES);
    modules.extend(crate::numpy::MODULES);
    modules.extend(crate::pallas::MODULES);
    modules.extend(crate::pallas::TARGET_MODULES);
    modules.extend(crate::random::MODULES);
    modules.extend(crate::transform::MODULES);
    modules.extend(crate::sharding::MODULES);
    modules
}

/// Packages that are compiled for the most part, or have nothing to say about kernels, are not evaluated from their files,
/// and of JAX itself only what is written on top of its public names.
const FROM_SOURCE: &[SourceRule] = &[
    ("jax", false),
    ("jax.example_libraries", true),
    ("jax.experimental", true),
    ("jaxlib", false),
    ("matplotlib", false),
    ("ml_dtypes", false),
    ("numpy", false),
    ("pandas", false),
    ("pkg_resources", false),
    ("scipy", false),
    ("setuptools", false),
    ("sklearn", false),
    ("tensorflow", false),
    ("torch", false),
    ("torch_xla", false),
    ("transformers", false),
    ("triton", false),
];

/// Makes every module importable.
pub fn install(interp: &Interp) {
    interp.set_source_rules(FROM_SOURCE);
    interp.set_known_names(crate::names::is_known);
    interp.register_embedded(crate::third_party::MODULES);
    for module in all() {
        interp.register(module);
    }
    interp.register_deferred(crate::lax::DEFERRED);
    interp.register_deferred(crate::pallas::DEFERRED);
    interp.register_embedded(crate::random::EMBEDDED);
    interp.register_embedded(crate::testing::MODULES);
    interp.register_embedded(crate::written::MODULES);
    interp.register_deferred(crate::written::DEFERRED);
    interp.register_embedded(crate::written::mosaic_gpu::MODULES);
    interp.register_deferred(crate::written::mosaic_gpu::DEFERRED);
    interp.register_embedded(crate::sharding::EMBEDDED);
    interp.register_deferred(crate::sharding::DEFERRED);
    interp.register_embedded(crate::uncalled::EMBEDDED);
}
