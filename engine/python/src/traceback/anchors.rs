//! The carets under a source line of a traceback: `^^^^` under the expression, `~~^~~` where it is an operation or a
//! subscript (PEP 657, `_extract_caret_anchors_from_line_segment` and traceback.c of 3.11).

use pallas_syntax::ast::{Arg, Expr, ExprKind, StmtKind};
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
    let to = if one_line { (end.column as usize - 1).checked_sub(indent)? } else { stripped_length };
    if to <= from {
        return None;
    }
    let anchors = if one_line { anchors_of(source.slice(span)) } else { None };
    if anchors.is_none() && from == 0 && to >= stripped_length {
        return None;
    }
    // Wide characters take two columns, so they get two marks.
    let mut text = String::new();
    for (column, shown) in line.trim().chars().take(to).enumerate() {
        let mark = match anchors {
            _ if column < from => ' ',
            Some((left, right)) if !(left..right).contains(&(column - from)) => '~',
            _ => '^',
        };
        text.extend(std::iter::repeat_n(mark, width(shown)));
    }
    Some(text)
}

/// Columns that a character takes on a terminal: two for those that Unicode calls wide (UAX 11).
fn width(c: char) -> usize {
    const WIDE: &[(u32, u32)] = &[
        (0x1100, 0x115f),
        (0x2e80, 0x303e),
        (0x3041, 0x33ff),
        (0x3400, 0x4dbf),
        (0x4e00, 0xa4cf),
        (0xa960, 0xa97c),
        (0xac00, 0xd7a3),
        (0xf900, 0xfaff),
        (0xfe30, 0xfe6f),
        (0xff01, 0xff60),
        (0xffe0, 0xffe6),
        (0x1f300, 0x1f64f),
        (0x1f680, 0x1f6ff),
        (0x1f900, 0x1f9ff),
        (0x20000, 0x3fffd),
    ];
    let code = c as u32;
    let wide = WIDE.iter().any(|&(first, last)| (first..=last).contains(&code));
    1 + usize::from(wide)
}

/// CPython moves the start of an attribute access or a method call to the line of the attribute's name where that is
/// another (`update_start_location_to_match_attr` in compile.c).
pub(super) fn moved_to_attribute(source: &SourceFile, span: Span) -> Span {
    let segment = source.slice(span);
    if !segment.contains('\n') {
        return span;
    }
    // In parentheses, as it must have stood to go over several lines.
    let enclosed = format!("({segment})");
    let parsed = Arc::new(SourceFile::new(FileId(u32::MAX), "<segment>", enclosed));
    let tree = pallas_syntax::parse(parsed);
    let [stmt] = &*tree.body else { return span };
    let StmtKind::Expr(expr) = &stmt.kind else {
        return span;
    };
    let attribute = match &expr.kind {
        ExprKind::Call { function, args }
            if !args.iter().any(|arg| matches!(arg, Arg::Star(_) | Arg::DoubleStar(_))) =>
        {
            function
        }
        _ => expr,
    };
    match &attribute.kind {
        ExprKind::Attribute { name_span, .. } if segment[..name_span.start as usize - 1].contains('\n') => {
            Span { start: span.start + name_span.start - 1, ..span }
        }
        _ => span,
    }
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
            let wide = between[offset + 1..].chars().next().is_some_and(|c| !c.is_whitespace() && c != '(');
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
