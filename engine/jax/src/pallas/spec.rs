//! `BlockSpec`, `GridSpec` and the kinds of block dimension, as Python values. Turning them into the operands of a
//! launch is in `launch`.

use crate::context::Context;
use crate::dtype;
use crate::jnp::call::find_unknown;
use crate::pallas::memory;
use crate::python_types::{self, Plain};
use pallas_ir::{BlockDim, MemorySpace};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::CompareOp;
use std::any::Any;
use std::rc::Rc;

/// A `BlockSpec`.
pub struct BlockSpec {
    /// `block_shape` as given: a sequence or `None`.
    pub block_shape: Value,
    /// `index_map` as given, or `None`.
    pub index_map: Value,
    /// `memory_space`
    pub space: MemorySpace,
    /// `pl.Buffered(n)`
    pub buffers: Option<Buffered>,
    /// The old `indexing_mode=pl.Unblocked(padding)`: index maps give elements, not blocks.
    pub unblocked: Option<Vec<(usize, usize)>>,
    /// `transforms`, `delay_release` and `collective_axes` of `plgpu.BlockSpec`.
    pub gpu: Option<[Value; 3]>,
    /// The `BlockSpec(...)` expression.
    pub span: Span,
    /// The `block_shape` argument.
    pub block_shape_span: Option<Span>,
    /// The `index_map` argument.
    pub index_map_span: Option<Span>,
}

/// `pl.no_block_spec`
pub struct NoBlockSpec;

/// `pl.Blocked(n)`, `pl.Squeezed()`, `pl.Element(n, padding)`, and the old `pl.Unblocked(padding)`.
pub enum DimObject {
    /// A block dimension.
    Dim(BlockDim),
    /// `pl.Blocked()` without a size: the old indexing mode.
    BlockedMode,
    /// `pl.Unblocked(padding)`: the old indexing mode.
    UnblockedMode(Vec<(usize, usize)>),
    /// `pl.BoundedSlice(n)`: a slice of at most `n`, for pipelines inside kernels.
    BoundedSlice(usize),
    /// `pl.Indirect(n)`: elements at gathered positions, for pipelines inside kernels.
    Indirect(usize),
}

/// `pl.Buffered(n)`
#[derive(Clone, PartialEq)]
pub struct Buffered {
    /// `buffer_count`
    pub count: usize,
    /// `use_lookahead`
    pub lookahead: bool,
    /// `revisit`
    pub revisit: Option<Rc<str>>,
}

/// `GridSpec`, also with prefetched scalars.
pub struct GridSpec {
    /// Whether it is a `PrefetchScalarGridSpec`.
    pub prefetched: bool,
    /// Number of leading arguments that are prefetched scalars.
    pub prefetch: usize,
    /// `grid`
    pub grid: Value,
    /// `in_specs`
    pub in_specs: Value,
    /// `out_specs`
    pub out_specs: Value,
    /// `scratch_shapes`
    pub scratch_shapes: Value,
    /// The `grid` argument.
    pub grid_span: Option<Span>,
}

macro_rules! native_class {
    ($class:ident, $def:ident, $name:literal, $signature:literal, $doc:literal, $make:expr) => {
        static $def: NativeDef = NativeDef { name: $name, signature: $signature, doc: $doc, run: $make };
        static $class: NativeClass = NativeClass {
            name: $name,
            module: "jax._src.pallas.core",
            doc: $doc,
            methods: &[],
            properties: &[],
            construct: Some(|interp, _class, args: CallArgs| {
                let args = crate::support::bind(interp, &$def, args)?;
                ($def.run)(interp, args)
            }),
            instance_check: None,
        };
    };
}

