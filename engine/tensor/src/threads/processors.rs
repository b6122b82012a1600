//! A processor of its own for each thread of a piece of work.
//!
//! A system places new threads by how busy processors were of late. For threads that live for a millisecond that comes too late:
//! on machines with few processors a thread often waits behind the one that started it, for some milliseconds, while another
//! processor does nothing, and two cores take the time of one. So each thread looks whether the processor that it runs on is
//! another's of the same work, and goes to one that is not. What other programs do where is left to the system, and no thread
//! stays bound to a processor.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::sync::{Mutex, PoisonError};

/// The processors that threads of a piece of work run on.
pub(super) struct Processors(Mutex<CpuSet>);

impl Processors {
    /// That of this thread, which is about to start others.
    pub(super) fn of_this_thread() -> Processors {
        let taken = Processors(Mutex::new(CpuSet::new()));
        taken.take(false);
        taken
    }

    /// Lets those that wait for the processor of this thread run, so that they find out.
    pub(super) fn share() {
        std::thread::yield_now();
    }

    /// For a thread that begins: goes to another processor if this one is taken.
    pub(super) fn enter(&self) {
        self.take(true);
        Processors::share();
    }

    fn take(&self, moves: bool) {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut here = sched_getcpu();
        if moves && here < CpuSet::MAX_CPU && taken.is_set(here) {
            leave(&taken);
            here = sched_getcpu();
        }
        if here < CpuSet::MAX_CPU {
            taken.set(here);
        }
    }
}

/// Moves this thread to a processor that is not taken, if there is one that it may run on.
fn leave(taken: &CpuSet) {
    let Ok(all) = sched_getaffinity(None) else { return };
    let mut free = all;
    (0..CpuSet::MAX_CPU).filter(|&cpu| taken.is_set(cpu)).for_each(|cpu| free.unset(cpu));
    if free.count() > 0 && sched_setaffinity(None, &free).is_ok() {
        // It is there now, and may go wherever it was allowed to.
        let _ = sched_setaffinity(None, &all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_leaves_runs_on_a_free_processor_and_stays_bound_to_none() {
        let Ok(all) = sched_getaffinity(None) else { return };
        let mut taken = CpuSet::new();
        taken.set(sched_getcpu());
        leave(&taken);
        assert_eq!(sched_getaffinity(None).ok(), Some(all));
        // Where all are taken it stays where it is.
        leave(&all);
        assert_eq!(sched_getaffinity(None).ok(), Some(all));
    }

    #[test]
    fn threads_of_a_piece_of_work_know_of_each_other() {
        let taken = Processors::of_this_thread();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| taken.enter());
            }
            Processors::share();
        });
        let taken = taken.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Ok(all) = sched_getaffinity(None) else { return };
        // The system may move a thread between its question and its answer, so that only a range is certain.
        assert!((1..=all.count().clamp(1, 4)).contains(&taken.count()), "{taken:?} of {all:?}");
    }
}
