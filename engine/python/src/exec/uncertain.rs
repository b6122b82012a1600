//! Analysis of tests whose value is not known: every branch runs from the same beginning, exceptions inside are
//! dropped, and the names that the branches leave are joined.

use crate::class::Namespace;
use crate::exec::Flow;
use crate::exec::control::{Control, Frame, Leave, Uncertain};
use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{Expr, ExprKind, Name, Stmt, StmtKind};
use std::sync::Arc;

impl Interp {
    /// Begins to run branches, one after the other.
    pub(crate) fn uncertain(&self, env: &Env, mut branches: Vec<(Vec<Name>, Arc<[Stmt]>)>) -> Control {
        branches.reverse();
        let before = self.with_names(env, |names| names.borrow().clone());
        Control::Uncertain(Box::new(Uncertain {
            before,
            after: Vec::new(),
            remaining: branches,
            returned: Vec::new(),
            passed: false,
            broke: false,
        }))
    }

    /// A branch came to its end (or none has begun): begins the next, or joins them.
    pub(crate) fn step_uncertain(&self, frame: &mut Frame, mut uncertain: Box<Uncertain>) -> PyResult<Flow> {
        match uncertain.remaining.pop() {
            Some((captures, stmts)) => {
                self.restore(frame, uncertain.before.clone());
                for name in captures {
                    self.store_name(&frame.env, &name, Value::unknown("the matched value is not known", None))?;
                }
                frame.control.push(Control::Uncertain(uncertain));
                Ok(Flow::Open(Control::BranchEnd, stmts))
            }
            None => {
                let joined = join(self, &uncertain.before, std::mem::take(&mut uncertain.after));
                self.restore(frame, joined);
                if !uncertain.passed && !uncertain.returned.is_empty() {
                    let value = self.joined(std::mem::take(&mut uncertain.returned));
                    return Ok(Flow::Leave(Leave::Return(value)));
                }
                frame.perhaps.append(&mut uncertain.returned);
                if uncertain.broke {
                    end_loop_after_this_round(frame);
                }
                Ok(Flow::Next)
            }
        }
    }

    /// A branch was left before its end. The others still run.
    pub(crate) fn leave_branch(
        &self,
        frame: &mut Frame,
        mut uncertain: Box<Uncertain>,
        leave: Leave,
    ) -> PyResult<Option<Leave>> {
        match leave {
            Leave::Raise(stop) => match *stop {
                // Whether it is raised at all is not known, so nothing is said.
                Stop::Raise(_) => {}
                abort => return Ok(Some(Leave::Raise(Box::new(abort)))),
            },
            Leave::Return(value) => uncertain.returned.push(value),
            Leave::Break | Leave::Continue => {
                uncertain.passed = true;
                uncertain.broke |= matches!(leave, Leave::Break);
                uncertain.after.push(self.with_names(&frame.env, |names| names.borrow().clone()));
            }
        }
        frame.control.push(Control::Uncertain(uncertain));
        Ok(None)
    }

    /// Notes the end of a branch.
    pub(crate) fn finish_branch(&self, frame: &mut Frame) {
        let names = self.with_names(&frame.env, |names| names.borrow().clone());
        if let Some(Control::Uncertain(uncertain)) = frame.control.last_mut() {
            uncertain.passed = true;
            uncertain.after.push(names);
        }
    }

    fn restore(&self, frame: &Frame, names: Namespace) {
        let old = self.with_names(&frame.env, |current| current.replace(names));
        drop(old);
    }

    /// The frame's return value, joined with those returned under unknown tests.
    pub(crate) fn joined_return(&self, frame: &mut Frame, value: Value) -> Value {
        if frame.perhaps.is_empty() {
            return value;
        }
        let mut values = std::mem::take(&mut frame.perhaps);
        values.push(value);
        self.joined(values)
    }

