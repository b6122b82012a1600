//! Groups of arguments, arguments that exclude each other, and commands.

use super::action::{self, Action};
use super::{Exclusive, PARSER, State, Subparsers, error_class, fail, help, state};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::{keywords, row, text, variadic};
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// What `add_argument_group` and `add_mutually_exclusive_group` return.
pub(super) struct Group {
    pub(super) state: Rc<RefCell<State>>,
    pub(super) group: Option<usize>,
    pub(super) exclusive: Option<usize>,
}

static GROUP: NativeClass = NativeClass {
    name: "_ArgumentGroup",
    module: "argparse",
    doc: "A group of arguments.",
    methods: &[
        row("add_argument", "(self, *args, **kwargs)", "Describes an argument.", |interp, args| {
            let group =
                args.get(0).downcast::<Group>().map(|group| (group.state.clone(), group.group, group.exclusive));
            add(interp, &args, 1, group)
        }),
        row(
            "add_mutually_exclusive_group",
            "(self, *, required=False)",
            "Arguments of which one may be given.",
            exclusive,
        ),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Group {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&GROUP)
    }
}

type Place = (Rc<RefCell<State>>, Option<usize>, Option<usize>);

pub(super) fn add(interp: &Interp, args: &Arguments, first: usize, place: Option<Place>) -> PyResult<Value> {
    let (state, group, exclusive) = match place {
        Some(place) => place,
        None => (state(interp, args.get(0))?, None, None),
    };
    let action = action::describe(interp, variadic(args.get(first)), &keywords(args.get(first + 1)))?;
    for flag in &action.flags {
        if state.borrow().actions.iter().any(|known| known.flags.contains(flag)) {
            let name = action.flags.join("/");
            return Err(
                interp.error(&error_class(interp), format!("argument {name}: conflicting option string: {flag}"))
            );
        }
    }
    let mut state = state.borrow_mut();
    let mut action = action;
    if let Some((_, value)) = state.defaults.iter().find(|(name, _)| **name == *action.dest) {
        action.default = value.clone();
    }
    let handle = action.handle();
    let index = state.push(action, group);
    if let Some(exclusive) = exclusive {
        state.exclusives[exclusive].actions.push(index);
    }
    Ok(handle)
}

pub(super) fn exclusive(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let (state, group) = match args.get(0).downcast::<Group>() {
        Some(group) => (group.state.clone(), group.group),
        None => (state(interp, args.get(0))?, None),
    };
    let required = interp.truth(args.get(1))?;
    state.borrow_mut().exclusives.push(Exclusive { required, actions: Vec::new() });
    let exclusive = state.borrow().exclusives.len() - 1;
    Ok(Value::object(Group { state, group, exclusive: Some(exclusive) }))
}

/// What `add_subparsers` returns.
struct Commands {
    state: Rc<RefCell<State>>,
    prog: String,
}

static COMMANDS: NativeClass = NativeClass {
    name: "_SubParsersAction",
    module: "argparse",
    doc: "Commands of a parser.",
    methods: &[row("add_parser", "(self, name, **kwargs)", "The parser of a command.", add_parser)],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Commands {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&COMMANDS)
    }
}

pub(super) fn add_subparsers(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, title, description, prog, _, _, dest, required, help, metavar] = args.take();
    let shared = state(interp, &this)?;
    if shared.borrow().subparsers.is_some() {
        return Err(fail(interp, &shared.borrow(), "cannot have multiple subparser arguments"));
    }
    let prog = match text(&prog) {
        Some(prog) => prog.to_string(),
        None => {
            // The command line up to here: the program and its positional arguments.
            let state = shared.borrow();
            let positionals = state.actions.iter().filter(|action| action.is_positional());
            positionals
                .fold(state.prog.clone(), |line, action| format!("{line} {}", help::arguments_text(interp, action)))
        }
    };
    let action = Action::subparsers(
        text(&dest).map(|dest| dest.to_string()),
        interp.truth(&required)?,
        text(&help).map(|help| help.to_string()),
        text(&metavar).map(|metavar| metavar.to_string()),
    );
    let mut state = shared.borrow_mut();
    let group = match (text(&title), text(&description)) {
        (None, None) => None,
        (title, description) => {
            let title = title.map_or_else(|| "subcommands".to_owned(), |title| title.to_string());
            state.groups.push((title, description.map(|text| text.to_string()), Vec::new()));
            Some(state.groups.len() - 1)
        }
    };
    let index = state.push(action, group);
    state.subparsers = Some(Subparsers { action: index, parsers: Vec::new() });
    drop(state);
    Ok(Value::object(Commands { state: shared, prog }))
}

fn add_parser(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let [this, name, given] = args.take();
    let Some(commands) = this.downcast::<Commands>() else { return Ok(Value::None) };
    let name = interp.to_str(&name)?.to_string();
    let mut call = crate::call::CallArgs::default();
    let (mut help, mut aliases) = (None, Vec::new());
    for (key, value) in keywords(&given) {
        match &*key {
            "help" => help = text(&value).map(|text| text.to_string()),
            "aliases" => {
                aliases = interp.collect(&value)?.iter().map(|alias| interp.str(alias)).collect::<PyResult<_>>()?
            }
            _ => call.keywords.push((key, value)),
        }
    }
    if !call.keywords.iter().any(|(key, _)| &**key == "prog") {
        call.keywords.push(("prog".into(), Value::from(format!("{} {name}", commands.prog))));
    }
    let parser = interp.call(&Value::Class(interp.native_class(&PARSER)), call)?;
    let mut state = commands.state.borrow_mut();
    let Some(subparsers) = &mut state.subparsers else { return Ok(parser) };
    let index = subparsers.action;
    for key in std::iter::once(&name).chain(&aliases) {
        subparsers.parsers.push((key.clone(), parser.clone()));
    }
    let choices: Vec<Value> = subparsers.parsers.iter().map(|(name, _)| Value::str(name)).collect();
    let action = &mut state.actions[index];
    action.choices = Some(choices);
    if let Some(help) = help {
        let shown = if aliases.is_empty() { name } else { format!("{name} ({})", aliases.join(", ")) };
        action.commands.push((shown, help));
    }
    Ok(parser)
}
