//! Methods and properties of `numpy.ndarray` and of numpy's scalars: those that give views or write in place. Methods that
//! numpy also has as functions (`x.sum()`) are taken from the module.

use super::array::{NdArray, op_error};
use super::view::View;
use crate::context::{Context, Rules};
use crate::convert;
use crate::dtype;
use crate::jnp::call;
use crate::primitive;
use crate::tile::Tile;
use pallas_python::CallArgs;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::BinaryOp;
use pallas_tensor::{DType, Scalar, Shape};
use std::rc::Rc;

/// Functions of the module that are methods, too: the array is their first argument.
pub(super) const SHARED: &[&str] = &[
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "argpartition",
    "choose",
    "clip",
    "compress",
    "conj",
    "conjugate",
    "cumprod",
    "cumsum",
    "diagonal",
    "dot",
    "max",
    "mean",
    "min",
    "nonzero",
    "prod",
    "repeat",
    "round",
    "searchsorted",
    "std",
    "sum",
    "take",
    "trace",
    "var",
];

/// The function behind a method of [`SHARED`].
pub(super) fn shared(interp: &Interp, name: &str) -> PyResult<Option<Value>> {
    if !SHARED.contains(&name) {
        return Ok(None);
    }
    let module = interp.import("numpy")?;
    let function = interp.find_attr(&module, name)?;
    // Only functions can be bound; an object with `__call__` would lose its receiver.
    Ok(function.filter(|function| matches!(function, Value::Native(_))))
}

macro_rules! rows {
    ($($name:literal $signature:literal $doc:literal $run:expr;)*) => {
        &[$(NativeDef { name: $name, signature: $signature, doc: $doc, run: $run }),*]
    };
}

/// Methods of arrays and scalars.
pub(crate) static METHODS: &[NativeDef] = rows! {
    "reshape" "(self, /, *shape, order='C', copy=None)" "The same elements in another shape: a view where possible." reshape;
    "ravel" "(self, order='C')" "The elements in one dimension: a view where possible." ravel;
    "flatten" "(self, order='C')" "A copy of the elements in one dimension." flatten;
    "transpose" "(self, /, *axes)" "A view with the dimensions in another order." transpose;
    "swapaxes" "(self, axis1, axis2, /)" "A view with two dimensions exchanged." swapaxes;
    "squeeze" "(self, axis=None)" "A view without dimensions of extent 1." squeeze;
    "copy" "(self, order='C')" "A copy." copy;
    "astype" "(self, dtype, order='K', casting='unsafe', subok=True, copy=True)" "A copy with another dtype." astype;
    "view" "(self, dtype=None, type=None)" "A view, or the same bits under another dtype." view;
    "tolist" "(self)" "Nested lists of Python numbers." tolist;
    "item" "(self, /, *args)" "An element as a Python number." item;
    "fill" "(self, value)" "Sets every element." fill;
    "sort" "(self, axis=-1, kind=None, order=None)" "Sorts in place." sort;
    "tobytes" "(self, order='C')" "The bytes of the elements." tobytes;
    "__array__" "(self, dtype=None, *, copy=None)" "The array itself." array_method;
    "__len__" "(self, /)" "Extent of the first dimension." |interp, args| interp.len(args.get(0)).map(Value::from);
    "__setitem__" "(self, key, value, /)" "self[key] = value" |interp, args| {
        interp.set_item(args.get(0), args.get(1), args.get(2).clone()).map(|()| Value::None)
    };
    "__round__" "(self, ndigits=None, /)" "Rounds." round;
    "__abs__" "(self, /)" "Absolute value." |interp, args| by_function(interp, "absolute", args);
    "__divmod__" "(self, other, /)" "Quotient and remainder." divmod;
    "__copy__" "(self)" "A copy." copy;
    "__deepcopy__" "(self, memo, /)" "A copy." copy;
    "__iadd__" "(self, value, /)" "self += value" |interp, args| in_place(interp, args, BinaryOp::Add);
    "__isub__" "(self, value, /)" "self -= value" |interp, args| in_place(interp, args, BinaryOp::Sub);
    "__imul__" "(self, value, /)" "self *= value" |interp, args| in_place(interp, args, BinaryOp::Mult);
    "__itruediv__" "(self, value, /)" "self /= value" |interp, args| in_place(interp, args, BinaryOp::Div);
    "__ifloordiv__" "(self, value, /)" "self //= value" |interp, args| in_place(interp, args, BinaryOp::FloorDiv);
    "__imod__" "(self, value, /)" "self %= value" |interp, args| in_place(interp, args, BinaryOp::Mod);
    "__ipow__" "(self, value, /)" "self **= value" |interp, args| in_place(interp, args, BinaryOp::Pow);
    "__imatmul__" "(self, value, /)" "self @= value" |interp, args| in_place(interp, args, BinaryOp::MatMult);
    "__ilshift__" "(self, value, /)" "self <<= value" |interp, args| in_place(interp, args, BinaryOp::LShift);
    "__irshift__" "(self, value, /)" "self >>= value" |interp, args| in_place(interp, args, BinaryOp::RShift);
    "__iand__" "(self, value, /)" "self &= value" |interp, args| in_place(interp, args, BinaryOp::BitAnd);
    "__ior__" "(self, value, /)" "self |= value" |interp, args| in_place(interp, args, BinaryOp::BitOr);
    "__ixor__" "(self, value, /)" "self ^= value" |interp, args| in_place(interp, args, BinaryOp::BitXor);
};

