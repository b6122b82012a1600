//! Signatures of native functions: parsed from the text that Python shows, and the binding of a call to them with the
//! words that CPython uses when it does not fit. Python functions are bound in `eval::binding`.

use crate::call::CallArgs;
use crate::dict::Dict;
use crate::interp::Interp;
use crate::native::{Arguments, NativeFunction};
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::Name;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// How a parameter may be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Before `/`.
    PositionalOnly,
    /// Either way.
    Positional,
    /// `*args`
    Variadic,
    /// After `*`.
    KeywordOnly,
    /// `**kwargs`
    Keywords,
}

/// One parameter of a native function.
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// How it may be given.
    pub kind: ParameterKind,
    /// `None` where it must be given; `Value::Unset` for a default written `...`.
    pub default: Option<Value>,
    /// The default as written, for help.
    pub default_text: Option<String>,
}

/// A parsed signature.
pub struct Signature {
    /// What errors call the function, where that is not its name.
    pub called: Option<String>,
    /// In order.
    pub parameters: Vec<Parameter>,
    /// Whether a `/` stands in it: then errors are worded as CPython's C functions word them.
    pub builtin_style: bool,
}

impl Signature {
    /// Parses `(a, /, axis=None, *, keepdims=False)`. Annotations and a return type are skipped; a default that is not a
    /// literal reads as `...`. A name in front is what errors call the function.
    pub fn parse(text: &str) -> Signature {
        let (called, inner) = text.trim().split_once('(').unwrap_or(("", text.trim()));
        let inner = &inner[..closing_parenthesis(inner)];
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut builtin_style = false;
        let mut keyword_only = false;
        for piece in split_top_level(inner, ',') {
            let piece = piece.trim();
            if piece == "/" {
                builtin_style = true;
                for parameter in &mut parameters {
                    parameter.kind = ParameterKind::PositionalOnly;
                }
            } else if piece == "*" {
                keyword_only = true;
            } else if let Some(name) = piece.strip_prefix("**") {
                parameters.push(Parameter::new(name, ParameterKind::Keywords));
            } else if let Some(name) = piece.strip_prefix('*') {
                parameters.push(Parameter::new(name, ParameterKind::Variadic));
                keyword_only = true;
            } else if !piece.is_empty() {
                let kind = if keyword_only { ParameterKind::KeywordOnly } else { ParameterKind::Positional };
                parameters.push(Parameter::new(piece, kind));
            }
        }
        Signature { called: Some(called.to_owned()).filter(|name| !name.is_empty()), parameters, builtin_style }
    }

    /// Number of parameters: the length of the argument list that the native function gets.
    pub fn len(&self) -> usize {
        self.parameters.len()
    }

    /// Whether there are no parameters.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// One value per parameter. TypeError in CPython's words where the call does not fit.
    pub fn bind(&self, interp: &Interp, function: &NativeFunction, args: CallArgs) -> PyResult<Arguments> {
        let mut values: SmallVec<[Value; 8]> = SmallVec::new();
        let given = args.positional.len();
        let mut positional = args.positional.into_iter();
        let mut variadic = None;
        let mut keywords = None;
        let mut missing = false;
        // A parameter that was not given holds `None` here until keywords and defaults have had their turn.
        let mut filled: SmallVec<[bool; 8]> = SmallVec::new();
        for (index, parameter) in self.parameters.iter().enumerate() {
            let value = match parameter.kind {
                ParameterKind::PositionalOnly | ParameterKind::Positional => positional.next(),
                ParameterKind::Variadic => {
                    variadic = Some(index);
                    Some(Value::Tuple(positional.by_ref().collect()))
                }
                ParameterKind::KeywordOnly => None,
                ParameterKind::Keywords => {
                    keywords = Some(index);
                    Some(Value::None)
                }
            };
            filled.push(value.is_some());
            values.push(value.unwrap_or(Value::Unset));
        }
        if variadic.is_none() && positional.next().is_some() {
            return Err(interp.type_error(self.too_many(function, given)));
        }
        let mut rest = Dict::new();
        for (name, value) in args.keywords {
            let target = self.parameters.iter().position(|parameter| {
                *parameter.name == *name
                    && matches!(parameter.kind, ParameterKind::Positional | ParameterKind::KeywordOnly)
            });
            match target {
                Some(index) if filled[index] => {
                    return Err(interp.type_error(self.given_twice(function, &name, index)));
                }
                Some(index) => {
                    values[index] = value;
                    filled[index] = true;
                }
                None if keywords.is_some() => {
                    rest.insert_str(&name, value);
                }
                None => {
                    let known = self.parameters.iter().map(|parameter| parameter.name.to_string()).collect();
                    return Err(interp.unexpected_keyword(self.unexpected_keyword(function, &name), &name, known));
                }
            }
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            if !filled[index] {
                match &parameter.default {
                    Some(default) => values[index] = default.clone(),
                    None => missing = true,
                }
            }
        }
        if missing {
            return Err(interp.type_error(self.missing(function, given, &filled)));
        }
        if let Some(index) = keywords {
            values[index] = Value::Dict(Rc::new(RefCell::new(rest)));
        }
        Ok(Arguments::new(values))
    }

