//! What ends: agents, which others may have waited for, and the lives of barriers. What has not been waited for by then is told.

use super::world::World;
use crate::error::{RunError, RunErrorKind};
use crate::semaphores::Place;
use pallas_ir::Interpretation;

impl World<'_, '_> {
    /// An agent has ended: who waited for it may go on.
    pub(super) fn ended(&mut self, agent: usize) -> Result<(), RunError> {
        self.disown(agent);
        self.unawaited(agent)?;
        let parent = self.agents[agent].parent;
        if let Some(times) = &mut self.memory.times {
            times.end(agent, parent);
        }
        if let Some(parent) = self.agents[agent].parent {
            let actors = (self.agents[parent].actor, self.agents[agent].actor);
            if let Some(races) = &mut self.memory.races {
                races.join(actors.0, actors.1);
            }
            self.agents[parent].children -= 1;
            if self.agents[parent].children == 0 {
                self.agents[parent].waits = None;
                self.scheduler.add(parent);
            }
        }
        Ok(())
    }

    /// Copies out of shared memory that an agent has not waited for when it ends: JAX raises where races are asked for.
    fn unawaited(&mut self, number: usize) -> Result<(), RunError> {
        let actor = self.agents[number].actor;
        let Some(races) = &mut self.memory.races else { return Ok(()) };
        let Some(location) = races.unawaited(actor) else { return Ok(()) };
        races.report_unawaited(actor, location);
        if !self.interpretation.detects_races() {
            return Ok(());
        }
        let error = RunError::eval(format!(
            "Not all copy_smem_to_gmem read-side operations completed before kernel finished on {}.",
            self.name(&self.agents[number])
        ));
        Err(match self.tape.locations.get(location as usize) {
            Some(location) => error.at(pallas_ir::OpId(0), location).in_program(&self.agents[number].ids),
            None => error,
        })
    }

    /// That barriers were used as they should, at the end of their lives. JAX's interpreter wants every phase to have been
    /// waited for; hardware does not care for the last ones, and kernels that are not interpreted leave them.
    pub(crate) fn end_barriers(&mut self, places: &[Place]) -> Result<(), RunError> {
        let asks = matches!(self.interpretation, Interpretation::Device(_));
        let mut places = places.to_vec();
        places.sort_by_key(|place| place.key());
        for place in places {
            if let Some(barrier) = self.barriers.remove(&place)
                && asks
            {
                barrier.end().map_err(|message| RunError::new(RunErrorKind::Barrier(message)))?;
            }
        }
        Ok(())
    }
}
