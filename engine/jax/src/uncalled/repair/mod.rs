//! What a call with made-up arguments failed for, as a lesson for the next one: `assert x.shape[1] == w.shape[0]` says that two
//! dimensions are the same, `if block is None: raise` that a parameter has to be given. Every dimension of which nothing is known has a
//! length of its own ([`super::Lengths::APART`]), so that a length in a message tells which dimension is spoken of.
//!
//! Whoever calls bounds how often it is tried.

mod access;
mod condition;
mod message;
mod place;
mod shapes;

use super::learnt::Learnt;
use super::planner::{Argument, Attempt, Kind};
use pallas_syntax::ast::{Module, Name};
use pallas_syntax::{FileId, Span};
use std::sync::Arc;

/// Launches of more operands are a misunderstanding.
const MOST_OPERANDS: usize = 32;

/// A call that failed.
pub struct Failure<'a> {
    /// The parameters of the function, those that were left out included.
    pub parameters: &'a [Name],
    /// The exception: its type and what it says.
    pub message: &'a str,
    /// Where it was raised, innermost first.
    pub trace: &'a [Span],
    /// What an expression came to.
    pub shown: &'a dyn Fn(Span) -> Option<Shown>,
    /// The tree of a file of the user's own.
    pub tree: &'a dyn Fn(FileId) -> Option<Arc<Module>>,
}

/// What an expression came to.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Of arrays and Refs: `f32[8,128]`.
    pub ty: Option<String>,
    /// Of numbers and small tuples: as Python prints it.
    pub value: Option<String>,
}

impl Learnt {
    /// Takes the lesson of a finding of a launch, as its evidence says it: what leaves an array fits into a longer one, unless it is the
    /// array's own length that it follows. Whether there was one.
    pub fn learn_length(&mut self, attempt: &Attempt, evidence: &str, help: &str) -> bool {
        let before = self.clone();
        let nothing = Failure { parameters: &[], message: evidence, trace: &[], shown: &|_| None, tree: &|_| None };
        let mut lesson = Lesson { learnt: self, made: &attempt.made, failure: &nothing };
        lesson.outside(help) && *self != before
    }

    /// Takes the lesson of a call that failed. Whether there was one.
    pub fn learn(&mut self, attempt: &Attempt, failure: &Failure<'_>) -> bool {
        let before = self.clone();
        let mut lesson = Lesson { learnt: self, made: &attempt.made, failure };
        let _ = lesson.axis()
            || lesson.context_mesh()
            || lesson.variadic()
            || lesson.mesh()
            || lesson.attribute()
            || lesson.condition()
            || lesson.access()
            || lesson.dtypes()
            || lesson.shape()
            || lesson.message()
            || lesson.member()
            || lesson.left_out();
        *self != before
    }
}

struct Lesson<'a> {
    learnt: &'a mut Learnt,
    made: &'a [Argument],
    failure: &'a Failure<'a>,
}

