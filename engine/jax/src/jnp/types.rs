//! Questions about dtypes: `finfo`, `iinfo`, `issubdtype`, `result_type`, `promote_types`. The dtypes themselves are in
//! [`crate::dtype`].

use super::call::{self, functions, given, operand};
use crate::context::{Context, Rules};
use crate::convert;
use crate::dtype;
use crate::primitive as p;
use crate::tile::Tile;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_tensor::{Array, Casting, DType, FloatInfo, IntInfo, Kind, Scalar};
use std::rc::Rc;

functions! { JAX_ROWS NUMPY_ROWS
    "issubdtype" "(arg1, arg2)" "Whether a dtype is of a kind." issubdtype;
    "isdtype" "(dtype, kind)" "Whether a dtype is of a kind, given by name." isdtype;
    "result_type" "(*args)" "The dtype that operands promote to." result_type;
    "promote_types" "(a, b)" "The dtype that two dtypes promote to." promote_types;
    "can_cast" "(from_, to, casting='safe')" "Whether a cast loses nothing." can_cast;
    "iscomplexobj" "(x)" "Whether the dtype is complex." |_cx, _args| Ok(Value::Bool(false));
    "isrealobj" "(x)" "Whether the dtype is not complex." |_cx, _args| Ok(Value::Bool(true));
    "isscalar" "(element)" "Whether a value is a scalar." isscalar;
    "astype" "(x, dtype, /, *, copy=False, device=None)" "An array in another dtype." astype;
}

