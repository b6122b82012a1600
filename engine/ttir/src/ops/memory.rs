//! Loads, stores and atomics through pointers. Nothing is masked that the program does not mask: a block that leaves its
//! array is read and written outside of it, as JAX's lowering has it.

use super::{Results, arith, convert, one, shape};
use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::{Bound, Lowering};
use crate::place::Pointers;
use crate::types::{Tile, element, shaped};
use pallas_ir::op::MemoryOp;
use pallas_ir::{OpData, OpKind};
use pallas_tensor::{DType, Kind};
use smallvec::smallvec;

/// An access, taken apart.
struct Access {
    pointers: Pointers,
    dtype: DType,
    value: Option<Tile>,
    mask: Option<Tile>,
    other: Option<Tile>,
}

fn access(lowering: &mut Lowering<'_>, op: &OpData, values: usize) -> Result<Access, Refusal> {
    let Some(pattern) = op.attributes.index() else { return Err(Refusal::new("an access lacks its subscript")) };
    let place = lowering.place(op.operands[0])?;
    let tiles: Vec<Tile> = op.operands[1..].iter().map(|&value| lowering.tile(value)).collect::<Result<_, _>>()?;
    let (value, rest) = tiles.split_at(values);
    let (indices, rest) = rest.split_at(pattern.operand_count());
    let emitter = &mut *lowering.emitter;
    let pointers = place.pointers(emitter, pattern, indices)?;
    let mut rest = rest.iter().map(|tile| shape::spread(emitter, tile, &pointers.shape));
    let mask = rest.next().transpose()?;
    let other = rest.next().transpose()?;
    Ok(Access { dtype: place.dtype, value: value.first().cloned(), mask, other, pointers })
}

/// A value as memory holds it: bools are bytes.
fn stored(emitter: &mut Emitter, value: &Tile, pointers: &Pointers) -> Result<Tile, Refusal> {
    let value = shape::spread(emitter, value, &pointers.shape)?;
    match value.dtype {
        DType::Bool => convert::cast(emitter, &value, pointers.dtype, false),
        _ => Ok(value),
    }
}

fn load(emitter: &mut Emitter, access: &Access, other: Option<&Tile>) -> Result<Tile, Refusal> {
    let pointers = &access.pointers;
    let mut operands = vec![pointers.name.clone()];
    operands.extend(access.mask.iter().map(|mask| mask.name.to_string()));
    if let Some(other) = other {
        operands.push(stored(emitter, other, pointers)?.name.to_string());
    }
    let text = format!("tt.load {} : {}", operands.join(", "), pointers.ty);
    let loaded = emitter.value(pointers.dtype, &pointers.shape, &text)?;
    if access.dtype == DType::Bool { convert::cast(emitter, &loaded, DType::Bool, false) } else { Ok(loaded) }
}

fn store(emitter: &mut Emitter, access: &Access, value: &Tile) -> Result<(), Refusal> {
    let value = stored(emitter, value, &access.pointers)?;
    let mask = access.mask.as_ref().map_or(String::new(), |mask| format!(", {}", mask.name));
    emitter.line(&format!("tt.store {}, {}{mask} : {}", access.pointers.name, value.name, access.pointers.ty));
    Ok(())
}

/// Triton's word for an atomic on a dtype; `None` where there is none.
fn atomic_word(combine: &str, dtype: DType) -> Option<&'static str> {
    Some(match (combine, dtype.kind()) {
        ("xchg", _) => "exch",
        ("add", _) if dtype.is_float() => "fadd",
        ("add", _) => "add",
        ("max", Kind::Signed) => "max",
        ("max", Kind::Unsigned) => "umax",
        ("min", Kind::Signed) => "min",
        ("min", Kind::Unsigned) => "umin",
        ("and", _) if dtype.is_integer() => "and",
        ("or", _) if dtype.is_integer() => "or",
        ("xor", _) if dtype.is_integer() => "xor",
        _ => return None,
    })
}

