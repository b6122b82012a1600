//! `logging`: loggers by dotted name, levels, handlers that write to a stream, `%`, `{` and `$` formats.
//! Levels and records are in [`record`]. Files and sockets are out of reach.

mod record;

use super::support::{ClassBuilder, add_class, arguments, classes, form, keywords, row, variadic};
use crate::class::{Class, Namespace};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use record::{LEVELS, level_name, level_of};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

macro_rules! at_level {
    ($name:literal, $level:literal) => {
        row(
            $name,
            "(msg, *args, **kwargs)",
            concat!("Logs with the root logger at level ", $level, "."),
            |interp, args| {
                let [message, positional, given] = args.take();
                configure_once(interp)?;
                log(interp, &root(interp)?, $level, message, positional, &given)
            },
        )
    };
}

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "logging",
    doc: "Messages with a level, to standard error.",
    functions: &[
        row("getLogger", "(name=None)", "The logger of a name; the root logger without.", |interp, args| {
            match args.get(0) {
                Value::None => root(interp),
                name => logger(interp, &interp.to_str(name)?),
            }
        }),
        row("basicConfig", "(**kwargs)", "Gives the root logger a handler, unless it has one.", basic_config),
        at_level!("debug", 10),
        at_level!("info", 20),
        at_level!("warning", 30),
        at_level!("warn", 30),
        at_level!("error", 40),
        at_level!("critical", 50),
        at_level!("fatal", 50),
        row(
            "exception",
            "(msg, *args, exc_info=True, **kwargs)",
            "Logs an error with the exception being handled.",
            |interp, args| {
                let [message, positional, _, given] = args.take();
                configure_once(interp)?;
                interp.set_item(&given, &Value::str("exc_info"), Value::Bool(true))?;
                log(interp, &root(interp)?, 40, message, positional, &given)
            },
        ),
        row("log", "(level, msg, *args, **kwargs)", "Logs with the root logger.", |interp, args| {
            let [level, message, positional, given] = args.take();
            configure_once(interp)?;
            let level = interp.to_i64(&level)?;
            log(interp, &root(interp)?, level, message, positional, &given)
        }),
        row("disable", "(level=50)", "Silences messages up to a level.", |interp, args| {
            let level = level_of(interp, args.get(0))?;
            *interp.extension::<State>().disabled.borrow_mut() = level;
            Ok(Value::None)
        }),
        row("getLevelName", "(level)", "The name of a level.", |interp, args| match args.get(0) {
            Value::Str(name) => Ok(LEVELS
                .iter()
                .find(|(known, _)| *known == &**name)
                .map_or_else(|| Value::from(format!("Level {name}")), |(_, level)| Value::int(*level))),
            level => Ok(Value::from(level_name(interp, interp.to_i64(level)?))),
        }),
        row("addLevelName", "(level, levelName)", "Names a level.", |interp, args| {
            let (level, name) = (interp.to_i64(args.get(0))?, interp.to_str(args.get(1))?.to_string());
            interp.extension::<State>().names.borrow_mut().insert(level, name);
            Ok(Value::None)
        }),
        row("captureWarnings", "(capture)", "Nothing to do.", |_, _| Ok(Value::None)),
        row("shutdown", "(handlerList=...)", "Nothing to do.", |_, _| Ok(Value::None)),
    ],
    populate: |interp, names| {
        for (name, level) in LEVELS {
            names.insert((*name).into(), Value::int(*level));
        }
        names.insert("NOTSET".into(), Value::int(0i64));
        add_class(names, &logger_class(interp));
        add_class(names, &record::formatter_class(interp));
        for class in handler_classes(interp) {
            add_class(names, &class);
        }
        for name in ["Filter", "LogRecord", "LoggerAdapter"] {
            add_class(names, &ClassBuilder::new(name, "logging", &interp.types().object).build());
        }
        if let Ok(root) = root(interp) {
            names.insert("root".into(), root);
        }
        names.insert("raiseExceptions".into(), Value::Bool(true));
    },
};

#[derive(Default)]
struct State {
    loggers: RefCell<BTreeMap<String, Value>>,
    disabled: RefCell<i64>,
    names: RefCell<BTreeMap<i64, String>>,
}

fn fields(value: &Value) -> Option<std::cell::RefMut<'_, Namespace>> {
    match value {
        Value::Instance(instance) => Some(instance.fields.borrow_mut()),
        _ => None,
    }
}

fn root(interp: &Interp) -> PyResult<Value> {
    logger(interp, "root")
}

