//! The analysis, and after it the run, in a thread of their own. A new request cancels what is running: its answer would
//! be out of date. Every request is answered by a report of the analysis, and once the run has ended by one that has
//! measured times.

use crate::app::Message;
use crate::app::code::Generated;
use crate::app::merge::{Known, Recorded};
use crate::app::report::Ran;
use crate::app::values::TileSet;
use crate::args::{Backend, DeviceArg};
use crate::console::Behind;
use crate::device::{self, Wish};
use crate::{environment, sources};
use pallas_engine::generated::{Form, generated_with};
use pallas_engine::pipeline::Machines;
use pallas_engine::{
    Analysis, AnalysisOptions, Cancel, Capture, Disk, Launch, ParsedFiles, Run, RunOptions, Schedule, SourceFile, Span,
    path_text,
};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a worker works on.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// The file.
    pub(crate) path: PathBuf,
    /// `sys.argv[1:]`
    pub(crate) arguments: Vec<String>,
    /// The Python whose packages are imported.
    pub(crate) python: Option<PathBuf>,
    /// What launches are modelled on.
    pub(crate) machines: Machines,
    /// Whether the file is run, or only analysed.
    pub(crate) runs: bool,
    /// Where its kernels run.
    pub(crate) on: DeviceArg,
}

enum Request {
    /// What the file says now.
    Analyse,
    /// The last answer again, modelled on another machine, or each launch on its own.
    Model(Machines),
    /// What Refs hold.
    Tiles(Box<Wanted>, Cancel),
}

/// A program whose Refs somebody looks at.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The report that it is for.
    pub(crate) generation: usize,
    /// The launch.
    pub(crate) launch: Arc<Launch>,
    /// Its place in the report.
    pub(crate) number: usize,
    /// The program.
    pub(crate) program: usize,
}

/// Programs before and after the wanted one whose Refs are kept too.
const AROUND: (usize, usize) = (4, 28);
/// The most bytes that are kept of them.
const MOST_BYTES: usize = 24 << 20;

/// Bytes of stack of the thread that makes code.
const STACK: usize = 64 << 20;

/// Takes answers; called from several threads.
pub(crate) type Answer = Arc<dyn Fn(Message) + Send + Sync>;

/// The worker. Dropping it cancels what is running and ends its thread.
pub(crate) struct Worker {
    requests: Sender<Request>,
    answer: Answer,
    running: Arc<Mutex<Cancel>>,
    /// The last request for tiles.
    tiles: Mutex<Cancel>,
    /// Whether what a cancelled run has found is wanted all the same.
    keep: Arc<AtomicBool>,
}

impl Worker {
    /// Starts a worker that answers to `answer`.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(task: Task, answer: Answer) -> io::Result<Worker> {
        let (requests, inbox) = channel();
        let (running, keep) = (Arc::new(Mutex::new(Cancel::new())), Arc::new(AtomicBool::new(false)));
        let bench = Bench {
            task,
            answer: answer.clone(),
            running: running.clone(),
            keep: keep.clone(),
            parsed: ParsedFiles::default(),
            text: Arc::from(""),
            environment: pallas_engine::Environment::default(),
            analysis: None,
            run: None,
            before: Vec::new(),
        };
        std::thread::Builder::new().name("analysis".to_string()).spawn(move || bench.work(&inbox))?;
        Ok(Worker { requests, answer, running, tiles: Mutex::new(Cancel::new()), keep })
    }

    /// Asks for an analysis and a run of what the file says now.
    pub(crate) fn analyse(&self) {
        self.keep.store(false, Ordering::SeqCst);
        self.cancel();
        // A worker that is gone has no answer; the last report stays.
        let _ = self.requests.send(Request::Analyse);
    }

    /// Asks for the last answer on another machine.
    pub(crate) fn model(&self, machines: Machines) {
        let _ = self.requests.send(Request::Model(machines));
    }

    /// Asks what the Refs of a program hold. Earlier questions are given up.
    pub(crate) fn tiles(&self, wanted: Wanted) {
        let cancel = Cancel::new();
        let mut last = self.tiles.lock().unwrap_or_else(PoisonError::into_inner);
        last.cancel();
        last.clone_from(&cancel);
        let _ = self.requests.send(Request::Tiles(Box::new(wanted), cancel));
    }

    /// Makes the code of a launch, beside whatever else is going on; it is told when it is there.
    pub(crate) fn generate(
        &self,
        generation: usize,
        launch: Arc<Launch>,
        number: usize,
        form: Form,
        sources: Vec<Arc<SourceFile>>,
    ) {
        let answer = self.answer.clone();
        let make = move || {
            let place = |span: Span| match sources.iter().find(|source| source.id == span.file) {
                Some(source) => source.place(span.start),
                None => "?".to_string(),
            };
            let text = generated_with(&launch, form, place).map_err(|refusal| refusal.message);
            answer(Message::Generated(Arc::new(Generated { generation, launch: number, form, text })));
        };
        // Lowering follows the kernel's nesting.
        let thread = std::thread::Builder::new().name("code".to_string()).stack_size(STACK);
        if let Err(error) = thread.spawn(make) {
            (self.answer)(Message::Say(format!("no code: {error}")));
        }
    }

    /// Stops what is running; what a run has found until then is told.
    pub(crate) fn stop(&self) {
        self.keep.store(true, Ordering::SeqCst);
        self.cancel();
    }

    fn cancel(&self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        self.tiles.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.keep.store(false, Ordering::SeqCst);
        self.cancel();
    }
}

