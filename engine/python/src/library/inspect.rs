//! `inspect`: kinds of values, signatures of functions. Source text is not kept for programs to read.

use super::support::{ClassBuilder, add_class, classes, row, text};
use crate::class::{Class, NativeClass};
use crate::function::Function;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::object::Object;
use crate::raise::PyResult;
use crate::signature::ParameterKind;
use crate::value::Value;
use std::any::Any;
use std::rc::Rc;

macro_rules! kind {
    ($name:literal, $doc:literal, $test:expr) => {
        row($name, "(object)", $doc, |interp, args| {
            let test: fn(&Interp, &Value) -> bool = $test;
            Ok(Value::Bool(test(interp, args.get(0))))
        })
    };
}

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "inspect",
    doc: "Kinds of values, and signatures.",
    functions: &[
        kind!("isfunction", "Whether it is a Python function.", |_, value| matches!(value, Value::Function(_))),
        kind!("ismethod", "Whether it is a bound Python method.", |_, value| {
            matches!(value, Value::BoundMethod(method) if !matches!(method.function, Value::Native(_)))
        }),
        kind!("isclass", "Whether it is a class.", |_, value| matches!(value, Value::Class(_))),
        kind!("ismodule", "Whether it is a module.", |_, value| matches!(value, Value::Module(_))),
        kind!("isbuiltin", "Whether it is a builtin function.", |_, value| matches!(value, Value::Native(_))),
        kind!("isroutine", "Whether it is a function or method.", |_, value| {
            matches!(value, Value::Function(_) | Value::Native(_) | Value::BoundMethod(_))
        }),
        kind!("isgenerator", "Whether it is a generator.", |interp, value| interp.type_name(value) == "generator"),
        kind!("isgeneratorfunction", "Whether calling it makes a generator.", |_, value| {
            matches!(value, Value::Function(function) if function.code.scope().is_generator)
        }),
        kind!("iscoroutinefunction", "Whether it is asynchronous.", |_, value| {
            matches!(value, Value::Function(function)
                if matches!(&function.code, crate::function::Code::Def(def) if def.is_async))
        }),
        kind!("isawaitable", "False", |_, _| false),
        kind!("iscoroutine", "False", |_, _| false),
        kind!("isabstract", "Whether it is an abstract class.", |interp, value| match value {
            Value::Class(class) => match class.lookup("__abstractmethods__") {
                Some(names) => interp.len(&names).unwrap_or(0) > 0,
                None => false,
            },
            _ => false,
        }),
        row("signature", "(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False)", "The parameters of a callable.", |interp, args| {
            signature(interp, args.get(0))
        }),
        row("getsource", "(object)", "Not available.", no_source),
        row("getsourcelines", "(object)", "Not available.", no_source),
        row("getsourcefile", "(object)", "The file of a function.", source_file),
        row("getfile", "(object)", "The file of a function.", source_file),
        row("getmodule", "(object, _filename=None)", "The module of a value.", |interp, args| {
            match interp.find_attr(args.get(0), "__module__")? {
                Some(Value::Str(name)) => interp.import(&name).or(Ok(Value::None)),
                _ => Ok(Value::None),
            }
        }),
        row("getdoc", "(object)", "The documentation, dedented.", |interp, args| {
            match interp.find_attr(args.get(0), "__doc__")? {
                Some(doc) if text(&doc).is_some() => Ok(Value::from(clean(&interp.to_str(&doc)?))),
                _ => Ok(Value::None),
            }
        }),
        row("cleandoc", "(doc)", "Documentation, dedented.", |interp, args| Ok(Value::from(clean(&interp.to_str(args.get(0))?)))),
        row("getmembers", "(object, predicate=None)", "Names and values of attributes.", |interp, args| {
            let [object, predicate] = args.take();
            let mut members = Vec::new();
            for name in interp.attribute_names(&object) {
                let Some(value) = interp.find_attr(&object, &name)? else { continue };
                let wanted =
                    predicate.is_none() || interp.truth(&interp.call_values(&predicate, [value.clone()])?)?;
                if wanted {
                    members.push(Value::tuple([Value::from(name), value]));
                }
            }
            Ok(Value::list(members))
        }),
        row("getmro", "(cls)", "The method resolution order.", |interp, args| interp.get_attr(args.get(0), "__mro__")),
        row("unwrap", "(func, *, stop=None)", "What a function wraps.", |interp, args| {
            let mut function = args.get(0).clone();
            for _ in 0..100 {
                match interp.find_attr(&function, "__wrapped__")? {
                    Some(inner) => function = inner,
                    None => break,
                }
            }
            Ok(function)
        }),
        row("getfullargspec", "(func)", "The parameters of a function, by kind.", full_arg_spec),
        row("stack", "(context=1)", "[]", |_, _| Ok(Value::list([]))),
        row("currentframe", "()", "None", |_, _| Ok(Value::None)),
        row("getattr_static", "(obj, attr, default=...)", "An attribute.", |interp, args| {
            let [object, name, default] = args.take();
            match interp.find_attr(&object, &interp.to_str(&name)?)? {
                Some(value) => Ok(value),
                None if default.is_unset() => Err(interp.attribute_error(interp.str(&name)?)),
                None => Ok(default),
            }
        }),
    ],
    populate: |interp, names| {
        for table in [&SIGNATURE, &PARAMETER] {
            let class = interp.native_class(table);
            class.namespace.borrow_mut().insert("empty".into(), Value::Class(empty(interp)));
            add_class(names, &class);
        }
        for (index, (_, name)) in KINDS.iter().enumerate() {
            let class = interp.native_class(&PARAMETER);
            class.namespace.borrow_mut().insert((*name).into(), Value::object(Kind(index)));
        }
        add_class(names, &interp.native_class(&BOUND));
        add_class(names, &empty(interp));
        names.insert("_empty".into(), Value::Class(empty(interp)));
    },
};

