//! `take` and `take_along_axis` under JAX's and numpy's rules (jax/_src/numpy/indexing.py, 0.10.2).

use super::plan::normalized;
use crate::context::{Context, Rules};
use crate::convert;
use crate::jnp::{arithmetic, compose};
use crate::primitive;
use crate::tile::Tile;
use pallas_python::raise::PyResult;
use pallas_tensor::{DType, Scalar, Shape};

/// `take(x, indices, axis, mode)`: the elements at `indices` along `axis`, of the flattened array if `None`. Modes are
/// `fill` (JAX's default), `clip`, `wrap` and `raise` (numpy's default).
///
/// # Errors
/// `ValueError` for axes and modes that do not exist and for indices that are no integers; `IndexError` for empty axes
/// and, under `raise`, for indices out of bounds.
pub fn take(cx: &Context<'_>, x: &Tile, indices: &Tile, axis: Option<i64>, mode: Option<&str>) -> PyResult<Tile> {
    if !indices.dtype().is_integer() {
        return Err(match cx.rules {
            Rules::Jax => cx.interp.value_error("indices must have an integer type"),
            Rules::Numpy => cx.interp.type_error(format!(
                "Cannot cast array data from dtype('{}') to dtype('int64') according to the rule 'safe'",
                indices.dtype().name()
            )),
        });
    }
    let (x, axis) = match axis {
        Some(axis) => (x.clone(), convert::normalize_axis(cx, axis, x.rank())?),
        None => (flattened(cx, x)?, 0),
    };
    let extent = x.shape()[axis];
    let (indices, mode) = match (mode, cx.rules) {
        (Some("fill"), _) | (None, Rules::Jax) => (normalized(cx, indices, extent, true)?, "fill"),
        (Some("clip"), _) => (normalized(cx, indices, extent, false)?, "clip"),
        (Some("wrap"), _) => {
            if extent == 0 && indices.shape().size() > 0 {
                return Err(empty(cx));
            }
            let modulus = primitive::scalar_like(indices, extent as f64);
            (normalized(cx, &arithmetic::remainder(cx, indices, &modulus)?, extent, false)?, "clip")
        }
        (Some("raise"), Rules::Jax) => {
            return Err(cx.interp.not_implemented_error("The 'raise' mode to jnp.take is not supported."));
        }
        (Some("raise") | None, Rules::Numpy) => {
            if extent > 0 {
                check_bounds(cx, indices, extent, axis)?;
            }
            (normalized(cx, indices, extent, true)?, "clip")
        }
        (Some(mode), Rules::Jax) => {
            return Err(cx.interp.value_error(format!("Invalid mode '{mode}' for np.take")));
        }
        (Some(mode), Rules::Numpy) => {
            return Err(cx
                .interp
                .value_error(format!("clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')")));
        }
    };
    if extent == 0 {
        if indices.shape().size() > 0 {
            return Err(empty(cx));
        }
        if cx.rules == Rules::Jax {
            return Ok(x);
        }
    }
    compose::gather(cx, &x, &[axis], &[&indices], mode)
}

fn empty(cx: &Context<'_>) -> Box<pallas_python::Stop> {
    cx.interp.index_error(match cx.rules {
        Rules::Jax => "Cannot do a non-empty jnp.take() from an empty axis.",
        Rules::Numpy => "cannot do a non-empty take from an empty axes.",
    })
}

fn flattened(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    primitive::reshape(cx, x, &Shape::from([x.shape().size()]))
}

/// numpy's `IndexError: index 5 is out of bounds for axis 0 with size 3`, where values are known.
fn check_bounds(cx: &Context<'_>, indices: &Tile, extent: usize, axis: usize) -> PyResult<()> {
    let Some(array) = indices.array() else { return Ok(()) };
    let size = extent as i128;
    match array.iter_scalars().filter_map(Scalar::as_int).find(|at| !(-size..size).contains(at)) {
        None => Ok(()),
        Some(at) => {
            Err(cx.interp.index_error(format!("index {at} is out of bounds for axis {axis} with size {extent}")))
        }
    }
}

/// `take_along_axis(x, indices, axis, mode)`: `indices` has the rank of `x`, and says for each of its elements where
/// along `axis` to read. The other dimensions broadcast. Negative indices count from the end.
///
/// # Errors
/// `TypeError` for indices that are no integers, `ValueError` for ranks that differ and for unknown modes.
pub fn take_along_axis(
    cx: &Context<'_>,
    x: &Tile,
    indices: &Tile,
    axis: Option<i64>,
    mode: Option<&str>,
) -> PyResult<Tile> {
    if !indices.dtype().is_integer() {
        return Err(match cx.rules {
            Rules::Jax => cx
                .interp
                .type_error(format!("take_along_axis indices must be of integer type, got {}", indices.dtype().name())),
            Rules::Numpy => cx.interp.index_error("`indices` must be an integer array"),
        });
    }
    let (x, axis) = match axis {
        Some(axis) => (x.clone(), axis),
        None if indices.rank() != 1 => {
            return Err(cx.interp.value_error(match cx.rules {
                Rules::Jax => format!("take_along_axis indices must be 1D if axis=None, got shape {}", indices.shape()),
                Rules::Numpy => "when axis=None, `indices` must have a single dimension.".to_string(),
            }));
        }
        None => (flattened(cx, x)?, 0),
    };
    if x.rank() != indices.rank() {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => {
                format!("indices and arr must have the same number of dimensions; {} vs. {}", indices.rank(), x.rank())
            }
            Rules::Numpy => "`indices` and `arr` must have the same number of dimensions".to_string(),
        }));
    }
    let axis = convert::normalize_axis(cx, axis, x.rank())?;
    let mode = match (mode, cx.rules) {
        (None | Some("fill"), Rules::Jax) => "fill",
        (Some("clip" | "promise_in_bounds"), Rules::Jax) => "clip",
        (Some(mode), Rules::Jax) => return Err(cx.interp.value_error(format!("Unknown gather mode \"{mode}\""))),
        (_, Rules::Numpy) => {
            check_bounds(cx, indices, x.shape()[axis], axis)?;
            "clip"
        }
    };
    // Every axis along which both have more than one element is indexed by its own position.
    let mut other = x.shape().clone();
    other[axis] = 1;
    let Some(shape) = Shape::broadcast(&[indices.shape(), &other]) else {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => format!("Incompatible shapes for broadcasting: shapes=[{}, {other}]", indices.shape()),
            Rules::Numpy => format!(
                "shape mismatch: indexing arrays could not be broadcast together with shapes {} {other} ",
                indices.shape()
            ),
        }));
    };
    if x.shape()[axis] == 0 {
        return primitive::full(cx, &shape, x.dtype(), Scalar::zero(x.dtype()));
    }
    let index = normalized(cx, indices, x.shape()[axis], true)?;
    let index = primitive::broadcast_to(cx, &index, &shape)?;
    let mut tiles = Vec::with_capacity(x.rank());
    for (dim, &extent) in x.shape().iter().enumerate() {
        tiles.push(if dim == axis {
            index.clone()
        } else if extent == 1 {
            primitive::full(cx, &shape, DType::I32, Scalar::Int(0))?
        } else {
            primitive::iota(cx, DType::I32, &shape, dim)?
        });
    }
    let axes: Vec<usize> = (0..x.rank()).collect();
    compose::gather(cx, &x, &axes, &tiles.iter().collect::<Vec<_>>(), mode)
}
