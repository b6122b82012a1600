//! `BlockSpec`, `GridSpec` and the kinds of block dimension, as Python values. Turning them into the operands of a
//! launch is in `launch`.

mod block_spec;
mod buffered;
mod dims;
mod grid_spec;

pub use self::block_spec::BlockSpec;
pub use self::buffered::Buffered;
pub use self::dims::{DimObject, dim_text};
pub use self::grid_spec::GridSpec;

use self::block_spec::{BLOCK_SPEC, BLOCK_SPEC_DEF, GPU_BLOCK_SPEC, GPU_BLOCK_SPEC_DEF};
use self::buffered::{BUFFERED, BUFFERED_DEF};
use self::dims::{
    BLOCKED, BLOCKED_DEF, BOUNDED_SLICE, BOUNDED_SLICE_DEF, ELEMENT, ELEMENT_DEF, INDIRECT, INDIRECT_DEF, SQUEEZED,
    SQUEEZED_DEF, UNBLOCKED, UNBLOCKED_DEF, block_dim,
};
use self::grid_spec::{GRID_SPEC, GRID_SPEC_DEF, PREFETCH_GRID_SPEC, PREFETCH_GRID_SPEC_DEF};
use crate::context::Context;
use crate::dtype;
use crate::python_types::{self, Plain};
use pallas_ir::BlockDim;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_syntax::Span;
use std::rc::Rc;

/// A class of which programs make values by calling it.
macro_rules! native_class {
    ($class:ident, $def:ident, $name:literal, $signature:literal, $doc:literal, $make:expr) => {
        pub(super) static $def: pallas_python::native::NativeDef =
            pallas_python::native::NativeDef { name: $name, signature: $signature, doc: $doc, run: $make };
        pub(super) static $class: pallas_python::class::NativeClass = pallas_python::class::NativeClass {
            name: $name,
            module: "jax._src.pallas.core",
            doc: $doc,
            methods: &[],
            properties: &[],
            construct: Some(|interp, _class, args: pallas_python::CallArgs| {
                let args = crate::support::bind(interp, &$def, args)?;
                ($def.run)(interp, args)
            }),
            instance_check: None,
        };
    };
}
use native_class;

/// `pl.no_block_spec`
pub struct NoBlockSpec;

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
    &GPU_BLOCK_SPEC_DEF,
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
        python_types::declare_fields(interp, &interp.native_class(table), fields);
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

/// `in_specs` is a list or tuple of specs, one for each argument.
pub(crate) fn check_in_specs(interp: &Interp, value: &Value, span: Span) -> PyResult<()> {
    let fits = matches!(value, Value::None | Value::Unset | Value::Unknown(_) | Value::Tuple(_) | Value::List(_));
    if fits || value.downcast::<NoBlockSpec>().is_some() {
        return Ok(());
    }
    Err(interp.error_with(
        &interp.types().value_error,
        format!("`in_specs` must be a tuple or a list. Found: {}", interp.repr(value)?),
        Diagnosis {
            code: "PL103",
            span: Some(span),
            message: Some("`in_specs` has one spec for each input, in a list or a tuple".to_string()),
            help: Some("put it into a list: `in_specs=[...]`".to_string()),
            ..Diagnosis::default()
        },
    ))
}

impl Object for NoBlockSpec {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&NO_BLOCK_SPEC)
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some("NoBlockSpec".to_string()))
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
