//! `sys.stdout`, `sys.stderr`, `sys.stdin`: the host's streams as file objects.

use super::super::support::row;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Output,
    Error,
    Input,
}

struct Stream {
    kind: Kind,
}

static STREAM: NativeClass = NativeClass {
    name: "TextIOWrapper",
    module: "_io",
    doc: "A text stream.",
    methods: &[
        row("write", "(self, text, /)", "Writes text; returns how much.", write),
        row("writelines", "(self, lines, /)", "Writes several texts.", |interp, args| {
            let [this, lines] = args.take();
            for line in interp.collect(&lines)? {
                interp.call_method(&this, "write", [line])?;
            }
            Ok(Value::None)
        }),
        row("flush", "(self, /)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("close", "(self, /)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("isatty", "(self, /)", "False", |_, _| Ok(Value::Bool(false))),
        row("fileno", "(self, /)", "0, 1 or 2.", |_, args| {
            Ok(Value::int(match kind(&args) {
                Kind::Input => 0i64,
                Kind::Output => 1,
                Kind::Error => 2,
            }))
        }),
        row("readable", "(self, /)", "Whether it is standard input.", |_, args| {
            Ok(Value::Bool(kind(&args) == Kind::Input))
        }),
        row("writable", "(self, /)", "Whether it is an output.", |_, args| Ok(Value::Bool(kind(&args) != Kind::Input))),
        row("readline", "(self, size=-1, /)", "One line.", |interp, _| {
            Ok(Value::str(interp.host().read_line().map_or_else(String::new, |line| line + "\n")))
        }),
        row("read", "(self, size=-1, /)", "Everything.", |interp, _| Ok(Value::str(lines(interp).concat()))),
        row("readlines", "(self, hint=-1, /)", "Every line.", |interp, _| {
            Ok(Value::list(lines(interp).into_iter().map(Value::from).collect::<Vec<_>>()))
        }),
        row("reconfigure", "(self, **kwargs)", "Nothing to do.", |_, _| Ok(Value::None)),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

pub(super) fn all() -> [(&'static str, Value); 3] {
    [("stdin", Kind::Input), ("stdout", Kind::Output), ("stderr", Kind::Error)]
        .map(|(name, kind)| (name, Value::object(Stream { kind })))
}

fn kind(args: &Arguments) -> Kind {
    args.get(0).downcast::<Stream>().map_or(Kind::Output, |stream| stream.kind)
}

fn lines(interp: &Interp) -> Vec<String> {
    std::iter::from_fn(|| interp.host().read_line().map(|line| line + "\n")).collect()
}

fn write(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let text = match args.get(1) {
        unknown @ Value::Unknown(_) => return Ok(unknown.clone()),
        text => match super::super::support::text(text) {
            Some(text) => text,
            None => {
                return Err(interp.type_error(format!("write() argument must be str, not {}", interp.type_name(text))));
            }
        },
    };
    match kind(&args) {
        Kind::Output => interp.host().write_stdout(&text),
        Kind::Error => interp.host().write_stderr(&text),
        Kind::Input => {
            let error = interp.exception_class("io", "UnsupportedOperation", &interp.types().os_error);
            return Err(interp.error(&error, "not writable"));
        }
    }
    Ok(text.chars().count().into())
}

impl Object for Stream {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&STREAM)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "encoding" => Value::str("utf-8"),
            "errors" => Value::str("strict"),
            "closed" => Value::Bool(false),
            "mode" => Value::str(if self.kind == Kind::Input { "r" } else { "w" }),
            "name" => Value::str(match self.kind {
                Kind::Input => "<stdin>",
                Kind::Output => "<stdout>",
                Kind::Error => "<stderr>",
            }),
            _ => return Ok(None),
        }))
    }

    fn iterate(&self, _: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        let lines = lines(interp).into_iter().map(Value::from).collect();
        (self.kind == Kind::Input).then(|| Ok(super::super::support::iterator_of(lines)))
    }

    fn repr(&self, this: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let name = interp.get_attr(this, "name")?;
        Ok(Some(format!(
            "<_io.TextIOWrapper name={} mode='{}' encoding='utf-8'>",
            interp.repr(&name)?,
            if self.kind == Kind::Input { "r" } else { "w" }
        )))
    }
}

/// Writes to what `sys.stdout` or `sys.stderr` is now: the host's stream, or what the program has put in its place.
pub(in crate::library) fn write_to(interp: &Interp, stream: &str, text: &str) -> PyResult<()> {
    let target = interp.get_attr(&interp.import("sys")?, stream)?;
    if !target.is_none() {
        interp.call_method(&target, "write", [Value::str(text)])?;
    }
    Ok(())
}

/// What the program has put in the place of `sys.stdout`; `None` while that is the host's stream.
pub(crate) fn replaced_stdout(interp: &Interp) -> Option<Value> {
    let sys = interp.modules.borrow().get("sys").cloned();
    let Some(Value::Module(sys)) = sys else { return None };
    let stdout = sys.namespace.borrow().get("stdout").cloned()?;
    match stdout.downcast::<Stream>() {
        Some(stream) if stream.kind == Kind::Output => None,
        _ => Some(stdout),
    }
}
