//! `jax.jacfwd`, `jax.jacrev`, `jax.hessian`: derivatives by every element, one lane for each.

use super::grad::{Argnums, Traced, Tracing, trace};
use super::object::{Transformation, transformed};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::jnp::shaping::move_axes;
use crate::primitive;
use crate::tile::Tile;
use crate::transform::batch::{Axis, Lane, batch};
use crate::transform::derive::{Dual, instantiate, jvp, vjp, zeros_like};
use crate::transform::stage::{Outcome, assemble, stage};
use pallas_ir::{TensorType, ops};
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{DType, Shape};

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "jacfwd",
        signature: "(fun, argnums=0, has_aux=False, holomorphic=False)",
        doc: "A function that gives the Jacobian of `fun`, column by column.",
        run: |interp, args| {
            let [function, argnums, _aux, _holomorphic] = args.take();
            jacobian(interp, function, &argnums, false)
        },
    },
    NativeDef {
        name: "jacrev",
        signature: "(fun, argnums=0, has_aux=False, holomorphic=False, allow_int=False)",
        doc: "A function that gives the Jacobian of `fun`, row by row.",
        run: |interp, args| {
            let [function, argnums, _aux, _holomorphic, _int] = args.take();
            jacobian(interp, function, &argnums, true)
        },
    },
    NativeDef {
        name: "hessian",
        signature: "(fun, argnums=0, has_aux=False, holomorphic=False)",
        doc: "A function that gives the second derivatives of `fun`.",
        run: |interp, args: Arguments| {
            let [function, argnums, _aux, _holomorphic] = args.take();
            let first = jacobian(interp, function, &argnums, true)?;
            jacobian(interp, first, &argnums, false)
        },
    },
];

struct Jacobian {
    argnums: Argnums,
    reverse: bool,
}

fn jacobian(interp: &Interp, function: Value, argnums: &Value, reverse: bool) -> PyResult<Value> {
    let argnums = Argnums::parse(interp, argnums)?;
    transformed(interp, function, Jacobian { argnums, reverse })
}

/// For tiles of `total` elements in all: lane `i` of tile `t` is one at element `i` (counted over all tiles), else zero.
fn basis(cx: &Context<'_>, tiles: &[Tile]) -> PyResult<(Vec<Tile>, usize)> {
    let total: usize = tiles.iter().map(|tile| tile.shape().iter().product::<usize>()).sum();
    let mut first = 0;
    let mut lanes = Vec::with_capacity(tiles.len());
    for tile in tiles {
        let size: usize = tile.shape().iter().product();
        let flat = Shape::from([total, size].as_slice());
        let row = primitive::iota(cx, DType::I32, &flat, 0)?;
        let column = primitive::iota(cx, DType::I32, &flat, 1)?;
        let start = primitive::full(cx, &flat, DType::I32, pallas_tensor::Scalar::Int(first as i128))?;
        let column = primitive::binary(cx, &ops::ADD, &column, &start)?;
        let ones = primitive::binary(cx, &ops::EQ, &row, &column)?;
        let ones = primitive::convert(cx, &ones, tile.dtype(), false)?;
        let shape = std::iter::once(total).chain(tile.shape().iter().copied()).collect();
        lanes.push(primitive::reshape(cx, &ones, &shape)?);
        first += size;
    }
    Ok((lanes, total))
}

/// The part of the lanes that belongs to one tile of the basis, with that tile's shape in the place of the lane.
fn part(cx: &Context<'_>, lanes: &Tile, first: usize, like: &Tile) -> PyResult<Tile> {
    let size: usize = like.shape().iter().product();
    let mut start = vec![0; lanes.rank()];
    let mut limit = lanes.shape().to_vec();
    (start[0], limit[0]) = (first, first + size);
    let rows = primitive::slice(cx, lanes, &start, &limit, &vec![1; lanes.rank()])?;
    let shape = like.shape().iter().chain(lanes.shape().iter().skip(1)).copied().collect();
    primitive::reshape(cx, &rows, &shape)
}

impl Transformation for Jacobian {
    fn call(&self, cx: &Context<'_>, function: &Value, args: CallArgs) -> PyResult<Value> {
        let positions = self.argnums.positions(cx, args.positional.len())?;
        let name = if self.reverse { "jacrev" } else { "jacfwd" };
        let check = |tile: &Tile| {
            match tile.dtype().is_float() {
            true => Ok(()),
            false => Err(cx.interp.type_error(format!(
                "{name} requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but got \
                 {}. If you want to use Boolean- or integer-valued inputs, use vjp or set allow_int to True.",
                tile.dtype().name()
            ))),
        }
        };
        let traced = match trace(cx, name, function, &args, &positions, &check)? {
            Tracing::Unknown(value) => return Ok(value),
            Tracing::Done(traced) => traced,
        };
        let blocks = if self.reverse { rows(cx, &traced)? } else { columns(cx, &traced)? };
        // One tree of results, with the tree of arguments at each leaf.
        let mut blocks = blocks.into_iter();
        let mut leaves = Vec::with_capacity(traced.staged.tree.leaves());
        for _ in 0..traced.staged.tree.leaves() {
            let mut by_argument = Vec::with_capacity(traced.trees.len());
            for tree in &traced.trees {
                by_argument.push(assemble(cx, tree, blocks.by_ref().take(tree.leaves()))?);
            }
            leaves.push(match (&self.argnums, by_argument.len()) {
                (Argnums::One(_), 1) => by_argument.remove(0),
                _ => Value::tuple(by_argument),
            });
        }
        crate::tree::unflatten(cx.interp, &traced.staged.tree, &mut leaves.into_iter())
    }
}

