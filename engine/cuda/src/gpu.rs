//! A device of the CUDA driver's, through cudarc's thinnest layer.

#![allow(unsafe_code, reason = "the driver is a C library; each call says its invariant")]

use crate::boxes::Description;
use crate::device::{BufferId, Call, Device, DeviceInfo, FunctionId, GraphId};
use crate::driver::{about, failed, has, started};
use crate::failure::Failure;
use crate::loss;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUresult};
use pallas_simt::ir::TensorMap;
use pallas_tensor::DType;
use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Primary contexts that were retained, by device. They are kept until the process ends: making one takes a good part of a second, and
/// whoever tunes opens a device for each variant.
static CONTEXTS: Mutex<BTreeMap<i32, usize>> = Mutex::new(BTreeMap::new());

/// The primary context of a device, current to this thread.
fn entered(device: sys::CUdevice) -> Result<sys::CUcontext, Failure> {
    let mut contexts = CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let context = match contexts.get(&device) {
        Some(&context) => context as sys::CUcontext,
        None => {
            // SAFETY: the device comes from the driver.
            let context = unsafe { result::primary_ctx::retain(device) };
            let context = context.map_err(|error| failed("cuDevicePrimaryCtxRetain", error))?;
            contexts.insert(device, context as usize);
            context
        }
    };
    // SAFETY: the context was retained, and nobody releases it.
    unsafe { result::ctx::set_current(context) }.map_err(|error| failed("cuCtxSetCurrent", error))?;
    Ok(context)
}

/// Whether what stands before an event has ended, and well.
fn is_over((context, event): (usize, usize)) -> bool {
    // SAFETY: whoever remembered them keeps both until the process ends.
    let answer = unsafe {
        result::ctx::set_current(context as sys::CUcontext).and_then(|()| result::event::query(event as sys::CUevent))
    };
    answer.is_ok()
}

/// A device of the driver, on which a kernel is given up after so many seconds.
///
/// # Errors
/// No driver, no such device, no context on it, or one that this process has lost.
pub fn open(ordinal: usize, patience: u64) -> Result<Box<dyn Device>, Failure> {
    started()?;
    let number = i32::try_from(ordinal).map_err(|_| Failure::NoDevice(format!("there is no device {ordinal}")))?;
    loss::check(number, is_over)?;
    let (device, info) = about(number)?;
    let context = entered(device)?;
    let mut gpu = Gpu {
        ordinal: number,
        patience,
        context,
        info,
        functions: Vec::new(),
        graphs: Vec::new(),
        boxes: BTreeMap::new(),
        begin: std::ptr::null_mut(),
        end: std::ptr::null_mut(),
        stream: std::ptr::null_mut(),
        lost: false,
    };
    // What is made before another call fails is given back with the rest.
    let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
    gpu.begin = event().map_err(|error| failed("cuEventCreate", error))?;
    gpu.end = event().map_err(|error| failed("cuEventCreate", error))?;
    // Copies go through the stream that every other one waits for, and which cannot be recorded; this one waits for them.
    let stream = result::stream::create(result::stream::StreamKind::Default);
    gpu.stream = stream.map_err(|error| failed("cuStreamCreate", error))?;
    Ok(Box::new(gpu))
}

/// A function of machine code that was loaded.
struct Function {
    code: Vec<u8>,
    name: String,
    module: sys::CUmodule,
    function: sys::CUfunction,
    /// Bytes of dynamic shared memory that it may have.
    shared: usize,
}

/// A device with its context. Used from the thread that opened it.
struct Gpu {
    ordinal: i32,
    patience: u64,
    context: sys::CUcontext,
    info: DeviceInfo,
    functions: Vec<Function>,
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
            if failure.is_lost() {
                self.lost = true;
                loss::remember(self.ordinal, &failure, None);
            }
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

    /// Loads machine code; the number of its function.
    fn loaded(&mut self, cubin: &[u8], entry: &str) -> Result<usize, Failure> {
        let name = CString::new(entry).map_err(|_| Failure::Driver {
            call: "cuModuleGetFunction",
            code: "a name with a zero byte".to_string(),
        })?;
        // SAFETY: the image is an ELF file of the compiler's, which says its own length; the driver copies it.
        let module = unsafe { result::module::load_data(cubin.as_ptr().cast::<c_void>()) };
        let module = self.said("cuModuleLoadData", module)?;
        // SAFETY: the module is loaded, and unloaded with the device.
        let function = unsafe { result::module::get_function(module, name) };
        let function = match self.said("cuModuleGetFunction", function) {
            Ok(function) => function,
            Err(failure) => {
                // SAFETY: nothing else knows the module.
                let _ = unsafe { result::module::unload(module) };
                return Err(failure);
            }
        };
        self.functions.push(Function { code: cubin.to_vec(), name: entry.to_string(), module, function, shared: 0 });
        Ok(self.functions.len() - 1)
    }

