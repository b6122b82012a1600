//! A region as a function of its own: what it takes from outside becomes parameters. Constants come along.

use crate::function::{Function, OpData, OpId, RegionData, RegionId, ValueId};
use crate::op::OpKind;
use std::collections::HashMap;
use std::sync::Arc;

impl Function {
    /// The region as a function, and the values that its parameters stand for, in the order in which they are met.
    pub fn outlined(&self, region: RegionId, name: impl Into<Arc<str>>) -> (Function, Vec<ValueId>) {
        let function = Function::empty(name, self.locations.clone());
        let mut outline =
            Outline { from: self, to: function, known: HashMap::new(), captured: Vec::new(), first: Vec::new() };
        let mut body = outline.region(region);
        body.params.extend(outline.captured.iter().map(|(_, param)| *param));
        body.ops.splice(0..0, outline.first);
        outline.to.regions[0] = body;
        (outline.to, outline.captured.into_iter().map(|(outer, _)| outer).collect())
    }
}

struct Outline<'f> {
    from: &'f Function,
    to: Function,
    /// Values of the one as values of the other.
    known: HashMap<ValueId, ValueId>,
    /// Values from outside with their parameters.
    captured: Vec<(ValueId, ValueId)>,
    /// Constants from outside.
    first: Vec<OpId>,
}

impl Outline<'_> {
    fn region(&mut self, id: RegionId) -> RegionData {
        let region = self.from.region(id).clone();
        let params = region.params.iter().map(|&param| self.made(param)).collect();
        let ops = region.ops.iter().map(|&op| self.op(op)).collect();
        let yields = region.yields.iter().map(|&value| self.value(value)).collect();
        RegionData { params, ops, yields }
    }

    fn op(&mut self, id: OpId) -> OpId {
        let op = self.from.op(id).clone();
        let operands = op.operands.iter().map(|&value| self.value(value)).collect();
        let mut regions = smallvec::SmallVec::new();
        for &inner in &op.regions {
            let inner = self.region(inner);
            self.to.regions.push(inner);
            regions.push(RegionId(self.to.regions.len() as u32 - 1));
        }
        let results = op.results.iter().map(|&result| self.made(result)).collect();
        self.to.ops.push(OpData { operands, results, regions, ..op });
        OpId(self.to.ops.len() as u32 - 1)
    }

    /// A value that is defined here.
    fn made(&mut self, value: ValueId) -> ValueId {
        self.to.values.push(self.from.value(value).clone());
        let own = ValueId(self.to.values.len() as u32 - 1);
        self.known.insert(value, own);
        own
    }

    fn value(&mut self, value: ValueId) -> ValueId {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let constant = self.from.definition(value).filter(|&op| {
            let op = self.from.op(op);
            op.operands.is_empty() && op.regions.is_empty() && matches!(op.op.kind, OpKind::Pure { .. })
        });
        if let Some(op) = constant {
            let op = self.op(op);
            self.first.push(op);
            return self.known[&value];
        }
        let param = self.made(value);
        self.captured.push((value, param));
        param
    }
}
