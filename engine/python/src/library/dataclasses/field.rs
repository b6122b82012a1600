//! `Field`, `field()`, `InitVar`, and how an annotated name of a class body becomes a field.

use super::{keyword_only_mark, missing};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::{arguments, dict, form, row, text};
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What becomes of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Stored in the instance.
    Field,
    /// Belongs to the class; no part of `__init__`.
    ClassVar,
    /// A parameter of `__init__`, handed to `__post_init__`.
    InitVar,
}

/// `dataclasses.Field`
pub(in crate::library) struct Field {
    pub(in crate::library) name: RefCell<Rc<str>>,
    pub(in crate::library) annotation: RefCell<Value>,
    /// `Value::Unset` for none.
    pub(in crate::library) default: Value,
    /// `Value::Unset` for none.
    pub(in crate::library) default_factory: Value,
    pub(in crate::library) init: bool,
    pub(in crate::library) repr: bool,
    /// `None` means: as `compare`.
    pub(super) hash: Option<bool>,
    pub(super) compare: bool,
    metadata: Value,
    pub(super) keyword_only: Cell<Option<bool>>,
    pub(super) kind: Cell<Kind>,
}

pub(super) static FIELD: NativeClass = NativeClass {
    name: "Field",
    module: "dataclasses",
    doc: "A field of a dataclass; made by field().",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

pub(super) static INIT_VAR: NativeClass = NativeClass {
    name: "InitVar",
    module: "dataclasses",
    doc: "InitVar[type]: a parameter of __init__ that goes to __post_init__ and is not stored.",
    methods: &[row("__class_getitem__", "(cls, type)", "An InitVar of a type.", |_, args| {
        Ok(Value::object(InitVar { annotation: args.get(1).clone() }))
    })],
    properties: &[],
    construct: Some(|interp, _, args| {
        let [annotation] = arguments(interp, const { &form("__init__", "(type)") }, args)?.take();
        Ok(Value::object(InitVar { annotation }))
    }),
    instance_check: None,
};

struct InitVar {
    annotation: Value,
}

impl Object for InitVar {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&INIT_VAR)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "type").then(|| self.annotation.clone()))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let shown = match &self.annotation {
            Value::Class(class) => class.name.to_string(),
            other => interp.repr(other)?,
        };
        Ok(Some(format!("dataclasses.InitVar[{shown}]")))
    }
}

impl Field {
    /// A field without specialities, with this default (`Value::Unset` for none).
    fn plain(default: Value) -> Field {
        Field {
            name: RefCell::new("".into()),
            annotation: RefCell::new(Value::None),
            default,
            default_factory: Value::Unset,
            init: true,
            repr: true,
            hash: None,
            compare: true,
            metadata: dict(),
            keyword_only: Cell::new(None),
            kind: Cell::new(Kind::Field),
        }
    }

    /// A positional field of any type.
    pub(super) fn declared(name: &str, default: Option<Value>) -> Field {
        Field {
            name: RefCell::new(name.into()),
            annotation: RefCell::new(Value::from("Any")),
            keyword_only: Cell::new(Some(false)),
            ..Field::plain(default.unwrap_or(Value::Unset))
        }
    }

    /// Whether `__init__` may go without it.
    pub(in crate::library) fn has_default(&self) -> bool {
        !self.default.is_unset() || !self.default_factory.is_unset()
    }

    pub(in crate::library) fn is_keyword_only(&self) -> bool {
        self.keyword_only.get().unwrap_or(false)
    }

    /// Whether it is stored in instances: neither a class variable nor an `InitVar`.
    pub(in crate::library) fn is_stored(&self) -> bool {
        self.kind.get() == Kind::Field
    }

    /// Whether `__init__` has it as a parameter.
    pub(in crate::library) fn is_parameter(&self) -> bool {
        self.init && self.kind.get() != Kind::ClassVar
    }
}

impl Object for Field {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&FIELD)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        let or_missing = |value: &Value| if value.is_unset() { missing(interp) } else { value.clone() };
        Ok(Some(match name {
            "name" => Value::Str(self.name.borrow().clone()),
            "type" => self.annotation.borrow().clone(),
            "default" => or_missing(&self.default),
            "default_factory" => or_missing(&self.default_factory),
            "init" => Value::Bool(self.init),
            "repr" => Value::Bool(self.repr),
            "hash" => self.hash.map_or(Value::None, Value::Bool),
            "compare" => Value::Bool(self.compare),
            "metadata" => self.metadata.clone(),
            "kw_only" => self.keyword_only.get().map_or_else(|| missing(interp), Value::Bool),
            _ => return Ok(None),
        }))
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["name", "type", "default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only"]
    }

    fn repr(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let mut parts = Vec::new();
        for name in self.attribute_names() {
            let value = interp.repr(&interp.get_attr(this, name)?)?;
            parts.push(if name == "metadata" {
                format!("metadata=mappingproxy({value})")
            } else {
                format!("{name}={value}")
            });
        }
        let kind = match self.kind.get() {
            Kind::Field => "_FIELD",
            Kind::ClassVar => "_FIELD_CLASSVAR",
            Kind::InitVar => "_FIELD_INITVAR",
        };
        Ok(Some(format!("Field({},_field_type={kind})", parts.join(","))))
    }
}

