//! Refs as kernels see them: reading and writing by subscript, `.at[...]` views, and what is said when a Ref is used as
//! if it were an array.

mod methods;
mod misuse;

pub(crate) use self::methods::transposed;
pub use self::misuse::{passed_to_primitive, used_as_array, used_as_index};

use self::methods::{METHODS, PROPERTIES};
use self::misuse::operator_on_ref;
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::indexer;
use crate::pallas::semaphore::SemaphoreKind;
use crate::primitive;
use crate::ref_index::{self, RefIndex};
use crate::tile::Tile;
use crate::trace::Trace;
use pallas_ir::{Attribute, Attributes, MemorySpace, Op, RefType, RegionId, Type, ValueId, ops};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp, UnaryOp};
use pallas_tensor::DType;
use std::rc::Rc;

/// A Ref of an open trace.
#[derive(Clone)]
pub struct RefObject {
    /// The trace.
    pub trace: Rc<Trace>,
    /// The Ref in the trace's function.
    pub value: ValueId,
    /// Its type.
    pub ty: RefType,
    /// The region that was open when it came into being.
    pub region: RegionId,
    /// An index that `.at[...]` put on it and that no load or store has used yet.
    pub pending: Option<Rc<RefIndex>>,
    /// Whether it is itself a part of another Ref.
    pub is_view: bool,
    /// Extents that the kernel computes, by dimension, of the Ref before the pending index.
    pub lengths: Rc<[(usize, Tile)]>,
}

/// How a Ref is read or written besides where.
#[derive(Clone, Copy, Default)]
pub struct Access<'a> {
    /// Elements that take part; all without.
    pub mask: Option<&'a Tile>,
    /// What a load gives where the mask is false.
    pub other: Option<&'a Tile>,
    /// Past the end, reads see uninitialised values and writes are dropped (`pl.load`, `plgpu.load`); a subscript is moved
    /// back inside instead.
    pub padded: bool,
}

/// `ref.at`
pub struct RefAt(RefObject);

/// The class of Refs; JAX's are tracers of Ref type.
pub static REF_CLASS: NativeClass = NativeClass {
    name: "DynamicJaxprTracer",
    module: "jax._src.interpreters.partial_eval",
    doc: "A reference to memory that a kernel reads and writes.",
    methods: METHODS,
    properties: PROPERTIES,
    construct: None,
    instance_check: None,
};

/// `jax.Ref`, for annotations and `isinstance`.
pub static JAX_REF: NativeClass = NativeClass {
    name: "Ref",
    module: "jax",
    doc: "A reference to memory that a kernel reads and writes.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: Some(|value| {
        value.downcast::<RefObject>().is_some() || value.downcast::<crate::held::HeldRef>().is_some()
    }),
};

