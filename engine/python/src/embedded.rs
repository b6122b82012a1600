//! Modules that come with the evaluator as Python text, for what is best said in Python: classes to derive from. They are
//! found where native modules are, before files; their frames are left out of tracebacks, as those of native functions
//! are, and nothing in them is a finding.

use crate::interp::Interp;
use crate::module::Module;
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

/// A name of a native module whose value another module has, embedded or native: a class that is best said in Python, or that
/// few programs want. The other module is made when somebody asks for the name.
pub struct DeferredName {
    /// The native module.
    pub module: &'static str,
    /// The name, in both.
    pub name: &'static str,
    /// The other module.
    pub source: &'static str,
}

/// Names of a native module whose values another module has: `deferred_names! { MODULE, SOURCE => "a", "b" }`.
#[macro_export]
macro_rules! deferred_names {
    ($module:expr, $source:expr => $($name:literal),* $(,)?) => {
        [$($crate::embedded::DeferredName { module: $module, name: $name, source: $source }),*]
    };
}

impl Interp {
    /// Gives native modules names whose values other modules have.
    pub fn register_deferred(&self, names: &'static [DeferredName]) {
        self.deferred.borrow_mut().extend(names);
    }

    /// The value of a deferred name, which the module has from then on.
    pub(crate) fn deferred_name(&self, module: &Module, name: &str) -> PyResult<Option<Value>> {
        if module.path.is_some() {
            return Ok(None);
        }
        let known = self.deferred.borrow().iter().find(|n| n.name == name && *n.module == *module.name).copied();
        let Some(known) = known else { return Ok(None) };
        let value = self.get_attr(&self.import(known.source)?, name)?;
        module.namespace.borrow_mut().insert(Name::from(name), value.clone());
        Ok(Some(value))
    }

    /// Takes in all deferred names of a module: a copy of its `__dict__` has them, too.
    pub(crate) fn take_in_deferred_names(&self, module: &Module) -> PyResult<()> {
        for name in self.deferred_names(module) {
            if !module.namespace.borrow().contains_key(name) {
                self.deferred_name(module, name)?;
            }
        }
        Ok(())
    }

    /// The deferred names of a module.
    pub(crate) fn deferred_names(&self, module: &Module) -> Vec<&'static str> {
        let deferred = self.deferred.borrow();
        deferred.iter().filter(|known| *known.module == *module.name).map(|known| known.name).collect()
    }

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
