//! What is written over a CUDA device, on one that is made up: launches give what interpret mode gives, times come into the
//! report, and every way in which a device fails is told with the Pallas line, leaves the process alive, and interpret mode usable.

use pallas_engine::accelerator::{Acceleration, Backend, End, Gpu};
use pallas_engine::cuda::{Failure, NvrtcError};
use pallas_engine::pipeline::{Machine, Machines};
use pallas_engine::{Analysis, AnalysisOptions, Console, Disk, Launch, Profile, Run, RunOptions};
use pallas_tests::device::{Fake, Faults, NOTED, PLAIN};
use pallas_tests::{Recorder, run_options};
use std::path::PathBuf;
use std::sync::Arc;

/// Two launches of different kernels, and what they give.
const FILE: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def twice_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def next_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


x = jnp.arange(1024, dtype=jnp.float32)
block = pl.BlockSpec((256,), lambda i: (i,))
y = pl.pallas_call(twice_kernel, grid=(4,), in_specs=[block], out_specs=block, out_shape=x)(x)
z = pl.pallas_call(next_kernel, grid=(4,), in_specs=[block], out_specs=block, out_shape=x)(y)
print(z[:4])
";
/// The line of the first launch.
const LINE: &str = "line 16";
const PRINTED: &str = "[1. 3. 5. 7.]\n";

/// A console with a clock that goes on by itself.
#[derive(Clone)]
struct Clocked(Recorder, Arc<std::sync::atomic::AtomicU64>);

impl Console for Clocked {
    fn write_stdout(&mut self, text: &str) {
        self.0.write_stdout(text);
    }

    fn write_stderr(&mut self, text: &str) {
        self.0.write_stderr(text);
    }

    fn read_line(&mut self) -> Option<String> {
        None
    }

    fn environment(&self, _: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        0.0
    }

    fn nanoseconds(&self) -> Option<u64> {
        Some(self.1.fetch_add(100, std::sync::atomic::Ordering::Relaxed))
    }
}

struct Case {
    faults: Faults,
    falls_back: bool,
    verifies: bool,
    checked: bool,
    folder: Option<PathBuf>,
    clock: bool,
}

impl Case {
    fn new(faults: Faults) -> Case {
        Case { faults, falls_back: false, verifies: false, checked: false, folder: None, clock: false }
    }

    /// The run, what it printed, and how many buffers are left on the device.
    fn run(self, text: &str) -> (Run, String, usize) {
        let analysis = Analysis::new("kernels.py", text, &AnalysisOptions::new(Arc::new(Disk)));
        let launches: Vec<Arc<Launch>> = analysis.launches.clone();
        let fake = Fake::new(&launches, self.faults);
        let (opened, folder, checked) = (fake.clone(), self.folder, self.checked);
        let open = move || -> Result<Box<dyn pallas_engine::accelerator::Accelerator>, _> {
            let gpu =
                Gpu::with(Box::new(opened.clone()), Box::new(opened), folder).checked(checked).trapping_nan(checked);
            Ok(Box::new(gpu))
        };
        let recorder = Recorder::default();
        let console: Box<dyn Console> = match self.clock {
            true => Box::new(Clocked(recorder.clone(), Arc::default())),
            false => Box::new(recorder.clone()),
        };
        let acceleration = Acceleration { open: Box::new(open), falls_back: self.falls_back, verifies: self.verifies };
        let options = RunOptions { acceleration: Some(acceleration), console, ..run_options(Recorder::default()) };
        let run = Run::new("kernels.py", text, options);
        (run, recorder.written().0, fake.left())
    }
}

#[test]
fn launches_on_a_device_give_what_interpret_mode_gives() {
    let (run, printed, left) = Case { verifies: true, ..Case::new(Faults::default()) }.run(FILE);
    assert_eq!((run.exit, printed.as_str(), left), (0, PRINTED, 0), "{}", run.stderr);
    assert_eq!(run.accelerated.len(), 2);
    for accelerated in &run.accelerated {
        let End::Ran { microseconds, differences, .. } = &accelerated.end else { panic!("{:?}", accelerated.end) };
        assert_eq!((*microseconds, differences.as_deref()), (Some(PLAIN), Some(&[][..])));
    }
}

