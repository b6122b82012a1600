//! Asynchronous copies of one core: a copy moves its data when it starts or, as late as may be, when it is waited for.
//! Which of the two is the launch's [`pallas_ir::Interpretation`].
//!
//! What a semaphore counts lives in the buffer behind its Ref. Beside it stands who signalled last, for the message when
//! nobody waits in the end. Copies to other devices are in `agents/peers`; the one device that there is here is number 0.

use crate::agents::draw;
use crate::error::RunError;
use crate::hooks::{Hooks, Unmatched};
use crate::machine::{Machine, Value};
use crate::memory::{Memory, View};
use crate::races::{Engine, EngineKind};
use crate::semaphores::{LastSignal, Leftover, Place};
use crate::tape::{CopyStep, Step};
use crate::times::{About, Copying};
use pallas_ir::CopyOp;
use pallas_tensor::Array;
use pallas_tensor::ops::{self, BinaryOp};
use std::sync::Arc;

/// A copy that has been started and not been carried out.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    source: Arc<View>,
    destination: Arc<View>,
    arrived: Place,
    /// Where what was sent is counted, for copies that say so.
    sent: Option<Place>,
    bytes: i64,
    /// What the two semaphores count: bytes, or one for a copy.
    amounts: [i64; 2],
    add: bool,
    /// The names of the two semaphores, by number.
    names: [u32; 2],
    location: u32,
    /// What has been read of the source, where it has been sent and has not arrived.
    data: Option<Box<Array>>,
    /// The engine, where races are looked for: as of when it has read, and of when it has written.
    engine: Option<Box<[Engine; 2]>>,
}

/// When copies are carried out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Moves {
    /// When the launch says: as they start, or when they are waited for.
    #[default]
    AsSaid,
    /// When they are waited for.
    Late,
    /// At any time in between, which is drawn.
    Drawn(u64),
}

impl Moves {
    /// What a run's schedule makes of them.
    pub(crate) fn of(hooks: &dyn Hooks) -> Moves {
        match (hooks.late(), hooks.schedule()) {
            (true, _) => Moves::Late,
            (false, Some(seed)) => Moves::Drawn(seed.rotate_left(32)),
            (false, None) => Moves::AsSaid,
        }
    }

    /// One of so many where it is drawn.
    fn draw(&mut self, of: u64) -> Option<u64> {
        match self {
            Moves::Drawn(state) => Some(draw(state) % of),
            Moves::AsSaid | Moves::Late => None,
        }
    }
}

/// What one end of a copy is: views, the semaphores that count there, and how much.
pub(crate) struct Ends {
    pub(crate) source: Arc<View>,
    pub(crate) destination: Arc<View>,
    pub(crate) arrived: Place,
    pub(crate) sent: Option<Place>,
}

impl Pending {
    /// A copy on this device.
    pub(crate) fn local(
        memory: &mut Memory,
        (source, destination): (View, View),
        arrived: Place,
        name: &Arc<str>,
        location: u32,
    ) -> Result<Pending, RunError> {
        let bytes = memory.bytes(&destination)?;
        let amounts = [bytes; 2];
        let names = [memory.names.number(name); 2];
        Ok(Pending {
            source: Arc::new(source),
            destination: Arc::new(destination),
            arrived,
            sent: None,
            bytes,
            amounts,
            add: false,
            names,
            location,
            data: None,
            engine: None,
        })
    }

    /// A copy as a step says it.
    ///
    /// # Errors
    /// If source and destination have different extents: those that are computed are not known before.
    pub(crate) fn new(memory: &mut Memory, ends: Ends, copy: &CopyStep, location: u32) -> Result<Pending, RunError> {
        let Ends { source, destination, arrived, sent } = ends;
        if source.extents().ne(destination.extents()) {
            let (from, to) = (source.shape(), destination.shape());
            return Err(RunError::eval(format!(
                "DMA source and destination must have the same shape, got {from} and {to}"
            )));
        }
        let bytes = memory.bytes(&destination)?;
        // A regular semaphore counts copies that have moved something.
        let amounts = copy.counts_copies.map(|copies| if copies { i64::from(bytes > 0) } else { bytes });
        let names = copy.names.each_ref().map(|name| memory.names.number(name));
        let add = copy.add;
        let (data, engine) = (None, None);
        Ok(Pending { source, destination, arrived, sent, bytes, amounts, add, names, location, data, engine })
    }

    /// Reads the source, and counts what has been sent.
    fn read(&mut self, memory: &mut Memory) -> Result<(), RunError> {
        if self.data.is_none() {
            self.data = Some(Box::new(memory.show(&self.source)?));
            if let Some(place) = self.sent.take() {
                self.count(memory, place, 1)?;
            }
        }
        Ok(())
    }

