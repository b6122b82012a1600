//! `import`: native modules first, then source files along the import paths, as Python's finders go about it.

use crate::class::Namespace;
use crate::exceptions::set_field;
use crate::exec::env::Env;
use crate::interp::Interp;
use crate::module::{Module, ModuleDef};
use crate::native::NativeFunction;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{Alias, ExceptHandler, Expr, ExprKind, Name, Stmt, StmtKind};
use std::cell::RefCell;
use std::rc::Rc;

/// What was found for a module name.
struct Found {
    path: String,
    text: String,
    /// The folder of a package.
    folder: Option<String>,
}

impl Interp {
    /// Declares a native module. It wins over files of its name, and stands for missing parents.
    pub fn register(&self, def: &'static ModuleDef) {
        self.registered.borrow_mut().insert(def.name, def);
    }

    /// The module of this dotted name, imported with its parents. ModuleNotFoundError where there is none.
    pub fn import(&self, dotted: &str) -> PyResult<Value> {
        let mut parent: Option<Rc<Module>> = None;
        let mut module = Value::None;
        let mut end = 0;
        for part in dotted.split('.') {
            end += part.len() + usize::from(end > 0);
            module = self.import_one(dotted, &dotted[..end], parent.as_ref())?;
            if let (Some(parent), Value::Module(_)) = (&parent, &module) {
                let old = parent.namespace.borrow_mut().insert(Name::from(part), module.clone());
                drop(old);
            }
            match &module {
                Value::Module(module) => parent = Some(Rc::clone(module)),
                _ => return Ok(module),
            }
        }
        Ok(module)
    }

    /// The module `name`, whose parent package has been imported; `dotted` is what was asked for.
    fn import_one(&self, dotted: &str, name: &str, parent: Option<&Rc<Module>>) -> PyResult<Value> {
        if let Some(module) = self.modules.borrow().get(name) {
            return Ok(module.clone());
        }
        let def = self.registered.borrow().get(name).copied();
        if let Some(def) = def {
            return Ok(Value::Module(self.make_native(def)));
        }
        if self.has_registered_child(name) {
            return Ok(Value::Module(self.new_module(name, None)));
        }
        let tail = name.rsplit('.').next().unwrap_or(name);
        let folders = match parent {
            None => self.host().import_paths(),
            Some(parent) => match parent.namespace.borrow().get("__path__") {
                Some(Value::List(paths)) => paths.borrow().iter().filter_map(|path| self.str(path).ok()).collect(),
                _ => {
                    // An attribute of a native module serves as its submodule.
                    let attribute = parent.namespace.borrow().get(tail).cloned();
                    if let Some(module @ Value::Module(_)) = attribute {
                        return Ok(module);
                    }
                    return Err(self.not_found(name, Some(&parent.name)));
                }
            },
        };
        match self.find_source(&folders, tail)? {
            Some(found) => self.load_source(name, found),
            None => match self.namespace_package(&folders, dotted, name, tail) {
                Some(module) => Ok(Value::Module(module)),
                None => Err(self.not_found(name, None)),
            },
        }
    }

    fn not_found(&self, name: &str, not_a_package: Option<&str>) -> Box<Stop> {
        let message = match not_a_package {
            Some(parent) => format!("No module named '{name}'; '{parent}' is not a package"),
            None => format!("No module named '{name}'"),
        };
        let stop = self.error(&self.types().module_not_found_error, message);
        if let Stop::Raise(raise) = &*stop {
            set_field(&raise.exception, "name", Value::str(name));
        }
        stop
    }

    fn has_registered_child(&self, name: &str) -> bool {
        let prefix = format!("{name}.");
        self.registered.borrow().keys().any(|known| known.starts_with(&prefix))
    }

    fn make_native(&self, def: &'static ModuleDef) -> Rc<Module> {
        let module = self.new_module(def.name, None);
        let mut names = Namespace::default();
        for row in def.functions {
            names.insert(Name::from(row.name), Value::Native(NativeFunction::new(row, def.name)));
        }
        (def.populate)(self, &mut names);
        let mut namespace = module.namespace.borrow_mut();
        namespace.insert(Name::from("__doc__"), Value::str(def.doc));
        // What others have put there meanwhile (submodules) stays, unless the table says otherwise.
        namespace.extend(names);
        drop(namespace);
        module
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
        let known = self.registered.borrow().contains_key(full.as_str()) || self.has_registered_child(&full);
        if known { self.import(&full).ok() } else { None }
    }

    fn find_source(&self, folders: &[String], tail: &str) -> PyResult<Option<Found>> {
        for folder in folders {
            let base = if folder.is_empty() { tail.to_owned() } else { format!("{folder}/{tail}") };
            let package = format!("{base}/__init__.py");
            if let Some(text) = self.read_source(&package)? {
                return Ok(Some(Found { path: package, text, folder: Some(base) }));
            }
            let file = format!("{base}.py");
            if let Some(text) = self.read_source(&file)? {
                return Ok(Some(Found { path: file, text, folder: None }));
            }
        }
        Ok(None)
    }

