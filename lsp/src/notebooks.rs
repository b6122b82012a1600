//! Notebooks that are open. To a client each cell is a document of its own; to everything else here a notebook is one document, with the
//! text that its cells are in their order ([`pallas_engine::syntax::notebook`]), and a cell is a stretch of lines of it.
//! Knows no analyses: what is shown of a cell is made from the document's, in [`crate::requests`].

use crate::from_proto::{self, Edit};
use crate::positions::{Encoding, LineTable};
use pallas_engine::syntax::notebook;
use std::ops::Range;
use std::sync::Arc;
use tower_lsp_server::ls_types::{NotebookCell, NotebookCellKind, NotebookDocumentCellChange, TextDocumentItem, Uri};

/// Where the cells of a notebook are in its text. Of other documents there are none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells(Vec<CellLines>);

/// Where a cell is.
#[derive(Clone, Debug)]
pub(crate) struct CellLines {
    /// The client's name of it.
    pub(crate) uri: Uri,
    /// The client's version of it.
    pub(crate) version: i32,
    /// Its zero-based lines in the notebook's text.
    pub(crate) lines: Range<u32>,
}

impl Cells {
    /// The cell that the client calls so.
    pub(crate) fn called(&self, uri: &Uri) -> Option<&CellLines> {
        self.0.iter().find(|cell| cell.uri == *uri)
    }

    /// The cell that a line is in, or that it stands before: the mark of a cell is none of its lines.
    pub(crate) fn at(&self, line: u32) -> Option<&CellLines> {
        self.0.iter().find(|cell| line < cell.lines.end).or(self.0.last())
    }

    /// The client's names of the cells.
    pub(crate) fn uris(&self) -> impl Iterator<Item = &Uri> {
        self.0.iter().map(|cell| &cell.uri)
    }
}

/// An open notebook.
#[derive(Default)]
pub(crate) struct Notebook {
    cells: Vec<Cell>,
}

struct Cell {
    uri: Uri,
    version: i32,
    is_code: bool,
    text: LineTable,
}

impl Notebook {
    /// A notebook as it is opened.
    pub(crate) fn new(cells: Vec<NotebookCell>, texts: Vec<TextDocumentItem>) -> Notebook {
        let mut notebook = Notebook { cells: cells.into_iter().map(Cell::new).collect() };
        notebook.fill(texts);
        notebook
    }

    /// Gives cells their texts.
    fn fill(&mut self, texts: Vec<TextDocumentItem>) {
        for document in texts {
            if let Some(cell) = self.cells.iter_mut().find(|cell| cell.uri == document.uri) {
                (cell.version, cell.text) = (document.version, LineTable::new(document.text.into()));
            }
        }
    }

    /// Cells come, go, move, become words or code, and are typed in. Total: what does not fit is left out.
    pub(crate) fn change(&mut self, change: NotebookDocumentCellChange, encoding: Encoding) {
        if let Some(structure) = change.structure {
            let count = self.cells.len();
            let start = (structure.array.start as usize).min(count);
            let end = start.saturating_add(structure.array.delete_count as usize).min(count);
            let new = structure.array.cells.unwrap_or_default().into_iter().map(Cell::new);
            // A cell that moves keeps its text, which the client sends with new ones only.
            let old: Vec<Cell> = self.cells.splice(start..end, new).collect();
            for cell in old {
                if let Some(moved) = self.cells.iter_mut().find(|other| other.uri == cell.uri) {
                    (moved.version, moved.text) = (cell.version, cell.text);
                }
            }
            self.fill(structure.did_open.unwrap_or_default());
        }
        for data in change.data.unwrap_or_default() {
            if let Some(cell) = self.cells.iter_mut().find(|cell| cell.uri == data.document) {
                cell.is_code = data.kind == NotebookCellKind::CODE;
            }
        }
        for content in change.text_content.unwrap_or_default() {
            let Some(cell) = self.cells.iter_mut().find(|cell| cell.uri == content.document.uri) else { continue };
            cell.version = content.document.version;
            for edit in content.changes.into_iter().map(from_proto::edit) {
                cell.edit(&edit, encoding);
            }
        }
    }

    /// The text of the notebook's program, and where its cells are in it.
    pub(crate) fn program(&self) -> (String, Arc<Cells>) {
        let code = || self.cells.iter().filter(|cell| cell.is_code);
        let text = notebook::program(code().map(|cell| &**cell.text.text()));
        let mut line = 0;
        let cells = code().map(|cell| {
            // Behind the mark come as many lines as `program` sees, which ends them at `\n`.
            let count = cell.text.text().split('\n').count() as u32;
            let lines = line + 1..line + 1 + count;
            line = lines.end;
            CellLines { uri: cell.uri.clone(), version: cell.version, lines }
        });
        let cells = cells.collect();
        (text, Arc::new(Cells(cells)))
    }
}

