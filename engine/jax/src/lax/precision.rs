//! `lax.Precision`, `lax.DotAlgorithmPreset`, `lax.GatherScatterMode`, `lax.RoundingMethod`: names that calls pass on.
//! On the CPU every precision computes alike.

use pallas_python::class::{Class, Namespace, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{CompareOp, Name};
use std::any::Any;
use std::rc::Rc;

/// A member of one of the enumerations.
struct Member {
    table: &'static Enumeration,
    index: usize,
}

/// An enumeration.
struct Enumeration {
    name: &'static str,
    members: &'static [&'static str],
}

static TABLES: &[Enumeration] = &[
    Enumeration { name: "Precision", members: &["DEFAULT", "HIGH", "HIGHEST"] },
    Enumeration {
        name: "DotAlgorithmPreset",
        members: &[
            "DEFAULT",
            "F16_F16_F16",
            "F16_F16_F32",
            "BF16_BF16_BF16",
            "BF16_BF16_F32",
            "BF16_BF16_F32_X3",
            "BF16_BF16_F32_X6",
            "BF16_BF16_F32_X9",
            "TF32_TF32_F32",
            "TF32_TF32_F32_X3",
            "F32_F32_F32",
            "F64_F64_F64",
        ],
    },
    Enumeration { name: "RoundingMethod", members: &["AWAY_FROM_ZERO", "TO_NEAREST_EVEN"] },
    Enumeration { name: "GatherScatterMode", members: &["CLIP", "FILL_OR_DROP", "PROMISE_IN_BOUNDS", "ONE_HOT"] },
];

static CLASS: NativeClass = NativeClass {
    name: "Precision",
    module: "jax.lax",
    doc: "A name that calls pass on.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

static TABLE_CLASS: NativeClass = NativeClass {
    name: "EnumType",
    module: "enum",
    doc: "An enumeration.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// Adds the enumerations to the module.
pub(super) fn populate(_interp: &Interp, namespace: &mut Namespace) {
    for table in TABLES {
        namespace.insert(Name::from(table.name), Value::object(Table(table)));
    }
}

/// An enumeration as a value: its members are attributes.
struct Table(&'static Enumeration);

impl Object for Table {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&TABLE_CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        let index = self.0.members.iter().position(|m| *m == name);
        Ok(index.map(|index| Value::object(Member { table: self.0, index })))
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        self.0.members.to_vec()
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<enum '{}'>", self.0.name)))
    }
}

impl Object for Member {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::from(self.table.members[self.index])),
            "value" => Some(Value::from(self.index)),
            _ => None,
        })
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, _interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Member>() else { return Ok(None) };
        let equal = std::ptr::eq(self.table, other.table) && self.index == other.index;
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::NotEq => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn hash(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(self.index as u64))
    }

    fn repr(&self, _this: &Value, _interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("{}.{}", self.table.name, self.table.members[self.index])))
    }
}
