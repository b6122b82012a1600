//! Expressions: evaluated by recursion over the tree.

mod binding;
pub(crate) mod call;
mod comprehension;
mod fstring;
mod logic;
mod pattern;

use crate::class::Namespace;
use crate::exec::env::Env;
use crate::exec::replay::Request;
use crate::function::Code;
use crate::int::Int;
use crate::interp::Interp;
use crate::module::Module;
use crate::raise::PyResult;
use crate::value::{Slice, Value};
use pallas_syntax::ast::{Constant, Expr, ExprKind, Stmt, StmtKind};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

impl Interp {
    /// The value of an expression that somebody wrote in a text of its own, with these names; `None` if it is no expression.
    pub fn eval_text(&self, path: &str, text: &str, names: Namespace) -> Option<PyResult<Value>> {
        let source = self.add_source(path, text);
        let tree = pallas_syntax::parse(source);
        let ([], [Stmt { kind: StmtKind::Expr(expression), .. }]) = (&tree.errors[..], &tree.body[..]) else {
            return None;
        };
        let module = Module { name: path.into(), path: None, namespace: RefCell::new(names) };
        Some(self.eval(&Env::of_module(&Rc::new(module)), expression))
    }

    /// The value of an expression.
    pub(crate) fn eval(&self, env: &Rc<Env>, expr: &Expr) -> PyResult<Value> {
        if let Some(replay) = env.replay.as_ref().filter(|replay| replay.active.get()) {
            if let Some(value) = replay.get(expr) {
                return Ok(value);
            }
            let value = self.eval_observed(env, expr)?;
            replay.keep(expr, &value);
            return Ok(value);
        }
        self.eval_observed(env, expr)
    }

    fn eval_observed(&self, env: &Rc<Env>, expr: &Expr) -> PyResult<Value> {
        match &expr.kind {
            // Leaves first: they need no depth count.
            ExprKind::Constant(constant) => return Ok(constant_value(constant)),
            ExprKind::Name(name) => {
                self.position.set(expr.span);
                let value = self.load_name(env, name)?;
                if self.observing.get() {
                    self.observe(expr.span, &value);
                }
                return Ok(value);
            }
            _ => {}
        }
        self.enter()?;
        let result = self.eval_inner(env, expr);
        self.leave();
        let value = result?;
        if self.observing.get() {
            self.observe(expr.span, &value);
        }
        Ok(value)
    }

    fn eval_inner(&self, env: &Rc<Env>, expr: &Expr) -> PyResult<Value> {
        match &expr.kind {
            ExprKind::Constant(constant) => Ok(constant_value(constant)),
            ExprKind::Name(name) => self.load_name(env, name),
            ExprKind::BinOp { left, op, right } => {
                let left = self.eval(env, left)?;
                let right = self.eval(env, right)?;
                self.position.set(expr.span);
                self.binary(*op, &left, &right)
            }
            ExprKind::UnaryOp { op, operand } => self.eval_unary(env, expr, *op, operand),
            ExprKind::BoolOp { op, values } => self.eval_bool(env, *op, values),
            ExprKind::Compare { left, ops, rest } => self.eval_compare(env, expr, left, ops, rest),
            ExprKind::Call { function, args } => self.eval_call(env, expr, function, args),
            ExprKind::Attribute { value, name, .. } => {
                let value = self.eval(env, value)?;
                self.position.set(expr.span);
                self.get_attr(&value, name)
            }
            ExprKind::Subscript { value, index } => {
                let value = self.eval(env, value)?;
                let index = self.eval(env, index)?;
                self.position.set(expr.span);
                self.get_item(&value, &index)
            }
            ExprKind::Slice { lower, upper, step } => {
                let part = |part: &Option<Box<Expr>>| match part {
                    Some(part) => self.eval(env, part),
                    None => Ok(Value::None),
                };
                Ok(Value::Slice(Rc::new(Slice { lower: part(lower)?, upper: part(upper)?, step: part(step)? })))
            }
            ExprKind::Tuple(items) => Ok(Value::Tuple(Rc::from(self.eval_items(env, items)?))),
            ExprKind::List(items) => Ok(Value::List(Rc::new(RefCell::new(self.eval_items(env, items)?)))),
            ExprKind::Set(items) => {
                let set = RefCell::default();
                for item in self.eval_items(env, items)? {
                    self.position.set(expr.span);
                    self.set_add(&set, item)?;
                }
                Ok(Value::Set(Rc::new(set)))
            }
            ExprKind::Dict(entries) => self.eval_dict(env, expr, entries),
            ExprKind::FString(parts) => self.eval_fstring(env, parts),
            ExprKind::ListComp(comprehension) => self.list_comprehension(env, expr, comprehension),
            ExprKind::SetComp(comprehension) => self.set_comprehension(env, expr, comprehension),
            ExprKind::DictComp(comprehension) => self.dict_comprehension(env, expr, comprehension),
            ExprKind::GeneratorExp(comprehension) => self.generator_expression(env, comprehension),
            ExprKind::Lambda(lambda) => Ok(Value::Function(self.make_function(env, Code::Lambda(Arc::clone(lambda)))?)),
            ExprKind::IfExp { test, body, orelse } => self.eval_conditional(env, test, body, orelse),
            ExprKind::NamedExpr { target, target_span, value } => {
                let value = self.eval(env, value)?;
                if self.observing.get() {
                    self.observe(*target_span, &value);
                }
                // In a comprehension, the name belongs to the code around it.
                let mut holder = env;
                while holder.kind == crate::exec::env::Kind::Comprehension {
                    match &holder.parent {
                        Some(parent) => holder = parent,
                        None => break,
                    }
                }
                self.store_name(holder, target, value.clone())?;
                Ok(value)
            }
            ExprKind::Starred(_) => {
                self.position.set(expr.span);
                Err(self.syntax_error("can't use starred expression here"))
            }
            ExprKind::Yield(value) => {
                let value = match value {
                    Some(value) => self.eval(env, value)?,
                    None => Value::None,
                };
                self.position.set(expr.span);
                match &env.replay {
                    Some(replay) => Err(replay.suspend(expr, Request::Yield(value))),
                    None => Err(self.syntax_error("'yield' outside function")),
                }
            }
            ExprKind::YieldFrom(value) => {
                let iterable = self.eval(env, value)?;
                self.position.set(expr.span);
                let iterator = self.iter(&iterable)?;
                match &env.replay {
                    Some(replay) => Err(replay.suspend(expr, Request::Delegate(iterator))),
                    None => Err(self.syntax_error("'yield' outside function")),
                }
            }
            ExprKind::Await(value) => {
                self.eval(env, value)?;
                self.position.set(expr.span);
                if self.is_analysis() {
                    return Ok(Value::unknown("nothing runs asynchronously here", Some(expr.span)));
                }
                Err(self.not_implemented_error("'await' is not supported"))
            }
            ExprKind::Error => {
                self.position.set(expr.span);
                if self.is_analysis() {
                    return Ok(Value::unknown("this does not parse", Some(expr.span)));
                }
                Err(self.syntax_error("invalid syntax"))
            }
        }
    }

