//! The first step of each statement: simple statements run whole, compound ones open themselves on the control stack.

use crate::exceptions::set_field;
use crate::exec::Flow;
use crate::exec::control::{At, Control, Leave};
use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{Expr, ExprKind, Stmt, StmtKind};
use std::rc::Rc;
use std::sync::Arc;

impl Interp {
    /// Begins the statement at `index`.
    pub(crate) fn execute(&self, env: &Rc<Env>, block: &Arc<[Stmt]>, index: usize) -> PyResult<Flow> {
        let stmt = &block[index];
        let at = || At { block: Arc::clone(block), index };
        match &stmt.kind {
            StmtKind::Expr(value) => {
                let value = self.eval(env, value)?;
                if self.cells.borrow().is_some() {
                    self.show(block, index, value)?;
                }
            }
            StmtKind::Assign { targets, value } => {
                let value = self.eval(env, value)?;
                for target in targets {
                    self.assign(env, target, value.clone())?;
                }
            }
            StmtKind::AugAssign { target, op, value } => self.assign_in_place(env, stmt, target, *op, value)?,
            StmtKind::AnnAssign { target, annotation, value } => {
                if let Some(value) = value {
                    let value = self.eval(env, value)?;
                    self.assign(env, target, value)?;
                }
                self.annotate(env, target, annotation)?;
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(env, value)?,
                    None => Value::None,
                };
                return Ok(Flow::Leave(Leave::Return(value)));
            }
            StmtKind::If { test, body, orelse } => {
                let around = self.guessed_identity.replace(false);
                let truth = self.test(env, test)?;
                // What a guess leads to is looked at, unless it is an exception.
                let guessed = self.guessed_identity.replace(around)
                    && truth == Some(true)
                    && body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Raise { .. }));
                return Ok(match truth.filter(|_| !guessed) {
                    Some(true) => Flow::Push(Control::Block { stmts: Arc::clone(body), next: 0 }),
                    Some(false) if orelse.is_empty() => Flow::Next,
                    Some(false) => Flow::Push(Control::Block { stmts: Arc::clone(orelse), next: 0 }),
                    None => {
                        let branches = vec![(Vec::new(), Arc::clone(body)), (Vec::new(), Arc::clone(orelse))];
                        Flow::Push(self.uncertain(env, branches))
                    }
                });
            }
            StmtKind::For { iter, .. } => {
                let iterable = self.eval(env, iter)?;
                self.position.set(stmt.span);
                let iterator = self.iter(&iterable)?;
                return Ok(Flow::Push(Control::For { at: at(), iterator, pending: None, once: false }));
            }
            StmtKind::While { .. } => {
                return Ok(Flow::Push(Control::While { at: at(), once: false }));
            }
            StmtKind::Try { body, handlers, .. } => {
                if self.is_analysis() {
                    self.guard_imports(body, handlers);
                }
                return Ok(Flow::Open(Control::Try { at: at() }, Arc::clone(body)));
            }
            StmtKind::With { .. } => return Ok(Flow::Push(Control::Enter { at: at(), item: 0 })),
            StmtKind::Match { subject, .. } => {
                let subject = self.eval(env, subject)?;
                return Ok(Flow::Push(Control::Cases { at: at(), subject, next: 0 }));
            }
            StmtKind::FunctionDef(def) => self.define_function(env, def)?,
            StmtKind::ClassDef(def) => self.define_class(env, def)?,
            StmtKind::Raise { exception, cause } => {
                return self.raise(env, stmt, exception.as_ref(), cause.as_ref());
            }
            StmtKind::Assert { test, message } => self.assert(env, test, message.as_ref())?,
            StmtKind::Import(aliases) => {
                self.position.set(stmt.span);
                self.import_statement(env, aliases)?;
            }
            StmtKind::ImportFrom { module, names, level } => {
                self.position.set(stmt.span);
                self.import_from(env, module.as_ref(), names, *level)?;
            }
            StmtKind::Delete(targets) => {
                for target in targets {
                    self.delete(env, target)?;
                }
            }
            StmtKind::TypeAlias { name, type_params, value } => {
                self.define_type_alias(env, name, type_params, value)?
            }
            StmtKind::Break => return Ok(Flow::Leave(Leave::Break)),
            StmtKind::Continue => return Ok(Flow::Leave(Leave::Continue)),
            StmtKind::Pass | StmtKind::Global(_) | StmtKind::Nonlocal(_) => {}
            StmtKind::Error => {
                if !self.is_analysis() {
                    self.position.set(stmt.span);
                    return Err(self.syntax_error("invalid syntax"));
                }
            }
        }
        Ok(Flow::Next)
    }

    fn raise(&self, env: &Rc<Env>, stmt: &Stmt, exception: Option<&Expr>, cause: Option<&Expr>) -> PyResult<Flow> {
        let Some(exception) = exception else {
            let handled = self.handled.borrow().last().cloned();
            self.position.set(stmt.span);
            return match handled {
                Some(handled) => Ok(Flow::Again(self.raise_value(handled, None))),
                None => Err(self.runtime_error("No active exception to reraise")),
            };
        };
        let value = self.eval(env, exception)?;
        if value.is_unknown() {
            // Something is raised, but what cannot be said.
            self.position.set(stmt.span);
            return Err(self.error(&self.types().exception, "an exception that is not known"));
        }
        let cause = match cause {
            Some(cause) => Some(self.eval(env, cause)?),
            None => None,
        };
        self.position.set(stmt.span);
        let value = self.exception_from(&value)?;
        if let Some(cause) = cause {
            let cause = match &cause {
                Value::None => cause,
                Value::Class(_) => self.exception_from(&cause)?,
                Value::Instance(_) if self.exception_is(&cause, &self.types().base_exception) => cause,
                Value::Unknown(_) => Value::None,
                _ => return Err(self.type_error("exception causes must derive from BaseException")),
            };
            set_field(&value, "__cause__", cause);
            set_field(&value, "__suppress_context__", Value::Bool(true));
        }
        Err(self.raise_value(value, None))
    }

    fn assert(&self, env: &Rc<Env>, test: &Expr, message: Option<&Expr>) -> PyResult<()> {
        // An unknown test is taken to hold, and one that only a guess has failed.
        let around = self.guessed_identity.replace(false);
        let truth = self.test(env, test)?;
        if truth.unwrap_or(true) || self.guessed_identity.get() {
            self.guessed_identity.set(around);
            return Ok(());
        }
        let args = match message {
            Some(message) => Value::tuple([self.eval(env, message)?]),
            None => Value::tuple([]),
        };
        self.position.set(test.span);
        let exception = self.exception_of(&self.types().assertion_error, args);
        if message.is_none()
            && let Some(text) = self.explanation(test)
        {
            set_field(&exception, "__explanation__", Value::from(text));
        }
        Err(self.raise_value(exception, None))
    }

    /// What a failed assertion has compared, where somebody wants to know (`pytest`): `assert 3 == 4`.
    fn explanation(&self, test: &Expr) -> Option<String> {
        let (span, left, op, right) = self.failed_comparison.take()?;
        if span != test.span {
            return None;
        }
        let left = self.repr(&left).ok()?;
        Some(format!("assert {left} {} {}", op.symbol(), self.repr(&right).ok()?))
    }

    /// `name: annotation`, kept in `__annotations__` of modules and classes.
    fn annotate(&self, env: &Rc<Env>, target: &Expr, annotation: &Expr) -> PyResult<()> {
        use crate::exec::env::Kind;
        if !matches!(env.kind, Kind::Module | Kind::Class) {
            return Ok(());
        }
        let value = self.eval_annotation(env, annotation)?;
        let ExprKind::Name(name) = &target.kind else {
            return Ok(());
        };
        let known = self.with_names(env, |names| names.borrow().get("__annotations__").cloned());
        let annotations = match known {
            Some(Value::Dict(annotations)) => annotations,
            _ => {
                let annotations: Rc<std::cell::RefCell<crate::dict::Dict>> = Rc::default();
                self.store_name(env, &"__annotations__".into(), Value::Dict(Rc::clone(&annotations)))?;
                annotations
            }
        };
        annotations.borrow_mut().insert_str(name, value);
        Ok(())
    }

    /// The value of an annotation: its text where the file asks for that; unknown instead of an error in analysis.
    pub(crate) fn eval_annotation(&self, env: &Rc<Env>, annotation: &Expr) -> PyResult<Value> {
        if self.lazy_annotations.borrow().contains(&annotation.span.file) {
            let text = self.source(annotation.span.file).map(|source| source.slice(annotation.span).to_owned());
            return Ok(Value::from(text.unwrap_or_default()));
        }
        match self.eval(env, annotation) {
            Err(stop) if self.is_analysis() && matches!(&*stop, crate::raise::Stop::Raise(_)) => {
                self.observe_raised(&stop);
                Ok(Value::unknown("the annotation could not be evaluated", Some(annotation.span)))
            }
            result => result,
        }
    }
}
