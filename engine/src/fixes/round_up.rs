//! `grid=(n // block,)` where the last, partial block is needed: `pl.cdiv(n, block)`.

use super::{Source, tree};
use pallas_ir::{BlockMap, Edit, Finding, Fix, Launch, Operand};
use pallas_syntax::ast::{BinaryOp, Expr, ExprKind};

/// PL121, PL123
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let launch = source.launches.iter().find(|launch| is_of(finding, launch))?;
    let grid = tree::at(source.module, launch.spans.grid?)?;
    let extents: Vec<&Expr> = match &grid.kind {
        ExprKind::Tuple(extents) | ExprKind::List(extents) => extents.iter().collect(),
        _ => vec![grid],
    };
    if extents.len() != launch.grid.len() {
        return None;
    }
    // Axes that choose blocks of what the finding is about; all where it is about the grid.
    let at = |operand: &&Operand| [operand.spans.index_map, operand.spans.spec].contains(&Some(finding.span));
    let maps: Vec<_> =
        launch.operands.iter().filter(at).map(|operand| BlockMap::new(operand, launch.grid.len())).collect();
    let counts = |axis: usize| maps.is_empty() || maps.iter().any(|map| map.depends_on(axis) != Some(false));
    let mut edits = Vec::new();
    for (_, (extent, &programs)) in extents.iter().zip(&launch.grid).enumerate().filter(|(axis, _)| counts(*axis)) {
        let ExprKind::BinOp { left, op: BinaryOp::FloorDiv, right } = &extent.kind else { continue };
        let (Some(length), Some(block)) = (source.integer(left), source.integer(right)) else { continue };
        // Only what drops a part.
        if block > 0 && length > 0 && length % block != 0 && programs as i64 == length / block {
            let call = format!("{pallas}.cdiv({}, {})", source.text(left.span), source.text(right.span));
            edits.push(Edit { span: extent.span, replacement: call });
        }
    }
    (!edits.is_empty()).then(|| Fix { title: "round up with `cdiv`".to_string(), edits })
}

/// Whether a finding is about a launch: it stands at its grid, or at one of its index maps.
fn is_of(finding: &Finding, launch: &Launch) -> bool {
    let grid = launch.spans.grid == Some(finding.span);
    let labelled = finding.labels.iter().any(|label| launch.spans.grid == Some(label.span));
    let mut operands = launch.operands.iter().flat_map(|operand| [operand.spans.index_map, operand.spans.spec]);
    grid || (labelled && operands.any(|span| span == Some(finding.span)))
}
