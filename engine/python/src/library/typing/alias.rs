//! Types that subscription made: `Optional[int]`, `Callable[[int], str]`, `Box[T]`, and the special forms themselves.

use super::variables;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::{row, text};
use crate::native::{Arguments, NativeDef};
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use std::any::Any;
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

/// A subscripted form or class.
pub(super) struct Alias {
    /// The form, or the class for user-defined generics.
    pub(super) base: Value,
    pub(super) args: Rc<[Value]>,
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

pub(super) static ALIAS: NativeClass = alias_class("_GenericAlias");
pub(super) static UNION: NativeClass = alias_class("_UnionGenericAlias");

const ALIAS_METHODS: &[NativeDef] = &[
    row("__instancecheck__", "(self, obj)", "Refuses, except for unions.", instance_check),
    row("__mro_entries__", "(self, bases)", "The class that was subscripted.", mro_entries),
];

const fn alias_class(name: &'static str) -> NativeClass {
    NativeClass {
        name,
        module: "typing",
        doc: "A subscripted type.",
        methods: ALIAS_METHODS,
        properties: &[],
        construct: None,
        instance_check: None,
    }
}

impl Form {
    /// `__origin__` of what subscription gives.
    fn origin(&self, this: &Value) -> Value {
        self.origin.clone().unwrap_or_else(|| this.clone())
    }
}

impl Object for Form {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&FORM)
    }

    fn as_any(&self) -> &dyn Any {
        self
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
            Some(Value::Class(class)) if &*class.module == "builtins" => Err(interp.type_error(format!(
                "Type {} cannot be instantiated; use {}() instead",
                self.name, class.name
            ))),
            Some(origin) if self.shape == Shape::Many => interp.call(origin, args),
            _ => interp.repr(this).and_then(|shown| Err(interp.type_error(format!("Cannot instantiate {shown}")))),
        })
    }

    fn get_item(&self, this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(subscript(interp, this, self, key))
    }

    fn binary(&self, this: &Value, op: BinaryOp, other: &Value, reflected: bool, interp: &Interp) -> PyResult<Option<Value>> {
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
        "Optional" => {
            interp.type_error(format!("typing.Optional requires a single type. Got {}.", interp.repr(key)?))
        }
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

fn is_union(alias: &Alias) -> bool {
    alias.base.downcast::<Form>().is_some_and(|form| form.shape == Shape::Union)
}

impl Alias {
    fn origin(&self) -> Value {
        match self.base.downcast::<Form>() {
            Some(form) => form.origin(&self.base),
            None => self.base.clone(),
        }
    }

    /// What `__args__` and `get_args` give.
    fn shown_args(&self) -> Value {
        let annotated = self.base.downcast::<Form>().is_some_and(|form| form.shape == Shape::Annotated);
        Value::tuple(self.args.iter().take(if annotated { 1 } else { usize::MAX }).cloned())
    }
}

impl Object for Alias {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(if is_union(self) { &UNION } else { &ALIAS })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let form = self.base.downcast::<Form>();
        match name {
            // The origin of Annotated[int, 'x'] is int.
            "__origin__" if form.is_some_and(|form| form.shape == Shape::Annotated) => Ok(self.args.first().cloned()),
            "__origin__" => Ok(Some(self.origin())),
            "__args__" => Ok(Some(self.shown_args())),
            "__metadata__" if form.is_some_and(|form| form.shape == Shape::Annotated) => {
                Ok(Some(Value::tuple(self.args.iter().skip(1).cloned())))
            }
            "__parameters__" => Ok(Some(Value::tuple(variables::free(&self.args)))),
            "__module__" => Ok(Some(Value::str("typing"))),
            "_name" | "__name__" => match form {
                Some(form) => Ok(Some(Value::str(form.name))),
                None => interp.find_attr(&self.base, "__name__"),
            },
            name if !name.starts_with("__") => match self.origin() {
                class @ Value::Class(_) => interp.find_attr(&class, name),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn call(&self, this: &Value, args: CallArgs, interp: &Interp) -> Option<PyResult<Value>> {
        Some(match self.origin() {
            Value::Class(class) if &*class.module == "builtins" => {
                let name = self.base.downcast::<Form>().map_or("", |form| form.name);
                Err(interp.type_error(format!("Type {name} cannot be instantiated; use {}() instead", class.name)))
            }
            class @ Value::Class(_) => interp.call(&class, args),
            // `Union[int, str]()` names the form alone.
            form if is_union(self) => interp
                .repr(&form)
                .and_then(|shown| Err(interp.type_error(format!("Cannot instantiate {shown}")))),
            _ => interp.repr(this).and_then(|shown| Err(interp.type_error(format!("Cannot instantiate {shown}")))),
        })
    }

    fn is_callable(&self) -> bool {
        matches!(self.origin(), Value::Class(_))
    }

    /// Puts types in the place of type variables.
    fn get_item(&self, this: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let given: Vec<Value> = match key {
            Value::Tuple(items) => items.to_vec(),
            key => vec![key.clone()],
        };
        let free = variables::free(&self.args);
        Some(if free.is_empty() {
            interp.repr(this).and_then(|shown| Err(interp.type_error(format!("{shown} is not a generic class"))))
        } else {
            substitute(interp, this, &free, &given)
        })
    }

    fn binary(&self, this: &Value, op: BinaryOp, other: &Value, reflected: bool, interp: &Interp) -> PyResult<Option<Value>> {
        or_union(interp, this, op, other, reflected)
    }

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Alias>() else { return Ok(None) };
        let mut same = interp.identical(&self.base, &other.base) && self.args.len() == other.args.len();
        if same && is_union(self) {
            // The order of a union does not matter.
            for arg in self.args.iter() {
                let mut found = false;
                for candidate in other.args.iter() {
                    found = found || interp.equals(arg, candidate)?;
                }
                same = same && found;
            }
        } else if same {
            for (a, b) in self.args.iter().zip(other.args.iter()) {
                same = same && interp.equals(a, b)?;
            }
        }
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(same)),
            CompareOp::NotEq => Some(Value::Bool(!same)),
            _ => None,
        })
    }

    fn hash(&self, _: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        let mut sum = 0u64;
        for arg in self.args.iter() {
            match interp.hash(arg) {
                // Commutative, since the order of a union does not matter.
                Ok(hash) => sum = sum.wrapping_add(hash),
                Err(stop) => return Some(Err(stop)),
            }
        }
        Some(interp.hash(&self.base).map(|hash| hash ^ sum))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        interp.nested(|| show(interp, self)).map(Some)
    }
}

