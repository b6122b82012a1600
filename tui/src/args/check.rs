//! What `pallas-tui check` takes, and how findings are printed there and elsewhere.

use clap::{Args, ValueEnum};
use pallas_engine::TargetDevice;
use pallas_engine::settings::Selector;
use std::path::PathBuf;

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
