//! What `pallas-tui profile` and `compare` take.

use super::{Backend, DeviceArg, MachineArg, Timing};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `pallas-tui profile`
#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    /// The Python file. What it prints goes to standard error, so that standard output holds the report alone.
    pub(crate) file: PathBuf,
    /// Writes the whole report as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Writes a trace that Perfetto and Chrome open; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// How the report is printed. By default as text, unless it is written elsewhere.
    #[arg(long, value_enum)]
    pub(crate) report: Option<ReportFormat>,
    #[command(flatten)]
    pub(crate) machine: MachineArg,
    #[command(flatten)]
    pub(crate) on: DeviceArg,
    /// By which way launches become machine code on a CUDA device. `simt` alone notes what programs do; with `auto` the way that `run`
    /// takes is measured, beside the other one.
    #[arg(long, value_enum, default_value_t = Backend::Simt)]
    pub(crate) backend: Backend,
    /// Whether the programs of each launch are timed as they run.
    #[arg(long, value_enum, default_value_t = Timing::On)]
    pub(crate) timing: Timing,
    /// Models what an analysis finds, and runs nothing.
    #[arg(long, conflicts_with = "timing")]
    pub(crate) no_run: bool,
    /// `sys.argv[1:]` of the file.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For terminals and logs.
    Text,
    /// Markdown, for issues and reviews.
    Md,
}

/// `pallas-tui compare`
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The report before.
    pub(crate) before: PathBuf,
    /// The report after.
    pub(crate) after: PathBuf,
    /// Exits with 1 if the time of a launch grew by more than this: `5%`.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) fail_above: Option<f64>,
}

/// `5%` or `5` as a share.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number / 100.0),
        _ => Err("a percentage is expected, such as `5%`".to_string()),
    }
}
