//! Interpreters that are ready before they are needed. Most of what a small file costs is making an interpreter and the modules
//! of JAX in it, which are the same every time: who analyses again and again has the next one made after each answer.
//!
//! What is made ahead is what every program finds that imports these modules; nothing of a program is kept.

use crate::analysis::AnalysisOptions;
use crate::host::AnalysisHost;
use crate::stack::{start_with_large_stack, with_large_stack};
use pallas_python::Limits;
use pallas_python::interp::{Interp, Mode};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::{Sender, channel};

/// What programs with kernels import: at hand before the first of them comes.
const USUAL: [&str; 5] = ["functools", "jax", "jax.numpy", "jax.experimental.pallas", "jax.experimental.pallas.tpu"];

/// An interpreter that has not run anything yet.
pub(crate) struct Ready {
    pub(crate) interp: Rc<Interp>,
    pub(crate) host: Rc<AnalysisHost>,
    limits: Limits,
}

impl Ready {
    /// One with JAX's modules at hand.
    pub(crate) fn new(limits: Limits) -> Ready {
        Ready::with(AnalysisHost::default(), limits)
    }

    fn with(host: AnalysisHost, limits: Limits) -> Ready {
        let host = Rc::new(host);
        let interp = Interp::new(host.clone(), Mode::Analysis, limits.clone());
        pallas_jax::install(&interp);
        Ready { interp, host, limits }
    }

    /// One with native modules made.
    fn importing(host: AnalysisHost, limits: Limits, modules: &[&str]) -> Ready {
        let next = Ready::with(host, limits);
        for module in modules {
            // What cannot be imported ahead is imported, or missed, by the program.
            let _ = next.interp.import(module);
        }
        next
    }

    /// One for a program like the last: with the native modules that it imported.
    fn again(self) -> Ready {
        let modules = self.interp.native_imports();
        let (host, limits) = (self.host.again(), self.limits.clone());
        // Before the next one takes memory.
        drop(self);
        Ready::importing(host, limits, &modules)
    }
}

/// A thread that evaluates one program after the other. Clones share it; it ends when the last of them is dropped.
#[derive(Clone)]
pub struct Evaluator(Option<Sender<(Limits, Work)>>);

type Work = Box<dyn FnOnce(&Ready) + Send>;

impl Default for Evaluator {
    fn default() -> Self {
        Evaluator::new()
    }
}

impl Evaluator {
    /// Starts the thread.
    pub fn new() -> Evaluator {
        Evaluator::start(None)
    }

    /// Starts the thread, which begins at once to make an interpreter ready for an analysis with such bounds.
    pub fn ready(options: &AnalysisOptions) -> Evaluator {
        Evaluator::start(Some(options.limits()))
    }

    fn start(expected: Option<Limits>) -> Evaluator {
        let (sender, receiver) = channel::<(Limits, Work)>();
        let is_started = start_with_large_stack(move || {
            let first = || expected.map(|limits| Ready::importing(AnalysisHost::default(), limits, &USUAL));
            let mut ready = catch_unwind(AssertUnwindSafe(first)).ok().flatten();
            for (limits, work) in receiver {
                let next = ready.take().filter(|ready| ready.limits == limits).unwrap_or_else(|| Ready::new(limits));
                ready = match catch_unwind(AssertUnwindSafe(|| work(&next))) {
                    Ok(()) => catch_unwind(AssertUnwindSafe(|| next.again())).ok(),
                    // Who waits sees that no answer came. What the panic left half done is not taken down in order.
                    Err(_) => {
                        std::mem::forget(next);
                        None
                    }
                };
            }
        });
        Evaluator(is_started.then_some(sender))
    }

    /// What `work` makes of an interpreter that has not run anything yet. `None` if it panics.
    pub(crate) fn evaluate<T: Send + 'static>(
        &self,
        limits: Limits,
        work: impl FnOnce(&Ready) -> T + Send + 'static,
    ) -> Option<T> {
        let Some(thread) = &self.0 else { return evaluate_once(limits, work) };
        let (answer, answers) = channel();
        // Who has gone meanwhile wants no answer.
        let work = move |ready: &Ready| drop(answer.send(work(ready)));
        thread.send((limits, Box::new(work))).ok()?;
        answers.recv().ok()
    }
}

/// The same, with an interpreter that is made for it.
pub(crate) fn evaluate_once<T: Send>(limits: Limits, work: impl FnOnce(&Ready) -> T + Send) -> Option<T> {
    with_large_stack(|| work(&Ready::new(limits))).ok()
}
