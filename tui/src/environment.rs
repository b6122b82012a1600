//! What the process's environment and the command line say about where imports come from.

use pallas_engine::cuda::Places;
use pallas_engine::environment::{Environment, Wanted};
use pallas_engine::{Disk, FileSystem, path_text};
use std::path::{Path, PathBuf};

/// `PYTHONPATH`
pub(crate) fn python_path() -> Vec<String> {
    let Some(paths) = std::env::var_os("PYTHONPATH") else { return Vec::new() };
    std::env::split_paths(&paths).map(|path| path_text(&path)).filter(|path| !path.is_empty()).collect()
}

/// Whether the terminal shows more than ASCII. `environment` gives the value of a variable. Without any locale variable the "C"
/// locale holds, which has not; but Windows has no such variables, and its consoles take Unicode whatever their code page is.
pub(crate) fn is_unicode(environment: impl Fn(&str) -> Option<String>, windows: bool) -> bool {
    let value = |name: &str| environment(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| value(name));
    locale.map_or(windows, |name| name.to_uppercase().replace('-', "").contains("UTF8"))
}

/// The Python environment of a program: `--python`, `VIRTUAL_ENV`, or the `.venv` around it.
///
/// # Errors
/// What `--python` names is none.
pub(crate) fn find(python: Option<&Path>, script: &Path) -> Result<Environment, String> {
    let named = python.map(path_text);
    let active = std::env::var("VIRTUAL_ENV").ok().filter(|folder| !folder.is_empty());
    let script = Disk.absolute(&path_text(script));
    let wanted = Wanted { python: named.as_deref(), virtual_env: active.as_deref(), script: &script };
    let found = Environment::find(&Disk, &wanted);
    match found.problem {
        Some(problem) => Err(format!("--python {problem}")),
        None => Ok(found),
    }
}

/// Where NVIDIA's libraries and tools are looked for: what the environment of the process names, then the Python environments.
pub(crate) fn cuda_places(python: Option<&Path>, script: &Path) -> Places {
    let mut packages: Vec<PathBuf> = Vec::new();
    if let Ok(environment) = find(python, script) {
        packages.extend(environment.paths.iter().map(PathBuf::from));
    }
    if let Some(conda) = std::env::var("CONDA_PREFIX").ok().filter(|folder| !folder.is_empty()) {
        let script = path_text(script);
        let wanted = Wanted { python: None, virtual_env: Some(&conda), script: &script };
        packages.extend(Environment::find(&Disk, &wanted).paths.iter().map(PathBuf::from));
    }
    Places {
        packages,
        programs: std::env::var_os("PATH").map_or_else(Vec::new, |paths| std::env::split_paths(&paths).collect()),
        ..Places::named_by(|name| std::env::var_os(name))
    }
}