native_class!(
    BLOCK_SPEC,
    BLOCK_SPEC_DEF,
    "BlockSpec",
    "(block_shape=None, index_map=None, memory_space=None, pipeline_mode=None, indexing_mode=None)",
    "How an array is cut into blocks, and which block each program gets.",
    make_block_spec
);
native_class!(
    GPU_BLOCK_SPEC,
    GPU_BLOCK_SPEC_DEF,
    "BlockSpec",
    "(block_shape=None, index_map=None, memory_space=None, pipeline_mode=None, transforms=(), delay_release=0, \
     collective_axes=(), oob_fill_mode=None)",
    "How an array is cut into blocks, how they lie in shared memory, and when their slots are free again.",
    |interp, args| {
        let gpu = args.values().get(4..7).map(|more| [more[0].clone(), more[1].clone(), more[2].clone()]);
        block_spec(interp, args, gpu)
    }
);
native_class!(
    GRID_SPEC,
    GRID_SPEC_DEF,
    "GridSpec",
    "(grid=(), in_specs=None, out_specs=None, scratch_shapes=())",
    "A grid with the specs of inputs, outputs and scratch.",
    |interp, args| make_grid_spec(interp, args, false)
);
native_class!(
    PREFETCH_GRID_SPEC,
    PREFETCH_GRID_SPEC_DEF,
    "PrefetchScalarGridSpec",
    "(num_scalar_prefetch, grid=(), in_specs=None, out_specs=None, scratch_shapes=())",
    "A grid whose index maps may read prefetched scalars.",
    |interp, args| make_grid_spec(interp, args, true)
);
native_class!(
    BLOCKED,
    BLOCKED_DEF,
    "Blocked",
    "(block_size=None)",
    "A block dimension indexed in blocks.",
    |interp, args| {
        let [size] = args.take();
        let dim = match size.given() {
            Some(size) => DimObject::Dim(BlockDim::Blocked(interp.to_usize(&size)?)),
            None => DimObject::BlockedMode,
        };
        Ok(Value::object(dim))
    }
);
native_class!(
    SQUEEZED,
    SQUEEZED_DEF,
    "Squeezed",
    "()",
    "A block dimension of one element that the kernel does not see.",
    |_interp, _args| Ok(Value::object(DimObject::Dim(BlockDim::Squeezed)))
);
native_class!(
    ELEMENT,
    ELEMENT_DEF,
    "Element",
    "(block_size, padding=(0, 0))",
    "A block dimension indexed in elements, with virtual padding of the array.",
    |interp, args| {
        let [size, padding] = args.take();
        let (low, high) = pair(interp, &padding)?;
        Ok(Value::object(DimObject::Dim(BlockDim::Element { size: interp.to_usize(&size)?, low, high })))
    }
);
native_class!(
    UNBLOCKED,
    UNBLOCKED_DEF,
    "Unblocked",
    "(padding=None)",
    "The old indexing mode in elements; `pl.Element` per dimension since JAX 0.5.",
    |interp, args| {
        let [padding] = args.take();
        let padding = match padding.given() {
            Some(padding) => interp.collect(&padding)?.iter().map(|p| pair(interp, p)).collect::<PyResult<Vec<_>>>()?,
            None => Vec::new(),
        };
        Ok(Value::object(DimObject::UnblockedMode(padding)))
    }
);
native_class!(
    BUFFERED,
    BUFFERED_DEF,
    "Buffered",
    "(buffer_count, use_lookahead=False, revisit=None)",
    "How many buffer slots the pipeline keeps for an operand.",
    |interp, args| {
        let [count, lookahead, revisit] = args.take();
        let revisit = match revisit.given() {
            Some(mode) => Some(interp.repr(&mode)?.into()),
            None => None,
        };
        let (count, lookahead) = (interp.to_usize(&count)?, interp.truth(&lookahead)?);
        Ok(Value::object(Buffered { count, lookahead, revisit }))
    }
);
native_class!(
    BOUNDED_SLICE,
    BOUNDED_SLICE_DEF,
    "BoundedSlice",
    "(block_size)",
    "A block dimension whose index map gives slices of at most this size.",
    |interp, args| {
        let [size] = args.take();
        Ok(Value::object(DimObject::BoundedSlice(interp.to_usize(&size)?)))
    }
);
native_class!(
    INDIRECT,
    INDIRECT_DEF,
    "Indirect",
    "(block_size)",
    "A block dimension of elements at gathered positions.",
    |interp, args| {
        let [size] = args.take();
        Ok(Value::object(DimObject::Indirect(interp.to_usize(&size)?)))
    }
);

