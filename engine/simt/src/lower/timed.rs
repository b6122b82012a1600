//! Where a kernel notes its times, if it is to: begins and ends of programs as they are lowered, copies ahead by
//! [`ahead`](super::ahead), and here, at the end, stores to outputs.

use super::context::Lower;
use super::number::Number;
use super::rewrite::{Emit, is_pure};
use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Space, Value};
use crate::marks::{Mark, Site};
use pallas_syntax::Span;

impl Lower<'_> {
    /// Notes that the program at hand begins or ends.
    pub(crate) fn note_program(&mut self, mark: Mark) {
        if !self.timed {
            return;
        }
        let (number, slot) = (self.program_number(), self.b.int(0));
        self.b.mark(mark, number, slot);
    }

    /// The number of the program at hand in the grid, row by row.
    pub(crate) fn program_number(&mut self) -> Value {
        let mut number = Number::Known(0);
        for (axis, id) in self.ids.clone().into_iter().enumerate() {
            let far = number.times(&mut self.b, self.grid[axis] as i64);
            number = far.add(&mut self.b, id);
        }
        number.value(&mut self.b)
    }
}

/// Notes a time in the middle of a pass.
pub(crate) fn note(emit: &mut Emit<'_>, mark: Mark, number: Value, slot: Value) {
    let site = emit.kernel.marks.len() as u32;
    emit.kernel.marks.push(Site { mark, span: emit.span });
    emit.add(Op::Mark(site), &[number, slot], None);
}

/// Notes where stores to outputs begin and end: neighbours to one output are one.
pub(crate) fn stores(kernel: &mut Kernel) {
    if kernel.marks.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut kernel.body);
    region(kernel, &mut body);
    kernel.body = body;
}

/// The output that an instruction stores to.
fn output(kernel: &Kernel, inst: &Inst) -> Option<MemoryId> {
    match inst.op {
        Op::Store { memory, .. } if matches!(kernel.memory(memory).space, Space::Operand { .. }) => Some(memory),
        _ => None,
    }
}

fn region(kernel: &mut Kernel, body: &mut Region) {
    let insts = std::mem::take(&mut body.insts);
    // The last store of a run that has nothing but arithmetic between its stores.
    let mut last: Vec<Option<(MemoryId, usize)>> = vec![None; insts.len()];
    let mut run: Option<(MemoryId, usize)> = None;
    for (at, inst) in insts.iter().enumerate().rev() {
        match output(kernel, inst) {
            Some(memory) => {
                run = run.filter(|(other, _)| *other == memory).or(Some((memory, at)));
                last[at] = run;
            }
            None if is_pure(&inst.op) => {}
            None => run = None,
        }
    }
    let mut until: Option<usize> = None;
    for (at, mut inst) in insts.into_iter().enumerate() {
        for inner in &mut inst.regions {
            region(kernel, inner);
        }
        if let (Some((memory, end)), None) = (last[at], until) {
            until = Some(end);
            marked(kernel, body, Mark::Store(memory), inst.span);
        }
        let span = inst.span;
        body.insts.push(inst);
        if until == Some(at) {
            until = None;
            marked(kernel, body, Mark::Stored, span);
        }
    }
}

fn marked(kernel: &mut Kernel, body: &mut Region, mark: Mark, span: Span) {
    let mut emit = Emit { kernel, insts: &mut body.insts, span };
    let zero = emit.int(0, 1);
    note(&mut emit, mark, zero, zero);
}
