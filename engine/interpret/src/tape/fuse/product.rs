//! Products of two matrices of `float32` or `bfloat16` that take their factors where they lie, and that are added to a Ref where it lies.

use super::Finder;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Op, OpId, OpKind, ValueId, ops};
use pallas_tensor::DType;

/// A product in the place of an op: of the product itself, or of the store that adds it to a Ref.
#[derive(Clone, Debug)]
pub(in crate::tape) struct Product {
    pub(in crate::tape) factors: [ValueId; 2],
    /// Which dimension of either is summed over.
    pub(in crate::tape) contracting: [usize; 2],
    /// Whether the op is a store that adds it to what its Ref holds.
    pub(in crate::tape) adds: bool,
}

impl Finder<'_> {
    /// Finds products, and stores that take them in.
    pub(super) fn products(&mut self) {
        for region in &self.known.function.regions {
            for &id in &region.ops {
                if self.known.is_skipped(id) {
                    continue;
                }
                if let Some(product) = self.product(id) {
                    self.fusion.products.insert(id, product);
                }
                self.accumulation(id);
            }
        }
    }

    fn product(&self, id: OpId) -> Option<Product> {
        let op = self.known.function.op(id);
        if op.op != Op(&ops::DOT_GENERAL) {
            return None;
        }
        let factors = <[ValueId; 2]>::try_from(self.known.reads(id).as_slice()).ok()?;
        let (_, result) = self.result(id)?;
        let is_matrix = |value: ValueId, dtype: DType| {
            let ty = self.known.tensor(value);
            ty.is_some_and(|ty| ty.dtype == dtype && ty.shape.rank() == 2 && ty.shape.size() > 0)
        };
        let alike = |dtype: DType| factors.iter().all(|&factor| is_matrix(factor, dtype));
        let attributes = self.known.simplified.products.get(&id).unwrap_or(&op.attributes);
        let [left, right] = attributes.int_lists("contracting")? else { return None };
        let contracting = match (&left[..], &right[..]) {
            (&[left @ (0 | 1)], &[right @ (0 | 1)]) => [left as usize, right as usize],
            _ => return None,
        };
        let whole = attributes.int_lists("batch").is_none_or(|batch| batch.iter().all(|axes| axes.is_empty()));
        // Those of `bfloat16` only in the order of matrix units.
        let halves = || alike(DType::BF16) && contracting[0] == 1 && !attributes.flag("in_order");
        (whole && result.dtype == DType::F32 && (alike(DType::F32) || halves())).then_some(Product {
            factors,
            contracting,
            adds: false,
        })
    }

    /// `ref[...] = ref[...] + product` where nobody else reads what is loaded, multiplied and added, and nothing is written in
    /// between.
    fn accumulation(&mut self, store: OpId) -> Option<()> {
        let function = self.known.function;
        let op = function.op(store);
        // Those that store a chain are not masked, and what they store has the Ref's type.
        let group = self.fusion.groups.get(&store).filter(|group| group.end == super::End::Store)?;
        let &reference = op.operands.first()?;
        let sum = self.definitions[op.operands.get(1)?.0 as usize]?;
        let addition = function.op(sum);
        let is_sum = addition.op == Op(&ops::ADD) && !self.known.contractions.contains_key(&sum);
        let reads = self.known.reads(sum);
        if !is_sum || reads.len() != 2 || reads[0] == reads[1] || !reads.iter().all(|read| group.reads.contains(read)) {
            return None;
        }
        let place = |id: OpId| self.places[id.0 as usize];
        let only = |id: OpId, reader: OpId| {
            let result = self.result(id).map(|(result, _)| result.0 as usize);
            result.is_some_and(|result| self.readers[result].as_slice() == [Some(reader)])
                && place(id).0 == place(reader).0
        };
        let ids = [self.definitions[reads[0].0 as usize]?, self.definitions[reads[1].0 as usize]?];
        let product = ids.into_iter().find(|id| self.fusion.products.contains_key(id))?;
        let load = ids.into_iter().find(|&id| id != product)?;
        let loaded = function.op(load);
        let is_load = matches!(loaded.op.kind, OpKind::Memory(MemoryOp::Load))
            && loaded.operands.as_slice() == [reference]
            && ["masked", "other", "padded"].iter().all(|flag| !loaded.attributes.flag(flag));
        let shape = &function.ty(reference).as_ref_type()?.shape;
        let full = [op, loaded].iter().all(|op| op.attributes.index().is_some_and(|index| index.is_full(shape)));
        if !is_load || !full || !only(product, sum) || !only(load, sum) || !only(sum, store) {
            return None;
        }
        let (region, from) = place(load);
        let between = &function.regions[region as usize].ops[from + 1..place(store).1];
        let harmless = |id: &OpId| {
            matches!(
                function.op(*id).op.kind,
                OpKind::Pure { .. } | OpKind::Memory(MemoryOp::Load) | OpKind::Program(_)
            )
        };
        if place(product).1 > place(store).1 || !between.iter().all(harmless) {
            return None;
        }
        let found = self.fusion.products.remove(&product)?;
        self.fusion.groups.remove(&store);
        self.fusion.absorbed.extend([load, product, sum]);
        self.fusion.products.insert(store, Product { adds: true, ..found });
        Some(())
    }
}
