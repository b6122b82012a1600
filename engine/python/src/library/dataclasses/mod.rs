//! `dataclasses`: the decorator in [`decorate`], the methods that it adds in [`generated`], `field` and `Field` in
//! [`field`], the functions on instances in [`tools`].

mod decorate;
mod field;
mod generated;
mod tools;

pub use decorate::declare_fields;
pub(super) use field::{Field, fields_of};

use super::support::{add_class, classes, row};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "dataclasses",
    doc: "Classes made of annotated fields.",
    functions: &[
        row(
            "dataclass",
            "(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, \
             match_args=True, kw_only=False, slots=False, weakref_slot=False)",
            "Adds __init__, __repr__, __eq__ and others made from the annotated fields of a class.",
            decorate::dataclass,
        ),
        row(
            "field",
            "(*, default=..., default_factory=..., init=True, repr=True, hash=None, compare=True, metadata=None, \
             kw_only=...)",
            "What a field is, beyond its annotation.",
            field::field,
        ),
        row("fields", "(class_or_instance)", "The fields of a dataclass, in order.", tools::fields),
        row("asdict", "(obj, *, dict_factory=...)", "A dict from field names to values, nested.", tools::as_dict),
        row("astuple", "(obj, *, tuple_factory=...)", "A tuple of the values, nested.", tools::as_tuple),
        row("replace", "(obj, /, **changes)", "A copy with some fields replaced.", tools::replace),
        row("is_dataclass", "(obj)", "Whether obj is a dataclass or an instance of one.", tools::is_dataclass),
        row(
            "make_dataclass",
            "(cls_name, fields, *, bases=(), namespace=None, init=True, repr=True, eq=True, order=False, \
             unsafe_hash=False, frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False)",
            "A dataclass made from a list of names and types.",
            decorate::make_dataclass,
        ),
    ],
    populate: |interp, names| {
        add_class(names, &interp.native_class(&field::FIELD));
        add_class(names, &interp.native_class(&field::INIT_VAR));
        names.insert("FrozenInstanceError".into(), Value::Class(frozen_error(interp)));
        names.insert("MISSING".into(), missing(interp));
        names.insert("KW_ONLY".into(), keyword_only_mark(interp));
    },
};

static MISSING_TYPE: NativeClass = sentinel("_MISSING_TYPE");
static KW_ONLY_TYPE: NativeClass = sentinel("_KW_ONLY_TYPE");

const fn sentinel(name: &'static str) -> NativeClass {
    NativeClass {
        name,
        module: "dataclasses",
        doc: "The class of a mark.",
        methods: &[],
        properties: &[],
        construct: None,
        instance_check: None,
    }
}

#[derive(Default)]
struct Sentinels {
    missing: RefCell<Option<Value>>,
    keyword_only: RefCell<Option<Value>>,
}

fn mark(interp: &Interp, slot: &RefCell<Option<Value>>, table: &'static NativeClass) -> Value {
    slot.borrow_mut().get_or_insert_with(|| classes::instance(&interp.native_class(table), Value::Unset)).clone()
}

/// `MISSING`: what stands where a field has no default.
fn missing(interp: &Interp) -> Value {
    mark(interp, &interp.extension::<Sentinels>().missing, &MISSING_TYPE)
}

/// `KW_ONLY`: the annotation after which fields are keyword-only.
fn keyword_only_mark(interp: &Interp) -> Value {
    mark(interp, &interp.extension::<Sentinels>().keyword_only, &KW_ONLY_TYPE)
}

fn frozen_error(interp: &Interp) -> Rc<Class> {
    interp.exception_class("dataclasses", "FrozenInstanceError", &interp.types().attribute_error)
}
