//! The names that running code sees: locals, enclosing scopes, globals, builtins.

use crate::exec::code::CodeInfo;
use crate::exec::replay::Replay;
use crate::function::{Function, Scope};
use crate::interp::Interp;
use crate::module::Module;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::Name;
use std::cell::RefCell;
use std::rc::Rc;

/// What kind of code runs in an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Module,
    Function,
    Class,
    Comprehension,
}

/// The names of one frame.
pub(crate) struct Env {
    pub(crate) kind: Kind,
    /// Locals; unused for modules, whose locals are their globals.
    pub(crate) scope: Rc<Scope>,
    pub(crate) closure: Closure,
    pub(crate) module: Rc<Module>,
    pub(crate) info: Rc<CodeInfo>,
    /// The function that runs, also inside its comprehensions.
    pub(crate) function: Option<Rc<Function>>,
    /// The environment around a comprehension or class body.
    pub(crate) parent: Option<Rc<Env>>,
    /// `__qualname__` of what is defined here begins with this.
    pub(crate) prefix: Rc<str>,
    /// Functions defined by a class body, which learn their class when it is made.
    pub(crate) methods: RefCell<Vec<Rc<Function>>>,
    /// For generators: values computed by a statement that is suspended.
    pub(crate) replay: Option<Box<Replay>>,
}

/// The scopes of the enclosing functions, innermost first.
pub(crate) enum Closure {
    /// Those of a function.
    Of(Rc<Function>),
    /// Others.
    Scopes(Vec<Rc<Scope>>),
}

impl Env {
    pub(crate) fn closure(&self) -> &[Rc<Scope>] {
        match &self.closure {
            Closure::Of(function) => &function.closure,
            Closure::Scopes(scopes) => scopes,
        }
    }

    /// The environment of a module's statements.
    pub(crate) fn of_module(module: &Rc<Module>) -> Rc<Env> {
        Rc::new(Env {
            kind: Kind::Module,
            scope: Rc::default(),
            closure: Closure::Scopes(Vec::new()),
            module: Rc::clone(module),
            info: Rc::default(),
            function: None,
            parent: None,
            prefix: Rc::from(""),
            methods: RefCell::default(),
            replay: None,
        })
    }

    /// The scopes that a function defined here closes over. Class bodies are not seen from inside.
    pub(crate) fn captured(&self) -> Vec<Rc<Scope>> {
        match self.kind {
            Kind::Module => Vec::new(),
            Kind::Class => self.closure().to_vec(),
            Kind::Function | Kind::Comprehension => {
                let mut scopes = Vec::with_capacity(self.closure().len() + 1);
                scopes.push(Rc::clone(&self.scope));
                scopes.extend_from_slice(self.closure());
                scopes
            }
        }
    }
}

impl Interp {
    /// Reads a name. NameError and UnboundLocalError in Python's words.
    pub(crate) fn load_name(&self, env: &Env, name: &Name) -> PyResult<Value> {
        match env.kind {
            Kind::Module => {}
            Kind::Function | Kind::Comprehension => {
                if let Some(value) = env.scope.names.borrow().get(name) {
                    return Ok(value.clone());
                }
                if env.scope.declares(name) {
                    return Err(self.unbound_local(name));
                }
                if !env.info.is_global(name) {
                    for scope in env.closure() {
                        if let Some(value) = scope.names.borrow().get(name) {
                            return Ok(value.clone());
                        }
                        if scope.declares(name) {
                            return Err(self.error(
                                &self.types().name_error,
                                format!(
                                    "cannot access free variable '{name}' where it is not associated with a value in \
                                     enclosing scope"
                                ),
                            ));
                        }
                    }
                }
            }
            Kind::Class => {
                if let Some(value) = env.scope.names.borrow().get(name) {
                    return Ok(value.clone());
                }
                if !env.info.is_global(name) && !env.info.declared.iter().any(|local| local == name) {
                    for scope in env.closure() {
                        if let Some(value) = scope.names.borrow().get(name) {
                            return Ok(value.clone());
                        }
                    }
                }
            }
        }
        if let Some(value) = env.module.namespace.borrow().get(name) {
            return Ok(value.clone());
        }
        if let Some(value) = self.builtins.namespace.borrow().get(name) {
            return Ok(value.clone());
        }
        self.load_odd_name(env, name)
    }

