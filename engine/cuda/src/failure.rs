//! What can go wrong on a device, as a user has to hear it: what, why, and what to do.

/// What the driver's library is called.
const DRIVER: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so" };

/// Why something did not run on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// There is no CUDA driver.
    #[error("no CUDA driver was found on this machine ({DRIVER})")]
    NoDriver,
    /// There is a driver that lacks a function.
    #[error("the CUDA driver is too old: it has no `{0}`")]
    OldDriver(&'static str),
    /// There is a driver that does not start.
    #[error("the CUDA driver does not start ({0})")]
    NotStarted(String),
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
    /// The device has stopped the kernel; its context is gone.
    #[error("the device stopped the kernel ({0}), and is lost to this run")]
    Stopped(String),
    /// The system has ended the kernel.
    #[error(
        "the system ended the kernel, which kept a device busy that draws a screen, too; the device is lost to this run"
    )]
    Watchdog,
    /// The kernel did not end.
    #[error("the kernel did not end within {}, and was given up; the device is lost to this run", seconds(*.0))]
    Hang(u64),
    /// The hardware, or the driver's own part on it, broke down.
    #[error("the device failed ({0}), and is lost to this run")]
    Broken(String),
    /// The context was lost by an earlier failure.
    #[error("the device was lost to this run by an earlier failure")]
    Lost,
    /// The context was lost by a launch of an earlier run, in this process.
    #[error("the device is lost to this process since an earlier run, in which {0}")]
    LostBefore(String),
    /// Somebody else has the device for himself.
    #[error("the device is taken: another process has it for itself alone")]
    Taken,
    /// Anything else, in the driver's words.
    #[error("the CUDA driver failed: {call}: {code}")]
    Driver {
        /// Which call.
        call: &'static str,
        /// The driver's name for it.
        code: String,
    },
}

fn seconds(count: u64) -> String {
    if count == 1 { "1 second".to_string() } else { format!("{count} seconds") }
}

impl Failure {
    /// What to do.
    pub fn help(&self) -> &'static str {
        match self {
            Failure::NoDriver => {
                "install NVIDIA's driver, 580 or later, or run with `--device auto`, which falls back to interpret mode"
            }
            Failure::OldDriver(_) => "install NVIDIA's driver, 580 or later",
            Failure::NotStarted(_) => {
                "see what `nvidia-smi` says; after an update of the driver the machine has to be restarted, and a container started with its GPUs"
            }
            Failure::NoDevice(_) => "see what `nvidia-smi` says, and whether CUDA_VISIBLE_DEVICES hides the device",
            Failure::SharedMemory { .. } => "make the blocks smaller, or have fewer buffer slots",
            Failure::OutOfMemory { .. } => "run with smaller arrays, or end what else runs on the device",
            Failure::IllegalAccess(_) => {
                "run with `--checked`, which keeps accesses inside and says which leaves its Ref, or with `--device interpret`"
            }
            Failure::Stopped(_) => {
                "this is most likely a mistake in Pallas Workbench: please report it with the file; `--device interpret` runs it"
            }
            Failure::Watchdog => "have each launch do less, or run on a device without a screen",
            Failure::Hang(_) => {
                "look for a loop that does not end, or a wait that nobody ends; interpret mode says which; `--patience SECONDS` gives \
                 a kernel more time"
            }
            Failure::Broken(_) => {
                "see what `nvidia-smi` and the system's log (`dmesg | grep -i xid`) say; `--device interpret` needs no device"
            }
            Failure::Lost => "run again; what failed first is said above",
            Failure::LostBefore(_) => "end this program and start it again; `--device interpret` needs no device",
            Failure::Taken => {
                "end the other process, see `nvidia-smi`, or have its mode changed (`nvidia-smi -c DEFAULT`)"
            }
            Failure::Driver { code, .. } if code == "out of memory" => {
                "end what else runs on the device: `nvidia-smi` says what does"
            }
            Failure::Driver { call: "cuModuleLoadData", .. } => {
                "machine code of NVRTC 13 is for driver 580 or later: update the driver, or install the NVRTC of its own CUDA (`pallas-tui doctor` says which)"
            }
            Failure::Driver { .. } => "`pallas-tui doctor` says which driver and device there are",
        }
    }

    /// Whether nothing more can run on the device in this process.
    pub fn is_lost(&self) -> bool {
        matches!(
            self,
            Failure::IllegalAccess(_)
                | Failure::Stopped(_)
                | Failure::Watchdog
                | Failure::Hang(_)
                | Failure::Broken(_)
                | Failure::Lost
                | Failure::LostBefore(_)
        )
    }
}
