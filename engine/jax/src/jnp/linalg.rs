//! `jax.numpy.linalg` and `numpy.linalg`: norms, products, and the solutions of linear systems by elimination. Unlike
//! LAPACK's, eliminations run row by row, so the last digits may differ; eigenvalues are not here.

use super::arithmetic;
use super::call::{self, functions, given, operand, result, results};
use super::compose::{self, with_constant};
use super::elementwise;
use super::reductions::{self as r, Options};
use super::{joining, products, shaping};
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::ops;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar};

functions! { JAX_ROWS NUMPY_ROWS
    "norm" "(x, ord=None, axis=None, keepdims=False)" "The norm of vectors or matrices." norm;
    "vector_norm" "(x, /, *, axis=None, keepdims=False, ord=2)" "The norm of vectors." vector_norm;
    "inv" "(a)" "The inverse of a matrix." inv;
    "solve" "(a, b)" "The solution of a linear system." solve;
    "det" "(a)" "The determinant." det;
    "_slogdet" "(a)" "Sign and logarithm of the determinant." slogdet;
    "cholesky" "(a, *, upper=False, symmetrize_input=True)" "The Cholesky factor." cholesky;
    "matrix_power" "(a, n)" "A power of a matrix." matrix_power;
    "multi_dot" "(arrays, *, precision=None)" "The product of several matrices." multi_dot;
    "outer" "(x1, x2, /)" "Product of every pair of elements." outer;
    "matrix_transpose" "(x, /)" "Swaps the last two dimensions." matrix_transpose;
}

/// What kind of norm.
enum Order {
    Two,
    Infinity,
    NegativeInfinity,
    Zero,
    Power(f64),
}

fn norm(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, order, axis, keepdims] = args.take();
    let x = elementwise::inexact(cx, &operand(cx, &x, "jnp.linalg.norm")?)?;
    let keepdims = call::flag(cx, &keepdims)?;
    let axes = super::reduction_rows::axes(cx, &axis, x.rank())?;
    let Some(order) = given(&order) else {
        // The root of the sum of squares over all axes.
        let squares = p::binary(cx, &ops::MUL, &x, &x)?;
        let total = r::reduce(cx, &r::SUM, &squares, &Options::over(axes, keepdims))?;
        return result(cx, p::unary(cx, &ops::SQRT, &total)?);
    };
    let axes = axes.unwrap_or_else(|| (0..x.rank()).collect());
    let tile = match axes.len() {
        1 => vector_norm_of(cx, &x, &axes, &vector_order(cx, order)?, keepdims)?,
        2 => matrix_norm(cx, &x, (axes[0], axes[1]), order, keepdims)?,
        count => {
            let message = format!("Improper number of axes for norm: {count} dims");
            return Err(cx.interp.value_error(message));
        }
    };
    result(cx, tile)
}

fn vector_order(cx: &Context<'_>, order: &Value) -> PyResult<Order> {
    if let Value::Str(text) = order {
        let message = format!("Invalid order '{text}' for vector norm.");
        return Err(cx.interp.value_error(message));
    }
    let order = cx.interp.to_f64(order)?;
    Ok(match order {
        f64::INFINITY => Order::Infinity,
        f64::NEG_INFINITY => Order::NegativeInfinity,
        0.0 => Order::Zero,
        2.0 => Order::Two,
        order => Order::Power(order),
    })
}

fn vector_norm_of(cx: &Context<'_>, x: &Tile, axes: &[usize], order: &Order, keepdims: bool) -> PyResult<Tile> {
    let options = Options::over(Some(axes.to_vec()), keepdims);
    let magnitude = p::unary(cx, &ops::ABS, x)?;
    match order {
        Order::Infinity => r::reduce(cx, &r::MAX, &magnitude, &options),
        Order::NegativeInfinity => r::reduce(cx, &r::MIN, &magnitude, &options),
        Order::Zero => {
            let some = with_constant(cx, &ops::NE, x, 0.0)?;
            r::reduce(cx, &r::SUM, &some, &Options { dtype: Some(x.dtype()), ..options })
        }
        Order::Two => {
            let squares = p::binary(cx, &ops::MUL, x, x)?;
            p::unary(cx, &ops::SQRT, &r::reduce(cx, &r::SUM, &squares, &options)?)
        }
        Order::Power(1.0) => r::reduce(cx, &r::SUM, &magnitude, &options),
        Order::Power(order) => {
            let power = with_constant(cx, &ops::POW, &magnitude, *order)?;
            let total = r::reduce(cx, &r::SUM, &power, &options)?;
            with_constant(cx, &ops::POW, &total, 1.0 / order)
        }
    }
}

