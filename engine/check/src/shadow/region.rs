//! One program of a kernel: its ops in order, on tiles that are partly known, over memory that is labels only.

use super::Garbage;
use super::access::{self, Indices};
use super::effects::Effects;
use super::labels::{self, Labels};
use super::memory::{Buffer, View};
use super::pure;
use pallas_ir::op::{ControlOp, MemoryOp, ProgramOp};
use pallas_ir::{Function, IndexPattern, MemorySpace, OpData, OpId, OpKind, RegionId, Type, ValueId};
use pallas_tensor::ops as tensor;
use pallas_tensor::ops::Combine;
use pallas_tensor::{Array, DType, Scalar, Shape};
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
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) kind: Garbage,
    /// The buffer that holds it, and what that is called.
    pub(super) buffer: usize,
    pub(super) name: String,
    /// The op that read it, and the running program; `None` as long as it lies in memory.
    pub(super) read: Option<(OpId, Vec<usize>)>,
}

/// Why a run ends before its end: it takes more steps than its result is worth.
pub(super) struct GivenUp;

type Run<T> = Result<T, GivenUp>;

/// Loops of more rounds are not run: what they write is taken for fine.
const MOST_ROUNDS: i64 = 64;
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
    /// What labels stand for: label 1 is the first.
    pub(super) sources: Vec<Source>,
    read: HashMap<(i32, OpId), i32>,
    values: Vec<Option<Value>>,
    steps: usize,
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
            sources: Vec::new(),
            read: HashMap::new(),
            values: vec![None; function.values.len()],
            steps: MOST_STEPS,
        }
    }

    /// A label for garbage that lies in a buffer.
    pub(super) fn label(&mut self, kind: Garbage, buffer: usize) -> i32 {
        let known = self.sources.iter().position(|s| s.kind == kind && s.buffer == buffer && s.read.is_none());
        let index = known.unwrap_or_else(|| {
            let name = self.memory.get(buffer).map_or_else(String::new, |buffer| buffer.name.clone());
            self.sources.push(Source { kind, buffer, name, read: None });
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

    /// The dynamic parts of a subscript, and what follows them among the operands.
    fn indices(&self, op: &OpData, before: usize) -> (Indices, SmallVec<[Tile; 2]>) {
        let count = op.attributes.index().map_or(0, |pattern| pattern.operand_count());
        let tiles: SmallVec<[Tile; 4]> = op.operands.iter().skip(before).map(|&operand| self.tile(operand)).collect();
        let (indices, rest) = tiles.split_at(count.min(tiles.len()));
        (indices.iter().map(|tile| tile.known.clone()).collect(), rest.iter().cloned().collect())
    }

    fn load(&mut self, id: OpId, op: &OpData) -> Run<()> {
        let (Some(&reference), Some(&result)) = (op.operands.first(), op.results.first()) else { return Ok(()) };
        let writes = usize::from(!matches!(op.op.kind, OpKind::Memory(MemoryOp::Load)));
        let shape = self.function.ty(result).shape().clone();
        match self.view(reference).map(|view| view.buffer) {
            Some(buffer) => self.effects.load(buffer, self.inputs.get(buffer) == Some(&true)),
            None => self.effects.act(),
        }
        let found = self.loaded(op, reference, 1 + writes, &shape)?;
        let found = self.relabel(found, id);
        self.put(result, Value::Tile(Tile { shape, known: None, labels: found }));
        Ok(())
    }

    fn loaded(&mut self, op: &OpData, reference: ValueId, before: usize, shape: &Shape) -> Run<Labels> {
        let Some(view) = self.view(reference).cloned() else { return Ok(None) };
        let Some(buffer) = self.memory.get(view.buffer) else { return Ok(None) };
        let Some(held) = buffer.labels.clone() else { return Ok(None) };
        let Some(pattern) = op.attributes.index() else { return Ok(None) };
        let extents = buffer.shape.clone();
        self.charge(shape.size() / ELEMENTS_PER_STEP)?;
        // Most loads are of all that there is.
        if !op.attributes.flag("masked") && view.is_whole(&extents) && pattern.is_full(&extents) {
            return Ok(Some(held));
        }
        let (indices, rest) = self.indices(op, before);
        let Some(positions) = access::positions(pattern, &indices, &view, &extents, shape) else { return Ok(None) };
        let fine = Array::scalar(DType::I32, Scalar::Int(0));
        let taken = tensor::take_flat(&held, &positions, shape.clone(), &fine).ok().and_then(labels::tidy);
        if !op.attributes.flag("masked") {
            return Ok(taken);
        }
        // Without a known mask the element may be masked off.
        let mask = rest.first().and_then(|mask| mask.known.clone()).filter(|mask| mask.shape() == shape);
        Ok(mask.and_then(|mask| labels::keep_where(taken, &mask, true)))
    }

    /// Garbage that is read from memory gets the place of the read.
    fn relabel(&mut self, found: Labels, op: OpId) -> Labels {
        labels::map(found, |label| {
            if !self.is_unread(label) {
                return label;
            }
            if let Some(&known) = self.read.get(&(label, op)) {
                return known;
            }
            let Some(source) = self.source(label).cloned() else { return label };
            self.sources.push(Source { read: Some((op, self.program.clone())), ..source });
            let read = self.sources.len() as i32;
            self.read.insert((label, op), read);
            read
        })
    }

    fn store(&mut self, id: OpId, op: &OpData) -> Run<()> {
        let [reference, value, ..] = op.operands[..] else { return Ok(()) };
        let value = self.tile(value);
        let Some(view) = self.view(reference).cloned() else {
            self.effects.act();
            return Ok(());
        };
        let Some(buffer) = self.memory.get(view.buffer) else { return Ok(()) };
        let extents = buffer.shape.clone();
        let is_plain = matches!(op.op.kind, OpKind::Memory(MemoryOp::Store | MemoryOp::Swap));
        let is_full = |pattern: &IndexPattern| view.is_whole(&extents) && pattern.is_full(&extents);
        let is_all = is_plain && !op.attributes.flag("masked") && op.attributes.index().is_some_and(is_full);
        self.effects.store(view.buffer, is_all, id);
        if buffer.labels.is_none() && value.labels.is_none() {
            return Ok(());
        }
        let (indices, rest) = self.indices(op, 2);
        if is_all {
            if let Some(buffer) = self.memory.get_mut(view.buffer) {
                buffer.labels = value.labels;
            }
            return Ok(());
        }
        self.charge(value.shape.size() / ELEMENTS_PER_STEP)?;
        let positions = op
            .attributes
            .index()
            .and_then(|pattern| access::positions(pattern, &indices, &view, &extents, &value.shape));
        let mask = match op.attributes.flag("masked") {
            true => rest.first().map(|mask| mask.known.clone().filter(|mask| *mask.shape() == value.shape)),
            false => None,
        };
        let written = self.written(&view, positions, &value, mask, op);
        if let Some(buffer) = self.memory.get_mut(view.buffer) {
            buffer.labels = written;
        }
        Ok(())
    }

    /// The labels of a buffer after a store. `mask` is `Some(None)` if there is one that is not known.
    fn written(
        &self,
        view: &View,
        positions: Option<Vec<i64>>,
        value: &Tile,
        mask: Option<Option<Array>>,
        op: &OpData,
    ) -> Labels {
        let buffer = self.memory.get(view.buffer)?;
        let mut positions = positions?;
        let mut held = labels::array(&buffer.labels, &buffer.shape)?;
        let mut stored = labels::array(&value.labels, &value.shape)?;
        match mask {
            None => {}
            Some(Some(mask)) => {
                for (position, keep) in positions.iter_mut().zip(mask.iter_scalars()) {
                    if keep.as_bool() != Some(true) {
                        *position = -1;
                    }
                }
            }
            // Written or not: garbage only if it is so both ways.
            Some(None) => {
                let fine = Array::scalar(DType::I32, Scalar::Int(0));
                let before =
                    tensor::take_flat(&held, &positions, value.shape.clone(), &fine).ok().and_then(labels::tidy);
                stored = labels::array(&labels::both(before, value.labels.clone()), &value.shape)?;
            }
        }
        // What an atomic adds to stays in the sum.
        if matches!(op.op.kind, OpKind::Memory(MemoryOp::Atomic)) && op.attributes.str("combine") != Some("xchg") {
            let fine = Array::scalar(DType::I32, Scalar::Int(0));
            let before = tensor::take_flat(&held, &positions, value.shape.clone(), &fine).ok().and_then(labels::tidy);
            stored = labels::array(&labels::either(before, value.labels.clone()), &value.shape)?;
        }
        held = tensor::scatter_flat(held, &positions, &stored, Combine::Replace).ok()?;
        labels::tidy(held)
    }

    fn part(&mut self, op: &OpData) {
        let (Some(&reference), Some(&result)) = (op.operands.first(), op.results.first()) else { return };
        let Some(view) = self.view(reference).cloned() else { return };
        let (indices, _) = self.indices(op, 1);
        let part = op.attributes.index().and_then(|pattern| access::view(pattern, &indices, &view));
        self.put(result, Value::Ref(part.unwrap_or_else(|| view.some_part())));
    }

    fn control(&mut self, control: ControlOp, op: &'a OpData) -> Run<()> {
        match control {
            ControlOp::For => self.count(op),
            ControlOp::While => self.repeat(op),
            ControlOp::Cond => self.choose(op),
            ControlOp::Scoped => self.allocate(op),
            // Programs within the program: what they write is taken for fine.
            ControlOp::Pipeline => {
                self.skip(op);
                Ok(())
            }
            ControlOp::Call => {
                let operands: SmallVec<[Tile; 4]> = op.operands.iter().map(|&operand| self.tile(operand)).collect();
                let Some(&body) = op.regions.first() else { return Ok(()) };
                self.enter(body, operands);
                self.region(body)?;
                self.results(op, self.yields(body));
                Ok(())
            }
        }
    }

    fn enter(&mut self, region: RegionId, values: impl IntoIterator<Item = Tile>) {
        let function = self.function;
        for (&param, tile) in function.region(region).params.iter().zip(values) {
            self.put(param, Value::Tile(tile));
        }
    }

    fn yields(&self, region: RegionId) -> SmallVec<[Tile; 4]> {
        self.function.region(region).yields.iter().map(|&value| self.tile(value)).collect()
    }

    fn results(&mut self, op: &OpData, tiles: impl IntoIterator<Item = Tile>) {
        for (&result, tile) in op.results.iter().zip(tiles) {
            self.put(result, Value::Tile(tile));
        }
    }

    fn count(&mut self, op: &'a OpData) -> Run<()> {
        let (Some(&lower), Some(&upper), Some(&body)) = (op.operands.first(), op.operands.get(1), op.regions.first())
        else {
            return Ok(());
        };
        let dtype = self.function.ty(lower).dtype();
        let bounds = [lower, upper].map(|bound| integer(&self.tile(bound)));
        let [Some(lower), Some(upper)] = bounds else {
            self.skip(op);
            return Ok(());
        };
        if upper.saturating_sub(lower) > MOST_ROUNDS {
            self.skip(op);
            return Ok(());
        }
        let mut carries: SmallVec<[Tile; 4]> = op.operands.iter().skip(2).map(|&operand| self.tile(operand)).collect();
        for counter in lower..upper.max(lower) {
            let known = Some(Array::scalar(dtype, Scalar::Int(counter.into())));
            let counter = Tile { shape: Shape::default(), known, labels: None };
            self.enter(body, std::iter::once(counter).chain(carries));
            self.region(body)?;
            carries = self.yields(body);
        }
        self.results(op, carries);
        Ok(())
    }

    fn repeat(&mut self, op: &'a OpData) -> Run<()> {
        let [condition, body] = op.regions[..] else { return Ok(()) };
        let mut carries: SmallVec<[Tile; 4]> = op.operands.iter().map(|&operand| self.tile(operand)).collect();
        let before = self.memory.clone();
        // How often it runs may not be known.
        self.effects.unsure += 1;
        let ended = self.rounds(condition, body, &mut carries);
        self.effects.unsure -= 1;
        if ended? {
            self.results(op, carries);
            return Ok(());
        }
        // As if it had not begun, and had done whatever is needed.
        self.memory = before;
        self.skip(op);
        Ok(())
    }

    /// Runs a loop as long as it is known to go on: whether its end was reached.
    fn rounds(&mut self, condition: RegionId, body: RegionId, carries: &mut SmallVec<[Tile; 4]>) -> Run<bool> {
        for _ in 0..MOST_ROUNDS {
            self.enter(condition, carries.iter().cloned());
            self.region(condition)?;
            let goes_on = self.yields(condition).first().and_then(|flag| flag.known.as_ref()?.item()?.as_bool());
            match goes_on {
                Some(true) => {}
                Some(false) => return Ok(true),
                None => break,
            }
            self.enter(body, std::mem::take(carries));
            self.region(body)?;
            *carries = self.yields(body);
        }
        Ok(false)
    }

    fn choose(&mut self, op: &'a OpData) -> Run<()> {
        let Some(&which) = op.operands.first() else { return Ok(()) };
        let which = self.tile(which);
        let last = op.regions.len().saturating_sub(1) as i64;
        let chosen = which.known.as_ref().and_then(Array::item).and_then(|which| match which {
            Scalar::Bool(which) => Some(i64::from(which)),
            which => which.as_int().and_then(|which| i64::try_from(which).ok()),
        });
        if let Some(chosen) = chosen
            && let Some(&region) = op.regions.get(chosen.clamp(0, last) as usize)
        {
            self.region(region)?;
            let yields = self.yields(region);
            self.results(op, yields);
            return Ok(());
        }
        let before = self.memory.clone();
        let mut after: Option<(Vec<Buffer>, SmallVec<[Tile; 4]>)> = None;
        self.effects.unsure += 1;
        for &region in &op.regions {
            self.memory = before.clone();
            self.region(region)?;
            let yields = self.yields(region);
            let memory = std::mem::take(&mut self.memory);
            after = Some(match after {
                None => (memory, yields),
                Some((others, other_yields)) => (merged(others, memory), joined(other_yields, yields)),
            });
        }
        self.effects.unsure -= 1;
        match after {
            Some((memory, yields)) => {
                self.memory = memory;
                self.results(op, yields);
            }
            None => self.memory = before,
        }
        Ok(())
    }

    fn allocate(&mut self, op: &'a OpData) -> Run<()> {
        let Some(&body) = op.regions.first() else { return Ok(()) };
        let first = self.memory.len();
        let function = self.function;
        for &param in &function.region(body).params {
            let Some(ty) = function.ty(param).as_ref_type() else { continue };
            let name = function.value(param).name.as_deref().unwrap_or("the allocation").to_string();
            let buffer = self.memory.len();
            self.memory.push(Buffer { shape: ty.shape.clone(), labels: None, name });
            // Accumulators in registers begin as zeros.
            if !matches!(ty.space, MemorySpace::Semaphore | MemorySpace::Registers) {
                let label = self.label(Garbage::Unwritten, buffer);
                self.memory[buffer].fill(label);
            }
            self.put(param, Value::Ref(View::whole(buffer, &ty.shape)));
        }
        self.region(body)?;
        let yields = self.yields(body);
        self.memory.truncate(first);
        self.effects.truncate(first);
        self.results(op, yields);
        Ok(())
    }

    /// A loop that is not run: every Ref that it mentions is taken for fine, and so are its results.
    fn skip(&mut self, op: &OpData) {
        self.trust(op);
        let mut regions: SmallVec<[RegionId; 4]> = op.regions.iter().copied().collect();
        while let Some(region) = regions.pop() {
            for &id in &self.function.region(region).ops {
                let inner = self.function.op(id);
                regions.extend(inner.regions.iter().copied());
                if !matches!(inner.op.kind, OpKind::Pure { .. }) {
                    self.trust(inner);
                }
            }
        }
    }
}

/// Memory after one of two ways: garbage is what is garbage both ways.
fn merged(mut left: Vec<Buffer>, right: Vec<Buffer>) -> Vec<Buffer> {
    for (left, right) in left.iter_mut().zip(right) {
        left.labels = labels::both(left.labels.take(), right.labels);
    }
    left
}

fn joined(left: SmallVec<[Tile; 4]>, right: SmallVec<[Tile; 4]>) -> SmallVec<[Tile; 4]> {
    let join = |(left, right): (Tile, Tile)| {
        let same = matches!((&left.known, &right.known), (Some(a), Some(b)) if a.same_bits(b));
        Tile { shape: left.shape, known: left.known.filter(|_| same), labels: labels::both(left.labels, right.labels) }
    };
    left.into_iter().zip(right).map(join).collect()
}

fn integer(tile: &Tile) -> Option<i64> {
    i64::try_from(tile.known.as_ref()?.item()?.as_int()?).ok()
}
