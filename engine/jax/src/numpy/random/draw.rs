//! The methods of `Generator` and `RandomState`: what they draw, in the order in which numpy draws it
//! (numpy/random/_generator.pyx, mtrand.pyx).

use super::bits::{Bits, Mersenne};
use super::bounded::{self, Method};
use super::normal;
use super::sampler::Sampler;
use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::jnp::arithmetic;
use crate::jnp::call::{self, given};
use crate::jnp::creation::array_from;
use crate::numpy::NdArray;
use crate::tile::Tile;
use pallas_ir::TensorType;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, DType, Scalar, Shape};

/// A method of a sampler.
type Body = fn(&Interp, &Sampler, Arguments) -> PyResult<Value>;

/// In analysis, arrays beyond this size get a type only.
const ANALYSIS_ELEMENTS: usize = 4096;

/// Runs a method: unknown arguments give unknown results.
pub(super) fn enter(interp: &Interp, args: Arguments, body: Body) -> PyResult<Value> {
    if let Some(unknown) = args.values().iter().find_map(|value| call::find_unknown(value, 3)) {
        return Ok(unknown);
    }
    let receiver = args.get(0).clone();
    match receiver.downcast::<Sampler>() {
        Some(sampler) => body(interp, sampler, args),
        None => Err(interp.type_error("descriptor requires a 'Generator' object")),
    }
}

/// The `size` argument: `None` for a scalar.
fn size(interp: &Interp, value: &Value) -> PyResult<Option<Shape>> {
    let cx = Context::numpy(interp);
    let Some(value) = given(value) else { return Ok(None) };
    // `rand()` without dimensions is a scalar.
    if matches!(value, Value::Tuple(items) if items.is_empty()) {
        return Ok(Some(Shape::default()));
    }
    let extents = call::int_sequence(&cx, value)?;
    if extents.iter().any(|&extent| extent < 0) {
        return Err(interp.value_error("negative dimensions are not allowed"));
    }
    Ok(Some(extents.iter().map(|&extent| extent as usize).collect()))
}

/// `count` draws as an array of a shape, or a Python number where no size was given.
fn collect(
    interp: &Interp,
    size: Option<Shape>,
    dtype: DType,
    mut draws: impl FnMut(usize) -> Vec<Scalar>,
) -> PyResult<Value> {
    let Some(shape) = size else {
        return Ok(draws(1).first().map_or(Value::None, |&scalar| crate::text::python_scalar(scalar)));
    };
    let tile = array(interp, &shape, dtype, draws)?;
    Ok(match shape.rank() {
        0 => crate::numpy::value(tile),
        _ => crate::numpy::array_value(tile),
    })
}

fn array(interp: &Interp, shape: &Shape, dtype: DType, mut draws: impl FnMut(usize) -> Vec<Scalar>) -> PyResult<Tile> {
    let ty = TensorType::new(dtype, shape.clone());
    Context::numpy(interp).check_memory(&[ty.clone().into()])?;
    let count = shape.checked_size().unwrap_or(usize::MAX);
    if interp.is_analysis() && count > ANALYSIS_ELEMENTS {
        return Ok(Tile::Abstract(ty));
    }
    Array::from_scalars(dtype, shape.clone(), &draws(count))
        .map(Tile::concrete)
        .map_err(|error| interp.value_error(error.to_string()))
}

/// `dtype=`: `float64` unless `float32` is asked for.
fn float_dtype(interp: &Interp, value: &Value, function: &str) -> PyResult<DType> {
    match dtype::optional(&Context::numpy(interp), value)? {
        None | Some(DType::F64) => Ok(DType::F64),
        Some(DType::F32) => Ok(DType::F32),
        Some(other) => Err(interp.type_error(format!("Unsupported dtype dtype('{}') for {function}", other.name()))),
    }
}

pub(super) fn random(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let shape = match sampler.method {
        // `rand()` has its dimensions as a tuple, which is never `None`.
        Method::Masked if matches!(args.get(1), Value::Tuple(items) if items.is_empty()) => None,
        _ => size(interp, args.get(1))?,
    };
    let dtype = match args.values().get(2) {
        Some(asked) => float_dtype(interp, asked, "random")?,
        None => DType::F64,
    };
    let mut bits = sampler.bits.borrow_mut();
    collect(interp, shape, dtype, |count| {
        let draw = |_| match dtype {
            DType::F32 => Scalar::Float(bits.next_f32().into()),
            _ => Scalar::Float(bits.next_f64()),
        };
        (0..count).map(draw).collect()
    })
}

