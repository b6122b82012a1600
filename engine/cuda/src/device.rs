//! What is asked of a device: few calls, each of which is one of the driver's. All that can be tested without a device is
//! written over this.

use crate::failure::Failure;

/// A function on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub usize);

/// Memory on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(pub u64);

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

/// A device, and what was put on it.
pub trait Device {
    /// What it is.
    fn info(&self) -> &DeviceInfo;
    /// Loads machine code, and finds a function in it that may have so many bytes of dynamic shared memory.
    ///
    /// # Errors
    /// The code is for another device, or the function is not there. The same for the calls below: what the driver says.
    fn load(&mut self, cubin: &[u8], entry: &str, shared: usize) -> Result<FunctionId, Failure>;
    /// Memory of any content.
    fn allocate(&mut self, bytes: usize) -> Result<BufferId, Failure>;
    /// Gives memory back.
    fn free(&mut self, buffer: BufferId);
    /// Copies to the device.
    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Failure>;
    /// Copies from the device.
    fn read(&mut self, buffer: BufferId, bytes: &mut [u8]) -> Result<(), Failure>;
    /// Starts a function on so many blocks, with buffers for parameters, between two events.
    fn start(
        &mut self,
        function: FunctionId,
        blocks: usize,
        threads: u32,
        shared: usize,
        buffers: &[BufferId],
    ) -> Result<(), Failure>;
    /// Whether what was started has ended.
    fn has_ended(&mut self) -> Result<bool, Failure>;
    /// Microseconds between the two events.
    fn microseconds(&mut self) -> Result<f64, Failure>;
    /// Waits a little, and says for how many microseconds.
    fn rest(&mut self) -> u64;
}
