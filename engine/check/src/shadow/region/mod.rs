//! One program of a kernel: its ops in order, on tiles that are partly known, over memory that is labels only.

mod accesses;
mod control;
mod copies;

use super::Garbage;
use super::effects::Effects;
use super::labels::Labels;
use super::lanes::Lane;
use super::memory::{Buffer, View};
use super::pure;
use pallas_ir::op::{MemoryOp, ProgramOp};
use pallas_ir::{Function, OpData, OpId, OpKind, Operand, RegionId, Type, ValueId};
use pallas_tensor::{Array, Scalar, Shape};
use smallvec::SmallVec;
use std::collections::HashMap;

/// A tile as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) shape: Shape,
    pub(super) known: Option<Array>,
    pub(super) labels: Labels,
}

#[derive(Clone, Debug)]
enum Value {
    Tile(Tile),
    Ref(View),
}

/// Garbage that a label stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) kind: Garbage,
    /// The buffer that holds it, and what that is called.
    pub(super) buffer: usize,
    pub(super) name: String,
    /// The op that read it, and the running program; `None` as long as it lies in memory.
    pub(super) read: Option<(OpId, Vec<usize>)>,
    /// Whether it is in some element of those that have the label, and data says in which.
    pub(super) somewhere: bool,
}

/// Why a run ends before its end: it takes more steps than its result is worth.
pub(super) struct GivenUp;

type Run<T> = Result<T, GivenUp>;

/// Steps of one launch: ops, and elements of tiles with labels or values in units of [`ELEMENTS_PER_STEP`].
pub(super) const MOST_STEPS: usize = 60_000;
const ELEMENTS_PER_STEP: usize = 256;

/// What runs.
pub(super) struct Machine<'a> {
    function: &'a Function,
    grid: &'a [usize],
    pub(super) program: Vec<usize>,
    pub(super) memory: Vec<Buffer>,
    pub(super) effects: Effects,
    /// Which of the first Refs are inputs.
    pub(super) inputs: Vec<bool>,
    /// Which of the first Refs are outputs in main memory, to which copies that are followed are made only by the kernel's program.
    pub(super) kept: Vec<bool>,
    /// What the first Refs are.
    pub(super) operands: &'a [Operand],
    /// Whether programs may share memory element by element: each takes those that its mask lets through.
    pub(super) parts_by_masks: bool,
    /// What labels stand for: label 1 is the first.
    pub(super) sources: Vec<Source>,
    read: HashMap<(i32, OpId), i32>,
    /// Lanes outside of their Ref, one of each access.
    pub(super) lanes: Vec<Lane>,
    values: Vec<Option<Value>>,
    /// Steps that are left.
    pub(super) steps: usize,
}

impl<'a> Machine<'a> {
    pub(super) fn new(function: &'a Function, grid: &'a [usize]) -> Self {
        Machine {
            function,
            grid,
            program: Vec::new(),
            memory: Vec::new(),
            effects: Effects::default(),
            inputs: Vec::new(),
            kept: Vec::new(),
            operands: &[],
            parts_by_masks: false,
            sources: Vec::new(),
            read: HashMap::new(),
            lanes: Vec::new(),
            values: vec![None; function.values.len()],
            steps: MOST_STEPS,
        }
    }

    /// A label for garbage that lies in a buffer.
    pub(super) fn label(&mut self, kind: Garbage, buffer: usize) -> i32 {
        let known = self.sources.iter().position(|s| s.kind == kind && s.buffer == buffer && s.read.is_none());
        let index = known.unwrap_or_else(|| {
            let name = self.memory.get(buffer).map_or_else(String::new, |buffer| buffer.name.clone());
            self.sources.push(Source { kind, buffer, name, read: None, somewhere: false });
            self.sources.len() - 1
        });
        index as i32 + 1
    }

    /// Whether a label stands for garbage that nobody has read yet.
    pub(super) fn is_unread(&self, label: i32) -> bool {
        self.source(label).is_some_and(|source| source.read.is_none())
    }

    pub(super) fn source(&self, label: i32) -> Option<&Source> {
        self.sources.get(usize::try_from(label).ok()?.checked_sub(1)?)
    }

    /// Runs the kernel for one program.
    pub(super) fn run(&mut self, program: Vec<usize>) -> Run<()> {
        self.effects.begin(&program);
        self.program = program;
        // What the same op read in another program is said of that program.
        self.read.clear();
        let params = self.function.params().to_vec();
        for (buffer, param) in params.into_iter().enumerate() {
            let Some(held) = self.memory.get(buffer) else { continue };
            let view = View::whole(buffer, &held.shape);
            self.put(param, Value::Ref(view));
        }
        let first = self.memory.len();
        let outcome = self.region(self.function.body);
        self.memory.truncate(first);
        self.effects.truncate(first);
        outcome
    }

