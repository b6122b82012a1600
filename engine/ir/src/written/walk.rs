//! Goes through a kernel in the order of its text, and notes what is done to Refs behind which conditions.

use super::area::Area;
use super::conditions::{Condition, Conditions, Leaf};
use super::{Memory, Read, Store};
use crate::function::{Function, OpData, OpId, RegionId, ValueId};
use crate::op::{ControlOp, MemoryOp, OpKind};
use crate::types::Type;
use std::collections::{HashMap, HashSet};

/// A Ref to a Ref's elements.
#[derive(Clone, Debug)]
struct Alias {
    root: ValueId,
    /// Those that it may reach.
    area: Area,
    /// Whether it reaches all of them.
    exact: bool,
    /// Whether it is the Ref itself, so that subscripts mean the same.
    direct: bool,
}

struct Walk<'a> {
    function: &'a Function,
    conditions: Conditions<'a>,
    memories: HashMap<ValueId, Memory>,
    aliases: HashMap<ValueId, Alias>,
    /// The ops that take a value, and in which place.
    uses: HashMap<ValueId, Vec<(OpId, usize)>>,
    yielded: HashSet<ValueId>,
    path: Vec<Condition>,
    now: usize,
}

/// What a function does to some of its parameters, and to what it allocates.
pub(super) fn walk(
    function: &Function,
    grid: &[usize],
    refs: impl IntoIterator<Item = ValueId>,
) -> HashMap<ValueId, Memory> {
    let mut uses: HashMap<ValueId, Vec<(OpId, usize)>> = HashMap::new();
    for (number, op) in function.ops.iter().enumerate() {
        for (place, &operand) in op.operands.iter().enumerate() {
            uses.entry(operand).or_default().push((OpId(number as u32), place));
        }
    }
    let mut walk = Walk {
        function,
        conditions: Conditions::new(function, grid),
        memories: HashMap::new(),
        aliases: HashMap::new(),
        uses,
        yielded: function.regions.iter().flat_map(|region| region.yields.iter().copied()).collect(),
        path: Vec::new(),
        now: 0,
    };
    refs.into_iter().for_each(|reference| walk.follow(reference));
    walk.region(function.body);
    walk.memories
}

impl<'a> Walk<'a> {
    fn follow(&mut self, reference: ValueId) {
        let Some(ty) = self.function.ty(reference).as_ref_type() else { return };
        let shape = ty.shape.to_vec();
        let area = Area::whole(&shape);
        self.aliases.insert(reference, Alias { root: reference, area, exact: ty.bounded.is_empty(), direct: true });
        self.memories.insert(reference, Memory { shape, ..Memory::default() });
    }

    fn region(&mut self, region: RegionId) {
        let function = self.function;
        for &id in &function.region(region).ops {
            self.op(id, function.op(id));
        }
    }

    fn op(&mut self, id: OpId, op: &'a OpData) {
        self.now += 1;
        match &op.op.kind {
            OpKind::Memory(kind) => self.memory(id, op, *kind),
            OpKind::Control(ControlOp::Cond) => {
                let Some(&which) = op.operands.first() else { return };
                for (branch, &region) in op.regions.iter().enumerate() {
                    self.path.push(self.conditions.takes(which, branch, op.regions.len()));
                    self.region(region);
                    self.path.pop();
                }
            }
            OpKind::Control(ControlOp::Scoped) => {
                for &region in &op.regions {
                    self.function.region(region).params.iter().for_each(|&param| self.follow(param));
                    self.region(region);
                }
            }
            OpKind::Control(ControlOp::Call) => {
                for &region in &op.regions {
                    for (&param, &operand) in self.function.region(region).params.iter().zip(&op.operands) {
                        self.conditions.bind(param, operand);
                        if let Some(alias) = self.aliases.get(&operand).cloned() {
                            self.aliases.insert(param, alias);
                        }
                    }
                    self.region(region);
                }
            }
            OpKind::Control(ControlOp::For) => {
                let bound = |place: usize| op.operands.get(place).and_then(|&value| self.conditions.constant(value));
                let is_run = matches!((bound(0), bound(1)), (Some(lower), Some(upper)) if lower < upper);
                self.rounds(id, op, is_run);
            }
            OpKind::Control(ControlOp::While | ControlOp::Pipeline) => {
                self.others(id, op);
                self.rounds(id, op, false);
            }
            OpKind::Pure { .. } | OpKind::Program(_) | OpKind::Effect(_) => {}
            _ => {
                self.others(id, op);
                op.regions.iter().for_each(|&region| self.region(region));
            }
        }
    }

