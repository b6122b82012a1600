//! `def`, `lambda` and `class`.

use crate::classes::create::Plan;
use crate::exec::control::{Completion, Frame};
use crate::exec::env::{Closure, Env, Kind};
use crate::function::{Code, Function, Scope};
use crate::interp::Interp;
use crate::library::typing::TypeAliasType;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{ClassDef, Expr, ExprKind, FunctionDef, Name, Params};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

impl Interp {
    /// `def`: the function, decorated, bound to its name.
    pub(crate) fn define_function(&self, env: &Rc<Env>, def: &Arc<FunctionDef>) -> PyResult<()> {
        let mut decorators = Vec::with_capacity(def.decorators.len());
        for decorator in &def.decorators {
            decorators.push(self.eval(env, decorator)?);
        }
        let function = self.make_function(env, Code::Def(Arc::clone(def)))?;
        let mut value = Value::Function(function);
        for (decorator, expr) in decorators.iter().zip(&def.decorators).rev() {
            self.position.set(expr.span);
            value = self.call_values(decorator, [value])?;
        }
        if self.observing.get() {
            self.observe(def.name_span, &value);
        }
        self.store_name(env, &def.name, value)
    }

    /// A function of this code, closing over `env`.
    pub(crate) fn make_function(&self, env: &Rc<Env>, code: Code) -> PyResult<Rc<Function>> {
        let defaults = self.eval_defaults(env, code.params())?;
        let qualified_name = Name::from(format!("{}{}", env.prefix, code.name()));
        let mut closure = env.captured();
        if let Code::Def(def) = &code {
            closure.splice(0..0, type_scope(&def.type_params));
        }
        for scope in &closure {
            self.remember_scope(scope);
        }
        let info = self.code_info(&code);
        let owner = env.function.as_ref().and_then(|function| function.owner.borrow().clone());
        let function = Rc::new(Function {
            info,
            code,
            qualified_name,
            defaults,
            closure,
            module: Rc::clone(&env.module),
            owner: RefCell::new(owner),
            fields: RefCell::default(),
        });
        self.set_annotations(env, &function)?;
        // A class body's functions learn their class when it is made; so do lambdas in its comprehensions.
        let mut holder = Some(env);
        while let Some(env) = holder {
            if env.kind == Kind::Class {
                env.methods.borrow_mut().push(Rc::clone(&function));
                break;
            }
            holder = env.parent.as_ref().filter(|_| env.kind == Kind::Comprehension);
        }
        Ok(function)
    }

    /// Scopes that functions close over refer to those functions: the interpreter empties them at its end.
    fn remember_scope(&self, scope: &Rc<Scope>) {
        let mut scopes = self.scopes.borrow_mut();
        if scopes.last().is_some_and(|last| std::ptr::eq(last.as_ptr(), Rc::as_ptr(scope))) {
            return;
        }
        if scopes.len() == scopes.capacity() {
            scopes.retain(|scope| scope.strong_count() > 0);
        }
        scopes.push(Rc::downgrade(scope));
    }

    fn eval_defaults(&self, env: &Rc<Env>, params: &Params) -> PyResult<Vec<(Name, Value)>> {
        let mut defaults = Vec::new();
        for param in params.positional_only.iter().chain(&params.positional).chain(&params.keyword_only) {
            if let Some(default) = &param.default {
                defaults.push((param.name.clone(), self.eval(env, default)?));
            }
        }
        Ok(defaults)
    }

    fn set_annotations(&self, env: &Rc<Env>, function: &Rc<Function>) -> PyResult<()> {
        let Code::Def(def) = &function.code else {
            return Ok(());
        };
        if def.returns.is_none() && def.params.iter().all(|param| param.annotation.is_none()) {
            return Ok(());
        }
        let mut annotations = crate::dict::Dict::new();
        // Type parameters (PEP 695) exist inside the annotations only.
        let generic = !def.type_params.is_empty();
        let evaluate = |annotation: &Expr| match &annotation.kind {
            _ if generic => Ok(Value::unknown("a generic annotation", None)),
            // `*args: *tuple[int, ...]` (PEP 646) is the type, unpacked.
            ExprKind::Starred(inner) => {
                let unpack = self.get_attr(&self.import("typing")?, "Unpack")?;
                self.get_item(&unpack, &self.eval_annotation(env, inner)?)
            }
            _ => self.eval_annotation(env, annotation),
        };
        for param in def.params.iter() {
            if let Some(annotation) = &param.annotation {
                annotations.insert_str(&param.name, evaluate(annotation)?);
            }
        }
        if let Some(returns) = &def.returns {
            annotations.insert_str("return", evaluate(returns)?);
        }
        let annotations = Value::Dict(Rc::new(RefCell::new(annotations)));
        function.fields.borrow_mut().insert(Name::from("__annotations__"), annotations);
        Ok(())
    }

