//! `o_ref = x + y` in a kernel, which gives the name another meaning: `o_ref[...] = x + y`.

use super::{Source, tree};
use crate::fixes::initialise::kernel_around;
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::Span;
use pallas_syntax::ast::{ExprKind, StmtKind};

/// PL122
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let name = source.text(finding.span);
    let kernel = kernel_around(source, finding.span).filter(|kernel| kernel.params.iter().any(|p| &*p.name == name))?;
    let mut assigned: Vec<Span> = Vec::new();
    tree::in_statements(&kernel.body, &mut |statement| {
        if let StmtKind::Assign { targets, .. } = &statement.kind {
            let is_it = |kind: &ExprKind| matches!(kind, ExprKind::Name(target) if &**target == name);
            assigned.extend(targets.iter().filter(|target| is_it(&target.kind)).map(|target| target.span));
        }
    });
    let edits =
        assigned.iter().map(|target| Edit { span: Span { start: target.end, ..*target }, replacement: "[...]".into() });
    let edits: Vec<Edit> = edits.collect();
    (!edits.is_empty()).then(|| Fix { title: format!("store to the Ref: `{name}[...] = ...`"), edits })
}
