//! What a shell and `man` are told of the command line.

use super::{Case, shown};
use std::fs;

fn stdout(arguments: &[&str]) -> String {
    let output = Case::new().run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = stdout(&["--help"]);
    let list = help.split_once("Commands:\n").and_then(|(_, rest)| rest.split_once("\n\n")).expect("a list").0;
    let starts = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = starts.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(ToString::to_string).collect()
}

#[test]
fn help_of_every_command_ends_with_examples() {
    let commands = commands();
    assert!(commands.len() > 10 && commands.contains(&"tune".to_string()), "{commands:?}");
    for command in commands {
        let help = stdout(&[&command, "--help"]);
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{command} has no examples"));
        let start = format!("\n  pallas-tui {command}");
        assert!(examples.matches(&start).count() >= 2, "{help}");
    }
}

#[test]
fn shells_complete_commands_options_and_names() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["completions", shell]);
        for word in commands().iter().map(String::as_str).chain(["strict", "output-format"]) {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    // Rules, targets, machines and views have names.
    let script = stdout(&["completions", "bash"]);
    for word in ["PL120", "tpu-v5e", "h200", "pipeline"] {
        assert!(script.contains(word), "{word}");
    }
    let unknown = Case::new().run(&["completions", "tcsh"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", shown(&unknown));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("possible values: bash"), "{}", shown(&unknown));
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let case = Case::new();
    let output = case.run(&["manual", "--into", "share/man1"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let page = |name: &str| {
        let path = case.folder.path().join("share/man1").join(format!("{name}.1"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    for command in commands() {
        let page = page(&format!("pallas-tui-{command}"));
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"] {
            assert!(page.contains(&format!(".SH {section}\n")), "{command}: {section} is missing in\n{page}");
        }
    }
    let whole = page("pallas-tui");
    assert!(whole.contains("tune") && whole.contains(".TH PALLAS-TUI 1"), "{whole}");
    assert_eq!(stdout(&["manual"]), whole);
    // A file where the folder would be.
    fs::write(case.folder.path().join("taken"), "").expect("written");
    let output = case.run(&["manual", "--into", "taken"]);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("taken: the manual cannot be written there"));
}
