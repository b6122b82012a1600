//! An index map traced to IR, and what JAX refuses about it.

use super::{diagnosed, origin_of};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::pallas::program;
use crate::pallas::spec::{self, BlockSpec};
use crate::refs::RefObject;
use crate::trace::{Trace, TraceKind};
use crate::tree::{self, TreeDef};
use pallas_ir::{BlockDim, Function, RefType, TensorType, Type};
use pallas_python::CallArgs;
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::DType;

pub(super) fn trace_index_map(
    cx: &Context<'_>,
    spec: &BlockSpec,
    block: &[BlockDim],
    origin: &str,
    grid: &[Option<usize>],
    scalars: &[RefType],
    scalar_tree: &TreeDef,
) -> PyResult<Function> {
    let interp = cx.interp;
    let function_origin = origin_of(cx, &spec.index_map);
    let trace = Trace::new(
        cx,
        TraceKind::IndexMap,
        &interp.callable_name(&spec.index_map),
        function_origin.clone(),
        Some(grid.to_vec()),
    );
    let mut args = CallArgs::default();
    for _ in grid {
        let value = trace.param(Type::Tensor(TensorType::scalar(DType::I32)), None);
        if let Some(tile) = trace.tile(value) {
            args.positional.push(Value::object(ArrayObject { tile }));
        }
    }
    let refs: Vec<Value> = scalars
        .iter()
        .filter_map(|ty| RefObject::new(&trace, trace.param(Type::Ref(ty.clone()), None)).map(Value::object))
        .collect();
    // Scalars that are `None` are no operands, but the map is given them.
    let prefetched = tree::unflatten(interp, scalar_tree, &mut refs.into_iter())?;
    args.positional.extend(interp.collect(&prefetched)?);
    let given = args.positional.len();
    let map_span = spec.index_map_span;
    let result = trace.within(cx, || {
        if let Err(stop) = interp.bind(&spec.index_map, args.clone()) {
            return Err(diagnosed(stop, || Diagnosis {
                code: "PL106",
                span: map_span,
                message: Some(format!("this index map is called with {}", counted(grid.len(), given - grid.len()))),
                evidence: Some(format!("the grid is {}", program::grid_text(grid))),
                help: Some(match given == grid.len() {
                    true if grid.is_empty() => {
                        "the launch has no grid: give it one (`grid=(...)`), or leave the index map out".to_string()
                    }
                    true => "give the index map one parameter per grid axis".to_string(),
                    false => {
                        "give the index map one parameter per grid axis, and then one per prefetched scalar, which \
                              it may ignore: `lambda i, *_: ...`"
                            .to_string()
                    }
                }),
                ..Diagnosis::default()
            }));
        }
        interp.call(&spec.index_map, args.clone())
    })?;
    let outputs = match &result {
        Value::Tuple(_) | Value::List(_) => interp.collect(&result)?,
        single => vec![single.clone()],
    };
    if outputs.len() != block.len() {
        let dims: Vec<String> = block.iter().map(spec::dim_text).collect();
        let comma = if dims.len() == 1 { "," } else { "" };
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "Index map function {function_origin} for {origin} must return {} values to match \
                 block_shape=({}{comma}). Currently returning {} values:",
                block.len(),
                dims.join(", "),
                outputs.len()
            ),
            Diagnosis {
                code: "PL107",
                span: map_span,
                message: Some(format!(
                    "this index map returns {} block ind{}, but {origin} has {} dimension{}",
                    outputs.len(),
                    if outputs.len() == 1 { "ex" } else { "ices" },
                    block.len(),
                    if block.len() == 1 { "" } else { "s" }
                )),
                help: Some("return one block index per dimension of the array".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    let mut yields = Vec::new();
    for (position, output) in outputs.iter().enumerate() {
        if output.is_none() {
            return Err(interp.error_with(
                &interp.types().attribute_error,
                "'NoneType' object has no attribute 'shape'".to_string(),
                Diagnosis {
                    code: "PL108",
                    span: map_span,
                    message: Some(
                        "this index map returns None; it must return one block index per dimension".to_string(),
                    ),
                    help: Some("a `def` needs a `return`".to_string()),
                    ..Diagnosis::default()
                },
            ));
        }
        let tile = convert::tile(cx, output, "index_map")?;
        if tile.rank() != 0 || !matches!(tile.dtype(), DType::I32 | DType::I64) {
            return Err(interp.error_with(
                &interp.types().value_error,
                format!(
                    "Index map function {function_origin} for {origin} must return integer scalars. Output[{position}] \
                     has type {}{}.",
                    if tile.weak() { "~" } else { "" },
                    crate::errors::type_text(&tile.ty())
                ),
                Diagnosis {
                    code: "PL108",
                    span: map_span,
                    help: Some("use `//` for division: block indices are integers".to_string()),
                    ..Diagnosis::default()
                },
            ));
        }
        let value = trace.within(cx, || {
            let tile = crate::primitive::convert(cx, &tile, DType::I32, false)?;
            cx.value_in(&trace, &tile)
        })?;
        yields.push(value);
    }
    let captured = trace.captured.borrow().clone();
    if let Some((_, span)) = captured.first() {
        let shown: Vec<String> = captured
            .iter()
            .map(|(array, _)| {
                format!("TypedNdArray({}, dtype={})", crate::text::str(interp, array), array.dtype().name())
            })
            .collect();
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "Index map function {function_origin} for {origin} must not capture constants: [{}]",
                shown.join(", ")
            ),
            Diagnosis {
                code: "PL305",
                span: Some(*span),
                message: Some("this index map captures an array from outside".to_string()),
                help: Some("pass it as a prefetched scalar operand (`PrefetchScalarGridSpec`)".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    Ok(trace.finish(yields))
}

/// What an index map is called with, in words.
fn counted(axes: usize, scalars: usize) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let axes = format!("{axes} program id{}, one per grid axis", plural(axes));
    match scalars {
        0 => axes,
        _ => format!("{axes}, and {scalars} prefetched scalar{}", plural(scalars)),
    }
}
