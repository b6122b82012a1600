//! From the arguments of a `pallas_call` to a [`Launch`]: specs matched to operands, index maps and kernel traced.
//! The checks and their words are those of jax/_src/pallas/{core,pallas_call}.py; each carries our rule's code.

use crate::array::ArrayObject;
use crate::context::Context;
use crate::convert;
use crate::held::HeldRef;
use crate::pallas::call::PallasCall;
use crate::pallas::memory::MemoryRef;
use crate::pallas::spec::{self, BlockSpec, GridSpec, NoBlockSpec};
use crate::pallas::{agents, mesh, program};
use crate::primitive;
use crate::refs::{RefObject, array_tile};
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::transform::named;
use crate::tree::{self, TreeDef};
use pallas_ir::launch::{LaunchSpans, OperandSpans};
use pallas_ir::{BlockDim, Function, Launch, MemorySpace, Operand, RefType, Role, TensorType, Type};
use pallas_python::CallArgs;
use pallas_python::function::Body;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::{Expr, ExprKind, StmtKind};
use pallas_tensor::DType;
use std::rc::Rc;
use std::sync::Arc;

/// A launch together with what the caller needs to give results back.
pub struct Prepared {
    /// The launch.
    pub launch: Arc<Launch>,
    /// Its arguments: the extents of dynamic axes, prefetched scalars, inputs.
    pub arguments: Vec<Tile>,
    /// How outputs are put together.
    pub out_tree: TreeDef,
    /// Refs from outside among the inputs: what the kernel leaves in them are the last outputs.
    pub held: Vec<Value>,
}

/// An operand before its spec is known to fit.
struct Planned {
    role: Role,
    array: TensorType,
    origin: String,
    spec: Option<Rc<SpecRef>>,
}

/// A spec as a value, with the object inside.
struct SpecRef(Value);

impl SpecRef {
    fn get(&self) -> Option<&BlockSpec> {
        self.0.downcast()
    }
}

