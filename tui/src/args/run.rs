//! What `pallas-tui run` takes.

use super::{Backend, DeviceArg};
use clap::Args;
use pallas_engine::{Schedule, TargetDevice};
use std::path::PathBuf;

/// `pallas-tui run`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The Python file.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) on: DeviceArg,
    /// By which way launches become machine code on a CUDA device: by measurement where both ways are there; kernels that are checked
    /// take `simt`.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// Runs each launch in interpret mode as well, and compares the outputs: integers exactly, floats to what their dtype can
    /// promise. Exits with 1 if they differ.
    #[arg(long)]
    pub(crate) verify: bool,
    /// Kernels on a device tell of positions outside of their Refs, which are otherwise moved inside or dropped without a word, and
    /// of elements that another program writes, too. A launch of which it is not proved that no result depends on memory that nobody has
    /// written, or on what lies past the end of an array, runs a second time there with other values in both.
    #[arg(long)]
    pub(crate) checked: bool,
    /// Kernels on a device tell of NaN that they store to outputs: what comes of padding, and of memory that nobody wrote.
    #[arg(long)]
    pub(crate) trap_nan: bool,
    /// Looks, while kernels run in interpret mode, for what was not proved of them: results that depend on memory that nobody has
    /// written or on what lies past the end of an array, and programs that race. What is proved costs nothing.
    #[arg(long)]
    pub(crate) strict: bool,
    /// The machine that the program is told it runs on: tpu-v5e, tpu-v5p, tpu-v6e, triton, hopper or blackwell. Its kernels are
    /// interpreted all the same; `pltpu.get_tpu_info()` and what devices are called answer as on that TPU.
    #[arg(long, value_name = "NAME", value_parser = TargetDevice::parse)]
    pub(crate) target: Option<TargetDevice>,
    /// Prints no findings.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Prints, after the program's own output, what was launched: grids, blocks, coverage, findings.
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) report: bool,
    /// Draws whose turn it is among those that act on each other (threads of Mosaic GPU kernels, cores, devices) and when their
    /// engines and copies are done with this seed; `late` has copies and products done as late as somebody waits for them.
    /// Without, each goes on until it has to wait, engines are done at once, and copies when the launch says.
    #[arg(long, value_name = "seed=N|late", value_parser = schedule)]
    pub(crate) schedule: Option<Schedule>,
    /// Runs the file under so many other schedules, and says which is the first that gives another result. What the program
    /// prints is shown once.
    #[arg(long, value_name = "COUNT", conflicts_with = "schedule")]
    pub(crate) explore: Option<u64>,
    /// How long other schedules are tried at most.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "explore")]
    pub(crate) explore_seconds: u64,
    /// `sys.argv[1:]` of the file.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
}

/// `seed=7`, `7`, or `late`.
fn schedule(text: &str) -> Result<Schedule, String> {
    if text == "late" {
        return Ok(Schedule { late: true, ..Schedule::default() });
    }
    let number = text.strip_prefix("seed=").unwrap_or(text);
    let seed = number.parse().map_err(|_| format!("`{text}` is not of the form seed=7, nor `late`"))?;
    Ok(Schedule { seed: Some(seed), ..Schedule::default() })
}
