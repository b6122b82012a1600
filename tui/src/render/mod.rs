//! Findings as text, one format per file.

mod concise;
mod full;
mod github;
mod json;
mod sarif;

use crate::args::OutputFormat;
use pallas_engine::{Analysis, Finding, SourceFile, Span};
use std::sync::Arc;

/// Findings of one file with the sources that they point into.
pub(crate) struct Batch {
    /// The findings.
    pub(crate) findings: Vec<Finding>,
    /// Sources by id.
    pub(crate) sources: Vec<Arc<SourceFile>>,
}

impl Batch {
    /// The source of a span.
    pub(crate) fn source(&self, span: Span) -> Option<&Arc<SourceFile>> {
        source_of(&self.sources, span)
    }
}

/// The source of a span. Spans come from sources that were read, so there is one; the first stands in otherwise.
pub(crate) fn source_of(sources: &[Arc<SourceFile>], span: Span) -> Option<&Arc<SourceFile>> {
    sources.iter().find(|s| s.id == span.file).or(sources.first())
}

impl From<&Analysis> for Batch {
    fn from(analysis: &Analysis) -> Self {
        Batch { findings: analysis.findings.clone(), sources: analysis.sources.clone() }
    }
}

/// Renders findings. Always ends with a newline, unless there is nothing to say.
pub(crate) fn render(batches: &[Batch], format: OutputFormat, color: bool) -> String {
    match format {
        OutputFormat::Full => full::render(batches, color),
        OutputFormat::Concise => concise::render(batches),
        OutputFormat::Json => json::render(batches),
        OutputFormat::Github => github::render(batches),
        OutputFormat::Sarif => sarif::render(batches),
    }
}

/// Findings as JSON values, as they stand in the format `json`.
pub(crate) fn rows(batches: &[Batch]) -> serde_json::Value {
    json::values(batches)
}
