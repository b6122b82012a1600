//! Commands of a shell and their process groups, on Unix.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// A line of shell, in a process group of its own.
pub(super) fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]).process_group(0);
    command
}

/// Asks all of the group to end.
pub(super) fn ask(child: &Child) {
    signal(child, "TERM");
}

/// Ends all of the group.
pub(super) fn end(child: &Child) {
    signal(child, "KILL");
}

fn signal(child: &Child, name: &str) {
    let group = format!("-{}", child.id());
    let quiet = || Stdio::null();
    // A group that is gone is what was wanted.
    let _ =
        Command::new("kill").args(["-s", name, "--", &group]).stdin(quiet()).stdout(quiet()).stderr(quiet()).status();
}
