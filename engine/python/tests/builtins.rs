//! Evaluates every expression of `tests/data/builtins.txt` and compares with what CPython 3.11 said (the file is made by
//! `tests/goldens/builtins.py`), and some expressions that CPython itself would take forever over.

use pallas_python::host::Host;
use pallas_python::{Interp, Limits, Mode, Observer, Outcome, Stop, Value};
use pallas_syntax::{FileId, SourceFile, Span};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Keeps what is printed.
#[derive(Default)]
struct Recorder {
    printed: RefCell<String>,
}

impl Host for Recorder {
    fn write_stdout(&self, text: &str) {
        self.printed.borrow_mut().push_str(text);
    }

    fn write_stderr(&self, _text: &str) {}

    fn read_line(&self) -> Option<String> {
        None
    }

    fn read_source(&self, _path: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn import_paths(&self) -> Vec<String> {
        Vec::new()
    }

    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }

    fn environment(&self, _name: &str) -> Option<String> {
        None
    }

    fn seconds(&self) -> f64 {
        0.0
    }
}

/// What a program prints, or how it failed to.
fn run(text: &str) -> String {
    let host = Rc::new(Recorder::default());
    let interp = Interp::new(host.clone(), Mode::Run, Limits::default());
    let source = Arc::new(SourceFile::new(FileId(1), "test.py", text));
    let module = pallas_syntax::parse(source);
    let ending = match interp.run_main(&module, "__main__") {
        Outcome::Finished => String::new(),
        Outcome::Exit(code, _) => format!("<exit {code}>"),
        Outcome::Raised(raise) => format!("<raised {}>", interp.exception_line(&raise.exception)),
        Outcome::Aborted(abort) => format!("<aborted {abort:?}>"),
    };
    let printed = host.printed.borrow().clone();
    printed + &ending
}

/// The last line that an expression's answer prints. What `print` itself wrote stands before it.
fn answer(expression: &str) -> String {
    let program = format!(
        "try:\n    answer = repr((\n{expression}\n))\nexcept BaseException as error:\n    answer = type(error).__name__ + ': ' + \
         str(error)\nprint('\\n' + answer.encode('ascii', 'backslashreplace').decode())\n"
    );
    let printed = run(&program);
    printed.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default().to_owned()
}

/// With addresses made equal.
fn normalised(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x7") {
        let digits = rest[at + 3..].chars().take_while(char::is_ascii_hexdigit).count();
        result.push_str(&rest[..at]);
        let end = at + 3 + digits;
        result.push_str(if digits >= 8 { "0x..." } else { &rest[at..end] });
        rest = &rest[end..];
    }
    result + rest
}

/// Runs on a stack as deep as the evaluator asks for.
fn on_deep_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(run).expect("the thread starts");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn expressions_answer_as_in_cpython() {
    on_deep_stack(|| {
        let golden = include_str!("data/builtins.txt");
        let mut wrong = Vec::new();
        let mut total = 0;
        for line in golden.lines() {
            let (expression, expected) = line.split_once('\t').expect("an expression and its answer");
            total += 1;
            let expected = normalised(expected);
            let found = normalised(&answer(expression));
            if found != expected {
                wrong.push(format!("{expression}\n    expected {expected}\n    found    {found}"));
            }
        }
        assert!(wrong.is_empty(), "{} of {total} differ:\n{}", wrong.len(), wrong.join("\n"));
    });
}

#[test]
fn classes_of_users_work_with_builtins_as_in_cpython() {
    on_deep_stack(|| {
        let found = run(include_str!("data/builtins_classes.py"));
        let expected = include_str!("data/builtins_classes.out");
        let differing: Vec<String> = found
            .lines()
            .zip(expected.lines())
            .filter(|(found, expected)| found != expected)
            .map(|(found, expected)| format!("expected {expected}\nfound    {found}"))
            .collect();
        assert!(differing.is_empty(), "{}", differing.join("\n"));
        assert_eq!(found.lines().count(), expected.lines().count(), "ends with {:?}", found.lines().last());
    });
}

