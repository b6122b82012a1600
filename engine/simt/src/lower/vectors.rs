//! Wide accesses: registers whose elements lie next to each other in memory are loaded and stored at once, up to 16 bytes, where
//! the address is known to be a multiple of that and one mask holds for all.

use super::axis::{self, Known};
use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Space, Value};

/// The widest access.
const BYTES: usize = 16;

/// Widens what can be wide.
pub(crate) fn widen(kernel: &mut Kernel) {
    let known = axis::analyse(kernel);
    let mut body = std::mem::take(&mut kernel.body);
    region(kernel, &mut body, &known);
    kernel.body = body;
}

fn region(kernel: &Kernel, body: &mut Region, known: &[Known]) {
    for inst in &mut body.insts {
        for inner in &mut inst.regions {
            region(kernel, inner, known);
        }
        let wide = width(kernel, inst, known);
        if let Op::Load { vector, .. } | Op::Store { vector, .. } = &mut inst.op {
            *vector = wide;
        }
    }
}

fn width(kernel: &Kernel, inst: &Inst, known: &[Known]) -> u32 {
    let of = |value: Value| known[value.0 as usize];
    let (memory, mask): (MemoryId, Option<Value>) = match inst.op {
        Op::Load { memory, masked, .. } => (memory, masked.then(|| inst.operands[1])),
        Op::Store { memory, masked, .. } => (memory, masked.then(|| inst.operands[2])),
        _ => return 1,
    };
    let array = kernel.memory(memory);
    // Tables lie in memory as registers do.
    if matches!(array.space, Space::Constant(_)) {
        return 1;
    }
    let index = of(inst.operands[0]);
    let regs = kernel.ty(inst.operands[0]).regs;
    let most = (BYTES / array.dtype.size_bytes().max(1)).max(1) as u32;
    let fits = |&wide: &u32| {
        index.run >= wide
            && index.divisor_at(wide) >= u64::from(wide)
            && mask.is_none_or(|mask| of(mask).same >= wide)
            && regs.is_multiple_of(wide)
    };
    (1..=most.ilog2()).map(|bit| 1 << bit).rfind(fits).unwrap_or(1)
}