fn matrix_norm(
    cx: &Context<'_>,
    x: &Tile,
    (row, column): (usize, usize),
    order: &Value,
    keepdims: bool,
) -> PyResult<Tile> {
    let both = Options::over(Some(vec![row, column]), keepdims);
    if let Value::Str(text) = order {
        if &**text == "fro" {
            let squares = p::binary(cx, &ops::MUL, x, x)?;
            return p::unary(cx, &ops::SQRT, &r::reduce(cx, &r::SUM, &squares, &both)?);
        }
        return Err(cx.interp.not_implemented_error(format!("the matrix norm '{text}' is not supported here")));
    }
    let order = cx.interp.to_f64(order)?;
    let (summed, largest) = match order {
        1.0 => (row, true),
        -1.0 => (row, false),
        f64::INFINITY => (column, true),
        f64::NEG_INFINITY => (column, false),
        2.0 | -2.0 => {
            return Err(cx.interp.not_implemented_error("norms by singular values are not supported here"));
        }
        _ => return Err(cx.interp.value_error(format!("Invalid order '{order}' for matrix norm."))),
    };
    let magnitude = p::unary(cx, &ops::ABS, x)?;
    let sums = r::reduce(cx, &r::SUM, &magnitude, &Options::over(Some(vec![summed]), true))?;
    let reduction = if largest { &r::MAX } else { &r::MIN };
    let tile = r::reduce(cx, reduction, &sums, &Options::over(Some(vec![row.max(column)]), true))?;
    let tile = r::reduce(cx, reduction, &tile, &Options::over(Some(vec![row.min(column)]), true))?;
    if keepdims { Ok(tile) } else { p::squeeze(cx, &tile, &[row.min(column), row.max(column)]) }
}

fn vector_norm(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, axis, keepdims, order] = args.take();
    let x = elementwise::inexact(cx, &operand(cx, &x, "jnp.linalg.vector_norm")?)?;
    let axes = super::reduction_rows::axes(cx, &axis, x.rank())?.unwrap_or_else(|| (0..x.rank()).collect());
    let order = vector_order(cx, &order)?;
    result(cx, vector_norm_of(cx, &x, &axes, &order, call::flag(cx, &keepdims)?)?)
}

/// A square matrix of floats.
fn square_matrix(cx: &Context<'_>, value: &Value, name: &str) -> PyResult<Tile> {
    let a = elementwise::inexact(cx, &operand(cx, value, name)?)?;
    if a.rank() == 2 && a.shape()[0] == a.shape()[1] {
        return Ok(a);
    }
    if a.rank() > 2 {
        return Err(cx.interp.not_implemented_error(format!("{name} of stacked matrices is not supported here")));
    }
    Err(match cx.rules {
        Rules::Jax => {
            cx.interp.value_error(format!("Argument to {name} must have shape [..., n, n], got {}", a.shape()))
        }
        Rules::Numpy => cx.interp.value_error("Last 2 dimensions of the array must be square"),
    })
}

/// A row, by a computed position.
fn row_at(cx: &Context<'_>, matrix: &Tile, row: &Tile) -> PyResult<Tile> {
    compose::gather(cx, matrix, &[0], &[row], "clip")
}

/// What elimination finds.
struct Eliminated {
    /// The matrix reduced to the identity, and beside it the solution.
    reduced: Tile,
    /// The product of the pivots, signs of row exchanges included.
    determinant: Tile,
}

/// Gauss-Jordan elimination with partial pivoting of `[a | b]`; every step is a fixed sequence of tile operations.
fn eliminate(cx: &Context<'_>, a: &Tile, b: Option<&Tile>) -> PyResult<Eliminated> {
    let size = a.shape()[0];
    let mut m = match b {
        Some(b) => p::concatenate(cx, &[a, b], 1)?,
        None => a.clone(),
    };
    let shape = m.shape().clone();
    let mut determinant = p::scalar(a.dtype(), Scalar::Float(1.0));
    let rows = compose::positions(cx, DType::I32, size)?;
    for column in 0..size {
        let here = compose::integer_scalar(DType::I32, column as i128);
        let values = p::unary(cx, &ops::ABS, &compose::take_axis(cx, &m, 1, column)?)?;
        // Rows above are done: their candidates lose.
        let below = with_constant(cx, &ops::GE, &rows, column as f64)?;
        let candidates = compose::or_constant(cx, &below, &values, -1.0)?;
        let pivot = r::arg_extreme(cx, &candidates, true, Some(0), false)?;
        let pivot = p::convert(cx, &pivot, DType::I32, false)?;
        let (pivot_row, own_row) = (row_at(cx, &m, &pivot)?, row_at(cx, &m, &here)?);
        let swapped = p::binary(cx, &ops::NE, &pivot, &here)?;
        let negative = p::unary(cx, &ops::NEG, &determinant)?;
        determinant = p::select(cx, &swapped, &negative, &determinant)?;
        let value = compose::take_axis(cx, &pivot_row, 0, column)?;
        determinant = p::binary(cx, &ops::MUL, &determinant, &value)?;
        let scaled = p::binary(cx, &ops::DIV, &pivot_row, &p::broadcast_to(cx, &value, pivot_row.shape())?)?;
        m = compose::scatter(cx, &m, &own_row, &[0], &[&pivot], "set")?;
        m = compose::scatter(cx, &m, &scaled, &[0], &[&here], "set")?;
        let factors = compose::take_axis(cx, &m, 1, column)?;
        let other = with_constant(cx, &ops::NE, &rows, column as f64)?;
        let factors = compose::or_constant(cx, &other, &factors, 0.0)?;
        let left = p::broadcast_in_dim(cx, &factors, &shape, &[0])?;
        let right = p::broadcast_in_dim(cx, &scaled, &shape, &[1])?;
        m = p::binary(cx, &ops::SUB, &m, &p::binary(cx, &ops::MUL, &left, &right)?)?;
    }
    Ok(Eliminated { reduced: m, determinant })
}

