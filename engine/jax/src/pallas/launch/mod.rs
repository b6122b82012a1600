//! From the arguments of a `pallas_call` to a [`Launch`]: specs matched to operands, index maps and kernel traced.
//! The checks and their words are those of jax/_src/pallas/{core,pallas_call}.py; each carries our rule's code.

mod advice;
mod aliases;
mod exchange;
mod grid;
mod index_map;
mod kernel;
mod operands;
mod parameters;

use self::aliases::aliases;
use self::grid::{Grid, parse_grid};
use self::kernel::{KernelTrees, scratch_types, trace_kernel};
use self::operands::{Planned, bare, operand, out_origins, out_type, ref_type, specs};
use crate::context::Context;
use crate::convert;
use crate::held::HeldRef;
use crate::pallas::call::PallasCall;
use crate::pallas::spec::GridSpec;
use crate::tile::Tile;
use crate::tree::{self, TreeDef};
use pallas_ir::launch::LaunchSpans;
use pallas_ir::{
    AxisSemantics, Function, Interpretation, Launch, MemorySpace, OpKind, RefType, Role, SemaphoreOp, Target,
};
use pallas_python::function::Code;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::Span;
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

/// Builds the launch of one call.
pub fn prepare(cx: &Context<'_>, call: &PallasCall, args: Vec<Value>, apply: Span) -> PyResult<Prepared> {
    let interp = cx.interp;
    let names_of_arguments = exchange::argument_names(cx, args.len());
    let grid_spec = call.grid_spec.downcast::<GridSpec>();
    let (grid_value, in_specs, out_specs, scratch_value, prefetch) = match grid_spec {
        Some(s) => (&s.grid, &s.in_specs, &s.out_specs, &s.scratch_shapes, s.prefetch),
        None => (&call.grid, &call.in_specs, &call.out_specs, &call.scratch_shapes, 0),
    };
    let interpretation = cx.state.forced_interpretation.get().unwrap_or(call.interpretation);
    let Grid { extents: grid, dynamic, given, names } = parse_grid(cx, call, grid_value)?;

    if interpretation.device().is_some() {
        check_parallel(cx, &call.semantics, &grid, &dynamic)?;
    }

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
        exchange::check(cx, &launch.operands, &names_of_arguments);
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
        arguments: &names_of_arguments.names,
    };
    let before = cx.state.tracing_for.replace(interpretation.device().filter(|_| call.space != MemorySpace::Gmem));
    let surface = cx.state.surface.replace(Target::Unsaid);
    let kernel = trace_kernel(cx, call, (known, &names), &mut operands, &scratch, &trees);
    let surface = cx.state.surface.replace(surface);
    cx.state.tracing_for.set(before);
    let (kernel, staged) = kernel?;
    exchange::check(cx, &operands, &names_of_arguments);
    check_collective(cx, call, interpretation, &kernel)?;
    let mut aliases = aliases(cx, call, &operands)?;
    aliases.extend(passed_on);
    let spans = LaunchSpans {
        call: call.span,
        apply,
        kernel: interp.underlying_function(&call.kernel).map(|f| f.code.name_span()),
        grid: grid_spec.and_then(|s| s.grid_span).or(call.grid_span),
        out_shape: call.out_shape_span,
        parted: None,
    };
    let (semantics, vmem_limit) = (call.semantics.clone(), call.vmem_limit);
    // What parameters are for counts where something is compiled.
    let target = match call.target {
        Target::Tpu | Target::MosaicGpu if interpretation != Interpretation::Unsaid => Target::Unsaid,
        target => target,
    };
    let written_for = match call.written_for {
        Target::Unsaid if target == Target::Unsaid => surface,
        said if said == target => Target::Unsaid,
        said => said,
    };
    let launch = Arc::new(Launch {
        kernel,
        grid,
        dynamic,
        operands,
        scratch,
        aliases,
        semantics,
        target,
        written_for,
        vmem_limit,
        meeting: call.meeting,
        interpretation,
        staged,
        spans,
    });
    if held.is_empty() {
        call.traces.keep(cx, (scalar_tree, input_tree), &arguments, (&launch, &out_tree));
    }
    Ok(Prepared { launch, arguments: given.into_iter().chain(arguments).collect(), out_tree, held })
}

/// That JAX's simulator of devices can deal parallel axes to cores: they come first, and their extents are known.
fn check_parallel(cx: &Context<'_>, semantics: &[AxisSemantics], grid: &[usize], dynamic: &[usize]) -> PyResult<()> {
    let (said, axes) = (semantics.len(), grid.len());
    if said > 0 && said != axes {
        return Err(cx.interp.error_with(
            &cx.interp.types().value_error,
            format!("safe_zip() argument 1 has length {said} but argument 0 has length {axes}. All lengths: ({axes}, {said})"),
            Diagnosis {
                message: Some(format!("dimension_semantics says {said} axes, and the grid has {axes}")),
                help: Some("give `dimension_semantics` one entry for each axis of the grid".to_string()),
                ..Diagnosis::default()
            },
        ));
    }
    let is_parallel = |axis: usize| semantics.get(axis) == Some(&AxisSemantics::Parallel);
    if (1..semantics.len()).any(|axis| is_parallel(axis) && !is_parallel(axis - 1)) {
        return Err(cx.interp.value_error("Dimensions with parallel semantics must form a prefix of the grid."));
    }
    match dynamic.iter().find(|&&axis| is_parallel(axis)) {
        Some(axis) => Err(cx.interp.error(
            &crate::errors::concretization(cx.interp),
            format!(
                "Abstract tracer value encountered where concrete value is expected: the extent of grid axis {axis}, which is \
                 parallel, has to be known when the kernel is traced."
            ),
        )),
        None => Ok(()),
    }
}

/// The simulator of devices knows no barrier semaphore without an id, as JAX's does not. Elsewhere it is a finding (PL422).
fn check_collective(
    cx: &Context<'_>,
    call: &PallasCall,
    interpretation: Interpretation,
    kernel: &Function,
) -> PyResult<()> {
    let asks = |op: &pallas_ir::function::OpData| matches!(op.op.kind, OpKind::Semaphore(SemaphoreOp::Barrier));
    let simulated = interpretation.device().is_some() && call.space != MemorySpace::Gmem;
    if call.meeting.collective.is_some() || !simulated || cx.interp.is_analysis() || !kernel.ops.iter().any(asks) {
        return Ok(());
    }
    Err(cx.interp.error_with(
        &crate::errors::jax_runtime(cx.interp),
        "collective_id has to be specified when using a custom barrier".to_string(),
        Diagnosis {
            code: "PL422",
            help: Some("give the launch one: `compiler_params=pltpu.CompilerParams(collective_id=0)`".to_string()),
            ..Diagnosis::default()
        },
    ))
}

/// `name at file.py:12`, as JAX names functions in messages.
pub(crate) fn origin_of(cx: &Context<'_>, function: &Value) -> String {
    let name = cx.interp.callable_name(function);
    match cx.interp.underlying_function(function) {
        Some(underlying) => {
            // Where CPython has a function begin: at its first decorator.
            let decorator = match &underlying.code {
                Code::Def(def) => def.decorators.first().map(|decorator| decorator.span),
                Code::Lambda(_) => None,
            };
            let span = decorator.unwrap_or_else(|| underlying.code.span());
            match cx.interp.source(span.file) {
                Some(source) => format!("{name} at {}", source.line_place(span.start)),
                None => name,
            }
        }
        None => name,
    }
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
