//! What there is to measure on a GPU, in one command and one table, in Markdown:
//!
//! ```console
//! $ cargo run --release -p pallas-tests --bin gpu -- --python ENV/bin/python
//! ```
//!
//! The samples' launches against interpret mode, then the kernels of `benches/gpu`: registers, spills, shared memory and occupancy, the
//! median time of many launches, and what that is of the device's own copy; beside it what others take for the same work
//! (`benches/gpu/peers.py`), where `--python` names an environment with torch or JAX. Names of kernels select some. Without a
//! device it says so, and shows what the compiler says, which needs NVRTC alone.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints")]

use pallas_engine::accelerator::{Accelerator, Gpu, compare};
use pallas_engine::cuda::{
    Compiler, Device, Kernel, Nvrtc, Places, Request, Rounds, TileCompiler, ceilings, find, initials, measure, median,
    occupancy, open, work,
};
use pallas_engine::simt::{Architecture, compile};
use pallas_engine::{Analysis, AnalysisOptions, Disk, Launch, tileir};
use pallas_interpret::run_launch;
use pallas_ir::Role;
use pallas_tensor::{Array, Scalar};
use pallas_tests::simt;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a kernel does, for rates.
enum Effort {
    /// Bytes that have to be read and written.
    Bytes(f64),
    /// Floating-point operations of its products.
    Flops(f64),
}

const MI: f64 = 1024.0 * 1024.0;

/// The kernels of `benches/gpu`: name, file, the number of its launch, what it does.
fn kernels() -> Vec<(&'static str, &'static str, usize, Effort)> {
    let product = |n: f64| Effort::Flops(2.0 * n * n * n);
    vec![
        ("elementwise", "elementwise", 0, Effort::Bytes(2.0 * 4.0 * 64.0 * MI)),
        ("softmax", "softmax", 0, Effort::Bytes(2.0 * 4.0 * 32.0 * MI)),
        ("layer_norm", "layer_norm", 0, Effort::Bytes(2.0 * 4.0 * 32.0 * MI)),
        ("matmul_bf16_4096", "matmul_bf16", 0, product(4096.0)),
        ("matmul_bf16_8192", "matmul_bf16", 1, product(8192.0)),
        ("attention", "attention", 0, Effort::Flops(4.0 * 64.0 * 4096.0 * 4096.0 * 64.0)),
    ]
}

const ROUNDS: Rounds = Rounds { warm_up: 10, counted: 50, launches: 1 };
/// Without a device: Hopper.
const CAPABILITY: u32 = 90;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut python = None;
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--python" => python = arguments.next().map(PathBuf::from),
            _ => names.push(argument),
        }
    }
    let places = Places::named_by(|name| std::env::var_os(name));
    let nvrtc = find(&places).nvrtc;
    let compiler = match Nvrtc::load(nvrtc.as_deref()) {
        Ok(nvrtc) => Compiler::new(nvrtc, None),
        Err(error) => {
            eprintln!(
                "{error}: install it with `pip install nvidia-cuda-nvrtc`, and name its folder in PALLAS_CUDA_LIBRARIES"
            );
            return ExitCode::from(2);
        }
    };
    let mut device = match open(0) {
        Ok(device) => Some(device),
        Err(failure) => {
            println!("There is no device here ({failure}): nothing is measured, and this is what the compiler says.\n");
            None
        }
    };
    let mut architecture = Architecture::new(CAPABILITY);
    let mut ceiling = None;
    if let Some(device) = &mut device {
        let info = device.info().clone();
        println!("{}, sm_{}\n", info.name, info.architecture());
        architecture = Architecture::new(info.architecture());
        architecture.shared_bytes = info.shared_per_block;
        if let Ok(found) = ceilings(&mut **device, &compiler, &|_| {}) {
            println!("A copy of 256 MiB moves {:.0} GB/s.", found.copy / 1e9);
            let rates = found.matrix.iter().map(|(dtype, rate)| format!("{} {:.0}", dtype.short_name(), rate / 1e12));
            println!("Products reach, in TFLOP/s: {}.\n", rates.collect::<Vec<_>>().join(", "));
            ceiling = Some(found.copy);
        }
        if let Ok(mut gpu) = Gpu::open(nvrtc.as_deref(), None) {
            println!("{}\n", samples(&root, &mut gpu));
        }
    }
    let tiles = TileCompiler::new(&find(&places), &std::env::temp_dir(), None);
    if let (Err(error), Some(_)) = (&tiles, &device) {
        println!("Nothing is measured by way of CUDA Tile IR: {error}.\n");
    }
    let tiles = tiles.ok();
    let peers = match (&python, &device) {
        (Some(python), Some(_)) => peers(&root.join("benches/gpu"), python, PATIENCE),
        _ => BTreeMap::new(),
    };
    println!("| kernel | registers | spilled | shared | occupancy | time | rate | of the copy | others |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut exit = ExitCode::SUCCESS;
    for (name, file, number, effort) in kernels() {
        if !names.is_empty() && !names.iter().any(|wanted| name.contains(wanted)) {
            continue;
        }
        let path = root.join("benches/gpu").join(file).with_extension("py");
        let row = launch(&path, number)
            .and_then(|launch| row(&launch, name, &effort, &compiler, architecture, device.as_mut(), ceiling, &peers));
        match row {
            Ok(row) => {
                println!("{row}");
                if let (Some(device), Some(tiles)) = (&mut device, &tiles) {
                    let launch = launch(&path, number);
                    match launch
                        .and_then(|launch| tiles_row(&launch, name, &effort, tiles, &mut **device, ceiling, &peers))
                    {
                        Ok(row) => println!("{row}"),
                        // A kernel need not have it.
                        Err(why) => println!("| {name} by Tile IR | {why} | | | | | | | |"),
                    }
                }
            }
            Err(why) => {
                println!("| {name} | {why} | | | | | | | |");
                exit = ExitCode::FAILURE;
            }
        }
    }
    exit
}

