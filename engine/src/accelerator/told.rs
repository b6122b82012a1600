//! What checks in a kernel have told, as findings: those that interpret mode and the rules have, too.

use pallas_check::rules;
use pallas_ir::{Certainty, Finding, Label, Launch};
use pallas_simt::Met;
use pallas_simt::ir::Doubt;
use pallas_syntax::Span;
use std::fmt::Write;

/// What a check told, wherever the kernel ran.
pub(super) struct Told<'a> {
    pub(super) doubt: Doubt,
    /// ``writes `o_ref` where another program writes``
    pub(super) words: &'a str,
    pub(super) span: Span,
    /// The number of the first program in which it failed.
    pub(super) program: usize,
    /// For how many elements, in all programs.
    pub(super) count: u64,
    /// Of a race whom it met.
    pub(super) met: Option<Met>,
}

/// Ids of a program from its number in the grid.
pub(super) fn ids(launch: &Launch, mut number: usize) -> Vec<usize> {
    let mut ids = vec![0; launch.grid.len()];
    for (id, &extent) in ids.iter_mut().zip(&launch.grid).rev() {
        *id = number % extent.max(1);
        number /= extent.max(1);
    }
    ids
}

/// The finding, or words for what is none.
pub(super) fn finding(launch: &Launch, told: &Told<'_>) -> Result<Finding, (String, Span)> {
    let ids = ids(launch, told.program);
    match told.doubt {
        Doubt::Outside => Ok(rules::access_out_of_bounds_on_device(told.words, &ids, told.count, told.span)),
        Doubt::Race => {
            let mut finding = rules::DATA_RACE.finding(Certainty::Found, told.span, format!("this {}", told.words));
            let mut evidence = format!("program {} first", tuple(&ids));
            if let Some(met) = told.met {
                let other = tuple(&self::ids(launch, met.program));
                let _ = write!(evidence, ", at {} that program {other} has written", element(launch, met.element));
                if let Some(span) = met.span {
                    finding.labels.push(Label { span, text: format!("program {other} writes it here") });
                }
            }
            finding.evidence = Some(format!("{evidence}; {} elements in all programs", told.count));
            finding.help = Some(
                "programs of a parallel axis run at the same time: give each a block of its own, or leave the axis `arbitrary`"
                    .to_string(),
            );
            Ok(finding)
        }
        Doubt::NotANumber => Err((
            format!("{}, first in program {}; {} elements in all", told.words, tuple(&ids), told.count),
            told.span,
        )),
    }
}

/// `element (3, 0) of o_ref`
fn element(launch: &Launch, (operand, element): (usize, usize)) -> String {
    let Some(operand) = launch.operands.get(operand) else { return "an element".to_string() };
    let mut rest = element;
    let mut place = vec![0; operand.array.shape.rank()];
    for (at, &extent) in place.iter_mut().zip(operand.array.shape.iter()).rev() {
        *at = rest % extent.max(1);
        rest /= extent.max(1);
    }
    format!("element {} of {}", tuple(&place), operand.name)
}

/// `(0, 2)`, as Python writes it.
fn tuple(ids: &[usize]) -> String {
    match ids {
        [id] => format!("({id},)"),
        ids => format!("({})", ids.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}
