//! Making classes: from `class` statements and from `type(name, bases, namespace)`.

use crate::call::CallArgs;
use crate::class::{Builtin, Class, Namespace};
use crate::dict::Set;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// What a new class is made from.
pub struct Plan {
    /// `__name__`
    pub name: Name,
    /// `__qualname__`
    pub qualified_name: Name,
    /// `__module__`
    pub module: Name,
    /// Bases as written, `Generic[T]` and the like included.
    pub bases: Vec<Value>,
    /// What the body defined.
    pub namespace: Namespace,
    /// Keywords of the class statement without `metaclass`.
    pub keywords: Vec<(Name, Value)>,
    /// `metaclass=`, or the class of the first argument of `type.__new__`.
    pub metaclass: Option<Rc<Class>>,
    /// The class statement.
    pub span: Option<Span>,
}

impl Interp {
    /// Makes a class, or asks a user's metaclass to.
    pub fn make_class(&self, plan: Plan) -> PyResult<Value> {
        let bases = self.class_bases(&plan.bases)?;
        let unknown = plan.bases.iter().find(|base| base.is_unknown()).cloned();
        let metaclass = self.metaclass_of(plan.metaclass.clone(), &bases)?;
        if let Some(metaclass) = &metaclass
            && metaclass.span.is_some()
            && (metaclass.lookup("__new__").is_some() || metaclass.lookup("__init__").is_some())
        {
            return self.make_class_by_metaclass(plan, metaclass, bases);
        }
        self.finish_class(plan, bases, metaclass, unknown).map(Value::Class)
    }

    fn make_class_by_metaclass(&self, plan: Plan, metaclass: &Rc<Class>, bases: Vec<Rc<Class>>) -> PyResult<Value> {
        let mut namespace = plan.namespace.clone();
        namespace.entry(Name::from("__module__")).or_insert(Value::name(&plan.module));
        namespace.entry(Name::from("__qualname__")).or_insert(Value::name(&plan.qualified_name));
        let namespace = self.dict_of(namespace.iter().map(|(name, value)| (name.clone(), value.clone())));
        let bases = Value::tuple(bases.into_iter().map(Value::Class));
        let args = CallArgs {
            positional: [Value::name(&plan.name), bases, namespace].into_iter().collect(),
            keywords: plan.keywords.into_iter().collect(),
            ..CallArgs::default()
        };
        let new = match metaclass.lookup("__new__") {
            Some(Value::StaticMethod(new)) => Some((*new).clone()),
            new => new,
        };
        let class = match new {
            Some(new) => self.call(&new, args.clone().with_receiver(Value::Class(Rc::clone(metaclass))))?,
            None => construct_type(self, metaclass, args.clone())?,
        };
        if let Some(init @ Value::Function(_)) = metaclass.lookup("__init__") {
            self.call(&init, args.with_receiver(class.clone()))?;
        }
        Ok(class)
    }

    /// The class objects among the bases; `__mro_entries__` replaces what is no class.
    fn class_bases(&self, written: &[Value]) -> PyResult<Vec<Rc<Class>>> {
        let mut bases: Vec<Rc<Class>> = Vec::new();
        for base in written {
            match base {
                Value::Class(class) => bases.push(Rc::clone(class)),
                // Analysis of a class whose base is not known: what it defines itself is still known.
                Value::Unknown(_) => {}
                other => {
                    if let Some(alias) = other.downcast::<super::generic::GenericAlias>() {
                        if let Value::Class(origin) = &alias.origin
                            && !bases.iter().any(|known| Rc::ptr_eq(known, origin))
                        {
                            bases.push(Rc::clone(origin));
                        }
                        continue;
                    }
                    let Some(entries) = self.find_attr(other, "__mro_entries__")? else {
                        return Err(self.type_error(format!(
                            "{}() argument 'bases' must be types, not {}",
                            "type.__new__",
                            self.type_name(other)
                        )));
                    };
                    let entries = self.call_values(&entries, [Value::tuple(written.to_vec())])?;
                    for entry in self.collect(&entries)? {
                        if let Value::Class(class) = entry {
                            bases.push(class);
                        }
                    }
                }
            }
        }
        for (at, base) in bases.iter().enumerate() {
            if bases[..at].iter().any(|earlier| Rc::ptr_eq(earlier, base)) {
                return Err(self.type_error(format!("duplicate base class {}", base.name)));
            }
            if Rc::ptr_eq(base, &self.types().bool) || Rc::ptr_eq(base, &self.types().none_type) {
                return Err(self.type_error(format!("type '{}' is not an acceptable base type", base.name)));
            }
        }
        if bases.is_empty() {
            bases.push(Rc::clone(&self.types().object));
        }
        Ok(bases)
    }

