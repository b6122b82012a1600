//! Refs as kernels see them: reading and writing by subscript, `.at[...]` views, and what is said when a Ref is used as
//! if it were an array.

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
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::ast::{BinaryOp, UnaryOp};
use pallas_tensor::DType;
use std::any::Any;
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

static METHODS: &[NativeDef] = &[
    NativeDef { name: "get", signature: "(self)", doc: "Reads the whole Ref.", run: get_method },
    NativeDef { name: "set", signature: "(self, value)", doc: "Writes the whole Ref.", run: set_method },
    NativeDef {
        name: "reshape",
        signature: "(self, *shape)",
        doc: "A Ref to the same memory in another shape.",
        run: reshape_method,
    },
    NativeDef {
        name: "bitcast",
        signature: "(self, dtype)",
        doc: "A Ref to the same memory as another dtype.",
        run: bitcast_method,
    },
    NativeDef {
        name: "transpose",
        signature: "(self, *permutation)",
        doc: "A Ref to the same memory with its dimensions in another order; reversed where none is given.",
        run: |interp, args| {
            let [this, permutation] = args.take();
            let given = interp.collect(&permutation)?;
            match given.as_slice() {
                [] | [Value::None] => transposed(interp, &this, &Value::None),
                [order @ (Value::Tuple(_) | Value::List(_))] => transposed(interp, &this, order),
                _ => transposed(interp, &this, &permutation),
            }
        },
    },
    NativeDef {
        name: "__getitem__",
        signature: "(self, key, /)",
        doc: "`self[key]`",
        run: |interp, args| {
            let [this, key] = args.take();
            interp.get_item(&this, &key)
        },
    },
    NativeDef {
        name: "__setitem__",
        signature: "(self, key, value, /)",
        doc: "`self[key] = value`",
        run: |interp, args| {
            let [this, key, value] = args.take();
            interp.set_item(&this, &key, value)?;
            Ok(Value::None)
        },
    },
];

static PROPERTIES: &[NativeDef] = &[
    NativeDef { name: "shape", signature: "(self)", doc: "Extent of each dimension of the block.", run: shape },
    NativeDef { name: "dtype", signature: "(self)", doc: "Element type.", run: dtype },
    NativeDef { name: "ndim", signature: "(self)", doc: "Number of dimensions.", run: ndim },
    NativeDef { name: "size", signature: "(self)", doc: "Number of elements.", run: size },
    NativeDef { name: "at", signature: "(self)", doc: "A view of part of the Ref: `ref.at[index]`.", run: at },
    NativeDef { name: "memory_space", signature: "(self)", doc: "Where the Ref lives.", run: memory_space },
    NativeDef {
        name: "T",
        signature: "(self)",
        doc: "A Ref to the same memory with its dimensions reversed.",
        run: |interp, args| transposed(interp, args.get(0), &Value::None),
    },
];

