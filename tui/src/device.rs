//! `--device`: which accelerator a run gets, and what is said of the launches that it was given.

use crate::args::{Backend, Device, DeviceArg};
use crate::environment;
use crate::render::source_of;
use pallas_engine::accelerator::{
    self, Accelerated, Acceleration, CompileTiles, Difference, End, Gpu, Open, Simulator,
};
use pallas_engine::simt::Tuning;
use pallas_engine::{Analysis, AnalysisOptions, Disk, Environment, Run, Span, cuda, path_text};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is wanted of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    /// Which.
    pub(crate) device: Device,
    /// After how many seconds a kernel on it is given up.
    pub(crate) patience: u64,
    /// By which way launches become machine code.
    pub(crate) backend: Backend,
    /// Whether outputs are compared with those of interpret mode.
    pub(crate) verifies: bool,
    /// Whether kernels tell of positions outside of their Refs.
    pub(crate) checked: bool,
    /// Whether they tell of NaN.
    pub(crate) traps_nan: bool,
    /// Whether launches are measured.
    pub(crate) timed: bool,
    /// What is not left to the lowering.
    pub(crate) tuning: Tuning,
}

impl Wish {
    /// A device as it is.
    pub(crate) fn plain(on: DeviceArg) -> Wish {
        Wish {
            device: on.device,
            patience: on.patience,
            backend: Backend::Auto,
            verifies: false,
            checked: false,
            traps_nan: false,
            timed: false,
            tuning: Tuning::default(),
        }
    }
}

/// Hears what is being compiled, how many kernels are, and of how many.
pub(crate) type Progress = Box<dyn Fn(&str, usize, usize) + Send + Sync>;

/// Says, before anything else is said, why kernels run in interpret mode where a device is wished for only if there is one.
pub(crate) fn tell_fallback(device: Device) {
    if let Some(Err(failure)) = (device == Device::Auto).then(cuda::driver) {
        crate::output::error(&format!("{failure}: kernels run in interpret mode"));
    }
}

/// The accelerator for a device; none for interpret mode.
///
/// # Errors
/// There is no such device.
pub(crate) fn acceleration(
    wish: Wish,
    python: Option<&Path>,
    script: &Path,
    progress: Option<Progress>,
) -> Result<Option<Acceleration>, String> {
    let Wish { device, verifies, checked, traps_nan, tuning, .. } = wish;
    let falls_back = device == Device::Auto;
    match device {
        Device::Interpret if verifies => {
            Err("--verify compares a device with interpret mode: it needs `--device cuda`, `auto` or `simulator`"
                .to_string())
        }
        Device::Interpret if checked || traps_nan => {
            Err("--checked and --trap-nan are about a device: they need `--device cuda`, `auto` or `simulator`; \
                                             interpret mode finds what is out of bounds without it"
                .to_string())
        }
        Device::Interpret => Ok(None),
        Device::Simulator => Ok(Some(Acceleration {
            open: Box::new(move || Ok(Box::new(Simulator { checked, traps_nan, tuning }))),
            falls_back,
            verifies,
        })),
        Device::Auto | Device::Cuda => match cuda::driver() {
            Ok(_) => {
                let found = cuda::find(&environment::cuda_places(python, script));
                let known = Known {
                    script: script.to_path_buf(),
                    environment: environment::find(python, script).unwrap_or_default(),
                    progress,
                };
                Ok(Some(Acceleration { open: gpu(found, wish, known), falls_back, verifies }))
            }
            // `tell_fallback` has said it: by now there may be a screen, which words would spoil.
            Err(_) if falls_back => Ok(None),
            Err(failure) => Err(format!("--device cuda: {failure}: {}", failure.help())),
        },
    }
}

/// Whether NVIDIA's tile compiler is installed.
pub(crate) fn has_tiles(python: Option<&Path>, script: &Path) -> bool {
    let found = cuda::find(&environment::cuda_places(python, script));
    cuda::TileCompiler::new(&found, &std::env::temp_dir(), None).is_ok()
}

/// What is compiled before it is asked for: all that an analysis of the file finds, where somebody hears how far that is.
struct Known {
    script: PathBuf,
    environment: Environment,
    progress: Option<Progress>,
}

