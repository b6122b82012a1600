//! Analysis of functions that nobody calls: each that leads to a launch is called with made-up arguments
//! (`pallas_jax::uncalled`), so that files of kernels have shapes, launches and findings like programs do.
//!
//! What a made-up call shows depends on what was made up. Types and launches are kept as assumed ones. Findings are kept
//! where the arguments cannot be to blame: mistakes in the structure of a launch always, blocks and indices out of bounds
//! only if they are so for arguments of other lengths, too; exceptions about shapes and values never.

use crate::facts::Facts;
use crate::findings;
use pallas_ir::{Certainty, Finding, Label, Launch, Severity};
use pallas_jax::uncalled::{Attempt, Lengths, Planner, gradient, leading};
use pallas_python::Stop;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::{FunctionDef, Module, Name};
use std::cell::Cell;
use std::sync::Arc;

/// A function that was called with made-up arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The function.
    pub function: Name,
    /// All of its definition.
    pub definition: Span,
    /// What it was called with: `x: f32[1024,1024], causal: False`. Empty if nothing was, or could be made up.
    pub arguments: String,
    /// Why the call came to no launch, if it did not.
    pub problem: Option<String>,
}

/// What one call with made-up arguments has shown.
pub(crate) struct Seen {
    pub(crate) launches: Vec<Arc<Launch>>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) facts: Facts,
}

/// What all of them have shown.
#[derive(Default)]
pub(crate) struct Uncalled {
    pub(crate) functions: Vec<Assumed>,
    /// By the function's place in `functions`.
    pub(crate) seen: Vec<(usize, Seen)>,
}

/// Steps that one call may take. Kernels take some thousands.
const STEPS: u64 = 2_000_000;
/// Functions of one file.
const MOST_FUNCTIONS: usize = 100;
/// Steps of all calls together; with the program's own they bound an analysis.
const MOST_STEPS: u64 = 20_000_000;

/// Mistakes that no argument can be to blame for: rules about specs, index maps, and kernels as such.
const STRUCTURAL: [&str; 16] = [
    "PL002", "PL005", "PL103", "PL106", "PL107", "PL108", "PL109", "PL110", "PL112", "PL113", "PL114", "PL115",
    "PL122", "PL305", "PL308", "PL310",
];
/// Mistakes that show for some lengths and not for others.
const GEOMETRIC: [&str; 9] = ["PL120", "PL121", "PL123", "PL124", "PL125", "PL201", "PL202", "PL203", "PL204"];

/// Runs a call with observers of its own, and gives what they saw with what the call gave.
type Record<'a> = &'a dyn Fn(&dyn Fn() -> PyResult<Value>) -> (Seen, PyResult<Value>);

