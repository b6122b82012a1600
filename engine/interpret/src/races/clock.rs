//! Vector clocks: how far each actor had got when it last made itself heard.

/// A time for each actor; actors that are not mentioned have not been heard of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Vec<u32>);

impl Clock {
    pub(crate) fn get(&self, actor: u32) -> u32 {
        self.0.get(actor as usize).copied().unwrap_or(0)
    }

    pub(crate) fn set(&mut self, actor: u32, time: u32) {
        let at = actor as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = time;
    }

    /// Learns what another clock knows.
    pub(crate) fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

/// What somebody knows. Engines of a GPU do not see writes to shared memory that have not been committed, so what has
/// been is counted apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clocks {
    pub(crate) seen: Clock,
    pub(crate) committed: Clock,
}

impl Clocks {
    pub(crate) fn join(&mut self, other: &Clocks) {
        self.seen.join(&other.seen);
        self.committed.join(&other.committed);
    }

    /// Knows of what an actor did up to a time.
    pub(crate) fn learn(&mut self, actor: u32, time: u32) {
        self.seen.set(actor, time);
        self.committed.set(actor, time);
    }

    /// Engines see from now on what is known now.
    pub(crate) fn commit(&mut self) {
        self.committed.join(&self.seen);
    }
}

#[cfg(test)]
mod tests {
    use super::Clocks;

    #[test]
    fn what_was_seen_is_committed_only_when_it_is_said() {
        let mut clocks = Clocks::default();
        clocks.seen.set(70, 3);
        assert_eq!((clocks.seen.get(70), clocks.committed.get(70)), (3, 0));
        let mut other = Clocks::default();
        other.join(&clocks);
        other.commit();
        assert_eq!(other.committed.get(70), 3);
        assert_eq!(other.committed.get(71), 0);
    }
}
