//! `pl.when(condition)` that decorates no function (PL314): as a condition of Python, where it is always true, or as a statement,
//! where it does nothing. Read off the syntax: JAX says nothing of it.

use crate::fixes::tree;
use pallas_ir::Finding;
use pallas_syntax::ast::{Expr, ExprKind, Module, Stmt, StmtKind, UnaryOp};

const PALLAS: &str = "jax.experimental.pallas";

/// Every such place of a file.
pub(crate) fn find(module: &Module) -> Vec<Finding> {
    if !module.source.text.contains("when(") {
        return Vec::new();
    }
    let Some(pallas) = tree::module_name(module, PALLAS) else { return Vec::new() };
    let mut found = Vec::new();
    tree::in_statements(&module.body, &mut |statement: &Stmt| match &statement.kind {
        StmtKind::If { test, .. } | StmtKind::While { test, .. } | StmtKind::Assert { test, .. } => {
            truths(test, &pallas, &mut found);
        }
        StmtKind::Expr(value) if is_when(value, &pallas) => found.push(finding(
            value,
            format!("`{pallas}.when(...)` as a statement does nothing: it is a decorator, and decorates no function"),
        )),
        _ => {}
    });
    tree::each(&module.body, &mut |expr| match &expr.kind {
        ExprKind::IfExp { test, .. } => truths(test, &pallas, &mut found),
        ExprKind::BoolOp { values, .. } => values.iter().for_each(|value| truths(value, &pallas, &mut found)),
        ExprKind::UnaryOp { op: UnaryOp::Not, operand } => truths(operand, &pallas, &mut found),
        _ => {}
    });
    found
}

/// Notes an expression that Python asks whether it is true.
fn truths(test: &Expr, pallas: &str, found: &mut Vec<Finding>) {
    if is_when(test, pallas) {
        found.push(finding(
            test,
            format!("`{pallas}.when(...)` is a decorator, which Python takes for true, whatever its condition"),
        ));
    }
}

fn finding(when: &Expr, message: String) -> Finding {
    let help = "write `@pl.when(...)` above `def _():`, and below it what is to be done where the condition holds";
    Finding { help: Some(help.to_string()), ..crate::findings::proved("PL314", when.span, message) }
}

/// Whether an expression is `pl.when(...)`.
pub(crate) fn is_when(expr: &Expr, pallas: &str) -> bool {
    let ExprKind::Call { function, .. } = &expr.kind else { return false };
    let ExprKind::Attribute { value, name, .. } = &function.kind else { return false };
    &**name == "when" && is_path(value, pallas)
}

/// Whether an expression is written `a.b.c`.
fn is_path(expr: &Expr, path: &str) -> bool {
    match (&expr.kind, path.rsplit_once('.')) {
        (ExprKind::Name(name), None) => &**name == path,
        (ExprKind::Attribute { value, name, .. }, Some((outer, last))) => &**name == last && is_path(value, outer),
        _ => false,
    }
}
