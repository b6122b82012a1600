//! `re.Match`, and the templates that `sub` and `expand` fill in.

use super::super::support::{row, text, variadic};
use super::pattern::Pattern;
use super::program::Captures;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// The text that a pattern is matched against.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) string: Rc<str>,
    pub(super) characters: Rc<[char]>,
    /// `pos`
    pub(super) start: usize,
    /// `endpos`
    pub(super) end: usize,
}

impl Subject {
    pub(super) fn slice(&self, start: usize, end: usize) -> String {
        self.characters.get(start..end).map_or_else(String::new, |characters| characters.iter().collect())
    }

    /// The text of a group; `None` where it took no part.
    pub(super) fn group(&self, captures: &Captures, index: usize) -> Option<String> {
        match (captures.slots.get(2 * index), captures.slots.get(2 * index + 1)) {
            (Some(Some(start)), Some(Some(end))) => Some(self.slice(*start, *end)),
            _ => None,
        }
    }
}

pub(super) struct Match {
    pattern: Value,
    subject: Subject,
    captures: Captures,
}

pub(super) static MATCH: NativeClass = NativeClass {
    name: "Match",
    module: "re",
    doc: "What a pattern matched.",
    methods: &[
        row("group", "(self, *args)", "The text of groups; of the whole match without arguments.", |interp, args| {
            let this = own(&args);
            match variadic(args.get(1)) {
                [] => this.group(interp, &Value::int(0i64)),
                [one] => this.group(interp, one),
                many => {
                    let groups = many.iter().map(|key| this.group(interp, key)).collect::<PyResult<Vec<_>>>()?;
                    Ok(Value::tuple(groups))
                }
            }
        }),
        row("groups", "(self, default=None)", "The text of every group.", |_, args| {
            let this = own(&args);
            Ok(Value::tuple((1..this.count()).map(|index| this.text(index).unwrap_or_else(|| args.get(1).clone()))))
        }),
        row("groupdict", "(self, default=None)", "The text of every named group.", |interp, args| {
            let this = own(&args);
            let named = this
                .names()
                .iter()
                .map(|(name, index)| (name.clone(), this.text(*index).unwrap_or_else(|| args.get(1).clone())));
            Ok(interp.dict_of(named.collect::<Vec<_>>()))
        }),
        row("start", "(self, group=0, /)", "Where a group begins.", |i, a| {
            Ok(Value::int(own(&a).bounds(i, a.get(1))?.0))
        }),
        row("end", "(self, group=0, /)", "Where a group ends.", |i, a| Ok(Value::int(own(&a).bounds(i, a.get(1))?.1))),
        row("span", "(self, group=0, /)", "Where a group begins and ends.", |interp, args| {
            let (start, end) = own(&args).bounds(interp, args.get(1))?;
            Ok(Value::tuple([Value::int(start), Value::int(end)]))
        }),
        row("expand", "(self, template)", "A template with the groups filled in.", |interp, args| {
            let this = own(&args);
            let template = interp.to_str(args.get(1))?;
            match this.pattern.downcast::<Pattern>() {
                Some(pattern) => expand(interp, &template, pattern, &this.subject, &this.captures).map(Value::from),
                None => Ok(Value::None),
            }
        }),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// The match that a method was called on. Methods are found through the class, so there is always one.
fn own(args: &Arguments) -> Match {
    match args.get(0).downcast::<Match>() {
        Some(this) => {
            Match { pattern: this.pattern.clone(), subject: this.subject.clone(), captures: this.captures.clone() }
        }
        None => Match {
            pattern: Value::None,
            subject: Subject { string: "".into(), characters: Rc::new([]), start: 0, end: 0 },
            captures: Captures { slots: vec![Some(0), Some(0)], last: None },
        },
    }
}

impl Match {
    pub(super) fn value(pattern: Value, subject: Subject, captures: Captures) -> Value {
        Value::object(Match { pattern, subject, captures })
    }

    fn names(&self) -> &[(String, usize)] {
        self.pattern.downcast::<Pattern>().map_or(&[], |pattern| &pattern.names)
    }

    /// Number of groups, the whole match counted.
    fn count(&self) -> usize {
        self.captures.slots.len() / 2
    }

    fn text(&self, index: usize) -> Option<Value> {
        self.subject.group(&self.captures, index).map(Value::from)
    }

    /// The index of a group given by number or name.
    fn index(&self, interp: &Interp, key: &Value) -> PyResult<usize> {
        let found = match text(key) {
            Some(name) => self.names().iter().find(|(known, _)| **known == *name).map(|(_, index)| *index),
            None => {
                interp.as_index(key)?.and_then(|index| index.to_i64()).and_then(|index| usize::try_from(index).ok())
            }
        };
        found.filter(|index| *index < self.count()).ok_or_else(|| interp.index_error("no such group"))
    }

    fn group(&self, interp: &Interp, key: &Value) -> PyResult<Value> {
        Ok(self.text(self.index(interp, key)?).unwrap_or(Value::None))
    }

    fn bounds(&self, interp: &Interp, key: &Value) -> PyResult<(i64, i64)> {
        let index = self.index(interp, key)?;
        let slot = |at: usize| self.captures.slots[at].map_or(-1, |position| position as i64);
        Ok((slot(2 * index), slot(2 * index + 1)))
    }
}

impl Object for Match {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&MATCH)
    }

    fn get_attr(&self, _: &Value, name: &str, _: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "re" => self.pattern.clone(),
            "string" => Value::Str(self.subject.string.clone()),
            "pos" => self.subject.start.into(),
            "endpos" => self.subject.end.into(),
            "lastindex" => self.captures.last.map_or(Value::None, Value::from),
            "lastgroup" => {
                let last = self.captures.last;
                let name = self.names().iter().find(|(_, index)| Some(*index) == last);
                name.map_or(Value::None, |(name, _)| Value::str(name))
            }
            _ => return Ok(None),
        }))
    }

    fn get_item(&self, _: &Value, key: &Value, interp: &Interp) -> Option<PyResult<Value>> {
        Some(self.group(interp, key))
    }

    fn truth(&self, _: &Value, _: &Interp) -> PyResult<Option<bool>> {
        Ok(Some(true))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let (start, end) = self.bounds(interp, &Value::int(0i64))?;
        let matched = self.text(0).unwrap_or(Value::None);
        Ok(Some(format!("<re.Match object; span=({start}, {end}), match={}>", interp.repr(&matched)?)))
    }
}

