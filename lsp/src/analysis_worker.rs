//! Analysis off the main loop: a queue of documents, a few threads, and results sent back as events.
//!
//! A document waits at most once in the queue, with its newest text. Who edits a document cancels its analysis under way;
//! the main loop drops results that come all the same, by their generation.

use crate::capabilities::Client;
use crate::notebooks::Cells;
use crate::positions::LineTable;
use crate::surroundings::{Known, Recorder};
use crate::to_proto::Places;
use pallas_engine::{
    Analysis, AnalysisOptions, Cancel, Disk, Evaluator, FileSystem, Memory, Overlay, ParsedFiles, SettingsFile, Span,
    path_text,
};
use pallas_ide as ide;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tower_lsp_server::ls_types as lsp;

/// A document to analyse.
pub(crate) struct Job {
    /// The document.
    pub(crate) uri: lsp::Uri,
    /// Its name in the engine.
    pub(crate) path: Arc<str>,
    /// Its number among all analyses.
    pub(crate) generation: u64,
    /// Its text.
    pub(crate) lines: Arc<LineTable>,
    /// Where its cells are, if it is a notebook.
    pub(crate) cells: Arc<Cells>,
    /// The texts of all open documents by path; imports see them.
    pub(crate) texts: HashMap<String, Arc<str>>,
    /// The documents that are open, by path.
    pub(crate) open: HashMap<Arc<str>, lsp::Uri>,
    /// What the client can do.
    pub(crate) client: Arc<Client>,
    /// What analyses of earlier versions found out; none for what is analysed once.
    pub(crate) memory: Option<Memory>,
    /// Stops it.
    pub(crate) cancel: Cancel,
}

/// What came of a document.
pub(crate) struct Done {
    /// The document.
    pub(crate) uri: lsp::Uri,
    /// The number of the analysis.
    pub(crate) generation: u64,
    /// The result; `None` if making it panicked.
    pub(crate) analysed: Option<Arc<Analysed>>,
    /// How long it took.
    pub(crate) took: Duration,
}

/// An analysis, and all that is made of it once.
pub(crate) struct Analysed {
    /// The analysis.
    pub(crate) analysis: Analysis,
    /// The lines of its text.
    pub(crate) lines: Arc<LineTable>,
    /// Where its cells are, if it is a notebook.
    pub(crate) cells: Arc<Cells>,
    /// Its diagnostics.
    pub(crate) findings: Vec<ide::Diagnostic>,
    /// The same, one for one, as the client gets them.
    pub(crate) diagnostics: Vec<lsp::Diagnostic>,
    /// Names this list of diagnostics.
    pub(crate) result_id: String,
    /// Names what its inlay hints say, wherever they stand: an edit moves hints, and clients move them along. Only for clients
    /// that can be told to ask again.
    pub(crate) hints: u64,
    /// Every file that it asked for, found or not, itself included.
    pub(crate) asked: HashSet<String>,
    /// The settings file that it was analysed with.
    pub(crate) settings_file: Option<SettingsFile>,
    /// Whether its environment has JAX: then other servers know what JAX's modules offer.
    pub(crate) has_jax: bool,
}

/// Sends jobs to the threads.
#[derive(Clone)]
pub(crate) struct AnalysisWorkers {
    queue: Arc<Queue>,
    known: Known,
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    arrived: Condvar,
}

/// When a job's turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Next: somebody is typing in it.
    Next,
    /// After the others: a file that it imports changed.
    Last,
}

impl AnalysisWorkers {
    /// Starts the threads. They end with the process.
    pub(crate) fn start(
        threads: usize,
        known: Known,
        report: impl Fn(Done) + Clone + Send + 'static,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let shop = Shop::new(ParsedFiles::default(), known.clone());
        for _ in 0..threads {
            let (queue, report, shop) = (queue.clone(), report.clone(), shop.clone());
            thread::Builder::new().name("analysis".to_string()).spawn(move || {
                loop {
                    report(run(queue.next(), &shop));
                }
            })?;
        }
        Ok(AnalysisWorkers { queue, known })
    }

    /// Settings files and Python environments are looked for again.
    pub(crate) fn forget_surroundings(&self) {
        self.known.forget();
    }

    /// Queues a job in place of any that its document has in the queue.
    pub(crate) fn submit(&self, job: Job, turn: Turn) {
        let mut jobs = self.queue.lock();
        jobs.retain(|waiting| waiting.uri != job.uri);
        match turn {
            Turn::Next => jobs.push_front(job),
            Turn::Last => jobs.push_back(job),
        }
        drop(jobs);
        self.queue.arrived.notify_one();
    }

