//! `sys`: what a program asks of the interpreter that runs it. The streams are in [`streams`].

pub(super) mod hook;
mod modules;
pub(super) mod streams;

use super::support::{classes, row};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::Cell;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "sys",
    doc: "The interpreter.",
    functions: &[
        row("exit", "(status=None, /)", "Raises SystemExit.", |interp, args| {
            let status = args.get(0);
            let given = if status.is_none() { Value::tuple([]) } else { Value::tuple([status.clone()]) };
            let exit =
                interp.call_values(&Value::Class(interp.types().system_exit.clone()), interp.collect(&given)?)?;
            Err(interp.raise_value(exit, None))
        }),
        row("getrecursionlimit", "()", "How deep calls may nest.", |interp, _| {
            Ok(interp.extension::<State>().recursion_limit.get().into())
        }),
        row("setrecursionlimit", "(limit, /)", "Noted only: the evaluator keeps its own limit.", set_recursion_limit),
        row("getsizeof", "(object, default=..., /)", "The size of an object in bytes, roughly.", |interp, args| {
            let items = interp.len(args.get(0)).unwrap_or(0);
            Ok((48 + 8 * items).into())
        }),
        row("getdefaultencoding", "()", "'utf-8'", |_, _| Ok(Value::str("utf-8"))),
        row("getfilesystemencoding", "()", "'utf-8'", |_, _| Ok(Value::str("utf-8"))),
        row("intern", "(string, /)", "The string.", |_, args| Ok(args.get(0).clone())),
        row("exc_info", "()", "Class, value and traceback of the exception being handled.", exc_info),
        row("exception", "()", "The exception being handled.", |interp, _| {
            Ok(interp.handled.borrow().last().cloned().unwrap_or(Value::None))
        }),
        row(
            hook::NAME,
            "(exctype, value, traceback, /)",
            "Prints an exception. Another in its place is called with what nobody has caught.",
            |interp, args| {
                let traceback = interp.import("traceback")?;
                interp.call_method(&traceback, "print_exception", args.values().to_vec())
            },
        ),
        row("getrefcount", "(object, /)", "A number of references.", |_, _| Ok(Value::int(2i64))),
        row("gettrace", "()", "None", |_, _| Ok(Value::None)),
        row("settrace", "(function, /)", "Ignored.", |_, _| Ok(Value::None)),
        row("setswitchinterval", "(interval, /)", "Ignored.", |_, _| Ok(Value::None)),
        row("is_finalizing", "()", "False", |_, _| Ok(Value::Bool(false))),
    ],
    populate: |interp, names| {
        let mut add = |name: &str, value: Value| {
            names.insert(name.into(), value);
        };
        for (name, value) in of_program(interp) {
            add(name, value);
        }
        // Where a program that has put another there finds it again.
        if let Some(hook) = names.get(hook::NAME).cloned() {
            names.insert("__excepthook__".into(), hook);
        }
        let mut add = |name: &str, value: Value| {
            names.insert(name.into(), value);
        };
        add("version_info", version_info(interp));
        add("version", Value::str("3.11.7 (Pallas Workbench)"));
        add("hexversion", Value::int(0x030b_07f0_i64));
        add("api_version", Value::int(1013i64));
        add("copyright", Value::str(""));
        add("maxsize", Value::int(i64::MAX));
        add("maxunicode", Value::int(0x10_ffff_i64));
        add("byteorder", Value::str("little"));
        add("platform", Value::str("linux"));
        add("executable", Value::str("python3"));
        add("prefix", Value::str("/usr"));
        add("exec_prefix", Value::str("/usr"));
        add("base_prefix", Value::str("/usr"));
        add("dont_write_bytecode", Value::Bool(true));
        add("warnoptions", Value::list([]));
        add("builtin_module_names", Value::tuple(super::MODULES.iter().map(|module| Value::str(module.name))));
        add("stdlib_module_names", Value::tuple(super::MODULES.iter().map(|module| Value::str(module.name))));
        add("float_info", float_info(interp));
        add(
            "int_info",
            super::types::namespace_of(
                interp,
                [("bits_per_digit", Value::int(30i64)), ("sizeof_digit", Value::int(4i64))],
            ),
        );
        add("flags", flags(interp));
        add("implementation", implementation(interp));
        add("modules", modules::view(interp));
        for (name, stream) in streams::all() {
            add(name, stream.clone());
            add(&format!("__{name}__"), stream);
        }
    },
};

