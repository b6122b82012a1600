//! Parameters of signatures, and their five kinds.

use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::{ClassBuilder, arguments, classes, form, row};
use crate::object::Object;
use crate::raise::PyResult;
use crate::signature::ParameterKind;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

/// `inspect.Parameter.empty`
pub(super) fn empty(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "inspect._empty", |interp| {
        ClassBuilder::new("_empty", "inspect", &interp.types().object).build()
    })
}

/// `inspect.Parameter`
#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) name: Rc<str>,
    pub(super) kind: ParameterKind,
    /// `Value::Unset` for none.
    pub(super) default: Value,
    /// `Value::Unset` for none.
    pub(super) annotation: Value,
}

pub(super) static PARAMETER: NativeClass = NativeClass {
    name: "Parameter",
    module: "inspect",
    doc: "A parameter of a signature.",
    methods: &[row(
        "replace",
        "(self, *, name=..., kind=..., annotation=..., default=...)",
        "A parameter that differs in some things.",
        |interp, args| {
            let [this, name, kind, annotation, default] = args.take();
            let Some(old) = this.downcast::<Parameter>() else { return Ok(Value::None) };
            let or_old = |new: Value, old: &Value| if new.is_unset() { old.clone() } else { or_unset(interp, new) };
            Ok(Value::object(Parameter {
                name: if name.is_unset() { old.name.clone() } else { interp.to_str(&name)? },
                kind: if kind.is_unset() { old.kind } else { kind_of(interp, &kind)? },
                annotation: or_old(annotation, &old.annotation),
                default: or_old(default, &old.default),
            }))
        },
    )],
    properties: &[],
    construct: Some(|interp, _, args| {
        let form = const { &form("Parameter", "(name, kind, *, default=..., annotation=...)") };
        let [name, kind, default, annotation] = arguments(interp, form, args)?.take();
        Ok(Value::object(Parameter {
            name: interp.to_str(&name)?,
            kind: kind_of(interp, &kind)?,
            default: or_unset(interp, default),
            annotation: or_unset(interp, annotation),
        }))
    }),
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

pub(super) const KINDS: [(ParameterKind, &str); 5] = [
    (ParameterKind::PositionalOnly, "POSITIONAL_ONLY"),
    (ParameterKind::Positional, "POSITIONAL_OR_KEYWORD"),
    (ParameterKind::Variadic, "VAR_POSITIONAL"),
    (ParameterKind::KeywordOnly, "KEYWORD_ONLY"),
    (ParameterKind::Keywords, "VAR_KEYWORD"),
];

/// One of the five kinds, comparable in their order.
pub(super) struct Kind(pub(super) usize);

impl Object for Kind {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&KIND)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::str(KINDS[self.0].1)),
            "value" => Some(self.0.into()),
            _ => None,
        })
    }

    fn compare(
        &self,
        _: &Value,
        op: pallas_syntax::ast::CompareOp,
        other: &Value,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
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

fn kind_of(interp: &Interp, value: &Value) -> PyResult<ParameterKind> {
    let index = match value.downcast::<Kind>() {
        Some(kind) => Some(kind.0),
        None => interp.to_i64(value).ok().and_then(|index| usize::try_from(index).ok()),
    };
    match index.and_then(|index| KINDS.get(index)) {
        Some((kind, _)) => Ok(*kind),
        None => Err(interp.value_error(format!("value {} is not a valid Parameter.kind", interp.repr(value)?))),
    }
}

/// `empty` as the absence that it stands for.
pub(super) fn or_unset(interp: &Interp, value: Value) -> Value {
    let is_empty = matches!(&value, Value::Class(class) if Rc::ptr_eq(class, &empty(interp)));
    if is_empty { Value::Unset } else { value }
}

/// Whether defaults or annotations agree.
pub(super) fn same(interp: &Interp, one: &Value, two: &Value) -> PyResult<bool> {
    match (one.is_unset(), two.is_unset()) {
        (false, false) => interp.equals(one, two),
        (one, two) => Ok(one == two),
    }
}

/// `==` or `!=`; nothing else is defined.
pub(super) fn equality(op: CompareOp, same: bool) -> Option<Value> {
    match op {
        CompareOp::Eq => Some(Value::Bool(same)),
        CompareOp::NotEq => Some(Value::Bool(!same)),
        _ => None,
    }
}

fn kind_index(kind: ParameterKind) -> usize {
    KINDS.iter().position(|(known, _)| *known == kind).unwrap_or(1)
}

impl Parameter {
    /// Where its kind stands in the order of parameters.
    pub(super) fn kind_index(&self) -> usize {
        kind_index(self.kind)
    }

    /// Its kind in words.
    pub(super) fn kind_text(&self) -> &'static str {
        ["positional-only", "positional or keyword", "variadic positional", "keyword-only", "variadic keyword"]
            [self.kind_index()]
    }

    pub(super) fn equals(&self, interp: &Interp, other: &Parameter) -> PyResult<bool> {
        Ok(self.name == other.name
            && self.kind == other.kind
            && same(interp, &self.default, &other.default)?
            && same(interp, &self.annotation, &other.annotation)?)
    }

    pub(super) fn shown(&self, interp: &Interp) -> PyResult<String> {
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
pub(super) fn annotation_text(interp: &Interp, annotation: &Value) -> PyResult<String> {
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

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        match other.downcast::<Parameter>() {
            Some(other) => Ok(equality(op, self.equals(interp, other)?)),
            None => Ok(None),
        }
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<Parameter \"{}\">", self.shown(interp)?)))
    }

    fn str(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        self.shown(interp).map(Some)
    }
}
