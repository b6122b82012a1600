//! What the threads of a block have in common: scratch, scoped allocations, barriers. The same allocation of another block of
//! the cluster is found by what it was allocated for.

use crate::control::allocate;
use crate::error::RunError;
use crate::memory::{Buffer, Memory, Through, View};
use pallas_ir::{BarrierType, Interpretation, RefType};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What a buffer was allocated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Site {
    /// The kernel's scratch, by position.
    Scratch(usize),
    /// An operand, by position: its block, or the array where that stays in main memory.
    Operand(usize),
    /// The barrier semaphore.
    Barrier,
    /// Semaphores of a device, by the op that asks for them.
    Global(u32),
    /// A parameter of a scope: the op, which time its threads came there, the position.
    Scope(u32, usize, usize),
}

/// Allocations of a scope.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) sites: Vec<(usize, Site)>,
    /// Buffers of this agent alone.
    pub(crate) own: Vec<usize>,
}

/// Allocations by block.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    shared: HashMap<(usize, Site), Shared>,
    /// Which allocation a buffer is.
    pub(crate) sites: HashMap<usize, (usize, Site)>,
    /// What barriers count, by buffer.
    pub(crate) barriers: HashMap<usize, BarrierType>,
    types: HashMap<usize, RefType>,
    /// Buffers in registers: accumulators.
    accumulators: HashSet<usize>,
    free: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Shared {
    buffer: usize,
    /// How many threads have yet to leave.
    users: usize,
}

impl Blocks {
    /// A buffer that nobody else has.
    pub(crate) fn private(
        &mut self,
        memory: &mut Memory,
        ty: &RefType,
        interpretation: Interpretation,
    ) -> Result<usize, RunError> {
        let array = match ty.barrier {
            Some(_) => pallas_tensor::Array::zeros(ty.dtype, ty.shape.clone())?,
            None if ty.space == pallas_ir::MemorySpace::Registers => {
                pallas_tensor::Array::zeros(ty.dtype, ty.shape.clone())?
            }
            None => allocate(ty, interpretation)?,
        };
        let buffer = match self.free.pop() {
            Some(buffer) => {
                memory.buffers[buffer] = Buffer::new(array);
                buffer
            }
            None => memory.add(array),
        };
        if let Some(barrier) = ty.barrier {
            self.barriers.insert(buffer, barrier);
        }
        if ty.space == pallas_ir::MemorySpace::Registers {
            self.accumulators.insert(buffer);
        }
        Ok(buffer)
    }

    /// The buffer that a block has for a site, made at the first call.
    pub(crate) fn shared(
        &mut self,
        memory: &mut Memory,
        (block, site): (usize, Site),
        ty: &RefType,
        users: usize,
        interpretation: Interpretation,
    ) -> Result<usize, RunError> {
        if let Some(known) = self.shared.get(&(block, site)) {
            return Ok(known.buffer);
        }
        let buffer = self.private(memory, ty, interpretation)?;
        self.shared.insert((block, site), Shared { buffer, users });
        self.sites.insert(buffer, (block, site));
        self.types.insert(buffer, ty.clone());
        Ok(buffer)
    }

    /// Takes over a buffer that is there already.
    pub(crate) fn adopt(&mut self, buffer: usize, (block, site): (usize, Site), ty: RefType) {
        self.shared.insert((block, site), Shared { buffer, users: 1 });
        self.sites.insert(buffer, (block, site));
        self.types.insert(buffer, ty);
    }

    /// The type of a buffer that others can reach.
    pub(crate) fn ty(&self, buffer: usize) -> Option<&RefType> {
        self.types.get(&buffer)
    }

    /// The same place in another block: made here, if that block has not come there yet.
    pub(crate) fn elsewhere(
        &mut self,
        memory: &mut Memory,
        buffer: usize,
        block: usize,
        users: usize,
        interpretation: Interpretation,
    ) -> Result<usize, RunError> {
        let known = self.sites.get(&buffer).copied().zip(self.types.get(&buffer).cloned());
        let Some(((_, site), ty)) = known else {
            return Err(RunError::eval("a Ref of one thread is looked for in another block"));
        };
        self.shared(memory, (block, site), &ty, users, interpretation)
    }

    /// Whether a buffer is an accumulator in registers.
    pub(crate) fn is_accumulator(&self, buffer: usize) -> bool {
        self.accumulators.contains(&buffer)
    }

    /// A thread leaves a scope; buffers that nobody has any more.
    pub(crate) fn leave(&mut self, scope: &Scope) -> Vec<usize> {
        let mut gone = scope.own.clone();
        for site in &scope.sites {
            if let Some(shared) = self.shared.get_mut(site) {
                shared.users = shared.users.saturating_sub(1);
                if shared.users == 0 {
                    gone.push(shared.buffer);
                    self.shared.remove(site);
                }
            }
        }
        gone
    }

    /// Gives a buffer back.
    pub(crate) fn release(&mut self, memory: &mut Memory, buffer: usize) {
        self.sites.remove(&buffer);
        self.barriers.remove(&buffer);
        self.types.remove(&buffer);
        self.accumulators.remove(&buffer);
        if let Some(slot) = memory.buffers.get_mut(buffer) {
            slot.array = pallas_tensor::Array::scalar(pallas_tensor::DType::Bool, pallas_tensor::Scalar::Bool(false));
        }
        self.free.push(buffer);
    }
}

/// A view of the same part of another buffer.
pub(crate) fn moved(view: &View, buffer: usize) -> View {
    let through = view
        .through
        .as_ref()
        .map(|through| Arc::new(Through { base: moved(&through.base, buffer), shown: through.shown.clone() }));
    View { buffer, dims: view.dims.clone(), through }
}
