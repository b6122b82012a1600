//! `lambda i: (pl.program_id(0), 0)`: the map's own parameter.

use super::{Source, tree};
use pallas_ir::{Finding, Fix};
use pallas_syntax::ast::{Arg, Constant, ExprKind};

/// PL113
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let path = tree::path_to(source.module, finding.span)?;
    let lambda = path.iter().rev().find_map(|expr| match &expr.kind {
        ExprKind::Lambda(lambda) => Some(lambda),
        _ => None,
    })?;
    let ExprKind::Call { args, .. } = &path.last()?.kind else { return None };
    let [Arg::Positional(axis)] = args.as_slice() else { return None };
    let ExprKind::Constant(Constant::Int(axis)) = axis.kind else { return None };
    let (name, args) = tree::callee(path.last()?)?;
    let parameter = lambda.params.positional.get(usize::try_from(axis).ok()?)?;
    (&**name == "program_id" && args.len() == 1)
        .then(|| Fix::replace(format!("write `{}`", parameter.name), finding.span, parameter.name.to_string()))
}
