//! `os.path`: paths as text (posixpath). What is there is known to [`super::super::files`].

use super::super::support::{row, variadic};
use super::as_path;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

pub(in crate::library) static MODULE: ModuleDef = ModuleDef {
    name: "os.path",
    doc: "Paths as text.",
    functions: &[
        row("join", "(a, *p)", "Joins paths with /.", join),
        row("basename", "(p)", "What follows the last /.", |interp, args| one(interp, &args, |path| split(path).1)),
        row("dirname", "(p)", "What precedes the last /.", |interp, args| one(interp, &args, |path| split(path).0)),
        row("split", "(p)", "What precedes and what follows the last /.", |interp, args| {
            let path = as_path(interp, args.get(0))?;
            let (head, tail) = split(&path);
            Ok(Value::tuple([Value::from(head), Value::from(tail)]))
        }),
        row("splitext", "(p)", "The path and its extension.", |interp, args| {
            let path = as_path(interp, args.get(0))?;
            let (root, extension) = split_extension(&path);
            Ok(Value::tuple([Value::str(root), Value::str(extension)]))
        }),
        row("normpath", "(path)", "Without // and . and ..", |interp, args| one(interp, &args, normalise)),
        row("abspath", "(path)", "The path from /.", |interp, args| one(interp, &args, |path| absolute(interp, path))),
        row("realpath", "(filename, *, strict=False)", "The path from /.", |interp, args| {
            one(interp, &args, |path| absolute(interp, path))
        }),
        row("normcase", "(s)", "The path.", |interp, args| one(interp, &args, str::to_owned)),
        row("expanduser", "(path)", "The path, ~ replaced.", |interp, args| {
            let path = as_path(interp, args.get(0))?;
            let home = interp.host().environment("HOME").unwrap_or_default();
            Ok(Value::from(match path.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
                _ => path,
            }))
        }),
        row("expandvars", "(path)", "The path.", |interp, args| one(interp, &args, str::to_owned)),
        row("isabs", "(s)", "Whether it begins with /.", |interp, args| {
            Ok(Value::Bool(as_path(interp, args.get(0))?.starts_with('/')))
        }),
        row("islink", "(path)", "False", |_, _| Ok(Value::Bool(false))),
        row("relpath", "(path, start='.')", "The path from another folder.", relative),
        row("commonprefix", "(m)", "The longest beginning of all.", common_prefix),
        row("commonpath", "(paths)", "The longest folder of all.", common_path),
    ],
    populate: |_, names| {
        for def in super::super::files::PATH_FUNCTIONS {
            names.insert(def.name.into(), super::super::support::native(def, "os.path"));
        }
        for (name, value) in [("sep", "/"), ("pathsep", ":"), ("curdir", "."), ("pardir", ".."), ("extsep", ".")] {
            names.insert(name.into(), Value::str(value));
        }
    },
};

fn one(interp: &Interp, args: &Arguments, function: impl Fn(&str) -> String) -> PyResult<Value> {
    let value = args.get(0);
    if value.is_unknown() {
        return Ok(value.clone());
    }
    Ok(Value::from(function(&as_path(interp, value)?)))
}

pub(in crate::library) fn join_paths<'a>(first: &str, rest: impl IntoIterator<Item = &'a str>) -> String {
    let mut path = first.to_owned();
    for part in rest {
        if part.starts_with('/') {
            path = part.to_owned();
        } else if path.is_empty() || path.ends_with('/') {
            path.push_str(part);
        } else {
            path.push('/');
            path.push_str(part);
        }
    }
    path
}

fn join(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [first, rest] = args.take();
    if let Some(unknown) = super::super::support::unknown(variadic(&rest)) {
        return Ok(unknown);
    }
    if first.is_unknown() {
        return Ok(first);
    }
    let first = as_path(interp, &first)?;
    let rest = variadic(&rest).iter().map(|part| as_path(interp, part)).collect::<PyResult<Vec<_>>>()?;
    Ok(Value::from(join_paths(&first, rest.iter().map(String::as_str))))
}

/// Head and tail at the last slash; the head without trailing slashes unless it is nothing else.
pub(in crate::library) fn split(path: &str) -> (String, String) {
    let at = path.rfind('/').map_or(0, |at| at + 1);
    let (head, tail) = path.split_at(at);
    let trimmed = head.trim_end_matches('/');
    ((if trimmed.is_empty() { head } else { trimmed }).to_owned(), tail.to_owned())
}

pub(in crate::library) fn split_extension(path: &str) -> (&str, &str) {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    match path[name..].rfind('.') {
        // Leading dots belong to the name.
        Some(dot) if path[name..name + dot].chars().any(|c| c != '.') => path.split_at(name + dot),
        _ => (path, ""),
    }
}

pub(in crate::library) fn normalise(path: &str) -> String {
    let root = if path.starts_with("//") && !path.starts_with("///") {
        "//"
    } else if path.starts_with('/') {
        "/"
    } else {
        ""
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part != ".." || (root.is_empty() && parts.last().is_none_or(|last| *last == "..")) {
            parts.push(part);
        } else {
            parts.pop();
        }
    }
    let result = format!("{root}{}", parts.join("/"));
    if result.is_empty() { ".".to_owned() } else { result }
}

fn absolute(interp: &Interp, path: &str) -> String {
    normalise(&join_paths(&super::super::files::Files::of(interp).folder(), [path]))
}

fn relative(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let path = absolute(interp, &as_path(interp, args.get(0))?);
    let start = absolute(interp, &as_path(interp, args.get(1))?);
    let parts = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let (path, start) = (parts(&path), parts(&start));
    let shared = path.iter().zip(&start).take_while(|(a, b)| a == b).count();
    let mut result = vec!["..".to_owned(); start.len() - shared];
    result.extend_from_slice(&path[shared..]);
    Ok(Value::from(if result.is_empty() { ".".to_owned() } else { result.join("/") }))
}

fn texts(interp: &Interp, args: &Arguments) -> PyResult<Vec<String>> {
    interp.collect(args.get(0))?.iter().map(|path| as_path(interp, path)).collect()
}

fn common_prefix(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let paths = texts(interp, &args)?;
    let Some(first) = paths.first() else { return Ok(Value::str("")) };
    let shared = first
        .char_indices()
        .take_while(|(at, c)| paths.iter().all(|path| path[..].get(*at..).is_some_and(|rest| rest.starts_with(*c))))
        .map(|(at, c)| at + c.len_utf8())
        .last();
    Ok(Value::str(&first[..shared.unwrap_or(0)]))
}

fn common_path(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let paths = texts(interp, &args)?;
    let Some(first) = paths.first() else { return Err(interp.value_error("commonpath() arg is an empty sequence")) };
    let absolute = first.starts_with('/');
    if paths.iter().any(|path| path.starts_with('/') != absolute) {
        return Err(interp.value_error("Can't mix absolute and relative paths"));
    }
    let parts: Vec<Vec<&str>> =
        paths.iter().map(|path| path.split('/').filter(|part| !part.is_empty() && *part != ".").collect()).collect();
    let shared =
        (0..parts[0].len()).take_while(|&at| parts.iter().all(|other| other.get(at) == Some(&parts[0][at]))).count();
    Ok(Value::from(format!("{}{}", if absolute { "/" } else { "" }, parts[0][..shared].join("/"))))
}
