//! Kernels on a GPU, through the built binary, without one: the driver and NVRTC are those of `tests/driver` and `tests/nvrtc`, under the
//! names that programs look for, so that all of the workbench's own code runs: how libraries are found and loaded, which calls are made
//! in which order and with what, and what is said of each that fails. Without the real NVRTC (PALLAS_CUDA_LIBRARIES) these tests are
//! skipped, and say so.

#![cfg(target_os = "linux")]

mod calls;
mod failures;
mod hangs;
mod runs;
mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Two launches of one kernel.
pub(crate) const DOUBLE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def double_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def call(x):
  return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


print(call(jnp.arange(8.0)))
print(jax.jit(call)(jnp.arange(6.0) + 1))
";

/// A machine with a GPU: a folder with the libraries, the logs, a cache and a program.
pub(crate) struct Machine {
    folder: TempDir,
    /// The real NVRTC.
    nvrtc: PathBuf,
}

/// The real NVRTC, where there is one.
fn nvrtc() -> Option<PathBuf> {
    let places = pallas_engine::cuda::Places::named_by(|name| std::env::var_os(name));
    let found = pallas_engine::cuda::find(&places).nvrtc;
    if found.is_none() {
        say("SKIPPED kernels on a virtual GPU: NVRTC, the compiler for CUDA C++, was not found");
    }
    found
}

#[allow(clippy::print_stderr, reason = "what was skipped")]
fn say(text: &str) {
    eprintln!("{text}");
}

impl Machine {
    /// One with a file `k.py`; none, after having said so, without NVRTC.
    pub(crate) fn with(text: &str) -> Option<Machine> {
        let nvrtc = nvrtc()?;
        let folder = tempfile::tempdir().expect("a folder");
        // Cargo leaves what a test depends on beside it.
        let test = std::env::current_exe().expect("a path");
        let built = |name: &str| test.parent().expect("a folder").join(name);
        // Not `libcuda.so.1`: NVRTC looks for that one, too, and calls what only a real driver has.
        for (library, name) in [("libpallas_driver.so", "libcuda.so"), ("libpallas_nvrtc.so", "libnvrtc.so.13")] {
            fs::copy(built(library), folder.path().join(name)).expect("cargo has built it");
        }
        fs::write(folder.path().join("k.py"), text).expect("written");
        Some(Machine { folder, nvrtc })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The variables of a process on this machine.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let path = |name: &str| self.path().join(name).display().to_string();
        vec![
            ("LD_LIBRARY_PATH", path("")),
            ("PALLAS_CUDA_LIBRARIES", path("")),
            ("XDG_CACHE_HOME", path("cache")),
            ("PALLAS_DRIVER_LOG", path("calls")),
            ("PALLAS_NVRTC_LOG", path("compiled")),
            ("PALLAS_NVRTC", self.nvrtc.display().to_string()),
        ]
    }

    /// Runs the binary; its log is that of this run alone.
    pub(crate) fn run(&self, arguments: &[&str], more: &[(&str, &str)]) -> Said {
        let _ = fs::remove_file(self.path().join("calls"));
        let output = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
            .args(arguments)
            .current_dir(self.path())
            .env_remove("PYTHONPATH")
            .env_remove("VIRTUAL_ENV")
            .envs(self.environment())
            .envs(more.iter().copied())
            .output()
            .expect("the binary starts");
        Said::of(&output)
    }

    /// The lines of a log; none where there is no such file.
    fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path().join(name)).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// What the driver was asked, and what it answered.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.lines("calls")
    }

    /// Names of the calls.
    pub(crate) fn names(&self) -> Vec<String> {
        let calls = self.calls();
        let name = |line: &String| line.starts_with("cu").then(|| line.split('(').next().unwrap_or("").to_string());
        calls.iter().filter_map(name).collect()
    }

    /// What was left when the process ended.
    pub(crate) fn left(&self) -> String {
        let calls = self.calls();
        let end = calls.iter().find_map(|line| line.strip_prefix("END, left: "));
        end.expect("the process has ended by itself").to_string()
    }

    /// How many programs NVRTC has compiled on this machine.
    pub(crate) fn compiled(&self) -> usize {
        self.lines("compiled").len()
    }
}

/// What a process said.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    fn of(output: &Output) -> Said {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}
