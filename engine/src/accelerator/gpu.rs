//! A CUDA device: launches are lowered, compiled by NVRTC, and run through the driver.

use super::tiles::{self, Backend, CompileTiles, Tiled, Tiles};
use super::timed::{Known, of_tiles, times};
use super::undefined::{self, Trial};
use super::{Accelerator, NotRun, Ran, told};
use pallas_cuda::{
    Cache, Ceilings, Compile, CompileError, Compiled, Compiler, Device, Failure, Kernel, Nvrtc, NvrtcError, Request,
    Rounds, Samples, ceilings, initials, measure, median, occupancy, work,
};
use pallas_interpret::Undefined;
use pallas_ir::{Finding, Launch};
use pallas_simt::{Architecture, Garbage, Options, Program, Tuning};
use pallas_syntax::Span;
use pallas_tensor::Array;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A device, with the compiler for it.
pub struct Gpu {
    device: Box<dyn Device>,
    compiler: Box<dyn Compile>,
    /// Where generated source is left that NVRTC refuses.
    folder: Option<PathBuf>,
    lost: bool,
    checked: bool,
    traps_nan: bool,
    tuning: Tuning,
    /// Which way launches take.
    backend: Backend,
    /// The other way, where there is one.
    tiles: Option<Tiles>,
    /// What was compiled, by source.
    ready: HashMap<String, Compiled>,
    /// What the device reaches at most, once it was asked for; `None` inside where that failed.
    ceilings: Option<Option<Ceilings>>,
}

impl Gpu {
    /// The first device of this machine, on which kernels are given up after so many seconds, and NVRTC from a file, or from where the
    /// loader finds it. What is compiled is kept in a folder.
    ///
    /// # Errors
    /// There is no driver, no device or no NVRTC.
    pub fn open(nvrtc: Option<&Path>, folder: Option<PathBuf>, patience: u64) -> Result<Gpu, NotRun> {
        let device = pallas_cuda::open(0, patience).map_err(|failure| failed(&failure, None))?;
        let nvrtc = Nvrtc::load(nvrtc).map_err(|error| no_compiler(&error))?;
        let compiler = Compiler::new(nvrtc, folder.clone().map(Cache::new));
        Ok(Gpu::with(device, Box::new(compiler), folder))
    }

    /// A device and a compiler that were opened elsewhere; generated source that is refused is left in a folder.
    pub fn with(device: Box<dyn Device>, compiler: Box<dyn Compile>, folder: Option<PathBuf>) -> Gpu {
        Gpu {
            device,
            compiler,
            folder,
            lost: false,
            checked: false,
            traps_nan: false,
            tuning: Tuning::default(),
            backend: Backend::Simt,
            tiles: None,
            ready: HashMap::new(),
            ceilings: None,
        }
    }

    /// The same, with kernels that tell of positions outside of their Refs, of races, and of what they leave to memory that nobody has
    /// written.
    #[must_use]
    pub fn checked(mut self, checked: bool) -> Gpu {
        self.checked = checked;
        self
    }

    /// The same, with kernels that tell of NaN that they store to outputs.
    #[must_use]
    pub fn trapping_nan(mut self, traps: bool) -> Gpu {
        self.traps_nan = traps;
        self
    }

    /// The same, with numbers that are not left to the lowering.
    #[must_use]
    pub fn tuned(mut self, tuning: Tuning) -> Gpu {
        self.tuning = tuning;
        self
    }

    /// The same, with the way that launches take, and a compiler of Tile IR if there is one.
    #[must_use]
    pub fn through(mut self, backend: Backend, tiles: Option<Box<dyn CompileTiles>>) -> Gpu {
        self.backend = backend;
        self.tiles = tiles.map(Tiles::new);
        self
    }

    /// Whether an earlier launch has lost the device: nothing runs on it any more.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The machine code of a launch by way of Tile IR, if that way may be taken.
    fn tiled(&mut self, launch: &Launch) -> Result<Option<Tiled>, NotRun> {
        // What tells of mistakes is part of the other way alone; so is what somebody tunes.
        let is_plain = !self.checked && !self.traps_nan && self.tuning == Tuning::default();
        if self.backend == Backend::Simt || !is_plain {
            return Ok(None);
        }
        let capability = self.device.info().architecture();
        let tiled = match &self.tiles {
            Some(tiles) => tiles.compiled(launch, capability),
            None => Err(pallas_simt::Refusal::new(pallas_cuda::TileError::Missing.to_string(), launch.spans.call)),
        };
        match tiled {
            Ok(tiled) => Ok(Some(tiled)),
            Err(_) if self.backend == Backend::Auto => Ok(None),
            Err(refusal) => {
                let help = refusal.help.or_else(|| Some("`--backend auto` takes the other way".to_string()));
                Err(NotRun { message: refusal.message, span: Some(refusal.span), help })
            }
        }
    }

