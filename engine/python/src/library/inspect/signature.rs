//! Signatures of functions, classes, partials and methods. Calls are bound to them in [`bound`](super::bound).

use super::bound;
use super::parameter::{Parameter, annotation_text, empty, equality, or_unset, same};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::function::Function;
use crate::interp::Interp;
use crate::library::support::{arguments, classes, form, row};
use crate::native::{Arguments, NativeDef};
use crate::object::Object;
use crate::raise::PyResult;
use crate::signature::ParameterKind;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// `inspect.Signature`
pub(super) struct Signature {
    pub(super) parameters: Vec<Parameter>,
    /// `Value::Unset` for none.
    returns: Value,
}

const SIGNATURE_METHODS: &[NativeDef] = &[
    row("bind", "(self, /, *args, **kwargs)", "The arguments by parameter.", |interp, args| {
        bound::bind(interp, args, false)
    }),
    row("bind_partial", "(self, /, *args, **kwargs)", "Some of the arguments by parameter.", |interp, args| {
        bound::bind(interp, args, true)
    }),
    row(
        "replace",
        "(self, *, parameters=..., return_annotation=...)",
        "A signature with other parameters.",
        |interp, args| {
            let [this, parameters, returns] = args.take();
            let Some(old) = this.downcast::<Signature>() else { return Ok(Value::None) };
            let parameters = if parameters.is_unset() { old.parameters.clone() } else { listed(interp, &parameters)? };
            let returns = if returns.is_unset() { old.returns.clone() } else { or_unset(interp, returns) };
            Ok(Value::object(Signature { parameters, returns }))
        },
    ),
    row(
        "from_callable",
        "(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False)",
        "The parameters of a callable.",
        |interp, args| signature(interp, args.get(0)),
    ),
];

/// `Signature(parameters)`
fn construct(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let form =
        const { &form("Signature", "(parameters=None, *, return_annotation=..., __validate_parameters__=True)") };
    let [parameters, returns, _] = arguments(interp, form, args)?.take();
    let parameters = if parameters.is_none() { Vec::new() } else { listed(interp, &parameters)? };
    Ok(Value::object(Signature { parameters, returns: or_unset(interp, returns) }))
}

/// Parameters in a sequence.
fn listed(interp: &Interp, parameters: &Value) -> PyResult<Vec<Parameter>> {
    let given = interp.collect(parameters)?;
    let found: Vec<Parameter> = given.iter().filter_map(|one| one.downcast::<Parameter>().cloned()).collect();
    if found.len() < given.len() {
        return Err(interp.type_error("a signature is made of inspect.Parameter objects"));
    }
    for pair in found.windows(2) {
        let [before, after] = pair else { continue };
        if before.kind_index() > after.kind_index() {
            return Err(interp.value_error(format!(
                "wrong parameter order: {} parameter before {} parameter",
                before.kind_text(),
                after.kind_text()
            )));
        }
    }
    Ok(found)
}

pub(super) static SIGNATURE: NativeClass = NativeClass {
    name: "Signature",
    module: "inspect",
    doc: "The parameters of a callable.",
    methods: SIGNATURE_METHODS,
    properties: &[],
    construct: Some(construct),
    instance_check: None,
};

impl Object for Signature {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SIGNATURE)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "parameters" => Some(interp.dict_of(
                self.parameters.iter().map(|parameter| (parameter.name.clone(), Value::object(parameter.clone()))),
            )),
            "return_annotation" if self.returns.is_unset() => Some(Value::Class(empty(interp))),
            "return_annotation" => Some(self.returns.clone()),
            "empty" => Some(Value::Class(empty(interp))),
            _ => None,
        })
    }

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Signature>() else { return Ok(None) };
        let mut same = self.parameters.len() == other.parameters.len() && same(interp, &self.returns, &other.returns)?;
        for (one, two) in self.parameters.iter().zip(&other.parameters) {
            same = same && one.equals(interp, two)?;
        }
        Ok(equality(op, same))
    }

    fn repr(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<Signature {}>", interp.str(this)?)))
    }

    fn str(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let mut parts: Vec<String> = Vec::new();
        let (mut slash_due, mut star_shown) = (false, false);
        for parameter in &self.parameters {
            if slash_due && parameter.kind != ParameterKind::PositionalOnly {
                parts.push("/".to_owned());
                slash_due = false;
            }
            slash_due |= parameter.kind == ParameterKind::PositionalOnly;
            star_shown |= parameter.kind == ParameterKind::Variadic;
            if parameter.kind == ParameterKind::KeywordOnly && !star_shown {
                parts.push("*".to_owned());
                star_shown = true;
            }
            parts.push(parameter.shown(interp)?);
        }
        if slash_due {
            parts.push("/".to_owned());
        }
        let returns = if self.returns.is_unset() {
            String::new()
        } else {
            format!(" -> {}", annotation_text(interp, &self.returns)?)
        };
        Ok(Some(format!("({}){returns}", parts.join(", "))))
    }
}

