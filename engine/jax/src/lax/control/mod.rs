//! Structured control flow: `cond`, `switch`, `fori_loop`, `while_loop`, `scan`, as IR regions. Outside any trace a
//! function is traced around them and run at once.

mod branches;
mod carry;
mod for_loop;
mod scan;
mod while_loop;

pub use self::branches::{Branch, cond};
pub(crate) use self::carry::Carried;
pub(crate) use self::for_loop::for_loop;
pub(crate) use self::scan::{row, set_row};

use self::branches::{cond_function, switch};
use self::for_loop::fori_loop;
use self::scan::{map, scan};
use self::while_loop::while_loop;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::tree::{self, TreeDef};
use pallas_ir::{Attributes, Op, OpDef, ValueId};
use pallas_python::native::NativeDef;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// Rows of `jax.lax`.
pub static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "cond",
        signature: "(pred, true_fun, false_fun, *operands, operand=..., linear=None)",
        doc: "Calls one of two functions on the operands.",
        run: cond_function,
    },
    NativeDef {
        name: "switch",
        signature: "(index, branches, *operands, operand=...)",
        doc: "Calls the function at `index`, clamped into range, on the operands.",
        run: switch,
    },
    NativeDef {
        name: "fori_loop",
        signature: "(lower, upper, body_fun, init_val, *, unroll=None)",
        doc: "Folds `body_fun(i, carry)` over `lower <= i < upper`.",
        run: fori_loop,
    },
    NativeDef {
        name: "while_loop",
        signature: "(cond_fun, body_fun, init_val)",
        doc: "Applies `body_fun` to the carry as long as `cond_fun` holds.",
        run: while_loop,
    },
    NativeDef {
        name: "scan",
        signature: "(f, init, xs=None, length=None, reverse=False, unroll=1, _split_transpose=False)",
        doc: "Folds `f(carry, x) -> (carry, y)` over the leading axis of `xs`, and stacks the `y`.",
        run: scan,
    },
    NativeDef {
        name: "associative_scan",
        signature: "(fn, elems, reverse=False, axis=0)",
        doc: "Running results of an associative function along an axis.",
        run: super::associative_scan::associative_scan,
    },
    NativeDef {
        name: "map",
        signature: "(f, xs, *, batch_size=None)",
        doc: "Applies `f` to each slice of the leading axis, one after the other, and stacks the results.",
        run: map,
    },
];

/// Runs `build` inside a trace: the open one, or a new one that is run when it is complete.
///
/// `build` returns the values that the op yields.
pub fn staged(
    cx: &Context<'_>,
    name: &str,
    build: impl FnOnce(&Rc<Trace>) -> PyResult<Vec<Tile>>,
) -> PyResult<Vec<Tile>> {
    if let Some(trace) = cx.innermost() {
        return build(&trace);
    }
    let trace = Trace::new(cx, TraceKind::Jit, name, name.to_string(), None);
    let yields = trace.within(cx, || {
        let results = build(&trace)?;
        results.iter().map(|tile| cx.value_in(&trace, tile)).collect::<PyResult<Vec<_>>>()
    })?;
    let function = Rc::new(trace.finish(yields));
    cx.run_function(&function, &[])
}

/// Stages an effect on tiles.
pub fn effect(cx: &Context<'_>, op: &'static OpDef, tiles: &[Tile], attributes: Attributes) -> PyResult<()> {
    staged(cx, op.name, |trace| {
        let operands = tiles.iter().map(|tile| cx.value_in(trace, tile)).collect::<PyResult<Vec<_>>>()?;
        trace.add(cx, Op(op), &operands, attributes, &[])?;
        Ok(Vec::new())
    })?;
    Ok(())
}

fn tiles(trace: &Rc<Trace>, values: &[ValueId]) -> Vec<Tile> {
    values.iter().filter_map(|&value| trace.tile(value)).collect()
}

fn values(cx: &Context<'_>, trace: &Rc<Trace>, tiles: &[Tile]) -> PyResult<Vec<ValueId>> {
    tiles.iter().map(|tile| cx.value_in(trace, tile)).collect()
}

/// Leaves of a pytree as tiles.
pub(super) fn leaves(cx: &Context<'_>, value: &Value, function: &str) -> PyResult<(Vec<Tile>, TreeDef)> {
    let (leaves, def) = tree::flatten(cx.interp, value, None)?;
    let tiles = leaves.iter().map(|leaf| convert::tile(cx, leaf, function)).collect::<PyResult<Vec<_>>>()?;
    Ok((tiles, def))
}

/// Tiles as a pytree.
pub(super) fn assemble(cx: &Context<'_>, def: &TreeDef, tiles: impl IntoIterator<Item = Tile>) -> PyResult<Value> {
    let mut leaves = tiles.into_iter().map(|tile| Value::object(ArrayObject { tile }));
    tree::unflatten(cx.interp, def, &mut leaves)
}

/// A Python function of one value.
type ValueFn<'f> = &'f mut dyn FnMut(Value) -> PyResult<Value>;

/// One step of a scan.
type Step<'s> = &'s mut dyn FnMut(&Context<'_>, Value, Value) -> PyResult<(Value, Value)>;
