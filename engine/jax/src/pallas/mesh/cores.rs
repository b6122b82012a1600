//! `pl.core_map` over TensorCores, or over the blocks and threads of a GPU: a launch with a program for each, in the place
//! where the function is defined. Refs that the function uses from outside are its operands; what the programs leave in them
//! is stored back.

use super::{Axes, Together, call, named_axes};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::held::{CoreRefs, HeldRef};
use crate::pallas::{call as launches, interpretation};
use crate::ref_index;
use crate::refs::{Access, RefObject};
use crate::trace::{Trace, TraceKind};
use crate::transform::named;
use pallas_ir::function::ValueData;
use pallas_ir::launch::{LaunchSpans, OperandSpans};
use pallas_ir::{
    BlockDim, Function, Interpretation, Launch, MemorySpace, Operand, RefType, Role, Target, TensorType, Type, ValueId,
};
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::Value;
use std::rc::Rc;
use std::sync::Arc;

/// Runs a function on the programs of a mesh.
pub(super) fn core_map(
    cx: &Context<'_>,
    function: &Value,
    axes: &Axes,
    scratch: &Value,
    Together { programs, meeting, interpret, span }: &Together,
) -> PyResult<Value> {
    let interp = cx.interp;
    let interpretation = match cx.state.forced_interpretation.get() {
        Some(forced) => forced,
        None => interpretation::parse(interp, interpret)?,
    };
    let place = LaunchSpans {
        call: *span,
        apply: interp.visible_span(),
        kernel: interp.underlying_function(function).map(|f| f.code.name_span()),
        ..LaunchSpans::default()
    };
    let (names, grid): (Vec<_>, Vec<_>) = axes.iter().map(|(name, size)| (Some(name.clone()), *size)).unzip();
    let launch = |kernel: Function| Launch {
        grid: grid.clone(),
        dynamic: Vec::new(),
        operands: operands(&kernel, programs.space),
        scratch: Vec::new(),
        aliases: (0..kernel.params().len()).map(|number| (number, number)).collect(),
        semantics: programs.semantics.clone(),
        // What it is compiled for counts where something is compiled.
        target: match interpretation {
            Interpretation::Unsaid => programs.target,
            _ => Target::Unsaid,
        },
        written_for: Target::Unsaid,
        vmem_limit: None,
        meeting: *meeting,
        interpretation,
        staged: Vec::new(),
        spans: place.clone(),
        kernel: with_inputs(kernel, programs.space),
    };
    let title = interp.callable_name(function);
    let body = |trace: &Rc<Trace>| {
        let _entered = named::enter(cx, named_axes(cx, trace, &names, &grid)?);
        call(cx, function, scratch)
    };
    let simulator = interpretation.device().filter(|_| programs.space != MemorySpace::Gmem);
    let outer = cx.state.tracing_for.replace(simulator);
    // Where a function is traced that was given no Refs, those that it uses were made in it, and hold arrays.
    let has_refs =
        |trace: &Trace| trace.with_function(|whole| whole.values.iter().any(|value| matches!(value.ty, Type::Ref(_))));
    let traced = match cx.innermost() {
        Some(trace) if !trace.is_transform() && has_refs(&trace) => in_trace(cx, &trace, &title, &launch, &body),
        _ => apart(cx, &title, &grid, &launch, &body),
    };
    cx.state.tracing_for.set(outer);
    traced.map(|()| Value::None)
}

/// What traces the function.
type Body<'b> = &'b dyn Fn(&Rc<Trace>) -> PyResult<()>;

