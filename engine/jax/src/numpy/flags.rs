//! `array.flags`: whether an array may be written, and how its memory is laid out.

use super::array::NdArray;
use super::methods::this;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::Arguments;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// The flags of one array.
struct Flags(Value);

static FLAGS: NativeClass = NativeClass {
    name: "flagsobj",
    module: "numpy._core.multiarray",
    doc: "What may be done with the memory of an array.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// `array.flags`
pub(super) fn of(_interp: &Interp, args: Arguments) -> PyResult<Value> {
    Ok(Value::object(Flags(args.get(0).clone())))
}

impl Flags {
    fn read(&self, array: &NdArray, name: &str) -> Option<bool> {
        let view = array.view();
        let reversed: Vec<usize> = (0..view.shape.rank()).rev().collect();
        match name {
            "writeable" | "WRITEABLE" => Some(array.writeable.get()),
            "c_contiguous" | "C_CONTIGUOUS" | "contiguous" => Some(view.is_contiguous()),
            "f_contiguous" | "F_CONTIGUOUS" => Some(view.transposed(&reversed).is_contiguous()),
            "aligned" | "ALIGNED" => Some(true),
            _ => None,
        }
    }
}

impl Object for Flags {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&FLAGS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["writeable", "c_contiguous", "f_contiguous", "contiguous", "aligned"]
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(self.read(this(interp, &self.0)?, name).map(Value::Bool))
    }

    fn set_attr(&self, name: &str, value: Value, interp: &Interp) -> PyResult<bool> {
        if name != "writeable" {
            return Ok(false);
        }
        this(interp, &self.0)?.writeable.set(interp.truth(&value)?);
        Ok(true)
    }

    fn get_item(&self, _this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let read = || match self.read(this(interp, &self.0)?, &interp.to_str(key)?) {
            Some(flag) => Ok(Value::Bool(flag)),
            None => Err(interp.key_error(&Value::str("Unknown flag"))),
        };
        Some(read())
    }
}
