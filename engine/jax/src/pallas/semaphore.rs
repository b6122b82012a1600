//! Kinds of semaphores and requests for them: `pltpu.SemaphoreType.DMA((2,))`, `pltpu.dma_semaphore`, `pl.semaphore`.
//! Waiting and signalling are in `asynchronous`.

use crate::context::Context;
use crate::convert;
use crate::pallas::memory;
use crate::python_types::Enumeration;
use crate::python_types::Plain::Str;
use pallas_ir::{MemorySpace, RefType};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use pallas_tensor::{DType, Shape};
use std::rc::Rc;

/// Kinds of semaphores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreKind {
    /// Counts signals.
    Regular,
    /// Counts bytes of copies.
    Dma,
    /// The barrier that all devices share.
    Barrier,
}

impl SemaphoreKind {
    /// The kind that lives in a memory space.
    pub fn of(space: MemorySpace) -> Option<SemaphoreKind> {
        match space {
            MemorySpace::Semaphore => Some(SemaphoreKind::Regular),
            MemorySpace::DmaSemaphore => Some(SemaphoreKind::Dma),
            MemorySpace::BarrierSemaphore => Some(SemaphoreKind::Barrier),
            _ => None,
        }
    }

    /// The space that it lives in.
    pub fn space(self) -> MemorySpace {
        match self {
            SemaphoreKind::Regular => MemorySpace::Semaphore,
            SemaphoreKind::Dma => MemorySpace::DmaSemaphore,
            SemaphoreKind::Barrier => MemorySpace::BarrierSemaphore,
        }
    }

    /// Refs to semaphores of this kind.
    pub fn reference(self, shape: Shape) -> RefType {
        RefType::new(DType::I32, shape, self.space())
    }

    /// The dtype as Python sees it.
    pub fn dtype(self) -> Value {
        Value::object(SemaphoreDType(self))
    }

    /// As dtypes print it.
    pub fn name(self) -> &'static str {
        match self {
            SemaphoreKind::Regular => "semaphore",
            SemaphoreKind::Dma => "dma_sem",
            SemaphoreKind::Barrier => "barrier_semaphore",
        }
    }
}

/// A request for semaphores: `MemoryRef` in the semaphore space.
pub struct SemaphoreRequest {
    /// Their kind.
    pub kind: SemaphoreKind,
    /// How many.
    pub shape: Shape,
}

/// The dtype of semaphores.
struct SemaphoreDType(SemaphoreKind);

/// `pltpu.SemaphoreType`
pub static SEMAPHORE_TYPE: Enumeration = Enumeration {
    name: "SemaphoreType",
    module: "jax._src.pallas.mosaic.core",
    members: &[("REGULAR", Str("regular")), ("DMA", Str("dma")), ("BARRIER", Str("barrier"))],
    methods: &[
        NativeDef {
            name: "__call__",
            signature: "(self, shape)",
            doc: "A request for semaphores of this kind.",
            run: |interp, args| {
                let [this, shape] = args.take();
                request(interp, &this, &shape)
            },
        },
        NativeDef {
            name: "get_array_aval",
            signature: "(self)",
            doc: "A request for one semaphore of this kind.",
            run: |interp, args| {
                let [this] = args.take();
                request(interp, &this, &Value::tuple([]))
            },
        },
    ],
    properties: &[],
};

/// `plgpu.SemaphoreType`
pub static GPU_SEMAPHORE_TYPE: Enumeration = Enumeration {
    name: "SemaphoreType",
    module: "jax._src.pallas.mosaic_gpu.core",
    members: &[("REGULAR", Str("regular")), ("BARRIER", Str("barrier"))],
    methods: SEMAPHORE_TYPE.methods,
    properties: &[],
};

static REQUEST_CLASS: NativeClass = class("MemoryRef", "A request for semaphores.");
static DTYPE_CLASS: NativeClass = class("SemaphoreDType", "The dtype of semaphores.");

const fn class(name: &'static str, doc: &'static str) -> NativeClass {
    NativeClass {
        name,
        module: "jax._src.pallas.core",
        doc,
        methods: &[],
        properties: &[],
        construct: None,
        instance_check: None,
    }
}

fn request(interp: &Interp, member: &Value, shape: &Value) -> PyResult<Value> {
    let kind = kind_of(interp, member)?.unwrap_or(SemaphoreKind::Regular);
    let shape = convert::shape(&Context::jax(interp), shape)?;
    Ok(Value::object(SemaphoreRequest { kind, shape }))
}

/// The kind that a member of `SemaphoreType` names; `None` for anything else.
pub fn kind_of(interp: &Interp, value: &Value) -> PyResult<Option<SemaphoreKind>> {
    let Value::Instance(instance) = value else { return Ok(None) };
    if *instance.class.borrow().name != *SEMAPHORE_TYPE.name {
        return Ok(None);
    }
    Ok(match &*interp.to_str(&interp.get_attr(value, "value")?)? {
        "dma" => Some(SemaphoreKind::Dma),
        "barrier" => Some(SemaphoreKind::Barrier),
        _ => Some(SemaphoreKind::Regular),
    })
}

/// What a scratch request asks for, if it asks for semaphores: `SemaphoreType.DMA((2,))`, or the bare member for one.
pub fn requested(interp: &Interp, value: &Value) -> PyResult<Option<(SemaphoreKind, Shape)>> {
    if let Some(request) = value.downcast::<SemaphoreRequest>() {
        return Ok(Some((request.kind, request.shape.clone())));
    }
    Ok(kind_of(interp, value)?.map(|kind| (kind, Shape::default())))
}

impl Object for SemaphoreRequest {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&REQUEST_CLASS)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "shape" => Some(Value::tuple(self.shape.iter().map(|&extent| Value::from(extent)))),
            "dtype" => Some(Value::object(SemaphoreDType(self.kind))),
            "memory_space" => Some(memory::space_value(MemorySpace::Semaphore)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let dims: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        Ok(Some(format!(
            "MemoryRef(inner_aval=ShapedArray({}[{}]), memory_space=SEMAPHORE)",
            self.kind.name(),
            dims.join(",")
        )))
    }
}

impl Object for SemaphoreDType {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&DTYPE_CLASS)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "name").then(|| Value::from(self.0.name())))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let equal = other.downcast::<SemaphoreDType>().is_some_and(|other| other.0 == self.0);
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.0.name().to_string()))
    }
}