impl RefObject {
    /// A parameter or allocation of `trace`.
    pub fn new(trace: &Rc<Trace>, value: ValueId) -> Option<Self> {
        let ty = trace.ty(value).as_ref_type()?.clone();
        Some(RefObject {
            trace: trace.clone(),
            value,
            ty,
            region: trace.region(),
            pending: None,
            is_view: false,
            lengths: Rc::default(),
        })
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
        let mut operands = vec![self.value, cx.value_in(&self.trace, value)?];
        self.push_index(cx, index, &mut operands)?;
        let mut attributes = Attributes::none().with("index", Attribute::Index(index.pattern.clone()));
        attributes = self.access(cx, index, access, &mut operands, attributes)?;
        self.trace.add(cx, Op(&ops::STORE), &operands, attributes, &[])?;
        Ok(())
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

/// A Ref where an array is needed.
pub fn used_as_array(cx: &Context<'_>, value: &Value, function: &str) -> Box<Stop> {
    let what = value.downcast::<RefObject>().map(RefObject::type_text).unwrap_or_default();
    cx.interp.error_with(
        &cx.interp.types().type_error,
        format!("{function} requires ndarray or scalar arguments, got {what} at position 0."),
        Diagnosis {
            code: "PL308",
            message: Some(format!("`{function}` takes an array, but this is a Ref of type {what}")),
            help: Some("read the Ref first: `ref[...]`".to_string()),
            ..Diagnosis::default()
        },
    )
}

/// A Ref as an operand of a function of `jax.lax`.
pub fn passed_to_primitive(cx: &Context<'_>, object: &RefObject, primitive: &str) -> Box<Stop> {
    let what = object.type_text();
    cx.interp.error_with(
        &cx.interp.types().value_error,
        format!(
            "Attempting to pass a Ref {what} to a primitive: {primitive} -- did you forget to unpack ([...]) the ref?"
        ),
        Diagnosis {
            code: "PL308",
            message: Some(format!("`{primitive}` takes an array, but this is a Ref of type {what}")),
            help: Some("read the Ref first: `ref[...]`".to_string()),
            ..Diagnosis::default()
        },
    )
}

/// An operator on a Ref: JAX's words, our explanation.
fn operator_on_ref(cx: &Context<'_>, object: &RefObject, method: &str) -> Box<Stop> {
    cx.interp.error_with(
        &cx.interp.types().attribute_error,
        format!("'AbstractRef' object has no attribute '_{method}'"),
        Diagnosis {
            code: "PL308",
            message: Some(format!("arithmetic on a Ref of type {}: a Ref is a place, not a value", object.type_text())),
            help: Some("read the Ref first: `ref[...]`".to_string()),
            ..Diagnosis::default()
        },
    )
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
    if floats || integers { primitive::convert(cx, &tile, dtype, false) } else { Ok(tile) }
}

impl Object for RefObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&REF_CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
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
            return Err(interp.error_with(
                &interp.types().attribute_error,
                message.clone(),
                Diagnosis {
                    code: "PL005",
                    message: Some(message),
                    help: Some("the kernel is not checked beyond this".to_string()),
                    ..Diagnosis::default()
                },
            ));
        }
        let mut stop = crate::array::missing_attribute(interp, this, &class, name, true);
        if let Stop::Raise(raise) = &mut *stop
            && let Some(diagnosis) = &mut raise.diagnosis
        {
            diagnosis.message = Some(format!("a Ref has no attribute `{name}`"));
            let known = interp.native_class(&crate::array::TRACER_CLASS).lookup(name).is_some();
            if known {
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

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        Some(self.0.materialized(&cx).and_then(|base| {
            let index = ref_index::parse_bounded(&cx, &base.ty.shape, &base.lengths, key)?;
            Ok(Value::object(RefObject { pending: Some(Rc::new(index)), ..base }))
        }))
    }
}

/// The receiver of a method: the tables bind it, so anything else is a call through the class.
fn receiver(interp: &Interp, value: &Value) -> PyResult<RefObject> {
    value.downcast::<RefObject>().cloned().ok_or_else(|| interp.type_error("expected a Ref".to_string()))
}

fn get_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    interp.get_item(&this, &Value::Ellipsis)
}

fn set_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, value] = args.take();
    interp.set_item(&this, &Value::Ellipsis, value)?;
    Ok(Value::None)
}

/// Another Ref to the same memory.
fn reinterpreted(cx: &Context<'_>, reference: &RefObject, attributes: Attributes) -> PyResult<Value> {
    let value = reference.operand(cx)?;
    let results = reference.trace.add(cx, Op(&ops::REINTERPRET), &[value], attributes, &[])?;
    let result = results.first().and_then(|&value| RefObject::new(&reference.trace, value));
    result.map(Value::object).ok_or_else(|| cx.interp.runtime_error("a Ref has no result"))
}

