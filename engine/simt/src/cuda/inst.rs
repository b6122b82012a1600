//! Instructions as statements. Loops and branches are in `control`, accesses of several elements in `accesses`, what is told to the host in
//! `told`.

use super::coordinate::coordinate;
use super::expression::expression;
use super::printer::Printer;
use super::types::literal;
use crate::Refusal;
use crate::ir::{Inst, Op, Space};
use pallas_tensor::DType;

impl Printer<'_> {
    pub(super) fn inst(&mut self, inst: &Inst) -> Result<(), Refusal> {
        let terms: Vec<(String, DType)> =
            inst.operands.iter().map(|&value| (self.at(value), self.kernel.ty(value).dtype)).collect();
        let text = |n: usize| terms.get(n).map_or("0", |(text, _)| text.as_str());
        match &inst.op {
            Op::Const(value) => {
                let result = inst.results[0];
                let number = literal(*value, self.kernel.ty(result).dtype);
                self.define(result, &number)
            }
            Op::Block => self.define(inst.results[0], "(int)blockIdx.x"),
            Op::Coord { layout, dim } => {
                let expression = coordinate(layout, *dim);
                self.define(inst.results[0], &expression)
            }
            Op::Owner(layout) => self.define(inst.results[0], &format!("(t & {}) == 0", layout.copies())),
            Op::Scalar(op, attributes) => {
                let result = inst.results[0];
                let borrowed: Vec<(&str, DType)> = terms.iter().map(|(text, dtype)| (text.as_str(), *dtype)).collect();
                let expression = expression(*op, attributes, &borrowed, self.kernel.ty(result).dtype).ok_or_else(
                    || match borrowed.first() {
                        Some((_, dtype)) => self.refuse(&format!("`{}` of {}", op.name, dtype.name())),
                        None => self.refuse(&format!("`{}`", op.name)),
                    },
                )?;
                self.define(result, &expression)
            }
            Op::Pick(table) => self.pick(inst.results[0], inst.operands[0], table),
            Op::ShuffleXor(mask) => {
                let expression = format!("__shfl_xor_sync(0xffffffffu, {}, {mask})", text(0));
                self.define(inst.results[0], &expression)
            }
            Op::Load { memory, masked, other, vector, .. } if *vector > 1 => {
                self.wide_load(inst, *memory, *masked, *other, *vector)
            }
            Op::Store { memory, masked, vector, .. } if *vector > 1 => self.wide_store(inst, *memory, *masked, *vector),
            Op::Load { memory, masked, other, .. } => {
                let name = self.name(*memory);
                let words = self.words(self.kernel.memory(*memory).dtype)?;
                let constant = matches!(self.kernel.memory(*memory).space, Space::Constant(_));
                let element = match words.load {
                    load if !load.is_empty() && !constant => format!("{load}({name}[{}])", text(0)),
                    _ => format!("{name}[{}]", text(0)),
                };
                let expression = match (masked, other) {
                    (false, _) => element,
                    (true, false) => format!("{} ? {element} : ({})0", text(1), words.register),
                    (true, true) => format!("{} ? {element} : {}", text(1), text(2)),
                };
                self.define(inst.results[0], &expression)
            }
            Op::Store { memory, masked, .. } => {
                let words = self.words(self.kernel.memory(*memory).dtype)?;
                let value =
                    if words.store.is_empty() { text(1).into() } else { format!("{}({})", words.store, text(1)) };
                let guard = if *masked { format!("if ({}) ", text(2)) } else { String::new() };
                let statement = format!("{guard}{}[{}] = {value};", self.name(*memory), text(0));
                self.each(self.regs(inst.operands[0]), &statement);
                Ok(())
            }
            Op::Atomic { memory, combine, masked } => self.atomic(inst, *memory, *combine, *masked, &terms),
            Op::Barrier => {
                self.barrier();
                Ok(())
            }
            Op::Mma(mma) => self.mma(inst, *mma),
            Op::LoadMatrix { memory, trans, words } => self.load_matrix(inst, *memory, *trans, *words),
            Op::CopyAhead { from, memory, vector } => {
                let bytes = *vector as usize * self.kernel.memory(*memory).dtype.size_bytes();
                let (to, from) = (self.name(*memory), self.name(*from));
                let regs = self.regs(inst.operands[0]);
                let call = format!("if ({}) copy_ahead_{bytes}({to} + {}, {from} + {});", text(2), text(1), text(0));
                if regs == 1 {
                    self.line(call);
                    return Ok(());
                }
                self.steps(regs, *vector);
                self.line(format!("  {call}"));
                self.line("}");
                Ok(())
            }
            Op::Check(..) | Op::Owned { .. } | Op::Witness { .. } | Op::Mark(_) | Op::Print { .. } => {
                self.tell(inst, &terms)
            }
            Op::CommitAhead => {
                self.line("asm volatile(\"cp.async.commit_group;\" ::: \"memory\");");
                Ok(())
            }
            Op::WaitAhead(pending) => {
                self.line(format!("asm volatile(\"cp.async.wait_group {pending};\" ::: \"memory\");"));
                Ok(())
            }
            Op::Team => self.define(inst.results[0], if self.kernel.teams == 1 { "0" } else { "team" }),
            Op::Arrive { .. }
            | Op::Expect { .. }
            | Op::Claim { .. }
            | Op::Claimed(_)
            | Op::Await { .. }
            | Op::Arrived { .. }
            | Op::BringBox { .. }
            | Op::SendBox { .. }
            | Op::CommitSent
            | Op::WaitSent { .. }
            | Op::Publish => self.engine(inst),
            Op::MultiplyTensor(_)
            | Op::CopyTensor(_)
            | Op::ArriveTensor { .. }
            | Op::LoadTensor(_)
            | Op::StoreTensor(_) => self.tensor(inst),
            Op::Take(_) | Op::Keep(_) | Op::Multiply(_) | Op::WaitProducts(_) | Op::SetRegisters(_) => {
                self.product(inst)
            }
            Op::For => self.for_loop(inst),
            Op::While => self.while_loop(inst),
            Op::Switch => self.switch(inst),
            Op::Warps => self.warps(inst),
        }
    }
}