/// CPython computes these for hours, or takes all memory there is.
#[test]
fn huge_results_are_refused_at_once() {
    on_deep_stack(|| {
        for expression in [
            "10**10**10",
            "2**(10**30)",
            "1 << 10**9",
            "(2**10**7)**100",
            "pow(3, 2**100000, 2**100000+1)",
            "bytes(10**18)",
            "'a' * 10**15",
            "[0] * 10**12",
            "list(range(10**18))",
            "'a'.center(10**15)",
            "f'{1:{10**15}}'",
            "'%*d' % (2**31 - 2, 1) * 100",
            "(1).to_bytes(10**15)",
        ] {
            let found = answer(expression);
            assert!(
                found.starts_with("MemoryError") || found.starts_with("OverflowError"),
                "{expression}: {found:.100}"
            );
        }
    });
}

/// Every function and method with arguments of every kind: they may raise, but they must not panic or hang.
#[test]
fn no_arguments_make_a_builtin_panic() {
    on_deep_stack(|| {
        let program = r#"
import builtins
values = [0, -1, 5, 2**70, -2**63, True, 1.5, -0.0, float('nan'), float('inf'), 2j, '', 'a', 'é{}%s', b'', b'ab', None, ...,
          [], [1, 'a'], (), (1, 2), {}, {1: 2}, {1: 2}.keys(), {1: 2}.items(), set(), {1}, frozenset([1]), range(3), range(0),
          slice(1, None, 2), int, str, len, ValueError('x'), lambda *a: a, iter([1, 2]), NotImplemented, object()]
skipped = {'exit', 'quit', 'input', 'print', 'copyright', 'credits', 'license', 'help'}
calls = 0
def attempt(function, *args, **kwargs):
    global calls
    calls += 1
    try:
        function(*args, **kwargs)
    except BaseException:
        pass
for name in dir(builtins):
    function = getattr(builtins, name)
    if name in skipped or not callable(function):
        continue
    attempt(function)
    for a in values:
        attempt(function, a)
        attempt(function, key=a)
        for b in values:
            attempt(function, a, b)
    for a in values[::5]:
        for b in values[::5]:
            for c in values[::5]:
                attempt(function, a, b, c)
few = values[::7]
for value in values:
    for name in dir(value):
        try:
            method = getattr(value, name)
        except Exception:
            continue
        if not callable(method):
            continue
        attempt(method)
        for a in values[::3]:
            attempt(method, a)
        for a in few:
            for b in few:
                attempt(method, a, b)
                attempt(method, a, b, 1)
for a in values:
    for b in values:
        for operator in (lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / b, lambda: a // b, lambda: a % b,
                         lambda: a ** b, lambda: a << b, lambda: a >> b, lambda: a & b, lambda: a | b, lambda: a ^ b,
                         lambda: a < b, lambda: a == b, lambda: a in b, lambda: a[b], lambda: a[b:], lambda: a[::b],
                         lambda: f'{a:{b}}', lambda: '%d %5.2f %r' % (a, b, a), lambda: '{0[a]} {1.b}'.format(a, b)):
            attempt(operator)
print(calls > 5000)
"#;
        assert_eq!(run(program), "True\n");
    });
}

