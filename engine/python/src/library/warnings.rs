//! `warnings`: shown on standard error as Python shows them, filtered as Python filters them.

use super::support::{row, text};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "warnings",
    doc: "Warnings on standard error.",
    functions: &[
        row("warn", "(message, category=None, stacklevel=1, source=None)", "Issues a warning, or raises it.", warn),
        row(
            "warn_explicit",
            "(message, category, filename, lineno, module=None, registry=None)",
            "Issues a warning for a place.",
            |interp, args| {
                let [message, category, file, line, ..] = args.take::<6>();
                let place = Place {
                    file: interp.to_str(&file)?.to_string(),
                    line: interp.to_usize(&line)?,
                    source: None,
                    in_main: true,
                };
                issue(interp, &message, &category, place)
            },
        ),
        row(
            "simplefilter",
            "(action, category=..., lineno=0, append=False)",
            "Adds a filter for a category.",
            |interp, args| {
                let [action, category, _, append] = args.take();
                add_filter(interp, &action, Value::str(""), category, &append)
            },
        ),
        row(
            "filterwarnings",
            "(action, message='', category=..., module='', lineno=0, append=False)",
            "Adds a filter.",
            |interp, args| {
                let [action, message, category, _, _, append] = args.take();
                add_filter(interp, &action, message, category, &append)
            },
        ),
        row("resetwarnings", "()", "Removes every filter.", |interp, _| {
            let state = interp.extension::<State>();
            state.filters.borrow_mut().clear();
            state.cleared.replace(true);
            Ok(Value::None)
        }),
        row(
            "formatwarning",
            "(message, category, filename, lineno, line=None)",
            "A warning as it is shown.",
            |interp, args| {
                let [message, category, file, line, source] = args.take();
                let name = interp.str(&interp.get_attr(&category, "__name__")?)?;
                let source = source.given().map(|line| interp.str(&line)).transpose()?;
                let text = shown(
                    &interp.str(&file)?,
                    interp.to_usize(&line)?,
                    &name,
                    &interp.str(&message)?,
                    source.as_deref(),
                );
                Ok(Value::from(text))
            },
        ),
    ],
    populate: |interp, names| {
        super::support::add_class(names, &interp.native_class(&CATCH_WARNINGS));
        names.insert("filters".into(), Value::list([]));
    },
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Default,
    Error,
    Ignore,
    Always,
    Module,
    Once,
}

#[derive(Clone)]
struct Filter {
    action: Action,
    /// How the message must begin, as a regular expression; none for any.
    message: Option<String>,
    category: Rc<Class>,
}

#[derive(Default)]
struct State {
    /// The newest first.
    filters: RefCell<Vec<Filter>>,
    /// After `resetwarnings` Python's own filters are gone, too.
    cleared: RefCell<bool>,
    /// What was shown already: text, category, file and line.
    seen: RefCell<HashSet<(String, String, String, usize)>>,
    /// Lists that `catch_warnings(record=True)` fills, innermost last; `None` for those that do not record.
    recorders: RefCell<Vec<Option<Value>>>,
}

struct Place {
    file: String,
    line: usize,
    source: Option<String>,
    /// Deprecations are shown where the main program triggers them only.
    in_main: bool,
}

fn place(interp: &Interp, level: usize) -> Place {
    let stack = interp.stack();
    let entry = stack.len().checked_sub(level.max(1)).and_then(|at| stack.get(at));
    let found = entry.and_then(|entry| Some((interp.source(entry.span.file)?, entry.span)));
    match found {
        Some((source, span)) => {
            let shown = source.shown(span.start);
            let main = stack.first().is_some_and(|first| first.span.file == span.file);
            Place {
                file: shown.path.to_string(),
                line: shown.at.line as usize,
                source: Some(source.line(source.line_of(span.start)).trim().to_owned()),
                in_main: main,
            }
        }
        None => Place { file: "sys".to_owned(), line: 1, source: None, in_main: true },
    }
}

fn warn(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [message, category, level, _] = args.take();
    let level = interp.to_i64(&level).ok().and_then(|level| usize::try_from(level).ok()).unwrap_or(1);
    if message.is_unknown() {
        return Ok(Value::None);
    }
    issue(interp, &message, &category, place(interp, level))
}

