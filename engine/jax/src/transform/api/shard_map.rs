//! `jax.shard_map`: a function traced once on the types of shards, then mapped over the axes of a mesh, the last axis
//! innermost. Which dimension goes along which axis, and what is refused, is said in Python (`sharding/shard_map.py`).

use super::object::{Leaves, Transformation, arrays, transformed};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::primitive;
use crate::sharding::{self, Placement};
use crate::tile::Tile;
use crate::transform::batch::{self, Axis, Lane};
use crate::transform::named::{self, NamedAxis, Shards};
use crate::transform::stage::{Outcome, stage};
use crate::tree;
use pallas_ir::{Function, TensorType};
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::Shape;
use std::cell::RefCell;
use std::rc::Rc;

/// Rows of `jax._src.shards`.
pub static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "mapped",
    signature: "(f, in_parts, out_parts, names, sizes, checked)",
    doc: "A function that maps `f` over shards.",
    run: mapped,
}];

struct ShardMap {
    /// Says for each leaf of the arguments which axes divide which dimension.
    in_parts: Value,
    /// The same for the result, with its shardings.
    out_parts: Value,
    axes: Vec<Axis>,
    /// Whether it is followed which values may differ from shard to shard.
    checked: bool,
}

/// For each dimension the axes that divide it, by number; the outermost first.
type Parts = Vec<Vec<usize>>;

/// A tile with a leading dimension for each axis along which its shards differ.
struct Sharded {
    tile: Tile,
    /// For each axis whether there is a dimension.
    along: Vec<bool>,
}

fn mapped(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, in_parts, out_parts, names, sizes, checked] = args.take();
    let names = interp.collect(&names)?;
    let sizes = interp.collect(&sizes)?;
    let axes = names
        .iter()
        .zip(&sizes)
        .map(|(name, size)| {
            Ok(Axis { size: interp.to_usize(size)?, name: Some(Rc::from(interp.str(name)?)), shards: true })
        })
        .collect::<PyResult<_>>()?;
    let checked = interp.truth(&checked)?;
    transformed(interp, function, ShardMap { in_parts, out_parts, axes, checked })
}

impl Transformation for ShardMap {
    fn call(&self, cx: &Context<'_>, function: &Value, args: CallArgs) -> PyResult<Value> {
        let interp = cx.interp;
        if let Some((name, _)) = args.keywords.first() {
            return Err(
                interp.type_error(format!("_shard_map.<locals>.wrapped() got an unexpected keyword argument '{name}'"))
            );
        }
        let flat = match arrays(cx, &Value::tuple(args.positional.iter().cloned()))? {
            Leaves::Unknown(value) => return Ok(value),
            Leaves::Arrays(flat) => flat,
        };
        let mut values = flat.tiles.iter().map(|tile| Value::object(ArrayObject { tile: tile.clone() }));
        let arguments = tree::unflatten(interp, &flat.tree, &mut values)?;
        let parts = self.parts(cx, &interp.call_values(&self.in_parts, [arguments])?)?;
        let mut inputs = Vec::with_capacity(flat.tiles.len() + self.axes.len());
        for (tile, parts) in flat.tiles.iter().zip(&parts) {
            inputs.push(self.split(cx, tile, parts)?);
        }
        let count = inputs.len();
        let mut types: Vec<TensorType> = inputs.iter().map(Sharded::ty).collect();
        types.extend(self.axes.iter().map(|_| named::lane_type()));
        let result = RefCell::new(Value::None);
        let outcome = stage(cx, "shard_map", false, &types, |mut tiles| {
            let lanes = tiles.split_off(count);
            let _entered = named::enter(cx, self.named(cx, &inputs, &tiles, lanes));
            let mut values = tiles.into_iter().map(|tile| Value::object(ArrayObject { tile }));
            let positional = tree::unflatten(interp, &flat.tree, &mut values)?;
            let value = interp.call(function, CallArgs::positional(interp.collect(&positional)?))?;
            *result.borrow_mut() = value.clone();
            Ok(value)
        })?;
        let staged = match outcome {
            Outcome::Unknown(value) => return Ok(value),
            Outcome::Staged(staged) => staged,
        };
        let params = staged.function.params();
        for (number, axis) in self.axes.iter().enumerate() {
            let lane = named::lane_numbers(cx, &staged.function, params[count + number], axis.size)?;
            let along = (0..self.axes.len()).map(|other| lane.batched && other == number).collect();
            inputs.push(Sharded { tile: lane.tile, along });
        }
        for tile in staged.lifted {
            inputs.push(Sharded { tile, along: vec![false; self.axes.len()] });
        }
        let varying = self.varying(&staged.function, &inputs, count);
        let names = varying.iter().map(|axes| {
            let names = axes.iter().zip(&self.axes).filter(|(along, _)| **along);
            Value::list(names.filter_map(|(_, axis)| axis.name.clone()).map(Value::Str))
        });
        // Python numbers among the results have shapes too.
        let leaves = staged.function.region(staged.function.body).yields.iter();
        let leaves = leaves.filter_map(|&id| staged.function.ty(id).tensor().cloned());
        let mut leaves = leaves.map(|ty| Value::object(ArrayObject { tile: Tile::Abstract(ty) }));
        let shown = tree::unflatten(interp, &staged.tree, &mut leaves)?;
        let answers = interp.call_values(&self.out_parts, [shown, Value::list(names)])?;
        let answers = interp.collect(&answers)?;
        let results = over(cx, &self.axes, &staged.function, inputs, count)?;
        let mut values = Vec::with_capacity(results.len());
        for (result, answer) in results.into_iter().zip(answers) {
            let [parts, sharding] = <[Value; 2]>::try_from(interp.collect(&answer)?)
                .map_err(|_| interp.runtime_error("a result of shard_map has no sharding".to_string()))?;
            let (tile, copies) = self.join(cx, result, &self.one(cx, &parts)?)?;
            let value = Value::object(ArrayObject { tile });
            sharding::remember(interp, &value, Placement { sharding, copies });
            values.push(value);
        }
        tree::unflatten(interp, &staged.tree, &mut values.into_iter())
    }
}

