//! Special forms such as `Optional`, aliases such as `List`, and what subscribing them gives.

use super::alias::{Alias, instance_check, is_union, mro_entries};
use super::variables;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::row;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;
use std::rc::Rc;

/// How a form treats what it is subscripted with, and how the result shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One argument: `ClassVar[int]`.
    One,
    /// Any number: `List[int]`, `Dict[str, int]`.
    Many,
    /// `Optional[X]` is `Union[X, None]`.
    Optional,
    /// Flat, each once.
    Union,
    /// Values, not types.
    Literal,
    /// `Callable[[int], str]`
    Callable,
    /// The type and its metadata.
    Annotated,
    /// Cannot be subscripted: `Self`, `NoReturn`.
    Bare,
}

/// A special form such as `Optional`, or an alias such as `List`.
pub(super) struct Form {
    /// `Optional`
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// The class that an alias stands for: `list` for `List`.
    pub(super) origin: Option<Value>,
}

pub(super) static FORM: NativeClass = NativeClass {
    name: "_SpecialForm",
    module: "typing",
    doc: "A special form of the typing module.",
    methods: &[
        row("__instancecheck__", "(self, obj)", "Asks the class that the alias stands for.", instance_check),
        row("__mro_entries__", "(self, bases)", "The class that the alias stands for.", mro_entries),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Form {
    /// `__origin__` of what subscription gives.
    pub(super) fn origin(&self, this: &Value) -> Value {
        self.origin.clone().unwrap_or_else(|| this.clone())
    }
}

impl Object for Form {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&FORM)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        match (name, &self.origin) {
            ("__name__" | "_name", _) => Ok(Some(Value::str(self.name))),
            ("__module__", _) => Ok(Some(Value::str("typing"))),
            ("__origin__", origin) => Ok(origin.clone()),
            (name, Some(origin)) if !name.starts_with("__") => interp.find_attr(origin, name),
            _ => Ok(None),
        }
    }

    fn call(&self, this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(match &self.origin {
            // The aliases of builtin containers refuse, with advice; other classes are made.
            Some(Value::Class(class)) if &*class.module == "builtins" => {
                Err(interp
                    .type_error(format!("Type {} cannot be instantiated; use {}() instead", self.name, class.name)))
            }
            Some(origin) if self.shape == Shape::Many => interp.call(origin, args),
            _ => interp.repr(this).and_then(|shown| Err(interp.type_error(format!("Cannot instantiate {shown}")))),
        })
    }

    fn get_item(&self, this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(subscript(interp, this, self, key))
    }

    fn binary(
        &self,
        this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        or_union(interp, this, op, other, reflected)
    }

    fn repr(&self, _: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("typing.{}", self.name)))
    }
}

/// `X | Y` of types.
pub(super) fn or_union(
    interp: &Interp,
    this: &Value,
    op: BinaryOp,
    other: &Value,
    reflected: bool,
) -> PyResult<Option<Value>> {
    if op != BinaryOp::BitOr {
        return Ok(None);
    }
    let members = if reflected { [other.clone(), this.clone()] } else { [this.clone(), other.clone()] };
    union(interp, &members).map(Some)
}

