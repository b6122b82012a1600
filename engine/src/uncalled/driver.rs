//! Calls the functions of one file, with arguments that are made up, and made up again where a call fails.

use super::judge::{assumed, is_structural, judge, kept};
use super::{Assumed, Record, Seen};
use crate::findings;
use pallas_ir::Finding;
use pallas_jax::JaxState;
use pallas_jax::uncalled::{Attempt, Failure, Learnt, Lengths, Method, Planner, Shown, gradient, within};
use pallas_python::Stop;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{FunctionDef, Module, Name};
use pallas_syntax::{FileId, Span};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Steps that one call may take. Kernels take some thousands; whoever waits for more waits for seconds.
const STEPS: u64 = 150_000;
/// Steps that a call may take that follows another one's lesson.
const STEPS_OF_LESSONS: u64 = 100_000;
/// So often a function is called to learn what it wants.
const MOST_LESSONS: usize = 40;
pub(super) struct Driver<'a> {
    pub(super) interp: &'a Interp,
    pub(super) module: &'a Arc<Module>,
    pub(super) planner: Planner<'a>,
    pub(super) record: Record<'a>,
    pub(super) left: Cell<u64>,
    pub(super) has_gradients: bool,
    /// Of imported files that calls failed in.
    pub(super) trees: RefCell<HashMap<FileId, Arc<Module>>>,
}

