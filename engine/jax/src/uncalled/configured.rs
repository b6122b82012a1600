//! Objects with configuration: what the body reads of a parameter (`config.block_q`) no array and no number has. It gets an object of the
//! file's own that has all of it, an instance of such a class, or, where there is neither, an object that is made of these names alone.
//!
//! Which functions read what is found elsewhere ([`super::usage`]); that an array will not do, a call has taught ([`super::repair`]).

use super::made::{Made, Maker, plain};
use super::planner::{Argument, Kind};
use pallas_python::call::CallArgs;
use pallas_python::class::Class;
use pallas_python::module::Module;
use pallas_python::value::Value;
use pallas_syntax::ast::Name;
use std::rc::Rc;

impl Maker<'_> {
    /// An object that has all that the body reads of a parameter.
    pub(super) fn configured(&self, name: &Name, depth: usize) -> Option<Made> {
        let fields = &self.uses.get(name)?.fields;
        let modules = self.modules();
        let all = |value: &Value| fields.iter().all(|field| self.has(value, field));
        let ready = self.module.namespace.borrow().iter().find_map(|(global, value)| match value {
            Value::Instance(instance) if self.is_own(&instance.class.borrow()) && all(value) => {
                Some((global.clone(), value.clone()))
            }
            _ => None,
        });
        if let Some((global, value)) = ready {
            return Some(plain(value, &global));
        }
        let classes = modules.iter().flat_map(|module| {
            let names = module.namespace.borrow();
            let classes = names.values().filter_map(|value| match value {
                Value::Class(class) if self.is_own(class) => Some(class.clone()),
                _ => None,
            });
            classes.collect::<Vec<_>>()
        });
        let fits = |class: &Rc<Class>| fields.iter().all(|field| self.declares(class, field));
        let made = classes.filter(fits).find_map(|class| self.of_class(&class, depth));
        made.or_else(|| self.of_names(fields))
    }

    /// Whether a value has an attribute; one that cannot be computed is there, too.
    fn has(&self, value: &Value, name: &str) -> bool {
        !matches!(self.interp.find_attr(value, name), Ok(None))
    }

    /// Whether a class is the user's own, and no enumeration.
    fn is_own(&self, class: &Class) -> bool {
        class.span.is_some_and(|span| !self.interp.is_installed(span.file)) && class.lookup("_member_map_").is_none()
    }

    /// Whether instances of a class have an attribute, as far as its body and those of its bases say.
    fn declares(&self, class: &Rc<Class>, field: &str) -> bool {
        let annotates = |class: &Class| {
            let annotations = class.namespace.borrow().get("__annotations__").cloned();
            annotations.is_some_and(|names| {
                let names = self.interp.collect(&names).unwrap_or_default();
                names.iter().any(|name| matches!(name, Value::Str(name) if &**name == field))
            })
        };
        class.lookup(field).is_some() || annotates(class) || class.ancestors.iter().any(|base| annotates(base))
    }

    /// The modules of the program, the file's own first.
    fn modules(&self) -> Vec<Rc<Module>> {
        let others = || {
            let sys = self.interp.import("sys").ok()?;
            let modules = self.interp.get_attr(&sys, "modules").ok()?;
            self.interp.collect(&self.interp.call_method(&modules, "values", []).ok()?).ok()
        };
        let others = others().unwrap_or_default().into_iter().filter_map(|module| match module {
            Value::Module(module) if module.path.is_some() && !Rc::ptr_eq(&module, self.module) => Some(module),
            _ => None,
        });
        std::iter::once(self.module.clone()).chain(others).collect()
    }

    /// An object that has these attributes and no others, each of what its name says, else a number.
    fn of_names(&self, fields: &[Name]) -> Option<Made> {
        let types = self.interp.import("types").ok()?;
        let (mut args, mut words, mut inside) = (CallArgs::default(), Vec::new(), Vec::new());
        for field in fields {
            let Made { value, words: own, kind, is_of_any_dtype, .. } =
                self.by_name(field).unwrap_or_else(|| self.number(field));
            words.push(format!("{field}={own}"));
            args.keywords.push((field.clone(), value));
            inside.push(Argument { name: field.clone(), kind, is_of_any_dtype });
        }
        let value = self.interp.call(&self.interp.get_attr(&types, "SimpleNamespace").ok()?, args).ok()?;
        let words = format!("types.SimpleNamespace({})", words.join(", "));
        Some(Made { kind: Kind::Other, inside, ..plain(value, &words) })
    }
}
