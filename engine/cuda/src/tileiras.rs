//! CUDA Tile IR to machine code, by NVIDIA's tile compiler where it is installed: from the cache, or by starting it. It wants its
//! assembler (`ptxas`) beside it, and `libnvvm` in the folder of libraries next to that.

use crate::cache::{Cache, Key};
use crate::find::{Found, newest};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Why there is no machine code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileError {
    /// It is not installed.
    #[error("there is no tileiras, NVIDIA's tile compiler: install it with `{INSTALL}`")]
    Missing,
    /// What it needs is not there.
    #[error("`{tool}` lacks {what}: install it with `{INSTALL}`, all of one version")]
    Lacks {
        /// The program.
        tool: PathBuf,
        /// What is missing.
        what: &'static str,
    },
    /// It could not be started, or its files not be written.
    #[error("`{tool}` cannot be run: {why}")]
    Run {
        /// The program.
        tool: PathBuf,
        /// What the system said.
        why: String,
    },
    /// It refused the module.
    #[error("`{tool}` refuses the Tile IR: {said}")]
    Refused {
        /// The program.
        tool: PathBuf,
        /// What it said.
        said: String,
    },
}

/// What brings it.
const INSTALL: &str = "pip install nvidia-cuda-tileiras nvidia-cuda-nvcc nvidia-nvvm";

/// The compiler, with what it made before.
#[derive(Clone, Debug)]
pub struct TileCompiler {
    tool: PathBuf,
    version: String,
    folder: PathBuf,
    cache: Option<Cache>,
}

/// Machine code of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileCode {
    /// The CUBIN.
    pub cubin: Vec<u8>,
    /// Whether it was kept from earlier.
    pub cached: bool,
}

impl TileCompiler {
    /// The compiler that was found. Files that it reads and writes are put into a folder for as long as it takes.
    ///
    /// # Errors
    /// It, or what it needs, is not there.
    pub fn new(found: &Found, folder: &Path, cache: Option<Cache>) -> Result<TileCompiler, TileError> {
        let tool = found.tileiras.clone().ok_or(TileError::Missing)?;
        let lacks = |what| TileError::Lacks { tool: tool.clone(), what };
        let beside = tool.parent().unwrap_or(Path::new("."));
        if !beside.join("ptxas").is_file() {
            return Err(lacks("ptxas beside it"));
        }
        let libraries = [beside.join("../lib"), beside.join("../lib64"), beside.join("../nvvm/lib64")];
        if !libraries.iter().any(|folder| newest(folder, "libnvvm.so").is_some()) {
            return Err(lacks("libnvvm in the folder of libraries next to it"));
        }
        let failed = |error: std::io::Error| TileError::Run { tool: tool.clone(), why: error.to_string() };
        let output = Command::new(&tool).arg("--version").output().map_err(failed)?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_string();
        Ok(TileCompiler { tool, version, folder: folder.to_path_buf(), cache })
    }

    /// What it says of itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Where what is made is kept.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Compiles a module for a compute capability, such as 90.
    ///
    /// # Errors
    /// What it said.
    pub fn compile(&self, bytecode: &[u8], capability: u32) -> Result<TileCode, TileError> {
        let architecture = format!("sm_{capability}");
        let key = Key::of(["tileir", self.version.as_str(), architecture.as_str()], bytecode);
        if let Some(cubin) = self.cache.as_ref().and_then(|cache| cache.get(key)) {
            return Ok(TileCode { cubin, cached: true });
        }
        let cubin = self.started(bytecode, &architecture)?;
        if let Some(cache) = &self.cache {
            // A folder that cannot be written costs time, not the run.
            let _ = cache.put(key, &cubin);
        }
        Ok(TileCode { cubin, cached: false })
    }

    fn started(&self, bytecode: &[u8], architecture: &str) -> Result<Vec<u8>, TileError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let failed = |error: std::io::Error| TileError::Run { tool: self.tool.clone(), why: error.to_string() };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("pallas-{}-{number}", std::process::id());
        let (from, to) = (self.folder.join(format!("{name}.tileirbc")), self.folder.join(format!("{name}.tile.cubin")));
        std::fs::write(&from, bytecode).map_err(failed)?;
        let run = Command::new(&self.tool)
            .args(["--gpu-name", architecture, "--opt-level", "3", "--lineinfo", "--output-file"])
            .args([&to, &from])
            .output();
        let cubin = std::fs::read(&to);
        // What is left there harms nobody.
        let _ = std::fs::remove_file(&from);
        let _ = std::fs::remove_file(&to);
        let output = run.map_err(failed)?;
        if output.status.success() {
            return cubin.map_err(failed);
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
        let said = if said.is_empty() { output.status.to_string() } else { said };
        Err(TileError::Refused { tool: self.tool.clone(), said })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_what_brings_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let none = TileCompiler::new(&Found::default(), folder.path(), None).expect_err("nothing was found");
        assert!(none.to_string().contains("pip install nvidia-cuda-tileiras"), "{none}");
        let tool = folder.path().join("tileiras");
        std::fs::write(&tool, "").expect("written");
        let found = Found { tileiras: Some(tool), ..Found::default() };
        let lacks = |what: &str| {
            let error = TileCompiler::new(&found, folder.path(), None).expect_err("something is missing");
            assert!(matches!(error, TileError::Lacks { .. }) && error.to_string().contains(what), "{error}");
        };
        lacks("ptxas");
        std::fs::write(folder.path().join("ptxas"), "").expect("written");
        lacks("libnvvm");
    }
}
