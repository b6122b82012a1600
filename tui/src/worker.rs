//! The analysis in a thread of its own. A new request cancels the one that is running: its answer would be out of date.

use crate::app::Message;
use crate::app::report::Report;
use crate::{environment, sources};
use pallas_engine::{Analysis, AnalysisOptions, Cancel, Disk, ParsedFiles};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The worker. Dropping it cancels what is running and ends its thread.
pub(crate) struct Worker {
    requests: Sender<()>,
    running: Arc<Mutex<Cancel>>,
}

impl Worker {
    /// Starts a worker for a file that answers to `answer`.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(
        path: PathBuf,
        arguments: Vec<String>,
        python: Option<PathBuf>,
        answer: impl FnMut(Message) + Send + 'static,
    ) -> io::Result<Worker> {
        let (requests, inbox) = channel();
        let running = Arc::new(Mutex::new(Cancel::new()));
        let flag = running.clone();
        std::thread::Builder::new()
            .name("analysis".to_string())
            .spawn(move || work(&path, &arguments, python.as_deref(), &inbox, &flag, answer))?;
        Ok(Worker { requests, running })
    }

    /// Asks for an analysis of what the file says now.
    pub(crate) fn analyse(&self) {
        self.cancel();
        // A worker that is gone has no answer; the last report stays.
        let _ = self.requests.send(());
    }

    fn cancel(&self) {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
    }
}

fn work(
    path: &Path,
    arguments: &[String],
    python: Option<&Path>,
    inbox: &Receiver<()>,
    running: &Mutex<Cancel>,
    mut answer: impl FnMut(Message),
) {
    let parsed = ParsedFiles::default();
    while inbox.recv().is_ok() {
        let cancel = Cancel::new();
        running.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&cancel);
        // Requests that came before this point are answered by this analysis.
        while inbox.try_recv().is_ok() {}
        let begun = Instant::now();
        let text = match sources::read(path) {
            Ok(text) => text,
            Err(why) => {
                answer(Message::Unreadable(why));
                continue;
            }
        };
        let mut options = AnalysisOptions::new(Arc::new(Disk));
        options.arguments = arguments.to_vec();
        options.import_paths = environment::python_path();
        // The command has seen to it that what `--python` names is an environment; one that has gone since is none.
        options.environment = environment::find(python, path).unwrap_or_default();
        options.parsed = parsed.clone();
        options.cancel = cancel.clone();
        let analysis = Analysis::new(&path.display().to_string(), &text, &options);
        if !cancel.is_cancelled() {
            answer(Message::Analysed(Arc::new(Report::new(&analysis, begun.elapsed()))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_worker_answers_each_request() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("kernel.py");
        std::fs::write(&file, "x = 1\n").expect("written");
        let (sender, answers) = channel();
        let worker = Worker::start(file.clone(), Vec::new(), None, move |message| {
            let _ = sender.send(message);
        })
        .expect("a worker");
        worker.analyse();
        let answer = answers.recv_timeout(Duration::from_secs(20)).expect("an answer");
        assert!(matches!(&answer, Message::Analysed(report) if report.launches.is_empty()), "{answer:?}");
        std::fs::remove_file(&file).expect("removed");
        worker.analyse();
        let answer = answers.recv_timeout(Duration::from_secs(20)).expect("an answer");
        assert!(matches!(&answer, Message::Unreadable(why) if why.contains("no such file")), "{answer:?}");
    }
}
