//! What client and server agree on at `initialize`.

use crate::positions::Encoding;
use tower_lsp_server::ls_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    DiagnosticOptions, DiagnosticServerCapabilities, HoverProviderCapability, InitializeParams, InitializeResult,
    MarkupKind, OneOf, PositionEncodingKind, SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};

/// What the client can do, as far as it matters to us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Client {
    /// How columns are counted.
    pub(crate) encoding: Encoding,
    /// It asks for diagnostics; they must then not be pushed as well.
    pub(crate) pulls_diagnostics: bool,
    /// It can be asked to ask again for diagnostics.
    pub(crate) refreshes_diagnostics: bool,
    /// It can be asked to ask again for inlay hints.
    pub(crate) refreshes_hints: bool,
    /// It shows the second places of a diagnostic.
    pub(crate) related_information: bool,
    /// It takes code actions with edits in them; others know only commands, of which we have none.
    pub(crate) code_actions: bool,
    /// It takes edits that name the version of the document that they are for.
    pub(crate) versioned_edits: bool,
    /// It shows Markdown in hovers.
    pub(crate) markdown: bool,
    /// The Python whose packages are imported, if its options name one.
    pub(crate) python: Option<String>,
}

impl Client {
    /// Reads the client's side.
    pub(crate) fn new(capabilities: &ClientCapabilities) -> Self {
        let document = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let general = capabilities.general.as_ref();
        let encodings = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or_default();
        let formats = document.and_then(|d| d.hover.as_ref()).and_then(|hover| hover.content_format.as_deref());
        Client {
            // The client lists them in its order of preference.
            encoding: encodings.iter().find_map(|kind| Encoding::named(kind.as_str())).unwrap_or_default(),
            pulls_diagnostics: document.is_some_and(|d| d.diagnostic.is_some()),
            refreshes_diagnostics: workspace
                .and_then(|w| w.diagnostics.as_ref())
                .and_then(|diagnostics| diagnostics.refresh_support)
                .unwrap_or(false),
            refreshes_hints: workspace
                .and_then(|w| w.inlay_hint.as_ref())
                .and_then(|hint| hint.refresh_support)
                .unwrap_or(false),
            related_information: document
                .and_then(|d| d.publish_diagnostics.as_ref())
                .and_then(|publish| publish.related_information)
                .unwrap_or(false),
            code_actions: document
                .and_then(|d| d.code_action.as_ref())
                .is_some_and(|action| action.code_action_literal_support.is_some()),
            versioned_edits: workspace
                .and_then(|w| w.workspace_edit.as_ref())
                .and_then(|edit| edit.document_changes)
                .unwrap_or(false),
            markdown: formats.is_none_or(|formats| formats.contains(&MarkupKind::Markdown)),
            python: None,
        }
    }
}

/// Both sides of the agreement.
pub(crate) fn negotiate(params: &InitializeParams) -> (Client, InitializeResult) {
    let mut client = Client::new(&params.capabilities);
    let python = params.initialization_options.as_ref().and_then(|options| options.get("python")?.as_str());
    client.python = python.filter(|python| !python.is_empty()).map(str::to_string);
    let capabilities = ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::from(client.encoding.name())),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: client.code_actions.then(|| {
            CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                ..CodeActionOptions::default()
            })
        }),
        diagnostic_provider: client.pulls_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("pallas".to_string()),
                inter_file_dependencies: true,
                workspace_diagnostics: false,
                ..DiagnosticOptions::default()
            })
        }),
        ..ServerCapabilities::default()
    };
    let result = InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "pallas-lsp".to_string(),
            version: Some(env!("CARGO_PKG_VERSION").to_string()),
        }),
        ..InitializeResult::default()
    };
    (client, result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn client(capabilities: Value) -> (Client, InitializeResult) {
        let params = serde_json::from_value(json!({"processId": null, "rootUri": null, "capabilities": capabilities}));
        negotiate(&params.expect("parameters"))
    }

    fn encoding(offered: &[&str]) -> Encoding {
        let (client, result) = client(json!({"general": {"positionEncodings": offered}}));
        assert_eq!(result.capabilities.position_encoding, Some(PositionEncodingKind::from(client.encoding.name())));
        client.encoding
    }

    #[test]
    fn the_first_encoding_that_both_know_is_taken() {
        assert_eq!(encoding(&["utf-8", "utf-16", "utf-32"]), Encoding::Utf8); // Neovim 0.12
        assert_eq!(encoding(&["utf-16"]), Encoding::Utf16); // VS Code
        assert_eq!(encoding(&["utf-7", "utf-32", "utf-16"]), Encoding::Utf32);
        assert_eq!(encoding(&["utf-7"]), Encoding::Utf16);
        assert_eq!(encoding(&[]), Encoding::Utf16);
        assert_eq!(client(json!({})).0.encoding, Encoding::Utf16);
    }

    #[test]
    fn diagnostics_are_pulled_or_pushed_but_not_both() {
        let (pulls, result) = client(json!({"textDocument": {"diagnostic": {"dynamicRegistration": false}}}));
        assert!(pulls.pulls_diagnostics && result.capabilities.diagnostic_provider.is_some());
        let (pushed, result) = client(json!({}));
        assert!(!pushed.pulls_diagnostics && result.capabilities.diagnostic_provider.is_none());
    }

    #[test]
    fn options_name_the_python() {
        let python = |options: Value| {
            let params = json!({"capabilities": {}, "initializationOptions": options});
            negotiate(&serde_json::from_value(params).expect("parameters")).0.python
        };
        assert_eq!(python(json!({"python": "/env/bin/python"})).as_deref(), Some("/env/bin/python"));
        assert_eq!(python(json!({"python": ""})), None);
        assert_eq!(python(json!({"python": 3})), None);
        assert_eq!(python(json!(null)), None);
    }

    #[test]
    fn a_client_that_says_nothing_gets_the_least() {
        let (least, result) = client(json!({}));
        assert_eq!(least, Client { markdown: true, ..Client::default() });
        assert!(result.capabilities.code_action_provider.is_none());
    }
}
