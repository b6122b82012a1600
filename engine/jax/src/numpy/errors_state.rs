//! `errstate`, `seterr`, `geterr`: accepted and remembered. Floating-point warnings are not printed here.

use pallas_python::class::{Class, NativeClass};
use pallas_python::interp::Interp;
use pallas_python::native::{Arguments, NativeDef};
use pallas_python::object::Object;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

const KINDS: [&str; 4] = ["divide", "over", "under", "invalid"];

/// What is done about each kind of error.
struct ErrorState(RefCell<[String; 4]>);

impl Default for ErrorState {
    fn default() -> Self {
        ErrorState(RefCell::new(["warn", "warn", "ignore", "warn"].map(String::from)))
    }
}

/// Rows of the module.
pub(super) static ROWS: &[NativeDef] = &[
    NativeDef {
        name: "seterr",
        signature: "(all=None, divide=None, over=None, under=None, invalid=None)",
        doc: "Sets how floating-point errors are handled; returns the old settings.",
        run: |interp, args| {
            let state = interp.extension::<ErrorState>();
            let before = as_dict(interp, &state.0.borrow());
            let new = changed(interp, state.0.borrow().clone(), args.values())?;
            *state.0.borrow_mut() = new;
            Ok(before)
        },
    },
    NativeDef {
        name: "geterr",
        signature: "()",
        doc: "How floating-point errors are handled.",
        run: |interp, _args| {
            let state = interp.extension::<ErrorState>();
            let now = state.0.borrow().clone();
            Ok(as_dict(interp, &now))
        },
    },
    NativeDef {
        name: "errstate",
        signature: "(*, call=None, all=None, divide=None, over=None, under=None, invalid=None)",
        doc: "How floating-point errors are handled in the body of a `with`.",
        run: |interp, args| {
            let state = interp.extension::<ErrorState>();
            let inside = changed(interp, state.0.borrow().clone(), &args.values()[1..])?;
            Ok(Value::object(Scope { inside, outside: RefCell::new(None) }))
        },
    },
];

/// `all` first, then one value per kind.
fn changed(interp: &Interp, mut state: [String; 4], values: &[Value]) -> PyResult<[String; 4]> {
    const WAYS: [&str; 6] = ["ignore", "warn", "raise", "call", "print", "log"];
    for (at, value) in values.iter().enumerate().filter(|(_, value)| !value.is_none()) {
        let way = interp.to_str(value)?;
        if !WAYS.contains(&&*way) {
            return Err(interp.value_error(format!("invalid error mode {}", interp.repr(value)?)));
        }
        match at {
            0 => state = [(); 4].map(|()| way.to_string()),
            at => state[at - 1] = way.to_string(),
        }
    }
    Ok(state)
}

fn as_dict(interp: &Interp, state: &[String; 4]) -> Value {
    interp.dict_of(KINDS.iter().zip(state).map(|(kind, way)| (*kind, Value::str(way))))
}

/// `with np.errstate(...)`
struct Scope {
    inside: [String; 4],
    outside: RefCell<Option<[String; 4]>>,
}

static SCOPE: NativeClass = NativeClass {
    name: "errstate",
    module: "numpy",
    doc: "How floating-point errors are handled in the body of a `with`.",
    methods: &[
        NativeDef { name: "__enter__", signature: "(self)", doc: "Sets the handling.", run: enter },
        NativeDef {
            name: "__exit__",
            signature: "(self, exc_type, exc_value, traceback)",
            doc: "Puts the handling back.",
            run: exit,
        },
        NativeDef {
            name: "__call__",
            signature: "(self, func)",
            doc: "As a decorator: the function itself, since no warnings are printed here.",
            run: |_interp, args| Ok(args.get(1).clone()),
        },
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Scope {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&SCOPE)
    }
}

fn enter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(scope) = args.get(0).downcast::<Scope>() {
        let state = interp.extension::<ErrorState>();
        let outside = std::mem::replace(&mut *state.0.borrow_mut(), scope.inside.clone());
        *scope.outside.borrow_mut() = Some(outside);
    }
    Ok(Value::None)
}

fn exit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if let Some(scope) = args.get(0).downcast::<Scope>()
        && let Some(outside) = scope.outside.borrow_mut().take()
    {
        *interp.extension::<ErrorState>().0.borrow_mut() = outside;
    }
    Ok(Value::None)
}
