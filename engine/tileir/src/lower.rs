//! Walks a function: each op goes to its family. What changes while it runs, the tokens of memories and the tiles of Refs that
//! are kept as values, is carried through loops and branches beside what the program carries.

use crate::emit::Emitter;
use crate::number::Number;
use crate::relay::{Relay, Workspace};
use crate::types::{Tile, fits};
use crate::view::{Memory, View};
use crate::{Refusal, no, ops};
use cutile_ir::ir::{Type, Value};
use pallas_ir::op::MemoryOp;
use pallas_ir::{ControlOp, Function, Launch, OpData, OpId, OpKind, RegionId, ValueId};
use pallas_tensor::{DType, Scalar};
use std::collections::{BTreeSet, HashMap};

/// What a value of the IR is.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// A tile.
    Tile(Tile),
    /// A Ref to memory.
    View(View),
    /// A Ref whose content is a tile: its position among those.
    Kept(usize),
    /// A product that nobody has asked for yet: what it is added to may be where it begins.
    Product(ops::dot::Product),
}

/// Something that changes while the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// The token of a memory.
    Token(usize),
    /// The tile of a Ref that is kept.
    Kept(usize),
}

/// The walk.
pub(crate) struct Lower<'a> {
    pub(crate) e: Emitter,
    pub(crate) launch: &'a Launch,
    pub(crate) function: &'a Function,
    pub(crate) values: HashMap<ValueId, Bound>,
    /// Program ids.
    pub(crate) ids: Vec<Number>,
    pub(crate) memories: Vec<Memory>,
    /// What Refs hold that are kept as tiles.
    pub(crate) kept: Vec<Tile>,
    /// What a Ref is part of, and what parameters of calls are.
    origins: HashMap<ValueId, ValueId>,
    uses: Vec<u32>,
    /// Memory of the block's own, if the kernel may need some.
    pub(crate) workspace: Option<Workspace>,
    /// Where elements change places.
    pub(crate) relay: Option<Relay>,
}

/// Where Refs of a function come from, and how often each value is used.
fn look(function: &Function) -> (HashMap<ValueId, ValueId>, Vec<u32>) {
    let mut uses = vec![0; function.values.len()];
    let mut origins = HashMap::new();
    for op in &function.ops {
        match &op.op.kind {
            OpKind::Memory(MemoryOp::View | MemoryOp::Reinterpret) => {
                origins.extend(op.results.iter().copied().zip(op.operands.first().copied()));
            }
            OpKind::Control(ControlOp::Call) => {
                let params = op.regions.iter().flat_map(|&region| &function.region(region).params);
                origins.extend(params.copied().zip(op.operands.iter().copied()));
            }
            _ => {}
        }
    }
    let operands = function.ops.iter().flat_map(|op| op.operands.iter());
    for value in operands.chain(function.regions.iter().flat_map(|region| region.yields.iter())) {
        uses[value.0 as usize] += 1;
    }
    (origins, uses)
}

impl<'a> Lower<'a> {
    /// A walk that has not begun.
    pub(crate) fn new(e: Emitter, launch: &'a Launch) -> Self {
        let (origins, uses) = look(&launch.kernel);
        Lower {
            e,
            launch,
            function: &launch.kernel,
            values: HashMap::new(),
            ids: vec![Number::Known(0); launch.grid.len()],
            memories: Vec::new(),
            kept: Vec::new(),
            origins,
            uses,
            workspace: None,
            relay: None,
        }
    }

    /// What memory holds that nobody wrote.
    pub(crate) fn fresh(&self, dtype: DType) -> Scalar {
        pallas_simt::fresh(dtype, self.launch.interpretation)
    }

    pub(crate) fn bind(&mut self, value: ValueId, bound: Bound) {
        self.values.insert(value, bound);
    }

    pub(crate) fn is_used(&self, value: ValueId) -> bool {
        self.uses[value.0 as usize] > 0
    }

    /// Whether there is one use of a value.
    pub(crate) fn is_used_once(&self, value: ValueId) -> bool {
        self.uses[value.0 as usize] == 1
    }

    /// The tile that a value is.
    pub(crate) fn tile(&mut self, value: ValueId) -> Result<Tile, Refusal> {
        match self.values.get(&value).cloned() {
            Some(Bound::Tile(tile)) => Ok(tile),
            Some(Bound::Product(product)) => {
                let tile = product.computed(&mut self.e, None)?;
                self.bind(value, Bound::Tile(tile.clone()));
                Ok(tile)
            }
            Some(_) => Err(no("a Ref stands where a value is wanted")),
            None => Err(no("a value is used that nothing has made")),
        }
    }

    pub(crate) fn tiles(&mut self, op: &OpData) -> Result<Vec<Tile>, Refusal> {
        op.operands.iter().map(|&value| self.tile(value)).collect()
    }

