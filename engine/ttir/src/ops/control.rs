//! Loops and branches: `scf`.

use super::Results;
use crate::Refusal;
use crate::lower::{Bound, Lowering};
use crate::types::Tile;
use pallas_ir::{ControlOp, OpData, OpKind, RegionId, ValueId};
use pallas_tensor::DType;

fn names(tiles: &[Tile]) -> String {
    tiles.iter().map(|tile| tile.name.to_string()).collect::<Vec<_>>().join(", ")
}

fn types(tiles: &[Tile]) -> String {
    tiles.iter().map(Tile::ty).collect::<Vec<_>>().join(", ")
}

/// New tiles like others: results, and parameters of regions.
fn alike(lowering: &mut Lowering<'_>, tiles: &[Tile]) -> Result<Vec<Tile>, Refusal> {
    tiles.iter().map(|tile| lowering.emitter.tile(tile.dtype, &tile.shape)).collect()
}

/// The names of what an op with several results gives.
fn numbered(results: Vec<Tile>) -> (String, Vec<Tile>) {
    match results.len() {
        0 => (String::new(), results),
        1 => (format!("{} = ", results[0].name), results),
        count => {
            let first = results[0].name.clone();
            let tiles = results.into_iter().enumerate();
            let tiles = tiles.map(|(i, tile)| Tile { name: format!("{first}#{i}").into(), ..tile }).collect();
            (format!("{first}:{count} = "), tiles)
        }
    }
}

fn bind(lowering: &mut Lowering<'_>, params: &[ValueId], tiles: &[Tile]) {
    for (&param, tile) in params.iter().zip(tiles) {
        lowering.bind(param, Bound::Tile(tile.clone()));
    }
}

/// A region's ops, deeper, and what it yields.
fn inside(lowering: &mut Lowering<'_>, region: RegionId, word: &str) -> Result<(), Refusal> {
    lowering.emitter.indent();
    let yields = lowering.region(region)?;
    if !yields.is_empty() {
        lowering.emitter.line(&format!("{word} {} : {}", names(&yields), types(&yields)));
    }
    lowering.emitter.outdent();
    Ok(())
}

