//! What several commands take alike: where kernels run, and what their launches are modelled on.

use super::Device;
use clap::Args;

/// `--device`, of commands that measure.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DeviceArg {
    /// Where kernels run, and are measured.
    #[arg(long, value_enum, default_value_t = Device::Interpret)]
    pub(crate) device: Device,
}

/// `--machine`
#[derive(Clone, Debug, Args)]
pub(crate) struct MachineArg {
    /// The machine that launches are modelled on: v5e, v5p, v6e, a100, h100, h200, b200, or cpu, as `doctor --calibrate` has
    /// measured it. With auto each launch is modelled on one that its kernel is for, and the report says why.
    #[arg(id = "machine", long, value_name = "NAME", default_value = "auto")]
    pub(crate) name: String,
}
