//! Analysis off the main loop: a queue of documents, a few threads, and results sent back as events.
//!
//! A document waits at most once in the queue, with its newest text. Who edits a document cancels its analysis under way;
//! the main loop drops results that come all the same, by their generation.

use crate::capabilities::Client;
use crate::positions::LineTable;
use crate::to_proto::Places;
use pallas_engine::{Analysis, AnalysisOptions, Cancel, Disk, FileSystem, Overlay, Span};
use pallas_ide as ide;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
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
    /// The texts of all open documents by path; imports see them.
    pub(crate) texts: HashMap<String, Arc<str>>,
    /// The documents that are open, by path.
    pub(crate) open: HashMap<Arc<str>, lsp::Uri>,
    /// What the client can do.
    pub(crate) client: Arc<Client>,
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
}

/// An analysis, and all that is made of it once.
pub(crate) struct Analysed {
    /// The analysis.
    pub(crate) analysis: Analysis,
    /// The lines of its text.
    pub(crate) lines: Arc<LineTable>,
    /// Its diagnostics.
    pub(crate) findings: Vec<ide::Diagnostic>,
    /// The same, one for one, as the client gets them.
    pub(crate) diagnostics: Vec<lsp::Diagnostic>,
    /// Names this list of diagnostics.
    pub(crate) result_id: String,
    /// Names what its inlay hints say, wherever they stand: an edit moves hints, and clients move them along.
    pub(crate) hints: u64,
    /// Every file that it asked for, found or not, itself included.
    pub(crate) asked: HashSet<String>,
}

/// Sends jobs to the threads.
#[derive(Clone)]
pub(crate) struct AnalysisWorkers {
    queue: Arc<Queue>,
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
    pub(crate) fn start(threads: usize, report: impl Fn(Done) + Clone + Send + 'static) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        for _ in 0..threads {
            let (queue, report) = (queue.clone(), report.clone());
            thread::Builder::new().name("analysis".to_string()).spawn(move || {
                loop {
                    report(run(queue.next()));
                }
            })?;
        }
        Ok(AnalysisWorkers { queue })
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

fn run(job: Job) -> Done {
    let (uri, generation) = (job.uri.clone(), job.generation);
    // The job is used up either way, so nothing half-changed is seen after a panic.
    let analysed = catch_unwind(AssertUnwindSafe(|| analyse(job))).ok().map(Arc::new);
    Done { uri, generation, analysed }
}

fn analyse(job: Job) -> Analysed {
    let files = Arc::new(Recorder { under: Overlay::new(job.texts, Arc::new(Disk)), asked: Mutex::default() });
    let mut options = AnalysisOptions::new(files.clone());
    options.cancel = job.cancel;
    let analysis = Analysis::new(&job.path, job.lines.text(), &options);
    let places = Places { analysis: &analysis, lines: &job.lines, uri: &job.uri, open: &job.open, client: &job.client };
    let findings = ide::diagnostics(&analysis);
    let diagnostics: Vec<_> = findings.iter().map(|finding| places.diagnostic(finding)).collect();
    let result_id = result_id(&diagnostics);
    let mut hints = DefaultHasher::new();
    for hint in ide::inlay_hints(&analysis, whole(&analysis)) {
        hint.label.hash(&mut hints);
    }
    let mut asked = std::mem::take(&mut *files.lock());
    asked.insert(job.path.to_string());
    Analysed { analysis, lines: job.lines, findings, diagnostics, result_id, hints: hints.finish(), asked }
}

/// All of the analysed file.
pub(crate) fn whole(analysis: &Analysis) -> Span {
    Span::new(analysis.source.id, 0, analysis.source.text.len())
}

/// Equal lists have equal names, and only the current process reads them.
fn result_id(diagnostics: &[lsp::Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    for diagnostic in diagnostics {
        // A type that the protocol sends can be written as JSON.
        serde_json::to_string(diagnostic).unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Remembers what was asked for: an analysis depends on these files, also on those that are not there.
struct Recorder {
    under: Overlay,
    asked: Mutex<HashSet<String>>,
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileSystem for Recorder {
    fn read(&self, path: &str) -> Result<Option<Arc<str>>, String> {
        self.lock().insert(path.to_string());
        self.under.read(path)
    }
}
