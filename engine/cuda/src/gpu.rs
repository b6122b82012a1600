//! The CUDA driver, through cudarc's thinnest layer. No function of it is called before the library is known to be there:
//! without it they panic.

#![allow(unsafe_code, reason = "the driver and the compiler are C libraries; each call says its invariant")]

use crate::boxes::Description;
use crate::device::{BufferId, Call, Device, DeviceInfo, FunctionId, GraphId};
use crate::failure::Failure;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};
use pallas_simt::ir::TensorMap;
use pallas_tensor::DType;
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::time::Duration;

/// What the driver says of itself and of its devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The newest CUDA that it knows: `(13, 0)`.
    pub cuda: (i32, i32),
    /// Its devices.
    pub devices: Vec<DeviceInfo>,
}

/// Asks the driver, if there is one.
///
/// # Errors
/// No driver, or no device.
pub fn driver() -> Result<Driver, Failure> {
    started()?;
    let mut version = 0;
    // SAFETY: the driver is there, and the pointer is to a live integer.
    let code = unsafe { sys::cuDriverGetVersion(&mut version) };
    code.result().map_err(|error| failed("cuDriverGetVersion", error))?;
    let count = result::device::get_count().map_err(|error| failed("cuDeviceGetCount", error))?;
    let devices = (0..count).map(|ordinal| about(ordinal).map(|(_, info)| info)).collect::<Result<Vec<_>, _>>()?;
    if devices.is_empty() {
        return Err(Failure::NoDevice("it counts none".to_string()));
    }
    Ok(Driver { cuda: (version / 1000, version % 1000 / 10), devices })
}

/// A device of the driver.
///
/// # Errors
/// No driver, no such device, or no context on it.
pub fn open(ordinal: usize) -> Result<Box<dyn Device>, Failure> {
    started()?;
    let number = i32::try_from(ordinal).map_err(|_| Failure::NoDevice(format!("there is no device {ordinal}")))?;
    let (device, info) = about(number)?;
    // SAFETY: the device comes from the driver. The primary context is kept until the process ends.
    let begun = unsafe { result::primary_ctx::retain(device).and_then(|context| result::ctx::set_current(context)) };
    begun.map_err(|error| failed("cuDevicePrimaryCtxRetain", error))?;
    let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
    let (begin, end) =
        event().and_then(|begin| Ok((begin, event()?))).map_err(|error| failed("cuEventCreate", error))?;
    // Copies go through the stream that every other one waits for, and which cannot be recorded; this one waits for them.
    let stream = result::stream::create(result::stream::StreamKind::Default);
    let stream = stream.map_err(|error| failed("cuStreamCreate", error))?;
    Ok(Box::new(Gpu {
        info,
        functions: Vec::new(),
        graphs: Vec::new(),
        boxes: BTreeMap::new(),
        begin,
        end,
        stream,
        lost: false,
    }))
}

/// Loads and starts the driver.
fn started() -> Result<(), Failure> {
    // SAFETY: only looks for the library.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(Failure::NoDriver);
    }
    match result::init() {
        Ok(()) => Ok(()),
        Err(DriverError(code @ (CUresult::CUDA_ERROR_NO_DEVICE | CUresult::CUDA_ERROR_STUB_LIBRARY))) => {
            Err(Failure::NoDevice(words(code)))
        }
        Err(error) => Err(failed("cuInit", error)),
    }
}

fn about(ordinal: i32) -> Result<(sys::CUdevice, DeviceInfo), Failure> {
    let say = |call| move |error| failed(call, error);
    let device = result::device::get(ordinal).map_err(say("cuDeviceGet"))?;
    let attribute = |which: Attribute| -> Result<usize, Failure> {
        // SAFETY: the device comes from the driver.
        let value = unsafe { result::device::get_attribute(device, which) };
        value.map(|value| usize::try_from(value).unwrap_or(0)).map_err(say("cuDeviceGetAttribute"))
    };
    // SAFETY: the device comes from the driver.
    let memory = unsafe { result::device::total_mem(device) }.map_err(say("cuDeviceTotalMem"))?;
    let info = DeviceInfo {
        name: result::device::get_name(device).map_err(say("cuDeviceGetName"))?,
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as u32,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as u32,
        ),
        memory,
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_per_block: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
    };
    Ok((device, info))
}

/// The driver's name for a code, as it prints.
fn words(code: CUresult) -> String {
    format!("{code:?}").trim_start_matches("CUDA_ERROR_").to_lowercase().replace('_', " ")
}

/// What a code of the driver means to a user.
fn failed(call: &'static str, DriverError(code): DriverError) -> Failure {
    match code {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_LAUNCH_FAILED => Failure::IllegalAccess(words(code)),
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
        | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | CUresult::CUDA_ERROR_CONTAINED
        | CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE
        | CUresult::CUDA_ERROR_SYSTEM_NOT_READY
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_UNKNOWN => Failure::Broken(words(code)),
        CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED => Failure::Lost,
        CUresult::CUDA_ERROR_NO_DEVICE => Failure::NoDevice(words(code)),
        code => Failure::Driver { call, code: words(code) },
    }
}

