//! Analysis of functions that nobody calls: each that leads to a launch is called with made-up arguments
//! (`pallas_jax::uncalled`), so that files of kernels have shapes, launches and findings like programs do.
//!
//! What a made-up call shows depends on what was made up. Types and launches are kept as assumed ones. Findings are kept
//! where the arguments cannot be to blame: mistakes in the structure of a launch always, blocks and indices out of bounds
//! only if they are so for arguments of other lengths, too; exceptions about shapes and values never.

use crate::facts::{AssumedFacts, Facts};
use crate::findings;
use crate::memory::Memory;
use pallas_ir::{Certainty, Finding, Label, Launch, Severity};
use pallas_jax::JaxState;
use pallas_jax::uncalled::{Attempt, Lengths, Planner, gradient, is_launch, leading};
use pallas_python::Stop;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{FunctionDef, Module, Name};
use pallas_syntax::{Dependences, Span};
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
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) launches: Vec<Arc<Launch>>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) facts: Facts,
}

/// What the calls of one function have shown.
pub(crate) struct Drive {
    pub(crate) assumed: Assumed,
    pub(crate) launches: Vec<Arc<Launch>>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) facts: Arc<AssumedFacts>,
    /// The functions of the file that were called on the way.
    entered: Vec<Span>,
    /// Steps that it took.
    steps: u64,
}

/// Steps that one call may take. Kernels take some thousands.
const STEPS: u64 = 2_000_000;
/// Functions of one file.
const MOST_FUNCTIONS: usize = 100;
/// Steps of all calls together; with the program's own they bound an analysis.
const MOST_STEPS: u64 = 20_000_000;

/// Mistakes that no argument can be to blame for: rules about specs, index maps, and kernels as such.
const STRUCTURAL: [&str; 17] = [
    "PL002", "PL005", "PL103", "PL106", "PL107", "PL108", "PL109", "PL110", "PL112", "PL113", "PL114", "PL115",
    "PL122", "PL305", "PL308", "PL310", "PL505",
];
/// Mistakes that show for some lengths and not for others.
const GEOMETRIC: [&str; 28] = [
    "PL120", "PL121", "PL123", "PL124", "PL125", "PL126", "PL128", "PL129", "PL201", "PL202", "PL203", "PL204",
    "PL205", "PL206", "PL401", "PL402", "PL410", "PL412", "PL413", "PL414", "PL415", "PL501", "PL502", "PL503",
    "PL504", "PL506", "PL507", "PL508",
];

/// Runs a call with observers of its own, and gives what they saw with what the call gave.
type Record<'a> = &'a dyn Fn(&dyn Fn() -> PyResult<Value>) -> (Seen, PyResult<Value>);

/// Where drives are remembered, and what they depend on besides the items of the file.
pub(crate) struct Remembered<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) dependences: &'a Dependences,
    pub(crate) world: u64,
}

/// Calls the functions of a file that nobody has called, each recorded on its own. What is remembered is not called again.
pub(crate) fn call_them(
    interp: &Interp,
    module: &Arc<Module>,
    remembered: Option<&Remembered<'_>>,
    record: Record<'_>,
) -> Vec<Arc<Drive>> {
    let mut drives = Vec::new();
    let Ok(Value::Module(main)) = interp.import("__main__") else { return drives };
    let driver = Driver {
        interp,
        planner: Planner::new(interp, module, &main),
        record,
        left: Cell::new(MOST_STEPS),
        has_gradients: module.source.text.contains("custom_vjp"),
    };
    let items = remembered.map(|_| module.items()).unwrap_or_default();
    for def in leading(module).into_iter().take(MOST_FUNCTIONS) {
        // An outer function may have called it by now.
        if interp.was_entered(def.span) {
            continue;
        }
        let item = items.iter().position(|item| item.span.file == def.span.file && item.span.covers(def.span));
        let reasons = remembered.zip(item).and_then(|(remembered, item)| {
            Some((remembered.memory, vec![remembered.dependences.of(item)?, remembered.world]))
        });
        if let Some(drive) = reasons.as_ref().and_then(|(memory, reasons)| memory.recall(reasons)) {
            drive.entered.iter().for_each(|function| interp.note_entered(*function));
            driver.left.set(driver.left.get().saturating_sub(drive.steps));
            drives.push(drive);
            continue;
        }
        let Some(function) = main.namespace.borrow().get(&def.name).cloned() else { continue };
        if is_launch(&function) {
            continue;
        }
        let (left, files) = (driver.left.get(), interp.sources().len());
        interp.extension::<JaxState>().forget_traces();
        let (driven, entered) = interp.entering(|| driver.drive(&def, &function));
        let Some((assumed, seen)) = driven else { return drives };
        let steps = left - driver.left.get();
        let facts = Arc::new(seen.facts.into_assumed(&def.name));
        let Seen { launches, findings, .. } = seen;
        let drive = Arc::new(Drive { assumed, launches, findings, facts, entered, steps });
        // Files that are imported on the way would be missing another time, and lines that are spoken of move.
        let can_be_kept = driver.left.get() > 0 && interp.sources().len() == files && !drive.speaks_of_lines();
        if let Some((memory, reasons)) = reasons.filter(|_| can_be_kept) {
            memory.remember(reasons, drive.clone());
        }
        drives.push(drive);
    }
    drives
}

