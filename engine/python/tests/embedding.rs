//! What crates that embed the evaluator rely on: positions and stacks inside natives, binding without calling, and what
//! observers see.

use crate::support::host;
use pallas_python::module::ModuleDef;
use pallas_python::{Arguments, CallArgs, Interp, Limits, Mode, NativeDef, Observer, Outcome, PyResult, Stop, Value};
use pallas_syntax::ast::Name;
use pallas_syntax::{FileId, SourceFile, Span};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What the natives of these tests have seen.
#[derive(Default)]
struct Seen {
    lines: RefCell<Vec<String>>,
}

fn text_of(interp: &Interp, span: Span) -> String {
    interp.source(span.file).map_or_else(String::new, |source| source.slice(span).to_owned())
}

fn probe(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let arguments: Vec<String> = interp
        .argument_spans()
        .unwrap_or_default()
        .into_iter()
        .map(|(name, span)| format!("{}{}", name.map_or(String::new(), |n| format!("{n}=")), text_of(interp, span)))
        .collect();
    let stack: Vec<String> =
        interp.stack().iter().map(|entry| format!("{}:{}", entry.function, text_of(interp, entry.span))).collect();
    // Calls back, then looks again: the position must be the call's own.
    if let Value::Tuple(given) = args.get(0)
        && let Some(callback) = given.first().filter(|v| interp.is_callable(v))
    {
        interp.call_values(callback, [])?;
    }
    interp.extension::<Seen>().lines.borrow_mut().push(format!(
        "{} | {} | {}",
        text_of(interp, interp.span()),
        arguments.join(", "),
        stack.join(" > ")
    ));
    Ok(Value::None)
}

fn bound(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [function, given, keywords] = args.take();
    let mut call: CallArgs = interp.call_args(&given, &keywords)?;
    call.keywords.sort_by(|(a, _), (b, _)| a.cmp(b));
    let pairs = interp.bind(&function, call)?;
    Ok(Value::tuple(pairs.into_iter().map(|(name, value)| Value::tuple([Value::name(&name), value]))))
}

static PROBE: ModuleDef = ModuleDef {
    name: "probe",
    doc: "Looks at the interpreter from inside.",
    functions: &[
        NativeDef { name: "probe", signature: "(*args, **kwargs)", doc: "Notes where it is called.", run: probe },
        NativeDef { name: "bound", signature: "(function, *args, **kwargs)", doc: "Binds a call.", run: bound },
    ],
    populate: |_, _| {},
};

struct Notes(RefCell<Vec<String>>);

impl Observer for Notes {
    fn expression(&self, span: Span, value: &Value, interp: &Interp) {
        let shown = interp.repr(value).unwrap_or_default();
        let shown = shown.split(" at 0x").next().unwrap_or_default().to_owned();
        self.0.borrow_mut().push(format!("{} -> {shown}", text_of(interp, span)));
    }

    fn raised(&self, _stop: &Stop, _interp: &Interp) {}
}

fn interp_for(text: &str, observer: Option<Rc<dyn Observer>>) -> (Rc<Interp>, String) {
    let host = host::quiet_host();
    let interp = Interp::new(host.clone(), Mode::Run, Limits::default());
    interp.register(&PROBE);
    if let Some(observer) = observer {
        interp.set_observer(observer);
    }
    let tree = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(0), "case.py", text)));
    let error = match interp.run_main(&tree, "__main__") {
        Outcome::Raised(raise) => pallas_python::traceback::render(&interp, &raise),
        _ => String::new(),
    };
    let stdout = host.stdout();
    (interp, if error.is_empty() { stdout } else { error })
}

#[test]
fn natives_know_their_call_its_arguments_and_the_stack() {
    let text = "from probe import probe\n\
                def inner(x):\n    return probe(lambda: x + 1, key=(x,\n        2), *[3])\n\
                def outer():\n    return inner(1) or inner(2)\n\
                outer()\n";
    let (interp, printed) = interp_for(text, None);
    assert_eq!(printed, "");
    let lines = interp.extension::<Seen>().lines.borrow().clone();
    let call = "probe(lambda: x + 1, key=(x,\n        2), *[3])";
    let expected = |n: u32| {
        format!("{call} | lambda: x + 1, key=(x,\n        2), [3] | <module>:outer() > outer:inner({n}) > inner:{call}")
    };
    assert_eq!(lines, [expected(1), expected(2)]);
}

#[test]
fn binding_looks_through_methods_and_partials() {
    let text = "from probe import bound, probe\n\
                import functools\n\
                class C:\n    def m(self, a, b=2, *rest, c, **more): pass\n\
                print(bound(C().m, 1, c=3))\n\
                print(bound(functools.partial(C().m, 1, c=4), 7, 8, 9, z=0))\n\
                def two(x, y): pass\n\
                try:\n    bound(two, 1)\nexcept TypeError as e:\n    print(e)\n\
                try:\n    bound(functools.partial(two, 1), 2, 3)\nexcept TypeError as e:\n    print(e)\n";
    let (_interp, printed) = interp_for(text, None);
    let expected = "(('a', 1), ('b', 2), ('rest', ()), ('c', 3), ('more', {}))\n\
                    (('a', 1), ('b', 7), ('rest', (8, 9)), ('c', 4), ('more', {'z': 0}))\n\
                    two() missing 1 required positional argument: 'y'\n\
                    two() takes 2 positional arguments but 3 were given\n";
    assert_eq!(printed, expected);
}

#[test]
fn observers_see_expressions_targets_and_parameters() {
    let notes = Rc::new(Notes(RefCell::default()));
    let text = "def f(a, b=2):\n    return a + b\nx, y = f(1), [4][0]\nx += 1\n";
    let (_interp, printed) = interp_for(text, Some(notes.clone()));
    assert_eq!(printed, "");
    let expected = [
        "f -> <function f",
        "f -> <function f",
        "a -> 1",
        "b -> 2",
        "a -> 1",
        "b -> 2",
        "a + b -> 3",
        "f(1) -> 3",
        "[4] -> [4]",
        "[4][0] -> 4",
        "f(1), [4][0] -> (3, 4)",
        "x, y -> (3, 4)",
        "x -> 3",
        "y -> 4",
        "x -> 3",
        "x -> 4",
    ];
    assert_eq!(*notes.0.borrow(), expected);
}

#[test]
fn names_of_callables_are_those_that_people_wrote() {
    let text = "import functools\ndef kernel(x): pass\n\
                class K:\n    def __call__(self, x): pass\n\
                p = functools.partial(functools.partial(kernel, 1), 2)\nm = K()\nl = lambda: 0\n";
    let (interp, printed) = interp_for(text, None);
    assert_eq!(printed, "");
    let main = interp.import("__main__").unwrap_or_else(|_| panic!("the main module is known"));
    let name = |attribute: &str| {
        let value = interp.get_attr(&main, attribute).unwrap_or(Value::None);
        (interp.callable_name(&value), interp.underlying_function(&value).map(|f| f.code.name()))
    };
    assert_eq!(name("p"), ("kernel".to_owned(), Some(Name::from("kernel"))));
    assert_eq!(name("m"), ("__call__".to_owned(), Some(Name::from("__call__"))));
    assert_eq!(name("l"), ("<lambda>".to_owned(), Some(Name::from("<lambda>"))));
}