    /// Runs a launch the way of tiles.
    fn run_tiled(&mut self, launch: &Launch, tiled: &Tiled, inputs: &[Array]) -> Result<Ran, NotRun> {
        let ran = pallas_cuda::execute(&mut *self.device, launch, &tiled.program, &tiled.code.cubin, inputs);
        let ran = ran.map_err(|failure| self.gone(&failure, launch))?;
        Ok(Ran { microseconds: Some(ran.microseconds), ..Ran::new(ran.outputs) })
    }

    /// Measures a launch the way of tiles; `threads` is the median of the other way's times, where that was measured.
    fn profile_tiled(
        &mut self,
        launch: &Launch,
        tiled: &Tiled,
        inputs: &[Array],
        threads: Option<f64>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Ran, NotRun> {
        let ran = self.run_tiled(launch, tiled, inputs)?;
        let samples = self.measured(launch, &tiled.program, &tiled.code.cubin, inputs, stop)?;
        let timed = of_tiles(launch, tiled.program.blocks, &samples, self.ceilings(), threads);
        Ok(Ran { timed: Some(Box::new(timed)), ..ran })
    }

    /// Which way of a launch was found to be faster: whether it is that of tiles.
    fn known(&mut self, tiled: &Tiled, plain: &Program) -> Option<bool> {
        self.tiles.as_mut().and_then(|tiles| tiles.known(tiled, &*self.device, &plain.source))
    }

    /// Says which way is faster, once the launch has run the plain way, and remembers it. The median of the way of tiles, in microseconds,
    /// if it gives the same.
    fn choose(
        &mut self,
        launch: &Launch,
        tiled: &Tiled,
        plain: &(Program, Compiled),
        inputs: &[Array],
        outputs: &[Array],
    ) -> Result<Option<f64>, NotRun> {
        let device = &mut *self.device;
        let time = tiles::timed(device, launch, &plain.0, &plain.1.cubin, inputs);
        let found = match time {
            Ok(Some(time)) => tiles::compared(device, launch, tiled, inputs, outputs, time),
            Ok(None) => return Ok(None),
            Err(failure) => Err(failure),
        };
        match found {
            Ok(found) => {
                if let Some(tiles) = &mut self.tiles {
                    tiles.remember(tiled, &*self.device, &plain.0.source, found.takes_tiles, found.lasts);
                }
                Ok(found.time)
            }
            Err(failure) if failure.is_lost() => Err(self.gone(&failure, launch)),
            // Measured another time.
            Err(_) => Ok(None),
        }
    }

    fn options(&self) -> Options {
        let mut architecture = Architecture::new(self.device.info().architecture());
        architecture.shared_bytes = self.device.info().shared_per_block;
        let Gpu { checked, traps_nan, tuning, .. } = *self;
        Options { checked, traps_nan, tuning, garbage: checked.then(Garbage::default), ..Options::new(architecture) }
    }

    /// Compiles what launches will need, several at a time, before anybody asks for it; `progress` hears how many of how many are
    /// done. What cannot be compiled is told once it is asked for.
    pub fn prepare(
        &mut self,
        launches: &[Arc<Launch>],
        timed: bool,
        threads: usize,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) {
        let options = self.options();
        let kinds = [options, Options { timed: true, ..options }];
        let mut programs: Vec<Program> = Vec::new();
        for launch in launches.iter().filter(|launch| launch.dynamic.is_empty()) {
            for options in &kinds[..1 + usize::from(timed)] {
                if let Ok(program) = pallas_simt::compile_with(launch, *options)
                    && !self.ready.contains_key(&program.source)
                    && !programs.iter().any(|other| other.source == program.source)
                {
                    programs.push(program);
                }
            }
        }
        let name = options.architecture.name();
        let requests: Vec<Request<'_>> = programs
            .iter()
            .map(|program| Request { source: &program.source, architecture: &name, lines: &program.lines })
            .collect();
        let all = requests.len();
        progress(0, all);
        let answers = self.compiler.compile_all(&requests, threads, &|done| progress(done, all));
        for (program, answer) in programs.into_iter().zip(answers) {
            if let Ok(compiled) = answer {
                self.ready.insert(program.source, compiled);
            }
        }
    }

    fn compiled(&mut self, launch: &Launch, options: Options) -> Result<(Program, Compiled), NotRun> {
        let program = pallas_simt::compile_with(launch, options).map_err(|refusal| NotRun {
            message: refusal.message,
            span: Some(refusal.span),
            help: refusal.help,
        })?;
        if let Some(ready) = self.ready.get(&program.source) {
            let ready = ready.clone();
            return Ok((program, ready));
        }
        let name = options.architecture.name();
        let request = Request { source: &program.source, architecture: &name, lines: &program.lines };
        let compiled = self.compiler.compile(&request);
        let compiled = compiled.map_err(|error| refused(&error, launch, self.folder.as_deref()))?;
        self.ready.insert(program.source.clone(), compiled.clone());
        Ok((program, compiled))
    }

    fn execute(
        &mut self,
        launch: &Launch,
        (program, compiled): &(Program, Compiled),
        inputs: &[Array],
    ) -> Result<pallas_cuda::Executed, NotRun> {
        let ran = pallas_cuda::execute(&mut *self.device, launch, program, &compiled.cubin, inputs);
        ran.map_err(|failure| self.gone(&failure, launch))
    }

    /// What a launch that gave these outputs has left to memory that nobody has written, if that is looked for.
    fn undefined(&mut self, launch: &Launch, inputs: &[Array], outputs: &[Array]) -> Vec<Undefined> {
        if !self.checked {
            return Vec::new();
        }
        let plain = Options { checked: false, traps_nan: false, ..self.options() };
        let mut again = |garbage, watched| {
            let compiled = self.compiled(launch, Options { garbage: Some(garbage), watched, ..plain }).ok()?;
            let ran = self.execute(launch, &compiled, inputs).ok()?;
            Some(Trial { outputs: ran.outputs, stores: ran.stores })
        };
        undefined::undefined(launch, inputs, outputs, &mut again)
    }

    /// Remembers that the device is lost, if it is.
    fn gone(&mut self, failure: &Failure, launch: &Launch) -> NotRun {
        self.lost |= failure.is_lost();
        failed(failure, Some(launch))
    }

    fn measured<'a>(
        &mut self,
        launch: &Launch,
        kernel: impl Into<Kernel<'a>>,
        cubin: &'a [u8],
        inputs: &[Array],
        stop: &dyn Fn() -> bool,
    ) -> Result<Samples, NotRun> {
        let kernel = kernel.into();
        let initials = initials(launch, kernel, inputs);
        let work = work(launch, kernel, cubin, &initials);
        measure(&mut *self.device, &work, &Rounds::of, stop).map_err(|failure| self.gone(&failure, launch))
    }

