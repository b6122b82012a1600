//! Barriers: arrivals complete phases, and each thread waits for one phase after the other. The words are those of JAX's
//! GPU interpreter (jax/_src/pallas/mosaic_gpu/interpret/shared_memory.py).

use super::agent::Thread;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One barrier.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    /// Its name in the kernel.
    pub(crate) name: Arc<str>,
    /// How many arrivals complete a phase.
    pub(crate) needed: u32,
    pub(crate) arrived: u32,
    /// Completed phases.
    pub(crate) phase: u64,
    /// Whether somebody has seen the last one.
    observed: bool,
    /// The phase that each thread waits for next.
    next: BTreeMap<Thread, u64>,
}

/// Whether a wait is over.
pub(crate) enum Waited {
    Over,
    NotYet,
}

impl Barrier {
    pub(crate) fn new(name: Arc<str>, needed: u32) -> Barrier {
        Barrier { name, needed, arrived: 0, phase: 0, observed: true, next: BTreeMap::new() }
    }

    /// Arrives; whether a phase is complete by it.
    pub(crate) fn arrive(&mut self) -> Result<bool, String> {
        self.arrived += 1;
        if self.arrived < self.needed {
            return Ok(false);
        }
        if !self.observed {
            return Err(format!(
                "Barrier arrival was completed again before previous completion was observed by a thread. ({}: phase {} is \
                 complete, and nobody has waited for phase {})",
                self.name,
                self.phase + 1,
                self.phase
            ));
        }
        self.arrived = 0;
        self.phase += 1;
        self.observed = false;
        Ok(true)
    }

    /// The phase that a thread waits for next, from 1.
    pub(crate) fn awaited(&self, thread: Thread) -> u64 {
        self.next.get(&thread).copied().unwrap_or(1)
    }

    /// Whether a wait would be over at once.
    pub(crate) fn test(&self, thread: Thread) -> bool {
        self.awaited(thread) == self.phase
    }

    /// Waits.
    pub(crate) fn wait(&mut self, thread: Thread) -> Result<Waited, String> {
        let awaited = self.awaited(thread);
        if awaited < self.phase {
            return Err(format!(
                "Thread {} is awaiting phase {awaited}, but barrier is already at phase {}. (This means that Thread {} has not \
                 participated in all completions of the barrier.)",
                thread.number, self.phase, thread.number
            ));
        }
        if awaited > self.phase {
            return Ok(Waited::NotYet);
        }
        self.observed = true;
        self.next.insert(thread, awaited + 1);
        Ok(Waited::Over)
    }

    /// What a wait waits for, in words.
    pub(crate) fn words(&self, thread: Thread) -> String {
        format!(
            "phase {} of {}, which has {} of {} arrivals",
            self.awaited(thread),
            self.name,
            self.arrived,
            self.needed
        )
    }

    /// What is wrong at the end of its life.
    pub(crate) fn end(&self) -> Result<(), String> {
        for (thread, next) in &self.next {
            let seen = next - 1;
            if 0 < seen && seen < self.phase {
                return Err(format!(
                    "Thread {} did not observe all phases ({}) for barrier (but observed {seen} phase{}).",
                    thread.number,
                    self.phase,
                    if seen > 1 { "s" } else { "" }
                ));
            }
        }
        Ok(())
    }
}
