//! Requests: what each answers from a snapshot, and the promise that each is answered exactly once.
//!
//! A request that is dropped by the client (`$/cancelRequest`) is seen here as a reply that nobody waits for.

use crate::capabilities::{FIX_ALL, PROFILE, RUN, TEST};
use crate::contents::Content;
use crate::from_proto;
use crate::state::Snapshot;
use crate::testing;
use crate::to_proto::Places;
use pallas_engine::generated::Form;
use pallas_ide::{self as ide, Span};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types as lsp;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A hover, lenses or code actions: about a place in the text as it was when it was asked.
    Place,
    /// Inlay hints: the same, and the client keeps them.
    Hints,
    /// Diagnostics: about the text as it is when it is answered.
    Newest,
}

/// Why a request gets no answer from a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The document is not open.
    NotOpen,
    /// The text was edited before the answer was there.
    Modified,
    /// The analysis failed.
    Failed,
}

/// A request that waits for its answer.
pub(crate) trait Reply: Send {
    /// Answers it. Contains panics.
    fn answer(self: Box<Self>, outcome: Result<&Snapshot, Refusal>);
    /// Whether nobody waits any more.
    fn is_abandoned(&self) -> bool;
}

/// The answer that a handler awaits.
pub(crate) type Answer<T> = oneshot::Receiver<jsonrpc::Result<Option<T>>>;

/// A request whose answer is made by `compute`.
pub(crate) fn reply<T: Send + 'static>(
    compute: impl FnOnce(&Snapshot) -> Option<T> + Send + 'static,
) -> (Box<dyn Reply>, Answer<T>) {
    let (sender, answer) = oneshot::channel();
    (Box::new(Waiting { sender, compute }), answer)
}

struct Waiting<T, F> {
    sender: oneshot::Sender<jsonrpc::Result<Option<T>>>,
    compute: F,
}

impl<T: Send, F: FnOnce(&Snapshot) -> Option<T> + Send> Reply for Waiting<T, F> {
    fn answer(self: Box<Self>, outcome: Result<&Snapshot, Refusal>) {
        if self.sender.is_closed() {
            return;
        }
        let compute = self.compute;
        let result = match outcome {
            // Snapshots are immutable, so nothing half-changed is seen after a panic.
            Ok(snapshot) => {
                catch_unwind(AssertUnwindSafe(|| compute(snapshot))).map_err(|_| jsonrpc::Error::internal_error())
            }
            Err(Refusal::NotOpen) => Ok(None),
            Err(Refusal::Modified) => Err(jsonrpc::Error::content_modified()),
            Err(Refusal::Failed) => Err(jsonrpc::Error::internal_error()),
        };
        // Fails if the client cancelled in the meantime, which the transport has answered.
        let _ = self.sender.send(result);
    }

    fn is_abandoned(&self) -> bool {
        self.sender.is_closed()
    }
}

/// Threads that answer requests.
#[derive(Clone)]
pub(crate) struct RequestWorkers {
    tasks: mpsc::Sender<(Box<dyn Reply>, Arc<Snapshot>)>,
}

impl RequestWorkers {
    /// Starts the threads. They end with the process.
    pub(crate) fn start(threads: usize) -> std::io::Result<Self> {
        let (tasks, receiver) = mpsc::channel::<(Box<dyn Reply>, Arc<Snapshot>)>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..threads {
            let receiver = receiver.clone();
            thread::Builder::new().name("request".to_string()).spawn(move || {
                loop {
                    // One thread waits in `recv` with the lock, the others for the lock.
                    let task = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((reply, snapshot)) = task else { return };
                    reply.answer(Ok(&snapshot));
                }
            })?;
        }
        Ok(RequestWorkers { tasks })
    }

    /// Answers a request from a snapshot.
    pub(crate) fn submit(&self, reply: Box<dyn Reply>, snapshot: Arc<Snapshot>) {
        if !reply.is_abandoned() {
            // The threads outlive every sender.
            let _ = self.tasks.send((reply, snapshot));
        }
    }
}

