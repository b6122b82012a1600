//! The catalogue.

use crate::rule::Rule;

/// Every rule, by code.
pub static ALL: &[&Rule] = &[];
