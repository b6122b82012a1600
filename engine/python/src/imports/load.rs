//! Making modules: native ones from their tables, source ones by evaluating them, in analysis within bounds.

use super::finder::{Found, SourceFound};
use crate::class::Namespace;
use crate::exec::uncertain::bound_names;
use crate::interp::Interp;
use crate::module::{Module, ModuleDef};
use crate::native::NativeFunction;
use crate::raise::{Abort, PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{self, Name};
use std::rc::Rc;

impl Interp {
    pub(super) fn make_native(&self, def: &'static ModuleDef) -> Rc<Module> {
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

    pub(super) fn load(&self, name: &str, found: Found) -> PyResult<Value> {
        match found {
            Found::Source(source) => self.load_source(name, source),
            Found::Compiled(path) => Err(self.compiled_error(name, &path)),
            Found::Namespace(folders) => {
                let module = self.new_module(name, None);
                let mut names = module.namespace.borrow_mut();
                names.insert(Name::from("__path__"), Value::list(folders.into_iter().map(Value::from)));
                names.insert(Name::from("__file__"), Value::None);
                names.insert(Name::from("__package__"), Value::str(name));
                drop(names);
                Ok(Value::Module(module))
            }
        }
    }

    fn load_source(&self, name: &str, found: SourceFound) -> PyResult<Value> {
        if !self.is_analysis() {
            self.charge(1 + found.text.len() as u64 / 64)?;
        }
        let source = self.add_source(&found.path, &found.text);
        let installed = self.is_package_path(&found.path);
        if installed {
            self.imports.set_installed(source.id);
        }
        let tree = self.host().parse(source);
        let module = self.new_module(name, Some(found.path));
        {
            let mut names = module.namespace.borrow_mut();
            let package = match &found.folders {
                Some(_) => name,
                None => name.rsplit_once('.').map_or("", |(parent, _)| parent),
            };
            names.insert(Name::from("__package__"), Value::str(package));
            if let Some(folders) = found.folders {
                names.insert(Name::from("__path__"), Value::list(folders.into_iter().map(Value::from)));
            }
        }
        let result = if self.is_analysis() {
            self.run_bounded(&tree, &module, installed)
        } else {
            self.run_module(&tree, &module)
        };
        match result {
            // The module may have put something else in its place.
            Ok(()) => Ok(self.modules.borrow().get(name).cloned().unwrap_or(Value::Module(module))),
            Err(stop) => {
                self.modules.borrow_mut().remove(name);
                Err(stop)
            }
        }
    }

    /// In analysis, a module has steps of its own, so that a large package neither hangs nor eats what the program itself
    /// may take. Where they run out, the names that it has not bound yet are unknown.
    pub(crate) fn run_bounded(&self, tree: &ast::Module, module: &Rc<Module>, installed: bool) -> PyResult<()> {
        let share = self.imports.take_share();
        let position = self.position.get();
        let (result, left) = self.with_budget(share, || {
            self.imports.within(installed, || {
                self.charge(1 + tree.source.text.len() as u64 / 64)?;
                self.run_module(tree, module)
            })
        });
        self.imports.put_back(left);
        self.position.set(position);
        match result {
            Err(stop) if matches!(&*stop, Stop::Abort(Abort::Fuel { .. } | Abort::Memory { .. })) => {
                let why = format!("the analysis of '{}' took too long", module.name);
                let mut namespace = module.namespace.borrow_mut();
                for name in bound_names(&tree.body) {
                    namespace.entry(name).or_insert_with(|| Value::unknown(why.clone(), None));
                }
                Ok(())
            }
            result => result,
        }
    }

    /// A module made by a library: `types.ModuleType`, or a submodule without a table of its own.
    pub fn make_module(&self, name: &str, names: Namespace) -> Rc<Module> {
        let module = Rc::new(Module { name: Name::from(name), path: None, namespace: std::cell::RefCell::new(names) });
        module.namespace.borrow_mut().insert(Name::from("__name__"), Value::str(name));
        module
    }
}
