//! Memory spaces as Python values (`pl.ANY`, `pltpu.VMEM`, ...), called with a shape and a dtype to ask for scratch.

use crate::context::Context;
use crate::convert;
use crate::dtype;
use pallas_ir::{MemorySpace, RefType};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::any::Any;
use std::rc::Rc;

/// A memory space.
pub struct SpaceObject(pub MemorySpace);

/// A request for a Ref: `pltpu.VMEM((8, 128), jnp.float32)`, `pl.MemoryRef(...)`.
pub struct MemoryRef {
    /// What is asked for.
    pub ty: RefType,
}

static SPACE_CLASS: NativeClass = NativeClass {
    name: "MemorySpace",
    module: "jax._src.pallas.core",
    doc: "Where a Ref lives; called with a shape and a dtype it asks for scratch there.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

static REF_CLASS: NativeClass = NativeClass {
    name: "MemoryRef",
    module: "jax._src.pallas.core",
    doc: "A request for a Ref.",
    methods: &[],
    properties: &[],
    construct: Some(|interp, _class, args| {
        let args = crate::support::bind(interp, &MEMORY_REF, args)?;
        (MEMORY_REF.run)(interp, args)
    }),
    instance_check: None,
};

static MEMORY_REF: NativeDef = NativeDef {
    name: "MemoryRef",
    signature: "(inner_aval, memory_space)",
    doc: "A request for a Ref of this shape and dtype in a memory space.",
    run: |interp, args: Arguments| {
        let [aval, space] = args.take();
        let cx = Context::jax(interp);
        let Some((shape, dtype)) = crate::pallas::spec::declared(&cx, &aval)? else {
            let shown = interp.repr(&aval)?;
            return Err(interp.type_error(format!("MemoryRef takes a shape with a dtype, got {shown}")));
        };
        Ok(Value::object(MemoryRef { ty: RefType { dtype, shape, space: parse_space(interp, &space)? } }))
    },
};

static CALL: NativeDef = NativeDef {
    name: "MemorySpace",
    signature: "(shape, dtype)",
    doc: "Asks for a Ref in this space.",
    run: |interp, args: Arguments| {
        let [shape, dtype] = args.take();
        request(interp, MemorySpace::Default, &shape, &dtype)
    },
};

/// A memory space as a value.
pub fn space_value(space: MemorySpace) -> Value {
    Value::object(SpaceObject(space))
}

/// `pl.MemoryRef`
pub fn memory_ref_class(interp: &Interp) -> Value {
    Value::Class(interp.native_class(&REF_CLASS))
}

fn request(interp: &Interp, space: MemorySpace, shape: &Value, dtype: &Value) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let shape = convert::shape(&cx, shape)?;
    let dtype = dtype::parse(&cx, dtype)?;
    Ok(Value::object(MemoryRef { ty: RefType { dtype, shape, space } }))
}

/// The space that a `memory_space=` argument names; `None` for none.
pub fn parse_space(interp: &Interp, value: &Value) -> PyResult<MemorySpace> {
    match value {
        Value::None | Value::Unset => Ok(MemorySpace::Default),
        _ => match value.downcast::<SpaceObject>() {
            Some(space) => Ok(space.0),
            None => {
                let shown = interp.repr(value)?;
                Err(interp
                    .value_error(format!("{shown} is not a memory space: use pl.ANY, pltpu.VMEM, pltpu.SMEM, ...")))
            }
        },
    }
}

impl Object for SpaceObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SPACE_CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(crate::support::bind(interp, &CALL, args).and_then(|args| {
            let [shape, dtype] = args.take();
            request(interp, self.0, &shape, &dtype)
        }))
    }

    fn binary(
        &self,
        _this: &Value,
        _op: pallas_syntax::ast::BinaryOp,
        _other: &Value,
        _reflected: bool,
        _interp: &Interp,
    ) -> PyResult<Option<Value>> {
        Ok(None)
    }

    fn compare(
        &self,
        _this: &Value,
        op: pallas_syntax::ast::CompareOp,
        other: &Value,
        _interp: &Interp,
    ) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<SpaceObject>() else { return Ok(None) };
        Ok(match op {
            pallas_syntax::ast::CompareOp::Eq => Some(Value::Bool(self.0 == other.0)),
            pallas_syntax::ast::CompareOp::NotEq => Some(Value::Bool(self.0 != other.0)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(self.0 as u64))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let name = self.0.name();
        Ok(Some(format!("<MemorySpace.{}: '{name}'>", name.to_uppercase())))
    }

    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.0.name().to_string()))
    }
}

impl Object for MemoryRef {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&REF_CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "shape" => Some(Value::tuple(self.ty.shape.iter().map(|&d| Value::from(d)))),
            "dtype" => Some(dtype::value(self.ty.dtype)),
            "memory_space" => Some(space_value(self.ty.space)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("MemoryRef<{}>{{{}{}}}", self.ty.space.name(), self.ty.dtype.name(), self.ty.shape)))
    }
}