    /// `class`: runs the body, makes the class, decorates it and binds it to its name.
    pub(crate) fn define_class(&self, env: &Rc<Env>, def: &Arc<ClassDef>) -> PyResult<()> {
        let mut decorators = Vec::with_capacity(def.decorators.len());
        for decorator in &def.decorators {
            decorators.push(self.eval(env, decorator)?);
        }
        let qualified_name = Name::from(format!("{}{}", env.prefix, def.name));
        let info = self.class_info(def);
        let body_env = Rc::new(Env {
            kind: Kind::Class,
            scope: Rc::new(Scope { names: RefCell::default(), declared: Some(Rc::clone(&info.declared)) }),
            closure: Closure::Scopes(type_scope(&def.type_params).into_iter().chain(env.captured()).collect()),
            module: Rc::clone(&env.module),
            info,
            function: env.function.clone(),
            parent: Some(Rc::clone(env)),
            prefix: Rc::from(format!("{qualified_name}.")),
            methods: RefCell::default(),
            replay: None,
        });
        // Bases see the type parameters, and nothing of the body, which has not run.
        let args = self.eval_arguments(if def.type_params.is_empty() { env } else { &body_env }, &def.bases)?;
        let mut keywords = Vec::new();
        let mut metaclass = None;
        for (name, value) in args.keywords {
            if &*name == "metaclass" {
                if let Value::Class(class) = value {
                    metaclass = Some(class);
                }
            } else {
                keywords.push((name, value));
            }
        }
        if let Some(doc) = &def.docstring {
            self.store_name(&body_env, &Name::from("__doc__"), Value::str(doc))?;
        }
        if !def.type_params.is_empty() {
            let params = Value::tuple(def.type_params.iter().map(|_| type_parameter()));
            self.store_name(&body_env, &Name::from(TYPE_PARAMS), params)?;
        }
        let name: Rc<str> = Rc::from(&*def.name);
        self.position.set(def.span);
        let mut frame = Frame::new(Rc::clone(&body_env), Rc::clone(&name), &def.body);
        self.in_frame(&body_env, &name, || match self.run_frame(&mut frame)? {
            Completion::Return(_) | Completion::Yield(_) => Ok(()),
        })?;
        let namespace = std::mem::take(&mut *body_env.scope.names.borrow_mut());
        self.position.set(def.span);
        let class = self.make_class(Plan {
            name: def.name.clone(),
            qualified_name,
            module: env.module.name.clone(),
            bases: args.positional.into_vec(),
            namespace,
            keywords,
            metaclass,
            span: Some(def.span),
        })?;
        if let Value::Class(class) = &class {
            for method in body_env.methods.borrow().iter() {
                *method.owner.borrow_mut() = Some(Rc::downgrade(class));
            }
        }
        let mut value = class;
        for (decorator, expr) in decorators.iter().zip(&def.decorators).rev() {
            self.position.set(expr.span);
            value = self.call_values(decorator, [value])?;
        }
        if self.observing.get() {
            self.observe(def.name_span, &value);
        }
        self.store_name(env, &def.name, value)
    }
}

impl Interp {
    /// `type X[T] = ...`: the value is computed when it is first asked for, as in Python. An analysis asks at once, for
    /// what there is to know of the names in it, and says nothing of what it raises.
    pub(crate) fn define_type_alias(
        &self,
        env: &Rc<Env>,
        name: &Name,
        type_params: &[Name],
        value: &Expr,
    ) -> PyResult<()> {
        let around = match type_scope(type_params) {
            None => Rc::clone(env),
            Some(scope) => Rc::new(Env {
                kind: Kind::Comprehension,
                scope,
                closure: Closure::Scopes(env.captured()),
                module: Rc::clone(&env.module),
                info: Rc::default(),
                function: env.function.clone(),
                parent: Some(Rc::clone(env)),
                prefix: Rc::clone(&env.prefix),
                methods: RefCell::default(),
                replay: None,
            }),
        };
        let parameters = Value::tuple(type_params.iter().map(|_| type_parameter()));
        let value = value.clone();
        let alias = TypeAliasType::new(name.clone(), parameters, move |interp| interp.eval(&around, &value));
        if self.is_analysis() {
            let _ = alias.value(self);
        }
        self.store_name(env, name, Value::object(alias))
    }
}

/// Where a class keeps its type parameters; a class that has some can be subscripted.
pub(crate) const TYPE_PARAMS: &str = "__type_params__";

/// A type parameter (PEP 695). Nothing is asked of it but to be there.
fn type_parameter() -> Value {
    Value::unknown("a type parameter", None)
}

/// The scope around a definition with type parameters.
fn type_scope(parameters: &[Name]) -> Option<Rc<Scope>> {
    if parameters.is_empty() {
        return None;
    }
    let names = parameters.iter().map(|name| (name.clone(), type_parameter())).collect();
    Some(Rc::new(Scope { names: RefCell::new(names), declared: None }))
}
