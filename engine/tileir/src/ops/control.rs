//! Loops and branches. Beside what the program carries they carry tokens and kept tiles that change inside.

use super::{Results, arith, convert};
use crate::lower::{Bound, Lower, State};
use crate::types::{Tile, element, tile};
use crate::{Refusal, no};
use cutile_ir::bytecode::Opcode;
use cutile_ir::ir::{Type, Value};
use pallas_ir::{ControlOp, OpData, OpKind, RegionId, ValueId};
use pallas_tensor::DType;
use std::collections::BTreeSet;

fn values(tiles: &[Tile]) -> Vec<Value> {
    tiles.iter().map(|tile| tile.value).collect()
}

/// Tiles like others.
fn alike(tiles: &[Tile], values: &[Value]) -> Vec<Tile> {
    tiles.iter().zip(values).map(|(tile, &value)| Tile::new(value, tile.dtype, &tile.shape)).collect()
}

fn bind(lower: &mut Lower<'_>, params: &[ValueId], tiles: &[Tile]) {
    for (&param, tile) in params.iter().zip(tiles) {
        lower.bind(param, Bound::Tile(tile.clone()));
    }
}

/// What a loop or branch carries.
struct Carried {
    states: BTreeSet<State>,
    first: Vec<Value>,
    types: Vec<Type>,
}

fn carried(lower: &Lower<'_>, op: &OpData, tiles: &[Tile]) -> Result<Carried, Refusal> {
    let states = lower.touched(&op.regions);
    let (state, state_types) = lower.states(&states)?;
    let mut first = values(tiles);
    first.extend(state);
    let mut types: Vec<Type> = tiles.iter().map(Tile::ty).collect();
    types.extend(state_types);
    Ok(Carried { states, first, types })
}

/// What a region hands on: its tiles, and what changes.
fn handed(lower: &Lower<'_>, carried: &Carried, tiles: &[Tile]) -> Result<Vec<Value>, Refusal> {
    let mut handed = values(tiles);
    handed.extend(lower.states(&carried.states)?.0);
    Ok(handed)
}

fn counted(lower: &mut Lower<'_>, op: &OpData) -> Result<Vec<Tile>, Refusal> {
    let tiles = lower.tiles(op)?;
    let [lowest, upper, carries @ ..] = tiles.as_slice() else { return Err(no("a loop lacks its bounds")) };
    let carried = carried(lower, op, carries)?;
    let one = lower.e.like(lowest, 1.0)?;
    let mut params = vec![lowest.ty()];
    params.extend(carried.types.iter().cloned());
    let inner = lower.e.begin(&params);
    lower.change(&carried.states, &inner[1 + carries.len()..]);
    let function = lower.function;
    let names = &function.region(op.regions[0]).params;
    let counter = Tile::new(inner[0], lowest.dtype, &[]);
    bind(lower, names, &[counter]);
    bind(lower, &names[1..], &alike(carries, &inner[1..]));
    let yields = lower.region(op.regions[0])?;
    let last = handed(lower, &carried, &yields)?;
    let region = lower.e.end(Opcode::Continue, &last);
    let mut operands = vec![lowest.value, upper.value, one.value];
    operands.extend(&carried.first);
    let results = lower.e.control(Opcode::For, &operands, vec![], &carried.types, vec![region]);
    lower.change(&carried.states, &results[carries.len()..]);
    Ok(alike(carries, &results))
}

