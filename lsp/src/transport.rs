//! The protocol's handlers, and nothing else.
//!
//! A handler does one thing before its first `await`: it sends an event to the main loop. Handlers are first polled in
//! the order in which messages came, so the main loop gets events in that order; whatever they await must come after.

use crate::commands::Command;
use crate::contents::{Content, Shown, Watched};
use crate::events::{Event, Outgoing, Overview};
use crate::newer::Newer;
use crate::notebooks::Notebook;
use crate::outgoing::forward;
use crate::presenting::{Session, to_the_end};
use crate::requests::{self, Kind};
use crate::runner::Task;
use crate::running::{CancelOnDrop, Running};
use crate::settings::{EditorSettings, SECTION};
use crate::state::Snapshot;
use crate::stdio::{Input, Output};
use crate::surroundings::Known;
use crate::workspace::Files;
use crate::{capabilities, from_proto, renaming, testing, uris};
use pallas_engine::generated::Form;
use pallas_engine::{Cancel, Disk, FileSystem, check};
use serde_json::Value;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::request::{GotoTypeDefinitionParams, GotoTypeDefinitionResponse};
use tower_lsp_server::ls_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionParams, CompletionResponse,
    ConfigurationItem, DidChangeConfigurationParams, DidChangeNotebookDocumentParams, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidChangeWatchedFilesRegistrationOptions, DidCloseNotebookDocumentParams,
    DidCloseTextDocumentParams, DidOpenNotebookDocumentParams, DidOpenTextDocumentParams,
    DidSaveNotebookDocumentParams, DidSaveTextDocumentParams, DocumentDiagnosticParams, DocumentDiagnosticReportResult,
    DocumentHighlight, DocumentHighlightParams, DocumentSymbolParams, DocumentSymbolResponse, ExecuteCommandParams,
    FileSystemWatcher, GlobPattern, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams, InitializeParams,
    InitializeResult, InitializedParams, InlayHint, InlayHintParams, Location, MessageType, Position,
    PrepareRenameResponse, ReferenceParams, Registration, RenameParams, SetTraceParams, SignatureHelp,
    SignatureHelpParams, TextDocumentPositionParams, TraceValue, Uri, WorkDoneProgressCancelParams,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult, WorkspaceEdit,
};
use tower_lsp_server::{Client, LanguageServer, LspService, Server};

/// Messages that may be under way at once. The transport's own choice of 4 would let four slow requests hold back edits
/// and cancellations.
const CONCURRENCY: usize = 1024;

struct Backend {
    shared: Shared,
    client: Client,
    files: Files,
    /// Whether the client asks for the texts of documents that the server makes up.
    contents: Arc<AtomicBool>,
    /// Whether the client is asked for its configuration, rather than telling it.
    asks_configuration: AtomicBool,
    /// What is to be said as soon as the client listens.
    problems: Mutex<Vec<String>>,
}

/// What the handlers share with the rest of the server.
pub(crate) struct Shared {
    /// The way to the main loop.
    pub(crate) events: Sender<Event>,
    /// Set when the client asks for the end of the session.
    pub(crate) shut_down: Arc<AtomicBool>,
    /// What runs for the client.
    pub(crate) running: Running,
    /// What lies around files.
    pub(crate) known: Known,
}

/// Serves one client until it goes.
pub(crate) async fn serve(input: Input, output: Output, outgoing: UnboundedReceiver<Outgoing>, shared: Shared) {
    let contents = Arc::new(AtomicBool::new(false));
    let asks = contents.clone();
    let build = LspService::build(|client| {
        tokio::spawn(forward(client.clone(), outgoing));
        Backend {
            shared,
            client,
            files: Files::default(),
            contents,
            asks_configuration: AtomicBool::new(false),
            problems: Mutex::default(),
        }
    });
    let (service, socket) = build
        .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress)
        .custom_method("$/setTrace", Backend::set_trace)
        .custom_method("workspace/textDocumentContent", Backend::text_document_content)
        .finish();
    let service = Newer { inner: service, contents: asks };
    Server::new(input, output, socket).concurrency_level(CONCURRENCY).serve(service).await;
}

impl Backend {
    fn send(&self, event: Event) {
        // Fails only when the main loop has stopped, and then the process is about to.
        let _ = self.shared.events.send(event);
    }

    /// Asks about a document; the answer is made from its analysis.
    async fn ask<T: Send + 'static>(
        &self,
        uri: Uri,
        kind: Kind,
        compute: impl FnOnce(&Snapshot) -> Option<T> + Send + 'static,
    ) -> Result<Option<T>> {
        let (reply, answer) = requests::reply(compute);
        self.send(Event::Request(uri, kind, reply));
        answer.await.unwrap_or_else(|_| Err(Error::internal_error()))
    }
}

