//! Who reads what is printed may go away, and what cannot be written is told.

use super::{Case, WRONG};
use std::process::Command;

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let case = Case::with("wrong.py", WRONG);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pallas-tui"))
        .args(["--no-tty", "wrong.py"])
        .current_dir(case.folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_program_ends_when_nobody_reads_what_it_prints() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let case = Case::with("endless.py", "while True:\n  print('x' * 100)\n");
    let mut program = Command::new(env!("CARGO_BIN_EXE_pallas-tui"));
    program.args(["run", "endless.py"]).current_dir(case.folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = program.spawn().expect("the binary starts");
    let mut line = String::new();
    BufReader::new(program.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert_eq!(line.trim_end().len(), 100);
    // The reader is gone: the program would go on for ever otherwise.
    let output = program.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let case = Case::with("k.py", "print(1)\n");
    for arguments in [&["explain"][..], &["check", "k.py"], &["run", "k.py"], &["doctor"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let mut program = Command::new(env!("CARGO_BIN_EXE_pallas-tui"));
        let output = program.args(arguments).current_dir(case.folder.path()).stdout(full).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{arguments:?}");
        assert_eq!(said.matches("standard output cannot be written: ").count(), 1, "{arguments:?}: {said}");
    }
}