/// Builds the launch of one call.
pub fn prepare(cx: &Context<'_>, call: &PallasCall, args: Vec<Value>, apply: Span) -> PyResult<Prepared> {
    let interp = cx.interp;
    let grid_spec = call.grid_spec.downcast::<GridSpec>();
    let (grid_value, in_specs, out_specs, scratch_value, prefetch) = match grid_spec {
        Some(s) => (&s.grid, &s.in_specs, &s.out_specs, &s.scratch_shapes, s.prefetch),
        None => (&call.grid, &call.in_specs, &call.out_specs, &call.scratch_shapes, 0),
    };
    let interpretation = cx.state.forced_interpretation.get().unwrap_or(call.interpretation);
    let Grid { extents: grid, dynamic, given, names } = parse_grid(cx, call, grid_value)?;

    // Arguments: prefetched scalars, then inputs matched against `in_specs`.
    let prefetch = prefetch.min(args.len());
    let (scalars, inputs) = args.split_at(prefetch);
    let (scalar_leaves, scalar_tree) = tree::flatten(interp, &Value::tuple(scalars.iter().cloned()), None)?;
    let (input_leaves, input_tree) = tree::flatten(interp, &Value::tuple(inputs.iter().cloned()), None)?;
    // Kernels over cores work on Refs from outside in place.
    let in_place = |leaf: &Value| call.space == MemorySpace::Any && leaf.downcast::<HeldRef>().is_some();
    let (held_at, held): (Vec<usize>, Vec<Value>) =
        input_leaves.iter().cloned().enumerate().filter(|(_, leaf)| in_place(leaf)).unzip();
    let arguments = scalar_leaves
        .iter()
        .chain(&input_leaves)
        .map(|leaf| match leaf.downcast::<HeldRef>() {
            Some(reference) if in_place(leaf) => reference.read(cx),
            _ => convert::tile(cx, leaf, "pallas_call"),
        })
        .collect::<PyResult<Vec<_>>>()?;
    let cached = match held.is_empty() {
        true => call.traces.find(cx, (&scalar_tree, &input_tree), &arguments)?,
        false => None,
    };
    if let Some((launch, out_tree)) = cached {
        let spans = LaunchSpans { apply, ..launch.spans.clone() };
        let launch = Arc::new(Launch { spans, interpretation, ..(*launch).clone() });
        return Ok(Prepared { launch, arguments: given.into_iter().chain(arguments).collect(), out_tree, held });
    }
    let out_shape = match &call.out_shape {
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        value => value.clone(),
    };
    let (out_leaves, out_tree) = tree::flatten(interp, &out_shape, None)?;
    let out_types = out_leaves.iter().map(|leaf| out_type(cx, call, leaf)).collect::<PyResult<Vec<_>>>()?;

    let in_specs = specs(cx, call, in_specs, &input_tree, input_leaves.len(), "`in_specs`", "`inputs`")?;
    let out_specs = specs(cx, call, out_specs, &out_tree, out_types.len(), "`out_specs`", "`out_shape`")?;

    let mut planned = Vec::new();
    let (scalar_tiles, input_tiles) = arguments.split_at(scalar_leaves.len());
    for (index, tile) in scalar_tiles.iter().enumerate() {
        planned.push(Planned {
            role: Role::Prefetch,
            array: bare(tile.ty()),
            origin: format!("args[{index}]"),
            spec: None,
        });
    }
    let mut origins = Vec::new();
    for (index, def) in input_tree.children().iter().enumerate() {
        def.paths(&format!("args[{}]", index + scalars.len()), &mut origins);
    }
    let origins_of_held: Vec<String> = held_at.iter().filter_map(|&at| origins.get(at).cloned()).collect();
    for ((tile, spec), origin) in input_tiles.iter().zip(in_specs).zip(origins) {
        planned.push(Planned { role: Role::Input, array: bare(tile.ty()), origin, spec });
    }
    let out_paths = out_origins(&out_tree);
    for ((ty, spec), origin) in out_types.iter().zip(out_specs).zip(out_paths) {
        planned.push(Planned { role: Role::Output, array: ty.clone(), origin, spec });
    }
    let mut passed_on = Vec::new();
    for (number, (&at, origin)) in held_at.iter().zip(origins_of_held).enumerate() {
        let Some(tile) = input_tiles.get(at) else { continue };
        planned.push(Planned { role: Role::Output, array: bare(tile.ty()), origin, spec: None });
        passed_on.push((scalar_tiles.len() + at, out_types.len() + number));
    }

    let scalar_refs: Vec<RefType> = scalar_tiles.iter().map(|t| ref_type(&t.ty(), MemorySpace::Smem)).collect();
    let known: Vec<Option<usize>> =
        grid.iter().enumerate().map(|(axis, &extent)| (!dynamic.contains(&axis)).then_some(extent)).collect();
    let mut operands = planned
        .into_iter()
        .map(|plan| operand(cx, plan, &known, &scalar_refs, &scalar_tree, call.space))
        .collect::<PyResult<Vec<_>>>()?;

    let (scratch, scratch_tree) = scratch_types(cx, scratch_value, &names)?;
    let trees = KernelTrees {
        scalars: &scalar_tree,
        inputs: &input_tree,
        outputs: &out_tree,
        scratch: &scratch_tree,
        in_place: &passed_on,
    };
    let kernel = trace_kernel(cx, call, (known, &names), &mut operands, &scratch, &trees)?;
    let mut aliases = aliases(cx, call, &operands)?;
    aliases.extend(passed_on);
    let spans = LaunchSpans {
        call: call.span,
        apply,
        kernel: interp.underlying_function(&call.kernel).map(|f| f.code.name_span()),
        grid: grid_spec.and_then(|s| s.grid_span).or(call.grid_span),
        out_shape: call.out_shape_span,
    };
    let (semantics, target, vmem_limit) = (call.semantics.clone(), call.target, call.vmem_limit);
    let launch = Arc::new(Launch {
        kernel,
        grid,
        dynamic,
        operands,
        scratch,
        aliases,
        semantics,
        target,
        vmem_limit,
        interpretation,
        spans,
    });
    if held.is_empty() {
        call.traces.keep(cx, (scalar_tree, input_tree), &arguments, (&launch, &out_tree));
    }
    Ok(Prepared { launch, arguments: given.into_iter().chain(arguments).collect(), out_tree, held })
}