/// What positions and places of a snapshot are made with.
pub(crate) fn places(snapshot: &Snapshot) -> Places<'_> {
    Places {
        analysis: &snapshot.analysed.analysis,
        lines: &snapshot.lines,
        cells: &snapshot.analysed.cells,
        uri: &snapshot.uri,
        open: &snapshot.open,
        client: &snapshot.client,
    }
}

/// `textDocument/hover`
pub(crate) fn hover(snapshot: &Snapshot, position: lsp::Position) -> Option<lsp::Hover> {
    let hover = match snapshot.client.hovers_diagnostics {
        true => ide::fact_hover,
        false => ide::hover,
    };
    let hover = hover(&snapshot.analysed.analysis, offset(snapshot, position))?;
    Some(places(snapshot).hover(hover))
}

/// `textDocument/inlayHint`
pub(crate) fn inlay_hints(snapshot: &Snapshot, range: lsp::Range) -> Option<Vec<lsp::InlayHint>> {
    let analysis = &snapshot.analysed.analysis;
    let settings = &snapshot.client.settings;
    let within = from_proto::range(&snapshot.lines, range, snapshot.client.encoding);
    let mut hints = ide::inlay_hints(analysis, Span::new(analysis.source.id, within.start, within.end));
    hints.retain(|hint| match hint.kind {
        ide::HintKind::Ref => settings.ref_hints,
        ide::HintKind::Value => settings.value_hints,
        ide::HintKind::Launch => settings.launch_hints,
    });
    let places = places(snapshot);
    Some(hints.into_iter().map(|hint| places.hint(hint)).collect())
}

/// `textDocument/codeLens`
pub(crate) fn code_lenses(snapshot: &Snapshot) -> Option<Vec<lsp::CodeLens>> {
    let places = places(snapshot);
    let mut launches = ide::lenses(&snapshot.analysed.analysis);
    launches.retain(|lens| snapshot.lines.shows(lens.span.start as usize));
    let mut lenses: Vec<lsp::CodeLens> = launches.into_iter().flat_map(|lens| places.lenses(lens)).collect();
    if snapshot.client.settings.test_lenses && snapshot.cell.is_none() {
        lenses.extend(testing::lenses(snapshot));
    }
    Some(lenses)
}

/// `textDocument/codeAction`: the fixes of the findings that the range touches; all fixes of the file, where that is asked for;
/// and for clients without lenses, what can be done with the file's launches.
pub(crate) fn code_actions(
    snapshot: &Snapshot,
    range: lsp::Range,
    context: &lsp::CodeActionContext,
) -> Option<lsp::CodeActionResponse> {
    let client = &snapshot.client;
    if !client.code_actions {
        return Some(Vec::new());
    }
    // A kind stands for all that begin with it: `source` for `source.fixAll`.
    let covers = |wanted: &lsp::CodeActionKind, kind: &str| {
        kind.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            || wanted.as_str().is_empty()
    };
    let asked = |kind: &str| context.only.as_ref().is_some_and(|only| only.iter().any(|wanted| covers(wanted, kind)));
    let offered = |kind: &str| context.only.is_none() || asked(kind);
    let range = from_proto::range(&snapshot.lines, range, client.encoding);
    let places = places(snapshot);
    let findings = || snapshot.analysed.findings.iter().zip(&snapshot.analysed.diagnostics);
    let mut actions: Vec<lsp::CodeAction> = Vec::new();
    if offered(lsp::CodeActionKind::QUICKFIX.as_str()) {
        actions.extend(findings().filter_map(|(finding, shown)| {
            let span = finding.span.range();
            let fix = finding.fix.as_ref().filter(|_| span.start <= range.end && range.start <= span.end)?;
            places.quick_fix(fix, shown, snapshot.version)
        }));
    }
    if offered(lsp::CodeActionKind::REFACTOR.as_str()) {
        let fix = ide::call_to_say(&snapshot.analysed.analysis, &range);
        actions.extend(fix.and_then(|fix| places.refactoring(&fix, snapshot.version)));
    }
    if asked(FIX_ALL) {
        actions.extend(fix_all(snapshot, &places));
    }
    for (title, kind) in [("Run", RUN), ("Profile", PROFILE)] {
        // Where lenses offer it already, a bulb on each launch would be in the way.
        if client.settings.may_run && (asked(kind) || (context.only.is_none() && !client.lenses)) {
            let lenses = ide::lenses(&snapshot.analysed.analysis);
            let launched = || lenses.iter().filter(|lens| lens.is_launched);
            let here = launched().find(|lens| lens.span.touches(range.start as u32)).or_else(|| launched().next());
            actions.extend(here.map(|lens| lsp::CodeAction {
                title: format!("{title} this file's kernels"),
                kind: Some(lsp::CodeActionKind::from(kind)),
                command: Some(places.command(title, lens)),
                ..lsp::CodeAction::default()
            }));
        }
    }
    if client.settings.may_run && snapshot.cell.is_none() && (asked(TEST) || (context.only.is_none() && !client.lenses))
    {
        actions.extend(testing::actions(snapshot, range.start as u32));
    }
    Some(actions.into_iter().map(lsp::CodeActionOrCommand::CodeAction).collect())
}

