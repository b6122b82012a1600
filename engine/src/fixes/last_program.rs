//! `step == pl.num_programs(1)`, which never holds, and `pl.num_programs(1) - 2`, which holds too early: the last program has the
//! id `pl.num_programs(1) - 1`.

use super::{Source, initialise, tree};
use pallas_ir::{Finding, Fix};
use pallas_syntax::ast::{BinaryOp, CompareOp, Constant, Expr, ExprKind};

/// PL128, PL129
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let kernel = initialise::kernel_around(source, finding.span)?;
    let mut wrong: Vec<(&Expr, &Expr)> = Vec::new();
    tree::each(&kernel.body, &mut |expr| {
        if let ExprKind::Compare { left, ops, rest } = &expr.kind
            && let ([CompareOp::Eq], [right]) = (ops.as_slice(), rest.as_slice())
        {
            wrong.extend([&**left, right].into_iter().filter_map(|side| Some((side, not_the_last(side)?))));
        }
    });
    let &[(side, extent)] = wrong.as_slice() else { return None };
    let last = format!("{} - 1", source.text(extent.span));
    Some(Fix::replace("compare with the last program", side.span, last))
}

/// `pl.num_programs(axis)` of an expression that is that, or that less a number other than 1.
fn not_the_last(expr: &Expr) -> Option<&Expr> {
    let is_extent = |expr: &Expr| tree::callee(expr).is_some_and(|(name, _)| &**name == "num_programs");
    match &expr.kind {
        ExprKind::BinOp { left, op: BinaryOp::Sub, right } if is_extent(left) => match right.kind {
            ExprKind::Constant(Constant::Int(1)) => None,
            ExprKind::Constant(Constant::Int(_)) => Some(left),
            _ => None,
        },
        _ => is_extent(expr).then_some(expr),
    }
}
