//! `itertools.groupby`: runs of items with equal keys. The groups share the underlying iterator.

use super::super::support::{arguments, form, iterator};
use super::iterator_class;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) static CLASSES: &[&NativeClass] = &[&GROUPBY];

iterator_class!(GROUPBY, "groupby", "groupby(iterable, key=None): runs of items with equal keys.", group_by);
static GROUPER: NativeClass = NativeClass {
    name: "_grouper",
    module: "itertools",
    doc: "The items of one group.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

struct State {
    source: Value,
    key: Value,
    /// The item read last, with its key, if no group has given it out yet.
    current: Option<(Value, Value)>,
    /// The key of the group being given out.
    target: Option<Value>,
    /// Counts groups; a group that is no longer the newest is empty.
    group: usize,
    done: bool,
}

impl State {
    fn advance(&mut self, interp: &Interp) -> PyResult<bool> {
        match interp.next(&self.source)? {
            Some(item) => {
                let key =
                    if self.key.is_none() { item.clone() } else { interp.call_values(&self.key, [item.clone()])? };
                self.current = Some((key, item));
                Ok(true)
            }
            None => {
                self.current = None;
                self.done = true;
                Ok(false)
            }
        }
    }
}

fn group_by(interp: &Interp, _: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [iterable, key] = arguments(interp, const { &form("groupby", "(iterable, key=None)") }, args)?.take();
    let state = Rc::new(RefCell::new(State {
        source: interp.iter(&iterable)?,
        key,
        current: None,
        target: None,
        group: 0,
        done: false,
    }));
    Ok(iterator(&GROUPBY, move |interp| {
        let Ok(mut this) = state.try_borrow_mut() else {
            return Err(interp.value_error("groupby already executing"));
        };
        this.group += 1;
        // Skip what is left of the group before.
        loop {
            match (&this.current, &this.target) {
                (Some((key, _)), Some(target)) if interp.equals(key, target)? => {}
                (Some(_), _) => break,
                (None, _) => {}
            }
            if this.done || !this.advance(interp)? {
                return Ok(None);
            }
        }
        let key = this.current.as_ref().map_or(Value::None, |(key, _)| key.clone());
        this.target = Some(key.clone());
        let (shared, id) = (state.clone(), this.group);
        drop(this);
        let group = iterator(&GROUPER, move |interp| {
            let Ok(mut this) = shared.try_borrow_mut() else {
                return Err(interp.value_error("groupby already executing"));
            };
            if this.group != id {
                return Ok(None);
            }
            if this.current.is_none() && (this.done || !this.advance(interp)?) {
                return Ok(None);
            }
            let same = match (&this.current, &this.target) {
                (Some((key, _)), Some(target)) => interp.equals(key, target)?,
                _ => false,
            };
            Ok(if same { this.current.take().map(|(_, item)| item) } else { None })
        });
        Ok(Some(Value::tuple([key, group])))
    }))
}
