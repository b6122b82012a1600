//! `Did you mean: 'x'?`: the rule of CPython 3.11's Python/suggestions.c. The suggestion is no part of the message; it
//! is added where an uncaught exception is printed, as CPython does.

use crate::exceptions::{field, set_field};
use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::{Diagnosis, Stop};
use crate::value::Value;
use std::rc::Rc;

/// Beyond so many candidates, CPython does not look.
const MOST_CANDIDATES: usize = 750;
/// The cost of exchanging, inserting or deleting one character.
const MOVE: usize = 2;
/// The cost of a change of case.
const CASE: usize = 1;
/// Longer names are not compared.
const LONGEST: usize = 40;

/// Where the suggestion is kept on the exception.
const SUGGESTION: &str = "__suggestion__";

impl Interp {
    /// The AttributeError of `v.name`.
    pub(crate) fn no_attribute(&self, v: &Value, name: &str) -> Box<Stop> {
        if let Some(stop) = self.unprovided_attribute(v, name) {
            return stop;
        }
        let message = match v {
            Value::Module(module) if self.is_initializing(module) => format!(
                "partially initialized module '{}' has no attribute '{name}' (most likely due to a circular import)",
                module.name
            ),
            Value::Module(module) => format!("module '{}' has no attribute '{name}'", module.name),
            Value::Class(class) => {
                format!("type object '{}' has no attribute '{name}'", class.name)
            }
            _ => match v.downcast::<crate::classes::super_object::SuperObject>() {
                Some(_) => format!("'super' object has no attribute '{name}'"),
                None => format!("'{}' object has no attribute '{name}'", self.type_name(v)),
            },
        };
        let stop = self.error(&self.types().attribute_error, message);
        if let Stop::Raise(raise) = &*stop {
            set_field(&raise.exception, "name", Value::str(name));
            set_field(&raise.exception, "obj", v.clone());
        }
        stop
    }

    /// The NameError of a name that is bound nowhere.
    pub(crate) fn undefined_name(&self, env: &Env, name: &str) -> Box<Stop> {
        let stop = self.error(&self.types().name_error, format!("name '{name}' is not defined"));
        if let Stop::Raise(raise) = &*stop {
            set_field(&raise.exception, "name", Value::str(name));
            let mut candidates: Vec<String> = env.info.declared.iter().map(|local| local.to_string()).collect();
            candidates.extend(env.scope.names.borrow().keys().map(|local| local.to_string()));
            candidates.extend(env.module.namespace.borrow().keys().map(|global| global.to_string()));
            let found = closest(name, &candidates).or_else(|| {
                let builtins: Vec<String> =
                    self.builtins.namespace.borrow().keys().map(|builtin| builtin.to_string()).collect();
                closest(name, &builtins)
            });
            if let Some(found) = found {
                set_field(&raise.exception, SUGGESTION, Value::from(found));
            }
        }
        stop
    }

    /// The TypeError about a keyword that a function does not have, with the parameter that may be meant.
    pub(crate) fn unexpected_keyword(&self, message: String, name: &str, parameters: Vec<String>) -> Box<Stop> {
        match closest(name, &parameters) {
            Some(meant) => {
                let help = Some(format!("did you mean `{meant}`?"));
                self.error_with(&self.types().type_error, message, Diagnosis { help, ..Diagnosis::default() })
            }
            None => self.type_error(message),
        }
    }

    /// What the reader may have meant, for exceptions that have it.
    pub fn suggestion(&self, exception: &Value) -> Option<String> {
        if let Some(Value::Str(name)) = field(exception, SUGGESTION) {
            return Some(name.to_string());
        }
        if !self.exception_is(exception, &self.types().attribute_error) {
            return None;
        }
        let (Some(Value::Str(name)), Some(object)) = (field(exception, "name"), field(exception, "obj")) else {
            return None;
        };
        let mut names = self.attribute_names(&object);
        if matches!(object, Value::Instance(_) | Value::Class(_)) {
            names.extend(["__init__", "__dict__", "__class__", "__doc__", "__module__"].map(str::to_owned));
        }
        names.sort();
        names.dedup();
        closest(&name, &names)
    }
}

/// `calculate_suggestions`
fn closest(name: &str, candidates: &[String]) -> Option<String> {
    if candidates.len() >= MOST_CANDIDATES {
        return None;
    }
    let mut best: Option<&String> = None;
    let mut best_distance = usize::MAX;
    for candidate in candidates {
        if candidate == name {
            continue;
        }
        // At most a third of the characters may differ.
        let most = (name.len() + candidate.len() + 3) * MOVE / 6;
        let most = most.min(best_distance.saturating_sub(1));
        let distance = levenshtein(name.as_bytes(), candidate.as_bytes(), most);
        if distance > most {
            continue;
        }
        if best.is_none() || distance < best_distance {
            best = Some(candidate);
            best_distance = distance;
        }
    }
    best.cloned()
}

fn substitution(a: u8, b: u8) -> usize {
    if a == b {
        0
    } else if a.eq_ignore_ascii_case(&b) {
        CASE
    } else {
        MOVE
    }
}

/// `levenshtein_distance`: more than `most` where it would be.
fn levenshtein(a: &[u8], b: &[u8], most: usize) -> usize {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[common..], &b[common..]);
    let common = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - common], &b[..b.len() - common]);
    if a.is_empty() || b.is_empty() {
        return (a.len() + b.len()) * MOVE;
    }
    if a.len() > LONGEST || b.len() > LONGEST {
        return most + 1;
    }
    let (a, b) = if b.len() < a.len() { (b, a) } else { (a, b) };
    if (b.len() - a.len()) * MOVE > most {
        return most + 1;
    }
    let mut row: Vec<usize> = (1..=a.len()).map(|length| length * MOVE).collect();
    let mut result = 0;
    for (index, &byte) in b.iter().enumerate() {
        let mut distance = index * MOVE;
        result = distance;
        let mut least = usize::MAX;
        for (cell, &other) in row.iter_mut().zip(a) {
            let replaced = distance + substitution(byte, other);
            distance = *cell;
            let moved = result.min(distance) + MOVE;
            result = replaced.min(moved);
            *cell = result;
            least = least.min(result);
        }
        if least > most {
            return most + 1;
        }
    }
    result
}

/// Whether two exceptions are one object.
pub(crate) fn same_exception(a: &Value, b: &Value) -> bool {
    matches!((a, b), (Value::Instance(a), Value::Instance(b)) if Rc::ptr_eq(a, b))
}