    fn function(&self, id: FunctionId) -> Result<sys::CUfunction, Failure> {
        let known = self.functions.get(id.0).map(|known| known.function);
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

    fn patience(&self) -> u64 {
        self.patience
    }

    fn load(&mut self, cubin: &[u8], entry: &str, shared: usize) -> Result<FunctionId, Failure> {
        let known = self.functions.iter().position(|known| known.code == cubin && known.name == entry);
        let number = match known {
            Some(known) => known,
            None => self.loaded(cubin, entry)?,
        };
        // What a function may have without asking is less by what it has of its own accord, so each asks.
        if let Some(Function { function, shared: allowed, .. }) = self.functions.get(number)
            && shared > *allowed
        {
            let bytes = i32::try_from(shared).unwrap_or(i32::MAX);
            let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is live.
            let set = unsafe { result::function::set_function_attribute(*function, which, bytes) };
            self.said("cuFuncSetAttribute", set)?;
            self.functions[number].shared = shared;
        }
        Ok(FunctionId(number))
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
        if !has("cuTensorMapEncodeTiled") {
            return Err(Failure::OldDriver("cuTensorMapEncodeTiled"));
        }
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
        if let Err(failure) = launched {
            if let Ok(graph) = graph {
                // SAFETY: the graph was given by the call above, and nobody has it.
                let _ = unsafe { result::graph::destroy(graph) };
            }
            return Err(failure);
        }
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
        let answer = elapsed(self.begin, self.end);
        self.said("cuEventElapsedTime", answer).map(|milliseconds| f64::from(milliseconds) * 1e3)
    }

    fn rest(&mut self) -> u64 {
        const MICROSECONDS: u64 = 50;
        // The system wakes who sleeps when it likes: patience is about time that passes.
        let begun = Instant::now();
        std::thread::sleep(Duration::from_micros(MICROSECONDS));
        u64::try_from(begun.elapsed().as_micros()).unwrap_or(MICROSECONDS)
    }

    fn give_up(&mut self, failure: &Failure) {
        self.lost = true;
        loss::remember(self.ordinal, failure, Some((self.context as usize, self.end as usize)));
    }
}

/// Milliseconds between two events.
fn elapsed(begin: sys::CUevent, end: sys::CUevent) -> Result<f32, DriverError> {
    const OLD: &str = "cuEventElapsedTime";
    if has("cuEventElapsedTime_v2") {
        // SAFETY: both events are live and recorded.
        return unsafe { result::event::elapsed(begin, end) };
    }
    // The form of drivers before CUDA 12.8, which cudarc does not offer beside the other.
    type Function = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> CUresult;
    // SAFETY: the driver is loaded; the type is that of its header.
    let function = unsafe { sys::culib().get::<Function>(OLD.as_bytes()) };
    let function = function.map_err(|_| DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
    let mut milliseconds = 0.0;
    // SAFETY: both events are live and recorded, and the pointer is to a live number.
    unsafe { function(&mut milliseconds, begin, end) }.result().map(|()| milliseconds)
}

/// Gives back what it has in the context. Of a lost device nothing can be given back, and asking could wait for ever.
impl Drop for Gpu {
    fn drop(&mut self) {
        if self.lost {
            return;
        }
        // SAFETY: the context is retained. What follows was made in it by this device, and is used no more: each launch was waited for.
        // Events and streams are null where opening has failed before they were made. Failures could be told to nobody.
        unsafe {
            if result::ctx::set_current(self.context).is_err() {
                return;
            }
            for made in self.graphs.iter().flatten() {
                let _ = result::graph::exec_destroy(*made);
            }
            for known in &self.functions {
                let _ = result::module::unload(known.module);
            }
            for event in [self.begin, self.end].into_iter().filter(|event| !event.is_null()) {
                let _ = result::event::destroy(event);
            }
            if !self.stream.is_null() {
                let _ = result::stream::destroy(self.stream);
            }
        }
    }
}
