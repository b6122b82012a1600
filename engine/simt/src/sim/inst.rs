//! Instructions in the simulator, one after the other.

use super::report::{Complaint, Kind};
use super::world::{Owner, World};
use super::{Fault, fault};
use crate::Met;
use crate::ir::{Doubt, Inst, MemoryId, Op, Space, Value};
use crate::layout::Layout;
use crate::{STORES, Stored};
use pallas_ir::op::EvalContext;
use pallas_ir::{OpKind, TensorType, Type};
use pallas_tensor::{Array, DType, Scalar, ops};
use smallvec::SmallVec;

impl<'k> World<'k> {
    /// Does an instruction; whether it is over, rather than to be tried again.
    pub(super) fn inst(&mut self, inst: &'k Inst) -> Result<bool, Fault> {
        self.report.instructions += 1;
        self.fuel = self.fuel.checked_sub(1).ok_or_else(|| fault("the kernel takes too long".to_string()))?;
        self.tick(inst);
        match &inst.op {
            Op::Mark(site) => self.mark(inst, *site)?,
            Op::Const(value) => {
                let result = inst.results[0];
                let dtype = self.kernel.ty(result).dtype;
                self.put(result, Array::full(dtype, [self.len(result)].as_slice(), *value)?);
            }
            Op::Block => self.number(inst.results[0], |this, _, _| this.agents[this.turn].actor.block as i32)?,
            Op::Coord { layout, dim } => {
                self.number(inst.results[0], |_, register, thread| {
                    layout.coord(layout.place(register as u32, thread as u32), *dim) as i32
                })?;
            }
            Op::Owner(layout) => self.owner(inst.results[0], layout)?,
            Op::Scalar(op, attributes) => {
                let OpKind::Pure { eval, .. } = &op.kind else { return Err(fault(format!("{} is not pure", op.name))) };
                let operands =
                    inst.operands.iter().map(|&value| self.get(value)).collect::<Result<SmallVec<_>, Fault>>()?;
                let result = inst.results[0];
                let ty = TensorType::new(self.kernel.ty(result).dtype, [self.len(result)].as_slice());
                let context = EvalContext { attributes, results: &[Type::Tensor(ty)] };
                let results =
                    eval(&context, operands).map_err(|error| fault(format!("{}: {}", op.name, error.message)))?;
                let array = results.into_iter().next().ok_or_else(|| fault(format!("{} gives nothing", op.name)))?;
                self.put(result, array);
            }
            Op::Pick(table) => {
                let lanes = |&register: &u32| {
                    let first = register as usize * self.threads;
                    (first..first + self.threads).map(|element| element as i64)
                };
                let positions: Vec<i64> = table.iter().flat_map(lanes).collect();
                self.moved(inst, &positions)?;
            }
            Op::ShuffleXor(mask) => {
                let positions: Vec<i64> =
                    (0..self.len(inst.results[0])).map(|element| (element ^ *mask as usize) as i64).collect();
                self.moved(inst, &positions)?;
            }
            Op::Load { memory, masked, other, vector, .. } => self.load(inst, *memory, *masked, *other, *vector)?,
            Op::Store { memory, masked, vector, .. } => self.store(inst, *memory, *masked, *vector)?,
            Op::Atomic { memory, combine, masked } => self.atomic(inst, *memory, *combine, *masked)?,
            Op::Barrier => {
                self.actor().meet();
                self.report.barriers += 1;
            }
            Op::Mma(mma) => self.mma(inst, *mma)?,
            Op::LoadMatrix { memory, trans, words } => self.load_matrix(inst, *memory, *trans, *words)?,
            Op::CopyAhead { from, memory, vector } => self.copy_ahead(inst, *from, *memory, *vector)?,
            Op::Check(doubt, words) => self.check(inst, *doubt, words)?,
            Op::Owned { memory, writes, masked, words } => self.owned(inst, *memory, *writes, *masked, words)?,
            Op::Witness { element, masked, .. } => self.witness(inst, *element, *masked)?,
            Op::CommitAhead => self.commit_ahead(),
            Op::WaitAhead(pending) => self.wait_ahead(*pending)?,
            Op::Team => self.number(inst.results[0], |this, _, _| this.agents[this.turn].team as i32)?,
            Op::Arrive { phases, alone, across } => self.arrive(inst, *phases, *alone, *across)?,
            Op::Claim { memory, phases } => self.claim(inst, *memory, *phases)?,
            Op::Claimed(memory) => self.claimed(inst, *memory)?,
            Op::Expect { phases, bytes } => {
                let place = self.phases_at(*phases, inst.operands[0], None)?;
                self.phases_of(place).expected += *bytes as u64;
            }
            Op::Await { phases } => return self.wait(inst, *phases),
            Op::Arrived { phases } => self.arrived(inst, *phases)?,
            Op::BringBox { map, memory, phases, share } => self.bring(inst, *map, *memory, *phases, *share)?,
            Op::SendBox { memory, map, combine } => self.send(inst, *memory, *map, *combine)?,
            Op::CommitSent => self.agents[self.turn].sent.commit(),
            Op::WaitSent { pending, read } => self.wait_sent(*pending, *read)?,
            Op::Publish => self.actor().fence(),
            Op::Take(memory) => self.take(inst, *memory)?,
            Op::Keep(memory) => self.keep(inst, *memory)?,
            Op::Multiply(product) => self.multiply(inst, *product)?,
            Op::WaitProducts(pending) => self.wait_products(*pending)?,
            Op::MultiplyTensor(product) => self.multiply_tensor(inst, *product)?,
            Op::CopyTensor(copy) => self.copy_tensor(inst, *copy)?,
            Op::ArriveTensor { phases, pair } => self.arrive_tensor(inst, *phases, *pair)?,
            Op::LoadTensor(memory) => self.load_tensor(inst, *memory)?,
            Op::StoreTensor(memory) => self.store_tensor(inst, *memory)?,
            Op::SetRegisters(_) => {}
            Op::For | Op::While | Op::Switch => self.enter(inst)?,
            Op::Warps => return self.warps(inst),
            Op::Print { pieces, masked } => self.print(inst, pieces, *masked)?,
        }
        Ok(true)
    }

