//! Diagnostics of files that are not open, for clients that ask for those of the whole workspace: each file that speaks of
//! Pallas, analysed when it, or the server's settings, changed.

use crate::analysis_worker::{self, Job, Shop};
use crate::capabilities::Client;
use crate::positions::LineTable;
use crate::surroundings::Known;
use crate::uris;
use pallas_engine::{Cancel, Disk, FileSystem, ParsedFiles, path_text};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tower_lsp_server::ls_types as lsp;

/// More files than this are not looked at.
const MOST_FILES: usize = 2000;

/// What is known of files that are not open. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Files(Arc<Mutex<HashMap<String, Report>>>);

#[derive(Clone)]
struct Report {
    changed: Option<SystemTime>,
    name: String,
    items: Vec<lsp::Diagnostic>,
}

impl Files {
    /// Forgets everything: another file that they import may have changed.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The reports for a client. Those that it has already, under `previous`, are not sent again.
    pub(crate) fn reports(
        &self,
        client: &Arc<Client>,
        known: &Known,
        open: &[String],
        previous: &HashMap<lsp::Uri, String>,
        cancel: &Cancel,
    ) -> Vec<lsp::WorkspaceDocumentDiagnosticReport> {
        let mut paths = Vec::new();
        if client.settings.whole_workspace && client.settings.diagnostics {
            client.folders.iter().for_each(|folder| search(Path::new(folder), &mut paths));
        }
        let shop = Shop::new(ParsedFiles::default(), known.clone());
        let mut reports = Vec::new();
        for path in paths {
            if cancel.is_cancelled() {
                break;
            }
            let path = path_text(&path);
            let Some(uri) = uris::uri(&path).filter(|_| !open.contains(&path)) else { continue };
            let Some(report) = self.report(&path, &uri, client, &shop, cancel) else { continue };
            let is_known = previous.get(&uri) == Some(&report.name);
            reports.push(match is_known {
                true => lsp::WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version: None,
                    unchanged_document_diagnostic_report: lsp::UnchangedDocumentDiagnosticReport {
                        result_id: report.name,
                    },
                }
                .into(),
                false => full(uri, Some(report.name), report.items),
            });
        }
        // What was said of files that are gone, or open now, is taken back.
        let said = |uri: &lsp::Uri| reports.iter().any(|report| uri_of(report) == uri);
        let gone: Vec<lsp::Uri> =
            previous.keys().filter(|uri| !said(uri) && !open.contains(&uris::path(uri))).cloned().collect();
        reports.extend(gone.into_iter().map(|uri| full(uri, None, Vec::new())));
        reports
    }

    fn report(&self, path: &str, uri: &lsp::Uri, client: &Arc<Client>, shop: &Shop, cancel: &Cancel) -> Option<Report> {
        let changed = std::fs::metadata(path).and_then(|file| file.modified()).ok();
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(report) = lock().get(path).filter(|report| changed.is_some() && report.changed == changed) {
            return Some(report.clone()).filter(|report| !report.name.is_empty());
        }
        let text = Disk.read(path).ok().flatten()?;
        let mut report = Report { changed, name: String::new(), items: Vec::new() };
        if text.contains("pallas") {
            let job = Job {
                uri: uri.clone(),
                path: path.into(),
                generation: 0,
                lines: Arc::new(LineTable::new(text)),
                cells: Arc::default(),
                texts: HashMap::new(),
                open: HashMap::new(),
                client: client.clone(),
                memory: None,
                cancel: cancel.clone(),
            };
            // The job is used up either way, so nothing half-changed is seen after a panic.
            let analysed = catch_unwind(AssertUnwindSafe(|| analysis_worker::analyse(job, shop))).ok()?;
            if analysed.analysis.cancelled {
                return None;
            }
            report.name = analysed.result_id;
            report.items = analysed.diagnostics;
        }
        lock().insert(path.to_string(), report.clone());
        Some(report).filter(|report| !report.name.is_empty())
    }
}

fn full(
    uri: lsp::Uri,
    result_id: Option<String>,
    items: Vec<lsp::Diagnostic>,
) -> lsp::WorkspaceDocumentDiagnosticReport {
    lsp::WorkspaceFullDocumentDiagnosticReport {
        uri,
        version: None,
        full_document_diagnostic_report: lsp::FullDocumentDiagnosticReport { result_id, items },
    }
    .into()
}

fn uri_of(report: &lsp::WorkspaceDocumentDiagnosticReport) -> &lsp::Uri {
    match report {
        lsp::WorkspaceDocumentDiagnosticReport::Full(report) => &report.uri,
        lsp::WorkspaceDocumentDiagnosticReport::Unchanged(report) => &report.uri,
    }
}

/// Python files of a folder, without hidden folders, caches and environments.
pub(crate) fn search(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    if entries.iter().any(|entry| entry.file_name().is_some_and(|name| name == "pyvenv.cfg")) {
        return;
    }
    for path in entries {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if files.len() >= MOST_FILES || name.starts_with('.') || name == "__pycache__" || name == "node_modules" {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            search(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            files.push(path);
        }
    }
}