/// Calls of builtins on what cannot be known, in analysis.
#[test]
fn unknown_arguments_raise_nothing_in_analysis() {
    struct Raised(RefCell<Vec<String>>);
    impl Observer for Raised {
        fn expression(&self, _span: Span, _value: &Value, _interp: &Interp) {}

        fn raised(&self, stop: &Stop, interp: &Interp) {
            if let Stop::Raise(raise) = stop {
                self.0.borrow_mut().push(interp.exception_line(&raise.exception));
            }
        }
    }
    let calls = [
        "len(u)",
        "abs(u)",
        "round(u)",
        "round(u, 2)",
        "round(2.5, u)",
        "pow(u, 2)",
        "pow(2, u, 3)",
        "divmod(u, 3)",
        "sum(u)",
        "sum([1, u])",
        "min(u)",
        "min(1, u)",
        "max([u, 2])",
        "sorted(u)",
        "sorted([1, u, 'a'])",
        "all(u)",
        "any([u])",
        "list(u)",
        "tuple(u)",
        "dict(u)",
        "set(u)",
        "frozenset(u)",
        "int(u)",
        "int('5', u)",
        "float(u)",
        "str(u)",
        "bool(u)",
        "bytes(u)",
        "complex(u, 1)",
        "range(u)",
        "range(0, u, 2)",
        "slice(u)",
        "list(zip(u, [1]))",
        "list(enumerate(u, u))",
        "list(map(u, [1]))",
        "list(map(str, u))",
        "list(filter(u, [1]))",
        "list(reversed(u))",
        "iter(u)",
        "next(u)",
        "isinstance(u, int)",
        "isinstance(1, u)",
        "issubclass(u, int)",
        "callable(u)",
        "getattr(u, 'x')",
        "getattr(1, u)",
        "setattr(u, 'x', 1)",
        "hasattr(u, 'x')",
        "delattr(u, 'x')",
        "vars(u)",
        "dir(u)",
        "id(u)",
        "hash(u)",
        "repr(u)",
        "ascii(u)",
        "ord(u)",
        "chr(u)",
        "bin(u)",
        "hex(u)",
        "oct(u)",
        "format(u, '>5')",
        "format(1, u)",
        "print(u, sep=u, end=u, file=u)",
        "'a'.join(u)",
        "'a'.join(['b', u])",
        "'abc'.split(u)",
        "'abc'.replace('a', u)",
        "'a'.center(u)",
        "'%d' % u",
        "'%d' % (u,)",
        "'{}'.format(u)",
        "'{:.2f}'.format(u)",
        "f'{u:>{u}}'",
        "'a'.startswith(u)",
        "'a'.encode(u)",
        "b'a'.decode(u)",
        "[1].index(u)",
        "[1].pop(u)",
        "[1].insert(u, 2)",
        "[1].remove(u)",
        "[1].extend(u)",
        "[2, 1].sort(key=u)",
        "[1][u]",
        "[1, 2][u:]",
        "{}.get(u)",
        "{}.pop(u)",
        "{1: 2}[u]",
        "{}.update(u)",
        "dict.fromkeys(u)",
        "{1}.union(u)",
        "{1}.remove(u)",
        "{1} | u",
        "{1: 2}.keys() & u",
        "(1).to_bytes(u, 'big')",
        "int.from_bytes(u, 'big')",
        "(1.5).__round__(u)",
        "range(5).index(u)",
        "slice(1, 2).indices(u)",
        "input()",
        "open('x')",
        "eval('1')",
        "ValueError(u)",
        "str(ValueError(u))",
        "u in [1]",
        "1 in u",
    ];
    on_deep_stack(move || {
        let mut wrong = Vec::new();
        for call in calls {
            let text = format!("import there_is_no_such_module as u\nresult = {call}\nprint('reached')\n");
            let host = Rc::new(Recorder::default());
            let interp = Interp::new(host.clone(), Mode::Analysis, Limits::default());
            let observer = Rc::new(Raised(RefCell::default()));
            interp.set_observer(observer.clone());
            let module = pallas_syntax::parse(Arc::new(SourceFile::new(FileId(1), "test.py", text.as_str())));
            interp.run_main(&module, "__main__");
            let raised = observer.0.borrow();
            // The import itself is reported, and nothing else.
            if raised.len() != 1 || !host.printed.borrow().ends_with("reached\n") {
                wrong.push(format!("{call}: {raised:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