/// Whether a file is a saved report, and no program.
pub(crate) fn is_report(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

struct Bench {
    task: Task,
    answer: Answer,
    running: Arc<Mutex<Cancel>>,
    keep: Arc<AtomicBool>,
    parsed: ParsedFiles,
    /// What was analysed last.
    text: Arc<str>,
    environment: pallas_engine::Environment,
    analysis: Option<(Analysis, Duration)>,
    run: Option<(Run, Ran)>,
    before: Recorded,
}

impl Bench {
    fn work(mut self, inbox: &Receiver<Request>) {
        while let Ok(request) = inbox.recv() {
            match request {
                Request::Analyse => self.analyse(inbox),
                Request::Model(machines) => {
                    self.task.machines = machines;
                    self.report(self.run.is_some());
                }
                Request::Tiles(wanted, cancel) => self.tiles(&wanted, &cancel),
            }
        }
    }

    fn analyse(&mut self, inbox: &Receiver<Request>) {
        let cancel = Cancel::new();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&cancel);
        // Requests that came before this point are answered by this analysis.
        while let Ok(request) = inbox.try_recv() {
            // Questions about what was there before are left without an answer.
            if let Request::Model(machines) = request {
                self.task.machines = machines;
            }
        }
        if is_report(&self.task.path) {
            return self.open(&cancel);
        }
        let begun = Instant::now();
        let path = &self.task.path;
        let text = match sources::read(path) {
            Ok(text) => text,
            Err(why) => {
                (self.answer)(Message::Unreadable(why));
                return;
            }
        };
        // The command has seen to it that what `--python` names is an environment; one that has gone since is none.
        let environment = environment::find(self.task.python.as_deref(), path).unwrap_or_default();
        let mut options = AnalysisOptions::new(Arc::new(Disk));
        options.arguments.clone_from(&self.task.arguments);
        options.import_paths = environment::python_path();
        options.environment = environment.clone();
        options.parsed = self.parsed.clone();
        options.cancel = cancel.clone();
        let analysis = Analysis::new(&path_text(path), &text, &options);
        if cancel.is_cancelled() && !self.keep.load(Ordering::SeqCst) {
            return;
        }
        if let Some((run, _)) = self.run.take() {
            self.before = run.measured;
        }
        self.analysis = Some((analysis, begun.elapsed()));
        self.text = text.clone();
        self.environment = environment.clone();
        self.report(false);
        if !self.task.runs || cancel.is_cancelled() {
            return;
        }
        (self.answer)(Message::Running);
        let (run, ran) = self.run(&text, &cancel);
        if cancel.is_cancelled() && !self.keep.load(Ordering::SeqCst) {
            return;
        }
        self.run = Some((run, ran));
        self.report(true);
    }

    /// Reads a saved report, and tells how far it is.
    fn open(&self, cancel: &Cancel) {
        let path = &self.task.path;
        let answer = self.answer.clone();
        let name = path_text(path);
        let tell = move |done: u64, all: u64| {
            let megabytes = |bytes: u64| usize::try_from(bytes >> 20).unwrap_or(usize::MAX);
            answer(Message::Progress { kernel: name.clone(), done: megabytes(done), programs: megabytes(all) });
        };
        (self.answer)(Message::Running);
        let first = |report| (self.answer)(Message::Overview(Arc::new(report)));
        match crate::saved::open(path, cancel, first, tell) {
            Ok(report) => (self.answer)(Message::Profiled(Arc::new(report))),
            Err(_) if cancel.is_cancelled() => {}
            Err(why) => (self.answer)(Message::Unreadable(why)),
        }
    }

    fn options(&self, console: Behind, cancel: &Cancel) -> RunOptions {
        RunOptions {
            files: Arc::new(Disk),
            arguments: self.task.arguments.clone(),
            import_paths: environment::python_path(),
            environment: self.environment.clone(),
            schedule: Schedule::default(),
            strict: false,
            target: None,
            acceleration: None,
            console: Box::new(console),
            cancel: cancel.clone(),
        }
    }

    /// Runs the file again, up to a program, and tells what its Refs hold.
    fn tiles(&self, wanted: &Wanted, cancel: &Cancel) {
        if cancel.is_cancelled() {
            return;
        }
        let programs = wanted.program.saturating_sub(AROUND.0)
            ..wanted.program.saturating_add(AROUND.1).min(wanted.launch.programs());
        let (launch, program) = (wanted.launch.clone(), wanted.program);
        let capture = Capture { launch, program, programs, most: MOST_BYTES };
        // The capture cancels the run when it has what it wants: that is no reason to drop it.
        let given_up = cancel.clone();
        let options = self.options(Behind::new(Arc::default(), |_, _, _| {}), &Cancel::new());
        let stop = options.cancel.clone();
        let watch = std::thread::Builder::new().name("tiles".to_string());
        let done = Arc::new(AtomicBool::new(false));
        let over = done.clone();
        let watching = watch.spawn(move || {
            while !over.load(Ordering::SeqCst) {
                if given_up.is_cancelled() {
                    stop.cancel();
                    return;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let tiles = Run::capture(&path_text(&self.task.path), &self.text, options, capture);
        done.store(true, Ordering::SeqCst);
        if let Ok(watching) = watching {
            let _ = watching.join();
        }
        if !cancel.is_cancelled() {
            let set = TileSet::new(wanted.generation, wanted.number, wanted.program, tiles);
            (self.answer)(Message::Tiles(Arc::new(set)));
        }
    }

    fn run(&self, text: &str, cancel: &Cancel) -> (Run, Ran) {
        let begun = Instant::now();
        let printed = Arc::new(Mutex::new(String::new()));
        let answer = self.answer.clone();
        let progress = move |kernel: &str, done: usize, programs: usize| {
            answer(Message::Progress { kernel: kernel.to_string(), done, programs });
        };
        let mut options = self.options(Behind::new(printed.clone(), progress), cancel);
        let (on, python) = (self.task.on, self.task.python.as_deref());
        // The command has seen to it that there is one; where it has gone since, kernels run in interpret mode.
        // The way that notes what programs do: that is what screens show.
        let wish = Wish { timed: true, backend: Backend::Simt, ..Wish::plain(on) };
        let answer = self.answer.clone();
        let compiling = Box::new(move |what: &str, done, programs| {
            answer(Message::Progress { kernel: what.to_string(), done, programs });
        });
        options.acceleration = device::acceleration(wish, python, &self.task.path, Some(compiling)).unwrap_or_default();
        let run = Run::new(&path_text(&self.task.path), text, options);
        let ran = Ran {
            exit: run.exit,
            stderr: device::words(&run).0 + &run.stderr,
            printed: printed.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            took: begun.elapsed(),
            stopped: cancel.is_cancelled(),
        };
        (run, ran)
    }

    /// Tells what is known.
    fn report(&self, ran: bool) {
        let Some((analysis, took)) = &self.analysis else { return };
        let known = Known {
            analysis,
            run: self.run.as_ref().map(|(run, ran)| (run, ran)),
            before: &self.before,
            machines: &self.task.machines,
            arguments: &self.task.arguments,
            took: *took,
        };
        let report = Arc::new(known.report());
        (self.answer)(if ran { Message::Profiled(report) } else { Message::Analysed(report) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::values::Moment;
    use pallas_engine::pipeline::{MACHINES, Machines};

    const FILE: &str = "\
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


x = jnp.arange(32)
spec = pl.BlockSpec((8,), lambda i: (i,))
pl.pallas_call(add_kernel, grid=(4,), in_specs=[spec], out_specs=spec, out_shape=x)(x)
print('done')
";

    fn start(text: &str) -> (Worker, Receiver<Message>, PathBuf, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("kernel.py");
        std::fs::write(&file, text).expect("written");
        let (sender, answers) = channel();
        let answer: Answer = Arc::new(move |message| {
            let _ = sender.send(message);
        });
        let task = Task {
            path: file.clone(),
            arguments: Vec::new(),
            python: None,
            machines: Machines::named(&MACHINES[0]),
            runs: true,
            on: DeviceArg::INTERPRET,
        };
        (Worker::start(task, answer).expect("a worker"), answers, file, folder)
    }

    /// The next message that is no progress.
    fn next(answers: &Receiver<Message>) -> Message {
        loop {
            match answers.recv_timeout(Duration::from_secs(60)).expect("an answer") {
                Message::Progress { .. } => {}
                message => return message,
            }
        }
    }

    #[test]
    fn a_worker_answers_each_request() {
        let (worker, answers, file, _folder) = start("x = 1\n");
        worker.analyse();
        let answer = next(&answers);
        assert!(matches!(&answer, Message::Analysed(report) if report.launches.is_empty()), "{answer:?}");
        assert!(matches!(next(&answers), Message::Running));
        assert!(matches!(next(&answers), Message::Profiled(_)));
        std::fs::remove_file(&file).expect("removed");
        worker.analyse();
        let answer = next(&answers);
        assert!(matches!(&answer, Message::Unreadable(why) if why.contains("no such file")), "{answer:?}");
    }

    #[test]
    fn a_run_adds_what_was_measured_and_an_edit_keeps_it_until_there_is_more() {
        let (worker, answers, _file, _folder) = start(FILE);
        worker.analyse();
        let Message::Analysed(first) = next(&answers) else { panic!("no analysis") };
        let measured = |report: &crate::app::report::Report| {
            report.profile.as_ref().is_some_and(|profile| profile.launches[0].measured.is_some())
        };
        assert!(!measured(&first) && !first.launches[0].ran);
        assert!(matches!(next(&answers), Message::Running));
        let Message::Profiled(second) = next(&answers) else { panic!("no profile") };
        assert!(measured(&second) && second.launches[0].ran && second.launches.len() == 1);
        assert_eq!(second.ran.as_ref().map(|ran| (ran.exit, ran.printed.as_str())), Some((0, "done\n")));
        worker.model(Machines::named(&MACHINES[1]));
        let Message::Profiled(other) = next(&answers) else { panic!("no profile") };
        assert_eq!(other.profile.as_ref().map(|profile| profile.machine.name.as_str()), Some(&*MACHINES[1].name));
        worker.analyse();
        let Message::Analysed(third) = next(&answers) else { panic!("no analysis") };
        assert!(measured(&third) && third.launches[0].stale);
    }

    #[test]
    fn refs_of_a_program_are_seen_before_and_after_the_kernel() {
        let (worker, answers, _file, _folder) = start(FILE);
        worker.analyse();
        let launch = loop {
            if let Message::Profiled(report) = next(&answers) {
                break report.launches[0].launch.clone();
            }
        };
        worker.tiles(Wanted { generation: 7, launch, number: 0, program: 2 });
        let Message::Tiles(set) = next(&answers) else { panic!("no tiles") };
        assert_eq!((set.generation, set.asked), (7, 2));
        let numbers: Vec<usize> = set.programs.iter().map(|known| known.program).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        let refs = &set.programs[2].refs;
        assert_eq!(refs.len(), 2);
        assert_eq!((refs[0].stats_before.min, refs[0].stats_before.max, refs[0].changed), (16.0, 23.0, 0));
        assert_eq!((refs[1].stats_after.min, refs[1].stats_after.max, refs[1].changed), (17.0, 24.0, 8));
        let stores = &set.programs[2].stores;
        assert_eq!((stores.len(), set.programs[2].stored, stores[0].at), (1, 1, 1));
        let at = stores[0].span.start as usize..stores[0].span.end as usize;
        assert!(FILE[at.clone()].starts_with("o_ref[...]"), "{}", &FILE[at]);
        let first = |tile: &crate::app::values::RefTile, moment| tile.value(moment, 0).and_then(|v| v.as_f64());
        assert_eq!(first(&stores[0].tile, Moment::After), Some(17.0));
        assert_eq!(stores[0].tile.changed, 8);
    }

    #[test]
    fn a_run_that_does_not_end_is_stopped_with_what_it_found() {
        let text = FILE.replace("print('done')", "while True: pass");
        let (worker, answers, _file, _folder) = start(&text);
        worker.analyse();
        // The analysis gives up on the loop by itself.
        assert!(matches!(next(&answers), Message::Analysed(_)));
        assert!(matches!(next(&answers), Message::Running));
        std::thread::sleep(Duration::from_millis(300));
        worker.stop();
        let Message::Profiled(report) = next(&answers) else { panic!("no profile") };
        assert!(report.ran.as_ref().is_some_and(|ran| ran.stopped));
    }
}
