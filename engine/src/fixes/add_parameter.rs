//! `lambda i: (i, 0)` under a grid of two axes: the parameters that it lacks.

use super::{Source, tree};
use pallas_ir::{Finding, Fix};
use pallas_syntax::Span;
use pallas_syntax::ast::{ExprKind, Lambda};

/// What index maps call their parameters.
const NAMES: [&str; 8] = ["i", "j", "k", "l", "m", "n", "p", "q"];

/// The parameters of the other index maps of the launch, where they agree, and have those of this one in this order.
fn as_others(source: &Source<'_>, finding: &Finding, lambda: &Lambda, wanted: usize) -> Option<Fix> {
    let own: Vec<&str> = lambda.params.positional.iter().map(|param| &*param.name).collect();
    let names =
        |lambda: &Lambda| lambda.params.positional.iter().map(|param| param.name.to_string()).collect::<Vec<_>>();
    // The smallest call around it that has others: the launch, or its grid spec.
    let path = tree::path_to(source.module, finding.span)?;
    let mut calls = path.iter().rev().filter(|expr| matches!(expr.kind, ExprKind::Call { .. }));
    let others = calls.find_map(|call| {
        let mut found: Vec<Vec<String>> = Vec::new();
        tree::each_inside(call, &mut |expr| {
            if let ExprKind::Lambda(other) = &expr.kind
                && expr.span != finding.span
            {
                found.push(names(other));
            }
        });
        (!found.is_empty()).then_some(found)
    })?;
    let all = others.first().filter(|first| first.len() == wanted && others.iter().all(|other| other == *first))?;
    let mut left = all.iter();
    if !own.iter().all(|name| left.any(|other| other == name)) {
        return None;
    }
    let (first, last) = (lambda.params.positional.first()?, lambda.params.positional.last()?);
    if own.iter().zip(all).all(|(name, other)| name == other) {
        let rest = &all[own.len()..];
        let title = format!("add the parameter{} `{}`", if rest.len() == 1 { "" } else { "s" }, rest.join(", "));
        let at = Span { start: last.span.end, ..last.span };
        return Some(Fix::replace(title, at, format!(", {}", rest.join(", "))));
    }
    let all = all.join(", ");
    Some(Fix::replace(format!("take `{all}`"), first.span.cover(last.span), all))
}

/// PL106
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let ExprKind::Lambda(lambda) = &tree::at(source.module, finding.span)?.kind else { return None };
    let params = &lambda.params;
    let plain = params.positional_only.is_empty() && params.keyword_only.is_empty();
    if !plain
        || params.vararg.is_some()
        || params.kwarg.is_some()
        || params.positional.iter().any(|p| p.default.is_some())
    {
        return None;
    }
    // The finding says how many program ids it is called with; that is the number of axes.
    let texts = [Some(&finding.message), finding.evidence.as_ref(), finding.help.as_ref()];
    let wanted: usize = texts.into_iter().flatten().find_map(|text| {
        let rest = text.split_once("called with ")?.1;
        rest.split_once(" program id")?.0.parse().ok()
    })?;
    let missing = wanted.checked_sub(params.positional.len()).filter(|missing| *missing > 0)?;
    if let Some(fix) = as_others(source, finding, lambda, wanted) {
        return Some(fix);
    }
    let mut used: Vec<&str> = params.positional.iter().map(|param| &*param.name).collect();
    tree::each_inside(&lambda.body, &mut |expr| {
        if let ExprKind::Name(name) = &expr.kind {
            used.push(name);
        }
    });
    let free: Vec<&str> = NAMES.into_iter().filter(|name| !used.contains(name)).take(missing).collect();
    if free.len() < missing {
        return None;
    }
    let added = free.join(", ");
    let title = match missing {
        1 => format!("add the parameter `{added}`"),
        _ => format!("add the parameters `{added}`"),
    };
    let (at, text) = match params.positional.last() {
        Some(last) => (last.span.end, format!(", {added}")),
        None => (finding.span.start + "lambda".len() as u32, format!(" {added}")),
    };
    Some(Fix::replace(title, Span { start: at, end: at, ..finding.span }, text))
}
