//! Engines in virtual time: copies occupy a path to main memory or a link to another device for their bytes, and are done a
//! latency later; products occupy the tensor cores of their block.

use super::{About, LaneCause, LaneKind, LaneStage, Moment, Times};
use pallas_ir::{MemorySpace, OpId, RefType};
use std::sync::Arc;

/// A copy that starts.
#[derive(Debug)]
pub(crate) struct Copying {
    /// From which device to which other one it goes.
    pub(crate) link: Option<(usize, usize)>,
    pub(crate) stage: LaneStage,
    pub(crate) bytes: u64,
    pub(crate) about: About,
}

impl Times {
    /// A buffer has a name and a place. The first name stays.
    pub(crate) fn call(&mut self, buffer: usize, name: Option<&Arc<str>>, ty: &RefType) {
        let main = matches!(ty.space, MemorySpace::Any | MemorySpace::Hbm | MemorySpace::Gmem | MemorySpace::Host);
        self.buffers.insert(buffer, (name.cloned().unwrap_or_default(), main));
    }

    /// What a buffer is called; nothing where nobody has named it.
    pub(crate) fn called(&self, buffer: usize) -> Arc<str> {
        self.buffers.get(&buffer).map(|(name, _)| name.clone()).unwrap_or_default()
    }

    /// Whether a buffer is in main memory.
    pub(crate) fn is_main(&self, buffer: usize) -> bool {
        self.buffers.get(&buffer).is_some_and(|(_, main)| *main)
    }

    /// The lane of an engine that is free at a time: copies that are under way at the same time have lanes of their own. The
    /// engine of an owner is known by a number.
    fn engine(
        &mut self,
        (owner, number): (usize, usize),
        kind: LaneKind,
        name: &dyn Fn(&str) -> String,
        start: f64,
    ) -> usize {
        let mut which = 0;
        while let Some(&lane) = self.numbers.get(&(number, kind, which)) {
            if self.ends[lane] <= start {
                return lane;
            }
            which += 1;
        }
        let own = name(self.owners.get(&owner).map_or("", String::as_str));
        let name = if which == 0 { own } else { format!("{own} ({})", which + 1) };
        let lane = self.lane(name, kind, owner);
        self.numbers.insert((number, kind, which), lane);
        lane
    }

    /// The running agent starts a copy: when its source has been read, and when it is done.
    pub(crate) fn copy(&mut self, copying: Copying) -> (Moment, Moment) {
        self.flush(self.who);
        self.copy_from(self.clock(self.who), copying)
    }

    /// A copy that may begin at a time.
    fn copy_from(&mut self, now: f64, copying: Copying) -> (Moment, Moment) {
        let Copying { link, stage, bytes, about } = copying;
        let (owner, path) = self.agents.get(self.who).map_or((0, 0), |clock| (clock.owner, clock.path));
        let (byte, latency) = match link {
            Some(_) => (self.pace.link_byte, self.pace.link_latency),
            None => (self.pace.byte, self.pace.latency),
        };
        let free = match link {
            Some(link) => self.links.entry(link).or_default(),
            None => self.paths.entry(path).or_default(),
        };
        let begin = free.max(now);
        let read = begin + bytes as f64 * byte;
        *free = read;
        let done = read + latency;
        let lane = match link {
            Some((from, to)) => {
                let name = move |_: &str| format!("link from device {from} to {to}");
                // A link is one lane, whichever core of a device sends.
                self.engine((owner, from << 20 | to), LaneKind::Link, &name, begin)
            }
            None => {
                let name = |own: &str| if own.is_empty() { "copies".to_string() } else { format!("copies of {own}") };
                self.engine((owner, owner), LaneKind::Copies, &name, begin)
            }
        };
        let number = self.event(lane, stage, about, (begin, done));
        if let Some(event) = number.and_then(|number| self.events.get_mut(number)) {
            event.bytes = bytes;
        }
        let cause = Some(LaneCause { lane, event: number });
        (Moment { time: read, cause }, Moment { time: done, cause })
    }

    /// What is copied out belongs to a group of the running agent's.
    pub(crate) fn grouped(&mut self, group: usize, read: Moment, written: Moment) {
        if let Some(clock) = self.agents.get_mut(self.who) {
            clock.groups.push((group, read, written));
        }
    }

    /// What arrives from here on arrives then.
    pub(crate) fn at(&mut self, moment: Moment) {
        self.now = moment;
    }

    /// The running agent starts a product, into registers or into tensor memory.
    pub(crate) fn product(&mut self, block: usize, op: OpId, registers: bool, about: About) -> Moment {
        self.flush(self.who);
        let now = self.clock(self.who);
        let begin = self.cores.get(&block).copied().unwrap_or(0.0).max(now);
        let time = begin + self.pace.ops.get(op.0 as usize).copied().unwrap_or(0.0);
        self.cores.insert(block, time);
        let name =
            |own: &str| if own.is_empty() { "tensor cores".to_string() } else { format!("tensor cores of {own}") };
        let lane = self.engine((block, block), LaneKind::Products, &name, begin);
        let event = self.event(lane, LaneStage::Product, about, (begin, time));
        let done = Moment { time, cause: Some(LaneCause { lane, event }) };
        if let Some(clock) = self.agents.get_mut(self.who) {
            match registers {
                true => clock.products.push(done),
                false => clock.tensor = clock.tensor.or_later(done),
            }
        }
        done
    }

    /// When all is done that the running agent told tensor cores.
    pub(crate) fn tensor_done(&self) -> Moment {
        let own = self.moment_of(self.who);
        self.agents.get(self.who).map_or(own, |clock| own.or_later(clock.tensor))
    }

    /// A program of a core begins: its blocks have been on their way since the program before began, and are waited for, as are
    /// blocks of outputs that left the slots that it writes to.
    pub(crate) fn begin_program(&mut self, agent: usize, blocks: Vec<Copying>, outputs: &[usize]) {
        self.turn_of(agent, 0);
        self.flush(agent);
        let before = self.agents[agent].began;
        for copying in blocks {
            let (buffer, slot) = (copying.about.buffer.clone(), copying.about.slot);
            let (_, done) = self.copy_from(before, copying);
            self.wait_until(agent, done, About { buffer, slot, ..About::default() });
        }
        for output in outputs {
            let leaving = self.agents[agent].leaving.entry(*output).or_default();
            // Two slots: the last but one has to be free.
            if leaving.len() > 1 {
                let gone = leaving.remove(0);
                self.wait_until(agent, gone, About { name: "its last block".into(), ..About::default() });
            }
        }
        self.agents[agent].began = self.agents[agent].now;
    }

    /// A block of an output goes back.
    pub(crate) fn leave(&mut self, agent: usize, output: usize, copying: Copying) {
        self.turn_of(agent, 0);
        let (_, done) = self.copy(copying);
        self.agents[agent].leaving.entry(output).or_default().push(done);
    }

    /// A core has run its last program: it waits for the blocks that go back.
    pub(crate) fn end_programs(&mut self, agent: usize) {
        self.turn_of(agent, 0);
        let leaving = std::mem::take(&mut self.agents[agent].leaving);
        let last = leaving.into_values().flatten().fold(Moment::default(), Moment::or_later);
        self.wait_until(agent, last, About { name: "its last blocks".into(), ..About::default() });
    }
}
