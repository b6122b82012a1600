//! Where a module's file is: Python's path finder over the host's folders.

use crate::interp::{FrameRecord, Interp};
use crate::module::Module;
use crate::raise::{Diagnosis, PyResult, Stop};
use crate::value::Value;
use std::rc::Rc;

/// What was found for a module name.
pub(super) enum Found {
    /// A source file.
    Source(SourceFound),
    /// PEP 420: folders without `__init__.py`, one module together.
    Namespace(Vec<String>),
    /// A module that is not written in Python.
    Compiled(String),
}

/// A source file.
pub(super) struct SourceFound {
    pub(super) path: String,
    pub(super) text: String,
    /// For a package, where its modules are.
    pub(super) folders: Option<Vec<String>>,
}

/// Endings of compiled modules.
const COMPILED: [&str; 3] = [".so", ".pyd", ".dylib"];
/// What Python's own modules are listed under.
const STANDARD: &str = "standard";
/// A name that a module has of which no names are listed.
const ANY: &str = "";
/// A message names so many folders.
const MOST_FOLDERS: usize = 6;

pub(super) fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{}/{name}", folder.trim_end_matches('/')) }
}

/// Whether a part of a dotted name is nobody's business but its package's.
pub(super) fn is_private(name: &str) -> bool {
    name.split('.').any(|part| part.starts_with('_') && !part.starts_with("__"))
}

impl Interp {
    /// `sys.path`, as the program has left it.
    pub(super) fn search_paths(&self) -> Vec<String> {
        let sys = self.modules.borrow().get("sys").cloned();
        if let Some(Value::Module(sys)) = sys
            && let Some(Value::List(paths)) = sys.namespace.borrow().get("path")
        {
            return paths.borrow().iter().filter_map(|path| self.str(path).ok()).collect();
        }
        [self.host().import_paths(), self.host().package_paths()].concat()
    }

    /// The folders that a native or embedded package has on disk: what it lacks here may be written in Python there.
    pub(super) fn native_folders(&self, package: &str) -> Vec<String> {
        let relative = package.replace('.', "/");
        self.search_paths().iter().map(|path| inside(path, &relative)).collect()
    }

    /// Looks for the module `tail` in `folders`.
    pub(super) fn find_module(&self, folders: &[String], tail: &str) -> PyResult<Option<Found>> {
        let mut portions = Vec::new();
        for folder in folders {
            let base = inside(folder, tail);
            let package = format!("{base}/__init__.py");
            if let Some(text) = self.read_source(&package)? {
                return Ok(Some(Found::Source(SourceFound { path: package, text, folders: Some(vec![base]) })));
            }
            let file = format!("{base}.py");
            if let Some(text) = self.read_source(&file)? {
                return Ok(Some(Found::Source(SourceFound { path: file, text, folders: None })));
            }
            if let Some(path) = self.compiled(folder, tail) {
                return Ok(Some(Found::Compiled(path)));
            }
            if self.host().list_folder(&base).is_some() {
                portions.push(base);
            }
        }
        Ok(if portions.is_empty() { None } else { Some(Found::Namespace(portions)) })
    }

    fn read_source(&self, path: &str) -> PyResult<Option<String>> {
        self.host().read_source(path).map_err(|message| self.import_error(message))
    }

    /// `tail.cpython-311-x86_64-linux-gnu.so`
    fn compiled(&self, folder: &str, tail: &str) -> Option<String> {
        let names = self.host().list_folder(folder)?;
        let is_it = |name: &&String| {
            name.strip_prefix(tail)
                .is_some_and(|rest| rest.starts_with('.') && COMPILED.iter().any(|ending| rest.ends_with(ending)))
        };
        names.iter().find(is_it).map(|name| inside(folder, name))
    }

    /// Whether a module is one of Python's own of which the workbench has nothing. Programs import such modules and may never use
    /// them, so that what is missing is said where it is used.
    pub(super) fn is_bare_standard(&self, name: &str) -> bool {
        let root = name.split('.').next().unwrap_or(name);
        self.imports.is_known(STANDARD, root)
            && self.imports.is_known(root, ANY)
            && !self.registered.borrow().contains_key(root)
            && !self.embedded.borrow().contains_key(root)
    }