/// A standard normal as this sampler draws it.
fn standard(bits: &mut Bits, method: Method) -> f64 {
    match method {
        Method::Lemire => normal::normal(bits),
        Method::Masked => Mersenne::legacy_normal(bits),
    }
}

pub(super) fn standard_normal(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let shape = size(interp, args.get(1))?;
    let dtype = float_dtype(interp, args.get(2), "standard_normal")?;
    let mut bits = sampler.bits.borrow_mut();
    collect(interp, shape, dtype, |count| {
        let draw = |_| match dtype {
            DType::F32 => Scalar::Float(normal::normal_f32(&mut bits).into()),
            _ => Scalar::Float(standard(&mut bits, sampler.method)),
        };
        (0..count).map(draw).collect()
    })
}

pub(super) fn legacy_normal(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let shape = match args.get(1) {
        Value::Tuple(items) if items.is_empty() => None,
        shape => size(interp, shape)?,
    };
    let mut bits = sampler.bits.borrow_mut();
    collect(interp, shape, DType::F64, |count| {
        (0..count).map(|_| Scalar::Float(standard(&mut bits, sampler.method))).collect()
    })
}

/// `first + second * draw` elementwise, for parameters that may be arrays.
fn scaled(
    interp: &Interp,
    first: &Value,
    second: &Value,
    shape: Option<Shape>,
    mut draw: impl FnMut() -> f64,
) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let (first, second) = (array_from(&cx, first, Some(DType::F64))?, array_from(&cx, second, Some(DType::F64))?);
    let scalars = first.rank() == 0 && second.rank() == 0;
    let target = match (&shape, Shape::broadcast(&[first.shape(), second.shape()])) {
        (Some(shape), _) => shape.clone(),
        (None, Some(shape)) => shape,
        (None, None) => {
            return Err(interp.value_error("shape mismatch: objects cannot be broadcast to a single shape"));
        }
    };
    let draws = array(interp, &target, DType::F64, |count| (0..count).map(|_| Scalar::Float(draw())).collect())?;
    let result = arithmetic::add(&cx, &first, &arithmetic::multiply(&cx, &second, &draws)?)?;
    if result.shape() != &target {
        return Err(interp.value_error(format!(
            "Output size {target} is not compatible with broadcast dimensions of inputs {}.",
            result.shape()
        )));
    }
    Ok(match (&result, shape) {
        (Tile::Concrete { array, .. }, None) if scalars => array.item().map_or(Value::None, crate::text::python_scalar),
        _ => convert::value(&cx, result),
    })
}

pub(super) fn uniform(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let (low, high) = (args.get(1), args.get(2));
    let range =
        arithmetic::subtract(&cx, &array_from(&cx, high, Some(DType::F64))?, &array_from(&cx, low, Some(DType::F64))?)?;
    let finite = range.array().is_none_or(|a| a.iter_scalars().all(|s| s.as_f64().is_some_and(f64::is_finite)));
    if !finite {
        return Err(interp.overflow_error("high - low range exceeds valid bounds"));
    }
    let shape = size(interp, args.get(3))?;
    let mut bits = sampler.bits.borrow_mut();
    scaled(interp, low, &crate::numpy::value(range), shape, || bits.next_f64())
}

pub(super) fn normal(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let (mean, deviation) = (args.get(1), args.get(2));
    let scale = array_from(&cx, deviation, Some(DType::F64))?;
    if scale.array().is_some_and(|a| a.iter_scalars().any(|s| s.as_f64().is_some_and(|v| v < 0.0))) {
        return Err(interp.value_error("scale < 0"));
    }
    let shape = size(interp, args.get(3))?;
    let mut bits = sampler.bits.borrow_mut();
    scaled(interp, mean, deviation, shape, || standard(&mut bits, sampler.method))
}