pub(super) fn signature(interp: &Interp, callable: &Value) -> PyResult<Value> {
    if callable.is_unknown() {
        return Ok(callable.clone());
    }
    let Some((parameters, returns)) = parameters(interp, callable)? else {
        let shown = interp.repr(callable)?;
        return Err(if interp.is_callable(callable) {
            interp.value_error(format!("no signature found for builtin {shown}"))
        } else {
            interp.type_error(format!("{shown} is not a callable object"))
        });
    };
    Ok(Value::object(Signature { parameters, returns }))
}

type Described = Option<(Vec<Parameter>, Value)>;

fn parameters(interp: &Interp, callable: &Value) -> PyResult<Described> {
    interp.nested(|| {
        if let Some(partial) = callable.downcast::<crate::library::Partial>() {
            return Ok(parameters(interp, &partial.function)?.map(|(described, returns)| {
                (without(described, partial.args.positional.len(), &partial.args.keywords), returns)
            }));
        }
        match callable {
            Value::Function(function) => {
                if let Some(set) = function.fields.borrow().get("__signature__")
                    && let Some(set) = set.downcast::<Signature>()
                {
                    return Ok(Some((set.parameters.clone(), set.returns.clone())));
                }
                if let Some(wrapped) = function.fields.borrow().get("__wrapped__").cloned() {
                    return parameters(interp, &wrapped);
                }
                of_function(interp, callable, function).map(Some)
            }
            Value::Native(native) => Ok(Some((
                native
                    .signature()
                    .parameters
                    .iter()
                    .map(|parameter| Parameter {
                        name: (&*parameter.name).into(),
                        kind: parameter.kind,
                        default: parameter.default.clone().unwrap_or(Value::Unset),
                        annotation: Value::Unset,
                    })
                    .collect(),
                Value::Unset,
            ))),
            Value::BoundMethod(method) => {
                Ok(parameters(interp, &method.function)?
                    .map(|(described, returns)| (without(described, 1, &[]), returns)))
            }
            Value::Class(class) => match class.lookup("__init__") {
                Some(init) if crate::library::dataclasses::fields_of(class).is_some() => match is_written(&init) {
                    true => Ok(parameters(interp, &init)?.map(|(p, _)| (without(p, 1, &[]), Value::Unset))),
                    false => Ok(Some((of_dataclass(class), Value::None))),
                },
                Some(init) => Ok(parameters(interp, &init)?.map(|(p, _)| (without(p, 1, &[]), Value::Unset))),
                None if class.lookup("_fields").is_some() => {
                    of_named_tuple(interp, class).map(|p| Some((p, Value::Unset)))
                }
                None => match class.lookup("__new__") {
                    Some(new @ (Value::StaticMethod(_) | Value::Function(_))) => {
                        let new = if let Value::StaticMethod(inner) = &new { inner } else { &new };
                        Ok(parameters(interp, new)?.map(|(p, _)| (without(p, 1, &[]), Value::Unset)))
                    }
                    _ => Ok(Some((Vec::new(), Value::Unset))),
                },
            },
            other => match interp.find_attr(other, "__wrapped__")? {
                Some(wrapped) => parameters(interp, &wrapped),
                None => match interp.type_of(other).lookup("__call__") {
                    Some(call) => Ok(parameters(interp, &call)?.map(|(p, returns)| (without(p, 1, &[]), returns))),
                    None => Ok(None),
                },
            },
        }
    })
}

/// Whether somebody has written a constructor; the one of a dataclass may be wrapped in one.
fn is_written(init: &Value) -> bool {
    match init {
        Value::Function(function) => function.fields.borrow().get("__wrapped__").is_none_or(is_written),
        _ => false,
    }
}

/// The parameters that are left when some arguments are given.
fn without(
    described: Vec<Parameter>,
    positional: usize,
    keywords: &[(pallas_syntax::ast::Name, Value)],
) -> Vec<Parameter> {
    let mut left = positional;
    let mut keyword_only = false;
    let mut result = Vec::new();
    for mut parameter in described {
        let is_positional = matches!(parameter.kind, ParameterKind::PositionalOnly | ParameterKind::Positional);
        if left > 0 && is_positional {
            left -= 1;
            continue;
        }
        if let Some((_, value)) = keywords.iter().find(|(name, _)| **name == *parameter.name) {
            // Given by keyword: from here on parameters can be given by keyword only.
            parameter.default = value.clone();
            keyword_only = true;
        }
        if keyword_only && parameter.kind == ParameterKind::Positional {
            parameter.kind = ParameterKind::KeywordOnly;
        }
        if keyword_only && parameter.kind == ParameterKind::Variadic {
            continue;
        }
        result.push(parameter);
    }
    result
}

