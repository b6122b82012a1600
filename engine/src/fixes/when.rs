//! `if pl.program_id(0) == 0:` in a kernel: `@pl.when(pl.program_id(0) == 0)` above a function with the same body.

use super::{Source, tree};
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::ast::{Expr, ExprKind, FunctionDef, Stmt, StmtKind};
use pallas_syntax::{Span, visit};
use std::collections::HashSet;

/// PL306
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let mut found: Option<(&Stmt, &Expr, &[Stmt])> = None;
    let mut functions: Vec<&FunctionDef> = Vec::new();
    tree::in_statements(&source.module.body, &mut |statement| match &statement.kind {
        StmtKind::If { test, body, orelse } if test.span == finding.span && orelse.is_empty() => {
            found = Some((statement, test, &body[..]));
        }
        StmtKind::FunctionDef(def) if tree::contains(def.span, finding.span) => functions.push(def),
        _ => {}
    });
    let (statement, test, body) = found?;
    let kernel = functions.first()?;
    if body.iter().any(leaves) || source.text(statement.span).starts_with("elif") {
        return None;
    }
    // What is bound in a function is gone behind it.
    let mut bound: HashSet<String> = HashSet::new();
    tree::in_statements(body, &mut |statement| binds(statement, &mut bound));
    let mut is_used = false;
    tree::each(&kernel.body, &mut |expr| {
        if let ExprKind::Name(name) = &expr.kind
            && bound.contains(&**name)
        {
            is_used |= !tree::contains(statement.span, expr.span);
        }
    });
    if is_used {
        return None;
    }
    let text = &source.module.source.text;
    let start = source.module.place(statement.span).start as usize;
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line..start];
    let first = source.module.place(body.first()?.span).start as usize;
    let head = &text[start..first];
    // A body on the line of its condition, or a comment between them, stays as it is.
    if !indent.chars().all(|c| c == ' ' || c == '\t') || head.matches('\n').count() != 1 || head.contains('#') {
        return None;
    }
    let end = start + head.find('\n')?;
    let replacement = format!("@{pallas}.when({})\n{indent}def _():", source.text(test.span));
    let span = Span::new(source.module.source.id, start, end);
    Some(Fix { title: format!("write `@{pallas}.when(...)`"), edits: vec![Edit { span, replacement }] })
}

/// Whether a statement, or one in it, ends the function or a loop around.
fn leaves(statement: &Stmt) -> bool {
    let mut found = matches!(statement.kind, StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue);
    visit::blocks(statement, &mut |block| found |= block.iter().any(leaves));
    found
}

fn binds(statement: &Stmt, bound: &mut HashSet<String>) {
    let mut target = |expr: &Expr| {
        tree::each_inside(expr, &mut |inner| {
            if let ExprKind::Name(name) = &inner.kind
                && !matches!(expr.kind, ExprKind::Subscript { .. } | ExprKind::Attribute { .. })
            {
                bound.insert(name.to_string());
            }
        });
    };
    match &statement.kind {
        StmtKind::Assign { targets, .. } => targets.iter().for_each(&mut target),
        StmtKind::AugAssign { target: into, .. } | StmtKind::For { target: into, .. } => target(into),
        _ => {}
    }
}
