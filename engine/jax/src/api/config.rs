//! `jax.config`: the settings that change what programs compute (`jax_enable_x64`) or are read by them. Others are kept
//! as given.

use crate::state::JaxState;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// `jax.config`
struct Config;

/// Settings that programs made.
#[derive(Default)]
struct Settings {
    values: RefCell<Vec<(String, Value)>>,
}

static CLASS: NativeClass = NativeClass {
    name: "Config",
    module: "jax._src.config",
    doc: "Settings of JAX.",
    methods: &[
        NativeDef { name: "update", signature: "(self, name, val)", doc: "Changes a setting.", run: update },
        NativeDef { name: "read", signature: "(self, name)", doc: "A setting's value.", run: read },
        NativeDef {
            name: "parse_flags_with_absl",
            signature: "(self)",
            doc: "Takes settings from the command line; there are none.",
            run: |_interp, _args| Ok(Value::None),
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// `from jax import config` also works as a module.
pub(super) static CONFIG_MODULE: ModuleDef = ModuleDef {
    name: "jax.config",
    doc: "Settings of JAX.",
    functions: &[],
    populate: |_interp, namespace| {
        namespace.insert(Name::from("config"), value());
    },
};

/// `jax.config`
pub(super) fn value() -> Value {
    Value::object(Config)
}

fn update(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [_this, name, value] = args.take();
    let name = interp.to_str(&name)?;
    if !name.starts_with("jax_") {
        return Err(interp.attribute_error(format!("Unrecognized config option: {name}")));
    }
    if &*name == "jax_enable_x64" {
        interp.extension::<JaxState>().x64.set(interp.truth(&value)?);
    }
    let settings = interp.extension::<Settings>();
    let mut values = settings.values.borrow_mut();
    values.retain(|(n, _)| **n != *name);
    values.push((name.to_string(), value));
    Ok(Value::None)
}

fn read(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [_this, name] = args.take();
    let name = interp.to_str(&name)?;
    match lookup(interp, &name) {
        Some(value) => Ok(value),
        None => Err(interp.attribute_error(format!("Unrecognized config option: {name}"))),
    }
}

fn lookup(interp: &Interp, name: &str) -> Option<Value> {
    let settings = interp.extension::<Settings>();
    if let Some((_, value)) = settings.values.borrow().iter().find(|(n, _)| n == name) {
        return Some(value.clone());
    }
    match name {
        "jax_enable_x64" | "x64_enabled" => Some(Value::Bool(interp.extension::<JaxState>().x64.get())),
        "jax_disable_jit" => Some(Value::Bool(interp.extension::<JaxState>().jit_disabled.get() > 0)),
        "jax_platforms" | "jax_platform_name" => Some(Value::from("cpu")),
        "jax_default_matmul_precision" => Some(Value::None),
        name if name.starts_with("jax_") => Some(Value::Bool(false)),
        _ => None,
    }
}

impl Object for Config {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(if name.starts_with("jax_") || name == "x64_enabled" { lookup(interp, name) } else { None })
    }
}
