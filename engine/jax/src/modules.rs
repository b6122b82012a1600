//! The native modules of this crate, and their installation in an interpreter.

use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;

/// Every module, by family.
pub fn all() -> Vec<&'static ModuleDef> {
    let mut modules: Vec<&'static ModuleDef> = Vec::new();
    modules.extend(crate::api::MODULES);
    modules.extend(crate::jnp::MODULES);
    modules.extend(crate::lax::MODULES);
    modules.extend(crate::nn::MODULES);
    modules.extend(crate::numpy::MODULES);
    modules.extend(crate::pallas::MODULES);
    modules.extend(crate::random::MODULES);
    modules
}

/// Makes every module importable.
pub fn install(interp: &Interp) {
    for module in all() {
        interp.register(module);
    }
}
