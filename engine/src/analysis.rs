//! Analysis of one file: evaluated without effects, its launches traced and checked.

use crate::bystander::{Bystander, mentions_jax};
use crate::environment::Environment;
use crate::evaluator::{Evaluator, Ready, evaluate_once};
use crate::facts::{Collector, Fact, Facts};
use crate::files::FileSystem;
use crate::findings;
use crate::fixes;
use crate::half_written;
use crate::host::{Cancel, Reach};
use crate::memory::Memory;
use crate::moved;
use crate::package;
use crate::parsed::ParsedFiles;
use crate::settings::{Settings, TargetDevice};
use crate::statements::Remembering;
use crate::suppressions;
use crate::uncalled::{self, Assumed, Drive, Seen};
use crate::watched::{Watched, too_many};
use pallas_ir::{Certainty, Finding, Launch, Scalars, Severity};
use pallas_jax::{JaxState, LaunchObserver};
use pallas_pipeline::Machines;
use pallas_python::Limits;
use pallas_python::interp::{Interp, Observer, Outcome};
use pallas_python::raise::Abort;
use pallas_python::{Stop, Value};
use pallas_syntax::ast::Module;
use pallas_syntax::{Dependences, FileId, SourceFile, Span};
use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// What is known of a file. Immutable, and shared freely between threads.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The file.
    pub source: Arc<SourceFile>,
    /// Its syntax tree.
    pub module: Arc<Module>,
    /// What is wrong, errors first, then by position; of this file and of files that it imports.
    pub findings: Vec<Finding>,
    /// Launches in the order in which they were traced.
    pub launches: Vec<Arc<Launch>>,
    /// Types of expressions.
    pub facts: Facts,
    /// Functions that nobody calls, which were called with made-up arguments.
    pub assumed: Vec<Assumed>,
    /// Every file that was read, by id.
    pub sources: Vec<Arc<SourceFile>>,
    /// What its launches are modelled on: what the settings name, or each on a machine that its kernel is for.
    pub machines: Machines,
    /// Whether it was cancelled before its end.
    pub cancelled: bool,
    /// Whether nothing was evaluated, since the file was found to have nothing to do with JAX before.
    pub spared: bool,
}

/// How an analysis is bounded and where it finds imports.
#[derive(Clone)]
pub struct AnalysisOptions {
    /// Where files come from.
    pub files: Arc<dyn FileSystem>,
    /// `sys.argv[1:]`
    pub arguments: Vec<String>,
    /// More folders to import from, after the script's own.
    pub import_paths: Vec<String>,
    /// Whose packages can be imported.
    pub environment: Environment,
    /// Syntax trees of imported files, kept from one analysis to the next by who shares this.
    pub parsed: ParsedFiles,
    /// What earlier analyses of the same file found out, for who analyses it again and again. With it, spans are in pieces
    /// of the file ([`Analysis::place`]).
    pub memory: Option<Memory>,
    /// The thread that evaluates, for who analyses again and again; otherwise each analysis has its own.
    pub evaluator: Option<Evaluator>,
    /// Whether facts tell which expressions were evaluated: for reports on what an analysis reaches.
    pub visits: bool,
    /// Steps that a file may take.
    pub fuel: u64,
    /// Bytes that growing values may ask for.
    pub bytes: u64,
    /// What to report, and what is assumed where the program does not say it.
    pub settings: Settings,
    /// Stops it.
    pub cancel: Cancel,
}

impl AnalysisOptions {
    /// The defaults: a few seconds at most, 512 MiB.
    pub fn new(files: Arc<dyn FileSystem>) -> Self {
        AnalysisOptions {
            files,
            arguments: Vec::new(),
            import_paths: Vec::new(),
            environment: Environment::default(),
            parsed: ParsedFiles::default(),
            memory: None,
            evaluator: None,
            visits: false,
            fuel: 20_000_000,
            bytes: 512 << 20,
            settings: Settings::default(),
            cancel: Cancel::new(),
        }
    }

    /// The bounds as an interpreter has them.
    pub(crate) fn limits(&self) -> Limits {
        Limits { recursion: 1000, fuel: Some(self.fuel), bytes: Some(self.bytes) }
    }
}