    fn ceilings(&mut self) -> Option<Ceilings> {
        if self.ceilings.is_none() {
            // A device that cannot be measured is shown without.
            self.ceilings = Some(ceilings(&mut *self.device, &*self.compiler, &|_| {}).ok());
        }
        self.ceilings.clone().flatten()
    }
}

impl Accelerator for Gpu {
    fn name(&self) -> String {
        self.device.info().name.clone()
    }

    fn run(&mut self, launch: &Launch, inputs: &[Array]) -> Result<Ran, NotRun> {
        if self.lost {
            return Err(failed(&Failure::Lost, Some(launch)));
        }
        let tiled = self.tiled(launch)?;
        if let (Some(tiled), Backend::TileIr) = (&tiled, self.backend) {
            return self.run_tiled(launch, tiled, inputs);
        }
        let compiled = self.compiled(launch, self.options())?;
        let known = tiled.as_ref().and_then(|tiled| self.known(tiled, &compiled.0));
        if let (Some(tiled), Some(true)) = (&tiled, known) {
            return self.run_tiled(launch, tiled, inputs);
        }
        let ran = self.execute(launch, &compiled, inputs)?;
        if let (Some(tiled), None) = (&tiled, known) {
            self.choose(launch, tiled, &compiled, inputs, &ran.outputs)?;
        }
        let (findings, seen) = tell(launch, &ran.told);
        let undefined = self.undefined(launch, inputs, &ran.outputs);
        Ok(Ran { microseconds: Some(ran.microseconds), seen, findings, undefined, ..Ran::new(ran.outputs) })
    }