    fn read_source(&self, path: &str) -> PyResult<Option<String>> {
        self.host().read_source(path).map_err(|message| self.import_error(message))
    }

    /// PEP 420: a folder without `__init__.py`. Folders cannot be asked for through the host, so one counts as there
    /// where the rest of the dotted name is found inside.
    fn namespace_package(&self, folders: &[String], dotted: &str, name: &str, tail: &str) -> Option<Rc<Module>> {
        let rest = dotted.strip_prefix(name)?.strip_prefix('.')?;
        let next = rest.split('.').next()?;
        let inside: Vec<String> = folders
            .iter()
            .map(|folder| if folder.is_empty() { tail.to_owned() } else { format!("{folder}/{tail}") })
            .filter(|folder| {
                let mut deeper = folder.clone();
                rest.split('.').any(|part| {
                    deeper = format!("{deeper}/{part}");
                    [format!("{deeper}.py"), format!("{deeper}/__init__.py")]
                        .iter()
                        .any(|path| matches!(self.host().read_source(path), Ok(Some(_))))
                })
            })
            .collect();
        let _ = next;
        if inside.is_empty() {
            return None;
        }
        let module = self.new_module(name, None);
        let paths = Value::list(inside.into_iter().map(Value::from));
        let mut names = module.namespace.borrow_mut();
        names.insert(Name::from("__path__"), paths);
        names.insert(Name::from("__package__"), Value::str(name));
        drop(names);
        Some(module)
    }

    fn load_source(&self, name: &str, found: Found) -> PyResult<Value> {
        self.charge(1 + found.text.len() as u64 / 64)?;
        let source = self.add_source(&found.path, &found.text);
        let tree = pallas_syntax::parse(source);
        let module = self.new_module(name, Some(found.path));
        {
            let mut names = module.namespace.borrow_mut();
            let package = match &found.folder {
                Some(_) => name,
                None => name.rsplit_once('.').map_or("", |(parent, _)| parent),
            };
            names.insert(Name::from("__package__"), Value::str(package));
            if let Some(folder) = found.folder {
                names.insert(Name::from("__path__"), Value::list([Value::from(folder)]));
            }
        }
        match self.run_module(&tree, &module) {
            // The module may have put something else in its place.
            Ok(()) => Ok(self.modules.borrow().get(name).cloned().unwrap_or(Value::Module(module))),
            Err(stop) => {
                self.modules.borrow_mut().remove(name);
                Err(stop)
            }
        }
    }

    /// In analysis, what cannot be imported is unknown, and the observer hears why; unless the program itself is prepared
    /// for it (`guarded`), as in `try: import torch` with an `except ImportError`.
    fn import_or_unknown(&self, result: PyResult<Value>, guarded: bool) -> PyResult<Value> {
        match result {
            Err(stop) if !guarded && self.is_analysis() && self.stop_is(&stop, &self.types().import_error) => {
                self.observe_raised(&stop);
                let why = match &*stop {
                    Stop::Raise(raise) => self.exception_message(&raise.exception),
                    Stop::Abort(_) => String::new(),
                };
                Ok(Value::unknown(why, Some(self.span())))
            }
            result => result,
        }
    }

