//! The evaluator against CPython.

mod builtins;
mod embedding;
mod evaluator;
mod library;
mod support;
