//! `re.Pattern`: a compiled pattern and its methods.

use super::super::support::{row, text};
use super::matched::{Match, Subject, expand};
use super::parse::{self, ASCII, DOTALL, IGNORECASE, MULTILINE, UNICODE, VERBOSE};
use super::program::{Captures, Matcher, Program, Want};
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::library::support::iterator;
use crate::native::Arguments;
use crate::object::Object;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

const RANGE: &str = "(self, string, pos=0, endpos=9223372036854775807)";

pub(super) static PATTERN: NativeClass = NativeClass {
    name: "Pattern",
    module: "re",
    doc: "A compiled regular expression.",
    methods: &[
        row("match", RANGE, "A match at the beginning, or None.", |i, a| single(i, &a, How::Match)),
        row("fullmatch", RANGE, "A match of everything, or None.", |i, a| single(i, &a, How::Full)),
        row("search", RANGE, "The first match, or None.", |i, a| single(i, &a, How::Search)),
        row("findall", RANGE, "Every match as text or tuple of groups.", find_all),
        row("finditer", RANGE, "Every match.", find_iter),
        row("split", "(self, string, maxsplit=0)", "The text between matches.", split),
        row("sub", "(self, repl, string, count=0)", "The text with matches replaced.", |i, a| {
            substitute(i, &a).map(|(text, _)| Value::from(text))
        }),
        row("subn", "(self, repl, string, count=0)", "The text with matches replaced, and how many.", |i, a| {
            substitute(i, &a).map(|(text, count)| Value::tuple([Value::from(text), count.into()]))
        }),
    ],
    properties: &[],
    construct: None,
    instance_check: None,
};

static SCANNER: NativeClass = NativeClass {
    name: "callable_iterator",
    module: "builtins",
    doc: "Iterates over matches.",
    methods: &[],
    properties: &[],
    construct: None,
    instance_check: None,
};

/// A compiled pattern.
pub(super) struct Pattern {
    pub(super) source: Rc<str>,
    pub(super) flags: i64,
    pub(super) groups: usize,
    pub(super) names: Vec<(String, usize)>,
    program: Program,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Match,
    Full,
    Search,
}

impl Pattern {
    pub(super) fn compile(interp: &Interp, source: Rc<str>, flags: i64) -> PyResult<Value> {
        let characters: Vec<char> = source.chars().collect();
        let parsed = match parse::parse(&characters, flags) {
            Ok(parsed) => parsed,
            Err(error) => return Err(pattern_error(interp, &source, &characters, &error)),
        };
        let Some(program) = Program::new(&parsed.node) else {
            return Err(interp.error(&super::error_class(interp), "the pattern is too large"));
        };
        Ok(Value::object(Pattern { source, flags: parsed.flags, groups: parsed.groups, names: parsed.names, program }))
    }

    /// The first match from `start` on.
    fn search(
        &self,
        interp: &Interp,
        subject: &Subject,
        start: usize,
        how: How,
        advance: bool,
    ) -> PyResult<Option<Captures>> {
        let matcher = Matcher { text: &subject.characters, end: subject.end };
        let first = self.program.first_char();
        let mut position = start;
        while position <= subject.end {
            let possible =
                how != How::Search || first.is_none_or(|c| position < subject.end && subject.characters[position] == c);
            if possible {
                let want = Want { full: how == How::Full, not_empty: advance && position == start };
                if let Some(captures) = matcher.run(interp, &self.program, self.groups, position, want)? {
                    return Ok(Some(captures));
                }
            }
            if how != How::Search {
                break;
            }
            position += 1;
            if position.is_multiple_of(256) {
                interp.charge(1)?;
            }
        }
        Ok(None)
    }
}

