//! What values are known to be while a function is differentiated outside of `jit`. JAX computes primal values as it goes
//! there, so that Python may branch on them. Here the function is traced first, and a value is computed when Python asks
//! for it: by the ops that lead to it, from the arguments. Inside of `jit`, kernels, loops and branches nothing is known,
//! as in JAX.

use super::derive::active;
use super::eval::Plain;
use super::walk::{Env, Walker};
use crate::context::Context;
use crate::text;
use crate::tile::{Tile, Traced};
use crate::trace::Trace;
use pallas_ir::{Function, OpId, OpKind, RegionId, ValueId};
use pallas_python::raise::PyResult;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What a trace knows of its values.
#[derive(Default)]
pub struct Primals {
    /// Arguments, operands of calls by the parameters that stand for them, and what was computed since.
    values: RefCell<HashMap<ValueId, Tile>>,
    /// Ops by their results, as far as they have been looked at.
    definitions: RefCell<(usize, HashMap<ValueId, OpId>)>,
    /// Bodies of calls, whose parameters are known.
    calls: RefCell<HashSet<RegionId>>,
    /// How many functions are being traced by `jit` inside: their values are not known.
    sealed: Cell<u32>,
    /// In analysis: values are known when the program runs, not now.
    undecided: bool,
    /// Whether JAX goes forwards and backwards, which its tracers show.
    reverse: bool,
}

/// Lets a trace know the arguments that its parameters stand for, if JAX would: not inside of what is staged.
pub fn learn(cx: &Context<'_>, trace: &Rc<Trace>, transformation: &str, params: &[Tile], arguments: &[Tile]) {
    let traces = cx.state.traces.borrow();
    let staged = |open: &Rc<Trace>| !open.is_transform() || open.primals().is_some_and(|p| p.sealed.get() > 0);
    if traces.iter().any(staged) {
        return;
    }
    let reverse = matches!(transformation, "grad" | "vjp" | "jacrev" | "linearize");
    let primals = Primals { undecided: cx.interp.is_analysis(), reverse, ..Primals::default() };
    bind(&primals, params, arguments);
    trace.set_primals(primals);
}

/// The parameters of the body of a call stand for its operands.
pub fn enter_call(trace: &Rc<Trace>, params: &[Tile], operands: &[Tile]) {
    if let Some(primals) = trace.primals() {
        primals.calls.borrow_mut().insert(trace.region());
        bind(primals, params, operands);
    }
}

fn bind(primals: &Primals, params: &[Tile], tiles: &[Tile]) {
    for (param, tile) in params.iter().zip(tiles) {
        if let Tile::Traced(traced) = param {
            primals.values.borrow_mut().insert(traced.value, tile.clone());
        }
    }
}

/// Nothing is known while it lasts: a function is staged in place.
pub struct Sealed(Vec<Rc<Trace>>);

/// Seals what is being differentiated.
pub fn seal(cx: &Context<'_>) -> Sealed {
    let traces: Vec<Rc<Trace>> = cx.state.traces.borrow().iter().filter(|t| t.primals().is_some()).cloned().collect();
    let sealed = Sealed(traces);
    sealed.each(|count| count + 1);
    sealed
}

impl Sealed {
    fn each(&self, next: impl Fn(u32) -> u32) {
        for primals in self.0.iter().filter_map(|trace| trace.primals()) {
            primals.sealed.set(next(primals.sealed.get()));
        }
    }
}

impl Drop for Sealed {
    fn drop(&mut self) {
        self.each(|count| count.saturating_sub(1));
    }
}

/// Whether analysis has to do without a value that a run will know.
pub fn is_undecided(tile: &Tile) -> bool {
    let Tile::Traced(traced) = tile else { return matches!(tile, Tile::Abstract(_)) };
    open(traced).is_some_and(|primals| primals.undecided)
}

/// What the trace of a value knows, if it may be asked for this one.
fn open(traced: &Traced) -> Option<&Primals> {
    let primals = traced.trace.primals().filter(|primals| primals.sealed.get() == 0)?;
    let here = traced.trace.is_body(traced.region) || primals.calls.borrow().contains(&traced.region);
    (here && traced.trace.is_open(traced.region)).then_some(primals)
}

/// The value of a traced tile; other tiles as they are. `None` where it is not known.
///
/// # Errors
/// What computing it raises.
pub fn value(cx: &Context<'_>, tile: &Tile) -> PyResult<Option<Tile>> {
    let Tile::Traced(traced) = tile else { return Ok(Some(tile.clone())) };
    if open(traced).is_none() || cx.trace().is_some() {
        return Ok(None);
    }
    // What leads to the value is computed, not staged again.
    let traces = cx.state.traces.take();
    let result = find(cx, &traced.trace, traced.value);
    *cx.state.traces.borrow_mut() = traces;
    result
}

