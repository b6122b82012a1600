//! `pallas-tui completions SHELL`: what a shell needs to complete the command line.
//!
//! The names of rules, machines, targets and views are completed as well. The command line itself takes them as text, since it says
//! more of a name that is not there than that it is none of many.

use crate::app::views::View;
use crate::args::{self, CompletionsArgs};
use crate::exit::Exit;
use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser};
use pallas_engine::pipeline::MACHINES;
use pallas_engine::{TargetDevice, check};

/// The names that an argument takes.
type Names = fn() -> Vec<PossibleValue>;

/// The arguments whose values have names, wherever they stand.
const NAMED: [(&str, Names); 6] = [
    ("rule", rules),
    ("select", rules),
    ("ignore", rules),
    ("target", || TargetDevice::NAMES.map(PossibleValue::new).to_vec()),
    ("machine", || {
        let machines = MACHINES.iter().map(|machine| PossibleValue::new(&*machine.key).help(&*machine.name));
        ["auto", "cpu"].map(PossibleValue::new).into_iter().chain(machines).collect()
    }),
    ("view", || View::ALL.iter().map(|view| PossibleValue::new(view.name().to_lowercase())).collect()),
];

fn rules() -> Vec<PossibleValue> {
    check::rules::ALL.iter().map(|rule| PossibleValue::new(rule.code).help(rule.name)).collect()
}

pub(super) fn completions(args: &CompletionsArgs) -> Exit {
    let mut command = named(args::command());
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "pallas-tui", &mut text);
    output::stdout(&String::from_utf8_lossy(&text));
    Exit::Success
}

/// The command line with the names of values.
fn named(mut command: clap::Command) -> clap::Command {
    let subcommands: Vec<String> = command.get_subcommands().map(|of| of.get_name().to_string()).collect();
    for name in subcommands {
        command = command.mut_subcommand(name, named);
    }
    for (name, names) in NAMED {
        if command.get_arguments().any(|argument| argument.get_id() == name) {
            command = command.mut_arg(name, |argument| argument.value_parser(PossibleValuesParser::new(names())));
        }
    }
    command
}
