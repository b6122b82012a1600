//! `pl.pallas_call`: the declaration of a launch, and its application to arrays.

use crate::array::ArrayObject;
use crate::context::Context;
use crate::held::HeldRef;
use crate::jnp::call::find_unknown;
use crate::pallas::cache::Traces;
use crate::pallas::spec::{self, GridSpec, NoBlockSpec, argument_span};
use crate::pallas::{interpretation, launch, record, scalars};
use crate::state::{InterpWorld, JaxState};
use crate::tile::Tile;
use crate::transform::named;
use crate::tree;
use pallas_ir::{Attribute, Attributes, AxisSemantics, Interpretation, Launch, Meeting, MemorySpace, Op, Target, ops};
use pallas_ir::{Certainty, Finding, Label, Severity};
use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{Diagnosis, PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::Span;
use pallas_tensor::Array;
use std::rc::Rc;
use std::sync::Arc;

/// How deep in nested arguments unknown values are looked for.
const UNKNOWN_DEPTH: usize = 4;

/// What `pl.pallas_call(...)` returns.
pub struct PallasCall {
    /// The kernel, as given: a function, a partial, a bound method.
    pub kernel: Value,
    /// `out_shape`
    pub out_shape: Value,
    /// `grid_spec`, or `None`.
    pub grid_spec: Value,
    /// `grid`
    pub grid: Value,
    /// `in_specs`
    pub in_specs: Value,
    /// `out_specs`
    pub out_specs: Value,
    /// `scratch_shapes`
    pub scratch_shapes: Value,
    /// `input_output_aliases`
    pub aliases: Value,
    /// `name`
    pub name: Option<String>,
    /// `interpret`
    pub interpretation: Interpretation,
    /// Where operands without a spec are.
    pub space: MemorySpace,
    /// `dimension_semantics` of the compiler parameters.
    pub semantics: Vec<AxisSemantics>,
    /// What the compiler parameters are for.
    pub target: Target,
    /// Whose compiler parameters it has, or the back end that it names, whether or not it is compiled.
    pub written_for: Target,
    /// `vmem_limit_bytes` of the compiler parameters.
    pub vmem_limit: Option<usize>,
    /// `collective_id` and `skip_device_barrier` of the compiler parameters.
    pub meeting: Meeting,
    /// The `pallas_call(...)` expression.
    pub span: Span,
    /// The `grid` argument.
    pub grid_span: Option<Span>,
    /// The `out_shape` argument.
    pub out_shape_span: Option<Span>,
    /// The `in_specs` argument.
    pub in_specs_span: Option<Span>,
    /// The `out_specs` argument.
    pub out_specs_span: Option<Span>,
    /// The `input_output_aliases` argument.
    pub aliases_span: Option<Span>,
    /// Launches that were traced before.
    pub(crate) traces: Traces,
}

static CLASS: NativeClass = NativeClass {
    name: "PjitFunction",
    module: "jaxlib._jax",
    doc: "A kernel with its grid and specs; call it with arrays.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// Rows of the `pallas` module.
pub static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "pallas_call",
    signature: "(kernel, out_shape=..., *, grid_spec=None, grid=(), in_specs=None, out_specs=None, scratch_shapes=(), \
                input_output_aliases=None, debug=False, interpret=False, name=None, compiler_params=None, \
                cost_estimate=None, backend=None, metadata=None, out_type=None, scratch_types=None)",
    doc: "Runs `kernel` once for each point of `grid` on blocks of the operands.",
    run: pallas_call,
}];