    fn receivers(&self) -> usize {
        usize::from(self.parameters.first().is_some_and(|p| &*p.name == "self" || &*p.name == "cls"))
    }

    /// Least and most number of positional arguments, the receiver not counted.
    fn positional_range(&self) -> (usize, usize) {
        let positional = self.parameters.iter().skip(self.receivers()).filter(|p| p.is_positional());
        let most = positional.clone().count();
        (positional.filter(|p| p.default.is_none()).count(), most)
    }

    /// Whether errors read as those of C functions: a `/` stands in the signature, or the function is in `builtins`.
    fn is_builtin_style(&self, function: &NativeFunction) -> bool {
        self.builtin_style || (function.module.is_empty() && function.owner.is_none())
    }

    fn has(&self, kind: ParameterKind) -> bool {
        self.parameters.iter().skip(self.receivers()).any(|p| p.kind == kind)
    }

    /// The name in errors that read as those of Python's own functions: of a method that of its class, too.
    fn python_name(&self, function: &NativeFunction) -> String {
        self.called.clone().unwrap_or_else(|| function.qualified_name())
    }

    fn too_many(&self, function: &NativeFunction, given: usize) -> String {
        let receivers = self.receivers();
        let (least, most) = self.positional_range();
        let shown = given.saturating_sub(receivers);
        let name = function.def.name;
        if !self.is_builtin_style(function) {
            let name = self.python_name(function);
            let (least, most) = (least + receivers, most + receivers);
            let takes = if least == most { format!("{most}") } else { format!("from {least} to {most}") };
            let plural = if most == 1 && least == most { "" } else { "s" };
            let verb = if given == 1 { "was" } else { "were" };
            return format!("{name}() takes {takes} positional argument{plural} but {given} {verb} given");
        }
        if self.has(ParameterKind::Positional) {
            let most = self.len() - receivers;
            return format!("{name}() takes at most {most} argument{} ({shown} given)", plural(most));
        }
        if self.has(ParameterKind::KeywordOnly) {
            return match most {
                0 => format!("{name}() takes no positional arguments"),
                most => format!("{name} expected {most} argument{}, got {shown}", plural(most)),
            };
        }
        match (least, most) {
            (0, 0) => format!("{}() takes no arguments ({shown} given)", function.qualified_name()),
            (1, 1) => format!("{}() takes exactly one argument ({shown} given)", function.qualified_name()),
            (least, most) if least == most => {
                format!("{name} expected {most} arguments, got {shown}")
            }
            (_, most) => {
                format!("{name} expected at most {most} argument{}, got {shown}", plural(most))
            }
        }
    }

