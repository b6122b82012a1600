//! `jax.vmap` (`vmap` of jax/_src/api.py).

use super::axes;
use super::object::{Transformation, transformed};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::errors::type_text;
use crate::held::{HeldRef, threads};
use crate::jnp::shaping::move_axes;
use crate::tile::Tile;
use crate::transform::batch::{self, Axis, Lane};
use crate::transform::named::{self, NamedAxis};
use crate::transform::stage::{Outcome, stage};
use crate::tree;
use pallas_ir::TensorType;
use pallas_python::CallArgs;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "vmap",
    signature: "(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None, spmd_axis_name=None, sum_match=False)",
    doc: "A function that maps `fun` over an axis of its arguments.",
    run: vmap,
}];

struct Vmap {
    in_axes: Value,
    out_axes: Value,
    name: Option<Rc<str>>,
    size: Option<usize>,
}

fn vmap(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, in_axes, out_axes, name, size, _spmd, _sum] = args.take();
    let in_axes = match in_axes {
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        axes => axes,
    };
    if !matches!(in_axes, Value::None | Value::Int(_) | Value::Tuple(_) | Value::Unknown(_)) {
        let shown = interp.str(&in_axes)?;
        return Err(interp.type_error(format!(
            "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed \
             to the function, but got {shown}."
        )));
    }
    for (what, axes) in [("in_axes", &in_axes), ("out_axes", &out_axes)] {
        let (leaves, _) = tree::flatten(interp, axes, None)?;
        if leaves.iter().any(|leaf| !matches!(leaf, Value::Int(_) | Value::Unknown(_))) {
            let shown = interp.repr(axes)?;
            return Err(interp.type_error(format!(
                "vmap {what} must be an int, None, or (nested) container with those types as leaves, but got {shown}."
            )));
        }
    }
    let name = match name.given() {
        None => None,
        Some(Value::Str(name)) => Some(name),
        Some(other) => Some(Rc::from(interp.str(&other)?)),
    };
    let size = match size.given() {
        None => None,
        Some(size) => Some(interp.to_usize(&size)?),
    };
    transformed(interp, function, Vmap { in_axes, out_axes, name, size })
}

