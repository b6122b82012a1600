//! Walks over statements: each `def`, with the names it assigns.

use pallas_engine::syntax::ast::{Expr, ExprKind, FunctionDef, Stmt, StmtKind};
use std::sync::Arc;

/// Calls `visit` for every `def` of a module, nested ones included.
pub(crate) fn functions<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a FunctionDef)) {
    for statement in body {
        if let StmtKind::FunctionDef(def) = &statement.kind {
            visit(def);
            functions(&def.body, visit);
        }
        for inner in bodies(statement) {
            functions(inner, visit);
        }
    }
}

/// Calls `visit` for every plain name that a function's own statements assign; `x += 1` does not count, `x` has its type
/// from elsewhere.
pub(crate) fn assigned_names(body: &[Stmt], visit: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match &statement.kind {
            StmtKind::Assign { targets, .. } => targets.iter().for_each(|t| names(t, visit)),
            StmtKind::AnnAssign { target, .. } => names(target, visit),
            StmtKind::For { target, .. } => names(target, visit),
            _ => {}
        }
        for inner in bodies(statement) {
            assigned_names(inner, visit);
        }
    }
}

/// Calls `visit` for every plain name in a target.
pub(crate) fn names(target: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match &target.kind {
        ExprKind::Name(_) => visit(target),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|i| names(i, visit)),
        ExprKind::Starred(inner) => names(inner, visit),
        _ => {}
    }
}

/// The statement lists inside a statement, without those of functions; classes count as part of what encloses them.
pub(crate) fn bodies(statement: &Stmt) -> Vec<&Arc<[Stmt]>> {
    match &statement.kind {
        StmtKind::ClassDef(class) => vec![&class.body],
        StmtKind::For { body, orelse, .. }
        | StmtKind::While { body, orelse, .. }
        | StmtKind::If { body, orelse, .. } => {
            vec![body, orelse]
        }
        StmtKind::With { body, .. } => vec![body],
        StmtKind::Match { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        StmtKind::Try { body, handlers, orelse, finalbody } => {
            let mut all = vec![body, orelse, finalbody];
            all.extend(handlers.iter().map(|h| &h.body));
            all
        }
        _ => Vec::new(),
    }
}
