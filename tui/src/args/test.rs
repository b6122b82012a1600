//! What `pallas-tui test` takes: what people type after `pytest`, as far as there is such a thing here.

use clap::{Args, ValueEnum};
use pallas_engine::TargetDevice;

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