#[test]
fn a_profile_has_what_the_device_said() {
    let (run, printed, left) = Case { clock: true, ..Case::new(Faults::default()) }.run(FILE);
    assert_eq!((run.exit, printed.as_str(), left), (0, PRINTED, 0), "{}", run.stderr);
    let report = Profile::of_run(&run, "kernels.py", &[], &Machines::named(Machine::find("h200").expect("a machine")));
    assert_eq!(report.launches.len(), 2);
    for launch in &report.launches {
        let measured = launch.measured.as_ref().expect("it was measured");
        let device = measured.on_device.as_ref().expect("a device ran it");
        assert_eq!((measured.device.as_str(), measured.time), ("a made-up GPU", PLAIN * 1e3));
        assert_eq!((device.noted, device.replayed), (Some(NOTED * 1e3), 20));
        assert!((device.overhead(measured.time).expect("it was noted") - 0.05).abs() < 1e-9);
        let full = device.residency.as_ref().expect("it is known");
        assert_eq!(Some(full.blocks), full.driver, "the formula and the driver");
        assert_eq!((device.registers, device.blocks, device.multiprocessors), (Some(64), 4, 4));
        assert_eq!(device.bytes, 2 * 4096);
        assert!((device.bandwidth - 8192.0 / (PLAIN * 1e-6)).abs() < 1.0);
        assert!(device.ceiling("copy").is_some() && device.ceiling("bf16").is_some(), "{:?}", device.ceilings);
        assert_eq!(measured.programs, 4);
        assert!(measured.compute > 0.0 && measured.copy_out > 0.0);
        assert!(device.lanes.events.iter().any(|event| event.place.is_some_and(|place| place.line > 1)));
    }
}

/// A failure stops the program with an exception that names the launch, or lets it go on in interpret mode.
fn fails(faults: &Faults, words: &str, lost: bool) {
    let (run, printed, left) = Case::new(faults.clone()).run(FILE);
    assert_eq!((run.exit, printed.as_str()), (1, ""), "{words}");
    assert!(run.stderr.contains(words) && run.stderr.contains(LINE), "{words}: {}", run.stderr);
    assert!(left == 0 || lost, "{words}: {left} buffers are left on the device");
    let (run, printed, _) = Case { falls_back: true, ..Case::new(faults.clone()) }.run(FILE);
    assert_eq!((run.exit, printed.as_str()), (0, PRINTED), "{words}: interpret mode goes on: {}", run.stderr);
    let why: Vec<&str> = run
        .accelerated
        .iter()
        .map(|accelerated| match &accelerated.end {
            End::FellBack(why) => {
                assert!(why.span.is_some() && why.help.is_some(), "{why:?}");
                why.message.as_str()
            }
            end => panic!("{words}: {end:?}"),
        })
        .collect();
    assert!(why[0].contains(words), "{why:?}");
    // What is lost is not asked again.
    let again = if lost { "lost to this run by an earlier failure" } else { words };
    assert!(why[1].contains(again), "{why:?}");
}

#[test]
fn a_device_without_room_says_so_and_is_as_it_was() {
    let words =
        "the device is out of memory: 4096 bytes were asked for, 904 are free; the launch's arrays have 8192 bytes, ";
    fails(&Faults { room: Some(5000), ..Faults::default() }, words, false);
}

#[test]
fn an_illegal_access_loses_the_device_and_nothing_else() {
    let failure = Failure::IllegalAccess("illegal address".to_string());
    fails(&Faults { kernel: Some(failure), ..Faults::default() }, "accessed memory that is not its own", true);
}

#[test]
fn a_kernel_that_does_not_end_is_given_up() {
    fails(&Faults { hangs: true, ..Faults::default() }, "did not end within 30 seconds", true);
}

#[test]
fn a_device_that_is_lost_says_so() {
    fails(&Faults { kernel: Some(Failure::Lost), ..Faults::default() }, "the device was lost", true);
}

#[test]
fn a_device_that_breaks_down_is_named_as_the_one_to_blame() {
    let failure = Failure::Broken("ecc uncorrectable".to_string());
    fails(&Faults { kernel: Some(failure), ..Faults::default() }, "the device failed (ecc uncorrectable)", true);
}

#[test]
fn what_the_driver_says_is_told() {
    let failure = Failure::Driver { call: "cuEventQuery", code: "unknown".to_string() };
    fails(&Faults { kernel: Some(failure), ..Faults::default() }, "cuEventQuery: unknown", false);
}

