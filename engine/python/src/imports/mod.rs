//! `import`: native modules first, then source files along the import paths, as Python's finders go about it.

mod finder;
mod load;
mod state;
mod statements;
mod unprovided;

pub(crate) use state::ImportState;
pub use state::{KnownNames, SourceRule};

use crate::interp::Interp;
use crate::module::{Module, ModuleDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// Stands in the globals of a module, in analysis, for the names that `from missing import *` may have bound.
pub(crate) const STAR: &str = "*";

impl Interp {
    /// Declares a native module. It wins over files of its name, and stands for missing parents.
    pub fn register(&self, def: &'static ModuleDef) {
        self.registered.borrow_mut().insert(def.name, def);
    }

    /// Says which modules that are not native are evaluated from their files.
    pub fn set_source_rules(&self, rules: &'static [SourceRule]) {
        self.imports.set_rules(rules);
    }

    /// Says which names the real libraries have: those that are missing here are said to be missing, not to be mistakes.
    pub fn set_known_names(&self, known: KnownNames) {
        self.imports.set_known(known);
    }

    /// The module of this dotted name, imported with its parents. ModuleNotFoundError where there is none.
    pub fn import(&self, dotted: &str) -> PyResult<Value> {
        let mut parent: Option<Value> = None;
        let mut module = Value::None;
        let mut end = 0;
        for part in dotted.split('.') {
            end += part.len() + usize::from(end > 0);
            let name = &dotted[..end];
            let loaded = self.modules.borrow().get(name).cloned();
            module = match loaded {
                // What the parent's attribute of this name is by now is the parent's business.
                Some(module) => module,
                None => {
                    let module = self.import_one(name, parent.as_ref())?;
                    if let (Some(parent), Value::Module(_)) = (&parent, &module) {
                        self.set_attr_plainly(parent, part, module.clone())?;
                    }
                    module
                }
            };
            // A package may have put an object in its place that has a path, as those do that import their parts late.
            match &module {
                Value::Module(_) => {}
                Value::Instance(_) if self.find_attr(&module, "__path__")?.is_some() => {}
                _ => return Ok(module),
            }
            parent = Some(module.clone());
        }
        Ok(module)
    }

    /// Loads the module `name`, whose parent package has been imported.
    fn import_one(&self, name: &str, parent: Option<&Value>) -> PyResult<Value> {
        let def = self.registered.borrow().get(name).copied();
        if let Some(def) = def {
            self.native_imports.borrow_mut().push(def.name);
            return Ok(Value::Module(self.make_native(def)));
        }
        if let Some(result) = self.import_embedded(name) {
            return result;
        }
        if self.has_registered_child(name) {
            return Ok(Value::Module(self.new_module(name, None)));
        }
        let tail = name.rsplit('.').next().unwrap_or(name);
        let from_source = self.imports.comes_from_source(name);
        let folders = match parent {
            None => self.search_paths(),
            Some(parent) => {
                let paths = match parent {
                    Value::Module(module) => module.namespace.borrow().get("__path__").cloned(),
                    other => self.find_attr(other, "__path__")?,
                };
                match (paths, parent) {
                    (Some(Value::List(paths)), _) => {
                        paths.borrow().iter().filter_map(|path| self.str(path).ok()).collect()
                    }
                    (_, Value::Module(parent)) if parent.path.is_some() => {
                        return Err(self.not_found(name, Some(&parent.name)));
                    }
                    (_, Value::Module(parent)) => {
                        // An attribute of a native module serves as its submodule.
                        let attribute = parent.namespace.borrow().get(tail).cloned();
                        if let Some(module @ Value::Module(_)) = attribute {
                            return Ok(module);
                        }
                        if self.is_bare_standard(name) {
                            return Ok(Value::Module(self.new_module(name, None)));
                        }
                        if !self.is_native_package(parent) {
                            return Err(self.not_found(name, Some(&parent.name)));
                        }
                        self.native_folders(&parent.name)
                    }
                    _ => return Err(self.not_found(name, None)),
                }
            }
        };
        if from_source && let Some(found) = self.find_module(&folders, tail)? {
            return self.load(name, found);
        }
        if self.is_bare_standard(name) {
            return Ok(Value::Module(self.new_module(name, None)));
        }
        Err(self.not_found(name, None))
    }

    /// Whether a native module can have submodules: it has some here, or its package is on disk.
    fn is_native_package(&self, module: &Module) -> bool {
        self.has_registered_child(&module.name)
            || module
                .namespace
                .borrow()
                .iter()
                .any(|(key, value)| matches!(value, Value::Module(_)) && &**key != "__builtins__")
            || self.native_folders(&module.name).iter().any(|folder| self.host().list_folder(folder).is_some())
    }

    fn has_registered_child(&self, name: &str) -> bool {
        let prefix = format!("{name}.");
        self.registered.borrow().keys().any(|known| known.starts_with(&prefix))
            || self.embedded.borrow().keys().any(|known| known.starts_with(&prefix))
    }

    /// A submodule that is loaded, or native and not loaded yet, as an attribute of its package.
    pub(crate) fn loaded_submodule(&self, module: &Rc<Module>, name: &str) -> Option<Value> {
        if module.path.is_some() {
            return None;
        }
        let full = format!("{}.{name}", module.name);
        let loaded = self.modules.borrow().get(full.as_str()).cloned();
        if loaded.is_some() {
            return loaded;
        }
        let known = self.registered.borrow().contains_key(full.as_str())
            || self.embedded.borrow().contains_key(full.as_str())
            || self.has_registered_child(&full);
        if known { self.import(&full).ok() } else { None }
    }
}
