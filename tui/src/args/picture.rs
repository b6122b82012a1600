//! What `pallas-tui picture` takes.

use super::{DeviceArg, MachineArg};
use clap::Args;
use std::path::PathBuf;

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
    #[command(flatten)]
    pub(crate) on: DeviceArg,
    #[command(flatten)]
    pub(crate) machine: MachineArg,
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