fn reshape_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, shape] = args.take();
    let cx = Context::jax(interp);
    let reference = receiver(interp, &this)?;
    known_extents(interp, &reference, "reshape")?;
    let mut sizes = interp.collect(&shape)?;
    if let [Value::Tuple(_) | Value::List(_)] = sizes.as_slice() {
        sizes = interp.collect(&sizes[0])?;
    }
    let sizes = sizes.iter().map(|size| interp.to_i64(size)).collect::<PyResult<Vec<_>>>()?;
    let from = reference.shape();
    let known = sizes.iter().filter(|&&size| size != -1).product::<i64>();
    let open = sizes.iter().filter(|&&size| size == -1).count();
    let size = from.size() as i64;
    let shown = Value::tuple(sizes.iter().map(|&size| Value::from(size)));
    let sizes: Vec<i64> = match open {
        0 if known != size => {
            return Err(interp.value_error(format!("cannot reshape shape {from} into shape {}", interp.repr(&shown)?)));
        }
        0 => sizes,
        1 if known > 0 && size % known == 0 => {
            sizes.iter().map(|&extent| if extent == -1 { size / known } else { extent }).collect()
        }
        1 => {
            return Err(interp.value_error(format!(
                "Specified dims {} do not evenly divide the size of the ref ({size}).",
                interp.repr(&shown)?
            )));
        }
        _ => {
            return Err(
                interp.value_error(format!("At most one dimension can be -1, but got {}", interp.repr(&shown)?))
            );
        }
    };
    reinterpreted(&cx, &reference, Attributes::none().with("shape", Attribute::Ints(sizes)))
}

/// A Ref to the same memory with its dimensions permuted; reversed for `None`.
pub(crate) fn transposed(interp: &Interp, this: &Value, permutation: &Value) -> PyResult<Value> {
    let cx = Context::jax(interp);
    let reference = receiver(interp, this)?;
    known_extents(interp, &reference, "transpose")?;
    let axes: Vec<i64> = match permutation {
        Value::None => (0..reference.shape().rank() as i64).rev().collect(),
        given => interp.collect(given)?.iter().map(|axis| interp.to_i64(axis)).collect::<PyResult<_>>()?,
    };
    reinterpreted(&cx, &reference, Attributes::none().with("permutation", Attribute::Ints(axes)))
}

fn bitcast_method(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, dtype] = args.take();
    let cx = Context::jax(interp);
    let dtype = crate::dtype::parse(&cx, &dtype)?;
    let reference = receiver(interp, &this)?;
    known_extents(interp, &reference, "bitcast")?;
    reinterpreted(&cx, &reference, Attributes::none().with("dtype", Attribute::DType(dtype)))
}

/// Refuses a Ref some of whose extents are computed.
fn known_extents(interp: &Interp, reference: &RefObject, method: &str) -> PyResult<()> {
    match reference.computed().is_empty() {
        true => Ok(()),
        false => Err(interp.not_implemented_error(format!(
            "`{method}` of a part whose size is traced is not provided by the workbench yet: {method} the Ref first, then \
             take the part"
        ))),
    }
}

fn shape(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::tuple(receiver(interp, &this)?.extents()))
}

fn dtype(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let ty = receiver(interp, &this)?.ty;
    Ok(match SemaphoreKind::of(ty.space) {
        Some(kind) => kind.dtype(),
        None => crate::dtype::value(ty.dtype),
    })
}

fn ndim(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::from(receiver(interp, &this)?.shape().len()))
}

fn size(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let reference = receiver(interp, &this)?;
    if reference.computed().is_empty() {
        return Ok(Value::from(reference.shape().size()));
    }
    let one = Value::from(1i64);
    reference.extents().iter().try_fold(one, |size, extent| interp.binary(BinaryOp::Mult, &size, extent))
}

fn at(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    Ok(Value::object(RefAt(receiver(interp, &this)?)))
}

fn memory_space(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let space = receiver(interp, &this)?.ty.space;
    Ok(if space == MemorySpace::Default { Value::None } else { crate::pallas::memory::space_value(space) })
}

/// The array inside a value, for modules that only have arrays to do with.
pub fn array_tile(value: &Value) -> Option<&Tile> {
    value.downcast::<ArrayObject>().map(|object| &object.tile)
}
