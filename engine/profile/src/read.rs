//! Reading a report: this version and every one before it.

use crate::report::{Report, VERSION};
use serde::Deserialize;

/// Why a text is no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or not a report's.
    #[error("not a profile report: {0}")]
    Malformed(String),
    /// Of a version that came later.
    #[error("a profile report of version {0}, and this program reads up to version {VERSION}: a newer one can read it")]
    Newer(u32),
}

#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// If it is none, or too new.
    pub fn read(text: &str) -> Result<Report, ReadError> {
        let malformed = |error: serde_json::Error| ReadError::Malformed(error.to_string());
        let head: Head = serde_json::from_str(text).map_err(malformed)?;
        if head.version > VERSION {
            return Err(ReadError::Newer(head.version));
        }
        serde_json::from_str(text).map_err(malformed)
    }
}
