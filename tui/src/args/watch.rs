//! What `pallas-tui watch` takes.

use super::{MachineArg, Timing};
use clap::Args;
use std::path::PathBuf;

/// `pallas-tui watch`
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The Python file.
    pub(crate) file: PathBuf,
    /// Prints a line for each run to standard output, and no screen. What the file prints goes to standard error.
    #[arg(long)]
    pub(crate) headless: bool,
    /// Prints each line as a JSON object.
    #[arg(long, requires = "headless")]
    pub(crate) json: bool,
    /// A line of shell after each run that was not cancelled. It finds PALLAS_FILE, PALLAS_RUN, PALLAS_EXIT and PALLAS_LINE
    /// in its environment and the JSON object on its standard input; it is ended when the next save comes.
    #[arg(long, value_name = "COMMAND", requires = "headless")]
    pub(crate) exec: Option<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArg,
    /// Whether the programs of each launch are timed as they run.
    #[arg(long, value_enum, default_value_t = Timing::On, requires = "headless")]
    pub(crate) timing: Timing,
    /// Models what an analysis finds, and runs nothing.
    #[arg(long, conflicts_with = "timing")]
    pub(crate) no_run: bool,
    /// Asks every second whether a file has changed: for file systems that do not say so.
    #[arg(long, requires = "headless")]
    pub(crate) poll: bool,
    /// `sys.argv[1:]` of the file.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
}
