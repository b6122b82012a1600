//! The console that a run talks to: the process's own standard streams, clock and environment.

use pallas_engine::Console;
use std::io::{BufRead, Write};
use std::time::Instant;

/// Standard streams. Output is buffered by line on a terminal and by block in a pipe, and flushed before input, errors
/// and the end, as Python does.
pub(crate) struct ProcessConsole {
    out: std::io::BufWriter<std::io::Stdout>,
    by_line: bool,
    start: Instant,
}

impl ProcessConsole {
    /// The process's streams.
    pub(crate) fn new() -> Self {
        use std::io::IsTerminal;
        let stdout = std::io::stdout();
        ProcessConsole { by_line: stdout.is_terminal(), out: std::io::BufWriter::new(stdout), start: Instant::now() }
    }

    fn flush(&mut self) {
        // A closed pipe is the reader's choice.
        let _ = self.out.flush();
    }
}

impl Drop for ProcessConsole {
    fn drop(&mut self) {
        self.flush();
    }
}

impl Console for ProcessConsole {
    fn write_stdout(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
        if self.by_line && text.contains('\n') {
            self.flush();
        }
    }

    fn write_stderr(&mut self, text: &str) {
        self.flush();
        crate::output::stderr(text);
    }

    fn read_line(&mut self) -> Option<String> {
        self.flush();
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => {
                while line.ends_with(['\n', '\r']) {
                    line.pop();
                }
                Some(line)
            }
        }
    }

    fn environment(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn seconds(&self) -> f64 {
        // Time since the epoch is not needed by kernels; a clock that starts near it keeps `time.time()` plausible.
        self.start.elapsed().as_secs_f64()
            + std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0.0, |now| now.as_secs_f64() - self.start.elapsed().as_secs_f64())
    }
}

/// Standard streams of a program whose own output must not stand in the way: it goes to standard error.
pub(crate) struct Quiet {
    console: ProcessConsole,
    timing: bool,
}

impl Quiet {
    /// The process's streams, with a clock for launches if there is to be one.
    pub(crate) fn new(timing: bool) -> Self {
        Quiet { console: ProcessConsole::new(), timing }
    }
}

impl Console for Quiet {
    fn write_stdout(&mut self, text: &str) {
        crate::output::stderr(text);
    }

    fn write_stderr(&mut self, text: &str) {
        crate::output::stderr(text);
    }

    fn read_line(&mut self) -> Option<String> {
        self.console.read_line()
    }

    fn environment(&self, name: &str) -> Option<String> {
        self.console.environment(name)
    }

    fn seconds(&self) -> f64 {
        self.console.seconds()
    }

    fn nanoseconds(&self) -> Option<u64> {
        self.timing.then(|| u64::try_from(self.console.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}
