//! The hover: type and shape of what is under the cursor, what it means for the launches, and what findings there mean.
//!
//! It speaks only of what other language servers cannot know: nothing of constants, strings, or modules.

use crate::assumptions::assumption;
use crate::locate::{self, Place};
use crate::{diagnostics, launches};
use pallas_engine::syntax::ast::{Expr, ExprKind};
use pallas_engine::{Analysis, Fact, Span, check};

/// A hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
}

/// The hover at a byte offset of the analysed file: what is known there, and what is wrong.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let mut hover = fact_hover(analysis, offset);
    let here = diagnostics::diagnostics(analysis);
    let finding = here.iter().filter(|d| d.span.touches(offset)).min_by_key(|d| d.span.end - d.span.start);
    if let Some(finding) = finding {
        let name = check::find(finding.code).map_or("", |rule| rule.name);
        let text = format!("**{}** {name}: {}", finding.code, finding.message.replace('\n', "\n\n"));
        match &mut hover {
            Some(hover) => hover.markdown.push_str(&format!("\n\n{text}")),
            None => hover = Some(Hover { span: finding.span, markdown: text }),
        }
    }
    hover
}

/// The same without what is wrong, for editors that put that into every hover themselves.
pub fn fact_hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    if !analysis.speaks_of_jax() {
        return None;
    }
    match locate::at(&analysis.module, offset) {
        Some(Place::Expression(path)) => expression(analysis, &path),
        Some(Place::Parameter(param)) => {
            let span = locate::name_span(param);
            let fact = analysis.facts.get(param.span).or_else(|| analysis.facts.get(span));
            let more = launches::parameter(analysis, param.span).or_else(|| launches::parameter(analysis, span));
            fact.and_then(|fact| said(analysis, span, fact, more))
        }
        Some(Place::Definition(def)) => launches::launch(analysis, def.name_span).map(|text| Hover {
            span: analysis.place(def.name_span),
            markdown: format!("```python\nkernel {}\n```\n\n{text}", def.name),
        }),
        None => None,
    }
}

/// What is known of the innermost expression, or of the one around it that it is a part of.
fn expression(analysis: &Analysis, path: &[&Expr]) -> Option<Hover> {
    let innermost = path.len() - 1;
    let expr = subscript(path).unwrap_or(path[innermost]);
    let around = innermost.checked_sub(1).map(|depth| path[depth]);
    let fact = analysis.facts.get(expr.span);
    let (expr, fact) = match &expr.kind {
        // Between the arguments of a call there is nothing.
        ExprKind::Call { .. } | ExprKind::Constant(_) | ExprKind::FString(_) => return None,
        // The name of a function says what the call gives.
        ExprKind::Name(_) | ExprKind::Attribute { .. } if fact.is_none_or(is_callable) => {
            let call = around.filter(|around| is_call_of(around, expr))?;
            (call, analysis.facts.get(call.span)?)
        }
        _ => (expr, fact?),
    };
    let more = launches::program_id(analysis, expr)
        .or_else(|| launches::block_spec(analysis, expr.span))
        .or_else(|| launches::launch(analysis, expr.span));
    said(analysis, expr.span, fact, more)
}

/// The subscript that the innermost expression is a plain part of the index of: constants, slices and tuples of them say
/// nothing of themselves.
fn subscript<'a>(path: &[&'a Expr]) -> Option<&'a Expr> {
    let plain =
        |expr: &&&Expr| matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Slice { .. } | ExprKind::Tuple(_));
    let parts = path.iter().rev().take_while(plain).count();
    let around = path.iter().rev().nth(parts)?;
    (parts > 0 && matches!(around.kind, ExprKind::Subscript { .. })).then_some(*around)
}

fn is_call_of(call: &Expr, callee: &Expr) -> bool {
    matches!(&call.kind, ExprKind::Call { function, .. } if function.span == callee.span)
}

/// A class, function or jitted function: what calling it gives says more.
fn is_callable(fact: &Fact) -> bool {
    fact.ty.is_none() && fact.value.is_none()
}

/// A type with a shape, a number, or what it means for a launch. That something is an `int`, a string or a function, other
/// language servers say; and texts made of arrays (`f"{x}"`) are not known before the program runs.
fn said(analysis: &Analysis, span: Span, fact: &Fact, more: Option<String>) -> Option<Hover> {
    let text = first_line(analysis.module.slice(span));
    let is_known = fact.ty.is_some() || (fact.value.is_some() && fact.class != "str");
    let mut markdown = match is_known {
        true => format!("```python\n{text}: {}\n```", describe(fact)),
        false => format!("```python\n{text}\n```"),
    };
    match more {
        Some(more) => markdown.push_str(&format!("\n\n{more}")),
        None if is_known => {}
        None => return None,
    }
    if let Some(assumption) = assumption(analysis, fact) {
        markdown.push_str(&format!("\n\n*{assumption}*"));
    }
    Some(Hover { span: analysis.place(span), markdown })
}

/// `f32[8,128]`, or `int = 3`; where evaluations differed, all that were seen: `f32[8,128] | f32[4,128]`.
fn describe(fact: &Fact) -> String {
    let mut text = fact.text().to_string();
    if let Some(value) = fact.value.as_ref().filter(|_| fact.ty.is_none() && fact.others.is_empty()) {
        text.push_str(&format!(" = {value}"));
    }
    for other in &fact.others {
        text.push_str(&format!(" | {other}"));
    }
    text
}

fn first_line(text: &str) -> String {
    match text.split_once('\n') {
        Some((line, _)) => format!("{} ...", line.trim_end()),
        None => text.to_string(),
    }
}
