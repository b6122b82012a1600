//! Which of the two ways to machine code a launch takes: CUDA C++ through NVRTC, or CUDA Tile IR through NVIDIA's tile compiler,
//! where that is installed and the launch has Tile IR. Both are run and timed the first time; the way of tiles is taken if it
//! gives the same and is faster, and what was found is kept. Nothing needs it: whatever goes wrong with it, the other way is taken.

use super::compare;
use pallas_cuda::{Device, Failure, Key, Rounds, TileCode, TileCompiler, TileError, initials, measure, median, work};
use pallas_ir::Launch;
use pallas_tensor::Array;
use pallas_tileir::Program;
use std::collections::HashMap;

/// Which way launches take on a CUDA device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The faster one of a launch, by measurement.
    #[default]
    Auto,
    /// CUDA C++.
    Simt,
    /// CUDA Tile IR; a launch that has none is refused.
    TileIr,
}

/// Makes machine code of Tile IR.
pub trait CompileTiles {
    /// What it is: machine code and choices of another version are not taken for its own.
    fn version(&self) -> String;

    /// Compiles a module for a compute capability.
    ///
    /// # Errors
    /// What the compiler said.
    fn compile(&self, bytecode: &[u8], capability: u32) -> Result<TileCode, TileError>;

    /// What is kept under a key.
    fn get(&self, key: Key) -> Option<Vec<u8>>;

    /// Keeps something, if there is a place for it.
    fn put(&self, key: Key, content: &[u8]);
}

impl CompileTiles for TileCompiler {
    fn version(&self) -> String {
        TileCompiler::version(self).to_string()
    }

    fn compile(&self, bytecode: &[u8], capability: u32) -> Result<TileCode, TileError> {
        TileCompiler::compile(self, bytecode, capability)
    }

    fn get(&self, key: Key) -> Option<Vec<u8>> {
        self.cache().and_then(|cache| cache.get(key))
    }

    fn put(&self, key: Key, content: &[u8]) {
        if let Some(cache) = self.cache() {
            // A folder that cannot be written costs another measurement, not the run.
            let _ = cache.put(key, content);
        }
    }
}

/// A launch's machine code by way of Tile IR.
pub(super) struct Tiled {
    pub(super) program: Program,
    bytecode: Vec<u8>,
    pub(super) code: TileCode,
}

/// The compiler, with what it made and what was chosen in this run.
pub(super) struct Tiles {
    compiler: Box<dyn CompileTiles>,
    chosen: HashMap<Key, bool>,
}

impl Tiles {
    pub(super) fn new(compiler: Box<dyn CompileTiles>) -> Tiles {
        Tiles { compiler, chosen: HashMap::new() }
    }

    /// The machine code of a launch, or why it has none, with the op where one is to blame.
    pub(super) fn compiled(&self, launch: &Launch, capability: u32) -> Result<Tiled, pallas_simt::Refusal> {
        let program = pallas_tileir::compile(launch)?;
        let bytecode = program.bytecode()?;
        let code = self.compiler.compile(&bytecode, capability);
        let code = code.map_err(|error| pallas_simt::Refusal::new(error.to_string(), launch.spans.call))?;
        Ok(Tiled { program, bytecode, code })
    }

    /// What a choice depends on: the device, the compilers, and both kernels.
    fn key(&self, tiled: &Tiled, device: &dyn Device, source: &str) -> Key {
        let version = self.compiler.version();
        Key::of(["choice", device.info().name.as_str(), version.as_str(), source], &tiled.bytecode)
    }

    /// What was chosen before.
    pub(super) fn known(&mut self, tiled: &Tiled, device: &dyn Device, source: &str) -> Option<bool> {
        let key = self.key(tiled, device, source);
        if let Some(&known) = self.chosen.get(&key) {
            return Some(known);
        }
        let known = match self.compiler.get(key)?.as_slice() {
            b"tileir" => true,
            b"simt" => false,
            _ => return None,
        };
        self.chosen.insert(key, known);
        Some(known)
    }

    /// Remembers a choice, also for other runs if it is one for all arrays: not where something went wrong that may pass.
    pub(super) fn remember(
        &mut self,
        tiled: &Tiled,
        device: &dyn Device,
        source: &str,
        takes_tiles: bool,
        keeps: bool,
    ) {
        let key = self.key(tiled, device, source);
        self.chosen.insert(key, takes_tiles);
        if keeps {
            self.compiler.put(key, if takes_tiles { b"tileir" } else { b"simt" });
        }
    }
}

/// How often each of two ways is run to choose: a few times, since somebody waits.
fn rounds(microseconds: f64) -> Rounds {
    let full = Rounds::of(microseconds);
    Rounds { counted: full.counted.min(7), warm_up: full.warm_up.min(2), ..full }
}

/// What a comparison of the two ways found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Compared {
    /// Whether tiles are faster, and give the same.
    pub(super) takes_tiles: bool,
    /// Whether that will be so the next time, too.
    pub(super) lasts: bool,
    /// The median of its times, in microseconds, if it gives the same.
    pub(super) time: Option<f64>,
}

/// Runs a launch by way of Tile IR, compares what it gives with the outputs of the other way, and times both. `plain` is the median
/// of the other way's times.
///
/// # Errors
/// The device is lost.
pub(super) fn compared(
    device: &mut dyn Device,
    launch: &Launch,
    tiled: &Tiled,
    inputs: &[Array],
    expected: &[Array],
    plain: f64,
) -> Result<Compared, Failure> {
    let not = |lasts| Ok(Compared { takes_tiles: false, lasts, time: None });
    let ran = pallas_cuda::execute(device, launch, &tiled.program, &tiled.code.cubin, inputs);
    let ran = match ran {
        Ok(ran) => ran,
        Err(failure) if failure.is_lost() => return Err(failure),
        Err(_) => return not(false),
    };
    if !compare(launch, expected, &ran.outputs).is_empty() {
        return not(true);
    }
    match timed(device, launch, &tiled.program, &tiled.code.cubin, inputs) {
        Ok(Some(tiles)) => Ok(Compared { takes_tiles: tiles < plain, lasts: true, time: Some(tiles) }),
        Err(failure) if failure.is_lost() => Err(failure),
        _ => not(false),
    }
}

/// The median time of a kernel.
///
/// # Errors
/// As [`measure`].
pub(super) fn timed<'a>(
    device: &mut dyn Device,
    launch: &Launch,
    kernel: impl Into<pallas_cuda::Kernel<'a>>,
    cubin: &'a [u8],
    inputs: &[Array],
) -> Result<Option<f64>, Failure> {
    let kernel = kernel.into();
    let initials = initials(launch, kernel, inputs);
    let work = work(launch, kernel, cubin, &initials);
    Ok(median(&measure(device, &work, &rounds, &|| false)?.times))
}