    /// A line, or one for each element of a mask. What has one register is the same for all.
    fn print(&mut self, inst: &Inst, pieces: &[String], masked: bool) -> Result<(), Fault> {
        let mut operands = inst.operands.iter().map(|&operand| self.get(operand)).collect::<Result<Vec<_>, _>>()?;
        let mask = if masked { operands.pop() } else { None };
        let lines = if masked { operands.iter().chain(&mask).map(Array::size).max().unwrap_or(0) } else { 1 };
        let at = |array: &Array, line: usize| array.get(line % array.size().max(1));
        for line in 0..lines {
            if mask.as_ref().is_some_and(|mask| at(mask, line) != Some(Scalar::Bool(true))) {
                continue;
            }
            let mut text = String::new();
            for (number, piece) in pieces.iter().enumerate() {
                text.push_str(piece);
                match operands.get(number).and_then(|operand| at(operand, line)) {
                    Some(Scalar::Bool(value)) => text.push_str(&value.to_string()),
                    Some(Scalar::Int(value)) => text.push_str(&value.to_string()),
                    Some(Scalar::Float(value)) => text.push_str(&value.to_string()),
                    Some(Scalar::Key(words)) => text.push_str(&format!("{words:?}")),
                    None => {}
                }
            }
            self.report.printed.push(text);
        }
        Ok(())
    }

    /// An `i32` from the numbers of register and thread.
    fn number(&mut self, result: Value, of: impl Fn(&Self, usize, usize) -> i32) -> Result<(), Fault> {
        let elements: Vec<i32> =
            (0..self.len(result)).map(|element| of(self, element / self.threads, element % self.threads)).collect();
        self.put(result, Array::from_i32s([elements.len()].as_slice(), &elements)?);
        Ok(())
    }

