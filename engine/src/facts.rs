//! What was seen while evaluating: the type of each expression, for hovers and inlay hints.

use pallas_python::interp::{Interp, Observer};
use pallas_python::{Stop, Value};
use pallas_syntax::ast::Name;
use pallas_syntax::{FileId, Span};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What an expression was, when it was last evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// `f32[8,128]`, `ref<f32[8,128]>`: for arrays and Refs.
    pub ty: Option<String>,
    /// A short `repr`, for numbers, strings and small tuples.
    pub value: Option<String>,
    /// Of Python integers the least and the largest that it was.
    pub integers: Option<(i64, i64)>,
    /// The name of its Python type.
    pub class: String,
    /// What else it was when it was evaluated before: other types, as [`Fact::text`] says them, at most
    /// [`MOST_OTHERS`] of them.
    pub others: Vec<String>,
    /// It was seen only in a call with made-up arguments: of which function of [`crate::Analysis::assumed`].
    pub assumed: Option<Name>,
}

/// More types of one expression are not worth keeping.
pub const MOST_OTHERS: usize = 4;

impl Fact {
    /// Takes in what was known before a number of evaluations that this is the sum of.
    fn follow(&mut self, earlier: Fact) {
        if self.value != earlier.value {
            self.value = None;
        }
        self.integers =
            self.integers.zip(earlier.integers).map(|(now, before)| (now.0.min(before.0), now.1.max(before.1)));
        let mut before = earlier.text().to_string();
        let mut others = earlier.others;
        for now in self.others.drain(..).chain([self.ty.as_ref().unwrap_or(&self.class).clone()]) {
            if now != before {
                if !others.contains(&before) && others.len() < MOST_OTHERS {
                    others.push(before);
                }
                others.retain(|other| *other != now);
                before = now;
            }
        }
        self.others = others;
    }

    /// What it was: `f32[8,128]` for arrays and Refs, else the name of its Python type.
    pub fn text(&self) -> &str {
        self.ty.as_deref().unwrap_or(&self.class)
    }

    /// Takes in what was known of earlier evaluations. A value that was not always the same is no longer said.
    fn merge(&mut self, earlier: Fact) {
        if self.value != earlier.value {
            self.value = None;
        }
        self.integers =
            self.integers.zip(earlier.integers).map(|(now, before)| (now.0.min(before.0), now.1.max(before.1)));
        self.others = earlier.others;
        if (&self.ty, &self.class) != (&earlier.ty, &earlier.class) {
            let text = earlier.ty.unwrap_or(earlier.class);
            if !self.others.contains(&text) && self.others.len() < MOST_OTHERS {
                self.others.push(text);
            }
        }
        if let Some(same) = self.others.iter().position(|other| other == self.text()) {
            self.others.remove(same);
        }
    }
}

/// Facts by span. Those of calls with made-up arguments are shared with whoever remembers the calls, and stand behind those of
/// the program itself.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    facts: HashMap<Span, Fact>,
    assumed: Vec<Arc<AssumedFacts>>,
    /// Which of `assumed` tell of a file, or of a piece of one.
    by_file: HashMap<FileId, Vec<usize>>,
    visits: Option<HashMap<Span, Option<Arc<str>>>>,
    /// The calls being made when a launch was, with visits.
    launching: HashSet<Span>,
}

/// The facts of a call with made-up arguments.
#[derive(Debug, Default)]
pub(crate) struct AssumedFacts {
    facts: HashMap<Span, Fact>,
    files: Vec<FileId>,
    visits: Option<HashMap<Span, Option<Arc<str>>>>,
    launching: HashSet<Span>,
}

impl Facts {
    /// The fact of exactly this span.
    pub fn get(&self, span: Span) -> Option<&Fact> {
        let assumed = || self.by_file.get(&span.file)?.iter().find_map(|call| self.assumed[*call].facts.get(&span));
        self.facts.get(&span).or_else(assumed)
    }

    /// The innermost expression at an offset that has a fact.
    pub fn at(&self, file: FileId, offset: u32) -> Option<(Span, &Fact)> {
        self.iter()
            .filter(|(span, _)| span.file == file && span.touches(offset))
            .min_by_key(|(span, _)| (span.end - span.start, span.start))
    }

    /// Whether an expression of this span was evaluated. Only known where visits were asked for.
    pub fn was_evaluated(&self, span: Span) -> bool {
        self.visits.as_ref().is_some_and(|visits| visits.contains_key(&span))
    }

