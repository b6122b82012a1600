//! Dtypes as Python values: `np.dtype` objects, the scalar types (`jnp.float32`, `np.int64`), the abstract kinds
//! (`jnp.floating`), and what may be written where a dtype is expected.

mod named;

use crate::context::{Context, Rules};
use crate::convert;
use crate::primitive;
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{CompareOp, Name};
use pallas_tensor::{DType, Kind};
use std::rc::Rc;

/// `np.dtype('float32')`
pub struct DTypeObject(pub DType);

static DTYPE_CLASS: NativeClass = NativeClass {
    name: "dtype",
    module: "numpy",
    doc: "The type of an array's elements.",
    methods: &[NativeDef {
        name: "newbyteorder",
        signature: "(self, new_order='S')",
        doc: "The same dtype; only native byte order exists here.",
        run: |_interp, args| Ok(args.get(0).clone()),
    }],
    properties: &[],
    construct: Some(|interp, _class, args| {
        let args = crate::support::bind(interp, &DTYPE_DEF, args)?;
        (DTYPE_DEF.run)(interp, args)
    }),
    instance_check: None,
};

static DTYPE_DEF: NativeDef = NativeDef {
    name: "dtype",
    signature: "(dtype, align=False, copy=False)",
    doc: "The type of an array's elements.",
    run: |interp, args: Arguments| {
        if let Some(named) = named::object(args.get(0)) {
            return Ok(named);
        }
        let dtype = parse(&Context::numpy(interp), args.get(0))?;
        Ok(value(dtype))
    },
};

macro_rules! scalar_types {
    ($($jax:ident $numpy:ident $name:literal)*) => {
        $(
            static $jax: NativeClass = scalar_class($name, "jax.numpy");
            static $numpy: NativeClass = scalar_class($name, numpy_module($name));
        )*
        /// (name, JAX's class, numpy's class)
        static SCALAR_TYPES: &[(&str, &NativeClass, &NativeClass)] = &[$(($name, &$jax, &$numpy)),*];
    };
}

/// The package that numpy's scalar type of this name comes from.
const fn numpy_module(name: &str) -> &'static str {
    let name = name.as_bytes();
    let small_float = name.len() > 6 && name[6] == b'_';
    let small_integer = matches!(name, b"int2" | b"int4" | b"uint2" | b"uint4");
    if small_float || small_integer || name[0] == b'b' && name[1] == b'f' { "ml_dtypes" } else { "numpy" }
}

/// `ml_dtypes`: the scalar types that numpy lacks.
pub static ML_DTYPES: ModuleDef = ModuleDef {
    name: "ml_dtypes",
    doc: "Scalar types of small floats and integers for numpy.",
    functions: &[],
    populate: |interp, namespace| {
        for (name, _, table) in SCALAR_TYPES {
            if let (Some(dtype), "ml_dtypes") = (DType::parse(name), table.module) {
                namespace.insert(Name::from(*name), Value::Class(numpy_class(interp, dtype, table)));
            }
        }
        for (name, class) in named::exports(interp, Rules::Numpy, "ml_dtypes") {
            namespace.insert(Name::from(name), class);
        }
        let limits = [("finfo", "finfo"), ("iinfo", "iinfo")];
        crate::python_types::share(interp, namespace, "jax.numpy", &limits);
    },
};

const fn scalar_class(name: &'static str, module: &'static str) -> NativeClass {
    NativeClass {
        name,
        module,
        doc: "The type of scalars; as a dtype it names that element type.",
        methods: &[],
        properties: &[],
        construct: Some(construct_scalar),
        instance_check: None,
    }
}

