//! Loops, branches, and memory for the time of a region. All threads of a block go the same way: conditions are scalars, and
//! every thread has them.

use super::context::{Bound, Lower};
use super::number::Number;
use crate::Refusal;
use crate::ir::{Op, Ty, Value};
use pallas_ir::{OpData, RegionId, ValueId};
use pallas_tensor::DType;

impl Lower<'_> {
    /// Values dealt as others are.
    fn carried(&mut self, values: &[ValueId], like: &[ValueId]) -> Result<Vec<Value>, Refusal> {
        let mut carried = Vec::with_capacity(values.len());
        for (&value, &like) in values.iter().zip(like) {
            let (tile, layout) = (self.held(value)?, self.dealt(like));
            carried.push(self.relaid(&tile, &layout));
        }
        Ok(carried)
    }

    /// A region with its parameters bound; what it yields, dealt as others are. Of a condition: as it is.
    fn inside(&mut self, id: RegionId, params: &[Value], like: Option<&[ValueId]>) -> Result<Vec<Value>, Refusal> {
        let names = self.function.region(id).params.clone();
        self.bind(&names, params);
        let yields = self.region(id)?;
        self.carried(&yields, like.unwrap_or(&yields))
    }

    /// Binds values that are dealt as they have to be.
    fn bind(&mut self, names: &[ValueId], values: &[Value]) {
        for (&name, &value) in names.iter().zip(values) {
            let layout = self.dealt(name);
            self.set_dealt(name, value, layout);
        }
    }

    pub(crate) fn lower_for(&mut self, op: &OpData) -> Result<(), Refusal> {
        if op.attributes.flag("together") {
            return self.lower_warps(op);
        }
        let names = self.function.region(op.regions[0]).params.clone();
        let (counter, carries) = names.split_first().ok_or_else(|| self.malformed())?;
        let like: Vec<ValueId> = [counter, counter].into_iter().chain(carries).copied().collect();
        let operands = self.carried(&op.operands, &like)?;
        let types: Vec<Ty> = operands.iter().map(|&value| self.b.ty(value)).collect();
        let params: Vec<Ty> = std::iter::once(types[0]).chain(types[2..].iter().copied()).collect();
        let values = self.b.open(&params);
        let yields = self.inside(op.regions[0], &values, Some(carries));
        let body = self.b.close(yields.clone().unwrap_or_default());
        yields?;
        let results = self.b.add(Op::For, &operands, &types[2..], vec![body]);
        self.taken(op, &results, carries);
        Ok(())
    }

    pub(crate) fn lower_while(&mut self, op: &OpData) -> Result<(), Refusal> {
        let names = self.function.region(op.regions[0]).params.clone();
        let operands = self.carried(&op.operands, &names)?;
        let types: Vec<Ty> = operands.iter().map(|&value| self.b.ty(value)).collect();
        let mut regions = Vec::new();
        for (number, &region) in op.regions.iter().enumerate() {
            let values = self.b.open(&types);
            let yields = self.inside(region, &values, (number > 0).then_some(&names[..]));
            regions.push(self.b.close(yields.clone().unwrap_or_default()));
            yields?;
        }
        let results = self.b.add(Op::While, &operands, &types, regions);
        self.taken(op, &results, &names);
        Ok(())
    }

    pub(crate) fn lower_cond(&mut self, op: &OpData) -> Result<(), Refusal> {
        let which = self.held(op.operands[0])?.value;
        let which = match self.b.ty(which).dtype {
            DType::Bool => self.b.convert(which, DType::I32),
            _ => {
                let last = op.regions.len() as i64 - 1;
                Number::of(&mut self.b, which).clamp(&mut self.b, 0, last).value(&mut self.b)
            }
        };
        let mut regions = Vec::new();
        for &region in &op.regions {
            self.b.open(&[]);
            let yields = self.inside(region, &[], Some(&op.results));
            regions.push(self.b.close(yields.clone().unwrap_or_default()));
            yields?;
        }
        let types: Vec<Ty> = regions
            .first()
            .map_or_else(Vec::new, |region| region.yields.iter().map(|&value| self.b.ty(value)).collect());
        let results = self.b.add(Op::Switch, &[which], &types, regions);
        self.taken(op, &results, &op.results);
        Ok(())
    }

    /// Results that are dealt as others are.
    fn taken(&mut self, op: &OpData, values: &[Value], like: &[ValueId]) {
        for ((&result, &value), &like) in op.results.iter().zip(values).zip(like) {
            let layout = self.dealt(like);
            self.set_dealt(result, value, layout);
        }
    }

    pub(crate) fn lower_scoped(&mut self, op: &OpData) -> Result<(), Refusal> {
        if self.teams.in_warp {
            return Err(self.refuse_because(op, "in a warp is not lowered yet"));
        }
        let region = op.regions[0];
        if self.has_teams {
            self.enter_scope(op.attributes.flag("collective"));
        }
        for &param in &self.function.region(region).params.clone() {
            let Some(ty) = self.function.ty(param).as_ref_type() else {
                return Err(self.refuse_because(op, "allocates something that is no Ref"));
            };
            let view = self.allocate(ty, "scoped", param, op.attributes.flag("collective"))?;
            self.values.insert(param, Bound::Ref(view));
        }
        let yields = self.region(region)?;
        self.teams.scopes.pop();
        for (&result, yielded) in op.results.iter().zip(yields) {
            if let Some(bound) = self.values.get(&yielded).cloned() {
                self.values.insert(result, bound);
            }
        }
        Ok(())
    }
}