/// The logger of a name; its parent is the nearest logger whose name is a prefix.
fn logger(interp: &Interp, name: &str) -> PyResult<Value> {
    let name = if name.is_empty() { "root" } else { name };
    let state = interp.extension::<State>();
    if let Some(known) = state.loggers.borrow().get(name) {
        return Ok(known.clone());
    }
    let value = classes::instance(&logger_class(interp), Value::Unset);
    if let Some(mut fields) = fields(&value) {
        fields.insert("name".into(), Value::str(name));
        fields.insert("level".into(), Value::int(if name == "root" { 30i64 } else { 0 }));
        fields.insert("handlers".into(), Value::list([]));
        fields.insert("filters".into(), Value::list([]));
        fields.insert("propagate".into(), Value::Bool(true));
        fields.insert("disabled".into(), Value::Bool(false));
    }
    state.loggers.borrow_mut().insert(name.to_owned(), value.clone());
    Ok(value)
}

/// The loggers that a message passes, from the named one up to the root.
fn lineage(interp: &Interp, logger_value: &Value) -> PyResult<Vec<Value>> {
    let name = interp.str(&interp.get_attr(logger_value, "name")?)?;
    let mut chain = vec![logger_value.clone()];
    if name == "root" {
        return Ok(chain);
    }
    let state = interp.extension::<State>();
    let mut prefix = name.as_str();
    while let Some(dot) = prefix.rfind('.') {
        prefix = &prefix[..dot];
        if let Some(parent) = state.loggers.borrow().get(prefix) {
            chain.push(parent.clone());
        }
    }
    chain.push(root(interp)?);
    Ok(chain)
}

fn effective_level(interp: &Interp, logger_value: &Value) -> PyResult<i64> {
    for logger in lineage(interp, logger_value)? {
        let level = interp.to_i64(&interp.get_attr(&logger, "level")?)?;
        if level != 0 {
            return Ok(level);
        }
    }
    Ok(0)
}

fn is_enabled(interp: &Interp, logger: &Value, level: i64) -> PyResult<bool> {
    Ok(level > *interp.extension::<State>().disabled.borrow() && level >= effective_level(interp, logger)?)
}

macro_rules! logger_level {
    ($name:literal, $level:literal) => {
        row($name, "(self, msg, *args, **kwargs)", concat!("Logs at level ", $level, "."), |interp, args| {
            let [this, message, positional, given] = args.take();
            log(interp, &this, $level, message, positional, &given)
        })
    };
}

const LOGGER: &[NativeDef] = &[
    logger_level!("debug", 10),
    logger_level!("info", 20),
    logger_level!("warning", 30),
    logger_level!("warn", 30),
    logger_level!("error", 40),
    logger_level!("critical", 50),
    logger_level!("fatal", 50),
    row(
        "exception",
        "(self, msg, *args, exc_info=True, **kwargs)",
        "Logs an error with the exception being handled.",
        |interp, args| {
            let [this, message, positional, _, given] = args.take();
            interp.set_item(&given, &Value::str("exc_info"), Value::Bool(true))?;
            log(interp, &this, 40, message, positional, &given)
        },
    ),
    row("log", "(self, level, msg, *args, **kwargs)", "Logs at a level.", |interp, args| {
        let [this, level, message, positional, given] = args.take();
        let level = interp.to_i64(&level)?;
        log(interp, &this, level, message, positional, &given)
    }),
    row("setLevel", "(self, level)", "Sets the least level that is logged.", |interp, args| {
        let level = level_of(interp, args.get(1))?;
        interp.set_attr(args.get(0), "level", Value::int(level))?;
        Ok(Value::None)
    }),
    row("getEffectiveLevel", "(self)", "The level, or that of the nearest parent.", |interp, args| {
        effective_level(interp, args.get(0)).map(Value::int)
    }),
    row("isEnabledFor", "(self, level)", "Whether a level is logged.", |interp, args| {
        let level = interp.to_i64(args.get(1))?;
        is_enabled(interp, args.get(0), level).map(Value::Bool)
    }),
    row("addHandler", "(self, hdlr)", "Adds a handler.", |interp, args| {
        let handlers = interp.get_attr(args.get(0), "handlers")?;
        if !interp.contains(&handlers, args.get(1))? {
            interp.call_method(&handlers, "append", [args.get(1).clone()])?;
        }
        Ok(Value::None)
    }),
    row("removeHandler", "(self, hdlr)", "Removes a handler.", |interp, args| {
        let handlers = interp.get_attr(args.get(0), "handlers")?;
        if interp.contains(&handlers, args.get(1))? {
            interp.call_method(&handlers, "remove", [args.get(1).clone()])?;
        }
        Ok(Value::None)
    }),
    row("hasHandlers", "(self)", "Whether it or a parent has a handler.", |interp, args| {
        for logger in lineage(interp, args.get(0))? {
            if interp.len(&interp.get_attr(&logger, "handlers")?)? > 0 {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }),
    row("addFilter", "(self, filter)", "Adds a filter.", |interp, args| {
        interp.call_method(&interp.get_attr(args.get(0), "filters")?, "append", [args.get(1).clone()])
    }),
    row("getChild", "(self, suffix)", "The logger of a longer name.", |interp, args| {
        let name = interp.str(&interp.get_attr(args.get(0), "name")?)?;
        let suffix = interp.to_str(args.get(1))?;
        if name == "root" { logger(interp, &suffix) } else { logger(interp, &format!("{name}.{suffix}")) }
    }),
    row("__repr__", "(self)", "<Logger name (LEVEL)>", |interp, args| {
        let this = args.get(0);
        let name = interp.str(&interp.get_attr(this, "name")?)?;
        let level = level_name(interp, effective_level(interp, this)?);
        let class = if name == "root" { "RootLogger" } else { "Logger" };
        Ok(Value::from(format!("<{class} {name} ({level})>")))
    }),
];

fn logger_class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "Logger", |interp| {
        ClassBuilder::new("Logger", "logging", &interp.types().object)
            .methods(LOGGER)
            .construct(|interp, class, args| {
                let [name, level] = arguments(interp, const { &form("__init__", "(name, level=0)") }, args)?.take();
                let value = classes::instance(class, Value::Unset);
                if let Some(mut fields) = fields(&value) {
                    fields.insert("name".into(), name);
                    fields.insert("level".into(), level);
                    fields.insert("handlers".into(), Value::list([]));
                    fields.insert("filters".into(), Value::list([]));
                    fields.insert("propagate".into(), Value::Bool(true));
                    fields.insert("disabled".into(), Value::Bool(false));
                }
                Ok(value)
            })
            .build()
    })
}

