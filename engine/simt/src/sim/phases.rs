//! Phase barriers in the simulator: teams and engines arrive, and teams wait for one phase after the other. What engines bring comes
//! as late as it may: when a phase that all others have arrived for is waited for.

use super::actor::Knowledge;
use super::boxes::Coming;
use super::world::World;
use super::{Fault, fault};
use crate::ir::{Inst, MemoryId, Space, Value};
use pallas_tensor::{Array, DType, Scalar};

/// A barrier: the memory, and which of its barriers.
pub(super) type Place = (usize, i64);

/// One barrier.
#[derive(Debug, Default)]
pub(super) struct Phases {
    needed: u32,
    arrived: u32,
    /// Phases that are over.
    over: u64,
    /// What those knew who have arrived in this phase.
    gathered: Knowledge,
    /// What those knew who arrived in the phase before.
    told: Knowledge,
    /// What engines bring in this phase, and how many bytes of it somebody expects.
    coming: Vec<Coming>,
    pub(super) expected: u64,
    /// The number that the engine has among actors.
    engine: u32,
}

impl Phases {
    /// Bytes that are on their way.
    fn bytes(&self) -> u64 {
        self.coming.iter().map(Coming::bytes).sum()
    }
}

impl World<'_> {
    /// A barrier, by memory and number, of the block at hand or of another one of the cluster.
    pub(super) fn phases_at(&mut self, phases: MemoryId, which: Value, rank: Option<usize>) -> Result<Place, Fault> {
        let number = self.uniform(which)?;
        let memory = self.kernel.memory(phases);
        if !(0..memory.len as i64).contains(&number) {
            return Err(fault(format!("{} has no barrier {number}", memory.name)));
        }
        let Space::Phases { arrivals } = memory.space else { return Err(fault("no barrier".to_string())) };
        let memory = match rank {
            None => self.at(phases),
            Some(rank) => self.at_rank(phases, rank)?,
        };
        let place = (memory, number);
        let others = self.teams_at_once() * 2 * (1 + self.warps_of_team());
        let engine = (others + self.phases.len()) as u32;
        self.phases.entry(place).or_insert_with(|| Phases { needed: arrivals, engine, ..Phases::default() });
        Ok(place)
    }

    pub(super) fn phases_of(&mut self, place: Place) -> &mut Phases {
        self.phases.entry(place).or_default()
    }

    pub(super) fn arrive(&mut self, inst: &Inst, phases: MemoryId, alone: bool, across: bool) -> Result<(), Fault> {
        let rank = match across {
            true => Some(self.rank(inst.operands[1])?),
            false => None,
        };
        let place = self.phases_at(phases, inst.operands[0], rank)?;
        let told = self.actor().tell(alone);
        self.arrive_at(place, &told)
    }

    pub(super) fn arrive_at(&mut self, place: Place, told: &Knowledge) -> Result<(), Fault> {
        let name = self.rams[place.0].name.clone();
        let phases = self.phases_of(place);
        if phases.arrived == phases.needed {
            return Err(fault(format!(
                "{name}[{}] is arrived at once more than its {} times, while a copy is under way that nobody has waited for",
                place.1, phases.needed
            )));
        }
        phases.arrived += 1;
        phases.gathered.join(told);
        if phases.coming.is_empty() {
            self.complete(place)?;
        }
        Ok(())
    }

    /// What an engine will bring in the phase that is under way.
    pub(super) fn expect(&mut self, place: Place, coming: Coming) {
        self.phases_of(place).coming.push(coming);
    }

    /// Ends the phase if all have arrived: what is under way comes now.
    fn complete(&mut self, place: Place) -> Result<(), Fault> {
        let cores = self.cores();
        let phases = self.phases_of(place);
        if phases.arrived < phases.needed || phases.expected != phases.bytes() {
            return Ok(());
        }
        (phases.arrived, phases.expected) = (0, 0);
        phases.over += 1;
        let mut gathered = std::mem::take(&mut phases.gathered);
        let by = (phases.engine, phases.over as u32);
        gathered.learn(by.0, by.1);
        for coming in &phases.coming {
            if let Coming::Products { team, upto } = coming {
                gathered.learn(cores + *team as u32, *upto);
            }
        }
        phases.told = gathered;
        for coming in std::mem::take(&mut phases.coming) {
            self.come(coming, by)?;
        }
        Ok(())
    }

    /// The phases that the warps at hand wait for next.
    fn wanted(&self, place: Place) -> Vec<u64> {
        let agent = &self.agents[self.turn];
        let awaited = &self.agents[agent.owner].awaited;
        agent.warps.clone().map(|warp| awaited[warp].get(&place).copied().unwrap_or(0) + 1).collect()
    }

    /// Whether the phases that the warps wait for next are over.
    fn is_over(&mut self, place: Place) -> Result<bool, Fault> {
        let wanted = self.wanted(place);
        if wanted.iter().any(|&wanted| self.phases.get(&place).is_none_or(|phases| phases.over < wanted)) {
            self.complete(place)?;
        }
        // A barrier knows only whether the number of its phase is even.
        let over = self.phases_of(place).over;
        Ok(wanted.iter().all(|&wanted| over >= wanted && (over - wanted).is_multiple_of(2)))
    }

    /// Whether the wait is over.
    pub(super) fn wait(&mut self, inst: &Inst, phases: MemoryId) -> Result<bool, Fault> {
        let place = self.phases_at(phases, inst.operands[0], None)?;
        if !self.is_over(place)? {
            let name = self.rams[place.0].name.clone();
            let wanted = self.wanted(place).into_iter().max().unwrap_or(1);
            let phases = self.phases_of(place);
            let Phases { needed, arrived, over, expected, .. } = *phases;
            let mut what = format!(
                "phase {wanted} of {name}[{}], of which {over} are over and the next has {arrived} of {needed} arrivals",
                place.1
            );
            let bytes = phases.bytes();
            if bytes != expected {
                what.push_str(&format!(", and {bytes} of {expected} bytes"));
            }
            self.agents[self.turn].waits = Some((what, inst.span));
            return Ok(false);
        }
        let (owner, warps) = (self.agents[self.turn].owner, self.agents[self.turn].warps.clone());
        for warp in warps {
            *self.agents[owner].awaited[warp].entry(place).or_default() += 1;
        }
        let told = std::mem::take(&mut self.phases_of(place).told);
        self.actor().hear(&told);
        self.phases_of(place).told = told;
        Ok(true)
    }

    pub(super) fn arrived(&mut self, inst: &Inst, phases: MemoryId) -> Result<(), Fault> {
        let place = self.phases_at(phases, inst.operands[0], None)?;
        let over = self.is_over(place)?;
        let flags = Array::full(DType::Bool, [self.len(inst.results[0])].as_slice(), Scalar::Bool(over))?;
        self.put(inst.results[0], flags);
        Ok(())
    }
}
