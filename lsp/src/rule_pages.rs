//! The pages of rules as files that editors can open, since a diagnostic links to its rule by a URI. A page is written when it
//! is first linked to.

use crate::cache;
use pallas_engine::check::Rule;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use tower_lsp_server::ls_types::Uri;

/// The page of a rule; `None` where no file can be written.
pub(crate) fn uri(rule: &Rule) -> Option<Uri> {
    static WRITTEN: OnceLock<Mutex<HashMap<&'static str, Option<Uri>>>> = OnceLock::new();
    let written = WRITTEN.get_or_init(Mutex::default);
    // Single operations of the map: a panic elsewhere has not damaged it.
    let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = concat!("rules/", env!("CARGO_PKG_VERSION"));
    written.entry(rule.code).or_insert_with(|| cache::write(folder, &format!("{}.md", rule.code), &rule.page())).clone()
}