scalar_types! {
    JAX_BOOL NUMPY_BOOL "bool"
    JAX_INT4 NUMPY_INT4 "int4"
    JAX_INT8 NUMPY_INT8 "int8"
    JAX_INT16 NUMPY_INT16 "int16"
    JAX_INT32 NUMPY_INT32 "int32"
    JAX_INT64 NUMPY_INT64 "int64"
    JAX_UINT4 NUMPY_UINT4 "uint4"
    JAX_UINT8 NUMPY_UINT8 "uint8"
    JAX_UINT16 NUMPY_UINT16 "uint16"
    JAX_UINT32 NUMPY_UINT32 "uint32"
    JAX_UINT64 NUMPY_UINT64 "uint64"
    JAX_F8E4M3FN NUMPY_F8E4M3FN "float8_e4m3fn"
    JAX_F8E5M2 NUMPY_F8E5M2 "float8_e5m2"
    JAX_F8E4M3B11FNUZ NUMPY_F8E4M3B11FNUZ "float8_e4m3b11fnuz"
    JAX_F8E4M3FNUZ NUMPY_F8E4M3FNUZ "float8_e4m3fnuz"
    JAX_F8E5M2FNUZ NUMPY_F8E5M2FNUZ "float8_e5m2fnuz"
    JAX_INT2 NUMPY_INT2 "int2"
    JAX_UINT2 NUMPY_UINT2 "uint2"
    JAX_F8E3M4 NUMPY_F8E3M4 "float8_e3m4"
    JAX_F8E4M3 NUMPY_F8E4M3 "float8_e4m3"
    JAX_F8E8M0FNU NUMPY_F8E8M0FNU "float8_e8m0fnu"
    JAX_F4E2M1FN NUMPY_F4E2M1FN "float4_e2m1fn"
    JAX_BFLOAT16 NUMPY_BFLOAT16 "bfloat16"
    JAX_FLOAT16 NUMPY_FLOAT16 "float16"
    JAX_FLOAT32 NUMPY_FLOAT32 "float32"
    JAX_FLOAT64 NUMPY_FLOAT64 "float64"
}

/// `np.generic`: what every numpy scalar is, with the methods that scalars share with arrays.
static GENERIC: NativeClass = NativeClass {
    name: "generic",
    module: "numpy",
    doc: "The base of numpy's scalar types.",
    methods: crate::numpy::METHODS,
    properties: crate::numpy::PROPERTIES,
    construct: None,
    instance_check: None,
};

macro_rules! abstract_types {
    ($($id:ident $name:literal)*) => {
        $(static $id: NativeClass = NativeClass {
            name: $name,
            module: "numpy",
            doc: "An abstract kind of scalar type.",
            methods: &[],
            properties: &[],
            construct: None,
            instance_check: None,
        };)*
        /// Abstract kinds, most general first.
        static ABSTRACT_TYPES: &[&NativeClass] = &[&GENERIC, $(&$id),*];
    };
}

abstract_types! {
    NUMBER "number"
    INTEGER "integer"
    SIGNED_INTEGER "signedinteger"
    UNSIGNED_INTEGER "unsignedinteger"
    INEXACT "inexact"
    FLOATING "floating"
    COMPLEX_FLOATING "complexfloating"
    EXTENDED "extended"
    PRNG_KEY "prng_key"
}

/// Names under which scalar types stand in modules besides their own.
const ALIASES: &[(&str, &str)] = &[
    ("bool_", "bool"),
    ("int_", "int64"),
    ("float_", "float64"),
    ("single", "float32"),
    ("double", "float64"),
    ("half", "float16"),
    ("intc", "int32"),
    ("uint", "uint64"),
    ("csingle", "complex64"),
    ("cdouble", "complex128"),
];

/// A dtype as a value.
pub fn value(dtype: DType) -> Value {
    Value::object(DTypeObject(dtype))
}

/// The scalar type of a dtype: `np.float32`.
pub fn scalar_type(interp: &Interp, dtype: DType, rules: Rules) -> Rc<Class> {
    let row = SCALAR_TYPES.iter().find(|(name, ..)| *name == dtype.name());
    match (row, rules) {
        (Some((_, jax, _)), Rules::Jax) => interp.native_class(jax),
        (Some((_, _, numpy)), Rules::Numpy) => numpy_class(interp, dtype, numpy),
        (None, _) => abstract_class(interp, &PRNG_KEY),
    }
}

/// An abstract kind with its bases: `floating` is `inexact`, `inexact` is `number`, `number` is `generic`.
fn abstract_class(interp: &Interp, table: &'static NativeClass) -> Rc<Class> {
    let base = match table.name {
        "generic" => return interp.native_class(table),
        "number" | "extended" => &GENERIC,
        "integer" | "inexact" => &NUMBER,
        "signedinteger" | "unsignedinteger" => &INTEGER,
        "floating" | "complexfloating" => &INEXACT,
        _ => &EXTENDED,
    };
    let base = abstract_class(interp, base);
    interp.native_class_with(table, &[base])
}

