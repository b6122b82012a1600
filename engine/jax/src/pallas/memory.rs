//! Memory spaces as Python values (`pl.ANY`, `pltpu.VMEM`, ...), called with a shape and a dtype to ask for scratch.

use crate::context::Context;
use crate::convert;
use crate::dtype;
use crate::pallas::agents::Across;
use pallas_ir::{MemorySpace, RefType, Transform};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use std::rc::Rc;

/// A memory space.
pub struct SpaceObject(pub MemorySpace);

/// A request for a Ref: `pltpu.VMEM((8, 128), jnp.float32)`, `pl.MemoryRef(...)`.
pub struct MemoryRef {
    /// What is asked for.
    pub ty: RefType,
    /// Of barriers of a cluster: names of axes, which the kernel knows.
    pub(crate) across: Across,
}

/// `pl.MemorySpace`
static CORE_SPACES: NativeClass = space_class("jax._src.pallas.core", by_value);

/// `pltpu.MemorySpace`
static TPU_SPACES: NativeClass = space_class("jax._src.pallas.mosaic.core", by_value);

/// `plgpu.MemorySpace`
static GPU_SPACES: NativeClass = space_class("jax._src.pallas.mosaic_gpu.core", by_value);

/// Members of the enumerations, by class and name.
static MEMBERS: &[(&NativeClass, &str, MemorySpace)] = &[
    (&CORE_SPACES, "ANY", MemorySpace::Any),
    (&CORE_SPACES, "DEFAULT", MemorySpace::Default),
    (&CORE_SPACES, "HOST", MemorySpace::Host),
    (&TPU_SPACES, "VMEM", MemorySpace::Vmem),
    (&TPU_SPACES, "VMEM_SHARED", MemorySpace::VmemShared),
    (&TPU_SPACES, "SMEM", MemorySpace::Smem),
    (&TPU_SPACES, "CMEM", MemorySpace::Cmem),
    (&TPU_SPACES, "SEMAPHORE", MemorySpace::Semaphore),
    (&TPU_SPACES, "HBM", MemorySpace::Hbm),
    (&GPU_SPACES, "GMEM", MemorySpace::Gmem),
    (&GPU_SPACES, "SMEM", MemorySpace::Shared),
    (&GPU_SPACES, "TMEM", MemorySpace::Tmem),
    (&GPU_SPACES, "REGS", MemorySpace::Registers),
];

const fn space_class(module: &'static str, construct: pallas_python::class::ConstructFn) -> NativeClass {
    NativeClass {
        name: "MemorySpace",
        module,
        doc: "Where a Ref lives; called with a shape and a dtype it asks for scratch there.",
        methods: &[],
        properties: &[],
        construct: Some(construct),
        instance_check: None,
    }
}

/// `MemorySpace('vmem')`: the member with this value.
fn by_value(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let Some(value) = args.positional.first() else {
        return Err(interp.type_error("EnumMeta.__call__() missing 1 required positional argument: 'value'"));
    };
    if value.downcast::<SpaceObject>().is_some() {
        return Ok(value.clone());
    }
    let found = match value {
        Value::Str(text) => {
            MEMBERS.iter().find(|(table, _, space)| *table.module == *class.module && *python_value(*space) == **text)
        }
        _ => None,
    };
    match found {
        Some((_, _, space)) => Ok(space_value(*space)),
        None => Err(interp.value_error(format!("{} is not a valid MemorySpace", interp.repr(value)?))),
    }
}

/// `member.value`
fn python_value(space: MemorySpace) -> &'static str {
    match space {
        MemorySpace::Semaphore => "semaphore_mem",
        MemorySpace::Shared | MemorySpace::Barrier => "smem",
        MemorySpace::Registers => "regs",
        space => space.name(),
    }
}

/// The enumeration that a space is a member of, and its name there.
fn member(space: MemorySpace) -> (&'static NativeClass, &'static str) {
    MEMBERS
        .iter()
        .find(|(_, _, member)| *member == space)
        .map_or((&CORE_SPACES, "DEFAULT"), |(table, name, _)| (*table, *name))
}