    fn put(&mut self, value: ValueId, content: Value) {
        if let Some(slot) = self.values.get_mut(value.0 as usize) {
            *slot = Some(content);
        }
    }

    fn tile(&self, value: ValueId) -> Tile {
        match self.values.get(value.0 as usize) {
            Some(Some(Value::Tile(tile))) => tile.clone(),
            _ => self.unknown(value),
        }
    }

    /// A tile of which nothing is known, and that is taken for fine.
    fn unknown(&self, value: ValueId) -> Tile {
        Tile { shape: self.function.ty(value).shape().clone(), known: None, labels: None }
    }

    fn view(&self, value: ValueId) -> Option<&View> {
        match self.values.get(value.0 as usize)? {
            Some(Value::Ref(view)) => Some(view),
            _ => None,
        }
    }

    fn charge(&mut self, steps: usize) -> Run<()> {
        self.steps = self.steps.checked_sub(steps).ok_or(GivenUp)?;
        Ok(())
    }

    fn region(&mut self, region: RegionId) -> Run<()> {
        let function = self.function;
        for &id in &function.region(region).ops {
            self.charge(1)?;
            self.op(id, function.op(id))?;
        }
        Ok(())
    }

    fn op(&mut self, id: OpId, op: &'a OpData) -> Run<()> {
        match &op.op.kind {
            OpKind::Pure { .. } => self.pure(op),
            OpKind::Memory(MemoryOp::Load) => self.load(id, op),
            OpKind::Memory(MemoryOp::Store) => self.store(id, op),
            OpKind::Memory(MemoryOp::View) => {
                self.part(op);
                Ok(())
            }
            OpKind::Memory(MemoryOp::Swap | MemoryOp::Atomic) => {
                self.load(id, op)?;
                self.store(id, op)
            }
            OpKind::Control(control) => self.control(*control, op),
            OpKind::Program(question) => {
                self.ask(*question, op);
                Ok(())
            }
            OpKind::Copy(copy) => self.copy(*copy, op),
            // What an op does that is not known here may be what is needed.
            _ => {
                self.trust(op);
                Ok(())
            }
        }
    }

    /// Takes what an op could have written for fine, and its results for unknown.
    fn trust(&mut self, op: &OpData) {
        self.effects.act();
        for &operand in &op.operands {
            if let Some(buffer) = self.view(operand).map(|view| view.buffer) {
                self.effects.touch(buffer);
                if let Some(buffer) = self.memory.get_mut(buffer) {
                    buffer.trust();
                }
            }
        }
        for &result in &op.results {
            let content = match self.function.ty(result) {
                Type::Tensor(_) => Value::Tile(self.unknown(result)),
                Type::Ref(_) => continue,
            };
            self.put(result, content);
        }
    }

    fn pure(&mut self, op: &OpData) -> Run<()> {
        let operands: SmallVec<[Tile; 4]> = op.operands.iter().map(|&operand| self.tile(operand)).collect();
        let is_idle =
            operands.iter().all(|tile| tile.labels.is_none()) && (operands.iter().any(|tile| tile.known.is_none()));
        if is_idle {
            for &result in &op.results {
                let unknown = Value::Tile(self.unknown(result));
                self.put(result, unknown);
            }
            return Ok(());
        }
        let types: SmallVec<[Type; 1]> = op.results.iter().map(|&result| self.function.ty(result).clone()).collect();
        let elements: usize = operands.iter().map(|tile| tile.shape.size()).sum::<usize>()
            + types.iter().map(|ty| ty.shape().size()).sum::<usize>();
        self.charge(elements / ELEMENTS_PER_STEP)?;
        let borrowed: SmallVec<[&Tile; 4]> = operands.iter().collect();
        let results = pure::apply(op.op, &op.attributes, &borrowed, &types);
        for (&result, tile) in op.results.iter().zip(results) {
            self.put(result, Value::Tile(tile));
        }
        Ok(())
    }

    fn ask(&mut self, question: ProgramOp, op: &OpData) {
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(usize::MAX);
        let answer = match question {
            ProgramOp::ProgramId => self.program.get(axis),
            ProgramOp::NumPrograms => self.grid.get(axis),
        };
        let (answer, results) = (answer.copied(), op.results.clone());
        for result in results {
            let dtype = self.function.ty(result).dtype();
            let known = answer.map(|answer| Array::scalar(dtype, Scalar::Int(answer as i128)));
            self.put(result, Value::Tile(Tile { shape: Shape::default(), known, labels: None }));
        }
    }
}