impl Backend {
    /// Everything as it is after the messages so far. The question is sent at once; the answer is awaited.
    fn overview(&self) -> impl Future<Output = Result<Overview>> + use<> {
        let (sender, receiver) = oneshot::channel();
        self.send(Event::Overview(sender));
        async { receiver.await.map_err(|_| Error::internal_error()) }
    }

    /// Asks the client for the user's settings.
    async fn configure(&self) {
        let item = ConfigurationItem { scope_uri: None, section: Some(SECTION.to_string()) };
        let Ok(values) = self.client.configuration(vec![item]).await else { return };
        // A client without such settings says null: what it said at the beginning counts.
        let Some(value) = values.first().filter(|value| value.is_object()) else { return };
        let (settings, problems) = EditorSettings::read(value);
        self.files.forget();
        self.send(Event::Configure(settings));
        self.complain(&problems).await;
    }

    /// Says what is wrong with the user's settings.
    async fn complain(&self, problems: &[String]) {
        if !problems.is_empty() {
            self.client.show_message(MessageType::WARNING, problems.join("\n")).await;
        }
    }

    /// Shows what a launch of a file is in another form, and answers with it.
    async fn show(&self, session: &Session, uri: Uri, position: Option<Position>, form: Option<Form>) -> Result<Value> {
        let path = uris::path(&uri);
        let name = path.rsplit('/').next().unwrap_or_default();
        let work = move |snapshot: &Snapshot| requests::content(snapshot, position, form);
        match self.ask(uri, Kind::Newest, work).await? {
            Some((content, text)) => Ok(session.show(name, &content, text).await),
            None => Err(session.refuse(format!("{name}: no kernel is launched in this file")).await),
        }
    }

    async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        self.shared.running.cancel(&params.token);
    }

    /// `workspace/textDocumentContent`, of LSP 3.18: the text of a document that the server makes up.
    async fn text_document_content(&self, params: Value) -> Result<Value> {
        let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
        let read = Uri::from_str(uri).ok().and_then(|uri| Some((Content::read(&uri)?, uri)));
        let Some((content, uri)) = read else {
            return Err(Error::invalid_params(format!("`{uri}` is no document of this server")));
        };
        let shown = Shown::asked();
        let (made, then) = (content.clone(), shown.clone());
        let (reply, answer) = requests::reply(move |snapshot| {
            let text = made.shown(snapshot);
            then.set(&text);
            Some(text)
        });
        self.send(Event::Content(Watched { uri, content: content.clone(), shown: shown.clone() }, reply));
        let text = answer.await.unwrap_or_else(|_| Err(Error::internal_error()))?;
        let text = text.unwrap_or_else(|| {
            let text = content.without_source();
            shown.set(&text);
            text
        });
        Ok(serde_json::json!({"text": text}))
    }

    async fn set_trace(&self, params: SetTraceParams) {
        self.send(Event::Trace(params.value != TraceValue::Off));
    }
}

