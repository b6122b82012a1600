//! What an agent of a GPU waits for by its number: groups of copies out of shared memory, and products into registers.

use super::report::Found;
use super::{Clocks, MOST_FOUND, Races};

impl Races {
    /// A copy out of shared memory joins the open group; `read` and `written`: what is known then.
    pub(crate) fn copied_out(&mut self, read: Clocks, written: Clocks, closes: bool, location: u32) {
        let current = self.current;
        let agent = self.of(current);
        agent.copied = location;
        match &mut agent.open {
            Some([reads, writes]) => {
                reads.join(&read);
                writes.join(&written);
            }
            open => *open = Some([read, written]),
        }
        if closes {
            self.close_group();
        }
    }

    /// Closes the open group of copies.
    pub(crate) fn close_group(&mut self) {
        let current = self.current;
        let agent = self.of(current);
        let [reads, writes] = agent.open.take().unwrap_or_default();
        agent.reads.push_back(reads);
        agent.writes.push_back(writes);
    }

    /// The running agent waits until at most so many groups are under way.
    pub(crate) fn drain(&mut self, left: usize, read_only: bool) {
        let current = self.current;
        let agent = self.of(current);
        while agent.reads.len() > left {
            let Some(reads) = agent.reads.pop_front() else { break };
            agent.clocks.join(&reads);
        }
        while !read_only && agent.writes.len() > left {
            let Some(writes) = agent.writes.pop_front() else { break };
            agent.clocks.join(&writes);
        }
    }

    /// Whether an agent has started copies out of shared memory and not waited until they were read: where the last was.
    pub(crate) fn unawaited(&mut self, actor: u32) -> Option<u32> {
        let agent = self.of(actor);
        let under_way = agent.open.is_some() || agent.reads.iter().any(|reads| *reads != Clocks::default());
        under_way.then_some(agent.copied)
    }

    /// A copy that an agent has not waited for when it ended.
    pub(crate) fn report_unawaited(&mut self, actor: u32, location: u32) {
        let who = self.of(actor).who as usize;
        if self.found.len() < MOST_FOUND && self.known.insert((location, location, u8::MAX)) {
            self.found.push(Found::Unawaited { location, who: self.names[who].clone() });
        }
    }

    /// A product into registers is under way.
    pub(crate) fn multiplied(&mut self, done: Clocks) {
        let current = self.current;
        self.of(current).products.push_back(done);
    }

    /// The running agent waits until at most so many products are under way.
    pub(crate) fn wait_products(&mut self, left: usize) {
        let current = self.current;
        let agent = self.of(current);
        while agent.products.len() > left {
            let Some(done) = agent.products.pop_front() else { break };
            agent.clocks.join(&done);
        }
    }
}