/// A device with its context. Used from the thread that opened it.
struct Gpu {
    info: DeviceInfo,
    functions: Vec<(Vec<u8>, String, sys::CUfunction)>,
    /// What was recorded, and not yet forgotten.
    graphs: Vec<Option<sys::CUgraphExec>>,
    /// Boxes of arrays, by number: numbers are too low for addresses.
    boxes: BTreeMap<u64, Description>,
    begin: sys::CUevent,
    end: sys::CUevent,
    stream: sys::CUstream,
    lost: bool,
}

impl Gpu {
    /// Turns the driver's answer into ours, and remembers that the context is gone.
    fn said<T>(&mut self, call: &'static str, answer: Result<T, DriverError>) -> Result<T, Failure> {
        if self.lost {
            return Err(Failure::Lost);
        }
        answer.map_err(|error| {
            let failure = failed(call, error);
            self.lost |= failure.is_lost();
            failure
        })
    }

    /// Puts a launch on the stream: it runs, or is recorded.
    fn launch(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        let code = |what: &str| Failure::Driver { call: "cuLaunchKernel", code: what.to_string() };
        let blocks = u32::try_from(call.blocks).map_err(|_| code("more blocks than CUDA can launch"))?;
        let shared = u32::try_from(call.shared).map_err(|_| code("more shared memory than there is"))?;
        let function = self.function(call.function)?;
        let mut addresses: Vec<sys::CUdeviceptr> = call.buffers.iter().map(|buffer| buffer.0).collect();
        let mut pointers: Vec<*mut c_void> = addresses
            .iter_mut()
            .map(|address| match self.boxes.get_mut(address) {
                Some(description) => std::ptr::from_mut(description).cast::<c_void>(),
                None => std::ptr::from_mut(address).cast::<c_void>(),
            })
            .collect();
        let (grid, block) = ((blocks, 1, 1), (call.threads, 1, 1));
        // SAFETY: function and stream are live; the parameters are pointers to addresses that live until the call returns,
        // which copies them, and the kernel has as many.
        let answer = unsafe { result::launch_kernel(function, grid, block, shared, self.stream, &mut pointers) };
        self.said("cuLaunchKernel", answer)
    }

    fn function(&self, id: FunctionId) -> Result<sys::CUfunction, Failure> {
        let known = self.functions.get(id.0).map(|(_, _, function)| *function);
        known.ok_or_else(|| Failure::Driver { call: "cuLaunchKernel", code: "no such function".to_string() })
    }

    /// Does something to the stream between the two events.
    fn between(&mut self, what: impl FnOnce(&mut Gpu) -> Result<(), Failure>) -> Result<(), Failure> {
        // SAFETY: event and stream are live.
        let begun = unsafe { result::event::record(self.begin, self.stream) };
        self.said("cuEventRecord", begun)?;
        what(self)?;
        // SAFETY: as above.
        let ended = unsafe { result::event::record(self.end, self.stream) };
        self.said("cuEventRecord", ended)
    }
}

