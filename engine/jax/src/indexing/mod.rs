//! Subscripts of JAX arrays with jax.numpy's rules: reading `x[key]`, iteration, `x.at[key]`, `take`. Follows
//! jax/_src/numpy/indexing.py and jax/_src/ops/scatter.py (0.10.2); everything ends in ops, so that the same code
//! computes, stages and types. numpy arrays are indexed in [`crate::numpy`], Refs in [`crate::ref_index`].

mod at;
mod gather;
mod parse;
mod plan;
mod scatter;
mod take;

pub use at::at;
pub(crate) use parse::where_true;
pub use take::{take, take_along_axis};

use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::tile::Tile;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::Scalar;

/// What happens where an index is out of bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Reads are clamped, writes dropped.
    #[default]
    Default,
    /// Reads give a filler, writes are dropped.
    Fill,
    /// Indices are clamped.
    Clip,
    /// As `Default`.
    Promise,
}

/// The keyword arguments of `.at[...]`'s methods that change results.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What happens out of bounds.
    pub mode: Mode,
    /// What reads give out of bounds under [`Mode::Fill`]; the dtype's own filler if `None`.
    pub fill: Option<Scalar>,
    /// Whether negative indices count from the end.
    pub wrap: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { mode: Mode::Default, fill: None, wrap: true }
    }
}

/// `x[key]`
///
/// # Errors
/// JAX's exceptions for keys that do not fit; an `IndexError` where analysis cannot know the result (ask
/// [`get_value`] there).
pub fn get(cx: &Context<'_>, x: &Tile, key: &Value) -> PyResult<Tile> {
    match gather::get(cx, x, key, &Options::default())? {
        Some(tile) => Ok(tile),
        None => Err(cx.interp.index_error("the index is not known here")),
    }
}

/// `x[key]` as a value: unknown where analysis does not know the key or a mask.
///
/// # Errors
/// JAX's exceptions for keys that do not fit.
pub fn get_value(cx: &Context<'_>, x: &Tile, key: &Value) -> PyResult<Value> {
    get_with(cx, x, key, &Options::default())
}

/// `x.at[key].get(...)`
pub(crate) fn get_with(cx: &Context<'_>, x: &Tile, key: &Value, options: &Options) -> PyResult<Value> {
    Ok(match gather::get(cx, x, key, options)? {
        Some(tile) => convert::value(cx, tile),
        None => Value::unknown("the shape of the result depends on values", Some(cx.interp.span())),
    })
}

/// The elements along the leading axis, for iteration.
///
/// # Errors
/// `TypeError: iteration over a 0-d array`
pub fn rows(cx: &Context<'_>, x: &Tile) -> PyResult<Vec<Tile>> {
    let Some(&length) = x.shape().first() else {
        return Err(cx.interp.type_error("iteration over a 0-d array"));
    };
    let (mut start, mut limit) = (vec![0; x.rank()], x.shape().to_vec());
    let strides = vec![1; x.rank()];
    (0..length)
        .map(|row| {
            (start[0], limit[0]) = (row, row + 1);
            primitive::squeeze(cx, &primitive::slice(cx, x, &start, &limit, &strides)?, &[0])
        })
        .collect()
}