/// All fixes that do not touch each other; the rest is there the next time.
fn fix_all(snapshot: &Snapshot, places: &Places<'_>) -> Option<lsp::CodeAction> {
    let mut taken: Vec<&ide::Edit> = Vec::new();
    let apart = |a: &ide::Edit, b: &ide::Edit| {
        a.span.file != b.span.file || a.span.end < b.span.start || b.span.end < a.span.start
    };
    let mut diagnostics = Vec::new();
    for (finding, shown) in snapshot.analysed.findings.iter().zip(&snapshot.analysed.diagnostics) {
        let is_here = snapshot.lines.shows(finding.span.start as usize);
        let Some(fix) = finding.fix.as_ref().filter(|_| is_here) else { continue };
        if fix.edits.iter().all(|edit| taken.iter().all(|other| apart(edit, other))) {
            taken.extend(&fix.edits);
            diagnostics.push(shown.clone());
        }
    }
    if taken.is_empty() {
        return None;
    }
    Some(lsp::CodeAction {
        title: "Apply all certain fixes".to_string(),
        kind: Some(lsp::CodeActionKind::from(FIX_ALL)),
        diagnostics: Some(diagnostics),
        edit: Some(places.workspace_edit(&taken, snapshot.version)?),
        ..lsp::CodeAction::default()
    })
}