static NO_BLOCK_SPEC: NativeClass = NativeClass {
    name: "NoBlockSpec",
    module: "jax._src.pallas.core",
    doc: "No spec: the whole array.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The fields of what are dataclasses in JAX.
const FIELDS: [(&NativeClass, &[(&str, Plain)]); 6] = [
    (
        &BLOCK_SPEC,
        &[
            ("block_shape", Plain::None),
            ("index_map", Plain::None),
            ("memory_space", Plain::None),
            ("pipeline_mode", Plain::None),
        ],
    ),
    (&BLOCKED, &[("block_size", Plain::Required)]),
    (&SQUEEZED, &[]),
    (&ELEMENT, &[("block_size", Plain::Required), ("padding", Plain::Required)]),
    (&BOUNDED_SLICE, &[("block_size", Plain::Required)]),
    (&BUFFERED, &[("buffer_count", Plain::Required), ("use_lookahead", Plain::Bool(false)), ("revisit", Plain::None)]),
];

/// How the classes here are called: their tables name no fields of their own.
pub static CONSTRUCTORS: &[&NativeDef] = &[
    &BLOCK_SPEC_DEF,
    &GRID_SPEC_DEF,
    &PREFETCH_GRID_SPEC_DEF,
    &BLOCKED_DEF,
    &SQUEEZED_DEF,
    &ELEMENT_DEF,
    &UNBLOCKED_DEF,
    &BUFFERED_DEF,
    &BOUNDED_SLICE_DEF,
    &INDIRECT_DEF,
];

/// Classes and constants for the namespace of `jax.experimental.pallas`.
pub fn exports(interp: &Interp) -> Vec<(&'static str, Value)> {
    for (table, fields) in FIELDS {
        // Without them, only `dataclasses.replace` and its like are missing.
        let _ = python_types::declare_fields(interp, &interp.native_class(table), fields);
    }
    let class = |table: &'static NativeClass| Value::Class(interp.native_class(table));
    vec![
        ("BlockSpec", class(&BLOCK_SPEC)),
        ("GridSpec", class(&GRID_SPEC)),
        ("PrefetchScalarGridSpec", class(&PREFETCH_GRID_SPEC)),
        ("Blocked", class(&BLOCKED)),
        ("Squeezed", class(&SQUEEZED)),
        ("squeezed", Value::object(DimObject::Dim(BlockDim::Squeezed))),
        ("Element", class(&ELEMENT)),
        ("Unblocked", class(&UNBLOCKED)),
        ("unblocked", Value::object(DimObject::UnblockedMode(Vec::new()))),
        ("Buffered", class(&BUFFERED)),
        ("BoundedSlice", class(&BOUNDED_SLICE)),
        ("Indirect", class(&INDIRECT)),
        ("BlockDim", block_dim(interp)),
        ("no_block_spec", Value::object(NoBlockSpec)),
    ]
}

/// `pl.BlockDim`: the union of the kinds of block dimension, for annotations and `isinstance`.
fn block_dim(interp: &Interp) -> Value {
    let kinds = [&ELEMENT, &SQUEEZED, &BLOCKED, &BOUNDED_SLICE, &INDIRECT];
    let mut classes = kinds.into_iter().map(|table| Value::Class(interp.native_class(table)));
    let first = classes.next().unwrap_or(Value::None);
    classes.fold(first, |union, class| interp.union_of(&union, &class))
}

fn pair(interp: &Interp, value: &Value) -> PyResult<(usize, usize)> {
    let parts = interp.collect(value)?;
    match parts.as_slice() {
        [low, high] => Ok((interp.to_usize(low)?, interp.to_usize(high)?)),
        _ => Err(interp.value_error("padding must be a (low, high) pair".to_string())),
    }
}

/// The span of the argument called `name`, or of the positional argument at `position`.
pub(crate) fn argument_span(interp: &Interp, name: &str, position: usize) -> Option<Span> {
    let spans = interp.argument_spans()?;
    if let Some((_, span)) = spans.iter().find(|(n, _)| n.as_deref() == Some(name)) {
        return Some(*span);
    }
    spans.iter().filter(|(n, _)| n.is_none()).nth(position).map(|(_, span)| *span)
}

/// `plgpu.BlockSpec`
pub fn gpu_block_spec(interp: &Interp) -> Value {
    Value::Class(interp.native_class(&GPU_BLOCK_SPEC))
}

fn make_block_spec(interp: &Interp, args: Arguments) -> PyResult<Value> {
    block_spec(interp, args, None)
}

fn block_spec(interp: &Interp, args: Arguments, gpu: Option<[Value; 3]>) -> PyResult<Value> {
    let mut shape_span = argument_span(interp, "block_shape", 0);
    let mut map_span = argument_span(interp, "index_map", 1);
    let values = args.values();
    let value = |position: usize| values.get(position).cloned().unwrap_or(Value::None);
    let (mut block_shape, mut index_map, space, pipeline_mode) = (value(0), value(1), value(2), value(3));
    let indexing_mode = if gpu.is_none() { value(4) } else { Value::None };
    // Until JAX 0.4.31 the index map came first. Both orders are told apart by what is callable.
    if interp.is_callable(&block_shape) && !interp.is_callable(&index_map) {
        std::mem::swap(&mut block_shape, &mut index_map);
        std::mem::swap(&mut shape_span, &mut map_span);
    }
    // In analysis: blocks that cannot be known make the launch unknown, not wrong.
    if let Some(unknown) = find_unknown(&block_shape, 2) {
        return Ok(unknown);
    }
    // What another spec shows as its index map.
    if let Some(shown) = index_map.downcast::<IndexMapFunction>() {
        index_map = shown.0.clone();
    }
    let unblocked = match indexing_mode.downcast::<DimObject>() {
        Some(DimObject::UnblockedMode(padding)) => Some(padding.clone()),
        _ => None,
    };
    Ok(Value::object(BlockSpec {
        block_shape: block_shape.given().unwrap_or(Value::None),
        index_map: index_map.given().unwrap_or(Value::None),
        space: memory::parse_space(interp, &space)?,
        buffers: pipeline_mode.downcast::<Buffered>().cloned(),
        unblocked,
        gpu,
        span: interp.visible_span(),
        block_shape_span: shape_span,
        index_map_span: map_span,
    }))
}

fn make_grid_spec(interp: &Interp, args: Arguments, prefetched: bool) -> PyResult<Value> {
    let grid_span = argument_span(interp, "grid", usize::from(prefetched));
    let (prefetch, [grid, in_specs, out_specs, scratch_shapes]) = if prefetched {
        let [count, grid, in_specs, out_specs, scratch] = args.take();
        (interp.to_usize(&count)?, [grid, in_specs, out_specs, scratch])
    } else {
        (0, args.take())
    };
    if let Some(unknown) = [&grid, &in_specs, &out_specs].into_iter().find_map(|v| find_unknown(v, 4)) {
        return Ok(unknown);
    }
    check_in_specs(interp, &in_specs, interp.span())?;
    let as_tuple = |specs: Value| match &specs {
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        _ => specs,
    };
    let (in_specs, out_specs) = (as_tuple(in_specs), as_tuple(out_specs));
    Ok(Value::object(GridSpec { prefetched, prefetch, grid, in_specs, out_specs, scratch_shapes, grid_span }))
}

/// `in_specs` is a list or tuple of specs, one for each argument.
pub(crate) fn check_in_specs(interp: &Interp, value: &Value, span: Span) -> PyResult<()> {
    let fits = matches!(value, Value::None | Value::Unset | Value::Unknown(_) | Value::Tuple(_) | Value::List(_));
    if fits || value.downcast::<NoBlockSpec>().is_some() {
        return Ok(());
    }
    Err(interp.error_with(
        &interp.types().value_error,
        format!("`in_specs` must be a tuple or a list. Found: {}", interp.repr(value)?),
        Diagnosis { code: "PL103", span: Some(span), ..Diagnosis::default() },
    ))
}

impl BlockSpec {
    /// Whether the length of its blocks is computed along some dimension, or their rows are gathered.
    pub fn has_parts(&self) -> bool {
        let is_part = |dim: &Value| {
            matches!(dim.downcast::<DimObject>(), Some(DimObject::BoundedSlice(_) | DimObject::Indirect(_)))
        };
        match &self.block_shape {
            Value::Tuple(dims) => dims.iter().any(is_part),
            Value::List(dims) => dims.borrow().iter().any(is_part),
            _ => false,
        }
    }

    /// The block of an array with this shape.
    ///
    /// # Errors
    /// `ValueError` in JAX's words where ranks differ or a dimension is of no known kind.
    pub fn dims(&self, cx: &Context<'_>, array_shape: &[usize], origin: &str) -> PyResult<Vec<BlockDim>> {
        let interp = cx.interp;
        if self.block_shape.is_none() {
            return Ok(array_shape.iter().map(|&n| BlockDim::Blocked(n)).collect());
        }
        let dims =
            interp.collect(&self.block_shape)?.iter().map(|dim| self.dim(interp, dim)).collect::<PyResult<Vec<_>>>()?;
        if dims.len() != array_shape.len() {
            let block: Vec<String> = dims.iter().map(dim_text).collect();
            let comma = if block.len() == 1 { "," } else { "" };
            let shape = pallas_tensor::Shape::from(array_shape);
            return Err(interp.error_with(
                &interp.types().value_error,
                format!(
                    "Block shape for {origin} (= ({}{comma})) must have the same number of dimensions as the array \
                     shape {shape}.",
                    block.join(", ")
                ),
                Diagnosis {
                    code: "PL104",
                    span: self.block_shape_span,
                    message: Some(format!(
                        "this block has {} dimensions, but {origin} has {} (shape {shape})",
                        dims.len(),
                        array_shape.len()
                    )),
                    help: Some(
                        "give one block extent per dimension of the array; `None` for one element, squeezed".into(),
                    ),
                    ..Diagnosis::default()
                },
            ));
        }
        let Some(padding) = &self.unblocked else { return Ok(dims) };
        Ok(dims
            .into_iter()
            .enumerate()
            .map(|(i, dim)| match dim {
                BlockDim::Blocked(size) => {
                    let (low, high) = padding.get(i).copied().unwrap_or((0, 0));
                    BlockDim::Element { size, low, high }
                }
                dim => dim,
            })
            .collect())
    }

    fn dim(&self, interp: &Interp, dim: &Value) -> PyResult<BlockDim> {
        match dim {
            Value::None => Ok(BlockDim::Squeezed),
            Value::Object(_) if dim.downcast::<DimObject>().is_some() => match dim.downcast::<DimObject>() {
                Some(DimObject::Dim(dim)) => Ok(*dim),
                Some(DimObject::BoundedSlice(_) | DimObject::Indirect(_)) => {
                    let class = interp.repr(&Value::Class(interp.type_of(dim)))?;
                    Err(interp.value_error(format!("Unsupported block dim type: {class}")))
                }
                _ => Err(interp.value_error("pl.Blocked needs a block size here".to_string())),
            },
            _ => match interp.to_i64(dim) {
                Ok(size) if size > 0 => Ok(BlockDim::Blocked(size as usize)),
                Ok(size) => Err(interp.error_with(
                    &interp.types().value_error,
                    format!("block dimensions must be positive, got {size}"),
                    Diagnosis {
                        code: "PL105",
                        span: self.block_shape_span,
                        help: Some("use `None` for one element with the dimension squeezed out".to_string()),
                        ..Diagnosis::default()
                    },
                )),
                Err(_) => {
                    let class = interp.repr(&Value::Class(interp.type_of(dim)))?;
                    Err(interp.value_error(format!(
                        "Unsupported block dimension type: {class}. Allowed types: `pl.Squeezed`, `pl.Blocked`, \
                         `pl.Element`, `int`, `None`."
                    )))
                }
            },
        }
    }
}

/// As JAX prints block dimensions.
pub fn dim_text(dim: &BlockDim) -> String {
    match dim {
        BlockDim::Blocked(size) => format!("Blocked(block_size={size})"),
        BlockDim::Squeezed => "Squeezed()".to_string(),
        BlockDim::Element { size, low: 0, high: 0 } => format!("Element({size})"),
        BlockDim::Element { size, low, high } => format!("Element({size}, padding=({low}, {high}))"),
    }
}

impl Object for BlockSpec {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.gpu.is_some() { &GPU_BLOCK_SPEC } else { &BLOCK_SPEC })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "block_shape" => Some(self.block_shape.clone()),
            "index_map" if self.index_map.is_none() => Some(Value::None),
            "index_map" => Some(Value::object(IndexMapFunction(self.index_map.clone()))),
            "memory_space" if self.space == MemorySpace::Default => Some(Value::None),
            "memory_space" => Some(memory::space_value(self.space)),
            "pipeline_mode" => Some(self.buffers.clone().map_or(Value::None, Value::object)),
            "transforms" => self.gpu.as_ref().map(|[transforms, ..]| transforms.clone()),
            "delay_release" => self.gpu.as_ref().map(|[_, delay, _]| delay.clone()),
            "collective_axes" => self.gpu.as_ref().map(|[.., axes]| axes.clone()),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let shape = interp.repr(&self.block_shape)?;
        let map = match &self.index_map {
            Value::None => "None".to_string(),
            map => format!("_IndexMapFunc({})", interp.repr(map)?),
        };
        let space = match self.space {
            MemorySpace::Default => "None".to_string(),
            space => memory::space_text(space),
        };
        let mode = self.buffers.as_ref().map_or("None".to_string(), Buffered::text);
        Ok(Some(format!("BlockSpec(block_shape={shape}, index_map={map}, memory_space={space}, pipeline_mode={mode})")))
    }
}

