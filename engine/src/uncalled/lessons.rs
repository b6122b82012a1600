//! Calls a function again and again: what a call failed for, or what its launch says of lengths, is a lesson for the next one
//! (`pallas_jax::uncalled`). Which calls are tried first, and what may be said of the last one, is decided elsewhere.

use super::driver::{Driver, Tried};
use pallas_jax::uncalled::{Failure, Learnt, Lengths, Shown};
use pallas_jax::{JaxState, SomeDevice};
use pallas_python::value::Value;
use pallas_syntax::ast::{FunctionDef, Module, Name};
use pallas_syntax::{FileId, Span};
use std::sync::Arc;

/// So often a function is called to learn what it wants.
const MOST_LESSONS: usize = 40;
/// So often arrays are made longer because something left them, or shorter because nothing comes to their end.
const MOST_LENGTHS: usize = 6;
/// Rules about what leaves an array, or leaves part of it out.
const LEAVES: [&str; 4] = ["PL120", "PL121", "PL201", "PL202"];

impl Driver<'_> {
    /// Calls a function again and again, each time with arguments that heed what the call before failed for. The last call;
    /// outside `None` if nobody wants to know any more.
    pub(super) fn taught(
        &self,
        def: &FunctionDef,
        function: &Value,
        lengths: Lengths,
        device: SomeDevice,
    ) -> Option<Option<Tried>> {
        let state = self.interp.extension::<JaxState>();
        let _assumed = state.assuming_some(device);
        let parameters: Vec<Name> = def.params.iter().map(|param| param.name.clone()).collect();
        let mut learnt = Learnt::default();
        let mut last: Option<Tried> = None;
        let mut longer = 0;
        for _ in 0..MOST_LESSONS {
            let Some(attempt) = self.planner.taught(def, lengths, &learnt) else { return Some(last) };
            let tried = self.call(def, function, Some(&learnt), &attempt)?.of(attempt);
            // What fits into longer arrays was nobody's mistake.
            let is_longer = longer < MOST_LENGTHS
                && tried.seen.findings.iter().filter(|finding| LEAVES.contains(&finding.code)).any(|finding| {
                    let text = |text: &Option<String>| text.clone().unwrap_or_default();
                    learnt.learn_length(&tried.attempt, &text(&finding.evidence), &text(&finding.help))
                });
            longer += usize::from(is_longer);
            let is_lesson = is_longer
                || tried.seen.launches.is_empty()
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
            // A lesson that leads away from what was reached is none.
            let was_reached = last.as_ref().is_some_and(|last| !last.seen.launches.is_empty());
            if was_reached && tried.seen.launches.is_empty() {
                break;
            }
            last = Some(tried);
            if !is_lesson {
                break;
            }
        }
        Some(last)
    }

    /// Whether the file compares a platform with that of GPUs.
    pub(super) fn asks_for_gpus(&self) -> bool {
        ["\"gpu\"", "'gpu'"].iter().any(|word| self.module.source.text.contains(word))
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

/// What a message says first: one may show an array with all its elements, from which nothing more is to be learnt.
fn beginning(message: &str) -> &str {
    const MOST: usize = 1000;
    message.char_indices().nth(MOST).map_or(message, |(end, _)| &message[..end])
}
