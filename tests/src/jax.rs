//! An installed JAX, for tests that compare with what it carries; they run only where there is one.

use pallas_engine::environment::Wanted;
use pallas_engine::{Disk, Environment};
use std::path::Path;

/// The release whose kernels and values are compared.
const JAX: &str = "0.10.2";

/// The environment that `PALLAS_PYTHON` names.
///
/// # Errors
/// Why there is none to use.
pub fn environment() -> Result<Environment, String> {
    let named = std::env::var("PALLAS_PYTHON").map_err(|_| "PALLAS_PYTHON names no Python environment".to_string())?;
    let wanted = Wanted { python: Some(&named), virtual_env: None, script: "" };
    let environment = Environment::find(&Disk, &wanted);
    if let Some(problem) = environment.problem {
        return Err(problem);
    }
    match environment.paths.iter().any(|path| Path::new(path).join(format!("jax-{JAX}.dist-info")).is_dir()) {
        true => Ok(environment),
        false => Err(format!("{named} has no JAX {JAX}")),
    }
}
