//! Runs tapes: registers, one step after the other, and host functions.

use crate::access::{Access, Index, broadcast};
use crate::clock::PlaceClock;
use crate::error::RunError;
use crate::hooks::{Hooks, OutOfBounds, StoreEvent};
use crate::later::Window;
use crate::memory::{Memory, View};
use crate::outside::Outside;
use crate::tape::{Action, Block, Masking, Register, Source, Step, Tape};
use pallas_ir::op::EvalContext;
use pallas_ir::{Function, IndexOperand, Interpretation};
use pallas_tensor::ops::{self, BinaryOp, Combine};
use pallas_tensor::{Array, DType, Kind, Scalar};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// What a register holds.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// Nothing yet, or moved out.
    #[default]
    Empty,
    Tile(Array),
    /// Part of an array that nobody has copied; only chains read it.
    Window(Window),
    /// Shared, as most steps only look at it.
    Ref(Arc<View>),
}

impl Value {
    /// A Ref.
    pub(crate) fn reference(view: View) -> Value {
        Value::Ref(Arc::new(view))
    }
}

/// A tape in motion.
pub(crate) struct Machine<'a> {
    pub(crate) registers: &'a mut [Value],
    pub(crate) memory: &'a mut Memory,
    /// Ids of the running program; empty outside of launches.
    pub(crate) ids: &'a [usize],
    pub(crate) grid: &'a [usize],
    pub(crate) hooks: &'a mut dyn Hooks,
    pub(crate) tape: &'a Tape,
    pub(crate) interpretation: Interpretation,
    /// The kernel's time by place, where that is wanted.
    pub(crate) places: Option<PlaceClock>,
}

/// Constants of no more elements are copied for each run.
const FEW: usize = 64;

/// Registers for a tape, constants in place.
pub(crate) fn registers(tape: &Tape) -> Vec<Value> {
    let mut registers = vec![Value::Empty; tape.registers];
    for (register, constant) in &tape.constants {
        // What threads share they would count one after the other.
        let constant = if constant.size() <= FEW { constant.apart() } else { constant.clone() };
        registers[*register as usize] = Value::Tile(constant);
    }
    registers
}

