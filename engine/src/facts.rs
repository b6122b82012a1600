//! What was seen while evaluating: the type of each expression, for hovers and inlay hints.

use pallas_python::interp::{Interp, Observer};
use pallas_python::{Stop, Value};
use pallas_syntax::{FileId, Span};
use std::cell::RefCell;
use std::collections::HashMap;

/// What an expression was, when it was last evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// `f32[8,128]`, `ref<f32[8,128]>`: for arrays and Refs.
    pub ty: Option<String>,
    /// A short `repr`, for numbers, strings and small tuples.
    pub value: Option<String>,
    /// The name of its Python type.
    pub class: String,
}

/// Facts by span.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    facts: HashMap<Span, Fact>,
}

impl Facts {
    /// The fact of exactly this span.
    pub fn get(&self, span: Span) -> Option<&Fact> {
        self.facts.get(&span)
    }

    /// The innermost expression at an offset that has a fact.
    pub fn at(&self, file: FileId, offset: u32) -> Option<(Span, &Fact)> {
        self.facts
            .iter()
            .filter(|(span, _)| span.file == file && span.touches(offset))
            .min_by_key(|(span, _)| (span.end - span.start, span.start))
            .map(|(span, fact)| (*span, fact))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }
}

/// Collects facts, and the exceptions that top-level statements end with.
#[derive(Default)]
pub(crate) struct Collector {
    facts: RefCell<HashMap<Span, Fact>>,
}

impl Collector {
    /// What was collected.
    pub(crate) fn into_facts(self) -> Facts {
        Facts { facts: self.facts.into_inner() }
    }

    /// What was collected so far; the collector keeps nothing.
    pub(crate) fn take(&self) -> Facts {
        Facts { facts: self.facts.take() }
    }
}

/// Longer values are not worth a hover line.
const LONGEST_VALUE: usize = 80;

impl Observer for Collector {
    fn expression(&self, span: Span, value: &Value, interp: &Interp) {
        let fact = match value {
            Value::Object(object) => Fact {
                ty: object.summary(interp),
                value: None,
                class: interp.type_name(value),
            },
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => plain(interp, value),
            Value::Tuple(items) if items.iter().all(is_plain) && items.len() <= 8 => plain(interp, value),
            _ => return,
        };
        self.facts.borrow_mut().insert(span, fact);
    }

    fn raised(&self, _stop: &Stop, _interp: &Interp) {}
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_))
}

fn plain(interp: &Interp, value: &Value) -> Fact {
    let text = interp.repr(value).ok().filter(|text| text.len() <= LONGEST_VALUE);
    Fact { ty: None, value: text, class: interp.type_name(value) }
}