impl ShardMap {
    /// What Python says about each leaf.
    fn parts(&self, cx: &Context<'_>, value: &Value) -> PyResult<Vec<Parts>> {
        cx.interp.collect(value)?.iter().map(|leaf| self.one(cx, leaf)).collect()
    }

    fn one(&self, cx: &Context<'_>, value: &Value) -> PyResult<Parts> {
        let dimension = |dim: &Value| {
            let names = cx.interp.collect(dim)?;
            names
                .iter()
                .map(|name| {
                    let name = cx.interp.str(name)?;
                    let place = self.axes.iter().position(|axis| axis.name.as_deref() == Some(&*name));
                    place.ok_or_else(|| cx.interp.value_error(format!("shard_map does not map over the axis {name}")))
                })
                .collect::<PyResult<Vec<_>>>()
        };
        cx.interp.collect(value)?.iter().map(dimension).collect()
    }

    /// The axes while the function is traced.
    fn named(&self, cx: &Context<'_>, inputs: &[Sharded], tiles: &[Tile], lanes: Vec<Tile>) -> Vec<NamedAxis> {
        let Some(trace) = cx.innermost() else { return Vec::new() };
        let id = |tile: &Tile| match tile {
            Tile::Traced(traced) => Some(traced.value),
            _ => None,
        };
        let axes = self.axes.iter().zip(lanes).enumerate();
        axes.filter_map(|(number, (axis, lane))| {
            let differing = inputs.iter().zip(tiles).filter(|(input, _)| input.along[number]);
            let varying: Vec<_> = differing.map(|(_, tile)| tile).chain([&lane]).filter_map(id).collect();
            let shards = Shards { varying: self.checked.then(|| varying.into()) };
            Some(NamedAxis {
                name: axis.name.clone()?,
                size: axis.size,
                trace: trace.clone(),
                lane,
                shards: Some(shards),
            })
        })
        .collect()
    }

    /// For each result along which axes it may differ.
    fn varying(&self, function: &Function, inputs: &[Sharded], count: usize) -> Vec<Vec<bool>> {
        let yields = &function.region(function.body).yields;
        let mut found = vec![Vec::new(); yields.len()];
        for (number, axis) in self.axes.iter().enumerate() {
            let params = function.params().iter().zip(inputs).enumerate();
            let seeds = params.filter(|(index, (_, input))| input.along[number] || *index == count + number);
            let name = axis.name.as_deref().unwrap_or_default();
            let varying = named::varying(function, name, seeds.map(|(_, (&param, _))| param));
            for (found, id) in found.iter_mut().zip(yields) {
                found.push(varying.contains(id));
            }
        }
        found
    }

    /// An argument as its shards.
    fn split(&self, cx: &Context<'_>, tile: &Tile, parts: &Parts) -> PyResult<Sharded> {
        let mut shape = Vec::new();
        let mut owners: Vec<Option<usize>> = Vec::new();
        for (dim, &extent) in tile.shape().iter().enumerate() {
            let axes = parts.get(dim).map(Vec::as_slice).unwrap_or_default();
            let mut rest = extent;
            for &axis in axes {
                shape.push(self.axes[axis].size);
                owners.push(Some(axis));
                rest /= self.axes[axis].size.max(1);
            }
            shape.push(rest);
            owners.push(None);
        }
        let places = |owner: Option<usize>| {
            owners.iter().enumerate().filter(move |(_, seen)| **seen == owner).map(|(place, _)| place)
        };
        let along: Vec<bool> = (0..self.axes.len()).map(|axis| owners.contains(&Some(axis))).collect();
        let order: Vec<usize> = (0..self.axes.len()).flat_map(|axis| places(Some(axis))).chain(places(None)).collect();
        let tile = primitive::reshape(cx, tile, &Shape::from(shape.as_slice()))?;
        Ok(Sharded { tile: primitive::transpose(cx, &tile, &order)?, along })
    }

