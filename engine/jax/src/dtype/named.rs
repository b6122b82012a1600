//! Dtypes that have a name and nothing else: complex numbers and floats of six bits, which programs list in tables and compare
//! dtypes with. There are no arrays of them.

use super::{COMPLEX_FLOATING, DTYPE_CLASS, GENERIC, abstract_class};
use crate::context::Rules;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// A dtype that is a name: `np.dtype("complex64")`.
struct NamedDType(&'static Row);

/// What is known of such a dtype.
struct Row {
    name: &'static str,
    size: usize,
    numpy: &'static NativeClass,
    /// The scalar type of JAX, where it has one.
    jax: Option<&'static NativeClass>,
}

macro_rules! class {
    ($name:literal, $module:literal) => {
        &NativeClass {
            name: $name,
            module: $module,
            doc: "The type of scalars; as a dtype it names that element type. There are no arrays of it here.",
            methods: &[],
            properties: &[],
            construct: Some(|interp, class, _| Err(refusal(interp, &class.name))),
            instance_check: None,
        }
    };
}

static COMPLEX64: &NativeClass = class!("complex64", "numpy");
static COMPLEX128: &NativeClass = class!("complex128", "numpy");
static JAX_COMPLEX64: &NativeClass = class!("complex64", "jax.numpy");
static JAX_COMPLEX128: &NativeClass = class!("complex128", "jax.numpy");
static FLOAT6_E2M3FN: &NativeClass = class!("float6_e2m3fn", "ml_dtypes");
static FLOAT6_E3M2FN: &NativeClass = class!("float6_e3m2fn", "ml_dtypes");

static ROWS: &[Row] = &[
    Row { name: "complex64", size: 8, numpy: COMPLEX64, jax: Some(JAX_COMPLEX64) },
    Row { name: "complex128", size: 16, numpy: COMPLEX128, jax: Some(JAX_COMPLEX128) },
    Row { name: "float6_e2m3fn", size: 1, numpy: FLOAT6_E2M3FN, jax: None },
    Row { name: "float6_e3m2fn", size: 1, numpy: FLOAT6_E3M2FN, jax: None },
];

fn refusal(interp: &Interp, name: &str) -> Box<Stop> {
    interp.not_implemented_error(format!("arrays of {name} are not provided by Pallas Workbench yet"))
}

fn numpy_class(interp: &Interp, row: &Row) -> Rc<Class> {
    let base = if row.name.starts_with("complex") { &COMPLEX_FLOATING } else { &GENERIC };
    interp.native_class_with(row.numpy, &[abstract_class(interp, base)])
}

/// The scalar types for `jax.numpy`, or for the module of numpy's kind that has them.
pub(super) fn exports(interp: &Interp, rules: Rules, module: &str) -> Vec<(&'static str, Value)> {
    let class = |row: &'static Row| match rules {
        Rules::Jax => {
            let class = interp.native_class(row.jax?);
            class.namespace.borrow_mut().insert("dtype".into(), Value::object(NamedDType(row)));
            Some((row.name, Value::Class(class)))
        }
        Rules::Numpy => (row.numpy.module == module).then(|| (row.name, Value::Class(numpy_class(interp, row)))),
    };
    ROWS.iter().filter_map(class).collect()
}

/// The row of a dtype that is written as its name, its scalar type, or itself.
fn row(given: &Value) -> Option<&'static Row> {
    match given {
        Value::Str(name) => ROWS.iter().find(|row| row.name == &**name),
        Value::Class(class) => {
            let is = |native: &NativeClass| *native.name == *class.name && *native.module == *class.module;
            ROWS.iter().find(|row| is(row.numpy) || row.jax.is_some_and(is))
        }
        given => given.downcast::<NamedDType>().map(|dtype| dtype.0),
    }
}

/// The dtype object, if this names one of them.
pub(super) fn object(given: &Value) -> Option<Value> {
    row(given).map(|row| Value::object(NamedDType(row)))
}

/// Why nothing can be computed with a dtype, if it is one of them.
pub(super) fn refused(interp: &Interp, given: &Value) -> Option<Box<Stop>> {
    row(given).map(|row| refusal(interp, row.name))
}

impl Object for NamedDType {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&DTYPE_CLASS)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["name", "itemsize", "kind", "type"]
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::from(self.0.name)),
            "itemsize" => Some(Value::from(self.0.size)),
            "kind" => Some(Value::from(if self.0.name.starts_with("complex") { "c" } else { "V" })),
            "type" => Some(Value::Class(numpy_class(interp, self.0))),
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let equal = row(other).is_some_and(|row| row.name == self.0.name);
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        let place = ROWS.iter().position(|row| row.name == self.0.name).unwrap_or_default();
        Some(Ok(0x6e61_6d65_6400 + place as u64))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        let name = self.0.name;
        Ok(Some(if self.0.numpy.module == "numpy" { format!("dtype('{name}')") } else { format!("dtype({name})") }))
    }

    fn str(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(self.0.name.to_string()))
    }

    fn format(&self, _this: &Value, spec: &str, interp: &Interp) -> PyResult<Option<String>> {
        interp.format(&Value::from(self.0.name), spec).map(Some)
    }
}