impl Machine<'_> {
    /// Runs a block whose parameters are in place.
    pub(crate) fn run(&mut self, block: &Block) -> Result<(), RunError> {
        for step in &block.steps {
            if let Some(places) = &mut self.places
                && let Some(tick) = self.hooks.now()
            {
                places.enter(step.location as usize, tick);
            }
            self.step(step).map_err(|error| match self.tape.locations.get(step.location as usize) {
                Some(location) => error.at(step.op, location),
                None => error,
            })?;
        }
        Ok(())
    }

    /// Fills a block's parameters.
    pub(crate) fn enter(&mut self, block: &Block, values: impl IntoIterator<Item = Value>) {
        for (&param, value) in block.params.iter().zip(values) {
            self.registers[param as usize] = value;
        }
    }

    /// What a block yields.
    pub(crate) fn yields(&mut self, block: &Block) -> Result<SmallVec<[Value; 4]>, RunError> {
        block.yields.iter().map(|&source| self.take(source)).collect()
    }

    pub(crate) fn take(&mut self, source: Source) -> Result<Value, RunError> {
        let slot = &mut self.registers[source.register as usize];
        let value = match (source.last_use, &slot) {
            (true, Value::Tile(_) | Value::Window(_)) => std::mem::take(slot),
            _ => slot.clone(),
        };
        match value {
            Value::Empty => Err(RunError::malformed(format!("value {} is read before it is defined", source.register))),
            value => Ok(value),
        }
    }

    pub(crate) fn tile(&mut self, source: Source) -> Result<Array, RunError> {
        match self.take(source)? {
            Value::Tile(array) => Ok(array),
            Value::Window(window) => window.copied(),
            _ => Err(RunError::malformed("a Ref stands where a tile belongs")),
        }
    }

    /// A scalar integer operand.
    pub(crate) fn integer(&mut self, source: Source) -> Result<i64, RunError> {
        let array = self.tile(source)?;
        array
            .item()
            .and_then(Scalar::as_int)
            .map(|value| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
            .ok_or_else(|| RunError::malformed("an integer scalar was expected"))
    }

    pub(crate) fn put(&mut self, register: Register, value: Value) {
        self.registers[register as usize] = value;
    }

    pub(crate) fn poll(&mut self) -> Result<(), RunError> {
        match self.hooks.cancelled() {
            true => Err(RunError::cancelled()),
            false => Ok(()),
        }
    }

    /// Makes arrays of what the Refs that a step takes hold.
    fn settle(&mut self, step: &Step) -> Result<(), RunError> {
        for source in &step.operands {
            if let Value::Ref(view) = &self.registers[source.register as usize] {
                self.memory.settle(view.buffer)?;
            }
        }
        Ok(())
    }

    pub(crate) fn step(&mut self, step: &Step) -> Result<(), RunError> {
        match step.action {
            Action::Pure(_)
            | Action::MultiplyAdd { .. }
            | Action::MultiplyByReciprocal
            | Action::Fused(_)
            | Action::Product(_)
            | Action::Window(_) => {}
            // Copies settle what they read, and what they write a part of.
            Action::Copy(_) => {}
            _ => self.settle(step)?,
        }
        if let (Action::Window(access), [register]) = (&step.action, step.results.as_slice()) {
            let window = self.window(step, access)?;
            self.put(*register, window);
            return Ok(());
        }
        let results: SmallVec<[Value; 1]> = match &step.action {
            Action::Fused(fused) => self.run_fused(step, fused)?,
            Action::Product(product) => self.run_product(step, product)?,
            Action::Window(access) => smallvec![self.window(step, access)?],
            Action::Pure(pure) => {
                let operands = step
                    .operands
                    .iter()
                    .map(|&source| self.tile(source))
                    .collect::<Result<SmallVec<[Array; 4]>, _>>()?;
                let context = EvalContext { attributes: &pure.attributes, results: &pure.results };
                (pure.eval)(&context, operands)?.into_iter().map(Value::Tile).collect()
            }
            Action::MultiplyAdd { form, divides } => {
                let [x, y, z] = step.operands.as_slice() else {
                    return Err(RunError::malformed("a multiply-add takes three operands"));
                };
                let operands = (self.tile(*x)?, self.tile(*y)?, self.tile(*z)?);
                let result = ops::multiply_add(operands.0, operands.1, operands.2, *form, *divides)?;
                smallvec![Value::Tile(result)]
            }
            Action::MultiplyByReciprocal => {
                let [x, y] = step.operands.as_slice() else {
                    return Err(RunError::malformed("a division takes two operands"));
                };
                let operands = (self.tile(*x)?, self.tile(*y)?);
                smallvec![Value::Tile(ops::multiply_by_reciprocal(operands.0, operands.1)?)]
            }
            Action::Load(access, masking) => {
                let (view, operands) = self.opened(step, access, *masking, false)?;
                let opened = operands.view.clone();
                let loaded = self.load(step, access, operands)?;
                self.memory.close(&view, &opened, false)?;
                smallvec![Value::Tile(loaded)]
            }
            Action::Store(access, masking) => {
                let (view, operands) = self.opened(step, access, *masking, true)?;
                let opened = operands.view.clone();
                let before = self.before_store(&view);
                self.store(step, access, operands)?;
                self.memory.close(&view, &opened, true)?;
                self.stored(step, before);
                SmallVec::new()
            }
            Action::Swap(access, masking) => {
                let (view, operands) = self.opened(step, access, *masking, true)?;
                let opened = operands.view.clone();
                let before = self.before_store(&view);
                let old = self.swap(step, access, operands)?;
                self.memory.close(&view, &opened, true)?;
                self.stored(step, before);
                smallvec![Value::Tile(old)]
            }
            Action::Reinterpret(ty, permutation) => {
                let [source] = step.operands.as_slice() else {
                    return Err(RunError::malformed("a Ref that is to be reinterpreted is missing"));
                };
                smallvec![Value::reference(self.reference(*source)?.reinterpreted(ty, permutation.as_ref()))]
            }
            Action::Atomic { access, masking, combine, accumulates } => {
                let (view, operands) = self.opened(step, access, *masking, true)?;
                let opened = operands.view.clone();
                let before = self.before_store(&view);
                let old = self.atomic(step, access, operands, *combine, *accumulates)?;
                self.memory.close(&view, &opened, true)?;
                self.stored(step, before);
                smallvec![Value::Tile(old)]
            }
            Action::View(access) => {
                let operands = self.access(step, access, Masking::default(), false)?;
                if access.may_overhang(&operands.indices) {
                    smallvec![Value::reference(access.view(&operands.view, &operands.indices)?)]
                } else {
                    self.report(step, access, &operands, false)?;
                    let beyond = self.beyond(step, access, &operands.view, &operands.indices, None)?;
                    smallvec![Value::reference(match beyond {
                        Some(beyond) => Arc::unwrap_or_clone(operands.view).beyond(beyond),
                        None => access.view(&operands.view, &operands.indices)?,
                    })]
                }
            }
            Action::For(body) => self.run_for(step, body)?,
            Action::While { condition, body } => self.run_while(step, condition, body)?,
            Action::Cond(branches) => self.run_cond(step, branches)?,
            Action::Scoped(body, allocations) => self.run_scoped(body, allocations)?,
            Action::Pipeline(pipeline) => {
                self.run_pipeline(step, pipeline)?;
                SmallVec::new()
            }
            Action::Copy(copy) => {
                self.run_copy(step, copy)?;
                SmallVec::new()
            }
            Action::Semaphore(semaphore) => self.run_semaphore(step, semaphore)?,
            Action::Agent(_) => {
                return Err(RunError::eval("barriers and engines of a GPU are used outside of a kernel of its own"));
            }
            Action::ProgramId(axis) => smallvec![self.grid_number(self.ids, *axis)?],
            Action::NumPrograms(axis) => smallvec![self.grid_number(self.grid, *axis)?],
            Action::DebugPrint(format) => {
                let values = step.operands.iter().map(|&source| self.tile(source)).collect::<Result<Vec<_>, _>>()?;
                self.hooks.debug_print(format, &values);
                SmallVec::new()
            }
            Action::Launch(plan, launch) => {
                let inputs = step.operands.iter().map(|&source| self.tile(source)).collect::<Result<Vec<_>, _>>()?;
                let outputs = match self.hooks.launch(launch, &inputs) {
                    Some(outputs) => outputs?,
                    None => {
                        self.hooks.launch_begins(launch);
                        plan.run(inputs, self.hooks)?
                    }
                };
                outputs.into_iter().map(Value::Tile).collect()
            }
        };
        let results = match self.interpretation.skips_floats() {
            true => skipped(&step.action, results)?,
            false => results,
        };
        if results.len() != step.results.len() {
            return Err(RunError::malformed(format!(
                "an op gave {} results, {} were expected",
                results.len(),
                step.results.len()
            )));
        }
        for (&register, value) in step.results.iter().zip(results) {
            self.put(register, value);
        }
        for &register in &step.drops {
            self.put(register, Value::Empty);
        }
        Ok(())
    }

    fn grid_number(&self, numbers: &[usize], axis: usize) -> Result<Value, RunError> {
        let number = numbers.get(axis).ok_or_else(|| RunError::malformed(format!("the grid has no axis {axis}")))?;
        Ok(Value::Tile(Array::scalar(DType::I32, Scalar::Int(*number as i128))))
    }

    /// The operands of an access with a Ref that is not reinterpreted, and the Ref as it was given.
    fn opened(
        &mut self,
        step: &Step,
        access: &Access,
        masking: Masking,
        writes: bool,
    ) -> Result<(Arc<View>, AccessOperands), RunError> {
        let mut operands = self.access(step, access, masking, writes)?;
        if self.memory.races.is_some() {
            self.watched(step, access, &operands.view, &operands.indices, operands.mask.as_ref())?;
            self.overreaches(step, access, &operands, writes)?;
        }
        if operands.view.through.is_none() {
            return Ok((operands.view.clone(), operands));
        }
        let opened = Arc::new(self.memory.open(&operands.view)?);
        Ok((std::mem::replace(&mut operands.view, opened), operands))
    }

    pub(crate) fn access(
        &mut self,
        step: &Step,
        access: &Access,
        masking: Masking,
        writes: bool,
    ) -> Result<AccessOperands, RunError> {
        let mut sources = step.operands.iter().copied();
        let mut next = || sources.next().ok_or_else(|| RunError::malformed("an operand is missing"));
        let Value::Ref(view) = self.take(next()?)? else {
            return Err(RunError::malformed("a tile stands where a Ref belongs"));
        };
        let value = match writes {
            true => Some(self.tile(next()?)?),
            false => None,
        };
        let mut indices = SmallVec::new();
        for kind in access.operands() {
            let source = next()?;
            indices.push(match kind {
                IndexOperand::Array => Index::Array(self.tile(source)?),
                IndexOperand::Position | IndexOperand::Length => Index::Scalar(self.integer(source)?),
            });
        }
        let mask = match masking.mask {
            true => Some(broadcast(&self.tile(next()?)?, &access.shape)?),
            false => None,
        };
        let other = match masking.other {
            true => Some(broadcast(&self.tile(next()?)?, &access.shape)?),
            false => None,
        };
        Ok(AccessOperands { view, value, indices, mask, other })
    }

    /// Tells the hooks if a thread itself goes past the end of main memory, by a view that does: only copies may.
    fn overreaches(
        &mut self,
        step: &Step,
        access: &Access,
        operands: &AccessOperands,
        writes: bool,
    ) -> Result<(), RunError> {
        let shape = self.memory.peek(&operands.view)?.shape();
        let reaches = operands.view.through.is_none() && operands.view.overhangs(shape);
        if !reaches || !access.is_block() || operands.mask.is_some() {
            return Ok(());
        }
        let outside = access.block_view(&operands.view, &operands.indices)?.past(shape);
        self.tell(step, outside, writes);
        Ok(())
    }

    /// Tells the hooks if the subscript leaves its Ref.
    pub(crate) fn report(
        &mut self,
        step: &Step,
        access: &Access,
        operands: &AccessOperands,
        writes: bool,
    ) -> Result<(), RunError> {
        self.report_at(step, access, (&operands.view, &operands.indices, operands.mask.as_ref()), writes)
    }

    /// See [`Machine::report`].
    pub(crate) fn report_at(
        &mut self,
        step: &Step,
        access: &Access,
        (view, indices, mask): (&View, &[Index], Option<&Array>),
        writes: bool,
    ) -> Result<(), RunError> {
        // A subscript without dynamic parts was checked where it was written.
        if indices.is_empty() {
            return Ok(());
        }
        let outside = access.outside(view, indices, mask)?;
        self.tell(step, outside, writes);
        Ok(())
    }

    fn tell(&mut self, step: &Step, outside: Option<Outside>, writes: bool) {
        if let (Some(outside), Some(location)) = (outside, self.tape.locations.get(step.location as usize)) {
            self.hooks.out_of_bounds(&OutOfBounds {
                op: step.op,
                location,
                ids: self.ids,
                axis: outside.axis,
                start: outside.start,
                size: outside.size,
                stride: outside.stride,
                bound: outside.bound,
                writes,
            });
        }
    }

    /// The memory behind a Ref that is about to be written, where somebody wants to know.
    fn before_store(&self, view: &View) -> Option<(usize, Array)> {
        if !self.hooks.wants_stores() {
            return None;
        }
        let mut view = view;
        while let Some(through) = &view.through {
            view = &through.base;
        }
        Some((view.buffer, self.memory.array(view).ok()?.clone()))
    }

    /// Tells the hooks what a store has changed.
    fn stored(&mut self, step: &Step, before: Option<(usize, Array)>) {
        let Some((buffer, before)) = before else { return };
        let after = self.memory.buffers.get(buffer).map(|buffer| buffer.array.clone());
        if let (Some(after), Some(location)) = (after, self.tape.locations.get(step.location as usize)) {
            self.hooks.stored(StoreEvent { op: step.op, location, buffer, before, after });
        }
    }

    fn load(&mut self, step: &Step, access: &Access, operands: AccessOperands) -> Result<Array, RunError> {
        self.report(step, access, &operands, false)?;
        let beyond = self.beyond(step, access, &operands.view, &operands.indices, operands.mask.as_ref())?;
        let loaded = match beyond {
            Some(beyond) => ops::reshape(&beyond.read(self.memory, &operands.view)?, access.shape.clone())?,
            None => access.load(self.memory, &operands.view, &operands.indices)?,
        };
        Ok(match (&operands.mask, &operands.other) {
            (Some(mask), Some(other)) => ops::select(mask, &loaded, other)?,
            // As JAX: a mask without `other` leaves what is there.
            _ => loaded,
        })
    }

    fn store(&mut self, step: &Step, access: &Access, mut operands: AccessOperands) -> Result<(), RunError> {
        self.report(step, access, &operands, true)?;
        let mut value = operands.value()?;
        if let Some(beyond) = self.beyond(step, access, &operands.view, &operands.indices, operands.mask.as_ref())? {
            let Some(mask) = &operands.mask else {
                return beyond.write(self.memory, &operands.view, &value, "write");
            };
            let old = beyond.read_any(self.memory, &operands.view)?;
            let value = ops::select(mask, &value, &ops::reshape(&old, value.shape().clone())?)?;
            return beyond.write(self.memory, &operands.view, &value, "masked swap");
        }
        if let Some(mask) = &operands.mask {
            let old = access.load(self.memory, &operands.view, &operands.indices)?;
            value = ops::select(mask, &value, &old)?;
        }
        access.store(self.memory, &operands.view, &operands.indices, value)
    }

    fn swap(&mut self, step: &Step, access: &Access, mut operands: AccessOperands) -> Result<Array, RunError> {
        self.report(step, access, &operands, true)?;
        let old = access.load(self.memory, &operands.view, &operands.indices)?;
        let value = operands.value()?;
        let (value, old) = match &operands.mask {
            Some(mask) => (ops::select(mask, &value, &old)?, ops::select(mask, &old, &value)?),
            None => (value, old),
        };
        access.store(self.memory, &operands.view, &operands.indices, value)?;
        Ok(old)
    }

    fn atomic(
        &mut self,
        step: &Step,
        access: &Access,
        mut operands: AccessOperands,
        combine: Option<BinaryOp>,
        accumulates: bool,
    ) -> Result<Array, RunError> {
        self.report(step, access, &operands, true)?;
        let old = access.load(self.memory, &operands.view, &operands.indices)?;
        let value = operands.value()?;
        let (memory, view, indices) = (&mut *self.memory, &operands.view, &operands.indices);
        if let (Some(op), true, None, false) = (combine, accumulates, &operands.mask, access.is_block()) {
            access.combine(memory, view, indices, value, Combine::With(op))?;
            return Ok(old);
        }
        let mut value = match combine {
            Some(op) => ops::binary(op, value, old.clone())?,
            None => value,
        };
        if let Some(mask) = &operands.mask {
            value = ops::select(mask, &value, &old)?;
        }
        access.store(memory, view, indices, value)?;
        Ok(old)
    }
}

