//! Tests: `and`, `or`, `not`, comparisons, `a if b else c`, where a value may be unknown in analysis.

use crate::exec::env::Env;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use pallas_syntax::ast::{BoolOp, CompareOp, Expr, UnaryOp};
use std::rc::Rc;

impl Interp {
    /// The truth of an expression; `None` where it is not known.
    pub(crate) fn test(&self, env: &Rc<Env>, expr: &Expr) -> PyResult<Option<bool>> {
        let value = self.eval(env, expr)?;
        match &value {
            Value::Bool(truth) => Ok(Some(*truth)),
            value if value.is_undecided() => Ok(None),
            _ => {
                self.position.set(expr.span);
                self.truth(&value).map(Some)
            }
        }
    }

    /// The value of an expression that may not be reached: exceptions make it unknown.
    fn eval_perhaps(&self, env: &Rc<Env>, expr: &Expr) -> PyResult<Value> {
        match self.eval(env, expr) {
            Err(stop) if matches!(&*stop, Stop::Raise(_)) => {
                Ok(Value::unknown("depends on a condition that is not known", Some(expr.span)))
            }
            result => result,
        }
    }

    pub(super) fn eval_unary(&self, env: &Rc<Env>, expr: &Expr, op: UnaryOp, operand: &Expr) -> PyResult<Value> {
        let value = self.eval(env, operand)?;
        self.position.set(expr.span);
        self.unary(op, &value)
    }

    pub(super) fn eval_bool(&self, env: &Rc<Env>, op: BoolOp, values: &[Expr]) -> PyResult<Value> {
        let Some((last, first)) = values.split_last() else {
            return Ok(Value::None);
        };
        let mut unknown = None;
        for expr in first {
            let value = if unknown.is_some() { self.eval_perhaps(env, expr)? } else { self.eval(env, expr)? };
            if value.is_undecided() {
                unknown = Some(value.to_unknown("depends on the data of an array"));
                continue;
            }
            self.position.set(expr.span);
            let truth = self.truth(&value)?;
            if truth == (op == BoolOp::Or) {
                // `unknown or True` is not known to be `True`, but as a test it holds.
                return Ok(match (unknown, &value) {
                    (None, _) | (Some(_), Value::Bool(_)) => value,
                    (Some(unknown), _) => unknown,
                });
            }
        }
        match unknown {
            None => self.eval(env, last),
            Some(unknown) => {
                let value = self.eval_perhaps(env, last)?;
                Ok(match value {
                    Value::Bool(truth) if truth == (op == BoolOp::Or) => value,
                    _ => unknown,
                })
            }
        }
    }

    pub(super) fn eval_conditional(&self, env: &Rc<Env>, test: &Expr, body: &Expr, orelse: &Expr) -> PyResult<Value> {
        match self.test(env, test)? {
            Some(true) => self.eval(env, body),
            Some(false) => self.eval(env, orelse),
            None => {
                let values = vec![self.eval_perhaps(env, body)?, self.eval_perhaps(env, orelse)?];
                Ok(self.joined(values))
            }
        }
    }

    pub(super) fn eval_compare(
        &self,
        env: &Rc<Env>,
        expr: &Expr,
        left: &Expr,
        ops: &[CompareOp],
        rest: &[Expr],
    ) -> PyResult<Value> {
        let mut left = self.eval(env, left)?;
        let mut result = Value::Bool(true);
        for (index, (op, right)) in ops.iter().zip(rest).enumerate() {
            let right = self.eval(env, right)?;
            // Compared once, also where a later operand suspends the statement.
            result = self.once(env, op, || {
                self.position.set(expr.span);
                self.compare(*op, &left, &right)
            })?;
            if self.explains_assertions.get() {
                let failed = (expr.span, left.clone(), *op, right.clone());
                let old = self.failed_comparison.replace(Some(failed));
                drop(old);
            }
            if index + 1 < ops.len() && (result.is_undecided() || !self.truth(&result)?) {
                return Ok(result);
            }
            left = right;
        }
        Ok(result)
    }
}