    /// An op whose accesses are not followed.
    fn others(&mut self, id: OpId, op: &OpData) {
        for operand in &op.operands {
            if let Some(memory) = self.aliases.get(operand).and_then(|alias| self.memories.get_mut(&alias.root)) {
                memory.others.push(id);
            }
        }
    }

    /// Regions that run again and again: what a round stores is there for the rest of the round. After the loop it is there if the
    /// loop runs at all, and if no condition decides that is another one in each round.
    fn rounds(&mut self, id: OpId, op: &'a OpData, is_run: bool) {
        let (begin, outside) = (self.now, self.path.len());
        self.path.push(Condition::Leaf(Leaf::Round(id)));
        op.regions.iter().for_each(|&region| self.region(region));
        self.path.pop();
        self.now += 1;
        for memory in self.memories.values_mut() {
            let mut kept = Vec::new();
            for store in memory.stores.iter_mut().filter(|store| store.from > begin) {
                if is_run && store.until == usize::MAX && store.path[outside + 1..].iter().all(Condition::is_of_ids) {
                    let mut path = store.path.clone();
                    path.remove(outside);
                    kept.push(Store { path, area: store.area.clone(), from: self.now, until: usize::MAX });
                }
                store.until = store.until.min(self.now);
            }
            memory.stores.extend(kept);
        }
        self.now += 1;
    }

    fn memory(&mut self, id: OpId, op: &OpData, kind: MemoryOp) {
        let Some(alias) = op.operands.first().and_then(|reference| self.aliases.get(reference)).cloned() else {
            return;
        };
        let shape =
            op.operands.first().map(|&reference| self.function.ty(reference).shape().to_vec()).unwrap_or_default();
        let index = op.attributes.index();
        let (inner, is_all) = index.map_or((Area::whole(&shape), false), |index| Area::of(index, &shape));
        let is_whole = index.is_none_or(|index| index.is_full(&shape));
        let (area, exact) = match alias.direct {
            true => (inner, is_all && alias.exact),
            false => (alias.area.clone(), is_whole && alias.exact),
        };
        let reads = self.read_path(op);
        let now = self.now;
        if matches!(kind, MemoryOp::View | MemoryOp::Reinterpret) {
            let whole = kind == MemoryOp::Reinterpret || is_whole;
            let same = op.results.first().is_some_and(|&result| self.function.ty(result).shape().to_vec() == shape);
            let direct = alias.direct && is_whole && same && kind == MemoryOp::View;
            let exact = if whole { alias.exact } else { exact };
            for &result in &op.results {
                if matches!(self.function.ty(result), Type::Ref(ty) if ty.bounded.is_empty()) {
                    self.aliases.insert(result, Alias { root: alias.root, area: area.clone(), exact, direct });
                } else {
                    self.aliases
                        .insert(result, Alias { root: alias.root, area: area.clone(), exact: false, direct: false });
                }
            }
            return;
        }
        let path = self.path.clone();
        let Some(memory) = self.memories.get_mut(&alias.root) else { return };
        if let (MemoryOp::Load | MemoryOp::Swap | MemoryOp::Atomic, Some(path)) = (kind, reads) {
            memory.reads.push(Read { path, area: area.clone(), at: now, op: id });
        }
        if kind == MemoryOp::Load {
            return;
        }
        memory.touched.push(area.clone());
        if exact && kind != MemoryOp::Atomic && !op.attributes.flag("masked") {
            memory.stores.push(Store { path, area, from: now, until: usize::MAX });
        }
    }

    /// Where what an op reads is used: nowhere, or behind conditions, the one of a choice between it and something else among them.
    fn read_path(&self, op: &OpData) -> Option<Vec<Condition>> {
        let result = *op.results.first()?;
        let mut path = self.path.clone();
        let uses = self.uses.get(&result).map_or(&[][..], Vec::as_slice);
        // Where an atomic op stores depends on what is there.
        if self.yielded.contains(&result) || matches!(op.op.kind, OpKind::Memory(MemoryOp::Atomic)) {
            return Some(path);
        }
        match uses {
            [] => None,
            [(user, place @ (1 | 2))] if self.function.op(*user).op.name == "select_n" => {
                let which = *self.function.op(*user).operands.first()?;
                let taken = self.conditions.truth(which, 0);
                path.push(if *place == 2 { taken } else { taken.not() });
                Some(path)
            }
            _ => Some(path),
        }
    }
}