impl Transformation for Vmap {
    fn call(&self, cx: &Context<'_>, function: &Value, args: CallArgs) -> PyResult<Value> {
        let interp = cx.interp;
        if let Value::Tuple(axes) = &self.in_axes
            && axes.len() != args.positional.len()
        {
            return Err(interp.value_error(format!(
                "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments \
                 passed to the function, but got len(in_axes)={}, len(args)={}",
                axes.len(),
                args.positional.len()
            )));
        }
        let positional = Value::tuple(args.positional.iter().cloned());
        let (mut leaves, args_tree) = tree::flatten(interp, &positional, None)?;
        let mut axes = axes::flatten(cx, "vmap in_axes", &args_tree, &self.in_axes)?;
        let mut keywords = Vec::with_capacity(args.keywords.len());
        for (name, value) in &args.keywords {
            let (more, tree) = tree::flatten(interp, value, None)?;
            axes.extend(more.iter().map(|_| Some(0)));
            leaves.extend(more);
            keywords.push((name.clone(), tree));
        }
        let mut lanes: Vec<Option<Lane>> = Vec::with_capacity(leaves.len());
        let mut sizes: Vec<Size> = Vec::new();
        // Mapped Refs: the function gets others, and what it leaves in them is stored back.
        let mut refs: Vec<(&Value, i64)> = Vec::new();
        for (index, (leaf, axis)) in leaves.iter().zip(&axes).enumerate() {
            let Some(axis) = axis else {
                lanes.push(None);
                continue;
            };
            if leaf.is_unknown() {
                return Ok(leaf.clone());
            }
            let tile = match leaf.downcast::<HeldRef>() {
                Some(held) => held.read(cx)?,
                None => match convert::try_tile(cx, leaf)? {
                    Some(tile) => tile,
                    None => return Err(convert::not_an_array(cx, leaf, "vmap")),
                },
            };
            let rank = tile.rank() as i64;
            let place = if *axis < 0 { axis + rank } else { *axis };
            if place < 0 || place >= rank {
                return Err(interp.value_error(format!(
                    "vmap was requested to map its argument along axis {axis}, which implies that its rank should be at \
                     least {}, but is only {rank} (its shape is {})",
                    if *axis >= 0 { axis + 1 } else { -axis },
                    tile.shape()
                )));
            }
            if leaf.downcast::<HeldRef>().is_some() {
                refs.push((leaf, place));
            }
            sizes.push(Size { extent: tile.shape()[place as usize], axis: *axis, leaf: index, ty: tile.ty() });
            lanes.push(Some(Lane::batched(move_axes(cx, &tile, &[place as usize], &[0])?)));
        }
        let size = self.agreed(cx, function, &sizes, &args_tree)?;
        let axis = Axis { size, name: self.name.clone(), shards: false };
        let mut types: Vec<TensorType> =
            lanes.iter().flatten().map(|lane| TensorType { shape: lane.shape(), ..lane.tile.ty() }).collect();
        let mapped = types.len();
        types.extend(self.name.as_ref().map(|_| named::lane_type()));
        let outcome = stage(cx, "vmap", false, &types, |mut tiles| {
            let mut inner = Vec::with_capacity(refs.len());
            let lane = if tiles.len() > mapped { tiles.pop() } else { None };
            let mut tiles = tiles.into_iter();
            let mut values = leaves
                .iter()
                .zip(&lanes)
                .map(|(leaf, lane)| match lane {
                    Some(_) if leaf.downcast::<HeldRef>().is_some() => tiles.next().map_or(Value::None, |tile| {
                        let held = threads::make(interp, tile);
                        inner.push(held.clone());
                        held
                    }),
                    Some(_) => tiles.next().map_or(Value::None, |tile| Value::object(ArrayObject { tile })),
                    None => leaf.clone(),
                })
                .collect::<Vec<_>>()
                .into_iter();
            let positional = tree::unflatten(interp, &args_tree, &mut values)?;
            let mut call = CallArgs::positional(interp.collect(&positional)?);
            for (name, tree) in &keywords {
                call.keywords.push((name.clone(), tree::unflatten(interp, tree, &mut values)?));
            }
            let axis = self.name.clone().zip(lane).zip(cx.innermost());
            let axis = axis.map(|((name, lane), trace)| NamedAxis { name, size, trace, lane, shards: None });
            let _named = named::enter(cx, axis.into_iter().collect());
            let result = interp.call(function, call)?;
            let left: PyResult<Vec<Value>> = inner.iter().map(|held| interp.get_item(held, &Value::Ellipsis)).collect();
            Ok(Value::tuple([result, Value::tuple(left?)]))
        })?;
        let staged = match outcome {
            Outcome::Unknown(value) => return Ok(value),
            Outcome::Staged(staged) => staged,
        };
        let mut arguments: Vec<Lane> = lanes.into_iter().flatten().collect();
        if self.name.is_some() {
            arguments.push(named::lane_numbers(cx, &staged.function, staged.function.params()[mapped], size)?);
        }
        arguments.extend(staged.lifted.into_iter().map(Lane::shared));
        let mut results = batch::batch(cx, &staged.function, arguments, &axis)?;
        for ((held, place), lane) in refs.iter().zip(results.split_off(results.len() - refs.len())) {
            let tile = placed(cx, &lane, Some(*place), &axis)?;
            interp.set_item(held, &Value::Ellipsis, Value::object(ArrayObject { tile }))?;
        }
        let tree = staged.tree.children().first().unwrap_or(&staged.tree);
        let out_axes = axes::flatten(cx, "vmap out_axes", tree, &self.out_axes)?;
        let mut values = Vec::with_capacity(results.len());
        for ((lane, place), number) in results.iter().zip(&out_axes).zip(staged.numbers) {
            values.push(match (place, number) {
                (None, Some(number)) => number,
                _ => Value::object(ArrayObject { tile: placed(cx, lane, *place, &axis)? }),
            });
        }
        tree::unflatten(interp, tree, &mut values.into_iter())
    }
}