impl Device for Gpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn load(&mut self, cubin: &[u8], entry: &str, shared: usize) -> Result<FunctionId, Failure> {
        if let Some(known) = self.functions.iter().position(|(code, name, _)| code == cubin && name == entry) {
            return Ok(FunctionId(known));
        }
        let name = CString::new(entry).map_err(|_| Failure::Driver {
            call: "cuModuleGetFunction",
            code: "a name with a zero byte".to_string(),
        })?;
        // SAFETY: the image is an ELF file of the compiler's, which says its own length; the driver copies it.
        let module = unsafe { result::module::load_data(cubin.as_ptr().cast::<c_void>()) };
        let module = self.said("cuModuleLoadData", module)?;
        // SAFETY: the module is loaded, and never unloaded.
        let function = unsafe { result::module::get_function(module, name) };
        let function = self.said("cuModuleGetFunction", function)?;
        if shared > 48 << 10 {
            let bytes = i32::try_from(shared).unwrap_or(i32::MAX);
            let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is live.
            let set = unsafe { result::function::set_function_attribute(function, which, bytes) };
            self.said("cuFuncSetAttribute", set)?;
        }
        self.functions.push((cubin.to_vec(), entry.to_string(), function));
        Ok(FunctionId(self.functions.len() - 1))
    }

    fn allocate(&mut self, bytes: usize) -> Result<BufferId, Failure> {
        // SAFETY: gives memory of the current context.
        match unsafe { result::malloc_sync(bytes) } {
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let free = result::mem_get_info().map_or(0, |(free, _)| free);
                Err(Failure::OutOfMemory { wanted: bytes, free })
            }
            answer => self.said("cuMemAlloc", answer).map(BufferId),
        }
    }

    fn describe(&mut self, buffer: BufferId, map: &TensorMap, dtype: DType) -> Result<BufferId, Failure> {
        let description = Description::new(buffer.0, map, dtype);
        let description = self.said("cuTensorMapEncodeTiled", description)?;
        let number = self.boxes.last_key_value().map_or(1, |(number, _)| number + 1);
        self.boxes.insert(number, description);
        Ok(BufferId(number))
    }

    fn free(&mut self, buffer: BufferId) {
        if self.boxes.remove(&buffer.0).is_some() {
            return;
        }
        if !self.lost {
            // SAFETY: `allocate` gave it, and its user gives it back once.
            let _ = unsafe { result::free_sync(buffer.0) };
        }
    }

    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Failure> {
        // SAFETY: the buffer was allocated for as many bytes, by the caller's own count.
        let answer = unsafe { result::memcpy_htod_sync(buffer.0, bytes) };
        self.said("cuMemcpyHtoD", answer)
    }

    fn read(&mut self, buffer: BufferId, bytes: &mut [u8]) -> Result<(), Failure> {
        // SAFETY: as for `write`.
        let answer = unsafe { result::memcpy_dtoh_sync(bytes, buffer.0) };
        self.said("cuMemcpyDtoH", answer)
    }

    fn start(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        self.between(|gpu| gpu.launch(call))
    }

    fn record(&mut self, call: &Call<'_>, launches: usize) -> Result<GraphId, Failure> {
        // Other threads of the process may go on with what they do.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is live, and is no default stream.
        let begun = unsafe { result::stream::begin_capture(self.stream, mode) };
        self.said("cuStreamBeginCapture", begun)?;
        let launched = (0..launches).try_for_each(|_| self.launch(call));
        // The stream records until this call, whatever happened.
        // SAFETY: the stream is live, and is recording.
        let graph = unsafe { result::stream::end_capture(self.stream) };
        launched?;
        let graph = self.said("cuStreamEndCapture", graph)?;
        // SAFETY: the graph was given by the call above, and is destroyed once, after its last use.
        let made = unsafe {
            let made = result::graph::instantiate(graph, sys::CUgraphInstantiate_flags(0));
            let _ = result::graph::destroy(graph);
            made
        };
        let made = self.said("cuGraphInstantiate", made)?;
        self.graphs.push(Some(made));
        // SAFETY: graph and stream are live. What is put on the device now is not waited for between the events.
        let there = unsafe { result::graph::upload(made, self.stream) };
        self.said("cuGraphUpload", there)?;
        Ok(GraphId(self.graphs.len() - 1))
    }

    fn replay(&mut self, graph: GraphId) -> Result<(), Failure> {
        let made = self.graphs.get(graph.0).copied().flatten();
        let made = made.ok_or_else(|| Failure::Driver { call: "cuGraphLaunch", code: "no such graph".to_string() })?;
        self.between(|gpu| {
            // SAFETY: graph and stream are live.
            let answer = unsafe { result::graph::launch(made, gpu.stream) };
            gpu.said("cuGraphLaunch", answer)
        })
    }

    fn forget(&mut self, graph: GraphId) {
        if let Some(made) = self.graphs.get_mut(graph.0).and_then(Option::take)
            && !self.lost
        {
            // SAFETY: `record` made it, and it is taken out of the list once.
            let _ = unsafe { result::graph::exec_destroy(made) };
        }
    }

    fn resident(&mut self, function: FunctionId, threads: u32, shared: usize) -> Result<u32, Failure> {
        let function = self.function(function)?;
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        // SAFETY: the function is live.
        let blocks = unsafe { result::occupancy::max_active_block_per_multiprocessor(function, threads, shared) };
        let blocks = self.said("cuOccupancyMaxActiveBlocksPerMultiprocessor", blocks)?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    fn has_ended(&mut self) -> Result<bool, Failure> {
        // SAFETY: the event is live.
        match unsafe { result::event::query(self.end) } {
            Err(DriverError(CUresult::CUDA_ERROR_NOT_READY)) => Ok(false),
            answer => self.said("cuEventQuery", answer).map(|()| true),
        }
    }

    fn microseconds(&mut self) -> Result<f64, Failure> {
        // SAFETY: both events are live and recorded.
        let answer = unsafe { result::event::elapsed(self.begin, self.end) };
        self.said("cuEventElapsedTime", answer).map(|milliseconds| f64::from(milliseconds) * 1e3)
    }

    fn rest(&mut self) -> u64 {
        const MICROSECONDS: u64 = 50;
        std::thread::sleep(Duration::from_micros(MICROSECONDS));
        MICROSECONDS
    }
}