/// Hands a message to the handlers of the logger and of its parents.
fn log(interp: &Interp, logger: &Value, level: i64, message: Value, args: Value, given: &Value) -> PyResult<Value> {
    if !is_enabled(interp, logger, level)? || interp.truth(&interp.get_attr(logger, "disabled")?)? {
        return Ok(Value::None);
    }
    let record = record::make(interp, logger, level, message, variadic(&args), &keywords(given))?;
    for filter in interp.collect(&interp.get_attr(logger, "filters")?)? {
        let function = interp.find_attr(&filter, "filter")?.unwrap_or(filter);
        if !interp.truth(&interp.call_values(&function, [record.clone()])?)? {
            return Ok(Value::None);
        }
    }
    let mut found = false;
    for logger in lineage(interp, logger)? {
        for handler in interp.collect(&interp.get_attr(&logger, "handlers")?)? {
            found = true;
            if level >= interp.to_i64(&interp.get_attr(&handler, "level")?)? {
                interp.call_method(&handler, "emit", [record.clone()])?;
            }
        }
        if !interp.truth(&interp.get_attr(&logger, "propagate")?)? {
            break;
        }
    }
    if !found && level >= 30 {
        // The handler of last resort shows the message alone.
        let text = record::message_text(interp, &record)?;
        super::sys::streams::write_to(interp, "stderr", &format!("{text}\n"))?;
    }
    Ok(Value::None)
}

/// What `logging.info(...)` does first: `basicConfig()` where the root logger has no handler.
fn configure_once(interp: &Interp) -> PyResult<()> {
    let handlers = interp.get_attr(&root(interp)?, "handlers")?;
    if interp.len(&handlers)? == 0 {
        interp.call_method(&handlers, "append", [stream_handler(interp, Value::None)?])?;
    }
    Ok(())
}

fn basic_config(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let given = keywords(args.get(0));
    let option =
        |name: &str| given.iter().find(|(known, _)| &**known == name).and_then(|(_, value)| value.clone().given());
    let root = root(interp)?;
    let handlers = interp.get_attr(&root, "handlers")?;
    if let Some(force) = option("force")
        && interp.truth(&force)?
    {
        interp.call_method(&handlers, "clear", [])?;
    }
    if interp.len(&handlers)? > 0 {
        return Ok(Value::None);
    }
    if option("filename").is_some() {
        return super::os::unavailable(interp, "logging.FileHandler");
    }
    let format = option("format").map_or_else(|| Ok(record::DEFAULT.into()), |format| interp.to_str(&format))?;
    let style = option("style").unwrap_or_else(|| Value::str("%"));
    let date = option("datefmt").unwrap_or(Value::None);
    let formatter =
        interp.call_values(&Value::Class(record::formatter_class(interp)), [Value::Str(format), date, style])?;
    let new = match option("handlers") {
        Some(handlers) => interp.collect(&handlers)?,
        None => {
            let stream = option("stream").unwrap_or(Value::None);
            vec![interp.call_values(&Value::Class(stream_handler_class(interp)), [stream])?]
        }
    };
    for handler in new {
        if interp.get_attr(&handler, "formatter")?.is_none() {
            interp.set_attr(&handler, "formatter", formatter.clone())?;
        }
        interp.call_method(&handlers, "append", [handler])?;
    }
    if let Some(level) = option("level") {
        let level = level_of(interp, &level)?;
        interp.set_attr(&root, "level", Value::int(level))?;
    }
    Ok(Value::None)
}

