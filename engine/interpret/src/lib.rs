//! Runs kernel IR on the CPU.