#[test]
fn a_machine_without_a_compiler_says_how_to_install_it() {
    let faults = Faults { compiler: Some(NvrtcError::Missing), ..Faults::default() };
    fails(&faults, "NVRTC, the compiler for CUDA C++, was not found", false);
    let (run, ..) = Case::new(faults).run(FILE);
    assert!(run.stderr.contains("pip install nvidia-cuda-nvrtc"), "{}", run.stderr);
}

#[test]
fn source_that_nvrtc_refuses_is_kept_and_the_pallas_line_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    // The line of the generated source in which the kernel stores.
    let analysis = Analysis::new("kernels.py", FILE, &AnalysisOptions::new(Arc::new(Disk)));
    let program = pallas_engine::simt::compile(&analysis.launches[0], pallas_engine::simt::Architecture::HOPPER);
    let program = program.expect("a program");
    let entry = program.lines.last().expect("lines");
    let log = format!("kernel.cu({}): error: identifier \"zz\" is undefined\n  zz;\n", entry.line);
    let compiler = Some(NvrtcError::Failed { code: "compilation".to_string(), log });
    let case =
        Case { folder: Some(folder.path().to_path_buf()), ..Case::new(Faults { compiler, ..Faults::default() }) };
    let (run, printed, left) = Case { falls_back: true, ..case }.run(FILE);
    assert_eq!((run.exit, printed.as_str(), left), (0, PRINTED, 0));
    let End::FellBack(why) = &run.accelerated[0].end else { panic!("it cannot run") };
    assert!(why.message.contains("identifier \"zz\" is undefined") && why.message.contains("a mistake in Pallas"));
    assert_eq!(why.span, Some(entry.span), "the Pallas source of that line");
    let file = folder.path().join("refused.cu");
    assert!(why.help.as_ref().is_some_and(|help| help.contains(&file.display().to_string())), "{why:?}");
    let kept = std::fs::read_to_string(file).expect("the source");
    assert!(kept.contains("__global__"), "{kept}");
}

#[test]
fn an_op_that_is_not_lowered_names_its_line() {
    let text = FILE.replace("x_ref[...] * 2", "x_ref[...] * 2 + 0 * jax.lax.nextafter(small(x_ref), small(x_ref))");
    let small = "def small(x_ref):\n  return x_ref[...].astype(jnp.float8_e5m2)\n\n\nx = jnp";
    let text = text.replace("x = jnp", small).replace("small(x_ref))", "small(x_ref)).astype(jnp.float32)");
    let (run, printed, _) = Case { falls_back: true, ..Case::new(Faults::default()) }.run(&text);
    assert_eq!(run.exit, 0, "{}", run.stderr);
    assert_eq!(printed, PRINTED);
    let End::FellBack(why) = &run.accelerated[0].end else { panic!("it is lowered now: take another op") };
    assert!(why.message.contains("is not lowered yet"), "{why:?}");
    let span = why.span.expect("a line");
    assert_eq!(text[..span.start as usize].matches('\n').count() + 1, 7, "the line of the op");
    assert!(matches!(run.accelerated[1].end, End::Ran { .. }), "other launches run on the device");
}

/// Reads beyond its Ref, where the last program asks for it; the output is one block for all programs of a parallel axis.
const WRONG: &str = "\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def pick_kernel(x_ref, o_ref):
  i = pl.program_id(0)
  o_ref[...] = x_ref[pl.ds(i * 128, 128)] / 0


def same_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]


x = jnp.zeros(256, jnp.float32)
y = pl.pallas_call(
    pick_kernel, grid=(3,), out_specs=pl.BlockSpec((128,), lambda i: (i,)),
    out_shape=jax.ShapeDtypeStruct((384,), jnp.float32))(x)
z = pl.pallas_call(
    same_kernel, grid=(2,), in_specs=[pl.BlockSpec((128,), lambda i: (i,))],
    out_specs=pl.BlockSpec((128,), lambda i: (0,)), out_shape=jax.ShapeDtypeStruct((128,), jnp.float32),
    compiler_params=pltpu.CompilerParams(dimension_semantics=('parallel',)))(x)
print(y.shape, z.shape)
";