/// Properties of arrays and scalars.
pub(crate) static PROPERTIES: &[NativeDef] = rows! {
    "shape" "(self)" "Extent of each dimension." |interp, args| {
        let shape = this(interp, args.get(0))?.shape();
        Ok(Value::tuple(shape.iter().map(|&extent| Value::from(extent))))
    };
    "dtype" "(self)" "Element type." |interp, args| Ok(dtype::value(this(interp, args.get(0))?.dtype()));
    "ndim" "(self)" "Number of dimensions." |interp, args| Ok(Value::from(this(interp, args.get(0))?.shape().rank()));
    "size" "(self)" "Number of elements." |interp, args| Ok(Value::from(this(interp, args.get(0))?.shape().size()));
    "itemsize" "(self)" "Bytes of one element." |interp, args| {
        Ok(Value::from(this(interp, args.get(0))?.dtype().size_bytes()))
    };
    "nbytes" "(self)" "Bytes of all elements." |interp, args| {
        let array = this(interp, args.get(0))?;
        Ok(Value::from(array.shape().size() * array.dtype().size_bytes()))
    };
    "strides" "(self)" "Bytes between neighbours along each dimension." |interp, args| {
        let array = this(interp, args.get(0))?;
        let bytes = array.dtype().size_bytes() as i64;
        Ok(Value::tuple(array.view().strides.iter().map(|&stride| Value::from(stride * bytes))))
    };
    "T" "(self)" "A view with the dimensions reversed." |interp, args| {
        let array = this(interp, args.get(0))?;
        let reversed: Vec<usize> = (0..array.shape().rank()).rev().collect();
        Ok(derived(args.get(0), array, array.view().transposed(&reversed)))
    };
    "mT" "(self)" "A view with the last two dimensions exchanged." |interp, args| {
        let array = this(interp, args.get(0))?;
        let rank = array.shape().rank();
        if rank < 2 {
            return Err(interp.value_error("matrix transpose with ndim < 2 is undefined"));
        }
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(rank - 2, rank - 1);
        Ok(derived(args.get(0), array, array.view().transposed(&order)))
    };
    "real" "(self)" "The real part: the array itself." |_interp, args| Ok(args.get(0).clone());
    "imag" "(self)" "The imaginary part: zeros." |interp, args| {
        let cx = Context::numpy(interp);
        let array = this(interp, args.get(0))?;
        let zero = primitive::full(&cx, &array.shape(), array.dtype(), Scalar::zero(array.dtype()))?;
        Ok(convert::value(&cx, zero))
    };
    "flat" "(self)" "An iterator over the elements." |interp, args| {
        let array = this(interp, args.get(0))?;
        let line = Shape::from([array.shape().size()]);
        let view = reshaped(&Context::numpy(interp), array, &line)?;
        interp.iter(&Value::object(NdArray::array(view)))
    };
    "flags" "(self)" "What may be done with the memory." super::flags::of;
    "base" "(self)" "The array whose memory this one shares." |interp, args| {
        Ok(this(interp, args.get(0))?.base.borrow().clone())
    };
};

