//! Calls with a derivative of their own: kept as `call` ops while a function is traced that will be differentiated,
//! replaced by their bodies otherwise.
//!
//! A rule belongs to one call. Under `vmap` it is wrapped, so that it maps what it gives.

use super::batch::{self, Axis, Lane};
use super::known;
use super::named::{self, NamedAxis};
use super::stage::{Outcome, stage};
use super::walk::{Env, Walker, in_python};
use crate::context::Context;
use crate::convert;
use crate::primitive;
use crate::tile::Tile;
use crate::trace::Trace;
use pallas_ir::{Attribute, Attributes, Function, Op, OpData, TensorType, Type, ops};
use pallas_python::raise::PyResult;
use pallas_python::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// The derivative of one call.
#[derive(Clone)]
pub enum CustomRule {
    /// By tangents (`custom_jvp`).
    Forward(Rc<dyn ForwardRule>),
    /// By cotangents (`custom_vjp`).
    Reverse(Rc<dyn ReverseRule>),
    /// Not by derivatives at all: `vmap` is defined by the program (`custom_vmap`).
    Mapping(Rc<dyn MappingRule>),
}

/// `custom_jvp`
pub trait ForwardRule {
    /// Results and their tangents; a tangent per operand is given, and one per result comes back.
    ///
    /// # Errors
    /// What the rule raises.
    fn jvp(&self, cx: &Context<'_>, primals: &[Tile], tangents: &[Tile]) -> PyResult<(Vec<Tile>, Vec<Tile>)>;
}

/// `custom_vjp`
pub trait ReverseRule {
    /// Results, and what the backward pass needs.
    ///
    /// # Errors
    /// What the rule raises.
    fn forward(&self, cx: &Context<'_>, operands: &[Tile]) -> PyResult<(Vec<Tile>, Vec<Tile>)>;

    /// Cotangents of the operands from those of the results; `None` for zero.
    ///
    /// # Errors
    /// What the rule raises.
    fn backward(&self, cx: &Context<'_>, residuals: &[Tile], cotangents: &[Tile]) -> PyResult<Vec<Option<Tile>>>;
}

/// `custom_vmap`
pub trait MappingRule {
    /// The results for all lanes.
    ///
    /// # Errors
    /// What the rule raises.
    fn map(&self, cx: &Context<'_>, operands: &[Lane], size: usize) -> PyResult<Vec<Lane>>;
}

/// Calls `body` on operands: as an op that keeps `rule` if derivatives of the operands may be asked for, else directly.
///
/// # Errors
/// What `body` raises.
pub fn call(
    cx: &Context<'_>,
    name: &str,
    rule: CustomRule,
    operands: &[Tile],
    body: &mut dyn FnMut(&[Tile]) -> PyResult<Vec<Tile>>,
) -> PyResult<Vec<Tile>> {
    let Some(trace) = keeping(cx, &rule, operands) else { return body(operands) };
    let number = {
        let mut table = cx.state.custom.borrow_mut();
        table.push(rule);
        table.len() - 1
    };
    let attributes =
        Attributes::none().with("name", Attribute::Str(name.into())).with("custom", Attribute::Int(number as i64));
    let values = operands.iter().map(|tile| cx.value_in(&trace, tile)).collect::<PyResult<Vec<_>>>()?;
    let params: Vec<Type> = values.iter().map(|&value| trace.ty(value)).collect();
    let (region, ()) = trace.in_region(&params, |inside| {
        let inside: Vec<Tile> = inside.iter().filter_map(|&value| trace.tile(value)).collect();
        known::enter_call(&trace, &inside, operands);
        let yields = body(&inside)?.iter().map(|tile| cx.value_in(&trace, tile)).collect::<PyResult<Vec<_>>>()?;
        Ok((yields, ()))
    })?;
    let results = trace.add(cx, Op(&ops::CALL), &values, attributes, &[region])?;
    Ok(results.into_iter().filter_map(|value| trace.tile(value)).collect())
}

/// The trace in which a rule matters.
pub fn keeping(cx: &Context<'_>, rule: &CustomRule, operands: &[Tile]) -> Option<Rc<Trace>> {
    match rule {
        CustomRule::Mapping(_) => cx.trace_for(operands.iter()).filter(|trace| trace.is_transform()),
        CustomRule::Forward(_) | CustomRule::Reverse(_) => differentiating(cx, operands),
    }
}

/// The trace that takes an op on these operands, if it or one around it will be differentiated.
pub fn differentiating(cx: &Context<'_>, operands: &[Tile]) -> Option<Rc<Trace>> {
    let trace = cx.trace_for(operands.iter()).filter(|trace| trace.is_transform())?;
    let traces = cx.state.traces.borrow();
    let position = traces.iter().position(|open| Rc::ptr_eq(open, &trace))?;
    traces[..=position].iter().any(|open| open.differentiates()).then_some(trace)
}

/// The rule of a `call` op.
pub fn rule_of(cx: &Context<'_>, op: &OpData) -> Option<CustomRule> {
    let number = usize::try_from(op.attributes.int("custom")?).ok()?;
    cx.state.custom.borrow().get(number).cloned()
}

/// A `call` op evaluated once more where its rule still matters; `None` where its body will do.
///
/// # Errors
/// What the body raises.
pub fn again(
    cx: &Context<'_>,
    function: &Function,
    op: &OpData,
    env: &Env<Tile>,
    operands: &[Tile],
) -> PyResult<Option<Vec<Tile>>> {
    let Some(rule) = rule_of(cx, op) else { return Ok(None) };
    let region = op.regions[0];
    let name = op.attributes.str("name").unwrap_or_default();
    let mut env = env.clone();
    call(cx, name, rule, operands, &mut |operands| {
        env.set_all(&function.region(region).params, operands.iter().cloned());
        super::eval::Plain.region(cx, function, region, &mut env)
    })
    .map(Some)
}

/// A `call` op on lanes where its rule still matters; `None` where its body will do.
///
/// # Errors
/// What the body raises.
pub fn batched(
    cx: &Context<'_>,
    op: &OpData,
    operands: &[Lane],
    axis: &Axis,
    body: &mut dyn FnMut(Vec<Lane>) -> PyResult<Vec<Lane>>,
) -> PyResult<Option<Vec<Lane>>> {
    let tiles: Vec<Tile> = operands.iter().map(|lane| lane.tile.clone()).collect();
    let rule = rule_of(cx, op);
    if let Some(CustomRule::Mapping(rule)) = rule {
        return rule.map(cx, operands, axis.size).map(Some);
    }
    let (Some(rule), Some(_)) = (rule, differentiating(cx, &tiles)) else { return Ok(None) };
    let mapped: Vec<bool> = operands.iter().map(|lane| lane.batched).collect();
    let rule = match rule {
        CustomRule::Forward(inner) => {
            CustomRule::Forward(Rc::new(BatchedForward { inner, mapped: mapped.clone(), axis: axis.clone() }))
        }
        CustomRule::Reverse(inner) => CustomRule::Reverse(Rc::new(BatchedReverse {
            inner,
            mapped: mapped.clone(),
            axis: axis.clone(),
            residuals: RefCell::default(),
        })),
        mapping @ CustomRule::Mapping(_) => mapping,
    };
    let name = op.attributes.str("name").unwrap_or_default();
    let results = call(cx, name, rule, &tiles, &mut |tiles| {
        let lanes = tiles.iter().cloned().zip(&mapped).map(|(tile, &batched)| Lane { tile, batched }).collect();
        body(lanes)?.iter().map(|lane| lane.spread(cx, axis.size)).collect()
    })?;
    Ok(Some(results.into_iter().map(Lane::batched).collect()))
}

/// Traces `run` on one lane's types and evaluates it on lanes.
fn mapped(
    cx: &Context<'_>,
    axis: &Axis,
    lanes: Vec<Lane>,
    run: impl FnOnce(&[Tile]) -> PyResult<Vec<Tile>>,
) -> PyResult<Vec<Lane>> {
    let mut types: Vec<TensorType> =
        lanes.iter().map(|lane| TensorType { shape: lane.shape(), ..lane.tile.ty() }).collect();
    // A rule may ask for the axis that the function was mapped over.
    types.extend(axis.name.as_ref().map(|_| named::lane_type()));
    let outcome = stage(cx, "vmap", false, &types, |mut tiles| {
        let lane = axis.name.as_ref().and_then(|_| tiles.pop());
        let known = axis.name.clone().zip(lane).zip(cx.innermost());
        let known = known.map(|((name, lane), trace)| NamedAxis { name, size: axis.size, trace, lane, shards: None });
        let _entered = named::enter(cx, known.into_iter().collect());
        let results = run(&tiles)?;
        Ok(Value::tuple(results.into_iter().map(|tile| convert::value(cx, tile)).collect::<Vec<_>>()))
    })?;
    match outcome {
        Outcome::Staged(staged) => {
            let count = lanes.len();
            let mut arguments = lanes;
            if axis.name.is_some() {
                let param = staged.function.params()[count];
                arguments.push(named::lane_numbers(cx, &staged.function, param, axis.size)?);
            }
            arguments.extend(staged.lifted.into_iter().map(Lane::shared));
            batch::batch(cx, &staged.function, arguments, axis)
        }
        Outcome::Unknown(_) => Err(cx.interp.runtime_error("a derivative gave something unknown".to_string())),
    }
}

struct BatchedForward {
    inner: Rc<dyn ForwardRule>,
    mapped: Vec<bool>,
    axis: Axis,
}

impl ForwardRule for BatchedForward {
    fn jvp(&self, cx: &Context<'_>, primals: &[Tile], tangents: &[Tile]) -> PyResult<(Vec<Tile>, Vec<Tile>)> {
        let flags = self.mapped.iter().chain(&self.mapped);
        let lanes = primals.iter().chain(tangents).cloned().zip(flags);
        let lanes = lanes.map(|(tile, &batched)| Lane { tile, batched }).collect();
        let count = primals.len();
        let results = mapped(cx, &self.axis, lanes, |tiles| {
            let (primals, tangents) = tiles.split_at(count);
            let (mut results, tangents) = self.inner.jvp(cx, primals, tangents)?;
            results.extend(tangents);
            Ok(results)
        })?;
        let mut tiles = results.iter().map(|lane| lane.spread(cx, self.axis.size)).collect::<PyResult<Vec<_>>>()?;
        let tangents = tiles.split_off(tiles.len() / 2);
        Ok((tiles, tangents))
    }
}

struct BatchedReverse {
    inner: Rc<dyn ReverseRule>,
    mapped: Vec<bool>,
    axis: Axis,
    /// Which residuals have lanes.
    residuals: RefCell<Vec<bool>>,
}

impl ReverseRule for BatchedReverse {
    fn forward(&self, cx: &Context<'_>, operands: &[Tile]) -> PyResult<(Vec<Tile>, Vec<Tile>)> {
        let lanes = operands.iter().cloned().zip(&self.mapped);
        let lanes = lanes.map(|(tile, &batched)| Lane { tile, batched }).collect();
        let mut count = 0;
        let mut results = mapped(cx, &self.axis, lanes, |tiles| {
            let (mut results, residuals) = self.inner.forward(cx, tiles)?;
            count = results.len();
            results.extend(residuals);
            Ok(results)
        })?;
        let residuals = results.split_off(count);
        *self.residuals.borrow_mut() = residuals.iter().map(|lane| lane.batched).collect();
        let results = results.iter().map(|lane| lane.spread(cx, self.axis.size)).collect::<PyResult<Vec<_>>>()?;
        Ok((results, residuals.into_iter().map(|lane| lane.tile).collect()))
    }

    fn backward(&self, cx: &Context<'_>, residuals: &[Tile], cotangents: &[Tile]) -> PyResult<Vec<Option<Tile>>> {
        let flags = self.residuals.borrow().clone();
        let lanes = residuals.iter().cloned().zip(flags).map(|(tile, batched)| Lane { tile, batched });
        let lanes = lanes.chain(cotangents.iter().cloned().map(Lane::batched)).collect();
        let count = residuals.len();
        let mut present = Vec::new();
        let results = mapped(cx, &self.axis, lanes, |tiles| {
            let (residuals, cotangents) = tiles.split_at(count);
            let given = self.inner.backward(cx, residuals, cotangents)?;
            present = given.iter().map(Option::is_some).collect();
            Ok(given.into_iter().flatten().collect())
        })?;
        let mut results = results.into_iter();
        present
            .into_iter()
            .zip(&self.mapped)
            .map(|(present, &mapped)| {
                if !present {
                    return Ok(None);
                }
                let Some(lane) = results.next() else { return Ok(None) };
                if mapped {
                    return lane.spread(cx, self.axis.size).map(Some);
                }
                // Every lane saw the same operand, so its cotangent is the sum of theirs.
                let tile = lane.spread(cx, self.axis.size)?;
                primitive::reduce(cx, &ops::REDUCE_SUM, &tile, &[0]).map(Some)
            })
            .collect()
    }
}

/// A Python call that gives a pytree of arrays, from a rule.
///
/// # Errors
/// What the function raises.
pub fn python(cx: &Context<'_>, function: &Value, arguments: Vec<Value>) -> PyResult<Value> {
    in_python(cx, || cx.interp.call_values(function, arguments))
}

/// A function from tiles to a tile.
pub type TileFunction = Rc<dyn Fn(&Context<'_>, &[Tile]) -> PyResult<Tile>>;

/// A function of this crate with tangents of its own.
struct Native<F>(F);

impl<F> ForwardRule for Native<F>
where
    F: Fn(&Context<'_>, &[Tile], &[Tile]) -> PyResult<(Tile, Tile)>,
{
    fn jvp(&self, cx: &Context<'_>, primals: &[Tile], tangents: &[Tile]) -> PyResult<(Vec<Tile>, Vec<Tile>)> {
        let (result, tangent) = (self.0)(cx, primals, tangents)?;
        Ok((vec![result], vec![tangent]))
    }
}

/// Calls a function of this crate that has tangents of its own: `jvp(primals, tangents)` gives result and tangent.
///
/// # Errors
/// What `body` raises.
pub fn native(
    cx: &Context<'_>,
    name: &str,
    operands: &[Tile],
    body: TileFunction,
    jvp: impl Fn(&Context<'_>, &[Tile], &[Tile]) -> PyResult<(Tile, Tile)> + 'static,
) -> PyResult<Tile> {
    if differentiating(cx, operands).is_none() {
        return body(cx, operands);
    }
    let rule = CustomRule::Forward(Rc::new(Native(jvp)));
    let mut results = call(cx, name, rule, operands, &mut |operands| Ok(vec![body(cx, operands)?]))?;
    results.pop().ok_or_else(|| cx.interp.runtime_error(format!("{name} gave nothing")))
}

/// The operand as a constant to derivatives (`lax.stop_gradient`); the operand itself where none will be taken.
///
/// # Errors
/// None that is not a mistake of this crate.
pub fn stop_gradient(cx: &Context<'_>, x: &Tile) -> PyResult<Tile> {
    if !x.dtype().is_float() || differentiating(cx, std::slice::from_ref(x)).is_none() {
        return Ok(x.clone());
    }
    cx.bind(&ops::STOP_GRADIENT, &[x], Attributes::none())
}