/// What a `grid` says.
#[derive(Default)]
struct Grid {
    /// One per axis; 1 where it is not known yet.
    extents: Vec<usize>,
    /// Axes whose extents are not known yet.
    dynamic: Vec<usize>,
    /// Those extents.
    given: Vec<Tile>,
    /// Names of axes, where they have some.
    names: Vec<Option<Rc<str>>>,
}

/// `grid=4`, `grid=(4, 2)`, named grids `(("i", 4), ...)`, and integer scalars that are being traced.
fn parse_grid(cx: &Context<'_>, call: &PallasCall, value: &Value) -> PyResult<Grid> {
    let interp = cx.interp;
    let invalid = |interp: &pallas_python::Interp| {
        let shown = interp.repr(value).unwrap_or_default();
        interp.error_with(
            &interp.types().value_error,
            format!("Grid must be a tuple of integers or jax.Array, got {shown}"),
            Diagnosis { code: "PL101", span: call.grid_span, ..Diagnosis::default() },
        )
    };
    let dims = match value {
        Value::None | Value::Unset => return Ok(Grid::default()),
        Value::Int(_) => vec![value.clone()],
        Value::Object(object) if object.is_index() => vec![value.clone()],
        Value::Tuple(_) | Value::List(_) => interp.collect(value)?,
        _ => return Err(invalid(interp)),
    };
    let mut grid = Grid::default();
    for (axis, dim) in dims.iter().enumerate() {
        let dim = match dim {
            Value::Tuple(named) if named.len() == 2 => {
                grid.names.push(Some(interp.str(&named[0])?.as_str().into()));
                &named[1]
            }
            dim => {
                grid.names.push(None);
                dim
            }
        };
        if let Some(extent) = array_tile(dim).filter(|tile| tile.array().is_none()) {
            if extent.rank() != 0 || !extent.dtype().is_integer() {
                return Err(invalid(interp));
            }
            grid.given.push(primitive::convert(cx, extent, DType::I32, false)?);
            grid.dynamic.push(axis);
            grid.extents.push(1);
            continue;
        }
        let extent = match dim {
            Value::Int(_) => interp.to_i64(dim)?,
            Value::Object(object) if object.is_index() => interp.to_i64(dim)?,
            _ => return Err(invalid(interp)),
        };
        // JAX runs no program for an extent of zero or less; the finding is made from the launch.
        grid.extents.push(usize::try_from(extent).unwrap_or(0));
    }
    Ok(grid)
}

fn bare(ty: TensorType) -> TensorType {
    TensorType { weak: false, ..ty }
}

fn ref_type(ty: &TensorType, space: MemorySpace) -> RefType {
    RefType::new(ty.dtype, ty.shape.clone(), space)
}

fn out_type(cx: &Context<'_>, call: &PallasCall, leaf: &Value) -> PyResult<TensorType> {
    match spec::declared(cx, leaf)? {
        Some((shape, dtype)) => Ok(TensorType::new(pallas_tensor::canonicalize(dtype, cx.x64()), shape)),
        None => {
            let class = cx.interp.repr(&Value::Class(cx.interp.type_of(leaf)))?;
            Err(cx.interp.error_with(
                &cx.interp.types().value_error,
                format!("Invalid out_shape type: {class}"),
                Diagnosis {
                    code: "PL102",
                    span: call.out_shape_span,
                    help: Some("use `jax.ShapeDtypeStruct(shape, dtype)`".to_string()),
                    ..Diagnosis::default()
                },
            ))
        }
    }
}

/// `outputs`, `outputs[0]`, `outputs['a']`: how JAX names outputs in messages.
fn out_origins(tree: &TreeDef) -> Vec<String> {
    let mut out = Vec::new();
    tree.paths("outputs", &mut out);
    out
}

