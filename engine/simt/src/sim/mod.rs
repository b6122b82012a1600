//! Runs the SIMT IR without a GPU, all threads of a block in lockstep: the definition of the IR, and its test. A value is one
//! array with an element for each register of each thread, and scalar ops are evaluated as interpret mode evaluates them, so
//! that results differ only where the order of a sum does. Blocks run one after the other; what they do to each other is seen
//! by who touched which element last.

mod ahead;
mod clock;
mod matrix;
mod memory;
mod report;

pub use report::{Complaint, Kind, Report};

use crate::ir::{Combine, Doubt, Inst, Kernel, MemoryId, Op, Region, Space, Value};
use crate::layout::Layout;
use crate::{Initial, ParamKind, Program};
use memory::{Access, Ram};
use pallas_ir::op::EvalContext;
use pallas_ir::{OpKind, TensorType, Type};
use pallas_syntax::Span;
use pallas_tensor::{Array, DType, Scalar, ops};
use smallvec::SmallVec;
use std::fmt;

/// Why a simulation stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In words.
    pub message: String,
    /// The Pallas source of the instruction.
    pub span: Span,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// Runs a program. `inputs` are the launch's prefetched scalars and inputs in order; the result holds its outputs in order.
/// `fuel` is how many instructions it may take, each counted once for a block.
///
/// # Errors
/// What no hardware would do: values that are not there, control flow that threads disagree on, too long a run.
pub fn run(program: &Program, inputs: &[Array], fuel: u64) -> Result<(Vec<Array>, Report), Fault> {
    let fault = |message: &str| Fault { message: message.to_string(), span: Span::default() };
    let mut arrays: Vec<(usize, Array)> = Vec::new();
    let mut outputs = Vec::new();
    for param in &program.params {
        let ParamKind::Operand { operand, initial } = &param.kind else { continue };
        // Inputs stand before outputs, and count from 0.
        let given = |number: usize| inputs.get(number).cloned().ok_or_else(|| fault("an input is missing"));
        let array = match initial {
            Initial::Given => given(*operand)?,
            Initial::CopyOf(other) => given(*other)?,
            Initial::Fill(value) => {
                Array::full(param.dtype, [param.len].as_slice(), *value).map_err(|error| fault(&error.to_string()))?
            }
        };
        if array.size() != param.len || array.dtype() != param.dtype {
            return Err(fault("an input does not have the type of the operand"));
        }
        let flat = ops::reshape(&array, [param.len].as_slice()).map_err(|error| fault(&error.to_string()))?;
        arrays.push((*operand, flat));
        if *initial != Initial::Given {
            outputs.push(*operand);
        }
    }
    let (arrays, report) = run_kernel(&program.kernel, arrays, fuel)?;
    let of = |operand: &usize| arrays.iter().find(|(other, _)| other == operand).map(|(_, array)| array.clone());
    Ok((outputs.iter().filter_map(of).collect(), report))
}

/// Runs a kernel on arrays of its operands, by their numbers.
///
/// # Errors
/// As [`run`].
pub fn run_kernel(
    kernel: &Kernel,
    arrays: Vec<(usize, Array)>,
    fuel: u64,
) -> Result<(Vec<(usize, Array)>, Report), Fault> {
    let mut arrays = arrays;
    let mut memories = Vec::new();
    for memory in &kernel.memories {
        let array = match &memory.space {
            Space::Operand { operand, .. } => {
                let position = arrays.iter().position(|(other, _)| other == operand);
                position.map(|position| arrays.swap_remove(position).1)
            }
            Space::Constant(array) => ops::reshape(array, [array.size()].as_slice()).ok(),
            Space::Shared | Space::Workspace => Array::zeros(memory.dtype, [memory.len].as_slice()).ok(),
        };
        let array = array.ok_or_else(|| Fault {
            message: format!("there is no array for {}", memory.name),
            span: Span::default(),
        })?;
        let constant = matches!(memory.space, Space::Constant(_) | Space::Operand { constant: true, .. });
        let own = matches!(memory.space, Space::Shared | Space::Workspace);
        memories.push(Ram::new(&memory.name, array, memory.space == Space::Shared, own, constant));
    }
    let mut block = Block {
        kernel,
        threads: kernel.threads as usize,
        values: vec![None; kernel.values.len()],
        memories,
        report: Report::default(),
        number: 0,
        epoch: 0,
        fuel,
        copies: ahead::Copies::default(),
        clock: clock::Clock::new(kernel),
    };
    for number in 0..kernel.blocks {
        block.number = number;
        block.epoch += 1;
        block.copies = ahead::Copies::default();
        block.memories.iter_mut().for_each(Ram::begin);
        block.clock.begin();
        block.region(&kernel.body)?;
        block.clock.end();
    }
    let mut report = block.report;
    report.notes = block.clock.words;
    let operands = kernel.memories.iter().zip(block.memories).filter_map(|(memory, ram)| match memory.space {
        Space::Operand { operand, .. } => Some((operand, ram.array)),
        _ => None,
    });
    Ok((operands.collect(), report))
}

