//! What client and server agree on at `initialize`.

use crate::commands;
use crate::positions::Encoding;
use crate::settings::EditorSettings;
use crate::uris;
use tower_lsp_server::ls_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DiagnosticOptions, DiagnosticServerCapabilities, ExecuteCommandOptions, HoverProviderCapability,
    InitializeParams, InitializeResult, MarkupKind, NotebookCellSelector, NotebookDocumentSyncOptions,
    NotebookSelector, OneOf, PositionEncodingKind, RenameOptions, SaveOptions, ServerCapabilities, ServerInfo,
    SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, TypeDefinitionProviderCapability, WorkDoneProgressOptions,
};

/// All certain fixes of a file at once; editors do this on save.
pub(crate) const FIX_ALL: &str = "source.fixAll.pallas";
/// Runs a file.
pub(crate) const RUN: &str = "source.pallas.run";
/// Profiles a file.
pub(crate) const PROFILE: &str = "source.pallas.profile";
/// Runs tests.
pub(crate) const TEST: &str = "source.pallas.test";

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
    /// It links the code of a diagnostic to the page of its rule.
    pub(crate) code_descriptions: bool,
    /// It fades and strikes through.
    pub(crate) tags: bool,
    /// It shows lines above code; others get `Run` and `Profile` as code actions.
    pub(crate) lenses: bool,
    /// It can be asked to ask again for lenses.
    pub(crate) refreshes_lenses: bool,
    /// It shows the children of symbols with their ranges; others get a flat list.
    pub(crate) document_symbols: bool,
    /// It asks what would be renamed before it asks for the new name.
    pub(crate) prepares_renames: bool,
    /// It shows what takes long.
    pub(crate) progress: bool,
    /// It opens documents that it is asked to.
    pub(crate) shows_documents: bool,
    /// It puts the diagnostics of a place into its hover itself.
    pub(crate) hovers_diagnostics: bool,
    /// It shows the results of commands itself.
    pub(crate) presents_results: bool,
    /// It asks for the texts of documents that the server makes up.
    pub(crate) contents: bool,
    /// It can be asked for its configuration.
    pub(crate) configuration: bool,
    /// It can be asked to tell when its configuration changes.
    pub(crate) registers_configuration: bool,
    /// It can be asked to tell when files change.
    pub(crate) registers_watchers: bool,
    /// The folders that it works in.
    pub(crate) folders: Vec<String>,
    /// What the user set.
    pub(crate) settings: EditorSettings,
}

impl Client {
    /// Reads the client's side.
    pub(crate) fn new(capabilities: &ClientCapabilities) -> Self {
        let document = capabilities.text_document.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let general = capabilities.general.as_ref();
        let window = capabilities.window.as_ref();
        let published = document.and_then(|d| d.publish_diagnostics.as_ref());
        let experimental = |name: &str| {
            let ours = capabilities.experimental.as_ref().and_then(|experimental| experimental.get("pallas"));
            ours.and_then(|ours| ours.get(name)?.as_bool()).unwrap_or(false)
        };
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
            code_descriptions: published.and_then(|publish| publish.code_description_support).unwrap_or(false),
            tags: published.is_some_and(|publish| publish.tag_support.is_some()),
            lenses: document.is_some_and(|d| d.code_lens.is_some()),
            refreshes_lenses: workspace
                .and_then(|w| w.code_lens.as_ref())
                .and_then(|lens| lens.refresh_support)
                .unwrap_or(false),
            document_symbols: document
                .and_then(|d| d.document_symbol.as_ref())
                .and_then(|symbols| symbols.hierarchical_document_symbol_support)
                .unwrap_or(false),
            prepares_renames: document
                .and_then(|d| d.rename.as_ref())
                .and_then(|rename| rename.prepare_support)
                .unwrap_or(false),
            progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            shows_documents: window.and_then(|w| w.show_document.as_ref()).is_some_and(|show| show.support),
            hovers_diagnostics: experimental("hoversDiagnostics"),
            presents_results: experimental("presentsResults"),
            // The transport's types do not know of it.
            contents: false,
            configuration: workspace.and_then(|w| w.configuration).unwrap_or(false),
            registers_configuration: workspace
                .and_then(|w| w.did_change_configuration.as_ref())
                .and_then(|change| change.dynamic_registration)
                .unwrap_or(false),
            registers_watchers: workspace
                .and_then(|w| w.did_change_watched_files.as_ref())
                .and_then(|watched| watched.dynamic_registration)
                .unwrap_or(false),
            folders: Vec::new(),
            settings: EditorSettings::default(),
        }
    }
}

