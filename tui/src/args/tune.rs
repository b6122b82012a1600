//! What `pallas-tui tune` takes.

use super::{Backend, DeviceArg};
use clap::Args;
use pallas_engine::tune::Parameter;
use std::path::PathBuf;

/// `pallas-tui tune`
#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    /// The Python file.
    pub(crate) file: PathBuf,
    /// Only parameters of this function, and launches that stand in it.
    pub(crate) function: Option<String>,
    /// A parameter with the values to try. It is a name that is assigned, the default of a function's parameter, or an argument
    /// of a call.
    #[arg(long, value_name = "NAME=VALUE,...", value_parser = Parameter::parse)]
    pub(crate) param: Vec<Parameter>,
    /// Warps of a block, on a device; without, and without `--param`, 4 and 8.
    #[arg(long, value_name = "NUMBER,...", value_delimiter = ',')]
    pub(crate) warps: Vec<u32>,
    /// Slots of loops that copy ahead, on a device; without, and without `--param`, 2, 3 and 4.
    #[arg(long, value_name = "NUMBER,...", value_delimiter = ',')]
    pub(crate) stages: Vec<u32>,
    #[command(flatten)]
    pub(crate) on: DeviceArg,
    /// By which way launches become machine code on a CUDA device. With `auto` each point is measured both ways where tileiras is
    /// installed; warps and stages are told to `simt` alone.
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// How often each point is run in interpret mode; the shortest time counts.
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    pub(crate) rounds: usize,
    /// Writes all points as JSON; `-` is standard output, in the place of the table.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Puts the best values into the file.
    #[arg(long)]
    pub(crate) write: bool,
    /// `sys.argv[1:]` of the file.
    #[arg(last = true)]
    pub(crate) arguments: Vec<String>,
}