/// What `spec.index_map` gives: the function, whose result is always a tuple.
struct IndexMapFunction(Value);

impl Object for IndexMapFunction {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.type_of(&self.0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(interp.call(&self.0, args).map(|result| match result {
            Value::Tuple(_) => result,
            Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
            single => Value::tuple([single]),
        }))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("_IndexMapFunc({})", interp.repr(&self.0)?)))
    }
}

impl Object for DimObject {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(match self {
            DimObject::Dim(BlockDim::Blocked(_)) | DimObject::BlockedMode => &BLOCKED,
            DimObject::Dim(BlockDim::Squeezed) => &SQUEEZED,
            DimObject::Dim(BlockDim::Element { .. }) => &ELEMENT,
            DimObject::UnblockedMode(_) => &UNBLOCKED,
            DimObject::BoundedSlice(_) => &BOUNDED_SLICE,
            DimObject::Indirect(_) => &INDIRECT,
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match (self, name) {
            (DimObject::Dim(BlockDim::Squeezed), "block_size") => None,
            (DimObject::Dim(dim), "block_size") => Some(Value::from(dim.size())),
            (DimObject::BoundedSlice(size) | DimObject::Indirect(size), "block_size") => Some(Value::from(*size)),
            (DimObject::Dim(BlockDim::Element { low, high, .. }), "padding") => {
                Some(Value::tuple([Value::from(*low), Value::from(*high)]))
            }
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(match self {
            DimObject::Dim(BlockDim::Element { size, low, high }) => {
                format!("Element(block_size={size}, padding=({low}, {high}))")
            }
            DimObject::Dim(dim) => dim_text(dim),
            DimObject::BlockedMode => "Blocked()".to_string(),
            DimObject::UnblockedMode(_) => "Unblocked()".to_string(),
            DimObject::BoundedSlice(size) => format!("BoundedSlice({size})"),
            DimObject::Indirect(size) => format!("Indirect({size})"),
        }))
    }

    fn compare(&self, this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let same = other.downcast::<DimObject>().is_some() && interp.repr(this)? == interp.repr(other)?;
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(same)),
            CompareOp::NotEq => Some(Value::Bool(!same)),
            _ => None,
        })
    }

    fn hash(&self, this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        Some(interp.repr(this).and_then(|text| interp.hash(&Value::from(text))))
    }

    fn str(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        match self {
            DimObject::Dim(BlockDim::Blocked(size)) => Ok(Some(format!("Blocked({size})"))),
            DimObject::Dim(dim) => Ok(Some(dim_text(dim))),
            _ => self.repr(this, interp),
        }
    }
}