/// The identity matrix.
fn identity(cx: &Context<'_>, size: usize, dtype: DType) -> PyResult<Tile> {
    let mask = super::triangles::index_mask(cx, size, size, 0, &ops::EQ)?;
    p::convert(cx, &mask, dtype, false)
}

/// numpy refuses singular matrices; JAX gives infinities.
fn check_regular(cx: &Context<'_>, determinant: &Tile) -> PyResult<()> {
    if cx.rules == Rules::Numpy && determinant.array().and_then(Array::item).and_then(Scalar::as_f64) == Some(0.0) {
        let class = cx.interp.exception_class("numpy.linalg", "LinAlgError", &cx.interp.types().value_error);
        return Err(cx.interp.error(&class, "Singular matrix"));
    }
    Ok(())
}

fn inv(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let a = square_matrix(cx, args.get(0), "inv")?;
    let size = a.shape()[0];
    let done = eliminate(cx, &a, Some(&identity(cx, size, a.dtype())?))?;
    check_regular(cx, &done.determinant)?;
    result(cx, compose::slice_axis(cx, &done.reduced, 1, size, 2 * size)?)
}

fn solve(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let a = square_matrix(cx, args.get(0), "solve")?;
    let b = elementwise::inexact(cx, &call::operand_at(cx, args.get(1), "solve", 1)?)?;
    let operands = convert::promote_dtypes(cx, &[&a, &b])?;
    let size = a.shape()[0];
    let vector = b.rank() == 1;
    let b = if vector { p::expand_dims(cx, &operands[1], &[1])? } else { operands[1].clone() };
    if b.rank() != 2 || b.shape()[0] != size {
        return Err(cx.interp.value_error(format!(
            "The arguments to solve must have shapes a=[..., m, m] and b=[..., m, k] or b=[..., m]; got a={} and b={}",
            a.shape(),
            operands[1].shape()
        )));
    }
    let columns = b.shape()[1];
    let done = eliminate(cx, &operands[0], Some(&b))?;
    check_regular(cx, &done.determinant)?;
    let x = compose::slice_axis(cx, &done.reduced, 1, size, size + columns)?;
    result(cx, if vector { p::squeeze(cx, &x, &[1])? } else { x })
}

fn det(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let a = square_matrix(cx, args.get(0), "det")?;
    result(cx, determinant_of(cx, &a)?)
}

/// Small determinants by their formula, as in JAX; larger ones by elimination.
fn determinant_of(cx: &Context<'_>, a: &Tile) -> PyResult<Tile> {
    let at = |row: usize, column: usize| -> PyResult<Tile> {
        compose::take_axis(cx, &compose::take_axis(cx, a, 0, row)?, 0, column)
    };
    let product = |x: &Tile, y: &Tile| p::binary(cx, &ops::MUL, x, y);
    match a.shape()[0] {
        2 => {
            let positive = product(&at(0, 0)?, &at(1, 1)?)?;
            let negative = product(&at(0, 1)?, &at(1, 0)?)?;
            p::binary(cx, &ops::SUB, &positive, &negative)
        }
        3 => {
            let term = |i: usize, j: usize, k: usize| -> PyResult<Tile> {
                product(&product(&at(0, i)?, &at(1, j)?)?, &at(2, k)?)
            };
            let mut total = term(0, 1, 2)?;
            for (i, j, k, op) in [
                (1, 2, 0, &ops::ADD),
                (2, 0, 1, &ops::ADD),
                (2, 1, 0, &ops::SUB),
                (0, 2, 1, &ops::SUB),
                (1, 0, 2, &ops::SUB),
            ] {
                total = p::binary(cx, op, &total, &term(i, j, k)?)?;
            }
            Ok(total)
        }
        _ => Ok(eliminate(cx, a, None)?.determinant),
    }
}