/// A numpy scalar type with its bases; `np.float64` is a Python `float`, too.
fn numpy_class(interp: &Interp, dtype: DType, table: &'static NativeClass) -> Rc<Class> {
    let plain = matches!(dtype, DType::F16 | DType::F32 | DType::F64);
    let kind = match dtype.kind() {
        Kind::Signed if dtype.is_numpy() => &SIGNED_INTEGER,
        Kind::Unsigned if dtype.is_numpy() => &UNSIGNED_INTEGER,
        Kind::Float if plain => &FLOATING,
        _ => &GENERIC,
    };
    let mut bases = vec![abstract_class(interp, kind)];
    if dtype == DType::F64 {
        bases.push(Rc::clone(&interp.types().float));
    }
    interp.native_class_with(table, &bases)
}

/// Scalar types and abstract kinds for the namespace of `jax.numpy` or `numpy`.
pub fn exports(interp: &Interp, rules: Rules) -> Vec<(&'static str, Value)> {
    let mut exports: Vec<(&'static str, Value)> = Vec::new();
    for (name, jax, numpy) in SCALAR_TYPES {
        let extra = DType::parse(name).is_some_and(|dtype| !dtype.is_numpy());
        if rules == Rules::Jax || !extra {
            let class = match (rules, DType::parse(name)) {
                (Rules::Numpy, Some(dtype)) => numpy_class(interp, dtype, numpy),
                _ => interp.native_class(jax),
            };
            // `jnp.float32.dtype`: the scalar types of JAX say which dtype they make.
            if let (Rules::Jax, Some(dtype)) = (rules, DType::parse(name)) {
                class.namespace.borrow_mut().insert("dtype".into(), value(dtype));
            }
            exports.push((name, Value::Class(class)));
        }
    }
    exports.extend(named::exports(interp, rules, "numpy"));
    for (alias, name) in ALIASES {
        if let Some((_, class)) = exports.iter().find(|(n, _)| n == name) {
            let class = class.clone();
            exports.push((alias, class));
        }
    }
    for class in ABSTRACT_TYPES {
        exports.push((class.name, Value::Class(abstract_class(interp, class))));
    }
    exports.push(("dtype", Value::Class(interp.native_class(&DTYPE_CLASS))));
    exports
}

/// What is written where a dtype is expected: dtype objects, scalar types, names, `int`, `float`, `bool`.
///
/// # Errors
/// numpy's `TypeError` for anything else.
pub fn parse(cx: &Context<'_>, given: &Value) -> PyResult<DType> {
    let interp = cx.interp;
    if let Some(dtype) = try_parse(cx, given)? {
        return Ok(dtype);
    }
    if let Some(refused) = named::refused(interp, given) {
        return Err(refused);
    }
    let shown = interp.repr(given)?;
    Err(match given {
        Value::Str(name) => interp.type_error(format!("data type '{name}' not understood")),
        _ => interp.type_error(format!("Cannot interpret '{shown}' as a data type")),
    })
}

/// As [`parse`], with JAX's 64-bit rule applied.
pub fn parse_canonical(cx: &Context<'_>, given: &Value) -> PyResult<DType> {
    parse(cx, given).map(|dtype| pallas_tensor::canonicalize(dtype, cx.x64()))
}

/// As [`parse_canonical`]; `None` for `None`.
pub fn optional(cx: &Context<'_>, given: &Value) -> PyResult<Option<DType>> {
    match given {
        Value::None | Value::Unset => Ok(None),
        given => parse_canonical(cx, given).map(Some),
    }
}

/// The dtype that a value names, if it names one.
pub fn try_parse(cx: &Context<'_>, given: &Value) -> PyResult<Option<DType>> {
    let interp = cx.interp;
    Ok(match given {
        Value::Str(name) => DType::parse(name),
        Value::Class(class) => {
            let types = interp.types();
            if Rc::ptr_eq(class, &types.int) {
                Some(DType::I64)
            } else if Rc::ptr_eq(class, &types.float) {
                Some(DType::F64)
            } else if Rc::ptr_eq(class, &types.bool) {
                Some(DType::Bool)
            } else if SCALAR_TYPES.iter().any(|(name, ..)| **name == *class.name) {
                DType::parse(&class.name)
            } else {
                None
            }
        }
        Value::Object(_) => match given.downcast::<DTypeObject>() {
            Some(object) => Some(object.0),
            None => match interp.find_attr(given, "dtype")? {
                Some(inner) => inner.downcast::<DTypeObject>().map(|object| object.0),
                None => None,
            },
        },
        Value::Instance(_) => match interp.find_attr(given, "dtype")? {
            Some(inner) => inner.downcast::<DTypeObject>().map(|object| object.0),
            None => None,
        },
        _ => None,
    })
}

/// The abstract kind that a class names.
pub fn abstract_kind(class: &Class) -> Option<&'static str> {
    ABSTRACT_TYPES.iter().find(|a| *a.name == *class.name && *a.module == *class.module).map(|a| a.name)
}

