//! Shapes and orders of dimensions: reshape, transpose, broadcast, squeeze, flip. Joining and splitting are in
//! [`super::joining`], repetition in [`super::repeating`]. Follows jax/_src/numpy/lax_numpy.py.

use super::call::{self, functions, given, operand, result};
use super::compose;
use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_ir::{Attribute, Attributes, ops};
use pallas_python::Diagnosis;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::Shape;

functions! { JAX_ROWS NUMPY_ROWS
    "reshape" "(a, shape, order='C', *, copy=None, out_sharding=None)" "The same elements in another shape." reshape;
    "ravel" "(a, order='C', *, out_sharding=None)" "The elements in one dimension." ravel;
    "transpose" "(a, axes=None)" "Permutes the dimensions; reverses them by default." transpose;
    "permute_dims" "(a, /, axes)" "Permutes the dimensions." transpose;
    "matrix_transpose" "(x, /)" "Swaps the last two dimensions." matrix_transpose;
    "swapaxes" "(a, axis1, axis2)" "Swaps two dimensions." swapaxes;
    "moveaxis" "(a, source, destination)" "Moves dimensions to other places." moveaxis;
    "rollaxis" "(a, axis, start=0)" "Moves a dimension before another." rollaxis;
    "expand_dims" "(a, axis)" "Puts in dimensions of 1." expand_dims;
    "squeeze" "(a, axis=None)" "Drops dimensions of 1." squeeze;
    "broadcast_to" "(array, shape, *, out_sharding=None)" "Repeats elements until the array has a shape." broadcast_to;
    "broadcast_arrays" "(*args)" "Broadcasts arrays against each other." broadcast_arrays;
    "broadcast_shapes" "(*shapes)" "The shape that shapes broadcast to." broadcast_shapes;
    "atleast_1d" "(*arys)" "Arrays with at least one dimension." |cx, args| at_least(cx, args, 1);
    "atleast_2d" "(*arys)" "Arrays with at least two dimensions." |cx, args| at_least(cx, args, 2);
    "atleast_3d" "(*arys)" "Arrays with at least three dimensions." |cx, args| at_least(cx, args, 3);
    "flip" "(m, axis=None)" "Reverses the order along axes." flip;
    "fliplr" "(m)" "Reverses the order along the second axis." |cx, args| flip_axis(cx, args, "fliplr", 1);
    "flipud" "(m)" "Reverses the order along the first axis." |cx, args| flip_axis(cx, args, "flipud", 0);
    "rot90" "(m, k=1, axes=(0, 1))" "Turns a plane by quarter circles." rot90;
    "shape" "(a)" "The shape of an array." shape;
    "ndim" "(a)" "The number of dimensions of an array." ndim;
    "size" "(a, axis=None)" "The number of elements of an array." size;
}

/// An array of any module, or nested sequences of numbers.
fn loose_operand(cx: &Context<'_>, value: &Value, name: &str) -> PyResult<Tile> {
    match value {
        Value::List(_) | Value::Tuple(_) => super::creation::array_from(cx, value, None),
        _ => operand(cx, value, name),
    }
}