/// The receiver.
pub(super) fn this<'v>(interp: &Interp, value: &'v Value) -> PyResult<&'v NdArray> {
    match value.downcast::<NdArray>() {
        Some(array) => Ok(array),
        None => Err(interp.type_error(format!(
            "descriptor requires a 'numpy.ndarray' object but received a '{}'",
            interp.type_name(value)
        ))),
    }
}

/// A view of the receiver: an array that has the receiver as its base, or for scalars a scalar.
fn derived(receiver: &Value, array: &NdArray, view: View) -> Value {
    if array.is_scalar() {
        return Value::object(NdArray::array_or_scalar(view));
    }
    Value::object(NdArray::derived(receiver, array, view))
}

/// `numpy.ndarray(shape, dtype)`: zeros, where numpy leaves what was in memory.
pub(super) fn construct(interp: &Interp, _class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let module = interp.import("numpy")?;
    let zeros = interp.get_attr(&module, "zeros")?;
    interp.call(&zeros, args)
}

/// Attributes that can be set: `shape`.
pub(super) fn set_attribute(array: &NdArray, name: &str, value: &Value, interp: &Interp) -> PyResult<bool> {
    if name != "shape" || array.is_scalar() {
        return Ok(false);
    }
    let cx = Context::numpy(interp);
    let shape = target_shape(&cx, value, array.shape().size())?;
    match array.view().reshaped(&shape) {
        Some(view) => {
            *array.view.borrow_mut() = view;
            Ok(true)
        }
        None => Err(interp.attribute_error(
            "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.",
        )),
    }
}

/// A shape argument in which one extent may be -1.
///
/// # Errors
/// `ValueError: cannot reshape array of size 3 into shape (2,2)`
fn target_shape(cx: &Context<'_>, value: &Value, size: usize) -> PyResult<Shape> {
    let given = call::int_sequence(cx, value)?;
    let known: i64 = given.iter().filter(|&&extent| extent >= 0).product();
    let fail = || {
        let text = |&extent: &i64| if extent < 0 { "newaxis".to_string() } else { extent.to_string() };
        let texts: Vec<String> = given.iter().map(text).collect();
        let comma = if texts.len() == 1 { "," } else { "" };
        cx.interp.value_error(format!("cannot reshape array of size {size} into shape ({}{comma})", texts.join(",")))
    };
    let unknown = given.iter().filter(|&&extent| extent < 0).count();
    if unknown > 1 {
        return Err(cx.interp.value_error("can only specify one unknown dimension"));
    }
    let rest = match (unknown, known) {
        (1, 0) => return Err(fail()),
        (1, known) => size as i64 / known,
        _ => 1,
    };
    let shape: Shape = given.iter().map(|&extent| if extent < 0 { rest } else { extent } as usize).collect();
    if shape.checked_size() == Some(size) { Ok(shape) } else { Err(fail()) }
}

/// The elements under another shape: a view where they are contiguous, else a copy.
fn reshaped(cx: &Context<'_>, array: &NdArray, shape: &Shape) -> PyResult<View> {
    let view = array.view();
    if let Some(view) = view.reshaped(shape) {
        return Ok(view);
    }
    own(cx, &view)?.reshaped(shape).ok_or_else(|| cx.interp.runtime_error("a copy is contiguous"))
}

/// A copy with a buffer of its own.
fn own(cx: &Context<'_>, view: &View) -> PyResult<View> {
    let array = view.to_array().map_err(|error| op_error(cx, &error))?;
    Ok(array.map_or_else(|| View::unknown(view.dtype(), view.shape.clone()), View::new))
}