    /// The shape and dtype of an op's first result.
    pub(crate) fn result(&self, op: &OpData) -> Result<(DType, Vec<usize>), Refusal> {
        let ty = op.results.first().and_then(|&value| self.function.ty(value).tensor());
        let ty = ty.ok_or_else(|| no(format!("`{}` gives no tile", op.op.name)))?;
        Ok((ty.dtype, ty.shape.to_vec()))
    }

    /// Writes the ops of a region, and gives what it yields.
    pub(crate) fn region(&mut self, id: RegionId) -> Result<Vec<Tile>, Refusal> {
        let function = self.function;
        let region = function.region(id);
        for &op in &region.ops {
            self.op(op)?;
        }
        region.yields.iter().map(|&value| self.tile(value)).collect()
    }

    /// Writes an op.
    pub(crate) fn op(&mut self, id: OpId) -> Result<(), Refusal> {
        let function = self.function;
        let span = function.location(id).span;
        self.e.span = span;
        let op = function.op(id);
        let placed = |mut refusal: Refusal| {
            if refusal.span == Default::default() {
                refusal.span = span;
            }
            refusal
        };
        let results = ops::lower(self, op).map_err(placed)?;
        for (&value, bound) in op.results.iter().zip(results) {
            if let Bound::Tile(tile) = &bound {
                fits(&tile.shape).map_err(placed)?;
            }
            self.bind(value, bound);
        }
        Ok(())
    }

    /// A function of scalars, in place.
    pub(crate) fn call(&mut self, function: &'a Function, arguments: Vec<Bound>) -> Result<Vec<Tile>, Refusal> {
        let (origins, uses) = look(function);
        let outer = (
            std::mem::replace(&mut self.function, function),
            std::mem::replace(&mut self.values, function.params().iter().copied().zip(arguments).collect()),
            std::mem::replace(&mut self.origins, origins),
            std::mem::replace(&mut self.uses, uses),
        );
        let results = self.region(function.body);
        (self.function, self.values, self.origins, self.uses) = outer;
        results
    }

    /// What ops of a region do to memory and to Refs that are kept and were there before.
    pub(crate) fn touched(&self, regions: &[RegionId]) -> BTreeSet<State> {
        let mut touched = BTreeSet::new();
        let mut left: Vec<RegionId> = regions.to_vec();
        while let Some(region) = left.pop() {
            for &op in &self.function.region(region).ops {
                let op = self.function.op(op);
                left.extend(&op.regions);
                match &op.op.kind {
                    OpKind::Memory(MemoryOp::View | MemoryOp::Reinterpret) => continue,
                    OpKind::Memory(_) => {}
                    _ => {
                        let relay = self.relay.as_ref().filter(|_| crate::relay::may_need(op));
                        touched.extend(relay.map(|relay| State::Token(relay.memory)));
                        continue;
                    }
                }
                let mut value = op.operands[0];
                while !self.values.contains_key(&value) {
                    match self.origins.get(&value) {
                        Some(&from) => value = from,
                        None => break,
                    }
                }
                match self.values.get(&value) {
                    Some(Bound::View(view)) if self.memories[view.memory].written => {
                        touched.insert(State::Token(view.memory));
                    }
                    Some(Bound::Kept(position)) => {
                        touched.insert(State::Kept(*position));
                    }
                    _ => {}
                }
            }
        }
        touched
    }

    /// The values of states, and their types.
    pub(crate) fn states(&self, states: &BTreeSet<State>) -> Result<(Vec<Value>, Vec<Type>), Refusal> {
        let mut values = Vec::new();
        let mut types = Vec::new();
        for state in states {
            match *state {
                State::Token(memory) => {
                    values.push(self.memories[memory].token.ok_or_else(|| no("a memory lacks its token"))?);
                    types.push(Type::Token);
                }
                State::Kept(position) => {
                    values.push(self.kept[position].value);
                    types.push(self.kept[position].ty());
                }
            }
        }
        Ok((values, types))
    }

    /// States have other values from here on.
    pub(crate) fn change(&mut self, states: &BTreeSet<State>, values: &[Value]) {
        for (state, &value) in states.iter().zip(values) {
            match *state {
                State::Token(memory) => self.memories[memory].token = Some(value),
                State::Kept(position) => {
                    let tile = &self.kept[position];
                    self.kept[position] = Tile::new(value, tile.dtype, &tile.shape);
                }
            }
        }
    }

    /// All that states are now, to come back to.
    pub(crate) fn now(&self) -> (Vec<Option<Value>>, Vec<Tile>) {
        (self.memories.iter().map(|memory| memory.token).collect(), self.kept.clone())
    }

    /// Back to what states were. Memories that came later stay as they are.
    pub(crate) fn back(&mut self, (tokens, kept): &(Vec<Option<Value>>, Vec<Tile>)) {
        for (memory, token) in self.memories.iter_mut().zip(tokens) {
            memory.token = *token;
        }
        self.kept.clone_from(kept);
    }
}
