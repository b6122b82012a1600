//! The command line, through the built binary: what is printed, where, and with which exit code.

mod checked;
mod device;
mod formats;
mod imports;
mod notebooks;
mod pipes;
mod schedules;
mod shell;
mod strict;
mod targets;
mod tests;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A program with one launch whose blocks leave the array: the grid has a program too many.
const WRONG: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


def add(x):
  return pl.pallas_call(
      add_kernel,
      grid=(5,),
      in_specs=[pl.BlockSpec((2,), lambda i: (i,))],
      out_specs=pl.BlockSpec((2,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
  )(x)


add(jnp.arange(8))
";

struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Case {
        Case { folder: tempfile::tempdir().expect("a folder") }
    }

    fn with(name: &str, text: impl AsRef<[u8]>) -> Case {
        let case = Case::new();
        fs::write(case.folder.path().join(name), text).expect("written");
        case
    }

    /// Runs the binary in the case's folder, with nothing of this terminal's environment.
    fn run(&self, arguments: &[&str]) -> Output {
        run_in(self.folder.path(), arguments)
    }
}

fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("FORCE_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .env_remove("PYTHONPATH")
        .env_remove("VIRTUAL_ENV")
        .output()
        .expect("the binary starts")
}

/// Exit code, stdout and stderr in one text.
fn shown(output: &Output) -> String {
    format!(
        "exit {:?}\n--- stdout\n{}--- stderr\n{}",
        output.status.code(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn what_was_not_checked_is_said_beside_findings_for_programs() {
    let text = format!("{WRONG}\n\ndef other(path):\n  x = jnp.load(path)\n  return add(x.unheard())\n");
    let case = Case::with("wrong.py", text);
    let says = |text: &[u8]| {
        String::from_utf8_lossy(text).contains("Not checked: wrong.py:23: nobody calls `other` here, and")
    };
    for (format, full) in [("full", true), ("concise", false), ("json", false), ("github", false), ("sarif", false)] {
        let output = case.run(&["check", "wrong.py", "--output-format", format]);
        assert_eq!((says(&output.stdout), says(&output.stderr)), (full, !full), "{format}: {}", shown(&output));
    }
}

#[test]
fn help_names_a_python_where_one_is_used() {
    for (command, expected) in
        [("check", true), ("explain", false), ("compare", false), ("completions", false), ("manual", false)]
    {
        let help = Case::new().run(&[command, "--help"]);
        assert_eq!(String::from_utf8_lossy(&help.stdout).contains("--python"), expected, "{}", shown(&help));
    }
    assert!(Case::new().run(&["explain", "PL120", "--python", "nowhere"]).status.success());
}

#[test]
fn a_null_byte_is_named() {
    let case = Case::with("null.py", "x = 1\0\n");
    let output = case.run(&["check", "null.py"]);
    let expected = "error[PL000]: source code cannot contain null bytes\n --> null.py:1:6";
    assert!(String::from_utf8_lossy(&output.stdout).contains(expected), "{}", shown(&output));
}

#[test]
fn help() {
    insta::assert_snapshot!(shown(&Case::new().run(&["--help"])));
}

#[test]
fn nothing_to_do_is_a_usage_error_with_help() {
    let output = Case::new().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: pallas-tui"));
}

#[test]
fn doctor_says_where_the_numbers_of_machines_come_from() {
    let output = Case::new().run(&["doctor", "--machines"]);
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stdout));
}

#[test]
fn doctor_says_what_there_is() {
    let output = Case::new().run(&["doctor"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for word in
        ["version", "system", "terminal    not a terminal", "Python      not needed", "CUDA driver", "NVRTC", "ptxas"]
    {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
}

#[test]
fn explain_lists_rules_and_shows_pages() {
    let list = Case::new().run(&["explain"]);
    assert_eq!(list.status.code(), Some(0));
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let first = list.lines().next().expect("there are rules");
    let code = first.split_whitespace().next().expect("a code");
    let page = Case::new().run(&["explain", &code.to_lowercase()]);
    assert_eq!(page.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&page.stdout).starts_with(&format!("# {code} ")));
    let unknown = Case::new().run(&["explain", "PL999"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no rule is called `PL999`"));
    let family = Case::new().run(&["explain", "pl2"]);
    let family = String::from_utf8_lossy(&family.stdout).into_owned();
    assert!(family.lines().count() > 3 && family.lines().all(|line| line.starts_with("PL2")), "{family}");
    let almost = Case::new().run(&["explain", "block-out-of-bound"]);
    assert_eq!(almost.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&almost.stderr).contains("did you mean `block-out-of-bounds`?"));
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Case::new();
    fs::create_dir(folder.folder.path().join("empty")).expect("made");
    fs::write(folder.folder.path().join("latin.py"), b"x = 1\ny = '\xe9'\n").expect("written");
    let mut text = String::new();
    for arguments in [
        &["check", "missing.py"][..],
        &["check", "empty"],
        &["check", "latin.py"],
        &["run", "missing.py"],
        &["run", "empty"],
        &["run", "latin.py"],
        &["lower", "missing.py"],
        &["missing.py"],
        &["empty"],
        &["--no-tty", "latin.py"],
    ] {
        text.push_str(&format!("$ pallas-tui {}\n{}\n", arguments.join(" "), shown(&folder.run(arguments))));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_empty_file_has_no_problems() {
    let case = Case::with("empty.py", "");
    assert_eq!(
        shown(&case.run(&["check", "empty.py"])),
        "exit Some(0)\n--- stdout\nNo problems: no kernel launches found in 1 file.\n--- stderr\n"
    );
    assert_eq!(shown(&case.run(&["run", "empty.py"])), "exit Some(0)\n--- stdout\n--- stderr\n");
}

#[test]
fn settings_files_say_what_is_reported() {
    let case = Case::with("wrong.py", WRONG);
    let write = |name: &str, text: &str| fs::write(case.folder.path().join(name), text).expect("written");
    let check = |arguments: &[&str]| {
        let output = case.run(&[&["check", "--output-format", "concise"], arguments, &["wrong.py"]].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(check(&[]).0, Some(1));
    write("pyproject.toml", "[tool.pallas]\nignore = ['PL120']\n");
    assert_eq!(check(&[]), (Some(0), String::new()));
    assert_eq!(check(&["--isolated"]).0, Some(1));
    assert_eq!(
        check(&["--select", "PL2,PL120", "--ignore", "PL2"]).0,
        Some(1),
        "the command line goes before the file"
    );
    write("pallas.toml", "target = 'v5e'\nseverity = { block-out-of-bounds = 'info' }\n");
    let (code, output) = check(&[]);
    assert_eq!(code, Some(1), "the file itself is wrong: {output}");
    assert!(output.contains("pallas.toml:1:10") && output.contains("PL007") && output.contains("tpu-v5e"), "{output}");
    assert!(output.contains("wrong.py:") && output.contains("info"), "{output}");
    let (code, output) = check(&["--target", "v5e"]);
    assert_eq!((code, output.as_str()), (Some(2), ""));
}

#[test]
fn a_mistyped_command_is_not_taken_for_a_file() {
    for arguments in [&["chekc", "add.py"][..], &["chekc"]] {
        let output = Case::with("add.py", WRONG).run(arguments);
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert_eq!(words, "pallas-tui: there is no command or file `chekc`; did you mean `pallas-tui check`?\n");
    }
}

#[test]
fn a_hook_of_the_program_is_called_with_what_nobody_has_caught() {
    let run = |body: &str| {
        let text = format!("import sys\ndef hook(kind, error, trace):\n  {body}\nsys.excepthook = hook\n1 / 0\n");
        Case::with("program.py", text).run(&["run", "program.py"])
    };
    let called = shown(&run("print('hook:', kind.__name__, error, trace.tb_lineno, hook is sys.__excepthook__)"));
    assert_eq!(called, "exit Some(1)\n--- stdout\nhook: ZeroDivisionError division by zero 5 False\n--- stderr\n");
    let failed = shown(&run("raise ValueError('in the hook')"));
    let expected = "\
exit Some(1)
--- stdout
--- stderr
Error in sys.excepthook:
Traceback (most recent call last):
  File \"program.py\", line 3, in hook
    raise ValueError('in the hook')
ValueError: in the hook

Original exception was:
Traceback (most recent call last):
  File \"program.py\", line 5, in <module>
    1 / 0
    ~~^~~
ZeroDivisionError: division by zero
";
    assert_eq!(failed, expected);
    // The interpreter's own may be called by it.
    let own = shown(&run("sys.__excepthook__(kind, error, trace)"));
    assert!(own.contains("ZeroDivisionError: division by zero") && own.contains("line 5, in <module>"), "{own}");
}
