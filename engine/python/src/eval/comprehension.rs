//! Comprehensions and generator expressions. Each has a scope of its own; the first iterable is evaluated outside it.

use crate::dict::{Dict, Set};
use crate::exec::env::{Closure, Env, Kind};
use crate::exec::replay::Replay;
use crate::function::Scope;
use crate::interp::Interp;
use crate::iteration::NativeIterator;
use crate::raise::PyResult;
use crate::value::Value;
use pallas_syntax::ast::{Comprehension, Expr};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

impl Interp {
    pub(super) fn list_comprehension(
        &self,
        env: &Rc<Env>,
        expr: &Expr,
        comprehension: &Arc<Comprehension>,
    ) -> PyResult<Value> {
        let mut items = Vec::new();
        let unknown = self.comprehend(env, expr, comprehension, "<listcomp>", &mut |inner| {
            let item = self.eval(inner, &comprehension.element)?;
            self.charge_bytes(std::mem::size_of::<Value>() as u128)?;
            items.push(item);
            Ok(())
        })?;
        Ok(unknown.unwrap_or_else(|| Value::List(Rc::new(RefCell::new(items)))))
    }

    pub(super) fn set_comprehension(
        &self,
        env: &Rc<Env>,
        expr: &Expr,
        comprehension: &Arc<Comprehension>,
    ) -> PyResult<Value> {
        let set = Rc::new(RefCell::new(Set::new()));
        let unknown = self.comprehend(env, expr, comprehension, "<setcomp>", &mut |inner| {
            let item = self.eval(inner, &comprehension.element)?;
            self.set_add(&set, item).map(|_| ())
        })?;
        Ok(unknown.unwrap_or(Value::Set(set)))
    }

    pub(super) fn dict_comprehension(
        &self,
        env: &Rc<Env>,
        expr: &Expr,
        comprehension: &Arc<Comprehension>,
    ) -> PyResult<Value> {
        let dict = Rc::new(RefCell::new(Dict::new()));
        let mut unknown_key = None;
        let unknown = self.comprehend(env, expr, comprehension, "<dictcomp>", &mut |inner| {
            let key = self.eval(inner, &comprehension.element)?;
            let value = match &comprehension.value {
                Some(value) => self.eval(inner, value)?,
                None => Value::None,
            };
            if key.is_unknown() {
                unknown_key = Some(key);
                return Ok(());
            }
            self.dict_set(&dict, key, value)
        })?;
        Ok(unknown.or(unknown_key).unwrap_or(Value::Dict(dict)))
    }

    /// Runs `each` for every round. `Some` where the result cannot be known: a condition is unknown, or how many rounds there are, and one
    /// stands for all of them.
    fn comprehend(
        &self,
        env: &Rc<Env>,
        expr: &Expr,
        comprehension: &Arc<Comprehension>,
        name: &'static str,
        each: &mut dyn FnMut(&Rc<Env>) -> PyResult<()>,
    ) -> PyResult<Option<Value>> {
        let Some(first) = comprehension.clauses.first() else {
            return Ok(None);
        };
        let iterable = self.eval(env, &first.iter)?;
        self.position.set(comprehension.span);
        let iterator = self.iter(&iterable)?;
        let inner = self.comprehension_env(env, comprehension);
        self.position.set(expr.span);
        let mut unknown = iterable.is_unknown().then_some(iterable);
        let name: Rc<str> = Rc::from(name);
        self.in_frame(&inner, &name, || {
            self.rounds(&inner, comprehension, 0, &iterator, each, &mut unknown).map_err(|mut stop| {
                if let crate::raise::Stop::Raise(raise) = &mut *stop {
                    let entry = crate::raise::TraceEntry { span: self.position.get(), function: Rc::clone(&name) };
                    raise.traceback.push(entry);
                }
                stop
            })
        })?;
        Ok(unknown)
    }

    fn comprehension_env(&self, env: &Rc<Env>, comprehension: &Arc<Comprehension>) -> Rc<Env> {
        let info = self.comprehension_info(comprehension);
        Rc::new(Env {
            kind: Kind::Comprehension,
            scope: Rc::new(Scope { names: RefCell::default(), declared: Some(Rc::clone(&info.declared)) }),
            closure: Closure::Scopes(env.captured()),
            module: Rc::clone(&env.module),
            info,
            function: env.function.clone(),
            parent: Some(Rc::clone(env)),
            prefix: Rc::clone(&env.prefix),
            methods: RefCell::default(),
            replay: None::<Box<Replay>>,
        })
    }

