//! Classes made at run time: named tuples, enums, and native classes that extend a builtin.

use crate::class::{Builtin, Class, ConstructFn, Instance, Namespace};
use crate::interp::Interp;
use crate::native::NativeDef;
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// The parts of a class under construction.
pub(in crate::library) struct ClassBuilder {
    name: Name,
    module: Name,
    bases: Vec<Rc<Class>>,
    namespace: Namespace,
    construct: Option<ConstructFn>,
    builtin: Option<Builtin>,
    metaclass: Option<Rc<Class>>,
    doc: &'static str,
}

impl ClassBuilder {
    /// A class that derives from `base` alone.
    pub(in crate::library) fn new(name: &str, module: &str, base: &Rc<Class>) -> Self {
        ClassBuilder {
            name: name.into(),
            module: module.into(),
            bases: vec![base.clone()],
            namespace: Namespace::default(),
            construct: None,
            builtin: base.builtin,
            metaclass: base.metaclass.clone(),
            doc: "",
        }
    }

    /// One line of documentation.
    pub(in crate::library) fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// How it is called.
    pub(in crate::library) fn construct(mut self, construct: ConstructFn) -> Self {
        self.construct = Some(construct);
        self
    }

    /// What its instances keep inside.
    pub(in crate::library) fn builtin(mut self, builtin: Builtin) -> Self {
        self.builtin = Some(builtin);
        self
    }

    /// What `type(Class)` is.
    pub(in crate::library) fn metaclass(mut self, metaclass: &Rc<Class>) -> Self {
        self.metaclass = Some(metaclass.clone());
        self
    }

    /// A further base, after the first.
    pub(in crate::library) fn base(mut self, base: &Rc<Class>) -> Self {
        self.bases.push(base.clone());
        self.builtin = self.builtin.or(base.builtin);
        self
    }

    /// An attribute.
    pub(in crate::library) fn attribute(mut self, name: &str, value: Value) -> Self {
        self.namespace.insert(name.into(), value);
        self
    }

    /// Methods from a table.
    pub(in crate::library) fn methods(mut self, rows: &'static [NativeDef]) -> Self {
        for def in rows {
            self.namespace.insert(def.name.into(), super::native(def, ""));
        }
        self
    }

    /// Class methods from a table.
    pub(in crate::library) fn class_methods(mut self, rows: &'static [NativeDef]) -> Self {
        for def in rows {
            self.namespace.insert(def.name.into(), Value::ClassMethod(Rc::new(super::native(def, ""))));
        }
        self
    }

    /// Read-only properties from a table.
    pub(in crate::library) fn properties(mut self, rows: &'static [NativeDef]) -> Self {
        for def in rows {
            self.namespace.insert(def.name.into(), super::property(super::native(def, "")));
        }
        self
    }

    /// The class.
    pub(in crate::library) fn build(self) -> Rc<Class> {
        // The bases used here share no ancestor but `object`, so that the linearisation is a concatenation with
        // `object` last.
        let mut ancestors: Vec<Rc<Class>> = Vec::new();
        for ancestor in self.bases.iter().flat_map(|base| std::iter::once(base).chain(&base.ancestors)) {
            ancestors.retain(|seen| !Rc::ptr_eq(seen, ancestor));
            ancestors.push(ancestor.clone());
        }
        Rc::new(Class {
            qualified_name: self.name.clone(),
            name: self.name,
            module: self.module,
            ancestors,
            bases: self.bases,
            namespace: RefCell::new(self.namespace),
            construct: self.construct,
            builtin: self.builtin,
            instance_check: None,
            span: None,
            metaclass: self.metaclass,
            unknown_base: None,
            doc: self.doc,
        })
    }
}

/// An instance with the given builtin value inside (`Value::Unset` for none).
pub(in crate::library) fn instance(class: &Rc<Class>, payload: Value) -> Value {
    Value::Instance(Rc::new(Instance {
        class: RefCell::new(class.clone()),
        fields: RefCell::default(),
        payload: RefCell::new(payload),
    }))
}

/// A class that is made once per interpreter, on first use, kept in the interpreter's extension state.
pub(in crate::library) fn cached(
    interp: &Interp,
    key: &'static str,
    make: impl FnOnce(&Interp) -> Rc<Class>,
) -> Rc<Class> {
    let cache = interp.extension::<ClassCache>();
    if let Some(class) = cache.classes.borrow().get(key) {
        return class.clone();
    }
    let class = make(interp);
    cache.classes.borrow_mut().insert(key, class.clone());
    class
}

#[derive(Default)]
struct ClassCache {
    classes: RefCell<std::collections::HashMap<&'static str, Rc<Class>>>,
}
