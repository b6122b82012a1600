//! Types that subscription made: `Optional[int]`, `Callable[[int], str]`, `Box[T]`.

use super::special::{Form, Shape, as_type, or_union, union, union_members};
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
use std::rc::Rc;

/// A subscripted form or class.
pub(super) struct Alias {
    /// The form, or the class for user-defined generics.
    pub(super) base: Value,
    pub(super) args: Rc<[Value]>,
}

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

pub(super) fn is_union(alias: &Alias) -> bool {
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
            form if is_union(self) => {
                interp.repr(&form).and_then(|shown| Err(interp.type_error(format!("Cannot instantiate {shown}"))))
            }
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
            Some((result, [Value::Ellipsis])) => Ok(format!("typing.{name}[..., {}]", type_text(interp, result)?)),
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

pub(super) fn instance_check(interp: &Interp, args: Arguments) -> PyResult<Value> {
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

pub(super) fn mro_entries(interp: &Interp, args: Arguments) -> PyResult<Value> {
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