impl Lesson<'_> {
    /// A collective asks for an axis that nobody bound: the function is called under `shard_map`.
    fn axis(&mut self) -> bool {
        let Some((_, rest)) = self.failure.message.split_once("unbound axis name: ") else { return false };
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        self.learnt.bind_axis(&name);
        !name.is_empty()
    }

    /// A mesh is asked for that nobody set: the function is called under one. Its axes are those that are spoken of.
    fn context_mesh(&mut self) -> bool {
        let message = self.failure.message;
        if message.contains("context mesh cannot be empty") {
            self.learnt.set_context_mesh(vec!["x".into()]);
            return true;
        }
        if self.learnt.context_mesh().is_empty() || !message.contains("refers to '") {
            return false;
        }
        let asked = message.split("refers to ").skip(1).filter_map(|rest| rest.split('\'').nth(1));
        let asked: Vec<Name> =
            asked.map(Name::from).filter(|axis| !self.learnt.context_mesh().contains(axis)).collect();
        let axes = [self.learnt.context_mesh().to_vec(), asked].concat();
        self.learnt.set_context_mesh(axes);
        true
    }

    /// A launch has more specs than operands, and the function hands on what it is given.
    fn variadic(&mut self) -> bool {
        let Some((front, rest)) = self.failure.message.split_once(" specs for ") else { return false };
        let number = |word: Option<&str>| word.and_then(|word| word.parse::<usize>().ok());
        let (specs, operands) = (number(front.rsplit(' ').next()), number(rest.split(' ').next()));
        // Specs that are always there are of operands that are `None` here.
        if specs > operands && self.left_out() {
            return true;
        }
        match specs.zip(operands) {
            Some((specs, operands)) if operands < specs && specs <= MOST_OPERANDS => {
                self.learnt.set_variadic(self.learnt.variadic() + specs - operands);
                true
            }
            _ => false,
        }
    }

    /// Another member of an enum is to be tried: one that a message names, or that a condition was about.
    fn member(&mut self) -> bool {
        let message = self.failure.message;
        let about = |class: &Name| message.contains(&format!("<{class}.")) || message.contains(&format!("{class}."));
        for argument in self.made {
            if let Kind::Member(class, count) = &argument.kind
                && about(class)
                && self.learnt.member(class) + 1 < *count
            {
                self.learnt.set_member(class, self.learnt.member(class) + 1);
                return true;
            }
        }
        false
    }

    /// A mesh is to have other axes: those of the message, two where it says so, or one that was looked up in vain.
    fn mesh(&mut self) -> bool {
        let message = self.failure.message;
        if !self.has_parameter(&Name::from("mesh")) {
            return false;
        }
        let quoted: Vec<Name> = message.split('\'').skip(1).step_by(2).map(Name::from).collect();
        if message.contains("2D mesh") || message.contains("2D Mesh") {
            self.learnt.set_mesh(if quoted.len() == 2 { quoted } else { vec!["x".into(), "y".into()] });
            return true;
        }
        let known = self.learnt.mesh().to_vec();
        match quoted.as_slice() {
            [missing] if message.contains("KeyError") && !known.contains(missing) => {
                self.learnt.set_mesh([known, quoted].concat());
                true
            }
            _ => false,
        }
    }

    /// Something has no attribute that was asked for: what was meant is no array and no number.
    fn attribute(&mut self) -> bool {
        let message = self.failure.message;
        let is_plain = |front: &str| ["'int'", "'float'", "'bool'", "'str'"].iter().any(|kind| front.ends_with(kind));
        let quoted = |rest: &str| rest.split(['\'', '`']).nth(1).map(str::to_string);
        let attribute = match message.split_once(" has no attribute ") {
            Some((front, rest)) if is_plain(front.trim_end_matches(" object")) => quoted(rest),
            _ => message.split_once("arrays have no attribute ").and_then(|(_, rest)| quoted(rest)),
        };
        let Some(attribute) = attribute else { return false };
        let before = self.learnt.clone();
        self.learnt.miss(&attribute);
        *self.learnt != before
    }

    /// The last resort: what was left out is given, a parameter that the place names where there is one, else the fields of
    /// instances that are `None` when nobody says otherwise.
    fn left_out(&mut self) -> bool {
        if self.failure.message.contains("'NoneType'")
            && let Some(name) = self.none_at_place()
        {
            self.learnt.give(&name);
            return true;
        }
        let fields = self.made.iter().filter(|argument| matches!(argument.kind, Kind::LeftOut));
        let fields: Vec<Name> = fields.map(|argument| argument.name.clone()).collect();
        fields.iter().for_each(|field| self.learnt.give(field));
        !fields.is_empty()
    }

    /// Whether the function has a parameter of this name.
    fn has_parameter(&self, name: &Name) -> bool {
        self.failure.parameters.contains(name)
    }

    /// The innermost place that is in a file of the user's own, with its tree.
    fn place(&self) -> Option<(Span, Arc<Module>)> {
        self.failure.trace.iter().find_map(|span| Some((*span, (self.failure.tree)(span.file)?)))
    }
}