fn pallas_call(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let span = interp.visible_span();
    let grid_span = argument_span(interp, "grid", usize::MAX);
    let out_shape_span =
        argument_span(interp, "out_shape", 1).or_else(|| argument_span(interp, "out_type", usize::MAX));
    let in_specs_span = argument_span(interp, "in_specs", usize::MAX);
    let out_specs_span = argument_span(interp, "out_specs", usize::MAX);
    let aliases_span = argument_span(interp, "input_output_aliases", usize::MAX);
    let [
        kernel,
        out_shape,
        grid_spec,
        grid,
        in_specs,
        out_specs,
        scratch_shapes,
        aliases,
        _debug,
        interpret,
        name,
        compiler_params,
        _cost_estimate,
        backend,
        _metadata,
        out_type,
        scratch_types,
    ] = args.take();
    let out_shape = match (out_shape, out_type.given()) {
        (Value::Unset, None) => return Err(no_out_shape(interp)),
        (Value::Unset | Value::None, Some(out_type)) => out_type,
        (out_shape, _) => out_shape,
    };
    let scratch_shapes = if scratch_types.is_none() { scratch_shapes } else { scratch_types };
    if !grid_spec.is_none() {
        refuse_beside_grid_spec(interp, &grid_spec, &grid, &in_specs, &out_specs, &scratch_shapes)?;
    }
    spec::check_in_specs(interp, &in_specs, in_specs_span.unwrap_or(span))?;
    if !interp.is_callable(&kernel) && !kernel.is_unknown() {
        let shown = interp.repr(&kernel)?;
        return Err(interp.type_error(format!("pallas_call takes a kernel function, got {shown}")));
    }
    let is_compiled = matches!(interpret, Value::None | Value::Unset | Value::Bool(false))
        && interpretation::parse(interp, &interpret)? == Interpretation::Unsaid;
    Ok(Value::object(PallasCall {
        kernel,
        out_shape,
        grid_spec,
        grid,
        in_specs,
        out_specs,
        scratch_shapes,
        aliases,
        name: match name.given() {
            Some(name) => Some(interp.to_str(&name)?.to_string()),
            None => None,
        },
        interpretation: interpretation::parse(interp, &interpret)?,
        space: MemorySpace::Default,
        semantics: semantics(interp, &compiler_params)?,
        target: target(interp, &compiler_params, is_compiled),
        written_for: written_for(interp, &compiler_params, &backend),
        vmem_limit: vmem_limit(interp, &compiler_params)?,
        meeting: meeting(interp, &compiler_params)?,
        span,
        grid_span,
        out_shape_span,
        in_specs_span,
        out_specs_span,
        aliases_span,
        traces: Traces::default(),
    }))
}

fn no_out_shape(interp: &Interp) -> Box<Stop> {
    interp.error_with(
        &interp.types().type_error,
        "pallas_call() missing 1 required positional argument: 'out_shape'".to_string(),
        Diagnosis {
            code: "PL102",
            message: Some("this launch does not say what its outputs are".to_string()),
            help: Some(
                "give `out_shape=jax.ShapeDtypeStruct(shape, dtype)`, or a tuple of them for several outputs"
                    .to_string(),
            ),
            ..Diagnosis::default()
        },
    )
}

fn refuse_beside_grid_spec(
    interp: &Interp,
    grid_spec: &Value,
    grid: &Value,
    in_specs: &Value,
    out_specs: &Value,
    scratch: &Value,
) -> PyResult<()> {
    if grid_spec.downcast::<GridSpec>().is_none() && !grid_spec.is_unknown() {
        let shown = interp.repr(grid_spec)?;
        return Err(interp.type_error(format!("grid_spec must be a pl.GridSpec, got {shown}")));
    }
    let empty = |value: &Value| match value {
        Value::None | Value::Unset => true,
        Value::Tuple(items) => items.is_empty(),
        value => value.downcast::<NoBlockSpec>().is_some(),
    };
    for (name, value, must) in [
        ("grid", grid, "`()`"),
        ("in_specs", in_specs, "`no_block_spec`"),
        ("out_specs", out_specs, "`no_block_spec`"),
        ("scratch_shapes", scratch, "`()`"),
    ] {
        if !empty(value) {
            let shown = interp.repr(value)?;
            return Err(interp.error_with(
                &interp.types().value_error,
                format!("If `grid_spec` is specified, then `{name}` must be {must}. It is {shown}"),
                Diagnosis {
                    code: "PL112",
                    span: argument_span(interp, name, usize::MAX),
                    message: Some(format!("this launch says `{name}` beside its `grid_spec`, which says it too")),
                    help: Some(format!("say `{name}` in the `grid_spec` alone")),
                    ..Diagnosis::default()
                },
            ));
        }
    }
    Ok(())
}

