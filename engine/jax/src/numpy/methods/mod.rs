//! Methods and properties of `numpy.ndarray` and of numpy's scalars: those that give views or write in place. Methods that
//! numpy also has as functions (`x.sum()`) are taken from the module.

mod arithmetic;
mod elements;
mod shape;

use self::arithmetic::{by_function, divmod, fill, in_place, round, sort};
use self::elements::{array_method, astype, copy, item, tobytes, tolist, view};
use self::shape::{flatten, ravel, reshape, reshaped, squeeze, swapaxes, target_shape, transpose};
use super::array::NdArray;
use super::view::View;
use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::primitive;
use pallas_python::CallArgs;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::BinaryOp;
use pallas_tensor::{Scalar, Shape};
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
