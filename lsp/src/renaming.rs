//! `textDocument/prepareRename` and `textDocument/rename`: in the document, and in the Python files of the workspace, open ones as the
//! editor has them. What is refused is an error with the reason, which editors show.

use crate::positions::LineTable;
use crate::requests::{offset, places};
use crate::state::Snapshot;
use crate::to_proto;
use crate::uris;
use crate::workspace;
use pallas_engine::{Disk, FileSystem, path_text};
use pallas_ide::{self as ide, Renamed, Span};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use tower_lsp_server::jsonrpc;
use tower_lsp_server::ls_types as lsp;

/// What is edited, or why nothing is.
pub(crate) type Outcome<T> = Result<T, String>;

/// An error of the protocol's for a refusal.
pub(crate) fn refused(reason: String) -> jsonrpc::Error {
    // `RequestFailed`: the request was right, and failed for a reason that is to be shown.
    jsonrpc::Error { code: jsonrpc::ErrorCode::ServerError(-32803), message: reason.into(), data: None }
}

/// `textDocument/prepareRename`
pub(crate) fn prepare(snapshot: &Snapshot, position: lsp::Position) -> Option<Outcome<lsp::PrepareRenameResponse>> {
    let analysis = &snapshot.analysed.analysis;
    let found = ide::renamable(analysis, offset(snapshot, position), &Workspace(snapshot)).transpose()?;
    let response = found.and_then(|found| {
        let place = places(snapshot).location(found.span).ok_or("this is in no file of the editor's")?;
        Ok(lsp::PrepareRenameResponse::RangeWithPlaceholder { range: place.range, placeholder: found.name })
    });
    Some(response)
}

/// `textDocument/rename`
pub(crate) fn rename(snapshot: &Snapshot, position: lsp::Position, new: &str) -> Option<Outcome<lsp::WorkspaceEdit>> {
    let analysis = &snapshot.analysed.analysis;
    let renamed = ide::rename(analysis, offset(snapshot, position), new, &Workspace(snapshot));
    Some(renamed.and_then(|files| {
        let mut edits: HashMap<lsp::Uri, Vec<lsp::TextEdit>> = HashMap::new();
        for file in &files {
            let of_file = in_file(snapshot, file).ok_or_else(|| format!("`{}` has no URI", file.path))?;
            of_file.into_iter().for_each(|(uri, edit)| edits.entry(uri).or_default().push(edit));
        }
        Ok(places(snapshot).edits_of(edits.into_iter().collect(), snapshot.version))
    }))
}

/// The edits of a file, with what the client calls it, or its cells.
fn in_file(snapshot: &Snapshot, file: &Renamed) -> Option<Vec<(lsp::Uri, lsp::TextEdit)>> {
    let source = &snapshot.analysed.analysis.source;
    let encoding = snapshot.client.encoding;
    if file.path == source.path {
        let places = places(snapshot);
        let edit = |(range, text): &(std::ops::Range<usize>, String)| {
            let place = places.location(Span::new(source.id, range.start, range.end))?;
            Some((place.uri, lsp::TextEdit { range: place.range, new_text: text.clone() }))
        };
        return file.edits.iter().map(edit).collect();
    }
    let uri = snapshot.open.get(&file.path).cloned().or_else(|| uris::uri(&file.path))?;
    let lines = LineTable::new(file.text.clone());
    let edit = |(range, text): &(std::ops::Range<usize>, String)| {
        let range = to_proto::range(&lines, range.clone(), encoding);
        (uri.clone(), lsp::TextEdit { range, new_text: text.clone() })
    };
    Some(file.edits.iter().map(edit).collect())
}

/// The Python files of the client's folders, and its open documents.
struct Workspace<'a>(&'a Snapshot);

impl ide::rename::Project for Workspace<'_> {
    fn paths(&self) -> Vec<String> {
        let mut found = Vec::new();
        for folder in &self.0.client.folders {
            workspace::search(Path::new(folder), &mut found);
        }
        let mut paths: Vec<String> = found.iter().map(|path| path_text(path)).collect();
        paths.extend(self.0.texts.keys().filter(|path| path.ends_with(".py")).cloned());
        paths.sort();
        paths.dedup();
        paths
    }

    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.0.texts.get(path).cloned().or_else(|| Disk.read(path).ok().flatten())
    }
}