    /// The most derived of the metaclasses; `None` for `type`.
    fn metaclass_of(&self, written: Option<Rc<Class>>, bases: &[Rc<Class>]) -> PyResult<Option<Rc<Class>>> {
        let mut winner = written.filter(|class| !Rc::ptr_eq(class, &self.types().type_));
        for base in bases {
            let Some(candidate) = &base.metaclass else {
                continue;
            };
            winner = match winner {
                Some(current) if current.is_subclass(candidate) => Some(current),
                Some(current) if !candidate.is_subclass(&current) => {
                    return Err(self.type_error(
                        "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the \
                         metaclasses of all its bases",
                    ));
                }
                _ => Some(Rc::clone(candidate)),
            };
        }
        Ok(winner)
    }

    /// The class itself, then `__set_name__` and `__init_subclass__`.
    fn finish_class(
        &self,
        mut plan: Plan,
        bases: Vec<Rc<Class>>,
        metaclass: Option<Rc<Class>>,
        unknown_base: Option<Value>,
    ) -> PyResult<Rc<Class>> {
        let Some(ancestors) = super::linearise(&bases) else {
            let names: Vec<&str> = bases.iter().map(|base| &*base.name).collect();
            return Err(self.type_error(format!(
                "Cannot create a consistent method resolution\norder (MRO) for bases {}",
                names.join(", ")
            )));
        };
        if plan.namespace.contains_key("__eq__") && !plan.namespace.contains_key("__hash__") {
            plan.namespace.insert(Name::from("__hash__"), Value::None);
        }
        if let Some(Value::Str(module)) = plan.namespace.get("__module__") {
            plan.module = Name::from(&**module);
        }
        if let Some(Value::Str(name)) = plan.namespace.shift_remove("__qualname__") {
            plan.qualified_name = Name::from(&*name);
        }
        for implicit in ["__init_subclass__", "__class_getitem__"] {
            if let Some(function @ Value::Function(_)) = plan.namespace.get(implicit).cloned() {
                plan.namespace.insert(Name::from(implicit), Value::ClassMethod(Rc::new(function)));
            }
        }
        let class = Rc::new(Class {
            name: plan.name,
            qualified_name: plan.qualified_name,
            module: plan.module,
            builtin: bases.iter().find_map(|base| base.builtin),
            unknown_base: unknown_base.or_else(|| bases.iter().find_map(|base| base.unknown_base.clone())),
            bases,
            ancestors,
            namespace: RefCell::new(plan.namespace),
            construct: None,
            instance_check: None,
            span: plan.span,
            doc: "",
            metaclass,
        });
        self.classes.borrow_mut().push(Rc::downgrade(&class));
        self.find_abstract_methods(&class)?;
        let names: Vec<(Name, Value)> =
            class.namespace.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in names {
            if matches!(value, Value::Instance(_) | Value::Object(_)) {
                let args = [Value::Class(Rc::clone(&class)), Value::name(&name)];
                self.call_special(&value, "__set_name__", args)?;
            }
        }
        self.announce_subclass(&class, plan.keywords)?;
        Ok(class)
    }