/// A launch of a program, with all that is known of it without running.
fn launch(path: &Path, number: usize) -> Result<Arc<Launch>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let analysis = Analysis::new(&path.display().to_string(), &text, &AnalysisOptions::new(Arc::new(Disk)));
    analysis.launches.get(number).cloned().ok_or_else(|| format!("there is no launch {number}"))
}

#[expect(clippy::too_many_arguments, reason = "a row of everything")]
fn row(
    launch: &Launch,
    name: &str,
    effort: &Effort,
    compiler: &Compiler,
    architecture: Architecture,
    device: Option<&mut Box<dyn Device>>,
    ceiling: Option<f64>,
    peers: &BTreeMap<(String, String), f64>,
) -> Result<String, String> {
    let program = compile(launch, architecture).map_err(|refusal| refusal.to_string())?;
    let target = architecture.name();
    let request = Request { source: &program.source, architecture: &target, lines: &program.lines };
    let compiled = compiler.compile(&request).map_err(|error| error.to_string())?;
    let used = compiled.resources.unwrap_or_default();
    let full = occupancy(architecture.capability, used, program.threads, program.shared_bytes);
    let full = full.map_or_else(String::new, |full| {
        format!("{} of {} warps, {} blocks ({})", full.warps, full.most, full.blocks, full.limit.words())
    });
    let row = format!(
        "| {name} | {} | {} B | {} KiB | {full} |",
        used.registers,
        used.spill_stores + used.spill_loads,
        (program.shared_bytes + used.shared as usize) >> 10
    );
    let Some(device) = device else { return Ok(row + " | | | |") };
    let microseconds = timed(&mut **device, launch, &program, &compiled.cubin)?;
    Ok(row + &reached(name, effort, microseconds, ceiling, peers))
}

/// The same launch by way of CUDA Tile IR, of which nobody says what it takes.
fn tiles_row(
    launch: &Launch,
    name: &str,
    effort: &Effort,
    tiles: &TileCompiler,
    device: &mut dyn Device,
    ceiling: Option<f64>,
    peers: &BTreeMap<(String, String), f64>,
) -> Result<String, String> {
    let program = tileir::compile(launch).map_err(|refusal| refusal.to_string())?;
    let bytecode = program.bytecode().map_err(|refusal| refusal.to_string())?;
    let code = tiles.compile(&bytecode, device.info().architecture()).map_err(|error| error.to_string())?;
    let microseconds = timed(device, launch, &program, &code.cubin)?;
    Ok(format!("| {name} by Tile IR | | | | |{}", reached(name, effort, microseconds, ceiling, peers)))
}

/// The last columns: time, rate, share of the copy, and others.
fn reached(
    name: &str,
    effort: &Effort,
    microseconds: f64,
    ceiling: Option<f64>,
    peers: &BTreeMap<(String, String), f64>,
) -> String {
    let (rate, share) = match effort {
        Effort::Bytes(bytes) => {
            let rate = bytes / microseconds * 1e6;
            let share = ceiling.map_or_else(String::new, |ceiling| format!("{:.0} %", rate / ceiling * 100.0));
            (format!("{:.0} GB/s", rate / 1e9), share)
        }
        Effort::Flops(flops) => (format!("{:.0} TFLOP/s", flops / microseconds / 1e6), String::new()),
    };
    let others: Vec<String> = peers
        .iter()
        .filter(|((kernel, _), _)| kernel == name)
        .map(|((_, peer), took)| format!("{peer} {took:.1} us ({:.2})", took / microseconds))
        .collect();
    format!(" {microseconds:.1} us | {rate} | {share} | {} |", others.join(", "))
}

