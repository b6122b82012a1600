//! `re`: regular expressions over text. Parsed in [`parse`], matched by backtracking in [`program`]; the Python objects
//! are in [`pattern`] and [`matched`]. Patterns over bytes are not offered.

mod matched;
mod parse;
mod pattern;
mod program;
mod tree;

use super::support::{row, text};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::collections::HashMap;

macro_rules! on_pattern {
    ($name:literal, $signature:literal, $method:literal, $count:literal, $doc:literal) => {
        row($name, $signature, $doc, |interp, args| {
            let values: [Value; $count] = args.take();
            let flags = interp.to_i64(&values[$count - 1])?;
            let pattern = compile(interp, &values[0], flags)?;
            interp.call_method(&pattern, $method, values[1..$count - 1].iter().cloned())
        })
    };
}

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "re",
    doc: "Regular expressions.",
    functions: &[
        row("compile", "(pattern, flags=0)", "A pattern, ready for use.", |interp, args| {
            let flags = interp.to_i64(args.get(1))?;
            compile(interp, args.get(0), flags)
        }),
        on_pattern!("match", "(pattern, string, flags=0)", "match", 3, "A match at the beginning, or None."),
        on_pattern!("fullmatch", "(pattern, string, flags=0)", "fullmatch", 3, "A match of everything, or None."),
        on_pattern!("search", "(pattern, string, flags=0)", "search", 3, "The first match, or None."),
        on_pattern!("findall", "(pattern, string, flags=0)", "findall", 3, "Every match as text or tuple of groups."),
        on_pattern!("finditer", "(pattern, string, flags=0)", "finditer", 3, "Every match."),
        on_pattern!("split", "(pattern, string, maxsplit=0, flags=0)", "split", 4, "The text between matches."),
        on_pattern!("sub", "(pattern, repl, string, count=0, flags=0)", "sub", 5, "The text with matches replaced."),
        on_pattern!(
            "subn",
            "(pattern, repl, string, count=0, flags=0)",
            "subn",
            5,
            "The text with matches replaced, and how many."
        ),
        row("escape", "(pattern)", "The text with special characters escaped.", escape),
        row("purge", "()", "Forgets compiled patterns.", |interp, _| {
            interp.extension::<Cache>().patterns.borrow_mut().clear();
            Ok(Value::None)
        }),
    ],
    populate: |interp, names| {
        for (short, long, value) in [
            ("A", "ASCII", parse::ASCII),
            ("I", "IGNORECASE", parse::IGNORECASE),
            ("L", "LOCALE", 4),
            ("M", "MULTILINE", parse::MULTILINE),
            ("S", "DOTALL", parse::DOTALL),
            ("U", "UNICODE", parse::UNICODE),
            ("X", "VERBOSE", parse::VERBOSE),
        ] {
            names.insert(short.into(), Value::int(value));
            names.insert(long.into(), Value::int(value));
        }
        names.insert("NOFLAG".into(), Value::int(0i64));
        names.insert("RegexFlag".into(), Value::Class(interp.types().int.clone()));
        names.insert("error".into(), Value::Class(error_class(interp)));
        super::support::add_class(names, &interp.native_class(&pattern::PATTERN));
        super::support::add_class(names, &interp.native_class(&matched::MATCH));
    },
};

#[derive(Default)]
struct Cache {
    patterns: RefCell<HashMap<(String, i64), Value>>,
}

/// Patterns remembered before all are forgotten, as in CPython.
const REMEMBERED: usize = 512;

fn error_class(interp: &Interp) -> std::rc::Rc<crate::class::Class> {
    interp.exception_class("re", "error", &interp.types().exception)
}

fn compile(interp: &Interp, value: &Value, flags: i64) -> PyResult<Value> {
    if value.downcast::<pattern::Pattern>().is_some() || value.is_unknown() {
        if flags != 0 && !value.is_unknown() {
            return Err(interp.value_error("cannot process flags argument with a compiled pattern"));
        }
        return Ok(value.clone());
    }
    let Some(source) = text(value) else {
        let message = match value {
            Value::Bytes(_) => "patterns over bytes are not available here",
            _ => "first argument must be string or compiled pattern",
        };
        return Err(interp.type_error(message));
    };
    let cache = interp.extension::<Cache>();
    let key = (source.to_string(), flags);
    if let Some(pattern) = cache.patterns.borrow().get(&key) {
        return Ok(pattern.clone());
    }
    let pattern = pattern::Pattern::compile(interp, source, flags)?;
    let mut patterns = cache.patterns.borrow_mut();
    if patterns.len() >= REMEMBERED {
        patterns.clear();
    }
    patterns.insert(key, pattern.clone());
    Ok(pattern)
}

fn escape(interp: &Interp, args: Arguments) -> PyResult<Value> {
    const SPECIAL: &str = "()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c";
    let source = interp.to_str(args.get(0))?;
    let mut result = String::new();
    for c in source.chars() {
        if SPECIAL.contains(c) {
            result.push('\\');
        }
        result.push(c);
    }
    Ok(Value::from(result))
}

/// Whether `source` matches at the beginning of `subject`, without regard to case: for filters of warnings.
pub(super) fn matches_start(interp: &Interp, source: &str, subject: &str) -> PyResult<bool> {
    let pattern = compile(interp, &Value::str(source), parse::IGNORECASE)?;
    Ok(!interp.call_method(&pattern, "match", [Value::str(subject)])?.is_none())
}
