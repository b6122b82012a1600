//! Iterators made of Rust closures.

use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

type Step = dyn FnMut(&Interp) -> PyResult<Option<Value>>;

/// An iterator whose next value a closure makes.
struct ClosureIterator {
    table: &'static NativeClass,
    /// Dropped at the end: an iterator that has ended stays so.
    step: RefCell<Option<Box<Step>>>,
}

static PLAIN: NativeClass = NativeClass {
    name: "iterator",
    module: "builtins",
    doc: "An iterator made by a standard module.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// An iterator of the class `table`; the closure gives `None` at the end.
pub(in crate::library) fn iterator(
    table: &'static NativeClass,
    step: impl FnMut(&Interp) -> PyResult<Option<Value>> + 'static,
) -> Value {
    Value::object(ClosureIterator { table, step: RefCell::new(Some(Box::new(step))) })
}

/// An iterator over values that are all there already.
pub(in crate::library) fn iterator_of(values: Vec<Value>) -> Value {
    let mut values = values.into_iter();
    iterator(&PLAIN, move |_| Ok(values.next()))
}

impl Object for ClosureIterator {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(self.table)
    }

    fn iterate(&self, this: &Value, _: &Interp) -> Option<PyResult<Value>> {
        Some(Ok(this.clone()))
    }

    fn next(&self, interp: &Interp) -> Option<PyResult<Option<Value>>> {
        let Ok(mut slot) = self.step.try_borrow_mut() else {
            // The function that an iterator calls asks the same iterator for its next value.
            return Some(Err(interp.value_error(format!("{} already executing", self.table.name))));
        };
        let Some(step) = slot.as_mut() else { return Some(Ok(None)) };
        let result = interp.charge(1).and_then(|()| step(interp));
        let ended = if matches!(result, Ok(None)) { slot.take() } else { None };
        drop(slot);
        drop(ended);
        Some(result)
    }

    fn repr(&self, this: &Value, _: &Interp) -> PyResult<Option<String>> {
        Ok(Some(format!("<{}.{} object at 0x{:x}>", self.table.module, self.table.name, super::address(this))))
    }
}