    fn profile(&mut self, launch: &Launch, inputs: &[Array], stop: &dyn Fn() -> bool) -> Result<Ran, NotRun> {
        if self.lost {
            return Err(failed(&Failure::Lost, Some(launch)));
        }
        let tiled = self.tiled(launch)?;
        if let (Some(tiled), Backend::TileIr) = (&tiled, self.backend) {
            return self.profile_tiled(launch, tiled, inputs, None, stop);
        }
        let plain = self.compiled(launch, self.options())?;
        let ran = self.execute(launch, &plain, inputs)?;
        let samples = self.measured(launch, &plain.0, &plain.1.cubin, inputs, stop)?;
        let mut tiles = None;
        if let Some(tiled) = &tiled {
            if self.known(tiled, &plain.0).is_none() {
                tiles = self.choose(launch, tiled, &plain, inputs, &ran.outputs)?;
            }
            if self.known(tiled, &plain.0) == Some(true) {
                return self.profile_tiled(launch, tiled, inputs, median(&samples.times), stop);
            }
        }
        let noting = self.compiled(launch, Options { timed: true, ..self.options() })?;
        let noted = self.execute(launch, &noting, inputs)?;
        let slower = self.measured(launch, &noting.0, &noting.1.cubin, inputs, stop)?;
        let (program, compiled) = &plain;
        let capability = self.device.info().architecture();
        let full =
            compiled.resources.and_then(|used| occupancy(capability, used, program.threads, program.shared_bytes));
        let known = Known {
            notes: &noted.notes,
            noted: median(&slower.times),
            samples,
            resources: compiled.resources,
            occupancy: full,
            ceilings: self.ceilings(),
            tiles,
        };
        let timed = times(launch, &noting.0, known);
        let (findings, seen) = tell(launch, &ran.told);
        let undefined = self.undefined(launch, inputs, &ran.outputs);
        Ok(Ran {
            microseconds: Some(ran.microseconds),
            seen,
            findings,
            undefined,
            timed: Some(Box::new(timed)),
            ..Ran::new(ran.outputs)
        })
    }
}

/// What checks have told, as findings, and in words where they are none.
fn tell(launch: &Launch, checks: &[pallas_cuda::Told]) -> (Vec<Finding>, Vec<(String, Span)>) {
    let (mut findings, mut seen) = (Vec::new(), Vec::new());
    for check in checks {
        let doubt = check.check.doubt;
        let found = told::finding(
            launch,
            &told::Told {
                doubt,
                words: &check.check.words,
                span: check.check.span,
                program: check.program,
                count: check.count.into(),
                met: check.met,
            },
        );
        match found {
            Ok(finding) => findings.push(finding),
            Err(words) => seen.push(words),
        }
    }
    (findings, seen)
}

/// What went wrong on a device; nobody knows where in the kernel, so the launch is named.
fn failed(failure: &Failure, launch: Option<&Launch>) -> NotRun {
    let span = launch.map(|launch| launch.spans.call);
    let mut message = failure.to_string();
    if let (Failure::OutOfMemory { .. }, Some(launch)) = (failure, launch) {
        let size =
            |operand: &pallas_ir::Operand| operand.array.shape.size().saturating_mul(operand.array.dtype.size_bytes());
        let all: usize = launch.operands.iter().map(size).fold(0, usize::saturating_add);
        if let Some(largest) = launch.operands.iter().max_by_key(|operand| size(operand)) {
            // Writing to a string cannot fail.
            let _ = write!(message, "; the launch's arrays have {all} bytes, {} alone {}", largest.name, size(largest));
        }
    }
    NotRun { message, span, help: Some(failure.help().to_string()) }
}

fn no_compiler(error: &NvrtcError) -> NotRun {
    let help = "install it with `pip install nvidia-cuda-nvrtc`, and see what `pallas-tui doctor` says";
    NotRun { message: error.to_string(), span: None, help: Some(help.to_string()) }
}

/// What NVRTC said of source that was generated: a mistake of ours, with all that is needed to find it.
fn refused(error: &CompileError, launch: &Launch, folder: Option<&Path>) -> NotRun {
    let first = error.messages.iter().find(|message| message.is_error);
    let message = match first {
        Some(message) => format!(
            "NVRTC refuses the CUDA C++ that was generated, at line {}: {}; this is a mistake in Pallas Workbench",
            message.line, message.text
        ),
        None if error.error == NvrtcError::Missing => {
            return NotRun { span: Some(launch.spans.call), ..no_compiler(&error.error) };
        }
        None => error.to_string(),
    };
    let kept = folder.map(|folder| folder.join("refused.cu"));
    let kept = kept.filter(|file| pallas_cuda::cache::leave(file, &error.source_text));
    NotRun {
        message,
        span: first.and_then(|message| message.span).or(Some(launch.spans.call)),
        help: kept.map(|file| format!("the source is in {}; please report it", file.display())),
    }
}
