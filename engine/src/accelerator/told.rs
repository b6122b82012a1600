//! What checks in a kernel have told, as findings: those that interpret mode and the rules have, too.

use pallas_check::rules;
use pallas_ir::{Certainty, Finding, Launch};
use pallas_simt::ir::Doubt;
use pallas_syntax::Span;

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
    /// Of a race the block that had been there.
    pub(super) other: Option<usize>,
}

/// Ids of a program from its number in the grid.
fn ids(launch: &Launch, mut number: usize) -> Vec<usize> {
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
            let other = told.other.map_or(String::new(), |block| format!(" where block {block} has written"));
            finding.evidence =
                Some(format!("program {} first{other}; {} elements in all programs", tuple(&ids), told.count));
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

/// `(0, 2)`, as Python writes it.
fn tuple(ids: &[usize]) -> String {
    match ids {
        [id] => format!("({id},)"),
        ids => format!("({})", ids.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}