/// In a trace with Refs of its own: the function is traced as part of it, and cut out.
fn in_trace(
    cx: &Context<'_>,
    trace: &Rc<Trace>,
    title: &str,
    launch: &dyn Fn(Function) -> Launch,
    body: Body<'_>,
) -> PyResult<()> {
    let before = cx.state.in_cores.replace(true);
    let region = trace.in_region(&[], |_| body(trace).map(|()| (Vec::new(), ())));
    cx.state.in_cores.set(before);
    let (region, ()) = region?;
    let (kernel, captured) = trace.with_function(|whole| whole.outlined(region, title));
    let mut refs = Vec::with_capacity(captured.len());
    for &value in &captured {
        match RefObject::new(trace, value) {
            Some(reference) => refs.push(reference),
            None => return Err(captures(cx, title, &trace.ty(value).to_string())),
        }
    }
    let simulator = cx.state.tracing_for.take();
    let everything = |reference: &RefObject| ref_index::parse(cx, &reference.ty.shape, &Value::Ellipsis);
    let mut arguments = Vec::with_capacity(refs.len());
    for reference in &refs {
        arguments.push(reference.load(cx, &everything(reference)?, &Access::default())?);
    }
    let outputs = launches::apply(cx, &Arc::new(launch(kernel)), &arguments)?;
    for (reference, output) in refs.iter().zip(&outputs) {
        reference.store(cx, &everything(reference)?, output, &Access::default())?;
    }
    cx.state.tracing_for.set(simulator);
    Ok(())
}

/// Outside of traces that have Refs: the function is traced by itself, and the Refs that it uses hold arrays.
fn apart(
    cx: &Context<'_>,
    title: &str,
    grid: &[usize],
    launch: &dyn Fn(Function) -> Launch,
    body: Body<'_>,
) -> PyResult<()> {
    let extents = grid.iter().copied().map(Some).collect();
    let trace = Trace::new(cx, TraceKind::Kernel, title, title.to_string(), Some(extents));
    let before = cx.state.core_refs.replace(Some(CoreRefs::new(trace.clone())));
    let traced = trace.within(cx, || body(&trace));
    let used = cx.state.core_refs.replace(before);
    traced?;
    if let Some((array, _)) = trace.captured.borrow().first() {
        let shown = TensorType::new(array.dtype(), array.shape().clone()).to_string();
        return Err(captures(cx, title, &shown));
    }
    let refs: Vec<HeldRef> = used.iter().flat_map(CoreRefs::refs).collect();
    let arguments = refs.iter().map(|reference| reference.read(cx)).collect::<PyResult<Vec<_>>>()?;
    let outputs = launches::apply(cx, &Arc::new(launch(trace.finish(Vec::new()))), &arguments)?;
    for (reference, tile) in refs.iter().zip(outputs) {
        reference.write(cx, &Value::Ellipsis, &Value::object(ArrayObject { tile }))?;
    }
    Ok(())
}

fn captures(cx: &Context<'_>, title: &str, shown: &str) -> Box<Stop> {
    cx.interp.value_error(format!(
        "The kernel function in core_map {title} captures constants [{shown}]. You should pass them as inputs."
    ))
}

/// Each Ref as an input, and as the output that is the same memory.
fn operands(kernel: &Function, space: MemorySpace) -> Vec<Operand> {
    let of = |role: Role| {
        let params = kernel.params().iter().enumerate();
        params.filter_map(move |(number, &param)| {
            let ty = kernel.ty(param).as_ref_type()?;
            let name = kernel.value(param).name.clone().unwrap_or_else(|| format!("ref{number}").into());
            Some(Operand {
                name,
                role,
                array: TensorType::new(ty.dtype, ty.shape.clone()),
                block: ty.shape.iter().map(|&extent| BlockDim::Blocked(extent)).collect(),
                index_map: None,
                space,
                buffers: None,
                spans: OperandSpans::default(),
            })
        })
    };
    of(Role::Input).chain(of(Role::Output)).collect()
}

/// The kernel with parameters for its inputs, which it does not use: they are the memory of its outputs.
fn with_inputs(mut kernel: Function, space: MemorySpace) -> Function {
    let body = kernel.body.0 as usize;
    let mut inputs = Vec::new();
    for &param in &kernel.regions[body].params.clone() {
        let data = &kernel.values[param.0 as usize];
        let ty = data.ty.as_ref_type().map(|ty| RefType::new(ty.dtype, ty.shape.clone(), space));
        let ty = ty.map_or_else(|| data.ty.clone(), Type::Ref);
        let name = data.name.clone();
        kernel.values.push(ValueData { ty, name });
        inputs.push(ValueId(kernel.values.len() as u32 - 1));
    }
    kernel.regions[body].params.splice(0..0, inputs);
    kernel
}
