//! Which programs of a launch run at the same time, because they act on each other.

use pallas_ir::{AgentOp, AxisSemantics, Launch, OpKind};

/// Which programs run at the same time.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    pub(crate) grid: Vec<usize>,
    /// Programs with the same ids along the axes before this one run at the same time.
    pub(crate) first: usize,
    /// Whether the last axis is that of threads.
    pub(crate) threads: bool,
}

impl Topology {
    /// The topology of a launch whose programs act on each other.
    pub(crate) fn of(launch: &Launch) -> Option<Topology> {
        if !launch.has_agents() || !launch.dynamic.is_empty() {
            return None;
        }
        let is_inner =
            |axis: usize| matches!(launch.semantics.get(axis), Some(AxisSemantics::Cluster | AxisSemantics::Thread));
        // Blocks that signal each other have to run at the same time, if nothing is copied in for each; so have devices.
        let signals = launch
            .kernel
            .ops
            .iter()
            .any(|op| matches!(op.op.kind, OpKind::Semaphore(_) | OpKind::Agent(AgentOp::SignalEverywhere)));
        let whole = launch.operands.iter().all(|operand| operand.index_map.is_none());
        let rank = launch.grid.len();
        let first = match signals && whole || launch.device_axes() > 0 {
            true => 0,
            false => (0..rank).find(|&axis| is_inner(axis)).unwrap_or(rank),
        };
        let threads = launch.semantics.last() == Some(&AxisSemantics::Thread) && launch.semantics.len() == rank;
        Some(Topology { grid: launch.grid.clone(), first, threads })
    }

    /// The axis of threads, or how many axes there are.
    pub(crate) fn threads_axis(&self) -> usize {
        self.grid.len() - usize::from(self.threads)
    }

    /// How many blocks run at the same time.
    pub(crate) fn blocks(&self) -> usize {
        self.size() / self.threads().max(1)
    }

    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            true => self.grid.last().copied().unwrap_or(1),
            false => 1,
        }
    }

    /// How many programs run at the same time.
    pub(crate) fn size(&self) -> usize {
        self.grid[self.first..].iter().fold(1, |size, &extent| size.saturating_mul(extent))
    }
}
