//! Findings about a launch: one rule, one file.