impl Analysis {
    /// Analyses a text under a path. Never fails: what goes wrong is a finding.
    pub fn new(path: &str, text: &str, options: &AnalysisOptions) -> Analysis {
        let source = Arc::new(SourceFile::new(FileId(0), path, text));
        if options.memory.as_ref().is_some_and(|memory| memory.is_bystander(&source, &*options.files)) {
            return Analysis::nothing(source);
        }
        let (module, dependences) = match &options.memory {
            Some(memory) => memory.parse(&source),
            None => (pallas_syntax::parse(source.clone()), Dependences::default()),
        };
        let module = Arc::new(module);
        let limits = options.limits();
        let result = match &options.evaluator {
            Some(evaluator) => {
                let (path, module, options) = (path.to_string(), module.clone(), options.clone());
                evaluator.evaluate(limits, move |ready| evaluate(ready, &path, &module, &dependences, &options))
            }
            None => evaluate_once(limits, |ready| evaluate(ready, path, &module, &dependences, options)),
        };
        let mut analysis = result.unwrap_or_else(|| internal(source, module));
        if let Some(memory) = options.memory.as_ref().filter(|_| !analysis.cancelled) {
            memory.note_bystander(Bystander::new(&analysis.source, &analysis.sources));
        }
        analysis.machines = options.settings.target.map_or(Machines::Fitting, TargetDevice::machines);
        analysis.findings.extend(moved::find(&analysis.module));
        analysis.findings.extend(crate::unapplied::find(&analysis.module));
        analysis.findings.extend(crate::semantics::find(&analysis.module));
        let effects = crate::side_effects::find(&analysis);
        analysis.findings.extend(effects);
        let unkept = crate::unkept::find(&analysis);
        analysis.findings.extend(unkept);
        // Of a file that was not analysed to its end it is not known what is not found.
        let is_complete =
            !analysis.cancelled && !analysis.findings.iter().any(|f| ["PL000", "PL003", "PL009"].contains(&f.code));
        suppressions::apply(&mut analysis.findings, &analysis.sources, &analysis.module, is_complete);
        options.settings.apply(&mut analysis.findings);
        fixes::add(&mut analysis);
        let module = analysis.module.clone();
        analysis.findings.sort_by_key(|finding| {
            let place = module.place(finding.span);
            (finding.severity, place.file, place.start, finding.code)
        });
        // A site that is gone through with many sizes has the same mistake with many numbers; called from elsewhere it is another.
        let mut said = HashSet::new();
        analysis.findings.retain(|finding| {
            let words = finding.message.replace(|c: char| c.is_ascii_digit() || c == '.', "");
            let callers: Vec<Span> = finding.labels.iter().map(|label| label.span).collect();
            said.insert((finding.code, finding.span, callers, words))
        });
        analysis
    }

    /// What there is to say of a file that has nothing to do with JAX.
    fn nothing(source: Arc<SourceFile>) -> Analysis {
        let module = Module {
            source: source.clone(),
            body: Arc::default(),
            errors: Vec::new(),
            pieces: pallas_syntax::PieceList::default(),
        };
        Analysis {
            sources: vec![source.clone()],
            source,
            module: Arc::new(module),
            findings: Vec::new(),
            launches: Vec::new(),
            facts: Facts::default(),
            assumed: Vec::new(),
            machines: Machines::Fitting,
            cancelled: false,
            spared: true,
        }
    }

    /// Whether the file, or one that it imports, mentions JAX. Others are none of our business.
    pub fn speaks_of_jax(&self) -> bool {
        mentions_jax(&self.source) || self.sources.iter().any(|source| mentions_jax(source))
    }

    /// Where a span is in the file: with [`AnalysisOptions::memory`], the spans of the tree and of all that is known of it
    /// are in pieces of the file.
    pub fn place(&self, span: Span) -> Span {
        self.module.place(span)
    }

    /// The innermost expression at an offset of the file that has a fact, with its place.
    pub fn fact_at(&self, offset: u32) -> Option<(Span, &Fact)> {
        let (piece, within) = self.module.piece_at(offset);
        self.facts.at(piece, within).map(|(span, fact)| (self.place(span), fact))
    }

    /// The source that a span lies in.
    pub fn source_of(&self, span: Span) -> &Arc<SourceFile> {
        self.sources.iter().find(|s| s.id == span.file).unwrap_or(&self.source)
    }
}

/// An evaluator that panicked is our mistake: it is said as a finding, and the editor goes on.
fn internal(source: Arc<SourceFile>, module: Arc<Module>) -> Analysis {
    let finding = Finding {
        code: "PL009",
        severity: findings::severity("PL009"),
        certainty: Certainty::Found,
        message: "the analyser failed on this file; this is a mistake in Pallas Workbench, not in the file".to_string(),
        span: findings::start_of(source.id),
        labels: Vec::new(),
        evidence: None,
        help: Some("please report it with the file".to_string()),
        fix: None,
    };
    Analysis { module, findings: vec![finding], spared: false, ..Analysis::nothing(source) }
}

/// Findings that are kept until somebody sorts them.
const MOST_FINDINGS: usize = 1024;

