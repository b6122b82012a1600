//! Kernels whose results depend on memory that nobody has written, run with checks: on a device that is made up and in the simulator,
//! each line of `tests/garbage` that says PL203 is found, and no other. Without checks nothing is. What they are run with compiles,
//! where NVRTC is there.

use pallas_engine::accelerator::{Acceleration, Accelerator, Gpu, Simulator};
use pallas_engine::simt::ir::Space;
use pallas_engine::simt::{Architecture, Garbage, Options, Program, Watched, compile_with};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Launch, Role, Run, RunOptions};
use pallas_tests::cuda::{compile_all, compiler};
use pallas_tests::device::{Fake, Faults};
use pallas_tests::{Recorder, run_options};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The program, and the launches in it.
fn program(name: &str) -> (String, Vec<Arc<Launch>>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("garbage").join(name);
    let text = fs::read_to_string(path).expect("the program");
    let launches = Analysis::new(name, &text, &AnalysisOptions::new(Arc::new(Disk))).launches;
    (text, launches)
}

/// The lines where a program's results were found to depend on what memory held, on what `open` gives.
fn found(text: &str, open: impl Fn() -> Box<dyn Accelerator> + Send + 'static) -> Vec<usize> {
    let acceleration = Acceleration { open: Box::new(move || Ok(open())), falls_back: false, verifies: false };
    let options = RunOptions { acceleration: Some(acceleration), ..run_options(Recorder::default()) };
    let run = Run::new("kernels.py", text, options);
    assert_eq!(run.exit, 0, "{}", run.stderr);
    let findings = run.findings.iter().filter(|finding| finding.code == "PL203");
    let mut lines: Vec<usize> =
        findings.map(|finding| 1 + text[..finding.span.start as usize].matches('\n').count()).collect();
    lines.sort_unstable();
    lines
}

fn marked(text: &str) -> Vec<usize> {
    text.lines().enumerate().filter(|(_, line)| line.ends_with("# PL203")).map(|(number, _)| number + 1).collect()
}

fn simulated(text: &str, checked: bool) -> Vec<usize> {
    found(text, move || Box::new(Simulator { checked, ..Simulator::default() }))
}

fn on_device(text: &str, launches: &[Arc<Launch>], checked: bool) -> Vec<usize> {
    let fake = Fake::new(launches, Faults::default());
    found(text, move || {
        let gpu = Gpu::with(Box::new(fake.clone()), Box::new(fake.clone()), None);
        Box::new(gpu.checked(checked).trapping_nan(checked))
    })
}

#[test]
fn what_depends_on_memory_that_nobody_wrote_is_found_with_checks_alone() {
    for name in ["sums.py", "warpgroups.py"] {
        let (text, launches) = program(name);
        assert_eq!(simulated(&text, true), marked(&text), "{name}, simulated");
        assert_eq!(on_device(&text, &launches, true), marked(&text), "{name}");
        assert_eq!((simulated(&text, false), on_device(&text, &launches, false)), (Vec::new(), Vec::new()), "{name}");
    }
}

#[test]
fn tensor_memory_that_nobody_wrote_is_looked_after_as_well() {
    // The made-up device is Hopper's.
    let (text, _) = program("tensor_memory.py");
    assert_eq!((simulated(&text, true), simulated(&text, false)), (marked(&text), Vec::new()));
}

/// A launch as it is run to find what depends on garbage.
fn looked_at(launch: &Launch) -> Program {
    let output = launch.with_role(Role::Output).next().map(|(operand, _)| Watched { operand, element: 0 });
    let plain = Options::new(Architecture::meant_by(launch));
    let options = Options { garbage: Some(Garbage::EVERYWHERE), watched: output, ..plain };
    compile_with(launch, options).expect("it is lowered")
}

#[test]
fn memory_of_warpgroups_is_filled_in_generated_code_before_anybody_else_is_there() {
    let compiler = compiler("kernels that begin with garbage");
    let ours = ["warpgroups.py", "tensor_memory.py"].map(|name| program(name).1).concat();
    let samples = ["25_gpu_tensor_memory.py", "26_gpu_warp_specialized.py", "28_gpu_cluster_sync.py"];
    let kernels = ["blackwell_matmul.py", "blackwell_scales.py", "blackwell_scopes.py", "hopper_multicast.py"];
    let samples = samples.map(|name| format!("../../samples/{name}"));
    let others = samples.into_iter().chain(kernels.map(|name| format!("../simt/kernels/{name}")));
    let launches = ours.into_iter().chain(others.flat_map(|name| program(&name).1));
    for launch in launches.filter(|launch| launch.has_agents()) {
        let program = looked_at(&launch);
        let own = |space: &Space| matches!(space, Space::Shared | Space::Tensor);
        let scratch = program.kernel.memories.iter().filter(|memory| own(&memory.space) && memory.len > 0);
        assert!(scratch.clone().all(|memory| memory.begins.is_some()), "{}", program.kernel);
        assert!(scratch.count() > 0, "{}", program.kernel);
        let source = &program.source;
        let fills = source.rfind("for (int i = threadIdx.x;").expect("shared memory is filled");
        let barriers = source.find("  begin_phases(").expect("a barrier begins");
        assert!(fills < barriers && source[fills..barriers].contains("fence.proxy.async"), "{source}");
        if let Some(compiler) = &compiler {
            let architecture = Architecture::meant_by(&launch);
            let answer = compile_all(compiler, architecture, [&program]).remove(0);
            assert!(answer.is_ok(), "{}", answer.err().map_or_else(String::new, |error| error.to_string()));
        }
    }
}
