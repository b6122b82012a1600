//! Names in strings and comments: `static_argnames=("block",)`, `__all__`, `# pallas: call(block=8)`.

use super::files::File;
use pallas_engine::Span;
use pallas_engine::syntax::ast::{Constant, Expr, ExprKind, FunctionDef, StmtKind};

/// How the comment begins that says what a function is called with.
const MARK: &str = "# pallas: call(";

/// The mentions of a name in a string that lists names: `"a, b"`. None where the string is not as simple as it looks.
pub(super) fn within(file: &File, expr: &Expr, name: &str) -> Vec<Span> {
    let ExprKind::Constant(Constant::Str(value)) = &expr.kind else { return Vec::new() };
    let text = file.module.source.slice(expr.span);
    let is_plain = text.len() == value.len() + 2 && text[1..].starts_with(&**value);
    if is_plain {
        words(file, Span { start: expr.span.start + 1, end: expr.span.end - 1, ..expr.span }, name)
    } else {
        Vec::new()
    }
}

fn words(file: &File, part: Span, name: &str) -> Vec<Span> {
    let text = file.module.source.slice(part);
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let alone = |at: &usize| !text[..*at].ends_with(is_of_name) && !text[at + name.len()..].starts_with(is_of_name);
    let starts = text.match_indices(name).map(|(at, _)| at).filter(alone);
    starts
        .map(|at| Span { start: part.start + at as u32, end: part.start + (at + name.len()) as u32, ..part })
        .collect()
}

/// The strings of `__all__` that name something.
pub(super) fn exported(file: &File, name: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for statement in file.module.body.iter() {
        let (target, value) = match &statement.kind {
            StmtKind::Assign { targets, value } if targets.len() == 1 => (&targets[0], value),
            StmtKind::AugAssign { target, value, .. } => (target, value),
            StmtKind::AnnAssign { target, value: Some(value), .. } => (target, value),
            _ => continue,
        };
        if !matches!(&target.kind, ExprKind::Name(name) if &**name == "__all__") {
            continue;
        }
        if let ExprKind::List(items) | ExprKind::Tuple(items) = &value.kind {
            let is_it = |item: &&Expr| matches!(&item.kind, ExprKind::Constant(Constant::Str(text)) if **text == *name);
            found.extend(items.iter().filter(is_it).flat_map(|item| within(file, item, name)));
        }
    }
    found
}

/// The keywords in comments above a function that say what it is called with.
pub(super) fn said(file: &File, def: &FunctionDef, name: &str) -> Vec<Span> {
    let source = &file.module.source;
    let head = def.decorators.first().map_or(def.span.start, |decorator| decorator.span.start);
    let mut line = source.line_of(head);
    let mut found = Vec::new();
    while line > 1 {
        line -= 1;
        let range = source.line_range(line);
        let text = &source.text[range.clone()];
        if !text.trim_start().starts_with('#') {
            break;
        }
        let Some(at) = text.find(MARK) else { continue };
        let part = Span::new(source.id, range.start + at + MARK.len(), range.end);
        let is_keyword = |span: &Span| source.text[span.end as usize..range.end].trim_start().starts_with('=');
        found.extend(words(file, part, name).into_iter().filter(is_keyword));
    }
    found
}