#[test]
fn a_checked_kernel_tells_what_interpret_mode_would_and_goes_on() {
    let (run, printed, left) = Case { checked: true, ..Case::new(Faults::default()) }.run(WRONG);
    assert_eq!((run.exit, printed.as_str(), left), (0, "(384,) (128,)\n", 0), "{}", run.stderr);
    let found: Vec<(&str, usize, &str)> = run
        .findings
        .iter()
        .map(|finding| {
            let line = WRONG[..finding.span.start as usize].matches('\n').count() + 1;
            (finding.code, line, finding.evidence.as_deref().unwrap_or_default())
        })
        .collect();
    assert!(found.iter().any(|(code, line, _)| (*code, *line) == ("PL202", 9)), "{found:?}");
    let race = found.iter().find(|(code, line, _)| (*code, *line) == ("PL410", 13));
    assert!(
        race.is_some_and(|(.., evidence)| evidence
            .contains("program (1,) first, at element (0,) of o_ref that program (0,) has written")),
        "{found:?}"
    );
    let End::Ran { seen, .. } = &run.accelerated[0].end else { panic!("it runs") };
    assert!(seen.iter().any(|(words, _)| words.contains("stores NaN to `o_ref`")), "{seen:?}");
    // Without checks nothing is told, and the results are the same.
    let (run, again, _) = Case::new(Faults::default()).run(WRONG);
    assert_eq!((run.exit, again), (0, printed));
    assert!(run.findings.iter().all(|finding| finding.code != "PL410"));
}

#[test]
fn what_is_compiled_ahead_is_compiled_once_and_told_of() {
    use pallas_engine::accelerator::Accelerator;
    use std::sync::Mutex;
    let analysis = Analysis::new("kernels.py", FILE, &AnalysisOptions::new(Arc::new(Disk)));
    let fake = Fake::new(&analysis.launches, Faults::default());
    let mut gpu = Gpu::with(Box::new(fake.clone()), Box::new(fake.clone()), None);
    let told = Mutex::new(Vec::new());
    let launches = [&analysis.launches[..], &analysis.launches[..1]].concat();
    gpu.prepare(&launches, true, 2, &|done, all| told.lock().expect("no test panics").push((done, all)));
    assert_eq!(told.into_inner().expect("no test panics"), [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]);
    assert_eq!(fake.compiled(), 4);
    let inputs = pallas_tests::simt::inputs(&analysis.launches[0]);
    assert!(gpu.run(&analysis.launches[0], &inputs).is_ok() && gpu.run(&analysis.launches[0], &inputs).is_ok());
    assert_eq!(fake.compiled(), 4, "nothing is compiled again");
}

/// A launch run three times on a device with both ways; how often that of tiles was started in each, and what it gave.
fn both_ways(faults: Faults, backend: Backend) -> (Vec<usize>, bool, Fake) {
    use pallas_engine::accelerator::Accelerator;
    let analysis = Analysis::new("kernels.py", FILE, &AnalysisOptions::new(Arc::new(Disk)));
    let fake = Fake::new(&analysis.launches, faults);
    let inputs = pallas_tests::simt::inputs(&analysis.launches[0]);
    let (mut started, mut same, mut first) = (Vec::new(), true, None);
    for _ in 0..3 {
        let before = fake.tiled();
        // Opened anew each time: what was chosen is kept outside of it.
        let gpu = Gpu::with(Box::new(fake.clone()), Box::new(fake.clone()), None);
        let mut gpu = gpu.through(backend, Some(Box::new(fake.clone())));
        let ran = gpu.run(&analysis.launches[0], &inputs).expect("it runs");
        same &= *first.get_or_insert_with(|| ran.outputs.clone()) == ran.outputs;
        started.push(fake.tiled() - before);
    }
    (started, same, fake)
}

#[test]
fn the_faster_way_is_taken_and_remembered() {
    let (started, same, fake) = both_ways(Faults { tiles: PLAIN / 2.0, ..Faults::default() }, Backend::Auto);
    assert!(started[0] > 1, "measured: {started:?}");
    assert_eq!((&started[1..], same, fake.left()), (&[1, 1][..], true, 0));
    let (started, same, _) = both_ways(Faults { tiles: PLAIN * 2.0, ..Faults::default() }, Backend::Auto);
    assert!(started[0] > 1, "measured: {started:?}");
    assert_eq!((&started[1..], same), (&[0, 0][..], true));
}

