//! `contextlib.ExitStack`, and how a native leaves a context manager.

use super::super::support::row;
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) static EXIT_STACK: NativeClass = NativeClass {
    name: "ExitStack",
    module: "contextlib",
    doc: "ExitStack(): leaves any number of context managers in reverse order.",
    methods: &[
        row("enter_context", "(self, cm)", "Enters cm, and leaves it at the end.", |interp, args| {
            let [this, manager] = args.take();
            let result = super::enter(interp, &manager)?;
            push(&this, Entry::Manager(manager));
            Ok(result)
        }),
        row(
            "push",
            "(self, exit)",
            "Leaves a context manager, or calls a function as __exit__, at the end.",
            |interp, args| {
                let [this, exit] = args.take();
                let is_manager = interp.type_of(&exit).lookup("__exit__").is_some();
                push(&this, if is_manager { Entry::Manager(exit.clone()) } else { Entry::Exit(exit.clone()) });
                Ok(exit)
            },
        ),
        row("callback", "(self, callback, /, *args, **kwds)", "Calls a function at the end.", |interp, args| {
            let [this, function, positional, keywords] = args.take();
            let call = interp.call_args(&positional, &keywords)?;
            push(&this, Entry::Callback(function.clone(), Box::new(call)));
            Ok(function)
        }),
        row("pop_all", "(self)", "A new stack with everything; this one is empty then.", |_, args| {
            let entries = args.get(0).downcast::<ExitStack>().map(|stack| stack.entries.take()).unwrap_or_default();
            Ok(Value::object(ExitStack { entries: RefCell::new(entries) }))
        }),
        row("close", "(self)", "Leaves everything now.", |interp, args| {
            unwind(interp, args.get(0), Ok(Value::None)).map(|_| Value::None)
        }),
        row("__enter__", "(self)", "Itself.", |_, args| Ok(args.get(0).clone())),
        row("__exit__", "(self, exc_type, exc_value, traceback, /)", "Leaves everything.", exit),
    ],
    properties: &[],
    construct: Some(|_, _, _| Ok(Value::object(ExitStack { entries: RefCell::default() }))),
    instance_check: None,
};

enum Entry {
    Manager(Value),
    /// Called as `__exit__`.
    Exit(Value),
    Callback(Value, Box<CallArgs>),
}

struct ExitStack {
    entries: RefCell<Vec<Entry>>,
}

impl Object for ExitStack {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&EXIT_STACK)
    }
}

fn push(this: &Value, entry: Entry) {
    if let Some(stack) = this.downcast::<ExitStack>() {
        stack.entries.borrow_mut().push(entry);
    }
}

/// Calls `__exit__` with what `result` holds; an exception that it swallows becomes `None`.
pub(super) fn leave(interp: &Interp, manager: &Value, result: PyResult<Value>) -> PyResult<Value> {
    exit_with(interp, result, |interp, args| Ok(interp.call_special(manager, "__exit__", args)?.unwrap_or(Value::None)))
}

fn exit_with(
    interp: &Interp,
    result: PyResult<Value>,
    exit: impl FnOnce(&Interp, [Value; 3]) -> PyResult<Value>,
) -> PyResult<Value> {
    let stop = match result {
        Ok(value) => {
            exit(interp, [Value::None, Value::None, Value::None])?;
            return Ok(value);
        }
        Err(stop) => stop,
    };
    let Stop::Raise(raise) = &*stop else { return Err(stop) };
    let exception = raise.exception.clone();
    let traceback = interp.find_attr(&exception, "__traceback__")?.unwrap_or(Value::None);
    let class = Value::Class(interp.type_of(&exception));
    let swallowed = exit(interp, [class, exception, traceback])?;
    if interp.truth(&swallowed)? { Ok(Value::None) } else { Err(stop) }
}

/// Leaves every entry, the last first, handing on what the one before it made of the exception.
fn unwind(interp: &Interp, this: &Value, result: PyResult<Value>) -> PyResult<Value> {
    let Some(stack) = this.downcast::<ExitStack>() else { return result };
    let mut result = result;
    loop {
        let entry = stack.entries.borrow_mut().pop();
        result = match entry {
            None => return result,
            Some(Entry::Manager(manager)) => leave(interp, &manager, result),
            Some(Entry::Exit(function)) => {
                exit_with(interp, result, |interp, args| interp.call_values(&function, args))
            }
            Some(Entry::Callback(function, args)) => match interp.call(&function, *args) {
                Ok(_) => result,
                Err(stop) => Err(stop),
            },
        };
    }
}

fn exit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, class, value, _] = args.take();
    if class.is_none() {
        unwind(interp, &this, Ok(Value::None))?;
        return Ok(Value::Bool(false));
    }
    let stop = interp.raise_value(value.clone(), None);
    match unwind(interp, &this, Err(stop)) {
        Ok(_) => Ok(Value::Bool(true)),
        Err(stop) => match &*stop {
            // Still the same exception: the with statement raises it again itself.
            Stop::Raise(raise) if interp.identical(&raise.exception, &value) => Ok(Value::Bool(false)),
            _ => Err(stop),
        },
    }
}
