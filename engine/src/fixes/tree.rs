//! Finding things in a syntax tree: the expression of a span, the function around a place, the names of modules.

use pallas_syntax::Span;
use pallas_syntax::ast::{Arg, Expr, ExprKind, FunctionDef, Module, Name, Stmt, StmtKind};
use pallas_syntax::visit;
use std::sync::Arc;

/// Calls `visit` with every expression of some statements, functions and classes included.
pub(crate) fn each<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Expr)) {
    for statement in body {
        visit::expressions(statement, &mut |expr| each_inside(expr, visit));
        for block in blocks(statement) {
            each(block, visit);
        }
    }
}

/// Calls `visit` with an expression and all in it.
pub(crate) fn each_inside<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(expr);
    visit::inside(expr, &mut |child| each_inside(child, visit));
}

/// All statement lists inside a statement, those of functions and classes included.
fn blocks(statement: &Stmt) -> Vec<&[Stmt]> {
    let mut blocks: Vec<&[Stmt]> = Vec::new();
    match &statement.kind {
        StmtKind::FunctionDef(def) => blocks.push(&def.body),
        StmtKind::ClassDef(class) => blocks.push(&class.body),
        _ => visit::blocks(statement, &mut |block| blocks.push(block)),
    }
    blocks
}

/// The expressions of exactly this span, outermost first, after those that they are in.
pub(crate) fn path_to(module: &Module, span: Span) -> Option<Vec<&Expr>> {
    let mut found: Option<Vec<&Expr>> = None;
    in_statements(&module.body, &mut |statement| {
        visit::expressions(statement, &mut |expr| {
            if found.is_none() && contains(expr.span, span) {
                found = descend(expr, span);
            }
        });
    });
    found
}

/// The outermost expression of exactly this span.
pub(crate) fn at(module: &Module, span: Span) -> Option<&Expr> {
    path_to(module, span)?.into_iter().find(|expr| expr.span == span)
}

fn descend(expr: &Expr, span: Span) -> Option<Vec<&Expr>> {
    let mut path = vec![expr];
    loop {
        let last = *path.last()?;
        let mut next = None;
        visit::inside(last, &mut |child| {
            if next.is_none() && contains(child.span, span) {
                next = Some(child);
            }
        });
        match next {
            Some(child) => path.push(child),
            None => return path.iter().any(|expr| expr.span == span).then_some(path),
        }
    }
}

/// Calls `visit` with every statement, in order.
pub(crate) fn in_statements<'a>(body: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for statement in body {
        visit(statement);
        for block in blocks(statement) {
            in_statements(block, visit);
        }
    }
}

/// The `def` with this name.
pub(crate) fn function(module: &Module, name: Span) -> Option<&Arc<FunctionDef>> {
    let mut found = None;
    in_statements(&module.body, &mut |statement| {
        if let StmtKind::FunctionDef(def) = &statement.kind
            && def.name_span == name
        {
            found = Some(def);
        }
    });
    found
}

/// Whether one span lies in another.
pub(crate) fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// How a module of JAX is written in this file: `jnp` for `jax.numpy`, `jax.lax` where only `jax` is imported.
pub(crate) fn module_name(module: &Module, wanted: &str) -> Option<String> {
    let mut found: Option<String> = None;
    let mut parent: Option<String> = None;
    let (outer, last) = wanted.rsplit_once('.').unwrap_or(("", wanted));
    for statement in module.body.iter() {
        match &statement.kind {
            StmtKind::Import(names) => {
                for alias in names {
                    match &alias.asname {
                        Some(name) if &*alias.name == wanted => found = Some(name.to_string()),
                        Some(name) if &*alias.name == outer => parent = Some(name.to_string()),
                        None if &*alias.name == wanted => found = Some(wanted.to_string()),
                        None if &*alias.name == outer => parent = Some(outer.to_string()),
                        _ => {}
                    }
                }
            }
            StmtKind::ImportFrom { module: Some(from), names, level: 0 } if &**from == outer => {
                let alias = names.iter().find(|alias| &*alias.name == last);
                if let Some(alias) = alias {
                    found = Some(alias.asname.as_ref().unwrap_or(&alias.name).to_string());
                }
            }
            _ => {}
        }
    }
    // `jax.experimental.pallas` is there only where somebody imports it; `jax.numpy` and `jax.lax` always are.
    let is_part = matches!(wanted, "jax.numpy" | "jax.lax");
    found.or_else(|| parent.filter(|_| is_part).map(|parent| format!("{parent}.{last}")))
}

/// The last name of `f`, `module.f`.
pub(crate) fn callee(call: &Expr) -> Option<(&Name, &[Arg])> {
    let ExprKind::Call { function, args } = &call.kind else { return None };
    match &function.kind {
        ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some((name, args)),
        _ => None,
    }
}

/// The argument called `name`, or the positional one at `position`.
pub(crate) fn argument<'a>(args: &'a [Arg], name: &str, position: usize) -> Option<&'a Expr> {
    let keyword = args.iter().find_map(|arg| match arg {
        Arg::Keyword(keyword, value, _) if &**keyword == name => Some(value),
        _ => None,
    });
    keyword.or_else(|| match args.get(position)? {
        Arg::Positional(value) if !args[..position].iter().any(|arg| matches!(arg, Arg::Star(_))) => Some(value),
        _ => None,
    })
}

/// The Ref of `ref[...]`.
pub(crate) fn whole_ref(expr: &Expr) -> Option<&Name> {
    use pallas_syntax::ast::Constant;
    let ExprKind::Subscript { value, index } = &expr.kind else { return None };
    match (&value.kind, &index.kind) {
        (ExprKind::Name(name), ExprKind::Constant(Constant::Ellipsis)) => Some(name),
        _ => None,
    }
}