fn subscript(interp: &Interp, this: &Value, form: &Form, key: &Value) -> PyResult<Value> {
    let items: Vec<Value> = match key {
        Value::Tuple(items) => items.to_vec(),
        key => vec![key.clone()],
    };
    let alias = |args: Vec<Value>| Value::object(Alias { base: this.clone(), args: args.into() });
    let types = |items: Vec<Value>| items.into_iter().map(|item| as_type(interp, item)).collect::<Vec<_>>();
    Ok(match form.shape {
        Shape::Bare => {
            return Err(interp.type_error(format!("typing.{} is not subscriptable", form.name)));
        }
        Shape::Optional => match items.as_slice() {
            [item] => union(interp, &[item.clone(), Value::None])?,
            _ => return Err(single(interp, form.name, key)?),
        },
        Shape::Union if items.is_empty() => return Err(interp.type_error("Cannot take a Union of no types.")),
        Shape::Union => union(interp, &items)?,
        Shape::Literal => alias(distinct(interp, literal_values(items))?),
        Shape::One => match items.as_slice() {
            [_] => alias(types(items)),
            _ => return Err(single(interp, form.name, key)?),
        },
        Shape::Many => alias(types(items)),
        Shape::Annotated => {
            if items.len() < 2 {
                return Err(interp.type_error(
                    "Annotated[...] should be used with at least two arguments (a type and an annotation).",
                ));
            }
            let mut items = items;
            // Annotated[Annotated[int, 1], 2] is Annotated[int, 1, 2].
            let inner = items[0]
                .downcast::<Alias>()
                .filter(|alias| alias.base.downcast::<Form>().is_some_and(|form| form.shape == Shape::Annotated))
                .map(|alias| alias.args.to_vec());
            if let Some(inner) = inner {
                items.splice(0..1, inner);
            }
            alias(items)
        }
        Shape::Callable => match items.as_slice() {
            [parameters, result] => {
                let mut args: Vec<Value> = match parameters {
                    Value::List(parameters) => types(parameters.borrow().clone()),
                    other => vec![other.clone()],
                };
                args.push(as_type(interp, result.clone()));
                alias(args)
            }
            _ => return Err(interp.type_error("Callable must be used as Callable[[arg, ...], result].")),
        },
    })
}

fn single(interp: &Interp, name: &str, key: &Value) -> PyResult<Box<crate::raise::Stop>> {
    Ok(match name {
        "Optional" => interp.type_error(format!("typing.Optional requires a single type. Got {}.", interp.repr(key)?)),
        _ => interp.type_error(format!("typing.{name} accepts only single type. Got {}.", interp.repr(key)?)),
    })
}

/// `None` stands for its type, text for a type not known yet.
pub(super) fn as_type(interp: &Interp, value: Value) -> Value {
    match value {
        Value::None => Value::Class(interp.types().none_type.clone()),
        Value::Str(text) => variables::forward_reference(text),
        value => value,
    }
}

/// Nested literals are flat.
fn literal_values(items: Vec<Value>) -> Vec<Value> {
    items
        .into_iter()
        .flat_map(|item| match item.downcast::<Alias>() {
            Some(alias) if alias.base.downcast::<Form>().is_some_and(|form| form.shape == Shape::Literal) => {
                alias.args.to_vec()
            }
            _ => vec![item],
        })
        .collect()
}

/// Each value once; equal values of different types are different.
fn distinct(interp: &Interp, items: Vec<Value>) -> PyResult<Vec<Value>> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        let mut known = false;
        for other in &kept {
            if Rc::ptr_eq(&interp.type_of(other), &interp.type_of(&item)) && interp.equals(other, &item)? {
                known = true;
            }
        }
        if !known {
            kept.push(item);
        }
    }
    Ok(kept)
}

/// `Union[...]`: flat, each type once, one type alone is itself.
pub(super) fn union(interp: &Interp, items: &[Value]) -> PyResult<Value> {
    let mut flat = Vec::new();
    for item in items {
        match union_members(interp, item)? {
            Some(members) => flat.extend(members),
            None => flat.push(as_type(interp, item.clone())),
        }
    }
    let flat = distinct(interp, flat)?;
    if let [only] = flat.as_slice() {
        return Ok(only.clone());
    }
    let base = super::forms::form(interp, "Union")?;
    Ok(Value::object(Alias { base, args: flat.into() }))
}

/// The members of `Union[...]` or `X | Y`.
pub(super) fn union_members(interp: &Interp, value: &Value) -> PyResult<Option<Vec<Value>>> {
    if let Some(alias) = value.downcast::<Alias>() {
        return Ok(is_union(alias).then(|| alias.args.to_vec()));
    }
    if interp.type_name(value) == "UnionType" {
        return interp.collect(&interp.get_attr(value, "__args__")?).map(Some);
    }
    Ok(None)
}