fn slogdet(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let a = square_matrix(cx, args.get(0), "slogdet")?;
    let determinant = eliminate(cx, &a, None)?.determinant;
    let sign = p::unary(cx, &ops::SIGN, &determinant)?;
    let log = p::unary(cx, &ops::LOG, &p::unary(cx, &ops::ABS, &determinant)?)?;
    results(cx, [sign, log])
}

/// Column by column: the Cholesky–Banachiewicz scheme.
fn cholesky(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let mut a = square_matrix(cx, args.get(0), "cholesky")?;
    let upper = call::flag(cx, args.get(1))?;
    if args.get(2).is_unset() || call::flag(cx, args.get(2))? {
        let sum = p::binary(cx, &ops::ADD, &a, &p::transpose(cx, &a, &[1, 0])?)?;
        a = with_constant(cx, &ops::MUL, &sum, 0.5)?;
    }
    let size = a.shape()[0];
    let rows = compose::positions(cx, DType::I32, size)?;
    let shape = a.shape().clone();
    let mut columns: Vec<Tile> = Vec::new();
    for column in 0..size {
        let values = compose::take_axis(cx, &a, 1, column)?;
        let pivot = p::unary(cx, &ops::SQRT, &compose::take_axis(cx, &values, 0, column)?)?;
        let scaled = p::binary(cx, &ops::DIV, &values, &p::broadcast_to(cx, &pivot, values.shape())?)?;
        let below = with_constant(cx, &ops::GE, &rows, column as f64)?;
        let factor = compose::or_constant(cx, &below, &scaled, 0.0)?;
        let left = p::broadcast_in_dim(cx, &factor, &shape, &[0])?;
        let right = p::broadcast_in_dim(cx, &factor, &shape, &[1])?;
        a = p::binary(cx, &ops::SUB, &a, &p::binary(cx, &ops::MUL, &left, &right)?)?;
        columns.push(factor);
    }
    if columns.is_empty() {
        return result(cx, a);
    }
    let factor = joining::stack_tiles(cx, &columns, if upper { 0 } else { 1 })?;
    result(cx, factor)
}

fn matrix_power(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let a = operand(cx, args.get(0), "matrix_power")?;
    let mut exponent = call::integer(cx, args.get(1), 0)?;
    if a.rank() != 2 || a.shape()[0] != a.shape()[1] {
        return Err(cx.interp.type_error("Last 2 dimensions must be square"));
    }
    let size = a.shape()[0];
    let mut base = a.clone();
    if exponent < 0 {
        let a = elementwise::inexact(cx, &a)?;
        let done = eliminate(cx, &a, Some(&identity(cx, size, a.dtype())?))?;
        base = compose::slice_axis(cx, &done.reduced, 1, size, 2 * size)?;
        exponent = exponent.saturating_neg();
    }
    let mut power: Option<Tile> = None;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = Some(match power {
                Some(power) => products::matmul(cx, &power, &base, None)?,
                None => base.clone(),
            });
        }
        exponent >>= 1;
        if exponent > 0 {
            base = products::matmul(cx, &base, &base, None)?;
        }
    }
    match power {
        Some(power) => result(cx, power),
        None => result(cx, identity(cx, size, a.dtype())?),
    }
}

fn multi_dot(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let tiles = call::operands(cx, &cx.interp.collect(args.get(0))?, "jnp.linalg.multi_dot")?;
    let mut rest = tiles.into_iter();
    let Some(mut product) = rest.next() else {
        return Err(cx.interp.value_error("multi_dot requires at least one array"));
    };
    for tile in rest {
        product = products::matmul(cx, &product, &tile, None)?;
    }
    result(cx, product)
}

fn outer(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b) = (operand(cx, args.get(0), "outer")?, call::operand_at(cx, args.get(1), "outer", 1)?);
    if a.rank() != 1 || b.rank() != 1 {
        return Err(cx.interp.value_error(format!(
            "Input arrays must be one-dimensional, but they are x1.ndim={} x2.ndim={}",
            a.rank(),
            b.rank()
        )));
    }
    let (left, right) = (p::expand_dims(cx, &a, &[1])?, p::expand_dims(cx, &b, &[0])?);
    result(cx, arithmetic::multiply(cx, &left, &right)?)
}

fn matrix_transpose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "matrix_transpose")?;
    result(cx, shaping::matrix_transpose_of(cx, &x)?)
}
