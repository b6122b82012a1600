//! What the arguments of a launch are called, and arguments that are called as each other's Refs are (PL133).

use super::advice::stem;
use crate::context::Context;
use pallas_ir::{Certainty, Finding, Label, Operand, Role, Severity};
use pallas_syntax::Span;

/// The arguments of a call, where it is written with one for each.
#[derive(Default)]
pub(super) struct Arguments {
    /// What each is called, if it is a name.
    pub(super) names: Vec<Option<String>>,
    /// Where each stands.
    spans: Vec<Span>,
}

/// What the arguments of the call at the current place are called; nothing where it is not written with one for each.
pub(super) fn argument_names(cx: &Context<'_>, count: usize) -> Arguments {
    let spans = cx.interp.argument_spans().filter(|spans| spans.len() == count).unwrap_or_default();
    let name = |span: Span| {
        let text = cx.interp.source(span.file)?.slice(span).to_string();
        let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then_some(text)
    };
    let name = |&(ref keyword, span): &(_, Span)| if Option::is_none(keyword) { name(span) } else { None };
    Arguments { names: spans.iter().map(name).collect(), spans: spans.iter().map(|(_, span)| *span).collect() }
}

/// Tells the observer of arguments that have changed places, by their names, where their types do not tell.
pub(super) fn check(cx: &Context<'_>, operands: &[Operand], arguments: &Arguments) {
    let Some(observer) = cx.state.observer() else { return };
    let given = operands.iter().filter(|operand| operand.role != Role::Output).count();
    // An argument that is a tree is several operands.
    if given != arguments.names.len() {
        return;
    }
    let Some(circle) = circle(&operands[..given], &arguments.names) else { return };
    let named = |&at: &usize| Some((arguments.names[at].as_deref()?, *arguments.spans.get(at)?, &operands[at]));
    let Some(named) = circle.iter().map(named).collect::<Option<Vec<_>>>() else { return };
    let Some(&(_, span, _)) = named.first() else { return };
    let said: Vec<String> =
        named.iter().map(|(name, _, operand)| format!("`{}` is given `{name}`", operand.name)).collect();
    let labels = named.iter().filter_map(|(name, _, operand)| {
        Some(Label { span: operand.spans.parameter?, text: format!("is given `{name}`") })
    });
    observer.found(Finding {
        code: "PL133",
        severity: Severity::Info,
        certainty: Certainty::Possible,
        message: match said.as_slice() {
            [first, second] => format!("{first} and {second}"),
            [others @ .., last] => format!("{}, and {last}", others.join(", ")),
            [] => return,
        },
        span,
        labels: labels.collect(),
        evidence: None,
        help: Some(
            "operands go to parameters by their place: let the arguments stand in the order of the kernel's parameters, or call \
             them otherwise if this is meant"
                .to_string(),
        ),
        fix: None,
    });
}

/// The places of arguments of one type of which each is called as the Ref of the next is, and the last as that of the first.
fn circle(operands: &[Operand], names: &[Option<String>]) -> Option<Vec<usize>> {
    // Where the argument stands whose name a parameter has, if there is one.
    let meant = |at: usize| {
        let stem = stem(&operands[at]);
        let mut places = (0..names.len()).filter(|&place| names[place].as_deref() == Some(stem));
        places.next().filter(|_| places.next().is_none())
    };
    (0..operands.len()).find_map(|first| {
        let mut circle = vec![first];
        let mut next = meant(first)?;
        while next != first {
            let same = |other: usize| operands[other].array == operands[first].array;
            if circle.contains(&next) || !same(next) || operands[next].role != operands[first].role {
                return None;
            }
            circle.push(next);
            next = meant(next)?;
        }
        (circle.len() > 1).then_some(circle)
    })
}
