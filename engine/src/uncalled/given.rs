//! Calls that comments above a function give. All that they show is a fact.

use super::driver::{Driver, failure};
use super::judge::assumed;
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

impl Driver<'_> {
    /// Calls one function as comments above it say. `None` if nobody wants to know any more.
    pub(super) fn drive_given(
        &self,
        def: &FunctionDef,
        function: &Value,
        main: &Rc<Module>,
        given: &[Given],
    ) -> Option<(Assumed, Seen)> {
        let interp = self.interp;
        let mut all = Seen::default();
        let mut problem = None;
        for given in given {
            let args = RefCell::new(None);
            let (_, evaluated) = self.bounded(STEPS, &|| {
                *args.borrow_mut() = Some(given.evaluate(interp, main)?);
                Ok(Value::None)
            });
            if let Err(stop) = evaluated {
                if interp.is_cancelled(&stop) {
                    return None;
                }
                all.findings.extend(failure(interp, &stop).map(|(finding, _)| Finding {
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
            let attempt = Attempt::new(args.take().unwrap_or_default(), given.arguments.clone());
            let mut tried = self.call_within(STEPS, def, function, None, &attempt)?.of(attempt);
            self.differentiate(function, &mut tried);
            if let Some((finding, _)) = tried.failure {
                problem = problem.or_else(|| tried.seen.launches.is_empty().then(|| finding.message.clone()));
                tried.seen.findings.push(finding);
            }
            for finding in &mut tried.seen.findings {
                let text = format!("`{}` is called with these arguments", def.name);
                finding.labels.push(Label { span: given.span, text });
            }
            all.launches.extend(tried.seen.launches);
            all.findings.extend(tried.seen.findings);
            all.facts.add(tried.seen.facts);
        }
        if all.launches.is_empty() && all.findings.is_empty() {
            problem = problem.or_else(|| Some("it launches nothing with these arguments".to_string()));
        }
        let words = |given: &Given| given.arguments.split_whitespace().collect::<Vec<_>>().join(" ");
        let arguments = given.iter().map(words).collect::<Vec<_>>().join("; ");
        Some((Assumed { arguments, ..assumed(def, None, problem) }, all))
    }
}
