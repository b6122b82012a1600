//! What is asked of a device: few calls, each of which is one of the driver's. All that can be tested without a device is
//! written over this.

use crate::failure::Failure;
use pallas_simt::ir::TensorMap;
use pallas_tensor::DType;

/// A function on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub usize);

/// Memory on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(pub u64);

/// Launches that were recorded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphId(pub usize);

/// A function with what it is started with.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Which.
    pub function: FunctionId,
    /// How many blocks.
    pub blocks: usize,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared: usize,
    /// Its parameters.
    pub buffers: &'a [BufferId],
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// NVIDIA's name for it.
    pub name: String,
    /// Compute capability: `(9, 0)`.
    pub capability: (u32, u32),
    /// Bytes of memory.
    pub memory: usize,
    /// Multiprocessors.
    pub multiprocessors: usize,
    /// The most bytes of shared memory that a block may ask for.
    pub shared_per_block: usize,
}

impl DeviceInfo {
    /// The compute capability as one number: 90.
    pub fn architecture(&self) -> u32 {
        self.capability.0 * 10 + self.capability.1
    }
}

/// After how many seconds a kernel is given up where nothing else is said.
pub const PATIENCE: u64 = 30;

/// A device, and what was put on it.
pub trait Device {
    /// What it is.
    fn info(&self) -> &DeviceInfo;
    /// After how many seconds a kernel is given up.
    fn patience(&self) -> u64 {
        PATIENCE
    }
    /// Loads machine code, and finds a function in it that may have so many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// The code is for another device, or the function is not there. The same for the calls below: what the driver says.
    fn load(&mut self, cubin: &[u8], entry: &str, shared: usize) -> Result<FunctionId, Failure>;
    /// Memory of any content.
    fn allocate(&mut self, bytes: usize) -> Result<BufferId, Failure>;
    /// A parameter that is a box of an array which begins where a buffer does, of elements of a dtype: the driver's own
    /// description of it, by value. It is given back as a buffer is.
    fn describe(&mut self, buffer: BufferId, map: &TensorMap, dtype: DType) -> Result<BufferId, Failure> {
        let code = format!("{buffer:?} of {}: {map:?}", dtype.name());
        Err(Failure::Driver { call: "cuTensorMapEncodeTiled", code })
    }
    /// Gives memory back.
    fn free(&mut self, buffer: BufferId);
    /// Copies to the device.
    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Failure>;
    /// Copies from the device.
    fn read(&mut self, buffer: BufferId, bytes: &mut [u8]) -> Result<(), Failure>;
    /// Starts a function between two events.
    fn start(&mut self, call: &Call<'_>) -> Result<(), Failure>;
    /// Records so many launches of a function, one after the other, and starts none.
    fn record(&mut self, call: &Call<'_>, launches: usize) -> Result<GraphId, Failure>;
    /// Starts what was recorded between the two events: nothing that the host does for a launch is between them.
    fn replay(&mut self, graph: GraphId) -> Result<(), Failure>;
    /// Forgets what was recorded.
    fn forget(&mut self, graph: GraphId);
    /// How many blocks of a function a multiprocessor runs at once, in the driver's opinion.
    fn resident(&mut self, function: FunctionId, threads: u32, shared: usize) -> Result<u32, Failure>;
    /// Whether what was started has ended.
    fn has_ended(&mut self) -> Result<bool, Failure>;
    /// Microseconds between the two events.
    fn microseconds(&mut self) -> Result<f64, Failure>;
    /// Waits a little, and says for how many microseconds.
    fn rest(&mut self) -> u64;
    /// What was started is not waited for any more, for this reason: the device is not used again.
    fn give_up(&mut self, _failure: &Failure) {}
}
