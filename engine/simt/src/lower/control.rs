//! Loops, branches, and memory for the time of a region. All threads of a block go the same way: conditions are scalars, and
//! every thread has them.

use super::context::{Bound, Lower};
use super::number::Number;
use crate::Refusal;
use crate::ir::{Op, Ty, Value};
use pallas_ir::{OpData, RegionId, ValueId};
use pallas_tensor::DType;

impl Lower<'_> {
    fn carried(&self, values: &[ValueId]) -> Result<Vec<Value>, Refusal> {
        values.iter().map(|&value| Ok(self.tile(value)?.value)).collect()
    }

    /// A region with its parameters bound; what it yields.
    fn inside(&mut self, id: RegionId, params: &[Value]) -> Result<Vec<Value>, Refusal> {
        let names = self.function.region(id).params.clone();
        for (&name, &value) in names.iter().zip(params) {
            self.set_value(name, value);
        }
        let yields = self.region(id)?;
        self.carried(&yields)
    }

    fn results(&mut self, op: &OpData, values: &[Value]) {
        for (&result, &value) in op.results.iter().zip(values) {
            self.set_value(result, value);
        }
    }

    pub(crate) fn lower_for(&mut self, op: &OpData) -> Result<(), Refusal> {
        if op.attributes.flag("together") {
            return Err(self.refuse_because(op, "over agents is not lowered yet"));
        }
        let operands = self.carried(&op.operands)?;
        let types: Vec<Ty> = operands.iter().map(|&value| self.b.ty(value)).collect();
        let params: Vec<Ty> = std::iter::once(types[0]).chain(types[2..].iter().copied()).collect();
        let values = self.b.open(&params);
        let yields = self.inside(op.regions[0], &values);
        let body = self.b.close(yields.clone().unwrap_or_default());
        yields?;
        let results = self.b.add(Op::For, &operands, &types[2..], vec![body]);
        self.results(op, &results);
        Ok(())
    }

    pub(crate) fn lower_while(&mut self, op: &OpData) -> Result<(), Refusal> {
        let operands = self.carried(&op.operands)?;
        let types: Vec<Ty> = operands.iter().map(|&value| self.b.ty(value)).collect();
        let mut regions = Vec::new();
        for &region in &op.regions {
            let values = self.b.open(&types);
            let yields = self.inside(region, &values);
            regions.push(self.b.close(yields.clone().unwrap_or_default()));
            yields?;
        }
        let results = self.b.add(Op::While, &operands, &types, regions);
        self.results(op, &results);
        Ok(())
    }

    pub(crate) fn lower_cond(&mut self, op: &OpData) -> Result<(), Refusal> {
        let which = self.tile(op.operands[0])?.value;
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
            let yields = self.inside(region, &[]);
            regions.push(self.b.close(yields.clone().unwrap_or_default()));
            yields?;
        }
        let types: Vec<Ty> = regions
            .first()
            .map_or_else(Vec::new, |region| region.yields.iter().map(|&value| self.b.ty(value)).collect());
        let results = self.b.add(Op::Switch, &[which], &types, regions);
        self.results(op, &results);
        Ok(())
    }

    pub(crate) fn lower_scoped(&mut self, op: &OpData) -> Result<(), Refusal> {
        let region = op.regions[0];
        for &param in &self.function.region(region).params.clone() {
            let Some(ty) = self.function.ty(param).as_ref_type() else {
                return Err(self.refuse_because(op, "allocates something that is no Ref"));
            };
            let view = self.allocate(ty, "scoped")?;
            self.values.insert(param, Bound::Ref(view));
        }
        let yields = self.region(region)?;
        for (&result, yielded) in op.results.iter().zip(yields) {
            if let Some(bound) = self.values.get(&yielded).cloned() {
                self.values.insert(result, bound);
            }
        }
        Ok(())
    }
}