fn pattern_error(
    interp: &Interp,
    source: &Rc<str>,
    characters: &[char],
    error: &parse::Error,
) -> Box<crate::raise::Stop> {
    let has_place = error.position != parse::NOWHERE;
    let mut message = error.message.clone();
    if has_place {
        message.push_str(&format!(" at position {}", error.position));
    }
    let before = &characters[..error.position.min(characters.len())];
    let line = before.iter().filter(|c| **c == '\n').count() + 1;
    let column = before.iter().rev().take_while(|c| **c != '\n').count() + 1;
    if has_place && characters.contains(&'\n') {
        message.push_str(&format!(" (line {line}, column {column})"));
    }
    let exception = interp.exception_of(&super::error_class(interp), Value::tuple([Value::str(&message)]));
    for (name, value) in [
        ("msg", Value::str(&error.message)),
        ("pattern", Value::Str(source.clone())),
        ("pos", if has_place { error.position.into() } else { Value::None }),
        ("lineno", if has_place { line.into() } else { Value::None }),
        ("colno", if has_place { column.into() } else { Value::None }),
    ] {
        if let Err(stop) = interp.set_attr(&exception, name, value) {
            return stop;
        }
    }
    interp.raise_value(exception, None)
}

impl Object for Pattern {
    fn class(&self, interp: &Interp) -> Rc<Class> {
        interp.native_class(&PATTERN)
    }

    fn get_attr(&self, _: &Value, name: &str, interp: &Interp) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "pattern" => Value::Str(self.source.clone()),
            "flags" => Value::int(self.flags),
            "groups" => self.groups.into(),
            "groupindex" => interp.dict_of(self.names.iter().map(|(name, index)| (name, Value::from(*index)))),
            _ => return Ok(None),
        }))
    }

    fn repr(&self, _: &Value, interp: &Interp) -> PyResult<Option<String>> {
        let source = interp.repr(&Value::Str(self.source.clone()))?;
        // UNICODE is the default and not shown.
        let names = [
            (IGNORECASE, "re.IGNORECASE"),
            (MULTILINE, "re.MULTILINE"),
            (DOTALL, "re.DOTALL"),
            (VERBOSE, "re.VERBOSE"),
            (ASCII, "re.ASCII"),
        ];
        let flags: Vec<&str> =
            names.iter().filter(|(flag, _)| self.flags & !UNICODE & flag != 0).map(|(_, name)| *name).collect();
        Ok(Some(if flags.is_empty() {
            format!("re.compile({source})")
        } else {
            format!("re.compile({source}, {})", flags.join("|"))
        }))
    }
}

fn own(args: &Arguments) -> Option<&Pattern> {
    args.get(0).downcast::<Pattern>()
}

/// The text to search, and where to begin.
fn subject(interp: &Interp, string: &Value, from: &Value, to: &Value) -> PyResult<(Subject, usize)> {
    let Some(source) = text(string) else {
        return Err(interp.type_error(match string {
            Value::Bytes(_) => "cannot use a string pattern on a bytes-like object".to_owned(),
            other => format!("expected string or bytes-like object, got '{}'", interp.type_name(other)),
        }));
    };
    let characters: Rc<[char]> = source.chars().collect();
    let clamp = |at: i64| usize::try_from(at).unwrap_or(0).min(characters.len());
    let (start, end) = (clamp(interp.to_i64(from)?), clamp(interp.to_i64(to)?));
    Ok((Subject { string: source, characters, start, end }, start))
}

fn whole(interp: &Interp, string: &Value) -> PyResult<Subject> {
    subject(interp, string, &Value::int(0i64), &Value::int(i64::MAX)).map(|(subject, _)| subject)
}

fn single(interp: &Interp, args: &Arguments, how: How) -> PyResult<Value> {
    let Some(pattern) = own(args) else { return Ok(Value::None) };
    if args.get(1).is_unknown() {
        return Ok(args.get(1).clone());
    }
    let (subject, start) = subject(interp, args.get(1), args.get(2), args.get(3))?;
    Ok(match pattern.search(interp, &subject, start, how, false)? {
        Some(captures) => Match::value(args.get(0).clone(), subject, captures),
        None => Value::None,
    })
}

/// Finds matches one after the other; an empty match is followed by one that is not empty or begins later.
struct Scan {
    pattern: Value,
    subject: Subject,
    position: usize,
    advance: bool,
}

impl Scan {
    fn next(&mut self, interp: &Interp) -> PyResult<Option<Captures>> {
        let Some(pattern) = self.pattern.downcast::<Pattern>() else { return Ok(None) };
        let found = pattern.search(interp, &self.subject, self.position, How::Search, self.advance)?;
        match &found {
            Some(captures) => {
                let (start, end) = (captures.slots[0].unwrap_or(0), captures.slots[1].unwrap_or(0));
                self.position = end;
                self.advance = start == end;
            }
            None => self.position = self.subject.end + 1,
        }
        Ok(found)
    }
}