    /// The items of a display, stars unpacked.
    pub(crate) fn eval_items(&self, env: &Rc<Env>, items: &[Expr]) -> PyResult<Vec<Value>> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match &item.kind {
                ExprKind::Starred(inner) => values.extend(self.eval_star(env, item, inner, |interp, value| {
                    interp.type_error(format!("Value after * must be an iterable, not {}", interp.type_name(value)))
                })?),
                _ => values.push(self.eval(env, item)?),
            }
        }
        Ok(values)
    }

    /// The items of `*inner`. They are kept as a whole where the statement is suspended: the iterator is used up.
    pub(crate) fn eval_star(
        &self,
        env: &Rc<Env>,
        starred: &Expr,
        inner: &Expr,
        not_iterable: impl FnOnce(&Interp, &Value) -> Box<crate::raise::Stop>,
    ) -> PyResult<Vec<Value>> {
        let iterable = self.eval(env, inner)?;
        let items = self.once(env, starred, || {
            self.position.set(inner.span);
            match &iterable {
                Value::Tuple(_) => Ok(iterable.clone()),
                Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) => Err(not_iterable(self, &iterable)),
                _ => Ok(Value::Tuple(Rc::from(self.collect(&iterable)?))),
            }
        })?;
        match items {
            Value::Tuple(items) => Ok(items.to_vec()),
            _ => Ok(Vec::new()),
        }
    }

    fn eval_dict(&self, env: &Rc<Env>, expr: &Expr, entries: &[(Option<Expr>, Expr)]) -> PyResult<Value> {
        let dict = RefCell::new(crate::dict::Dict::with_capacity(entries.len()));
        for (key, value) in entries {
            match key {
                Some(key) => {
                    let key = self.eval(env, key)?;
                    let value = self.eval(env, value)?;
                    self.position.set(expr.span);
                    if key.is_unknown() {
                        continue;
                    }
                    self.dict_set(&dict, key, value)?;
                }
                None => {
                    let mapping = self.eval(env, value)?;
                    self.position.set(value.span);
                    if mapping.is_unknown() {
                        return Ok(mapping);
                    }
                    for (key, value) in self.mapping_items(&mapping)?.ok_or_else(|| {
                        self.type_error(format!("'{}' object is not a mapping", self.type_name(&mapping)))
                    })? {
                        self.dict_set(&dict, key, value)?;
                    }
                }
            }
        }
        Ok(Value::Dict(Rc::new(dict)))
    }

    /// The entries of a mapping; `None` where it is none.
    pub fn mapping_items(&self, v: &Value) -> PyResult<Option<Vec<(Value, Value)>>> {
        let plain = crate::namespace_view::plain_mapping(&self.plain(v));
        if let Value::Dict(dict) = &plain {
            return Ok(Some(dict.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect()));
        }
        let Some(keys) = self.find_attr(v, "keys")? else {
            return Ok(None);
        };
        let keys = self.call_values(&keys, [])?;
        let mut items = Vec::new();
        for key in self.collect(&keys)? {
            let value = self.get_item(v, &key)?;
            items.push((key, value));
        }
        Ok(Some(items))
    }
}

/// The value of a literal.
pub(crate) fn constant_value(constant: &Constant) -> Value {
    match constant {
        Constant::None => Value::None,
        Constant::Bool(value) => Value::Bool(*value),
        Constant::Int(value) => Value::Int(Int::Small(*value)),
        // The parser gives digits only; anything else would read as zero.
        Constant::BigInt(digits) => {
            digits.parse::<num_bigint::BigInt>().map_or(Value::Int(Int::Small(0)), |value| Value::Int(Int::from(value)))
        }
        Constant::Float(value) => Value::Float(*value),
        Constant::Imaginary(value) => Value::Complex(0.0, *value),
        Constant::Str(text) => Value::str(text),
        Constant::Bytes(bytes) => Value::Bytes(Rc::from(&**bytes)),
        Constant::Ellipsis => Value::Ellipsis,
    }
}
