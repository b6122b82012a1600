//! Every op that has Triton IR, one file per family.

pub(crate) mod arith;
mod control;
pub(crate) mod convert;
mod dot;
mod expand;
mod math;
mod memory;
mod program;
mod reduce;
pub(crate) mod shape;

use crate::Refusal;
use crate::lower::{Bound, Lowering};
use pallas_ir::OpData;
use smallvec::{SmallVec, smallvec};

/// What an op gives.
pub(crate) type Results = SmallVec<[Bound; 1]>;

/// A family: the results of an op of it, `None` for all others.
type Family = fn(&mut Lowering<'_>, &OpData) -> Result<Option<Results>, Refusal>;

const FAMILIES: &[Family] = &[
    arith::lower,
    math::lower,
    expand::lower,
    convert::lower,
    shape::lower,
    reduce::lower,
    dot::lower,
    memory::lower,
    control::lower,
    program::lower,
];

/// Writes an op.
pub(crate) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Results, Refusal> {
    for family in FAMILIES {
        if let Some(results) = family(lowering, op)? {
            return Ok(results);
        }
    }
    Err(Refusal::new(format!("`{}` is not implemented in the Triton lowering", op.op.name)))
}

/// The result of an op that has one tile.
fn one(tile: crate::types::Tile) -> Option<Results> {
    Some(smallvec![Bound::Tile(tile)])
}
