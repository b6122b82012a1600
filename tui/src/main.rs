//! `pallas-tui`: runs, checks, profiles, lowers, explains, and shows Pallas kernels in the terminal.
//! Everything about kernels is in `pallas-engine`; this crate is the command line and the screen.

mod app;
mod args;
mod calibrate;
mod commands;
mod console;
mod device;
mod editor;
mod environment;
mod exec;
mod exit;
mod headless;
mod interrupt;
mod keymap;
mod mistyped;
mod output;
mod picture;
mod profiler;
mod progress;
mod render;
mod report;
mod saved;
mod session;
mod signals;
mod sources;
mod styles;
mod terminal;
mod tuner;
mod view;
mod watch;
mod worker;
mod wrap;

use exit::Exit;
use std::process::ExitCode;

/// Arrays of many megabytes come and go: see the dependency's line in the workspace.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(first) = std::env::args_os().nth(1).and_then(|first| first.into_string().ok())
        && let Some(meant) = mistyped::subcommand(&first)
    {
        output::error(&format!("there is no command or file `{first}`; did you mean `pallas-tui {meant}`?"));
        return ExitCode::from(2);
    }
    let cli = match args::Cli::typed() {
        Ok(cli) => cli,
        Err(error) => {
            // Clap prints help to stdout with status 0 and mistakes to stderr with status 2.
            let code = if error.use_stderr() { 2 } else { 0 };
            let printed = error.print().is_ok();
            return ExitCode::from(if printed { code } else { 2 });
        }
    };
    match commands::dispatch(cli) {
        Exit::Success | Exit::Program(0) if output::is_lost() => Exit::Usage.into(),
        exit => exit.into(),
    }
}