    /// Takes a document out of the queue.
    pub(crate) fn withdraw(&self, uri: &lsp::Uri) {
        self.queue.lock().retain(|waiting| waiting.uri != *uri);
    }
}

impl Queue {
    // A queue is whole whenever its lock is free, so a panic elsewhere has not damaged it.
    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Job {
        let mut jobs = self.lock();
        loop {
            if let Some(job) = jobs.pop_front() {
                return job;
            }
            jobs = self.arrived.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What analyses work with. Clones share it.
#[derive(Clone)]
pub(crate) struct Shop {
    parsed: ParsedFiles,
    known: Known,
    /// Those that nobody uses, the one that was used last at the end: who types in one file keeps one of them warm.
    evaluators: Arc<Mutex<Vec<Evaluator>>>,
}

impl Shop {
    /// With an evaluator that gets ready while the client introduces itself.
    pub(crate) fn new(parsed: ParsedFiles, known: Known) -> Shop {
        let first = Evaluator::ready(&AnalysisOptions::new(Arc::new(Disk)));
        Shop { parsed, known, evaluators: Arc::new(Mutex::new(vec![first])) }
    }

    // Single operations of the list: a panic elsewhere has not damaged it.
    fn evaluators(&self) -> MutexGuard<'_, Vec<Evaluator>> {
        self.evaluators.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `work` gives with an evaluator that nobody else uses meanwhile.
    fn with_evaluator<T>(&self, work: impl FnOnce(&Evaluator) -> T) -> T {
        let free = self.evaluators().pop();
        let evaluator = free.unwrap_or_default();
        let result = work(&evaluator);
        self.evaluators().push(evaluator);
        result
    }
}

fn run(job: Job, shop: &Shop) -> Done {
    let (uri, generation, begun) = (job.uri.clone(), job.generation, Instant::now());
    // The job is used up either way, so nothing half-changed is seen after a panic.
    let analysed = catch_unwind(AssertUnwindSafe(|| analyse(job, shop))).ok().map(Arc::new);
    Done { uri, generation, analysed, took: begun.elapsed() }
}

/// Analyses a document.
pub(crate) fn analyse(job: Job, shop: &Shop) -> Analysed {
    let texts: Arc<dyn FileSystem> = Arc::new(Overlay::new(job.texts.clone(), Arc::new(Disk)));
    let around = shop.known.of(&texts, &job.path, &job.client.settings);
    let files = Arc::new(Recorder::new(texts));
    let mut options = AnalysisOptions::new(files.clone());
    options.cancel = job.cancel.clone();
    options.parsed = shop.parsed.clone();
    options.memory = job.memory.clone();
    options.environment = around.environment.clone();
    options.settings = around.settings.clone();
    options.import_paths = python_path();
    let analysis = shop.with_evaluator(|evaluator| {
        options.evaluator = Some(evaluator.clone());
        Analysis::new(&job.path, job.lines.text(), &options)
    });
    let mut asked = files.take();
    asked.insert(job.path.to_string());
    asked.extend(around.asked.iter().cloned());
    Analysed { has_jax: around.has_jax, ..Analysed::new(&job, analysis, asked, around.file.clone()) }
}

/// `PYTHONPATH`
fn python_path() -> Vec<String> {
    let Some(paths) = std::env::var_os("PYTHONPATH") else { return Vec::new() };
    std::env::split_paths(&paths).map(|path| path_text(&path)).filter(|path| !path.is_empty()).collect()
}

impl Analysed {
    /// Makes of an analysis what the client is shown.
    fn new(job: &Job, analysis: Analysis, asked: HashSet<String>, settings_file: Option<SettingsFile>) -> Self {
        let places = Places {
            analysis: &analysis,
            lines: &job.lines,
            cells: &job.cells,
            uri: &job.uri,
            open: &job.open,
            client: &job.client,
        };
        let settings = &job.client.settings;
        let mut findings = if settings.diagnostics { ide::diagnostics(&analysis) } else { Vec::new() };
        findings.retain(|finding| settings.common || !finding.is_common());
        let diagnostics: Vec<_> = findings.iter().map(|finding| places.diagnostic(finding)).collect();
        let result_id = result_id(&diagnostics);
        let hints = if job.client.refreshes_hints { named_hints(&analysis) } else { 0 };
        let (lines, cells) = (job.lines.clone(), job.cells.clone());
        Analysed {
            analysis,
            lines,
            cells,
            findings,
            diagnostics,
            result_id,
            hints,
            asked,
            settings_file,
            has_jax: false,
        }
    }
}

/// Equal hints have equal names, wherever they stand.
fn named_hints(analysis: &Analysis) -> u64 {
    let mut hasher = DefaultHasher::new();
    for hint in ide::inlay_hints(analysis, whole(analysis)) {
        hint.label.hash(&mut hasher);
    }
    hasher.finish()
}

/// All of the analysed file.
fn whole(analysis: &Analysis) -> Span {
    Span::new(analysis.source.id, 0, analysis.source.text.len())
}

/// Equal lists have equal names, and only the current process reads them.
pub(crate) fn result_id(diagnostics: &[lsp::Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    for diagnostic in diagnostics {
        // A type that the protocol sends can be written as JSON.
        serde_json::to_string(diagnostic).unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use pallas_engine::{Certainty, Finding, Fix, Label, Severity};
    use std::str::FromStr;

    /// `jax` stands on the second line, behind characters of one and two UTF-16 units; a finding with a fix is put there.
    pub(crate) const TEXT: &str = "import jax\n'🙂é'; jax.numpi\n";

    /// An analysis of [`TEXT`] with a single finding, which has everything that a finding can have.
    pub(crate) fn analysed(client: &Client) -> Analysed {
        let uri = lsp::Uri::from_str("file:///work/a.py").expect("valid");
        let job = Job {
            path: "/work/a.py".into(),
            open: HashMap::from([("/work/a.py".into(), uri.clone())]),
            uri,
            generation: 1,
            lines: Arc::new(LineTable::new(TEXT.into())),
            cells: Arc::default(),
            texts: HashMap::new(),
            client: Arc::new(client.clone()),
            memory: None,
            cancel: Cancel::new(),
        };
        let mut analysis = Analysis::new(&job.path, TEXT, &AnalysisOptions::new(Arc::new(Disk)));
        let file = analysis.source.id;
        let start = TEXT.find("numpi").expect("in the text");
        let span = Span::new(file, start, start + "numpi".len());
        analysis.findings = vec![Finding {
            code: "PL001",
            severity: Severity::Warning,
            certainty: Certainty::Proved,
            message: "jax has no numpi".to_string(),
            span,
            labels: vec![Label { span: Span::new(file, 7, 10), text: "imported here".to_string() }],
            evidence: Some("the names are a, b and numpy".to_string()),
            help: Some("write numpy".to_string()),
            fix: Some(Fix::replace("write numpy", span, "numpy")),
        }];
        Analysed::new(&job, analysis, HashSet::new(), None)
    }

    #[test]
    fn a_diagnostic_says_everything() {
        let shown = |client: &Client| serde_json::to_value(&analysed(client).diagnostics).expect("JSON");
        let range = serde_json::json!({"start": {"line": 1, "character": 11}, "end": {"line": 1, "character": 16}});
        let expected = serde_json::json!([{
            "range": range,
            "severity": 2,
            "code": "PL001",
            "source": "pallas",
            "message": "jax has no numpi\nthe names are a, b and numpy\nhelp: write numpy",
            "relatedInformation": [{
                "location": {"uri": "file:///work/a.py",
                    "range": {"start": {"line": 0, "character": 7}, "end": {"line": 0, "character": 10}}},
                "message": "imported here",
            }],
            "data": {
                "name": "uncaught-exception",
                "certainty": "proved",
                "fix": {"title": "write numpy", "edits": [{"uri": "file:///work/a.py", "range": range, "newText": "numpy"}]},
            },
        }]);
        assert_eq!(shown(&Client { related_information: true, ..Client::default() }), expected);
        // A client that shows no second places reads them in the message.
        let plain = shown(&Client::default());
        assert_eq!(plain[0].get("relatedInformation"), None);
        assert_eq!(
            plain[0]["message"],
            "jax has no numpi\nthe names are a, b and numpy\nhelp: write numpy\na.py:1: imported here"
        );
    }

    #[test]
    fn the_newest_text_of_a_document_waits_once() {
        let workers = AnalysisWorkers { queue: Arc::new(Queue::default()), known: Known::default() };
        let job = |name: &str, generation| Job {
            uri: lsp::Uri::from_str(name).expect("valid"),
            path: name.into(),
            generation,
            lines: Arc::new(LineTable::new("".into())),
            cells: Arc::default(),
            texts: HashMap::new(),
            open: HashMap::new(),
            client: Arc::default(),
            memory: None,
            cancel: Cancel::new(),
        };
        workers.submit(job("file:///a", 1), Turn::Next);
        workers.submit(job("file:///b", 2), Turn::Last);
        workers.submit(job("file:///a", 3), Turn::Last);
        workers.submit(job("file:///c", 4), Turn::Next);
        workers.withdraw(&lsp::Uri::from_str("file:///b").expect("valid"));
        assert_eq!([workers.queue.next().generation, workers.queue.next().generation], [4, 3]);
        assert!(workers.queue.lock().is_empty());
    }
}