/// `inspect.Parameter.empty`
fn empty(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "inspect._empty", |interp| {
        ClassBuilder::new("_empty", "inspect", &interp.types().object).build()
    })
}

fn no_source(interp: &Interp, _: Arguments) -> PyResult<Value> {
    Err(interp.error(&interp.types().os_error, "could not get source code"))
}

fn source_file(interp: &Interp, args: Arguments) -> PyResult<Value> {
    match args.get(0) {
        Value::Function(function) => {
            Ok(interp.source(function.code.span().file).map_or(Value::None, |source| Value::str(&*source.path)))
        }
        Value::Module(module) if module.path.is_some() => Ok(module.path.as_ref().map_or(Value::None, Value::str)),
        other => Err(interp.type_error(format!("{} is a built-in class", interp.repr(other)?))),
    }
}

/// `inspect.cleandoc`
fn clean(doc: &str) -> String {
    let expanded = doc.replace('\t', "        ");
    let mut lines: Vec<&str> = expanded.split('\n').collect();
    let margin = lines
        .iter()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    for (at, line) in lines.iter_mut().enumerate() {
        *line = if at == 0 { line.trim_start() } else { line.get(margin..).unwrap_or("") };
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    while lines.first().is_some_and(|line| line.is_empty()) {
        lines.remove(0);
    }
    lines.join("\n")
}

/// `inspect.Parameter`
#[derive(Clone)]
struct Parameter {
    name: Rc<str>,
    kind: ParameterKind,
    /// `Value::Unset` for none.
    default: Value,
    /// `Value::Unset` for none.
    annotation: Value,
}

static PARAMETER: NativeClass = NativeClass {
    name: "Parameter",
    module: "inspect",
    doc: "A parameter of a signature.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

static KIND: NativeClass = NativeClass {
    name: "_ParameterKind",
    module: "inspect",
    doc: "How a parameter may be given.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

const KINDS: [(ParameterKind, &str); 5] = [
    (ParameterKind::PositionalOnly, "POSITIONAL_ONLY"),
    (ParameterKind::Positional, "POSITIONAL_OR_KEYWORD"),
    (ParameterKind::Variadic, "VAR_POSITIONAL"),
    (ParameterKind::KeywordOnly, "KEYWORD_ONLY"),
    (ParameterKind::Keywords, "VAR_KEYWORD"),
];

/// One of the five kinds, comparable in their order.
struct Kind(usize);

impl Object for Kind {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&KIND)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::str(KINDS[self.0].1)),
            "value" => Some(self.0.into()),
            _ => None,
        })
    }

    fn compare(&self, _: &Value, op: pallas_syntax::ast::CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        match other.downcast::<Kind>() {
            Some(other) => interp.compare(op, &self.0.into(), &other.0.into()).map(Some),
            None => Ok(None),
        }
    }

    fn hash(&self, _: &Value, _: &Interp) -> Option<PyResult<u64>> {
        Some(Ok(self.0 as u64))
    }

    fn repr(&self, _: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<_ParameterKind.{}: {}>", KINDS[self.0].1, self.0)))
    }

    fn str(&self, _: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(KINDS[self.0].1.to_owned()))
    }
}