/// The median time of a launch on ones.
fn timed<'a>(
    device: &mut dyn Device,
    launch: &Launch,
    kernel: impl Into<Kernel<'a>>,
    cubin: &'a [u8],
) -> Result<f64, String> {
    let kernel = kernel.into();
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output);
    let inputs: Result<Vec<Array>, _> = inputs
        .map(|operand| {
            Array::full(operand.array.dtype, operand.array.shape.clone(), Scalar::Int(1).cast(operand.array.dtype))
        })
        .collect();
    let inputs = inputs.map_err(|error| error.to_string())?;
    let initials = initials(launch, kernel, &inputs);
    let work = work(launch, kernel, cubin, &initials);
    let samples = measure(device, &work, &|_| ROUNDS, &|| false).map_err(|failure| failure.to_string())?;
    median(&samples.times).ok_or_else(|| "nothing was launched".to_string())
}

/// The samples' launches on the device against interpret mode.
fn samples(root: &Path, gpu: &mut Gpu) -> String {
    let (mut equal, mut lines) = (0, Vec::new());
    let files = std::fs::read_dir(root.join("samples")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "py")).collect();
    files.sort();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let analysis = Analysis::new(&file.display().to_string(), &text, &AnalysisOptions::new(Arc::new(Disk)));
        for launch in analysis.launches.iter().filter(|launch| launch.dynamic.is_empty()) {
            let inputs = simt::inputs(launch);
            let Ok(expected) = run_launch(launch, inputs.clone(), &mut Nobody) else { continue };
            let name = format!("{} {}", file.display(), launch.kernel.name);
            match gpu.run(launch, &inputs) {
                Ok(ran) => match compare(launch, &expected, &ran.outputs).as_slice() {
                    [] => equal += 1,
                    [first, ..] => lines.push(format!(
                        "{name}: {} differs in {} of {} elements",
                        first.output, first.count, first.size
                    )),
                },
                Err(why) => lines.push(format!("{name}: {}", why.message)),
            }
        }
    }
    format!("{equal} launches of the samples give what interpret mode gives.\n{}", lines.join("\n"))
}

struct Nobody;

impl pallas_interpret::Hooks for Nobody {}

/// What others have: the whole stays under ten minutes.
const PATIENCE: Duration = Duration::from_secs(300);

/// Microseconds by kernel and peer. Who takes too long is ended, and what was said until then counts.
fn peers(folder: &Path, python: &Path, patience: Duration) -> BTreeMap<(String, String), f64> {
    let mut command = Command::new(python);
    // What it says of itself on the standard error is shown as it comes.
    let command = command.arg("peers.py").current_dir(folder).stdout(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("{} cannot be run: {error}", python.display());
            return BTreeMap::new();
        }
    };
    let begun = Instant::now();
    let late = loop {
        match child.try_wait() {
            Ok(None) if begun.elapsed() >= patience => break true,
            Ok(None) => std::thread::sleep(Duration::from_millis(200)),
            _ => break false,
        }
    };
    if late {
        eprintln!(
            "others took more than {} seconds, and were ended; what they said until then counts",
            patience.as_secs()
        );
        // It may have ended meanwhile.
        let _ = child.kill();
    }
    // A few lines, which the pipe holds until they are read.
    let text = child.wait_with_output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let rows = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (name, peer, time) = (words.next()?, words.next()?, words.next()?.parse().ok()?);
        Some(((name.to_string(), peer.to_string()), time))
    });
    rows.collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn others_that_do_not_end_are_ended_and_what_they_said_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let python = folder.path().join("python");
        std::fs::write(&python, "#!/bin/sh\necho elementwise torch 150.25\necho one more line\nexec sleep 600\n")
            .expect("written");
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
        // Long enough for a shell to begin, on any machine.
        let found = peers(folder.path(), &python, Duration::from_secs(5));
        let key = ("elementwise".to_string(), "torch".to_string());
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(key, 150.25)]);
        assert!(peers(folder.path(), Path::new("/nowhere"), PATIENCE).is_empty(), "there is no such program");
    }
}
