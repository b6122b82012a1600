//! What tensor cores have been told to do with tensor memory. Products into the same accumulator, and products behind
//! copies into tensor memory, run one after the other without anybody waiting; loads and stores of a thread wait for a fence.

use super::{Clocks, Engine, Races, Region};

/// What makes one op follow another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TensorTask {
    /// A product into part of a buffer, by one block or a pair of them.
    Product { buffer: usize, region: Region, pair: bool },
    /// A copy into tensor memory.
    Copy { pair: bool },
}

impl TensorTask {
    /// Whether it runs behind another one.
    fn follows(&self, other: &TensorTask) -> bool {
        match (self, other) {
            (TensorTask::Product { .. }, TensorTask::Product { .. }) => self == other,
            (TensorTask::Product { pair, .. }, TensorTask::Copy { pair: other }) => pair == other,
            // PTX promises the way round above; all that tensor cores are told goes through one pipe, which kernels rely on
            // that copy scales to the same place again and again.
            (TensorTask::Copy { pair }, TensorTask::Product { pair: other, .. } | TensorTask::Copy { pair: other }) => {
                pair == other
            }
        }
    }
}

/// Ops that an agent knows of, with what is known when each is done.
#[derive(Clone, Debug, Default)]
pub(super) struct Tasks(Vec<(TensorTask, Clocks)>);

impl Tasks {
    pub(super) fn join(&mut self, other: &Tasks) {
        for (task, clocks) in &other.0 {
            self.add(task, clocks);
        }
    }

    fn add(&mut self, task: &TensorTask, clocks: &Clocks) {
        match self.0.iter_mut().find(|(known, _)| known == task) {
            Some((_, known)) => known.join(clocks),
            None => self.0.push((task.clone(), clocks.clone())),
        }
    }
}

/// An agent's part.
#[derive(Debug, Default)]
pub(super) struct Tensor {
    pub(super) tasks: Tasks,
    /// What is known when all that it started is done.
    done: Clocks,
    loads: Clocks,
    stores: Clocks,
}

impl Tensor {
    /// A load or store is under way.
    pub(super) fn under_way(&mut self, writes: bool, done: &Clocks) {
        match writes {
            true => self.stores.join(done),
            false => self.loads.join(done),
        }
    }
}

impl Races {
    /// An engine of tensor cores knows what it runs behind.
    pub(crate) fn behind(&mut self, engine: &mut Engine, task: &TensorTask) {
        let current = self.current;
        for (other, clocks) in &self.of(current).tensor.tasks.0 {
            if task.follows(other) {
                engine.clocks.join(clocks);
            }
        }
    }

    /// Tensor cores have been told to do something.
    pub(crate) fn told_tensor(&mut self, task: &TensorTask, done: &Clocks) {
        let current = self.current;
        let tensor = &mut self.of(current).tensor;
        tensor.tasks.add(task, done);
        tensor.done.join(done);
    }

    /// What is known when all is done that the running agent has told tensor cores.
    pub(crate) fn tensor_done(&mut self) -> Clocks {
        let mut clocks = self.told();
        let current = self.current;
        clocks.join(&self.of(current).tensor.done);
        clocks
    }

    /// The running agent waits for its loads or stores of tensor memory.
    pub(crate) fn wait_tensor(&mut self, stores: bool) {
        let current = self.current;
        let agent = self.of(current);
        let done = match stores {
            true => std::mem::take(&mut agent.tensor.stores),
            false => std::mem::take(&mut agent.tensor.loads),
        };
        agent.clocks.join(&done);
    }
}