fn kind_index(kind: ParameterKind) -> usize {
    KINDS.iter().position(|(known, _)| *known == kind).unwrap_or(1)
}

impl Parameter {
    fn shown(&self, interp: &Interp) -> PyResult<String> {
        let stars = match self.kind {
            ParameterKind::Variadic => "*",
            ParameterKind::Keywords => "**",
            _ => "",
        };
        let mut shown = format!("{stars}{}", self.name);
        if !self.annotation.is_unset() {
            shown.push_str(&format!(": {}", annotation_text(interp, &self.annotation)?));
        }
        if !self.default.is_unset() {
            let default = interp.repr(&self.default)?;
            shown.push_str(&if self.annotation.is_unset() { format!("={default}") } else { format!(" = {default}") });
        }
        Ok(shown)
    }
}

/// `inspect.formatannotation`
fn annotation_text(interp: &Interp, annotation: &Value) -> PyResult<String> {
    match annotation {
        Value::Class(class) if &*class.module == "builtins" || &*class.module == "__main__" => {
            Ok(if &*class.module == "builtins" {
                class.qualified_name.to_string()
            } else {
                format!("__main__.{}", class.qualified_name)
            })
        }
        Value::Class(class) => Ok(format!("{}.{}", class.module, class.qualified_name)),
        other => Ok(interp.repr(other)?.replace("typing.", "")),
    }
}

impl Object for Parameter {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&PARAMETER)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let or_empty = |value: &Value| if value.is_unset() { Value::Class(empty(interp)) } else { value.clone() };
        Ok(Some(match name {
            "name" => Value::Str(self.name.clone()),
            "kind" => Value::object(Kind(kind_index(self.kind))),
            "default" => or_empty(&self.default),
            "annotation" => or_empty(&self.annotation),
            "empty" => Value::Class(empty(interp)),
            name => match KINDS.iter().position(|(_, known)| *known == name) {
                Some(index) => Value::object(Kind(index)),
                None => return Ok(None),
            },
        }))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<Parameter \"{}\">", self.shown(interp)?)))
    }

    fn str(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        self.shown(interp).map(Some)
    }
}

/// `inspect.Signature`
struct Signature {
    callable: Value,
    parameters: Vec<Parameter>,
    /// `Value::Unset` for none.
    returns: Value,
}

const SIGNATURE_METHODS: &[NativeDef] = &[
    row("bind", "(self, /, *args, **kwargs)", "The arguments by parameter.", |interp, args| {
        let [this, positional, keywords] = args.take();
        let Some(signature) = this.downcast::<Signature>() else { return Ok(Value::None) };
        let call = interp.call_args(&positional, &keywords)?;
        let bound = interp.bind(&signature.callable, call)?;
        // Only what was given, or has no default, is listed.
        Ok(Value::object(Bound { signature: this.clone(), arguments: interp.dict_of(bound) }))
    }),
];

