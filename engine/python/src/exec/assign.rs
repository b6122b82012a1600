//! Assignment: to names, attributes, items and patterns of them; `op=`; `del`; and entering `with`.

use crate::exec::Flow;
use crate::exec::control::{At, Control, Frame};
use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{BinaryOp, Expr, ExprKind, Stmt, StmtKind};
use std::rc::Rc;
use std::sync::Arc;

impl Interp {
    /// `target = value`
    pub(crate) fn assign(&self, env: &Rc<Env>, target: &Expr, value: Value) -> PyResult<()> {
        if self.observing.get() {
            self.observe(target.span, &value);
        }
        match &target.kind {
            ExprKind::Name(name) => self.store_name(env, name, value),
            ExprKind::Attribute { value: object, name, .. } => {
                let object = self.eval(env, object)?;
                self.position.set(target.span);
                self.set_attr(&object, name, value)
            }
            ExprKind::Subscript { value: object, index } => {
                let object = self.eval(env, object)?;
                let index = self.eval(env, index)?;
                self.position.set(target.span);
                self.set_item(&object, &index, value)
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => self.unpack(env, target, targets, &value),
            ExprKind::Starred(inner) => self.assign(env, inner, value),
            // The parser has reported it.
            _ => Ok(()),
        }
    }

    fn unpack(&self, env: &Rc<Env>, target: &Expr, targets: &[Expr], value: &Value) -> PyResult<()> {
        let star = targets.iter().position(|target| matches!(target.kind, ExprKind::Starred(_)));
        if value.is_unknown() {
            for inner in targets {
                self.assign(env, inner, value.clone())?;
            }
            return Ok(());
        }
        self.position.set(target.span);
        let items = match value {
            Value::Tuple(items) if items.len() == targets.len() && star.is_none() => {
                for (inner, item) in targets.iter().zip(items.iter()) {
                    self.assign(env, inner, item.clone())?;
                }
                return Ok(());
            }
            value => self.items_to_unpack(value, targets.len(), star.is_some())?,
        };
        let Some(star) = star else {
            for (inner, item) in targets.iter().zip(items) {
                self.assign(env, inner, item)?;
            }
            return Ok(());
        };
        let after = targets.len() - star - 1;
        let end = items.len() - after;
        for (inner, item) in targets[..star].iter().zip(&items[..star]) {
            self.assign(env, inner, item.clone())?;
        }
        self.assign(env, &targets[star], Value::list(items[star..end].iter().cloned()))?;
        for (inner, item) in targets[star + 1..].iter().zip(&items[end..]) {
            self.assign(env, inner, item.clone())?;
        }
        Ok(())
    }

    /// The items of `value` for this many targets, one of which may be starred. ValueError where they do not fit.
    fn items_to_unpack(&self, value: &Value, targets: usize, starred: bool) -> PyResult<Vec<Value>> {
        let iterator = self.iter(value).map_err(|stop| self.cannot_unpack(value, stop))?;
        let mut items = Vec::with_capacity(targets);
        while let Some(item) = self.next(&iterator)? {
            self.charge(1)?;
            // What unpacks to one unknown item may have any number of them.
            if item.is_unknown() && self.is_analysis() && items.is_empty() && iterator_is_unknown(value) {
                return Ok(vec![item; targets]);
            }
            items.push(item);
            if !starred && items.len() > targets {
                return Err(self.value_error(format!("too many values to unpack (expected {targets})")));
            }
        }
        let least = if starred { targets - 1 } else { targets };
        if items.len() < least {
            let expected = if starred { format!("at least {least}") } else { least.to_string() };
            return Err(
                self.value_error(format!("not enough values to unpack (expected {expected}, got {})", items.len()))
            );
        }
        Ok(items)
    }

    fn cannot_unpack(&self, value: &Value, stop: Box<Stop>) -> Box<Stop> {
        let not_iterable = match &*stop {
            Stop::Raise(raise) => {
                self.exception_message(&raise.exception)
                    == format!("'{}' object is not iterable", self.type_name(value))
            }
            Stop::Abort(_) => false,
        };
        if not_iterable {
            return self.type_error(format!("cannot unpack non-iterable {} object", self.type_name(value)));
        }
        stop
    }

    /// `target op= value`
    pub(crate) fn assign_in_place(
        &self,
        env: &Rc<Env>,
        stmt: &Stmt,
        target: &Expr,
        op: BinaryOp,
        value: &Expr,
    ) -> PyResult<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                let current = self.eval(env, target)?;
                let operand = self.eval(env, value)?;
                self.position.set(stmt.span);
                let result = self.binary_in_place(op, &current, &operand)?;
                drop(current);
                if self.observing.get() {
                    self.observe(target.span, &result);
                }
                self.store_name(env, name, result)
            }
            ExprKind::Attribute { value: object, name, .. } => {
                let object = self.eval(env, object)?;
                let current = self.once(env, target, || {
                    self.position.set(target.span);
                    self.get_attr(&object, name)
                })?;
                let operand = self.eval(env, value)?;
                self.position.set(stmt.span);
                let result = self.binary_in_place(op, &current, &operand)?;
                if self.observing.get() {
                    self.observe(target.span, &result);
                }
                self.set_attr(&object, name, result)
            }
            ExprKind::Subscript { value: object, index } => {
                let object = self.eval(env, object)?;
                let index = self.eval(env, index)?;
                let current = self.once(env, target, || {
                    self.position.set(target.span);
                    self.get_item(&object, &index)
                })?;
                let operand = self.eval(env, value)?;
                self.position.set(stmt.span);
                let result = self.binary_in_place(op, &current, &operand)?;
                if self.observing.get() {
                    self.observe(target.span, &result);
                }
                self.set_item(&object, &index, result)
            }
            _ => Ok(()),
        }
    }

    /// Runs `run` once per statement, also where the statement is suspended and begun again.
    pub(crate) fn once<T>(&self, env: &Env, part: &T, run: impl FnOnce() -> PyResult<Value>) -> PyResult<Value> {
        let Some(replay) = env.replay.as_ref().filter(|replay| replay.active.get()) else {
            return run();
        };
        if let Some(value) = replay.get_part(part) {
            return Ok(value);
        }
        let value = run()?;
        replay.keep_part(part, &value);
        Ok(value)
    }

    /// `del target`
    pub(crate) fn delete(&self, env: &Rc<Env>, target: &Expr) -> PyResult<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                self.position.set(target.span);
                self.delete_name(env, name)
            }
            ExprKind::Attribute { value, name, .. } => {
                let object = self.eval(env, value)?;
                self.position.set(target.span);
                self.delete_attr(&object, name)
            }
            ExprKind::Subscript { value, index } => {
                let object = self.eval(env, value)?;
                let index = self.eval(env, index)?;
                self.position.set(target.span);
                self.delete_item(&object, &index)
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                targets.iter().try_for_each(|target| self.delete(env, target))
            }
            _ => Ok(()),
        }
    }

    /// Enters the context manager `item` of a `with`, or runs its body after the last.
    pub(crate) fn step_enter(&self, frame: &mut Frame, at: At, item: usize) -> PyResult<Flow> {
        let StmtKind::With { items, body } = &at.stmt().kind else {
            return Ok(Flow::Next);
        };
        let Some(with) = items.get(item) else {
            return Ok(Flow::Push(Control::Block { stmts: Arc::clone(body), next: 0 }));
        };
        self.replaying(&frame.env, &at);
        let entered = self.eval(&frame.env, &with.context).and_then(|manager| {
            self.position.set(at.stmt().span);
            self.enter_manager(&manager)
        });
        let (exit, value) = match entered {
            Ok(entered) => entered,
            Err(stop) => {
                if self.is_suspended(&frame.env) {
                    frame.control.push(Control::Enter { at, item });
                }
                return Err(stop);
            }
        };
        self.finish_statement(&frame.env);
        frame.control.push(Control::With { at: at.clone(), exit });
        frame.control.push(Control::Enter { at: at.clone(), item: item + 1 });
        if let Some(target) = &with.target {
            self.assign(&frame.env, target, value)?;
        }
        Ok(Flow::Next)
    }

    /// `__exit__`, bound, and the value of `__enter__()`. TypeError where it is no context manager.
    pub fn enter_manager(&self, manager: &Value) -> PyResult<(Value, Value)> {
        if manager.is_unknown() {
            return Ok((manager.clone(), manager.clone()));
        }
        let class = self.type_of(manager);
        let enter = self.special_method(manager, "__enter__")?;
        let exit = self.special_method(manager, "__exit__")?;
        let (Some(enter), Some(exit)) = (&enter, exit) else {
            let missing = if enter.is_none() { "" } else { " (missed __exit__ method)" };
            return Err(self.type_error(format!(
                "'{}' object does not support the context manager protocol{missing}",
                class.qualified_name
            )));
        };
        let value = self.call_values(enter, [])?;
        Ok((exit, value))
    }

    /// A special method of `v`'s type, bound to it.
    pub(crate) fn special_method(&self, v: &Value, name: &str) -> PyResult<Option<Value>> {
        let class = self.type_of(v);
        match class.lookup(name) {
            Some(attribute) => self.bind_descriptor(&attribute, v, &class).map(Some),
            None => match v {
                Value::Object(object) => object.get_attr(v, name, self),
                _ => Ok(None),
            },
        }
    }
}

fn iterator_is_unknown(value: &Value) -> bool {
    matches!(value, Value::Unknown(_) | Value::Object(_) | Value::Instance(_))
}
