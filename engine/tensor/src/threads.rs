//! Work on all cores. What comes out must not depend on who did what: jobs are independent of each other, and each writes to
//! a place of its own.
//!
//! Work inside of work stays on its thread: whoever runs programs on all cores ([`alone`]) has no core left for the parts of
//! one operation.

#[cfg(target_os = "linux")]
mod processors;

use crate::lack::{OutOfMemory, lack, with_memory};
#[cfg(target_os = "linux")]
use processors::Processors;
use std::cell::Cell;
use std::sync::{Mutex, OnceLock, PoisonError};

thread_local! {
    /// Whether what this thread does is itself a part of work on all cores.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// How many threads an operation may take now.
pub fn available() -> usize {
    match ALONE.get() {
        true => 1,
        false => cores(),
    }
}

/// How many threads run at once on this machine. Asked once: the answer is read from several files.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Runs something whose operations are to take no other thread.
pub fn alone<R>(work: impl FnOnce() -> R) -> R {
    let _before = Restore(&ALONE, ALONE.replace(true));
    work()
}

/// Puts a flag of the thread back, also where what it was set for panics.
pub(crate) struct Restore(pub(crate) &'static std::thread::LocalKey<Cell<bool>>, pub(crate) bool);

impl Drop for Restore {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

/// Other systems place threads by themselves.
#[cfg(not(target_os = "linux"))]
struct Processors;

#[cfg(not(target_os = "linux"))]
impl Processors {
    fn of_this_thread() -> Processors {
        Processors
    }

    fn share() {}

    fn enter(&self) {}
}

/// The stack of a thread. Control flow inside of control flow recurses.
const STACK: usize = 16 << 20;

/// Runs `own` on this thread and `other` on so many others, and comes back when all are done. What one of them lacks of memory
/// is lacking here.
pub fn beside(others: usize, other: impl Fn() + Sync, own: impl FnOnce()) {
    let lacked: Mutex<Option<OutOfMemory>> = Mutex::new(None);
    let processors = Processors::of_this_thread();
    let beside = || {
        processors.enter();
        if let Err(lack) = with_memory(|| alone(&other)) {
            *lacked.lock().unwrap_or_else(PoisonError::into_inner) = Some(lack);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..others {
            let thread = std::thread::Builder::new().name("worker".to_string()).stack_size(STACK);
            // Where no thread can be had, the others do its work.
            let _ = thread.spawn_scoped(scope, beside);
        }
        Processors::share();
        alone(own);
    });
    if let Some(OutOfMemory { bytes }) = lacked.into_inner().unwrap_or_else(PoisonError::into_inner) {
        lack(bytes);
    }
}

/// Elements from which on an operation is worth several threads.
pub(crate) const LARGE: usize = 1 << 18;
/// Elements that a thread takes at a time of such an operation.
pub(crate) const PART: usize = 1 << 15;

/// How many of parts of `size` elements a thread takes at a time, of `all` elements: all parts where they are not worth several threads.
pub(crate) fn portion(size: usize, all: usize) -> usize {
    let size = size.max(1);
    let parts = if all < LARGE { all.div_ceil(size) } else { PART / size };
    parts.max(1)
}

/// Does jobs, several at once where threads are available. In which order is not said.
pub(crate) fn spread<J: Send>(jobs: Vec<J>, work: impl Fn(J) + Sync) {
    let threads = available().min(jobs.len());
    if threads < 2 {
        jobs.into_iter().for_each(work);
        return;
    }
    let queue = Mutex::new(jobs.into_iter());
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some(job) = take() {
            work(job);
        }
    };
    beside(threads - 1, run, run);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_thread_lacks_of_memory_is_lacking_here() {
        let found = with_memory(|| beside(1, || lack(5), || ()));
        assert_eq!(found, Err(OutOfMemory { bytes: 5 }));
    }

    #[test]
    fn every_job_is_done_once_and_jobs_inside_of_jobs_stay_on_their_thread() {
        let mut numbers = vec![0usize; 100];
        spread(numbers.iter_mut().enumerate().collect(), |(place, number)| {
            assert_eq!(available(), 1);
            let inner = std::thread::current().id();
            spread(vec![(); 3], |()| assert_eq!(std::thread::current().id(), inner));
            *number += place;
        });
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
    }
}
