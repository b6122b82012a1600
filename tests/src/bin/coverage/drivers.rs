//! Programs of our own that call the public functions of a package as its users do.
//!
//! Each is analysed once. The sites are in files that it imports; those are found by their path.

use crate::outcome::{Attempt, View, in_full};
use crate::sites::{Found, Site};
use pallas_engine::{Analysis, AnalysisOptions, FileId, Severity, Span};
use std::fs;
use std::path::{Path, PathBuf};

/// A program, analysed.
pub(crate) struct Driver {
    /// Its file's name, without `.py`.
    pub(crate) name: String,
    analysis: Analysis,
    /// The files that it has imported, under their names on disk.
    files: Vec<(PathBuf, FileId)>,
}

impl Driver {
    /// Analyses a program.
    pub(crate) fn new(path: &Path, options: &AnalysisOptions) -> Option<Driver> {
        let text = fs::read_to_string(path).ok()?;
        let analysis = Analysis::new(&path.display().to_string(), &text, options);
        let on_disk = |path: &str| fs::canonicalize(path).ok();
        let files = analysis.sources.iter().filter_map(|s| Some((on_disk(&s.path)?, s.id))).collect();
        let name = path.file_stem()?.to_string_lossy().to_string();
        Some(Driver { name, analysis, files })
    }

    /// The furthest that it comes to a site of a file.
    pub(crate) fn attempt(&self, path: &Path, site: &Site, found: &Found) -> Option<Attempt> {
        let copies = self.files.iter().filter(|(known, _)| known == path);
        // A module that is imported under two names is there twice.
        let attempts = copies.filter_map(|&(_, file)| {
            let calls = vec![Span { file: FileId(0), start: 0, end: u32::MAX }];
            View { analysis: &self.analysis, file, calls, made_up: false }.attempt(site, found)
        });
        attempts.max_by_key(|attempt| (attempt.outcome.rank(), attempt.came))
    }

    /// What the analysis says of it, in full: errors, and in `all` also warnings.
    pub(crate) fn findings(&self, all: bool) -> String {
        let said = self.analysis.findings.iter().filter(|finding| match finding.severity {
            Severity::Error => true,
            Severity::Warning => all,
            Severity::Info => false,
        });
        said.map(|finding| in_full(finding, &self.analysis)).collect()
    }
}