static SIGNATURE: NativeClass = NativeClass {
    name: "Signature",
    module: "inspect",
    doc: "The parameters of a callable.",
    methods: SIGNATURE_METHODS,
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Signature {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SIGNATURE)
    }

    fn as_any(&self) -> &dyn Any {
        self
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
        let returns =
            if self.returns.is_unset() { String::new() } else { format!(" -> {}", annotation_text(interp, &self.returns)?) };
        Ok(Some(format!("({}){returns}", parts.join(", "))))
    }
}

/// `inspect.BoundArguments`
struct Bound {
    signature: Value,
    arguments: Value,
}

static BOUND: NativeClass = NativeClass {
    name: "BoundArguments",
    module: "inspect",
    doc: "Arguments by parameter.",
    methods: &[row("apply_defaults", "(self)", "Nothing to do: defaults are there.", |_, _| Ok(Value::None))],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Bound {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&BOUND)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(signature) = self.signature.downcast::<Signature>() else { return Ok(None) };
        let value = |parameter: &Parameter| {
            super::support::lookup(interp, &self.arguments, &Value::Str(parameter.name.clone()))
        };
        match name {
            "arguments" => Ok(Some(self.arguments.clone())),
            "signature" => Ok(Some(self.signature.clone())),
            "args" => {
                let mut values = Vec::new();
                for parameter in &signature.parameters {
                    match (parameter.kind, value(parameter)?) {
                        (ParameterKind::PositionalOnly | ParameterKind::Positional, Some(value)) => values.push(value),
                        (ParameterKind::Variadic, Some(value)) => values.extend(interp.collect(&value)?),
                        _ => {}
                    }
                }
                Ok(Some(Value::tuple(values)))
            }
            "kwargs" => {
                let result = super::support::dict();
                for parameter in &signature.parameters {
                    match (parameter.kind, value(parameter)?) {
                        (ParameterKind::KeywordOnly, Some(value)) => {
                            interp.set_item(&result, &Value::Str(parameter.name.clone()), value)?;
                        }
                        (ParameterKind::Keywords, Some(value)) => {
                            interp.call_method(&result, "update", [value])?;
                        }
                        _ => {}
                    }
                }
                Ok(Some(result))
            }
            _ => Ok(None),
        }
    }
}

fn signature(interp: &Interp, callable: &Value) -> PyResult<Value> {
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
    Ok(Value::object(Signature { callable: callable.clone(), parameters, returns }))
}

type Described = Option<(Vec<Parameter>, Value)>;

fn parameters(interp: &Interp, callable: &Value) -> PyResult<Described> {
    interp.nested(|| {
        if let Some(partial) = callable.downcast::<super::Partial>() {
            return Ok(parameters(interp, &partial.function)?.map(|(described, returns)| {
                (without(described, partial.args.positional.len(), &partial.args.keywords), returns)
            }));
        }
        match callable {
            Value::Function(function) => {
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
                Ok(parameters(interp, &method.function)?.map(|(described, returns)| (without(described, 1, &[]), returns)))
            }
            Value::Class(class) => match class.lookup("__init__") {
                Some(init) if super::dataclasses::fields_of(class).is_some() => match init {
                    Value::Function(_) => Ok(parameters(interp, &init)?.map(|(p, _)| (without(p, 1, &[]), Value::Unset))),
                    _ => Ok(Some((of_dataclass(class), Value::None))),
                },
                Some(init) => Ok(parameters(interp, &init)?.map(|(p, _)| (without(p, 1, &[]), Value::Unset))),
                None => Ok(Some((Vec::new(), Value::Unset))),
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
    let annotations = interp.find_attr(value, "__annotations__")?.unwrap_or_else(super::support::dict);
    let annotation = |name: &str| -> PyResult<Value> {
        Ok(super::support::lookup(interp, &annotations, &Value::str(name))?.unwrap_or(Value::Unset))
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
    let fields = super::dataclasses::fields_of(class).unwrap_or_default();
    let mut described = Vec::new();
    for keyword_only in [false, true] {
        for field in &fields {
            let Some(field) = field.downcast::<super::dataclasses::Field>() else { continue };
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

fn full_arg_spec(interp: &Interp, args: Arguments) -> PyResult<Value> {
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
    let class = super::collections::namedtuple::cached_class(
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
