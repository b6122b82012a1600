//! `assert_raises`, as a function and as a context manager (`unittest.TestCase.assertRaises`).

use pallas_python::CallArgs;
use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::{PyResult, Stop};
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// What a block or a call must raise.
struct Expected {
    /// A class or a tuple of classes.
    class: Value,
    /// What the message must match; `None` for anything.
    pattern: Value,
    /// `cm.exception`
    exception: RefCell<Value>,
}

static CONTEXT: NativeClass = NativeClass {
    name: "_AssertRaisesContext",
    module: "unittest.case",
    doc: "A block that must raise an exception.",
    methods: &[
        NativeDef { name: "__enter__", signature: "(self)", doc: "Itself.", run: |_, args| Ok(args.get(0).clone()) },
        NativeDef {
            name: "__exit__",
            signature: "(self, exc_type, exc_value, tb)",
            doc: "Checks what was raised.",
            run: exit,
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Expected {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CONTEXT)
    }

    fn attribute_names(&self) -> Vec<&'static str> {
        vec!["exception"]
    }

    fn get_attr(&self, _this: &Value, name: &str, _interp: &Interp) -> PyResult<Option<Value>> {
        Ok((name == "exception").then(|| self.exception.borrow().clone()))
    }
}

impl Expected {
    fn name(&self, interp: &Interp) -> PyResult<String> {
        match interp.find_attr(&self.class, "__name__")? {
            Some(name) => interp.str(&name),
            None => interp.str(&self.class),
        }
    }

    /// Whether the exception is the expected one; an `AssertionError` where only its message is wrong.
    fn accepts(&self, interp: &Interp, exception: &Value) -> PyResult<bool> {
        if !interp.is_instance(exception, &self.class)? {
            return Ok(false);
        }
        *self.exception.borrow_mut() = exception.clone();
        if self.pattern.is_none() {
            return Ok(true);
        }
        let text = Value::from(interp.str(exception)?);
        let re = interp.import("re")?;
        let search = interp.get_attr(&re, "search")?;
        let found = interp.call_values(&search, [self.pattern.clone(), text.clone()])?;
        if interp.truth(&found)? {
            return Ok(true);
        }
        let (pattern, text) = (interp.str(&self.pattern)?, interp.str(&text)?);
        Err(interp.assertion_error(format!("\"{pattern}\" does not match \"{text}\"")))
    }
}

fn exit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, _class, exception, _traceback] = args.take();
    let Some(expected) = this.downcast::<Expected>() else {
        return Err(interp.type_error("__exit__ needs the context of assert_raises"));
    };
    if exception.is_none() {
        return Err(interp.assertion_error(format!("{} not raised", expected.name(interp)?)));
    }
    expected.accepts(interp, &exception).map(Value::Bool)
}

/// `assert_raises(class)` gives a context manager; with a callable, calls it.
pub(super) fn assert_raises(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, callable, positional, keywords] = args.take();
    run(
        interp,
        Expected { class, pattern: Value::None, exception: RefCell::new(Value::None) },
        callable,
        positional,
        keywords,
    )
}

/// As [`assert_raises`], for exceptions whose message matches an expression.
pub(super) fn assert_raises_regex(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [class, pattern, callable, positional, keywords] = args.take();
    run(interp, Expected { class, pattern, exception: RefCell::new(Value::None) }, callable, positional, keywords)
}

fn run(interp: &Interp, expected: Expected, callable: Value, positional: Value, keywords: Value) -> PyResult<Value> {
    if callable.is_none() {
        return Ok(Value::object(expected));
    }
    let mut args = CallArgs::positional(interp.collect(&positional)?);
    if let Value::Dict(entries) = &keywords {
        for (name, value) in entries.borrow().iter() {
            args.keywords.push((Name::from(&*interp.to_str(name)?), value.clone()));
        }
    }
    match interp.call(&callable, args) {
        Ok(_) => Err(interp.assertion_error(format!(
            "{} not raised by {}",
            expected.name(interp)?,
            interp.callable_name(&callable)
        ))),
        Err(stop) => {
            let exception = match &*stop {
                Stop::Raise(raise) => raise.exception.clone(),
                Stop::Abort(_) => return Err(stop),
            };
            if expected.accepts(interp, &exception)? { Ok(Value::None) } else { Err(stop) }
        }
    }
}
