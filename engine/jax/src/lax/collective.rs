//! Functions of `jax.lax` across named axes: sums and gathers over the lanes of `vmap(axis_name=...)` and the shards of
//! `shard_map` (jax/_src/lax/parallel.py). Several axes are handled one after the other; groups of lanes are refused.

use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::jnp::arithmetic;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::TraceKind;
use crate::transform::named::{self, NamedAxis};
use crate::tree;
use pallas_ir::{Attribute, Attributes, OpDef, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::BinaryOp;
use pallas_tensor::{DType, Scalar, Shape};
use std::rc::Rc;

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "psum",
        signature: "(x, axis_name, *, axis_index_groups=None)",
        doc: "The sum over a mapped axis.",
        run: |interp, args| reduction(interp, args, "psum"),
    },
    NativeDef {
        name: "pmean",
        signature: "(x, axis_name, *, axis_index_groups=None)",
        doc: "The mean over a mapped axis.",
        run: pmean,
    },
    NativeDef {
        name: "pmax",
        signature: "(x, axis_name, *, axis_index_groups=None)",
        doc: "The greatest over a mapped axis.",
        run: |interp, args| reduction(interp, args, "pmax"),
    },
    NativeDef {
        name: "pmin",
        signature: "(x, axis_name, *, axis_index_groups=None)",
        doc: "The least over a mapped axis.",
        run: |interp, args| reduction(interp, args, "pmin"),
    },
    NativeDef {
        name: "ppermute",
        signature: "(x, axis_name, perm)",
        doc: "Sends values along a mapped axis; `perm` has pairs of source and target.",
        run: ppermute,
    },
    NativeDef {
        name: "pshuffle",
        signature: "(x, axis_name, perm)",
        doc: "Lane i gets the value of lane `perm[i]`.",
        run: pshuffle,
    },
    NativeDef {
        name: "all_gather",
        signature: "(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False, to='varying')",
        doc: "The values of all lanes, stacked or joined along `axis`.",
        run: all_gather,
    },
    NativeDef {
        name: "psum_scatter",
        signature: "(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False)",
        doc: "The sum over a mapped axis, of which each lane gets its part.",
        run: psum_scatter,
    },
    NativeDef {
        name: "all_to_all",
        signature: "(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False)",
        doc: "Each lane sends a part to each lane.",
        run: all_to_all,
    },
    NativeDef {
        name: "axis_index",
        signature: "(axis_name)",
        doc: "The lane's number along a mapped axis.",
        run: axis_index,
    },
    NativeDef { name: "axis_size", signature: "(axis_name)", doc: "The size of a mapped axis.", run: axis_size },
    NativeDef {
        name: "pcast",
        signature: "(x, axis_name, *, to)",
        doc: "The same value as one that may differ along a mapped axis.",
        run: pcast,
    },
];

/// The axes that are named, outermost first. `by` is the function that asks, where JAX's refusal names it.
fn axes(interp: &Interp, value: &Value, by: Option<&str>) -> PyResult<Vec<NamedAxis>> {
    let cx = Context::jax(interp);
    let names = match value {
        Value::Tuple(_) | Value::List(_) => interp.collect(value)?,
        one => vec![one.clone()],
    };
    names
        .iter()
        .map(|name| {
            let text = interp.str(name)?;
            named::find(&cx, &text).ok_or_else(|| {
                interp.name_error(match by {
                    Some(by) => format!(
                        "Found an unbound axis name: {text}. To fix this, please call {by} under `jax.shard_map`."
                    ),
                    None => format!("unbound axis name: {text}"),
                })
            })
        })
        .collect()
}

/// Only where a traced value is asked about does JAX's refusal name the function.
fn asker<'a>(interp: &Interp, x: &Value, function: &'a str) -> PyResult<Option<&'a str>> {
    let (leaves, _) = tree::flatten(interp, x, None)?;
    let traced = |leaf: &Value| leaf.downcast::<ArrayObject>().is_some_and(|array| array.tile.is_traced());
    Ok(leaves.iter().any(traced).then_some(function))
}