/// The shape that `reshape` is asked for: at most one -1, which is worked out.
///
/// # Errors
/// JAX's `TypeError`, numpy's `ValueError` where the sizes do not agree.
pub fn new_shape(cx: &Context<'_>, x: &Tile, value: &Value) -> PyResult<Shape> {
    let asked = call::int_sequence(cx, value).map_err(|stop| match cx.rules {
        Rules::Jax if !matches!(value, Value::Int(_)) => {
            let shown = cx.interp.repr(value).unwrap_or_default();
            let tracer = call::try_operand(cx, value).ok().flatten().is_some_and(|tile| tile.is_traced());
            if tracer || matches!(value, Value::Tuple(_) | Value::List(_)) && has_tracer(cx, value) {
                let message = format!(
                    "Shapes must be 1D sequences of concrete values of integer type, got {shown}.\nIf using `jit`, try \
                     using `static_argnums` or applying `jit` to smaller subfunctions."
                );
                return crate::errors::traced_shape(cx, message);
            }
            stop
        }
        _ => stop,
    })?;
    let size = x.shape().size();
    let shown = shown_shape(&asked);
    let unknown: Vec<usize> = (0..asked.len()).filter(|&i| asked[i] == -1).collect();
    if unknown.len() > 1 {
        return Err(match cx.rules {
            Rules::Jax => {
                let shown = cx.interp.repr(value)?;
                cx.interp.type_error(format!("can only specify one unknown axis size with a `-1` value, got {shown}"))
            }
            Rules::Numpy => cx.interp.value_error("can only specify one unknown dimension"),
        });
    }
    if cx.rules == Rules::Jax && asked.iter().any(|&dim| dim < -1) {
        let message = format!("reshape new_sizes must all be positive, got {shown}.");
        return Err(cx.interp.type_error(message));
    }
    let known: i64 = asked.iter().filter(|&&dim| dim != -1).fold(1, |product, &dim| product.saturating_mul(dim));
    if !unknown.is_empty() && known == 0 && cx.rules == Rules::Jax {
        return Err(cx.interp.zero_division_error("integer modulo by zero"));
    }
    let fits = match (unknown.first(), usize::try_from(known)) {
        (None, Ok(known)) => known == size,
        (Some(_), Ok(known)) => known > 0 && size.is_multiple_of(known) || known == 0 && size == 0,
        _ => false,
    };
    if !fits {
        let known_text = known;
        let message = match (cx.rules, unknown.is_empty()) {
            (Rules::Numpy, _) => format!("cannot reshape array of size {size} into shape {}", shown.replace(", ", ",")),
            (Rules::Jax, true) => {
                format!("cannot reshape array of shape {} (size {size}) into shape {shown} (size {known})", x.shape())
            }
            (Rules::Jax, false) => format!(
                "cannot reshape array of shape {} (size {size}) into shape {shown} because the product of specified axis \
                 sizes ({known_text}) does not evenly divide {size}",
                x.shape()
            ),
        };
        let types = cx.interp.types();
        let class = if cx.rules == Rules::Jax { &types.type_error } else { &types.value_error };
        return Err(cx.interp.error_with(class, message, Diagnosis { code: "PL303", ..Diagnosis::default() }));
    }
    Ok(asked
        .iter()
        .map(|&dim| {
            if dim == -1 {
                if known == 0 { 0 } else { size / known.unsigned_abs() as usize }
            } else {
                dim.unsigned_abs() as usize
            }
        })
        .collect())
}

fn has_tracer(cx: &Context<'_>, value: &Value) -> bool {
    cx.interp
        .collect(value)
        .is_ok_and(|items| items.iter().any(|item| crate::refs::array_tile(item).is_some_and(Tile::is_traced)))
}

/// A shape with possible -1, as a Python tuple.
fn shown_shape(dims: &[i64]) -> String {
    let texts: Vec<String> = dims.iter().map(i64::to_string).collect();
    if texts.len() == 1 { format!("({},)", texts[0]) } else { format!("({})", texts.join(", ")) }
}

/// `reshape` with `C` or `F` order.
pub fn reshape_ordered(cx: &Context<'_>, x: &Tile, shape: &Shape, order: &Value) -> PyResult<Tile> {
    match given(order).map(|order| cx.interp.to_str(order)).transpose()?.as_deref() {
        None | Some("C" | "K") => p::reshape(cx, x, shape),
        Some("A") if cx.rules == Rules::Numpy => p::reshape(cx, x, shape),
        Some("F") => {
            // Reversed dimensions in row-major order are column-major order.
            let reversed = p::transpose(cx, x, &(0..x.rank()).rev().collect::<Vec<_>>())?;
            let target: Shape = shape.iter().rev().copied().collect();
            let reshaped = p::reshape(cx, &reversed, &target)?;
            p::transpose(cx, &reshaped, &(0..target.rank()).rev().collect::<Vec<_>>())
        }
        Some("A") => Err(cx.interp.not_implemented_error("np.reshape order=A is not implemented.")),
        Some(other) => Err(cx.interp.value_error(format!("Unexpected value for 'order' argument: {other}."))),
    }
}

fn reshape(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, shape, order, ..]: [Value; 5] = args.take();
    let x = operand(cx, &x, "reshape")?;
    let shape = new_shape(cx, &x, &shape)?;
    let tile = reshape_ordered(cx, &x, &shape, &order)?;
    result(cx, tile)
}