/// `order='F'`: as `transpose`, then in C order.
fn is_fortran(order: &Value) -> bool {
    matches!(order, Value::Str(order) if &**order == "F")
}

fn fortran_view(array: &NdArray) -> View {
    let reversed: Vec<usize> = (0..array.shape().rank()).rev().collect();
    array.view().transposed(&reversed)
}

fn reshape(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let [this_value, shape, order, _copy] = args.take();
    let array = this(interp, &this_value)?;
    let shape = match &shape {
        Value::Tuple(items) if items.len() == 1 => items[0].clone(),
        shape => shape.clone(),
    };
    if let Some(unknown) = call::find_unknown(&shape, 2) {
        return Ok(unknown);
    }
    let shape = target_shape(&cx, &shape, array.shape().size())?;
    if is_fortran(&order) {
        let reversed: Shape = shape.iter().rev().copied().collect();
        let line = NdArray::array(own(&cx, &fortran_view(array))?);
        let result = NdArray::array(reshaped(&cx, &line, &reversed)?);
        return Ok(Value::object(NdArray::array(fortran_view(&result))));
    }
    Ok(view_or_copy(&this_value, array, reshaped(&cx, array, &shape)?))
}

/// An array over a view, with the receiver as its base unless the view has memory of its own.
fn view_or_copy(receiver: &Value, array: &NdArray, view: View) -> Value {
    if array.is_scalar() || !Rc::ptr_eq(&view.base, &array.view().base) {
        return Value::object(NdArray::array(view));
    }
    Value::object(NdArray::derived(receiver, array, view))
}

fn ravel(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let line = Shape::from([array.shape().size()]);
    let view = if is_fortran(args.get(1)) {
        let copy = NdArray::array(own(&cx, &fortran_view(array))?);
        reshaped(&cx, &copy, &line)?
    } else {
        reshaped(&cx, array, &line)?
    };
    Ok(view_or_copy(args.get(0), array, view))
}

fn flatten(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let source = if is_fortran(args.get(1)) { fortran_view(array) } else { array.view() };
    let copy = NdArray::array(own(&cx, &source)?);
    let line = Shape::from([array.shape().size()]);
    Ok(Value::object(NdArray::array(reshaped(&cx, &copy, &line)?)))
}

fn transpose(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let rank = array.shape().rank();
    let axes = match args.get(1) {
        Value::Tuple(items) if items.is_empty() => Value::None,
        Value::Tuple(items) if items.len() == 1 => items[0].clone(),
        axes => axes.clone(),
    };
    let order = match call::given(&axes) {
        None => (0..rank).rev().collect(),
        Some(axes) => {
            let given = call::int_sequence(&cx, axes)?;
            if given.len() != rank {
                return Err(interp.value_error("axes don't match array"));
            }
            given.iter().map(|&axis| convert::normalize_axis(&cx, axis, rank)).collect::<PyResult<Vec<_>>>()?
        }
    };
    let mut seen = order.clone();
    seen.sort_unstable();
    if seen.iter().enumerate().any(|(at, &axis)| at != axis) {
        return Err(interp.value_error("repeated axis in transpose"));
    }
    Ok(derived(args.get(0), array, array.view().transposed(&order)))
}

fn swapaxes(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let rank = array.shape().rank();
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(convert::axis(&cx, args.get(1), rank)?, convert::axis(&cx, args.get(2), rank)?);
    Ok(derived(args.get(0), array, array.view().transposed(&order)))
}

fn squeeze(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let shape = array.shape();
    let axes = match call::given(args.get(1)) {
        None => (0..shape.rank()).filter(|&axis| shape[axis] == 1).collect(),
        Some(axes) => convert::axes(&cx, axes, shape.rank())?,
    };
    if axes.iter().any(|&axis| shape[axis] != 1) {
        return Err(interp.value_error("cannot select an axis to squeeze out which has size not equal to one"));
    }
    Ok(derived(args.get(0), array, array.view().without(&axes)))
}