/// A position as a byte offset.
pub(crate) fn offset(snapshot: &Snapshot, position: lsp::Position) -> u32 {
    let offset = snapshot.lines.offset(from_proto::position(position), snapshot.client.encoding);
    // Sources are bounded to 4 GiB.
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn links(snapshot: &Snapshot, position: lsp::Position) -> Option<ide::Links> {
    ide::links(&snapshot.analysed.analysis, offset(snapshot, position))
}

/// `textDocument/references`: what Pallas connects with the place. Uses of names are found by others.
pub(crate) fn references(snapshot: &Snapshot, position: lsp::Position) -> Option<Vec<lsp::Location>> {
    let found = links(snapshot, position)?;
    let places = places(snapshot);
    let others = found.places.iter().filter(|place| !found.is_name || **place != found.here);
    Some(others.filter_map(|place| places.location(*place)).collect())
}

/// `textDocument/documentHighlight`: the same, but not on names, where editors show one server's answer only.
pub(crate) fn highlights(snapshot: &Snapshot, position: lsp::Position) -> Option<Vec<lsp::DocumentHighlight>> {
    let found = links(snapshot, position).filter(|found| !found.is_name)?;
    let places = places(snapshot);
    let highlight = |place: &Span| {
        let range = places.location(*place).filter(|place| place.uri == *snapshot.shown_uri())?.range;
        Some(lsp::DocumentHighlight { range, kind: Some(lsp::DocumentHighlightKind::TEXT) })
    };
    Some(found.places.iter().filter_map(highlight).collect())
}

/// `textDocument/definition`: from an axis to its extent in the grid. Names are defined where others say.
pub(crate) fn definition(snapshot: &Snapshot, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
    let found = links(snapshot, position).filter(|found| !found.is_name)?;
    let origin = found.origin.filter(|origin| *origin != found.here)?;
    Some(lsp::GotoDefinitionResponse::Scalar(places(snapshot).location(origin)?))
}

/// `textDocument/typeDefinition`: from a Ref to the `BlockSpec` that gives it its shape.
pub(crate) fn type_definition(snapshot: &Snapshot, position: lsp::Position) -> Option<lsp::GotoDefinitionResponse> {
    let found = links(snapshot, position)?;
    let origin = found.origin.filter(|origin| *origin != found.here)?;
    Some(lsp::GotoDefinitionResponse::Scalar(places(snapshot).location(origin)?))
}

/// `textDocument/documentSymbol`
pub(crate) fn symbols(snapshot: &Snapshot) -> Option<lsp::DocumentSymbolResponse> {
    let places = places(snapshot);
    let mut symbols = ide::symbols(&snapshot.analysed.analysis);
    symbols.retain(|symbol| snapshot.lines.shows(symbol.span.start as usize));
    let symbols = symbols.into_iter().map(|symbol| places.symbol(symbol));
    if snapshot.client.document_symbols {
        return Some(lsp::DocumentSymbolResponse::Nested(symbols.collect()));
    }
    #[expect(deprecated, reason = "the protocol's type has a field that it took back")]
    let flat = |symbol: lsp::DocumentSymbol| lsp::SymbolInformation {
        name: symbol.name,
        kind: symbol.kind,
        tags: None,
        deprecated: None,
        location: lsp::Location { uri: snapshot.shown_uri().clone(), range: symbol.range },
        container_name: symbol.detail,
    };
    Some(lsp::DocumentSymbolResponse::Flat(symbols.map(flat).collect()))
}

/// `textDocument/completion`
pub(crate) fn completion(snapshot: &Snapshot, position: lsp::Position) -> Option<lsp::CompletionResponse> {
    let places = places(snapshot);
    let (analysis, offset) = (&snapshot.analysed.analysis, offset(snapshot, position));
    let mut found = ide::completions(analysis, offset);
    if found.is_empty() && !snapshot.analysed.has_jax {
        found = ide::members(analysis, offset);
    }
    let items = found.into_iter().enumerate().map(|(rank, item)| places.completion(item, rank));
    Some(lsp::CompletionResponse::Array(items.collect()))
}

/// `textDocument/signatureHelp`
pub(crate) fn signature_help(snapshot: &Snapshot, position: lsp::Position) -> Option<lsp::SignatureHelp> {
    let help = ide::signature_help(&snapshot.analysed.analysis, offset(snapshot, position))?;
    Some(places(snapshot).signature(help))
}

/// The kernel IR, or what is generated from it, of the launch at a place, as a document, with its text.
pub(crate) fn content(
    snapshot: &Snapshot,
    position: Option<lsp::Position>,
    form: Option<Form>,
) -> Option<(Content, String)> {
    let analysis = &snapshot.analysed.analysis;
    let kernel = position.and_then(|position| ide::kernel_at(analysis, offset(snapshot, position)));
    let content = Content { source: snapshot.uri.clone(), form, kernel };
    let text = content.text(snapshot)?;
    Some((content, text))
}

/// `textDocument/diagnostic`
pub(crate) fn diagnostics(snapshot: &Snapshot, previous: Option<&str>) -> lsp::DocumentDiagnosticReport {
    let (found, result_id) = snapshot.found();
    if previous == Some(result_id.as_str()) {
        return lsp::RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: lsp::UnchangedDocumentDiagnosticReport { result_id },
        }
        .into();
    }
    full_report(Some(result_id), found)
}