    #[cold]
    fn load_odd_name(&self, env: &Env, name: &Name) -> PyResult<Value> {
        if &**name == "__class__"
            && let Some(function) = &env.function
            && let Some(owner) = function.owner.borrow().as_ref().and_then(std::rc::Weak::upgrade)
        {
            return Ok(Value::Class(owner));
        }
        // `from missing import *` in analysis: any name may come from there.
        if let Some(unknown) = env.module.namespace.borrow().get(crate::imports::STAR) {
            return Ok(unknown.clone());
        }
        Err(self.undefined_name(env, name))
    }

    fn unbound_local(&self, name: &str) -> Box<Stop> {
        self.error(
            &self.types().unbound_local_error,
            format!("cannot access local variable '{name}' where it is not associated with a value"),
        )
    }

    /// Binds a name.
    pub(crate) fn store_name(&self, env: &Env, name: &Name, value: Value) -> PyResult<()> {
        let old = match env.kind {
            Kind::Module => env.module.namespace.borrow_mut().insert(name.clone(), value),
            _ if env.info.has_declarations && env.info.is_global(name) => {
                env.module.namespace.borrow_mut().insert(name.clone(), value)
            }
            _ if env.info.has_declarations && env.info.is_nonlocal(name) => {
                let owner =
                    env.closure().iter().find(|scope| scope.declares(name) || scope.names.borrow().contains_key(name));
                match owner {
                    Some(scope) => scope.names.borrow_mut().insert(name.clone(), value),
                    None => {
                        return Err(self.syntax_error(format!("no binding for nonlocal '{name}' found")));
                    }
                }
            }
            _ => env.scope.names.borrow_mut().insert(name.clone(), value),
        };
        // Dropped after the borrow ends: dropping a value may reach this scope again.
        drop(old);
        Ok(())
    }

    /// Unbinds a name: `del name`. NameError where it is not bound.
    pub(crate) fn delete_name(&self, env: &Env, name: &Name) -> PyResult<()> {
        let removed = match env.kind {
            Kind::Module => env.module.namespace.borrow_mut().shift_remove(name),
            _ if env.info.is_global(name) => env.module.namespace.borrow_mut().shift_remove(name),
            _ if env.info.is_nonlocal(name) => {
                let owner = env.closure().iter().find(|scope| scope.names.borrow().contains_key(name));
                owner.and_then(|scope| scope.names.borrow_mut().shift_remove(name))
            }
            _ => env.scope.names.borrow_mut().shift_remove(name),
        };
        match removed {
            Some(_) => Ok(()),
            None if matches!(env.kind, Kind::Function) => Err(self.unbound_local(name)),
            None => Err(self.error(&self.types().name_error, format!("name '{name}' is not defined"))),
        }
    }

    /// The names bound in an environment, for `locals()` and for joining the branches of an unknown test.
    pub(crate) fn with_names<R>(&self, env: &Env, run: impl FnOnce(&RefCell<crate::class::Namespace>) -> R) -> R {
        match env.kind {
            Kind::Module => run(&env.module.namespace),
            _ => run(&env.scope.names),
        }
    }

    /// `locals()` of the innermost frame.
    pub fn locals(&self) -> Value {
        let env = self.frames.borrow().last().map(|frame| Rc::clone(&frame.env));
        match env {
            Some(env) if env.kind == Kind::Module => crate::namespace_view::of_module(&env.module),
            Some(env) => {
                let names = env.scope.names.borrow();
                self.dict_of(names.iter().map(|(name, value)| (name.clone(), value.clone())))
            }
            None => self.dict_of(std::iter::empty::<(&str, Value)>()),
        }
    }

    /// `globals()` of the innermost frame.
    pub fn globals(&self) -> Value {
        let module = self.frames.borrow().last().map(|frame| Rc::clone(&frame.env.module));
        crate::namespace_view::of_module(&module.unwrap_or_else(|| Rc::clone(&self.builtins)))
    }

    /// The module whose code runs.
    pub fn current_module(&self) -> Option<Rc<Module>> {
        self.frames.borrow().last().map(|frame| Rc::clone(&frame.env.module))
    }

    /// `__name__` of the module whose code runs.
    pub fn current_module_name(&self) -> Name {
        self.current_module().map_or_else(|| Name::from("builtins"), |module| module.name.clone())
    }
}
