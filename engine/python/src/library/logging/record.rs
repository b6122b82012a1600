//! Log records, levels, and formatters.

use super::State;
use crate::class::Class;
use crate::interp::Interp;
use crate::library::support::{ClassBuilder, classes, row};
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, Name};
use std::rc::Rc;

pub(super) const LEVELS: &[(&str, i64)] = &[
    ("CRITICAL", 50),
    ("FATAL", 50),
    ("ERROR", 40),
    ("WARNING", 30),
    ("WARN", 30),
    ("INFO", 20),
    ("DEBUG", 10),
    ("NOTSET", 0),
];

/// The format of `basicConfig()`.
pub(super) const DEFAULT: &str = "%(levelname)s:%(name)s:%(message)s";

pub(super) fn level_name(interp: &Interp, level: i64) -> String {
    if let Some(name) = interp.extension::<State>().names.borrow().get(&level) {
        return name.clone();
    }
    LEVELS
        .iter()
        .find(|(_, known)| *known == level)
        .map_or_else(|| format!("Level {level}"), |(name, _)| (*name).to_owned())
}

/// A level given by number or name.
pub(super) fn level_of(interp: &Interp, value: &Value) -> PyResult<i64> {
    match value {
        Value::Str(name) => {
            let added = interp.extension::<State>();
            let added = added.names.borrow().iter().find(|(_, known)| ***known == **name).map(|(level, _)| *level);
            let known = LEVELS.iter().find(|(known, _)| *known == &**name).map(|(_, level)| *level);
            match added.or(known) {
                Some(level) => Ok(level),
                None => Err(interp.value_error(format!("Unknown level: {}", interp.repr(value)?))),
            }
        }
        Value::Int(_) | Value::Bool(_) => interp.to_i64(value),
        Value::Unknown(_) => Ok(0),
        other => Err(interp.type_error(format!("Level not an integer or a valid string: {}", interp.repr(other)?))),
    }
}

/// A record for the message of the running program.
pub(super) fn make(
    interp: &Interp,
    logger: &Value,
    level: i64,
    message: Value,
    args: &[Value],
    given: &[(Name, Value)],
) -> PyResult<Value> {
    let span = interp.span();
    let source = interp.source(span.file);
    let path = source.as_ref().map_or_else(String::new, |source| source.path.to_string());
    let line = source.as_ref().map_or(0, |source| source.line_of(span.start) as usize);
    let file = super::super::os::path::split(&path).1;
    let module = super::super::os::path::split_extension(&file).0.to_owned();
    let function = interp.stack().last().map_or_else(|| "<module>".to_owned(), |entry| entry.function.to_string());
    let option = |name: &str| given.iter().find(|(known, _)| &**known == name).map(|(_, value)| value.clone());
    let exception = match option("exc_info") {
        None | Some(Value::None | Value::Bool(false)) => Value::None,
        Some(Value::Bool(true)) => interp.handled.borrow().last().cloned().unwrap_or(Value::None),
        Some(other) => other,
    };
    // One dict as the only argument serves `%(name)s` in the message.
    let args = match args {
        [only @ Value::Dict(_)] => only.clone(),
        args => Value::tuple(args.iter().cloned()),
    };
    let now = interp.host().seconds();
    let record = super::super::types::namespace_of(
        interp,
        [
            ("name", interp.get_attr(logger, "name")?),
            ("msg", message),
            ("args", args),
            ("levelname", Value::from(level_name(interp, level))),
            ("levelno", Value::int(level)),
            ("pathname", Value::from(path)),
            ("filename", Value::from(file)),
            ("module", Value::from(module)),
            ("exc_info", exception),
            ("exc_text", Value::None),
            ("stack_info", Value::None),
            ("lineno", line.into()),
            ("funcName", Value::from(function)),
            ("created", Value::Float(now)),
            ("msecs", Value::Float((now.fract() * 1000.0).trunc())),
            ("relativeCreated", Value::Float(0.0)),
            ("thread", Value::int(1i64)),
            ("threadName", Value::str("MainThread")),
            ("processName", Value::str("MainProcess")),
            ("process", Value::int(1i64)),
        ],
    );
    if let Some(extra) = option("extra")
        && !extra.is_none()
    {
        for (name, value) in super::super::support::entries(interp, &extra)? {
            interp.set_attr(&record, &interp.to_str(&name)?, value)?;
        }
    }
    interp.set_attr(&record, "getMessage", getter(&record))?;
    Ok(record)
}

