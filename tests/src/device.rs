//! A CUDA device that is made up: its compiler hands the source on, its kernels are run by the simulator of the SIMT IR, and it
//! fails in whatever way a test asks for. All that is written over a device runs on it without one.

use pallas_engine::Launch;
use pallas_engine::accelerator::CompileTiles;
use pallas_engine::cuda::bytes::{array, bytes};
use pallas_engine::cuda::{
    BufferId, Call, Compile, CompileError, Compiled, Device, DeviceInfo, Failure, FunctionId, GraphId, Key, NvrtcError,
    Request, Resources, TileCode, TileError, occupancy,
};
use pallas_engine::simt::ir::{Doubt, TensorMap};
use pallas_engine::simt::{
    Architecture, CHECK_WORDS, Check, Garbage, Options, ParamKind, Program, Watched, compile_with, sim,
};
use pallas_ir::Role;
use pallas_tensor::{DType, Shape};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const FUEL: u64 = 400_000_000;
/// Microseconds that a launch takes, and one that notes its times.
pub const PLAIN: f64 = 20.0;
/// See [`PLAIN`].
pub const NOTED: f64 = 21.0;
/// Registers of each kernel.
const REGISTERS: u32 = 64;

/// How it fails.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Bytes of memory; none: enough.
    pub room: Option<usize>,
    /// What the driver says once a kernel was started.
    pub kernel: Option<Failure>,
    /// Whether kernels never end.
    pub hangs: bool,
    /// What the compiler says.
    pub compiler: Option<NvrtcError>,
    /// Microseconds that a kernel of tiles takes.
    pub tiles: f64,
    /// Whether kernels of tiles compute something else.
    pub wrong_tiles: bool,
    /// What the driver says once a kernel of tiles was started.
    pub tile_kernel: Option<Failure>,
}

/// The device, and at the same time its compiler.
#[derive(Clone)]
pub struct Fake {
    info: DeviceInfo,
    state: Arc<Mutex<State>>,
}

/// A kernel, by its number.
#[derive(Clone, Copy)]
enum Function {
    Threads(usize),
    Tiles(usize),
}

#[derive(Default)]
struct State {
    faults: Faults,
    /// What sources are printed from.
    programs: Vec<Program>,
    /// What modules of tiles are made of, with their bytecode.
    tiles: Vec<(Vec<u8>, pallas_engine::tileir::Program)>,
    /// What functions are; none: they do nothing.
    functions: Vec<Option<Function>>,
    /// What compilers of tiles keep.
    kept: HashMap<Key, Vec<u8>>,
    /// How often a kernel of tiles was started.
    tiled: usize,
    /// What the last kernel failed with.
    failed: Option<Failure>,
    memory: BTreeMap<u64, Vec<u8>>,
    next: u64,
    graphs: BTreeMap<usize, f64>,
    took: f64,
    compiled: usize,
}

