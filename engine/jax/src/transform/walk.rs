//! Evaluates the ops of an IR function one after the other, with values of any kind in the place of tiles.

use crate::context::Context;
use pallas_ir::{Function, OpData, OpId, RegionId, ValueId};
use pallas_python::raise::PyResult;

/// What stands for each value of a function.
#[derive(Clone)]
pub struct Env<V> {
    values: Vec<Option<V>>,
}

impl<V: Clone> Env<V> {
    /// Nothing is known yet.
    pub fn new(function: &Function) -> Self {
        Env { values: vec![None; function.values.len()] }
    }

    /// Binds a value.
    pub fn set(&mut self, id: ValueId, value: V) {
        if let Some(slot) = self.values.get_mut(id.0 as usize) {
            *slot = Some(value);
        }
    }

    /// Binds several.
    pub fn set_all(&mut self, ids: &[ValueId], values: impl IntoIterator<Item = V>) {
        for (&id, value) in ids.iter().zip(values) {
            self.set(id, value);
        }
    }

    /// What stands for `id`, if anything does.
    pub fn find(&self, id: ValueId) -> Option<&V> {
        self.values.get(id.0 as usize)?.as_ref()
    }

    /// What stands for `id`.
    ///
    /// # Errors
    /// Where the function uses a value before it is defined: a mistake of this crate.
    pub fn get(&self, cx: &Context<'_>, id: ValueId) -> PyResult<V> {
        self.find(id)
            .cloned()
            .ok_or_else(|| cx.interp.runtime_error(format!("value %{} of a traced function is not defined", id.0)))
    }

    /// What stands for each of `ids`.
    ///
    /// # Errors
    /// As for [`Env::get`].
    pub fn all(&self, cx: &Context<'_>, ids: &[ValueId]) -> PyResult<Vec<V>> {
        ids.iter().map(|&id| self.get(cx, id)).collect()
    }
}

/// A way to evaluate ops.
pub trait Walker {
    /// What stands for a value.
    type Value: Clone;

    /// The results of one op.
    ///
    /// # Errors
    /// What the op raises, and `NotImplementedError` where there is no rule for it.
    fn op(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        id: OpId,
        env: &mut Env<Self::Value>,
    ) -> PyResult<Vec<Self::Value>>;

    /// Evaluates a region whose parameters are bound, and gives what it yields.
    ///
    /// # Errors
    /// As for [`Walker::op`].
    fn region(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        region: RegionId,
        env: &mut Env<Self::Value>,
    ) -> PyResult<Vec<Self::Value>> {
        for &id in &function.region(region).ops {
            let results = at(cx, function, id, || self.op(cx, function, id, env))?;
            env.set_all(&function.op(id).results, results);
        }
        env.all(cx, &function.region(region).yields)
    }
}

/// Runs `run` so that what it stages comes from where op `id` came from.
pub fn at<T>(cx: &Context<'_>, function: &Function, id: OpId, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let location = function.location(id).clone();
    let span = location.span;
    let outer = cx.state.place.replace(Some(location));
    let result = cx.interp.at(span, run);
    cx.state.place.replace(outer);
    result
}

/// Runs Python code from inside a rule: what it stages comes from where it is itself.
pub fn in_python<T>(cx: &Context<'_>, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let outer = cx.state.place.replace(None);
    let result = run();
    cx.state.place.replace(outer);
    result
}

/// The integer that an operand is known to be.
pub fn known_int(function: &Function, value: ValueId) -> Option<i64> {
    let op: &OpData = function.op(function.definition(value)?);
    let array = op.attributes.array("value").filter(|_| op.op.name == "constant")?;
    array.item()?.as_int().and_then(|n| i64::try_from(n).ok())
}
