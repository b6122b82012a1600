//! Ops over a named axis: linear; backward what was gathered is scattered, what was sent comes back.
//!
//! A sum over the lanes of `vmap` goes back as a sum (each lane's result depends on every lane). Where it is known which
//! values are equal on all shards, it goes back as it is, and the cotangents of equal values that were used on different
//! shards are summed there (see [`super::pullback`]).

use super::{Derivative, Point, Reverse};
use crate::context::Context;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::raise::PyResult;

/// The rules.
pub(super) fn rules() -> impl Iterator<Item = (&'static str, Derivative)> {
    let rules: [(&str, Reverse); 7] = [
        ("psum", |cx, at, g, _| again(cx, g, at.op, at.attributes.clone())),
        ("psum_invariant", |_, _, g, _| Ok(vec![g.first().cloned().flatten()])),
        ("pvary", |_, _, g, _| Ok(vec![g.first().cloned().flatten()])),
        ("ppermute", |cx, at, g, _| again(cx, g, at.op, reversed(at))),
        ("all_gather", |cx, at, g, _| again(cx, g, &ops::REDUCE_SCATTER, at.attributes.clone())),
        ("reduce_scatter", |cx, at, g, _| again(cx, g, &ops::ALL_GATHER, at.attributes.clone())),
        ("all_to_all", |cx, at, g, _| again(cx, g, at.op, exchanged(at))),
    ];
    rules.into_iter().map(|(name, reverse)| (name, Derivative::Linear(reverse)))
}

fn again(
    cx: &Context<'_>,
    g: &[Option<Tile>],
    op: &'static OpDef,
    attributes: Attributes,
) -> PyResult<Vec<Option<Tile>>> {
    match g.first() {
        Some(Some(g)) => Ok(vec![Some(cx.bind(op, &[g], attributes)?)]),
        _ => Ok(vec![None]),
    }
}

/// Attributes with some of their values seen through `change`.
fn changed(at: &Point<'_>, change: impl Fn(&str, &Attribute) -> Attribute) -> Attributes {
    at.attributes.0.iter().fold(Attributes::none(), |all, (name, value)| all.with(name, change(name, value)))
}

fn reversed(at: &Point<'_>) -> Attributes {
    changed(at, |_, value| match value {
        Attribute::IntLists(pairs) => {
            Attribute::IntLists(pairs.iter().map(|pair| pair.iter().rev().copied().collect()).collect())
        }
        other => other.clone(),
    })
}

fn exchanged(at: &Point<'_>) -> Attributes {
    let other = |name: &str| at.attributes.get(name).cloned();
    changed(at, |name, value| match name {
        "split_axis" => other("concat_axis").unwrap_or_else(|| value.clone()),
        "concat_axis" => other("split_axis").unwrap_or_else(|| value.clone()),
        _ => value.clone(),
    })
}
