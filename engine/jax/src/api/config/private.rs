//! `jax._src.config`: every setting under its name, and the options that test files declare for themselves.

use super::{declare, lookup, manager, set, states};
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::module::ModuleDef;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::rc::Rc;

/// An option that a program declared.
struct Flag {
    option: String,
}

static FLAG: NativeClass = NativeClass {
    name: "Flag",
    module: "jax._src.config",
    doc: "An option; `.value` is its value.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

const DECLARATION: &str = "(name, default, *args, **kwargs)";

pub(in crate::api) static PRIVATE_MODULE: ModuleDef = ModuleDef {
    name: "jax._src.config",
    doc: "Settings of JAX, and how they are declared.",
    functions: &[
        NativeDef {
            name: "bool_flag",
            signature: DECLARATION,
            doc: "Declares an option that is a boolean.",
            run: flag,
        },
        NativeDef {
            name: "int_flag",
            signature: DECLARATION,
            doc: "Declares an option that is an integer.",
            run: flag,
        },
        NativeDef {
            name: "float_flag",
            signature: DECLARATION,
            doc: "Declares an option that is a number.",
            run: flag,
        },
        NativeDef { name: "string_flag", signature: DECLARATION, doc: "Declares an option that is a text.", run: flag },
        NativeDef { name: "enum_flag", signature: DECLARATION, doc: "Declares an option that is a word.", run: flag },
        NativeDef {
            name: "update",
            signature: "(name, val)",
            doc: "Changes a setting.",
            run: |interp, args| {
                let [name, value] = args.take();
                set(interp, &interp.to_str(&name)?, value)?;
                Ok(Value::None)
            },
        },
        NativeDef {
            name: "_read",
            signature: "(name)",
            doc: "A setting's value.",
            run: |interp, args| {
                let [name] = args.take();
                let name = interp.to_str(&name)?;
                lookup(interp, &name).ok_or_else(|| super::unrecognized(interp, &name))
            },
        },
        NativeDef {
            name: "parse_flags_with_absl",
            signature: "()",
            doc: "Takes settings from the command line; there are none.",
            run: |_interp, _args| Ok(Value::None),
        },
        NativeDef {
            name: "bool_env",
            signature: "(varname, default)",
            doc: "A boolean from the environment.",
            run: |interp, args| {
                let [name, default] = args.take();
                let text = interp.host().environment(&interp.to_str(&name)?).map(|text| text.to_lowercase());
                match text.as_deref() {
                    None => Ok(default),
                    Some("y" | "yes" | "t" | "true" | "on" | "1") => Ok(Value::Bool(true)),
                    Some("n" | "no" | "f" | "false" | "off" | "0") => Ok(Value::Bool(false)),
                    Some(text) => Err(interp.value_error(format!(
                        "invalid truth value {text:?} for environment variable '{}'",
                        interp.str(&name)?
                    ))),
                }
            },
        },
        NativeDef {
            name: "int_env",
            signature: "(varname, default)",
            doc: "An integer from the environment.",
            run: |interp, args| {
                let [name, default] = args.take();
                let text = interp.host().environment(&interp.to_str(&name)?);
                Ok(text.and_then(|text| text.trim().parse::<i64>().ok()).map_or(default, Value::from))
            },
        },
    ],
    populate: |interp, namespace| {
        let mut by_option = Vec::new();
        for state in states::STATES {
            let value = manager::value(state);
            namespace.insert(Name::from(state.attribute), value.clone());
            by_option.push((state.option, value));
        }
        for (option, _) in states::FLAGS {
            namespace.insert(Name::from(*option), Value::object(Flag { option: (*option).to_string() }));
        }
        namespace.insert(Name::from("config_states"), interp.dict_of(by_option));
        namespace.insert(Name::from("config"), super::value());
    },
};

fn flag(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [name, default, ..] = args.take::<4>();
    let option = interp.to_str(&name)?.to_string();
    declare(interp, &option, default);
    Ok(Value::object(Flag { option }))
}

impl Object for Flag {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&FLAG)
    }

    fn get_attr(&self, _this: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "value" => lookup(interp, &self.option),
            "name" | "_name" => Some(Value::from(self.option.as_str())),
            _ => None,
        })
    }
}
