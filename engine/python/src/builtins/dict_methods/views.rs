//! `dict.keys()`, `dict.values()`, `dict.items()`: live views, those of keys and items set-like, and their iterators,
//! which notice when the dict changes under them.

use crate::builtins::repr::guarded;
use crate::builtins::table::row;
use crate::class::{Class, NativeClass};
use crate::dict::{Dict, Set};
use crate::interp::Interp;
use crate::iteration::NativeIterator;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, CompareOp};
use std::cell::RefCell;
use std::rc::Rc;

/// What a view shows of each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `keys()`
    Keys,
    /// `values()`
    Values,
    /// `items()`
    Items,
}

/// A live view of a dict.
pub struct View {
    dict: Rc<RefCell<Dict>>,
    kind: Kind,
}

static KEYS: NativeClass = class("dict_keys", &[IS_DISJOINT]);
static VALUES: NativeClass = class("dict_values", &[]);
static ITEMS: NativeClass = class("dict_items", &[IS_DISJOINT]);

const IS_DISJOINT: crate::native::NativeDef =
    row("isdisjoint", "(self, other, /)", "Whether nothing shown is in other.", is_disjoint);

const fn class(name: &'static str, methods: &'static [crate::native::NativeDef]) -> NativeClass {
    NativeClass {
        name,
        module: "builtins",
        doc: "A live view of a dict.",
        methods,
        properties: &[],
        construct: None,
        instance_check: None,
    }
}

fn shown(kind: Kind, key: &Value, value: &Value) -> Value {
    match kind {
        Kind::Keys => key.clone(),
        Kind::Values => value.clone(),
        Kind::Items => Value::tuple([key.clone(), value.clone()]),
    }
}

impl View {
    /// A view of `dict`.
    pub fn new(dict: Rc<RefCell<Dict>>, kind: Kind) -> Self {
        View { dict, kind }
    }

    /// What it shows now.
    pub fn items(&self) -> Vec<Value> {
        self.dict.borrow().iter().map(|(key, value)| shown(self.kind, key, value)).collect()
    }

    fn to_set(&self, interp: &Interp) -> PyResult<Set> {
        let mut set = Set::new();
        for item in self.items() {
            set.add(interp, item)?;
        }
        Ok(set)
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Keys => KEYS.name,
            Kind::Values => VALUES.name,
            Kind::Items => ITEMS.name,
        }
    }
}

/// An iterator over the entries in order, RuntimeError when their number changes.
fn iterator(dict: &Rc<RefCell<Dict>>, kind: Kind) -> Value {
    let name = match kind {
        Kind::Keys => "dict_keyiterator",
        Kind::Values => "dict_valueiterator",
        Kind::Items => "dict_itemiterator",
    };
    let dict = Rc::clone(dict);
    let length = dict.borrow().len();
    let mut position = 0;
    NativeIterator::value(name, move |interp| {
        let dict = dict.borrow();
        if dict.len() != length {
            return Err(interp.runtime_error("dictionary changed size during iteration"));
        }
        Ok(dict.next_from(position).map(|(next, key, value)| {
            position = next;
            shown(kind, key, value)
        }))
    })
}

/// `reversed(dict)` and `reversed(dict.items())`.
pub(crate) fn reversed(dict: &Rc<RefCell<Dict>>, kind: Kind) -> Value {
    let name = match kind {
        Kind::Keys => "dict_reversekeyiterator",
        Kind::Values => "dict_reversevalueiterator",
        Kind::Items => "dict_reverseitemiterator",
    };
    let dict = Rc::clone(dict);
    let length = dict.borrow().len();
    let mut left: Vec<Value> = dict.borrow().iter().map(|(key, value)| shown(kind, key, value)).collect();
    NativeIterator::value(name, move |interp| {
        if dict.borrow().len() != length {
            return Err(interp.runtime_error("dictionary changed size during iteration"));
        }
        Ok(left.pop())
    })
}

impl Object for View {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(match self.kind {
            Kind::Keys => &KEYS,
            Kind::Values => &VALUES,
            Kind::Items => &ITEMS,
        })
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "mapping").then(|| Value::Dict(Rc::clone(&self.dict))))
    }

    fn length(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<usize>> {
        Some(Ok(self.dict.borrow().len()))
    }

    fn iterate(&self, _this: &Value, _interp: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(iterator(&self.dict, self.kind)))
    }

    fn contains(&self, _this: &Value, item: &Value, interp: &Interp) -> Option<PyResult<bool>> {
        Some(match self.kind {
            Kind::Keys => interp.dict_get(&self.dict, item).map(|found| found.is_some()),
            Kind::Values => self
                .items()
                .iter()
                .try_fold(false, |found, value| if found { Ok(true) } else { interp.equals(value, item) }),
            Kind::Items => match item {
                Value::Tuple(pair) if pair.len() == 2 => match interp.dict_get(&self.dict, &pair[0]) {
                    Ok(Some(value)) => interp.equals(&value, &pair[1]),
                    Ok(None) => Ok(false),
                    Err(stop) => Err(stop),
                },
                _ => Ok(false),
            },
        })
    }

    fn binary(
        &self,
        _this: &Value,
        op: BinaryOp,
        other: &Value,
        reflected: bool,
        interp: &Interp,
    ) -> PyResult<Option<Value>> {
        if self.kind == Kind::Values
            || !matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Sub)
        {
            return Ok(None);
        }
        let own = self.to_set(interp)?;
        // Any iterable may stand on the other side, as in `dict.keys() & [1]`.
        let mut theirs = Set::new();
        for item in interp.collect(other)? {
            theirs.add(interp, item)?;
        }
        let result = if reflected {
            interp.set_operation(op, &theirs, &own)?
        } else {
            interp.set_operation(op, &own, &theirs)?
        };
        Ok(Some(Value::Set(Rc::new(RefCell::new(result)))))
    }

    fn compare(&self, _this: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        if self.kind == Kind::Values {
            return Ok(None);
        }
        let theirs = match other {
            Value::Set(set) => set.borrow().clone(),
            Value::FrozenSet(set) => (**set).clone(),
            _ => match other.downcast::<View>() {
                Some(view) if view.kind != Kind::Values => view.to_set(interp)?,
                _ => return Ok(None),
            },
        };
        let shared = |set: Set| Value::Set(Rc::new(RefCell::new(set)));
        interp.compare(op, &shared(self.to_set(interp)?), &shared(theirs)).map(Some)
    }

    fn repr(&self, _this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let address = std::ptr::from_ref(self) as usize;
        let text = guarded(interp, address, "...", || {
            Ok(format!("{}({})", self.name(), interp.repr(&Value::list(self.items()))?))
        })?;
        Ok(Some(text))
    }

    fn hash(&self, _this: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        match self.kind {
            Kind::Values => None,
            _ => Some(Err(interp.type_error(format!("unhashable type: '{}'", self.name())))),
        }
    }
}

/// `reversed(view)`; `None` where `v` is no view.
pub(crate) fn reversed_view(v: &Value) -> Option<Value> {
    v.downcast::<View>().map(|view| reversed(&view.dict, view.kind))
}

fn is_disjoint(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, other] = arguments.take();
    for item in interp.collect(&other)? {
        if interp.contains(&this, &item)? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}
