//! One argument of a parser: `add_argument` and what it understands.

use super::SUPPRESS;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::text;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::rc::Rc;

/// How many words an argument takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// One, stored by itself.
    Single,
    /// So many, as a list.
    Exactly(usize),
    /// `?`
    Optional,
    /// `*`
    Any,
    /// `+`
    Some,
    /// `...`
    Remainder,
    /// A command and everything after it.
    Command,
    /// None: a flag.
    None,
}

impl Count {
    /// Least and most number of words.
    pub(super) fn range(&self) -> (usize, usize) {
        match self {
            Count::Single => (1, 1),
            Count::Exactly(count) => (*count, *count),
            Count::Optional => (0, 1),
            Count::Any | Count::Remainder => (0, usize::MAX),
            Count::Some | Count::Command => (1, usize::MAX),
            Count::None => (0, 0),
        }
    }
}

/// What is done with the words.
#[derive(Clone)]
pub(super) enum Kind {
    Store,
    /// `store_const`, `store_true`, `store_false`
    StoreConst,
    Append,
    AppendConst,
    Extend,
    Count,
    /// `--flag` and `--no-flag`
    Boolean,
    Help,
    Version(Option<String>),
    Subparsers,
}

/// One argument.
#[derive(Clone)]
pub(super) struct Action {
    /// `-f`, `--foo`; empty for positional arguments.
    pub(super) flags: Vec<String>,
    pub(super) dest: String,
    pub(super) count: Count,
    pub(super) kind: Kind,
    pub(super) constant: Value,
    pub(super) default: Value,
    /// `None` for text.
    pub(super) convert: Value,
    pub(super) choices: Option<Vec<Value>>,
    pub(super) required: bool,
    pub(super) help: Option<String>,
    pub(super) metavar: Option<Vec<String>>,
    /// Commands with their help.
    pub(super) commands: Vec<(String, String)>,
}

/// What stands for `argparse.BooleanOptionalAction`.
pub(super) const BOOLEAN_OPTIONAL: &str = "<class 'argparse.BooleanOptionalAction'>";

impl Action {
    fn new(flags: Vec<String>, dest: String, kind: Kind, count: Count) -> Action {
        Action {
            flags,
            dest,
            count,
            kind,
            constant: Value::None,
            default: Value::None,
            convert: Value::None,
            choices: None,
            required: false,
            help: None,
            metavar: None,
            commands: Vec::new(),
        }
    }

    pub(super) fn help() -> Action {
        let flags = vec!["-h".to_owned(), "--help".to_owned()];
        let mut action = Action::new(flags, "help".to_owned(), Kind::Help, Count::None);
        action.default = Value::str(SUPPRESS);
        action.help = Some("show this help message and exit".to_owned());
        action
    }

    pub(super) fn subparsers(
        dest: Option<String>,
        required: bool,
        help: Option<String>,
        metavar: Option<String>,
    ) -> Action {
        let mut action =
            Action::new(Vec::new(), dest.unwrap_or_else(|| SUPPRESS.to_owned()), Kind::Subparsers, Count::Command);
        action.required = required;
        action.help = help;
        action.metavar = metavar.map(|metavar| vec![metavar]);
        action.choices = Some(Vec::new());
        action
    }

    pub(super) fn is_positional(&self) -> bool {
        self.flags.is_empty()
    }

    /// The name in error messages.
    pub(super) fn name(&self) -> String {
        if !self.flags.is_empty() {
            return self.flags.join("/");
        }
        if let Some(metavar) = &self.metavar {
            return metavar.join(" ");
        }
        if self.dest != SUPPRESS {
            return self.dest.clone();
        }
        match &self.choices {
            Some(choices) => {
                let names: Vec<String> = choices.iter().filter_map(text).map(|name| name.to_string()).collect();
                format!("{{{}}}", names.join(","))
            }
            None => String::new(),
        }
    }

    /// What `add_argument` returns.
    pub(super) fn handle(&self) -> Value {
        Value::object(Handle { action: self.clone() })
    }
}

struct Handle {
    action: Action,
}

pub(super) static ACTION: NativeClass = NativeClass {
    name: "Action",
    module: "argparse",
    doc: "An argument of a parser.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

impl Object for Handle {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&ACTION)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "dest" => Value::str(&self.action.dest),
            "default" => self.action.default.clone(),
            "option_strings" => Value::list(self.action.flags.iter().map(Value::str)),
            "required" => Value::Bool(self.action.required),
            "help" => self.action.help.as_ref().map_or(Value::None, Value::str),
            "const" => self.action.constant.clone(),
            _ => return Ok(None),
        }))
    }
}

fn count_of(interp: &Interp, value: &Value) -> PyResult<Count> {
    if let Some(text) = text(value) {
        return Ok(match &*text {
            "?" => Count::Optional,
            "*" => Count::Any,
            "+" => Count::Some,
            "..." => Count::Remainder,
            "A..." => Count::Command,
            _ => return Err(interp.value_error("invalid nargs value")),
        });
    }
    Ok(Count::Exactly(interp.to_usize(value)?))
}