/// What a class or dtype stands for in the tree of kinds.
enum Node {
    /// A dtype.
    Concrete(DType),
    /// An abstract kind, by name.
    Abstract(&'static str),
}

fn node(cx: &Context<'_>, value: &Value) -> PyResult<Node> {
    if let Value::Class(class) = value {
        if let Some(name) = dtype::abstract_kind(class) {
            return Ok(Node::Abstract(name));
        }
        let types = cx.interp.types();
        if Rc::ptr_eq(class, &types.float) {
            return Ok(Node::Concrete(DType::F64));
        }
    }
    dtype::parse(cx, value).map(Node::Concrete)
}

fn issubdtype(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let first = node(cx, args.get(0))?;
    let second = node(cx, args.get(1))?;
    Ok(Value::Bool(match (first, second) {
        (Node::Concrete(dtype), Node::Abstract(kind)) => dtype::is_subtype(dtype, kind),
        (Node::Concrete(a), Node::Concrete(b)) => a == b,
        (Node::Abstract(a), Node::Abstract(b)) => is_subkind(a, b),
        (Node::Abstract(_), Node::Concrete(_)) => false,
    }))
}

/// numpy's tree of scalar types: the parent of each abstract kind.
static PARENTS: &[(&str, &str)] = &[
    ("signedinteger", "integer"),
    ("unsignedinteger", "integer"),
    ("integer", "number"),
    ("floating", "inexact"),
    ("complexfloating", "inexact"),
    ("inexact", "number"),
    ("number", "generic"),
    ("prng_key", "extended"),
    ("extended", "generic"),
];

fn is_subkind(kind: &str, ancestor: &str) -> bool {
    kind == ancestor
        || PARENTS.iter().find(|(child, _)| *child == kind).is_some_and(|(_, parent)| is_subkind(parent, ancestor))
}

fn isdtype(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let dtype = dtype::parse(cx, args.get(0))?;
    let kinds = match args.get(1) {
        Value::Tuple(items) => items.to_vec(),
        kind => vec![kind.clone()],
    };
    for kind in &kinds {
        let holds = match kind {
            Value::Str(name) => match &**name {
                "bool" => dtype == DType::Bool,
                "signed integer" => dtype.kind() == Kind::Signed,
                "unsigned integer" => dtype.kind() == Kind::Unsigned,
                "integral" => dtype.is_integer(),
                "real floating" => dtype.is_float(),
                "complex floating" => false,
                "numeric" => dtype.is_integer() || dtype.is_float(),
                other => {
                    let message = format!(
                        "Unrecognized kind='{other}' expected one of ['bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating', 'numeric']"
                    );
                    return Err(cx.interp.value_error(message));
                }
            },
            other => dtype::parse(cx, other)? == dtype,
        };
        if holds {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// An operand of a promotion: an array, a number (weak), or something that names a dtype.
fn typed(cx: &Context<'_>, value: &Value) -> PyResult<Tile> {
    if let Value::Class(class) = value {
        let types = cx.interp.types();
        // Python's own types are weak, as their values are.
        let weak = if Rc::ptr_eq(class, &types.int) {
            Some(convert::default_int(cx))
        } else if Rc::ptr_eq(class, &types.float) {
            Some(convert::default_float(cx))
        } else {
            None
        };
        if let (Some(dtype), Rules::Jax) = (weak, cx.rules) {
            return Ok(Tile::Concrete { array: Array::scalar(dtype, Scalar::Int(0)), weak: true });
        }
    }
    if !matches!(value, Value::Str(_))
        && let Some(tile) = call::try_operand(cx, value)?
    {
        return Ok(tile);
    }
    let dtype = dtype::parse_canonical(cx, value)?;
    Ok(Tile::concrete(Array::scalar(dtype, Scalar::Int(0))))
}

fn result_type(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let values = cx.interp.collect(args.get(0))?;
    if values.is_empty() {
        return Err(cx.interp.value_error("at least one array or dtype is required"));
    }
    let tiles = values.iter().map(|value| typed(cx, value)).collect::<PyResult<Vec<_>>>()?;
    let (dtype, _) = convert::common_dtype(cx, &tiles.iter().collect::<Vec<_>>())?;
    Ok(dtype::value(dtype))
}

fn promote_types(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (a, b) = (typed(cx, args.get(0))?, typed(cx, args.get(1))?);
    let (dtype, _) = convert::common_dtype(cx, &[&a, &b])?;
    Ok(dtype::value(dtype))
}

fn can_cast(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let (from, to) = (dtype::parse(cx, args.get(0))?, dtype::parse(cx, args.get(1))?);
    let casting = match &*cx.interp.to_str(args.get(2))? {
        "unsafe" => Casting::Unsafe,
        "no" | "equiv" => Casting::Equiv,
        "same_kind" => Casting::SameKind,
        _ => Casting::Safe,
    };
    Ok(Value::Bool(pallas_tensor::can_cast(from, to, casting)))
}

fn isscalar(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let value = args.get(0);
    if matches!(
        value,
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Complex(..) | Value::Str(_) | Value::Bytes(_)
    ) {
        return Ok(Value::Bool(true));
    }
    if let Some(array) = value.downcast::<crate::numpy::NdArray>() {
        return Ok(Value::Bool(array.is_scalar() || cx.rules == Rules::Jax && array.shape().is_empty()));
    }
    let rank = crate::refs::array_tile(value).map(Tile::rank);
    Ok(Value::Bool(cx.rules == Rules::Jax && rank == Some(0)))
}

/// `x.astype(dtype)`: the default float for `None`.
pub fn astype_of(cx: &Context<'_>, x: &Tile, dtype: &Value) -> PyResult<Tile> {
    let dtype = match given(dtype) {
        Some(dtype) => dtype::parse_canonical(cx, dtype)?,
        None => convert::default_float(cx),
    };
    if x.dtype().is_float() && dtype == DType::Bool {
        return super::compose::as_bool(cx, x);
    }
    p::convert(cx, x, dtype, false)
}

fn astype(cx: &Context<'_>, args: Arguments) -> PyResult<Value> {
    let x = operand(cx, args.get(0), "astype")?;
    call::result(cx, astype_of(cx, &x, args.get(1))?)
}

/// `finfo` or `iinfo` of a dtype.
enum Limits {
    Float(FloatInfo),
    Int(IntInfo),
}

static FLOAT_LIMITS: NativeClass = NativeClass {
    name: "finfo",
    module: "ml_dtypes._finfo",
    doc: "Limits of a float dtype.",
    methods: &[],
    properties: &[],
    construct: Some(|interp, _class, args| {
        let args = crate::support::bind(interp, &FINFO, args)?;
        (FINFO.run)(interp, args)
    }),
    instance_check: None,
};

static INT_LIMITS: NativeClass = NativeClass {
    name: "iinfo",
    module: "ml_dtypes._iinfo",
    doc: "Limits of an integer dtype.",
    methods: &[],
    properties: &[],
    construct: Some(|interp, _class, args| {
        let args = crate::support::bind(interp, &IINFO, args)?;
        (IINFO.run)(interp, args)
    }),
    instance_check: None,
};

static FINFO: NativeDef = NativeDef {
    name: "finfo",
    signature: "(dtype)",
    doc: "Limits of a float dtype.",
    run: |interp, args| {
        let cx = Context::numpy(interp);
        if let Value::Unknown(_) = args.get(0) {
            return Ok(args.get(0).clone());
        }
        let dtype = limited(&cx, args.get(0))?;
        match dtype.finfo() {
            Some(info) => Ok(Value::object(Limits::Float(info))),
            None => {
                let class = dtype::scalar_type(interp, dtype, Rules::Numpy);
                let shown = interp.repr(&Value::Class(class))?;
                Err(interp.value_error(format!("data type {shown} not inexact")))
            }
        }
    },
};

static IINFO: NativeDef = NativeDef {
    name: "iinfo",
    signature: "(type)",
    doc: "Limits of an integer dtype.",
    run: |interp, args| {
        let cx = Context::numpy(interp);
        if let Value::Unknown(_) = args.get(0) {
            return Ok(args.get(0).clone());
        }
        let dtype = limited(&cx, args.get(0))?;
        match dtype.iinfo() {
            Some(info) => Ok(Value::object(Limits::Int(info))),
            None => {
                let kind = match dtype {
                    DType::Bool => "b",
                    dtype if dtype.is_numpy() || dtype == DType::F8E5M2 => "f",
                    _ => "V",
                };
                Err(interp.value_error(format!("Invalid integer data type '{kind}'.")))
            }
        }
    },
};

/// The dtype that is named, or that a number or array has.
fn limited(cx: &Context<'_>, value: &Value) -> PyResult<DType> {
    match dtype::try_parse(cx, value)? {
        Some(dtype) => Ok(dtype),
        None => match call::try_operand(cx, value)? {
            Some(tile) if !matches!(value, Value::List(_) | Value::Tuple(_)) => Ok(tile.dtype()),
            _ => dtype::parse(cx, value),
        },
    }
}

/// The classes `finfo` and `iinfo`.
pub fn classes(interp: &Interp) -> [(&'static str, Value); 2] {
    [
        ("finfo", Value::Class(interp.native_class(&FLOAT_LIMITS))),
        ("iinfo", Value::Class(interp.native_class(&INT_LIMITS))),
    ]
}

/// A numpy scalar of a dtype.
fn scalar(dtype: DType, value: f64) -> Value {
    crate::numpy::value(Tile::concrete(Array::scalar(dtype, Scalar::Float(value))))
}

/// The text of a scalar inside `finfo(...)`.
fn scalar_text(dtype: DType, value: f64) -> String {
    pallas_tensor::print::scalar_str(
        dtype,
        Array::scalar(dtype, Scalar::Float(value)).get(0).unwrap_or(Scalar::Float(value)),
    )
}

/// `10 ** -precision`, as the dtype rounds it.
fn resolution(info: &FloatInfo) -> f64 {
    10f64.powi(-(info.precision as i32))
}

impl Object for Limits {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(match self {
            Limits::Float(_) => &FLOAT_LIMITS,
            Limits::Int(_) => &INT_LIMITS,
        })
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        match self {
            Limits::Float(_) => vec![
                "bits",
                "dtype",
                "eps",
                "epsneg",
                "iexp",
                "machep",
                "max",
                "maxexp",
                "min",
                "minexp",
                "negep",
                "nexp",
                "nmant",
                "precision",
                "resolution",
                "smallest_normal",
                "smallest_subnormal",
                "tiny",
            ],
            Limits::Int(_) => vec!["bits", "dtype", "kind", "max", "min"],
        }
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match self {
            Limits::Float(info) => {
                let float = |value: f64| Some(scalar(info.dtype, value));
                let int = |value: i64| Some(Value::from(value));
                match name {
                    "bits" => int(info.bits.into()),
                    "dtype" => Some(dtype::value(info.dtype)),
                    "eps" => float(info.eps),
                    "epsneg" => float(info.epsneg),
                    "max" => float(info.max),
                    "min" => float(info.min),
                    "tiny" | "smallest_normal" => float(info.tiny),
                    "smallest_subnormal" => float(info.smallest_subnormal),
                    "resolution" => float(resolution(info)),
                    "precision" => int(info.precision.into()),
                    "nmant" => int(info.nmant.into()),
                    "nexp" | "iexp" => int(info.nexp.into()),
                    "minexp" => int(info.minexp.into()),
                    "maxexp" => int(info.maxexp.into()),
                    "machep" => int(-i64::from(info.nmant)),
                    "negep" => int(-i64::from(info.nmant) - 1),
                    _ => None,
                }
            }
            Limits::Int(info) => match name {
                "bits" => Some(Value::from(i64::from(info.bits))),
                "dtype" => Some(dtype::value(info.dtype)),
                "kind" => Some(Value::from(if info.dtype.is_signed() { "i" } else { "u" })),
                "min" => Some(crate::text::python_scalar(Scalar::Int(info.min))),
                "max" => Some(crate::text::python_scalar(Scalar::Int(info.max))),
                _ => None,
            },
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(match self {
            Limits::Float(info) => {
                let text = |value: f64| scalar_text(info.dtype, value);
                format!(
                    "finfo(resolution={}, min={}, max={}, dtype={})",
                    text(resolution(info)),
                    text(info.min),
                    text(info.max),
                    info.dtype.name()
                )
            }
            Limits::Int(info) => format!("iinfo(min={}, max={}, dtype={})", info.min, info.max, info.dtype.name()),
        }))
    }

    fn str(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let Limits::Float(info) = self else { return self.repr(this, interp) };
        let text = |value: f64| scalar_text(info.dtype, value);
        let line = "-".repeat(63);
        Ok(Some(format!(
            "Machine parameters for {}\n{line}\nprecision = {}   resolution = {}\nmachep = {}   eps =        {}\n\
             negep =  {}   epsneg =     {}\nminexp = {}   tiny =       {}\nmaxexp = {}   max =        {}\n\
             nexp =   {}   min =        -max\nsmallest_normal = {}   smallest_subnormal = {}\n{line}\n",
            info.dtype.name(),
            info.precision,
            text(resolution(info)),
            -i64::from(info.nmant),
            text(info.eps),
            -i64::from(info.nmant) - 1,
            text(info.epsneg),
            info.minexp,
            text(info.tiny),
            info.maxexp,
            text(info.max),
            info.nexp,
            text(info.tiny),
            text(info.smallest_subnormal),
        )))
    }
}
