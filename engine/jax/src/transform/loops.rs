//! Loops and branches over lists of tiles, for rules that build control flow anew. Carries keep their types.

use crate::context::Context;
use crate::lax::control::staged;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::Trace;
use pallas_ir::{Attributes, Op, Type, ValueId, ops};
use pallas_python::raise::PyResult;
use std::rc::Rc;

/// The next carries from the carries of one round.
pub type Body<'b> = &'b mut dyn FnMut(Vec<Tile>) -> PyResult<Vec<Tile>>;

fn tiles(trace: &Rc<Trace>, values: &[ValueId]) -> Vec<Tile> {
    values.iter().filter_map(|&value| trace.tile(value)).collect()
}

fn values(cx: &Context<'_>, trace: &Rc<Trace>, tiles: &[Tile]) -> PyResult<Vec<ValueId>> {
    tiles.iter().map(|tile| cx.value_in(trace, tile)).collect()
}

/// The carries as values, as weak as the first ones were.
fn next(cx: &Context<'_>, trace: &Rc<Trace>, first: &[Tile], next: &[Tile]) -> PyResult<Vec<ValueId>> {
    first
        .iter()
        .zip(next)
        .map(|(before, after)| {
            let after = primitive::convert(cx, after, before.dtype(), before.weak())?;
            cx.value_in(trace, &after)
        })
        .collect()
}

/// `for i in range(lower, upper)`; `body` gets the index and the carries.
pub fn for_loop(
    cx: &Context<'_>,
    lower: &Tile,
    upper: &Tile,
    carries: &[Tile],
    body: &mut dyn FnMut(Tile, Vec<Tile>) -> PyResult<Vec<Tile>>,
) -> PyResult<Vec<Tile>> {
    staged(cx, "for", |trace| {
        let mut operands = values(cx, trace, &[lower.clone(), upper.clone()])?;
        operands.extend(values(cx, trace, carries)?);
        let counter = pallas_ir::TensorType::scalar(lower.dtype());
        let params: Vec<Type> =
            std::iter::once(Type::Tensor(counter)).chain(carries.iter().map(|t| Type::Tensor(t.ty()))).collect();
        let (region, ()) = trace.in_region(&params, |inside| {
            let mut inside = tiles(trace, inside).into_iter();
            let index = inside.next().ok_or_else(|| cx.interp.runtime_error("a loop has no counter".to_string()))?;
            let result = body(index, inside.collect())?;
            Ok((next(cx, trace, carries, &result)?, ()))
        })?;
        let results = trace.add(cx, Op(&ops::FOR), &operands, Attributes::none(), &[region])?;
        Ok(tiles(trace, &results))
    })
}

/// Runs `body` while `test` gives true.
pub fn while_loop(
    cx: &Context<'_>,
    carries: &[Tile],
    test: &mut dyn FnMut(Vec<Tile>) -> PyResult<Tile>,
    body: Body<'_>,
) -> PyResult<Vec<Tile>> {
    staged(cx, "while", |trace| {
        let operands = values(cx, trace, carries)?;
        let params: Vec<Type> = carries.iter().map(|t| Type::Tensor(t.ty())).collect();
        let (test_region, ()) = trace.in_region(&params, |inside| {
            let verdict = test(tiles(trace, inside))?;
            Ok((vec![cx.value_in(trace, &verdict)?], ()))
        })?;
        let (body_region, ()) = trace.in_region(&params, |inside| {
            let result = body(tiles(trace, inside))?;
            Ok((next(cx, trace, carries, &result)?, ()))
        })?;
        let results = trace.add(cx, Op(&ops::WHILE), &operands, Attributes::none(), &[test_region, body_region])?;
        Ok(tiles(trace, &results))
    })
}

/// One of `count` branches; `branch(i)` builds branch `i`.
pub fn branch(
    cx: &Context<'_>,
    which: &Tile,
    count: usize,
    branch: &mut dyn FnMut(usize) -> PyResult<Vec<Tile>>,
) -> PyResult<Vec<Tile>> {
    staged(cx, "cond", |trace| {
        let operand = cx.value_in(trace, which)?;
        let mut regions = Vec::with_capacity(count);
        for index in 0..count {
            let (region, ()) = trace.in_region(&[], |_| Ok((values(cx, trace, &branch(index)?)?, ())))?;
            regions.push(region);
        }
        let results = trace.add(cx, Op(&ops::COND), &[operand], Attributes::none(), &regions)?;
        Ok(tiles(trace, &results))
    })
}
