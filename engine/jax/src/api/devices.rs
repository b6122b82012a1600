//! Devices as programs ask for them: one CPU.

use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::NativeDef;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::any::Any;
use std::rc::Rc;

/// `CpuDevice(id=0)`
pub(super) struct CpuDevice;

static CLASS: NativeClass = NativeClass {
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
    NativeDef { name: "devices", signature: "(backend=None)", doc: "All devices.", run: |_i, _a| Ok(all()) },
    NativeDef {
        name: "local_devices",
        signature: "(process_index=None, backend=None, host_id=None)",
        doc: "Devices of this process.",
        run: |_i, _a| Ok(all()),
    },
    NativeDef {
        name: "device_count",
        signature: "(backend=None)",
        doc: "How many devices there are.",
        run: |_i, _a| Ok(Value::from(1i64)),
    },
    NativeDef {
        name: "local_device_count",
        signature: "(backend=None)",
        doc: "How many devices this process has.",
        run: |_i, _a| Ok(Value::from(1i64)),
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
        run: |_i, _a| Ok(Value::from("cpu")),
    },
];

/// The list of devices.
fn all() -> Value {
    Value::list([Value::object(CpuDevice)])
}

impl Object for CpuDevice {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "platform" | "device_kind" => Some(Value::from("cpu")),
            "id" | "process_index" => Some(Value::from(0i64)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some("CpuDevice(id=0)".to_string()))
    }

    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some("TFRT_CPU_0".to_string()))
    }
}