/// Which compiler the parameters are for. Those of Mosaic leave open which chip it is, which settings may say; where they
/// do not, they count for launches that are compiled: small blocks, say, are no mistake where nobody does.
fn target(interp: &Interp, params: &Value, is_compiled: bool) -> Target {
    let class = interp.type_of(params);
    let is = |record: &crate::python_types::Record| *class.name == *record.name && *class.module == *record.module;
    let assumed = interp.extension::<JaxState>().assumed_target.get();
    let or = |target| if is_compiled { target } else { Target::Unsaid };
    match params {
        Value::None | Value::Unset => assumed,
        _ if is(&record::TRITON_COMPILER_PARAMS) => Target::Triton,
        _ if is(&record::TPU_COMPILER_PARAMS) => {
            if assumed.is_tpu() {
                assumed
            } else {
                or(Target::Tpu)
            }
        }
        _ if is(&record::GPU_COMPILER_PARAMS) => {
            if assumed.is_mosaic_gpu() {
                assumed
            } else {
                or(Target::MosaicGpu)
            }
        }
        _ if assumed == Target::Triton => Target::Unsaid,
        _ => assumed,
    }
}

/// Whose parameters these are, or which back end is named.
fn written_for(interp: &Interp, params: &Value, backend: &Value) -> Target {
    let class = interp.type_of(params);
    let is = |record: &crate::python_types::Record| *class.name == *record.name && *class.module == *record.module;
    match backend {
        Value::Str(name) if &**name == "triton" => Target::Triton,
        Value::Str(name) if &**name == "mosaic_tpu" => Target::Tpu,
        Value::Str(name) if &**name == "mosaic_gpu" => Target::MosaicGpu,
        _ if is(&record::TRITON_COMPILER_PARAMS) => Target::Triton,
        _ if is(&record::TPU_COMPILER_PARAMS) => Target::Tpu,
        _ if is(&record::GPU_COMPILER_PARAMS) => Target::MosaicGpu,
        _ => Target::Unsaid,
    }
}

/// `vmem_limit_bytes=...` of `CompilerParams`.
fn vmem_limit(interp: &Interp, params: &Value) -> PyResult<Option<usize>> {
    let found = match params {
        Value::None | Value::Unset | Value::Unknown(_) => None,
        params => interp.find_attr(params, "vmem_limit_bytes")?,
    };
    Ok(match found {
        Some(Value::Int(limit)) => limit.to_string().parse().ok(),
        _ => None,
    })
}

/// `collective_id=...` and `skip_device_barrier=...` of `CompilerParams`.
///
/// # Errors
/// What reading its attributes raises.
pub(crate) fn meeting(interp: &Interp, params: &Value) -> PyResult<Meeting> {
    if matches!(params, Value::None | Value::Unset | Value::Unknown(_)) {
        return Ok(Meeting::default());
    }
    let collective = match interp.find_attr(params, "collective_id")? {
        Some(Value::Int(id)) => id.to_string().parse().ok(),
        _ => None,
    };
    let flag =
        |name: &str| -> PyResult<bool> { Ok(matches!(interp.find_attr(params, name)?, Some(Value::Bool(true)))) };
    let (skipped, unused) = (flag("skip_device_barrier")?, flag("allow_collective_id_without_custom_barrier")?);
    Ok(Meeting { collective, skipped, unused })
}

/// `dimension_semantics=("parallel", "arbitrary")` of any `CompilerParams`, or of the old dict form.
fn semantics(interp: &Interp, params: &Value) -> PyResult<Vec<AxisSemantics>> {
    let found = match params {
        Value::None | Value::Unset | Value::Unknown(_) => return Ok(Vec::new()),
        params => interp.find_attr(params, "dimension_semantics")?,
    };
    let Some(list) = found.and_then(Value::given) else { return Ok(Vec::new()) };
    interp
        .collect(&list)?
        .iter()
        .map(|axis| {
            let text = match axis {
                Value::Str(text) => text.to_string(),
                axis => interp.str(axis)?.to_lowercase(),
            };
            Ok(if text.contains("parallel") { AxisSemantics::Parallel } else { AxisSemantics::Arbitrary })
        })
        .collect()
}

impl Object for PallasCall {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn call(&self, _this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        let cx = Context::jax(interp);
        Some(self.apply(&cx, args))
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<PjitFunction of {}>", interp.repr(&self.kernel)?)))
    }
}