    fn rounds(
        &self,
        env: &Rc<Env>,
        comprehension: &Comprehension,
        depth: usize,
        iterator: &Value,
        each: &mut dyn FnMut(&Rc<Env>) -> PyResult<()>,
        unknown: &mut Option<Value>,
    ) -> PyResult<()> {
        let clause = &comprehension.clauses[depth];
        loop {
            self.charge(1)?;
            self.position.set(comprehension.span);
            let Some(item) = self.next(iterator)? else {
                return Ok(());
            };
            self.assign(env, &clause.target, item)?;
            if !self.conditions_hold(env, &clause.conditions, unknown)? {
                continue;
            }
            match comprehension.clauses.get(depth + 1) {
                None => each(env)?,
                Some(next) => {
                    let iterable = self.eval(env, &next.iter)?;
                    self.position.set(comprehension.span);
                    let iterator = self.iter(&iterable)?;
                    if iterable.is_unknown() {
                        *unknown = Some(iterable);
                    }
                    self.rounds(env, comprehension, depth + 1, &iterator, each, unknown)?;
                }
            }
        }
    }

    fn conditions_hold(&self, env: &Rc<Env>, conditions: &[Expr], unknown: &mut Option<Value>) -> PyResult<bool> {
        for condition in conditions {
            match self.test(env, condition)? {
                Some(true) => {}
                Some(false) => return Ok(false),
                None => {
                    *unknown = Some(Value::unknown("a condition is not known", Some(condition.span)));
                }
            }
        }
        Ok(true)
    }

    /// A generator expression: an iterator that keeps one position per clause.
    pub(super) fn generator_expression(&self, env: &Rc<Env>, comprehension: &Arc<Comprehension>) -> PyResult<Value> {
        let Some(first) = comprehension.clauses.first() else {
            return Ok(Value::tuple([]));
        };
        let iterable = self.eval(env, &first.iter)?;
        self.position.set(comprehension.span);
        let mut iterators = vec![self.iter(&iterable)?];
        let inner = self.comprehension_env(env, comprehension);
        let comprehension = Arc::clone(comprehension);
        let name: Rc<str> = Rc::from("<genexpr>");
        if iterable.is_unknown() {
            // One item stands for all of them; it is made for what is seen on the way.
            self.in_frame(&inner, &name, || self.next_of_generator(&inner, &comprehension, &mut iterators))?;
            return Ok(iterable);
        }
        Ok(NativeIterator::value("generator", move |interp: &Interp| {
            interp.in_frame(&inner, &name, || {
                interp.next_of_generator(&inner, &comprehension, &mut iterators).map_err(|mut stop| {
                    if let crate::raise::Stop::Raise(raise) = &mut *stop {
                        let span = interp.position.get();
                        raise.traceback.push(crate::raise::TraceEntry { span, function: Rc::clone(&name) });
                    }
                    stop
                })
            })
        }))
    }

    /// The next element of a generator expression; `iterators` holds the clauses that are under way.
    fn next_of_generator(
        &self,
        env: &Rc<Env>,
        comprehension: &Comprehension,
        iterators: &mut Vec<Value>,
    ) -> PyResult<Option<Value>> {
        let mut unknown = None;
        loop {
            self.charge(1)?;
            let Some(iterator) = iterators.last() else {
                return Ok(None);
            };
            let depth = iterators.len() - 1;
            let clause = &comprehension.clauses[depth];
            self.position.set(comprehension.span);
            let Some(item) = self.next(iterator)? else {
                iterators.pop();
                continue;
            };
            self.assign(env, &clause.target, item)?;
            if !self.conditions_hold(env, &clause.conditions, &mut unknown)? {
                continue;
            }
            match comprehension.clauses.get(depth + 1) {
                None => return self.eval(env, &comprehension.element).map(Some),
                Some(next) => {
                    let iterable = self.eval(env, &next.iter)?;
                    self.position.set(comprehension.span);
                    iterators.push(self.iter(&iterable)?);
                }
            }
        }
    }
}
