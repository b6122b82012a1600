//! Traces a Python function that is to be transformed.

use super::known;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::tree::{self, TreeDef};
use pallas_ir::{Function, TensorType, Type};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// A traced function.
pub struct Staged {
    /// The parameters asked for, then one for each tile of `lifted`. Yields the leaves of the result.
    pub function: Rc<Function>,
    /// Values of enclosing traces that the function used.
    pub lifted: Vec<Tile>,
    /// How the result is put together.
    pub tree: TreeDef,
    /// Leaves of the result that are Python numbers.
    pub numbers: Vec<Option<Value>>,
}

/// What came of tracing.
pub enum Outcome {
    /// A function.
    Staged(Staged),
    /// In analysis: the function returned something unknown.
    Unknown(Value),
}

/// Traces `call` on parameters of these types.
///
/// # Errors
/// What `call` raises; a `TypeError` that names `transformation` where a leaf of the result is not an array.
pub fn stage(
    cx: &Context<'_>,
    transformation: &str,
    differentiates: bool,
    types: &[TensorType],
    call: impl FnOnce(Vec<Tile>) -> PyResult<Value>,
) -> PyResult<Outcome> {
    stage_at(cx, transformation, differentiates, types, &[], call)
}

/// As [`stage`], at these arguments, whose values Python may ask for.
///
/// # Errors
/// As for [`stage`].
pub fn stage_at(
    cx: &Context<'_>,
    transformation: &str,
    differentiates: bool,
    types: &[TensorType],
    arguments: &[Tile],
    call: impl FnOnce(Vec<Tile>) -> PyResult<Value>,
) -> PyResult<Outcome> {
    let interp = cx.interp;
    let trace = Trace::new(
        cx,
        TraceKind::Transform { differentiates },
        transformation,
        format!("that jax.{transformation} transforms"),
        None,
    );
    let params: Vec<Tile> =
        types.iter().filter_map(|ty| trace.tile(trace.param(Type::Tensor(ty.clone()), None))).collect();
    if !arguments.is_empty() {
        known::learn(cx, &trace, transformation, &params, arguments);
    }
    let refs = crate::held::threads::Threads::live(cx);
    let staged = trace.within(cx, || {
        let result = call(params)?;
        let (leaves, tree) = tree::flatten(interp, &result, None)?;
        let mut yields = Vec::with_capacity(leaves.len());
        let is_number = |leaf: &Value| matches!(leaf, Value::Bool(_) | Value::Int(_) | Value::Float(_));
        let numbers: Vec<Option<Value>> = leaves.iter().map(|leaf| is_number(leaf).then(|| leaf.clone())).collect();
        for leaf in &leaves {
            match convert::try_tile(cx, leaf)? {
                Some(tile) => yields.push(cx.value_in(&trace, &tile)?),
                None if leaf.is_unknown() => return Ok(Err(leaf.clone())),
                None => return Err(not_an_array(cx, transformation, leaf)),
            }
        }
        Ok(Ok((yields, tree, numbers)))
    })?;
    refs.check_unwritten(cx, differentiates)?;
    Ok(match staged {
        Err(unknown) => Outcome::Unknown(unknown),
        Ok((yields, tree, numbers)) => {
            let lifted = trace.lifted();
            Outcome::Staged(Staged { function: Rc::new(trace.finish(yields)), lifted, tree, numbers })
        }
    })
}

fn not_an_array(cx: &Context<'_>, transformation: &str, leaf: &Value) -> Box<pallas_python::Stop> {
    let class = cx.interp.repr(&Value::Class(cx.interp.type_of(leaf))).unwrap_or_default();
    let shown = cx.interp.repr(leaf).unwrap_or_default();
    cx.interp.type_error(format!(
        "Output from a function transformed by jax.{transformation} is of type {class}, which is not a valid JAX type: \
         {shown}"
    ))
}

/// Tiles as Python arrays, put together.
///
/// # Errors
/// What the classes of the tree raise when they are put together.
pub fn assemble(cx: &Context<'_>, tree: &TreeDef, tiles: impl IntoIterator<Item = Tile>) -> PyResult<Value> {
    tree::unflatten(cx.interp, tree, &mut tiles.into_iter().map(|tile| Value::object(ArrayObject { tile })))
}
