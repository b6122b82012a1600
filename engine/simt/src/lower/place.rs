//! Where a block's own arrays are: in shared memory, the smallest first, as long as there is room; in memory of the device else. Arrays
//! that are never needed at the same time have the same bytes; [`barriers`](super::barriers) come between them as between two
//! uses of one array.

use super::lives::{Lives, touched};
use crate::Architecture;
use crate::ir::{Kernel, MemoryId, Op, Space};
use std::collections::HashMap;

/// Decides.
pub(crate) fn place(kernel: &mut Kernel, architecture: Architecture) {
    let mut own: Vec<MemoryId> = kernel
        .memories()
        .filter(|(_, memory)| memory.space == Space::Shared && memory.len > 0)
        .map(|(id, _)| id)
        .collect();
    // Copies ahead and factors of warpgroups can be nowhere else, pieces of matrices are best there.
    let mut wants: HashMap<MemoryId, u32> = HashMap::new();
    kernel.body.walk(&mut |inst| {
        let rank = match inst.op {
            Op::CopyAhead { .. } | Op::Multiply(_) => 2,
            Op::LoadMatrix { .. } => 1,
            _ => return,
        };
        for memory in touched(&inst.op) {
            let rank = rank.max(wants.get(&memory).copied().unwrap_or(0));
            wants.insert(memory, rank);
        }
    });
    own.sort_by_key(|&id| (std::cmp::Reverse(wants.get(&id).copied()), kernel.bytes(id), id));
    let lives = Lives::of(&kernel.body);
    let mut placed: Vec<(MemoryId, usize, usize)> = Vec::new();
    for id in own {
        let (bytes, align) = (kernel.bytes(id), kernel.memory(id).align);
        let met: Vec<(usize, usize)> =
            placed.iter().filter(|(other, ..)| lives.meet(id, *other)).map(|&(_, start, end)| (start, end)).collect();
        let at = first_fit(&met, bytes, align);
        let memory = &mut kernel.memories[id.0 as usize];
        if at + bytes <= architecture.shared_bytes {
            memory.at = Some(at);
            placed.push((id, at, at + bytes));
        } else {
            memory.space = Space::Workspace;
        }
    }
}

/// Whether all factors of products by warpgroups are where these read them.
pub(crate) fn has_factors(kernel: &Kernel) -> bool {
    let mut there = true;
    kernel.body.walk(&mut |inst| {
        if let Op::Multiply(product) = inst.op {
            there &= product.factors().all(|id| kernel.memory(id).space == Space::Shared);
        }
    });
    there
}

