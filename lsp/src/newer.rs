//! What LSP 3.18 says at `initialize` and the transport's types (3.17) have no fields for: that the client asks for the texts of
//! documents that the server makes up, and which scheme they have. Stands around the transport's service; all other messages
//! pass through.

use crate::contents::SCHEME;
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_service::Service;

/// A service that speaks a newer protocol.
pub(crate) struct Newer<S> {
    /// The service inside.
    pub(crate) inner: S,
    /// Set where the client asks for the texts of documents.
    pub(crate) contents: Arc<AtomicBool>,
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

impl<S> Service<Request> for Newer<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.method() != "initialize" {
            return Box::pin(self.inner.call(request));
        }
        let asks = request.params().is_some_and(asks_for_contents);
        self.contents.store(asks, Ordering::SeqCst);
        let answer = self.inner.call(request);
        Box::pin(async move { Ok(answer.await?.map(|response| if asks { with_contents(response) } else { response })) })
    }
}

fn asks_for_contents(params: &Value) -> bool {
    params.pointer("/capabilities/workspace/textDocumentContent").is_some_and(Value::is_object)
}

fn with_contents(response: Response) -> Response {
    let (id, mut body) = response.into_parts();
    if let Ok(Value::Object(result)) = &mut body
        && let Some(Value::Object(capabilities)) = result.get_mut("capabilities")
        && let Value::Object(workspace) = capabilities.entry("workspace").or_insert_with(|| json!({}))
    {
        workspace.insert("textDocumentContent".to_string(), json!({"schemes": [SCHEME]}));
    }
    Response::from_parts(id, body)
}
