//! The standard modules that kernels import, written in Rust.
