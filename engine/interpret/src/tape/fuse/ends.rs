//! What takes chains in: stores, and reductions. Both are the end of one that was found before, or of one without
//! operations, where what is stored or reduced may lie anywhere.

use super::place::Sources;
use super::{End, Finder, Group, Reads, code};
use pallas_ir::op::MemoryOp;
use pallas_ir::{DimIndex, OpId, OpKind, ValueId};
use pallas_tensor::ops::ReduceOp;
use pallas_tensor::ops::fused::{Chain, ChainBuilder};
use smallvec::SmallVec;

/// Elements that are computed before they are reduced, at most, where others come behind those that are reduced.
const NEAR: usize = 1 << 16;

impl Finder<'_> {
    /// Has stores and reductions take chains in.
    pub(super) fn ends(&mut self) {
        for region in &self.known.function.regions {
            for &id in &region.ops {
                if self.known.is_skipped(id) {
                    continue;
                }
                if self.store(id).is_none() {
                    self.reduce(id);
                }
            }
        }
    }

    /// The chain whose result a value is, if it is computed in the region of an op.
    fn group_of(&self, value: ValueId, at: OpId) -> Option<OpId> {
        let root = self.definitions[value.0 as usize]?;
        let group = self.fusion.groups.get(&root)?;
        let same = self.places[root.0 as usize].0 == self.places[at.0 as usize].0;
        (same && group.end == End::Tile && self.result(root).is_some_and(|(result, _)| result == value)).then_some(root)
    }

    fn store(&mut self, id: OpId) -> Option<()> {
        let op = self.known.function.op(id);
        if !matches!(op.op.kind, OpKind::Memory(MemoryOp::Store)) || op.attributes.flag("masked") {
            return None;
        }
        let pattern = op.attributes.index()?;
        let is_block = pattern.0.iter().all(|dim| match dim {
            DimIndex::At(_) => true,
            DimIndex::Slice { stride, .. } => *stride == 1,
            DimIndex::Part { .. } | DimIndex::Array => false,
        });
        let &value = op.operands.get(1)?;
        let reference = self.known.function.ty(*op.operands.first()?).as_ref_type()?;
        let ty = self.known.tensor(value)?;
        let fits = is_block && !op.attributes.flag("padded") && pattern.0.len() == reference.shape.rank();
        let fits = fits && ty.dtype == reference.dtype && pattern.result_shape(&Default::default()) == ty.shape;
        if !fits {
            return None;
        }
        let Some(root) = self.group_of(value, id) else { return self.copy(value, id) };
        if self.readers[value.0 as usize].as_slice() != [Some(id)] {
            return None;
        }
        self.take(root, id, End::Store)
    }

    /// What was loaded and is stored as it is goes there as a chain of no operations, so that it may be read where it lies.
    fn copy(&mut self, value: ValueId, id: OpId) -> Option<()> {
        let load = self.definitions[value.0 as usize]?;
        let is_load = matches!(self.known.function.op(load).op.kind, OpKind::Memory(MemoryOp::Load));
        if !is_load || self.known.tensor(value)?.shape.size() <= 1 {
            return None;
        }
        let (chain, reads) = self.nothing(value)?;
        self.fusion.groups.insert(id, Group { chain, reads, end: End::Store });
        Some(())
    }

    /// A chain of no operations: nothing is computed before, but what is read may lie anywhere.
    fn nothing(&mut self, value: ValueId) -> Option<(usize, Reads)> {
        let mut builder = ChainBuilder::new(self.known.tensor(value)?.shape.clone());
        let mut reads = Sources::default();
        reads.arg(self, &mut builder, value)?;
        let chain = builder.finish().ok()?;
        Some((self.add(chain), reads.values))
    }

    /// Has an op compute the chain of another one.
    fn take(&mut self, root: OpId, id: OpId, end: End) -> Option<()> {
        let group = self.fusion.groups.remove(&root)?;
        self.fusion.absorbed.insert(root);
        self.fusion.groups.insert(id, Group { end, ..group });
        Some(())
    }

    fn reduce(&mut self, id: OpId) -> Option<()> {
        let op = code::reduction(self.known.function.op(id).op.name)?;
        let [value] = self.known.reads(id)[..] else { return None };
        let ty = self.known.tensor(value)?;
        let (_, result) = self.result(id)?;
        let axes = self.known.function.op(id).attributes.ints("axes")?;
        let mut sorted: SmallVec<[usize; 6]> =
            axes.iter().map(|&axis| usize::try_from(axis).unwrap_or(usize::MAX)).collect();
        sorted.sort_unstable();
        let first = *sorted.first()?;
        let end = first.checked_add(sorted.len()).filter(|&end| end <= ty.shape.rank())?;
        let reduced = &ty.shape[first..end];
        let sizes = [reduced.iter().product(), ty.shape[end..].iter().product()];
        let [length, inner]: [usize; 2] = sizes;
        let long = reduced.iter().filter(|&&size| size != 1).count();
        let fits = sorted.iter().copied().eq(first..end)
            && length > 1
            // What is computed before it is reduced stays in the caches.
            && (inner == 1 || length.checked_mul(inner).is_some_and(|span| span <= NEAR))
            && (op != ReduceOp::Sum || long == 1)
            && result.shape == ty.shape.without_axes(&sorted)
            && result.dtype == ty.dtype
            && Chain::reduces(op, ty.dtype)
            && ty.shape.size() > 1;
        if !fits {
            return None;
        }
        let Some(root) = self.group_of(value, id) else {
            let (chain, reads) = self.nothing(value)?;
            let end = End::Reduce { op, sizes, kept: None };
            self.fusion.groups.insert(id, Group { chain, reads, end });
            return Some(());
        };
        let place = self.places[id.0 as usize];
        let readers = &self.readers[value.0 as usize];
        // Others that read the rows have to stand behind this op.
        let behind = |reader: &Option<OpId>| {
            reader.is_some_and(|reader| {
                let (region, at) = self.places[reader.0 as usize];
                reader == id || region == place.0 && at > place.1
            })
        };
        let only = readers.as_slice() == [Some(id)];
        if !only && !readers.iter().all(behind) {
            return None;
        }
        self.take(root, id, End::Reduce { op, sizes, kept: (!only).then_some(value) })
    }
}