/// `issubdtype(dtype, kind)` for an abstract kind.
pub fn is_subtype(dtype: DType, kind: &str) -> bool {
    match kind {
        "generic" => true,
        "number" => !matches!(dtype.kind(), Kind::Bool | Kind::Key),
        "integer" => dtype.is_integer(),
        "signedinteger" => dtype.kind() == Kind::Signed,
        "unsignedinteger" => dtype.kind() == Kind::Unsigned,
        "inexact" | "floating" => dtype.is_float(),
        "extended" | "prng_key" => dtype.kind() == Kind::Key,
        _ => false,
    }
}

/// `jnp.float32(x)`: an array under JAX, a numpy scalar under numpy.
fn construct_scalar(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let rules = if &*class.module == "jax.numpy" { Rules::Jax } else { Rules::Numpy };
    let cx = Context { rules, ..Context::jax(interp) };
    let Some(dtype) = DType::parse(&class.name) else {
        return Err(interp.type_error(format!("cannot create '{}' instances", class.name)));
    };
    let dtype = pallas_tensor::canonicalize(dtype, cx.x64());
    let given = args.positional.first().cloned().unwrap_or(Value::from(0i64));
    let tile = crate::jnp::creation::array_from(&cx, &given, Some(dtype))?;
    let tile = primitive::convert(&cx, &tile, dtype, false)?;
    Ok(convert::value(&cx, tile))
}

impl Object for DTypeObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&DTYPE_CLASS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["name", "itemsize", "kind", "char", "type", "str", "shape", "ndim", "names", "byteorder", "isnative"]
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let dtype = self.0;
        let kind = match dtype.kind() {
            Kind::Bool => "b",
            Kind::Signed if dtype.is_numpy() => "i",
            Kind::Unsigned if dtype.is_numpy() => "u",
            // ml_dtypes registers float8_e5m2 as a float of numpy, and its other types as void.
            Kind::Float if matches!(dtype, DType::F8E5M2 | DType::F16 | DType::F32 | DType::F64) => "f",
            _ => "V",
        };
        Ok(match name {
            "name" => Some(Value::from(dtype.name())),
            "itemsize" => Some(Value::from(dtype.size_bytes())),
            "kind" => Some(Value::from(kind)),
            "type" => Some(Value::Class(scalar_type(interp, dtype, Rules::Numpy))),
            "str" => Some(Value::from(format!("<{kind}{}", dtype.size_bytes()))),
            "shape" => Some(Value::tuple([])),
            "ndim" => Some(Value::from(0i64)),
            "names" => Some(Value::None),
            "isnative" => Some(Value::Bool(true)),
            "byteorder" => Some(Value::from(if dtype.size_bytes() == 1 { "|" } else { "=" })),
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let equal = match other {
            Value::None => false,
            other => try_parse(&Context::numpy(interp), other)? == Some(self.0),
        };
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(0x6474_7970_6500 + self.0 as u64))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let native = self.0.is_numpy();
        let name = self.0.name();
        Ok(Some(match self.0 {
            DType::Key => name.to_string(),
            _ if native => format!("dtype('{name}')"),
            _ => format!("dtype({name})"),
        }))
    }

    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.0.name().to_string()))
    }

    fn format(&self, _this: &Value, spec: &str, interp: &Interp) -> PyResult<Option<String>> {
        interp.format(&Value::from(self.0.name()), spec).map(Some)
    }

    fn summary(&self, _interp: &Interp) -> Option<String> {
        Some(self.0.name().to_string())
    }
}