impl Known {
    fn prepare(self, gpu: &mut Gpu, timed: bool) {
        let Some(progress) = self.progress else { return };
        let Ok(text) = crate::sources::read(&self.script) else { return };
        let path = path_text(&self.script);
        let mut options = AnalysisOptions::new(Arc::new(Disk));
        options.import_paths = environment::python_path();
        options.environment = self.environment;
        let launches = Analysis::new(&path, &text, &options).launches;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let what = format!("{path}: compiling");
        gpu.prepare(&launches, timed, threads, &|done, all| progress(&what, done, all));
    }
}

fn gpu(found: cuda::Found, wish: Wish, known: Known) -> Open {
    let folder = crate::calibrate::cache().map(|folder| folder.join("cuda"));
    Box::new(move || {
        let gpu = Gpu::open(found.nvrtc.as_deref(), folder.clone(), wish.patience)?;
        let backend = match wish.backend {
            Backend::Auto => accelerator::Backend::Auto,
            Backend::Simt => accelerator::Backend::Simt,
            Backend::TileIr => accelerator::Backend::TileIr,
        };
        // What is missing is said where a launch cannot do without it.
        let tiles = cuda::TileCompiler::new(&found, &std::env::temp_dir(), folder.map(cuda::Cache::new)).ok();
        let gpu = gpu.through(backend, tiles.map(|tiles| Box::new(tiles) as Box<dyn CompileTiles>));
        let mut gpu = gpu.checked(wish.checked).trapping_nan(wish.traps_nan).tuned(wish.tuning);
        known.prepare(&mut gpu, wish.timed);
        Ok(Box::new(gpu))
    })
}

/// What is said of the launches of a run: those that fell back, once for each reason and place, and those that differ. Whether
/// all are as interpret mode has them.
pub(crate) fn words(run: &Run) -> (String, bool) {
    let mut lines: Vec<String> = Vec::new();
    let (mut agree, mut compared) = (true, 0);
    let (mut timed, mut microseconds, mut by) = (0, 0.0, String::new());
    for accelerated in &run.accelerated {
        let at = place(run, accelerated.launch.spans.apply);
        let kernel = &accelerated.launch.kernel.name;
        match &accelerated.end {
            End::FellBack(why) => {
                let at = why.span.map_or(at, |span| place(run, span));
                let help = why.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
                lines.push(format!("{at}: `{kernel}` ran in interpret mode: {}{help}", why.message));
            }
            End::Ran { differences, seen, microseconds: took } => {
                if let Some(took) = took {
                    (timed, microseconds) = (timed + accelerated.count, microseconds + took);
                    by.clone_from(&accelerated.by);
                }
                lines.extend(seen.iter().map(|(words, span)| format!("{}: `{kernel}`: {words}", place(run, *span))));
                if let Some(differences) = differences {
                    compared += accelerated.count;
                    agree &= differences.is_empty();
                    lines.extend(differences.iter().map(|difference| differs(&at, accelerated, difference)));
                }
            }
        }
    }
    lines.dedup();
    if timed > 0 {
        let launches = if timed == 1 { "1 launch".to_string() } else { format!("{timed} launches") };
        lines.push(format!("{launches} ran on {by}, for {microseconds:.1} us"));
    }
    if compared > 0 && agree {
        let launches = if compared == 1 { "1 launch gave".to_string() } else { format!("{compared} launches gave") };
        lines.push(format!("{launches} what interpret mode gives"));
    }
    (lines.iter().map(|line| format!("pallas-tui: {line}\n")).collect(), agree)
}

fn differs(at: &str, accelerated: &Accelerated, difference: &Difference) -> String {
    let place: Vec<String> = difference.place.iter().map(usize::to_string).collect();
    format!(
        "{at}: `{}` of `{}` differs from interpret mode in {} of {} elements; at [{}] {} has {}, interpret mode {}",
        difference.output,
        accelerated.launch.kernel.name,
        difference.count,
        difference.size,
        place.join(", "),
        accelerated.by,
        difference.found,
        difference.expected
    )
}

/// `file.py:3:5`
fn place(run: &Run, span: Span) -> String {
    source_of(&run.sources, span).map_or_else(String::new, |source| source.place(span.start))
}
