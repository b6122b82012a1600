//! The command line: what was typed, a file for each subcommand that takes much. What it means is in `commands`.

mod check;
mod examples;
mod lower;
mod modelled;
mod picture;
mod profile;
mod run;
mod test;
mod tune;
mod watch;

pub(crate) use check::{CheckArgs, OutputFormat};
pub(crate) use examples::EXAMPLES;
pub(crate) use lower::{Emit, LowerArgs};
pub(crate) use modelled::{DeviceArg, MachineArg};
pub(crate) use picture::PictureArgs;
pub(crate) use profile::{CompareArgs, ProfileArgs, ReportFormat};
pub(crate) use run::RunArgs;
pub(crate) use test::{TestArgs, TestFormat};
pub(crate) use tune::TuneArgs;
pub(crate) use watch::WatchArgs;

use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Runs, checks, profiles and watches Pallas kernels, without Python or JAX.
#[derive(Debug, Parser)]
#[command(name = "pallas-tui", version, about, arg_required_else_help = true)]
#[command(args_conflicts_with_subcommands = true, max_term_width = 120)]
pub(crate) struct Cli {
    /// What to do; without one, FILE is opened in the terminal program.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Opens the file in the terminal program, and runs it again on every save.
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

impl Cli {
    /// What was typed; an error has what to print, and whether that is help.
    pub(crate) fn typed() -> Result<Cli, clap::Error> {
        // Examples are laid out for whoever reads them, not for every command that runs.
        match Cli::command().try_get_matches() {
            Ok(matches) => Cli::from_arg_matches(&matches),
            Err(_) => Cli::from_arg_matches(&command().try_get_matches()?),
        }
    }
}

/// The command line with its examples.
pub(crate) fn command() -> clap::Command {
    let mut command = Cli::command();
    let bold = *command.get_styles().get_header();
    for (name, examples) in examples::EXAMPLES {
        let text = examples::below_help(examples, bold);
        command = match *name {
            "" => command.after_long_help(text),
            name => command.mut_subcommand(name, |subcommand| subcommand.after_help(text)),
        };
    }
    for name in WITHOUT_PROGRAM {
        // Taken everywhere, so that it may stand in an alias; shown where it does something.
        let python = Arg::new("python").long("python").value_parser(clap::value_parser!(PathBuf)).hide(true);
        command = command.mut_subcommand(name, |subcommand| subcommand.arg(python));
    }
    command
}

/// Subcommands that evaluate no program, and import nothing.
const WITHOUT_PROGRAM: [&str; 4] = ["explain", "compare", "completions", "manual"];

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a file as `python FILE` with JAX would: same output, same exit code.
    Run(RunArgs),
    /// Evaluates files without running them, and prints what is wrong. Exits with 1 if anything is.
    Check(CheckArgs),
    /// Runs the tests of files as `pytest` does, without Python or JAX: functions with fixtures and parameters, and unittest.
    ///
    /// Exits with 0; with 1 if a test fails or something is found in a kernel; with 2 if a file cannot be imported; with 4 if what was
    /// asked cannot be done; with 5 if there are no tests.
    Test(TestArgs),
    /// Runs a file and reports where the time of its launches goes: measured here, and modelled on a machine.
    ///
    /// Exits with 0; with 1 if the program fails or launches no kernel; with 2 if what was asked cannot be done.
    Profile(ProfileArgs),
    /// Runs a file again with every save of it or of a module that it imported, and compares each run with the last.
    Watch(WatchArgs),
    /// Draws a view of the terminal program as an SVG picture, without a terminal.
    Picture(PictureArgs),
    /// Compares two reports of `profile --json`, launch by launch.
    ///
    /// Exits with 0; with 1 if a time grew by more than `--fail-above`; with 2 if the reports cannot be read or compared.
    Compare(CompareArgs),
    /// Runs a file with other block sizes, warps or stages, and says which are the quickest. Writes nothing unless asked.
    ///
    /// Exits with 0; with 1 if no point could be measured; with 2 if what was asked cannot be done; with 130 after Ctrl-C, which
    /// keeps what was measured.
    Tune(TuneArgs),
    /// Prints what a file's kernels are lowered to.
    Lower(LowerArgs),
    /// Explains a rule, such as PL120 or block-out-of-bounds.
    Explain(ExplainArgs),
    /// Says what this machine has to offer.
    Doctor(DoctorArgs),
    /// Prints what a shell needs to complete commands, options and their values.
    Completions(CompletionsArgs),
    /// Prints the manual as `man` reads it, or writes a page for each command.
    Manual(ManualArgs),
}

