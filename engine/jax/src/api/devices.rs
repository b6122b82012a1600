//! Devices as programs ask for them: CPUs, as many as the program asks for before it first looks
//! (`XLA_FLAGS=--xla_force_host_platform_device_count=8` in `os.environ`, or `jax_num_cpu_devices`), else one.
//!
//! In analysis a program that does not say is assumed to be meant for a machine with [`ASSUMED`] devices, and a mesh that
//! asks for more gets more. What only devices of other kinds say of themselves is unknown there: which machine a file is
//! meant for is not known.

use super::config;
use crate::JaxState;
use pallas_ir::Target;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::cell::Cell;
use std::rc::Rc;

/// How many devices analysis assumes.
const ASSUMED: usize = 8;

/// How many cores (streaming multiprocessors) a GPU is assumed to have: as many as an H100.
const ASSUMED_CORES: i64 = 132;

/// The same of Blackwell: as many as a B200.
const BLACKWELL_CORES: i64 = 148;

/// Attributes that devices of GPUs or TPUs have, and CPUs have not.
const ACCELERATORS_ALONE: [&str; 6] =
    ["compute_capability", "coords", "core_on_chip", "num_cores", "shared_memory_per_block_optin", "slice_index"];

/// `CpuDevice(id=0)`
struct CpuDevice {
    id: usize,
}

/// How many devices there are, once somebody has looked.
#[derive(Default)]
struct Count(Cell<Option<usize>>);

/// `jax.Device`
pub(super) static CLASS: NativeClass = NativeClass {
    name: "Device",
    module: "jaxlib._jax",
    doc: "A device.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// Rows of `jax`.
pub(super) static FUNCTIONS: &[NativeDef] = &[
    NativeDef { name: "devices", signature: "(backend=None)", doc: "All devices.", run: |interp, _a| Ok(all(interp)) },
    NativeDef {
        name: "local_devices",
        signature: "(process_index=None, backend=None, host_id=None)",
        doc: "Devices of this process.",
        run: |interp, _a| Ok(all(interp)),
    },
    NativeDef {
        name: "device_count",
        signature: "(backend=None)",
        doc: "How many devices there are.",
        run: |interp, _a| Ok(Value::from(count(interp))),
    },
    NativeDef {
        name: "local_device_count",
        signature: "(backend=None)",
        doc: "How many devices this process has.",
        run: |interp, _a| Ok(Value::from(count(interp))),
    },
    NativeDef {
        name: "process_count",
        signature: "(backend=None)",
        doc: "How many processes there are.",
        run: |_i, _a| Ok(Value::from(1i64)),
    },
    NativeDef {
        name: "process_index",
        signature: "(backend=None)",
        doc: "Which process this is.",
        run: |_i, _a| Ok(Value::from(0i64)),
    },
    NativeDef {
        name: "default_backend",
        signature: "()",
        doc: "The platform of the default device.",
        run: |interp, _a| Ok(Value::from(platform(interp))),
    },
];

/// The list of devices.
fn all(interp: &Interp) -> Value {
    Value::list((0..count(interp)).map(device))
}

/// One device.
pub fn device(id: usize) -> Value {
    Value::object(CpuDevice { id })
}

/// Whether a value is a device.
pub fn is_device(value: &Value) -> bool {
    value.downcast::<CpuDevice>().is_some()
}

/// Whether somebody has asked for the devices; their number stays from then on.
pub(super) fn are_counted(interp: &Interp) -> bool {
    interp.extension::<Count>().0.get().is_some()
}

/// Whether the number of devices is analysis' assumption.
pub fn is_assumed(interp: &Interp) -> bool {
    interp.is_analysis() && asked(interp).is_none()
}

fn count(interp: &Interp) -> usize {
    let counted = interp.extension::<Count>();
    if let Some(count) = counted.0.get() {
        return count;
    }
    let count = asked(interp).unwrap_or(if interp.is_analysis() { ASSUMED } else { 1 });
    counted.0.set(Some(count));
    count
}

/// How many devices the program asks for.
fn asked(interp: &Interp) -> Option<usize> {
    if let Some(Value::Int(count)) = config::lookup(interp, "jax_num_cpu_devices")
        && let Some(count) = count.to_i64().and_then(|count| usize::try_from(count).ok())
    {
        return Some(count);
    }
    let environ = interp.get_attr(&interp.import("os").ok()?, "environ").ok()?;
    let flags = interp.call_method(&environ, "get", [Value::from("XLA_FLAGS")]).ok()?;
    let Value::Str(flags) = flags else { return None };
    let flag = |word: &str| word.strip_prefix("--xla_force_host_platform_device_count=")?.parse().ok();
    flags.split_whitespace().filter_map(flag).next_back()
}

/// The kind of TPU that programs are told they run on.
fn assumed_kind(interp: &Interp) -> Option<&'static str> {
    interp.extension::<JaxState>().assumed_tpu.get().map(|(kind, _)| kind)
}

/// The platform that programs are told they run on.
fn platform(interp: &Interp) -> &'static str {
    match assumed_kind(interp) {
        Some(_) => "tpu",
        None if is_gpu(interp) => "gpu",
        None => "cpu",
    }
}

fn is_gpu(interp: &Interp) -> bool {
    interp.extension::<JaxState>().assumed_gpu.get()
}

/// How many cores the GPU has that programs are told they run on, or are assumed to be meant for.
fn assumed_cores(interp: &Interp) -> Option<i64> {
    match interp.extension::<JaxState>().assumed_target.get() {
        Target::Blackwell => Some(BLACKWELL_CORES),
        Target::MosaicGpu | Target::Hopper | Target::Triton => Some(ASSUMED_CORES),
        _ => interp.is_analysis().then_some(ASSUMED_CORES),
    }
}

impl Object for CpuDevice {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["platform", "device_kind", "id", "process_index", "host_id", "local_hardware_id", "task_id"]
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "platform" => Some(Value::from(platform(interp))),
            "device_kind" => Some(Value::from(match assumed_kind(interp) {
                Some(kind) => kind,
                None if is_gpu(interp) => "NVIDIA H100 80GB HBM3",
                None => "cpu",
            })),
            "compute_capability" if is_gpu(interp) => Some(Value::from("9.0")),
            "id" => Some(Value::from(self.id)),
            "process_index" | "host_id" | "local_hardware_id" | "task_id" => Some(Value::from(0i64)),
            "core_count" => assumed_cores(interp).map(Value::from),
            _ if ACCELERATORS_ALONE.contains(&name) && interp.is_analysis() => {
                Some(Value::unknown(format!("'{name}' depends on the device"), Some(interp.span())))
            }
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let same = other.downcast::<CpuDevice>().is_some_and(|other| other.id == self.id);
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(same)),
            CompareOp::NotEq => Some(Value::Bool(!same)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(self.id as u64))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("CpuDevice(id={})", self.id)))
    }

    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("cpu:{}", self.id)))
    }
}
