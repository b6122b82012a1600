//! `contextlib`: context managers made of generators in [`generator`], stacks of them in [`stack`], and the small ones.

mod generator;
mod stack;

use super::support::{add_class, arguments, classes, form, row, variadic};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "contextlib",
    doc: "Tools for with statements.",
    functions: &[
        row("contextmanager", "(func)", "A context manager made of a generator function.", generator::context_manager),
        row("asynccontextmanager", "(func)", "func, unchanged: nothing here is asynchronous.", |_, args| {
            Ok(args.get(0).clone())
        }),
    ],
    populate: |interp, names| {
        for table in [&SUPPRESS, &NULL_CONTEXT, &CLOSING, &REDIRECT_STDOUT, &REDIRECT_STDERR, &stack::EXIT_STACK] {
            add_class(names, &interp.native_class(table));
        }
        add_class(names, &interp.native_class(&CONTEXT_DECORATOR));
        add_class(names, &interp.native_class(&ABSTRACT));
        names.insert("AbstractAsyncContextManager".into(), Value::Class(interp.native_class(&ABSTRACT)));
        names.insert("AsyncExitStack".into(), Value::Class(interp.native_class(&stack::EXIT_STACK)));
    },
};

/// Enters a context manager.
fn enter(interp: &Interp, manager: &Value) -> PyResult<Value> {
    match interp.call_special(manager, "__enter__", [])? {
        Some(value) => Ok(value),
        None => Err(interp.type_error(format!(
            "'{}' object does not support the context manager protocol",
            interp.type_of(manager).qualified_name
        ))),
    }
}

/// What every small manager is: a kind and a value.
struct Manager {
    table: &'static NativeClass,
    value: Value,
    /// What was there before, while entered.
    before: std::cell::RefCell<Vec<Value>>,
}

impl Object for Manager {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(self.table)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(match name {
            "enter_result" if std::ptr::eq(self.table, &NULL_CONTEXT) => Some(self.value.clone()),
            "thing" if std::ptr::eq(self.table, &CLOSING) => Some(self.value.clone()),
            _ => None,
        })
    }
}

fn manager(table: &'static NativeClass, value: Value) -> Value {
    Value::object(Manager { table, value, before: std::cell::RefCell::default() })
}

fn held(args: &Arguments) -> Value {
    args.get(0).downcast::<Manager>().map_or(Value::None, |manager| manager.value.clone())
}

const EXIT: &str = "(self, exc_type, exc_value, traceback, /)";

const fn table(
    name: &'static str,
    doc: &'static str,
    methods: &'static [NativeDef],
    construct: Option<crate::class::ConstructFn>,
) -> NativeClass {
    NativeClass { name, module: "contextlib", doc, methods, properties: &[], construct, instance_check: None }
}

static SUPPRESS: NativeClass = table(
    "suppress",
    "suppress(*exceptions): swallows exceptions of these classes.",
    &[
        row("__enter__", "(self)", "Nothing.", |_, _| Ok(Value::None)),
        row("__exit__", EXIT, "Whether the exception is one of them.", |_, args| {
            let Value::Class(class) = args.get(1) else { return Ok(Value::Bool(false)) };
            let classes = held(&args);
            let caught =
                variadic(&classes).iter().any(|known| matches!(known, Value::Class(known) if class.is_subclass(known)));
            Ok(Value::Bool(caught))
        }),
    ],
    Some(|_, _, args| Ok(manager(&SUPPRESS, Value::tuple(args.positional)))),
);

static NULL_CONTEXT: NativeClass = table(
    "nullcontext",
    "nullcontext(enter_result=None): does nothing.",
    &[
        row("__enter__", "(self)", "enter_result.", |_, args| Ok(held(&args))),
        row("__exit__", EXIT, "Nothing.", |_, _| Ok(Value::None)),
    ],
    Some(|interp, _, args| {
        let [value] = arguments(interp, const { &form("__init__", "(enter_result=None)") }, args)?.take();
        Ok(manager(&NULL_CONTEXT, value))
    }),
);

static CLOSING: NativeClass = table(
    "closing",
    "closing(thing): calls thing.close() at the end.",
    &[
        row("__enter__", "(self)", "thing.", |_, args| Ok(held(&args))),
        row("__exit__", EXIT, "Closes it.", |interp, args| {
            interp.call_method(&held(&args), "close", [])?;
            Ok(Value::None)
        }),
    ],
    Some(|interp, _, args| {
        let [value] = arguments(interp, const { &form("__init__", "(thing)") }, args)?.take();
        Ok(manager(&CLOSING, value))
    }),
);

macro_rules! redirect {
    ($table:ident, $name:literal, $stream:literal) => {
        static $table: NativeClass = table(
            $name,
            concat!($name, "(new_target): sends sys.", $stream, " elsewhere."),
            &[
                row("__enter__", "(self)", "The new target.", |interp, args| redirect(interp, &args, $stream)),
                row("__exit__", EXIT, "Puts the old one back.", |interp, args| restore(interp, &args, $stream)),
            ],
            Some(|interp, _, args| {
                let [value] = arguments(interp, const { &form("__init__", "(new_target)") }, args)?.take();
                Ok(manager(&$table, value))
            }),
        );
    };
}

redirect!(REDIRECT_STDOUT, "redirect_stdout", "stdout");
redirect!(REDIRECT_STDERR, "redirect_stderr", "stderr");

fn redirect(interp: &Interp, args: &Arguments, stream: &str) -> PyResult<Value> {
    let target = held(args);
    let sys = interp.import("sys")?;
    let before = interp.get_attr(&sys, stream)?;
    if let Some(manager) = args.get(0).downcast::<Manager>() {
        manager.before.borrow_mut().push(before);
    }
    interp.set_attr(&sys, stream, target.clone())?;
    Ok(target)
}

fn restore(interp: &Interp, args: &Arguments, stream: &str) -> PyResult<Value> {
    let before = args.get(0).downcast::<Manager>().and_then(|manager| manager.before.borrow_mut().pop());
    if let Some(before) = before {
        interp.set_attr(&interp.import("sys")?, stream, before)?;
    }
    Ok(Value::None)
}

static CONTEXT_DECORATOR: NativeClass = table(
    "ContextDecorator",
    "A base class that lets context managers decorate functions.",
    &[row("__call__", "(self, func)", "func, run inside the context.", |interp, args| {
        let [this, function] = args.take();
        let wrapped = function.clone();
        let inner = super::support::callable(&super::support::name_of(interp, &function), move |interp, call| {
            inside(interp, &this, |interp| interp.call(&function, call.clone()))
        });
        super::functools::copy_metadata(interp, &inner, &wrapped)?;
        Ok(inner)
    })],
    None,
);

/// Runs `body` inside a context manager, as `with` does.
fn inside(interp: &Interp, manager: &Value, body: impl Fn(&Interp) -> PyResult<Value>) -> PyResult<Value> {
    enter(interp, manager)?;
    let result = body(interp);
    stack::leave(interp, manager, result)
}

static ABSTRACT: NativeClass = table(
    "AbstractContextManager",
    "A base class of context managers.",
    &[
        row("__enter__", "(self)", "Itself.", |_, args| Ok(args.get(0).clone())),
        row("__exit__", EXIT, "Nothing.", |_, _| Ok(Value::None)),
    ],
    Some(|_, class, _| Ok(classes::instance(class, Value::Unset))),
);