/// Launches and findings as they come up.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) launches: RefCell<Vec<Watched>>,
    pub(crate) findings: RefCell<Vec<Finding>>,
}

impl LaunchObserver for Watch {
    fn launched(&self, launch: &Arc<Launch>, scalars: Scalars) {
        if !Watched::note(&mut self.launches.borrow_mut(), launch, scalars) {
            self.found(too_many(launch));
        }
    }

    fn found(&self, mut finding: Finding) {
        findings::without_addresses(&mut finding);
        let mut known = self.findings.borrow_mut();
        // What is found in a loop is found once, and not without end.
        if known.len() < MOST_FINDINGS && !known.contains(&finding) {
            known.push(finding);
        }
    }
}

/// Both observers of an analysis: facts, and exceptions as findings.
pub(crate) struct Both {
    facts: Collector,
    watch: Rc<Watch>,
}

impl Both {
    /// Observes what is evaluated from now on.
    fn install(interp: &Interp, visits: bool) -> Rc<Both> {
        let watch = Rc::new(Watch::default());
        let both = Rc::new(Both { facts: Collector::with_visits(visits), watch: watch.clone() });
        interp.extension::<JaxState>().set_observer(both.clone());
        interp.set_observer(both.clone());
        both
    }

    /// What was seen so far, which is forgotten.
    pub(crate) fn set_aside(&self) -> (Vec<Watched>, Vec<Finding>, Facts) {
        (self.watch.launches.take(), self.watch.findings.take(), self.facts.take())
    }

    /// Takes back what was set aside.
    pub(crate) fn restore(&self, launches: Vec<Watched>, findings: Vec<Finding>, facts: Facts) {
        *self.watch.launches.borrow_mut() = launches;
        *self.watch.findings.borrow_mut() = findings;
        self.facts.put(facts);
    }

    /// Sees what was seen another time.
    pub(crate) fn replay(&self, launches: &[Watched], findings: &[Finding], facts: &Facts) {
        let mut known = self.watch.launches.borrow_mut();
        launches.iter().for_each(|launch| launch.note_again(&mut known));
        self.watch.findings.borrow_mut().extend_from_slice(findings);
        self.facts.add(facts);
    }

    /// What was seen, with what the checks say of the launches.
    fn take(&self, memory: Option<&Memory>) -> Seen {
        let launches = self.watch.launches.take();
        let mut findings = self.watch.findings.take();
        for launch in &launches {
            findings.extend(match memory {
                Some(memory) => memory.check(launch),
                None => launch.judge(),
            });
        }
        let launches = launches.into_iter().map(|watched| watched.launch).collect();
        Seen { launches, findings, facts: self.facts.take() }
    }
}

impl Seen {
    /// Adds what a made-up call has shown. What is known from the program itself stays as it is.
    fn assume(&mut self, assumed: &Drive) {
        self.facts.assume(&assumed.facts);
        // Two functions may come to the same launch through a third.
        for launch in &assumed.launches {
            let same = |known: &Arc<Launch>| known.spans.apply == launch.spans.apply && known == launch;
            if !self.launches.iter().any(same) {
                self.launches.push(launch.clone());
            }
        }
        self.findings.extend_from_slice(&assumed.findings);
    }
}

impl LaunchObserver for Both {
    fn launched(&self, launch: &Arc<Launch>, scalars: Scalars) {
        self.watch.launched(launch, scalars);
    }

    fn reached(&self, interp: &Interp) {
        self.facts.launching(interp);
    }

    fn found(&self, finding: Finding) {
        self.watch.found(finding);
    }
}

impl Observer for Both {
    fn expression(&self, span: Span, value: &Value, interp: &Interp) {
        self.facts.expression(span, value, interp);
    }

    fn follows_packages(&self) -> bool {
        self.facts.follows_packages()
    }

    fn raised(&self, stop: &Stop, interp: &Interp) {
        let finding = match stop {
            // `sys.exit(...)` is how programs end.
            Stop::Raise(raise) if interp.exception_is(&raise.exception, &interp.types().system_exit) => None,
            // A module that is imported has findings of its own where it is analysed itself; here only what would stop the
            // program counts.
            Stop::Raise(raise) => Some(findings::raised(interp, raise))
                .filter(|finding| !interp.is_importing() || finding.severity == Severity::Error),
            Stop::Abort(abort) => findings::aborted(abort),
        };
        self.watch.findings.borrow_mut().extend(finding);
    }
}

