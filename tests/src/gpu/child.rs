//! Another process, listened to line by line, and ended where it takes too long.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, and well.
    Well,
    /// By itself, or by a signal, as its status says.
    Failed(String),
    /// It took too long.
    Late,
    /// It never began.
    NotStarted(String),
}

/// How often it is looked after.
const LOOK: Duration = Duration::from_millis(100);

/// Runs a process; what it prints on the standard output is heard as it comes, what it says on the standard error is shown.
pub fn listen(mut command: Command, patience: Duration, heard: &mut dyn FnMut(&str)) -> Ended {
    let begun = Instant::now();
    let mut child = match command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return Ended::NotStarted(format!("{} cannot be run: {error}", command.get_program().display())),
    };
    let (send, lines) = channel();
    let output = child.stdout.take();
    // Not joined: processes that it has started may hold the pipe after its end.
    std::thread::spawn(move || {
        for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    let mut status = None;
    loop {
        match lines.recv_timeout(LOOK) {
            Ok(line) => heard(&line),
            Err(RecvTimeoutError::Disconnected) => break,
            // It has ended, and nothing more came for a while.
            Err(RecvTimeoutError::Timeout) if status.is_some() => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        status = status.or_else(|| child.try_wait().ok().flatten());
        if status.is_none() && begun.elapsed() >= patience {
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Ended::Late;
        }
    }
    match status.map_or_else(|| child.wait(), Ok) {
        Ok(status) if status.success() => Ended::Well,
        Ok(status) => Ended::Failed(status.to_string()),
        Err(error) => Ended::Failed(error.to_string()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(text: &str, patience: Duration) -> (Ended, Vec<String>) {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        let mut lines = Vec::new();
        (listen(command, patience, &mut |line| lines.push(line.to_string())), lines)
    }

    #[test]
    fn what_it_said_until_it_was_ended_counts() {
        // Long enough for a shell to begin, on any machine.
        let (ended, lines) = shell("echo one; echo two; exec sleep 600", Duration::from_secs(5));
        assert_eq!((ended, lines.join(" ").as_str()), (Ended::Late, "one two"));
        let long = Duration::from_secs(60);
        assert_eq!(shell("echo one; exit 0", long), (Ended::Well, vec!["one".to_string()]));
        assert_eq!(shell("exit 3", long).0, Ended::Failed("exit status: 3".to_string()));
        let (ended, _) = shell("kill -9 $$", long);
        assert!(matches!(&ended, Ended::Failed(how) if how.contains("signal: 9")), "{ended:?}");
        assert!(matches!(listen(Command::new("/nowhere"), long, &mut |_| {}), Ended::NotStarted(_)));
    }

    #[test]
    fn a_process_that_it_leaves_behind_is_not_waited_for() {
        let begun = Instant::now();
        let (ended, lines) = shell("sleep 600 & echo done", Duration::from_secs(300));
        assert_eq!((ended, lines.join(" ").as_str()), (Ended::Well, "done"));
        assert!(begun.elapsed() < Duration::from_secs(200), "the sleeper holds the pipe");
    }
}
