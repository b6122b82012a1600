//! Runs tapes: registers, and one step after the other.

use crate::access::Access;
use crate::clock::PlaceClock;
use crate::coming::Coming;
use crate::error::RunError;
use crate::hooks::Hooks;
use crate::later::Window;
use crate::memory::{Memory, View};
use crate::numbers::Number;
use crate::tape::{Action, Block, Register, Source, Step, Tape};
use pallas_ir::Interpretation;
use pallas_ir::op::EvalContext;
use pallas_tensor::ops;
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
    /// What a Ref holds as soon as somebody computes it; only chains and products read it.
    Coming(Coming),
    /// Shared, as most steps only look at it.
    Ref(Arc<View>),
    /// A scalar.
    Number(Number),
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
        if self.memory.times.is_some() {
            return self.rehearse(block);
        }
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
            (true, Value::Tile(_) | Value::Window(_) | Value::Coming(_)) => std::mem::take(slot),
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
            Value::Number(number) => Ok(number.tile()),
            Value::Window(window) => window.copied(),
            Value::Coming(coming) => self.memory.computed(&coming),
            _ => Err(RunError::malformed("a Ref stands where a tile belongs")),
        }
    }

    /// A scalar integer operand.
    pub(crate) fn integer(&mut self, source: Source) -> Result<i64, RunError> {
        if let Some(number) = self.number(source).and_then(Number::integer) {
            return Ok(number.into());
        }
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
        match &step.action {
            Action::Number(op) => return self.run_number(step, *op),
            Action::View(access) => return self.run_view(step, access),
            Action::Element(access) => return self.run_element(step, access),
            Action::Fused(fused) => return self.run_fused(step, fused),
            Action::Load(access, masking) if !masking.mask && self.load_copy(step, access)? => return Ok(()),
            Action::Pure(_)
            | Action::MultiplyAdd { .. }
            | Action::MultiplyByReciprocal
            | Action::ScatterAdd(_)
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
            Action::Product(product) => self.run_product(step, product)?,
            Action::Window(access) => smallvec![self.window(step, access)?],
            Action::Number(_) | Action::View(_) | Action::Element(_) | Action::Fused(_) => SmallVec::new(),
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
            Action::ScatterAdd(scatter) => {
                let [x, updates, positions] = step.operands.as_slice() else {
                    return Err(RunError::malformed("a scatter along an axis takes three operands"));
                };
                let (x, updates, positions) = (self.tile(*x)?, self.tile(*updates)?, self.tile(*positions)?);
                let positions = positions.elements::<i32>().ok_or_else(|| RunError::malformed("an index is no i32"))?;
                smallvec![Value::Tile(scatter.run(x, positions, &updates)?)]
            }
            Action::Load(access, masking) => smallvec![Value::Tile(self.loaded(step, access, *masking)?)],
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

    /// Loads all of a large block that lies in its array; false where there is none.
    fn load_copy(&mut self, step: &Step, access: &Access) -> Result<bool, RunError> {
        let (true, [source], [register]) = (access.is_full(), step.operands.as_slice(), step.results.as_slice()) else {
            return Ok(false);
        };
        let Value::Ref(view) = &self.registers[source.register as usize] else { return Ok(false) };
        let Some(copy) = self.memory.copied(view) else { return Ok(false) };
        self.put(*register, Value::Tile(copy?));
        step.drops.iter().for_each(|&dropped| self.put(dropped, Value::Empty));
        Ok(true)
    }

    fn grid_number(&self, numbers: &[usize], axis: usize) -> Result<Value, RunError> {
        let number = numbers.get(axis).ok_or_else(|| RunError::malformed(format!("the grid has no axis {axis}")))?;
        Ok(Value::Tile(Array::scalar(DType::I32, Scalar::Int(*number as i128))))
    }
}

/// What `skip_floating_point_ops` makes of results that are all floating-point: infinity.
fn skipped(action: &Action, results: SmallVec<[Value; 1]>) -> Result<SmallVec<[Value; 1]>, RunError> {
    let computes = matches!(
        action,
        Action::Pure(_)
            | Action::MultiplyAdd { .. }
            | Action::MultiplyByReciprocal
            | Action::ScatterAdd(_)
            | Action::Product(_)
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
