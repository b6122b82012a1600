//! `o_ref[...] = value` with a value of another dtype: `value.astype(o_ref.dtype)`.

use super::{Source, tree};
use pallas_ir::{Finding, Fix};
use pallas_syntax::ast::{Expr, ExprKind, StmtKind};

/// PL302
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    // To a dtype that cannot be had nothing is converted.
    if finding.help.as_deref().is_some_and(|help| help.contains("jax_enable_x64")) {
        return None;
    }
    let mut found: Option<(&Expr, &Expr)> = None;
    tree::in_statements(&source.module.body, &mut |statement| {
        if let StmtKind::Assign { targets, value } = &statement.kind
            && let [target] = targets.as_slice()
            && target.span.touches(finding.span.start)
            && tree::contains(statement.span, finding.span)
        {
            found = Some((target, value));
        }
    });
    let (target, value) = found?;
    let ExprKind::Subscript { value: reference, .. } = &target.kind else { return None };
    if !matches!(reference.kind, ExprKind::Name(_)) {
        return None;
    }
    let (reference, text) = (source.text(reference.span), source.text(value.span));
    let is_primary = matches!(
        value.kind,
        ExprKind::Name(_) | ExprKind::Call { .. } | ExprKind::Attribute { .. } | ExprKind::Subscript { .. }
    );
    let text = if is_primary { text.to_string() } else { format!("({text})") };
    Some(Fix::replace(
        format!("convert to the dtype of {reference}"),
        value.span,
        format!("{text}.astype({reference}.dtype)"),
    ))
}
