//! The carets under a source line of a traceback: `^^^^` under the expression, `~~^~~` where it is an operation or a
//! subscript (PEP 657, `_extract_caret_anchors_from_line_segment` and traceback.c of 3.11).

use pallas_syntax::ast::{Expr, ExprKind, StmtKind};
use pallas_syntax::{FileId, SourceFile, Span};
use std::sync::Arc;

/// The caret line for `span` in its first line, starting where the stripped line starts; `None` where CPython prints none.
pub(super) fn carets(source: &SourceFile, span: Span) -> Option<String> {
    let start = source.line_column(span.start);
    let end = source.line_column(span.end);
    let line = source.line(start.line);
    let indent = line.chars().count() - line.trim_start().chars().count();
    let stripped_length = line.trim().chars().count();
    // 3.11 underlines the first line of what goes on over several, up to its end.
    let one_line = start.line == end.line;
    let from = (start.column as usize - 1).checked_sub(indent)?;
    let to = if one_line {
        (end.column as usize - 1).checked_sub(indent)?
    } else {
        stripped_length
    };
    if to <= from {
        return None;
    }
    let anchors = if one_line {
        anchors_of(source.slice(span))
    } else {
        None
    };
    if anchors.is_none() && from == 0 && to >= stripped_length {
        return None;
    }
    let mut text = " ".repeat(from);
    for column in from..to {
        let primary = match anchors {
            Some((left, right)) => (left..right).contains(&(column - from)),
            None => true,
        };
        text.push(if primary { '^' } else { '~' });
    }
    Some(text)
}

/// Columns of the operator inside a binary operation, or of the brackets of a subscript.
fn anchors_of(segment: &str) -> Option<(usize, usize)> {
    let source = Arc::new(SourceFile::new(FileId(u32::MAX), "<segment>", segment));
    let tree = pallas_syntax::parse(source);
    let [stmt] = &*tree.body else { return None };
    let StmtKind::Expr(expr) = &stmt.kind else {
        return None;
    };
    let column = |offset: usize| segment.get(..offset).map_or(0, |text| text.chars().count());
    match &expr.kind {
        ExprKind::BinOp { left, right, .. } => {
            let between = segment.get(left.span.end as usize..right.span.start as usize)?;
            // The first character that is neither space nor a closing parenthesis is the operator.
            let offset = between.find(|c: char| !c.is_whitespace() && c != ')')?;
            let at = left.span.end as usize + offset;
            let wide = between[offset + 1..]
                .chars()
                .next()
                .is_some_and(|c| !c.is_whitespace() && c != '(');
            let first = column(at);
            Some((first, first + 1 + usize::from(wide)))
        }
        ExprKind::Subscript { value, .. } => {
            let at = value.span.end as usize + segment.get(value.span.end as usize..)?.find('[')?;
            let _: &Expr = value;
            Some((column(at), segment.chars().count()))
        }
        _ => None,
    }
}
