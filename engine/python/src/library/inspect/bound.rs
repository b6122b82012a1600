//! `inspect.BoundArguments`, and the binding of calls to signatures (`Signature._bind` in CPython's inspect.py).

use super::parameter::{Parameter, equality};
use super::signature::Signature;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::{arguments, dict, form, lookup, row};
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::signature::ParameterKind;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::cell::RefCell;
use std::rc::Rc;

/// `inspect.BoundArguments`
struct Bound {
    signature: Value,
    arguments: RefCell<Value>,
}

pub(super) static BOUND: NativeClass = NativeClass {
    name: "BoundArguments",
    module: "inspect",
    doc: "Arguments by parameter.",
    methods: &[row("apply_defaults", "(self)", "Adds the defaults of what was not given.", apply_defaults)],
    properties: &[],
    construct: Some(|interp, _, args| {
        let [signature, arguments] =
            arguments(interp, const { &form("BoundArguments", "(signature, arguments)") }, args)?.take();
        Ok(Value::object(Bound { signature, arguments: RefCell::new(arguments) }))
    }),
    instance_check: None,
};

impl Bound {
    fn parameters(&self) -> &[Parameter] {
        self.signature.downcast::<Signature>().map_or(&[], |signature| &signature.parameters)
    }

    fn argument(&self, interp: &Interp, parameter: &Parameter) -> PyResult<Option<Value>> {
        lookup(interp, &self.arguments.borrow(), &Value::Str(parameter.name.clone()))
    }

    /// Those that are given by position: up to the first that is missing.
    fn args(&self, interp: &Interp) -> PyResult<Value> {
        let mut values = Vec::new();
        for parameter in self.parameters() {
            match (parameter.kind, self.argument(interp, parameter)?) {
                (ParameterKind::KeywordOnly | ParameterKind::Keywords, _) | (_, None) => break,
                (ParameterKind::Variadic, Some(value)) => values.extend(interp.collect(&value)?),
                (_, Some(value)) => values.push(value),
            }
        }
        Ok(Value::tuple(values))
    }

    /// The others.
    fn kwargs(&self, interp: &Interp) -> PyResult<Value> {
        let result = dict();
        let mut started = false;
        for parameter in self.parameters() {
            let value = self.argument(interp, parameter)?;
            started |= matches!(parameter.kind, ParameterKind::KeywordOnly | ParameterKind::Keywords);
            match value {
                None => started = true,
                Some(value) if started && parameter.kind == ParameterKind::Keywords => {
                    interp.call_method(&result, "update", [value])?;
                }
                Some(value) if started => interp.set_item(&result, &Value::Str(parameter.name.clone()), value)?,
                Some(_) => {}
            }
        }
        Ok(result)
    }
}

impl Object for Bound {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&BOUND)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["arguments", "signature", "args", "kwargs"]
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "arguments" => self.arguments.borrow().clone(),
            "signature" => self.signature.clone(),
            "args" => self.args(interp)?,
            "kwargs" => self.kwargs(interp)?,
            _ => return Ok(None),
        }))
    }

    fn set_attr(&self, name: &str, value: Value, _: &Interp) -> PyResult<bool> {
        if name == "arguments" {
            *self.arguments.borrow_mut() = value;
        }
        Ok(name == "arguments")
    }

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Bound>() else { return Ok(None) };
        let same = interp.equals(&self.signature, &other.signature)?
            && interp.equals(&self.arguments.borrow(), &other.arguments.borrow())?;
        Ok(equality(op, same))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let mut parts = Vec::new();
        for (name, value) in crate::library::support::entries(interp, &self.arguments.borrow())? {
            parts.push(format!("{}={}", interp.str(&name)?, interp.repr(&value)?));
        }
        Ok(Some(format!("<BoundArguments ({})>", parts.join(", "))))
    }
}

fn apply_defaults(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this] = args.take();
    let Some(bound) = this.downcast::<Bound>() else { return Ok(Value::None) };
    let mut complete = Vec::new();
    for parameter in bound.parameters() {
        let value = match bound.argument(interp, parameter)? {
            Some(value) => value,
            None if !parameter.default.is_unset() => parameter.default.clone(),
            None if parameter.kind == ParameterKind::Variadic => Value::tuple([]),
            None if parameter.kind == ParameterKind::Keywords => dict(),
            // Some of the arguments were bound.
            None => continue,
        };
        complete.push((parameter.name.clone(), value));
    }
    *bound.arguments.borrow_mut() = interp.dict_of(complete);
    Ok(Value::None)
}

/// `signature.bind(*args, **kwargs)`; with `partial`, arguments may be missing.
pub(super) fn bind(interp: &Interp, args: Arguments, partial: bool) -> PyResult<Value> {
    let [this, positional, keywords] = args.take();
    let Some(signature) = this.downcast::<Signature>() else { return Ok(Value::None) };
    let call = interp.call_args(&positional, &keywords)?;
    let found = matched(interp, &signature.parameters, call, partial)?;
    let arguments = RefCell::new(interp.dict_of(found));
    Ok(Value::object(Bound { signature: this.clone(), arguments }))
}

fn matched(
    interp: &Interp,
    parameters: &[Parameter],
    call: CallArgs,
    partial: bool,
) -> PyResult<Vec<(Rc<str>, Value)>> {
    let mut keywords = call.keywords;
    let mut found: Vec<(Rc<str>, Value)> = Vec::new();
    let mut values = call.positional.into_iter();
    let mut left = parameters;
    // What is given by position.
    while let Some(value) = values.next() {
        let too_many = || interp.type_error("too many positional arguments");
        let Some((parameter, rest)) = left.split_first() else { return Err(too_many()) };
        match parameter.kind {
            ParameterKind::Keywords | ParameterKind::KeywordOnly => return Err(too_many()),
            ParameterKind::Variadic => {
                let all: Vec<Value> = std::iter::once(value).chain(values.by_ref()).collect();
                found.push((parameter.name.clone(), Value::tuple(all)));
            }
            kind => {
                let twice = keywords.iter().any(|(name, _)| **name == *parameter.name);
                if twice && kind != ParameterKind::PositionalOnly {
                    return Err(interp.type_error(format!("multiple values for argument '{}'", parameter.name)));
                }
                found.push((parameter.name.clone(), value));
            }
        }
        left = rest;
    }
    // What is given by keyword, and what is not given.
    let mut rest = None;
    for parameter in left {
        match parameter.kind {
            ParameterKind::Keywords => rest = Some(parameter),
            ParameterKind::Variadic => {}
            kind => match keywords.iter().position(|(name, _)| **name == *parameter.name) {
                Some(_) if kind == ParameterKind::PositionalOnly => {
                    return Err(interp.type_error(format!(
                        "'{}' parameter is positional only, but was passed as a keyword",
                        parameter.name
                    )));
                }
                Some(at) => found.push((parameter.name.clone(), keywords.remove(at).1)),
                None if partial || !parameter.default.is_unset() => {}
                None => {
                    return Err(interp.type_error(format!("missing a required argument: '{}'", parameter.name)));
                }
            },
        }
    }
    match (rest, keywords.first()) {
        (_, None) => {}
        (Some(rest), Some(_)) => found.push((rest.name.clone(), interp.dict_of(keywords))),
        (None, Some((name, _))) => {
            return Err(interp.type_error(format!("got an unexpected keyword argument '{name}'")));
        }
    }
    Ok(found)
}
