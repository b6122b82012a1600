//! Commands of a shell and what they have started, on Windows.

use std::os::windows::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// `CREATE_NEW_PROCESS_GROUP` of the Windows API: Ctrl-C in our console is not for it.
const NEW_GROUP: u32 = 0x200;

/// A line for the command interpreter.
pub(super) fn shell(line: &str) -> Command {
    let mut command = Command::new("cmd");
    // The interpreter has rules of its own for quotes: the line is handed over as it is.
    command.arg("/C").raw_arg(line).creation_flags(NEW_GROUP);
    command
}

/// Programs without a window cannot be asked.
pub(super) fn ask(child: &Child) {
    end(child);
}

/// Ends it with all that it has started.
pub(super) fn end(child: &Child) {
    let quiet = || Stdio::null();
    let id = child.id().to_string();
    // What is gone is what was wanted.
    let _ = Command::new("taskkill")
        .args(["/T", "/F", "/PID", &id])
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .status();
}