struct Block<'a> {
    kernel: &'a Kernel,
    threads: usize,
    /// Elements by register, then thread.
    values: Vec<Option<Array>>,
    memories: Vec<Ram>,
    report: Report,
    number: usize,
    epoch: u32,
    fuel: u64,
    copies: ahead::Copies,
    clock: clock::Clock,
}

impl Block<'_> {
    fn region(&mut self, region: &Region) -> Result<(), Fault> {
        for inst in &region.insts {
            self.inst(inst).map_err(|mut fault| {
                if fault.span == Span::default() {
                    fault.span = inst.span;
                }
                fault
            })?;
        }
        Ok(())
    }

    fn get(&self, value: Value) -> Result<Array, Fault> {
        let array = self.values.get(value.0 as usize).and_then(Option::clone);
        array.ok_or_else(|| fault(format!("{value} is not there")))
    }

    fn put(&mut self, value: Value, array: Array) {
        self.values[value.0 as usize] = Some(array);
    }

    fn len(&self, value: Value) -> usize {
        self.kernel.ty(value).regs as usize * self.threads
    }

    /// A number that all threads agree on.
    fn uniform(&self, value: Value) -> Result<i64, Fault> {
        let array = self.get(value)?;
        let mut elements = array.iter_scalars();
        let first = elements.next().ok_or_else(|| fault("a value without registers".to_string()))?;
        if elements.any(|element| element != first) {
            return Err(fault(format!("the threads disagree on {value}, which all have to go by")));
        }
        let number = first.as_int().and_then(|number| i64::try_from(number).ok());
        number.ok_or_else(|| fault(format!("{value} is no integer")))
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Fault> {
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
            Op::Block => self.number(inst.results[0], |this, _, _| this.number as i32)?,
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
                let results = eval(&context, operands).map_err(|error| fault(format!("{}: {}", op.name, error.0)))?;
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
                self.epoch += 1;
                self.report.barriers += 1;
            }
            Op::Mma(mma) => self.mma(inst, *mma)?,
            Op::LoadMatrix { memory, trans, words } => self.load_matrix(inst, *memory, *trans, *words)?,
            Op::CopyAhead { from, memory, vector } => self.copy_ahead(inst, *from, *memory, *vector)?,
            Op::Check(doubt, words) => self.check(inst, *doubt, words)?,
            Op::Owned { .. } => {}
            Op::CommitAhead => self.commit_ahead(),
            Op::WaitAhead(pending) => self.wait_ahead(*pending)?,
            Op::For => self.for_loop(inst)?,
            Op::While => self.while_loop(inst)?,
            Op::Switch => {
                let which = usize::try_from(self.uniform(inst.operands[0])?).ok();
                let region = which.and_then(|which| inst.regions.get(which));
                let region = region.ok_or_else(|| fault("a branch that is not there".to_string()))?;
                self.region(region)?;
                self.copy(&inst.results, &region.yields)?;
            }
            Op::Print(pieces) => {
                let mut text = String::new();
                for (number, piece) in pieces.iter().enumerate() {
                    text.push_str(piece);
                    if let Some(&operand) = inst.operands.get(number) {
                        let first = self.get(operand)?.get(0);
                        text.push_str(&first.map_or(String::new(), |first| match first {
                            Scalar::Bool(value) => value.to_string(),
                            Scalar::Int(value) => value.to_string(),
                            Scalar::Float(value) => value.to_string(),
                            Scalar::Key(words) => format!("{words:?}"),
                        }));
                    }
                }
                self.report.printed.push(text);
            }
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

    /// Indices of an access, -1 where masked off or outside.
    fn indices(
        &mut self,
        index: Value,
        span: Span,
        memory: MemoryId,
        mask: Option<Value>,
        vector: u32,
    ) -> Result<Vec<i64>, Fault> {
        let index = self.get(index)?;
        let index = index.elements::<i32>().ok_or_else(|| fault("an index is no i32".to_string()))?.to_vec();
        let mask = match mask {
            Some(mask) => Some(self.get(mask)?),
            None => None,
        };
        let flags = mask.as_ref().and_then(Array::elements::<bool>);
        let indices: Vec<i64> = index
            .iter()
            .enumerate()
            .map(|(element, &index)| match flags {
                Some(flags) if !flags[element] => -1,
                // What is outside on the left must not look masked off.
                _ if index < 0 => i64::from(index) - 1,
                _ => i64::from(index),
            })
            .collect();
        if vector > 1 && !is_wide(&indices, self.threads, vector as usize) {
            return Err(fault("registers of a wide access are no neighbours".to_string()));
        }
        let access = self.access(&indices, vector, span);
        Ok(self.memories[memory.0 as usize].bounded(&access, &mut self.report))
    }

    fn access<'a>(&self, indices: &'a [i64], vector: u32, span: Span) -> Access<'a> {
        Access { indices, vector: vector as usize, threads: self.threads, epoch: self.epoch, block: self.number, span }
    }

    fn load(&mut self, inst: &Inst, memory: MemoryId, masked: bool, other: bool, vector: u32) -> Result<(), Fault> {
        let mask = masked.then(|| inst.operands[1]);
        let indices = self.indices(inst.operands[0], inst.span, memory, mask, vector)?;
        let access = self.access(&indices, vector, inst.span);
        let ram = &mut self.memories[memory.0 as usize];
        ram.read(&access, &mut self.report);
        let zero = Array::scalar(ram.array.dtype(), Scalar::zero(ram.array.dtype()));
        let mut loaded = ops::take_flat(&ram.array, &indices, [indices.len()].as_slice(), &zero)?;
        if let (Some(mask), true) = (mask, other) {
            loaded = ops::select(&self.get(mask)?, &loaded, &self.get(inst.operands[2])?)?;
        }
        self.put(inst.results[0], loaded);
        Ok(())
    }

    fn store(&mut self, inst: &Inst, memory: MemoryId, masked: bool, vector: u32) -> Result<(), Fault> {
        let indices = self.indices(inst.operands[0], inst.span, memory, masked.then(|| inst.operands[2]), vector)?;
        let value = self.get(inst.operands[1])?;
        let access = self.access(&indices, vector, inst.span);
        let ram = &mut self.memories[memory.0 as usize];
        ram.write(&access, false, &mut self.report);
        let nothing = Array::scalar(value.dtype(), Scalar::zero(value.dtype()));
        let array = std::mem::replace(&mut ram.array, nothing);
        ram.array = ops::scatter_flat(array, &indices, &value, ops::Combine::Replace)?;
        Ok(())
    }

    /// One element after the other, in the order of registers and threads.
    fn atomic(&mut self, inst: &Inst, memory: MemoryId, combine: Combine, masked: bool) -> Result<(), Fault> {
        let indices = self.indices(inst.operands[0], inst.span, memory, masked.then(|| inst.operands[2]), 1)?;
        let value = self.get(inst.operands[1])?;
        let access = self.access(&indices, 1, inst.span);
        let ram = &mut self.memories[memory.0 as usize];
        ram.write(&access, true, &mut self.report);
        let dtype = value.dtype();
        let mut old = Array::zeros(dtype, [indices.len()].as_slice())?;
        for (position, &index) in indices.iter().enumerate() {
            let Ok(element) = usize::try_from(index) else { continue };
            let (Some(before), Some(new)) = (ram.array.get(element), value.get(position)) else { continue };
            old.set(position, before);
            let after = match combine.op() {
                None => new,
                Some(op) => {
                    let OpKind::Pure { eval, .. } = &op.kind else { continue };
                    let types = [Type::Tensor(TensorType::scalar(dtype))];
                    let context = EvalContext { attributes: &pallas_ir::Attributes::none(), results: &types };
                    let operands = [before, new].map(|element| Array::scalar(dtype, element));
                    let result = eval(&context, operands.into_iter().collect()).map_err(|error| fault(error.0))?;
                    result.first().and_then(Array::item).unwrap_or(before)
                }
            };
            ram.array.set(element, after);
        }
        self.put(inst.results[0], old);
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
                block: self.number,
                threads: ((position % self.threads) as u32, None),
                span: inst.span,
            };
            self.report.complain(complaint, kind);
        }
        Ok(())
    }

    fn copy(&mut self, to: &[Value], from: &[Value]) -> Result<(), Fault> {
        let arrays = from.iter().map(|&value| self.get(value)).collect::<Result<Vec<_>, Fault>>()?;
        for (&value, array) in to.iter().zip(arrays) {
            self.put(value, array);
        }
        Ok(())
    }

    fn for_loop(&mut self, inst: &Inst) -> Result<(), Fault> {
        let body = inst.regions.first().ok_or_else(|| fault("a loop without a body".to_string()))?;
        let (lower, upper) = (self.uniform(inst.operands[0])?, self.uniform(inst.operands[1])?);
        let (counter, carries) = (body.params[0], &body.params[1..]);
        self.copy(carries, &inst.operands[2..])?;
        let dtype = self.kernel.ty(counter).dtype;
        for number in lower..upper {
            self.fuel = self.fuel.checked_sub(1).ok_or_else(|| fault("the kernel takes too long".to_string()))?;
            let number = Array::full(dtype, [self.len(counter)].as_slice(), Scalar::Int(number.into()))?;
            self.put(counter, number);
            self.region(body)?;
            self.copy(carries, &body.yields)?;
        }
        self.copy(&inst.results, carries)
    }

    fn while_loop(&mut self, inst: &Inst) -> Result<(), Fault> {
        let [condition, body] = inst.regions.as_slice() else {
            return Err(fault("a loop without a condition".to_string()));
        };
        self.copy(&condition.params, &inst.operands)?;
        loop {
            self.fuel = self.fuel.checked_sub(1).ok_or_else(|| fault("the kernel takes too long".to_string()))?;
            self.region(condition)?;
            let go_on = condition.yields.first().map_or(Ok(0), |&value| self.uniform(value))?;
            if go_on == 0 {
                return self.copy(&inst.results, &condition.params);
            }
            self.copy(&body.params, &condition.params)?;
            self.region(body)?;
            self.copy(&condition.params, &body.yields)?;
        }
    }
}

/// Whether registers are neighbours in memory, so many at a time, from a multiple of their number on. Masked off are all or none.
fn is_wide(indices: &[i64], threads: usize, vector: usize) -> bool {
    indices.chunks(vector * threads).all(|group| {
        (0..threads).all(|thread| {
            let first = group[thread];
            (1..vector).all(|n| group[n * threads + thread] == if first < 0 { first } else { first + n as i64 })
                && (first < 0 || first % vector as i64 == 0)
        })
    })
}

fn fault(message: String) -> Fault {
    Fault { message, span: Span::default() }
}

impl From<pallas_tensor::OpError> for Fault {
    fn from(error: pallas_tensor::OpError) -> Fault {
        fault(error.to_string())
    }
}
