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
use pallas_jax::uncalled::{Attempt, Failure, Learnt, Lengths, Planner, Shown, gradient, is_launch, leading, within};
use pallas_python::Stop;
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{FunctionDef, Module, Name};
use pallas_syntax::{Dependences, FileId, Span};
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
/// Steps that a call may take that follows another one's lesson.
const STEPS_OF_LESSONS: u64 = 200_000;
/// So often a function is called to learn what it wants.
const MOST_LESSONS: usize = 40;
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
        module,
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
    module: &'a Arc<Module>,
    planner: Planner<'a>,
    record: Record<'a>,
    left: Cell<u64>,
    has_gradients: bool,
}

impl Driver<'_> {
    fn bounded(&self, steps: u64, work: &dyn Fn() -> PyResult<Value>) -> (Seen, PyResult<Value>) {
        let steps = steps.min(self.left.get());
        let (recorded, unused) = self.interp.with_budget(steps, || (self.record)(work));
        self.left.set(self.left.get().saturating_sub(steps - unused));
        recorded
    }

    /// Calls one function with what can be made up for it. `None` if nobody wants to know any more.
    fn drive(&self, def: &FunctionDef, function: &Value) -> Option<(Assumed, Seen)> {
        let nothing = Learnt::default();
        let call = |attempt: &Attempt| self.call(def, function, None, attempt);
        let mut best: Option<Tried> = None;
        let usual = match self.planner.attempts(def, Lengths::USUAL, &nothing) {
            Ok(usual) => usual,
            Err(problem) => return Some((assumed(def, "", Some(problem)), Seen::default())),
        };
        for (index, attempt) in usual.into_iter().enumerate() {
            let mut tried = call(&attempt)?.of(attempt);
            if !tried.seen.launches.is_empty() {
                self.differentiate(function, &mut tried);
                let others = || {
                    [Lengths::LONGER, Lengths::SQUARE].map(|lengths| {
                        let same = self.planner.attempts(def, lengths, &nothing).unwrap_or_default();
                        same.get(index).and_then(call).map(|called| called.seen.findings).unwrap_or_default()
                    })
                };
                judge(&mut tried.seen.findings, others);
                return Some(kept(def, tried));
            }
            if best.as_ref().is_none_or(|best| best.seen.facts.count() < tried.seen.facts.count()) {
                best = Some(tried);
            }
        }
        for lengths in [Lengths::APART, Lengths::SMALL_APART] {
            let Some(mut tried) = self.taught(def, function, lengths)? else { continue };
            if !tried.seen.launches.is_empty() {
                let other = |lengths| Some(self.taught(def, function, lengths)??.seen.findings);
                // What does not fit into memory is for those to judge who know real lengths.
                tried.seen.findings.retain(|finding| !finding.code.starts_with("PL5"));
                judge(&mut tried.seen.findings, || [other(Lengths::LONG_APART).unwrap_or_default()]);
                return Some(kept(def, tried));
            }
            let is_mistake = tried.failure.as_ref().is_some_and(|(finding, _)| is_structural(finding));
            if best.as_ref().is_none_or(|best| best.seen.facts.count() <= tried.seen.facts.count()) {
                best = Some(tried);
            }
            if is_mistake {
                break;
            }
        }
        Some(match best {
            Some(tried) => kept(def, tried),
            None => (assumed(def, "", None), Seen::default()),
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
            let attempts = self.planner.attempts(def, lengths, &learnt).unwrap_or_default();
            let Some(attempt) = attempts.into_iter().next() else { return Some(last) };
            let tried = self.call(def, function, Some(&learnt), &attempt)?.of(attempt);
            let is_lesson = tried.seen.launches.is_empty()
                && tried.failure.as_ref().is_some_and(|(finding, trace)| {
                    let failure = Failure {
                        parameters: &parameters,
                        message: &finding.message,
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
    fn call(&self, def: &FunctionDef, function: &Value, learnt: Option<&Learnt>, attempt: &Attempt) -> Option<Called> {
        let interp = self.interp;
        let axes = learnt.map_or(&[][..], Learnt::axes);
        // Loops over dimensions that are unrolled are cut off sooner where there are other lengths to try.
        let steps = if learnt.is_some() { STEPS_OF_LESSONS } else { STEPS };
        let (seen, result) = self.bounded(steps, &|| match axes {
            [] => interp.call_entry(function, attempt.args.clone(), def.name_span),
            axes => within(interp, function, axes, &attempt.args),
        });
        if matches!(&result, Err(stop) if interp.is_cancelled(stop)) {
            return None;
        }
        let failure = result.err().and_then(|stop| match *stop {
            Stop::Raise(raise) => {
                let trace = raise.traceback.iter().map(|entry| entry.span).collect();
                Some((findings::raised(interp, &raise), trace))
            }
            Stop::Abort(abort) => findings::aborted(&abort).map(|finding| (finding, Vec::new())),
        });
        Some(Called { seen, failure })
    }

    /// Adds what its gradient launches.
    fn differentiate(&self, function: &Value, tried: &mut Tried) {
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
        let source = self.interp.sources().into_iter().find(|source| source.id == file)?;
        (!self.interp.is_installed(file)).then(|| Arc::new(pallas_syntax::parse(source)))
    }
}

/// What a call came to.
struct Called {
    seen: Seen,
    /// What it raised, and where, innermost first.
    failure: Option<(Finding, Vec<Span>)>,
}

/// A call and what it came to.
struct Tried {
    seen: Seen,
    failure: Option<(Finding, Vec<Span>)>,
    attempt: Attempt,
}

impl Called {
    fn of(self, attempt: Attempt) -> Tried {
        Tried { seen: self.seen, failure: self.failure, attempt }
    }
}

/// Keeps the findings that no argument is to blame for; `others` are those of calls with other arguments.
fn judge<const N: usize>(findings: &mut Vec<Finding>, others: impl FnOnce() -> [Vec<Finding>; N]) {
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
fn kept(def: &FunctionDef, tried: Tried) -> (Assumed, Seen) {
    let Tried { mut seen, failure, attempt } = tried;
    let problem = failure.map(|(finding, _)| finding).filter(|_| seen.launches.is_empty());
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
