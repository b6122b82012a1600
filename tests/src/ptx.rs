//! A CUDA device that is the machine of `tests/ptx`: its code is PTX, and the host side that a real device gets runs on it unchanged. And
//! launches on it, beside interpret mode.

use crate::cuda::{compile, say};
use crate::simt::{Outcome, Patience, against, inputs};
use pallas_engine::Launch;
use pallas_engine::cuda::{
    BufferId, Call, Compiler, Device, DeviceInfo, Failure, FunctionId, GraphId, Request, execute,
};
use pallas_engine::simt::ir::TensorMap;
use pallas_engine::simt::{Options, Program};
use pallas_ptx::{Cause, Memory, Module, Start, run};
use pallas_tensor::{Array, DType};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Elements and steps that interpret mode may take, as for the simulator.
const FUEL: u64 = 4_000_000;
/// Instructions of warps of a launch: what takes more is left out.
const BUDGET: u64 = 400_000;

/// The device.
pub struct Machine {
    info: DeviceInfo,
    memory: Memory,
    functions: Vec<(Rc<Module>, String)>,
    /// Boxes of arrays, by number: numbers are too low for addresses.
    boxes: BTreeMap<u64, [u8; 128]>,
    /// What the last kernel was stopped by.
    failed: Option<Failure>,
    /// Whether it was stopped since it took too long.
    pub too_long: bool,
    /// What kernels printed.
    pub printed: String,
    /// Instructions of warps that were executed.
    pub instructions: u64,
    /// Multiply-adds of products.
    pub terms: u64,
    /// How many threads executed each kind of instruction.
    pub executed: BTreeMap<String, u64>,
    budget: u64,
    /// A warp of each cluster that goes on only where no other one does.
    pub slow: Option<usize>,
}

impl Machine {
    /// A device of a compute capability, whose kernels may take so many instructions of warps each.
    pub fn new(capability: u32, budget: u64) -> Machine {
        let info = DeviceInfo {
            name: "a machine for PTX".to_string(),
            capability: (capability / 10, capability % 10),
            memory: 1 << 30,
            multiprocessors: 132,
            shared_per_block: pallas_engine::simt::Architecture::new(capability).shared_bytes,
        };
        Machine {
            info,
            memory: Memory::new(),
            functions: Vec::new(),
            boxes: BTreeMap::new(),
            failed: None,
            too_long: false,
            printed: String::new(),
            instructions: 0,
            terms: 0,
            executed: BTreeMap::new(),
            budget,
            slow: None,
        }
    }
}

/// What the driver would say where the machine says more.
fn driver(call: &'static str, what: impl ToString) -> Failure {
    Failure::Driver { call, code: what.to_string() }
}

impl Device for Machine {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn load(&mut self, code: &[u8], entry: &str, _: usize) -> Result<FunctionId, Failure> {
        let text = std::str::from_utf8(code).map_err(|error| driver("cuModuleLoadData", error))?;
        let module = Module::parse(text).map_err(|error| driver("cuModuleLoadData", error))?;
        if module.entry(entry).is_none() {
            return Err(driver("cuModuleGetFunction", entry));
        }
        self.functions.push((Rc::new(module), entry.to_string()));
        Ok(FunctionId(self.functions.len() - 1))
    }

    fn allocate(&mut self, bytes: usize) -> Result<BufferId, Failure> {
        Ok(BufferId(self.memory.alloc(bytes, 256)))
    }

    fn describe(&mut self, buffer: BufferId, map: &TensorMap, dtype: DType) -> Result<BufferId, Failure> {
        let said = described(buffer.0, map, dtype).encode();
        let said = said.ok_or_else(|| driver("cuTensorMapEncodeTiled", format!("{map:?}")))?;
        let number = self.boxes.last_key_value().map_or(1, |(number, _)| number + 1);
        self.boxes.insert(number, said);
        Ok(BufferId(number))
    }

