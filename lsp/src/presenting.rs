//! Carries out commands: runs what runs, with progress and cancellation, and shows what came of it, in an editor that has no
//! way of its own to show results: as a document, or as a message.

use crate::cache;
use crate::capabilities::Client as Agreed;
use crate::contents::Content;
use crate::runner::{self, Outcome, Task};
use crate::running::{CancelOnDrop, Run, Running};
use crate::surroundings::Known;
use crate::uris;
use pallas_engine::{Cancel, Disk, FileSystem};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::oneshot;
use tower_lsp_server::Client;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::notification::Progress;
use tower_lsp_server::ls_types::{
    MessageType, NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken, ShowDocumentParams, Uri,
    WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd,
};

/// What a command needs.
#[derive(Clone)]
pub(crate) struct Session {
    /// The other side.
    pub(crate) client: Client,
    /// What it can do, and what the user set.
    pub(crate) agreed: Arc<Agreed>,
    /// What runs.
    pub(crate) running: Running,
    /// What lies around files.
    pub(crate) known: Known,
    /// Says that nobody wants what the command gives any more.
    pub(crate) cancel: Cancel,
}

/// Carries out a command that runs something. A request that is taken back, which is what `$/cancelRequest` does, is dropped; the
/// work is stopped then, and goes on to its end: progress that has begun has to end, and what came of tests so far is shown.
pub(crate) async fn to_the_end<T: Send + 'static>(
    session: &Session,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let stop = CancelOnDrop(session.cancel.clone());
    let result = tokio::spawn(work).await;
    drop(stop);
    result.unwrap_or_else(|_| Err(Error::internal_error()))
}

/// An error that says what is wrong and what to do.
pub(crate) fn refused(message: String) -> Error {
    let mut error = Error::new(ErrorCode::ServerError(-32803));
    error.message = message.into();
    error
}

