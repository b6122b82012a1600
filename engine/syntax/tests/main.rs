//! Trees and spans, against CPython's parser.

mod common;
mod details;
mod goldens;
mod robust;
mod snapshots;
