//! The hover: type and shape of what is under the cursor, what it means for the launches, and what findings there mean.
//!
//! It speaks only of what other language servers cannot know: nothing of constants, strings, or modules.

use crate::assumptions::assumption;
use crate::locate::{self, Place};
use crate::{diagnostics, launches, ranges};
use pallas_engine::syntax::ast::{Expr, ExprKind};
use pallas_engine::{Analysis, Fact, Span, check};

/// A hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
    /// The rule that it ends with, whose page says more.
    pub rule: Option<&'static str>,
}

/// The hover at a byte offset of the analysed file: what is known there, and what is wrong.
pub fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let mut hover = fact_hover(analysis, offset);
    let here = diagnostics::diagnostics(analysis);
    let finding = here.iter().filter(|d| d.span.touches(offset)).min_by_key(|d| d.span.end - d.span.start);
    if let Some(finding) = finding {
        let rule = check::find(finding.code);
        let name = rule.map_or("", |rule| rule.name);
        let mut text = format!("**{}** {name}: {}", finding.code, finding.message.replace('\n', "\n\n"));
        // Its page is long; here is what it is about, and the front end links to the rest.
        if let Some(rule) = rule {
            text.push_str(&format!("\n\n*{}*", rule.summary));
        }
        let hover = hover.get_or_insert_with(|| Hover { span: finding.span, markdown: String::new(), rule: None });
        if !hover.markdown.is_empty() {
            hover.markdown.push_str("\n\n");
        }
        hover.markdown.push_str(&text);
        hover.rule = rule.map(|rule| rule.code);
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
        Some(Place::Parameter(param, path)) => {
            let span = locate::name_span(param);
            let fact = analysis.facts.get(param.span).or_else(|| analysis.facts.get(span));
            let more = launches::parameter(analysis, param.span)
                .or_else(|| launches::parameter(analysis, span))
                .or_else(|| ranges::parameter(analysis, &param.name, span, &path));
            match fact {
                Some(fact) => said(analysis, span, fact, more),
                None => more.map(|more| Hover {
                    span: analysis.place(span),
                    markdown: format!("```python\n{}\n```\n\n{more}", param.name),
                    rule: None,
                }),
            }
        }
        Some(Place::Definition(def)) => launches::launch(analysis, def.name_span).map(|text| Hover {
            span: analysis.place(def.name_span),
            markdown: format!("```python\nkernel {}\n```\n\n{text}", def.name),
            rule: None,
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
        .or_else(|| launches::launch(analysis, expr.span))
        .or_else(|| ranges::slice(analysis, expr, path))
        .or_else(|| is_integer(fact).then(|| ranges::expression(analysis, path, expr)).flatten());
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

/// A scalar integer that a kernel computes, or an integer of Python's that is not always the same.
fn is_integer(fact: &Fact) -> bool {
    // Weak types end with a star.
    let is_scalar =
        |ty: &str| ty.trim_end_matches('*').strip_suffix("[]").is_some_and(|dtype| dtype.starts_with(['i', 'u']));
    match &fact.ty {
        Some(ty) => is_scalar(ty),
        None => fact.value.is_none() && fact.integers.is_some(),
    }
}

/// A class, function or jitted function: what calling it gives says more.
fn is_callable(fact: &Fact) -> bool {
    fact.ty.is_none() && fact.value.is_none() && fact.integers.is_none()
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
    Some(Hover { span: analysis.place(span), markdown, rule: None })
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