/// The folders that the client works in.
fn folders(params: &InitializeParams) -> Vec<String> {
    let several = params.workspace_folders.iter().flatten().map(|folder| uris::path(&folder.uri));
    let mut folders: Vec<String> = several.collect();
    #[expect(deprecated, reason = "older clients know a single folder")]
    if folders.is_empty() {
        folders.extend(params.root_uri.as_ref().map(uris::path));
    }
    folders.retain(|folder| folder.len() > 1);
    folders
}

/// Both sides of the agreement, and what of the options is not understood.
pub(crate) fn negotiate(params: &InitializeParams) -> (Client, InitializeResult, Vec<String>) {
    let mut client = Client::new(&params.capabilities);
    let mut problems = Vec::new();
    if let Some(options) = &params.initialization_options {
        (client.settings, problems) = EditorSettings::read(options);
    }
    client.folders = folders(params);
    let capabilities = ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::from(client.encoding.name())),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        notebook_document_sync: params.capabilities.notebook_document.is_some().then(|| {
            OneOf::Left(NotebookDocumentSyncOptions {
                notebook_selector: vec![NotebookSelector::ByCells {
                    notebook: None,
                    cells: vec![NotebookCellSelector { language: "python".to_string() }],
                }],
                save: Some(true),
            })
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: client.code_actions.then(|| {
            CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QUICKFIX,
                    CodeActionKind::REFACTOR,
                    CodeActionKind::from(FIX_ALL),
                    CodeActionKind::from(RUN),
                    CodeActionKind::from(PROFILE),
                    CodeActionKind::from(TEST),
                ]),
                ..CodeActionOptions::default()
            })
        }),
        diagnostic_provider: client.pulls_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("pallas".to_string()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..DiagnosticOptions::default()
            })
        }),
        document_symbol_provider: Some(OneOf::Left(true)),
        definition_provider: Some(OneOf::Left(true)),
        type_definition_provider: Some(TypeDefinitionProviderCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(match client.prepares_renames {
            true => OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }),
            false => OneOf::Left(true),
        }),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(["(", ",", "=", ".", "\"", "'"].map(str::to_string).into()),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", ","].map(str::to_string).into()),
            retrigger_characters: Some(vec!["=".to_string()]),
            ..SignatureHelpOptions::default()
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.map(str::to_string).into(),
            work_done_progress_options: WorkDoneProgressOptions { work_done_progress: Some(true) },
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
    (client, result, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn client(capabilities: Value) -> (Client, InitializeResult) {
        let params = serde_json::from_value(json!({"processId": null, "rootUri": null, "capabilities": capabilities}));
        let (client, result, problems) = negotiate(&params.expect("parameters"));
        assert_eq!(problems, Vec::<String>::new());
        (client, result)
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
    fn options_are_settings() {
        let options = |options: Value| {
            let params = json!({"capabilities": {}, "initializationOptions": options});
            let (client, _, problems) = negotiate(&serde_json::from_value(params).expect("parameters"));
            (client.settings.engine.python, problems.len())
        };
        assert_eq!(options(json!({"python": "/env/bin/python"})), (Some("/env/bin/python".to_string()), 0));
        assert_eq!(options(json!({"python": ""})), (None, 0));
        assert_eq!(options(json!({"python": 3})), (None, 1));
        assert_eq!(options(json!(null)), (None, 0));
    }

    #[test]
    fn folders_are_those_of_the_workspace() {
        let folders = |params: Value| negotiate(&serde_json::from_value(params).expect("parameters")).0.folders;
        let several = json!([{"uri": "file:///a", "name": "a"}, {"uri": "file:///b%20c", "name": "b"}]);
        assert_eq!(folders(json!({"capabilities": {}, "workspaceFolders": several})), ["/a", "/b c"]);
        assert_eq!(folders(json!({"capabilities": {}, "rootUri": "file:///a"})), ["/a"]);
        assert!(folders(json!({"capabilities": {}})).is_empty());
    }

    #[test]
    fn a_client_that_says_nothing_gets_the_least() {
        let (least, result) = client(json!({}));
        assert_eq!(least, Client { markdown: true, ..Client::default() });
        assert!(result.capabilities.code_action_provider.is_none());
    }
}