fn substitute(interp: &Interp, this: &Value, free: &[Value], given: &[Value]) -> PyResult<Value> {
    if let Some(at) = free.iter().position(|variable| interp.identical(variable, this)) {
        return Ok(given.get(at).cloned().map_or_else(|| this.clone(), |value| as_type(interp, value)));
    }
    let Some(alias) = this.downcast::<Alias>() else { return Ok(this.clone()) };
    let args = alias.args.iter().map(|arg| substitute(interp, arg, free, given)).collect::<PyResult<Vec<_>>>()?;
    if is_union(alias) {
        return union(interp, &args);
    }
    Ok(Value::object(Alias { base: alias.base.clone(), args: args.into() }))
}

fn show(interp: &Interp, alias: &Alias) -> PyResult<String> {
    let Some(form) = alias.base.downcast::<Form>() else {
        return Ok(format!("{}[{}]", type_text(interp, &alias.base)?, joined(interp, &alias.args)?));
    };
    let name = form.name;
    match form.shape {
        Shape::Union => {
            let none = Value::Class(interp.types().none_type.clone());
            match alias.args.as_ref() {
                [one, other] if interp.identical(other, &none) => {
                    Ok(format!("typing.Optional[{}]", type_text(interp, one)?))
                }
                [other, one] if interp.identical(other, &none) => {
                    Ok(format!("typing.Optional[{}]", type_text(interp, one)?))
                }
                args => Ok(format!("typing.Union[{}]", joined(interp, args)?)),
            }
        }
        Shape::Literal => {
            let values = alias.args.iter().map(|value| interp.repr(value)).collect::<PyResult<Vec<_>>>()?;
            Ok(format!("typing.Literal[{}]", values.join(", ")))
        }
        Shape::Annotated => {
            let mut parts = vec![type_text(interp, &alias.args[0])?];
            for value in &alias.args[1..] {
                parts.push(interp.repr(value)?);
            }
            Ok(format!("typing.Annotated[{}]", parts.join(", ")))
        }
        Shape::Callable => match alias.args.split_last() {
            Some((result, [Value::Ellipsis])) => {
                Ok(format!("typing.{name}[..., {}]", type_text(interp, result)?))
            }
            Some((result, [only])) if variables::is_parameters(only) => {
                Ok(format!("typing.{name}[{}, {}]", type_text(interp, only)?, type_text(interp, result)?))
            }
            Some((result, parameters)) => {
                Ok(format!("typing.{name}[[{}], {}]", joined(interp, parameters)?, type_text(interp, result)?))
            }
            None => Ok(format!("typing.{name}")),
        },
        _ if alias.args.is_empty() => Ok(format!("typing.{name}[()]")),
        _ => Ok(format!("typing.{name}[{}]", joined(interp, &alias.args)?)),
    }
}

