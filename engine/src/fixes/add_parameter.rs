//! `lambda i: (i, 0)` under a grid of two axes: the parameters that it lacks.

use super::{Source, tree};
use pallas_ir::{Finding, Fix};
use pallas_syntax::Span;
use pallas_syntax::ast::ExprKind;

/// What index maps call their parameters.
const NAMES: [&str; 8] = ["i", "j", "k", "l", "m", "n", "p", "q"];

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
