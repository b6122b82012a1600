//! Knows what runs for the client, so that it can be stopped: by its progress, because nobody wants it any more, or because the
//! server goes. Runs nothing itself: that is [`crate::runner`].

use pallas_engine::Cancel;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::ProgressToken;

/// How often what is being stopped is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// All that runs, by a number of its own.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<HashMap<u64, Known>>>);

/// The token of its progress, if that is shown, and what stops it.
type Known = (Option<ProgressToken>, Cancel);

impl Running {
    fn with<T>(&self, use_it: impl FnOnce(&mut HashMap<u64, Known>) -> T) -> T {
        // Single operations of the map: a panic elsewhere has not damaged it.
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes down that something runs, until what this gives is dropped.
    pub(crate) fn begin(&self, token: Option<ProgressToken>, cancel: Cancel) -> Run {
        let number = crate::runner::unique();
        self.with(|all| all.insert(number, (token, cancel.clone())));
        Run { running: self.clone(), number, cancel }
    }

    /// `window/workDoneProgress/cancel`
    pub(crate) fn cancel(&self, token: &ProgressToken) {
        self.with(|all| {
            all.values().filter(|(shown, _)| shown.as_ref() == Some(token)).for_each(|(_, cancel)| cancel.cancel());
        });
    }

    /// Stops everything, and waits for its end, but not for longer than said.
    pub(crate) fn stop(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let is_idle = || {
            self.with(|all| {
                all.values().for_each(|(_, cancel)| cancel.cancel());
                all.is_empty()
            })
        };
        while !is_idle() && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
    }
}

/// Something that runs. Whoever supervises it keeps this until it has ended.
pub(crate) struct Run {
    running: Running,
    number: u64,
    /// Whether it should stop.
    pub(crate) cancel: Cancel,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.running.with(|all| all.remove(&self.number));
    }
}

/// Cancels what is done for a request when the request is dropped.
pub(crate) struct CancelOnDrop(pub(crate) Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp_server::ls_types::NumberOrString;

    #[test]
    fn what_runs_is_stopped_by_its_progress_or_with_everything() {
        let running = Running::default();
        let begin = |token: i32| running.begin(Some(NumberOrString::Number(token)), Cancel::new());
        let (first, second) = (begin(1), begin(2));
        running.cancel(&NumberOrString::Number(2));
        assert!(!first.cancel.is_cancelled() && second.cancel.is_cancelled());
        drop(second);
        let supervisor = thread::spawn(move || {
            while !first.cancel.is_cancelled() {
                thread::sleep(LOOK);
            }
        });
        running.stop(Duration::from_secs(60));
        assert!(running.with(|all| all.is_empty()), "it was waited for");
        supervisor.join().expect("it ends");
    }

    #[test]
    fn nobody_waits_for_ever_for_what_does_not_stop() {
        let running = Running::default();
        let deaf = running.begin(None, Cancel::new());
        running.stop(Duration::ZERO);
        assert!(deaf.cancel.is_cancelled());
    }
}
