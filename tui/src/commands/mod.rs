//! What each subcommand does, one file each.

mod check;
mod compare;
mod completions;
mod doctor;
mod explain;
mod explained;
mod explore;
mod lower;
mod machine_code;
mod manual;
mod picture;
mod profile;
mod run;
mod test;
mod tile_code;
mod tune;
mod view;
mod watch;

use crate::args::{Cli, ColorChoice, Command};
use crate::exit::Exit;
use std::io::IsTerminal;

/// Does what the command line says.
pub(crate) fn dispatch(cli: Cli) -> Exit {
    let color = cli.view.color;
    let python = cli.view.python.clone();
    let python = python.as_deref();
    match cli.command {
        Some(Command::Run(args)) => run::run(args, python, colored(color, &std::io::stderr())),
        Some(Command::Test(args)) => test::test(args, python, colored(color, &std::io::stderr())),
        Some(Command::Check(args)) => check::check(&args, python, colored(color, &std::io::stdout())),
        Some(Command::Profile(args)) => profile::profile(&args, python),
        Some(Command::Watch(args)) => watch::watch(args, cli.view),
        Some(Command::Picture(args)) => picture::picture(&args, python),
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Tune(args)) => tune::tune(&args, python),
        Some(Command::Lower(args)) => lower::lower(&args, python),
        Some(Command::Explain(args)) => explain::explain(&args, colored(color, &std::io::stdout())),
        Some(Command::Doctor(args)) => doctor::doctor(&args, python),
        Some(Command::Completions(args)) => completions::completions(&args),
        Some(Command::Manual(args)) => manual::manual(&args),
        None => view::view(cli.view),
    }
}

/// Whether to colour what goes to a stream: `--color`, then NO_COLOR and FORCE_COLOR, then whether it is a terminal.
fn colored(choice: ColorChoice, stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // A console of Windows takes colours for text until it is told not to, which asking does.
    #[cfg(windows)]
    if stream.is_terminal() && !crossterm::ansi_support::supports_ansi() {
        return choice == ColorChoice::Always;
    }
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if set("NO_COLOR") => false,
        ColorChoice::Auto => set("FORCE_COLOR") || set("CLICOLOR_FORCE") || stream.is_terminal(),
    }
}