fn ravel(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, order, _] = args.take();
    let x = operand(cx, &x, "ravel")?;
    let tile = reshape_ordered(cx, &x, &Shape::from([x.shape().size()]), &order)?;
    result(cx, tile)
}

/// `transpose` with axes as written; reversed by default.
pub fn transpose_axes(cx: &Context<'_>, x: &Tile, axes: Option<&Value>) -> PyResult<Tile> {
    let permutation: Vec<usize> = match axes {
        None => (0..x.rank()).rev().collect(),
        Some(axes) => call::int_sequence(cx, axes)?
            .into_iter()
            .map(|axis| convert::normalize_axis(cx, axis, x.rank()))
            .collect::<PyResult<_>>()?,
    };
    if permutation.len() == x.rank() && permutation.iter().enumerate().all(|(i, &axis)| i == axis) {
        return Ok(x.clone());
    }
    if cx.rules == Rules::Numpy && permutation.len() != x.rank() {
        return Err(cx.interp.value_error("axes don't match array"));
    }
    let permutation = permutation.into_iter().map(|axis| axis as i64).collect();
    cx.bind(&ops::TRANSPOSE, &[x], Attributes::none().with("permutation", Attribute::Ints(permutation)))
}

fn transpose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "transpose")?;
    let tile = transpose_axes(cx, &x, given(args.get(1)))?;
    result(cx, tile)
}

/// Swaps the last two dimensions.
pub fn matrix_transpose_of(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    let rank = x.rank();
    if rank < 2 {
        let message = format!("x must be at least two-dimensional for matrix_transpose; got ndim={rank}");
        return Err(cx.interp.value_error(message));
    }
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 1, rank - 2);
    p::transpose(cx, x, &order)
}

fn matrix_transpose(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "matrix_transpose")?;
    result(cx, matrix_transpose_of(cx, &x)?)
}

fn swapaxes(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "swapaxes")?;
    let axis = |value: &Value| {
        let axis = cx.interp.to_i64(value)?;
        // JAX looks axes up in a list of them.
        match usize::try_from(if axis < 0 { axis + x.rank() as i64 } else { axis }) {
            Ok(axis) if axis < x.rank() => Ok(axis),
            _ => Err(cx.interp.error(
                &cx.interp.types().index_error,
                format!("index {axis} is out of bounds for axis 0 with size {}", x.rank()),
            )),
        }
    };
    let (first, second) = (axis(args.get(1))?, axis(args.get(2))?);
    let mut order: Vec<usize> = (0..x.rank()).collect();
    order.swap(first, second);
    result(cx, p::transpose(cx, &x, &order)?)
}

/// Moves dimensions; the others keep their order.
pub fn move_axes(cx: &Context<'_>, x: &Tile, source: &[usize], destination: &[usize]) -> PyResult<Tile> {
    let mut order: Vec<usize> = (0..x.rank()).filter(|axis| !source.contains(axis)).collect();
    let mut moves: Vec<(usize, usize)> = destination.iter().copied().zip(source.iter().copied()).collect();
    moves.sort_unstable();
    for (place, axis) in moves {
        order.insert(place.min(order.len()), axis);
    }
    p::transpose(cx, x, &order)
}

fn axis_list(cx: &Context<'_>, value: &Value, rank: usize) -> PyResult<Vec<usize>> {
    call::int_sequence(cx, value)?.into_iter().map(|axis| convert::normalize_axis(cx, axis, rank)).collect()
}

fn moveaxis(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "moveaxis")?;
    let source = axis_list(cx, args.get(1), x.rank())?;
    let destination = axis_list(cx, args.get(2), x.rank())?;
    if source.len() != destination.len() {
        let message = format!("Inconsistent number of elements: {} vs {}", source.len(), destination.len());
        return Err(cx.interp.value_error(message));
    }
    result(cx, move_axes(cx, &x, &source, &destination)?)
}

fn rollaxis(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "rollaxis")?;
    let axis = convert::axis(cx, args.get(1), x.rank())?;
    let rank = x.rank() as i64;
    let mut start = call::integer(cx, args.get(2), 0)?;
    if !(-rank..=rank).contains(&start) {
        return Err(cx.interp.value_error(format!("start={start} must satisfy {}<=start<={rank}", -rank)));
    }
    if start < 0 {
        start += rank;
    }
    let mut start = start.unsigned_abs() as usize;
    if start > axis {
        start -= 1;
    }
    result(cx, move_axes(cx, &x, &[axis], &[start])?)
}

