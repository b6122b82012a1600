//! Modules as values, and the tables from which native modules are made.

use crate::class::Namespace;
use crate::interp::Interp;
use crate::native::NativeDef;
use pallas_syntax::ast::Name;
use std::cell::RefCell;

/// A module.
pub struct Module {
    /// `jax.numpy`
    pub name: Name,
    /// The file it came from; `None` for native ones.
    pub path: Option<String>,
    /// Its globals.
    pub namespace: RefCell<Namespace>,
}

/// A native module: a table of functions, and a function that adds classes, constants and submodules.
pub struct ModuleDef {
    /// The dotted name under which it is imported.
    pub name: &'static str,
    /// One line.
    pub doc: &'static str,
    /// Functions.
    pub functions: &'static [NativeDef],
    /// Adds everything else. Runs once, at the first import.
    pub populate: fn(&Interp, &mut Namespace),
}