/// A full report.
pub(crate) fn full_report(result_id: Option<String>, items: Vec<lsp::Diagnostic>) -> lsp::DocumentDiagnosticReport {
    lsp::RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: lsp::FullDocumentDiagnosticReport { result_id, items },
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis_worker::tests::{TEXT, analysed};
    use crate::capabilities::Client;
    use crate::positions::replaced;
    use serde_json::{Value, json};
    use std::collections::HashMap;
    use std::str::FromStr;

    fn snapshot(client: Client) -> Snapshot {
        Snapshot {
            uri: lsp::Uri::from_str("file:///work/a.py").expect("valid"),
            version: 7,
            lines: Arc::new(crate::positions::LineTable::new(TEXT.into())),
            analysed: Arc::new(analysed(&client)),
            cell: None,
            tested: None,
            client: Arc::new(client),
            open: Arc::new(HashMap::new()),
            texts: Arc::default(),
        }
    }

    fn actions(client: Client, line: u32, only: Option<&str>) -> Value {
        let position = lsp::Position { line, character: 12 };
        let only = only.map(|kind| vec![lsp::CodeActionKind::from(kind.to_string())]);
        let context = lsp::CodeActionContext { only, ..lsp::CodeActionContext::default() };
        let range = lsp::Range { start: position, end: position };
        serde_json::to_value(code_actions(&snapshot(client), range, &context)).expect("JSON")
    }

    #[test]
    fn a_fix_is_a_quick_fix_where_its_finding_is() {
        let client = Client { code_actions: true, versioned_edits: true, ..Client::default() };
        let offered = actions(client.clone(), 1, None);
        let action = &offered[0];
        assert_eq!((&action["title"], &action["kind"]), (&json!("Write numpy"), &json!("quickfix")));
        assert_eq!(action["isPreferred"], true);
        assert_eq!(action["diagnostics"][0]["code"], "PL001");
        let change = &action["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"], json!({"uri": "file:///work/a.py", "version": 7}));
        let edit: lsp::TextEdit = serde_json::from_value(change["edits"][0].clone()).expect("an edit");
        let lines = crate::positions::LineTable::new(TEXT.into());
        let mended = replaced(TEXT, from_proto::range(&lines, edit.range, client.encoding), &edit.new_text);
        assert_eq!(mended, TEXT.replace("numpi", "numpy"));

        assert_eq!(actions(client.clone(), 0, None), json!([]), "elsewhere there is nothing to mend");
        assert_eq!(actions(client.clone(), 1, Some("refactor")), json!([]));
        assert_eq!(actions(client.clone(), 1, Some("quickfix")).as_array().map(Vec::len), Some(1));
        let older = Client { versioned_edits: false, ..client.clone() };
        assert_eq!(actions(older, 1, None)[0]["edit"]["changes"]["file:///work/a.py"][0]["newText"], "numpy");
        assert_eq!(actions(Client { code_actions: false, ..client }, 1, None), json!([]));
    }

    #[test]
    fn a_list_that_has_not_changed_is_not_sent_again() {
        let snapshot = snapshot(Client::default());
        let first = serde_json::to_value(diagnostics(&snapshot, None)).expect("JSON");
        let name = first["resultId"].as_str().expect("a name");
        assert_eq!(first["items"].as_array().map(Vec::len), Some(1));
        let second = serde_json::to_value(diagnostics(&snapshot, Some(name))).expect("JSON");
        assert_eq!(second, json!({"kind": "unchanged", "resultId": name}));
        assert_eq!(serde_json::to_value(diagnostics(&snapshot, Some("older"))).expect("JSON"), first);
    }

    #[test]
    fn an_answer_that_panics_is_an_error_and_no_more() {
        let snapshot = snapshot(Client::default());
        let (waiting, mut answer) = reply(|_| -> Option<()> { panic!("a mistake of ours, on purpose") });
        waiting.answer(Ok(&snapshot));
        assert_eq!(answer.try_recv().expect("answered"), Err(jsonrpc::Error::internal_error()));
        let (waiting, answer) = reply(|_| Some(1));
        drop(answer);
        assert!(waiting.is_abandoned());
        waiting.answer(Ok(&snapshot));
    }
}