/// Fills in `\1`, `\g<name>` and escapes.
pub(super) fn expand(
    interp: &Interp,
    template: &str,
    pattern: &Pattern,
    subject: &Subject,
    captures: &Captures,
) -> PyResult<String> {
    let characters: Vec<char> = template.chars().collect();
    let fail = |message: String, position: usize| {
        interp.error(&super::error_class(interp), format!("{message} at position {position}"))
    };
    let group = |index: usize, position: usize| {
        if index > pattern.groups {
            return Err(fail(format!("invalid group reference {index}"), position));
        }
        Ok(subject.group(captures, index).unwrap_or_default())
    };
    let mut result = String::new();
    let mut at = 0;
    while let Some(&c) = characters.get(at) {
        if c != '\\' {
            result.push(c);
            at += 1;
            continue;
        }
        let start = at;
        let Some(&next) = characters.get(at + 1) else {
            return Err(fail("bad escape (end of pattern)".into(), start));
        };
        at += 2;
        match next {
            'g' => {
                if characters.get(at) != Some(&'<') {
                    return Err(fail("missing <".into(), at));
                }
                let close = characters[at..].iter().position(|c| *c == '>').map(|offset| at + offset);
                let Some(close) = close else { return Err(fail("missing >, unterminated name".into(), at + 1)) };
                let name: String = characters[at + 1..close].iter().collect();
                if name.is_empty() {
                    return Err(fail("missing group name".into(), at + 1));
                }
                let index = match name.parse::<usize>() {
                    Ok(index) => index,
                    Err(_) => match pattern.names.iter().find(|(known, _)| *known == name) {
                        Some((_, index)) => *index,
                        None => {
                            let message = format!("unknown group name '{name}'");
                            return Err(interp.raise_value(
                                interp.exception_of(&interp.types().index_error, Value::tuple([Value::from(message)])),
                                None,
                            ));
                        }
                    },
                };
                result.push_str(&group(index, at + 1)?);
                at = close + 1;
            }
            '0' => {
                let mut code = 0;
                while let Some(digit) = characters.get(at).and_then(|c| c.to_digit(8)).filter(|_| at < start + 4) {
                    code = code * 8 + digit;
                    at += 1;
                }
                result.extend(char::from_u32(code));
            }
            '1'..='9' => {
                let mut index = next.to_digit(10).unwrap_or(0) as usize;
                if let Some(digit) = characters.get(at).and_then(|c| c.to_digit(10)) {
                    let third = characters.get(at + 1).and_then(|c| c.to_digit(8));
                    if let (Some(third), true, true) = (third, next < '8', digit < 8) {
                        let code = (next.to_digit(8).unwrap_or(0) * 8 + digit) * 8 + third;
                        result.extend(char::from_u32(code));
                        at += 2;
                        continue;
                    }
                    index = index * 10 + digit as usize;
                    at += 1;
                }
                result.push_str(&group(index, start + 1)?);
            }
            'n' => result.push('\n'),
            't' => result.push('\t'),
            'r' => result.push('\r'),
            'a' => result.push('\x07'),
            'f' => result.push('\x0c'),
            'v' => result.push('\x0b'),
            'b' => result.push('\x08'),
            '\\' => result.push('\\'),
            c if c.is_ascii_alphabetic() => return Err(fail(format!("bad escape \\{c}"), start)),
            c => {
                result.push('\\');
                result.push(c);
            }
        }
    }
    Ok(result)
}
