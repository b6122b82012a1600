//! What nobody uses goes: computations whose results are not used, and memory that nobody touches.

use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Space, Value};
use std::collections::HashSet;

/// Removes it.
pub(crate) fn remove(kernel: &mut Kernel) {
    let mut used = HashSet::new();
    let mut body = std::mem::take(&mut kernel.body);
    sweep(&mut body, &mut used);
    kernel.body = body;
    memories(kernel);
}

fn has_effect(op: &Op) -> bool {
    matches!(
        op,
        Op::Store { .. }
            | Op::Atomic { .. }
            | Op::Barrier
            | Op::Print { .. }
            | Op::For
            | Op::While
            | Op::Switch
            | Op::Warps
            | Op::CopyAhead { .. }
            | Op::CommitAhead
            | Op::WaitAhead(_)
            | Op::Check(..)
            | Op::Owned { .. }
            | Op::Witness { .. }
            | Op::Mark(_)
            | Op::Arrive { .. }
            | Op::Await { .. }
            | Op::Arrived { .. }
            | Op::Expect { .. }
            | Op::Claim { .. }
            | Op::BringBox { .. }
            | Op::SendBox { .. }
            | Op::CommitSent
            | Op::WaitSent { .. }
            | Op::Publish
            | Op::Keep(_)
            | Op::MultiplyTensor(_)
            | Op::CopyTensor(_)
            | Op::ArriveTensor { .. }
            | Op::StoreTensor(_)
            | Op::Multiply(_)
            | Op::WaitProducts(_)
            | Op::SetRegisters(_)
    )
}

/// From the end to the beginning, so that what is used is known. Loops stay whole; branches yield what somebody takes, and stay if they
/// do something.
fn sweep(region: &mut Region, used: &mut HashSet<Value>) {
    used.extend(&region.yields);
    let mut kept: Vec<Inst> = Vec::with_capacity(region.insts.len());
    for mut inst in region.insts.drain(..).rev() {
        if !has_effect(&inst.op) && !inst.results.iter().any(|value| used.contains(value)) {
            continue;
        }
        if inst.op == Op::Switch {
            yield_used(&mut inst, used);
        }
        for inner in inst.regions.iter_mut().rev() {
            sweep(inner, used);
        }
        if inst.op == Op::Switch && inst.results.is_empty() && inst.regions.iter().all(|inner| inner.insts.is_empty()) {
            continue;
        }
        used.extend(&inst.operands);
        kept.push(inst);
    }
    kept.reverse();
    region.insts = kept;
}

/// A branch without the results that nobody takes.
fn yield_used(inst: &mut Inst, used: &HashSet<Value>) {
    let taken: Vec<bool> = inst.results.iter().map(|value| used.contains(value)).collect();
    let mut position = taken.iter();
    inst.results.retain(|_| position.next() == Some(&true));
    for inner in &mut inst.regions {
        let mut position = taken.iter();
        inner.yields.retain(|_| position.next() == Some(&true));
    }
}

/// Arrays of a block that are never touched have no length; operands keep theirs, since they are parameters.
fn memories(kernel: &mut Kernel) {
    let mut read: HashSet<MemoryId> = HashSet::new();
    kernel.body.walk(&mut |inst| match inst.op {
        Op::Load { memory, .. }
        | Op::LoadMatrix { memory, .. }
        | Op::Atomic { memory, .. }
        | Op::SendBox { memory, .. }
        | Op::Claimed(memory)
        | Op::BringBox { memory, .. } => {
            read.insert(memory);
        }
        Op::Keep(memory) | Op::Take(memory) => {
            read.insert(memory);
        }
        Op::MultiplyTensor(product) => read.extend([product.left.memory(), product.right.memory]),
        Op::CopyTensor(copy) => {
            read.insert(copy.from.memory());
        }
        Op::Multiply(product) => {
            read.extend(product.left.map(|factor| factor.memory));
            read.extend([product.right.memory, product.acc]);
        }
        _ => {}
    });
    // What is written to memory of the block that nobody reads is lost.
    let lost: HashSet<MemoryId> = kernel
        .memories()
        .filter(|(id, memory)| {
            matches!(memory.space, Space::Shared | Space::Team | Space::Workspace | Space::Registers)
                && !read.contains(id)
        })
        .map(|(id, _)| id)
        .collect();
    forget(&mut kernel.body, &lost);
    for id in lost {
        kernel.memories[id.0 as usize].len = 0;
    }
}

fn forget(region: &mut Region, lost: &HashSet<MemoryId>) {
    region.insts.retain(|inst| !matches!(&inst.op, Op::Store { memory, .. } if lost.contains(memory)));
    for inst in &mut region.insts {
        for inner in &mut inst.regions {
            forget(inner, lost);
        }
    }
}