impl Cell {
    fn new(cell: NotebookCell) -> Cell {
        let is_code = cell.kind == NotebookCellKind::CODE;
        Cell { uri: cell.document, version: 0, is_code, text: LineTable::new("".into()) }
    }

    fn edit(&mut self, edit: &Edit, encoding: Encoding) {
        self.text = LineTable::new(from_proto::apply(&self.text, edit, encoding).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn cell(name: &str, kind: i32) -> Value {
        json!({"kind": kind, "document": format!("cell:/{name}")})
    }

    fn text(name: &str, text: &str) -> Value {
        json!({"uri": format!("cell:/{name}"), "languageId": "python", "version": 1, "text": text})
    }

    fn notebook() -> Notebook {
        let cells = json!([cell("a", 2), cell("words", 1), cell("b", 2)]);
        let texts = json!([text("a", "x = 1\n"), text("b", "y = 2\nz")]);
        Notebook::new(serde_json::from_value(cells).expect("cells"), serde_json::from_value(texts).expect("texts"))
    }

    fn change(notebook: &mut Notebook, change: Value) -> String {
        notebook.change(serde_json::from_value(change).expect("a change"), Encoding::Utf16);
        notebook.program().0
    }

    #[test]
    fn code_cells_are_stretches_of_one_text() {
        let (text, cells) = notebook().program();
        assert_eq!(text, "# %% cell 1\nx = 1\n\n# %% cell 2\ny = 2\nz\n");
        let lines: Vec<_> = cells.0.iter().map(|cell| (cell.uri.as_str(), cell.lines.clone())).collect();
        assert_eq!(lines, [("cell:/a", 1..3), ("cell:/b", 4..6)]);
        let names = [0, 1, 2, 3, 5, 6].map(|line| cells.at(line).map(|cell| cell.uri.as_str()));
        assert_eq!(names, ["cell:/a", "cell:/a", "cell:/a", "cell:/b", "cell:/b", "cell:/b"].map(Some));
    }

    #[test]
    fn cells_are_typed_in() {
        let at = |line: u32, character: u32| json!({"line": line, "character": character});
        let edit = json!({"range": {"start": at(0, 4), "end": at(0, 5)}, "text": "3"});
        let content = json!({"document": {"uri": "cell:/b", "version": 2}, "changes": [edit]});
        let mut notebook = notebook();
        let program = change(&mut notebook, json!({"textContent": [content]}));
        assert_eq!(program, "# %% cell 1\nx = 1\n\n# %% cell 2\ny = 3\nz\n");
        assert_eq!(notebook.program().1.0[1].version, 2);
    }

    #[test]
    fn cells_come_go_move_and_become_words() {
        let mut notebook = notebook();
        let array = json!({"start": 1, "deleteCount": 0, "cells": [cell("c", 2)]});
        let program = change(&mut notebook, json!({"structure": {"array": array, "didOpen": [text("c", "w")]}}));
        assert_eq!(program, "# %% cell 1\nx = 1\n\n# %% cell 2\nw\n# %% cell 3\ny = 2\nz\n");
        // As VS Code says that the last cell moved to the front.
        let array = json!({"start": 0, "deleteCount": 4, "cells": [cell("b", 2), cell("a", 2), cell("c", 2), cell("words", 1)]});
        let program = change(&mut notebook, json!({"structure": {"array": array}}));
        assert_eq!(program, "# %% cell 1\ny = 2\nz\n# %% cell 2\nx = 1\n\n# %% cell 3\nw\n");
        let program = change(&mut notebook, json!({"data": [cell("a", 1)]}));
        assert_eq!(program, "# %% cell 1\ny = 2\nz\n# %% cell 2\nw\n");
        let array = json!({"start": 0, "deleteCount": 9});
        assert_eq!(change(&mut notebook, json!({"structure": {"array": array}})), "");
        assert!(notebook.program().1.at(0).is_none());
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut notebook = notebook();
        let before = notebook.program().0;
        let content = json!({"document": {"uri": "cell:/gone", "version": 2}, "changes": [{"text": "?"}]});
        assert_eq!(change(&mut notebook, json!({"textContent": [content], "data": [cell("gone", 2)]})), before);
        let array = json!({"start": 70, "deleteCount": 4_000_000_000_u32});
        assert_eq!(change(&mut notebook, json!({"structure": {"array": array}})), before);
    }
}
