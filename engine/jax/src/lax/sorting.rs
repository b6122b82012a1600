//! Sorting of `jax.lax`: one array or several together, and the largest elements.

use crate::context::Context;
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// Rows of the module.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef {
        name: "sort",
        signature: "(operand, dimension=-1, is_stable=True, num_keys=1)",
        doc: "Sorts along a dimension; several operands move together.",
        run: sort,
    },
    NativeDef {
        name: "sort_key_val",
        signature: "(keys, values, dimension=-1, is_stable=True)",
        doc: "Sorts keys, and values with them.",
        run: |interp, args| {
            let [keys, values, dimension, _] = args.take();
            let cx = Context::jax(interp);
            let operands = vec![convert::operand(&cx, &keys, "sort")?, convert::operand(&cx, &values, "sort")?];
            let sorted = sorted(&cx, &operands, &dimension, 1)?;
            Ok(Value::tuple(sorted.into_iter().map(|tile| convert::value(&cx, tile))))
        },
    },
    NativeDef {
        name: "top_k",
        signature: "(operand, k, *, axis=-1)",
        doc: "The k largest along the last axis, and their positions.",
        run: |interp, args| {
            let [x, k, axis] = args.take();
            let cx = Context::jax(interp);
            let x = convert::operand(&cx, &x, "top_k")?;
            let attributes = Attributes::none().with("k", Attribute::Int(interp.to_i64(&k)?));
            // The op works on the last axis; another one is moved there and back.
            let mut order: Vec<usize> = (0..x.rank()).collect();
            if x.rank() > 0 {
                order.swap(convert::axis(&cx, &axis, x.rank())?, x.rank() - 1);
            }
            let results = cx.bind_all(&ops::TOP_K, &[&p::transpose(&cx, &x, &order)?], attributes)?;
            let results = results
                .iter()
                .map(|tile| Ok(convert::value(&cx, p::transpose(&cx, tile, &order)?)))
                .collect::<PyResult<Vec<_>>>()?;
            Ok(Value::list(results))
        },
    },
];

fn sorted(cx: &Context<'_>, operands: &[Tile], dimension: &Value, keys: i64) -> PyResult<Vec<Tile>> {
    let rank = operands.first().map_or(0, Tile::rank);
    let axis = convert::axis(cx, dimension, rank)?;
    let attributes = Attributes::none()
        .with("axis", Attribute::Int(axis as i64))
        .with("num_keys", Attribute::Int(keys))
        .with("stable", Attribute::Bool(true));
    let operands: Vec<&Tile> = operands.iter().collect();
    Ok(cx.bind_all(&ops::SORT, &operands, attributes)?.into_vec())
}

fn sort(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [operand, dimension, _stable, keys] = args.take();
    let cx = Context::jax(interp);
    let keys = interp.to_i64(&keys)?;
    if matches!(operand, Value::Tuple(_) | Value::List(_)) {
        let operands = super::tiles(&cx, &operand, "sort")?;
        let sorted = sorted(&cx, &operands, &dimension, keys)?;
        return Ok(Value::tuple(sorted.into_iter().map(|tile| convert::value(&cx, tile))));
    }
    let operand = convert::operand(&cx, &operand, "sort")?;
    let mut sorted = sorted(&cx, &[operand], &dimension, keys)?;
    match sorted.pop() {
        Some(tile) => Ok(convert::value(&cx, tile)),
        None => Err(interp.runtime_error("sort has no result".to_string())),
    }
}
