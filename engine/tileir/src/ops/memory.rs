//! Loads, stores, swaps, atomics, and Refs to parts of Refs.

use super::{Results, arith, one, shape};
use crate::access::{Manner, Place};
use crate::emit::{choice, groups};
use crate::lower::{Bound, Lower};
use crate::types::{Tile, element, tile};
use crate::view::View;
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::Type;
use pallas_ir::op::MemoryOp;
use pallas_ir::{IndexPattern, OpData, OpKind, ValueId};
use pallas_tensor::{DType, Kind};

/// An access, taken apart.
struct Access {
    view: View,
    pattern: IndexPattern,
    indices: Vec<ValueId>,
    value: Option<Tile>,
    mask: Option<Tile>,
    other: Option<Tile>,
    padded: bool,
}

fn access(lower: &mut Lower<'_>, op: &OpData, writes: bool) -> Result<Access, Refusal> {
    let pattern = op.attributes.index().cloned().ok_or_else(|| no("an access lacks its subscript"))?;
    let Some(Bound::View(view)) = lower.values.get(&op.operands[0]).cloned() else {
        return Err(no("what is accessed is no memory that Tile IR has"));
    };
    let value = match (writes, op.operands.get(1)) {
        (false, _) => None,
        (true, Some(&value)) => Some(lower.tile(value)?),
        (true, None) => return Err(no("a store lacks its value")),
    };
    let indices: Vec<ValueId> =
        op.operands[1..].iter().copied().skip(usize::from(writes)).take(pattern.operand_count()).collect();
    let mut rest = op.operands[1..].iter().copied().skip(usize::from(writes) + indices.len());
    let mut next = |lower: &mut Lower<'_>, flag: &str| match op.attributes.flag(flag) {
        true => rest.next().map_or_else(|| Err(no("an access lacks an operand")), |value| lower.tile(value)).map(Some),
        false => Ok(None),
    };
    let (mask, other) = (next(lower, "masked")?, next(lower, "other")?);
    Ok(Access { view, pattern, indices, value, mask, other, padded: op.attributes.flag("padded") })
}

impl Lower<'_> {
    fn found(&mut self, access: &Access, writes: bool, elements: bool) -> Result<Place, Refusal> {
        let manner = Manner { padded: access.padded, writes, elements };
        self.place(&access.view, &access.pattern, &access.indices, manner)
    }

    fn old(&mut self, access: &Access, place: &Place) -> Result<Tile, Refusal> {
        let dtype = self.memories[access.view.memory].dtype;
        let other = if access.padded { pallas_simt::uninitialized(dtype) } else { self.fresh(dtype) };
        self.read(access.view.memory, place, None, other)
    }
}

fn load(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let access = access(lower, op, false)?;
    let place = lower.found(&access, false, false)?;
    let value = lower.old(&access, &place)?;
    // As JAX: a mask without `other` leaves what is there.
    match (&access.mask, &access.other) {
        (Some(mask), Some(other)) => {
            let mask = shape::spread(&mut lower.e, mask, &value.shape)?;
            let other = shape::spread(&mut lower.e, other, &value.shape)?;
            arith::select(&mut lower.e, &mask, &value, &other)
        }
        _ => Ok(value),
    }
}

/// Stores, and gives what was there if that is wanted.
fn store(lower: &mut Lower<'_>, op: &OpData, wanted: bool) -> Result<Option<Tile>, Refusal> {
    let access = access(lower, op, true)?;
    let value = access.value.clone().ok_or_else(|| no("a store lacks its value"))?;
    let mut old = None;
    if wanted {
        let place = lower.found(&access, false, false)?;
        let mut there = lower.old(&access, &place)?;
        if let Some(mask) = &access.mask {
            // Where masked off, a swap gives the new value.
            let mask = shape::spread(&mut lower.e, mask, &there.shape)?;
            let value = shape::spread(&mut lower.e, &value, &there.shape)?;
            there = arith::select(&mut lower.e, &mask, &there, &value)?;
        }
        old = Some(there);
    }
    let place = lower.found(&access, true, access.mask.is_some())?;
    let mask = match &access.mask {
        Some(mask) => Some(shape::spread(&mut lower.e, mask, place.shape())?),
        None => None,
    };
    lower.write(access.view.memory, &place, &value, mask.as_ref())?;
    Ok(old)
}