fn copy(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let array = this(interp, args.get(0))?;
    if array.is_scalar() {
        return Ok(args.get(0).clone());
    }
    Ok(Value::object(NdArray::array(own(&Context::numpy(interp), &array.view())?)))
}

fn astype(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let [this_value, target, _order, _casting, _subok, copy] = args.take();
    let array = this(interp, &this_value)?;
    if target.is_unknown() {
        return Ok(target);
    }
    let target = dtype::parse(&cx, &target)?;
    if target == array.dtype() && !call::flag(&cx, &copy)? {
        return Ok(this_value);
    }
    let tile = primitive::convert(&cx, &array.tile(&cx)?, target, false)?;
    Ok(if array.is_scalar() { super::value(tile) } else { super::array_value(tile) })
}

fn view(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let Some(target) = dtype::optional(&cx, args.get(1))?.filter(|&target| target != array.dtype()) else {
        return Ok(derived(args.get(0), array, array.view()));
    };
    let (from, to) = (array.dtype().size_bytes(), target.size_bytes());
    // Booleans are bytes of 0 and 1.
    let tile = match array.tile(&cx)? {
        tile if tile.dtype() == DType::Bool => primitive::convert(&cx, &tile, DType::U8, false)?,
        tile => tile,
    };
    if from == to {
        let result = match target {
            DType::Bool => crate::jnp::compose::as_bool(&cx, &tile)?,
            target => crate::jnp::compose::bitcast(&cx, &tile, target)?,
        };
        return Ok(if array.is_scalar() { super::value(result) } else { super::array_value(result) });
    }
    if target == DType::Bool {
        return Err(interp.type_error("Cannot view an array of a wider dtype as booleans"));
    }
    let last = array.shape().last().copied().unwrap_or(1) * from;
    if array.shape().rank() == 0 || last % to != 0 {
        return Err(interp.value_error(
            "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of \
             the array.",
        ));
    }
    // `bitcast_convert_type` moves the difference of sizes into (or out of) an innermost dimension.
    let mut shape = array.shape();
    let innermost = shape.rank() - 1;
    let result = if from > to {
        shape[innermost] = last / to;
        primitive::reshape(&cx, &crate::jnp::compose::bitcast(&cx, &tile, target)?, &shape)?
    } else {
        shape[innermost] = last / to;
        shape.push(to / from);
        crate::jnp::compose::bitcast(&cx, &primitive::reshape(&cx, &tile, &shape)?, target)?
    };
    Ok(super::array_value(result))
}

/// Nested lists of the elements from `offset` on.
fn nested(array: &pallas_tensor::Array, dims: &[usize], offset: usize) -> Value {
    match dims.split_first() {
        None => array.get(offset).map_or(Value::None, crate::text::python_scalar),
        Some((&extent, inner)) => {
            let step: usize = inner.iter().product();
            Value::list((0..extent).map(|at| nested(array, inner, offset + at * step)))
        }
    }
}

fn tolist(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    match this(interp, args.get(0))?.tile(&cx)? {
        Tile::Concrete { array, .. } => {
            interp.charge_bytes(array.size() as u128 * 24)?;
            Ok(nested(&array, array.shape(), 0))
        }
        _ => Ok(call::data_dependent(&cx, "tolist")),
    }
}

