//! Loads and stores of lanes. A Ref of lanes has a dimension for them, which every subscript takes all of. Positions that differ
//! from lane to lane select from what lanes share, as an index array does.

use super::kernel::{Lane, Lanes, Results};
use super::rules::{moved_back, moved_front};
use pallas_ir::function::OpData;
use pallas_ir::op::MemoryOp;
use pallas_ir::{Attribute, Attributes, DimIndex, IndexPattern, Position, ValueId};
use pallas_tensor::Shape;
use smallvec::SmallVec;

/// What becomes of an op on a Ref.
pub(super) fn access(lanes: &mut Lanes<'_>, data: &OpData, kind: MemoryOp, operands: &[Lane]) -> Option<Results> {
    let writes = match kind {
        MemoryOp::Load => false,
        MemoryOp::Store | MemoryOp::Swap => true,
        MemoryOp::Atomic | MemoryOp::View | MemoryOp::Reinterpret => return None,
    };
    let reference = operands.first()?;
    if writes && (!reference.differs() || !lanes.written.contains(data.operands.first()?)) {
        return None;
    }
    if !writes && operands.iter().all(|operand| !operand.differs()) {
        return lanes.same(data, operands);
    }
    let access = Access::new(lanes, data, operands, writes)?;
    let results = access.add(lanes, data)?;
    match kind {
        MemoryOp::Store => Some(SmallVec::new()),
        _ => {
            let value = moved_front(lanes, results?, access.behind)?;
            Some(SmallVec::from_slice(&[Lane { value, at: Some(0) }]))
        }
    }
}

/// A subscript of lanes with its operands.
struct Access {
    pattern: IndexPattern,
    operands: SmallVec<[ValueId; 6]>,
    /// Before how many dimensions of what it selects the lanes do not stand.
    behind: usize,
}

impl Access {
    fn new(lanes: &mut Lanes<'_>, data: &OpData, operands: &[Lane], writes: bool) -> Option<Access> {
        let old = data.attributes.index()?;
        let first = if writes { 2 } else { 1 };
        let positions = operands.get(first..first + old.operand_count())?;
        let rest = operands.get(first + old.operand_count()..)?;
        let (pattern, behind) = match operands.first()?.at {
            Some(place) if positions.iter().all(|position| !position.differs()) => all_lanes(lanes, old, place)?,
            None if !writes && !data.attributes.flag("padded") => each_its_own(lanes, data, old, positions)?,
            _ => return None,
        };
        let selected = old.result_shape(&Shape::default());
        let mut values: SmallVec<[ValueId; 6]> = SmallVec::from_slice(&[operands.first()?.value]);
        if writes {
            values.push(tile(lanes, *operands.get(1)?, &selected, behind)?);
        }
        values.extend(positions.iter().map(|position| position.value));
        for &operand in rest {
            values.push(tile(lanes, operand, &selected, behind)?);
        }
        Some(Access { pattern, operands: values, behind })
    }

    /// Adds the op, and gives its result if it has one.
    fn add(&self, lanes: &mut Lanes<'_>, data: &OpData) -> Option<Option<ValueId>> {
        let mut attributes: Attributes = data.attributes.clone();
        for (name, slot) in &mut attributes.0 {
            if *name == "index" {
                *slot = Attribute::Index(self.pattern.clone());
            }
        }
        match data.results.is_empty() {
            true => lanes.act(data.op, &self.operands, attributes).map(|()| None),
            false => lanes.add(data.op, &self.operands, attributes).map(Some),
        }
    }
}

/// The subscript with all lanes of a Ref, and behind how many dimensions of the result they stand.
fn all_lanes(lanes: &Lanes<'_>, old: &IndexPattern, place: usize) -> Option<(IndexPattern, usize)> {
    if old.0.iter().any(|dim| matches!(dim, DimIndex::Array | DimIndex::Part { .. })) {
        return None;
    }
    let mut dims = old.0.clone();
    let behind = dims.get(..place)?.iter().filter(|dim| matches!(dim, DimIndex::Slice { .. })).count();
    dims.insert(place, DimIndex::Slice { start: Position::Static(0), size: lanes.count, stride: 1 });
    Some((IndexPattern(dims), behind))
}

/// The subscript of a Ref that lanes share, with positions of their own.
fn each_its_own(
    lanes: &Lanes<'_>,
    data: &OpData,
    old: &IndexPattern,
    positions: &[Lane],
) -> Option<(IndexPattern, usize)> {
    let shape = &lanes.function.ty(*data.operands.first()?).as_ref_type()?.shape;
    let mut positions = positions.iter();
    let mut dims: SmallVec<[DimIndex; 4]> = SmallVec::new();
    for (dim, &extent) in old.0.iter().zip(shape) {
        dims.push(match dim {
            DimIndex::At(Position::Dynamic) if positions.next()?.differs() => DimIndex::Array,
            DimIndex::At(Position::Static(at)) if (0..extent as i64).contains(at) => dim.clone(),
            // What lies inside is found alike by blocks and by index arrays.
            DimIndex::Slice { start: Position::Static(start), size, stride } => {
                let end = usize::try_from(*start).ok()? + size.checked_sub(1)? * stride;
                (end < extent).then(|| dim.clone())?
            }
            _ => return None,
        });
    }
    let pattern = IndexPattern(dims);
    let behind = pattern.array_position();
    Some((pattern, behind))
}

/// A value, mask or substitute in the shape of what is selected, the lanes where they belong.
fn tile(lanes: &mut Lanes<'_>, lane: Lane, selected: &Shape, behind: usize) -> Option<ValueId> {
    let value = lanes.spread(lane)?;
    // As numpy broadcasts: dimensions that are missing are the first ones.
    let rank = lanes.tile(value)?.shape.rank() - 1;
    let missing = selected.rank().checked_sub(rank)?;
    let dims: Vec<usize> = std::iter::once(0).chain(missing + 1..=selected.rank()).collect();
    let full = lanes.shape_of(selected);
    let value = lanes.broadcast(value, &full, &dims)?;
    moved_back(lanes, value, behind)
}
