//! The command line: what was typed. What it means is in `commands`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use pallas_engine::settings::Selector;
use pallas_engine::tune::Parameter;
use pallas_engine::{Schedule, TargetDevice};
use std::path::PathBuf;

/// Runs, checks, profiles and watches Pallas kernels, without Python or JAX.
#[derive(Debug, Parser)]
#[command(name = "pallas-tui", version, about, arg_required_else_help = true)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    /// What to do; without one, FILE is opened in the terminal program.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Opens the file in the terminal program, and runs it again on every save.
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

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
    /// Where kernels run, and are measured.
    #[arg(long, value_enum, default_value_t = Device::Interpret)]
    pub(crate) device: Device,
    /// The machine that launches are modelled on: v5e, v5p, v6e, a100, h100, h200, b200, or cpu, as `doctor --calibrate` has
    /// measured it. With auto each launch is modelled on one that its kernel is for, and the report says why.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) machine: String,
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

/// `pallas-tui run`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The Python file.
    pub(crate) file: PathBuf,
    /// Where kernels run.
    #[arg(long, value_enum, default_value_t = Device::Interpret)]
    pub(crate) device: Device,
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

/// `pallas-tui test`
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Looks, while kernels run in interpret mode, for what was not proved of them: results that depend on memory that nobody has
    /// written or on what lies past the end of an array, and programs that race. What it finds fails the run.
    #[arg(long)]
    pub(crate) strict: bool,
    /// The machine that tests are told they run on: tpu-v5e, tpu-v5p, tpu-v6e, triton, hopper or blackwell. Their kernels are
    /// interpreted all the same.
    #[arg(long, value_name = "NAME", value_parser = TargetDevice::parse)]
    pub(crate) target: Option<TargetDevice>,
    /// Prints little: a letter for each test, what failed, and no findings.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// `text` for people; `json` for programs: one event a line, as `docs/tests.md` says.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = TestFormat::Text)]
    pub(crate) output_format: TestFormat,
    /// Runs again with every save of a file that the tests have read.
    #[arg(long, conflicts_with_all = ["collect_only", "output_format"])]
    pub(crate) watch: bool,
    /// Only tests whose names fit: `attention and not bf16`.
    #[arg(short = 'k', value_name = "EXPRESSION")]
    pub(crate) keyword: Option<String>,
    /// Only tests whose marks fit: `not slow`.
    #[arg(short = 'm', value_name = "EXPRESSION")]
    pub(crate) mark: Option<String>,
    /// Ends with the first test that fails.
    #[arg(short = 'x', long)]
    pub(crate) exitfirst: bool,
    /// Ends when so many tests have failed.
    #[arg(long, value_name = "COUNT", conflicts_with = "exitfirst")]
    pub(crate) maxfail: Option<u32>,
    /// Only the tests that failed when they last ran here; all of them where none did.
    #[arg(long = "lf", visible_alias = "last-failed")]
    pub(crate) last_failed: bool,
    /// Leaves out tests by the beginnings of their names: `test_ops.py::TestAdd`.
    #[arg(long, value_name = "NAME")]
    pub(crate) deselect: Vec<String>,
    /// Names each test.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Which tests are listed at the end: f(ailed), E(rror), s(kipped), x(failed), X(passed), p(assed), P(assed, with what they
    /// printed), a(ll but passed), A(ll).
    #[arg(short = 'r', value_name = "LETTERS")]
    pub(crate) summary: Option<String>,
    /// Lists the slowest parts of tests, so many of them; 0 for all.
    #[arg(long, value_name = "COUNT")]
    pub(crate) durations: Option<u32>,
    /// Shows what tests print at once, and not only where they fail.
    #[arg(short = 's')]
    pub(crate) no_capture: bool,
    /// How failures are shown: with a traceback (auto, long, short, native), in one line (line), or not at all (no).
    #[arg(long = "tb", value_name = "STYLE", value_parser = ["auto", "long", "short", "native", "line", "no"])]
    pub(crate) traceback: Option<String>,
    /// Shows no tracebacks.
    #[arg(long, conflicts_with = "traceback")]
    pub(crate) no_traceback: bool,
    /// Sets what `pytest.ini` or `pyproject.toml` would: `python_functions=check`.
    #[arg(short = 'o', long = "override-ini", value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Lists the tests, and runs none.
    #[arg(long, visible_alias = "co")]
    pub(crate) collect_only: bool,
    /// Files, folders, tests (`test_ops.py::test_add[8-float32]`). By default the folder where this is started.
    pub(crate) paths: Vec<String>,
}

