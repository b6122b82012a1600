//! Reading a report: this version and every one before it.

use crate::report::{Report, VERSION};
use serde::Deserialize;
use std::io::Read;

/// Why a text is no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or not a report's.
    #[error("not a profile report, as `pallas-tui profile --json FILE` prints it: {0}")]
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
        serde_json::from_str(text).map_err(malformed).and_then(Report::whole)
    }

    /// Reads a report as it comes, without ever holding its text: of events that are listed one by one only the first
    /// programs' stay in memory.
    ///
    /// # Errors
    /// If it is none, or too new.
    pub fn read_from(reader: impl Read) -> Result<Report, ReadError> {
        Report::parse(reader).and_then(Report::whole)
    }

    /// The same where a list of events may have been left out; a number stands in its place then.
    pub(crate) fn parse(reader: impl Read) -> Result<Report, ReadError> {
        let mut reader = reader;
        // The version stands in front: what is newer is not to be called malformed.
        let mut head = vec![0; HEAD];
        let mut length = 0;
        while length < HEAD {
            match reader.read(&mut head[length..]) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) => return Err(ReadError::Malformed(error.to_string())),
            }
        }
        head.truncate(length);
        if let Some(version) = version(&head).filter(|&version| version > VERSION) {
            return Err(ReadError::Newer(version));
        }
        serde_json::from_reader(head.as_slice().chain(reader)).map_err(|error| ReadError::Malformed(error.to_string()))
    }
}

impl Report {
    /// A report of which nothing was left out.
    fn whole(self) -> Result<Report, ReadError> {
        let left_out = self.launches.iter().filter_map(|launch| launch.measured.as_ref()?.unread).next();
        match left_out {
            None => Ok(self),
            Some(number) => Err(ReadError::Malformed(format!("a list of events is the number {number}"))),
        }
    }
}

/// Bytes in which the version is looked for.
const HEAD: usize = 4096;

/// The version that the beginning of a report names.
fn version(head: &[u8]) -> Option<u32> {
    let head = String::from_utf8_lossy(head);
    let rest = head.split_once("\"version\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}
