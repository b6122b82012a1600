//! What can go wrong on a device, as a user has to hear it: what, why, and what to do.

/// What the driver's library is called.
const DRIVER: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so" };

/// Why something did not run on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is no CUDA driver.
    #[error("no CUDA driver was found on this machine ({DRIVER})")]
    NoDriver,
    /// There is a driver, and no device.
    #[error("the CUDA driver finds no device: {0}")]
    NoDevice(String),
    /// A block wants more shared memory than the device gives one.
    #[error("a block wants {wanted} bytes of shared memory, and the device gives it {most}")]
    SharedMemory {
        /// How many bytes it wants.
        wanted: usize,
        /// How many there are for a block.
        most: usize,
    },
    /// The device has no room for the arrays.
    #[error("the device is out of memory: {wanted} bytes were asked for, {free} are free")]
    OutOfMemory {
        /// How many bytes were asked for.
        wanted: usize,
        /// How many were free.
        free: usize,
    },
    /// The kernel reached outside of what it may; the device's context is gone.
    #[error("the kernel accessed memory that is not its own ({0}); the device is lost to this run")]
    IllegalAccess(String),
    /// The kernel did not end.
    #[error("the kernel did not end within {0} seconds, and was given up; the device is lost to this run")]
    Hang(u64),
    /// The hardware, or the driver's own part on it, broke down.
    #[error("the device failed ({0}), and is lost to this run")]
    Broken(String),
    /// The context was lost by an earlier failure.
    #[error("the device was lost to this run by an earlier failure")]
    Lost,
    /// Anything else, in the driver's words.
    #[error("the CUDA driver failed: {call}: {code}")]
    Driver {
        /// Which call.
        call: &'static str,
        /// The driver's name for it.
        code: String,
    },
}

impl Failure {
    /// What to do.
    pub fn help(&self) -> &'static str {
        match self {
            Failure::NoDriver => {
                "install NVIDIA's driver, 580 or later, or run with `--device auto`, which falls back to interpret mode"
            }
            Failure::NoDevice(_) => "see what `nvidia-smi` says, and whether CUDA_VISIBLE_DEVICES hides the device",
            Failure::SharedMemory { .. } => "make the blocks smaller, or have fewer buffer slots",
            Failure::OutOfMemory { .. } => "run with smaller arrays, or end what else runs on the device",
            Failure::IllegalAccess(_) => {
                "run with `--checked`, which keeps accesses inside and says which leaves its Ref, or with `--device interpret`"
            }
            Failure::Hang(_) => {
                "look for a loop that does not end, or a wait that nobody ends; interpret mode says which"
            }
            Failure::Broken(_) => {
                "see what `nvidia-smi` and the system's log (`dmesg | grep -i xid`) say; `--device interpret` needs no device"
            }
            Failure::Lost => "run again; what failed first is said above",
            Failure::Driver { call: "cuModuleLoadData", .. } => {
                "machine code of NVRTC 13 is for driver 580 or later: update the driver, or install the NVRTC of its own CUDA (`pallas-tui doctor` says which)"
            }
            Failure::Driver { .. } => "`pallas-tui doctor` says which driver and device there are",
        }
    }

    /// Whether nothing more can run on the device in this process.
    pub fn is_lost(&self) -> bool {
        matches!(self, Failure::IllegalAccess(_) | Failure::Hang(_) | Failure::Broken(_) | Failure::Lost)
    }
}