fn of_function(interp: &Interp, value: &Value, function: &Function) -> PyResult<(Vec<Parameter>, Value)> {
    let annotations = interp.find_attr(value, "__annotations__")?.unwrap_or_else(crate::library::support::dict);
    let annotation = |name: &str| -> PyResult<Value> {
        Ok(crate::library::support::lookup(interp, &annotations, &Value::str(name))?.unwrap_or(Value::Unset))
    };
    let params = function.code.params();
    let groups: [(&mut dyn Iterator<Item = &pallas_syntax::ast::Param>, ParameterKind); 5] = [
        (&mut params.positional_only.iter(), ParameterKind::PositionalOnly),
        (&mut params.positional.iter(), ParameterKind::Positional),
        (&mut params.vararg.iter(), ParameterKind::Variadic),
        (&mut params.keyword_only.iter(), ParameterKind::KeywordOnly),
        (&mut params.kwarg.iter(), ParameterKind::Keywords),
    ];
    let mut described = Vec::new();
    for (group, kind) in groups {
        for param in group {
            let default = function.defaults.iter().find(|(name, _)| *name == param.name);
            described.push(Parameter {
                name: (&*param.name).into(),
                kind,
                default: default.map_or(Value::Unset, |(_, value)| value.clone()),
                annotation: annotation(&param.name)?,
            });
        }
    }
    Ok((described, annotation("return")?))
}

fn of_dataclass(class: &Rc<Class>) -> Vec<Parameter> {
    let fields = crate::library::dataclasses::fields_of(class).unwrap_or_default();
    let mut described = Vec::new();
    for keyword_only in [false, true] {
        for field in &fields {
            let Some(field) = field.downcast::<crate::library::dataclasses::Field>() else { continue };
            if !field.is_parameter() || field.is_keyword_only() != keyword_only {
                continue;
            }
            described.push(Parameter {
                name: field.name.borrow().clone(),
                kind: if keyword_only { ParameterKind::KeywordOnly } else { ParameterKind::Positional },
                default: if field.default.is_unset() && !field.default_factory.is_unset() {
                    Value::str("<factory>")
                } else {
                    field.default.clone()
                },
                annotation: field.annotation.borrow().clone(),
            });
        }
    }
    described
}

fn of_named_tuple(interp: &Interp, class: &Rc<Class>) -> PyResult<Vec<Parameter>> {
    let of = |name: &str| class.lookup(name).unwrap_or_else(crate::library::support::dict);
    let (defaults, annotations) = (of("_field_defaults"), of("__annotations__"));
    let fields = interp.collect(&of("_fields"))?;
    let described = fields.iter().map(|field| {
        Ok(Parameter {
            name: interp.to_str(field)?,
            kind: ParameterKind::Positional,
            default: crate::library::support::lookup(interp, &defaults, field)?.unwrap_or(Value::Unset),
            annotation: crate::library::support::lookup(interp, &annotations, field)?.unwrap_or(Value::Unset),
        })
    });
    described.collect()
}

pub(super) fn full_arg_spec(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let Some((described, returns)) = parameters(interp, args.get(0))? else {
        return Err(interp.type_error("unsupported callable"));
    };
    let names = |kinds: &[ParameterKind]| {
        Value::list(
            described
                .iter()
                .filter(|parameter| kinds.contains(&parameter.kind))
                .map(|parameter| Value::Str(parameter.name.clone()))
                .collect::<Vec<_>>(),
        )
    };
    let single = |kind: ParameterKind| {
        described.iter().find(|parameter| parameter.kind == kind).map_or(Value::None, |p| Value::Str(p.name.clone()))
    };
    let positional = [ParameterKind::PositionalOnly, ParameterKind::Positional];
    let defaults: Vec<Value> = described
        .iter()
        .filter(|parameter| positional.contains(&parameter.kind) && !parameter.default.is_unset())
        .map(|parameter| parameter.default.clone())
        .collect();
    let keyword_defaults: Vec<(Rc<str>, Value)> = described
        .iter()
        .filter(|parameter| parameter.kind == ParameterKind::KeywordOnly && !parameter.default.is_unset())
        .map(|parameter| (parameter.name.clone(), parameter.default.clone()))
        .collect();
    let returns = Some(("return".into(), returns)).filter(|(_, value)| !value.is_unset());
    let annotations: Vec<(Rc<str>, Value)> = described
        .iter()
        .filter(|parameter| !parameter.annotation.is_unset())
        .map(|parameter| (parameter.name.clone(), parameter.annotation.clone()))
        .collect();
    let annotations = returns.into_iter().chain(annotations);
    let class = crate::library::collections::namedtuple::cached_class(
        interp,
        "FullArgSpec",
        "inspect",
        &["args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations"],
    );
    Ok(classes::instance(
        &class,
        Value::tuple([
            names(&positional),
            single(ParameterKind::Variadic),
            single(ParameterKind::Keywords),
            if defaults.is_empty() { Value::None } else { Value::tuple(defaults) },
            names(&[ParameterKind::KeywordOnly]),
            if keyword_defaults.is_empty() { Value::None } else { interp.dict_of(keyword_defaults) },
            interp.dict_of(annotations),
        ]),
    ))
}