struct Driver<'a> {
    interp: &'a Interp,
    planner: Planner<'a>,
    record: Record<'a>,
    left: Cell<u64>,
    has_gradients: bool,
}

impl Driver<'_> {
    fn bounded(&self, work: &dyn Fn() -> PyResult<Value>) -> (Seen, PyResult<Value>) {
        let steps = STEPS.min(self.left.get());
        let (recorded, unused) = self.interp.with_budget(steps, || (self.record)(work));
        self.left.set(self.left.get().saturating_sub(steps - unused));
        recorded
    }

    /// Calls one function with what can be made up for it. `None` if nobody wants to know any more.
    fn drive(&self, def: &FunctionDef, function: &Value) -> Option<(Assumed, Seen)> {
        let interp = self.interp;
        let call =
            |attempt: &Attempt| self.bounded(&|| interp.call_entry(function, attempt.args.clone(), def.name_span));
        let mut best: Option<(Seen, Option<Finding>, &Attempt)> = None;
        let usual = match self.planner.attempts(def, Lengths::USUAL) {
            Ok(usual) => usual,
            Err(problem) => return Some((assumed(def, "", Some(problem)), Seen::default())),
        };
        for (index, attempt) in usual.iter().enumerate() {
            let (mut seen, result) = call(attempt);
            if matches!(&result, Err(stop) if interp.is_cancelled(stop)) {
                return None;
            }
            if !seen.launches.is_empty() {
                if self.has_gradients {
                    let (backward, _) = self.bounded(&|| gradient(interp, function, &attempt.args));
                    seen.launches.extend(backward.launches);
                    seen.facts.add(backward.facts);
                }
                let others = || {
                    [Lengths::LONGER, Lengths::SQUARE].map(|lengths| {
                        let same = self.planner.attempts(def, lengths).unwrap_or_default();
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
            if best.as_ref().is_none_or(|(known, ..)| known.facts.count() < seen.facts.count()) {
                best = Some((seen, problem, attempt));
            }
        }
        Some(match best {
            Some((seen, problem, attempt)) => kept(def, seen, problem, attempt),
            None => (assumed(def, "", None), Seen::default()),
        })
    }
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
        // Axes of meshes are bound around calls, which nobody makes here.
        "PL001" => finding.message.contains("raises NameError: name '"),
        "PL312" => finding.message.contains("module '"),
        // An op that a compiler does not have, whatever it is applied to.
        "PL504" => finding.message.contains(" has no `"),
        code => STRUCTURAL.contains(&code),
    }
}

fn assumed(def: &FunctionDef, arguments: &str, problem: Option<String>) -> Assumed {
    let arguments = arguments.to_string();
    Assumed { function: def.name.clone(), definition: def.span, arguments, problem }
}

/// What is kept of the call that showed most.
fn kept(def: &FunctionDef, mut seen: Seen, problem: Option<Finding>, attempt: &Attempt) -> (Assumed, Seen) {
    let why = match (&problem, seen.launches.is_empty()) {
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
    (assumed(def, &attempt.words, why), seen)
}

impl Drive {
    /// Whether what is said of it names lines by their numbers.
    fn speaks_of_lines(&self) -> bool {
        self.findings.iter().any(findings::speaks_of_lines)
            || self.assumed.problem.as_ref().is_some_and(|problem| findings::names_a_line(problem))
    }
}
