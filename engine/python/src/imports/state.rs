//! What imports remember: which files are installed packages, what importing may still take, which native packages have
//! the rest of their modules on disk.

use pallas_syntax::FileId;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

/// Whether the modules below a dotted name are evaluated from their files: the longest name that fits decides.
pub type SourceRule = (&'static str, bool);

/// Whether the library that a native module (or class) stands for has a name there.
pub type KnownNames = fn(&str, &str) -> bool;

/// The state of imports.
pub(crate) struct ImportState {
    /// Files of installed packages.
    installed: RefCell<HashSet<FileId>>,
    /// Steps left for the bodies of imported modules, all together; only in analysis.
    steps: Cell<u64>,
    /// Imported modules that are being evaluated with a budget, one inside the other.
    importing: Cell<u32>,
    /// Those of them that are installed, from the outermost one on.
    silent: Cell<u32>,
    rules: Cell<&'static [SourceRule]>,
    known: Cell<KnownNames>,
}

impl ImportState {
    /// Imports may take as many steps as the program itself.
    pub(crate) fn new(steps: Option<u64>) -> ImportState {
        ImportState {
            installed: RefCell::default(),
            steps: Cell::new(steps.unwrap_or(u64::MAX)),
            importing: Cell::new(0),
            silent: Cell::new(0),
            rules: Cell::new(&[]),
            known: Cell::new(|_, _| false),
        }
    }

    pub(crate) fn set_rules(&self, rules: &'static [SourceRule]) {
        self.rules.set(rules);
    }

    pub(crate) fn set_known(&self, known: KnownNames) {
        self.known.set(known);
    }

    /// Whether the real `owner` has `name`.
    pub(crate) fn is_known(&self, owner: &str, name: &str) -> bool {
        (self.known.get())(owner, name)
    }

    /// Whether the module `name`, which is not native, may be evaluated from a file.
    pub(crate) fn comes_from_source(&self, name: &str) -> bool {
        let fits =
            |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let rules = self.rules.get().iter().filter(|(prefix, _)| fits(prefix));
        rules.max_by_key(|(prefix, _)| prefix.len()).is_none_or(|(_, from_source)| *from_source)
    }

    pub(crate) fn is_installed(&self, file: FileId) -> bool {
        // The program itself is never installed: most questions end here.
        file != FileId(0) && self.installed.borrow().contains(&file)
    }

    pub(crate) fn set_installed(&self, file: FileId) {
        self.installed.borrow_mut().insert(file);
    }

    /// Whether an imported module is being evaluated within a budget.
    pub(crate) fn is_importing(&self) -> bool {
        self.importing.get() > 0
    }

    /// Whether an installed module is being evaluated: what fails in it is not said.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent.get() > 0
    }

    /// A share of the steps that are left: one module cannot use up what all need.
    pub(crate) fn take_share(&self) -> u64 {
        let share = self.steps.get() / 4;
        self.steps.set(self.steps.get() - share);
        share
    }

    /// Puts back what a module has not used.
    pub(crate) fn put_back(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// Runs `run` as the evaluation of an imported module.
    pub(crate) fn within<R>(&self, installed: bool, run: impl FnOnce() -> R) -> R {
        let silent = self.silent.get();
        self.importing.set(self.importing.get() + 1);
        self.silent.set(silent + u32::from(installed || silent > 0));
        let result = run();
        self.silent.set(silent);
        self.importing.set(self.importing.get() - 1);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides() {
        let state = ImportState::new(None);
        assert!(state.comes_from_source("anything"));
        state.set_rules(&[("jax", false), ("jax.experimental", true), ("numpy", false)]);
        for (name, expected) in [
            ("jax", false),
            ("jax._src.core", false),
            ("jax.experimental", true),
            ("jax.experimental.pallas.ops.gpu.softmax", true),
            ("jax.experimentally", false),
            ("jaxtyping", true),
            ("numpy.lib", false),
        ] {
            assert_eq!(state.comes_from_source(name), expected, "{name}");
        }
    }

    #[test]
    fn no_module_takes_all_steps() {
        let state = ImportState::new(Some(100));
        assert_eq!(state.take_share(), 25);
        assert_eq!(state.take_share(), 18);
        state.put_back(18);
        state.put_back(20);
        assert_eq!(state.take_share(), 23);
    }
}
