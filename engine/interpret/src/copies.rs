//! Asynchronous copies of one core: a copy moves its data when it starts or, as late as may be, when it is waited for.
//! Which of the two is the launch's [`pallas_ir::Interpretation`].
//!
//! What a semaphore counts lives in the buffer behind its Ref. Beside it stands who signalled last, for the message when
//! nobody waits in the end. Copies to other devices are refused.

use crate::error::RunError;
use crate::hooks::Unmatched;
use crate::machine::{Machine, Value};
use crate::memory::{Memory, View};
use crate::races::{Engine, EngineKind};
use crate::semaphores::{LastSignal, Leftover, Place};
use crate::tape::{CopyStep, Step};
use pallas_ir::CopyOp;
use pallas_tensor::ops::{self, BinaryOp};
use std::sync::Arc;

/// A copy that has been started and not been carried out.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    source: View,
    destination: View,
    arrived: Place,
    /// Where what was sent is counted, for copies that say so.
    sent: Option<Place>,
    bytes: i64,
    /// What the two semaphores count: bytes, or one for a copy.
    amounts: [i64; 2],
    add: bool,
    name: Arc<str>,
    location: u32,
    /// The engine, where races are looked for.
    engine: Option<Box<Engine>>,
}

impl Pending {
    /// A copy on this device.
    pub(crate) fn local(
        memory: &Memory,
        (source, destination): (View, View),
        arrived: Place,
        name: &Arc<str>,
        location: u32,
    ) -> Result<Pending, RunError> {
        let bytes = memory.bytes(&destination)?;
        let amounts = [bytes; 2];
        let name = name.clone();
        let engine = None;
        Ok(Pending { source, destination, arrived, sent: None, bytes, amounts, add: false, name, location, engine })
    }

    /// Moves the data and counts it.
    fn carry_out(self, memory: &mut Memory) -> Result<(), RunError> {
        let mut data = memory.show(&self.source)?;
        if self.add {
            let old = memory.show(&self.destination)?;
            data = ops::binary(BinaryOp::Add, old, data)?;
        }
        memory.replace(&self.destination, data)?;
        for (place, amount) in [Some(self.arrived), self.sent].into_iter().zip(self.amounts) {
            let signal = LastSignal { name: self.name.clone(), location: self.location, is_copy: true };
            if let Some(place) = place {
                memory.add_count(place, amount, signal)?;
                if let (Some(races), Some(engine)) = (&mut memory.races, &self.engine) {
                    races.signal(place, Some(engine));
                }
            }
        }
        Ok(())
    }

    /// Whether it is counted here.
    fn signals(&self, place: Place) -> bool {
        self.arrived == place || self.sent == Some(place)
    }
}

impl Memory {
    /// Carries out the copies that a semaphore needs to reach a count, the last one first, as JAX's simulator does.
    pub(crate) fn carry_out_for(&mut self, place: Place, wanted: i64) -> Result<(), RunError> {
        while self.count(place)? < wanted {
            let Some(next) = self.pending.iter().rposition(|copy| copy.signals(place)) else {
                return Ok(());
            };
            self.pending.remove(next).carry_out(self)?;
        }
        Ok(())
    }

    /// Forgets copies from, to or counted in buffers that are gone, and names each.
    pub(crate) fn drop_copies(&mut self, first: usize) -> Vec<Leftover> {
        let gone = |view: &View| view.buffer >= first;
        let (dropped, kept) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|copy: &Pending| gone(&copy.source) || gone(&copy.destination) || copy.arrived.buffer >= first);
        self.pending = kept;
        dropped
            .into_iter()
            .map(|copy: Pending| Leftover {
                signal: LastSignal { name: copy.name, location: copy.location, is_copy: true },
                count: copy.bytes,
            })
            .collect()
    }
}

impl Machine<'_> {
    pub(crate) fn run_copy(&mut self, step: &Step, copy: &CopyStep) -> Result<(), RunError> {
        let mut sources = step.operands.iter().copied();
        let mut next = || sources.next().ok_or_else(|| RunError::malformed("an operand of a copy is missing"));
        let (source, destination) = (self.reference(next()?)?, self.reference(next()?)?);
        let arrived = self.place(next()?)?;
        let sent = match copy.remote {
            true => Some(self.place(next()?)?),
            false => None,
        };
        for source in sources {
            // With one device, device 0 is the one that we are on.
            if self.integer(source)? != 0 {
                return Err(RunError::eval(
                    "copies to other devices are not simulated: run the kernel on one device, or copy to device 0",
                ));
            }
        }
        let bytes = self.memory.bytes(if copy.send { &source } else { &destination })?;
        match copy.op {
            CopyOp::Start => {
                let (from, to) = (source.shape(), destination.shape());
                if from != to {
                    // Extents that are computed are not known before.
                    return Err(RunError::eval(format!(
                        "DMA source and destination must have the same shape, got {from} and {to}"
                    )));
                }
                // A regular semaphore counts copies that have moved something.
                let amounts = copy.counts_copies.map(|copies| if copies { i64::from(bytes > 0) } else { bytes });
                let (name, location, add) = (copy.name.clone(), step.location, copy.add);
                let engine = None;
                let copy = Pending { source, destination, arrived, sent, bytes, amounts, add, name, location, engine };
                self.start_copy(copy)
            }
            CopyOp::Wait => {
                let place = sent.filter(|_| copy.send).unwrap_or(arrived);
                self.memory.carry_out_for(place, bytes)?;
                self.take_count(step, place, bytes, &copy.name, Unmatched::CopyWait)
            }
        }
    }

    /// Starts a copy: it is carried out now, or when somebody waits for it.
    pub(crate) fn start_copy(&mut self, mut copy: Pending) -> Result<(), RunError> {
        if let Some(races) = &mut self.memory.races {
            let mut engine = Some(races.engine(EngineKind::Copy, copy.location));
            self.memory.engine_access(&mut engine, &copy.source, false);
            self.memory.engine_access(&mut engine, &copy.destination, true);
            copy.engine = engine.map(Box::new);
        }
        // A copy of nothing is done; nobody has to wait for it.
        match self.interpretation.moves_on_wait() && copy.bytes > 0 {
            true => self.memory.pending.push(copy),
            false => copy.carry_out(self.memory)?,
        }
        Ok(())
    }

    /// Copies and does not count.
    pub(crate) fn copy_now(&mut self, source: &View, destination: &View, location: u32) -> Result<(), RunError> {
        self.memory.accessed(source, false, location);
        self.memory.accessed(destination, true, location);
        let data = self.memory.show(source)?;
        self.memory.replace(destination, data)
    }

    /// A Ref operand.
    pub(crate) fn reference(&mut self, source: crate::tape::Source) -> Result<View, RunError> {
        match self.take(source)? {
            Value::Ref(view) => Ok(Arc::unwrap_or_clone(view)),
            _ => Err(RunError::malformed("a tile stands where a Ref belongs")),
        }
    }
}
