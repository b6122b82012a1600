//! One kernel on a device: whether its small launch gives what interpret mode gives, both ways to machine code, and how long the
//! large one takes, with notes of time and without. The same calls that `pallas-tui profile` makes.

use super::Say;
use super::kernels::Kernel;
use crate::simt;
use pallas_engine::Launch;
use pallas_engine::accelerator::{Accelerator, Backend, CompileTiles, Gpu, NotRun, compare};
use pallas_engine::cuda::bytes::{array, bytes};
use pallas_engine::cuda::{Compile, Request, median, occupancy};
use pallas_engine::simt::{Architecture, compile};
use pallas_ir::Role;
use pallas_tensor::{Array, Kind, Scalar, Shape};

/// Without a device: Hopper.
pub const CAPABILITY: u32 = 90;

/// Numbers that are drawn; more are the same again.
const DRAWN: usize = 1 << 16;

/// Arrays of a launch: sums of a few random numbers, most of them near 0. On ones a GPU is faster than on what anybody multiplies.
///
/// # Errors
/// There is no room for them.
pub fn inputs(launch: &Launch) -> Result<Vec<Array>, String> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    let operands = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    operands
        .map(|operand| {
            let (dtype, shape) = (operand.array.dtype, &operand.array.shape);
            if dtype.kind() != Kind::Float {
                return Array::full(dtype, shape.clone(), Scalar::Int(1).cast(dtype))
                    .map_err(|error| error.to_string());
            }
            let drawn = DRAWN.min(shape.size());
            let normal = |_| Scalar::Float((0..4).map(|_| next() - 0.5).sum::<f64>() * 1.7).cast(dtype);
            let elements: Vec<Scalar> = (0..drawn).map(normal).collect();
            let some = Array::from_scalars(dtype, Shape::from(vec![drawn]), &elements);
            let mut all = bytes(&some.map_err(|error| error.to_string())?);
            let wanted = shape.size() * dtype.size_bytes();
            all = all.iter().copied().cycle().take(wanted).collect();
            array(dtype, shape, &all).ok_or_else(|| format!("no array of {wanted} bytes"))
        })
        .collect()
}

/// What the compiler alone says of a kernel.
///
/// # Errors
/// It is not lowered, or not compiled.
pub fn compiled(kernel: &Kernel, compiler: &dyn Compile, say: Say<'_>) -> Result<(), String> {
    let [launch, _] = kernel.launches()?;
    let architecture = Architecture::new(CAPABILITY);
    let program = compile(&launch, architecture).map_err(|refusal| refusal.to_string())?;
    let name = architecture.name();
    let request = Request { source: &program.source, architecture: &name, lines: &program.lines };
    let compiled = compiler.compile(&request).map_err(|error| error.to_string())?;
    let used = compiled.resources.unwrap_or_default();
    say("registers", &used.registers.to_string());
    say("spilled", &(used.spill_stores + used.spill_loads).to_string());
    say("shared", &(program.shared_bytes + used.shared as usize).to_string());
    if let Some(full) = occupancy(architecture.capability, used, program.threads, program.shared_bytes) {
        say("occupancy", &residency(full.blocks, full.warps, full.most, full.limit.words()));
    }
    Ok(())
}

fn residency(blocks: u32, warps: u32, most: u32, limit: &str) -> String {
    format!("{warps} of {most} warps, {blocks} blocks ({limit})")
}

/// Measures a kernel both ways, and says each number as soon as it is known.
pub fn measured(
    [launch, small]: &[std::sync::Arc<Launch>; 2],
    gpu: Gpu,
    tiles: Result<Box<dyn CompileTiles>, String>,
    say: Say<'_>,
) {
    let mut gpu = gpu.through(Backend::Simt, None);
    if let Err(why) = way(launch, small, &mut gpu, "simt", say) {
        say("simt why", &why);
    }
    match tiles {
        Err(why) => say("tileir why", &why),
        Ok(tiles) => {
            let mut gpu = gpu.through(Backend::TileIr, Some(tiles));
            if let Err(why) = way(launch, small, &mut gpu, "tileir", say) {
                say("tileir why", &why);
            }
        }
    }
}

fn way(launch: &Launch, small: &Launch, gpu: &mut Gpu, name: &str, say: Say<'_>) -> Result<(), String> {
    let words = |why: NotRun| why.message;
    let arrays = simt::inputs(small);
    let expected = pallas_interpret::run_launch(small, arrays.clone(), &mut simt::Patience(u64::MAX));
    let expected = expected.map_err(|error| format!("interpret mode: {error}"))?;
    let ran = gpu.run(small, &arrays).map_err(words)?;
    if let Some(first) = compare(small, &expected, &ran.outputs).first() {
        return Err(format!("{} differs in {} of {} elements", first.output, first.count, first.size));
    }
    let ran = gpu.profile(launch, &inputs(launch)?, &|| false).map_err(words)?;
    let timed = ran.timed.ok_or_else(|| "nothing was measured".to_string())?;
    let time = median(&timed.times).ok_or_else(|| "nothing was launched".to_string())?;
    say(name, &(time / 1e3).to_string());
    let about = &timed.about;
    if let Some(noted) = about.noted {
        say("noted", &(noted / 1e3).to_string());
    }
    let known = [("registers", about.registers), ("spilled", about.spilled)];
    for (key, value) in known.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        say(key, &value.to_string());
        say("shared", &about.shared.to_string());
    }
    if let Some(full) = &about.residency {
        say("occupancy", &residency(full.blocks, full.warps, full.most, &full.limit));
    }
    for ceiling in &about.ceilings {
        say(&format!("ceiling {}", ceiling.name), &ceiling.rate.to_string());
    }
    Ok(())
}
