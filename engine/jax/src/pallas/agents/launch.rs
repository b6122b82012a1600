//! A launch with clusters and threads: `plgpu.kernel`.

use crate::pallas::cache::Traces;
use crate::pallas::call::PallasCall;
use crate::pallas::interpretation;
use crate::state::JaxState;
use pallas_ir::{AxisSemantics, Meeting, MemorySpace, Target};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;

/// Rows of the private module.
pub(super) static FUNCTIONS: &[NativeDef] = &[NativeDef {
    name: "launcher",
    signature: "(body, out_type, scratch, axes, clusters, threads, interpret, name, params)",
    doc: "A function of arrays that launches a kernel; `axes` are names and extents, of which `clusters` are those of the \
          cluster and `threads` that of the threads.",
    run: launcher,
}];

/// What kernels with these compiler parameters are compiled for: the GPU that is assumed, if one is. Where the compiler is
/// asked to choose layouts, nothing is said about those of the program.
///
/// # Errors
/// What reading the parameters raises.
pub(crate) fn target(interp: &Interp, params: &Value) -> PyResult<Target> {
    let semantics = match params {
        Value::None | Value::Unset | Value::Unknown(_) => None,
        params => interp.find_attr(params, "lowering_semantics")?.and_then(Value::given),
    };
    if let Some(semantics) = semantics
        && interp.str(&interp.get_attr(&semantics, "name")?)? != "Lane"
    {
        return Ok(Target::Unsaid);
    }
    let assumed = interp.extension::<JaxState>().assumed_target.get();
    Ok(if assumed.is_mosaic_gpu() { assumed } else { Target::MosaicGpu })
}

fn launcher(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [kernel, out_shape, scratch_shapes, axes, clusters, threads, interpret, name, params] = args.take();
    if let Some(unknown) = [&kernel, &out_shape, &axes].into_iter().find(|value| value.is_unknown()) {
        return Ok(unknown.clone());
    }
    let count = interp.collect(&axes)?.len();
    let (clusters, threads) = (interp.to_usize(&clusters)?, interp.to_usize(&threads)?);
    let blocks = count.saturating_sub(clusters + threads);
    let semantics = std::iter::repeat_n(AxisSemantics::Parallel, blocks)
        .chain(std::iter::repeat_n(AxisSemantics::Cluster, clusters))
        .chain(std::iter::repeat_n(AxisSemantics::Thread, threads))
        .collect();
    Ok(Value::object(PallasCall {
        kernel,
        out_shape,
        grid_spec: Value::None,
        grid: axes,
        in_specs: Value::None,
        out_specs: Value::None,
        scratch_shapes,
        aliases: Value::None,
        name: match name.given() {
            Some(name) => Some(interp.to_str(&name)?.to_string()),
            None => None,
        },
        interpretation: interpretation::parse(interp, &interpret)?,
        space: MemorySpace::Gmem,
        semantics,
        target: target(interp, &params)?,
        written_for: Target::Unsaid,
        vmem_limit: None,
        meeting: Meeting::default(),
        span: interp.visible_span(),
        grid_span: None,
        out_shape_span: None,
        in_specs_span: None,
        out_specs_span: None,
        aliases_span: None,
        traces: Traces::default(),
    }))
}
