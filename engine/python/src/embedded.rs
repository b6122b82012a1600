//! Modules that come with the evaluator as Python text, for what is best said in Python: classes to derive from. They are
//! found where native modules are, before files; their frames are left out of tracebacks, as those of native functions
//! are, and nothing in them is a finding.

use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::FileId;
use pallas_syntax::ast::Name;

/// One module.
pub struct EmbeddedModule {
    /// The dotted name under which it is imported.
    pub name: &'static str,
    /// Its source.
    pub text: &'static str,
    /// Whether relative imports start at itself.
    pub is_package: bool,
}

/// How the paths of embedded sources begin, after the modules that CPython has inside.
const FROZEN: &str = "<frozen ";

impl Interp {
    /// Makes embedded modules importable.
    pub fn register_embedded(&self, modules: &'static [EmbeddedModule]) {
        self.embedded.borrow_mut().extend(modules.iter().map(|module| (module.name, module)));
    }

    /// The embedded module of this name, made at its first import.
    pub(crate) fn import_embedded(&self, name: &str) -> Option<PyResult<Value>> {
        let known = self.embedded.borrow().get(name).copied()?;
        Some(self.load_embedded(known))
    }

    fn load_embedded(&self, embedded: &'static EmbeddedModule) -> PyResult<Value> {
        let name = embedded.name;
        let source = self.add_source(&format!("{FROZEN}{name}>"), embedded.text);
        // What installed packages are spared, these are: no facts, no findings, steps of their own.
        self.imports.set_installed(source.id);
        let tree = self.host().parse(source);
        let module = self.new_module(name, None);
        let package = if embedded.is_package { name } else { name.rsplit_once('.').map_or("", |(parent, _)| parent) };
        module.namespace.borrow_mut().insert(Name::from("__package__"), Value::str(package));
        let result =
            if self.is_analysis() { self.run_bounded(&tree, &module, true) } else { self.run_module(&tree, &module) };
        match result {
            Ok(()) => Ok(self.modules.borrow().get(name).cloned().unwrap_or(Value::Module(module))),
            Err(stop) => {
                self.modules.borrow_mut().remove(name);
                Err(stop)
            }
        }
    }

    /// Whether a place in this file is the evaluator's own business.
    pub fn is_embedded(&self, file: FileId) -> bool {
        self.source(file).is_some_and(|source| source.path.starts_with(FROZEN))
    }
}