pub(super) fn field(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [default, default_factory, init, repr, hash, compare, metadata, keyword_only] = args.take();
    let absent = missing(interp);
    let given = |value: Value| if interp.identical(&value, &absent) { Value::Unset } else { value };
    let (default, default_factory) = (given(default), given(default_factory));
    if !default.is_unset() && !default_factory.is_unset() {
        return Err(interp.value_error("cannot specify both default and default_factory"));
    }
    let keyword_only = match given(keyword_only) {
        Value::Unset => None,
        value => Some(interp.truth(&value)?),
    };
    Ok(Value::object(Field {
        default_factory,
        init: interp.truth(&init)?,
        repr: interp.truth(&repr)?,
        hash: match hash.given() {
            Some(hash) => Some(interp.truth(&hash)?),
            None => None,
        },
        compare: interp.truth(&compare)?,
        metadata: metadata.given().unwrap_or_else(dict),
        keyword_only: Cell::new(keyword_only),
        ..Field::plain(default)
    }))
}

/// `__dataclass_fields__` of a class as fields, class variables and `InitVar`s included; `None` if it is no dataclass.
pub(in crate::library) fn fields_of(class: &Rc<Class>) -> Option<Vec<Value>> {
    match class.lookup("__dataclass_fields__")? {
        Value::Dict(fields) => Some(fields.borrow().values().cloned().collect()),
        _ => None,
    }
}

/// The annotations written in a class's own body.
fn own_annotations(class: &Rc<Class>) -> Vec<(Rc<str>, Value)> {
    match class.namespace.borrow().get("__annotations__") {
        Some(Value::Dict(annotations)) => annotations
            .borrow()
            .iter()
            .filter_map(|(name, annotation)| Some((text(name)?, annotation.clone())))
            .collect(),
        _ => Vec::new(),
    }
}

fn kind_of(interp: &Interp, annotation: &Value) -> PyResult<Kind> {
    // Under `from __future__ import annotations` the annotation is its text: CPython looks at how it begins.
    if let Some(text) = text(annotation) {
        let head = text.split('[').next().unwrap_or("").trim();
        let head = head.rsplit('.').next().unwrap_or(head);
        return Ok(match head {
            "ClassVar" => Kind::ClassVar,
            "InitVar" => Kind::InitVar,
            _ => Kind::Field,
        });
    }
    if annotation.downcast::<InitVar>().is_some()
        || matches!(annotation, Value::Class(class) if Rc::ptr_eq(class, &interp.native_class(&INIT_VAR)))
    {
        return Ok(Kind::InitVar);
    }
    Ok(if super::super::typing::is_class_var(annotation) { Kind::ClassVar } else { Kind::Field })
}

/// Makes the fields of the class's own annotations and takes their defaults out of the class body where CPython does.
pub(super) fn collect_own(interp: &Interp, class: &Rc<Class>, keyword_only: bool) -> PyResult<Vec<Value>> {
    let mut keyword_only = keyword_only;
    let mut seen_mark = false;
    let mut fields = Vec::new();
    let annotations = own_annotations(class);
    for (name, annotation) in &annotations {
        let is_mark = interp.identical(annotation, &keyword_only_mark(interp))
            || text(annotation).is_some_and(|text| text.rsplit('.').next() == Some("KW_ONLY"));
        if is_mark {
            if seen_mark {
                return Err(interp.type_error(format!("'{name}' is KW_ONLY, but KW_ONLY has already been specified")));
            }
            (seen_mark, keyword_only) = (true, true);
            continue;
        }
        // `getattr(cls, name)`: an annotation without a value takes the default of a base.
        let value = class.lookup(name).unwrap_or(Value::Unset);
        let field = match value.downcast::<Field>() {
            Some(_) => value,
            None => Value::object(Field::plain(value)),
        };
        let Some(this) = field.downcast::<Field>() else { continue };
        *this.name.borrow_mut() = name.clone();
        *this.annotation.borrow_mut() = annotation.clone();
        this.kind.set(kind_of(interp, annotation)?);
        check(interp, this)?;
        match this.kind.get() {
            Kind::ClassVar => {
                if this.keyword_only.get().is_some() {
                    return Err(interp.type_error(format!("field {name} is a ClassVar but specifies kw_only")));
                }
            }
            _ => {
                if this.keyword_only.get().is_none() {
                    this.keyword_only.set(Some(keyword_only));
                }
            }
        }
        // The class keeps the default as its attribute; a field() without default leaves nothing there.
        if this.default.is_unset() {
            class.namespace.borrow_mut().shift_remove(&**name);
        } else {
            class.namespace.borrow_mut().insert((&**name).into(), this.default.clone());
        }
        fields.push(field);
    }
    let stray = class
        .namespace
        .borrow()
        .iter()
        .find(|(name, value)| {
            value.downcast::<Field>().is_some() && !annotations.iter().any(|(known, _)| **known == ***name)
        })
        .map(|(name, _)| name.clone());
    match stray {
        Some(name) => Err(interp.type_error(format!("'{name}' is a field but has no type annotation"))),
        None => Ok(fields),
    }
}

fn check(interp: &Interp, field: &Field) -> PyResult<()> {
    let name = field.name.borrow().clone();
    if field.kind.get() != Kind::Field && !field.default_factory.is_unset() {
        return Err(interp.type_error(format!("field {name} cannot have a default factory")));
    }
    let unhashable = match &field.default {
        Value::List(_) | Value::Dict(_) | Value::Set(_) => true,
        Value::Instance(instance) => matches!(instance.class.borrow().lookup("__hash__"), Some(Value::None)),
        _ => false,
    };
    if field.kind.get() == Kind::Field && unhashable {
        let class = interp.repr(&Value::Class(interp.type_of(&field.default)))?;
        return Err(
            interp.value_error(format!("mutable default {class} for field {name} is not allowed: use default_factory"))
        );
    }
    Ok(())
}
