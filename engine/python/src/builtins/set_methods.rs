//! `set` and `frozenset`: their tables and constructors.

use crate::builtins::construct::{Call, finish};
use crate::builtins::special as s;
use crate::builtins::table::{known, members, row, rows, this_set, with_set};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::dict::Set;
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::BinaryOp;
use std::cell::RefCell;
use std::rc::Rc;

/// The table of `set`.
pub static SET: NativeClass = NativeClass {
    name: "set",
    module: "builtins",
    doc: "set(iterable=(), /) -> unordered collection of distinct, hashable values.",
    methods: SET_METHODS,
    properties: &[],
    construct: Some(construct_set),
    instance_check: None,
};

/// The table of `frozenset`.
pub static FROZEN_SET: NativeClass = NativeClass {
    name: "frozenset",
    module: "builtins",
    doc: "frozenset(iterable=(), /) -> immutable set.",
    methods: FROZEN_METHODS,
    properties: &[],
    construct: Some(construct_frozen_set),
    instance_check: None,
};

const COPY: NativeDef = row("copy", "(self, /)", "A shallow copy.", copy);
const DIFFERENCE: NativeDef =
    row("difference", "(self, *others)", "The members that are in none of the others.", difference);
const INTERSECTION: NativeDef =
    row("intersection", "(self, *others)", "The members that are in all of the others, too.", intersection);
const IS_DISJOINT: NativeDef = row("isdisjoint", "(self, other, /)", "Whether no member is in other.", is_disjoint);
const IS_SUBSET: NativeDef = row("issubset", "(self, other, /)", "Whether other has every member.", is_subset);
const IS_SUPERSET: NativeDef =
    row("issuperset", "(self, other, /)", "Whether every member of other is a member.", is_superset);
const SYMMETRIC_DIFFERENCE: NativeDef =
    row("symmetric_difference", "(self, other, /)", "The members of exactly one of the two.", symmetric_difference);
const UNION: NativeDef = row("union", "(self, *others)", "The members of all of them.", union);

static FROZEN_METHODS: &[NativeDef] = rows! {
    COPY, DIFFERENCE, INTERSECTION, IS_DISJOINT, IS_SUBSET, IS_SUPERSET, SYMMETRIC_DIFFERENCE, UNION,
    s::AND, s::RAND, s::OR, s::ROR, s::XOR, s::RXOR, s::SUB, s::RSUB, s::LT, s::LE, s::GT, s::GE, s::LEN, s::ITER, s::CONTAINS,
};

static SET_METHODS: &[NativeDef] = rows! {
    "add", "(self, object, /)", "Add an element to a set.", add;
    "clear", "(self, /)", "Remove all elements from this set.", clear;
    "difference_update", "(self, *others)", "Remove the members of the others.", difference_update;
    "discard", "(self, object, /)", "Remove an element if it is a member.", discard;
    "intersection_update", "(self, *others)", "Keep only members of the others.", intersection_update;
    "pop", "(self, /)", "Remove and return some element.", pop;
    "remove", "(self, object, /)", "Remove an element; KeyError if it is not a member.", remove;
    "symmetric_difference_update", "(self, other, /)", "Keep the members of exactly one of the two.", symmetric_difference_update;
    "update", "(self, *others)", "Add the members of the others.", update;
    "__ior__", "(self, value, /)", "Return self|=value.", |i, a| in_place(i, BinaryOp::BitOr, a);
    "__iand__", "(self, value, /)", "Return self&=value.", |i, a| in_place(i, BinaryOp::BitAnd, a);
    "__isub__", "(self, value, /)", "Return self-=value.", |i, a| in_place(i, BinaryOp::Sub, a);
    "__ixor__", "(self, value, /)", "Return self^=value.", |i, a| in_place(i, BinaryOp::BitXor, a);
    COPY, DIFFERENCE, INTERSECTION, IS_DISJOINT, IS_SUBSET, IS_SUPERSET, SYMMETRIC_DIFFERENCE, UNION,
    s::AND, s::RAND, s::OR, s::ROR, s::XOR, s::RXOR, s::SUB, s::RSUB, s::LT, s::LE, s::GT, s::GE, s::LEN, s::ITER, s::CONTAINS,
};

/// The members of the receiver, and whether it is frozen.
fn receiver(interp: &Interp, v: &Value, method: &str) -> PyResult<(Set, bool)> {
    match interp.plain(v) {
        Value::FrozenSet(set) => Ok(((*set).clone(), true)),
        _ => this_set(interp, v, method).map(|set| (members(&set), false)),
    }
}

fn value_of(set: Set, frozen: bool) -> Value {
    if frozen { Value::FrozenSet(Rc::new(set)) } else { Value::Set(Rc::new(RefCell::new(set))) }
}

/// The members of any iterable.
pub(crate) fn set_from(interp: &Interp, v: &Value) -> PyResult<Set> {
    match interp.plain(v) {
        Value::Set(set) => members(&set).copied(interp),
        Value::FrozenSet(set) => set.copied(interp),
        _ => {
            let mut set = Set::new();
            for item in interp.collect(v)? {
                set.add(interp, item)?;
            }
            Ok(set)
        }
    }
}

fn copy(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let (set, frozen) = receiver(interp, &this, "copy")?;
    Ok(value_of(set.copied(interp)?, frozen))
}

/// Folds an operator over the receiver and the other arguments.
fn folded(interp: &Interp, arguments: Arguments, op: BinaryOp, method: &str) -> PyResult<(Value, Set, bool)> {
    let [this, others] = arguments.take();
    let (mut set, frozen) = receiver(interp, &this, method)?;
    set = set.copied(interp)?;
    for other in interp.collect(&others)? {
        if other.is_unknown() {
            continue;
        }
        let other = set_from(interp, &other)?;
        set = interp.set_operation(op, &set, &other)?;
    }
    Ok((this, set, frozen))
}