#[test]
fn a_way_that_gives_something_else_or_fails_is_not_taken() {
    let fast = Faults { tiles: PLAIN / 2.0, ..Faults::default() };
    let (started, same, _) = both_ways(Faults { wrong_tiles: true, ..fast.clone() }, Backend::Auto);
    assert_eq!((started, same), (vec![1, 0, 0], true), "once, to compare");
    let failure = Failure::Driver { call: "cuLaunchKernel", code: "too many resources".to_string() };
    let (started, same, _) = both_ways(Faults { tile_kernel: Some(failure), ..fast }, Backend::Auto);
    assert_eq!((started, same), (vec![1, 1, 1], true), "it may pass, so that it is tried again the next time");
}

#[test]
fn a_way_that_is_asked_for_is_taken() {
    let slow = Faults { tiles: PLAIN * 2.0, ..Faults::default() };
    assert_eq!(both_ways(slow.clone(), Backend::TileIr).0, [1, 1, 1]);
    assert_eq!(both_ways(slow, Backend::Simt).0, [0, 0, 0]);
}

/// What profiling a launch on a device with both ways says: the name and the time of each way in nanoseconds, whether programs were noted,
/// and the launch's own time.
fn profiled(tiles: f64, backend: Backend) -> (Vec<(String, Option<f64>)>, bool, f64) {
    use pallas_engine::accelerator::Accelerator;
    let analysis = Analysis::new("kernels.py", FILE, &AnalysisOptions::new(Arc::new(Disk)));
    let fake = Fake::new(&analysis.launches, Faults { tiles, ..Faults::default() });
    let inputs = pallas_tests::simt::inputs(&analysis.launches[0]);
    let gpu = Gpu::with(Box::new(fake.clone()), Box::new(fake.clone()), None);
    let mut gpu = gpu.through(backend, Some(Box::new(fake.clone())));
    let plain = gpu.run(&analysis.launches[0], &inputs).expect("it runs").outputs;
    let ran = gpu.profile(&analysis.launches[0], &inputs, &|| false).expect("it runs");
    assert_eq!((ran.outputs == plain, fake.left()), (true, 0));
    let timed = ran.timed.expect("it was measured");
    let ways = timed.about.ways.iter().map(|way| (way.name.clone(), way.time)).collect();
    let middle = timed.times[timed.times.len() / 2];
    assert_eq!(timed.events.is_empty(), timed.about.noted.is_none());
    (ways, timed.about.noted.is_some(), middle)
}

#[test]
fn a_profile_is_of_the_way_that_was_asked_for() {
    let way = |name: &str, time: f64| (name.to_string(), Some(time * 1e3));
    let (fast, slow) = (PLAIN / 2.0, PLAIN * 2.0);
    assert_eq!(profiled(fast, Backend::Simt), (vec![way("simt", PLAIN)], true, PLAIN * 1e3));
    assert_eq!(profiled(slow, Backend::TileIr), (vec![way("tileir", slow)], false, slow * 1e3));
    let both = vec![way("tileir", fast), way("simt", PLAIN)];
    assert_eq!(profiled(fast, Backend::Auto), (both, false, fast * 1e3), "the faster one");
    assert_eq!(profiled(slow, Backend::Auto), (vec![way("simt", PLAIN)], true, PLAIN * 1e3));
}

#[test]
fn checks_and_a_machine_without_the_compiler_take_the_way_of_threads() {
    use pallas_engine::accelerator::Accelerator;
    let analysis = Analysis::new("kernels.py", FILE, &AnalysisOptions::new(Arc::new(Disk)));
    let fake = Fake::new(&analysis.launches, Faults { tiles: 1.0, ..Faults::default() });
    let inputs = pallas_tests::simt::inputs(&analysis.launches[0]);
    let gpu = || Gpu::with(Box::new(fake.clone()), Box::new(fake.clone()), None);
    let mut checked = gpu().checked(true).through(Backend::TileIr, Some(Box::new(fake.clone())));
    assert!(checked.run(&analysis.launches[0], &inputs).is_ok());
    let mut without = gpu().through(Backend::Auto, None);
    assert!(without.run(&analysis.launches[0], &inputs).is_ok());
    assert_eq!(fake.tiled(), 0);
    let mut asked = gpu().through(Backend::TileIr, None);
    let error = asked.run(&analysis.launches[0], &inputs).expect_err("there is no compiler");
    assert!(error.message.contains("pip install nvidia-cuda-tileiras"), "{error:?}");
}