/// How `pallas-tui test` says what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// As pytest does.
    Text,
    /// As events, one JSON object a line.
    Json,
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

/// `pallas-tui check`
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Python files, or folders to search for them.
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = OutputFormat::Full)]
    pub(crate) output_format: OutputFormat,
    /// What kernels are written for, where the program does not say it: tpu-v5e, tpu-v5p, tpu-v6e, triton, hopper or
    /// blackwell. By default what `pallas.toml`, or `[tool.pallas]` in `pyproject.toml`, says.
    #[arg(long, value_name = "NAME", value_parser = TargetDevice::parse)]
    pub(crate) target: Option<TargetDevice>,
    /// Only findings of these rules: codes, names, beginnings of codes. Goes before the settings file.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = Selector::parse)]
    pub(crate) select: Vec<Selector>,
    /// No findings of these rules. Goes before the settings file.
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = Selector::parse)]
    pub(crate) ignore: Vec<Selector>,
    /// Reads no settings file.
    #[arg(long)]
    pub(crate) isolated: bool,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// With the source shown.
    Full,
    /// A line each.
    Concise,
    /// A list of objects.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
    /// SARIF 2.1.0, for code-scanning services.
    Sarif,
}

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
    /// The machine that launches are modelled on: v5e, v5p, v6e, a100, h100, h200, b200, or cpu, as `doctor --calibrate` has
    /// measured it. With auto each launch is modelled on one that its kernel is for, and the report says why.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) machine: String,
    /// Where kernels run, and are measured.
    #[arg(long, value_enum, default_value_t = Device::Interpret)]
    pub(crate) device: Device,
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

/// Whether programs are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Timing {
    /// Per stage, operand and line.
    On,
    /// Not at all: the run is as fast as `pallas-tui run`.
    Off,
}

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
    /// The machine that launches are modelled on, as for `profile`.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) machine: String,
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

/// `pallas-tui picture`
#[derive(Debug, Args)]
pub(crate) struct PictureArgs {
    /// The Python file.
    pub(crate) file: PathBuf,
    /// The view, by its name: overview, grid, blocks and so on. By default the one that is shown first.
    #[arg(long, value_name = "NAME")]
    pub(crate) view: Option<String>,
    /// Keys that are pressed then, written apart: `l l <enter> C-d`.
    #[arg(long, value_name = "KEYS", allow_hyphen_values = true)]
    pub(crate) keys: Option<String>,
    /// Columns and lines.
    #[arg(long, value_name = "SIZE", default_value = "120x40", value_parser = size)]
    pub(crate) size: (u16, u16),
    /// What is drawn on.
    #[arg(long, value_enum, default_value_t = crate::picture::Paper::Dark)]
    pub(crate) paper: crate::picture::Paper,
    /// Draws with ASCII characters only.
    #[arg(long)]
    pub(crate) ascii: bool,
    /// Only analyses the file: nothing runs, nothing is measured, and the same file gives the same picture.
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Where kernels run, and are measured.
    #[arg(long, value_enum, default_value_t = Device::Interpret)]
    pub(crate) device: Device,
    /// The machine that launches are modelled on, as for `profile`.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) machine: String,
    /// Where the picture goes; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// `sys.argv[1:]` of the file.
    #[arg(last = true)]
    pub(crate) arguments: Vec<String>,
}

/// `120x40`
fn size(text: &str) -> Result<(u16, u16), String> {
    // More than any terminal has; a picture of it would be many megabytes.
    const MOST: u16 = 1000;
    let (width, height) = text.split_once(['x', '×']).ok_or("a size is expected, such as `120x40`")?;
    match (width.trim().parse(), height.trim().parse()) {
        (Ok(width @ 1..=MOST), Ok(height @ 1..=MOST)) => Ok((width, height)),
        _ => Err(format!("columns and lines are numbers from 1 to {MOST}")),
    }
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
    /// Where kernels run, and are measured.
    #[arg(long, value_enum, default_value_t = Device::Interpret)]
    pub(crate) device: Device,
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

/// `pallas-tui lower`
#[derive(Debug, Args)]
pub(crate) struct LowerArgs {
    /// The Python file.
    pub(crate) file: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Emit::Ir)]
    pub(crate) emit: Emit,
    /// The compute capability that PTX and machine code are made for.
    #[arg(long, value_name = "NUMBER", default_value_t = 90, value_parser = clap::value_parser!(u32).range(75..=129))]
    pub(crate) capability: u32,
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
    /// A code or a name; without one, all rules are listed.
    pub(crate) rule: Option<String>,
}