fn union(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    folded(interp, arguments, BinaryOp::BitOr, "union").map(|(_, set, frozen)| value_of(set, frozen))
}

fn intersection(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    folded(interp, arguments, BinaryOp::BitAnd, "intersection").map(|(_, set, frozen)| value_of(set, frozen))
}

fn difference(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    folded(interp, arguments, BinaryOp::Sub, "difference").map(|(_, set, frozen)| value_of(set, frozen))
}

fn symmetric_difference(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, other] = arguments.take();
    let (set, frozen) = receiver(interp, &this, "symmetric_difference")?;
    let other = set_from(interp, &other)?;
    Ok(value_of(interp.set_operation(BinaryOp::BitXor, &set, &other)?, frozen))
}

/// Stores the folded set in the receiver.
fn update_by(interp: &Interp, arguments: Arguments, op: BinaryOp, method: &str) -> PyResult<Value> {
    let (this, set, _) = folded(interp, arguments, op, method)?;
    let old = this_set(interp, &this, method)?.replace(set);
    drop(old);
    Ok(Value::None)
}

fn update(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, others] = arguments.take();
    let set = this_set(interp, &this, "update")?;
    for other in interp.collect(&others)? {
        if other.is_unknown() {
            continue;
        }
        match interp.plain(&other) {
            Value::Set(_) | Value::FrozenSet(_) => {
                let other = set_from(interp, &other)?;
                with_set(&set, |set| set.merge(interp, &other))?;
            }
            _ => {
                let items = interp.collect(&other)?;
                with_set(&set, |set| items.into_iter().try_for_each(|item| set.add(interp, item).map(|_| ())))?;
            }
        }
    }
    Ok(Value::None)
}

fn difference_update(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    update_by(interp, arguments, BinaryOp::Sub, "difference_update")
}

fn intersection_update(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    update_by(interp, arguments, BinaryOp::BitAnd, "intersection_update")
}

fn symmetric_difference_update(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, other] = arguments.take();
    if other.is_unknown() {
        return Ok(Value::None);
    }
    let set = this_set(interp, &this, "symmetric_difference_update")?;
    let other = set_from(interp, &other)?;
    let result = interp.set_operation(BinaryOp::BitXor, &members(&set), &other)?;
    let old = set.replace(result);
    drop(old);
    Ok(Value::None)
}

fn in_place(interp: &Interp, op: BinaryOp, arguments: Arguments) -> PyResult<Value> {
    let [this, other] = arguments.take();
    let set = Value::Set(this_set(interp, &this, "__ior__")?);
    match interp.sequence_in_place(op, &set, &interp.plain(&other))? {
        Some(_) => Ok(this),
        None => Ok(Value::NotImplemented),
    }
}

fn is_disjoint(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, other] = arguments.take();
    let (set, _) = receiver(interp, &this, "isdisjoint")?;
    for item in interp.collect(&other)? {
        if set.contains(interp, &item)? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn is_within(interp: &Interp, inner: &Set, outer: &Set) -> PyResult<Value> {
    for item in inner.iter() {
        if !outer.contains(interp, item)? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn is_subset(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, other] = arguments.take();
    let (set, _) = receiver(interp, &this, "issubset")?;
    is_within(interp, &set, &set_from(interp, &other)?)
}

fn is_superset(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, other] = arguments.take();
    let (set, _) = receiver(interp, &this, "issuperset")?;
    is_within(interp, &set_from(interp, &other)?, &set)
}

fn add(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, item] = arguments.take();
    let set = this_set(interp, &this, "add")?;
    // Hashing first leaves the set alone where the item is unhashable.
    interp.hash(&item)?;
    interp.charge_bytes(size_of::<Value>() as u128)?;
    with_set(&set, |set| set.add(interp, item))?;
    Ok(Value::None)
}

fn clear(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let old = this_set(interp, &this, "clear")?.take();
    drop(old);
    Ok(Value::None)
}

fn discard(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, item] = arguments.take();
    let set = this_set(interp, &this, "discard")?;
    with_set(&set, |set| set.remove(interp, &item))?;
    Ok(Value::None)
}

fn remove(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, item] = arguments.take();
    let set = this_set(interp, &this, "remove")?;
    if with_set(&set, |set| set.remove(interp, &item))? || item.is_unknown() {
        return Ok(Value::None);
    }
    Err(interp.key_error(&item))
}

fn pop(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    let popped = this_set(interp, &this, "pop")?.borrow_mut().pop();
    popped.ok_or_else(|| interp.key_error(&Value::str("pop from an empty set")))
}

/// `set(iterable)`
fn construct_set(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable] = Call::new("set", args).positional(interp, 0)?;
    let set = match iterable {
        None => Set::new(),
        Some(unknown @ Value::Unknown(_)) => return Ok(unknown),
        Some(iterable) => set_from(interp, &iterable)?,
    };
    Ok(finish(class, &interp.types().set, value_of(set, false)))
}

/// `frozenset(iterable)`
fn construct_frozen_set(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable] = Call::new("frozenset", args).positional(interp, 0)?;
    let set = match iterable {
        None => value_of(Set::new(), true),
        Some(same @ (Value::FrozenSet(_) | Value::Unknown(_))) => same,
        Some(iterable) => value_of(set_from(interp, &iterable)?, true),
    };
    Ok(finish(class, &interp.types().frozenset, set))
}
