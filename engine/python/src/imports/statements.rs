//! The statements `import` and `from ... import`, and what analysis makes of modules that are missing.

use super::STAR;
use crate::exceptions::{field, set_field};
use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{Alias, ExceptHandler, Expr, ExprKind, Name, Stmt, StmtKind};
use std::rc::Rc;

impl Interp {
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

    /// What `import a.b as c` binds: the attribute `b` of `a`, which may be another thing than the module by now.
    fn dotted_value(&self, dotted: &str, module: Value) -> PyResult<Value> {
        let mut value = match dotted.split_once('.') {
            Some((root, _)) if !module.is_unknown() => self.modules.borrow().get(root).cloned(),
            _ => None,
        };
        for (dot, _) in dotted.match_indices('.') {
            let name = dotted[dot + 1..].split('.').next().unwrap_or_default();
            value = match value {
                Some(parent) => self.find_attr(&parent, name)?,
                None => None,
            };
        }
        // While modules import each other, an attribute may not be there yet.
        Ok(value.unwrap_or(module))
    }

    /// `import a.b` where there is `a` but no `b`: `a.b` is unknown, and that has been said.
    fn fill_in(&self, dotted: &str, unknown: &Value) {
        for (dot, _) in dotted.match_indices('.').rev() {
            let parent = self.modules.borrow().get(&dotted[..dot]).cloned();
            if let Some(Value::Module(parent)) = parent {
                let missing = dotted[dot + 1..].split('.').next().unwrap_or_default();
                parent.namespace.borrow_mut().entry(Name::from(missing)).or_insert_with(|| unknown.clone());
                return;
            }
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
            if module.is_unknown() {
                self.fill_in(&alias.name, &module);
            }
            let (name, value) = match &alias.asname {
                Some(asname) => (asname.clone(), self.dotted_value(&alias.name, module)?),
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
                self.import_star(env, &source, &absolute)?;
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
            other => return self.import_part(other, absolute, name),
        };
        let full = format!("{absolute}.{name}");
        if let Some(value) = self.find_attr(source, name)? {
            return Ok(self.before_rebound(module, &full, &value).unwrap_or(value));
        }
        // A submodule that is being imported is not yet an attribute of its package.
        if let Some(loaded) = self.modules.borrow().get(full.as_str()) {
            return Ok(loaded.clone());
        }
        // Which names of a module that is not here are modules nobody knows.
        let is_package = module.namespace.borrow().contains_key("__path__")
            || module.path.is_none() && !self.is_bare_standard(absolute);
        if is_package {
            match self.import(&full) {
                Err(stop) if self.names_module(&stop, &full) => {}
                result => return result,
            }
        }
        if let Some(unknown) = module.namespace.borrow().get(STAR) {
            return Ok(unknown.clone());
        }
        if self.is_unfinished_main(module) {
            return Ok(Value::unknown(format!("'{name}' is defined later"), Some(self.span())));
        }
        // No table says what the real library has in its private modules.
        if module.path.is_none()
            && (self.imports.is_known(&module.name, name) || super::finder::is_private(&module.name))
        {
            return Err(self.unprovided(&self.types().import_error, name, &format!("{}.{name}", module.name)));
        }
        let place = match &module.path {
            Some(path) => path.clone(),
            None => "unknown location".to_owned(),
        };
        let message = if self.is_initializing(module) {
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

    /// `from package import name` where the package has put an object in its place.
    fn import_part(&self, package: &Value, absolute: &str, name: &str) -> PyResult<Value> {
        if let Some(value) = self.find_attr(package, name)? {
            return Ok(value);
        }
        let full = format!("{absolute}.{name}");
        let is_package = self.find_attr(package, "__path__")?.is_some();
        match is_package.then(|| self.import(&full)) {
            Some(Err(stop)) if !self.names_module(&stop, &full) => Err(stop),
            Some(Ok(module)) => Ok(module),
            _ => Err(self.import_error(format!("cannot import name '{name}' from '{absolute}' (unknown location)"))),
        }
    }

    /// In analysis: the submodule that a package had under a name when it imported the file that is looked at. A package
    /// whose `__init__` says `from .ops import gmm` has a function under that name in the end, but a submodule while `ops`
    /// runs.
    fn before_rebound(&self, package: &crate::module::Module, full: &str, value: &Value) -> Option<Value> {
        if !self.is_analysis() || matches!(value, Value::Module(_)) {
            return None;
        }
        let frames = self.frames.borrow();
        let importing = &frames.last()?.env.module;
        let is_inside = match importing.namespace.borrow().get("__package__") {
            Some(Value::Str(own)) => {
                own.strip_prefix(&*package.name).is_some_and(|r| r.is_empty() || r.starts_with('.'))
            }
            _ => false,
        };
        if &*importing.name != "__main__" || !is_inside {
            return None;
        }
        self.modules.borrow().get(full).cloned()
    }

    /// Whether this is the error that the module itself was not found (and not one that it imports).
    fn names_module(&self, stop: &Stop, name: &str) -> bool {
        match stop {
            Stop::Raise(raise) => {
                self.exception_is(&raise.exception, &self.types().module_not_found_error)
                    && matches!(field(&raise.exception, "name"), Some(Value::Str(missing)) if *missing == *name)
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

    fn import_star(&self, env: &Rc<Env>, source: &Value, absolute: &str) -> PyResult<()> {
        let Value::Module(module) = source else {
            if source.is_unknown() {
                self.store_name(env, &Name::from(STAR), source.clone())?;
            }
            return Ok(());
        };
        let listed = module.namespace.borrow().get("__all__").cloned();
        let names: Vec<Name> = match listed {
            Some(unknown) if unknown.is_undecided() => return self.store_name(env, &Name::from(STAR), unknown),
            Some(all) => {
                let mut names = Vec::new();
                for name in self.collect(&all)? {
                    let name = Name::from(&*self.to_str(&name)?);
                    // A submodule that is listed is imported.
                    if self.find_attr(source, &name)?.is_none() {
                        match self.import_name(source, absolute, &name) {
                            Err(stop) if self.stop_is(&stop, &self.types().import_error) => {}
                            result => drop(result?),
                        }
                    }
                    names.push(name);
                }
                names
            }
            None => {
                let deferred = self.deferred_names(module).into_iter().map(Name::from);
                let bound: Vec<Name> = module.namespace.borrow().keys().cloned().collect();
                bound.into_iter().chain(deferred).filter(|name| !name.starts_with('_')).collect()
            }
        };
        for name in names {
            let value = self.get_attr(source, &name)?;
            self.store_name(env, &name, value)?;
        }
        Ok(())
    }
}
