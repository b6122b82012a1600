//! Semaphores of one core. A wait that nothing can satisfy any more is a deadlock: an error, or under `interpret=True`,
//! where waits only count, something the hooks are told.

use crate::error::{RunError, RunErrorKind};
use crate::hooks::{Unmatched, UnmatchedSemaphore};
use crate::machine::{Machine, Value};
use crate::memory::{Memory, Shown, View, ViewDim};
use crate::tape::{SemaphoreStep, Source, Step};
use pallas_ir::SemaphoreOp;
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// One semaphore: a buffer, and an element of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) buffer: usize,
    element: usize,
}

/// Something for some semaphores, found quickly.
pub(crate) type ByPlace<T> = HashMap<Place, T, BuildHasherDefault<PlaceHasher>>;

/// Spreads places, whose numbers are small and nobody's who means harm.
#[derive(Debug, Default)]
pub(crate) struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, number: usize) {
        // The golden ratio, whose multiples fill all bits.
        self.0 = (self.0.rotate_left(23) ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Names of semaphores, each once. A run has a list of its own: holders of a name that all threads count would wait for each
/// other with every copy.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<Arc<str>>);

impl Names {
    /// The number of a name.
    pub(crate) fn number(&mut self, name: &Arc<str>) -> u32 {
        let known = self.0.iter().position(|known| Arc::ptr_eq(known, name));
        let number = known.unwrap_or_else(|| {
            self.0.push(name.clone());
            self.0.len() - 1
        });
        number as u32
    }

    /// The name with this number.
    pub(crate) fn name(&self, number: u32) -> Arc<str> {
        self.0.get(number as usize).cloned().unwrap_or_else(|| "a semaphore".into())
    }
}

/// Who signalled a semaphore last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastSignal {
    /// The semaphore's name there, by number.
    pub(crate) name: u32,
    /// Where.
    pub(crate) location: u32,
    /// Whether it was a copy.
    pub(crate) is_copy: bool,
}

/// A semaphore above zero, or a copy that was not carried out.
pub(crate) struct Leftover {
    pub(crate) name: Arc<str>,
    pub(crate) location: u32,
    pub(crate) is_copy: bool,
    pub(crate) count: i64,
}

impl Place {
    pub(crate) fn new(buffer: usize, element: usize) -> Place {
        Place { buffer, element }
    }

    /// The same element of another buffer.
    pub(crate) fn of(self, buffer: usize) -> Place {
        Place { buffer, ..self }
    }

    /// An order of places.
    pub(crate) fn key(self) -> (usize, usize) {
        (self.buffer, self.element)
    }
}

impl Memory {
    /// What a semaphore counts.
    pub(crate) fn count(&self, place: Place) -> Result<i64, RunError> {
        let buffer = self.buffers.get(place.buffer);
        if let Some(counts) = buffer.and_then(|buffer| buffer.array.elements::<i32>())
            && let Some(&count) = counts.get(place.element)
        {
            return Ok(count.into());
        }
        let element = buffer.and_then(|buffer| buffer.array.get(place.element)).and_then(Scalar::as_int);
        element
            .and_then(|count| i64::try_from(count).ok())
            .ok_or_else(|| RunError::malformed("a semaphore outlived its scope"))
    }

    fn set_count(&mut self, place: Place, count: i64) -> Result<(), RunError> {
        let buffer = self.buffers.get_mut(place.buffer);
        if let Ok(count) = i32::try_from(count)
            && let Some(buffer) = buffer
            && let Some(counts) = buffer.array.elements_mut::<i32>()
            && let Some(slot) = counts.get_mut(place.element)
        {
            *slot = count;
            return Ok(());
        }
        let buffer = self.buffers.get_mut(place.buffer);
        match buffer.is_some_and(|buffer| buffer.array.set(place.element, Scalar::Int(count.into()))) {
            true => Ok(()),
            false => Err(RunError::malformed("a semaphore outlived its scope")),
        }
    }

    /// A signal to a semaphore of this name.
    pub(crate) fn signal(&mut self, name: &Arc<str>, location: u32, is_copy: bool) -> LastSignal {
        LastSignal { name: self.names.number(name), location, is_copy }
    }

    /// What is left of a signal.
    pub(crate) fn leftover(&self, signal: LastSignal, count: i64) -> Leftover {
        let LastSignal { name, location, is_copy } = signal;
        Leftover { name: self.names.name(name), location, is_copy, count }
    }

    /// Signals.
    pub(crate) fn add_count(&mut self, place: Place, amount: i64, signal: LastSignal) -> Result<(), RunError> {
        let count = self.count(place)?.saturating_add(amount);
        self.last_signals.insert(place, signal);
        self.set_count(place, count)
    }

    /// Bytes of what a view shows.
    pub(crate) fn bytes(&self, view: &View) -> Result<i64, RunError> {
        let dtype = self.dtype(view)?;
        let elements = view.extents().fold(1usize, usize::saturating_mul);
        Ok(i64::try_from(elements.saturating_mul(dtype.size_bytes())).unwrap_or(i64::MAX))
    }

    /// Takes something off a count.
    pub(crate) fn take_off(&mut self, place: Place, amount: i64) -> Result<(), RunError> {
        let count = self.count(place)?.saturating_sub(amount);
        self.set_count(place, count)
    }

    /// Semaphores in buffers from `first` on that are above zero, with who signalled them last.
    pub(crate) fn left_over(&self, first: usize) -> Vec<(Place, Leftover)> {
        self.above_zero(|buffer| buffer >= first)
    }

    /// Semaphores and copies of a buffer that is about to go, which are forgotten.
    pub(crate) fn left_in(&mut self, buffer: usize) -> Vec<(Place, Leftover)> {
        let mut left = self.drop_copies_of(|other| other == buffer);
        left.extend(self.above_zero(|other| other == buffer));
        self.last_signals.retain(|place, _| place.buffer != buffer);
        left
    }

    fn above_zero(&self, of: impl Fn(usize) -> bool) -> Vec<(Place, Leftover)> {
        let mut found: Vec<(Place, &LastSignal)> =
            self.last_signals.iter().filter(|(place, _)| of(place.buffer)).map(|(p, s)| (*p, s)).collect();
        found.sort_by_key(|(place, _)| (place.buffer, place.element));
        found
            .into_iter()
            .filter_map(|(place, signal)| {
                let count = self.count(place).ok().filter(|&count| count > 0)?;
                Some((place, self.leftover(*signal, count)))
            })
            .collect()
    }
}

impl Machine<'_> {
    pub(crate) fn run_semaphore(
        &mut self,
        step: &Step,
        semaphore: &SemaphoreStep,
    ) -> Result<SmallVec<[Value; 1]>, RunError> {
        if semaphore.op == SemaphoreOp::Barrier {
            let buffer = match self.memory.barrier {
                Some(buffer) => buffer,
                None => return Err(RunError::eval("get_barrier_semaphore() outside of a kernel")),
            };
            return Ok(smallvec![Value::reference(View::whole(buffer, &Shape::default()))]);
        }
        let mut sources = step.operands.iter().copied();
        let mut next = || sources.next().ok_or_else(|| RunError::malformed("an operand of a semaphore is missing"));
        let place = self.place(next()?)?;
        match semaphore.op {
            SemaphoreOp::Signal => {
                let amount = self.integer(next()?)?;
                for source in sources {
                    // With one device of one core, number 0 is where we are.
                    let named = self.integer(source)?;
                    if named != 0 {
                        return Err(RunError::eval(format!(
                            "device or core {named} is signalled, but the kernel runs on one device with one core: launch it \
                             in jax.shard_map over a mesh of devices, or over a mesh of cores"
                        )));
                    }
                }
                let signal = self.memory.signal(&semaphore.name, step.location, false);
                self.memory.add_count(place, amount, signal)?;
                if let Some(times) = &mut self.memory.times {
                    times.signal(place, amount, false);
                }
                if let Some(races) = &mut self.memory.races {
                    races.signal(place, None);
                }
                Ok(SmallVec::new())
            }
            SemaphoreOp::Wait => {
                let wanted = self.integer(next()?)?;
                self.memory.carry_out_for(place, wanted)?;
                if semaphore.keep {
                    self.memory.timed_wait(place, (wanted, true), (&semaphore.name, step.location));
                }
                match semaphore.keep && self.memory.count(place)? >= wanted {
                    true => self.memory.waited(place),
                    false => self.take_count(step, place, wanted, &semaphore.name, Unmatched::Wait)?,
                }
                if semaphore.keep && self.memory.count(place)? < 0 {
                    // Under `interpret=True` such a wait changes nothing.
                    let count = self.memory.count(place)?.saturating_add(wanted);
                    self.memory.set_count(place, count)?;
                }
                Ok(SmallVec::new())
            }
            SemaphoreOp::Read => {
                let count = self.memory.count(place)?;
                Ok(smallvec![Value::Tile(Array::scalar(DType::I32, Scalar::Int(count.into())))])
            }
            SemaphoreOp::Barrier => Ok(SmallVec::new()),
        }
    }

    /// The semaphore behind a Ref without dimensions.
    pub(crate) fn place(&mut self, source: Source) -> Result<Place, RunError> {
        let view = self.shared(source)?;
        self.place_of(&view)
    }

    /// The semaphore or barrier that a view shows.
    pub(crate) fn place_of(&self, view: &View) -> Result<Place, RunError> {
        if view.through.as_ref().is_some_and(|through| matches!(through.shown, Shown::Beyond(_))) {
            return Err(RunError::eval("Out-of-bounds semaphore: a subscript leaves the array of semaphores"));
        }
        let mut element = 0;
        for (dim, &extent) in view.dims.iter().zip(self.memory.array(view)?.shape().iter()) {
            element = element * extent
                + match dim {
                    ViewDim::At(position) => *position,
                    ViewDim::Range { start, size: 1, .. } => *start,
                    ViewDim::Range { .. } => return Err(RunError::malformed("several semaphores where one belongs")),
                };
        }
        Ok(Place { buffer: view.buffer, element })
    }

    /// Takes what was waited for off a count.
    pub(crate) fn take_count(
        &mut self,
        step: &Step,
        place: Place,
        wanted: i64,
        name: &Arc<str>,
        kind: Unmatched,
    ) -> Result<(), RunError> {
        let count = self.memory.count(place)?;
        if count < wanted {
            if !self.interpretation.only_counts() {
                return Err(RunError::new(RunErrorKind::Deadlock(deadlock(name, kind, count, wanted))));
            }
            self.report_unmatched(name, step.location, kind, count, wanted);
        }
        self.memory.waited(place);
        self.memory.timed_wait(place, (wanted, false), (name, step.location));
        self.memory.set_count(place, count.saturating_sub(wanted))
    }

    /// Tells the hooks of a semaphore that somebody waits for in vain, or that nobody waits for.
    pub(crate) fn report_unmatched(&mut self, name: &str, location: u32, kind: Unmatched, count: i64, wanted: i64) {
        if let Some(location) = self.tape.locations.get(location as usize) {
            let ids = self.ids;
            self.hooks.unmatched(&UnmatchedSemaphore { kind, name, location, ids, count, wanted });
        }
    }
}

/// What is said of a wait that nothing satisfies.
fn deadlock(name: &str, kind: Unmatched, count: i64, wanted: i64) -> String {
    match kind {
        Unmatched::CopyWait => format!(
            "deadlock: waits for a copy of {wanted} bytes that {name} would count, but no copy that is under way counts \
             there (it is at {count})"
        ),
        _ => format!("deadlock: waits until {name} is {wanted}, but it is {count} and nobody will signal it"),
    }
}