/// The number of an atomic's mode; `None` where there is none.
fn mode(combine: &str, dtype: DType) -> Option<i64> {
    let wide = matches!(dtype.bits(), 32 | 64);
    Some(match (combine, dtype.kind()) {
        ("and", Kind::Signed | Kind::Unsigned) if wide => 0,
        ("or", Kind::Signed | Kind::Unsigned) if wide => 1,
        ("xor", Kind::Signed | Kind::Unsigned) if wide => 2,
        ("add", Kind::Signed | Kind::Unsigned) if wide => 3,
        ("add", Kind::Float) if dtype.bits() >= 16 => 4,
        ("max", Kind::Signed) if wide => 5,
        ("min", Kind::Signed) if wide => 6,
        ("max", Kind::Unsigned) if wide => 7,
        ("min", Kind::Unsigned) if wide => 8,
        ("xchg", Kind::Signed | Kind::Unsigned | Kind::Float) if wide => 9,
        _ => return None,
    })
}

fn atomic(lower: &mut Lower<'_>, op: &OpData) -> Result<Tile, Refusal> {
    let access = access(lower, op, true)?;
    let memory = access.view.memory;
    let dtype = lower.memories[memory].dtype;
    let combine = op.attributes.str("combine").unwrap_or("add");
    let Some(mode) = mode(combine, dtype) else {
        return Err(
            no(format!("Tile IR has no atomic {combine} of {}", dtype.name())).with_help("take the SIMT back end")
        );
    };
    let place = lower.found(&access, true, true)?;
    let Place::Elements { pointers, mask: own, shape: extents } = &place else {
        return Err(no("an atomic wants pointers"));
    };
    let value = access.value.as_ref().ok_or_else(|| no("an atomic lacks its value"))?;
    let value = shape::spread(&mut lower.e, value, extents)?;
    let mask = match &access.mask {
        Some(mask) => Some(shape::spread(&mut lower.e, mask, extents)?),
        None => None,
    };
    let mask = lower.both(own.as_ref(), mask.as_ref())?;
    let token = lower.memories[memory].token.ok_or_else(|| no("a memory lacks its token"))?;
    let mut operands = vec![*pointers, value.value];
    operands.extend(mask.as_ref().map(|mask| mask.value));
    operands.push(token);
    // Relaxed, on the whole device.
    let attributes = vec![
        choice("memory_ordering_semantics", 1),
        choice("memory_scope", 1),
        choice("mode", mode),
        groups(&[1, 1, usize::from(mask.is_some()), 1]),
    ];
    let ty = tile(element(dtype)?, extents);
    let values = lower.e.op(Opcode::AtomicRMW, &operands, attributes, &[ty, Type::Token]);
    lower.advance(memory, values[1]);
    Ok(Tile::new(values[0], dtype, extents))
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let OpKind::Memory(kind) = op.op.kind else { return Ok(None) };
    if let (Some(Bound::Kept(position)), false) =
        (lower.values.get(&op.operands[0]), matches!(kind, MemoryOp::View | MemoryOp::Reinterpret | MemoryOp::Atomic))
    {
        let position = *position;
        let tile = lower.access_kept(op, kind, position)?;
        return Ok(Some(tile.map(Bound::Tile).into_iter().collect()));
    }
    match kind {
        MemoryOp::Load => Ok(one(load(lower, op)?)),
        MemoryOp::Store => store(lower, op, false).map(|_| Some(Vec::new())),
        MemoryOp::Swap => {
            let used = op.results.first().is_some_and(|&value| lower.is_used(value));
            let old = store(lower, op, used)?;
            Ok(Some(old.map(Bound::Tile).into_iter().collect()))
        }
        MemoryOp::Atomic => Ok(one(atomic(lower, op)?)),
        MemoryOp::View => {
            let pattern = op.attributes.index().cloned().ok_or_else(|| no("a view lacks its subscript"))?;
            let Some(Bound::View(view)) = lower.values.get(&op.operands[0]).cloned() else {
                return Err(no("what is viewed is no memory that Tile IR has"));
            };
            Ok(Some(vec![Bound::View(lower.part(&view, &pattern, &op.operands[1..])?)]))
        }
        MemoryOp::Reinterpret => {
            let Some(Bound::View(view)) = lower.values.get(&op.operands[0]).cloned() else {
                return Err(no("what is viewed is no memory that Tile IR has"));
            };
            let shape = lower.function.ty(op.results[0]).shape().to_vec();
            let permutation = op.attributes.ints("permutation");
            let view = lower.reinterpreted(&view, permutation, op.attributes.dtype("dtype"), &shape)?;
            Ok(Some(vec![Bound::View(view)]))
        }
    }
}
