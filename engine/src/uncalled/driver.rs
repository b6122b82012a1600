//! Calls the functions of one file, with arguments that are made up, and made up again where a call fails ([`super::lessons`]).

use super::judge::{assumed, is_structural, judge, kept, only_of_launches};
use super::{Assumed, Record, Seen};
use crate::findings;
use pallas_ir::Finding;
use pallas_jax::SomeDevice;
use pallas_jax::uncalled::{Attempt, Learnt, Lengths, Method, Planner, gradient, within};
use pallas_python::Stop;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{FunctionDef, Module};
use pallas_syntax::{FileId, Span};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Steps that one call may take. Kernels take some thousands; whoever waits for more waits for seconds.
const STEPS: u64 = 150_000;
/// Steps that a call may take that follows another one's lesson.
const STEPS_OF_LESSONS: u64 = 100_000;

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
            let is_made_up = !attempt.words.is_empty();
            let mut tried = call(&attempt)?.of(attempt);
            if !tried.seen.launches.is_empty() {
                self.differentiate(function, &mut tried);
                if !is_made_up {
                    only_of_launches(&mut tried.seen.findings);
                    return Some(kept(def, tried));
                }
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
        // Code that chooses by the device needs one.
        let gpu = self.asks_for_gpus().then_some((Lengths::APART, SomeDevice::Gpu));
        let tpu = [Lengths::APART, Lengths::SMALL_APART].map(|lengths| (lengths, SomeDevice::Tpu));
        for (lengths, device) in tpu.into_iter().chain(gpu) {
            let Some(mut tried) = self.taught(def, function, lengths, device)? else { continue };
            if !tried.seen.launches.is_empty() {
                let other = |lengths| Some(self.taught(def, function, lengths, device)??.seen.findings);
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
