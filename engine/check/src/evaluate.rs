//! The part of a function that some of its values depend on, evaluated over boxes of program ids and loop counters:
//! exactly at single points, by bounds elsewhere. What depends on data is known by its dtype only. Runs no effects, and
//! asks nothing of Refs.

use crate::walk::{Source, Sources};
use pallas_ir::known::{self, Known};
use pallas_ir::op::{ControlOp, ProgramOp};
use pallas_ir::{Function, Launch, OpId, OpKind, ValueId};
use pallas_tensor::DType;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Names a value of a [`Slice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(usize);

/// Longer computations of an index are taken for data.
const LONGEST: usize = 512;

/// How a value follows from earlier ones.
enum Step {
    /// The program id along an axis, which is variable number `.0`.
    Program(usize),
    /// The extent of the grid along an axis.
    Extent(i64),
    /// The counter of a loop: which variable, and its bounds.
    Counter(usize, Slot, Slot),
    /// A pure op.
    Pure(OpId, SmallVec<[Slot; 4]>),
    /// A result of `cond`: which, and what the regions yield.
    Choice(Slot, SmallVec<[Slot; 2]>),
    /// Depends on data.
    Data,
}

/// How a value's dependencies are being gathered.
enum Visit {
    Open(ValueId),
    Close(ValueId),
}

/// The steps that lead to some values of a function.
pub(crate) struct Slice<'a> {
    function: &'a Function,
    sources: &'a Sources,
    launch: &'a Launch,
    grid: &'a [usize],
    /// Whether the first parameters of the function are program ids, as in index maps.
    maps_ids: bool,
    steps: Vec<(Step, DType)>,
    slots: HashMap<ValueId, Slot>,
    /// Counters of loops: variable numbers by op.
    counters: Vec<OpId>,
    /// Values that are variables after all others: the ids of a pipeline's step.
    free: Vec<ValueId>,
}

impl<'a> Slice<'a> {
    /// An empty slice of a kernel.
    pub(crate) fn of_kernel(function: &'a Function, sources: &'a Sources, launch: &'a Launch) -> Self {
        Slice {
            function,
            sources,
            launch,
            grid: &launch.grid,
            maps_ids: false,
            steps: Vec::new(),
            slots: HashMap::new(),
            counters: Vec::new(),
            free: Vec::new(),
        }
    }

    /// An empty slice of an index map, whose first parameters are the program ids.
    pub(crate) fn of_map(function: &'a Function, sources: &'a Sources, launch: &'a Launch) -> Self {
        Slice { maps_ids: true, ..Slice::of_kernel(function, sources, launch) }
    }

    /// Makes the counter of a `for` a variable of its own, after the grid's axes and the counters added before it.
    pub(crate) fn add_counter(&mut self, loop_op: OpId) -> usize {
        self.counters.push(loop_op);
        self.grid.len() + self.counters.len() - 1
    }

    /// Makes values variables, after the grid's axes and all counters.
    pub(crate) fn set_free(&mut self, values: &[ValueId]) {
        self.free = values.to_vec();
    }

    /// The number of grid axes, which are the first variables.
    pub(crate) fn variables_before_counters(&self) -> usize {
        self.grid.len()
    }

    /// The number of variables: grid axes, then counters, then other values.
    pub(crate) fn variables(&self) -> usize {
        self.grid.len() + self.counters.len() + self.free.len()
    }

    /// Adds a value with all that it depends on.
    pub(crate) fn add(&mut self, value: ValueId) -> Slot {
        let mut todo = vec![Visit::Open(value)];
        while let Some(visit) = todo.pop() {
            match visit {
                Visit::Open(value) if self.slots.contains_key(&value) => {}
                Visit::Open(value) => {
                    todo.push(Visit::Close(value));
                    if self.steps.len() + todo.len() < LONGEST {
                        todo.extend(self.dependencies(value).into_iter().map(Visit::Open));
                    }
                }
                Visit::Close(value) if self.slots.contains_key(&value) => {}
                Visit::Close(value) => {
                    let step = self.step(value).unwrap_or(Step::Data);
                    let dtype = self.function.ty(value).dtype();
                    self.slots.insert(value, Slot(self.steps.len()));
                    self.steps.push((step, dtype));
                }
            }
        }
        // The last visit closed `value`.
        self.slots.get(&value).copied().unwrap_or(Slot(0))
    }

    /// Whether anything in it depends on data.
    pub(crate) fn depends_on_data(&self) -> bool {
        self.steps.iter().any(|(step, _)| matches!(step, Step::Data))
    }

    /// Which variables it mentions.
    pub(crate) fn mentions(&self) -> Vec<bool> {
        let mut mentioned = vec![false; self.variables()];
        for (step, _) in &self.steps {
            if let Step::Program(variable) | Step::Counter(variable, ..) = step
                && let Some(slot) = mentioned.get_mut(*variable)
            {
                *slot = true;
            }
        }
        mentioned
    }

    /// What is known of every value where the variables lie within `bounds`.
    pub(crate) fn evaluate(&self, bounds: &[(i64, i64)]) -> Vec<Known> {
        let mut known: Vec<Known> = Vec::with_capacity(self.steps.len());
        for (step, dtype) in &self.steps {
            let variable = |number: usize| bounds.get(number).copied();
            let result = match step {
                Step::Program(number) => variable(*number).map(|range| Known::between(*dtype, range)),
                Step::Extent(extent) => Some(Known::integer(*dtype, *extent)),
                Step::Counter(number, lower, upper) => variable(*number).map(|(low, high)| {
                    let first = known[lower.0].interval().lower;
                    let last = known[upper.0].interval().upper.saturating_sub(1);
                    let range = (low.max(first), high.min(last));
                    // An empty range is that of a loop that does not run: any value will do.
                    Known::between(*dtype, (range.0, range.1.max(range.0)))
                }),
                Step::Pure(op, slots) => {
                    let operands: SmallVec<[&Known; 4]> = slots.iter().map(|slot| &known[slot.0]).collect();
                    known::apply(self.function, self.function.op(*op), &operands)
                }
                Step::Choice(which, yields) => {
                    let which = known[which.0].interval();
                    let last = yields.len() as i64 - 1;
                    let chosen = yields.iter().enumerate().filter(|(number, _)| {
                        (which.lower.clamp(0, last)..=which.upper.clamp(0, last)).contains(&(*number as i64))
                    });
                    chosen.map(|(_, slot)| known[slot.0].clone()).reduce(|left, right| left.or(&right))
                }
                Step::Data => None,
            };
            known.push(result.unwrap_or_else(|| Known::anything(*dtype)));
        }
        known
    }

    /// What a value needs to be evaluated first.
    fn dependencies(&self, value: ValueId) -> Vec<ValueId> {
        if self.free.contains(&value) {
            return Vec::new();
        }
        match self.sources.of(value) {
            Source::Result(id, position) => {
                let op = self.function.op(id);
                match &op.op.kind {
                    OpKind::Pure { .. } => op.operands.to_vec(),
                    OpKind::Control(ControlOp::Cond) => {
                        let mut needs: Vec<ValueId> = op.operands.iter().copied().take(1).collect();
                        needs.extend(self.yields(id, position));
                        needs
                    }
                    OpKind::Control(ControlOp::Scoped) => self.yields(id, position),
                    _ => Vec::new(),
                }
            }
            Source::Inner(id, _, 0) if self.counters.contains(&id) => {
                let operands = &self.function.op(id).operands;
                operands.iter().copied().take(2).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What the regions of an op yield for one of its results.
    fn yields(&self, op: OpId, position: usize) -> Vec<ValueId> {
        let regions = self.function.op(op).regions.iter();
        regions.filter_map(|&region| self.function.region(region).yields.get(position).copied()).collect()
    }

    /// The step of a value whose dependencies have slots; `None` for data.
    fn step(&self, value: ValueId) -> Option<Step> {
        let slot = |value: &ValueId| self.slots.get(value).copied();
        if let Some(number) = self.free.iter().position(|free| *free == value) {
            return Some(Step::Program(self.grid.len() + self.counters.len() + number));
        }
        match self.sources.of(value) {
            Source::Parameter(axis) => (self.maps_ids && axis < self.grid.len()).then_some(Step::Program(axis)),
            Source::Inner(id, _, 0) => {
                let number = self.counters.iter().position(|&counter| counter == id)?;
                let operands = &self.function.op(id).operands;
                let (lower, upper) = (slot(operands.first()?)?, slot(operands.get(1)?)?);
                Some(Step::Counter(self.grid.len() + number, lower, upper))
            }
            Source::Result(id, position) => {
                let op = self.function.op(id);
                match &op.op.kind {
                    OpKind::Pure { .. } if position == 0 => {
                        let slots: Option<_> = op.operands.iter().map(slot).collect();
                        Some(Step::Pure(id, slots?))
                    }
                    OpKind::Program(question) => {
                        let axis = usize::try_from(op.attributes.int("axis")?).ok()?;
                        let extent = *self.grid.get(axis)?;
                        Some(match question {
                            ProgramOp::ProgramId => Step::Program(axis),
                            ProgramOp::NumPrograms if self.launch.dynamic.contains(&axis) => Step::Data,
                            ProgramOp::NumPrograms => Step::Extent(extent as i64),
                        })
                    }
                    OpKind::Control(ControlOp::Cond) => {
                        let which = slot(op.operands.first()?)?;
                        let yields: Option<SmallVec<[Slot; 2]>> = self.yields(id, position).iter().map(slot).collect();
                        let yields = yields.filter(|yields| !yields.is_empty())?;
                        Some(Step::Choice(which, yields))
                    }
                    OpKind::Control(ControlOp::Scoped) => {
                        let yields = self.yields(id, position);
                        let only = slot(yields.first()?)?;
                        Some(Step::Choice(only, SmallVec::from_elem(only, 1)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Slot {
    /// What an evaluation found for it.
    pub(crate) fn of(self, known: &[Known]) -> &Known {
        &known[self.0]
    }
}