impl Fake {
    /// A device that knows the kernels of these launches.
    pub fn new(launches: &[Arc<Launch>], faults: Faults) -> Fake {
        let architecture = Architecture::HOPPER;
        let info = DeviceInfo {
            name: "a made-up GPU".to_string(),
            capability: (9, 0),
            memory: 1 << 30,
            multiprocessors: 4,
            shared_per_block: architecture.shared_bytes,
        };
        let kinds = [(false, false), (true, false), (false, true), (true, true)];
        let programs = launches.iter().flat_map(|launch| {
            kinds.map(|(checked, timed)| {
                let garbage = checked.then(Garbage::default);
                let options = Options { checked, timed, traps_nan: checked, garbage, ..Options::new(architecture) };
                compile_with(launch, options).ok()
            })
        });
        let programs = programs.chain(launches.iter().flat_map(|launch| looked_at(launch, architecture)));
        let programs = programs.flatten().collect();
        let tiles = launches.iter().filter_map(|launch| {
            let program = pallas_engine::tileir::compile(launch).ok()?;
            Some((program.bytecode().ok()?, program))
        });
        let tiles = tiles.collect();
        Fake { info, state: Arc::new(Mutex::new(State { faults, programs, tiles, ..State::default() })) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many sources it compiled.
    pub fn compiled(&self) -> usize {
        self.state().compiled
    }

    /// How often a kernel of tiles was started.
    pub fn tiled(&self) -> usize {
        self.state().tiled
    }

    /// Buffers that were never given back.
    pub fn left(&self) -> usize {
        self.state().memory.len()
    }
}

/// What somebody runs who looks for results that depend on garbage, where the first element of an output does.
fn looked_at(launch: &Launch, architecture: Architecture) -> Vec<Option<Program>> {
    let padding = Garbage { padding: true, ..Garbage::default() };
    let written = Garbage { outputs: false, ..Garbage::EVERYWHERE };
    let outputs = launch.with_role(Role::Output).map(|(operand, _)| Some(Watched { operand, element: 0 }));
    let watched: Vec<Option<Watched>> = outputs.chain([None]).collect();
    let kinds = [Garbage::default(), Garbage::EVERYWHERE, padding, written];
    let options = kinds.iter().flat_map(|&garbage| {
        watched.iter().map(move |&watched| Options { garbage: Some(garbage), watched, ..Options::new(architecture) })
    });
    options.map(|options| compile_with(launch, options).ok()).collect()
}

impl Compile for Fake {
    fn compile(&self, request: &Request<'_>) -> Result<Compiled, CompileError> {
        if let Some(error) = self.state().faults.compiler.clone() {
            return Err(CompileError::new(error, request));
        }
        self.state().compiled += 1;
        let resources = Some(Resources { registers: REGISTERS, ..Resources::default() });
        let cubin = request.source.as_bytes().to_vec();
        Ok(Compiled { cubin, ptx: None, log: String::new(), resources, cached: false })
    }
}

impl Device for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn load(&mut self, cubin: &[u8], _: &str, _: usize) -> Result<FunctionId, Failure> {
        let mut state = self.state();
        let program = state.programs.iter().position(|program| program.source.as_bytes() == cubin);
        let tiles = state.tiles.iter().position(|(bytecode, _)| bytecode == cubin);
        let function = program.map(Function::Threads).or(tiles.map(Function::Tiles));
        state.functions.push(function);
        Ok(FunctionId(state.functions.len() - 1))
    }

    fn allocate(&mut self, bytes: usize) -> Result<BufferId, Failure> {
        let mut state = self.state();
        let used: usize = state.memory.values().map(Vec::len).sum();
        if let Some(room) = state.faults.room.filter(|&room| used + bytes > room) {
            return Err(Failure::OutOfMemory { wanted: bytes, free: room - used });
        }
        state.next += 1;
        let next = state.next;
        // Ceilings are measured in memory that nobody looks at.
        state.memory.insert(next, vec![0xAA; bytes.min(64 << 20)]);
        Ok(BufferId(next))
    }

    fn describe(&mut self, buffer: BufferId, map: &TensorMap, dtype: DType) -> Result<BufferId, Failure> {
        let bytes = map.extents.iter().product::<usize>() * dtype.size_bytes();
        assert!(self.state().memory[&buffer.0].len() >= bytes, "a box of an array that is not there: {map:?}");
        // As long as the driver's own.
        self.allocate(128)
    }

    fn free(&mut self, buffer: BufferId) {
        assert!(self.state().memory.remove(&buffer.0).is_some(), "given back twice");
    }

    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Failure> {
        self.state().memory.get_mut(&buffer.0).expect("memory")[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, bytes: &mut [u8]) -> Result<(), Failure> {
        bytes.copy_from_slice(&self.state().memory[&buffer.0][..bytes.len()]);
        Ok(())
    }

    fn start(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        let mut state = self.state();
        let function = state.functions.get(call.function.0).copied().flatten();
        state.took = PLAIN;
        state.failed = None;
        let program = match function {
            Some(Function::Threads(number)) => state.programs.get(number).cloned(),
            Some(Function::Tiles(number)) => {
                let program = state.tiles[number].1.clone();
                assert_eq!((call.threads, call.shared), (1, 0), "the tile compiler says how many threads there are");
                state.took = state.faults.tiles;
                state.tiled += 1;
                state.failed = state.faults.tile_kernel.clone();
                state.run_tiles(&program, call.buffers);
                return Ok(());
            }
            None => None,
        };
        let Some(program) = program else { return Ok(()) };
        if !program.kernel.marks.is_empty() {
            state.took = NOTED;
        }
        if state.faults.kernel.is_none() && !state.faults.hangs {
            state.run(&program, call.buffers);
        }
        Ok(())
    }

    fn record(&mut self, call: &Call<'_>, launches: usize) -> Result<GraphId, Failure> {
        self.start(call)?;
        let mut state = self.state();
        let (id, took) = (state.graphs.len(), state.took * launches as f64);
        state.graphs.insert(id, took);
        Ok(GraphId(id))
    }

    fn replay(&mut self, graph: GraphId) -> Result<(), Failure> {
        let mut state = self.state();
        state.took = state.graphs[&graph.0];
        Ok(())
    }

    fn forget(&mut self, graph: GraphId) {
        assert!(self.state().graphs.remove(&graph.0).is_some(), "forgotten twice");
    }

    fn resident(&mut self, _: FunctionId, threads: u32, shared: usize) -> Result<u32, Failure> {
        let used = Resources { registers: REGISTERS, ..Resources::default() };
        Ok(occupancy(self.info.architecture(), used, threads, shared).map_or(0, |full| full.blocks))
    }

    fn has_ended(&mut self) -> Result<bool, Failure> {
        let state = self.state();
        match state.faults.kernel.as_ref().or(state.failed.as_ref()) {
            Some(failure) => Err(failure.clone()),
            None => Ok(!state.faults.hangs),
        }
    }

    fn microseconds(&mut self) -> Result<f64, Failure> {
        Ok(self.state().took)
    }

    fn rest(&mut self) -> u64 {
        1_000_000
    }
}

impl CompileTiles for Fake {
    fn version(&self) -> String {
        "made up".to_string()
    }

    fn compile(&self, bytecode: &[u8], _: u32) -> Result<TileCode, TileError> {
        Ok(TileCode { cubin: bytecode.to_vec(), cached: false })
    }

    fn get(&self, key: Key) -> Option<Vec<u8>> {
        self.state().kept.get(&key).cloned()
    }

    fn put(&self, key: Key, content: &[u8]) {
        self.state().kept.insert(key, content.to_vec());
    }
}

impl State {
    /// Runs a program of tiles on what its buffers hold.
    fn run_tiles(&mut self, program: &pallas_engine::tileir::Program, buffers: &[BufferId]) {
        let sizes = program.params.iter().map(|param| param.len * param.dtype.size_bytes());
        let memories = buffers.iter().zip(sizes).map(|(buffer, size)| self.memory[&buffer.0][..size].to_vec());
        let memories = pallas_engine::tileir::run::run_on(program, memories.collect(), FUEL).expect("it runs");
        for (mut content, (buffer, param)) in memories.into_iter().zip(buffers.iter().zip(&program.params)) {
            if self.faults.wrong_tiles && param.written {
                content.fill(0);
            }
            self.memory.get_mut(&buffer.0).expect("memory")[..content.len()].copy_from_slice(&content);
        }
    }

    /// Runs a program on what its buffers hold.
    fn run(&mut self, program: &Program, buffers: &[BufferId]) {
        let mut arrays = Vec::new();
        for (param, buffer) in program.params.iter().zip(buffers) {
            if let ParamKind::Operand { operand, .. } = param.kind {
                let size = param.len * param.dtype.size_bytes();
                let content = &self.memory[&buffer.0][..size];
                let array = array(param.dtype, &Shape::from(vec![param.len]), content).expect("its bytes");
                arrays.push((operand, array));
            }
        }
        let (arrays, report) = sim::run_kernel(&program.kernel, arrays, FUEL).expect("the simulator runs it");
        for (param, buffer) in program.params.iter().zip(buffers) {
            let content = match &param.kind {
                ParamKind::Operand { operand, .. } => {
                    arrays.iter().find(|(other, _)| other == operand).map(|(_, array)| bytes(array)).unwrap_or_default()
                }
                ParamKind::Notes => report.notes.iter().flat_map(|word| word.to_le_bytes()).collect(),
                ParamKind::Checks => checks(program, &report),
                ParamKind::Stores => stores(program, &report),
                _ => continue,
            };
            self.memory.get_mut(&buffer.0).expect("memory")[..content.len()].copy_from_slice(&content);
        }
    }
}

/// What the device would have noted of an element that is watched.
fn stores(program: &Program, report: &sim::Report) -> Vec<u8> {
    let mut words = vec![report.stores.len() as u64, 0];
    for store in &report.stores {
        let number = program.stores.iter().position(|span| *span == store.span).expect("a store that is watched");
        words.extend([(number as u64) << 32 | store.program as u64, store.bits]);
    }
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}

/// What the device's own checks would have left. Races are seen by who wrote an element before, block after block, as the device
/// sees them in some order.
fn checks(program: &Program, report: &sim::Report) -> Vec<u8> {
    let mut words = vec![[0u32; CHECK_WORDS]; program.checks.len()];
    for complaint in &report.complaints {
        let same = |check: &Check| check.words == complaint.memory && check.span == complaint.span;
        let number = match complaint.kind {
            sim::Kind::Outside | sim::Kind::NotANumber | sim::Kind::ProgramRace => program.checks.iter().position(same),
            _ => None,
        };
        let Some(words) = number.and_then(|number| words.get_mut(number)) else { continue };
        if words[0] == 0 {
            words[1] = complaint.element as u32;
            words[2] = complaint.threads.0;
            if let Some(met) = complaint.met {
                let is_there = |check: &Check| check.doubt == Doubt::Race && Some(check.span) == met.span;
                let there = program.checks.iter().position(is_there).map_or(0, |number| number as u32 + 1);
                words[2..5].copy_from_slice(&[met.program as u32, there, met.element.1 as u32]);
            }
        }
        words[0] += 1;
    }
    words.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
}
