//! What the main loop has for the client, sent in order. A client that is slow to answer one refresh is not asked for all that follow.

use crate::events::Outgoing;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp_server::Client;
use tower_lsp_server::ls_types::LogTraceParams;
use tower_lsp_server::ls_types::notification::LogTrace;
use tower_lsp_server::ls_types::request::Request;

/// Sends what the main loop has for the client, in order.
pub(crate) async fn forward(client: Client, mut outgoing: UnboundedReceiver<Outgoing>) {
    let (hints, diagnostics, lenses) = (Refresh::default(), Refresh::default(), Refresh::default());
    while let Some(message) = outgoing.recv().await {
        match message {
            Outgoing::Publish { uri, diagnostics, version } => {
                client.publish_diagnostics(uri, diagnostics, version).await;
            }
            Outgoing::LogTrace(message) => {
                client.send_notification::<LogTrace>(LogTraceParams { message, verbose: None }).await;
            }
            Outgoing::RefreshLenses => {
                let client = client.clone();
                lenses.request(move || {
                    let client = client.clone();
                    async move { client.code_lens_refresh().await.is_ok() }
                });
            }
            Outgoing::RefreshContent(uri) => {
                let client = client.clone();
                tokio::spawn(async move {
                    // A client that has closed the document meanwhile has nothing to say.
                    let _ = client.send_request::<RefreshContent>(serde_json::json!({"uri": uri})).await;
                });
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

/// `workspace/textDocumentContent/refresh`, of LSP 3.18.
enum RefreshContent {}

impl Request for RefreshContent {
    type Params = Value;
    type Result = ();
    const METHOD: &'static str = "workspace/textDocumentContent/refresh";
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