fn expand_dims(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "expand_dims")?;
    let axes = call::int_sequence(cx, args.get(1))?;
    let rank = x.rank() + axes.len();
    let mut places = Vec::new();
    for axis in axes {
        let signed = rank as i64;
        if !(-signed..signed).contains(&axis) {
            let message = format!("axis {axis} is out of bounds for array of dimension {rank}");
            return Err(cx.interp.value_error(message));
        }
        places.push(axis.rem_euclid(signed) as usize);
    }
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(cx.interp.value_error(match cx.rules {
            Rules::Jax => format!("repeated axis in lax.expand_dims: {places:?}").replace('[', "(").replace(']', ")"),
            Rules::Numpy => "repeated axis".to_string(),
        }));
    }
    result(cx, p::expand_dims(cx, &x, &places)?)
}

/// Drops dimensions of 1: all of them, or those named.
pub fn squeeze_axes(cx: &Context<'_>, x: &Tile, axis: Option<&Value>) -> PyResult<Tile> {
    let axes = match axis {
        None => (0..x.rank()).filter(|&axis| x.shape()[axis] == 1).collect(),
        Some(axis) => axis_list(cx, axis, x.rank())?,
    };
    if cx.rules == Rules::Numpy && axes.iter().any(|&axis| x.shape()[axis] != 1) {
        let message = "cannot select an axis to squeeze out which has size not equal to one";
        return Err(cx.interp.value_error(message));
    }
    p::squeeze(cx, x, &axes)
}

fn squeeze(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "squeeze")?;
    result(cx, squeeze_axes(cx, &x, given(args.get(1)))?)
}

/// Broadcasts to a shape.
///
/// # Errors
/// `ValueError` in JAX's or numpy's words where it does not fit.
pub fn broadcast_checked(cx: &Context<'_>, x: &Tile, shape: &Shape) -> PyResult<Tile> {
    if Shape::broadcast(&[x.shape(), shape]).is_some_and(|joint| joint == *shape) {
        return p::broadcast_to(cx, x, shape);
    }
    let message = match cx.rules {
        Rules::Jax => format!(
            "Incompatible types for broadcasting: input type={} and requested type={}",
            p::type_text(&x.ty()),
            p::type_text(&pallas_ir::TensorType::new(x.dtype(), shape.clone()))
        ),
        Rules::Numpy => format!(
            "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and requested shape \
             {}",
            x.shape().to_string().replace(", ", ","),
            shape.to_string().replace(", ", ",")
        ),
    };
    let class = &cx.interp.types().value_error;
    Err(cx.interp.error_with(class, message, Diagnosis { code: "PL303", ..Diagnosis::default() }))
}

fn broadcast_to(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "broadcast_to")?;
    let shape = convert::shape(cx, args.get(1))?;
    let tile = broadcast_checked(cx, &x, &shape)?;
    result(cx, call::stage(cx, tile)?)
}

fn broadcast_arrays(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let tiles = call::operands(cx, &cx.interp.collect(args.get(0))?, "broadcast_arrays")?;
    let tiles = convert::broadcast(cx, "broadcast_arrays", &tiles)?;
    match cx.rules {
        Rules::Jax => call::result_list(cx, tiles),
        Rules::Numpy => call::results(cx, tiles),
    }
}

/// A Python tuple of a shape.
pub fn shape_value(shape: &Shape) -> Value {
    Value::tuple(shape.iter().map(|&dim| Value::from(dim)).collect::<Vec<_>>())
}

fn broadcast_shapes(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let shapes =
        cx.interp.collect(args.get(0))?.iter().map(|value| convert::shape(cx, value)).collect::<PyResult<Vec<_>>>()?;
    let refs: Vec<&Shape> = shapes.iter().collect();
    match Shape::broadcast(&refs) {
        Some(shape) => Ok(shape_value(&shape)),
        None => {
            let texts: Vec<String> = shapes.iter().map(Shape::to_string).collect();
            Err(cx.interp.value_error(match cx.rules {
                Rules::Jax => format!("Incompatible shapes for broadcasting: shapes=[{}]", texts.join(", ")),
                Rules::Numpy => "shape mismatch: objects cannot be broadcast to a single shape.".to_string(),
            }))
        }
    }
}

