//! `BlockSpec` and `plgpu.BlockSpec`, and the blocks that they cut.

use super::buffered::Buffered;
use super::dims::{DimObject, dim_text};
use super::{argument_span, native_class};
use crate::context::Context;
use crate::jnp::call::find_unknown;
use crate::pallas::memory;
use pallas_ir::{BlockDim, MemorySpace};
use pallas_python::CallArgs;
use pallas_python::class::Class;
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::Span;
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

native_class!(
    BLOCK_SPEC,
    BLOCK_SPEC_DEF,
    "BlockSpec",
    "(block_shape=None, index_map=None, pipeline_mode=None, *, memory_space=None, indexing_mode=None)",
    "How an array is cut into blocks, and which block each program gets.",
    make_block_spec
);

native_class!(
    GPU_BLOCK_SPEC,
    GPU_BLOCK_SPEC_DEF,
    "BlockSpec",
    "(block_shape=None, index_map=None, pipeline_mode=None, transforms=(), delay_release=0, collective_axes=(), *, \
     memory_space=None, oob_fill_mode=None)",
    "How an array is cut into blocks, how they lie in shared memory, and when their slots are free again.",
    |interp, args| {
        let gpu = args.values().get(3..6).map(|more| [more[0].clone(), more[1].clone(), more[2].clone()]);
        block_spec(interp, args, gpu)
    }
);

fn make_block_spec(interp: &Interp, args: Arguments) -> PyResult<Value> {
    block_spec(interp, args, None)
}

pub(super) fn block_spec(interp: &Interp, args: Arguments, gpu: Option<[Value; 3]>) -> PyResult<Value> {
    let mut shape_span = argument_span(interp, "block_shape", 0);
    let mut map_span = argument_span(interp, "index_map", 1);
    let values = args.values();
    let value = |position: usize| values.get(position).cloned().unwrap_or(Value::None);
    let (mut block_shape, mut index_map, pipeline_mode) = (value(0), value(1), value(2));
    let (space, indexing_mode) = match gpu {
        None => (value(3), value(4)),
        Some(_) => (value(6), Value::None),
    };
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

/// Whether an expression stands in parentheses of its own: not in those of a call.
fn in_parentheses(interp: &Interp, span: Span) -> bool {
    let Some(source) = interp.source(span.file) else { return false };
    let mut before = source.text[..span.start as usize].chars().rev();
    let is_open = before.next() == Some('(') && !before.next().is_some_and(|c| c.is_alphanumeric() || c == '_');
    is_open && source.text[span.end as usize..].starts_with(')')
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
        let given = interp.collect(&self.block_shape).map_err(|stop| self.no_tuple(interp, stop))?;
        let dims = given.iter().map(|dim| self.dim(interp, dim)).collect::<PyResult<Vec<_>>>()?;
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
                        "this block has {} dimension{}, but {origin} has {} (shape {shape})",
                        dims.len(),
                        if dims.len() == 1 { "" } else { "s" },
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

    /// `(256)`: a number where a tuple was meant.
    fn no_tuple(&self, interp: &Interp, mut stop: Box<Stop>) -> Box<Stop> {
        if let (Value::Int(size), Stop::Raise(raise)) = (&self.block_shape, &mut *stop)
            && raise.diagnosis.is_none()
        {
            let written = |span: Span| interp.source(span.file).map(|source| source.slice(span).to_string());
            let text = self.block_shape_span.and_then(written).unwrap_or_else(|| size.to_string());
            let tuple = if self.block_shape_span.is_some_and(|span| in_parentheses(interp, span)) {
                format!("{text},")
            } else {
                format!("({text},)")
            };
            raise.diagnosis = Some(Box::new(Diagnosis {
                code: "PL104",
                span: self.block_shape_span,
                message: Some(format!("this block shape is the number {size}, not a tuple")),
                help: Some(format!("parentheses make no tuple, a comma does: `({text},)`")),
                fix: self.block_shape_span.map(|span| (span, tuple, format!("write ({text},)"))),
                ..Diagnosis::default()
            }));
        }
        stop
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
                    Err(interp.error_with(
                        &interp.types().value_error,
                        format!(
                            "Unsupported block dimension type: {class}. Allowed types: `pl.Squeezed`, `pl.Blocked`, \
                             `pl.Element`, `int`, `None`."
                        ),
                        Diagnosis {
                            code: "PL105",
                            span: self.block_shape_span,
                            help: matches!(dim, Value::Float(_))
                                .then(|| "`/` gives a float: divide with `//`".to_string()),
                            ..Diagnosis::default()
                        },
                    ))
                }
            },
        }
    }
}

impl Object for BlockSpec {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if self.gpu.is_some() { &GPU_BLOCK_SPEC } else { &BLOCK_SPEC })
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
