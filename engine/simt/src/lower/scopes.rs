//! Shared and tensor memory of scopes in kernels of warpgroups. What scopes have that do not lie in each other has the same bytes, as in
//! JAX: before teams enter a scope that they have in common, all of them have left the scopes before. Nothing else is moved in such kernels.

use super::context::Lower;
use super::place::first_fit;
use crate::ir::{Kernel, MemoryId, Op, Space};
use pallas_tensor::DType;

impl Lower<'_> {
    /// A scope begins; `together`: one that all teams have in common.
    pub(crate) fn enter_scope(&mut self, together: bool) {
        // Nobody can be in another scope still where this is the first, and comes only once.
        let follows = self.b.depth() > 0 || self.teams.scopes_begun as usize > self.teams.scopes.len();
        self.teams.scopes.push(self.teams.scopes_begun);
        self.teams.scopes_begun += 1;
        let teams = self.b.kernel().teams;
        if !together || !follows || teams < 2 {
            return;
        }
        let phases = match self.teams.entry {
            Some(phases) => phases,
            None => self.b.memory("entry", DType::U64, 1, Space::Phases { arrivals: teams }),
        };
        self.teams.entry = Some(phases);
        let which = self.b.int(0);
        self.b.add(Op::Arrive { phases, alone: false, across: false }, &[which], &[], Vec::new());
        self.b.add(Op::Await { phases }, &[which], &[], Vec::new());
    }
}

/// Gives arrays of scopes that are apart the same bytes.
pub(crate) fn share(kernel: &mut Kernel) {
    share_of(kernel, |space| matches!(space, Space::Shared | Space::Team | Space::Phases { .. }));
    share_of(kernel, |space| *space == Space::Tensor);
}

fn share_of(kernel: &mut Kernel, is_own: impl Fn(&Space) -> bool) {
    let own = kernel.memories().filter(|(_, memory)| is_own(&memory.space) && memory.len > 0);
    let mut own: Vec<MemoryId> = own.map(|(id, _)| id).collect();
    let apart = |one: MemoryId, other: MemoryId| kernel.memory(one).is_apart(kernel.memory(other));
    // Engines of other blocks may bring something here before this block's teams have met.
    if kernel.cluster > 1 || !own.iter().any(|&one| own.iter().any(|&other| apart(one, other))) {
        return;
    }
    // What is there from the beginning to the end comes first.
    own.sort_by_key(|&id| (!kernel.memory(id).scopes.is_empty(), id));
    let mut placed: Vec<(MemoryId, usize, usize)> = Vec::new();
    for &id in &own {
        let met = placed.iter().filter(|(other, ..)| !apart(id, *other)).map(|&(_, start, end)| (start, end));
        let met: Vec<(usize, usize)> = met.collect();
        let at = first_fit(&met, kernel.bytes(id), kernel.memory(id).align);
        placed.push((id, at, at + kernel.bytes(id)));
    }
    for (id, at, _) in placed {
        kernel.memories[id.0 as usize].at = Some(at);
    }
}
