//! The console that a run talks to: the process's own standard streams, clock and environment.

use pallas_engine::Console;
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

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

    fn flush(&mut self) {
        // A closed pipe is the reader's choice.
        let _ = self.out.flush();
    }

    fn read_line(&mut self) -> Option<String> {
        self.flush();
        read_line()
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

/// The console of a run behind a screen: nothing can be read, what is printed is kept, and how far launches are is told.
pub(crate) struct Behind {
    start: Instant,
    printed: Arc<Mutex<String>>,
    progress: Tell,
    told: Option<Instant>,
}

/// Takes a kernel, how many programs of it have run, and of how many.
type Tell = Box<dyn FnMut(&str, usize, usize) + Send>;

/// Characters that are kept of what a run behind a screen prints.
const PRINTED: usize = 1 << 16;
/// How often progress is told.
const TELL: Duration = Duration::from_millis(50);

impl Behind {
    /// Keeps what is printed in `printed`; progress is told now and then.
    pub(crate) fn new(printed: Arc<Mutex<String>>, progress: impl FnMut(&str, usize, usize) + Send + 'static) -> Self {
        Behind { start: Instant::now(), printed, progress: Box::new(progress), told: None }
    }
}

impl Console for Behind {
    fn write_stdout(&mut self, text: &str) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        if printed.len() < PRINTED {
            printed.push_str(text);
        }
    }

    fn write_stderr(&mut self, text: &str) {
        self.write_stdout(text);
    }

    fn read_line(&mut self) -> Option<String> {
        None
    }

    fn environment(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn seconds(&self) -> f64 {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0.0, |now| now.as_secs_f64())
    }

    fn nanoseconds(&self) -> Option<u64> {
        Some(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn progress(&mut self, kernel: &str, done: usize, programs: usize) {
        // The clock is not asked for every program of a quick kernel.
        if done.is_multiple_of(16) && self.told.is_none_or(|at| at.elapsed() >= TELL) {
            self.told = Some(Instant::now());
            (self.progress)(kernel, done, programs);
        }
    }
}

/// A line of standard input without its end; `None` where there are no more.
pub(crate) fn read_line() -> Option<String> {
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
