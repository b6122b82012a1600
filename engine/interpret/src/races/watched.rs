//! Memory tells who looks for races what happens to its buffers, where somebody does.

use super::{Engine, How};
use crate::memory::{Memory, View};
use crate::semaphores::Place;
use pallas_ir::RefType;
use std::sync::Arc;

impl Memory {
    /// A buffer is there, under a name.
    pub(crate) fn declare(&mut self, buffer: usize, name: Option<&Arc<str>>, ty: &RefType) {
        if let Some(times) = &mut self.times {
            times.call(buffer, name, ty);
        }
        if let Some(races) = &mut self.races
            && !ty.space.is_semaphore()
            && ty.barrier.is_none()
        {
            races.declare(buffer, name, ty, false);
        }
    }

    /// In a rehearsal a buffer has a name that is not told apart from that of others.
    pub(crate) fn call(&mut self, buffer: usize, name: &Arc<str>, ty: &RefType) {
        if let Some(times) = &mut self.times {
            times.call(buffer, Some(name), ty);
        }
    }

    /// A whole array that outlives programs is there, under a name.
    pub(crate) fn declare_array(&mut self, buffer: usize, name: Option<&Arc<str>>, ty: &RefType) {
        if let Some(times) = &mut self.times {
            times.call(buffer, name, ty);
        }
        if let Some(races) = &mut self.races {
            races.declare(buffer, name, ty, true);
        }
    }

    /// Buffers from a number on are gone.
    pub(crate) fn forget_from(&mut self, first: usize) {
        if let Some(races) = &mut self.races {
            races.forget_from(first);
        }
    }

    /// The running agent has waited for a semaphore.
    pub(crate) fn waited(&mut self, place: Place) {
        if let Some(races) = &mut self.races {
            races.waited(place);
        }
    }

    /// The running agent accesses what a view shows.
    pub(crate) fn accessed(&mut self, view: &View, writes: bool, location: u32) {
        if self.races.is_none() {
            return;
        }
        let Some(region) = self.region(view) else { return };
        if let Some(races) = &mut self.races {
            races.access(view.buffer, region, How { writes, atomic: false }, location);
        }
    }

    /// An engine accesses what a view shows.
    pub(crate) fn engine_access(&mut self, engine: &mut Option<Engine>, view: &View, writes: bool) {
        if engine.is_none() {
            return;
        }
        let Some(region) = self.region(view) else { return };
        if let (Some(races), Some(engine)) = (&mut self.races, engine) {
            races.engine_access(engine, view.buffer, region, writes);
        }
    }
}
