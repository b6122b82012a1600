//! Whose turn it is. Without a seed the agent that has gone on longest ago goes on, until it has to wait; with one, any agent
//! that can, for one step of those that others can see. Results depend on the seed alone.

/// Chooses among agents by number.
#[derive(Debug)]
pub(crate) struct Scheduler {
    ready: Vec<usize>,
    /// The state of the generator, where turns are drawn.
    state: Option<u64>,
}

impl Scheduler {
    pub(crate) fn new(seed: Option<u64>) -> Scheduler {
        Scheduler { ready: Vec::new(), state: seed.map(|seed| seed ^ 0x9E37_79B9_7F4A_7C15) }
    }

    /// Whether an agent gives its turn back after each step that others can see.
    pub(crate) fn interrupts(&self) -> bool {
        self.state.is_some()
    }

    /// An agent can go on.
    pub(crate) fn add(&mut self, agent: usize) {
        if !self.ready.contains(&agent) {
            self.ready.push(agent);
        }
    }

    /// Whose turn it is by the clocks of agents: who has got least far.
    pub(crate) fn earliest(&mut self, clock: impl Fn(usize) -> f64) -> Option<usize> {
        let first = |one: &(usize, f64), other: &(usize, f64)| one.1.total_cmp(&other.1);
        let clocks = self.ready.iter().map(|&agent| clock(agent)).enumerate();
        let (position, _) = clocks.min_by(first)?;
        Some(self.ready.remove(position))
    }

    /// Whose turn it is, among agents and so many engines. An agent has to be added again. Without a seed engines wait until
    /// no agent can go on.
    pub(crate) fn next(&mut self, engines: usize) -> Option<Chosen> {
        let agents = self.ready.len();
        let chosen = match &mut self.state {
            _ if agents + engines == 0 => return None,
            None if agents > 0 => 0,
            None => agents,
            Some(state) => (draw(state) % (agents + engines) as u64) as usize,
        };
        Some(match chosen.checked_sub(agents) {
            Some(engine) => Chosen::Engine(engine),
            None => Chosen::Agent(self.ready.remove(chosen)),
        })
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    Agent(usize),
    /// The engine, by its number among those that could go on.
    Engine(usize),
}

/// The next number that is drawn: SplitMix64.
pub(crate) fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Chosen, Scheduler};

    fn order(seed: Option<u64>) -> Vec<Chosen> {
        let mut scheduler = Scheduler::new(seed);
        (0..8).for_each(|agent| scheduler.add(agent));
        std::iter::from_fn(|| scheduler.next(0)).collect()
    }

    #[test]
    fn without_a_seed_agents_take_turns() {
        assert_eq!(order(None), (0..8).map(Chosen::Agent).collect::<Vec<_>>());
    }

    #[test]
    fn without_a_seed_engines_wait_until_no_agent_can_go_on() {
        let mut scheduler = Scheduler::new(None);
        scheduler.add(3);
        assert_eq!(scheduler.next(2), Some(Chosen::Agent(3)));
        assert_eq!(scheduler.next(2), Some(Chosen::Engine(0)));
        assert_eq!(scheduler.next(0), None);
    }

    #[test]
    fn a_seed_gives_one_order_and_others_others() {
        assert_eq!(order(Some(7)), order(Some(7)));
        assert!((0..8).any(|seed| order(Some(seed)) != order(Some(7))));
    }
}