    /// A result put together from its shards; of axes that do not divide it the first shard is taken. What the others are
    /// is given too, with these axes.
    fn join(&self, cx: &Context<'_>, result: Sharded, parts: &Parts) -> PyResult<(Tile, Option<(Tile, Value)>)> {
        let mentioned = |axis: usize| parts.iter().any(|axes| axes.contains(&axis));
        let mut tile = result.tile;
        let mut front: Vec<usize> = (0..self.axes.len()).filter(|&axis| result.along[axis]).collect();
        let differing: Vec<usize> = front.iter().copied().filter(|&axis| !mentioned(axis)).collect();
        for axis in (0..self.axes.len()).filter(|&axis| mentioned(axis) && !result.along[axis]) {
            tile = Lane::shared(tile).spread(cx, self.axes[axis].size)?;
            front.insert(0, axis);
        }
        let place = |axis: &usize| front.iter().position(|other| other == axis);
        let mut order: Vec<usize> = differing.iter().filter_map(place).collect();
        let mut shape: Vec<usize> = differing.iter().map(|&axis| self.axes[axis].size).collect();
        for dim in 0..tile.rank() - front.len() {
            let axes = parts.get(dim).map(Vec::as_slice).unwrap_or_default();
            let mut extent = tile.shape()[front.len() + dim];
            for axis in axes {
                order.extend(place(axis));
                extent *= self.axes[*axis].size;
            }
            order.push(front.len() + dim);
            shape.push(extent);
        }
        let tile = primitive::transpose(cx, &tile, &order)?;
        let all = primitive::reshape(cx, &tile, &Shape::from(shape.as_slice()))?;
        if differing.is_empty() {
            return Ok((all, None));
        }
        shape[..differing.len()].fill(1);
        let first = primitive::slice(cx, &all, &vec![0; shape.len()], &shape, &vec![1; shape.len()])?;
        let first = primitive::squeeze(cx, &first, &(0..differing.len()).collect::<Vec<_>>())?;
        let names = differing.iter().filter_map(|&axis| self.axes[axis].name.clone()).map(Value::Str);
        Ok((first, Some((all, Value::tuple(names)))))
    }
}

impl Sharded {
    /// The type of one shard.
    fn ty(&self) -> TensorType {
        let skip = self.along.iter().filter(|along| **along).count();
        TensorType { shape: self.tile.shape().iter().skip(skip).copied().collect(), ..self.tile.ty() }
    }

    /// As a lane along the first axis, and the rest.
    fn outer(self) -> (Lane, Vec<bool>) {
        (Lane { tile: self.tile, batched: self.along[0] }, self.along[1..].to_vec())
    }
}

/// Evaluates a function on shards along all axes: traces it mapped over the inner ones, and maps that over the first.
/// Parameter `lanes` is the number of a lane along the first axis.
fn over(
    cx: &Context<'_>,
    axes: &[Axis],
    function: &Rc<Function>,
    inputs: Vec<Sharded>,
    lanes: usize,
) -> PyResult<Vec<Sharded>> {
    let [first, inner @ ..] = axes else {
        return Err(cx.interp.value_error("shard_map needs a mesh with at least one axis".to_string()));
    };
    let (arguments, rest): (Vec<Lane>, Vec<Vec<bool>>) = inputs.into_iter().map(Sharded::outer).unzip();
    if inner.is_empty() {
        let results = batch::batch(cx, function, arguments, first)?;
        return Ok(results.into_iter().map(|lane| Sharded { tile: lane.tile, along: vec![lane.batched] }).collect());
    }
    let types: Vec<TensorType> =
        arguments.iter().map(|lane| TensorType { shape: lane.shape(), ..lane.tile.ty() }).collect();
    let alongs = RefCell::new(Vec::new());
    let outcome = stage(cx, "shard_map", false, &types, |tiles| {
        let axis = cx.innermost().zip(first.name.clone()).map(|(trace, name)| {
            let shards = Some(Shards { varying: None });
            NamedAxis { name, size: first.size, trace, lane: tiles[lanes].clone(), shards }
        });
        let _entered = named::enter(cx, axis.into_iter().collect());
        let inputs = tiles.into_iter().zip(rest).map(|(tile, along)| Sharded { tile, along }).collect();
        let mut values = Vec::new();
        for result in over(cx, inner, function, inputs, lanes + 1)? {
            alongs.borrow_mut().push(result.along);
            values.push(Value::object(ArrayObject { tile: result.tile }));
        }
        Ok(Value::tuple(values))
    })?;
    let Outcome::Staged(staged) = outcome else {
        return Err(cx.interp.runtime_error("a mapped function gave something unknown".to_string()));
    };
    let arguments = arguments.into_iter().chain(staged.lifted.into_iter().map(Lane::shared)).collect();
    let results = batch::batch(cx, &staged.function, arguments, first)?;
    let alongs = alongs.into_inner();
    Ok(results
        .into_iter()
        .zip(alongs)
        .map(|(lane, along)| Sharded { tile: lane.tile, along: std::iter::once(lane.batched).chain(along).collect() })
        .collect())
}