/// The first place for so many bytes, at the beginning or behind something that they may not meet.
pub(crate) fn first_fit(met: &[(usize, usize)], bytes: usize, align: usize) -> usize {
    let is_free = |at: &usize| met.iter().all(|&(start, end)| at + bytes <= start || end <= *at);
    let ends = met.iter().map(|(_, end)| end.next_multiple_of(align));
    std::iter::once(0).chain(ends).filter(is_free).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Region, Ty, verify};
    use crate::layout::Layout;
    use crate::lower::barriers;
    use crate::sim::run_kernel;
    use pallas_ir::ops;
    use pallas_tensor::{DType, Scalar};

    fn barriers_of(kernel: &Kernel) -> usize {
        let mut count = 0;
        kernel.body.walk(&mut |inst| count += usize::from(inst.op == Op::Barrier));
        count
    }

    /// Threads put numbers into one array after the other, each time reading what their neighbours put into the one before.
    fn chain(b: &mut Builder, ids: &[MemoryId]) {
        let own = b.coord(&Layout::blocked(&[32], 5, 0), 0);
        let one = b.int(1);
        let other = b.binary(&ops::XOR, own, one);
        let mut value = b.constant(DType::F32, Scalar::Float(1.0), 1);
        for &id in ids {
            b.store(id, own, value, None, true);
            let read = b.load(id, other, None, None, true);
            value = b.binary(&ops::ADD, read, read);
        }
        b.store(ids[ids.len() - 1], other, value, None, true);
    }

    /// The same in each round of a loop.
    fn rounds(b: &mut Builder, ids: &[MemoryId]) {
        let (lower, upper) = (b.int(0), b.int(4));
        b.open(&[Ty { dtype: DType::I32, regs: 1 }]);
        chain(b, ids);
        let body = b.close(Vec::new());
        b.add(Op::For, &[lower, upper], &[], vec![body]);
    }

    /// How often the simulator complains.
    fn complaints(kernel: &Kernel) -> u64 {
        let (_, report) = run_kernel(kernel, Vec::new(), 10_000).expect("it ends");
        report.counts.iter().sum()
    }

    /// Drops the barrier with this number; `false` if there are fewer.
    fn without(region: &mut Region, number: &mut usize) -> bool {
        for position in 0..region.insts.len() {
            if region.insts[position].op == Op::Barrier {
                if *number == 0 {
                    region.insts.remove(position);
                    return true;
                }
                *number -= 1;
            }
            if region.insts[position].regions.iter_mut().any(|inner| without(inner, number)) {
                return true;
            }
        }
        false
    }

    /// Every barrier is needed, and the simulator sees when one is not there.
    fn each_barrier_counts(kernel: &Kernel) {
        assert_eq!(complaints(kernel), 0, "{kernel}");
        for number in 0..barriers_of(kernel) {
            let mut mutant = kernel.clone();
            assert!(without(&mut mutant.body, &mut { number }));
            assert!(complaints(&mutant) > 0, "nobody saw that barrier {number} is gone\n{kernel}");
        }
    }

    fn arrays(b: &mut Builder, sizes: &[usize]) -> Vec<MemoryId> {
        let array = |(number, &size): (usize, &usize)| b.memory(format!("m{number}"), DType::F32, size, Space::Shared);
        sizes.iter().enumerate().map(array).collect()
    }

    #[test]
    fn arrays_that_are_never_needed_together_share_bytes_with_a_barrier_between() {
        let mut b = Builder::new("chain", 32);
        let ids = arrays(&mut b, &[64, 128, 32]);
        chain(&mut b, &ids);
        let mut kernel = b.finish();
        place(&mut kernel, Architecture::HOPPER);
        assert!(ids.iter().all(|&id| kernel.memory(id).at == Some(0)), "{kernel}");
        assert_eq!(crate::cuda::shared_bytes(&kernel), 512);
        barriers::insert(&mut kernel);
        // In each array one between the store and the load, and one from each to the next.
        assert_eq!(barriers_of(&kernel), 5, "{kernel}");
        verify(&kernel).expect("it is well formed");
        each_barrier_counts(&kernel);
    }

    #[test]
    fn in_a_loop_they_share_bytes_too_and_rounds_are_apart() {
        let mut b = Builder::new("rounds", 32);
        let ids = arrays(&mut b, &[64, 64]);
        rounds(&mut b, &ids);
        let mut kernel = b.finish();
        place(&mut kernel, Architecture::HOPPER);
        assert_eq!(ids.iter().map(|&id| kernel.memory(id).at).collect::<Vec<_>>(), [Some(0), Some(0)]);
        barriers::insert(&mut kernel);
        assert_eq!(barriers_of(&kernel), 4, "{kernel}");
        each_barrier_counts(&kernel);
    }

    #[test]
    fn what_a_loop_leaves_for_others_keeps_its_bytes() {
        let mut b = Builder::new("kept", 32);
        let ids = arrays(&mut b, &[64, 64]);
        rounds(&mut b, &ids);
        // The first is read once more at the end.
        let own = b.coord(&Layout::blocked(&[32], 5, 0), 0);
        b.load(ids[0], own, None, None, false);
        let mut kernel = b.finish();
        place(&mut kernel, Architecture::HOPPER);
        assert_eq!(ids.iter().map(|&id| kernel.memory(id).at).collect::<Vec<_>>(), [Some(0), Some(256)]);
        barriers::insert(&mut kernel);
        each_barrier_counts(&kernel);
        // In one place the second takes what the first should have kept.
        kernel.memories[ids[1].0 as usize].at = Some(64);
        assert!(complaints(&kernel) > 0);
    }

    #[test]
    fn what_has_no_room_is_in_memory_of_the_device() {
        let mut b = Builder::new("large", 32);
        let ids = arrays(&mut b, &[64, 1 << 20]);
        chain(&mut b, &ids);
        let mut kernel = b.finish();
        place(&mut kernel, Architecture::HOPPER);
        assert_eq!(kernel.memory(ids[1]).space, Space::Workspace);
        assert_eq!(crate::cuda::shared_bytes(&kernel), 256);
    }
}
