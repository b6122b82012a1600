//! Analysis of functions that nobody calls: each that leads to a launch is called with made-up arguments
//! (`pallas_jax::uncalled`), so that files of kernels have shapes, launches and findings like programs do.
//!
//! What a made-up call shows depends on what was made up. Types and launches are kept as assumed ones. Findings are kept
//! where the arguments cannot be to blame: mistakes in the structure of a launch always, blocks and indices out of bounds
//! only if they are so for arguments of other lengths, too; exceptions about shapes and values never. A comment above a
//! function can say what it is called with (`# pallas: call(x=f32[8, 128])`): then nothing is made up, and all is kept.

mod driver;
mod elsewhere;
mod given;
mod judge;
mod lessons;

use crate::facts::{AssumedFacts, Facts};
use crate::findings;
use crate::memory::Memory;
use driver::Driver;
use pallas_ir::{Finding, Launch};
use pallas_jax::JaxState;
use pallas_jax::uncalled::{Given, MARK, Method, Planner, cases, given, is_launch, leading, methods, provided};
use pallas_python::interp::Interp;
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use pallas_syntax::ast::{FunctionDef, Module, Name, StmtKind};
use pallas_syntax::{Dependences, Span};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Steps of all calls together; with the program's own they bound an analysis.
const MOST_STEPS: u64 = 20_000_000;

/// A function that was called with made-up arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The function.
    pub function: Name,
    /// All of its definition.
    pub definition: Span,
    /// What it was called with: `x: f32[1024,1024], causal: False`. Empty if nothing was, or could be made up.
    pub arguments: String,
    /// The same as a comment that says what the function is called with, for whoever knows better; empty if there is one.
    pub comment: String,
    /// Why the call came to no launch, if it did not.
    pub problem: Option<String>,
}

impl Assumed {
    /// Whether a comment says what it is called with.
    pub fn is_given(&self) -> bool {
        self.comment.is_empty() && !self.arguments.is_empty()
    }
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

/// Functions of one file.
const MOST_FUNCTIONS: usize = 100;
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
        trees: RefCell::default(),
        has_gradients: module.source.text.contains("custom_vjp"),
    };
    let items = remembered.map(|_| module.items()).unwrap_or_default();
    let mut functions = wanted(module);
    let tests = elsewhere::tests_of_other_files(interp, module, &main);
    let is_new = |test: &Arc<FunctionDef>| !functions.iter().any(|known| known.def.span == test.span);
    let tests: Vec<Wanted> =
        tests.into_iter().filter(is_new).map(|def| Wanted { def, method: None, is_of_other_files: true }).collect();
    functions.extend(tests);
    let mut functions: Vec<(usize, Wanted)> = functions.into_iter().take(MOST_FUNCTIONS).enumerate().collect();
    // What the file itself has arguments for shows what others are called with.
    functions.sort_by_key(|(_, wanted)| wanted.provided(module).is_none());
    for (number, wanted) in functions {
        let provided = wanted.provided(module);
        let Wanted { def, method, is_of_other_files } = wanted;
        // A test that launches nothing is one of something else.
        let is_shown = |drive: &Arc<Drive>| !is_of_other_files || !drive.launches.is_empty();
        let mut given = given(module, &def);
        // An outer function may have called it by now.
        if given.is_empty() && interp.was_entered(def.span) {
            continue;
        }
        if given.is_empty() {
            given.extend(cases(module, &def));
        }
        if given.is_empty() {
            given.extend(provided);
        }
        let item = items.iter().position(|item| item.span.file == def.span.file && item.span.covers(def.span));
        // A comment may name anything, which nothing that is remembered depends on.
        let is_told = given.iter().any(Given::is_comment);
        let reasons = remembered.zip(item).filter(|_| !is_told).and_then(|(remembered, item)| {
            let mut reasons = vec![remembered.dependences.of(item)?, remembered.world];
            // A class may have several methods.
            reasons.extend(method.as_ref().map(|_| number as u64));
            Some((remembered.memory, reasons))
        });
        if let Some(drive) = reasons.as_ref().and_then(|(memory, reasons)| memory.recall(reasons)) {
            drive.entered.iter().for_each(|function| interp.note_entered(*function));
            driver.left.set(driver.left.get().saturating_sub(drive.steps));
            drives.extend(Some(drive).filter(is_shown));
            continue;
        }
        let function = match &method {
            None => main.namespace.borrow().get(&def.name).cloned(),
            Some(method) => driver.method(&main, method),
        };
        let Some(function) = function.filter(|function| !is_launch(function)) else { continue };
        let (left, files) = (driver.left.get(), interp.sources().len());
        interp.extension::<JaxState>().forget_traces();
        let (driven, entered) = interp.entering(|| match given.is_empty() {
            true => driver.drive(&def, &function),
            false => {
                let most = if is_of_other_files { 1 } else { usize::MAX };
                driver.drive_given(&def, &function, &main, &given, most)
            }
        });
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
        drives.extend(Some(drive).filter(is_shown));
    }
    drives
}

/// A function, or a method as the function that it is of an instance.
struct Wanted {
    def: Arc<FunctionDef>,
    method: Option<Method>,
    /// What it launches, if it does, is launched by other files.
    is_of_other_files: bool,
}

impl Wanted {
    /// The call that the file has arguments for.
    fn provided(&self, module: &Module) -> Option<Given> {
        provided(module, &self.def, self.method.as_ref().map(|method| &*method.name))
    }
}

/// The functions that lead to a launch by the names in them, then others that a comment gives a call: it is carried out, and
/// shows whether it comes to one. Methods that lead to a launch come last.
fn wanted(module: &Module) -> Vec<Wanted> {
    let mut wanted = leading(module);
    let methods = methods(module, &wanted);
    if module.source.text.contains(MARK) {
        let functions = module.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::FunctionDef(def) => Some(def),
            _ => None,
        });
        let is_new = |def: &&Arc<FunctionDef>| !wanted.iter().any(|known| known.span == def.span);
        let given: Vec<_> = functions.filter(is_new).filter(|def| !given(module, def).is_empty()).cloned().collect();
        wanted.extend(given);
    }
    let methods = methods.into_iter().map(|method| (method.def.clone(), Some(method)));
    let wanted = wanted.into_iter().map(|def| (def, None)).chain(methods);
    wanted.map(|(def, method)| Wanted { def, method, is_of_other_files: false }).collect()
}

impl Drive {
    /// Whether what is said of it names lines by their numbers.
    fn speaks_of_lines(&self) -> bool {
        self.findings.iter().any(findings::speaks_of_lines)
            || self.assumed.problem.as_ref().is_some_and(|problem| findings::names_a_line(problem))
    }
}