/// What JAX prints of a traced value that is known; `None` where it is not, or where JAX prints what is not known here.
///
/// # Errors
/// What computing it raises.
pub fn text(cx: &Context<'_>, traced: &Traced, repr: bool) -> PyResult<Option<String>> {
    let Some(primals) = open(traced) else { return Ok(None) };
    let nested = primals.values.borrow().values().any(Tile::is_traced);
    let Some(Tile::Concrete { array, weak }) = value(cx, &Tile::Traced(traced.clone()))? else { return Ok(None) };
    let active = traced.trace.with_function(|function| {
        let own = function.params().iter().filter(|&&param| traced.trace.lifted_as(param).is_none());
        let real = own.filter(|&&param| function.ty(param).tensor().is_some_and(|ty| ty.dtype.is_float()));
        active(function, real.copied().collect::<Vec<_>>()).contains(&traced.value)
    });
    if active && (nested || !primals.reverse) {
        return Ok(None);
    }
    if !active {
        return Ok(Some(if repr { text::repr(cx.interp, &array, weak) } else { text::str(cx.interp, &array) }));
    }
    let dims: Vec<String> = traced.ty.shape.iter().map(usize::to_string).collect();
    let dtype = match traced.ty.dtype.name() {
        "bfloat16" => "bf16".to_string(),
        name => name.replace("float", "f"),
    };
    let primal = text::str(cx.interp, &array);
    Ok(Some(format!("GradTracer(primal={primal}, typeof(tangent)={dtype}[{}])", dims.join(","))))
}

fn resolve(cx: &Context<'_>, tile: &Tile) -> PyResult<Option<Tile>> {
    match tile {
        Tile::Traced(traced) => find(cx, &traced.trace, traced.value),
        known => Ok(Some(known.clone())),
    }
}

fn find(cx: &Context<'_>, trace: &Rc<Trace>, id: ValueId) -> PyResult<Option<Tile>> {
    let Some(primals) = trace.primals() else { return Ok(None) };
    let known = primals.values.borrow().get(&id).cloned();
    if let Some(tile) = known.or_else(|| trace.lifted_as(id)) {
        return resolve(cx, &tile);
    }
    trace.with_function(|function| {
        let Some(op) = primals.definition(function, id) else { return Ok(None) };
        compute(cx, trace, primals, function, op)?;
        Ok(primals.values.borrow().get(&id).cloned())
    })
}

/// Computes the results of an op, if what they need is known.
fn compute(cx: &Context<'_>, trace: &Rc<Trace>, primals: &Primals, function: &Function, id: OpId) -> PyResult<()> {
    let op = function.op(id);
    if !matches!(op.op.kind, OpKind::Pure { .. } | OpKind::Control(_)) {
        return Ok(());
    }
    let mut needed = op.operands.to_vec();
    for &region in &op.regions {
        if !free(function, region, &mut needed) {
            return Ok(());
        }
    }
    let mut env = Env::new(function);
    for value in needed {
        let Some(tile) = find(cx, trace, value)? else { return Ok(()) };
        env.set(value, tile);
    }
    let results = Plain.op(cx, function, id, &mut env)?;
    primals.values.borrow_mut().extend(op.results.iter().copied().zip(results));
    Ok(())
}

/// The values that a region takes from outside; false where it does something that must not be done twice.
fn free(function: &Function, region: RegionId, needed: &mut Vec<ValueId>) -> bool {
    let mut inside = HashSet::new();
    let mut asked = Vec::new();
    let mut regions = vec![region];
    while let Some(region) = regions.pop() {
        let region = function.region(region);
        inside.extend(region.params.iter().copied());
        asked.extend(region.yields.iter().copied());
        for &id in &region.ops {
            let op = function.op(id);
            if !matches!(op.op.kind, OpKind::Pure { .. } | OpKind::Control(_)) {
                return false;
            }
            inside.extend(op.results.iter().copied());
            asked.extend(op.operands.iter().copied());
            regions.extend(op.regions.iter().copied());
        }
    }
    needed.extend(asked.into_iter().filter(|value| !inside.contains(value)));
    true
}

impl Primals {
    fn definition(&self, function: &Function, id: ValueId) -> Option<OpId> {
        let mut table = self.definitions.borrow_mut();
        let (seen, table) = &mut *table;
        for (index, op) in function.ops.iter().enumerate().skip(*seen) {
            table.extend(op.results.iter().map(|&result| (result, OpId(index as u32))));
        }
        *seen = function.ops.len();
        table.get(&id).copied()
    }
}