impl Driver<'_> {
    pub(super) fn bounded(&self, steps: u64, work: &dyn Fn() -> PyResult<Value>) -> (Seen, PyResult<Value>) {
        let steps = steps.min(self.left.get());
        let (recorded, unused) = self.interp.with_budget(steps, || (self.record)(work));
        self.left.set(self.left.get().saturating_sub(steps - unused));
        recorded
    }

    /// A method of an instance that is made for it; `None` if none can be made.
    pub(super) fn method(&self, main: &pallas_python::module::Module, method: &Method) -> Option<Value> {
        let class = main.namespace.borrow().get(&method.class).cloned()?;
        let bound = RefCell::new(None);
        let make = || {
            let Some(instance) = self.planner.instance(&class, method.constructor.as_deref())? else {
                return Ok(Value::None);
            };
            *bound.borrow_mut() = Some(self.interp.get_attr(&instance, &method.name)?);
            Ok(Value::None)
        };
        let _ = self.bounded(STEPS, &make);
        bound.take()
    }

    /// Calls one function with what can be made up for it. `None` if nobody wants to know any more.
    pub(super) fn drive(&self, def: &FunctionDef, function: &Value) -> Option<(Assumed, Seen)> {
        let call = |attempt: &Attempt| self.call(def, function, None, attempt);
        let mut best: Option<Tried> = None;
        let usual = match self.planner.attempts(def, Lengths::USUAL) {
            Ok(usual) => usual,
            Err(problem) => return Some((assumed(def, None, Some(problem)), Seen::default())),
        };
        for (index, attempt) in usual.into_iter().enumerate() {
            let mut tried = call(&attempt)?.of(attempt);
            if !tried.seen.launches.is_empty() {
                self.differentiate(function, &mut tried);
                let others = || {
                    [Lengths::LONGER, Lengths::SQUARE].map(|lengths| {
                        let same = self.planner.attempts(def, lengths).unwrap_or_default();
                        same.get(index).and_then(call).map(|called| called.seen.findings).unwrap_or_default()
                    })
                };
                judge(&mut tried.seen.findings, others);
                return Some(kept(def, tried));
            }
            // Another rank would take as many.
            let took_too_many = tried.failure.as_ref().is_some_and(|(finding, _)| finding.code == "PL003");
            if best.as_ref().is_none_or(|best| best.seen.facts.count() < tried.seen.facts.count()) {
                best = Some(tried);
            }
            if took_too_many {
                break;
            }
        }
        for lengths in [Lengths::APART, Lengths::SMALL_APART] {
            let Some(mut tried) = self.taught(def, function, lengths)? else { continue };
            if !tried.seen.launches.is_empty() {
                let other = |lengths| Some(self.taught(def, function, lengths)??.seen.findings);
                // What does not fit into memory, and which grids are empty, is for those to judge who know real lengths.
                tried.seen.findings.retain(|finding| !finding.code.starts_with("PL5") && finding.code != "PL123");
                judge(&mut tried.seen.findings, || [other(Lengths::LONG_APART).unwrap_or_default()]);
                return Some(kept(def, tried));
            }
            // A mistake that no argument is to blame for is what was looked for.
            let is_mistake = tried.failure.as_ref().is_some_and(|(finding, _)| is_structural(finding));
            if is_mistake || best.as_ref().is_none_or(|best| best.seen.facts.count() < tried.seen.facts.count()) {
                best = Some(tried);
            }
            if is_mistake {
                break;
            }
        }
        Some(match best {
            Some(tried) => kept(def, tried),
            None => (assumed(def, None, None), Seen::default()),
        })
    }

    /// Calls a function again and again, each time with arguments that heed what the call before failed for. The last call;
    /// outside `None` if nobody wants to know any more.
    fn taught(&self, def: &FunctionDef, function: &Value, lengths: Lengths) -> Option<Option<Tried>> {
        // Code that chooses by the TPU needs one.
        let state = self.interp.extension::<JaxState>();
        let _assumed = state.assuming_some_tpu();
        let parameters: Vec<Name> = def.params.iter().map(|param| param.name.clone()).collect();
        let mut learnt = Learnt::default();
        let mut last = None;
        for _ in 0..MOST_LESSONS {
            let Some(attempt) = self.planner.taught(def, lengths, &learnt) else { return Some(last) };
            let tried = self.call(def, function, Some(&learnt), &attempt)?.of(attempt);
            let is_lesson = tried.seen.launches.is_empty()
                && tried.failure.as_ref().is_some_and(|(finding, trace)| {
                    let failure = Failure {
                        parameters: &parameters,
                        message: beginning(&finding.message),
                        trace,
                        shown: &|span| {
                            let fact = tried.seen.facts.get(span)?;
                            Some(Shown { ty: fact.ty.clone(), value: fact.value.clone() })
                        },
                        tree: &|file| self.tree(file),
                    };
                    learnt.learn(&tried.attempt, &failure)
                });
            last = Some(tried);
            if !is_lesson {
                break;
            }
        }
        Some(last)
    }

    /// One call; `None` if nobody wants to know any more.
    pub(super) fn call(
        &self,
        def: &FunctionDef,
        function: &Value,
        learnt: Option<&Learnt>,
        attempt: &Attempt,
    ) -> Option<Called> {
        // Loops over dimensions that are unrolled are cut off sooner where there are other lengths to try.
        self.call_within(if learnt.is_some() { STEPS_OF_LESSONS } else { STEPS }, def, function, learnt, attempt)
    }

    /// One call of at most so many steps, with the meshes that calls have taught of; `None` if nobody wants to know any more.
    pub(super) fn call_within(
        &self,
        steps: u64,
        def: &FunctionDef,
        function: &Value,
        learnt: Option<&Learnt>,
        attempt: &Attempt,
    ) -> Option<Called> {
        let interp = self.interp;
        let meshes = learnt.filter(|learnt| learnt.has_mesh());
        let (seen, result) = self.bounded(steps, &|| match meshes {
            None => interp.call_entry(function, attempt.args.clone(), def.name_span),
            Some(learnt) => within(interp, function, learnt, &attempt.args),
        });
        if matches!(&result, Err(stop) if interp.is_cancelled(stop)) {
            return None;
        }
        let failure = result.err().and_then(|stop| failure(interp, &stop));
        Some(Called { seen, failure })
    }

    /// Adds what its gradient launches.
    pub(super) fn differentiate(&self, function: &Value, tried: &mut Tried) {
        if self.has_gradients {
            let (backward, _) = self.bounded(STEPS, &|| gradient(self.interp, function, &tried.attempt.args));
            tried.seen.launches.extend(backward.launches);
            tried.seen.facts.add(backward.facts);
        }
    }

    /// The tree of a file of the user's own.
    fn tree(&self, file: FileId) -> Option<Arc<Module>> {
        if self.module.holds(Span { file, ..Span::default() }) {
            return Some(self.module.clone());
        }
        if let Some(tree) = self.trees.borrow().get(&file) {
            return Some(tree.clone());
        }
        let source = self.interp.sources().into_iter().find(|source| source.id == file)?;
        if self.interp.is_installed(file) {
            return None;
        }
        let tree = Arc::new(pallas_syntax::parse(source));
        self.trees.borrow_mut().insert(file, tree.clone());
        Some(tree)
    }
}

/// What is said of an evaluation that stopped, and where it did, innermost first.
pub(super) fn failure(interp: &Interp, stop: &Stop) -> Option<(Finding, Vec<Span>)> {
    match stop {
        Stop::Raise(raise) => {
            let trace = raise.traceback.iter().map(|entry| entry.span).collect();
            Some((findings::raised(interp, raise), trace))
        }
        Stop::Abort(abort) => findings::aborted(abort).map(|finding| (finding, Vec::new())),
    }
}

/// What a call came to.
pub(super) struct Called {
    pub(super) seen: Seen,
    /// What it raised, and where, innermost first.
    failure: Option<(Finding, Vec<Span>)>,
}

/// A call and what it came to.
pub(super) struct Tried {
    pub(super) seen: Seen,
    pub(super) failure: Option<(Finding, Vec<Span>)>,
    pub(super) attempt: Attempt,
}

impl Called {
    pub(super) fn of(self, attempt: Attempt) -> Tried {
        Tried { seen: self.seen, failure: self.failure, attempt }
    }
}

/// What a message says first: one may show an array with all its elements, from which nothing more is to be learnt.
fn beginning(message: &str) -> &str {
    const MOST: usize = 1000;
    message.char_indices().nth(MOST).map_or(message, |(end, _)| &message[..end])
}
