//! How far long work is: a bar on the last line of the terminal, once the work has taken half a second. In a pipe there is
//! none. What the work itself prints goes through here, so that the two do not overwrite each other.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work that is done earlier shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the bar is drawn.
const REDRAW: Duration = Duration::from_millis(100);
/// Cells of the bar itself.
const CELLS: usize = 24;

/// A bar on standard error. Dropping it takes it off the screen.
pub(crate) struct Bar {
    state: Arc<Mutex<State>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Tells a bar how far the work is.
#[derive(Clone)]
pub(crate) struct Teller(Arc<Mutex<State>>);

struct State {
    begun: Instant,
    /// What is worked on.
    what: String,
    /// The things that are counted: `programs`.
    unit: &'static str,
    done: usize,
    /// Of so many; 0 where nobody knows.
    of: usize,
    /// Whether the bar stands on the line of the cursor.
    drawn: bool,
    /// Whether the cursor is at the beginning of a line: the work may have printed half of one.
    at_start: bool,
    /// What Ctrl-C does.
    stops: &'static str,
}

impl Bar {
    /// Begins to wait for the moment when the bar is due.
    pub(crate) fn start(what: &str, unit: &'static str) -> Bar {
        Bar::saying(what, unit, "Ctrl-C stops and keeps what is done")
    }

    /// The same for work of which nothing is kept when it is stopped.
    pub(crate) fn forgetful(what: &str, unit: &'static str) -> Bar {
        Bar::saying(what, unit, "Ctrl-C stops")
    }

    fn saying(what: &str, unit: &'static str, stops: &'static str) -> Bar {
        let state = Arc::new(Mutex::new(State {
            begun: Instant::now(),
            what: what.to_string(),
            unit,
            done: 0,
            of: 0,
            drawn: false,
            at_start: true,
            stops,
        }));
        let mut bar = Bar { state, stop: None, thread: None };
        let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        if std::io::stderr().is_terminal() && !is_dumb {
            let (stop, stopped) = channel();
            let state = bar.state.clone();
            let ascii = !crate::environment::is_unicode(|name| std::env::var(name).ok(), cfg!(windows));
            let draw = move || {
                let mut wait = PATIENCE;
                while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                    wait = REDRAW;
                    let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
                    locked(&state).draw(columns, ascii);
                }
            };
            bar.stop = Some(stop);
            // Without a thread there is no bar, and the work goes on.
            bar.thread = std::thread::Builder::new().name("progress".to_string()).spawn(draw).ok();
        }
        bar
    }

    /// What tells this bar how far the work is.
    pub(crate) fn teller(&self) -> Teller {
        Teller(self.state.clone())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It only draws; a panic in it is no reason for another.
            let _ = thread.join();
        }
        locked(&self.state).clear();
    }
}

impl Teller {
    /// So much is done, of so much.
    pub(crate) fn tell(&self, what: &str, done: usize, of: usize) {
        let mut state = locked(&self.0);
        if state.what != what {
            state.what = what.to_string();
        }
        (state.done, state.of) = (done, of);
    }

    /// Prints something of the work's own to standard error.
    pub(crate) fn print(&self, text: &str) {
        let mut state = locked(&self.0);
        state.clear();
        crate::output::stderr(text);
        if let Some(last) = text.chars().last() {
            state.at_start = last == '\n';
        }
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn draw(&mut self, columns: usize, ascii: bool) {
        if !self.at_start {
            return;
        }
        let line = self.line(self.begun.elapsed(), columns, ascii);
        let mut err = std::io::stderr().lock();
        // A terminal that is gone is noticed by what matters.
        let _ = write!(err, "\r\x1b[2K{line}").and_then(|()| err.flush());
        self.drawn = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            crate::output::stderr("\r\x1b[2K");
        }
    }

    /// `matmul_kernel ██████░░░░ 4096 of 16384 programs, 2.4 s; Ctrl-C stops and keeps what is done`
    fn line(&self, elapsed: Duration, columns: usize, ascii: bool) -> String {
        let mut line = self.what.clone();
        if self.of > 0 {
            let filled = (self.done.min(self.of) * CELLS).checked_div(self.of).unwrap_or(0);
            let (full, empty) = if ascii { ("#", ".") } else { ("█", "░") };
            line.push_str(&format!(
                " {}{} {} of {} {}",
                full.repeat(filled),
                empty.repeat(CELLS - filled),
                self.done,
                self.of,
                self.unit
            ));
        }
        line.push_str(&format!(", {:.1} s; {}", elapsed.as_secs_f64(), self.stops));
        // A line that wraps could not be taken back.
        line.chars().take(columns.saturating_sub(1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(done: usize, of: usize) -> State {
        let stops = "Ctrl-C stops and keeps what is done";
        let what = "matmul".to_string();
        State { begun: Instant::now(), what, unit: "programs", done, of, drawn: false, at_start: true, stops }
    }

    #[test]
    fn the_line_says_what_how_far_and_how_to_stop() {
        let time = Duration::from_millis(2420);
        let line = state(6, 12).line(time, 200, true);
        assert_eq!(
            line,
            "matmul ############............ 6 of 12 programs, 2.4 s; Ctrl-C stops and keeps what is done"
        );
        assert_eq!(state(0, 0).line(time, 200, false), "matmul, 2.4 s; Ctrl-C stops and keeps what is done");
        assert!(state(12, 12).line(time, 200, false).contains(&"█".repeat(CELLS)));
    }

    #[test]
    fn the_line_never_wraps() {
        for columns in 0..120 {
            let line = state(usize::MAX / CELLS, usize::MAX).line(Duration::from_secs(1), columns, false);
            assert!(line.chars().count() <= columns.saturating_sub(1));
        }
    }
}