    fn owner(&mut self, result: Value, layout: &Layout) -> Result<(), Fault> {
        let copies = layout.copies() as usize;
        let elements: Vec<Scalar> = (0..self.len(result)).map(|thread| Scalar::Bool(thread & copies == 0)).collect();
        self.put(result, Array::from_scalars(DType::Bool, [elements.len()].as_slice(), &elements)?);
        Ok(())
    }

    fn moved(&mut self, inst: &Inst, positions: &[i64]) -> Result<(), Fault> {
        let source = self.get(inst.operands[0])?;
        let zero = Array::scalar(source.dtype(), Scalar::zero(source.dtype()));
        let moved = ops::take_flat(&source, positions, [positions.len()].as_slice(), &zero)?;
        self.put(inst.results[0], moved);
        Ok(())
    }

    fn check(&mut self, inst: &Inst, doubt: Doubt, words: &str) -> Result<(), Fault> {
        let (bad, program) = (self.get(inst.operands[0])?, self.uniform(inst.operands[1])?);
        let kind = if doubt == Doubt::NotANumber { Kind::NotANumber } else { Kind::Outside };
        let flags = bad.elements::<bool>().unwrap_or_default();
        for position in (0..flags.len()).filter(|&position| flags[position]) {
            let complaint = || Complaint {
                kind,
                memory: words.to_string(),
                element: program,
                block: self.agents[self.turn].actor.block,
                threads: ((position % self.threads) as u32, None),
                span: inst.span,
                met: None,
                other: None,
            };
            self.report.complain(complaint, kind);
        }
        Ok(())
    }

    /// Who wrote what before, as a device keeps it in a table.
    fn owned(&mut self, inst: &Inst, id: MemoryId, writes: bool, masked: bool, words: &str) -> Result<(), Fault> {
        let Space::Operand { operand, .. } = self.kernel.memory(id).space else { return Ok(()) };
        let (index, program) = (self.get(inst.operands[0])?, self.uniform(inst.operands[1])?);
        let mask = if masked { Some(self.get(inst.operands[2])?) } else { None };
        let mask = mask.as_ref().map(|mask| mask.elements::<bool>().unwrap_or_default());
        let block = self.agents[self.turn].actor.block;
        let me = Owner { block, program, span: inst.span };
        for (position, &element) in index.elements::<i32>().unwrap_or_default().iter().enumerate() {
            if mask.is_some_and(|mask| mask.get(position) == Some(&false)) {
                continue;
            }
            let key = (id, i64::from(element));
            let was = if writes { self.owners.insert(key, me) } else { self.owners.get(&key).copied() };
            let Some(was) = was.filter(|was| was.block != block) else { continue };
            let complaint = || Complaint {
                kind: Kind::ProgramRace,
                memory: words.to_string(),
                element: program,
                block,
                threads: ((position % self.threads) as u32, None),
                span: inst.span,
                met: Some(Met {
                    program: usize::try_from(was.program).unwrap_or(0),
                    span: Some(was.span),
                    element: (operand, usize::try_from(element).unwrap_or(0)),
                }),
                other: Some(was.block),
            };
            self.report.complain(complaint, Kind::ProgramRace);
        }
        Ok(())
    }

    fn witness(&mut self, inst: &Inst, element: i32, masked: bool) -> Result<(), Fault> {
        let (index, value) = (self.get(inst.operands[0])?, self.get(inst.operands[1])?);
        let program = usize::try_from(self.uniform(inst.operands[2])?).unwrap_or(0);
        let mask = if masked { Some(self.get(inst.operands[3])?) } else { None };
        let mask = mask.as_ref().map(|mask| mask.elements::<bool>().unwrap_or_default());
        for (position, &at) in index.elements::<i32>().unwrap_or_default().iter().enumerate() {
            let left_out = mask.is_some_and(|mask| mask.get(position) == Some(&false));
            if at == element && !left_out && self.report.stores.len() < STORES {
                let bits = value.get(position).map_or(0, Stored::bits);
                self.report.stores.push(Stored { span: inst.span, program, bits });
            }
        }
        Ok(())
    }
}