    /// One value for several that a test decides between.
    pub(crate) fn joined(&self, values: Vec<Value>) -> Value {
        let mut values = values.into_iter();
        let Some(first) = values.next() else {
            return Value::None;
        };
        for value in values {
            if !self.identical(&first, &value) {
                return Value::unknown("depends on a condition that is not known", Some(self.span()));
            }
        }
        first
    }
}

/// The innermost loop ends when its round ends: whether `break` was reached is not known.
fn end_loop_after_this_round(frame: &mut Frame) {
    for control in frame.control.iter_mut().rev() {
        match control {
            Control::While { once, .. } => {
                *once = true;
                return;
            }
            // A `for` ends by itself; its later items are worth analysing.
            Control::For { .. } => return,
            _ => {}
        }
    }
}

/// Names after a branching: unchanged, changed by one branch, or unknown where branches disagree.
fn join(interp: &Interp, before: &Namespace, after: Vec<Namespace>) -> Namespace {
    let mut joined = before.clone();
    for names in &after {
        for (name, value) in names {
            if before.get(name).is_some_and(|old| interp.identical(old, value)) {
                continue;
            }
            let already = joined.get(name).filter(|current| {
                !before.get(name).is_some_and(|old| interp.identical(old, current)) && !interp.identical(current, value)
            });
            let value = match already {
                Some(_) => {
                    Value::unknown(format!("'{name}' depends on a condition that is not known"), Some(interp.span()))
                }
                None => value.clone(),
            };
            joined.insert(name.clone(), value);
        }
    }
    joined
}

/// The names that statements bind in their own scope.
pub(crate) fn bound_names(stmts: &[Stmt]) -> Vec<Name> {
    let mut names = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::FunctionDef(def) => names.push(def.name.clone()),
            StmtKind::ClassDef(def) => names.push(def.name.clone()),
            StmtKind::Assign { targets, .. } => targets.iter().for_each(|target| target_names(target, &mut names)),
            StmtKind::AugAssign { target, .. } | StmtKind::AnnAssign { target, .. } => target_names(target, &mut names),
            StmtKind::TypeAlias { name, .. } => names.push(name.clone()),
            StmtKind::For { target, body, orelse, .. } => {
                target_names(target, &mut names);
                names.extend(bound_names(body));
                names.extend(bound_names(orelse));
            }
            StmtKind::While { body, orelse, .. } | StmtKind::If { body, orelse, .. } => {
                names.extend(bound_names(body));
                names.extend(bound_names(orelse));
            }
            StmtKind::With { items, body } => {
                items.iter().filter_map(|item| item.target.as_ref()).for_each(|t| target_names(t, &mut names));
                names.extend(bound_names(body));
            }
            StmtKind::Try { body, handlers, orelse, finalbody } => {
                names.extend(bound_names(body));
                handlers.iter().for_each(|handler| names.extend(bound_names(&handler.body)));
                names.extend(bound_names(orelse));
                names.extend(bound_names(finalbody));
            }
            StmtKind::Match { cases, .. } => cases.iter().for_each(|case| names.extend(bound_names(&case.body))),
            StmtKind::Import(aliases) => names.extend(aliases.iter().map(|alias| match &alias.asname {
                Some(name) => name.clone(),
                None => Name::from(alias.name.split('.').next().unwrap_or_default()),
            })),
            StmtKind::ImportFrom { names: aliases, .. } => {
                names.extend(
                    aliases
                        .iter()
                        .filter(|alias| &*alias.name != "*")
                        .map(|alias| alias.asname.clone().unwrap_or_else(|| alias.name.clone())),
                );
            }
            _ => {}
        }
    }
    names
}

fn target_names(target: &Expr, names: &mut Vec<Name>) {
    match &target.kind {
        ExprKind::Name(name) => names.push(name.clone()),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| target_names(item, names)),
        ExprKind::Starred(inner) => target_names(inner, names),
        _ => {}
    }
}
