//! Reductions and running sums: regions that combine two elements.

use super::{Results, arith, expand, one, shape};
use crate::Refusal;
use crate::emit::Emitter;
use crate::lower::Lowering;
use crate::types::{Tile, shaped};
use pallas_ir::OpData;
use pallas_tensor::DType;

/// The op that combines, by the name of the reduction or running sum.
const COMBINES: &[(&str, &str)] = &[
    ("reduce_sum", "add"),
    ("reduce_max", "max"),
    ("reduce_min", "min"),
    ("reduce_prod", "mul"),
    ("reduce_and", "and"),
    ("reduce_or", "or"),
    ("reduce_xor", "xor"),
    ("cumsum", "add"),
    ("cumprod", "mul"),
    ("cummax", "max"),
    ("cummin", "min"),
];

/// Writes `"word"(operands) <{attributes}> ({ region })`, and gives the results, whose shape is `extents`.
fn regional(
    emitter: &mut Emitter,
    word: &str,
    attributes: &str,
    operands: &[Tile],
    extents: &[usize],
    combine: impl FnOnce(&mut Emitter, &[Tile], &[Tile]) -> Result<Vec<Tile>, Refusal>,
) -> Result<Vec<Tile>, Refusal> {
    let mut sides = Vec::new();
    for operand in operands.iter().chain(operands) {
        sides.push(emitter.tile(operand.dtype, &[])?);
    }
    let results: Vec<Tile> =
        operands.iter().map(|operand| emitter.tile(operand.dtype, extents)).collect::<Result<_, _>>()?;
    let names = |tiles: &[Tile]| tiles.iter().map(|tile| tile.name.to_string()).collect::<Vec<_>>().join(", ");
    let types = |tiles: &[Tile]| tiles.iter().map(Tile::ty).collect::<Vec<_>>().join(", ");
    let (left, right) = match results.as_slice() {
        [only] => (only.name.to_string(), shaped(only.element(), extents)),
        many => (format!("{}:{}", many[0].name, many.len()), format!("({})", types(many))),
    };
    emitter.line(&format!("{left} = \"{word}\"({}) <{{{attributes}}}> ({{", names(operands)));
    let sides_typed: Vec<String> = sides.iter().map(|side| format!("{}: {}", side.name, side.ty())).collect();
    emitter.line(&format!("^bb0({}):", sides_typed.join(", ")));
    emitter.indent();
    let (one, other) = sides.split_at(operands.len());
    let combined = combine(emitter, one, other)?;
    emitter.line(&format!("{word}.return {} : {}", names(&combined), types(&combined)));
    emitter.outdent();
    emitter.line(&format!("}}) : ({}) -> {right}", types(operands)));
    if let [_] = results.as_slice() {
        return Ok(results);
    }
    let first = results[0].name.clone();
    let numbered = results.into_iter().enumerate();
    Ok(numbered.map(|(number, tile)| Tile { name: format!("{first}#{number}").into(), ..tile }).collect())
}

/// Folds axes, the last first.
pub(crate) fn reduced(emitter: &mut Emitter, combine: &str, x: &Tile, axes: &[usize]) -> Result<Tile, Refusal> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let mut x = x.clone();
    while let Some(axis) = axes.pop() {
        let mut extents = x.shape.clone();
        extents.remove(axis);
        let results = regional(
            emitter,
            "tt.reduce",
            &format!("axis = {axis} : i32"),
            std::slice::from_ref(&x),
            &extents,
            |emitter, a, b| Ok(vec![arith::binary(emitter, combine, &a[0], &b[0])?]),
        )?;
        x = results.into_iter().next().unwrap_or(x);
        if !axes.is_empty() && matches!(combine, "add" | "max" | "min") && x.dtype != DType::Bool {
            // As JAX does, since an old Triton confused the layouts of two reductions in a row.
            x = expand::negated(emitter, &x)?;
            x = expand::negated(emitter, &x)?;
        }
    }
    Ok(x)
}

fn running(emitter: &mut Emitter, combine: &str, x: &Tile, axis: usize, reverse: bool) -> Result<Tile, Refusal> {
    let attributes = format!("axis = {axis} : i32, reverse = {reverse}");
    let results = regional(emitter, "tt.scan", &attributes, std::slice::from_ref(x), &x.shape, |emitter, a, b| {
        Ok(vec![arith::binary(emitter, combine, &a[0], &b[0])?])
    })?;
    results.into_iter().next().ok_or_else(|| Refusal::new("a scan gives nothing"))
}

/// The place of the first largest (or smallest) element, by comparing pairs of values and positions.
fn place_of(emitter: &mut Emitter, x: &Tile, axis: usize, largest: bool) -> Result<Tile, Refusal> {
    let mut index = shape::range(emitter, 0, x.shape[axis])?;
    for dim in (0..x.shape.len()).filter(|&dim| dim != axis) {
        index = shape::expand(emitter, &index, dim)?;
    }
    let index = shape::spread(emitter, &index, &x.shape)?;
    let mut extents = x.shape.clone();
    extents.remove(axis);
    let attributes = format!("axis = {axis} : i32");
    let results = regional(emitter, "tt.reduce", &attributes, &[x.clone(), index], &extents, |emitter, a, b| {
        let above = arith::compare(emitter, "gt", &a[0], &b[0])?;
        let below = arith::compare(emitter, "lt", &a[0], &b[0])?;
        let first = arith::binary(emitter, "min", &a[1], &b[1])?;
        let (mine, theirs) = if largest { (above, below) } else { (below, above) };
        let place = arith::select(emitter, &theirs, &b[1], &first)?;
        let place = arith::select(emitter, &mine, &a[1], &place)?;
        let value = arith::binary(emitter, if largest { "max" } else { "min" }, &a[0], &b[0])?;
        Ok(vec![value, place])
    })?;
    results.into_iter().nth(1).ok_or_else(|| Refusal::new("a reduction gives nothing"))
}

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    let name = op.op.name;
    let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(0);
    if let "argmax" | "argmin" = name {
        if op.attributes.dtype("dtype") != Some(DType::I32) {
            return Err(Refusal::new(format!(
                "`{name}` gives int32 only in the Triton lowering: `index_dtype=jnp.int32`"
            )));
        }
        let x = lowering.tile(op.operands[0])?;
        return Ok(one(place_of(lowering.emitter, &x, axis, name == "argmax")?));
    }
    let Some((_, combine)) = COMBINES.iter().find(|(reduction, _)| *reduction == name) else { return Ok(None) };
    let x = lowering.tile(op.operands[0])?;
    if name.starts_with("cum") {
        return Ok(one(running(lowering.emitter, combine, &x, axis, op.attributes.flag("reverse"))?));
    }
    let axes = op.attributes.ints("axes").unwrap_or_default();
    let axes: Vec<usize> = axes.iter().filter_map(|&axis| usize::try_from(axis).ok()).collect();
    Ok(one(reduced(lowering.emitter, combine, &x, &axes)?))
}
