//! Modules that a program may import but not use here: processes, threads, the network. Every use raises an error that says
//! so; in analysis it gives something unknown. Locks are the exception: with one thread they need do nothing.

use super::support::{ClassBuilder, callable, row};
use crate::class::NativeClass;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::NativeDef;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;

const NONE: &[NativeDef] = &[];

macro_rules! module {
    ($static:ident, $name:literal, $why:literal, functions $functions:expr, classes $classes:expr $(, more $more:expr)?) => {
        pub(super) static $static: ModuleDef = ModuleDef {
            name: $name,
            doc: concat!("Importable; not usable here: ", $why, "."),
            functions: NONE,
            populate: |interp, names| {
                let functions: &[&'static str] = $functions;
                for name in functions {
                    names.insert((*name).into(), refusal($name, name, $why));
                }
                let classes: &[&str] = $classes;
                for name in classes {
                    let class = ClassBuilder::new(name, $name, &interp.types().object)
                        .construct(|interp, class, _| refuse(interp, $name, &class.name, $why))
                        .build();
                    super::support::add_class(names, &class);
                }
                $(($more)(interp, names);)?
            },
        };
    };
}

fn refuse(interp: &Interp, module: &str, name: &str, why: &str) -> PyResult<Value> {
    let why = format!("{module}.{name} is not available: {why}");
    if interp.is_analysis() {
        return Ok(Value::unknown(why, Some(interp.span())));
    }
    Err(interp.error(&interp.types().os_error, why))
}

fn refusal(module: &'static str, name: &'static str, why: &'static str) -> Value {
    callable(name, move |interp, _| refuse(interp, module, name, why))
}

module!(SUBPROCESS, "subprocess", "programs run here without access to other processes",
    functions &["run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"],
    classes &["Popen", "CompletedProcess"],
    more |interp: &Interp, names: &mut crate::class::Namespace| {
        let base = interp.exception_class("subprocess", "SubprocessError", &interp.types().exception);
        for name in ["CalledProcessError", "TimeoutExpired"] {
            names.insert(name.into(), Value::Class(interp.exception_class("subprocess", name, &base)));
        }
        names.insert("SubprocessError".into(), Value::Class(base));
        for (name, value) in [("PIPE", -1i64), ("STDOUT", -2), ("DEVNULL", -3)] {
            names.insert(name.into(), Value::int(value));
        }
    }
);
module!(
    SOCKET,
    "socket",
    "programs run here without access to the network",
    functions & ["create_connection", "gethostname", "gethostbyname"],
    classes & ["socket"]
);
module!(
    PICKLE,
    "pickle",
    "values are not serialised here",
    functions & ["dumps", "loads", "dump", "load"],
    classes & ["Pickler", "Unpickler"]
);
module!(MULTIPROCESSING, "multiprocessing", "programs run here in one process",
    functions &["Process", "Pool", "Queue", "Manager", "Pipe", "get_context", "set_start_method"],
    classes &[],
    more |_: &Interp, names: &mut crate::class::Namespace| {
        names.insert("cpu_count".into(), callable("cpu_count", |_, _| Ok(Value::int(1i64))));
    }
);
module!(CONCURRENT, "concurrent", "programs run here in one thread", functions & [], classes & []);
module!(
    PROCESS,
    "concurrent.futures.process",
    "programs run here in one process",
    functions & [],
    classes & ["ProcessPoolExecutor"],
    more | interp: &Interp,
    names: &mut crate::class::Namespace | {
        let base = &interp.types().runtime_error;
        names.insert(
            "BrokenProcessPool".into(),
            Value::Class(interp.exception_class("concurrent.futures.process", "BrokenProcessPool", base)),
        );
    }
);
module!(
    ASYNCIO,
    "asyncio",
    "nothing runs asynchronously here",
    functions & ["run", "gather", "sleep", "create_task", "get_event_loop", "wait_for"],
    classes & ["Queue", "Event", "Future"]
);
module!(
    QUEUE,
    "queue",
    "programs run here in one thread",
    functions & [],
    classes & ["Queue", "LifoQueue", "PriorityQueue"]
);
module!(SIGNAL, "signal", "programs run here without signals", functions & ["signal", "alarm"], classes & []);
module!(THREADING, "threading", "programs run here in one thread",
    functions &[],
    classes &["Thread", "Timer", "Barrier"],
    more |interp: &Interp, names: &mut crate::class::Namespace| {
        for name in ["Lock", "RLock"] {
            names.insert(name.into(), Value::Class(interp.native_class(&LOCK)));
        }
        for name in ["Condition", "Semaphore", "BoundedSemaphore", "Event"] {
            names.insert(name.into(), Value::Class(interp.native_class(&LOCK)));
        }
        let local = ClassBuilder::new("local", "threading", &interp.types().object).build();
        super::support::add_class(names, &local);
        names.insert("get_ident".into(), callable("get_ident", |_, _| Ok(Value::int(1i64))));
        names.insert("active_count".into(), callable("active_count", |_, _| Ok(Value::int(1i64))));
        let main = super::types::namespace_of(interp, [("name", Value::str("MainThread")), ("ident", Value::int(1i64))]);
        for name in ["current_thread", "main_thread"] {
            let main = main.clone();
            names.insert(name.into(), callable(name, move |_, _| Ok(main.clone())));
        }
    }
);

/// A lock for one thread: always free.
struct Lock;

static LOCK: NativeClass = NativeClass {
    name: "lock",
    module: "_thread",
    doc: "A lock; with one thread there is nobody to wait for.",
    methods: &[
        row("acquire", "(self, blocking=True, timeout=-1)", "True", |_, _| Ok(Value::Bool(true))),
        row("release", "(self)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("locked", "(self)", "False", |_, _| Ok(Value::Bool(false))),
        row("wait", "(self, timeout=None)", "True", |_, _| Ok(Value::Bool(true))),
        row("set", "(self)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("clear", "(self)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("is_set", "(self)", "True", |_, _| Ok(Value::Bool(true))),
        row("notify", "(self, n=1)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("notify_all", "(self)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("__enter__", "(self)", "True", |_, _| Ok(Value::Bool(true))),
        row("__exit__", "(self, *args)", "Nothing to do.", |_, _| Ok(Value::None)),
    ],
    properties: &[],
    construct: Some(|_, _, _| Ok(Value::object(Lock))),
    instance_check: None,
};

impl Object for Lock {
    fn class(&self, interp: &Interp) -> std::rc::Rc<crate::class::Class> {
        interp.native_class(&LOCK)
    }

    fn truth(&self, _: &Value, _: &Interp) -> PyResult<Option<bool>> {
        Ok(Some(true))
    }
}