/// `x` with at least `rank` dimensions, placed as `atleast_*` does.
pub fn at_least_rank(cx: &Context<'_>, x: &Tile, rank: usize) -> PyResult<Tile> {
    let axes: &[usize] = match (rank, x.rank()) {
        (1, 0) => &[0],
        (2, 0) => &[0, 1],
        (2, 1) => &[0],
        (3, 0) => &[0, 1, 2],
        (3, 1) => &[0, 2],
        (3, 2) => &[2],
        _ => &[],
    };
    p::expand_dims(cx, x, axes)
}

fn at_least(cx: &Context<'_>, args: Arguments, rank: usize) -> PyResult<Value> {
    let values = cx.interp.collect(args.get(0))?;
    let name = ["atleast_1d", "atleast_2d", "atleast_3d"][rank - 1];
    let tiles = call::operands(cx, &values, name)?;
    let mut tiles = tiles.iter().map(|tile| at_least_rank(cx, tile, rank)).collect::<PyResult<Vec<_>>>()?;
    if tiles.len() == 1 {
        return result(cx, tiles.remove(0));
    }
    match cx.rules {
        Rules::Jax => call::result_list(cx, tiles),
        Rules::Numpy => call::results(cx, tiles),
    }
}

fn flip(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "flip")?;
    let axes = match given(args.get(1)) {
        None => (0..x.rank()).collect(),
        Some(axis) => axis_list(cx, axis, x.rank())?,
    };
    result(cx, compose::reverse(cx, &x, &axes)?)
}

fn flip_axis(cx: &Context<'_>, args: Arguments, name: &str, axis: i64) -> PyResult<Value> {
    let x = operand(cx, args.get(0), name)?;
    let axis = convert::normalize_axis(cx, axis, x.rank())?;
    result(cx, compose::reverse(cx, &x, &[axis])?)
}

fn rot90(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let [x, k, axes] = args.take();
    let x = operand(cx, &x, "rot90")?;
    let axes = axis_list(cx, &axes, x.rank())?;
    let [first, second] = axes.as_slice() else {
        return Err(cx.interp.value_error("len(axes) must be 2."));
    };
    let (first, second) = (*first, *second);
    if first == second {
        return Err(cx.interp.value_error("Axes must be different"));
    }
    let mut order: Vec<usize> = (0..x.rank()).collect();
    order.swap(first, second);
    let tile = match call::integer(cx, &k, 1)?.rem_euclid(4) {
        0 => x,
        1 => p::transpose(cx, &compose::reverse(cx, &x, &[second])?, &order)?,
        2 => compose::reverse(cx, &compose::reverse(cx, &x, &[first])?, &[second])?,
        _ => compose::reverse(cx, &p::transpose(cx, &x, &order)?, &[second])?,
    };
    result(cx, tile)
}

/// The shape of anything that has one.
fn shape_of(cx: &Context<'_>, value: &Value, name: &str) -> PyResult<Shape> {
    if let Some(tile) = crate::refs::array_tile(value) {
        return Ok(tile.shape().clone());
    }
    match value {
        Value::Object(_) | Value::Instance(_) => {
            if let Some(shape) = cx.interp.find_attr(value, "shape")? {
                return convert::shape(cx, &shape);
            }
            operand(cx, value, name).map(|tile| tile.shape().clone())
        }
        _ => loose_operand(cx, value, name).map(|tile| tile.shape().clone()),
    }
}

fn shape(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    Ok(shape_value(&shape_of(cx, args.get(0), "shape")?))
}

fn ndim(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    Ok(Value::from(shape_of(cx, args.get(0), "ndim")?.rank()))
}

fn size(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let shape = shape_of(cx, args.get(0), "size")?;
    match given(args.get(1)) {
        None => Ok(Value::from(shape.size())),
        Some(axis) => {
            let axes = axis_list(cx, axis, shape.rank())?;
            Ok(Value::from(axes.iter().map(|&axis| shape[axis]).product::<usize>()))
        }
    }
}
