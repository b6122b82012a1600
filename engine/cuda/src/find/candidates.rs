//! The folders to look in, in order: what the user names, a toolkit, Python's wheels, the usual places.

use super::{Places, entries};
use std::path::PathBuf;

/// Where wheels put libraries, below a folder of packages: of CUDA 13, then of CUDA 12.
const WHEEL_LIBRARIES: [&str; 2] = ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"];
/// Where wheels put programs. Triton brings an assembler of its own.
const WHEEL_TOOLS: [&str; 3] = ["nvidia/cu13/bin", "nvidia/cuda_nvcc/bin", "triton/backends/nvidia/bin"];
/// Where toolkits are installed.
const USUAL: &str = "/usr/local";

/// Toolkits in the usual place, the newest name first.
fn installed() -> Vec<PathBuf> {
    let mut folders = entries(USUAL.as_ref());
    folders.retain(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name == "cuda" || name.starts_with("cuda-"))
    });
    folders.sort();
    folders.reverse();
    folders
}

/// Folders of libraries.
pub fn library_folders(places: &Places) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = places.named.iter().cloned().collect();
    folders.extend(places.toolkits.iter().flat_map(|root| [root.join("lib64"), root.join("lib")]));
    for packages in &places.packages {
        folders.extend(WHEEL_LIBRARIES.iter().map(|folder| packages.join(folder)));
    }
    folders.extend(installed().iter().map(|root| root.join("lib64")));
    folders
}

/// Folders of programs.
pub fn tool_folders(places: &Places) -> Vec<PathBuf> {
    // Wheels have a folder of programs beside that of libraries.
    let named = |folder: &PathBuf| [Some(folder.clone()), folder.parent().map(|root| root.join("bin"))];
    let mut folders: Vec<PathBuf> = places.named.iter().flat_map(named).flatten().collect();
    folders.extend(places.toolkits.iter().map(|root| root.join("bin")));
    for packages in &places.packages {
        folders.extend(WHEEL_TOOLS.iter().map(|folder| packages.join(folder)));
    }
    folders.extend(places.programs.iter().cloned());
    folders.extend(installed().iter().map(|root| root.join("bin")));
    folders
}