/// The values of a bound: one, or one per element.
fn bounds(interp: &Interp, value: &Value) -> PyResult<(Vec<i128>, Shape)> {
    let cx = Context::numpy(interp);
    match array_from(&cx, value, None)? {
        Tile::Concrete { array, .. } => {
            Ok((array.iter_scalars().filter_map(Scalar::as_int).collect(), array.shape().clone()))
        }
        tile => Ok((Vec::new(), tile.shape().clone())),
    }
}

pub(super) fn integers(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let endpoint = match args.values().get(5) {
        Some(endpoint) => call::flag(&cx, endpoint)?,
        None => false,
    };
    let dtype = dtype::optional(&cx, args.get(4))?.unwrap_or(DType::I64);
    let Some(info) = dtype.iinfo().or((dtype == DType::Bool).then_some(DType::U8.iinfo()).flatten()) else {
        let name = if sampler.method == Method::Lemire { "integers" } else { "randint" };
        return Err(interp.type_error(format!("Unsupported dtype dtype('{}') for {name}", dtype.name())));
    };
    let (least, greatest) = if dtype == DType::Bool { (0, 1) } else { (info.min, info.max) };
    let zero = Value::from(0i64);
    let (low, high) = match given(args.get(2)) {
        Some(high) => (args.get(1), high),
        None => (&zero, args.get(1)),
    };
    let (lows, low_shape) = bounds(interp, low)?;
    let (highs, high_shape) = bounds(interp, high)?;
    let last = |high: i128| if endpoint { high } else { high - 1 };
    let check = |low: i128, high: i128| {
        if low < least {
            Err(interp.value_error(format!("low is out of bounds for {}", dtype.name())))
        } else if last(high) > greatest {
            Err(interp.value_error(format!("high is out of bounds for {}", dtype.name())))
        } else if low > last(high) {
            Err(interp.value_error(if endpoint { "low > high" } else { "low >= high" }))
        } else {
            Ok(u64::try_from(last(high) - low).unwrap_or(u64::MAX))
        }
    };
    let shape = size(interp, args.get(3))?;
    let mut bits = sampler.bits.borrow_mut();
    let scalar = |value: i128| if dtype == DType::Bool { Scalar::Bool(value != 0) } else { Scalar::Int(value) };
    if let ([low], [high], 0, 0) = (lows.as_slice(), highs.as_slice(), low_shape.rank(), high_shape.rank()) {
        let most = check(*low, *high)?;
        let asked = given(args.get(4)).is_some();
        let value = collect(interp, shape.clone(), dtype, |count| {
            bounded::fill(&mut bits, *low, most, count, dtype, sampler.method).into_iter().map(scalar).collect()
        })?;
        // Without a size, the result is a numpy scalar for `integers` and where a dtype was named.
        if shape.is_none() && (asked || sampler.method == Method::Lemire) {
            return Ok(crate::numpy::value(array_from(&cx, &value, Some(dtype))?));
        }
        return Ok(value);
    }
    let Some(common) = Shape::broadcast(&[&low_shape, &high_shape]) else {
        return Err(interp.value_error("shape mismatch: objects cannot be broadcast to a single shape"));
    };
    let target = shape.unwrap_or(common);
    let spread = |value: &Value| -> PyResult<Vec<i128>> {
        let tile = crate::primitive::broadcast_to(&cx, &array_from(&cx, value, None)?, &target)?;
        Ok(tile.array().map(|a| a.iter_scalars().filter_map(Scalar::as_int).collect()).unwrap_or_default())
    };
    let (lows, highs) = (spread(low)?, spread(high)?);
    let mut values = Vec::with_capacity(lows.len());
    for (&low, &high) in lows.iter().zip(&highs) {
        let most = check(low, high)?;
        values.push(scalar(low + i128::from(bounded::bounded(&mut bits, most, sampler.method))));
    }
    Ok(crate::numpy::array_value(array(interp, &target, dtype, |_| values.clone())?))
}