    /// Moves the data and counts it.
    fn carry_out(mut self, memory: &mut Memory) -> Result<(), RunError> {
        if self.data.is_none() && !self.add && memory.lend(&self.source, &self.destination) {
            if let Some(place) = self.sent.take() {
                self.count(memory, place, 1)?;
            }
            return self.count(memory, self.arrived, 0);
        }
        self.read(memory)?;
        let Some(mut data) = self.data.take().map(|data| *data) else { return Ok(()) };
        if self.add {
            let old = memory.show(&self.destination)?;
            data = ops::binary(BinaryOp::Add, old, data)?;
        }
        memory.replace(&self.destination, data)?;
        self.count(memory, self.arrived, 0)
    }

    fn count(&self, memory: &mut Memory, place: Place, end: usize) -> Result<(), RunError> {
        let signal = LastSignal { name: self.names[end], location: self.location, is_copy: true };
        memory.add_count(place, self.amounts[end], signal)?;
        if let (Some(races), Some(engines)) = (&mut memory.races, &self.engine) {
            races.signal(place, Some(&engines[1 - end]));
        }
        Ok(())
    }

    /// Whether it is counted here.
    fn signals(&self, place: Place) -> bool {
        self.arrived == place || self.sent == Some(place)
    }
}

impl Memory {
    /// Carries out the copies that a semaphore needs to reach a count, the last one first, as JAX's simulator does. Where it
    /// counts what has been sent, their sources are read; the data arrives when somebody waits for that. Whether there were
    /// any.
    pub(crate) fn carry_out_for(&mut self, place: Place, wanted: i64) -> Result<bool, RunError> {
        let mut some = false;
        while self.count(place)? < wanted {
            let Some(next) = self.pending.iter().rposition(|copy| copy.signals(place)) else {
                return Ok(some);
            };
            let mut copy = self.pending.remove(next);
            some = true;
            match copy.arrived == place {
                true => copy.carry_out(self)?,
                false => {
                    copy.read(self)?;
                    self.pending.insert(next, copy);
                }
            }
        }
        Ok(some)
    }

    /// A copy in a rehearsal, over a link between two devices if it is one: nothing moves, and what counts it does so at once, as
    /// of a time that the clocks know.
    pub(crate) fn rehearse_copy(&mut self, copy: &Pending, link: Option<(usize, usize)>) -> Result<(), RunError> {
        let name = self.names.name(copy.names[0]);
        let copying = self.copying((&copy.source, &copy.destination), link, (copy.bytes, &name, copy.location));
        let Some(times) = &mut self.times else { return Ok(()) };
        let (read, done) = times.copy(copying);
        times.count(copy.arrived, done, copy.amounts[0]);
        if let Some(sent) = copy.sent {
            times.count(sent, read, copy.amounts[1]);
            copy.count(self, sent, 1)?;
        }
        copy.count(self, copy.arrived, 0)
    }

    /// A copy in a rehearsal that is waited for at once.
    fn rehearse_copy_now(&mut self, source: &View, destination: &View, location: u32) -> Result<(), RunError> {
        let bytes = self.bytes(destination)?;
        let copying = self.copying((source, destination), None, (bytes, &"".into(), location));
        if let Some(times) = &mut self.times {
            let about = About { buffer: copying.about.buffer.clone(), slot: copying.about.slot, ..About::default() };
            let (_, done) = times.copy(copying);
            times.wait_for(done, about);
        }
        Ok(())
    }

    fn copying(
        &self,
        ends: (&View, &View),
        link: Option<(usize, usize)>,
        (bytes, name, location): (i64, &Arc<str>, u32),
    ) -> Copying {
        let (stage, about) = self.about_copy(ends, link.is_some());
        let about = About { name: name.clone(), location, ..about };
        Copying { link, stage, bytes: u64::try_from(bytes).unwrap_or(0), about }
    }

    /// Carries out a copy that is under way.
    pub(crate) fn carry_out_at(&mut self, position: usize) -> Result<(), RunError> {
        match position < self.pending.len() {
            true => self.pending.remove(position).carry_out(self),
            false => Ok(()),
        }
    }

    /// Carries out some of the copies that are under way, where it is drawn which.
    fn carry_out_some(&mut self) -> Result<(), RunError> {
        if !matches!(self.moves, Moves::Drawn(_)) {
            return Ok(());
        }
        for position in (0..self.pending.len()).rev() {
            if self.moves.draw(4) == Some(0) {
                self.carry_out_at(position)?;
            }
        }
        Ok(())
    }