    /// Why what an expression gave is not known. Only known where visits were asked for.
    pub fn why_unknown(&self, span: Span) -> Option<&str> {
        self.visits.as_ref()?.get(&span)?.as_deref()
    }

    /// Of the expressions inside a span whose value is not known, why the first is not. Only known where visits were asked
    /// for.
    pub fn why_unknown_within(&self, span: Span) -> Option<&str> {
        let unknown = self.visits.iter().flatten().filter_map(|(at, why)| Some((at, why.as_deref()?)));
        unknown.filter(|(at, _)| span.covers(**at)).min_by_key(|(at, _)| (at.start, at.end)).map(|(_, why)| why)
    }

    /// The calls inside a span that something was launched in. Only known where visits were asked for.
    pub fn launching_within(&self, span: Span) -> impl Iterator<Item = Span> {
        self.launching.iter().copied().filter(move |call| span.covers(*call))
    }

    /// How many expressions inside a span were evaluated. Only known where visits were asked for.
    pub fn evaluated_within(&self, span: Span) -> usize {
        self.visits.iter().flatten().filter(|(at, _)| span.covers(**at)).count()
    }

    /// Adds facts where nothing is known yet.
    pub(crate) fn add(&mut self, more: Facts) {
        for (span, fact) in more.facts {
            self.facts.entry(span).or_insert(fact);
        }
        if let (Some(visits), Some(more)) = (&mut self.visits, more.visits) {
            for (span, why) in more {
                visits.entry(span).or_insert(why);
            }
        }
        self.launching.extend(more.launching);
    }

    /// Facts of a call of a function with made-up arguments.
    pub(crate) fn into_assumed(mut self, function: &Name) -> AssumedFacts {
        let mut files: Vec<FileId> = Vec::new();
        for (span, fact) in &mut self.facts {
            fact.assumed = Some(function.clone());
            if !files.contains(&span.file) {
                files.push(span.file);
            }
        }
        AssumedFacts { facts: self.facts, files, visits: self.visits, launching: self.launching }
    }

    /// Adds the facts of a call with made-up arguments, where nothing is known yet.
    pub(crate) fn assume(&mut self, more: &Arc<AssumedFacts>) {
        for file in &more.files {
            self.by_file.entry(*file).or_default().push(self.assumed.len());
        }
        self.assumed.push(more.clone());
        if let (Some(visits), Some(more)) = (&mut self.visits, &more.visits) {
            for (span, why) in more {
                visits.entry(*span).or_insert_with(|| why.clone());
            }
        }
        self.launching.extend(&more.launching);
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Span, &Fact)> {
        let assumed = self.assumed.iter().flat_map(|call| &call.facts);
        // Of several facts of one span the first counts.
        let assumed = assumed.filter(|(span, fact)| self.get(**span).is_some_and(|first| std::ptr::eq(first, *fact)));
        self.facts.iter().chain(assumed).map(|(span, fact)| (*span, fact))
    }

    /// How many the program itself gave, without those of made-up calls.
    pub(crate) fn count(&self) -> usize {
        self.facts.len()
    }
}

/// Collects facts, and the exceptions that top-level statements end with.
#[derive(Default)]
pub(crate) struct Collector {
    facts: RefCell<HashMap<Span, Fact>>,
    visits: Option<RefCell<HashMap<Span, Option<Arc<str>>>>>,
    launching: RefCell<HashSet<Span>>,
}

impl Collector {
    /// A collector that also remembers what was evaluated at all.
    pub(crate) fn with_visits(visits: bool) -> Collector {
        Collector { visits: visits.then(RefCell::default), ..Collector::default() }
    }

    /// Remembers from where something is launched.
    pub(crate) fn launching(&self, interp: &Interp) {
        if self.visits.is_some() {
            self.launching.borrow_mut().extend(interp.stack().into_iter().map(|entry| entry.span));
        }
    }

    /// Takes back what was collected before, in place of what it has.
    pub(crate) fn put(&self, facts: Facts) {
        *self.facts.borrow_mut() = facts.facts;
    }

    /// Adds what evaluations gave that are not made again.
    pub(crate) fn add(&self, later: &Facts) {
        let mut facts = self.facts.borrow_mut();
        for (span, fact) in &later.facts {
            let mut fact = fact.clone();
            if let Some(earlier) = facts.remove(span) {
                fact.follow(earlier);
            }
            facts.insert(*span, fact);
        }
    }