/// Positions of `size` draws from `count` things.
fn positions(
    interp: &Interp,
    sampler: &Sampler,
    count: usize,
    wanted: usize,
    replace: bool,
    weights: Option<Vec<f64>>,
    shuffled: bool,
) -> PyResult<Vec<usize>> {
    let mut bits = sampler.bits.borrow_mut();
    if replace {
        return Ok(match weights {
            Some(weights) => {
                let sums = cumulative(&weights);
                (0..wanted).map(|_| bits.next_f64()).map(|draw| sums.partition_point(|&sum| sum <= draw)).collect()
            }
            None => bounded::fill(&mut bits, 0, count as u64 - 1, wanted, DType::I64, sampler.method)
                .into_iter()
                .map(|at| at as usize)
                .collect(),
        });
    }
    if wanted > count {
        return Err(interp.value_error("Cannot take a larger sample than population when replace is False"));
    }
    if let Some(mut weights) = weights {
        if weights.iter().filter(|&&weight| weight > 0.0).count() < wanted {
            return Err(interp.value_error("Fewer non-zero entries in p than size"));
        }
        let mut found: Vec<usize> = Vec::with_capacity(wanted);
        while found.len() < wanted {
            let draws: Vec<f64> = (found.len()..wanted).map(|_| bits.next_f64()).collect();
            found.iter().for_each(|&at| weights[at] = 0.0);
            let sums = cumulative(&weights);
            let mut round: Vec<usize> = Vec::new();
            for draw in draws {
                let at = sums.partition_point(|&sum| sum <= draw);
                if !round.contains(&at) {
                    round.push(at);
                }
            }
            found.extend(round);
        }
        return Ok(found);
    }
    if sampler.method == Method::Masked {
        let mut all: Vec<usize> = (0..count).collect();
        bounded::shuffle(&mut bits, &mut all, 1, sampler.method);
        all.truncate(wanted);
        return Ok(all);
    }
    let cutoff = if shuffled { 50 } else { 20 };
    if count > 10_000 && wanted > count / cutoff {
        let mut all: Vec<usize> = (0..count).collect();
        bounded::shuffle(&mut bits, &mut all, (count - wanted).max(1), sampler.method);
        return Ok(all.split_off(count - wanted));
    }
    // Floyd's algorithm.
    let mut seen = std::collections::HashSet::new();
    let mut chosen = Vec::with_capacity(wanted);
    for last in count - wanted..count {
        let draw = bounded::bounded(&mut bits, last as u64, sampler.method) as usize;
        let pick = if seen.contains(&draw) { last } else { draw };
        seen.insert(pick);
        chosen.push(pick);
    }
    if shuffled {
        bounded::shuffle(&mut bits, &mut chosen, 1, sampler.method);
    }
    Ok(chosen)
}

/// Running sums, scaled so that the last is 1.
fn cumulative(weights: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = weights
        .iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect();
    sums.iter_mut().for_each(|entry| *entry /= sum);
    sums
}

fn weights(interp: &Interp, value: &Value, count: usize) -> PyResult<Option<Vec<f64>>> {
    let Some(value) = given(value) else { return Ok(None) };
    let tile = array_from(&Context::numpy(interp), value, Some(DType::F64))?;
    if tile.rank() != 1 {
        return Err(interp.value_error("p must be 1-dimensional"));
    }
    let Some(array) = tile.array() else { return Ok(None) };
    if array.size() != count {
        return Err(interp.value_error("a and p must have same size"));
    }
    let weights: Vec<f64> = array.iter_scalars().filter_map(Scalar::as_f64).collect();
    if weights.iter().any(|&weight| weight < 0.0) {
        return Err(interp.value_error("Probabilities are not non-negative"));
    }
    if (weights.iter().sum::<f64>() - 1.0).abs() > 1e-8 {
        return Err(
            interp.value_error("Probabilities do not sum to 1. See Notes section of docstring for more information.")
        );
    }
    Ok(Some(weights))
}

