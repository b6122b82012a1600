//! `argparse`: command-line parsers. Arguments are described in [`action`], grouped in [`group`],
//! parsed in [`parse`], shown in [`help`].

mod action;
mod group;
mod help;
mod parse;

use super::support::{ClassBuilder, add_class, arguments, callable, classes, form, keywords, row, text};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::{Arguments, NativeDef};
use crate::object::Object;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use action::Action;
use group::{Group, add, add_subparsers, exclusive};
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "argparse",
    doc: "Command-line parsers.",
    functions: &[],
    populate: |interp, names| {
        add_class(names, &interp.native_class(&PARSER));
        add_class(names, &interp.native_class(&action::ACTION));
        add_class(names, &namespace_class(interp));
        add_class(names, &error_class(interp));
        add_class(names, &type_error_class(interp));
        for name in FORMATTERS {
            add_class(names, &ClassBuilder::new(name, "argparse", &interp.types().object).build());
        }
        names.insert("SUPPRESS".into(), Value::str(SUPPRESS));
        names.insert("OPTIONAL".into(), Value::str("?"));
        names.insert("ZERO_OR_MORE".into(), Value::str("*"));
        names.insert("ONE_OR_MORE".into(), Value::str("+"));
        names.insert("REMAINDER".into(), Value::str("..."));
        names.insert("BooleanOptionalAction".into(), Value::str(action::BOOLEAN_OPTIONAL));
        names.insert(
            "FileType".into(),
            callable("FileType", |interp, _| super::os::unavailable(interp, "argparse.FileType")),
        );
    },
};

/// A default or help text that means: leave it out.
const SUPPRESS: &str = "==SUPPRESS==";

const FORMATTERS: &[&str] = &[
    "HelpFormatter",
    "RawDescriptionHelpFormatter",
    "RawTextHelpFormatter",
    "ArgumentDefaultsHelpFormatter",
    "MetavarTypeHelpFormatter",
];

fn error_class(interp: &Interp) -> Rc<Class> {
    interp.exception_class("argparse", "ArgumentError", &interp.types().exception)
}

fn type_error_class(interp: &Interp) -> Rc<Class> {
    interp.exception_class("argparse", "ArgumentTypeError", &interp.types().exception)
}

/// `argparse.Namespace`
fn namespace_class(interp: &Interp) -> Rc<Class> {
    classes::cached(interp, "argparse.Namespace", |interp| {
        ClassBuilder::new("Namespace", "argparse", &super::types::simple_namespace(interp)).methods(NAMESPACE).build()
    })
}

const NAMESPACE: &[NativeDef] =
    &[row("__contains__", "(self, key)", "Whether there is an attribute.", |interp, args| {
        let name = interp.to_str(args.get(1))?;
        Ok(Value::Bool(interp.find_attr(args.get(0), &name)?.is_some()))
    })];

/// A set of arguments of which one may be given.
struct Exclusive {
    required: bool,
    /// Indices of actions.
    actions: Vec<usize>,
}

/// `add_subparsers`
struct Subparsers {
    action: usize,
    parsers: Vec<(String, Value)>,
}

/// What a parser knows.
struct State {
    prog: String,
    usage: Option<String>,
    description: Option<String>,
    epilog: Option<String>,
    formatter: String,
    allow_abbreviations: bool,
    exit_on_error: bool,
    actions: Vec<Action>,
    /// Title, description, indices of actions; the first two are positional arguments and options.
    groups: Vec<(String, Option<String>, Vec<usize>)>,
    exclusives: Vec<Exclusive>,
    subparsers: Option<Subparsers>,
    defaults: Vec<(Name, Value)>,
}

/// `argparse.ArgumentParser`
struct Parser {
    class: Rc<Class>,
    state: Rc<RefCell<State>>,
}

