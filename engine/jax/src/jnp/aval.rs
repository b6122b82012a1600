//! `x.aval`: the type of an array as a value, `ShapedArray(float32[2,3])`.

use super::shaping;
use pallas_ir::TensorType;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// `jax._src.core.ShapedArray`
struct ShapedArray(TensorType);

static CLASS: NativeClass = NativeClass {
    name: "ShapedArray",
    module: "jax._src.core",
    doc: "The type of an array.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// A type as a value.
pub fn value(ty: TensorType) -> Value {
    Value::object(ShapedArray(ty))
}

impl ShapedArray {
    /// `~float32[2,3]`, the mark for weak types.
    fn text(&self) -> String {
        let weak = if self.0.weak { "~" } else { "" };
        format!("{weak}{}", crate::errors::type_text(&self.0))
    }
}

impl Object for ShapedArray {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["shape", "dtype", "ndim", "size", "weak_type", "str_short"]
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        let ty = &self.0;
        Ok(match name {
            "shape" => Some(shaping::shape_value(&ty.shape)),
            "dtype" => Some(crate::dtype::value(ty.dtype)),
            "ndim" => Some(Value::from(ty.shape.rank())),
            "size" => Some(Value::from(ty.shape.size())),
            "weak_type" => Some(Value::Bool(ty.weak)),
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let equal = other.downcast::<ShapedArray>().is_some_and(|other| other.0 == self.0);
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("ShapedArray({})", self.text().replace('~', ""))))
    }

    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.text()))
    }

    fn summary(&self, _interp: &Interp) -> Option<String> {
        Some(self.0.to_string())
    }
}