const HANDLER: &[NativeDef] = &[
    row("__init__", "(self, level=0)", "Sets the level.", |interp, args| {
        let level = level_of(interp, args.get(1))?;
        prepare(args.get(0), level, Value::None);
        Ok(Value::None)
    }),
    row("setLevel", "(self, level)", "Sets the least level that is handled.", |interp, args| {
        let level = level_of(interp, args.get(1))?;
        interp.set_attr(args.get(0), "level", Value::int(level))?;
        Ok(Value::None)
    }),
    row("setFormatter", "(self, fmt)", "Sets the formatter.", |interp, args| {
        interp.set_attr(args.get(0), "formatter", args.get(1).clone())?;
        Ok(Value::None)
    }),
    row("addFilter", "(self, filter)", "Notes a filter.", |interp, args| {
        interp.call_method(&interp.get_attr(args.get(0), "filters")?, "append", [args.get(1).clone()])
    }),
    row("format", "(self, record)", "A record as text.", |interp, args| {
        let [this, record] = args.take();
        match interp.get_attr(&this, "formatter")? {
            Value::None => record::message_text(interp, &record).map(Value::from),
            formatter => interp.call_method(&formatter, "format", [record]),
        }
    }),
    row("handle", "(self, record)", "Emits a record.", |interp, args| {
        interp.call_method(args.get(0), "emit", [args.get(1).clone()])
    }),
    row("flush", "(self)", "Nothing to do.", |_, _| Ok(Value::None)),
    row("close", "(self)", "Nothing to do.", |_, _| Ok(Value::None)),
    row("emit", "(self, record)", "Must be implemented by subclasses.", |interp, _| {
        Err(interp.not_implemented_error("emit must be implemented by Handler subclasses"))
    }),
];

const STREAM_HANDLER: &[NativeDef] = &[
    row("__init__", "(self, stream=None)", "Notes the stream.", |_, args| {
        prepare(args.get(0), 0, args.get(1).clone());
        Ok(Value::None)
    }),
    row("emit", "(self, record)", "Writes a record.", |interp, args| {
        let [this, record] = args.take();
        let text = interp.str(&interp.call_method(&this, "format", [record])?)?;
        match interp.get_attr(&this, "stream")? {
            Value::None => super::sys::streams::write_to(interp, "stderr", &format!("{text}\n"))?,
            stream => {
                interp.call_method(&stream, "write", [Value::from(format!("{text}\n"))])?;
            }
        }
        Ok(Value::None)
    }),
];

const NULL_HANDLER: &[NativeDef] = &[row("emit", "(self, record)", "Nothing.", |_, _| Ok(Value::None))];

fn prepare(handler: &Value, level: i64, stream: Value) {
    if let Some(mut fields) = fields(handler) {
        fields.insert("level".into(), Value::int(level));
        fields.insert("formatter".into(), Value::None);
        fields.insert("filters".into(), Value::list([]));
        fields.insert("stream".into(), stream);
    }
}

fn handler_class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "logging.Handler", |interp| {
        ClassBuilder::new("Handler", "logging", &interp.types().object).methods(HANDLER).build()
    })
}

fn stream_handler_class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "StreamHandler", |interp| {
        ClassBuilder::new("StreamHandler", "logging", &handler_class(interp)).methods(STREAM_HANDLER).build()
    })
}

fn handler_classes(interp: &Interp) -> [Rc<Class>; 4] {
    let null = ClassBuilder::new("NullHandler", "logging", &handler_class(interp)).methods(NULL_HANDLER).build();
    let file = ClassBuilder::new("FileHandler", "logging", &stream_handler_class(interp))
        .attribute("__init__", super::support::native(&FILE_HANDLER, "logging"))
        .build();
    [handler_class(interp), stream_handler_class(interp), null, file]
}

static FILE_HANDLER: NativeDef =
    row("__init__", "(self, *args, **kwargs)", "Not available: files are out of reach.", |interp, _| {
        super::os::unavailable(interp, "logging.FileHandler")
    });

fn stream_handler(interp: &Interp, stream: Value) -> PyResult<Value> {
    let handler = interp.call_values(&Value::Class(stream_handler_class(interp)), [stream])?;
    let formatter =
        interp.call_values(&Value::Class(record::formatter_class(interp)), [Value::str(record::DEFAULT)])?;
    interp.set_attr(&handler, "formatter", formatter)?;
    Ok(handler)
}