/// Evaluates `run` on lanes of tiles and gives its results with lanes in front.
fn on_lanes(
    cx: &Context<'_>,
    lanes: Vec<Tile>,
    size: usize,
    run: impl FnOnce(Vec<Tile>) -> PyResult<Vec<Tile>>,
) -> PyResult<Vec<Tile>> {
    let lanes: Vec<Lane> = lanes.into_iter().map(Lane::batched).collect();
    let types: Vec<TensorType> =
        lanes.iter().map(|lane| TensorType { shape: lane.shape(), ..lane.tile.ty() }).collect();
    let outcome = stage(cx, "vmap", false, &types, |tiles| {
        let results = run(tiles)?;
        Ok(Value::tuple(results.into_iter().map(|tile| Value::object(ArrayObject { tile })).collect::<Vec<_>>()))
    })?;
    let Outcome::Staged(staged) = outcome else { return Ok(Vec::new()) };
    let arguments = lanes.into_iter().chain(staged.lifted.into_iter().map(Lane::shared)).collect();
    let axis = Axis { size, name: None, shards: false };
    batch(cx, &staged.function, arguments, &axis)?.iter().map(|lane| lane.spread(cx, size)).collect()
}

/// Row by row: a cotangent for each element of the results.
fn rows(cx: &Context<'_>, traced: &Traced) -> PyResult<Vec<Tile>> {
    let mut wanted = vec![true; traced.tiles.len()];
    wanted.resize(wanted.len() + traced.staged.lifted.len(), false);
    let arguments = traced.tiles.iter().chain(&traced.staged.lifted).cloned().collect();
    let (results, back) = vjp(cx, traced.staged.function.clone(), arguments, &wanted)?;
    let (lanes, total) = basis(cx, &results)?;
    let cotangents = on_lanes(cx, lanes, total, |tiles| {
        let given = back.apply(cx, tiles.into_iter().map(Some).collect())?;
        let mut full = Vec::with_capacity(traced.tiles.len());
        for (tile, like) in given.into_iter().zip(&traced.tiles) {
            full.push(match tile {
                Some(tile) => tile,
                None => zeros_like(cx, like)?,
            });
        }
        Ok(full)
    })?;
    let mut blocks = Vec::new();
    let mut first = 0;
    for result in &results {
        for lanes in &cotangents {
            blocks.push(part(cx, lanes, first, result)?);
        }
        first += result.shape().iter().product::<usize>();
    }
    Ok(blocks)
}

/// Column by column: a tangent for each element of the arguments.
fn columns(cx: &Context<'_>, traced: &Traced) -> PyResult<Vec<Tile>> {
    let (lanes, total) = basis(cx, &traced.tiles)?;
    let mut likes = Vec::new();
    let tangents = on_lanes(cx, lanes, total, |tiles| {
        let mut duals: Vec<Dual> = traced
            .tiles
            .iter()
            .zip(tiles)
            .map(|(primal, tangent)| Dual { primal: primal.clone(), tangent: Some(tangent) })
            .collect();
        duals.extend(traced.staged.lifted.iter().cloned().map(Dual::constant));
        let results = jvp(cx, &traced.staged.function, duals)?;
        let mut tangents = Vec::with_capacity(results.len());
        for dual in results {
            likes.push(Tile::Abstract(dual.primal.ty()));
            tangents.push(instantiate(cx, dual.tangent, &dual.primal)?);
        }
        Ok(tangents)
    })?;
    let mut blocks = Vec::new();
    for (lanes, like) in tangents.iter().zip(&likes) {
        let mut first = 0;
        for argument in &traced.tiles {
            let block = part(cx, lanes, first, argument)?;
            // The argument's dimensions go behind those of the result.
            let source: Vec<usize> = (0..argument.rank()).collect();
            let destination: Vec<usize> = source.iter().map(|dim| dim + like.rank()).collect();
            blocks.push(move_axes(cx, &block, &source, &destination)?);
            first += argument.shape().iter().product::<usize>();
        }
    }
    Ok(blocks)
}
