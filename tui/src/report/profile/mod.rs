//! The profile report for people: as text and as Markdown. Both show the same rows.

mod device;
mod markdown;
mod rows;
mod text;
pub(crate) mod words;

pub(crate) use markdown::markdown;
pub(crate) use rows::{kept, left_out};
pub(crate) use text::text;