/// What `skip_floating_point_ops` makes of results that are all floating-point: infinity.
fn skipped(action: &Action, results: SmallVec<[Value; 1]>) -> Result<SmallVec<[Value; 1]>, RunError> {
    let computes = matches!(
        action,
        Action::Pure(_) | Action::MultiplyAdd { .. } | Action::MultiplyByReciprocal | Action::Product(_)
    );
    let is_float = |value: &Value| matches!(value, Value::Tile(tile) if tile.dtype().kind() == Kind::Float);
    if !computes || !results.iter().all(is_float) {
        return Ok(results);
    }
    let infinite = |value: Value| match value {
        Value::Tile(tile) => {
            Ok(Value::Tile(Array::full(tile.dtype(), tile.shape().clone(), Scalar::Float(f64::INFINITY))?))
        }
        value => Ok(value),
    };
    results.into_iter().map(infinite).collect()
}

/// Operands of an access, taken.
pub(crate) struct AccessOperands {
    pub(crate) view: Arc<View>,
    value: Option<Array>,
    pub(crate) indices: SmallVec<[Index; 4]>,
    /// Stretched to the subscript's shape, as is `other`.
    mask: Option<Array>,
    other: Option<Array>,
}

impl AccessOperands {
    fn value(&mut self) -> Result<Array, RunError> {
        self.value.take().ok_or_else(|| RunError::malformed("a store has no value"))
    }
}