fn scan(interp: &Interp, args: &Arguments) -> PyResult<Scan> {
    let (subject, position) = subject(interp, args.get(1), args.get(2), args.get(3))?;
    Ok(Scan { pattern: args.get(0).clone(), subject, position, advance: false })
}

fn find_all(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let Some(pattern) = own(&args) else { return Ok(Value::None) };
    if args.get(1).is_unknown() {
        return Ok(args.get(1).clone());
    }
    let mut scan = scan(interp, &args)?;
    let mut found = Vec::new();
    while let Some(captures) = scan.next(interp)? {
        let group = |index: usize| scan.subject.group(&captures, index).unwrap_or_default();
        found.push(match pattern.groups {
            0 => Value::from(group(0)),
            1 => Value::from(group(1)),
            groups => Value::tuple((1..=groups).map(|index| Value::from(group(index)))),
        });
    }
    Ok(Value::list(found))
}

fn find_iter(interp: &Interp, args: Arguments) -> PyResult<Value> {
    if args.get(1).is_unknown() {
        return Ok(args.get(1).clone());
    }
    let mut scan = scan(interp, &args)?;
    let [pattern, ..] = args.take::<4>();
    Ok(iterator(&SCANNER, move |interp| {
        Ok(scan.next(interp)?.map(|captures| Match::value(pattern.clone(), scan.subject.clone(), captures)))
    }))
}

fn split(interp: &Interp, args: Arguments) -> PyResult<Value> {
    let Some(pattern) = own(&args) else { return Ok(Value::None) };
    if args.get(1).is_unknown() {
        return Ok(args.get(1).clone());
    }
    let most = interp.to_i64(args.get(2))?;
    let mut scan =
        Scan { pattern: args.get(0).clone(), subject: whole(interp, args.get(1))?, position: 0, advance: false };
    let mut parts = Vec::new();
    let (mut last, mut count) = (0, 0);
    while most <= 0 || count < most {
        let Some(captures) = scan.next(interp)? else { break };
        let (start, end) = (captures.slots[0].unwrap_or(0), captures.slots[1].unwrap_or(0));
        parts.push(Value::from(scan.subject.slice(last, start)));
        for index in 1..=pattern.groups {
            parts.push(scan.subject.group(&captures, index).map_or(Value::None, Value::from));
        }
        last = end;
        count += 1;
    }
    parts.push(Value::from(scan.subject.slice(last, scan.subject.end)));
    Ok(Value::list(parts))
}

fn substitute(interp: &Interp, args: &Arguments) -> PyResult<(String, usize)> {
    let replacement = args.get(1);
    let most = interp.to_i64(args.get(3))?;
    let mut scan =
        Scan { pattern: args.get(0).clone(), subject: whole(interp, args.get(2))?, position: 0, advance: false };
    let template = text(replacement);
    if template.is_none() && !interp.is_callable(replacement) {
        return Err(interp.type_error(format!(
            "decoding to str: need a bytes-like object, {} found",
            interp.type_name(replacement)
        )));
    }
    let mut result = String::new();
    let (mut last, mut count) = (0, 0usize);
    while most <= 0 || (count as i64) < most {
        let Some(captures) = scan.next(interp)? else { break };
        let (start, end) = (captures.slots[0].unwrap_or(0), captures.slots[1].unwrap_or(0));
        result.push_str(&scan.subject.slice(last, start));
        match &template {
            Some(template) => {
                if let Some(pattern) = own(args) {
                    result.push_str(&expand(interp, template, pattern, &scan.subject, &captures)?);
                }
            }
            None => {
                let matched = Match::value(args.get(0).clone(), scan.subject.clone(), captures);
                let made = interp.call_values(replacement, [matched])?;
                match text(&made) {
                    Some(made) => result.push_str(&made),
                    None if made.is_none() || made.is_unknown() => {}
                    None => {
                        return Err(interp.type_error(format!(
                            "sequence item {count}: expected str instance, {} found",
                            interp.type_name(&made)
                        )));
                    }
                }
            }
        }
        last = end;
        count += 1;
    }
    result.push_str(&scan.subject.slice(last, scan.subject.end));
    Ok((result, count))
}
