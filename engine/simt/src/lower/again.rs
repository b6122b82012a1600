//! Instructions of a loop once more outside of it, as they are in one of its rounds.

use super::rewrite::{Emit, defined, is_pure};
use crate::ir::{Inst, Kernel, MemoryId, Op, Region, Space, Value};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// What is made outside of a loop for one of its rounds.
pub(crate) struct Again<'a, 'k> {
    kernel: &'k mut Kernel,
    body: &'a Region,
    /// What is defined in the loop.
    inner: HashSet<Value>,
    /// What values are called outside.
    pub(crate) renamed: HashMap<Value, Value>,
    /// What was made.
    pub(crate) out: Vec<Inst>,
}

impl<'a, 'k> Again<'a, 'k> {
    pub(crate) fn new(kernel: &'k mut Kernel, body: &'a Region, round: i64) -> Again<'a, 'k> {
        let (mut inner, mut out) = (HashSet::new(), Vec::new());
        defined(body, &mut inner);
        let span = body.insts.first().map_or(Default::default(), |inst| inst.span);
        let number = Emit { kernel, insts: &mut out, span }.int(round, 1);
        Again { kernel, body, inner, renamed: HashMap::from([(body.params[0], number)]), out }
    }

    /// A value outside of the loop, computed again if need be.
    pub(crate) fn value(&mut self, value: Value) -> Option<Value> {
        if let Some(&renamed) = self.renamed.get(&value) {
            return Some(renamed);
        }
        if !self.inner.contains(&value) {
            return Some(value);
        }
        let made = self.body.insts.iter().find(|inst| inst.results.contains(&value))?;
        let constant = |memory: MemoryId| {
            matches!(self.kernel.memory(memory).space, Space::Operand { constant: true, .. } | Space::Constant(_))
        };
        if !is_pure(&made.op) && !matches!(made.op, Op::Load { memory, .. } if constant(memory)) {
            return None;
        }
        let operands = made.operands.iter().map(|&operand| self.value(operand)).collect::<Option<_>>()?;
        self.push(made, operands, Vec::new());
        self.renamed.get(&value).copied()
    }

    /// What a region takes that it does not define, before anything of it.
    pub(crate) fn take_in(&mut self, region: &Region) -> Option<()> {
        let mut own = HashSet::new();
        defined(region, &mut own);
        let mut taken: Vec<Value> = region.yields.clone();
        region.walk(&mut |inst| {
            taken.extend(&inst.operands);
            taken.extend(inst.regions.iter().flat_map(|inner| &inner.yields));
        });
        taken.into_iter().filter(|value| !own.contains(value)).try_for_each(|value| self.value(value).map(|_| ()))
    }

    /// The instructions of a region.
    pub(crate) fn region(&mut self, region: &Region) -> Option<()> {
        for inst in &region.insts {
            let operands = inst.operands.iter().map(|&operand| self.value(operand)).collect::<Option<_>>()?;
            let mut regions = Vec::new();
            for inner in &inst.regions {
                let params: Vec<Value> = inner.params.iter().map(|&param| self.fresh(param)).collect();
                let outer = std::mem::take(&mut self.out);
                self.region(inner)?;
                let yields = inner.yields.iter().map(|&value| self.value(value)).collect::<Option<_>>()?;
                let insts = std::mem::replace(&mut self.out, outer);
                regions.push(Region { params, insts, yields });
            }
            self.push(inst, operands, regions);
        }
        Some(())
    }

    fn push(&mut self, inst: &Inst, operands: SmallVec<[Value; 4]>, regions: Vec<Region>) {
        let results = inst.results.iter().map(|&result| self.fresh(result)).collect();
        self.out.push(Inst { op: inst.op.clone(), operands, results, regions, span: inst.span });
    }

    fn fresh(&mut self, value: Value) -> Value {
        self.kernel.values.push(self.kernel.ty(value));
        let fresh = Value(self.kernel.values.len() as u32 - 1);
        self.renamed.insert(value, fresh);
        fresh
    }
}