/// One spec per leaf. `None` for whole arrays.
fn specs(
    cx: &Context<'_>,
    call: &PallasCall,
    value: &Value,
    tree: &TreeDef,
    leaves: usize,
    what: &str,
    against: &str,
) -> PyResult<Vec<Option<Rc<SpecRef>>>> {
    let interp = cx.interp;
    if matches!(value, Value::None | Value::Unset) || value.downcast::<NoBlockSpec>().is_some() {
        return Ok((0..leaves).map(|_| None).collect());
    }
    let value = match value {
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        value => value.clone(),
    };
    let (spec_leaves, spec_tree) = tree::flatten(interp, &value, None)?;
    if !spec_tree.same(tree, interp)? {
        return Err(tree_mismatch(cx, call, (what, &spec_tree), (against, tree)));
    }
    Ok(spec_leaves
        .into_iter()
        .map(|leaf| leaf.downcast::<BlockSpec>().is_some().then(|| Rc::new(SpecRef(leaf))))
        .collect())
}

fn tree_mismatch(
    cx: &Context<'_>,
    call: &PallasCall,
    (what, specs): (&str, &TreeDef),
    (against, tree): (&str, &TreeDef),
) -> Box<Stop> {
    let found = tree::differences(cx.interp, specs, tree).unwrap_or_default();
    let mut message =
        format!("Pytree for {what} and {against} do not match. There are {} mismatches, including:", found.len());
    for difference in &found {
        let place = if difference.path.is_empty() { String::new() } else { format!("at {}, ", difference.path) };
        message.push_str(&format!(
            "\n    * {place}{what} is a {} but {against} is a {}, so {}",
            difference.first, difference.second, difference.why
        ));
    }
    let span = if what == "`in_specs`" { call.in_specs_span } else { call.out_specs_span };
    let count = format!(
        "{} spec{} for {} operand{}",
        specs.leaves(),
        if specs.leaves() == 1 { "" } else { "s" },
        tree.leaves(),
        if tree.leaves() == 1 { "" } else { "s" }
    );
    cx.interp.error_with(
        &cx.interp.types().value_error,
        message,
        Diagnosis {
            code: "PL103",
            span,
            message: Some(format!("{what} does not match {against}: {count}")),
            help: Some("give one BlockSpec per array, in the same nesting".to_string()),
            ..Diagnosis::default()
        },
    )
}

/// An operand with its block and traced index map.
fn operand(
    cx: &Context<'_>,
    plan: Planned,
    grid: &[Option<usize>],
    scalars: &[RefType],
    scalar_tree: &TreeDef,
    space: MemorySpace,
) -> PyResult<Operand> {
    let Planned { role, array, origin, spec } = plan;
    let spec_ref = spec.as_deref().and_then(SpecRef::get);
    let whole = || array.shape.iter().map(|&n| BlockDim::Blocked(n)).collect::<Vec<_>>();
    let block = match spec_ref {
        Some(spec) => spec.dims(cx, &array.shape, &origin)?,
        None => whole(),
    };
    let index_map = match spec_ref {
        Some(spec) if !spec.index_map.is_none() => {
            Some(trace_index_map(cx, spec, &block, &origin, grid, scalars, scalar_tree)?)
        }
        _ => None,
    };
    let space = match (role, spec_ref) {
        (Role::Prefetch, _) => MemorySpace::Smem,
        (_, Some(spec)) => spec.space,
        _ => space,
    };
    Ok(Operand {
        name: Arc::from(origin),
        role,
        array,
        block,
        index_map,
        space,
        buffers: spec_ref.and_then(|s| s.buffers.as_ref().map(|b| b.count)),
        spans: OperandSpans {
            spec: spec_ref.map(|s| s.span),
            block_shape: spec_ref.and_then(|s| s.block_shape_span),
            index_map: spec_ref.and_then(|s| s.index_map_span),
            ..OperandSpans::default()
        },
    })
}

/// `name at file.py:12`, as JAX names functions in messages.
pub(crate) fn origin_of(cx: &Context<'_>, function: &Value) -> String {
    let name = cx.interp.callable_name(function);
    match cx.interp.underlying_function(function) {
        Some(underlying) => {
            let span = underlying.code.span();
            match cx.interp.source(span.file) {
                Some(source) => format!("{name} at {}:{}", source.path, source.line_of(span.start)),
                None => name,
            }
        }
        None => name,
    }
}

