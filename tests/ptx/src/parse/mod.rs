//! Reads PTX text: words, then statements with their operands, then functions and variables. Names are resolved here, what an
//! instruction means is decided in `decode`.

mod arguments;
mod body;
mod data;
mod names;
mod tokens;
mod toplevel;

pub(crate) use body::{Body, Operand, Statement};
pub(crate) use toplevel::parse;

use std::fmt;

/// Text that is no PTX, or that is not understood here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The line of the text, from 1 on.
    pub line: u32,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for Wrong {}

pub(crate) fn wrong<T>(line: u32, what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { line, what: what.into() })
}
