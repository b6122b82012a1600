//! Changes of the source that mend findings, where there is one that is certain to be right: one fix, one file. A fix is made
//! from the syntax tree, the launches and the types that were seen; where the source is written in a way that a fix does not
//! know, there is none. Decides nothing about what is wrong: findings come from elsewhere.
//!
//! A test applies each of them and analyses again: the finding must be gone.

mod add_parameter;
mod block_indices;
mod cast;
mod declare_arbitrary;
mod dynamic_slice;
mod every_block;
mod follow_axes;
mod initialise;
mod keep_sums;
mod last_program;
mod map_parameter;
mod mask;
pub(crate) mod own_params;
mod reduction_last;
mod round_up;
mod store;
pub(crate) mod tree;
mod when;
mod whole_division;

use crate::analysis::Analysis;
use pallas_ir::{Edit, Finding, Fix, Launch};
use pallas_syntax::Span;
use pallas_syntax::ast::Module;
use std::sync::Arc;

/// What fixes are made from.
struct Source<'a> {
    module: &'a Module,
    launches: &'a [Arc<Launch>],
    analysis: &'a Analysis,
}

type MakeFix = fn(&Source<'_>, &Finding) -> Option<Fix>;

/// The fixes by rule.
const FIXES: [(&str, MakeFix); 21] = [
    ("PL001", own_params::fix),
    ("PL101", whole_division::fix),
    ("PL106", add_parameter::fix),
    ("PL113", map_parameter::fix),
    ("PL120", |source, finding| {
        block_indices::fix(source, finding).or_else(|| follow_axes::exchanged(source, finding))
    }),
    ("PL121", |source, finding| round_up::fix(source, finding).or_else(|| follow_axes::exchanged(source, finding))),
    ("PL122", store::fix),
    ("PL123", round_up::fix),
    ("PL124", reduction_last::fix),
    ("PL125", declare_arbitrary::fix),
    ("PL126", follow_axes::fix),
    ("PL127", every_block::fix),
    ("PL128", last_program::fix),
    ("PL129", |source, finding| initialise::once(source, finding).or_else(|| last_program::fix(source, finding))),
    ("PL132", initialise::accumulate),
    ("PL203", initialise::fix),
    ("PL204", mask::fix),
    ("PL205", keep_sums::fix),
    ("PL302", cast::fix),
    ("PL306", when::fix),
    ("PL307", dynamic_slice::fix),
];

/// Gives findings in the analysed file their fixes. The places of all fixes are afterwards places in the file itself, also
/// where the file was parsed in pieces.
pub(crate) fn add(analysis: &mut Analysis) {
    let mut findings = std::mem::take(&mut analysis.findings);
    for finding in &mut findings {
        // Places in files that the program imports are not ours to change.
        if finding.fix.is_none()
            && let Some((_, make)) = FIXES.iter().find(|(code, _)| *code == finding.code)
            && analysis.module.holds(finding.span)
        {
            let source = Source { module: &analysis.module, launches: &analysis.launches, analysis };
            finding.fix = make(&source, finding);
        }
        if let Some(mut fix) = finding.fix.take() {
            fix.edits.iter_mut().for_each(|edit| edit.span = analysis.module.place(edit.span));
            fix.edits.sort_by_key(|edit| edit.span);
            finding.fix = Some(fix).filter(|fix| is_sound(fix, analysis));
        }
    }
    analysis.findings = findings;
}

/// Whether all of it is in the analysed file, and no two edits touch each other.
fn is_sound(fix: &Fix, analysis: &Analysis) -> bool {
    let apart = |pair: &[Edit]| pair[0].span.end <= pair[1].span.start && pair[0].span != pair[1].span;
    let here = |edit: &Edit| edit.span.file == analysis.source.id;
    !fix.edits.is_empty() && fix.edits.windows(2).all(apart) && fix.edits.iter().all(here)
}

impl<'a> Source<'a> {
    /// The text of a span.
    fn text(&self, span: Span) -> &'a str {
        self.module.slice(span)
    }

    /// An integer, written as one or computed.
    fn integer(&self, expr: &pallas_syntax::ast::Expr) -> Option<i64> {
        use pallas_syntax::ast::{Constant, ExprKind};
        match &expr.kind {
            ExprKind::Constant(Constant::Int(value)) => Some(*value),
            _ => {
                let fact = self.analysis.facts.get(expr.span).filter(|fact| fact.others.is_empty())?;
                fact.value.as_ref()?.parse().ok()
            }
        }
    }

    /// The only launch whose kernel is written there; `None` if there are several that differ in more than what is asked of
    /// them by `same`.
    fn launch_of_kernel(&self, kernel: Span, same: impl Fn(&Launch, &Launch) -> bool) -> Option<&'a Launch> {
        let mut launches = self.launches.iter().filter(|launch| launch.spans.kernel == Some(kernel));
        let first = launches.next()?;
        launches.all(|other| same(first, other)).then_some(&**first)
    }
}
