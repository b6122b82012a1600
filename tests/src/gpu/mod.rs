//! What there is to measure on a GPU: whether launches give what interpret mode gives, how long the kernels of `benches/gpu` take,
//! what others take for the same work, and a table of all that. The program `gpu` puts it together; each part that asks a device
//! runs in a process of its own, since a kernel that does not end takes the device away from the process that started it.

pub mod child;
pub mod equal;
pub mod kernels;
pub mod measure;
pub mod peers;
pub mod table;

use pallas_engine::cuda::{Compiler, Nvrtc, Places, TileCompiler, find};
use pallas_engine::environment::Wanted;
use pallas_engine::{Analysis, AnalysisOptions, Disk, Environment, Launch};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What somebody hears: a key and a value, parted by a tab where they are lines of a process.
pub type Say<'a> = &'a mut dyn FnMut(&str, &str);

/// Where NVIDIA's libraries and tools are: what the environment names, then the packages of a Python environment.
pub fn places(python: Option<&Path>) -> Places {
    let named = python.map(|python| python.display().to_string());
    let wanted = Wanted { python: named.as_deref(), virtual_env: None, script: "" };
    let packages = Environment::find(&Disk, &wanted).paths.iter().map(PathBuf::from).collect();
    Places { packages, ..crate::cuda::places() }
}

/// NVRTC, with nothing kept: what it compiles is what is measured.
///
/// # Errors
/// What is missing, and how it is installed.
pub fn compiler(places: &Places) -> Result<Compiler, String> {
    let nvrtc = Nvrtc::load(find(places).nvrtc.as_deref());
    let help = "install it with `pip install nvidia-cuda-nvrtc`, and name the environment with --python";
    Ok(Compiler::new(nvrtc.map_err(|error| format!("{error}: {help}"))?, None))
}

/// The compiler of CUDA Tile IR.
///
/// # Errors
/// What is missing.
pub fn tiles(places: &Places) -> Result<TileCompiler, String> {
    TileCompiler::new(&find(places), &std::env::temp_dir(), None).map_err(|error| error.to_string())
}

/// The launches of a program, with all that is known of them without running.
///
/// # Errors
/// The file cannot be read.
pub fn launches(path: &Path) -> Result<Vec<Arc<Launch>>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut options = AnalysisOptions { fuel: 50_000_000, ..AnalysisOptions::new(Arc::new(Disk)) };
    options.import_paths = path.parent().map(|folder| folder.display().to_string()).into_iter().collect();
    Ok(Analysis::new(&path.display().to_string(), &text, &options).launches)
}
