//! Where a block's own arrays are: in shared memory, the smallest first, as long as there is room; in memory of the device else.

use crate::Architecture;
use crate::ir::{Kernel, MemoryId, Op, Space};
use std::collections::HashMap;

/// Decides.
pub(crate) fn place(kernel: &mut Kernel, architecture: Architecture) {
    let mut own: Vec<MemoryId> =
        kernel.memories().filter(|(_, memory)| memory.space == Space::Shared).map(|(id, _)| id).collect();
    // Copies ahead can go nowhere else, pieces of matrices are best there.
    let mut wants: HashMap<MemoryId, u32> = HashMap::new();
    kernel.body.walk(&mut |inst| {
        let (memory, rank) = match inst.op {
            Op::CopyAhead { memory, .. } => (memory, 2),
            Op::LoadMatrix { memory, .. } => (memory, 1),
            _ => return,
        };
        let rank = rank.max(wants.get(&memory).copied().unwrap_or(0));
        wants.insert(memory, rank);
    });
    own.sort_by_key(|&id| (std::cmp::Reverse(wants.get(&id).copied()), kernel.bytes(id), id));
    let mut room = architecture.shared_bytes;
    for id in own {
        let bytes = kernel.bytes(id).next_multiple_of(kernel.memory(id).align);
        match room.checked_sub(bytes) {
            Some(rest) => room = rest,
            None => kernel.memories[id.0 as usize].space = Space::Workspace,
        }
    }
}