/// What of the module is the program's.
fn of_program(interp: &Interp) -> [(&'static str, Value); 3] {
    let texts = |values: Vec<String>| Value::list(values.into_iter().map(Value::from).collect::<Vec<_>>());
    let host = interp.host();
    [
        ("argv", texts(host.arguments())),
        ("orig_argv", texts(host.arguments())),
        ("path", texts([host.import_paths(), host.package_paths()].concat())),
    ]
}

impl Interp {
    /// The host knows by now which program is evaluated: an interpreter may have been made, and `sys` imported, before.
    pub fn adopt_program(&self) {
        let sys = self.modules.borrow().get("sys").cloned();
        if let Some(Value::Module(sys)) = sys {
            for (name, value) in of_program(self) {
                sys.namespace.borrow_mut().insert(name.into(), value);
            }
        }
    }
}

struct State {
    recursion_limit: Cell<usize>,
}

impl Default for State {
    fn default() -> Self {
        State { recursion_limit: Cell::new(1000) }
    }
}

fn set_recursion_limit(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let limit = interp.to_i64(args.get(0))?;
    match usize::try_from(limit) {
        Ok(limit) if limit > 0 => {
            interp.extension::<State>().recursion_limit.set(limit);
            Ok(Value::None)
        }
        _ => Err(interp.value_error("recursion limit must be greater or equal than 1")),
    }
}

/// A named tuple of the `sys` module.
fn record(interp: &Interp, name: &'static str, fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let class = super::collections::namedtuple::cached_class(interp, name, "sys", &names);
    classes::instance(&class, Value::tuple(fields.iter().map(|(_, value)| value.clone())))
}

fn version_info(interp: &Interp) -> Value {
    record(
        interp,
        "sys.version_info",
        &[
            ("major", Value::int(3i64)),
            ("minor", Value::int(11i64)),
            ("micro", Value::int(7i64)),
            ("releaselevel", Value::str("final")),
            ("serial", Value::int(0i64)),
        ],
    )
}

fn float_info(interp: &Interp) -> Value {
    record(
        interp,
        "sys.float_info",
        &[
            ("max", Value::Float(f64::MAX)),
            ("max_exp", Value::int(1024i64)),
            ("max_10_exp", Value::int(308i64)),
            ("min", Value::Float(f64::MIN_POSITIVE)),
            ("min_exp", Value::int(-1021i64)),
            ("min_10_exp", Value::int(-307i64)),
            ("dig", Value::int(15i64)),
            ("mant_dig", Value::int(53i64)),
            ("epsilon", Value::Float(f64::EPSILON)),
            ("radix", Value::int(2i64)),
            ("rounds", Value::int(1i64)),
        ],
    )
}

fn flags(interp: &Interp) -> Value {
    let names = [
        "debug",
        "inspect",
        "interactive",
        "optimize",
        "dont_write_bytecode",
        "no_user_site",
        "no_site",
        "ignore_environment",
        "verbose",
        "bytes_warning",
        "quiet",
        "hash_randomization",
        "isolated",
    ];
    super::types::namespace_of(interp, names.map(|name| (name, Value::int(0i64))))
}

fn implementation(interp: &Interp) -> Value {
    super::types::namespace_of(
        interp,
        [
            ("name", Value::str("cpython")),
            ("cache_tag", Value::str("cpython-311")),
            ("version", version_info(interp)),
            ("hexversion", Value::int(0x030b_07f0_i64)),
        ],
    )
}

fn exc_info(interp: &Interp, _: Arguments) -> PyResult<Value> {
    let handled = interp.handled.borrow().last().cloned();
    Ok(match handled {
        Some(exception) => {
            let traceback = interp.find_attr(&exception, "__traceback__")?.unwrap_or(Value::None);
            Value::tuple([Value::Class(interp.type_of(&exception)), exception, traceback])
        }
        None => Value::tuple([Value::None, Value::None, Value::None]),
    })
}
