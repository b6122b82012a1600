//! `jax.ShapeDtypeStruct` and `jax.core.ShapedArray`: a shape and a dtype without data, as programs declare it and as
//! `jax.typeof` answers it.

use super::struct_subclass;
use crate::context::Context;
use crate::convert;
use crate::dtype;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use pallas_tensor::{DType, Shape};
use std::rc::Rc;

/// A shape and a dtype.
pub(super) struct ShapeDtypeStruct {
    /// The shape.
    pub(super) shape: Shape,
    /// The dtype.
    pub(super) dtype: DType,
    /// Whether the dtype is weak.
    pub(super) weak: bool,
    /// Whether it is a `ShapedArray`: the type of a value.
    pub(super) is_type: bool,
    /// Whether it says along which axes of a mesh the value varies.
    pub(super) varies: bool,
}

static CLASS: NativeClass = NativeClass {
    name: "ShapeDtypeStruct",
    module: "jax",
    doc: "A shape and a dtype without data.",
    methods: &[
        NativeDef { name: "update", signature: "(self, **kwargs)", doc: "The same with other parts.", run: update },
        NativeDef { name: "like", signature: "(cls, x)", doc: "The shape and dtype of an array.", run: like },
        struct_subclass::INIT,
        struct_subclass::EQ,
        struct_subclass::HASH,
        struct_subclass::REPR,
        struct_subclass::STR,
    ],
    properties: &struct_subclass::PROPERTIES,
    construct: Some(|interp, class, args| {
        if !Rc::ptr_eq(class, &interp.native_class(&CLASS)) {
            return Ok(struct_subclass::instance(class));
        }
        let args = crate::support::bind(interp, &DEF, args)?;
        make(interp, args)
    }),
    instance_check: None,
};

/// `jax.core.ShapedArray`
static TYPE_CLASS: NativeClass = NativeClass {
    name: "ShapedArray",
    module: "jax._src.core",
    doc: "The type of an array.",
    methods: &[
        NativeDef { name: "update", signature: "(self, **kwargs)", doc: "The same with other parts.", run: update },
        NativeDef {
            name: "str_short",
            signature: "(self, short_dtypes=False, mesh_axis_types=False)",
            doc: "The type as text: `float32[8,128]`.",
            run: |interp, args| {
                let [this, short, _] = args.take();
                match this.downcast::<ShapeDtypeStruct>() {
                    Some(ty) if interp.truth(&short)? => Ok(Value::from(ty.tensor().to_string())),
                    Some(ty) => Ok(Value::from(ty.text())),
                    None => Err(interp.type_error("expected a ShapedArray")),
                }
            },
        },
    ],
    properties: &[],
    construct: Some(|interp, _class, args| {
        let args = crate::support::bind(interp, &TYPE_DEF, args)?;
        (TYPE_DEF.run)(interp, args)
    }),
    instance_check: None,
};

static TYPE_DEF: NativeDef = NativeDef {
    name: "ShapedArray",
    signature: "(shape, dtype, weak_type=False, *, sharding=None, vma=None, memory_space=None)",
    doc: "The type of an array.",
    run: |interp, args: Arguments| {
        let cx = Context::jax(interp);
        let [shape, dtype, weak, ..] = args.take::<6>();
        let (shape, dtype) = (convert::shape(&cx, &shape)?, dtype::parse(&cx, &dtype)?);
        Ok(Value::object(ShapeDtypeStruct { shape, dtype, weak: interp.truth(&weak)?, is_type: true, varies: true }))
    },
};

pub(super) static DEF: NativeDef = NativeDef {
    name: "ShapeDtypeStruct",
    signature: "(shape, dtype, *, sharding=None, weak_type=False, vma=None, is_ref=False, manual_axis_type=None)",
    doc: "A shape and a dtype without data.",
    run: make,
};

/// `jax.ShapeDtypeStruct`
pub(super) fn class(interp: &Interp) -> Value {
    Value::Class(interp.native_class(&CLASS))
}

/// `jax.core.ShapedArray`
pub(super) fn type_class(interp: &Interp) -> Value {
    Value::Class(interp.native_class(&TYPE_CLASS))
}

/// A type as a `ShapeDtypeStruct`.
pub(crate) fn declared(ty: &pallas_ir::TensorType) -> Value {
    Value::object(ShapeDtypeStruct {
        shape: ty.shape.clone(),
        dtype: ty.dtype,
        weak: ty.weak,
        is_type: false,
        varies: true,
    })
}

/// A type as a `ShapedArray`.
pub(crate) fn value(ty: &pallas_ir::TensorType) -> Value {
    Value::object(ShapeDtypeStruct {
        shape: ty.shape.clone(),
        dtype: ty.dtype,
        weak: ty.weak,
        is_type: true,
        varies: true,
    })
}

/// The type that a `ShapeDtypeStruct` declares.
pub(crate) fn declares(value: &Value) -> Option<pallas_ir::TensorType> {
    let declared = value.downcast::<ShapeDtypeStruct>()?;
    let ty = pallas_ir::TensorType::new(declared.dtype, declared.shape.clone());
    Some(pallas_ir::TensorType { weak: declared.weak, ..ty })
}

