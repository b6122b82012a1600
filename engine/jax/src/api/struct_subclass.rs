//! Classes of programs that derive from `jax.ShapeDtypeStruct`: their instances keep shape and dtype among their
//! attributes, where the rest of JAX looks for them, and compare, hash and print as the base does unless they say otherwise.

use super::struct_type;
use pallas_python::CallArgs;
use pallas_python::class::{Class, Instance};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// An instance whose `__init__` has not run.
pub(super) fn instance(class: &Rc<Class>) -> Value {
    Value::Instance(Rc::new(Instance {
        class: RefCell::new(Rc::clone(class)),
        fields: RefCell::default(),
        payload: RefCell::new(Value::Unset),
    }))
}

/// What `super().__init__(shape, dtype)` calls.
pub(super) const INIT: NativeDef = NativeDef {
    name: "__init__",
    signature: "(self, shape, dtype, *, sharding=None, weak_type=False, vma=None, is_ref=False, manual_axis_type=None)",
    doc: "Sets the shape and the dtype.",
    run: |interp, args| {
        let Value::Instance(instance) = args.get(0).clone() else { return Ok(Value::None) };
        let plain = struct_type::make(interp, Arguments::new(args.values()[1..].into()))?;
        for name in ["shape", "dtype", "weak_type", "sharding"] {
            let value = interp.get_attr(&plain, name)?;
            instance.fields.borrow_mut().insert(Name::from(name), value);
        }
        Ok(Value::None)
    },
};

pub(super) const EQ: NativeDef = NativeDef {
    name: "__eq__",
    signature: "(self, other, /)",
    doc: "Whether shape and dtype agree.",
    run: |interp, args| {
        let [this, other] = args.take();
        let base = struct_type::class(interp);
        let Value::Class(base) = &base else { return Ok(Value::Bool(false)) };
        if !interp.type_of(&other).is_subclass(base) {
            return Ok(Value::Bool(false));
        }
        interp.equals(&plain(interp, &this)?, &plain(interp, &other)?).map(Value::Bool)
    },
};

pub(super) const HASH: NativeDef = NativeDef {
    name: "__hash__",
    signature: "(self)",
    doc: "A hash of shape and dtype.",
    run: |interp, args| hashed(interp, &plain(interp, args.get(0))?),
};

pub(super) const REPR: NativeDef = NativeDef {
    name: "__repr__",
    signature: "(self)",
    doc: "Shape and dtype, under the name of the class.",
    run: |interp, args| {
        let shown = interp.repr(&plain(interp, args.get(0))?)?;
        let name = interp.type_name(args.get(0));
        Ok(Value::from(shown.replacen("ShapeDtypeStruct", &name, 1)))
    },
};

/// `str` is the base's own, also where a class says how its instances are shown by `repr`.
pub(super) const STR: NativeDef = NativeDef { name: "__str__", ..REPR };

pub(super) static PROPERTIES: [NativeDef; 2] = [
    NativeDef {
        name: "ndim",
        signature: "(self)",
        doc: "Number of dimensions.",
        run: |interp, args| interp.get_attr(&plain(interp, args.get(0))?, "ndim"),
    },
    NativeDef {
        name: "size",
        signature: "(self)",
        doc: "Number of elements.",
        run: |interp, args| interp.get_attr(&plain(interp, args.get(0))?, "size"),
    },
];

/// The shape and dtype alone.
fn plain(interp: &Interp, this: &Value) -> PyResult<Value> {
    let Value::Instance(_) = this else { return Ok(this.clone()) };
    let mut args = CallArgs::positional([interp.get_attr(this, "shape")?, interp.get_attr(this, "dtype")?]);
    args.keywords.push((Name::from("weak_type"), interp.get_attr(this, "weak_type")?));
    interp.call(&struct_type::class(interp), args)
}

fn hashed(interp: &Interp, value: &Value) -> PyResult<Value> {
    let hash = interp.get_attr(&interp.import("builtins")?, "hash")?;
    interp.call_values(&hash, [value.clone()])
}
