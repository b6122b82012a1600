//! What several commands take alike: where kernels run, and what their launches are modelled on.

use super::Device;
use clap::Args;
use pallas_engine::cuda;

/// `--device`, and how long it is waited for.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DeviceArg {
    /// Where kernels run, and are measured.
    #[arg(long, value_enum, default_value_t = Device::Interpret)]
    pub(crate) device: Device,
    /// After how many seconds a kernel on a CUDA device is given up, and the device with it.
    #[arg(long, value_name = "SECONDS", default_value_t = cuda::PATIENCE, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) patience: u64,
}

impl DeviceArg {
    /// Interpret mode.
    pub(crate) const INTERPRET: DeviceArg = DeviceArg { device: Device::Interpret, patience: cuda::PATIENCE };
}

/// `--machine`
#[derive(Clone, Debug, Args)]
pub(crate) struct MachineArg {
    /// The machine that launches are modelled on: v5e, v5p, v6e, a100, h100, h200, b200, or cpu, as `doctor --calibrate` has
    /// measured it. With auto each launch is modelled on one that its kernel is for, and the report says why.
    #[arg(id = "machine", long, value_name = "NAME", default_value = "auto")]
    pub(crate) name: String,
}