/// `record.getMessage`, which keeps what it needs so that the record does not hold itself.
fn getter(record: &Value) -> Value {
    let parts = match record {
        Value::Instance(instance) => {
            let fields = instance.fields.borrow();
            (fields.get("msg").cloned(), fields.get("args").cloned())
        }
        _ => (None, None),
    };
    super::super::support::callable("getMessage", move |interp, _| {
        format_message(interp, parts.0.as_ref(), parts.1.as_ref()).map(Value::from)
    })
}

fn format_message(interp: &Interp, message: Option<&Value>, args: Option<&Value>) -> PyResult<String> {
    let message = Value::from(message.map_or_else(|| Ok(String::new()), |message| interp.str(message))?);
    match args {
        Some(args) if interp.truth(args)? => interp.str(&interp.binary(BinaryOp::Mod, &message, args)?),
        _ => interp.str(&message),
    }
}

/// The message with its arguments filled in.
pub(super) fn message_text(interp: &Interp, record: &Value) -> PyResult<String> {
    format_message(interp, Some(&interp.get_attr(record, "msg")?), Some(&interp.get_attr(record, "args")?))
}

const FORMATTER: &[NativeDef] = &[
    row(
        "__init__",
        "(self, fmt=None, datefmt=None, style='%', validate=True, *, defaults=None)",
        "Notes the format.",
        |interp, args| {
            let [this, format, date, style, _, _] = args.take();
            interp.set_attr(&this, "_fmt", format.given().unwrap_or_else(|| Value::str("%(message)s")))?;
            interp.set_attr(&this, "datefmt", date)?;
            interp.set_attr(&this, "_style", style)?;
            Ok(Value::None)
        },
    ),
    row("format", "(self, record)", "A record as text.", format_record),
    row("formatTime", "(self, record, datefmt=None)", "The time of a record.", |interp, args| {
        let [_, record, date] = args.take();
        time_text(interp, &record, &date).map(Value::from)
    }),
    row("formatException", "(self, ei)", "An exception as text.", |interp, args| {
        exception_text(interp, args.get(1)).map(Value::from)
    }),
    row("formatMessage", "(self, record)", "The message of a record.", |interp, args| {
        message_text(interp, args.get(1)).map(Value::from)
    }),
];

pub(super) fn formatter_class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "Formatter", |interp| {
        ClassBuilder::new("Formatter", "logging", &interp.types().object).methods(FORMATTER).build()
    })
}

fn time_text(interp: &Interp, record: &Value, date: &Value) -> PyResult<String> {
    let created = interp.to_f64(&interp.get_attr(record, "created")?)?;
    let parts = super::super::time::parts_of(created);
    Ok(match date {
        Value::Str(format) => super::super::time::format_time(format, &parts),
        _ => {
            let milliseconds = (created.fract() * 1000.0) as i64;
            format!("{},{milliseconds:03}", super::super::time::format_time("%Y-%m-%d %H:%M:%S", &parts))
        }
    })
}

fn exception_text(interp: &Interp, exception: &Value) -> PyResult<String> {
    let exception = match exception {
        Value::Tuple(parts) => parts.get(1).cloned().unwrap_or(Value::None),
        other => other.clone(),
    };
    let format = interp.get_attr(&interp.import("traceback")?, "format_exception")?;
    let lines = interp.call_values(&format, [exception])?;
    let mut text = String::new();
    for line in interp.collect(&lines)? {
        text.push_str(&interp.str(&line)?);
    }
    Ok(text.trim_end_matches('\n').to_owned())
}

fn format_record(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, record] = args.take();
    let message = message_text(interp, &record)?;
    interp.set_attr(&record, "message", Value::from(message))?;
    let date = interp.get_attr(&this, "datefmt")?;
    let time = interp.call_method(&this, "formatTime", [record.clone(), date])?;
    interp.set_attr(&record, "asctime", time)?;
    let format = interp.get_attr(&this, "_fmt")?;
    let names = match &record {
        Value::Instance(instance) => {
            interp.dict_of(instance.fields.borrow().iter().map(|(name, value)| (name.clone(), value.clone())))
        }
        _ => super::super::support::dict(),
    };
    let style = interp.str(&interp.get_attr(&this, "_style")?)?;
    let mut text = match style.as_str() {
        "{" => interp.str(&interp.call_method(&format, "format_map", [names])?)?,
        "$" => {
            let template = interp.get_attr(&interp.import("string")?, "Template")?;
            let template = interp.call_values(&template, [format])?;
            interp.str(&interp.call_method(&template, "substitute", [names])?)?
        }
        _ => interp.str(&interp.binary(BinaryOp::Mod, &format, &names)?)?,
    };
    let exception = interp.get_attr(&record, "exc_info")?;
    if !exception.is_none() {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&exception_text(interp, &exception)?);
    }
    Ok(Value::from(text))
}
