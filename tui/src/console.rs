//! The console that a run talks to: the process's own standard streams, clock and environment.

use crate::output;
use pallas_engine::{Cancel, Console};
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Standard streams. Output is buffered by line on a terminal and by block in a pipe, and flushed before input, errors
/// and the end, as Python does. A run whose output nobody takes any more is cancelled: Python raises BrokenPipeError then.
pub(crate) struct ProcessConsole {
    out: std::io::BufWriter<std::io::Stdout>,
    by_line: bool,
    start: Instant,
    run: Cancel,
}

impl ProcessConsole {
    /// The process's streams, for a run.
    pub(crate) fn new(run: Cancel) -> Self {
        use std::io::IsTerminal;
        let stdout = std::io::stdout();
        ProcessConsole {
            by_line: stdout.is_terminal(),
            out: std::io::BufWriter::new(stdout),
            start: Instant::now(),
            run,
        }
    }
}

impl ProcessConsole {
    fn noted(&mut self, result: std::io::Result<()>) {
        if !output::arrived(result) {
            self.run.cancel();
        }
    }
}

impl Drop for ProcessConsole {
    fn drop(&mut self) {
        self.flush();
    }
}

impl Console for ProcessConsole {
    fn write_stdout(&mut self, text: &str) {
        let result = self.out.write_all(text.as_bytes());
        self.noted(result);
        if self.by_line && text.contains('\n') {
            self.flush();
        }
    }

    fn write_stderr(&mut self, text: &str) {
        self.flush();
        output::stderr(text);
    }

    fn flush(&mut self) {
        let result = self.out.flush();
        self.noted(result);
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

/// Bytes that are kept at least of what a run behind a screen prints: the last ones.
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
        printed.push_str(text);
        if printed.len() > 2 * PRINTED {
            // From the start of a line on; a line longer than all that is kept goes as a whole.
            let from = printed.len() - PRINTED;
            let line =
                printed.bytes().skip(from).position(|byte| byte == b'\n').map_or(printed.len(), |at| from + at + 1);
            printed.drain(..line);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_is_printed_behind_a_screen_the_end_is_kept() {
        let printed = Arc::new(Mutex::new(String::new()));
        let mut console = Behind::new(printed.clone(), |_, _, _| ());
        for at in 0..100_000 {
            console.write_stdout(&format!("line é {at}\n"));
        }
        let printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        assert!((PRINTED / 2..=2 * PRINTED + 16).contains(&printed.len()), "{}", printed.len());
        assert!(printed.starts_with("line é ") && printed.ends_with("line é 99999\n"));
    }
}
