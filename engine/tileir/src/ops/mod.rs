//! Every op that has Tile IR, one file per family.

pub(crate) mod arith;
mod control;
pub(crate) mod convert;
pub(crate) mod dot;
mod error_function;
mod expand;
mod math;
mod memory;
mod program;
mod reduce;
pub(crate) mod shape;
mod slices;

use crate::lower::{Bound, Lower};
use crate::types::Tile;
use crate::{Refusal, no};
use pallas_ir::OpData;

/// What an op gives.
pub(crate) type Results = Vec<Bound>;

/// A family: the results of an op of it, `None` for all others.
type Family = fn(&mut Lower<'_>, &OpData) -> Result<Option<Results>, Refusal>;

const FAMILIES: &[Family] = &[
    arith::lower,
    math::lower,
    expand::lower,
    convert::lower,
    shape::lower,
    slices::lower,
    reduce::lower,
    dot::lower,
    memory::lower,
    control::lower,
    program::lower,
];

/// Writes an op.
pub(crate) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Results, Refusal> {
    for family in FAMILIES {
        if let Some(results) = family(lower, op)? {
            return Ok(results);
        }
    }
    Err(no(format!("`{}` has no Tile IR", op.op.name)).with_help("take the SIMT back end"))
}

/// The result of an op that gives one tile.
fn one(tile: Tile) -> Option<Results> {
    Some(vec![Bound::Tile(tile)])
}
