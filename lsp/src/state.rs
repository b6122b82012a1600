//! The open documents, and what is known of each. Owned by the main loop alone; others get immutable snapshots.

use crate::analysis_worker::{Analysed, result_id};
use crate::capabilities::Client;
use crate::contents::Watched;
use crate::from_proto::{self, Edit};
use crate::notebooks::{CellLines, Cells, Notebook};
use crate::positions::LineTable;
use crate::requests::{Kind, Reply};
use crate::testing::Tested;
use crate::uris;
use pallas_engine::{Cancel, Memory};
use std::collections::HashMap;
use std::sync::Arc;
use tower_lsp_server::ls_types::{Diagnostic, NotebookDocumentCellChange, Uri};

/// An open document.
pub(crate) struct Document {
    /// Its name in the protocol.
    pub(crate) uri: Uri,
    /// Its name in the engine.
    pub(crate) path: Arc<str>,
    /// The client's version of it.
    pub(crate) version: i32,
    /// The text with its lines.
    pub(crate) lines: Arc<LineTable>,
    /// Where its cells are, if it is a notebook.
    pub(crate) cells: Arc<Cells>,
    /// Counts analyses; a result with another number is stale.
    pub(crate) generation: u64,
    /// Stops the analysis that is under way.
    pub(crate) cancel: Cancel,
    /// The newest result.
    pub(crate) analysed: Option<Arc<Analysed>>,
    /// Whether the newest result is of the text as it is now, and of the files that it imports as they are now.
    pub(crate) is_fresh: bool,
    /// Requests that wait for the analysis, and what the client calls what they are about: the document, or a cell of it.
    pub(crate) waiting: Vec<(Kind, Uri, Box<dyn Reply>)>,
    /// What analyses of earlier versions found out.
    pub(crate) memory: Memory,
    /// What became of its tests, if some have run since its text was changed.
    pub(crate) tested: Option<Arc<Tested>>,
    /// What the client shows as inlay hints ([`Analysed::hints`]); `None` if it never asked.
    pub(crate) hints_shown: Option<u64>,
}

/// Every open document.
#[derive(Default)]
pub(crate) struct State {
    /// What the client can do.
    pub(crate) client: Arc<Client>,
    documents: HashMap<Uri, Document>,
    /// The cells of the documents that are notebooks.
    notebooks: HashMap<Uri, Notebook>,
    /// Settings files that are open: their texts by path.
    settings_texts: HashMap<String, (Uri, Arc<str>)>,
    /// What settings files were said to have wrong: the name of the list, by path.
    pub(crate) settings_shown: HashMap<String, String>,
    /// The documents that the server makes up and the client shows.
    pub(crate) contents: Vec<Watched>,
    /// Whether the client wants to hear what the server does.
    pub(crate) traces: bool,
    /// Counts over all documents, so that a document that is closed and opened again cannot meet its old results.
    generations: u64,
}

/// One document as it was when a request was answered.
pub(crate) struct Snapshot {
    /// The document.
    pub(crate) uri: Uri,
    /// Its version.
    pub(crate) version: i32,
    /// Its text, and what is known of it.
    pub(crate) analysed: Arc<Analysed>,
    /// The cell of a notebook that was asked about.
    pub(crate) cell: Option<CellLines>,
    /// What positions are of: the document's text, or that of the cell.
    pub(crate) lines: Arc<LineTable>,
    /// What became of its tests.
    pub(crate) tested: Option<Arc<Tested>>,
    /// What the client can do.
    pub(crate) client: Arc<Client>,
    /// The documents that are open, by path.
    pub(crate) open: Arc<HashMap<Arc<str>, Uri>>,
    /// Their texts, by path.
    pub(crate) texts: Arc<HashMap<String, Arc<str>>>,
}

impl Snapshot {
    /// What the analysis has found, and the name of that list: of a cell what is in it.
    pub(crate) fn found(&self) -> (Vec<Diagnostic>, String) {
        let analysed = &self.analysed;
        if self.cell.is_none() {
            return (analysed.diagnostics.clone(), analysed.result_id.clone());
        }
        let all = analysed.findings.iter().zip(&analysed.diagnostics);
        let here = all.filter(|(finding, _)| self.lines.shows(finding.span.start as usize));
        let here: Vec<Diagnostic> = here.map(|(_, shown)| shown.clone()).collect();
        let name = result_id(&here);
        (here, name)
    }

    /// What the client calls what was asked about.
    pub(crate) fn shown_uri(&self) -> &Uri {
        self.cell.as_ref().map_or(&self.uri, |cell| &cell.uri)
    }

    /// What is pushed to the client: tests that failed; and what the analysis has found, unless the client asks for that itself.
    pub(crate) fn pushed(&self) -> Vec<Diagnostic> {
        let mut all = if self.client.pulls_diagnostics { Vec::new() } else { self.found().0 };
        all.extend(self.tested.iter().flat_map(|tested| tested.diagnostics(&self.analysed, &self.client)));
        all
    }
}