    fn missing(&self, function: &NativeFunction, given: usize, filled: &[bool]) -> String {
        let receivers = self.receivers();
        let name = function.def.name;
        let (least, most) = self.positional_range();
        let shown = given.saturating_sub(receivers);
        let absent: Vec<&Parameter> = self
            .parameters
            .iter()
            .zip(filled)
            .filter(|(parameter, filled)| !**filled && parameter.default.is_none())
            .map(|(parameter, _)| parameter)
            .collect();
        if receivers > 0 && given == 0 && function.owner.is_some() {
            return format!("unbound method {}() needs an argument", function.qualified_name());
        }
        let keyword_only = absent.iter().all(|p| p.kind == ParameterKind::KeywordOnly);
        if !self.is_builtin_style(function) || keyword_only {
            let name = if self.is_builtin_style(function) { name.to_owned() } else { self.python_name(function) };
            return missing_arguments(&name, absent.iter().map(|p| &*p.name), keyword_only);
        }
        if absent.first().is_some_and(|p| p.kind == ParameterKind::Positional) {
            let position = self.parameters.iter().position(|p| *p.name == *absent[0].name).unwrap_or(0) + 1 - receivers;
            return format!("{name}() missing required argument '{}' (pos {position})", absent[0].name);
        }
        if self.has(ParameterKind::Positional) {
            return format!("{name}() takes at least {least} positional argument{} ({shown} given)", plural(least));
        }
        if self.has(ParameterKind::KeywordOnly) && least == most {
            return format!("{name} expected {least} argument{}, got {shown}", plural(least));
        }
        match (least, most) {
            (1, 1) => format!("{}() takes exactly one argument ({shown} given)", function.qualified_name()),
            (least, most) if least == most => {
                format!("{name} expected {least} argument{}, got {shown}", plural(least))
            }
            (least, _) => format!("{name} expected at least {least} argument{}, got {shown}", plural(least)),
        }
    }

    fn given_twice(&self, function: &NativeFunction, name: &str, index: usize) -> String {
        if self.is_builtin_style(function) {
            return format!(
                "argument for {}() given by name ('{name}') and position ({})",
                function.def.name,
                index + 1 - self.receivers()
            );
        }
        format!("{}() got multiple values for argument '{name}'", self.python_name(function))
    }

    fn unexpected_keyword(&self, function: &NativeFunction, name: &str) -> String {
        if !self.is_builtin_style(function) {
            return format!("{}() got an unexpected keyword argument '{name}'", self.python_name(function));
        }
        if self.parameters.iter().all(|p| p.kind == ParameterKind::PositionalOnly || p.kind == ParameterKind::Variadic)
        {
            return format!("{}() takes no keyword arguments", function.qualified_name());
        }
        format!("'{name}' is an invalid keyword argument for {}()", function.def.name)
    }
}

impl Parameter {
    /// From `name`, `name=default` or `name: type = default`.
    fn new(text: &str, kind: ParameterKind) -> Parameter {
        let mut halves = split_top_level(text, '=').into_iter();
        let name = halves.next().unwrap_or("");
        let name = split_top_level(name, ':').first().map_or("", |name| name.trim());
        let default_text = halves.next().map(|text| text.trim().to_owned());
        Parameter { name: Name::from(name), kind, default: default_text.as_deref().map(literal), default_text }
    }

    fn is_positional(&self) -> bool {
        matches!(self.kind, ParameterKind::PositionalOnly | ParameterKind::Positional)
    }
}

/// `f() missing 2 required positional arguments: 'a' and 'b'`, as CPython lists them.
pub(crate) fn missing_arguments<'a>(
    function: &str,
    names: impl Iterator<Item = &'a str>,
    keyword_only: bool,
) -> String {
    let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    let kind = if keyword_only { "keyword-only" } else { "positional" };
    let listed = match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
    };
    format!("{function}() missing {} required {kind} argument{}: {listed}", names.len(), plural(names.len()))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The value of a default: a literal of the kinds that signatures show.
fn literal(text: &str) -> Value {
    let quoted = |quote: char| text.len() >= 2 && text.starts_with(quote) && text.ends_with(quote);
    if quoted('\'') || quoted('"') {
        let inner = &text[1..text.len() - 1];
        return Value::str(inner.replace("\\n", "\n").replace("\\t", "\t"));
    }
    match text {
        "None" => Value::None,
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        "()" => Value::tuple([]),
        _ => {
            if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
                let items = split_top_level(inner, ',');
                return Value::tuple(items.into_iter().map(str::trim).filter(|item| !item.is_empty()).map(literal));
            }
            let number = text.replace('_', "");
            if let Ok(value) = number.parse::<i64>() {
                Value::from(value)
            } else if text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
                number.parse::<f64>().map_or(Value::Unset, Value::Float)
            } else {
                Value::Unset
            }
        }
    }
}

/// Where the parenthesis that was opened just before `text` closes.
fn closing_parenthesis(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return at,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

/// Splits at `separator` outside brackets and quotes.
fn split_top_level(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut start, mut quote) = (0usize, 0, None);
    let mut pieces = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, c) if c == separator && depth == 0 => {
                pieces.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}
