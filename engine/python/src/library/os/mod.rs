//! `os`: the environment in [`environment`], paths in [`path`], files of the program in [`super::files`]. Processes, links and
//! file descriptors are out of reach: using them says so.

mod environment;
pub(super) mod path;

use super::support::{row, text};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;

macro_rules! out_of_reach {
    ($($name:literal $signature:literal;)*) => {
        &[$(row($name, $signature, "Not available: programs run here without access to files or processes.", |interp, _| {
            unavailable(interp, concat!("os.", $name))
        })),*]
    };
}

/// Functions that only raise.
const UNAVAILABLE: &[NativeDef] = out_of_reach! {
    "scandir" "(path='.')";
    "removedirs" "(name)";
    "open" "(path, flags, mode=511)";
    "lstat" "(path)";
    "link" "(src, dst)";
    "utime" "(path, times=None)";
    "truncate" "(path, length)";
    "renames" "(old, new)";
    "fdopen" "(fd, mode='r', buffering=-1)";
    "dup" "(fd, /)";
    "dup2" "(fd, fd2)";
    "close" "(fd)";
    "read" "(fd, length, /)";
    "write" "(fd, data, /)";
    "isatty" "(fd, /)";
    "waitpid" "(pid, options, /)";
    "killpg" "(pgid, signal, /)";
    "spawnv" "(mode, file, args)";
    "umask" "(mask, /)";
    "statvfs" "(path)";
    "fwalk" "(top='.')";
    "chown" "(path, uid, gid)";
    "execvp" "(file, args)";
    "startfile" "(filepath)";
    "popen" "(cmd, mode='r', buffering=-1)";
    "system" "(command)";
    "fork" "()";
    "kill" "(pid, signal, /)";
    "symlink" "(src, dst)";
    "readlink" "(path)";
    "access" "(path, mode)";
    "chmod" "(path, mode)";
    "execv" "(path, argv, /)";
    "pipe" "()";
    "urandom" "(size, /)";
};

/// Something that programs cannot do here: unknown in analysis, where Python could do it; OSError in a run.
pub(super) fn unavailable(interp: &Interp, what: &str) -> PyResult<Value> {
    let why = format!("{what}() is not available: programs run here without access to files or processes");
    if interp.is_analysis() {
        return Ok(Value::unknown(why, Some(interp.span())));
    }
    Err(interp.error(&interp.types().os_error, why))
}

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "os",
    doc: "The environment, paths, and files in memory.",
    functions: &[
        row("getenv", "(key, default=None)", "A variable of the environment.", |interp, args| {
            let [key, default] = args.take();
            Ok(environment::get(interp, &interp.to_str(&key)?).map_or(default, Value::from))
        }),
        row("putenv", "(name, value, /)", "Sets a variable, in memory.", |interp, args| {
            let [name, value] = args.take();
            environment::set(interp, &interp.to_str(&name)?, Some(interp.to_str(&value)?.to_string()));
            Ok(Value::None)
        }),
        row("unsetenv", "(name, /)", "Removes a variable, in memory.", |interp, args| {
            environment::set(interp, &interp.to_str(args.get(0))?, None);
            Ok(Value::None)
        }),
        row("getpid", "()", "1", |_, _| Ok(Value::int(1i64))),
        row("getppid", "()", "0", |_, _| Ok(Value::int(0i64))),
        row("cpu_count", "()", "1", |_, _| Ok(Value::int(1i64))),
        row("getuid", "()", "0", |_, _| Ok(Value::int(0i64))),
        row("getlogin", "()", "'user'", |_, _| Ok(Value::str("user"))),
        row("uname", "()", "Names of the system.", |interp, _| {
            Ok(super::types::namespace_of(
                interp,
                [
                    ("sysname", Value::str("Linux")),
                    ("nodename", Value::str("localhost")),
                    ("release", Value::str("")),
                    ("version", Value::str("")),
                    ("machine", Value::str("x86_64")),
                ],
            ))
        }),
        row("fspath", "(path)", "The text of a path.", fspath),
        row("fsencode", "(filename)", "The bytes of a path.", |interp, args| {
            let path = fspath(interp, args)?;
            interp.call_method(&path, "encode", [])
        }),
        row("fsdecode", "(filename)", "The text of a path.", fspath),
        row("get_terminal_size", "(fallback=...)", "(80, 24)", |interp, _| {
            let class =
                super::collections::namedtuple::cached_class(interp, "os.terminal_size", "os", &["columns", "lines"]);
            Ok(super::support::classes::instance(&class, Value::tuple([Value::int(80i64), Value::int(24i64)])))
        }),
        row("_exit", "(status)", "Ends the program.", |interp, args| {
            let status = args.get(0).clone();
            let exit = interp.call_values(&Value::Class(interp.types().system_exit.clone()), [status])?;
            Err(interp.raise_value(exit, None))
        }),
    ],
    populate: |interp, names| {
        for def in super::files::FUNCTIONS.iter().chain(UNAVAILABLE) {
            names.insert(def.name.into(), super::support::native(def, "os"));
        }
        for (name, value) in [
            ("name", "posix"),
            ("sep", "/"),
            ("linesep", "\n"),
            ("pathsep", ":"),
            ("curdir", "."),
            ("pardir", ".."),
            ("extsep", "."),
            ("devnull", "/dev/null"),
        ] {
            names.insert(name.into(), Value::str(value));
        }
        names.insert("altsep".into(), Value::None);
        names.insert("environ".into(), environment::mapping());
        names.insert("error".into(), Value::Class(interp.types().os_error.clone()));
        for (name, value) in [("O_RDONLY", 0i64), ("O_WRONLY", 1), ("O_RDWR", 2), ("F_OK", 0), ("R_OK", 4), ("W_OK", 2)]
        {
            names.insert(name.into(), Value::int(value));
        }
        if let Ok(path) = interp.import("os.path") {
            names.insert("path".into(), path);
        }
        let path_like = super::support::ClassBuilder::new("PathLike", "os", &interp.types().object).build();
        super::support::add_class(names, &path_like);
        if let Ok(sys) = interp.import("sys") {
            names.insert("sys".into(), sys);
        }
    },
};

fn fspath(interp: &Interp, args: Arguments) -> PyResult<Value> {
    as_path(interp, args.get(0)).map(Value::from)
}

/// The text of a `str` or of an object with `__fspath__`.
pub(super) fn as_path(interp: &Interp, value: &Value) -> PyResult<String> {
    if let Some(text) = text(value) {
        return Ok(text.to_string());
    }
    match interp.call_special(value, "__fspath__", [])? {
        Some(path) => Ok(interp.to_str(&path)?.to_string()),
        None => {
            Err(interp
                .type_error(format!("expected str, bytes or os.PathLike object, not {}", interp.type_name(value))))
        }
    }
}
