//! The protocol's handlers, and nothing else.
//!
//! A handler does one thing before its first `await`: it sends an event to the main loop. Handlers are first polled in
//! the order in which messages came, so the main loop gets events in that order; whatever they await must come after.

use crate::capabilities;
use crate::from_proto;
use crate::main_loop::{Event, Outgoing};
use crate::requests::{self, Kind};
use crate::state::Snapshot;
use crate::stdio::{Input, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, DocumentDiagnosticParams,
    DocumentDiagnosticReportResult, Hover, HoverParams, InitializeParams, InitializeResult, InlayHint, InlayHintParams,
    Uri,
};
use tower_lsp_server::{Client, LanguageServer, LspService, Server};

/// Messages that may be under way at once. The transport's own choice of 4 would let four slow requests hold back edits
/// and cancellations.
const CONCURRENCY: usize = 1024;

struct Backend {
    events: Sender<Event>,
    shut_down: Arc<AtomicBool>,
}

/// Serves one client until it goes. Sets `shut_down` when the client asks for it.
pub(crate) async fn serve(
    input: Input,
    output: Output,
    events: Sender<Event>,
    outgoing: UnboundedReceiver<Outgoing>,
    shut_down: Arc<AtomicBool>,
) {
    let (service, socket) = LspService::new(|client| {
        tokio::spawn(forward(client, outgoing));
        Backend { events, shut_down }
    });
    Server::new(input, output, socket).concurrency_level(CONCURRENCY).serve(service).await;
}

/// Sends what the main loop has for the client, in order.
async fn forward(client: Client, mut outgoing: UnboundedReceiver<Outgoing>) {
    let (hints, diagnostics) = (Refresh::default(), Refresh::default());
    while let Some(message) = outgoing.recv().await {
        match message {
            Outgoing::Publish { uri, diagnostics, version } => {
                client.publish_diagnostics(uri, diagnostics, version).await;
            }
            Outgoing::RefreshHints => {
                let client = client.clone();
                hints.request(move || {
                    let client = client.clone();
                    async move { client.inlay_hint_refresh().await.is_ok() }
                });
            }
            Outgoing::RefreshDiagnostics => {
                let client = client.clone();
                diagnostics.request(move || {
                    let client = client.clone();
                    async move { client.workspace_diagnostic_refresh().await.is_ok() }
                });
            }
        }
    }
}

/// One kind of refresh. While the client has not answered one, all others become a single one after it.
/// All tasks run on the transport's one thread, so between two awaits nothing comes in between.
#[derive(Clone, Default)]
struct Refresh(Arc<RefreshState>);

#[derive(Default)]
struct RefreshState {
    under_way: AtomicBool,
    again: AtomicBool,
}

impl Refresh {
    fn request<F: Future<Output = bool> + Send + 'static>(&self, send: impl Fn() -> F + Send + 'static) {
        self.0.again.store(true, Ordering::SeqCst);
        if self.0.under_way.swap(true, Ordering::SeqCst) {
            return;
        }
        let state = self.0.clone();
        tokio::spawn(async move {
            // A client that refuses is not asked again until there is something new.
            while state.again.swap(false, Ordering::SeqCst) && send().await {}
            state.under_way.store(false, Ordering::SeqCst);
        });
    }
}

impl Backend {
    fn send(&self, event: Event) {
        // Fails only when the main loop has stopped, and then the process is about to.
        let _ = self.events.send(event);
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

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let (client, result) = capabilities::negotiate(&params);
        self.send(Event::Initialize(client));
        Ok(result)
    }

    async fn shutdown(&self) -> Result<()> {
        self.shut_down.store(true, Ordering::SeqCst);
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

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let previous = params.previous_result_id;
        let uri = params.text_document.uri;
        let compute = move |snapshot: &Snapshot| Some(requests::diagnostics(snapshot, previous.as_deref()));
        let report = self.ask(uri, Kind::Newest, compute).await?;
        Ok(report.unwrap_or_else(|| requests::full_report(None, Vec::new())).into())
    }
}
