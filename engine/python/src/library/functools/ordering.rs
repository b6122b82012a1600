//! `functools.cmp_to_key` and `functools.total_ordering`.

use super::super::support::{arguments, callable, form};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::CompareOp;
use std::rc::Rc;

static KEY: NativeClass = NativeClass {
    name: "KeyWrapper",
    module: "functools",
    doc: "A value that compares through a comparison function.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

struct Key {
    compare: Value,
    value: Value,
}

pub(super) fn cmp_to_key(_: &Interp, args: Arguments) -> PyResult<Value> {
    let [compare] = args.take();
    Ok(callable("K", move |interp, mut args| {
        let Some(value) = args.positional.pop() else {
            return Err(interp.type_error("K() missing required argument 'obj' (pos 1)"));
        };
        Ok(Value::object(Key { compare: compare.clone(), value }))
    }))
}

impl Object for Key {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&KEY)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "obj").then(|| self.value.clone()))
    }

    fn compare(&self, _: &Value, op: CompareOp, other: &Value, interp: &Interp) -> PyResult<Option<Value>> {
        let Some(other) = other.downcast::<Key>() else {
            return Err(interp.type_error("other argument must be K instance"));
        };
        let order = interp.call_values(&self.compare, [self.value.clone(), other.value.clone()])?;
        interp.compare(op, &order, &Value::int(0i64)).map(Some)
    }

    fn hash(&self, _: &Value, interp: &Interp) -> Option<PyResult<u64>> {
        Some(Err(interp.type_error("unhashable type: 'functools.KeyWrapper'")))
    }
}

/// Which methods each given method yields, and how: whether its result is negated, and whether equality is added as an
/// alternative (`or`) or as a condition (`and !=`).
#[derive(Clone, Copy)]
enum Derive {
    /// `not (a op b)`
    Not,
    /// `a op b or a == b`
    OrEqual,
    /// `not (a op b) and a != b`
    NotAndUnequal,
    /// `a op b and a != b`
    AndUnequal,
    /// `not (a op b) or a == b`
    NotOrEqual,
}

const DERIVED: [(&str, [(&str, Derive); 3]); 4] = [
    ("__gt__", [("__lt__", Derive::NotAndUnequal), ("__ge__", Derive::OrEqual), ("__le__", Derive::Not)]),
    ("__ge__", [("__le__", Derive::NotOrEqual), ("__gt__", Derive::AndUnequal), ("__lt__", Derive::Not)]),
    ("__lt__", [("__gt__", Derive::NotAndUnequal), ("__le__", Derive::OrEqual), ("__ge__", Derive::Not)]),
    ("__le__", [("__ge__", Derive::NotOrEqual), ("__lt__", Derive::AndUnequal), ("__gt__", Derive::Not)]),
];

pub(super) fn total_ordering(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [target] = args.take();
    let Value::Class(class) = &target else { return Ok(target) };
    let object = &interp.types().object;
    let defined = |name: &str| {
        class.namespace.borrow().contains_key(name)
            || class.ancestors.iter().any(|a| !Rc::ptr_eq(a, object) && a.namespace.borrow().contains_key(name))
    };
    // CPython takes the largest name of those defined: `__lt__` before `__le__` before `__gt__` before `__ge__`.
    let root = ["__lt__", "__le__", "__gt__", "__ge__"].into_iter().find(|name| defined(name));
    let Some((root, rows)) = root.and_then(|root| DERIVED.into_iter().find(|(name, _)| *name == root)) else {
        return Err(interp.value_error("must define at least one ordering operation: < > <= >="));
    };
    for (name, derive) in rows {
        if defined(name) {
            continue;
        }
        let function = callable(name, move |interp, args| {
            let [a, b] = arguments(interp, const { &form("wrapper", "(self, other)") }, args)?.take();
            let method = interp.get_attr(&Value::Class(interp.type_of(&a)), root)?;
            let result = interp.call_values(&method, [a.clone(), b.clone()])?;
            if matches!(result, Value::NotImplemented) {
                return Ok(result);
            }
            let holds = interp.truth(&result)?;
            let equal = || interp.equals(&a, &b);
            Ok(Value::Bool(match derive {
                Derive::Not => !holds,
                Derive::OrEqual => holds || equal()?,
                Derive::NotAndUnequal => !holds && !equal()?,
                Derive::AndUnequal => holds && !equal()?,
                Derive::NotOrEqual => !holds || equal()?,
            }))
        });
        class.namespace.borrow_mut().insert(name.into(), function);
    }
    Ok(target)
}
