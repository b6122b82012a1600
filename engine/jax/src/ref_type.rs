//! The type of a Ref as `jax.typeof` gives it: shape, dtype and memory space.

use crate::refs::RefObject;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::rc::Rc;

/// A Ref, asked for its type only.
struct AbstractRef(RefObject);

static CLASS: NativeClass = NativeClass {
    name: "AbstractRef",
    module: "jax._src.state.types",
    doc: "The type of a Ref.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl RefObject {
    /// `jax.typeof(ref)`
    pub fn aval(&self) -> Value {
        Value::object(AbstractRef(self.clone()))
    }
}

impl Object for AbstractRef {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["shape", "dtype", "ndim", "size", "memory_space", "inner_aval"]
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        match name {
            "shape" | "dtype" | "ndim" | "size" | "memory_space" => {
                interp.get_attr(&Value::object(self.0.clone()), name).map(Some)
            }
            "inner_aval" => {
                let ty = pallas_ir::TensorType::new(self.0.ty.dtype, self.0.shape());
                Ok(Some(crate::api::struct_type::value(&ty)))
            }
            _ => Ok(None),
        }
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.0.type_text()))
    }
}