impl Session {
    /// Runs or profiles a file. `unsaved` says that the editor's text is another than the file's.
    pub(crate) async fn run(
        &self,
        task: Task,
        uri: &Uri,
        given: Option<ProgressToken>,
        unsaved: bool,
    ) -> Result<Value> {
        let settings = &self.agreed.settings;
        let (path, name) = names(uri);
        let program = self.program(uri, unsaved).await?;
        let title = match task {
            Task::Run => format!("Running {name}"),
            Task::Profile => format!("Profiling {name}"),
        };
        let (token, run) = self.begin(given, &title).await;
        let (sender, receiver) = oneshot::channel();
        let files: Arc<dyn FileSystem> = Arc::new(Disk);
        let around = self.known.of(&files, &path, settings);
        let file = PathBuf::from(&path);
        let started = std::thread::Builder::new().name("runner".to_string()).spawn(move || {
            // Nobody waits for it if the request was cancelled.
            let _ = sender.send(runner::run(&program, task, &file, &around.settings, run));
        });
        let outcome = match started {
            Ok(_) => receiver.await.unwrap_or_else(|_| Err("the run ended without a result".to_string())),
            Err(error) => Err(format!("no thread can be started: {error}")),
        };
        if let Some(token) = token {
            let message = outcome.as_ref().ok().map(summary);
            self.send(token, WorkDoneProgress::End(WorkDoneProgressEnd { message })).await;
        }
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(problem) => return Err(self.refuse(problem).await),
        };
        let ending = match task {
            Task::Run => "out.txt",
            Task::Profile => "profile.txt",
        };
        if !outcome.cancelled {
            self.present(&format!("{name}.{ending}"), &outcome.text(), &format!("{name}: {}", summary(&outcome))).await;
        }
        Ok(outcome.to_json())
    }

    /// The program that runs a file, which has to be one on a disk that may be run.
    pub(crate) async fn program(&self, uri: &Uri, unsaved: bool) -> Result<PathBuf> {
        let (_, name) = names(uri);
        if !self.agreed.settings.may_run {
            return Err(self
                .refuse("this workspace is not trusted, so nothing in it is run; trust it first".to_string())
                .await);
        }
        if !uri.as_str().to_ascii_lowercase().starts_with("file:") {
            return Err(self.refuse(format!("{name} is not saved in a file yet; save it, and run it then")).await);
        }
        let program = match runner::find(&self.agreed.settings) {
            Ok(program) => program,
            Err(problem) => return Err(self.refuse(problem).await),
        };
        if unsaved {
            let note = format!("{name} has edits that are not saved; what is run is the file as it was saved");
            self.client.show_message(MessageType::WARNING, note).await;
        }
        Ok(program)
    }

    /// Shows a document that is made of a file, and answers with its text and its URI. A client that asks for such documents
    /// shows one that follows its file; others get a copy.
    pub(crate) async fn show(&self, file: &str, content: &Content, text: String) -> Value {
        let uri = content.uri();
        let follows = self.agreed.contents && self.agreed.shows_documents && !self.agreed.presents_results;
        let is_shown = match uri.clone().filter(|_| follows) {
            Some(uri) => self.open(uri).await,
            None => false,
        };
        if !is_shown {
            self.present(&format!("{file}.{}", content.ending()), &text, content.what()).await;
        }
        serde_json::json!({"text": text, "uri": uri})
    }

    /// Has the client open a document. Whether it does.
    async fn open(&self, uri: Uri) -> bool {
        let params = ShowDocumentParams { uri, external: Some(false), take_focus: Some(false), selection: None };
        self.client.show_document(params).await.unwrap_or(false)
    }

    /// Shows a text: as a document, or where the client opens none, its last lines as a message. A client that shows results
    /// itself has them in the answer.
    pub(crate) async fn present(&self, name: &str, text: &str, short: &str) {
        if self.agreed.presents_results {
            return;
        }
        if self.agreed.shows_documents
            && let Some(uri) = cache::write("results", name, text)
            && self.open(uri).await
        {
            return;
        }
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(5)..].join("\n");
        self.client.show_message(MessageType::INFO, format!("{short}\n{last}")).await;
    }

    /// Says why nothing is done.
    pub(crate) async fn refuse(&self, problem: String) -> Error {
        // A client that presents results presents errors, too.
        if !self.agreed.presents_results {
            self.client.show_message(MessageType::ERROR, &problem).await;
        }
        refused(problem)
    }

    /// Begins to show progress, if the client does; it can be stopped by that from its first message on.
    pub(crate) async fn begin(&self, given: Option<ProgressToken>, title: &str) -> (Option<ProgressToken>, Run) {
        let token = match given {
            Some(token) => Some(token),
            None if self.agreed.progress => {
                let token = NumberOrString::String(format!("pallas/{}", runner::unique()));
                self.client.create_work_done_progress(token.clone()).await.ok().map(|()| token)
            }
            None => None,
        };
        let run = self.running.begin(token.clone(), self.cancel.clone());
        if let Some(token) = &token {
            let begin = WorkDoneProgressBegin {
                title: title.to_string(),
                cancellable: Some(true),
                message: None,
                percentage: None,
            };
            self.send(token.clone(), WorkDoneProgress::Begin(begin)).await;
        }
        (token, run)
    }

    pub(crate) async fn send(&self, token: ProgressToken, progress: WorkDoneProgress) {
        let params = ProgressParams { token, value: ProgressParamsValue::WorkDone(progress) };
        self.client.send_notification::<Progress>(params).await;
    }
}

/// The path of a file, and its name.
pub(crate) fn names(uri: &Uri) -> (String, String) {
    let path = uris::path(uri);
    let name = path.rsplit('/').next().unwrap_or_default().to_string();
    (path, name)
}

/// A few words on how it ended.
fn summary(outcome: &Outcome) -> String {
    match (outcome.cancelled, outcome.exit) {
        (true, _) => "stopped".to_string(),
        (false, Some(0)) => "done".to_string(),
        (false, Some(status)) => format!("exit status {status}"),
        (false, None) => "ended by a signal".to_string(),
    }
}