/// Whether a value is a `ShapeDtypeStruct` that leaves open along which axes of a mesh it varies.
pub(crate) fn leaves_axes_open(value: &Value) -> bool {
    value.downcast::<ShapeDtypeStruct>().is_some_and(|declared| !declared.is_type && !declared.varies)
}

/// `ShapeDtypeStruct(...)`
pub(super) fn make(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let shape_span = crate::pallas::spec::argument_span(interp, "shape", 0);
    let [shape, dtype, _, weak, vma, _, manual] = args.take::<7>();
    let varies = !vma.is_none() || !manual.is_none();
    if shape.is_unknown() || dtype.is_unknown() {
        return Ok(if shape.is_unknown() { shape } else { dtype });
    }
    if dtype.is_none() {
        return Err(interp.value_error("ShapeDtypeStruct: dtype must be specified.".to_string()));
    }
    let dtype = dtype::parse(&cx, &dtype)?;
    if let Value::Int(_) = shape {
        return Err(interp.type_error("'int' object is not iterable"));
    }
    let shape = convert::shape(&cx, &shape).map_err(|stop| {
        crate::pallas::launch::diagnosed(stop, || Diagnosis { code: "PL102", span: shape_span, ..Diagnosis::default() })
    })?;
    Ok(Value::object(ShapeDtypeStruct { shape, dtype, weak: interp.truth(&weak)?, is_type: false, varies }))
}

fn like(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [_class, x] = args.take();
    if x.is_unknown() {
        return Ok(x);
    }
    if let Some(known) = x.downcast::<ShapeDtypeStruct>() {
        return Ok(Value::object(ShapeDtypeStruct {
            shape: known.shape.clone(),
            dtype: known.dtype,
            weak: known.weak,
            is_type: false,
            varies: true,
        }));
    }
    let cx = Context::jax(interp);
    Ok(declared(&convert::tile(&cx, &x, "ShapeDtypeStruct.like")?.ty()))
}

fn update(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, changes] = args.take();
    let cx = Context::jax(interp);
    let Some(old) = this.downcast::<ShapeDtypeStruct>() else {
        return Err(interp.type_error("expected a ShapeDtypeStruct".to_string()));
    };
    let mut new = ShapeDtypeStruct {
        shape: old.shape.clone(),
        dtype: old.dtype,
        weak: old.weak,
        is_type: old.is_type,
        varies: old.varies,
    };
    if let Value::Dict(changes) = &changes {
        let changes = changes.borrow();
        if let Some(shape) = changes.get_str("shape") {
            new.shape = convert::shape(&cx, shape)?;
        }
        if let Some(dtype) = changes.get_str("dtype") {
            new.dtype = dtype::parse(&cx, dtype)?;
        }
        if let Some(weak) = changes.get_str("weak_type") {
            new.weak = interp.truth(weak)?;
        }
    }
    Ok(Value::object(new))
}

impl ShapeDtypeStruct {
    fn tensor(&self) -> pallas_ir::TensorType {
        pallas_ir::TensorType { dtype: self.dtype, shape: self.shape.clone(), weak: self.weak }
    }

    /// `float32[8,128]`, marked where the dtype is weak.
    fn text(&self) -> String {
        let mark = if self.weak { "~" } else { "" };
        format!("{mark}{}", crate::errors::type_text(&self.tensor()))
    }
}

impl Object for ShapeDtypeStruct {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.is_type { &TYPE_CLASS } else { &CLASS })
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["shape", "dtype", "size", "ndim", "weak_type", "sharding"]
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "shape" => Some(Value::tuple(self.shape.iter().map(|&d| Value::from(d)))),
            "dtype" => Some(dtype::value(self.dtype)),
            "size" => Some(Value::from(self.shape.size())),
            "ndim" => Some(Value::from(self.shape.rank())),
            "weak_type" => Some(Value::Bool(self.weak)),
            "sharding" => Some(Value::None),
            _ => None,
        })
    }

    fn length(&self, _this: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        Some(self.shape.first().copied().ok_or_else(|| interp.type_error("len() of unsized object".to_string())))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let equal = other
            .downcast::<ShapeDtypeStruct>()
            .is_some_and(|other| self.tensor() == other.tensor() && self.is_type == other.is_type);
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        let shape = self.shape.iter().fold(17u64, |h, &d| h.wrapping_mul(31).wrapping_add(d as u64));
        Some(Ok(shape.wrapping_mul(31).wrapping_add(self.dtype as u64)))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let weak = if self.weak { ", weak_type=True" } else { "" };
        if self.is_type {
            return Ok(Some(format!("ShapedArray({}{weak})", crate::errors::type_text(&self.tensor()))));
        }
        Ok(Some(format!("ShapeDtypeStruct(shape={}, dtype={}{weak})", self.shape, self.dtype.name())))
    }

    fn str(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        if self.is_type { Ok(Some(self.text())) } else { self.repr(this, interp) }
    }

    fn summary(&self, _interp: &Interp) -> Option<String> {
        Some(pallas_ir::TensorType::new(self.dtype, self.shape.clone()).to_string())
    }
}
