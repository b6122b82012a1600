//! `itertools.tee`: iterators that share what one iterator gives.

use super::super::support::iterator;
use crate::class::NativeClass;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

static TEE: NativeClass = NativeClass {
    name: "_tee",
    module: "itertools",
    doc: "One of several iterators over the same items.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

pub(super) fn tee(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [iterable, n] = args.take();
    let Ok(n) = usize::try_from(interp.to_i64(&n)?) else {
        return Err(interp.value_error("n must be >= 0"));
    };
    let source = interp.iter(&iterable)?;
    // One queue per iterator, of the items that others have read already.
    let queues: Rc<[RefCell<VecDeque<Value>>]> = (0..n).map(|_| RefCell::default()).collect();
    Ok(Value::tuple((0..n).map(|own| {
        let (source, queues) = (source.clone(), queues.clone());
        iterator(&TEE, move |interp| {
            if let Some(item) = queues[own].borrow_mut().pop_front() {
                return Ok(Some(item));
            }
            let Some(item) = interp.next(&source)? else { return Ok(None) };
            for (other, queue) in queues.iter().enumerate() {
                if other != own {
                    queue.borrow_mut().push_back(item.clone());
                }
            }
            Ok(Some(item))
        })
    })))
}
