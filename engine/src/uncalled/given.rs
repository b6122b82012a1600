//! Calls that comments above a function give, or the decorators of a test. All that they show is a fact.

use super::driver::{Driver, failure};
use super::judge::{assumed, is_structural};
use super::{Assumed, Seen};
use pallas_ir::{Finding, Label};
use pallas_jax::uncalled::{Attempt, Given};
use pallas_python::module::Module;
use pallas_python::value::Value;
use pallas_syntax::ast::FunctionDef;
use std::cell::RefCell;
use std::rc::Rc;

/// Steps of one call: somebody asked for it.
const STEPS: u64 = 2_000_000;
/// Steps of one call of a test, of which there may be many.
const STEPS_OF_TESTS: u64 = 150_000;

impl Driver<'_> {
    /// Calls one function as comments above it say, each so often at most. `None` if nobody wants to know any more.
    pub(super) fn drive_given(
        &self,
        def: &FunctionDef,
        function: &Value,
        main: &Rc<Module>,
        given: &[Given],
        most: usize,
    ) -> Option<(Assumed, Seen)> {
        let interp = self.interp;
        let mut all = Seen::default();
        let mut problem = None;
        for given in given {
            let calls = RefCell::new(Vec::new());
            let (_, evaluated) = self.bounded(STEPS, &|| {
                *calls.borrow_mut() = given.evaluate(interp, main)?;
                Ok(Value::None)
            });
            if let Err(stop) = evaluated {
                if interp.is_cancelled(&stop) {
                    return None;
                }
                // What decorators say is evaluated where they stand, too.
                let raised = failure(interp, &stop).filter(|_| given.is_comment());
                all.findings.extend(raised.map(|(finding, _)| Finding {
                    message: finding.message.replace("running this", "evaluating this comment"),
                    help: Some(
                        "write `# pallas: call(x=f32[8, 128], block=8)`, with what the function takes".to_string(),
                    ),
                    labels: Vec::new(),
                    span: given.span,
                    ..finding
                }));
                continue;
            }
            for args in calls.take().into_iter().take(most) {
                let attempt = Attempt::new(args, given.arguments.clone());
                let steps = if given.is_comment() { STEPS } else { STEPS_OF_TESTS };
                let mut tried = self.call_within(steps, def, function, None, &attempt)?.of(attempt);
                self.differentiate(function, &mut tried);
                if let Some((finding, _)) = tried.failure {
                    problem = problem.or_else(|| tried.seen.launches.is_empty().then(|| finding.message.clone()));
                    // A test may end by an exception: skipped, for example.
                    if given.is_comment() || is_structural(&finding) {
                        tried.seen.findings.push(finding);
                    }
                }
                for finding in &mut tried.seen.findings {
                    let text = format!("`{}` is called with these arguments", def.name);
                    finding.labels.push(Label { span: given.span, text });
                }
                all.launches.extend(tried.seen.launches);
                // What one call has shown, the next one shows again.
                let is_new = |finding: &Finding, known: &[Finding]| {
                    !known.iter().any(|known| (known.code, known.span) == (finding.code, finding.span))
                };
                tried.seen.findings.retain(|finding| is_new(finding, &all.findings));
                all.findings.extend(tried.seen.findings);
                all.facts.add(tried.seen.facts);
            }
        }
        if all.launches.is_empty() && all.findings.is_empty() {
            problem = problem.or_else(|| Some("it launches nothing with these arguments".to_string()));
        }
        let arguments = given.iter().map(Given::words).collect::<Vec<_>>().join("; ");
        Some((Assumed { arguments, ..assumed(def, None, problem) }, all))
    }
}