fn trace_index_map(
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
    if !refs.is_empty() {
        let prefetched = tree::unflatten(interp, scalar_tree, &mut refs.into_iter())?;
        args.positional.extend(interp.collect(&prefetched)?);
    }
    let given = args.positional.len();
    let map_span = spec.index_map_span;
    let result = trace.within(cx, || {
        if let Err(stop) = interp.bind(&spec.index_map, args.clone()) {
            return Err(diagnosed(stop, || Diagnosis {
                code: "PL106",
                span: map_span,
                message: Some(format!(
                    "this index map is called with {given} program id{}, one per grid axis{}",
                    if given == 1 { "" } else { "s" },
                    if scalars.is_empty() { "" } else { " (and the prefetched scalars)" }
                )),
                evidence: Some(format!("the grid is {}", program::grid_text(grid))),
                help: Some("give the index map one parameter per grid axis".to_string()),
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
                     has type {}.",
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

/// Adds a diagnosis to an exception that has none.
pub(crate) fn diagnosed(mut stop: Box<Stop>, diagnosis: impl FnOnce() -> Diagnosis) -> Box<Stop> {
    if let Stop::Raise(raise) = &mut *stop
        && raise.diagnosis.is_none()
    {
        raise.diagnosis = Some(Box::new(diagnosis()));
    }
    stop
}

/// The scratch Refs and how the kernel gets them.
fn scratch_types(cx: &Context<'_>, value: &Value, names: &[Option<Rc<str>>]) -> PyResult<(Vec<RefType>, TreeDef)> {
    let axis = |name: &str| names.iter().position(|known| known.as_deref() == Some(name));
    let value = match value {
        Value::None | Value::Unset => Value::tuple([]),
        Value::List(items) => Value::tuple(items.borrow().iter().cloned()),
        value => value.clone(),
    };
    let (leaves, tree) = tree::flatten(cx.interp, &value, None)?;
    let types = leaves
        .iter()
        .map(|leaf| {
            let request = agents::requested(cx.interp, leaf)?;
            let leaf = request.as_ref().unwrap_or(leaf);
            if let Some(memory) = leaf.downcast::<MemoryRef>() {
                return memory.reference(cx.interp, axis);
            }
            if let Some((kind, shape)) = super::semaphore::requested(cx.interp, leaf)? {
                return Ok(kind.reference(shape));
            }
            match spec::declared(cx, leaf)? {
                Some((shape, dtype)) => Ok(RefType::new(dtype, shape, MemorySpace::Default)),
                None => {
                    let shown = cx.interp.repr(leaf)?;
                    Err(cx.interp.type_error(format!(
                        "scratch_shapes takes memory requests such as pltpu.VMEM((8, 128), jnp.float32), got {shown}"
                    )))
                }
            }
        })
        .collect::<PyResult<Vec<_>>>()?;
    Ok((types, tree))
}

/// How the kernel's arguments are nested.
struct KernelTrees<'a> {
    scalars: &'a TreeDef,
    inputs: &'a TreeDef,
    outputs: &'a TreeDef,
    scratch: &'a TreeDef,
    /// Inputs that the kernel works on in place, with the outputs that it gets instead.
    in_place: &'a [(usize, usize)],
}

fn trace_kernel(
    cx: &Context<'_>,
    call: &PallasCall,
    (grid, names): (Vec<Option<usize>>, &[Option<Rc<str>>]),
    operands: &mut [Operand],
    scratch: &[RefType],
    trees: &KernelTrees<'_>,
) -> PyResult<Function> {
    let interp = cx.interp;
    let origin = origin_of(cx, &call.kernel);
    let name = call.name.clone().unwrap_or_else(|| interp.callable_name(&call.kernel));
    let trace =
        Trace::new(cx, TraceKind::Kernel, &name, format!("{origin} for pallas_call kernel"), Some(grid.clone()));
    let mut refs = Vec::new();
    let mut values = Vec::new();
    let types = operands
        .iter()
        .map(|operand| RefType::new(operand.array.dtype, operand.block_shape(), operand.space))
        .chain(scratch.iter().cloned());
    for ty in types {
        let value = trace.param(Type::Ref(ty), None);
        values.push(value);
        refs.extend(RefObject::new(&trace, value).map(Value::object));
    }
    let inputs = operands.iter().filter(|operand| operand.role != Role::Output).count();
    for &(input, output) in trees.in_place {
        refs.swap(input, inputs + output);
    }
    if let Some(&(_, first)) = trees.in_place.first() {
        refs.drain(inputs + first..operands.len());
    }
    let mut leaves = refs.into_iter();
    let mut positional = interp.collect(&tree::unflatten(interp, trees.scalars, &mut leaves)?)?;
    positional.extend(interp.collect(&tree::unflatten(interp, trees.inputs, &mut leaves)?)?);
    let outputs = tree::unflatten(interp, trees.outputs, &mut leaves)?;
    match outputs {
        Value::Tuple(_) | Value::List(_) => positional.extend(interp.collect(&outputs)?),
        output => positional.push(output),
    }
    let mut args = CallArgs::positional(positional);
    match tree::unflatten(interp, trees.scratch, &mut leaves)? {
        Value::Dict(dict) => {
            for (key, value) in dict.borrow().iter() {
                args.keywords.push((pallas_syntax::ast::Name::from(&*interp.to_str(key)?), value.clone()));
            }
        }
        scratch @ (Value::Tuple(_) | Value::List(_)) => args.positional.extend(interp.collect(&scratch)?),
        scratch => args.positional.push(scratch),
    }

    // What is no Python function (a pipeline that is a kernel by itself) says itself what it takes.
    let function = interp.underlying_function(&call.kernel);
    let bound = function.as_ref().map(|_| interp.bind(&call.kernel, args.clone())).unwrap_or_else(|| Ok(Vec::new()));
    let bound = bound.map_err(|stop| {
        diagnosed(stop, || Diagnosis {
            code: "PL109",
            span: function.map(|f| f.code.name_span()),
            message: Some(format!(
                "this kernel is called with {} Ref{}: {}",
                values.len(),
                if values.len() == 1 { "" } else { "s" },
                kernel_arguments(operands, scratch.len())
            )),
            help: Some("give the kernel one parameter per input, output and scratch Ref, in this order".to_string()),
            ..Diagnosis::default()
        })
    })?;
    name_parameters(interp, &trace, call, operands, (&bound, &args));
    let extents: Vec<usize> = grid.iter().map(|extent| extent.unwrap_or(1)).collect();
    let result = trace.within(cx, || {
        let _entered = named::enter(cx, mesh::named_axes(cx, &trace, names, &extents)?);
        interp.call(&call.kernel, args)
    })?;
    if !result.is_none() {
        let (_, tree) = tree::flatten(interp, &result, None)?;
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "The kernel function in the pallas_call {origin} should return None. It returns a PyTree: PyTreeDef({})",
                tree.text(interp)?
            ),
            Diagnosis {
                code: "PL110",
                span: interp.underlying_function(&call.kernel).map(|f| f.code.name_span()),
                message: Some("this kernel returns a value; kernels write their results to output Refs".to_string()),
                help: Some("store the result: `o_ref[...] = value`".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    let captured = trace.captured.borrow().clone();
    if let Some((_, span)) = captured.first() {
        let types: Vec<String> = captured
            .iter()
            .map(|(array, _)| TensorType::new(array.dtype(), array.shape().clone()).to_string())
            .collect();
        return Err(interp.error_with(
            &interp.types().value_error,
            format!(
                "The kernel function in the pallas_call {origin} captures constants [{}]. You should pass them as inputs.",
                types.join(", ")
            ),
            Diagnosis {
                code: "PL305",
                span: Some(*span),
                message: Some(format!("this kernel captures an array from outside: {}", types.join(", "))),
                help: Some("pass it as an operand with a BlockSpec of its own".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    Ok(trace.finish(Vec::new()))
}

/// `x, y (inputs), o (output), 1 scratch`
fn kernel_arguments(operands: &[Operand], scratch: usize) -> String {
    let count = |role: Role| operands.iter().filter(|o| o.role == role).count();
    [
        (count(Role::Prefetch), "prefetched scalar"),
        (count(Role::Input), "input"),
        (count(Role::Output), "output"),
        (scratch, "scratch Ref"),
    ]
    .iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" }))
    .collect::<Vec<_>>()
    .join(", ")
}

/// Gives Refs and operands the names of the kernel's parameters, where an argument is a Ref or a flat tuple of them.
fn name_parameters(
    interp: &pallas_python::Interp,
    trace: &Rc<Trace>,
    call: &PallasCall,
    operands: &mut [Operand],
    (bound, args): (&[(pallas_syntax::ast::Name, Value)], &CallArgs),
) {
    // A wrapper's parameters are those of the function that it says it wraps.
    let wrapped = interp
        .find_attr(&call.kernel, "__wrapped__")
        .ok()
        .flatten()
        .and_then(|wrapped| Some((interp.bind(&wrapped, args.clone()).ok()?, wrapped)));
    let (bound, kernel) = match &wrapped {
        Some((bound, wrapped)) => (bound.as_slice(), wrapped),
        None => (bound, &call.kernel),
    };
    let function = interp.underlying_function(kernel);
    for (name, value) in bound {
        let Ok((leaves, _)) = tree::flatten(interp, value, None) else { continue };
        let span = function.as_ref().and_then(|f| f.code.params().iter().find(|p| p.name == *name).map(|p| p.span));
        let single = leaves.len() == 1;
        for (position, leaf) in leaves.iter().enumerate() {
            let Some(object) = leaf.downcast::<RefObject>() else { continue };
            let text: Arc<str> = if single { name.clone() } else { Arc::from(format!("{name}{position}")) };
            trace.name(object.value, text.clone());
            if let Some(operand) = operands.get_mut(object.value.0 as usize) {
                operand.name = text;
                operand.spans.parameter = span;
                operand.spans.dropped = function.as_ref().and_then(|f| dropped(&f.code.body(), &operand.name));
            }
        }
    }
}

/// The `del` of a name at the top of a function's body.
fn dropped(body: &Body<'_>, name: &str) -> Option<Span> {
    let Body::Statements(statements) = body else { return None };
    let mut deleted = statements.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Delete(targets) => Some(targets),
        _ => None,
    });
    let is_it = |target: &Expr| match &target.kind {
        ExprKind::Name(found) => **found == *name,
        ExprKind::Tuple(items) | ExprKind::List(items) => {
            items.iter().any(|item| matches!(&item.kind, ExprKind::Name(found) if **found == *name))
        }
        _ => false,
    };
    deleted.find_map(|targets| targets.iter().find(|target| is_it(target)).map(|target| target.span))
}

/// `input_output_aliases`, checked as JAX checks it.
fn aliases(cx: &Context<'_>, call: &PallasCall, operands: &[Operand]) -> PyResult<Vec<(usize, usize)>> {
    let interp = cx.interp;
    let Value::Dict(dict) = &call.aliases else { return Ok(Vec::new()) };
    let entries: Vec<(Value, Value)> = dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let inputs: Vec<&Operand> = operands.iter().filter(|o| o.role != Role::Output).collect();
    let outputs: Vec<&Operand> = operands.iter().filter(|o| o.role == Role::Output).collect();
    entries
        .iter()
        .map(|(key, value)| {
            let (input, output) = (interp.to_i64(key)?, interp.to_i64(value)?);
            let refuse = |message: String| {
                interp.error_with(
                    &interp.types().value_error,
                    message,
                    Diagnosis { code: "PL111", span: call.aliases_span, ..Diagnosis::default() },
                )
            };
            let prefix = format!("input_output_aliases contains the mapping '{input}:{output}'");
            let Some(source) = usize::try_from(input).ok().and_then(|i| inputs.get(i)) else {
                return Err(refuse(format!("{prefix} with input index {input} outside the range [0, {})", inputs.len())));
            };
            let Some(target) = usize::try_from(output).ok().and_then(|i| outputs.get(i)) else {
                return Err(refuse(format!("{prefix} with output index {output} outside the range [0, {})", outputs.len())));
            };
            if source.array.shape != target.array.shape || source.array.dtype != target.array.dtype {
                return Err(refuse(format!(
                    "{prefix} referring to input[{input}] with abstract value {} and to output[{output}] with a different \
                     abstract value {}.",
                    crate::errors::type_text(&source.array),
                    crate::errors::type_text(&target.array)
                )));
            }
            Ok((input as usize, output as usize))
        })
        .collect()
}
