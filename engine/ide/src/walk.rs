//! Walks over statements: each `def` with the names it assigns, and the expressions of a statement.

use pallas_engine::syntax::ast::{Expr, ExprKind, FunctionDef, Stmt, StmtKind};
use pallas_engine::syntax::visit::argument;
use std::sync::Arc;

/// Calls `visit` for every `def` of a module, nested ones included.
pub(crate) fn functions(body: &[Stmt], visit: &mut dyn FnMut(&FunctionDef)) {
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

fn names(target: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match &target.kind {
        ExprKind::Name(_) => visit(target),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|i| names(i, visit)),
        ExprKind::Starred(inner) => names(inner, visit),
        _ => {}
    }
}

/// The statement lists inside a statement, without those of functions; classes count as part of what encloses them.
fn bodies(statement: &Stmt) -> Vec<&Arc<[Stmt]>> {
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

/// Calls `visit` with each expression that stands directly in a statement: not those of its blocks, nor of the parameters
/// and body of a function.
pub(crate) fn expressions<'a>(statement: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) {
    match &statement.kind {
        StmtKind::FunctionDef(def) => def.decorators.iter().chain(&def.returns).for_each(visit),
        StmtKind::ClassDef(class) => {
            class.decorators.iter().for_each(&mut *visit);
            class.bases.iter().for_each(|base| visit(argument(base)));
        }
        StmtKind::Return(value) => value.iter().for_each(visit),
        StmtKind::Delete(targets) => targets.iter().for_each(visit),
        StmtKind::Assign { targets, value } => targets.iter().chain([value]).for_each(visit),
        StmtKind::AugAssign { target, value, .. } => [target, value].into_iter().for_each(visit),
        StmtKind::AnnAssign { target, annotation, value } => {
            [target, annotation].into_iter().chain(value).for_each(visit);
        }
        StmtKind::TypeAlias { value, .. } => visit(value),
        StmtKind::For { target, iter, .. } => [target, iter].into_iter().for_each(visit),
        StmtKind::While { test, .. } | StmtKind::If { test, .. } => visit(test),
        StmtKind::With { items, .. } => {
            items.iter().flat_map(|item| [Some(&item.context), item.target.as_ref()]).flatten().for_each(visit);
        }
        StmtKind::Match { subject, cases } => {
            [subject].into_iter().chain(cases.iter().filter_map(|case| case.guard.as_ref())).for_each(visit);
        }
        StmtKind::Raise { exception, cause } => exception.iter().chain(cause).for_each(visit),
        StmtKind::Try { handlers, .. } => {
            handlers.iter().filter_map(|handler| handler.exception.as_ref()).for_each(visit);
        }
        StmtKind::Assert { test, message } => [test].into_iter().chain(message).for_each(visit),
        StmtKind::Expr(value) => visit(value),
        StmtKind::Import(_)
        | StmtKind::ImportFrom { .. }
        | StmtKind::Global(_)
        | StmtKind::Nonlocal(_)
        | StmtKind::Pass
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Error => {}
    }
}