    fn free(&mut self, buffer: BufferId) {
        let was_there = self.boxes.remove(&buffer.0).is_some() || self.memory.free(buffer.0);
        assert!(was_there, "given back twice");
    }

    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Failure> {
        self.memory.write(buffer.0, bytes).map_err(|cause| driver("cuMemcpyHtoD", cause))
    }

    fn read(&mut self, buffer: BufferId, bytes: &mut [u8]) -> Result<(), Failure> {
        self.memory.read(buffer.0, bytes).map_err(|cause| driver("cuMemcpyDtoH", cause))
    }

    fn start(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        let (module, entry) = self.functions[call.function.0].clone();
        let kernel = module.entry(&entry).ok_or_else(|| driver("cuLaunchKernel", &entry))?;
        if kernel.params.len() != call.buffers.len() {
            let (given, wanted) = (call.buffers.len(), kernel.params.len());
            return Err(driver("cuLaunchKernel", format!("{given} parameters, of a kernel with {wanted}")));
        }
        let mut params = vec![0; kernel.param_bytes()];
        for (param, buffer) in kernel.params.iter().zip(call.buffers) {
            let content = match self.boxes.get(&buffer.0) {
                Some(described) => described.to_vec(),
                None => buffer.0.to_le_bytes().to_vec(),
            };
            if content.len() != param.size {
                let (given, wanted) = (content.len(), param.size);
                return Err(driver("cuLaunchKernel", format!("a parameter of {given} bytes where {wanted} are taken")));
            }
            params[param.offset..param.offset + param.size].copy_from_slice(&content);
        }
        let start = Start {
            grid: [call.blocks as u32, 1, 1],
            block: [call.threads, 1, 1],
            cluster: [1; 3],
            shared: call.shared,
            params: &params,
            budget: self.budget,
            slow: self.slow,
        };
        self.failed = match run(&module, &entry, &start, &mut self.memory) {
            Ok(ran) => {
                self.printed.push_str(&ran.printed);
                self.instructions += ran.instructions;
                self.terms += ran.terms;
                for (name, threads) in ran.executed {
                    *self.executed.entry(name).or_default() += threads;
                }
                None
            }
            Err(fault) => {
                self.too_long = fault.cause == Cause::Budget;
                Some(match fault.cause {
                    Cause::IllegalAddress { .. } | Cause::Misaligned { .. } => {
                        Failure::IllegalAccess(fault.to_string())
                    }
                    _ => driver("the machine", fault),
                })
            }
        };
        Ok(())
    }

    fn record(&mut self, call: &Call<'_>, launches: usize) -> Result<GraphId, Failure> {
        for _ in 0..launches {
            self.start(call)?;
        }
        Ok(GraphId(0))
    }

    fn replay(&mut self, _: GraphId) -> Result<(), Failure> {
        Ok(())
    }

    fn forget(&mut self, _: GraphId) {}

    fn resident(&mut self, _: FunctionId, _: u32, _: usize) -> Result<u32, Failure> {
        Ok(1)
    }

    fn has_ended(&mut self) -> Result<bool, Failure> {
        self.failed.take().map_or(Ok(true), Err)
    }

    fn microseconds(&mut self) -> Result<f64, Failure> {
        Ok(1.0)
    }

    fn rest(&mut self) -> u64 {
        1_000_000
    }
}