fn no_groups(interp: &Interp, groups: &Value, function: &str) -> PyResult<()> {
    match groups.clone().given() {
        None => Ok(()),
        Some(_) => Err(interp.not_implemented_error(format!(
            "axis_index_groups of jax.lax.{function} is not provided by the workbench yet. Map over two axes instead of \
             one, and use {function} over the inner one."
        ))),
    }
}

/// The one axis, where several are not provided.
fn only(interp: &Interp, mut axes: Vec<NamedAxis>, function: &str) -> PyResult<NamedAxis> {
    match (axes.pop(), axes.is_empty()) {
        (Some(axis), true) => Ok(axis),
        _ => Err(interp.not_implemented_error(format!(
            "jax.lax.{function} over several axes at once is not provided by the workbench yet. Name one axis."
        ))),
    }
}

/// Applies `each` to every leaf of a pytree of arrays.
fn leaves(
    interp: &Interp,
    x: &Value,
    function: &str,
    mut each: impl FnMut(&Context<'_>, &Tile) -> PyResult<Tile>,
) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let (leaves, def) = tree::flatten(interp, x, None)?;
    let mut results = Vec::with_capacity(leaves.len());
    for leaf in &leaves {
        results.push(if leaf.is_unknown() {
            leaf.clone()
        } else {
            let tile = each(&cx, &convert::tile(&cx, leaf, function)?)?;
            Value::object(ArrayObject { tile })
        });
    }
    tree::unflatten(interp, &def, &mut results.into_iter())
}

fn over(axis: &NamedAxis) -> Attributes {
    Attributes::none().with("axis_name", Attribute::Str((*axis.name).into()))
}

/// A value as one that may differ from shard to shard, where that is asked.
fn varied(cx: &Context<'_>, axis: &NamedAxis, x: &Tile) -> PyResult<Tile> {
    if axis.varying().is_some() { cx.bind(&ops::PVARY, &[x], over(axis)) } else { Ok(x.clone()) }
}

fn sized(axis: &NamedAxis) -> Attributes {
    over(axis).with("size", Attribute::Int(axis.size as i64))
}

fn reduction(interp: &Interp, args: Arguments, function: &'static str) -> PyResult<Value> {
    let [x, names, groups] = args.take();
    no_groups(interp, &groups, function)?;
    // The sum of a Python number is a Python number.
    if function == "psum" && matches!(x, Value::Int(_) | Value::Float(_) | Value::Bool(_)) {
        let size: usize = axes(interp, &names, None)?.iter().map(|axis| axis.size).product();
        return interp.binary(BinaryOp::Mult, &Value::from(size), &x);
    }
    let axes = axes(interp, &names, asker(interp, &x, function)?)?;
    leaves(interp, &x, function, |cx, x| {
        let mut x = x.clone();
        if function == "psum" && x.dtype() == DType::Bool {
            x = primitive::convert(cx, &x, DType::I32, false)?;
        }
        for axis in &axes {
            let op: &'static OpDef = match (function, axis.varying().is_some()) {
                ("psum", true) => &ops::PSUM_INVARIANT,
                ("psum", false) => &ops::PSUM,
                ("pmax", _) => &ops::PMAX,
                _ => &ops::PMIN,
            };
            x = cx.bind(op, &[&varied(cx, axis, &x)?], over(axis))?;
        }
        Ok(x)
    })
}

fn pmean(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, names, groups] = args.take();
    no_groups(interp, &groups, "pmean")?;
    let axes = axes(interp, &names, asker(interp, &x, "psum")?)?;
    let size: usize = axes.iter().map(|axis| axis.size).product();
    leaves(interp, &x, "pmean", |cx, x| {
        let mut x = x.clone();
        if x.dtype() == DType::Bool {
            x = primitive::convert(cx, &x, DType::I32, false)?;
        }
        for axis in &axes {
            let op: &'static OpDef = if axis.varying().is_some() { &ops::PSUM_INVARIANT } else { &ops::PSUM };
            x = cx.bind(op, &[&varied(cx, axis, &x)?], over(axis))?;
        }
        let Some(size) = convert::try_tile(cx, &Value::from(size))? else { return Ok(x) };
        arithmetic::operator(cx, BinaryOp::Div, &x, &size)
    })
}