static PARSER: NativeClass = NativeClass {
    name: "ArgumentParser",
    module: "argparse",
    doc: "A parser of command-line arguments.",
    methods: &[
        row("add_argument", "(self, *args, **kwargs)", "Describes an argument.", |interp, args| {
            add(interp, &args, 1, None)
        }),
        row(
            "add_argument_group",
            "(self, title=None, description=None, **kwargs)",
            "A group for the help text.",
            |interp, args| {
                let parser = state(interp, args.get(0))?;
                let title = text(args.get(1)).map_or_else(String::new, |title| title.to_string());
                let description = text(args.get(2)).map(|text| text.to_string());
                parser.borrow_mut().groups.push((title, description, Vec::new()));
                let group = parser.borrow().groups.len() - 1;
                Ok(Value::object(Group { state: parser, group: Some(group), exclusive: None }))
            },
        ),
        row(
            "add_mutually_exclusive_group",
            "(self, *, required=False)",
            "Arguments of which one may be given.",
            exclusive,
        ),
        row(
            "add_subparsers",
            "(self, *, title=None, description=None, prog=None, parser_class=None, action=None, dest=None, \
             required=False, help=None, metavar=None)",
            "Commands, each with a parser of its own.",
            add_subparsers,
        ),
        row(
            "parse_args",
            "(self, args=None, namespace=None)",
            "The arguments as attributes of a namespace.",
            |interp, args| {
                let (namespace, extras) = parse_known(interp, &args)?;
                if !extras.is_empty() {
                    let message = format!("unrecognized arguments: {}", extras.join(" "));
                    return Err(fail(interp, &state(interp, args.get(0))?.borrow(), &message));
                }
                Ok(namespace)
            },
        ),
        row(
            "parse_known_args",
            "(self, args=None, namespace=None)",
            "The arguments, and those that are not known.",
            |interp, args| {
                let (namespace, extras) = parse_known(interp, &args)?;
                let extras = extras.into_iter().map(Value::from).collect::<Vec<_>>();
                Ok(Value::tuple([namespace, Value::list(extras)]))
            },
        ),
        row("set_defaults", "(self, **kwargs)", "Values for attributes that no argument sets.", |interp, args| {
            let parser = state(interp, args.get(0))?;
            let mut parser = parser.borrow_mut();
            for (name, value) in keywords(args.get(1)) {
                for action in parser.actions.iter_mut().filter(|action| *action.dest == *name) {
                    action.default = value.clone();
                }
                parser.defaults.retain(|(known, _)| *known != name);
                parser.defaults.push((name, value));
            }
            Ok(Value::None)
        }),
        row("get_default", "(self, dest)", "The default of an attribute.", |interp, args| {
            let parser = state(interp, args.get(0))?;
            let dest = interp.to_str(args.get(1))?;
            let parser = parser.borrow();
            let own = parser.actions.iter().find(|action| *action.dest == *dest && !action.default.is_none());
            let set = parser.defaults.iter().find(|(name, _)| **name == *dest).map(|(_, value)| value);
            Ok(own.map(|action| &action.default).or(set).cloned().unwrap_or(Value::None))
        }),
        row("format_help", "(self)", "The help text.", |interp, args| {
            help::help(interp, &state(interp, args.get(0))?.borrow()).map(Value::from)
        }),
        row("format_usage", "(self)", "The usage line.", |interp, args| {
            help::usage(interp, &state(interp, args.get(0))?.borrow()).map(Value::from)
        }),
        row("print_help", "(self, file=None)", "Prints the help text.", |interp, args| {
            let text = help::help(interp, &state(interp, args.get(0))?.borrow())?;
            print(interp, args.get(1), "stdout", &text)
        }),
        row("print_usage", "(self, file=None)", "Prints the usage line.", |interp, args| {
            let text = help::usage(interp, &state(interp, args.get(0))?.borrow())?;
            print(interp, args.get(1), "stdout", &text)
        }),
        row(
            "error",
            "(self, message)",
            "Prints usage and message to standard error and exits with 2.",
            |interp, args| {
                let message = interp.str(args.get(1))?;
                Err(fail(interp, &state(interp, args.get(0))?.borrow(), &message))
            },
        ),
        row("exit", "(self, status=0, message=None)", "Exits.", |interp, args| {
            if let Some(message) = text(args.get(2)) {
                super::sys::streams::write_to(interp, "stderr", &message)?;
            }
            Err(exit(interp, args.get(1).clone()))
        }),
    ],
    properties: &[],
    construct: Some(construct),
    instance_check: None,
};

impl Object for Parser {
    fn class(&self, _: &Interp) -> Rc<Class> {
        self.class.clone()
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        let state = self.state.borrow();
        let optional = |text: &Option<String>| text.as_ref().map_or(Value::None, Value::str);
        Ok(Some(match name {
            "prog" => Value::str(&state.prog),
            "description" => optional(&state.description),
            "epilog" => optional(&state.epilog),
            "usage" => optional(&state.usage),
            _ => return Ok(None),
        }))
    }