    /// ModuleNotFoundError, with what the reader can do about it.
    pub(super) fn not_found(&self, name: &str, not_a_package: Option<&str>) -> Box<Stop> {
        let message = match not_a_package {
            Some(parent) => format!("No module named '{name}'; '{parent}' is not a package"),
            None => format!("No module named '{name}'"),
        };
        let mut stop = self.error(&self.types().module_not_found_error, message);
        if let Stop::Raise(raise) = &mut *stop {
            crate::exceptions::set_field(&raise.exception, "name", Value::str(name));
            raise.diagnosis = Some(Box::new(self.import_diagnosis(name)));
        }
        stop
    }

    fn import_diagnosis(&self, name: &str) -> Diagnosis {
        let is_part_of_a_stand_in = name.rsplit_once('.').is_some_and(|(parent, child)| {
            matches!(self.modules.borrow().get(parent), Some(Value::Module(module)) if self.is_known_of(module, child))
        });
        if is_part_of_a_stand_in {
            return super::unprovided::diagnosis(name);
        }
        let (evidence, help) = if self.imports.comes_from_source(name) {
            let paths = self.search_paths();
            let mut shown = paths.iter().take(MOST_FOLDERS).map(String::as_str).collect::<Vec<_>>().join(", ");
            if paths.len() > MOST_FOLDERS {
                shown.push_str(&format!(" and {} more", paths.len() - MOST_FOLDERS));
            }
            let evidence = (!shown.is_empty()).then(|| format!("searched: {shown}"));
            (evidence, self.host().import_help())
        } else if is_private(name) {
            // No table says what the real library has there.
            return super::unprovided::diagnosis(name);
        } else {
            let root = name.split('.').next().unwrap_or(name);
            let help = format!("whether `{root}` is installed or not: to the checks, what comes from it is unknown");
            let message = Some(format!("`{name}` is not evaluated by Pallas Workbench"));
            return Diagnosis { code: "PL002", message, help: Some(help), ..Diagnosis::default() };
        };
        Diagnosis { code: "PL002", evidence, help, ..Diagnosis::default() }
    }

    /// The ImportError of a module that is not written in Python.
    pub(super) fn compiled_error(&self, name: &str, path: &str) -> Box<Stop> {
        let message = format!("{path} is compiled, and Pallas Workbench evaluates Python sources only");
        let mut stop = self.import_error(message);
        if let Stop::Raise(raise) = &mut *stop {
            crate::exceptions::set_field(&raise.exception, "name", Value::str(name));
            let help = "what is imported from it is unknown to the checks; keep it out of what the kernel needs";
            raise.diagnosis =
                Some(Box::new(Diagnosis { code: "PL002", help: Some(help.to_owned()), ..Diagnosis::default() }));
        }
        stop
    }

    /// Whether a file belongs to an installed package.
    pub(super) fn is_package_path(&self, path: &str) -> bool {
        let own = self.host().import_paths();
        let longest = |paths: &[String]| {
            paths.iter().filter(|folder| path.starts_with(&inside(folder, ""))).map(String::len).max()
        };
        // A virtual environment may stand inside the program's folder, and an editable install outside of both.
        longest(&self.host().package_paths()) > longest(&own)
    }

    /// In analysis: whether another module asks for what the main program does not have yet. A file in a package that is
    /// looked at on its own runs before its package, whose `__init__` imports it; as a module it would be whole by then.
    pub(crate) fn is_unfinished_main(&self, module: &Rc<Module>) -> bool {
        let of_main = |frame: &FrameRecord| Rc::ptr_eq(&frame.env.module, module);
        self.is_analysis()
            && &*module.name == "__main__"
            && self.frames.borrow().last().is_some_and(|frame| !of_main(frame))
            && self.frames.borrow().iter().any(|frame| of_main(frame) && &*frame.name == "<module>")
    }

    /// Whether the statements of a source module are running.
    pub(crate) fn is_initializing(&self, module: &Rc<Module>) -> bool {
        module.path.is_some()
            && &*module.name != "__main__"
            && self
                .frames
                .borrow()
                .iter()
                .any(|frame| Rc::ptr_eq(&frame.env.module, module) && &*frame.name == "<module>")
    }
}