    /// `super().__init_subclass__(**keywords)`
    fn announce_subclass(&self, class: &Rc<Class>, keywords: Vec<(Name, Value)>) -> PyResult<()> {
        let hook = class.ancestors.iter().find_map(|a| a.namespace.borrow().get("__init_subclass__").cloned());
        let args = CallArgs {
            positional: std::iter::once(Value::Class(Rc::clone(class))).collect(),
            keywords: keywords.into_iter().collect(),
            ..CallArgs::default()
        };
        match hook {
            Some(Value::ClassMethod(hook) | Value::StaticMethod(hook)) => self.call(&hook, args)?,
            Some(hook) => self.call(&hook, args)?,
            None if args.keywords.is_empty() || self.is_analysis() => Value::None,
            None => {
                return Err(self.type_error(format!("{}.__init_subclass__() takes no keyword arguments", class.name)));
            }
        };
        Ok(())
    }

    /// Records the abstract methods that are left (`abc.abstractmethod` marks them), where the class is an `abc.ABC`.
    fn find_abstract_methods(&self, class: &Rc<Class>) -> PyResult<()> {
        let is_abc = class.metaclass.as_ref().is_some_and(|metaclass| {
            &*metaclass.name == "ABCMeta" || metaclass.ancestors.iter().any(|a| &*a.name == "ABCMeta")
        });
        if !is_abc {
            return Ok(());
        }
        let mut abstract_names = Set::new();
        let mut seen: Vec<Name> = Vec::new();
        for ancestor in std::iter::once(class).chain(&class.ancestors) {
            let names: Vec<(Name, Value)> =
                ancestor.namespace.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            for (name, value) in names {
                if seen.contains(&name) {
                    continue;
                }
                if self.is_abstract(&value)? {
                    abstract_names.add(self, Value::name(&name))?;
                }
                seen.push(name);
            }
        }
        let names = Value::FrozenSet(Rc::new(abstract_names));
        class.namespace.borrow_mut().insert(Name::from("__abstractmethods__"), names);
        Ok(())
    }

    fn is_abstract(&self, value: &Value) -> PyResult<bool> {
        match value {
            Value::Function(_) | Value::Property(_) | Value::StaticMethod(_) | Value::ClassMethod(_) => {
                match self.find_attr(value, "__isabstractmethod__")? {
                    Some(flag) => self.truth(&flag),
                    None => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }
}

/// `type(v)`, `type(name, bases, namespace)` and `type.__new__(metaclass, name, bases, namespace)`.
pub(crate) fn construct_type(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let is_type = Rc::ptr_eq(class, &interp.types().type_);
    match args.positional.as_slice() {
        [v] if is_type && args.keywords.is_empty() => Ok(match v {
            Value::Unknown(_) => v.clone(),
            v => Value::Class(interp.type_of(v)),
        }),
        [name, bases, namespace] => {
            let name = Name::from(&*interp.to_str(name)?);
            let written = interp.collect(bases)?;
            let mut names = Namespace::default();
            match crate::namespace_view::plain_mapping(&interp.plain(namespace)) {
                Value::Dict(dict) => {
                    for (key, value) in dict.borrow().iter() {
                        names.insert(Name::from(&*interp.to_str(key)?), value.clone());
                    }
                }
                other => {
                    return Err(interp.type_error(format!(
                        "type.__new__() argument 3 must be dict, not {}",
                        interp.type_name(&other)
                    )));
                }
            }
            let module = interp.current_module_name();
            let bases = interp.class_bases(&written)?;
            let unknown = written.into_iter().find(Value::is_unknown);
            let written_metaclass = (!is_type).then(|| Rc::clone(class));
            let metaclass = interp.metaclass_of(written_metaclass, &bases)?;
            let plan = Plan {
                qualified_name: name.clone(),
                name,
                module,
                bases: Vec::new(),
                namespace: names,
                keywords: args.keywords.to_vec(),
                metaclass: metaclass.clone(),
                span: Some(interp.span()),
            };
            interp.finish_class(plan, bases, metaclass, unknown).map(Value::Class)
        }
        _ => Err(interp.type_error("type() takes 1 or 3 arguments")),
    }
}

impl Class {
    /// Whether this is a metaclass.
    pub fn is_metaclass(&self) -> bool {
        self.builtin == Some(Builtin::Type)
    }
}
