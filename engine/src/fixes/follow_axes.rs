//! Block indices in each other's place, or a 0 in the place of a program id: `lambda i, j: (j, i)`. What could be meant is tried
//! on the launches that have the index map: the fix is the one change that leaves nothing wrong with its blocks.

use super::{Source, tree};
use pallas_ir::{Edit, Finding, Fix, Function, Launch, Severity};
use pallas_syntax::Span;
use pallas_syntax::ast::{Expr, ExprKind};
use std::sync::Arc;

/// Dimensions of arrays, and axes of grids, that are tried.
const MOST: usize = 4;

/// A change of what an index map returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Two indices change places.
    Exchange(usize, usize),
    /// An index becomes a program id.
    Follow(usize, usize),
}

/// PL126
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    exchanged(source, finding).or_else(|| {
        let map = IndexMap::of(source, finding.span)?;
        let changes =
            (0..map.results.len()).flat_map(|at| (0..map.names.len()).map(move |axis| Change::Follow(at, axis)));
        let Change::Follow(at, axis) = map.only(source, finding, changes.collect())? else { return None };
        let name = &map.names[axis];
        let title = format!("let dimension {at} follow `{name}`");
        Some(Fix::replace(title, map.results[at].span, name.clone()))
    })
}

/// PL120, PL121, and first of all PL126.
pub(super) fn exchanged(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let map = IndexMap::of(source, finding.span)?;
    let count = map.results.len();
    let changes = (0..count).flat_map(|one| (one + 1..count).map(move |other| Change::Exchange(one, other)));
    let Change::Exchange(one, other) = map.only(source, finding, changes.collect())? else { return None };
    let [one, other] = [one, other].map(|at| map.results[at].span);
    let edit = |span, with| Edit { span, replacement: source.text(with).to_string() };
    let edits = vec![edit(one, other), edit(other, one)];
    Some(Fix { title: "exchange the two indices".to_string(), edits })
}

/// An index map that is a lambda, with the launches that have it.
struct IndexMap<'a> {
    span: Span,
    /// Its first parameters: program ids.
    names: Vec<String>,
    results: Vec<&'a Expr>,
    launches: Vec<&'a Arc<Launch>>,
}

impl<'a> IndexMap<'a> {
    fn of(source: &Source<'a>, span: Span) -> Option<IndexMap<'a>> {
        let ExprKind::Lambda(lambda) = &tree::at(source.module, span)?.kind else { return None };
        let ExprKind::Tuple(results) = &lambda.body.kind else { return None };
        let has = |launch: &&Arc<Launch>| launch.operands.iter().any(|operand| operand.spans.index_map == Some(span));
        let launches: Vec<&Arc<Launch>> = source.launches.iter().filter(has).collect();
        let axes = launches.first()?.grid.len();
        let names: Vec<String> = lambda.params.iter().take(axes).map(|param| param.name.to_string()).collect();
        let is_small = (2..=MOST).contains(&results.len()) && axes <= MOST && names.len() == axes;
        let is_same = launches.iter().all(|launch| launch.grid.len() == axes);
        (is_small && is_same).then(|| IndexMap { span, names, results: results.iter().collect(), launches })
    }

    /// The one change that leaves nothing wrong.
    fn only(&self, source: &Source<'_>, finding: &Finding, changes: Vec<Change>) -> Option<Change> {
        let says_the_same = |change: &Change| match *change {
            Change::Exchange(one, other) => {
                source.text(self.results[one].span) == source.text(self.results[other].span)
            }
            Change::Follow(at, axis) => source.text(self.results[at].span) == self.names[axis],
        };
        let mut right = changes.into_iter().filter(|change| !says_the_same(change) && self.mends(finding, *change));
        let only = right.next()?;
        right.next().is_none().then_some(only)
    }

    /// Whether a change mends a finding in all launches, and breaks nothing.
    fn mends(&self, finding: &Finding, change: Change) -> bool {
        self.launches.iter().all(|launch| {
            let mut changed = Launch::clone(launch);
            let maps = changed.operands.iter_mut().filter(|operand| operand.spans.index_map == Some(self.span));
            let done = maps.filter_map(|operand| operand.index_map.as_mut()).all(|map| apply(map, change));
            let serious = |launch: &Launch| -> Vec<(&'static str, Span)> {
                let found = pallas_check::check(launch);
                let found = found.iter().filter(|other| other.severity != Severity::Info);
                found.map(|other| (other.code, other.span)).collect()
            };
            let before = serious(launch);
            let is_known =
                |place: &(&'static str, Span)| *place != (finding.code, finding.span) && before.contains(place);
            done && serious(&changed).iter().all(is_known)
        })
    }
}

fn apply(map: &mut Function, change: Change) -> bool {
    let params = map.params().to_vec();
    let body = map.body.0 as usize;
    let Some(yields) = map.regions.get_mut(body).map(|region| &mut region.yields) else { return false };
    match change {
        Change::Exchange(one, other) if one.max(other) < yields.len() => yields.swap(one, other),
        Change::Follow(at, axis) if at < yields.len() && axis < params.len() => yields[at] = params[axis],
        _ => return false,
    }
    true
}