/// The enumeration of a module (`pl`, `pltpu`, `plgpu`) with its members as attributes.
fn space_enumeration(interp: &Interp, table: &'static NativeClass) -> Value {
    let class = interp.native_class(table);
    {
        let mut namespace = class.namespace.borrow_mut();
        for (owner, name, space) in MEMBERS {
            if std::ptr::eq(*owner, table) {
                namespace.insert((*name).into(), space_value(*space));
            }
        }
    }
    Value::Class(class)
}

/// `pl.MemorySpace`
pub fn core_spaces(interp: &Interp) -> Value {
    space_enumeration(interp, &CORE_SPACES)
}

/// `pltpu.MemorySpace`
pub fn tpu_spaces(interp: &Interp) -> Value {
    space_enumeration(interp, &TPU_SPACES)
}

/// `plgpu.MemorySpace`
pub fn gpu_spaces(interp: &Interp) -> Value {
    space_enumeration(interp, &GPU_SPACES)
}

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
        Ok(Value::object(MemoryRef {
            ty: RefType::new(dtype, shape, parse_space(interp, &space)?),
            across: Across::default(),
        }))
    },
};

const CALL: NativeDef = NativeDef {
    name: "MemorySpace",
    signature: "(shape, dtype)",
    doc: "Asks for a Ref in this space.",
    run: |interp, args: Arguments| {
        let [shape, dtype] = args.take();
        request(interp, MemorySpace::Default, &shape, &dtype, None)
    },
};

static CALL_ANYWHERE: NativeDef = CALL;

/// As on GPUs, where a request may say how the Ref is laid out: that changes no values.
static CALL_ON_GPU: NativeDef =
    NativeDef { signature: "(shape, dtype, *, transforms=(), packed=None, collective=None, layout=None)", ..CALL };

/// A memory space as a value.
pub fn space_value(space: MemorySpace) -> Value {
    // Python has one space for semaphores of all kinds.
    let space = match space {
        space if space.is_semaphore() => MemorySpace::Semaphore,
        MemorySpace::Barrier => MemorySpace::Shared,
        space => space,
    };
    Value::object(SpaceObject(space))
}

/// `pl.MemoryRef`
pub fn memory_ref_class(interp: &Interp) -> Value {
    Value::Class(interp.native_class(&REF_CLASS))
}

fn request(
    interp: &Interp,
    space: MemorySpace,
    shape: &Value,
    dtype: &Value,
    transforms: Option<&Value>,
) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let shape = convert::shape(&cx, shape)?;
    let dtype = dtype::parse(&cx, dtype)?;
    let layout = match transforms {
        Some(transforms) if space == MemorySpace::Shared => layout(interp, transforms)?,
        _ => Default::default(),
    };
    let ty = RefType { layout, ..RefType::new(dtype, shape, space) };
    Ok(Value::object(MemoryRef { ty, across: Across::default() }))
}

/// `transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))`. Others are not looked at.
fn layout(interp: &Interp, transforms: &Value) -> PyResult<smallvec::SmallVec<[Transform; 2]>> {
    let mut layout = smallvec::SmallVec::new();
    if matches!(transforms, Value::None | Value::Unset | Value::Unknown(_)) {
        return Ok(layout);
    }
    for transform in interp.collect(transforms)? {
        match (interp.find_attr(&transform, "tiling")?, interp.find_attr(&transform, "swizzle")?) {
            (Some(tiling), _) => {
                let tiles = interp.collect(&tiling)?;
                let tiles = tiles.iter().map(|tile| interp.to_usize(tile)).collect::<PyResult<_>>()?;
                layout.push(Transform::Tiled(tiles));
            }
            (None, Some(swizzle)) => layout.push(Transform::Swizzled(interp.to_usize(&swizzle)?)),
            (None, None) => {}
        }
    }
    Ok(layout)
}

