//! Runs `pallas-tui` in a process of its own: a kernel that does not end, or that takes all memory, takes no editor with it.

use crate::running::Run;
use crate::settings::EditorSettings;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The name of the program.
const PROGRAM: &str = if cfg!(windows) { "pallas-tui.exe" } else { "pallas-tui" };
/// What Windows calls a program that gets no console.
#[cfg(windows)]
const CREATE_NO_WINDOW: u32 = 0x0800_0000;
/// Output beyond this is dropped.
const MOST_OUTPUT: usize = 4 << 20;
/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(15);
/// How long the last output of a program that was stopped is waited for.
const STREAMS: Duration = Duration::from_millis(500);

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// As `python FILE` would.
    Run,
    /// With where the time goes.
    Profile,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The exit status; `None` if it was ended by a signal.
    pub(crate) exit: Option<i32>,
    /// Whether it was ended because somebody asked for it.
    pub(crate) cancelled: bool,
    /// What it printed; of a profile, the report as text.
    pub(crate) stdout: String,
    /// What it printed to standard error: of a profile, what the program printed, too.
    pub(crate) stderr: String,
    /// The report of a profile.
    pub(crate) report: Option<Value>,
}

impl Outcome {
    /// As clients get it.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "exit": self.exit,
            "cancelled": self.cancelled,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "report": self.report,
        })
    }

    /// As a text to read.
    pub(crate) fn text(&self) -> String {
        let mut text = self.stdout.clone();
        if !self.stderr.trim().is_empty() {
            let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
            text.push_str(&format!("{gap}{}", self.stderr));
        }
        match (self.cancelled, self.exit) {
            (true, _) => text.push_str("\n(stopped)\n"),
            (false, Some(0)) => {}
            (false, Some(status)) => text.push_str(&format!("\n(exit status {status})\n")),
            (false, None) => text.push_str("\n(ended by a signal)\n"),
        }
        text
    }
}

/// The program that runs kernels: what the user set, beside the server, or on the path.
///
/// # Errors
/// There is none: where it was looked for.
pub(crate) fn find(settings: &EditorSettings) -> Result<PathBuf, String> {
    if let Some(named) = &settings.tui {
        let named = PathBuf::from(named);
        return match named.is_file() {
            true => Ok(named),
            false => Err(format!("pallas.tui names {}, which is no file", named.display())),
        };
    }
    let beside = std::env::current_exe().ok().and_then(|server| Some(server.parent()?.join(PROGRAM)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(PROGRAM));
    beside.iter().cloned().chain(on_path).find(|candidate| candidate.is_file()).ok_or_else(|| {
        let place = beside.map_or_else(String::new, |beside| format!(" is not beside the server ({}), and", beside.display()));
        format!("{PROGRAM}{place} is not on PATH; it is what runs kernels: install it, or name it in the setting `pallas.tui`")
    })
}

/// Runs a task to its end, or until it is cancelled.
///
/// # Errors
/// The program cannot be started.
pub(crate) fn run(
    program: &Path,
    task: Task,
    file: &Path,
    settings: &pallas_engine::Settings,
    run: Run,
) -> Result<Outcome, String> {
    let report = (task == Task::Profile)
        .then(|| std::env::temp_dir().join(format!("pallas-{}-{}.json", std::process::id(), unique())));
    let mut command = Command::new(program);
    match task {
        Task::Run => command.arg("run").args(["--color", "never"]),
        Task::Profile => command.arg("profile").args(["--color", "never", "--report", "text"]),
    };
    if let Some(report) = &report {
        command.arg("--json").arg(report);
        if let Some(target) = settings.target {
            command.args(["--machine", target.machine()]);
        }
    }
    if let Some(python) = &settings.python {
        command.args(["--python", python]);
    }
    command.arg(file);
    if let Some(folder) = file.parent().filter(|folder| folder.is_dir()) {
        command.current_dir(folder);
    }
    let mut outcome = supervise(program, command, run, |_| {})?;
    outcome.report = report.as_ref().and_then(|path| serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok());
    if let Some(report) = report {
        // It is not there if nothing was profiled.
        let _ = std::fs::remove_file(report);
    }
    Ok(outcome)
}

/// Runs a command to its end, or until it is cancelled. What it prints is told line by line, too.
///
/// # Errors
/// The program cannot be started.
pub(crate) fn supervise(
    program: &Path,
    mut command: Command,
    run: Run,
    told: impl FnMut(&str) + Send + 'static,
) -> Result<Outcome, String> {
    // Where the editor has no console, the program would open one.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
    let stdout = child.stdout.take().map(|stream| collect(stream, told));
    let stderr = child.stderr.take().map(|stream| collect(stream, |_| {}));
    let mut cancelled = false;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) => {}
            Err(error) => return Err(format!("{}: {error}", program.display())),
        }
        if run.cancel.is_cancelled() && !cancelled {
            cancelled = true;
            // Fails if it has just ended, which the next look sees.
            let _ = child.kill();
        }
        thread::sleep(LOOK);
    };
    // What it has started itself may hold its streams, and nobody waits for that once it was stopped.
    let patience = if cancelled { STREAMS } else { Duration::MAX };
    let text = |printed: Option<Printed>| printed.map(|printed| printed.text(patience)).unwrap_or_default();
    Ok(Outcome { exit: status, cancelled, stdout: text(stdout), stderr: text(stderr), report: None })
}