impl PallasCall {
    fn apply(&self, cx: &Context<'_>, args: CallArgs) -> PyResult<Value> {
        let interp = cx.interp;
        if let Some((name, _)) = args.keywords.first() {
            return Err(interp
                .type_error(format!("_pallas_call.<locals>.wrapped() got an unexpected keyword argument '{name}'")));
        }
        // In analysis something unknown among the inputs makes the launch unknown, not wrong.
        let unknown = [&self.kernel, &self.out_shape, &self.grid, &self.grid_spec, &self.in_specs, &self.out_specs];
        if let Some(value) = unknown.into_iter().chain(&args.positional).find_map(|v| find_unknown(v, UNKNOWN_DEPTH)) {
            unchecked(cx, &value);
            return Ok(value);
        }
        let place = interp.visible_span();
        let prepared = launch::prepare(cx, self, args.positional.into_vec(), place)?;
        let mut outputs = apply(cx, &prepared.launch, &prepared.arguments)?;
        let own = outputs.len().saturating_sub(prepared.held.len());
        for (reference, tile) in prepared.held.iter().zip(outputs.drain(own..)) {
            if let Some(reference) = reference.downcast::<HeldRef>() {
                reference.write(cx, &Value::Ellipsis, &Value::object(ArrayObject { tile }))?;
            }
        }
        let mut leaves = outputs.into_iter().map(|tile| Value::object(ArrayObject { tile }));
        tree::unflatten(interp, &prepared.out_tree, &mut leaves)
    }
}

/// Tells the observer of a launch that analysis leaves out, and why: else nobody would know that it was not looked at.
fn unchecked(cx: &Context<'_>, value: &Value) {
    let (Value::Unknown(unknown), Some(observer)) = (value, cx.state.observer()) else { return };
    let label = |span| Label { span, text: unknown.why.clone() };
    observer.found(Finding {
        code: "PL010",
        severity: Severity::Info,
        certainty: Certainty::Proved,
        message: "this launch is not checked: something that it needs is not known before the program runs".to_string(),
        span: cx.interp.visible_span(),
        evidence: unknown.span.is_none().then(|| unknown.why.clone()),
        labels: unknown.span.map(label).into_iter().collect(),
        help: Some("put it into a function with arrays as arguments: one that nobody calls is checked with arrays of some shape".to_string()),
        fix: None,
    });
}

/// What a launch counts for, beside the steps of its kernel: to trace it takes as long as so many, and loops of launches are bounded
/// by that.
const STEPS: u64 = 250;

/// Stages a launch in an open trace, runs it, or in analysis only types it.
///
/// A launch inside a function that is being transformed is not announced: what is launched in the end is what the
/// transformation makes of it.
pub(crate) fn apply(cx: &Context<'_>, launch: &Arc<Launch>, arguments: &[Tile]) -> PyResult<Vec<Tile>> {
    cx.interp.charge(STEPS)?;
    let asked = named::asked_for(cx, &launch.kernel);
    let trace = cx.trace_for(arguments.iter().chain(&asked));
    if let Some(observer) = cx.state.observer() {
        observer.reached(cx.interp);
    }
    if !trace.as_ref().is_some_and(|trace| trace.is_transform())
        && let Some(observer) = cx.state.observer()
    {
        observer.launched(launch, scalars::known_of(launch, arguments));
    }
    if let Some(trace) = trace {
        let operands = arguments.iter().map(|tile| cx.value_in(&trace, tile)).collect::<PyResult<Vec<_>>>()?;
        let attributes = Attributes::none().with("launch", Attribute::Launch(launch.clone()));
        let results = trace.add(cx, Op(&ops::LAUNCH), &operands, attributes, &[])?;
        return Ok(results.into_iter().filter_map(|value| trace.tile(value)).collect());
    }
    let outputs = launch.operands.iter().filter(|o| o.role == pallas_ir::Role::Output);
    let types = || outputs.map(|o| Tile::Abstract(o.array.clone())).collect();
    let arrays: Option<Vec<Array>> = arguments.iter().map(|tile| tile.array().cloned()).collect();
    let executor = cx.state.executor.borrow().clone();
    let (Some(arrays), Some(executor), false) = (arrays, executor, cx.interp.is_analysis()) else {
        return Ok(types());
    };
    let world = InterpWorld::new(cx.interp);
    let outputs = executor.run_launch(launch, arrays, &world).map_err(|error| error.raised(cx.interp))?;
    world.ended()?;
    Ok(outputs.into_iter().map(Tile::concrete).collect())
}
