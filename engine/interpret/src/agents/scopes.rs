//! Memory of scopes: what an agent allocates when it enters one, and what is over when it leaves.

use super::blocks::{Scope, Site};
use super::world::World;
use crate::error::RunError;
use crate::machine::Value;
use crate::memory::View;
use crate::semaphores::Place;
use crate::tape::{Block, Step};
use pallas_ir::{MemorySpace, RefType};

impl World<'_, '_> {
    /// The buffers of a scope, and the Refs that its parameters are.
    pub(super) fn allocate(
        &mut self,
        number: usize,
        step: &Step,
        body: &Block,
        allocations: &[RefType],
    ) -> Result<(Scope, Vec<Value>), RunError> {
        let visit = self.agents[number].visit(step.op.0);
        let (block, threads) = (self.agents[number].block, self.topology.threads());
        let mut scope = Scope { sites: Vec::new(), own: Vec::new() };
        let mut views = Vec::with_capacity(allocations.len());
        for (position, ty) in allocations.iter().enumerate() {
            // Barriers belong to a block even where the program does not say so: it has one thread then.
            let shared = ty.space != MemorySpace::Registers && (step.collective || threads == 1);
            // Main memory belongs to all cores of a device.
            let (block, users) = match &self.sequence {
                Some(sequence) => sequence.owner(block, ty),
                None => (block, threads),
            };
            let buffer = match shared && self.agents[number].thread.warp.is_none() {
                true => {
                    let site = Site::Scope(step.op.0, visit, position);
                    scope.sites.push((block, site));
                    self.blocks.shared(self.memory, (block, site), ty, users, self.interpretation)?
                }
                false => {
                    let buffer = self.blocks.private(self.memory, ty, self.interpretation)?;
                    scope.own.push(buffer);
                    buffer
                }
            };
            if let Some(&param) = body.params.get(position) {
                self.named(buffer, param, ty);
            }
            views.push(Value::reference(View::whole(buffer, &ty.shape)));
        }
        Ok((scope, views))
    }

    /// An agent leaves a scope.
    pub(super) fn leave(&mut self, scope: &Scope) -> Result<(), RunError> {
        for buffer in self.blocks.leave(scope) {
            let places: Vec<Place> = self.barriers.keys().copied().filter(|place| place.buffer == buffer).collect();
            self.land_uses_of(buffer)?;
            if self.sequence.is_some() {
                self.left_in(buffer);
            }
            self.end_barriers(&places)?;
            if let Some(races) = &mut self.memory.races {
                races.forget(buffer);
            }
            self.blocks.release(self.memory, buffer);
        }
        Ok(())
    }
}
