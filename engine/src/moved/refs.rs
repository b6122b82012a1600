//! `pl.load(x_ref, (i, slice(None)))` as a subscript: `x_ref[i, :]`, and `pl.store` as an assignment. Calls with masks stay: a
//! subscript has none.

use crate::fixes::tree;
use pallas_ir::Fix;
use pallas_syntax::ast::{Arg, Expr, ExprKind, Module, StmtKind};

/// The fix of a call of `pl.load` or `pl.store`.
pub(super) fn subscript(module: &Module, call: &Expr, name: &str, args: &[Arg]) -> Option<Fix> {
    let positional = |arg: &'_ Arg| match arg {
        Arg::Positional(value) => Some(value.span),
        _ => None,
    };
    if args.iter().any(|arg| positional(arg).is_none()) {
        return None;
    }
    let text = |number: usize| args.get(number).and_then(positional).map(|span| module.slice(span));
    let Some(Arg::Positional(index)) = args.get(1) else { return None };
    let part = format!("{}[{}]", text(0)?, index_text(module, index));
    let written = match (name, args.len()) {
        ("load", 2) => part,
        ("store", 3) if is_statement(module, call) => format!("{part} = {}", text(2)?),
        _ => return None,
    };
    Some(Fix::replace(format!("write {written}"), call.span, written))
}

/// `i, :` of `(i, slice(None))`.
fn index_text(module: &Module, index: &Expr) -> String {
    let whole = |expr: &Expr| match module.slice(expr.span) {
        "slice(None)" | "slice(None, None)" | "slice(None, None, None)" => ":".to_string(),
        text => text.to_string(),
    };
    match &index.kind {
        ExprKind::Tuple(items) if items.is_empty() => "...".to_string(),
        ExprKind::Tuple(items) => items.iter().map(whole).collect::<Vec<_>>().join(", "),
        _ => whole(index),
    }
}

/// Whether nothing is done with what a call gives.
fn is_statement(module: &Module, call: &Expr) -> bool {
    let mut found = false;
    tree::in_statements(&module.body, &mut |statement| {
        found |= matches!(&statement.kind, StmtKind::Expr(value) if value.span == call.span);
    });
    found
}