fn pairs(interp: &Interp, perm: &Value) -> PyResult<Vec<Vec<i64>>> {
    let pair = |pair: &Value| interp.collect(pair)?.iter().map(|end| interp.to_i64(end)).collect::<PyResult<Vec<_>>>();
    interp.collect(perm)?.iter().map(pair).collect()
}

fn ppermute(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, names, perm] = args.take();
    if perm.is_unknown() {
        return Ok(x);
    }
    let pairs = pairs(interp, &perm)?;
    send(interp, &x, &names, pairs)
}

fn pshuffle(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, names, perm] = args.take();
    if perm.is_unknown() {
        return Ok(x);
    }
    let sources = interp.collect(&perm)?.iter().map(|lane| interp.to_i64(lane)).collect::<PyResult<Vec<_>>>()?;
    let mut sorted = sources.clone();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(0..sources.len() as i64) {
        return Err(interp.value_error(format!("`perm` does not represent a permutation: {}", interp.repr(&perm)?)));
    }
    let pairs = sources.iter().enumerate().map(|(target, &source)| vec![source, target as i64]).collect();
    send(interp, &x, &names, pairs)
}

fn send(interp: &Interp, x: &Value, names: &Value, pairs: Vec<Vec<i64>>) -> PyResult<Value> {
    let axis = only(interp, axes(interp, names, None)?, "ppermute")?;
    if axis.shards.is_none() && pairs.len() != axis.size {
        return Err(interp.assertion_error("Permutation doesn't match the axis size!"));
    }
    let ends = |end: usize| {
        let mut ends: Vec<i64> = pairs.iter().filter_map(|pair| pair.get(end).copied()).collect();
        ends.sort_unstable();
        ends
    };
    for ends in [ends(0), ends(1)] {
        if ends.windows(2).any(|two| two[0] == two[1]) {
            let shown: Vec<String> =
                pairs.iter().filter_map(|pair| Some(format!("({}, {})", pair.first()?, pair.get(1)?))).collect();
            let comma = if shown.len() == 1 { "," } else { "" };
            return Err(interp.value_error(format!(
                "ppermute sources and destinations must be unique, got ({}{comma}).",
                shown.join(", ")
            )));
        }
        if ends.iter().any(|&end| end < 0 || end >= axis.size as i64) {
            return Err(interp.index_error("list index out of range"));
        }
    }
    leaves(interp, x, "ppermute", |cx, x| {
        let attributes = over(&axis).with("perm", Attribute::IntLists(pairs.clone()));
        cx.bind(&ops::PPERMUTE, &[&varied(cx, &axis, x)?], attributes)
    })
}

fn all_gather(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, names, groups, axis, tiled, _to] = args.take();
    no_groups(interp, &groups, "all_gather")?;
    let (axes, tiled) = (axes(interp, &names, None)?, interp.truth(&tiled)?);
    leaves(interp, &x, "all_gather", |cx, x| {
        let place = convert::axis(cx, &axis, x.rank() + usize::from(!tiled))?;
        let mut all = x.clone();
        for (count, named) in axes.iter().rev().enumerate() {
            let attributes = sized(named)
                .with("axis", Attribute::Int(place as i64))
                .with("tiled", Attribute::Bool(tiled || count > 0));
            all = cx.bind(&ops::ALL_GATHER, &[&varied(cx, named, &all)?], attributes)?;
        }
        Ok(all)
    })
}

fn psum_scatter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, names, dimension, groups, tiled] = args.take();
    no_groups(interp, &groups, "psum_scatter")?;
    let (axes, tiled) = (axes(interp, &names, None)?, interp.truth(&tiled)?);
    leaves(interp, &x, "psum_scatter", |cx, x| {
        let place = convert::axis(cx, &dimension, x.rank())?;
        let size: usize = axes.iter().map(|axis| axis.size).product();
        let vmapped = axes.iter().all(|axis| axis.shards.is_none());
        if tiled && !x.shape()[place].is_multiple_of(size.max(1)) && vmapped {
            return Err(cx.interp.assertion_error(format!("({}, {size})", x.shape()[place])));
        }
        let mut part = x.clone();
        for (count, named) in axes.iter().enumerate() {
            let last = count + 1 == axes.len();
            let attributes =
                sized(named).with("axis", Attribute::Int(place as i64)).with("tiled", Attribute::Bool(tiled || !last));
            part = cx.bind(&ops::REDUCE_SCATTER, &[&varied(cx, named, &part)?], attributes)?;
        }
        Ok(part)
    })
}

