//! Ops that work element by element: operands without lanes are spread.

use super::{Call, Lane, Rule};
use crate::context::Context;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::raise::PyResult;
use pallas_tensor::Shape;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Rule)> {
    let named = [
        "select_n",
        "clamp",
        "convert_element_type",
        "bitcast_convert_type",
        "reduce_precision",
        "stop_gradient",
        "random_fold_in",
        "random_seed",
        "random_wrap",
        "random_unwrap",
        "random_bits",
        "random_split",
        "threefry2x32",
        "top_k",
    ];
    let families = ops::ALL.iter().map(|def| def.name).filter(|name| is_elementwise(name));
    families.chain(named).map(|name| (name, rule as Rule))
}

/// Whether an op of the unary, binary and compare families.
fn is_elementwise(name: &str) -> bool {
    ops::find(name).is_some_and(|op| ops::is_elementwise_binary(op) || ops::is_elementwise_unary(op))
}

/// Spreads what has no lanes; a scalar among operands of higher rank (the bounds of `clamp`, the choice of `select_n`)
/// is spread over their dimensions as well.
fn rule(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let size = call.axis.size;
    let rank = call.operands.iter().map(Lane::rank).max().unwrap_or(0);
    let full = call.operands.iter().find(|lane| lane.rank() == rank).map(Lane::shape).unwrap_or_default();
    let full: Shape = std::iter::once(size).chain(full.iter().copied()).collect();
    let mut operands: Vec<Tile> = Vec::with_capacity(call.operands.len());
    for lane in &call.operands {
        let scalar = lane.rank() == 0 && rank > 0;
        operands.push(match (scalar, lane.batched) {
            (true, true) => primitive::broadcast_in_dim(cx, &lane.tile, &full, &[0])?,
            (true, false) if call.op.name == "random_fold_in" => {
                primitive::broadcast_in_dim(cx, &lane.tile, &full, &[])?
            }
            // `clamp` and `select_n` take scalars beside tiles.
            (true, false) => lane.tile.clone(),
            (false, _) => lane.spread(cx, size)?,
        });
    }
    let operands: Vec<&Tile> = operands.iter().collect();
    let results = cx.bind_all(call.op, &operands, call.attributes.clone())?;
    Ok(results.into_iter().map(Lane::batched).collect())
}
