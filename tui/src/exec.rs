//! A command of the user's after each run. It runs in a process group of its own, so that it and all that it has started
//! can be ended when its run is out of date.

#[cfg_attr(unix, path = "exec/unix.rs")]
#[cfg_attr(windows, path = "exec/windows.rs")]
mod system;

use std::io::{self, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long a command that is asked to end is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// A command that runs, or has ended. Dropping it ends it.
pub(crate) struct Exec {
    child: Child,
}

impl Exec {
    /// Starts a line of shell. It reads `input`, prints to standard error, and finds the variables in its environment.
    ///
    /// # Errors
    /// The shell cannot be started.
    pub(crate) fn start(line: &str, variables: &[(&str, String)], input: String) -> io::Result<Exec> {
        let mut child = system::shell(line)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::from(io::stderr()))
            .spawn()?;
        if let Some(mut pipe) = child.stdin.take() {
            // A command need not read, and must not hold us up while it does not.
            let write = move || pipe.write_all(input.as_bytes());
            std::thread::Builder::new().name("exec input".to_string()).spawn(write)?;
        }
        Ok(Exec { child })
    }

    /// Whether it still runs; says how it ended, once.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Exec {
    fn drop(&mut self) {
        if !self.is_running() {
            return;
        }
        system::ask(&self.child);
        let asked = Instant::now();
        while self.is_running() && asked.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        if self.is_running() {
            system::end(&self.child);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn wait(what: &str, done: impl Fn() -> bool) {
        let begun = Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_command_reads_the_line_and_its_variables() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("out");
        let line = format!("{{ cat; echo \" $PALLAS_RUN\"; }} > {0}.part; mv {0}.part {0}", file.display());
        let _exec = Exec::start(&line, &[("PALLAS_RUN", "3".to_string())], "read".to_string()).expect("sh");
        wait("the command writes", || file.exists());
        assert_eq!(std::fs::read_to_string(&file).expect("read"), "read 3\n");
    }

    #[test]
    fn a_stale_command_ends_with_what_it_has_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("group");
        // Neither the shell nor its child ends when it is asked to.
        let line = format!(
            "trap '' TERM; sh -c 'trap \"\" TERM; while :; do sleep 0.05; date > {}; done' & wait",
            file.display()
        );
        let exec = Exec::start(&line, &[], String::new()).expect("sh");
        wait("the child runs", || file.exists());
        drop(exec);
        std::fs::remove_file(&file).expect("removed");
        std::thread::sleep(Duration::from_millis(300));
        assert!(!file.exists(), "the child still writes");
    }
}