fn counted(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Vec<Tile>, Refusal> {
    let tiles = lowering.tiles(op)?;
    let [lower, upper, carries @ ..] = tiles.as_slice() else { return Err(Refusal::new("a loop lacks its bounds")) };
    let step = lowering.emitter.number(lower, 1)?;
    let results = alike(lowering, carries)?;
    let (left, results) = numbered(results);
    let counter = lowering.emitter.tile(lower.dtype, &[])?;
    let inner = alike(lowering, carries)?;
    let pairs: Vec<String> =
        inner.iter().zip(carries).map(|(inner, first)| format!("{} = {}", inner.name, first.name)).collect();
    let arguments = match carries.is_empty() {
        true => String::new(),
        false => format!(" iter_args({}) -> ({})", pairs.join(", "), types(carries)),
    };
    lowering.emitter.line(&format!(
        "{left}scf.for {} = {} to {} step {}{arguments} : {} {{",
        counter.name,
        lower.name,
        upper.name,
        step.name,
        lower.ty()
    ));
    let region = op.regions[0];
    let params = lowering.function.region(region).params.clone();
    bind(lowering, &params, std::slice::from_ref(&counter));
    bind(lowering, &params[1..], &inner);
    inside(lowering, region, "scf.yield")?;
    lowering.emitter.line("}");
    Ok(results)
}

fn repeated(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Vec<Tile>, Refusal> {
    let carries = lowering.tiles(op)?;
    let (condition, body) = (op.regions[0], op.regions[1]);
    let results = alike(lowering, &carries)?;
    let (left, results) = numbered(results);
    let before = alike(lowering, &carries)?;
    let pairs: Vec<String> =
        before.iter().zip(&carries).map(|(inner, first)| format!("{} = {}", inner.name, first.name)).collect();
    let given = match carries.as_slice() {
        [only] => only.ty(),
        many => format!("({})", types(many)),
    };
    lowering.emitter.line(&format!("{left}scf.while ({}) : ({}) -> {given} {{", pairs.join(", "), types(&carries)));
    let params = lowering.function.region(condition).params.clone();
    bind(lowering, &params, &before);
    lowering.emitter.indent();
    let goes_on = lowering.region(condition)?;
    let rest = if before.is_empty() { String::new() } else { format!(" {} : {}", names(&before), types(&before)) };
    lowering.emitter.line(&format!("scf.condition({}){rest}", names(&goes_on)));
    lowering.emitter.outdent();
    lowering.emitter.line("} do {");
    let after = alike(lowering, &carries)?;
    let typed: Vec<String> = after.iter().map(|tile| format!("{}: {}", tile.name, tile.ty())).collect();
    if !after.is_empty() {
        lowering.emitter.line(&format!("^bb0({}):", typed.join(", ")));
    }
    let params = lowering.function.region(body).params.clone();
    bind(lowering, &params, &after);
    inside(lowering, body, "scf.yield")?;
    lowering.emitter.line("}");
    Ok(results)
}

/// `if index == 0 { first } else { the others, with index - 1 }`
fn branches(
    lowering: &mut Lowering<'_>,
    op: &OpData,
    index: &Tile,
    regions: &[RegionId],
) -> Result<Vec<Tile>, Refusal> {
    let mut results = Vec::new();
    for &value in &op.results {
        let ty = lowering.function.ty(value).clone();
        results.push(lowering.emitter.tile(ty.dtype(), ty.shape())?);
    }
    let zero = lowering.emitter.number(index, 0)?;
    let first = super::arith::compare(lowering.emitter, "eq", index, &zero)?;
    let (left, results) = numbered(results);
    let arrow = if results.is_empty() { String::new() } else { format!("-> ({}) ", types(&results)) };
    lowering.emitter.line(&format!("{left}scf.if {} {arrow}{{", first.name));
    inside(lowering, regions[0], "scf.yield")?;
    lowering.emitter.line("} else {");
    match &regions[1..] {
        [] => {}
        [last] => inside(lowering, *last, "scf.yield")?,
        rest => {
            lowering.emitter.indent();
            let less = lowering.emitter.number(index, 1)?;
            let index = super::arith::binary(lowering.emitter, "sub", index, &less)?;
            let yields = branches(lowering, op, &index, rest)?;
            if !yields.is_empty() {
                lowering.emitter.line(&format!("scf.yield {} : {}", names(&yields), types(&yields)));
            }
            lowering.emitter.outdent();
        }
    }
    lowering.emitter.line("}");
    Ok(results)
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let OpKind::Control(kind) = op.op.kind else { return Ok(None) };
    let results = match kind {
        ControlOp::For => counted(lowering, op)?,
        ControlOp::While => repeated(lowering, op)?,
        ControlOp::Cond if op.regions.len() == 1 => lowering.region(op.regions[0])?,
        ControlOp::Cond => {
            let which = lowering.tile(op.operands[0])?;
            let mut which = super::convert::cast(lowering.emitter, &which, DType::I32, false)?;
            if op.regions.len() > 2 {
                // The IR clamps here, JAX before.
                let (low, high) = (lowering.emitter.index(0)?, lowering.emitter.index(op.regions.len() as i64 - 1)?);
                which = super::arith::binary(lowering.emitter, "max", &low, &which)?;
                which = super::arith::binary(lowering.emitter, "min", &which, &high)?;
            }
            branches(lowering, op, &which, &op.regions)?
        }
        ControlOp::Call => {
            let tiles = lowering.tiles(op)?;
            let params = lowering.function.region(op.regions[0]).params.clone();
            bind(lowering, &params, &tiles);
            lowering.region(op.regions[0])?
        }
        ControlOp::Scoped => {
            return Err(Refusal::new(
                "`pl.run_scoped` is not implemented in the Triton lowering: Triton has no memory that programs allocate",
            ));
        }
        ControlOp::Pipeline => {
            return Err(Refusal::new(
                "`emit_pipeline` is not implemented in the Triton lowering: loop, and load from the Refs",
            ));
        }
    };
    Ok(Some(results.into_iter().map(Bound::Tile).collect()))
}
