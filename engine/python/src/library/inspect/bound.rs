//! `inspect.BoundArguments`: the arguments of a call by parameter, as `Signature.bind` and `bind_partial` find them.

use super::parameter::Parameter;
use super::signature::Signature;
use crate::class::{Class, NativeClass};
use crate::dict::Dict;
use crate::interp::Interp;
use crate::library::support::{dict, keywords, row, variadic};
use crate::object::Object;
use crate::raise::{PyResult, Stop};
use crate::signature::ParameterKind;
use crate::value::Value;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

struct Bound {
    signature: Value,
    /// A dict: what was given, in the order of the parameters.
    arguments: RefCell<Value>,
}

pub(super) static BOUND: NativeClass = NativeClass {
    name: "BoundArguments",
    module: "inspect",
    doc: "Arguments by parameter.",
    methods: &[row("apply_defaults", "(self)", "Adds the defaults of what was not given.", |interp, args| {
        let this = args.get(0);
        let Some(bound) = this.downcast::<Bound>() else { return Ok(Value::None) };
        let mut all = Vec::new();
        for parameter in bound.parameters() {
            let value = match (bound.given(interp, parameter)?, parameter.kind) {
                (Some(value), _) => value,
                (None, _) if !parameter.default.is_unset() => parameter.default.clone(),
                (None, ParameterKind::Variadic) => Value::tuple([]),
                (None, ParameterKind::Keywords) => dict(),
                _ => continue,
            };
            all.push((parameter.name.clone(), value));
        }
        *bound.arguments.borrow_mut() = interp.dict_of(all);
        Ok(Value::None)
    })],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Bound {
    fn parameters(&self) -> &[Parameter] {
        self.signature.downcast::<Signature>().map_or(&[], |signature| &signature.parameters)
    }

    fn given(&self, interp: &Interp, parameter: &Parameter) -> PyResult<Option<Value>> {
        let arguments = self.arguments.borrow().clone();
        crate::library::support::lookup(interp, &arguments, &Value::Str(parameter.name.clone()))
    }

    /// What a call with these arguments passes by position, and by keyword: after the first parameter that was not
    /// given, everything is passed by keyword.
    fn split(&self, interp: &Interp) -> PyResult<(Value, Value)> {
        let (mut by_position, by_keyword) = (Vec::new(), dict());
        let mut is_positional = true;
        for parameter in self.parameters() {
            let value = self.given(interp, parameter)?;
            is_positional &= value.is_some() && !is_keyword_only(parameter.kind);
            match (value, parameter.kind) {
                (None, _) => {}
                (Some(value), ParameterKind::Variadic) if is_positional => by_position.extend(interp.collect(&value)?),
                (Some(value), _) if is_positional => by_position.push(value),
                (Some(value), ParameterKind::Keywords) => {
                    interp.call_method(&by_keyword, "update", [value])?;
                }
                (Some(value), _) => interp.set_item(&by_keyword, &Value::Str(parameter.name.clone()), value)?,
            }
        }
        Ok((Value::tuple(by_position), by_keyword))
    }
}

impl Object for Bound {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&BOUND)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "arguments" => Some(self.arguments.borrow().clone()),
            "signature" => Some(self.signature.clone()),
            "args" => Some(self.split(interp)?.0),
            "kwargs" => Some(self.split(interp)?.1),
            _ => None,
        })
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let arguments = self.arguments.borrow().clone();
        let shown: PyResult<Vec<String>> = keywords(&arguments)
            .into_iter()
            .map(|(name, value)| Ok(format!("{name}={}", interp.repr(&value)?)))
            .collect();
        Ok(Some(format!("<BoundArguments ({})>", shown?.join(", "))))
    }
}

fn is_keyword_only(kind: ParameterKind) -> bool {
    matches!(kind, ParameterKind::KeywordOnly | ParameterKind::Keywords)
}

/// `Signature.bind`, and `Signature.bind_partial` with `is_partial`: TypeError in the words of `inspect` where the
/// arguments do not fit.
pub(super) fn bind(interp: &Interp, this: &Value, given: [&Value; 2], is_partial: bool) -> PyResult<Value> {
    let Some(signature) = this.downcast::<Signature>() else { return Ok(Value::None) };
    let mut by_position = variadic(given[0]).iter().cloned();
    let mut by_keyword = keywords(given[1]);
    let mut parameters = signature.parameters.iter().peekable();
    let mut arguments = Dict::new();
    while let Some(value) = by_position.next() {
        let too_many = || interp.type_error("too many positional arguments");
        let parameter = parameters.next().filter(|next| !is_keyword_only(next.kind)).ok_or_else(too_many)?;
        if parameter.kind == ParameterKind::Variadic {
            arguments.insert_str(&parameter.name, Value::tuple([value].into_iter().chain(by_position.by_ref())));
            break;
        }
        let is_named_too = by_keyword.iter().any(|(name, _)| **name == *parameter.name);
        if is_named_too && parameter.kind != ParameterKind::PositionalOnly {
            return Err(interp.type_error(format!("multiple values for argument '{}'", parameter.name)));
        }
        arguments.insert_str(&parameter.name, value);
    }
    let mut collects = None;
    for parameter in parameters {
        if parameter.kind == ParameterKind::Keywords {
            collects = Some(parameter);
            continue;
        }
        match by_keyword.iter().position(|(name, _)| **name == *parameter.name) {
            _ if parameter.kind == ParameterKind::Variadic => {}
            Some(_) if parameter.kind == ParameterKind::PositionalOnly => {
                let why = "parameter is positional only, but was passed as a keyword";
                return Err(interp.type_error(format!("'{}' {why}", parameter.name)));
            }
            Some(at) => {
                arguments.insert_str(&parameter.name, by_keyword.remove(at).1);
            }
            None if is_partial || !parameter.default.is_unset() => {}
            None => return Err(missing(interp, parameter)),
        }
    }
    match (collects, by_keyword.first()) {
        (_, None) => {}
        (Some(parameter), _) => {
            arguments.insert_str(&parameter.name, interp.dict_of(by_keyword));
        }
        (None, Some((name, _))) => {
            return Err(interp.type_error(format!("got an unexpected keyword argument '{name}'")));
        }
    }
    let arguments = RefCell::new(Value::Dict(Rc::new(RefCell::new(arguments))));
    Ok(Value::object(Bound { signature: this.clone(), arguments }))
}

fn missing(interp: &Interp, parameter: &Parameter) -> Box<Stop> {
    interp.type_error(format!("missing a required argument: '{}'", parameter.name))
}