impl Object for Buffered {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&BUFFERED)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "buffer_count" => Some(Value::from(self.count)),
            "use_lookahead" => Some(Value::Bool(self.lookahead)),
            "revisit" if self.revisit.is_none() => Some(Value::None),
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Buffered>() else { return Ok(None) };
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(self == other)),
            CompareOp::NotEq => Some(Value::Bool(self != other)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(self.count as u64 * 2 + u64::from(self.lookahead)))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.text()))
    }
}

impl Buffered {
    fn text(&self) -> String {
        let lookahead = if self.lookahead { "True" } else { "False" };
        let revisit = self.revisit.as_deref().unwrap_or("None");
        format!("Buffered(buffer_count={}, use_lookahead={lookahead}, revisit={revisit})", self.count)
    }
}

impl Object for NoBlockSpec {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&NO_BLOCK_SPEC)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some("NoBlockSpec".to_string()))
    }
}

impl Object for GridSpec {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.prefetched { &PREFETCH_GRID_SPEC } else { &GRID_SPEC })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "grid" => Some(self.grid.clone()),
            "in_specs" => Some(self.in_specs.clone()),
            "out_specs" => Some(self.out_specs.clone()),
            "scratch_shapes" => Some(self.scratch_shapes.clone()),
            "num_scalar_prefetch" if self.prefetched => Some(Value::from(self.prefetch)),
            "grid_names" => Some(Value::None),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let specs = |specs: &Value| match specs {
            Value::None | Value::Unset => Ok("NoBlockSpec".to_string()),
            specs => interp.repr(specs),
        };
        let scratch = match &self.scratch_shapes {
            Value::List(items) => interp.repr(&Value::tuple(items.borrow().iter().cloned()))?,
            scratch => interp.repr(scratch)?,
        };
        let (name, prefetch) = match self.prefetched {
            true => ("PrefetchScalarGridSpec", format!(", num_scalar_prefetch={}", self.prefetch)),
            false => ("GridSpec", String::new()),
        };
        Ok(Some(format!(
            "{name}(grid={}, grid_names=None, in_specs={}, out_specs={}, scratch_shapes={scratch}{prefetch})",
            interp.repr(&self.grid)?,
            specs(&self.in_specs)?,
            specs(&self.out_specs)?
        )))
    }
}

/// The dtype and shape that a value declares: `ShapeDtypeStruct`, an array, anything with `.shape` and `.dtype`.
pub fn declared(cx: &Context<'_>, value: &Value) -> PyResult<Option<(pallas_tensor::Shape, pallas_tensor::DType)>> {
    // Numbers convert to arrays elsewhere, but describe none: JAX asks for `shape` and `dtype` here.
    if matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_)) {
        return Ok(None);
    }
    if let Some(tile) = crate::convert::try_tile(cx, value)? {
        return Ok(Some((tile.shape().clone(), tile.dtype())));
    }
    let (Some(shape), Some(dtype)) = (cx.interp.find_attr(value, "shape")?, cx.interp.find_attr(value, "dtype")?)
    else {
        return Ok(None);
    };
    Ok(Some((crate::convert::shape(cx, &shape)?, dtype::parse(cx, &dtype)?)))
}