    /// What was collected so far; the collector keeps nothing.
    pub(crate) fn take(&self) -> Facts {
        Facts {
            facts: self.facts.take(),
            visits: self.visits.as_ref().map(RefCell::take),
            launching: self.launching.take(),
            ..Facts::default()
        }
    }
}

/// Longer values are not worth a hover line.
const LONGEST_VALUE: usize = 80;

impl Observer for Collector {
    fn expression(&self, span: Span, value: &Value, interp: &Interp) {
        if let Some(visits) = &self.visits {
            let why = match value {
                Value::Unknown(unknown) => Some(Arc::from(&*unknown.why)),
                _ => None,
            };
            visits.borrow_mut().insert(span, why);
        }
        // Nobody hovers over what is installed.
        if interp.is_installed(span.file) {
            return;
        }
        let mut fact = match value {
            Value::Object(object) => Fact {
                ty: object.summary(interp),
                value: None,
                integers: None,
                class: interp.type_name(value),
                others: Vec::new(),
                assumed: None,
            },
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => plain(interp, value),
            Value::Tuple(items) if items.iter().all(is_plain) && items.len() <= 8 => plain(interp, value),
            _ => return,
        };
        let mut facts = self.facts.borrow_mut();
        if let Some(earlier) = facts.remove(&span) {
            fact.merge(earlier);
        }
        facts.insert(span, fact);
    }

    fn follows_packages(&self) -> bool {
        self.visits.is_some()
    }

    fn raised(&self, _stop: &Stop, _interp: &Interp) {}
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_))
}

fn plain(interp: &Interp, value: &Value) -> Fact {
    let text = interp.repr(value).ok().filter(|text| text.len() <= LONGEST_VALUE);
    let integer = match value {
        Value::Int(integer) => integer.to_i64(),
        _ => None,
    };
    let integers = integer.map(|integer| (integer, integer));
    Fact { ty: None, value: text, integers, class: interp.type_name(value), others: Vec::new(), assumed: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(ty: Option<&str>, value: Option<&str>) -> Fact {
        Fact {
            ty: ty.map(str::to_string),
            value: value.map(str::to_string),
            integers: value.and_then(|value| value.parse().ok()).map(|value| (value, value)),
            class: "int".to_string(),
            others: Vec::new(),
            assumed: None,
        }
    }

    fn merged(facts: &[Fact]) -> Fact {
        let mut facts = facts.iter().cloned();
        let first = facts.next().expect("one fact at least");
        facts.fold(first, |earlier, mut now| {
            now.merge(earlier);
            now
        })
    }

    #[test]
    fn a_value_that_changes_is_no_value() {
        assert_eq!(merged(&[fact(None, Some("1")), fact(None, Some("1"))]), fact(None, Some("1")));
        let changing = [fact(None, Some("1")), fact(None, Some("2")), fact(None, Some("2"))];
        assert_eq!(merged(&changing), Fact { integers: Some((1, 2)), ..fact(None, None) });
    }

    #[test]
    fn evaluations_can_be_summed_up_in_parts() {
        let types = ["f32[2]", "f32[4]", "f32[2]", "f32[8]", "f32[8]", "f32[4]"];
        let all: Vec<Fact> = types.iter().map(|ty| fact(Some(ty), None)).chain([fact(None, Some("3"))]).collect();
        for cut in 1..all.len() {
            let mut later = merged(&all[cut..]);
            later.follow(merged(&all[..cut]));
            let whole = merged(&all);
            assert_eq!((later.text(), later.value.as_ref()), (whole.text(), whole.value.as_ref()));
            let sorted = |fact: &Fact| {
                let mut others = fact.others.clone();
                others.sort();
                others
            };
            assert_eq!(sorted(&later), sorted(&whole), "{cut}");
        }
    }

    #[test]
    fn types_of_earlier_evaluations_are_kept_once() {
        let (a, b) = (fact(Some("f32[2]"), None), fact(Some("f32[4]"), None));
        assert_eq!(merged(&[a.clone(), b.clone(), b.clone()]).others, ["f32[2]"]);
        assert_eq!(merged(&[a.clone(), b.clone(), a]).others, ["f32[4]"]);
        let many: Vec<Fact> = (0..9).map(|size| fact(Some(&format!("f32[{size}]")), None)).collect();
        assert_eq!(merged(&many).others.len(), MOST_OTHERS);
    }
}
