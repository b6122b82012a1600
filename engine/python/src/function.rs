//! Functions as values: their definition, defaults, closure, and the scopes in which names live.

use crate::class::Namespace;
use crate::module::Module;
use crate::value::Value;
use pallas_syntax::Span;
use pallas_syntax::ast::{Expr, FunctionDef, Lambda, Name, Params, Stmt};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// A `def` or `lambda` with its defaults and closure.
pub struct Function {
    /// The code.
    pub code: Code,
    /// Facts about the code, worked out once.
    pub(crate) info: Rc<crate::exec::code::CodeInfo>,
    /// `__qualname__`: `Outer.method`, `outer.<locals>.inner`.
    pub qualified_name: Name,
    /// Values of the parameters' defaults, one per parameter that has one, by name.
    pub defaults: Vec<(Name, Value)>,
    /// The scopes of the enclosing functions, innermost first.
    pub closure: Vec<Rc<Scope>>,
    /// The module it was defined in: its globals.
    pub module: Rc<Module>,
    /// The class whose body defined it, for `super()`; set when the class is made.
    pub owner: RefCell<Option<std::rc::Weak<crate::class::Class>>>,
    /// Attributes set on it (`__wrapped__`, `__name__` when changed, `cache`).
    pub fields: RefCell<Namespace>,
}

/// What a function runs.
#[derive(Clone)]
pub enum Code {
    /// A `def`.
    Def(Arc<FunctionDef>),
    /// A `lambda`.
    Lambda(Arc<Lambda>),
}

/// A body: statements, or one expression.
pub enum Body<'a> {
    /// Of a `def`.
    Statements(&'a Arc<[Stmt]>),
    /// Of a `lambda`.
    Expression(&'a Expr),
}

impl Code {
    /// `__name__`
    pub fn name(&self) -> Name {
        match self {
            Code::Def(def) => def.name.clone(),
            Code::Lambda(_) => Name::from("<lambda>"),
        }
    }

    /// Parameters.
    pub fn params(&self) -> &Params {
        match self {
            Code::Def(def) => &def.params,
            Code::Lambda(lambda) => &lambda.params,
        }
    }

    /// Names bound inside.
    pub fn scope(&self) -> &pallas_syntax::ast::Scope {
        match self {
            Code::Def(def) => &def.scope,
            Code::Lambda(lambda) => &lambda.scope,
        }
    }

    /// All of the definition.
    pub fn span(&self) -> Span {
        match self {
            Code::Def(def) => def.span,
            Code::Lambda(lambda) => lambda.span,
        }
    }

    /// What to underline when speaking of the function: its name, or the whole lambda.
    pub fn name_span(&self) -> Span {
        match self {
            Code::Def(def) => def.name_span,
            Code::Lambda(lambda) => lambda.span,
        }
    }

    /// What it runs.
    pub fn body(&self) -> Body<'_> {
        match self {
            Code::Def(def) => Body::Statements(&def.body),
            Code::Lambda(lambda) => Body::Expression(&lambda.body),
        }
    }
}

/// The local names of one running (or closed-over) function. A name that is local but not bound yet is absent.
#[derive(Default)]
pub struct Scope {
    /// Bound names.
    pub names: RefCell<Namespace>,
    /// Names that belong to this scope whether or not they are bound yet, so that an inner function does not look past
    /// it; `None` for scopes without code.
    pub declared: Option<Rc<[Name]>>,
}

impl Scope {
    /// Whether `name` belongs to this scope.
    pub fn declares(&self, name: &str) -> bool {
        self.declared.as_ref().is_some_and(|names| names.iter().any(|n| **n == *name))
    }
}

/// A function with its receiver.
pub struct BoundMethod {
    /// `self`, or the class for class methods.
    pub receiver: Value,
    /// A `Function` or `Native`.
    pub function: Value,
}