/// A host function ready to run.
#[derive(Debug)]
pub struct FunctionPlan {
    tape: Tape,
}

impl FunctionPlan {
    /// Flattens a function of tiles; the launches that it makes are prepared too.
    ///
    /// # Errors
    /// If it is not well formed.
    pub fn new(function: &Function) -> Result<FunctionPlan, RunError> {
        let tape = Tape::new(function)?;
        Ok(FunctionPlan { tape })
    }

    /// Runs it.
    ///
    /// # Errors
    /// If an op fails, the number of arguments is wrong, or the hooks cancel.
    pub fn run(&self, args: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
        let body = &self.tape.body;
        if args.len() != body.params.len() {
            return Err(RunError::malformed(format!(
                "the function takes {} arguments, got {}",
                body.params.len(),
                args.len()
            )));
        }
        let mut registers = registers(&self.tape);
        let mut machine = Machine {
            registers: &mut registers,
            memory: &mut Memory::default(),
            ids: &[],
            grid: &[],
            hooks,
            tape: &self.tape,
            interpretation: Interpretation::Unsaid,
            places: None,
        };
        machine.enter(body, args.into_iter().map(Value::Tile));
        machine.run(body)?;
        machine
            .yields(body)?
            .into_iter()
            .map(|value| match value {
                Value::Tile(array) => Ok(array),
                _ => Err(RunError::malformed("a function yields a Ref")),
            })
            .collect()
    }
}

/// Runs a host function once.
///
/// # Errors
/// As [`FunctionPlan::new`] and [`FunctionPlan::run`].
pub fn run_function(function: &Function, args: Vec<Array>, hooks: &mut dyn Hooks) -> Result<Vec<Array>, RunError> {
    FunctionPlan::new(function)?.run(args, hooks)
}
