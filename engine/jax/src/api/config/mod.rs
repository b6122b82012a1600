//! `jax.config` and the settings in it. Those that change what programs compute (`jax_enable_x64`, the promotion modes,
//! `jax_legacy_prng_key`, `jax_disable_jit`) are kept in [`JaxState`] as well, where operations look; others are kept as
//! given. Most are context managers too ([`manager`]).

mod manager;
mod private;
mod states;

use crate::state::{JaxState, RankPromotion};
use pallas_python::class::{Class, Namespace, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) use private::PRIVATE_MODULE;

/// What an option is before anybody sets it.
#[derive(Clone, Copy)]
enum Default {
    Nothing,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'static str),
}

impl Default {
    fn value(self) -> Value {
        match self {
            Default::Nothing => Value::None,
            Default::Bool(value) => Value::Bool(value),
            Default::Int(value) => Value::from(value),
            Default::Float(value) => Value::Float(value),
            Default::Text(value) => Value::from(value),
        }
    }
}

/// `jax.config`
struct Config;

/// Settings that programs made, and options that they declared.
#[derive(std::default::Default)]
struct Settings {
    values: RefCell<Vec<(String, Value)>>,
    declared: RefCell<Vec<(String, Value)>>,
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
        NativeDef {
            name: "config_with_absl",
            signature: "(self)",
            doc: "Offers settings on the command line; none are taken from it.",
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

/// The context managers of `jax`: `jax.enable_x64`, `jax.numpy_rank_promotion`...
pub(super) fn add_public(namespace: &mut Namespace) {
    for state in states::STATES.iter().filter(|state| state.is_public) {
        namespace.insert(Name::from(state.attribute), manager::value(state));
    }
}

fn update(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [_this, name, value] = args.take();
    let name = interp.to_str(&name)?;
    set(interp, &name, value)?;
    Ok(Value::None)
}

fn read(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [_this, name] = args.take();
    let name = interp.to_str(&name)?;
    lookup(interp, &name).ok_or_else(|| unrecognized(interp, &name))
}

fn unrecognized(interp: &Interp, name: &str) -> Box<pallas_python::Stop> {
    interp.attribute_error(format!("Unrecognized config option: {name}"))
}

/// Gives an option a value, and operations their rules.
fn set(interp: &Interp, option: &str, value: Value) -> PyResult<()> {
    if lookup(interp, option).is_none() {
        return Err(unrecognized(interp, option));
    }
    if let Some((_, choices)) = states::CHOICES.iter().find(|(name, _)| *name == option) {
        let chosen = interp.str(&value)?;
        if !choices.contains(&&*chosen) {
            let listed: Vec<String> = choices.iter().map(|choice| format!("'{choice}'")).collect();
            let class = interp.type_of(&value);
            return Err(interp.value_error(format!(
                "new enum value must be in [{}], got {chosen} of type {}.",
                listed.join(", "),
                interp.repr(&Value::Class(class))?
            )));
        }
    }
    if option == "jax_num_cpu_devices" && super::devices::are_counted(interp) {
        return Err(interp.runtime_error(
            "jax_num_cpu_devices config should be updated before backends are initialized i.e. before any JAX operation is \
             executed. You should initialize this config immediately after `import jax`."
                .to_string(),
        ));
    }
    let state = interp.extension::<JaxState>();
    match option {
        "jax_enable_x64" => state.x64.set(interp.truth(&value)?),
        "jax_disable_jit" => state.jit_disabled.set(u32::from(interp.truth(&value)?)),
        "jax_numpy_dtype_promotion" => state.strict_promotion.set(&*interp.str(&value)? == "strict"),
        "jax_numpy_rank_promotion" => state.rank_promotion.set(match &*interp.str(&value)? {
            "raise" => RankPromotion::Raise,
            "warn" => RankPromotion::Warn,
            _ => RankPromotion::Allow,
        }),
        "jax_legacy_prng_key" => state.legacy_keys_refused.set(&*interp.str(&value)? == "error"),
        _ => {}
    }
    let settings = interp.extension::<Settings>();
    let mut values = settings.values.borrow_mut();
    values.retain(|(name, _)| name != option);
    values.push((option.to_string(), value));
    Ok(())
}

/// An option that a program declares, with its default.
fn declare(interp: &Interp, option: &str, default: Value) {
    let settings = interp.extension::<Settings>();
    let mut declared = settings.declared.borrow_mut();
    declared.retain(|(name, _)| name != option);
    declared.push((option.to_string(), default));
}

/// The value of an option; `None` where there is no such option.
pub(super) fn lookup(interp: &Interp, option: &str) -> Option<Value> {
    let state = interp.extension::<JaxState>();
    match option {
        "jax_enable_x64" => return Some(Value::Bool(state.x64.get())),
        "jax_disable_jit" => return Some(Value::Bool(state.jit_disabled.get() > 0)),
        _ => {}
    }
    let settings = interp.extension::<Settings>();
    let given = |list: &RefCell<Vec<(String, Value)>>| {
        list.borrow().iter().find(|(name, _)| name == option).map(|(_, value)| value.clone())
    };
    given(&settings.values).or_else(|| given(&settings.declared)).or_else(|| {
        let state = states::STATES.iter().find(|state| state.option == option).map(|state| state.default);
        let flag = || states::FLAGS.iter().find(|(name, _)| *name == option).map(|(_, default)| *default);
        state.or_else(flag).map(Default::value)
    })
}

impl Object for Config {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CLASS)
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "x64_enabled" => lookup(interp, "jax_enable_x64"),
            "values" => Some(values(interp)),
            name => lookup(interp, name),
        })
    }
}

/// Every option with its value.
fn values(interp: &Interp) -> Value {
    let names = states::STATES.iter().map(|state| state.option).chain(states::FLAGS.iter().map(|(name, _)| *name));
    interp.dict_of(names.filter_map(|name| Some((name, lookup(interp, name)?))))
}