/// What a space of a GPU is asked for besides shape and dtype: how the Ref is laid out changes no values.
fn check_layout(interp: &Interp, space: MemorySpace, args: &[Value]) -> PyResult<()> {
    let [shape, element, transforms, packed, collective, layout] = args else { return Ok(()) };
    if space != MemorySpace::Tmem {
        return match [packed, collective, layout].iter().any(|value| !value.is_none()) {
            true => {
                Err(interp
                    .value_error("packed, collective and layout arguments are only supported for TMEM.".to_string()))
            }
            false => Ok(()),
        };
    }
    if interp.truth(transforms)? {
        return Err(interp.value_error("transforms are not supported for TMEM"));
    }
    if !layout.is_none() && !packed.is_none() {
        return Err(interp.value_error("packed cannot be specified if layout is specified."));
    }
    if layout.is_none() && packed.is_none() && dtype::parse(&Context::jax(interp), element)?.bits() != 32 {
        return Err(interp
            .value_error("dtypes narrower than 32-bit require either the packed argument or an explicit TMEM layout"));
    }
    if layout.is_none() {
        check_rows(interp, &convert::shape(&Context::jax(interp), shape)?)?;
    }
    Ok(())
}

/// `_infer_tmem_layout` of jax/experimental/mosaic/gpu/tcgen05.py.
fn check_rows(interp: &Interp, shape: &[usize]) -> PyResult<()> {
    let last = pallas_tensor::Shape::from(&shape[shape.len().saturating_sub(2)..]);
    let message = match last[..] {
        [64 | 128, _] => return Ok(()),
        [rows, _] => {
            format!("Unsupported shape: {last}. TMEM references must have either 128 or 64 rows, but got {rows}.")
        }
        _ => format!("TMEM can only represent 2D shapes, got {last}"),
    };
    Err(interp.error_with(
        &interp.types().value_error,
        message,
        Diagnosis { code: "PL507", help: Some("take 64 or 128 rows".to_string()), ..Diagnosis::default() },
    ))
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
        interp.native_class(member(self.0).0)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let on_gpu = std::ptr::eq(member(self.0).0, &GPU_SPACES);
        let args = crate::support::bind(interp, if on_gpu { &CALL_ON_GPU } else { &CALL_ANYWHERE }, args);
        Some(args.and_then(|args| {
            check_layout(interp, self.0, args.values())?;
            request(interp, self.0, args.get(0), args.get(1), args.values().get(2))
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

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::from(member(self.0).1)),
            "value" => Some(Value::from(python_value(self.0))),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(space_text(self.0)))
    }

    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(python_value(self.0).to_string()))
    }
}

/// As Python shows a space: `VMEM` for a TPU's, `<MemorySpace.ANY: 'any'>` for others.
pub fn space_text(space: MemorySpace) -> String {
    match member(space) {
        (table, name) if std::ptr::eq(table, &TPU_SPACES) => name.to_string(),
        (_, name) => format!("<MemorySpace.{name}: '{}'>", python_value(space)),
    }
}

impl Object for MemoryRef {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&REF_CLASS)
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "shape" => Some(Value::tuple(self.ty.shape.iter().map(|&d| Value::from(d)))),
            "dtype" => Some(dtype::value(self.ty.dtype)),
            "memory_space" => Some(space_value(self.ty.space)),
            "inner_aval" => Some(crate::api::struct_type::value(&self.tile_type())),
            _ => None,
        })
    }

    fn compare(
        &self,
        _this: &Value,
        op: pallas_syntax::ast::CompareOp,
        other: &Value,
        _interp: &Interp,
    ) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<MemoryRef>() else { return Ok(None) };
        Ok(match op {
            pallas_syntax::ast::CompareOp::Eq => Some(Value::Bool(self.ty == other.ty)),
            pallas_syntax::ast::CompareOp::NotEq => Some(Value::Bool(self.ty != other.ty)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        let size = self.ty.shape.iter().fold(self.ty.dtype as u64, |hash, &extent| hash * 31 + extent as u64);
        Some(Ok(size * 31 + self.ty.space as u64))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let aval = crate::errors::type_text(&self.tile_type());
        Ok(Some(format!("MemoryRef(inner_aval=ShapedArray({aval}), memory_space={})", space_text(self.ty.space))))
    }
}

impl MemoryRef {
    fn tile_type(&self) -> pallas_ir::TensorType {
        pallas_ir::TensorType::new(self.ty.dtype, self.ty.shape.clone())
    }
}
