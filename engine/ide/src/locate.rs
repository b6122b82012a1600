//! What stands at an offset: the innermost expression, or a name that a definition introduces. Syntax alone.

use pallas_engine::Span;
use pallas_engine::syntax::ast::{Comprehension, Expr, ExprKind, FunctionDef, Module, Param, Params, Stmt, StmtKind};
use pallas_engine::syntax::visit;

/// What stands at an offset.
pub(crate) enum Place<'a> {
    /// An expression, after those that it is in, outermost first. Never empty.
    Expression(Vec<&'a Expr>),
    /// The name of a parameter, and of a lambda's the expressions that it is in, the lambda last.
    Parameter(&'a Param, Vec<&'a Expr>),
    /// The name in a `def`.
    Definition(&'a FunctionDef),
}

/// What stands at an offset of the file that a module is of.
pub(crate) fn at(module: &Module, offset: u32) -> Option<Place<'_>> {
    let (piece, offset) = module.piece_at(offset);
    let body = &module.body;
    let first = body.iter().position(|statement| statement.span.file == piece)?;
    let count = body[first..].iter().take_while(|statement| statement.span.file == piece).count();
    statements(&body[first..first + count], offset)
}

/// The name of a parameter; its own span covers annotation and default, too.
pub(crate) fn name_span(param: &Param) -> Span {
    Span { end: param.span.start + param.name.len() as u32, ..param.span }
}

fn statements(body: &[Stmt], offset: u32) -> Option<Place<'_>> {
    // Of two statements that touch the offset (`a;b`), the later begins there.
    body.iter().rev().filter(|statement| statement.span.touches(offset)).find_map(|s| statement(s, offset))
}

fn statement(statement: &Stmt, offset: u32) -> Option<Place<'_>> {
    match &statement.kind {
        StmtKind::FunctionDef(def) => {
            if def.name_span.touches(offset) {
                return Some(Place::Definition(def));
            }
            if let Some(place) = params(&def.params, offset).or_else(|| statements(&def.body, offset)) {
                return Some(place);
            }
        }
        StmtKind::ClassDef(class) => {
            if let Some(place) = statements(&class.body, offset) {
                return Some(place);
            }
        }
        _ => {}
    }
    let mut inner = None;
    visit::blocks(statement, &mut |block| inner = inner.take().or_else(|| statements(block, offset)));
    if inner.is_some() {
        return inner;
    }
    let mut found = None;
    visit::expressions(statement, &mut |expr| found = found.take().or_else(|| expression(expr, offset)));
    found
}

fn params(params: &Params, offset: u32) -> Option<Place<'_>> {
    let named = params.iter().find(|param| name_span(param).touches(offset));
    named.map(|param| Place::Parameter(param, Vec::new())).or_else(|| {
        let annotations = params.iter().filter_map(|param| param.annotation.as_ref());
        let mut defaults = params.iter().filter_map(|param| param.default.as_ref()).chain(annotations);
        defaults.find_map(|expr| expression(expr, offset))
    })
}

fn expression<'a>(outermost: &'a Expr, offset: u32) -> Option<Place<'a>> {
    let mut path = Vec::new();
    let mut next = outermost.span.touches(offset).then_some(outermost);
    while let Some(expr) = next {
        path.push(expr);
        next = None;
        let mut look = |child: &'a Expr| {
            if next.is_none() && child.span.touches(offset) {
                next = Some(child);
            }
        };
        match &expr.kind {
            ExprKind::Lambda(lambda) => {
                match params(&lambda.params, offset) {
                    Some(Place::Parameter(param, _)) => return Some(Place::Parameter(param, path)),
                    Some(place) => return Some(place),
                    None => {}
                }
                look(&lambda.body);
            }
            ExprKind::ListComp(inner)
            | ExprKind::SetComp(inner)
            | ExprKind::DictComp(inner)
            | ExprKind::GeneratorExp(inner) => comprehension(inner, &mut look),
            _ => visit::children(expr, &mut look),
        }
    }
    (!path.is_empty()).then_some(Place::Expression(path))
}

fn comprehension<'a>(inner: &'a Comprehension, look: &mut dyn FnMut(&'a Expr)) {
    look(&inner.element);
    inner.value.iter().for_each(&mut *look);
    for clause in &inner.clauses {
        look(&clause.target);
        look(&clause.iter);
        clause.conditions.iter().for_each(&mut *look);
    }
}