    /// Forgets copies from, to or counted in buffers that are gone, and names each.
    pub(crate) fn drop_copies(&mut self, first: usize) -> Vec<(Place, Leftover)> {
        self.drop_copies_of(|buffer| buffer >= first)
    }

    /// The same for buffers that a condition holds for.
    pub(crate) fn drop_copies_of(&mut self, gone: impl Fn(usize) -> bool) -> Vec<(Place, Leftover)> {
        let uses = |copy: &Pending| {
            // A source that has been read is not needed any more.
            (copy.data.is_none() && gone(copy.source.buffer))
                || gone(copy.destination.buffer)
                || gone(copy.arrived.buffer)
        };
        let (dropped, kept) = std::mem::take(&mut self.pending).into_iter().partition(uses);
        self.pending = kept;
        let left = |copy: Pending| {
            let [name, _] = copy.names;
            let signal = LastSignal { name, location: copy.location, is_copy: true };
            (copy.arrived, self.leftover(signal, copy.bytes))
        };
        dropped.into_iter().map(left).collect()
    }
}

impl Machine<'_> {
    pub(crate) fn run_copy(&mut self, step: &Step, copy: &CopyStep) -> Result<(), RunError> {
        let mut sources = step.operands.iter().copied();
        let mut next = || sources.next().ok_or_else(|| RunError::malformed("an operand of a copy is missing"));
        let (source, destination) = (self.shared(next()?)?, self.shared(next()?)?);
        let arrived = self.place(next()?)?;
        let sent = match copy.remote {
            true => Some(self.place(next()?)?),
            false => None,
        };
        for source in sources {
            // With one device, device 0 is the one that we are on.
            let device = self.integer(source)?;
            if device != 0 {
                return Err(RunError::eval(format!(
                    "a copy goes to device {device}, but the kernel runs on one device: launch it in jax.shard_map over a \
                     mesh of devices"
                )));
            }
        }
        let bytes = self.memory.bytes(if copy.send { &source } else { &destination })?;
        self.memory.carry_out_some()?;
        match copy.op {
            CopyOp::Start => {
                let ends = Ends { source, destination, arrived, sent };
                let copy = Pending::new(self.memory, ends, copy, step.location)?;
                self.start_copy(copy)
            }
            CopyOp::Wait => {
                let place = sent.filter(|_| copy.send).unwrap_or(arrived);
                self.memory.carry_out_for(place, bytes)?;
                self.take_count(step, place, bytes, copy.name(), Unmatched::CopyWait)
            }
        }
    }

    /// Starts a copy: it is carried out now, or when somebody waits for it.
    pub(crate) fn start_copy(&mut self, mut copy: Pending) -> Result<(), RunError> {
        if self.memory.times.is_some() {
            return self.memory.rehearse_copy(&copy, None);
        }
        if let Some(races) = &mut self.memory.races {
            let mut engine = Some(races.engine(EngineKind::Copy, copy.location));
            self.memory.engine_access(&mut engine, &copy.source, false);
            let read = engine.clone();
            self.memory.engine_access(&mut engine, &copy.destination, true);
            copy.engine = read.zip(engine).map(|(read, written)| Box::new([read, written]));
        }
        // A copy of nothing is done; nobody has to wait for it.
        let waits = match (self.memory.moves, self.memory.moves.draw(2)) {
            (_, Some(drawn)) => drawn == 0,
            (Moves::Late, _) => true,
            _ => self.interpretation.moves_on_wait(),
        };
        match waits && copy.bytes > 0 {
            true => self.memory.pending.push(copy),
            false => copy.carry_out(self.memory)?,
        }
        Ok(())
    }

    /// Copies and does not count.
    pub(crate) fn copy_now(&mut self, source: &View, destination: &View, location: u32) -> Result<(), RunError> {
        if self.memory.times.is_some() {
            return self.memory.rehearse_copy_now(source, destination, location);
        }
        self.memory.accessed(source, false, location);
        self.memory.accessed(destination, true, location);
        let data = self.memory.show(source)?;
        self.memory.replace(destination, data)
    }

    /// A Ref operand that is only looked at.
    pub(crate) fn shared(&mut self, source: crate::tape::Source) -> Result<Arc<View>, RunError> {
        match &self.registers[source.register as usize] {
            Value::Ref(view) => Ok(view.clone()),
            _ => Err(RunError::malformed("a tile stands where a Ref belongs")),
        }
    }

    /// A Ref operand.
    pub(crate) fn reference(&mut self, source: crate::tape::Source) -> Result<View, RunError> {
        match self.take(source)? {
            Value::Ref(view) => Ok(Arc::unwrap_or_clone(view)),
            _ => Err(RunError::malformed("a tile stands where a Ref belongs")),
        }
    }
}
