//! `jax.random`: keys, and the distributions that kernels' launchers use, with JAX's own numbers
//! (jax/_src/random/core.py, Threefry, partitionable).

mod draws;
mod internals;
mod keys;

use crate::pallas::add_functions;
use pallas_python::embedded::EmbeddedModule;
use pallas_python::module::ModuleDef;

/// `jax.random`
pub static MODULES: &[&ModuleDef] = &[&RANDOM, &internals::THREEFRY];

/// What generators written in Python register themselves with.
pub static EMBEDDED: &[EmbeddedModule] =
    &[EmbeddedModule { name: "jax._src.random.prng", text: include_str!("prng.py"), is_package: false }];

static RANDOM: ModuleDef = ModuleDef {
    name: "jax.random",
    doc: "Random numbers from explicit keys.",
    functions: &[],
    populate: |_interp, namespace| {
        add_functions(namespace, "jax.random", keys::FUNCTIONS);
        add_functions(namespace, "jax.random", draws::FUNCTIONS);
        crate::written::extend("jax.random", namespace);
    },
};
