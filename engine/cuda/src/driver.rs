//! The driver itself: whether it is there and new enough, what it says of its devices, and what its codes mean to a user.
//!
//! No function of it is called before the library is known to be there and to have it: cudarc panics otherwise.

#![allow(unsafe_code, reason = "the driver is a C library; each call says its invariant")]

use crate::device::DeviceInfo;
use crate::failure::Failure;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

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
/// No driver, one that is too old or does not start, or no device.
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

/// What nothing runs without. The youngest are of CUDA 11.4. Those of a later day are looked for where they are used.
const NEEDED: [&str; 33] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuFuncSetAttribute",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuLaunchKernel",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    "cuGraphInstantiateWithFlags",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphUpload",
    "cuGraphLaunch",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventQuery",
];

/// Whether the driver has a function.
pub(crate) fn has(function: &str) -> bool {
    // SAFETY: the library was found when the driver was started; the symbol is looked at, not called.
    unsafe { sys::culib().get::<*const ()>(function.as_bytes()) }.is_ok()
}

/// Loads and starts the driver.
pub(crate) fn started() -> Result<(), Failure> {
    // SAFETY: only looks for the library.
    let present = unsafe { sys::is_culib_present() };
    if !present {
        return Err(Failure::NoDriver);
    }
    if let Some(missing) = NEEDED.into_iter().find(|function| !has(function)) {
        return Err(Failure::OldDriver(missing));
    }
    match result::init() {
        Ok(()) => Ok(()),
        Err(DriverError(code @ (CUresult::CUDA_ERROR_NO_DEVICE | CUresult::CUDA_ERROR_STUB_LIBRARY))) => {
            Err(Failure::NoDevice(words(code)))
        }
        Err(DriverError(code)) => Err(Failure::NotStarted(words(code))),
    }
}

/// A device, and what it is.
pub(crate) fn about(ordinal: i32) -> Result<(sys::CUdevice, DeviceInfo), Failure> {
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

/// What a code of the driver means to a user. After those that are lost, the context answers every call with the same code.
pub(crate) fn failed(call: &'static str, DriverError(code): DriverError) -> Failure {
    match code {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_LAUNCH_FAILED => Failure::IllegalAccess(words(code)),
        CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_ASSERT
        | CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR => Failure::Stopped(words(code)),
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => Failure::Watchdog,
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
        | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | CUresult::CUDA_ERROR_CONTAINED
        | CUresult::CUDA_ERROR_SYSTEM_NOT_READY
        | CUresult::CUDA_ERROR_MPS_CLIENT_TERMINATED
        | CUresult::CUDA_ERROR_UNKNOWN => Failure::Broken(words(code)),
        CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED => Failure::Lost,
        CUresult::CUDA_ERROR_NO_DEVICE => Failure::NoDevice(words(code)),
        CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => Failure::Taken,
        code => Failure::Driver { call, code: words(code) },
    }
}