static AT_CLASS: NativeClass = NativeClass {
    name: "RefIndexer",
    module: "jax._src.state.types",
    doc: "Makes a view of a Ref by subscript.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// What JAX's Refs have besides: other views of the same memory.
const UNPROVIDED: [&str; 1] = ["bitcast"];

impl RefObject {
    /// A parameter or allocation of `trace`.
    pub fn new(trace: &Rc<Trace>, value: ValueId) -> Option<Self> {
        Self::of_region(trace, value, trace.region())
    }

    /// The same for a value of a region that may be around the innermost one.
    pub(crate) fn of_region(trace: &Rc<Trace>, value: ValueId, region: RegionId) -> Option<Self> {
        let ty = trace.ty(value).as_ref_type()?.clone();
        Some(RefObject {
            trace: trace.clone(),
            value,
            ty,
            region,
            pending: None,
            is_view: false,
            lengths: Rc::default(),
        })
    }

    /// Whether it is one of this trace. A kernel may be handed Refs that a function around its launch holds.
    pub(crate) fn is_of(&self, trace: &Rc<Trace>) -> bool {
        Rc::ptr_eq(&self.trace, trace)
    }

    /// Extents that the kernel computes, by dimension.
    fn computed(&self) -> Vec<(usize, Tile)> {
        self.pending.as_ref().map_or_else(|| self.lengths.to_vec(), |index| index.lengths())
    }

    /// The extents as Python has them.
    fn extents(&self) -> Vec<Value> {
        let mut extents: Vec<Value> = self.shape().iter().map(|&extent| Value::from(extent)).collect();
        for (axis, tile) in self.computed() {
            if let Some(extent) = extents.get_mut(axis) {
                *extent = Value::object(ArrayObject { tile });
            }
        }
        extents
    }

    /// The shape that loads of the whole Ref have.
    pub fn shape(&self) -> pallas_tensor::Shape {
        self.pending.as_ref().map_or_else(|| self.ty.shape.clone(), |index| index.shape.clone())
    }

    /// Reads at `index`.
    pub fn load(&self, cx: &Context<'_>, index: &RefIndex, access: &Access<'_>) -> PyResult<Tile> {
        self.check_open(cx)?;
        self.check_reachable(cx, "get_p")?;
        let mut operands = vec![self.value];
        self.push_index(cx, index, &mut operands)?;
        let mut attributes = Attributes::none().with("index", Attribute::Index(index.pattern.clone()));
        attributes = self.access(cx, index, access, &mut operands, attributes)?;
        if let (Some(_), Some(other)) = (access.mask, access.other) {
            let other = primitive::convert(cx, other, self.ty.dtype, false)?;
            let other = primitive::broadcast_to(cx, &other, &index.shape)?;
            operands.push(cx.value_in(&self.trace, &other)?);
            attributes = attributes.with("other", Attribute::Bool(true));
        }
        let results = self.trace.add(cx, Op(&ops::LOAD), &operands, attributes, &[])?;
        self.result(cx, results.first().copied())
    }

    /// Writes `value` at `index`. Shape and dtype must agree, as in JAX: nothing is broadcast or converted but Python
    /// scalars' weak dtypes.
    pub fn store(&self, cx: &Context<'_>, index: &RefIndex, value: &Tile, access: &Access<'_>) -> PyResult<()> {
        self.check_open(cx)?;
        self.check_reachable(cx, "swap_p")?;
        let mut operands = vec![self.value, cx.value_in(&self.trace, value)?];
        self.push_index(cx, index, &mut operands)?;
        let mut attributes = Attributes::none().with("index", Attribute::Index(index.pattern.clone()));
        attributes = self.access(cx, index, access, &mut operands, attributes)?;
        self.trace.add(cx, Op(&ops::STORE), &operands, attributes, &[])?;
        Ok(())
    }

    /// Refuses what a simulated core cannot do: it reaches main memory by copies only.
    pub(crate) fn check_reachable(&self, cx: &Context<'_>, primitive: &str) -> PyResult<()> {
        let is_main = matches!(self.ty.space, MemorySpace::Any | MemorySpace::Hbm);
        match is_main && cx.state.tracing_for.get().is_some() {
            true => Err(cx.interp.error_with(
                &cx.interp.types().value_error,
                format!(
                    "{primitive}: Buffers with a memory space of HBM or ANY cannot be referenced directly. Instead, use \
                     `pltpu.sync_copy` or `pltpu.async_copy`."
                ),
                Diagnosis {
                    code: "PL340",
                    message: Some("this Ref lies in main memory, which a core reaches by copies only".to_string()),
                    help: Some(
                        "copy it to scratch memory and back (`pltpu.sync_copy(x_hbm, x_vmem)`), or give it a BlockSpec \
                         without a memory space, which brings blocks to VMEM; what a copy takes is named with `x_hbm.at[...]`"
                            .to_string(),
                    ),
                    ..Diagnosis::default()
                },
            )),
            false => Ok(()),
        }
    }

    /// Writes and returns the old value; `combine` names the atomic op, or `None` for a plain swap.
    pub fn swap(
        &self,
        cx: &Context<'_>,
        index: &RefIndex,
        value: &Tile,
        access: &Access<'_>,
        combine: Option<&'static str>,
    ) -> PyResult<Tile> {
        self.check_open(cx)?;
        let mut operands = vec![self.value, cx.value_in(&self.trace, value)?];
        self.push_index(cx, index, &mut operands)?;
        let mut attributes = Attributes::none().with("index", Attribute::Index(index.pattern.clone()));
        attributes = self.access(cx, index, access, &mut operands, attributes)?;
        let op = match combine {
            Some(name) => {
                attributes = attributes.with("combine", Attribute::Str(name.into()));
                Op(&ops::ATOMIC)
            }
            None => Op(&ops::SWAP),
        };
        let results = self.trace.add(cx, op, &operands, attributes, &[])?;
        self.result(cx, results.first().copied())
    }

    /// Adds the mask operand and the attributes of an access.
    fn access(
        &self,
        cx: &Context<'_>,
        index: &RefIndex,
        access: &Access<'_>,
        operands: &mut Vec<ValueId>,
        mut attributes: Attributes,
    ) -> PyResult<Attributes> {
        if let Some(mask) = access.mask {
            let mask = primitive::broadcast_to(cx, mask, &index.shape)?;
            operands.push(cx.value_in(&self.trace, &mask)?);
            attributes = attributes.with("masked", Attribute::Bool(true));
        }
        if access.padded {
            attributes = attributes.with("padded", Attribute::Bool(true));
        }
        Ok(attributes)
    }

    /// Turns a pending index into a Ref of its own, so that it can be indexed again or passed on.
    pub fn materialized(&self, cx: &Context<'_>) -> PyResult<RefObject> {
        let Some(index) = &self.pending else { return Ok(self.clone()) };
        self.check_open(cx)?;
        let mut operands = vec![self.value];
        self.push_index(cx, index, &mut operands)?;
        let attributes = Attributes::none().with("index", Attribute::Index(index.pattern.clone()));
        let results = self.trace.add(cx, Op(&ops::VIEW), &operands, attributes, &[])?;
        results
            .first()
            .and_then(|&value| RefObject::new(&self.trace, value))
            .map(|view| RefObject { is_view: true, lengths: index.lengths().into(), ..view })
            .ok_or_else(|| cx.interp.runtime_error("a view has no Ref for a result".to_string()))
    }

    /// The Ref (or the part of it) as an operand of an op of the open trace.
    pub fn operand(&self, cx: &Context<'_>) -> PyResult<ValueId> {
        self.check_open(cx)?;
        Ok(self.materialized(cx)?.value)
    }

    /// The index that a load or store of this object uses: the pending one, or `key` on the (materialised) Ref.
    pub fn resolve(&self, cx: &Context<'_>, key: &Value) -> PyResult<(RefObject, Rc<RefIndex>)> {
        if let Some(pending) = &self.pending
            && ref_index::is_everything(key)
        {
            return Ok((self.base(), pending.clone()));
        }
        let base = self.materialized(cx)?;
        let index = ref_index::parse_bounded(cx, &base.ty.shape, &base.lengths, key)?;
        Ok((base, Rc::new(index)))
    }

    fn base(&self) -> RefObject {
        RefObject { pending: None, ..self.clone() }
    }

    fn push_index(&self, cx: &Context<'_>, index: &RefIndex, operands: &mut Vec<ValueId>) -> PyResult<()> {
        for tile in &index.operands {
            operands.push(cx.value_in(&self.trace, tile)?);
        }
        Ok(())
    }

    fn result(&self, cx: &Context<'_>, value: Option<ValueId>) -> PyResult<Tile> {
        value
            .and_then(|value| self.trace.tile(value))
            .ok_or_else(|| cx.interp.runtime_error("a load has no result".to_string()))
    }

    fn check_open(&self, cx: &Context<'_>) -> PyResult<()> {
        let current = cx.trace().is_some_and(|trace| Rc::ptr_eq(&trace, &self.trace));
        if current && self.trace.is_open(self.region) {
            return match cx.innermost() {
                Some(inner) if inner.is_transform() && inner.in_nested_region() => Err(cx.interp.error(
                    &cx.interp.types().not_implemented_error,
                    "a Ref is used in a loop or branch of a function that jax.vmap or jax.grad transforms inside a \
                     kernel; the workbench does not provide this yet. Read the Ref before the transformed function and \
                     pass the value to it."
                        .to_string(),
                )),
                _ => Ok(()),
            };
        }
        let is_around = |traces: &[Rc<Trace>]| traces.iter().any(|open| self.is_of(open));
        if !current && is_around(&cx.state.traces.borrow()) {
            return Err(not_provided(
                cx.interp,
                &cx.interp.types().not_implemented_error,
                "a kernel that uses a Ref of a function around its launch is not provided by Pallas Workbench yet",
            ));
        }
        let class = crate::errors::unexpected_tracer(cx.interp);
        Err(cx.interp.error(
            &class,
            "Encountered an unexpected tracer. A Ref was used outside of the kernel (or the part of it) that it belongs \
             to."
            .to_string(),
        ))
    }

    /// `Ref<vmem>{float32[8,128]}`
    pub fn type_text(&self) -> String {
        let dims: Vec<String> = self.ty.shape.iter().map(usize::to_string).collect();
        let (space, dtype) = match SemaphoreKind::of(self.ty.space) {
            Some(kind) => ("semaphore_mem", kind.name()),
            None => (self.ty.space.name(), self.ty.dtype.name()),
        };
        format!("Ref<{space}>{{{dtype}[{}]}}", dims.join(","))
    }
}

/// A value that is to be stored in a Ref of this dtype.
pub fn storable(cx: &Context<'_>, value: &Value, dtype: DType) -> PyResult<Tile> {
    if value.downcast::<RefObject>().is_some() {
        return Err(cx.interp.error_with(
            &cx.interp.types().value_error,
            "Cannot store a Ref into another Ref. Did you forget to load from it using `[...]`?".to_string(),
            Diagnosis {
                code: "PL308",
                help: Some("read the Ref first: `ref[...]`".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    // As `_maybe_implicit_cast` of jax/_src/state/primitives.py: Python's own floats become the Ref's float dtype, and
    // integers of any dtype become the Ref's integer dtype. Nothing else is converted.
    let tile = convert::tile(cx, value, "swap")?;
    let floats = tile.weak() && dtype.is_float() && tile.dtype().is_float();
    let integers = dtype.is_integer() && tile.dtype().is_integer();
    // What 64 bits are without them (`jax_enable_x64`) is still another dtype.
    let dtype = pallas_tensor::canonicalize(dtype, cx.x64());
    if floats || integers { primitive::convert(cx, &tile, dtype, false) } else { Ok(tile) }
}

/// What JAX has, and the workbench does not.
fn not_provided(interp: &Interp, class: &Rc<Class>, message: &str) -> Box<Stop> {
    let diagnosis = Diagnosis {
        code: "PL005",
        message: Some(message.to_string()),
        help: Some("the kernel is not checked beyond this".to_string()),
        ..Diagnosis::default()
    };
    interp.error_with(class, message.to_string(), diagnosis)
}

impl Object for RefObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&REF_CLASS)
    }

    fn get_attr(&self, this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let class = self.class(interp);
        if name.starts_with("__") || class.lookup(name).is_some() {
            return Ok(None);
        }
        // A part of a Ref says of which, and which part. Of a part of a part the first index is not kept.
        if let (Some(index), false) = (&self.pending, self.is_view) {
            match name {
                "ref" => return Ok(Some(Value::object(self.base()))),
                "transforms" => return Ok(Some(Value::tuple([indexer::value(index)]))),
                _ => {}
            }
        }
        if UNPROVIDED.contains(&name) {
            let message = format!("`{name}` of a Ref is not provided by Pallas Workbench yet");
            return Err(not_provided(interp, &interp.types().attribute_error, &message));
        }
        let mut stop = crate::array::missing_attribute(interp, this, &class, name, true);
        if let Stop::Raise(raise) = &mut *stop
            && let Some(diagnosis) = &mut raise.diagnosis
        {
            diagnosis.message = Some(format!("a Ref has no attribute `{name}`"));
            let known = interp.native_class(&crate::array::TRACER_CLASS).lookup(name).is_some();
            if known {
                // Of an attribute that arrays have JAX asks the type.
                raise.exception = interp.exception_of(
                    &interp.types().attribute_error,
                    Value::tuple([Value::str(format!("'AbstractRef' object has no attribute '{name}'"))]),
                );
                diagnosis.help = Some(format!("arrays have it: read the Ref first, `ref[...].{name}`"));
            }
        }
        Err(stop)
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        Some(self.resolve(&cx, key).and_then(|(base, index)| {
            let tile = base.load(&cx, &index, &Access::default())?;
            Ok(convert::value(&cx, tile))
        }))
    }

    fn set_item(&self, _this: &Value, key: &Value, value: Value, interp: &Interp) -> Option<PyResult<()>> {
        let cx = Context::jax(interp);
        Some(self.resolve(&cx, key).and_then(|(base, index)| {
            let tile = storable(&cx, &value, base.ty.dtype)?;
            base.store(&cx, &index, &tile, &Access::default())
        }))
    }

    fn binary(
        &self,
        _this: &Value,
        op: BinaryOp,
        _other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        let method = if reflected { format!("r{}", op.method()) } else { op.method().to_string() };
        Err(operator_on_ref(&Context::jax(interp), self, &method))
    }

    fn compare(&self, _this: &Value, op: CompareOp, _other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let method = match op {
            CompareOp::Lt => "lt",
            CompareOp::LtE => "le",
            CompareOp::Gt => "gt",
            CompareOp::GtE => "ge",
            // Whether it is the same Ref: lists of Refs are searched so.
            _ => return Ok(None),
        };
        Err(operator_on_ref(&Context::jax(interp), self, method))
    }

    /// As a sequence it would have no end: subscripts are moved inside.
    fn iterate(&self, _this: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let class = "jax._src.interpreters.partial_eval.DynamicJaxprTracer";
        Some(Err(interp.error_with(
            &interp.types().type_error,
            format!("Value of type <class '{class}'> is not iterable."),
            Diagnosis {
                code: "PL308",
                message: Some("a Ref cannot be iterated over".to_string()),
                help: Some(
                    "read it first (`for row in ref[...]`), or count: `for i in range(ref.shape[0])` and `ref[i]`"
                        .into(),
                ),
                ..Diagnosis::default()
            },
        )))
    }

    fn unary(&self, _this: &Value, op: UnaryOp, interp: &Interp) -> PyResult<Option<Value>> {
        let method = match op {
            UnaryOp::Neg => "neg",
            UnaryOp::Pos => "pos",
            UnaryOp::Invert => "invert",
            UnaryOp::Not => return Ok(None),
        };
        Err(operator_on_ref(&Context::jax(interp), self, method))
    }

    fn length(&self, _this: &Value, interp: &Interp) -> Option<PyResult<usize>> {
        Some(self.shape().first().copied().ok_or_else(|| interp.type_error("len() of unsized object".to_string())))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let text = format!("JitTracer({})", self.type_text());
        Ok(Some(match &self.pending {
            Some(index) => format!("TransformedRef(ref={text}, transforms=({},))", index.text()),
            None => text,
        }))
    }

    fn summary(&self, _interp: &Interp) -> Option<String> {
        let bounded = self.computed().into_iter().map(|(axis, _)| axis).collect();
        let ty = RefType { shape: self.shape(), bounded, ..self.ty.clone() };
        Some(Type::Ref(ty).to_string())
    }
}

impl Object for RefAt {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&AT_CLASS)
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        Some(self.0.materialized(&cx).and_then(|base| {
            let index = ref_index::parse_bounded(&cx, &base.ty.shape, &base.lengths, key)?;
            Ok(Value::object(RefObject { pending: Some(Rc::new(index)), ..base }))
        }))
    }
}

/// The array inside a value, for modules that only have arrays to do with.
pub fn array_tile(value: &Value) -> Option<&Tile> {
    value.downcast::<ArrayObject>().map(|object| &object.tile)
}