/// Warns from Rust, on behalf of the running program.
fn issue(interp: &Interp, message: &Value, category: &Value, place: Place) -> PyResult<Value> {
    let is_warning = interp.type_of(message).is_subclass(&interp.types().warning);
    let class = match category {
        _ if is_warning => interp.type_of(message),
        Value::Class(class) if class.is_subclass(&interp.types().warning) => class.clone(),
        Value::None => interp.types().user_warning.clone(),
        Value::Unknown(_) => return Ok(Value::None),
        other => {
            let shown = match other {
                Value::Class(_) => "type".to_owned(),
                other => interp.type_name(other),
            };
            return Err(interp.type_error(format!("category must be a Warning subclass, not '{shown}'")));
        }
    };
    let text = interp.str(message)?;
    let instance = || -> PyResult<Value> {
        if is_warning {
            Ok(message.clone())
        } else {
            interp.call_values(&Value::Class(class.clone()), [message.clone()])
        }
    };
    let state = interp.extension::<State>();
    let action = action(interp, &state, &class, &text, &place)?;
    match action {
        Action::Ignore => return Ok(Value::None),
        Action::Error => return Err(interp.raise_value(instance()?, None)),
        Action::Always => {}
        Action::Default | Action::Module | Action::Once => {
            let (file, line) = match action {
                Action::Default => (place.file.clone(), place.line),
                Action::Module => (place.file.clone(), 0),
                _ => (String::new(), 0),
            };
            if !state.seen.borrow_mut().insert((text.clone(), class.name.to_string(), file, line)) {
                return Ok(Value::None);
            }
        }
    }
    let recorder = state.recorders.borrow().last().cloned().flatten();
    match recorder {
        Some(list) => {
            let record = super::types::namespace_of(
                interp,
                [
                    ("message", instance()?),
                    ("category", Value::Class(class)),
                    ("filename", Value::from(place.file)),
                    ("lineno", place.line.into()),
                    ("line", Value::None),
                    ("file", Value::None),
                    ("source", Value::None),
                ],
            );
            interp.call_method(&list, "append", [record])?;
        }
        None => {
            let name = class.name.to_string();
            let text = shown(&place.file, place.line, &name, &text, place.source.as_deref());
            super::sys::streams::write_to(interp, "stderr", &text)?;
        }
    }
    Ok(Value::None)
}

fn shown(file: &str, line: usize, category: &str, message: &str, source: Option<&str>) -> String {
    let source = source.filter(|source| !source.is_empty()).map_or(String::new(), |source| format!("  {source}\n"));
    format!("{file}:{line}: {category}: {message}\n{source}")
}

fn action(interp: &Interp, state: &State, class: &Rc<Class>, text: &str, place: &Place) -> PyResult<Action> {
    let filters = state.filters.borrow().clone();
    for filter in filters {
        let fits = match &filter.message {
            Some(pattern) => super::re::matches_start(interp, pattern, text)?,
            None => true,
        };
        if fits && class.is_subclass(&filter.category) {
            return Ok(filter.action);
        }
    }
    if *state.cleared.borrow() {
        return Ok(Action::Default);
    }
    let types = interp.types();
    let hidden = [&types.pending_deprecation_warning, &types.import_warning, &types.resource_warning];
    if class.is_subclass(&types.deprecation_warning) {
        return Ok(if place.in_main { Action::Default } else { Action::Ignore });
    }
    Ok(if hidden.iter().any(|hidden| class.is_subclass(hidden)) { Action::Ignore } else { Action::Default })
}

fn add_filter(interp: &Interp, action: &Value, message: Value, category: Value, append: &Value) -> PyResult<Value> {
    let action = match &*interp.to_str(action)? {
        "default" => Action::Default,
        "error" => Action::Error,
        "ignore" => Action::Ignore,
        "always" => Action::Always,
        "module" => Action::Module,
        "once" => Action::Once,
        other => {
            return Err(interp.assertion_error(format!("invalid action: {}", interp.repr(&Value::str(other))?)));
        }
    };
    let category = match category {
        Value::Class(class) => class,
        _ => interp.types().warning.clone(),
    };
    let message = text(&message).filter(|message| !message.is_empty()).map(|message| message.to_string());
    let filter = Filter { action, message, category };
    let state = interp.extension::<State>();
    if interp.truth(append)? {
        state.filters.borrow_mut().push(filter);
    } else {
        state.filters.borrow_mut().insert(0, filter);
    }
    state.seen.borrow_mut().clear();
    Ok(Value::None)
}

static CATCH_WARNINGS: NativeClass = NativeClass {
    name: "catch_warnings",
    module: "warnings",
    doc: "catch_warnings(*, record=False, ...): restores the filters at the end.",
    methods: &[
        row("__enter__", "(self)", "The list of recorded warnings, or None.", |interp, args| {
            let Some(this) = args.get(0).downcast::<CatchWarnings>() else { return Ok(Value::None) };
            let state = interp.extension::<State>();
            *this.filters.borrow_mut() = state.filters.borrow().clone();
            let recorder = this.record.then(|| Value::list([]));
            let outer = state.recorders.borrow().last().cloned().flatten();
            state.recorders.borrow_mut().push(recorder.clone().or(outer));
            if let Some(action) = &this.action {
                add_filter(interp, action, Value::str(""), Value::None, &Value::Bool(false))?;
            }
            Ok(recorder.unwrap_or(Value::None))
        }),
        row("__exit__", "(self, *exc_info)", "Restores the filters.", |interp, args| {
            let Some(this) = args.get(0).downcast::<CatchWarnings>() else { return Ok(Value::None) };
            let state = interp.extension::<State>();
            *state.filters.borrow_mut() = this.filters.borrow().clone();
            state.recorders.borrow_mut().pop();
            Ok(Value::None)
        }),
    ],
    properties: &[],
    construct: Some(|interp, _, args| {
        let form = const {
            &super::support::form(
                "__init__",
                "(*, record=False, module=None, action=None, category=..., lineno=0, append=False)",
            )
        };
        let [record, _, action, ..] = super::support::arguments(interp, form, args)?.take::<6>();
        Ok(Value::object(CatchWarnings {
            record: interp.truth(&record)?,
            action: action.given(),
            filters: RefCell::default(),
        }))
    }),
    instance_check: None,
};

struct CatchWarnings {
    record: bool,
    action: Option<Value>,
    filters: RefCell<Vec<Filter>>,
}

impl Object for CatchWarnings {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&CATCH_WARNINGS)
    }
}