fn item(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let array = this(interp, args.get(0))?;
    let Value::Tuple(position) = args.get(1) else { return Ok(Value::None) };
    let Tile::Concrete { array: data, .. } = array.tile(&cx)? else {
        return Ok(call::data_dependent(&cx, "item"));
    };
    let scalar = match &position[..] {
        [] if data.size() == 1 => data.get(0),
        [] => return Err(interp.value_error("can only convert an array of size 1 to a Python scalar")),
        [at] if !matches!(at, Value::Tuple(_)) => {
            let at = interp.to_i64(at)?;
            let size = data.size() as i64;
            if !(-size..size).contains(&at) {
                return Err(interp.index_error(format!("index {at} is out of bounds for axis 0 with size {size}")));
            }
            data.get(at.rem_euclid(size) as usize)
        }
        position => {
            let key = match position {
                [key] => key.clone(),
                _ => Value::tuple(position.iter().cloned()),
            };
            let element = interp.get_item(args.get(0), &key)?;
            let Some(element) = element.downcast::<NdArray>().filter(|e| e.shape().rank() == 0) else {
                return Err(interp.value_error("incorrect number of indices for array"));
            };
            element.to_array(&cx)?.item()
        }
    };
    Ok(scalar.map_or(Value::None, crate::text::python_scalar))
}

fn fill(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let array = this(interp, args.get(0))?;
    array.assign(&Context::numpy(interp), &Value::Ellipsis, args.get(1))?;
    Ok(Value::None)
}

fn sort(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let array = this(interp, args.get(0))?;
    let module = interp.import("numpy")?;
    let function = interp.get_attr(&module, "sort")?;
    let sorted = interp.call_values(&function, [args.get(0).clone(), args.get(1).clone()])?;
    array.assign(&Context::numpy(interp), &Value::Ellipsis, &sorted)?;
    Ok(Value::None)
}

fn tobytes(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    let Tile::Concrete { array, .. } = this(interp, args.get(0))?.tile(&cx)? else {
        return Ok(call::data_dependent(&cx, "tobytes"));
    };
    // Booleans are bytes of 0 and 1.
    let array = match array.dtype() {
        DType::Bool => pallas_tensor::ops::convert(&array, DType::U8).map_err(|error| op_error(&cx, &error))?,
        _ => array,
    };
    let bytes = pallas_tensor::ops::bitcast_convert(&array, DType::U8).map_err(|error| op_error(&cx, &error))?;
    let bytes: &[u8] = bytes.elements::<u8>().unwrap_or_default();
    Ok(Value::Bytes(bytes.into()))
}

fn array_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::numpy(interp);
    match dtype::optional(&cx, args.get(1))? {
        Some(target) if target != this(interp, args.get(0))?.dtype() => {
            let tile = this(interp, args.get(0))?.tile(&cx)?;
            Ok(super::array_value(primitive::convert(&cx, &tile, target, false)?))
        }
        _ => Ok(args.get(0).clone()),
    }
}

/// The function of the module with the receiver and arguments of a method.
fn by_function(interp: &Interp, name: &str, args: Arguments) -> PyResult<Value> {
    let module = interp.import("numpy")?;
    let function = interp.get_attr(&module, name)?;
    interp.call_values(&function, args.values().iter().cloned())
}

fn round(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if call::given(args.get(1)).is_none() && this(interp, args.get(0))?.is_scalar() {
        let rounded = by_function(interp, "rint", Arguments::new([args.get(0).clone()].into_iter().collect()))?;
        return interp.to_f64(&rounded).and_then(|value| {
            let number = num_bigint::BigInt::from(value as i128);
            i64::try_from(number.clone()).map_or_else(|_| Ok(Value::int(number)), |small| Ok(Value::from(small)))
        });
    }
    let digits = call::given(args.get(1)).cloned().unwrap_or(Value::from(0i64));
    by_function(interp, "round", Arguments::new([args.get(0).clone(), digits].into_iter().collect()))
}

fn divmod(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let quotient = interp.binary(BinaryOp::FloorDiv, args.get(0), args.get(1))?;
    let rest = interp.binary(BinaryOp::Mod, args.get(0), args.get(1))?;
    Ok(Value::tuple([quotient, rest]))
}

fn in_place(interp: &Interp, args: Arguments, op: BinaryOp) -> PyResult<Value> {
    let [receiver, other] = args.take();
    let cx = Context { rules: Rules::Numpy, ..Context::numpy(interp) };
    if other.is_unknown() {
        this(interp, &receiver)?.view().forget();
        return Ok(receiver);
    }
    this(interp, &receiver)?.update(&cx, &receiver, op, &other)
}