/// `pallas-tui FILE`
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// A Python file with Pallas kernels; or a report that was saved as JSON, which is shown as it is.
    pub(crate) file: Option<PathBuf>,
    /// Prints the report as text instead of opening the terminal program.
    #[arg(long)]
    pub(crate) no_tty: bool,
    /// Draws with ASCII characters only.
    #[arg(long)]
    pub(crate) ascii: bool,
    /// Leaves the mouse to the terminal. With it, hold Shift to select text.
    #[arg(long)]
    pub(crate) no_mouse: bool,
    /// Only analyses the file: nothing runs, nothing is measured.
    #[arg(long)]
    pub(crate) no_run: bool,
    #[command(flatten)]
    pub(crate) on: DeviceArg,
    #[command(flatten)]
    pub(crate) machine: MachineArg,
    /// When to use colour.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, global = true)]
    pub(crate) color: ColorChoice,
    /// The Python whose packages are imported: an interpreter, or the folder of an environment. By default VIRTUAL_ENV,
    /// then `.venv` beside the file or above it. It is never started.
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) python: Option<PathBuf>,
    /// `sys.argv[1:]` of the file.
    #[arg(last = true, hide = true)]
    pub(crate) arguments: Vec<String>,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Device {
    /// On a GPU where there is one; kernels that cannot run there, and all kernels where there is none, in interpret mode.
    Auto,
    /// Interpret mode on the CPU, with JAX's semantics.
    #[value(alias = "cpu")]
    Interpret,
    /// The first CUDA device, through NVRTC. A kernel that cannot run there is an error.
    Cuda,
    /// What the threads of a GPU would do, in lockstep on the CPU: slow, needs no GPU, and tells of races between threads.
    Simulator,
}

/// How launches become machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The first time both ways are timed where tileiras is installed; the faster one is taken, and remembered.
    Auto,
    /// CUDA C++ of what the threads do, through NVRTC.
    Simt,
    /// CUDA Tile IR, through tileiras. A kernel that has none is an error.
    #[value(name = "tileir")]
    TileIr,
}

impl Backend {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Backend::Auto => "auto",
            Backend::Simt => "simt",
            Backend::TileIr => "tileir",
        }
    }
}

/// Whether programs are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Timing {
    /// Per stage, operand and line.
    On,
    /// Not at all: the run is as fast as `pallas-tui run`.
    Off,
}

/// `pallas-tui doctor`
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Measures this CPU as `profile --machine cpu` models it; takes some tenths of a second.
    #[arg(long)]
    pub(crate) calibrate: bool,
    /// Lists the machines that launches are modelled on, and where each of their numbers comes from.
    #[arg(long, conflicts_with = "calibrate")]
    pub(crate) machines: bool,
    /// Measures what the first CUDA device reaches at most: a copy, products of each dtype, multiply-adds. What was measured is
    /// kept.
    #[arg(long, conflicts_with_all = ["calibrate", "machines"])]
    pub(crate) ceilings: bool,
}

/// `pallas-tui explain`
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A code, a name, words, or the message that JAX has printed; without any, all rules are listed.
    pub(crate) rule: Vec<String>,
}

/// `pallas-tui completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// `pallas-tui manual`
#[derive(Debug, Args)]
pub(crate) struct ManualArgs {
    /// Writes a page for the program and one for each command into this folder, which is made if it is not there.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
}