    fn set_attr(&self, name: &str, value: Value, interp: &Interp) -> PyResult<bool> {
        let given = match value.given() {
            Some(value) => Some(interp.str(&value)?),
            None => None,
        };
        let mut state = self.state.borrow_mut();
        match name {
            "prog" => state.prog = given.unwrap_or_default(),
            "description" => state.description = given,
            "epilog" => state.epilog = given,
            "usage" => state.usage = given,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn state(interp: &Interp, parser: &Value) -> PyResult<Rc<RefCell<State>>> {
    match parser.downcast::<Parser>() {
        Some(parser) => Ok(parser.state.clone()),
        None => Err(interp.type_error("an ArgumentParser is required")),
    }
}

fn construct(interp: &Interp, class: &Rc<Class>, args: crate::call::CallArgs) -> PyResult<Value> {
    let form = const {
        &form(
            "__init__",
            "(prog=None, usage=None, description=None, epilog=None, parents=(), formatter_class=None, \
             prefix_chars='-', fromfile_prefix_chars=None, argument_default=None, conflict_handler='error', \
             add_help=True, allow_abbrev=True, exit_on_error=True)",
        )
    };
    let [prog, usage, description, epilog, parents, formatter, _, _, _, _, add_help, abbreviate, exit_on_error] =
        arguments(interp, form, args)?.take();
    let owned = |value: &Value| text(value).map(|text| text.to_string());
    let prog = owned(&prog).unwrap_or_else(|| {
        let script = interp.host().arguments().into_iter().next().unwrap_or_default();
        super::os::path::split(&script).1
    });
    let formatter = match &formatter {
        Value::Class(class) => class.name.to_string(),
        _ => "HelpFormatter".to_owned(),
    };
    let state = Rc::new(RefCell::new(State {
        prog,
        usage: owned(&usage),
        description: owned(&description),
        epilog: owned(&epilog),
        formatter,
        allow_abbreviations: interp.truth(&abbreviate)?,
        exit_on_error: interp.truth(&exit_on_error)?,
        actions: Vec::new(),
        groups: vec![("positional arguments".into(), None, Vec::new()), ("options".into(), None, Vec::new())],
        exclusives: Vec::new(),
        subparsers: None,
        defaults: Vec::new(),
    }));
    if interp.truth(&add_help)? {
        state.borrow_mut().push(Action::help(), None);
    }
    for parent in interp.collect(&parents)? {
        let parent = self::state(interp, &parent)?;
        let parent = parent.borrow();
        for action in parent.actions.iter().filter(|action| !action.flags.iter().any(|flag| flag == "--help")) {
            state.borrow_mut().push(action.clone(), None);
        }
        state.borrow_mut().defaults.extend(parent.defaults.iter().cloned());
    }
    Ok(Value::object(Parser { class: class.clone(), state }))
}

impl State {
    /// Adds an action to a group, by default that of its kind.
    fn push(&mut self, action: Action, group: Option<usize>) -> usize {
        let group = group.unwrap_or(usize::from(!action.is_positional()));
        self.actions.push(action);
        let index = self.actions.len() - 1;
        self.groups[group].2.push(index);
        index
    }
}

fn parse_known(interp: &Interp, args: &Arguments) -> PyResult<(Value, Vec<String>)> {
    let words = match args.get(1) {
        Value::None => interp.host().arguments().into_iter().skip(1).collect(),
        given => interp.collect(given)?.iter().map(|word| interp.str(word)).collect::<PyResult<Vec<_>>>()?,
    };
    let namespace = match args.get(2) {
        Value::None => interp.call_values(&Value::Class(namespace_class(interp)), [])?,
        given => given.clone(),
    };
    // Analysis does not know the command line: what must be given is unknown there.
    let assumed = interp.is_analysis() && args.get(1).is_none();
    let words = if assumed { Vec::new() } else { words };
    let extras = parse::parse(interp, &state(interp, args.get(0))?, &words, &namespace, assumed)?;
    Ok((namespace, extras))
}

fn exit(interp: &Interp, status: Value) -> Box<Stop> {
    match interp.call_values(&Value::Class(interp.types().system_exit.clone()), [status]) {
        Ok(exception) => interp.raise_value(exception, None),
        Err(stop) => stop,
    }
}

/// `parser.error(message)`
fn fail(interp: &Interp, state: &State, message: &str) -> Box<Stop> {
    if !state.exit_on_error {
        return interp.error(&error_class(interp), message);
    }
    let usage = match help::usage(interp, state) {
        Ok(usage) => usage,
        Err(stop) => return stop,
    };
    match super::sys::streams::write_to(interp, "stderr", &format!("{usage}{}: error: {message}\n", state.prog)) {
        Ok(()) => exit(interp, Value::int(2i64)),
        Err(stop) => stop,
    }
}

fn print(interp: &Interp, file: &Value, default: &str, text: &str) -> PyResult<Value> {
    match file {
        Value::None => super::sys::streams::write_to(interp, default, text)?,
        file => {
            interp.call_method(file, "write", [Value::str(text)])?;
        }
    }
    Ok(Value::None)
}
