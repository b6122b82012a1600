//! Block indices in each other's place, or a 0 in the place of a program id: `lambda i, j: (j, i)`. What could be meant is tried
//! on the launches that have the index map: the fix is the one change that leaves nothing wrong with its blocks.

use super::{Source, tree};
use pallas_ir::{BlockMap, Edit, Finding, Fix, Function, Launch, Severity};
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

/// PL126: two blocks do not go together, and either may be the wrong one.
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    IndexMap::of(source, finding.span)?;
    let places = std::iter::once(finding.span).chain(finding.labels.iter().map(|label| label.span));
    // That of the finding comes first: it is the one that differs from others.
    let mut fixes =
        places.filter_map(|place| exchanged_at(source, finding, place).or_else(|| follow(source, finding, place)));
    fixes.next()
}

fn follow(source: &Source<'_>, finding: &Finding, place: Span) -> Option<Fix> {
    let map = IndexMap::of(source, place)?;
    let changes = (0..map.results.len()).flat_map(|at| (0..map.names.len()).map(move |axis| Change::Follow(at, axis)));
    let Change::Follow(at, axis) = map.only(source, finding, changes.collect())? else { return None };
    let name = &map.names[axis];
    let title = format!("let dimension {at} follow `{name}`");
    Some(Fix::replace(title, map.results[at].span, name.clone()))
}

/// PL120, PL121
pub(super) fn exchanged(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    exchanged_at(source, finding, finding.span)
}

fn exchanged_at(source: &Source<'_>, finding: &Finding, place: Span) -> Option<Fix> {
    let map = IndexMap::of(source, place)?;
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
        // A block that is larger than its array: what is wrong is the array.
        let of_map = launches.iter().flat_map(|launch| &launch.operands).filter(|op| op.spans.index_map == Some(span));
        let mut dims = of_map.flat_map(|operand| operand.block.iter().zip(operand.array.shape.iter()));
        if dims.any(|(block, &extent)| block.size() > extent) {
            return None;
        }
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
            // An axis that nothing follows any more was there for something.
            let follow = |launch: &Launch, axis: usize| {
                let mut maps = launch.operands.iter().map(|operand| BlockMap::new(operand, launch.grid.len()));
                launch.grid[axis] > 1 && maps.any(|map| map.depends_on(axis) != Some(false))
            };
            if (0..launch.grid.len()).any(|axis| follow(launch, axis) && !follow(&changed, axis)) {
                return false;
            }
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
