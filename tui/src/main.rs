//! Runs, checks, profiles and watches Pallas kernels in the terminal.
fn main() {}