/// Calls the functions of a file that nobody has called, each recorded on its own.
pub(crate) fn call_them(interp: &Interp, module: &Arc<Module>, record: Record<'_>) -> Uncalled {
    let mut uncalled = Uncalled::default();
    let Ok(Value::Module(main)) = interp.import("__main__") else { return uncalled };
    let planner = Planner::new(interp, module, &main);
    let left = Cell::new(MOST_STEPS);
    let bounded = |work: &dyn Fn() -> PyResult<Value>| {
        let steps = STEPS.min(left.get());
        let (recorded, unused) = interp.with_budget(steps, || record(work));
        left.set(left.get().saturating_sub(steps - unused));
        recorded
    };
    for def in leading(module).into_iter().take(MOST_FUNCTIONS) {
        // An outer function may have called it by now.
        if interp.was_entered(def.span) {
            continue;
        }
        let Some(function) = main.namespace.borrow().get(&def.name).cloned() else { continue };
        let call = |attempt: &Attempt| bounded(&|| interp.call_entry(&function, attempt.args.clone(), def.name_span));
        let mut best: Option<(Seen, Option<Finding>, &Attempt)> = None;
        let usual = match planner.attempts(&def, Lengths::USUAL) {
            Ok(usual) => usual,
            Err(problem) => {
                uncalled.keep(&def, None, Some(problem));
                continue;
            }
        };
        for (index, attempt) in usual.iter().enumerate() {
            let (mut seen, result) = call(attempt);
            if matches!(&result, Err(stop) if interp.is_cancelled(stop)) {
                return uncalled;
            }
            if !seen.launches.is_empty() {
                if module.source.text.contains("custom_vjp") {
                    let (backward, _) = bounded(&|| gradient(interp, &function, &attempt.args));
                    seen.launches.extend(backward.launches);
                    seen.facts.assume(backward.facts, None);
                }
                let others = || {
                    [Lengths::LONGER, Lengths::SQUARE].map(|lengths| {
                        let same = planner.attempts(&def, lengths).unwrap_or_default();
                        same.get(index).map(|attempt| call(attempt).0.findings).unwrap_or_default()
                    })
                };
                judge(&mut seen.findings, others);
                best = Some((seen, None, attempt));
                break;
            }
            let problem = result.err().and_then(|stop| match *stop {
                Stop::Raise(raise) => Some(findings::raised(interp, &raise)),
                Stop::Abort(abort) => findings::aborted(&abort),
            });
            if best.as_ref().is_none_or(|(known, ..)| known.facts.len() < seen.facts.len()) {
                best = Some((seen, problem, attempt));
            }
        }
        uncalled.keep(&def, best, None);
    }
    uncalled
}

/// Keeps the findings that no argument is to blame for; `others` are those of calls with other arguments.
fn judge(findings: &mut Vec<Finding>, others: impl FnOnce() -> [Vec<Finding>; 2]) {
    findings.retain(|finding| is_structural(finding) || GEOMETRIC.contains(&finding.code));
    if findings.iter().all(is_structural) {
        return;
    }
    let others = others();
    let same = |a: &Finding, b: &Finding| a.code == b.code && a.span == b.span;
    findings.retain_mut(|finding| {
        if is_structural(finding) {
            return true;
        }
        finding.certainty = Certainty::Possible;
        if finding.severity == Severity::Error {
            finding.severity = Severity::Warning;
        }
        others.iter().all(|other| other.iter().any(|found| same(finding, found)))
    });
}

fn is_structural(finding: &Finding) -> bool {
    match finding.code {
        // A name that is not there, and a name that a module does not have; what a made-up argument lacks is no mistake.
        "PL001" => finding.message.contains("raises NameError"),
        "PL312" => finding.message.contains("module '"),
        code => STRUCTURAL.contains(&code),
    }
}

impl Uncalled {
    fn keep(&mut self, def: &FunctionDef, best: Option<(Seen, Option<Finding>, &Attempt)>, problem: Option<String>) {
        let mut assumed =
            Assumed { function: def.name.clone(), definition: def.span, arguments: String::new(), problem };
        if let Some((mut seen, problem, attempt)) = best {
            assumed.arguments.clone_from(&attempt.words);
            assumed.problem = match (&problem, seen.launches.is_empty()) {
                (_, false) => None,
                (Some(problem), true) => Some(problem.message.clone()),
                (None, true) => Some("it launches nothing with such arguments".to_string()),
            };
            seen.findings.extend(problem);
            // Those of calls that came to a launch have been judged.
            if seen.launches.is_empty() {
                seen.findings.retain(is_structural);
            }
            for finding in &mut seen.findings {
                finding.labels.retain(|label| label.span != def.name_span);
                let text = match attempt.words.as_str() {
                    "" => format!("nobody calls `{}` here; it was called without arguments", def.name),
                    words => format!("nobody calls `{}` here; it was called with {words}", def.name),
                };
                finding.labels.push(Label { span: def.name_span, text });
            }
            self.seen.push((self.functions.len(), seen));
        }
        self.functions.push(assumed);
    }
}