impl State {
    /// Opens a document, or replaces one that is open.
    pub(crate) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let document = Document {
            path: uris::path(&uri).into(),
            uri: uri.clone(),
            version,
            lines: Arc::new(LineTable::new(text.into())),
            cells: Arc::default(),
            generation: 0,
            cancel: Cancel::new(),
            analysed: None,
            is_fresh: false,
            waiting: Vec::new(),
            memory: Memory::default(),
            tested: None,
            hints_shown: None,
        };
        self.documents.insert(uri, document);
    }

    /// Applies edits in order, each to the result of the one before. Unknown documents have none.
    pub(crate) fn change(&mut self, uri: &Uri, version: i32, edits: &[Edit]) -> Option<&mut Document> {
        let encoding = self.client.encoding;
        let document = self.documents.get_mut(uri)?;
        for edit in edits {
            document.lines = Arc::new(LineTable::new(from_proto::apply(&document.lines, edit, encoding).into()));
        }
        document.version = version;
        document.is_fresh = false;
        Some(document)
    }

    /// Opens a notebook, or replaces one that is open.
    pub(crate) fn open_notebook(&mut self, uri: Uri, version: i32, notebook: Notebook) {
        let (text, cells) = notebook.program();
        self.open(uri.clone(), version, text);
        if let Some(document) = self.documents.get_mut(&uri) {
            document.cells = cells;
        }
        self.notebooks.insert(uri, notebook);
    }

    /// Changes cells of a notebook. The cells that are gone; `None` where it is not open.
    pub(crate) fn change_notebook(
        &mut self,
        uri: &Uri,
        version: i32,
        change: NotebookDocumentCellChange,
    ) -> Option<Vec<Uri>> {
        let notebook = self.notebooks.get_mut(uri)?;
        let document = self.documents.get_mut(uri)?;
        notebook.change(change, self.client.encoding);
        let (text, cells) = notebook.program();
        let gone = document.cells.uris().filter(|uri| cells.called(uri).is_none()).cloned().collect();
        (document.version, document.cells) = (version, cells);
        document.lines = Arc::new(LineTable::new(text.into()));
        document.is_fresh = false;
        Some(gone)
    }

    /// The document that the client calls so, or that has a cell which it calls so.
    pub(crate) fn owner(&self, uri: &Uri) -> Option<&Document> {
        let of_cell = || self.documents.values().find(|document| document.cells.called(uri).is_some());
        self.documents.get(uri).or_else(of_cell)
    }

    /// Opens a settings file, or closes it where there is no text.
    pub(crate) fn set_settings_text(&mut self, uri: &Uri, text: Option<String>) {
        let path = uris::path(uri);
        match text {
            Some(text) => drop(self.settings_texts.insert(path, (uri.clone(), text.into()))),
            None => drop(self.settings_texts.remove(&path)),
        }
    }

    /// Applies edits to a settings file that is open. Whether it is one.
    pub(crate) fn change_settings_text(&mut self, uri: &Uri, edits: &[Edit]) -> bool {
        let encoding = self.client.encoding;
        let Some((_, text)) = self.settings_texts.get_mut(&uris::path(uri)) else { return false };
        for edit in edits {
            *text = from_proto::apply(&LineTable::new(text.clone()), edit, encoding).into();
        }
        true
    }

    /// Closes a document.
    pub(crate) fn close(&mut self, uri: &Uri) -> Option<Document> {
        self.notebooks.remove(uri);
        self.documents.remove(uri)
    }

    /// An open document.
    pub(crate) fn document(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.documents.get_mut(uri)
    }

    /// All open documents.
    pub(crate) fn documents(&mut self) -> impl Iterator<Item = &mut Document> {
        self.documents.values_mut()
    }

    /// The texts of all open documents by path.
    pub(crate) fn texts(&self) -> HashMap<String, Arc<str>> {
        let settings = self.settings_texts.iter().map(|(path, (_, text))| (path.clone(), text.clone()));
        settings.chain(self.documents.values().map(|d| (d.path.to_string(), d.lines.text().clone()))).collect()
    }

    /// The open documents by path.
    pub(crate) fn open_paths(&self) -> HashMap<Arc<str>, Uri> {
        let settings = self.settings_texts.iter().map(|(path, (uri, _))| (path.as_str().into(), uri.clone()));
        settings.chain(self.documents.values().map(|d| (d.path.clone(), d.uri.clone()))).collect()
    }

    /// The open documents, other than the one at `path`, whose last analysis asked for the file at `path`.
    pub(crate) fn dependents(&self, path: &str) -> Vec<Uri> {
        self.documents
            .values()
            .filter(|d| *d.path != *path && d.analysed.as_ref().is_some_and(|a| a.asked.contains(path)))
            .map(|d| d.uri.clone())
            .collect()
    }

    /// The open documents whose last analysis asked for one of some files that are not open themselves.
    pub(crate) fn dependents_of_files(&self, paths: &[String]) -> Vec<Uri> {
        let open = self.open_paths();
        let changed: Vec<&String> = paths.iter().filter(|path| !open.contains_key(path.as_str())).collect();
        let depends = |d: &&Document| {
            d.analysed.as_ref().is_none_or(|a| changed.iter().any(|path| a.asked.contains(path.as_str())))
        };
        self.documents.values().filter(depends).map(|d| d.uri.clone()).collect()
    }

    /// The number of the next analysis.
    pub(crate) fn next_generation(&mut self) -> u64 {
        self.generations += 1;
        self.generations
    }

    /// What a request about a document is answered from; `None` until its analysis is there.
    pub(crate) fn snapshot(&self, uri: &Uri) -> Option<Arc<Snapshot>> {
        let document = self.owner(uri).filter(|document| document.is_fresh)?;
        let analysed = document.analysed.clone()?;
        let cell = document.cells.called(uri).cloned();
        let lines = match &cell {
            Some(cell) => Arc::new(analysed.lines.window(cell.lines.clone())),
            None => analysed.lines.clone(),
        };
        Some(Arc::new(Snapshot {
            uri: document.uri.clone(),
            version: document.version,
            analysed,
            cell,
            lines,
            tested: document.tested.clone(),
            client: self.client.clone(),
            open: Arc::new(self.open_paths()),
            texts: Arc::new(self.texts()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::{Encoding, LinePosition};
    use std::str::FromStr;

    fn at(line: u32, column: u32) -> LinePosition {
        LinePosition { line, column }
    }

    fn edit(start: LinePosition, end: LinePosition, text: &str) -> Edit {
        Edit { range: Some((start, end)), text: text.to_string() }
    }

    fn after(encoding: Encoding, text: &str, edits: &[Edit]) -> String {
        let uri = Uri::from_str("file:///a.py").expect("valid");
        let mut state = State { client: Arc::new(Client { encoding, ..Client::default() }), ..State::default() };
        state.open(uri.clone(), 1, text.to_string());
        let document = state.change(&uri, 2, edits).expect("open");
        assert_eq!(document.version, 2);
        document.lines.text().to_string()
    }

    #[test]
    fn edits_apply_one_after_the_other() {
        let edits = [edit(at(0, 0), at(0, 0), "a\n"), edit(at(1, 0), at(1, 1), "b"), edit(at(0, 1), at(1, 0), "")];
        assert_eq!(after(Encoding::Utf16, "xyz", &edits), "abyz");
    }

    #[test]
    fn edits_out_of_order_and_overlapping_are_relative_to_what_went_before() {
        // The second reaches into what the first put there; the third stands before both.
        let edits = [edit(at(1, 0), at(1, 3), "1234"), edit(at(1, 2), at(1, 9), "-"), edit(at(0, 1), at(0, 2), "__")];
        assert_eq!(after(Encoding::Utf8, "abc\ndef", &edits), "a__c\n12-");
        assert_eq!(after(Encoding::Utf8, "abc", &[edit(at(0, 2), at(0, 1), "x")]), "axc");
    }

    #[test]
    fn edits_past_the_end_append() {
        assert_eq!(after(Encoding::Utf16, "a", &[edit(at(9, 9), at(9, 9), "b")]), "ab");
        assert_eq!(after(Encoding::Utf16, "a\n", &[edit(at(0, 7), at(5, 0), "b")]), "ab");
        assert_eq!(after(Encoding::Utf16, "", &[edit(at(0, 0), at(u32::MAX, u32::MAX), "b")]), "b");
    }

    #[test]
    fn columns_are_those_of_the_encoding() {
        for (encoding, column) in [(Encoding::Utf8, 4), (Encoding::Utf16, 2), (Encoding::Utf32, 1)] {
            assert_eq!(after(encoding, "🙂e\u{301}", &[edit(at(0, column), at(0, column + 1), "a")]), "🙂a\u{301}");
        }
    }

    #[test]
    fn a_whole_text_replaces_everything() {
        let edits = [Edit { range: None, text: "new\r\n".to_string() }, edit(at(0, 3), at(1, 0), "!")];
        assert_eq!(after(Encoding::Utf16, "old", &edits), "new!");
    }

    #[test]
    fn documents_that_are_not_open_do_not_change() {
        let uri = Uri::from_str("file:///a.py").expect("valid");
        let mut state = State::default();
        assert!(state.change(&uri, 1, &[]).is_none());
        assert!(state.close(&uri).is_none());
        assert!(state.snapshot(&uri).is_none());
    }
}
