//! The Pallas language server.
fn main() {}
