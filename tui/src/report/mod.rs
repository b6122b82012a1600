//! Reports that are printed instead of shown: one format, one file.

pub(crate) mod text;