    /// Remembers the imports in the body of a `try` that catches their failure.
    pub(crate) fn guard_imports(&self, body: &[Stmt], handlers: &[ExceptHandler]) {
        const CAUGHT: [&str; 4] = ["ImportError", "ModuleNotFoundError", "Exception", "BaseException"];
        let catches = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if CAUGHT.contains(&&**name));
        let caught = handlers.iter().any(|handler| match &handler.exception {
            None => true,
            Some(Expr { kind: ExprKind::Tuple(items), .. }) => items.iter().any(catches),
            Some(expr) => catches(expr),
        });
        if caught {
            let imports = body.iter().filter(|s| matches!(s.kind, StmtKind::Import(_) | StmtKind::ImportFrom { .. }));
            self.guarded_imports.borrow_mut().extend(imports.map(|stmt| stmt.span));
        }
    }

    /// `import a.b as c`
    pub(crate) fn import_statement(&self, env: &Rc<Env>, aliases: &[Alias]) -> PyResult<()> {
        let guarded = self.guarded_imports.borrow().contains(&self.span());
        for alias in aliases {
            let span = self.span();
            let module = self.import_or_unknown(self.import(&alias.name), guarded)?;
            self.position.set(span);
            let (name, value) = match &alias.asname {
                Some(asname) => (asname.clone(), module),
                None => {
                    let root = alias.name.split('.').next().unwrap_or_default();
                    let value = match &module {
                        Value::Unknown(_) => match self.modules.borrow().get(root) {
                            Some(root) => root.clone(),
                            None => module.clone(),
                        },
                        _ => self.modules.borrow().get(root).cloned().unwrap_or(module.clone()),
                    };
                    (Name::from(root), value)
                }
            };
            if self.observing.get() {
                self.observe(alias.span, &value);
            }
            self.store_name(env, &name, value)?;
        }
        Ok(())
    }

    /// `from module import names`
    pub(crate) fn import_from(
        &self,
        env: &Rc<Env>,
        module: Option<&Name>,
        names: &[Alias],
        level: u32,
    ) -> PyResult<()> {
        let span = self.span();
        let guarded = self.guarded_imports.borrow().contains(&span);
        let imported =
            self.absolute_name(env, module, level).and_then(|absolute| Ok((self.import(&absolute)?, absolute)));
        let (source, absolute) = match imported {
            Ok((source, absolute)) => (source, absolute),
            Err(stop) => (self.import_or_unknown(Err(stop), guarded)?, String::new()),
        };
        self.position.set(span);
        for alias in names {
            if &*alias.name == "*" {
                self.import_star(env, &source)?;
                continue;
            }
            let value = self.import_or_unknown(self.import_name(&source, &absolute, &alias.name), guarded)?;
            self.position.set(span);
            if self.observing.get() {
                self.observe(alias.span, &value);
            }
            self.store_name(env, alias.asname.as_ref().unwrap_or(&alias.name), value)?;
        }
        Ok(())
    }

    fn import_name(&self, source: &Value, absolute: &str, name: &str) -> PyResult<Value> {
        let module = match source {
            Value::Module(module) => module,
            other => return self.get_attr(other, name),
        };
        if let Some(value) = self.find_attr(source, name)? {
            return Ok(value);
        }
        let is_package = module.namespace.borrow().contains_key("__path__") || module.path.is_none();
        if is_package {
            match self.import(&format!("{absolute}.{name}")) {
                Err(stop) if self.names_module(&stop, &format!("{absolute}.{name}")) => {}
                result => return result,
            }
        }
        let place = match &module.path {
            Some(path) => path.clone(),
            None => "unknown location".to_owned(),
        };
        let partly =
            self.frames.borrow().iter().any(|frame| {
                Rc::ptr_eq(&frame.env.module, module) && &*frame.name == "<module>" && module.path.is_some()
            });
        let message = if partly {
            format!(
                "cannot import name '{name}' from partially initialized module '{}' (most likely due to a circular \
                 import) ({place})",
                module.name
            )
        } else {
            format!("cannot import name '{name}' from '{}' ({place})", module.name)
        };
        let stop = self.import_error(message);
        if let Stop::Raise(raise) = &*stop {
            set_field(&raise.exception, "name", Value::name(&module.name));
        }
        Err(stop)
    }

    /// Whether this is the error that the module itself was not found (and not one that it imports).
    fn names_module(&self, stop: &Stop, name: &str) -> bool {
        match stop {
            Stop::Raise(raise) => {
                self.exception_is(&raise.exception, &self.types().module_not_found_error)
                    && matches!(crate::exceptions::field(&raise.exception, "name"), Some(Value::Str(missing)) if *missing == *name)
            }
            Stop::Abort(_) => false,
        }
    }

    /// The absolute name of `from ..module import`.
    fn absolute_name(&self, env: &Rc<Env>, module: Option<&Name>, level: u32) -> PyResult<String> {
        let tail = module.map_or("", |module| &**module);
        if level == 0 {
            return Ok(tail.to_owned());
        }
        let names = env.module.namespace.borrow();
        let package = match names.get("__package__") {
            Some(Value::Str(package)) => package.to_string(),
            _ if names.contains_key("__path__") => env.module.name.to_string(),
            _ => env.module.name.rsplit_once('.').map_or(String::new(), |(parent, _)| parent.to_owned()),
        };
        drop(names);
        if package.is_empty() {
            return Err(self.import_error("attempted relative import with no known parent package"));
        }
        let mut base = package.as_str();
        for _ in 1..level {
            base = match base.rsplit_once('.') {
                Some((parent, _)) => parent,
                None => {
                    return Err(self.import_error("attempted relative import beyond top-level package"));
                }
            };
        }
        Ok(if tail.is_empty() { base.to_owned() } else { format!("{base}.{tail}") })
    }

    fn import_star(&self, env: &Rc<Env>, source: &Value) -> PyResult<()> {
        let Value::Module(module) = source else {
            return Ok(());
        };
        let listed = module.namespace.borrow().get("__all__").cloned();
        let names: Vec<Name> = match listed {
            Some(all) => {
                self.collect(&all)?.iter().map(|name| Ok(Name::from(&*self.to_str(name)?))).collect::<PyResult<_>>()?
            }
            None => module.namespace.borrow().keys().filter(|name| !name.starts_with('_')).cloned().collect(),
        };
        for name in names {
            let value = self.get_attr(source, &name)?;
            self.store_name(env, &name, value)?;
        }
        Ok(())
    }

    /// A module made by a library: `types.ModuleType`, or a submodule without a table of its own.
    pub fn make_module(&self, name: &str, names: Namespace) -> Rc<Module> {
        let module = Rc::new(Module { name: Name::from(name), path: None, namespace: RefCell::new(names) });
        module.namespace.borrow_mut().insert(Name::from("__name__"), Value::str(name));
        module
    }
}
