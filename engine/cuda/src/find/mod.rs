//! Where NVIDIA's libraries and tools are: folders in order, and the first file that fits in each. Nothing is loaded here.

mod candidates;

pub use candidates::{library_folders, tool_folders};

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where a front end was told to look: what the environment of the process says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// A folder that the user names for this purpose, first of all.
    pub named: Option<PathBuf>,
    /// `CUDA_HOME`, `CUDA_PATH`: folders of a toolkit.
    pub toolkits: Vec<PathBuf>,
    /// Folders of Python packages: NVIDIA's wheels put their files there.
    pub packages: Vec<PathBuf>,
    /// Folders of programs: `PATH`.
    pub programs: Vec<PathBuf>,
}

impl Places {
    /// What variables of an environment say, by `variable`, which has nothing for those that are not set or empty:
    /// `PALLAS_CUDA_LIBRARIES`, `CUDA_HOME`, `CUDA_PATH`. Packages and programs are left to the caller.
    pub fn named_by(variable: impl Fn(&str) -> Option<OsString>) -> Places {
        let folder = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Places {
            named: folder("PALLAS_CUDA_LIBRARIES"),
            toolkits: ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(folder).collect(),
            ..Places::default()
        }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The library file of NVRTC; without one, the loader may still know its name.
    pub nvrtc: Option<PathBuf>,
    /// The compiler of CUDA Tile IR.
    pub tileiras: Option<PathBuf>,
    /// The assembler.
    pub ptxas: Option<PathBuf>,
    /// The disassembler.
    pub nvdisasm: Option<PathBuf>,
}

/// Looks at every place, in order.
pub fn find(places: &Places) -> Found {
    Found {
        nvrtc: library_folders(places).iter().find_map(|folder| newest(folder, "libnvrtc.so")),
        tileiras: tool(places, "tileiras"),
        ptxas: tool(places, "ptxas"),
        nvdisasm: tool(places, "nvdisasm"),
    }
}

fn tool(places: &Places, name: &str) -> Option<PathBuf> {
    tool_folders(places).into_iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The file `name`, or the one with the highest version after it: `libnvrtc.so.13` before `libnvrtc.so.12`.
pub(crate) fn newest(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut files: Vec<(Vec<u32>, PathBuf)> = entries(folder)
        .into_iter()
        .filter_map(|path| {
            let file = path.file_name()?.to_str()?;
            let version = file.strip_prefix(name)?;
            let version: Vec<u32> = match version.strip_prefix('.') {
                None if version.is_empty() => Vec::new(),
                None => return None,
                Some(numbers) => numbers.split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?,
            };
            Some((version, path))
        })
        .collect();
    files.sort();
    files.pop().map(|(_, path)| path)
}

/// Library files that NVRTC opens by name once it compiles; they stand beside it.
pub(crate) fn builtins(nvrtc: &Path) -> Vec<PathBuf> {
    let Some(folder) = nvrtc.parent() else { return Vec::new() };
    let mut files = entries(folder);
    files.retain(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("libnvrtc-builtins.so"))
    });
    files.sort();
    files
}

/// What a folder holds; nothing where there is none.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn touch(root: &Path, file: &str) -> PathBuf {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, "").expect("written");
        path
    }

    #[test]
    fn nothing_is_found_on_a_machine_without_cuda() {
        let empty = tempfile::tempdir().expect("a folder");
        let places = Places { packages: vec![empty.path().join("missing")], ..Places::default() };
        // The toolkit of the machine that runs this test, if any, is looked for as well.
        let found = find(&places);
        assert!(found.nvrtc.is_none_or(|file| file.starts_with("/usr/local")));
    }

    #[test]
    fn what_the_user_names_goes_before_a_toolkit_and_that_before_wheels() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path();
        let wheel = touch(root, "site/nvidia/cu13/lib/libnvrtc.so.13");
        let old = touch(root, "site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        let ptxas = touch(root, "site/nvidia/cu13/bin/ptxas");
        let mut places = Places { packages: vec![root.join("site")], ..Places::default() };
        assert_eq!(find(&places).nvrtc.as_ref(), Some(&wheel));
        assert_eq!(find(&places).ptxas, Some(ptxas));
        fs::remove_file(&wheel).expect("removed");
        assert_eq!(find(&places).nvrtc, Some(old));
        let toolkit = touch(root, "cuda/lib64/libnvrtc.so.12");
        let newer = touch(root, "cuda/lib64/libnvrtc.so.13.0.88");
        touch(root, "cuda/lib64/libnvrtc.alt.so.13");
        places.toolkits = vec![root.join("cuda")];
        assert_eq!(find(&places).nvrtc, Some(newer.clone()), "and not {}", toolkit.display());
        let named = touch(root, "mine/libnvrtc.so");
        places.named = Some(root.join("mine"));
        assert_eq!(find(&places).nvrtc, Some(named));
    }

    #[test]
    fn tools_are_also_looked_for_among_programs() {
        let root = tempfile::tempdir().expect("a folder");
        let file = touch(root.path(), "bin/tileiras");
        let places = Places { programs: vec![root.path().join("bin")], ..Places::default() };
        assert_eq!(find(&places).tileiras, Some(file));
    }

    #[test]
    fn builtins_stand_beside_the_library() {
        let root = tempfile::tempdir().expect("a folder");
        let library = touch(root.path(), "libnvrtc.so.13");
        let file = touch(root.path(), "libnvrtc-builtins.so.13.0");
        assert_eq!(builtins(&library), [file]);
    }
}