/// The beginning of what a stream says.
struct Printed {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Hangs up when the stream has ended.
    open: Receiver<()>,
}

impl Printed {
    /// What was read once the stream has ended, or the patience.
    fn text(&self, patience: Duration) -> String {
        // Nothing is ever sent, so that either way there is no more to wait for.
        let _ = match patience {
            Duration::MAX => self.open.recv().is_ok(),
            patience => self.open.recv_timeout(patience).is_ok(),
        };
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let dropped = if kept.len() >= MOST_OUTPUT { "\n(more output was dropped)\n" } else { "" };
        format!("{}{dropped}", String::from_utf8_lossy(&kept))
    }
}

/// Reads a stream to its end, tells its lines, and keeps the beginning of it.
fn collect(stream: impl Read + Send + 'static, mut told: impl FnMut(&str) + Send + 'static) -> Printed {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let (ended, open) = channel();
    let keeping = kept.clone();
    thread::spawn(move || {
        let _ended: Sender<()> = ended;
        let mut stream = BufReader::with_capacity(64 << 10, stream);
        let mut line = Vec::new();
        while let Ok(count) = stream.read_until(b'\n', &mut line) {
            if count == 0 {
                break;
            }
            told(String::from_utf8_lossy(&line).trim_end());
            let mut kept = keeping.lock().unwrap_or_else(PoisonError::into_inner);
            let room = MOST_OUTPUT.saturating_sub(kept.len()).min(count);
            kept.extend_from_slice(&line[..room]);
            line.clear();
        }
    });
    Printed { kept, open }
}

/// A number that no other task of this process has.
pub(crate) fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_says_where_it_was_looked_for() {
        let settings = EditorSettings { tui: Some("/nowhere/pallas-tui".to_string()), ..EditorSettings::default() };
        assert!(find(&settings).is_err_and(|problem| problem.contains("pallas.tui names /nowhere/pallas-tui")));
    }

    #[test]
    fn outcomes_are_readable() {
        let outcome = Outcome {
            exit: Some(1),
            cancelled: false,
            stdout: "1\n".to_string(),
            stderr: "Traceback\n".to_string(),
            report: None,
        };
        assert_eq!(outcome.text(), "1\n\nTraceback\n\n(exit status 1)\n");
        assert_eq!(Outcome { exit: Some(0), stderr: String::new(), ..outcome.clone() }.text(), "1\n");
        assert!(Outcome { exit: None, cancelled: true, ..outcome }.text().ends_with("(stopped)\n"));
    }
}
