//! The kernel IR: typed tile ops, refs, regions; its text form and verifier; launches and findings.
