//! A grid that ends before the array does, where blocks divide it: `n // block - 1` becomes `n // block`, 3 becomes 4.

use super::{Source, tree};
use pallas_ir::{BlockMap, Finding, Fix, IndexForm, Launch, Operand};
use pallas_syntax::ast::{BinaryOp, Constant, Expr, ExprKind};

/// PL127
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let about = |launch: &Launch| -> Option<(usize, usize)> {
        let operand = launch.operands.iter().find(|operand| operand.spans.index_map == Some(finding.span))?;
        short(launch, operand)
    };
    let mut launches = source.launches.iter().filter_map(|launch| Some((launch, about(launch)?)));
    let (launch, (axis, wanted)) = launches.next()?;
    if launches.any(|(_, other)| other != (axis, wanted)) {
        return None;
    }
    let grid = tree::at(source.module, launch.spans.grid?)?;
    let extents: Vec<&Expr> = match &grid.kind {
        ExprKind::Tuple(extents) | ExprKind::List(extents) => extents.iter().collect(),
        _ => vec![grid],
    };
    let extent = *extents.get(axis).filter(|_| extents.len() == launch.grid.len())?;
    let replacement = match &extent.kind {
        ExprKind::Constant(Constant::Int(_)) => wanted.to_string(),
        ExprKind::BinOp { left, op: BinaryOp::Sub, .. } if source.integer(left) == i64::try_from(wanted).ok() => {
            source.text(left.span).to_string()
        }
        _ => return None,
    };
    Some(Fix::replace("let the grid reach every block", extent.span, replacement))
}

/// The grid axis that has fewer programs than an operand has blocks, and how many those are.
fn short(launch: &Launch, operand: &Operand) -> Option<(usize, usize)> {
    let map = BlockMap::new(operand, launch.grid.len());
    map.dims.iter().zip(&operand.block).zip(operand.array.shape.iter()).find_map(|((form, block), &extent)| {
        let IndexForm::Affine { constant: 0, coefficients } = form else { return None };
        let axis = coefficients.iter().position(|&c| c == 1)?;
        let is_only = coefficients.iter().filter(|&&c| c != 0).count() == 1;
        let (blocks, divides) = (block.blocks(extent), block.size() > 0 && extent.is_multiple_of(block.size()));
        (is_only && divides && launch.grid[axis] < blocks).then_some((axis, blocks))
    })
}
