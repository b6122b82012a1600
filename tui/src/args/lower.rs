//! What `pallas-tui lower` takes.

use super::Backend;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `pallas-tui lower`
#[derive(Debug, Args)]
pub(crate) struct LowerArgs {
    /// The Python file.
    pub(crate) file: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Emit::Ir)]
    pub(crate) emit: Emit,
    /// The compute capability that code is made for: 80, 90, 100. Without it that of the device that a kernel is meant for: 100 for what is
    /// Blackwell's, 90 for everything else.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(75..=129))]
    pub(crate) capability: Option<u32>,
    /// By which way machine code is made; `auto` is `simt` here, where nothing is measured.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// Only the launches of this kernel.
    #[arg(long)]
    pub(crate) kernel: Option<String>,
}

/// What `lower` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// The kernel IR with its launch.
    Ir,
    /// Triton IR, as JAX lowers the Triton surface: a module for each launch.
    Ttir,
    /// What the threads of a GPU do, with where everything lies.
    Simt,
    /// CUDA C++, with the lines of the Pallas source that it comes from.
    Cuda,
    /// CUDA Tile IR, which NVIDIA's tile compiler takes; kernels that do not fit are refused.
    #[value(name = "tileir")]
    TileIr,
    /// PTX, as NVRTC makes it of the CUDA C++: needs NVRTC, and no GPU.
    Ptx,
    /// Machine code, with registers and spills: needs NVRTC (with `--backend tileir` tileiras) and nvdisasm, and no GPU.
    Sass,
}