/// `add_argument(*names, **options)`
pub(super) fn describe(interp: &Interp, names: &[Value], options: &[(Name, Value)]) -> PyResult<Action> {
    let option = |name: &str| options.iter().find(|(known, _)| &**known == name).map(|(_, value)| value.clone());
    const KNOWN: &[&str] =
        &["action", "nargs", "const", "default", "type", "choices", "required", "help", "metavar", "dest", "version"];
    if let Some((unknown, _)) = options.iter().find(|(name, _)| !KNOWN.contains(&&**name)) {
        return Err(interp.type_error(format!("Action.__init__() got an unexpected keyword argument '{unknown}'")));
    }
    let names: Vec<String> = names.iter().map(|name| Ok(interp.to_str(name)?.to_string())).collect::<PyResult<_>>()?;
    let is_positional = names.is_empty() || (names.len() == 1 && !names[0].starts_with('-'));
    let dest_given = option("dest").as_ref().and_then(text).map(|dest| dest.to_string());
    let (flags, dest) = if is_positional {
        if dest_given.is_some() && !names.is_empty() {
            return Err(interp.value_error("dest supplied twice for positional argument"));
        }
        let dest = names.into_iter().next().or(dest_given);
        let Some(dest) = dest else {
            return Err(interp.type_error("add_argument() needs a name"));
        };
        (Vec::new(), dest)
    } else {
        if let Some(bad) = names.iter().find(|name| !name.starts_with('-')) {
            return Err(interp.value_error(format!("invalid option string '{bad}': must start with a character '-'")));
        }
        let long = names.iter().find(|name| name.starts_with("--")).or(names.first());
        let dest = dest_given
            .unwrap_or_else(|| long.map_or_else(String::new, |name| name.trim_start_matches('-').replace('-', "_")));
        (names, dest)
    };
    let mut action = Action::new(flags, dest, Kind::Store, Count::Single);
    kind(interp, &mut action, option("action"), &option)?;
    if let Some(nargs) = option("nargs").and_then(Value::given) {
        if action.count == Count::None {
            return Err(interp.type_error("this action takes no 'nargs'"));
        }
        action.count = count_of(interp, &nargs)?;
    }
    if let Some(default) = option("default") {
        action.default = default;
    }
    if let Some(constant) = option("const") {
        action.constant = constant;
    }
    action.convert = option("type").unwrap_or(Value::None);
    if !action.convert.is_none() && !interp.is_callable(&action.convert) {
        return Err(interp.value_error(format!("{} is not callable", interp.repr(&action.convert)?)));
    }
    if let Some(choices) = option("choices").and_then(Value::given) {
        action.choices = Some(interp.collect(&choices)?);
    }
    action.help = match option("help").and_then(Value::given) {
        Some(help) => Some(interp.str(&help)?),
        None => action.help.take(),
    };
    action.metavar = match option("metavar").and_then(Value::given) {
        Some(Value::Tuple(parts)) => Some(parts.iter().map(|part| interp.str(part)).collect::<PyResult<_>>()?),
        Some(metavar) => Some(vec![interp.str(&metavar)?]),
        None => None,
    };
    let required = option("required");
    if action.is_positional() {
        if required.is_some() {
            return Err(interp.type_error("'required' is an invalid argument for positionals"));
        }
        action.required = match action.count {
            Count::Optional => false,
            Count::Any | Count::Remainder => option("default").is_none() && action.count == Count::Any,
            _ => true,
        };
    } else {
        action.required = match required {
            Some(required) => interp.truth(&required)?,
            None => false,
        };
    }
    Ok(action)
}

fn kind(
    interp: &Interp,
    action: &mut Action,
    given: Option<Value>,
    option: &dyn Fn(&str) -> Option<Value>,
) -> PyResult<()> {
    let Some(given) = given.and_then(Value::given) else { return Ok(()) };
    let Some(name) = text(&given) else {
        return Err(interp.value_error("only the named actions of argparse are available here"));
    };
    let constant = |action: &mut Action, constant: bool| {
        action.count = Count::None;
        action.kind = Kind::StoreConst;
        action.constant = Value::Bool(constant);
        action.default = Value::Bool(!constant);
    };
    match &*name {
        "store" => {}
        "store_true" => constant(action, true),
        "store_false" => constant(action, false),
        "store_const" => {
            action.count = Count::None;
            action.kind = Kind::StoreConst;
        }
        "append" => action.kind = Kind::Append,
        "append_const" => {
            action.count = Count::None;
            action.kind = Kind::AppendConst;
        }
        "extend" => action.kind = Kind::Extend,
        "count" => {
            action.count = Count::None;
            action.kind = Kind::Count;
        }
        "help" => {
            action.count = Count::None;
            action.kind = Kind::Help;
            action.default = Value::str(SUPPRESS);
        }
        "version" => {
            action.count = Count::None;
            action.kind = Kind::Version(option("version").as_ref().and_then(text).map(|text| text.to_string()));
            action.default = Value::str(SUPPRESS);
            action.help = Some("show program's version number and exit".to_owned());
        }
        BOOLEAN_OPTIONAL => {
            action.count = Count::None;
            action.kind = Kind::Boolean;
            let negated: Vec<String> = action
                .flags
                .iter()
                .filter_map(|flag| flag.strip_prefix("--"))
                .map(|flag| format!("--no-{flag}"))
                .collect();
            action.flags.extend(negated);
        }
        other => {
            return Err(interp.value_error(format!("unknown action \"{other}\"")));
        }
    }
    Ok(())
}