/// One atomic op through pointers.
fn rmw(
    emitter: &mut Emitter,
    word: &str,
    pointers: &Pointers,
    value: &Tile,
    mask: Option<&Tile>,
) -> Result<Tile, Refusal> {
    let (name, ty) = match mask {
        Some(mask) => (format!(", {}", mask.name), format!(", {}", mask.ty())),
        None => Default::default(),
    };
    let result = shaped(element(pointers.dtype)?, &pointers.shape);
    let text = format!(
        "tt.atomic_rmw {word}, acq_rel, gpu, {}, {}{name} : ({}, {}{ty}) -> {result}",
        pointers.name,
        value.name,
        pointers.ty,
        value.ty()
    );
    emitter.value(pointers.dtype, &pointers.shape, &text)
}

/// The larger or smaller of floats, by their bits: as integers those that are not negative are in order, the others in the
/// opposite one.
fn float_extreme(emitter: &mut Emitter, access: &Access, value: &Tile, largest: bool) -> Result<Tile, Refusal> {
    let integer = match access.dtype {
        DType::F32 => DType::I32,
        DType::F64 => DType::I64,
        other => return Err(Refusal::new(format!("Triton has no atomic max and min of {}", other.name()))),
    };
    let pointers = access.pointers.cast(emitter, integer)?;
    let bits = convert::bits(emitter, value, integer)?;
    let zero = emitter.number(&bits, 0)?;
    let mut old = Vec::new();
    let above = arith::compare(emitter, "ge", &bits, &zero)?;
    let below = arith::compare(emitter, "lt", &bits, &zero)?;
    let words = if largest { ["max", "umin"] } else { ["min", "umax"] };
    for (word, side) in words.into_iter().zip([&above, &below]) {
        let mask = match &access.mask {
            None => side.clone(),
            Some(mask) => arith::binary(emitter, "and", mask, side)?,
        };
        old.push(rmw(emitter, word, &pointers, &bits, Some(&mask))?);
    }
    let old = arith::select(emitter, &above, &old[0], &old[1])?;
    convert::bits(emitter, &old, access.dtype)
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let OpKind::Memory(kind) = op.op.kind else { return Ok(None) };
    match kind {
        MemoryOp::Load => {
            let access = access(lowering, op, 0)?;
            Ok(one(load(lowering.emitter, &access, access.other.as_ref())?))
        }
        MemoryOp::Store => {
            let access = access(lowering, op, 1)?;
            if let Some(value) = &access.value {
                store(lowering.emitter, &access, value)?;
            }
            Ok(Some(smallvec![]))
        }
        MemoryOp::Swap => {
            let used = lowering.is_used(op.results[0]);
            let access = access(lowering, op, 1)?;
            let Some(value) = access.value.clone() else { return Ok(None) };
            // Where masked off, a swap gives the new value.
            let other = access.mask.as_ref().map(|_| &value);
            let old = if used { load(lowering.emitter, &access, other)? } else { value.clone() };
            store(lowering.emitter, &access, &value)?;
            Ok(one(old))
        }
        MemoryOp::Atomic => {
            let access = access(lowering, op, 1)?;
            let Some(value) = access.value.clone() else { return Ok(None) };
            let emitter = &mut *lowering.emitter;
            let value = stored(emitter, &value, &access.pointers)?;
            let combine = op.attributes.str("combine").unwrap_or("add");
            if access.dtype.is_float() && matches!(combine, "max" | "min") {
                return Ok(one(float_extreme(emitter, &access, &value, combine == "max")?));
            }
            match atomic_word(combine, access.dtype) {
                Some(word) => Ok(one(rmw(emitter, word, &access.pointers, &value, access.mask.as_ref())?)),
                None => Err(Refusal::new(format!("Triton has no atomic {combine} of {}", access.dtype.name()))),
            }
        }
        MemoryOp::View => {
            let Some(pattern) = op.attributes.index() else { return Ok(None) };
            let place = lowering.place(op.operands[0])?;
            let tiles: Vec<Tile> =
                op.operands[1..].iter().map(|&value| lowering.tile(value)).collect::<Result<_, _>>()?;
            Ok(Some(smallvec![Bound::Place(place.view(lowering.emitter, pattern, &tiles)?)]))
        }
        MemoryOp::Reinterpret => {
            Err(Refusal::new("Refs in another shape or dtype are not supported in the Triton lowering"))
        }
    }
}