/// A result with its lanes where they are asked for.
fn placed(cx: &Context<'_>, lane: &Lane, place: Option<i64>, axis: &Axis) -> PyResult<Tile> {
    match (place, lane.batched) {
        (None, false) => Ok(lane.tile.clone()),
        (None, true) => Err(cx.interp.value_error(match &axis.name {
            Some(name) => format!("vmap has mapped output (axis_name={name}) but out_axes is None"),
            None => "at vmap out_axes, got axis spec None but output was batched on axis 0".to_string(),
        })),
        (Some(place), _) => {
            let tile = lane.spread(cx, axis.size)?;
            let place = convert::normalize_axis(cx, place, tile.rank())?;
            move_axes(cx, &tile, &[0], &[place])
        }
    }
}

/// A mapped argument.
struct Size {
    extent: usize,
    axis: i64,
    /// The number of the leaf among all leaves.
    leaf: usize,
    ty: TensorType,
}

impl Vmap {
    /// The number of lanes that all mapped arguments agree on.
    fn agreed(&self, cx: &Context<'_>, function: &Value, sizes: &[Size], args: &tree::TreeDef) -> PyResult<usize> {
        let extents = sizes.iter().map(|size| size.extent).chain(self.size);
        let mut distinct: Vec<usize> = Vec::new();
        for extent in extents {
            if !distinct.contains(&extent) {
                distinct.push(extent);
            }
        }
        match distinct[..] {
            [size] => Ok(size),
            [] => Err(cx.interp.value_error(
                "vmap must have at least one non-None value in in_axes or axis_size must be specified".to_string(),
            )),
            _ => Err(cx.interp.value_error(self.disagreement(cx, function, sizes, args)?)),
        }
    }

    /// Who asks for which size, the most frequent first.
    fn disagreement(
        &self,
        cx: &Context<'_>,
        function: &Value,
        sizes: &[Size],
        args: &tree::TreeDef,
    ) -> PyResult<String> {
        let names: Vec<String> = cx
            .interp
            .underlying_function(function)
            .map(|function| function.code.params().iter().map(|param| param.name.to_string()).collect())
            .unwrap_or_default();
        let paths = leaf_paths(args, &names);
        let mut counts: Vec<(usize, usize, &Size)> = Vec::new();
        for size in sizes {
            match counts.iter_mut().find(|(extent, _, _)| *extent == size.extent) {
                Some((_, count, _)) => *count += 1,
                None => counts.push((size.extent, 1, size)),
            }
        }
        counts.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        let mut text = "vmap got inconsistent sizes for array axes to be mapped:\n".to_string();
        if let Some(size) = self.size {
            text.push_str(&format!("  * the `axis_size` argument was {size};\n"));
        }
        for (index, (extent, count, example)) in counts.iter().enumerate() {
            let name = paths.get(example.leaf).map_or("kwargs", String::as_str);
            let what = format!("axis {} of {name} of type {}", example.axis, type_text(&example.ty));
            text.push_str(&match (count, index) {
                (1, _) => format!("  * one axis had size {extent}: {what};\n"),
                (_, 0) => format!("  * most axes ({count} of them) had size {extent}, e.g. {what};\n"),
                _ => format!("  * some axes ({count} of them) had size {extent}, e.g. {what};\n"),
            });
        }
        text.truncate(text.len().saturating_sub(2));
        Ok(text)
    }
}

/// `argument x`, `argument x['a']`: what JAX calls the leaves of an argument tuple.
fn leaf_paths(tree: &tree::TreeDef, names: &[String]) -> Vec<String> {
    let tree::TreeDef::Tuple(defs) = tree else { return Vec::new() };
    let mut paths = Vec::new();
    for (index, def) in defs.iter().enumerate() {
        let name = match names.get(index) {
            Some(name) => format!("argument {name}"),
            None => format!("args[{index}]"),
        };
        def.paths(&name, &mut paths);
    }
    paths
}