pub(super) fn choice(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let source = array_from(&cx, args.get(1), None)?;
    let axis = match args.values().get(5) {
        Some(axis) => interp.to_i64(axis)?,
        None => 0,
    };
    let shuffled = match args.values().get(6) {
        Some(shuffled) => call::flag(&cx, shuffled)?,
        None => true,
    };
    let shape = size(interp, args.get(2))?;
    let axis = if source.rank() == 0 { 0 } else { convert::normalize_axis(&cx, axis, source.rank())? };
    let count = match &source {
        Tile::Concrete { array, .. } if source.rank() == 0 => {
            let count = array.item().and_then(Scalar::as_int).unwrap_or(0);
            usize::try_from(count).unwrap_or(0)
        }
        source if source.rank() > 0 => source.shape()[axis],
        _ => return Ok(call::data_dependent(&cx, "choice")),
    };
    let wanted = shape.as_ref().map_or(1, Shape::size);
    if count == 0 && wanted > 0 {
        return Err(interp.value_error(match source.rank() {
            0 => "a must be a positive integer unless no samples are taken",
            _ => "a cannot be empty unless no samples are taken",
        }));
    }
    let weights = weights(interp, args.get(4), count)?;
    let replace = call::flag(&cx, args.get(3))?;
    let chosen = positions(interp, sampler, count, wanted, replace, weights, shuffled)?;
    let scalars: Vec<Scalar> = chosen.iter().map(|&at| Scalar::Int(at as i128)).collect();
    let target = shape.clone().unwrap_or_default();
    let index = Array::from_scalars(DType::I64, target, &scalars)
        .map(Tile::concrete)
        .map_err(|error| interp.value_error(error.to_string()))?;
    if source.rank() == 0 {
        return Ok(match shape {
            None => Value::from(chosen.first().copied().unwrap_or(0)),
            Some(_) => convert::value(&cx, index),
        });
    }
    let taken = crate::indexing::take(&cx, &source, &index, Some(axis as i64), Some("clip"))?;
    Ok(convert::value(&cx, taken))
}

pub(super) fn permutation(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let source = array_from(&cx, args.get(1), None)?;
    let axis = match args.values().get(2) {
        Some(axis) => interp.to_i64(axis)?,
        None => 0,
    };
    let axis = if source.rank() == 0 { 0 } else { convert::normalize_axis(&cx, axis, source.rank())? };
    let count = match (&source, source.rank()) {
        (Tile::Concrete { array, .. }, 0) => {
            usize::try_from(array.item().and_then(Scalar::as_int).unwrap_or(0)).unwrap_or(0)
        }
        (_, 0) => return Ok(call::data_dependent(&cx, "permutation")),
        _ => source.shape()[axis],
    };
    interp.charge_bytes(count as u128 * 8)?;
    let mut order: Vec<usize> = (0..count).collect();
    // Whichever the sampler, whole shuffles draw with masks (`random_interval`).
    bounded::shuffle(&mut sampler.bits.borrow_mut(), &mut order, 1, Method::Masked);
    let scalars: Vec<Scalar> = order.iter().map(|&at| Scalar::Int(at as i128)).collect();
    let index = Array::from_scalars(DType::I64, [count], &scalars)
        .map(Tile::concrete)
        .map_err(|error| interp.value_error(error.to_string()))?;
    if source.rank() == 0 {
        return Ok(convert::value(&cx, index));
    }
    let taken = crate::indexing::take(&cx, &source, &index, Some(axis as i64), Some("clip"))?;
    Ok(convert::value(&cx, taken))
}

pub(super) fn shuffle(interp: &Interp, sampler: &Sampler, args: Arguments) -> PyResult<Value> {
    let target = args.get(1);
    if let Value::List(items) = target {
        bounded::shuffle(&mut sampler.bits.borrow_mut(), &mut items.borrow_mut(), 1, Method::Masked);
        return Ok(Value::None);
    }
    let Some(array) = target.downcast::<NdArray>().filter(|array| array.shape().rank() > 0) else {
        return Err(interp.type_error("Cannot shuffle what is no array and no list"));
    };
    let axis = args.values().get(2).cloned().unwrap_or(Value::from(0i64));
    let cx = Context::numpy(interp);
    let place = convert::axis(&cx, &axis, array.shape().rank())?;
    let mut order: Vec<usize> = (0..array.shape()[place]).collect();
    bounded::shuffle(&mut sampler.bits.borrow_mut(), &mut order, 1, Method::Masked);
    let list = Value::list(order.into_iter().map(Value::from));
    let everything = Value::Slice(std::rc::Rc::new(pallas_python::value::Slice {
        lower: Value::None,
        upper: Value::None,
        step: Value::None,
    }));
    let key = Value::tuple((0..=place).map(|axis| if axis == place { list.clone() } else { everything.clone() }));
    let shuffled = interp.get_item(target, &key)?;
    interp.set_item(target, &Value::Ellipsis, shuffled)?;
    Ok(Value::None)
}