fn all_to_all(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, names, split, concat, groups, tiled] = args.take();
    no_groups(interp, &groups, "all_to_all")?;
    let axis = only(interp, axes(interp, &names, None)?, "all_to_all")?;
    let tiled = interp.truth(&tiled)?;
    leaves(interp, &x, "all_to_all", |cx, x| {
        let split = convert::axis(cx, &split, x.rank())?;
        let concat = convert::axis(cx, &concat, x.rank())?;
        let attributes = sized(&axis)
            .with("split_axis", Attribute::Int(split as i64))
            .with("concat_axis", Attribute::Int(concat as i64))
            .with("tiled", Attribute::Bool(tiled));
        cx.bind(&ops::ALL_TO_ALL, &[&varied(cx, &axis, x)?], attributes)
    })
}

fn axis_index(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [names] = args.take();
    let cx = Context::jax(interp);
    let mut index: Option<Tile> = None;
    let in_kernel = cx.trace().is_some_and(|trace| trace.kind == TraceKind::Kernel);
    for mut axis in axes(interp, &names, Some("axis_index"))? {
        // The axes of the kernel's own grid are no devices.
        let is_own = cx.trace().is_some_and(|trace| Rc::ptr_eq(&trace, &axis.trace));
        if (in_kernel && !is_own) || (cx.state.in_cores.get() && axis.shards.is_some()) {
            axis.lane = index_on_device(&cx, &axis)?;
        }
        index = Some(match index {
            None => axis.lane,
            Some(outer) => {
                let size = primitive::full(&cx, &Shape::default(), DType::I32, Scalar::Int(axis.size as i128))?;
                let first = primitive::binary(&cx, &ops::MUL, &outer, &size)?;
                primitive::binary(&cx, &ops::ADD, &first, &axis.lane)?
            }
        });
    }
    Ok(Value::object(ArrayObject { tile: index.unwrap_or_else(|| primitive::scalar(DType::I32, Scalar::Int(0))) }))
}

/// Where the device that runs a kernel is along an axis of the mesh. Every device runs the same kernel: which of them this
/// is, the kernel asks where it runs: the launch becomes one for all devices, in which the answer is a program id.
pub(crate) fn index_on_device(cx: &Context<'_>, axis: &NamedAxis) -> PyResult<Tile> {
    let interp = cx.interp;
    let mut attributes = Attributes::none().with("size", Attribute::Int(axis.size as i64));
    match axis.shards.is_some() {
        true => attributes = attributes.with("axis", Attribute::Str(axis.name.as_ref().into())),
        // Who calls the function may map over it.
        false if interp.is_analysis() => {}
        false => return Err(interp.error(&interp.types().name_error, format!("unbound axis name: {}", axis.name))),
    }
    cx.bind(&ops::AXIS_INDEX, &[], attributes)
}

fn axis_size(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [names] = args.take();
    Ok(Value::from(axes(interp, &names, None)?.iter().map(|axis| axis.size).product::<usize>()))
}

fn pcast(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [x, names, to] = args.take();
    let to = interp.to_str(&to)?;
    if &*to != "varying" {
        return Err(if matches!(&*to, "reduced" | "unreduced") {
            interp.not_implemented_error(format!(
                "jax.lax.pcast(..., to='{to}') is not provided by the workbench yet; only to='varying' is."
            ))
        } else {
            interp
                .value_error("Got unexpected `to` value. Allowed `to` values are: {'unreduced', 'reduced', 'varying'}")
        });
    }
    let axes =
        axes(interp, &names, None).map_err(|_| interp.value_error("pvary should be called under jax.shard_map."))?;
    leaves(interp, &x, "pcast", |cx, x| {
        axes.iter().try_fold(x.clone(), |x, axis| {
            if axis.varying().is_some() && named::varies(cx, axis, &x).unwrap_or(false) {
                return Err(cx.interp.value_error("Unsupported pcast from=varying, to='varying'"));
            }
            varied(cx, axis, &x)
        })
    })
}