fn joined(interp: &Interp, args: &[Value]) -> PyResult<String> {
    Ok(args.iter().map(|arg| type_text(interp, arg)).collect::<PyResult<Vec<_>>>()?.join(", "))
}

/// `typing._type_repr`
pub(super) fn type_text(interp: &Interp, value: &Value) -> PyResult<String> {
    match value {
        Value::Class(class) if &*class.module == "builtins" => Ok(class.qualified_name.to_string()),
        Value::Class(class) => Ok(format!("{}.{}", class.module, class.qualified_name)),
        Value::Ellipsis => Ok("...".to_owned()),
        Value::Function(function) => Ok(function.code.name().to_string()),
        Value::List(items) => {
            let items = items.borrow().clone();
            Ok(format!("[{}]", joined(interp, &items)?))
        }
        other => interp.repr(other),
    }
}

fn instance_check(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, object] = args.take();
    if let Some(form) = this.downcast::<Form>() {
        return match &form.origin {
            Some(origin) => interp.is_instance(&object, origin).map(Value::Bool),
            None => Err(interp.type_error(format!("typing.{} cannot be used with isinstance()", form.name))),
        };
    }
    if let Some(members) = union_members(interp, &this)? {
        for member in members {
            if interp.is_instance(&object, &member)? {
                return Ok(Value::Bool(true));
            }
        }
        return Ok(Value::Bool(false));
    }
    Err(interp.type_error("Subscripted generics cannot be used with class and instance checks"))
}

fn mro_entries(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, bases] = args.take();
    let origin = match (this.downcast::<Form>(), this.downcast::<Alias>()) {
        (Some(form), _) => form.origin.clone(),
        (None, Some(alias)) => Some(alias.origin()),
        _ => None,
    };
    match origin {
        Some(Value::Class(class)) => {
            // `class Stack(List[T], Generic[T])` and `class Box(Base[T], Base)`: a base that stands there already, or
            // `Generic` behind another generic base, is left out.
            let written = interp.collect(&bases)?;
            let stands_there = written
                .iter()
                .any(|base| matches!(base, Value::Class(base) if Rc::ptr_eq(base, &class) || base.is_subclass(&class)));
            let behind_other = &*class.name == "Generic"
                && written.iter().any(|base| {
                    !interp.identical(base, &this)
                        && base.downcast::<Alias>().is_some_and(|other| match other.origin() {
                            Value::Class(other) => other.is_subclass(&class) && !Rc::ptr_eq(&other, &class),
                            _ => false,
                        })
                });
            Ok(if stands_there || behind_other { Value::tuple([]) } else { Value::tuple([Value::Class(class)]) })
        }
        _ => {
            let shown = interp.repr(&this)?;
            Err(interp.type_error(format!("Cannot subclass {shown}")))
        }
    }
}

/// The text of a forward reference or of a plain string annotation.
pub(super) fn annotation_text(value: &Value) -> Option<Rc<str>> {
    text(value).or_else(|| variables::forward_text(value))
}
