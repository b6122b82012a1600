//! Reports as text and Markdown, one format a file.

pub(crate) mod comparison;
pub(crate) mod profile;
pub(crate) mod rerun;
pub(crate) mod text;
pub(crate) mod tune;