/// A box as `cuTensorMapEncodeTiled` is told of it: the last dimension first.
fn described(address: u64, map: &TensorMap, dtype: DType) -> pallas_ptx::TensorMap {
    let element = dtype.size_bytes();
    let extents: Vec<u64> = map.extents.iter().rev().map(|&extent| extent as u64).collect();
    let strides = extents.iter().scan(element as u64, |stride, extent| {
        let own = *stride;
        *stride = stride.saturating_mul(*extent);
        Some(own)
    });
    // As the driver numbers types that something is combined with; of the others only the width matters.
    let number = match (dtype, element) {
        (DType::F16, _) => 6,
        (DType::F32, _) => 7,
        (DType::F64, _) => 8,
        (DType::BF16, _) => 9,
        (DType::I32, _) => 3,
        (DType::I64, _) => 5,
        (_, 1) => 0,
        (_, 2) => 1,
        (_, 4) => 2,
        _ => 4,
    };
    pallas_ptx::TensorMap {
        element,
        address,
        strides: strides.collect(),
        extents,
        boxed: map.boxed.iter().rev().map(|&extent| extent as u32).collect(),
        steps: vec![1; map.boxed.len()],
        swizzle: map.swizzle as u32,
        fills_nan: false,
        dtype: number,
    }
}

/// What interpret mode makes of a launch on the arrays that [`inputs`] makes up; `None` where it does not run it.
pub fn expected(launch: &Launch) -> Option<(Vec<Array>, Vec<Array>)> {
    let inputs = inputs(launch);
    let outputs = pallas_interpret::run_launch(launch, inputs.clone(), &mut Patience(FUEL)).ok()?;
    Some((inputs, outputs))
}

/// What became of a launch on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    /// What interpret mode gives, after so many instructions.
    Equal(u64),
    /// It takes more instructions than it may.
    TooLong,
    /// Something else, or it was stopped.
    Wrong(String),
}

/// Runs a launch on the machine, lowered in one way to a program.
pub fn compare(
    compiler: &Compiler,
    launch: &Launch,
    options: Options,
    program: &Program,
    arrays: &(Vec<Array>, Vec<Array>),
) -> Ran {
    match compiled(compiler, options, program) {
        Ok(ptx) => on_machine(launch, options, program, &ptx, arrays),
        Err(why) => Ran::Wrong(why),
    }
}

/// The PTX of a program.
///
/// # Errors
/// What NVRTC says.
pub fn compiled(compiler: &Compiler, options: Options, program: &Program) -> Result<String, String> {
    let architecture = options.architecture.name();
    let request = Request { source: &program.source, architecture: &architecture, lines: &program.lines };
    let made = compile(compiler, &request).map_err(|error| format!("NVRTC: {error}"))?;
    let ptx = made.ptx.expect("it was made here");
    if let Some(folder) = std::env::var_os("PTX_KEEP") {
        let stem = format!("{}_{}_{}", program.entry, options.architecture.name(), ptx.len());
        let folder = std::path::PathBuf::from(folder);
        for (kind, text) in [("ptx", &ptx), ("cu", &program.source)] {
            if let Err(error) = std::fs::write(folder.join(format!("{stem}.{kind}")), text) {
                say(&format!("PTX_KEEP: {error}"));
            }
        }
    }
    Ok(ptx)
}

/// Runs a launch on the machine by its PTX.
pub fn on_machine(
    launch: &Launch,
    options: Options,
    program: &Program,
    ptx: &str,
    arrays: &(Vec<Array>, Vec<Array>),
) -> Ran {
    with_slow(launch, options, program, ptx, arrays, None)
}

/// The same, where a warp of each cluster goes on only if no other one does.
pub fn with_slow(
    launch: &Launch,
    options: Options,
    program: &Program,
    ptx: &str,
    arrays: &(Vec<Array>, Vec<Array>),
    slow: Option<usize>,
) -> Ran {
    let mut machine = Machine::new(options.architecture.capability, BUDGET);
    machine.slow = slow;
    match execute(&mut machine, launch, program, ptx.as_bytes(), &arrays.0) {
        Ok(executed) => match against(&executed.outputs, &arrays.1) {
            Outcome::Wrong(why) => Ran::Wrong(why),
            _ => Ran::Equal(machine.instructions),
        },
        Err(_) if machine.too_long => Ran::TooLong,
        Err(error) => Ran::Wrong(error.to_string()),
    }
}
