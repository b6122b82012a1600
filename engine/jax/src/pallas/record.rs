//! Plain option records: `CompilerParams`, `CostEstimate`, `InterpretParams`. They keep what they are given and do
//! nothing by themselves; the launch reads what it understands.

use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{CompareOp, Name};
use std::any::Any;
use std::rc::Rc;

/// A record of keyword arguments.
pub struct Record {
    class: Rc<Class>,
    fields: Vec<(Name, Value)>,
}

macro_rules! records {
    ($($id:ident $name:literal $module:literal)*) => {
        $(
            /// A record class.
            pub static $id: NativeClass = NativeClass {
                name: $name,
                module: $module,
                doc: "Options, by keyword.",
                methods: &[],
                properties: &[],
                construct: Some(construct),
                instance_check: None,
            };
        )*
    };
}

records! {
    TPU_COMPILER_PARAMS "CompilerParams" "jax._src.pallas.mosaic.core"
    TRITON_COMPILER_PARAMS "CompilerParams" "jax._src.pallas.triton.core"
    GPU_COMPILER_PARAMS "CompilerParams" "jax._src.pallas.mosaic_gpu.core"
    COST_ESTIMATE "CostEstimate" "jax._src.pallas.core"
    INTERPRET_PARAMS "InterpretParams" "jax._src.pallas.mosaic.interpret.params"
}

fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    if !args.positional.is_empty() {
        return Err(interp.type_error(format!(
            "{}.__init__() takes 1 positional argument but {} were given",
            class.name,
            args.positional.len() + 1
        )));
    }
    Ok(Value::object(Record { class: class.clone(), fields: args.keywords.into_vec() }))
}

impl Object for Record {
    fn class(&self, _interp: &Interp) -> Rc<Class> {
        self.class.clone()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(self.fields.iter().find(|(n, _)| **n == *name).map(|(_, v)| v.clone()))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Record>() else { return Ok(None) };
        let mut equal = Rc::ptr_eq(&self.class, &other.class) && self.fields.len() == other.fields.len();
        for ((a, x), (b, y)) in self.fields.iter().zip(&other.fields) {
            equal = equal && a == b && interp.equals(x, y)?;
        }
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let fields = self
            .fields
            .iter()
            .map(|(name, value)| Ok(format!("{name}={}", interp.repr(value)?)))
            .collect::<PyResult<Vec<_>>>()?;
        Ok(Some(format!("{}({})", self.class.name, fields.join(", "))))
    }
}