fn evaluate(
    Ready { interp, host, .. }: &Ready,
    path: &str,
    module: &Arc<Module>,
    dependences: &Dependences,
    options: &AnalysisOptions,
) -> Analysis {
    // An editor opens modules of packages as well as programs: their relative imports begin where they stand.
    let place = package::place(&*options.files, path, &module.body);
    let mut paths = import_paths(path, &options.import_paths);
    if let Some((root, _)) = &place {
        paths[0].clone_from(root);
    }
    for folder in package::project(&*options.files, path) {
        if !paths.contains(&folder) {
            paths.push(folder);
        }
    }
    host.serve(Reach {
        files: options.files.clone(),
        paths,
        environment: options.environment.clone(),
        parsed: options.parsed.clone(),
        arguments: std::iter::once(path.to_string()).chain(options.arguments.iter().cloned()).collect(),
        cancel: options.cancel.clone(),
    });
    interp.adopt_program();
    if let Some(target) = options.settings.target {
        interp.extension::<JaxState>().assume_target(target.compiler(), target.tpu());
    }
    let both = Both::install(interp, options.visits);
    if let Some((_, place)) = &place {
        // As `python -m` does it: the package is there before its module runs. What it lacks shows where it is used. A package
        // itself (`__init__.py`) has those above it only: it is what others import.
        let _ = match (&place.folder, place.package.rsplit_once('.')) {
            (None, _) => interp.import_silently(&place.package),
            (Some(_), Some((above, _))) => interp.import_silently(above),
            (Some(_), None) => Ok(Value::None),
        };
    }
    if let Some(memory) = options.memory.as_ref().filter(|_| !options.visits) {
        let world = World(options.clone());
        if let Some(known) = Remembering::new(memory, module, dependences, world, &both) {
            interp.set_statements(&module.body, Rc::new(known));
        }
    }
    let outcome = interp.run_main_in(module, "__main__", place.as_ref().map(|(_, place)| place));
    let mut found: Vec<Finding> = Vec::new();
    match &outcome {
        Outcome::Raised(raise) => found.push(findings::raised(interp, raise)),
        Outcome::Aborted(abort) => found.extend(findings::aborted(abort)),
        Outcome::Finished | Outcome::Exit(..) => {}
    }
    let memory = options.memory.as_ref();
    let mut seen = both.take(memory);
    let world = World(options.clone()).hash(interp, module);
    let remembered = memory.map(|memory| uncalled::Remembered { memory, dependences, world });
    let drives = match &outcome {
        Outcome::Aborted(Abort::Cancelled) => Vec::new(),
        _ => uncalled::call_them(interp, module, remembered.as_ref(), &|call| {
            let both = Both::install(interp, options.visits);
            let result = call();
            (both.take(memory), result)
        }),
    };
    for drive in &drives {
        seen.assume(drive);
    }
    found.extend(seen.findings);
    half_written::drop_guesses(&mut found, module);
    crate::unchecked::drop_consequences(&mut found);
    found.extend(module.errors.iter().map(findings::syntax));
    let mut sources = interp.sources();
    if !sources.iter().any(|s| s.id == module.source.id) {
        sources.push(module.source.clone());
    }
    Analysis {
        source: module.source.clone(),
        module: module.clone(),
        findings: found,
        launches: seen.launches,
        facts: seen.facts,
        assumed: drives.iter().map(|drive| drive.assumed.clone()).collect(),
        sources,
        machines: Machines::Fitting,
        cancelled: options.cancel.is_cancelled(),
        spared: false,
    }
}

/// All that functions depend on besides the items of their file: what was imported, and how programs are set up.
pub(crate) struct World(AnalysisOptions);

impl World {
    /// As it is now.
    pub(crate) fn hash(&self, interp: &Interp, module: &Module) -> u64 {
        world(interp, module, &self.0)
    }
}

fn world(interp: &Interp, module: &Module, options: &AnalysisOptions) -> u64 {
    let mut world = DefaultHasher::new();
    for source in interp.sources().iter().filter(|source| !module.holds(Span { file: source.id, ..Span::default() })) {
        (source.id, &source.path, &source.text).hash(&mut world);
    }
    interp.extension::<JaxState>().settings().hash(&mut world);
    module.source.text.contains("custom_vjp").hash(&mut world);
    (&options.environment.paths, &options.import_paths, &options.arguments, options.visits).hash(&mut world);
    options.settings.target.hash(&mut world);
    world.finish()
}

/// The script's folder, then the others.
pub(crate) fn import_paths(path: &str, more: &[String]) -> Vec<String> {
    let folder = match path.rsplit_once('/') {
        Some(("", _)) => "/".to_string(),
        Some((folder, _)) => folder.to_string(),
        None => ".".to_string(),
    };
    std::iter::once(folder).chain(more.iter().cloned()).collect()
}