fn repeated(lower: &mut Lower<'_>, op: &OpData) -> Result<Vec<Tile>, Refusal> {
    let carries = lower.tiles(op)?;
    let carried = carried(lower, op, &carries)?;
    let inner = lower.e.begin(&carried.types);
    lower.change(&carried.states, &inner[carries.len()..]);
    let function = lower.function;
    let inside = alike(&carries, &inner);
    bind(lower, &function.region(op.regions[0]).params, &inside);
    let goes_on = lower.region(op.regions[0])?;
    let goes_on = goes_on.first().ok_or_else(|| no("a loop lacks its condition"))?;
    let so_far = handed(lower, &carried, &inside)?;
    lower.e.begin(&[]);
    let on = lower.e.end(Opcode::Yield, &[]);
    lower.e.begin(&[]);
    let done = lower.e.end(Opcode::Break, &so_far);
    lower.e.control(Opcode::If, &[goes_on.value], vec![], &[], vec![on, done]);
    bind(lower, &function.region(op.regions[1]).params, &inside);
    let yields = lower.region(op.regions[1])?;
    let last = handed(lower, &carried, &yields)?;
    let region = lower.e.end(Opcode::Continue, &last);
    let results = lower.e.control(Opcode::Loop, &carried.first, vec![], &carried.types, vec![region]);
    lower.change(&carried.states, &results[carries.len()..]);
    Ok(alike(&carries, &results))
}

/// `if index == 0 { first } else { the others, with index - 1 }`
fn branches(lower: &mut Lower<'_>, op: &OpData, index: &Tile, regions: &[RegionId]) -> Result<Vec<Tile>, Refusal> {
    if let (Some(known), last) = (index.known, regions.len() as i64 - 1) {
        return lower.region(regions[known.clamp(0, last) as usize]);
    }
    let [first, rest @ ..] = regions else { return Err(no("a branch has no cases")) };
    if rest.is_empty() {
        return lower.region(*first);
    }
    let mut results = Vec::new();
    for &value in &op.results {
        let ty = lower.function.ty(value);
        results.push((ty.dtype(), ty.shape().to_vec()));
    }
    let mut types = Vec::new();
    for (dtype, shape) in &results {
        types.push(tile(element(*dtype)?, shape));
    }
    let states = lower.touched(regions);
    types.extend(lower.states(&states)?.1);
    let carried = Carried { states, first: Vec::new(), types };
    let zero = lower.e.like(index, 0.0)?;
    // The last branch is for all that is above: with two of them, everything that is not 0, or below.
    let is_first = arith::compare(&mut lower.e, "le", index, &zero)?;
    let before = lower.now();
    let mut sides = Vec::new();
    for side in 0..2 {
        lower.e.begin(&[]);
        let yields = match (side, rest) {
            (0, _) => lower.region(*first)?,
            (_, [only]) => lower.region(*only)?,
            (_, rest) => {
                let one = lower.e.like(index, 1.0)?;
                let less = arith::binary(&mut lower.e, "sub", index, &one)?;
                branches(lower, op, &less, rest)?
            }
        };
        let handed = handed(lower, &carried, &yields)?;
        sides.push(lower.e.end(Opcode::Yield, &handed));
        lower.back(&before);
    }
    let values = lower.e.control(Opcode::If, &[is_first.value], vec![], &carried.types, sides);
    lower.change(&carried.states, &values[results.len()..]);
    Ok(results.iter().zip(&values).map(|((dtype, shape), &value)| Tile::new(value, *dtype, shape)).collect())
}

/// The family.
pub(super) fn lower(lower: &mut Lower<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let OpKind::Control(control) = op.op.kind else { return Ok(None) };
    let tiles = match control {
        ControlOp::For => counted(lower, op)?,
        ControlOp::While => repeated(lower, op)?,
        ControlOp::Cond => {
            let index = lower.scalar(op.operands[0])?;
            let index = convert::cast(&mut lower.e, &index, DType::I32)?;
            branches(lower, op, &index, &op.regions)?
        }
        ControlOp::Scoped => {
            let function = lower.function;
            for &param in &function.region(op.regions[0]).params {
                lower.allocate(param)?;
            }
            lower.region(op.regions[0])?
        }
        ControlOp::Call => {
            let function = lower.function;
            for (&param, value) in function.region(op.regions[0]).params.iter().zip(&op.operands) {
                if let Some(bound) = lower.values.get(value).cloned() {
                    lower.bind(param, bound);
                }
            }
            lower.region(op.regions[0])?
        }
        ControlOp::Pipeline => {
            return Err(no("pipelines inside of kernels have no Tile IR").with_help("take the SIMT back end"));
        }
    };
    Ok(Some(tiles.into_iter().map(Bound::Tile).collect()))
}
