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

    /// The agent whose turn it is; it has to be added again.
    pub(crate) fn next(&mut self) -> Option<usize> {
        if self.ready.is_empty() {
            return None;
        }
        let chosen = match &mut self.state {
            None => 0,
            Some(state) => (draw(state) % self.ready.len() as u64) as usize,
        };
        Some(self.ready.remove(chosen))
    }
}

/// SplitMix64.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::Scheduler;

    fn order(seed: Option<u64>) -> Vec<usize> {
        let mut scheduler = Scheduler::new(seed);
        (0..8).for_each(|agent| scheduler.add(agent));
        std::iter::from_fn(|| scheduler.next()).collect()
    }

    #[test]
    fn without_a_seed_agents_take_turns() {
        assert_eq!(order(None), (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_seed_gives_one_order_and_others_others() {
        assert_eq!(order(Some(7)), order(Some(7)));
        assert!((0..8).any(|seed| order(Some(seed)) != order(Some(7))));
    }
}