/// What the server is and knows, for reports of mistakes: no texts of documents.
fn debug_information(overview: &Overview) -> String {
    let mut text =
        format!("pallas-lsp {}\n{} {}\n\n", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
    text.push_str(&match crate::runner::find(&overview.client.settings) {
        Ok(program) => format!("runs kernels with {}\n", program.display()),
        Err(problem) => format!("cannot run kernels: {problem}\n"),
    });
    text.push_str(&format!("\n{:#?}\n\ndocuments:\n", overview.client));
    for (uri, version, document) in &overview.documents {
        text.push_str(&format!("{} version {version}, {} lines\n", uri.as_str(), document.lines().count()));
    }
    text
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let (mut client, result, problems) = capabilities::negotiate(&params);
        client.contents = self.contents.load(Ordering::SeqCst);
        self.asks_configuration.store(client.configuration, Ordering::SeqCst);
        self.send(Event::Trace(params.trace.is_some_and(|trace| trace != TraceValue::Off)));
        self.send(Event::Initialize(client));
        *self.problems.lock().unwrap_or_else(PoisonError::into_inner) = problems;
        Ok(result)
    }

    async fn initialized(&self, _params: InitializedParams) {
        let overview = self.overview();
        let problems = std::mem::take(&mut *self.problems.lock().unwrap_or_else(PoisonError::into_inner));
        let Ok(overview) = overview.await else { return };
        self.complain(&problems).await;
        let mut wanted = Vec::new();
        if overview.client.registers_watchers {
            let watcher = |pattern: &str| FileSystemWatcher {
                glob_pattern: GlobPattern::String(pattern.to_string()),
                kind: None,
            };
            let watchers = ["**/*.py", "**/pallas.toml", "**/pyproject.toml"].map(watcher).into();
            let options = serde_json::to_value(DidChangeWatchedFilesRegistrationOptions { watchers });
            wanted.push(Registration {
                id: "files".to_string(),
                method: "workspace/didChangeWatchedFiles".to_string(),
                register_options: options.ok(),
            });
        }
        if overview.client.registers_configuration {
            wanted.push(Registration {
                id: "settings".to_string(),
                method: "workspace/didChangeConfiguration".to_string(),
                register_options: Some(serde_json::json!({"section": SECTION})),
            });
        }
        if !wanted.is_empty() {
            // A client that refuses is asked for its files when documents are saved.
            let _ = self.client.register_capability(wanted).await;
        }
        if overview.client.configuration {
            self.configure().await;
        }
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        if self.asks_configuration.load(Ordering::SeqCst) {
            self.configure().await;
            return;
        }
        let ours = params.settings.get(SECTION).unwrap_or(&params.settings);
        let (settings, problems) = EditorSettings::read(ours);
        self.files.forget();
        self.send(Event::Configure(settings));
        self.complain(&problems).await;
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.files.forget();
        self.send(Event::FilesChanged(params.changes.iter().map(|change| uris::path(&change.uri)).collect()));
    }

    async fn shutdown(&self) -> Result<()> {
        self.shared.shut_down.store(true, Ordering::SeqCst);
        self.send(Event::Stop);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        self.send(Event::Open { uri: document.uri, version: document.version, text: document.text });
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let document = params.text_document;
        let edits = params.content_changes.into_iter().map(from_proto::edit).collect();
        self.send(Event::Change { uri: document.uri, version: document.version, edits });
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.send(Event::Save(params.text_document.uri));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.send(Event::Close(params.text_document.uri));
    }

    async fn notebook_did_open(&self, params: DidOpenNotebookDocumentParams) {
        let document = params.notebook_document;
        let notebook = Notebook::new(document.cells, params.cell_text_documents);
        self.send(Event::OpenNotebook { uri: document.uri, version: document.version, notebook });
    }

    async fn notebook_did_change(&self, params: DidChangeNotebookDocumentParams) {
        let document = params.notebook_document;
        if let Some(change) = params.change.cells {
            self.send(Event::ChangeNotebook { uri: document.uri, version: document.version, change });
        }
    }

    async fn notebook_did_save(&self, params: DidSaveNotebookDocumentParams) {
        self.send(Event::Save(params.notebook_document.uri));
    }

    async fn notebook_did_close(&self, params: DidCloseNotebookDocumentParams) {
        self.send(Event::Close(params.notebook_document.uri));
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let place = params.text_document_position_params;
        let position = place.position;
        self.ask(place.text_document.uri, Kind::Place, move |snapshot| requests::hover(snapshot, position)).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let range = params.range;
        self.ask(params.text_document.uri, Kind::Hints, move |snapshot| requests::inlay_hints(snapshot, range)).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let (range, context) = (params.range, params.context);
        let uri = params.text_document.uri;
        self.ask(uri, Kind::Place, move |snapshot| requests::code_actions(snapshot, range, &context)).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.ask(params.text_document.uri, Kind::Place, requests::code_lenses).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let place = params.text_document_position;
        let position = place.position;
        self.ask(place.text_document.uri, Kind::Place, move |snapshot| requests::references(snapshot, position)).await
    }

    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        let place = params.text_document_position_params;
        let position = place.position;
        self.ask(place.text_document.uri, Kind::Place, move |snapshot| requests::highlights(snapshot, position)).await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let place = params.text_document_position_params;
        let position = place.position;
        self.ask(place.text_document.uri, Kind::Place, move |snapshot| requests::definition(snapshot, position)).await
    }

    async fn goto_type_definition(
        &self,
        params: GotoTypeDefinitionParams,
    ) -> Result<Option<GotoTypeDefinitionResponse>> {
        let place = params.text_document_position_params;
        let position = place.position;
        self.ask(place.text_document.uri, Kind::Place, move |snapshot| requests::type_definition(snapshot, position))
            .await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        self.ask(params.text_document.uri, Kind::Place, requests::symbols).await
    }

    async fn prepare_rename(&self, params: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
        let position = params.position;
        let uri = params.text_document.uri;
        let found = self.ask(uri, Kind::Place, move |snapshot| renaming::prepare(snapshot, position)).await?;
        found.transpose().map_err(renaming::refused)
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let place = params.text_document_position;
        let (position, new) = (place.position, params.new_name);
        let uri = place.text_document.uri;
        let found = self.ask(uri, Kind::Place, move |snapshot| renaming::rename(snapshot, position, &new)).await?;
        found.transpose().map_err(renaming::refused)
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let place = params.text_document_position;
        let position = place.position;
        self.ask(place.text_document.uri, Kind::Place, move |snapshot| requests::completion(snapshot, position)).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        let place = params.text_document_position_params;
        let position = place.position;
        self.ask(place.text_document.uri, Kind::Place, move |snapshot| requests::signature_help(snapshot, position))
            .await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        let overview = self.overview();
        let command = Command::read(&params.command, &params.arguments).map_err(Error::invalid_params)?;
        let overview = overview.await?;
        let session = Session {
            client: self.client.clone(),
            agreed: overview.client.clone(),
            running: self.shared.running.clone(),
            known: self.shared.known.clone(),
            cancel: Cancel::new(),
        };
        let token = params.work_done_progress_params.work_done_token;
        let unsaved = |uri: &Uri| {
            let open = overview.documents.iter().find(|(open, ..)| open == uri);
            open.is_some_and(|(_, _, text)| {
                Disk.read(&uris::path(uri)).ok().flatten().is_none_or(|saved| saved != *text)
            })
        };
        let run = async |task: Task, uri: Uri| {
            let (inside, token, unsaved) = (session.clone(), token.clone(), unsaved(&uri));
            to_the_end(&session, async move { inside.run(task, &uri, token, unsaved).await }).await
        };
        // What is run is a file, also where it is asked for in a cell of a notebook.
        let file = |uri: Uri| {
            let of_cell = overview.cells.iter().find(|(cell, _)| *cell == uri);
            of_cell.map_or(uri.clone(), |(_, notebook)| notebook.clone())
        };
        let result = match command {
            Command::Run(uri) => run(Task::Run, file(uri)).await?,
            Command::Profile(uri) => run(Task::Profile, file(uri)).await?,
            Command::Test(uri, mut wanted, position) => {
                if let Some(position) = position.filter(|_| wanted.test.is_none()) {
                    let work = move |snapshot: &Snapshot| testing::nearest(snapshot, position);
                    let Some(test) = self.ask(uri.clone(), Kind::Newest, work).await? else {
                        return Err(session.refuse("there is no test here, nor above it".to_string()).await);
                    };
                    wanted.test = Some(test);
                }
                let version = overview.documents.iter().find(|(open, ..)| *open == uri).map(|(_, version, _)| *version);
                let (inside, unsaved, events) = (session.clone(), unsaved(&uri), self.shared.events.clone());
                let work = async move {
                    let (tested, answer) = inside.test(&wanted, &uri, token, unsaved).await?;
                    // What is shown of them are places in the file as it was saved.
                    if let Some(version) = version.filter(|_| !unsaved) {
                        // Fails only when the main loop has stopped.
                        let _ = events.send(Event::Tested(uri, version, tested));
                    }
                    Ok(answer)
                };
                to_the_end(&session, work).await?
            }
            Command::KernelIr(uri, position) => self.show(&session, uri, position, None).await?,
            Command::GeneratedCode(uri, position, form) => self.show(&session, uri, position, Some(form)).await?,
            Command::Explain(code) => {
                let Some(rule) = check::find(&code) else {
                    return Err(session.refuse(format!("no rule is called `{code}`")).await);
                };
                let text = rule.page();
                session.present(&format!("{}.md", rule.code), &text, rule.summary).await;
                serde_json::json!({"text": text})
            }
            Command::DebugInformation => {
                let text = debug_information(&overview);
                session.present("server.txt", &text, "pallas-lsp").await;
                serde_json::json!({"text": text})
            }
        };
        Ok(Some(result))
    }

    async fn workspace_diagnostic(&self, params: WorkspaceDiagnosticParams) -> Result<WorkspaceDiagnosticReportResult> {
        let overview = self.overview().await?;
        let previous: HashMap<Uri, String> = params.previous_result_ids.into_iter().map(|p| (p.uri, p.value)).collect();
        let open: Vec<String> = overview.documents.iter().map(|(uri, ..)| uris::path(uri)).collect();
        let (files, known, cancel) = (self.files.clone(), self.shared.known.clone(), Cancel::new());
        let (sender, receiver) = oneshot::channel();
        let guard = CancelOnDrop(cancel.clone());
        let work = move || {
            // Nobody waits for it if the request was cancelled.
            let _ = sender.send(files.reports(&overview.client, &known, &open, &previous, &cancel));
        };
        let started = std::thread::Builder::new().name("workspace".to_string()).spawn(work);
        let items = match started {
            Ok(_) => receiver.await.map_err(|_| Error::internal_error())?,
            Err(_) => Vec::new(),
        };
        drop(guard);
        Ok(WorkspaceDiagnosticReport { items }.into())
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let previous = params.previous_result_id;
        let uri = params.text_document.uri;
        let compute = move |snapshot: &Snapshot| Some(requests::diagnostics(snapshot, previous.as_deref()));
        let report = self.ask(uri, Kind::Newest, compute).await?;
        Ok(report.unwrap_or_else(|| requests::full_report(None, Vec::new())).into())
    }
}
