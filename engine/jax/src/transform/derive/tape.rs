//! The forward pass of a reverse derivative: evaluates a function and keeps what the way back will need.
//!
//! Bodies of loops are run once forwards, keeping the carries of every round that the way back reads, and evaluated again
//! on the way back: memory grows with the carries, not with everything in the body.

use super::{Derivative, Pullback, active, derivative, undifferentiable, vjp, zeros_like};
use crate::array::ArrayObject;
use crate::context::Context;
use crate::lax::control::set_row;
use crate::primitive;
use crate::tile::Tile;
use crate::transform::custom::{self, CustomRule, ForwardRule};
use crate::transform::eval::{Plain, unsupported};
use crate::transform::flow::Dependent;
use crate::transform::loops;
use crate::transform::stage::{Outcome, stage_at};
use crate::transform::walk::{Env, Walker, at, known_int};
use pallas_ir::{ControlOp, Function, OpData, OpId, OpKind, RegionId, TensorType, ValueId, ops};
use pallas_python::raise::{Diagnosis, PyResult};
use pallas_python::value::Value;
use pallas_tensor::{DType, Scalar};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What an op left for the way back besides its operands and results.
pub(super) enum Residual {
    /// The carries of each round, stacked, that the body's way back reads.
    Loop(Vec<(ValueId, Tile)>),
    /// What `custom_vjp`'s forward function kept.
    Custom(Vec<Tile>),
    /// The way back through the tangents of a `custom_jvp` function.
    Linear(Rc<Pullback>),
}

/// The walker.
pub(super) struct Recorder<'a> {
    pub(super) active: &'a Dependent,
    pub(super) residuals: &'a mut HashMap<OpId, Residual>,
    /// Where only some values are asked for: those.
    pub(super) wanted: Option<&'a HashSet<ValueId>>,
}

impl Recorder<'_> {
    /// Evaluates the ops of a region; what it yields may not be among what is wanted.
    pub(super) fn record(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        region: RegionId,
        env: &mut Env<Tile>,
    ) -> PyResult<()> {
        for &id in &function.region(region).ops {
            let results = crate::transform::walk::at(cx, function, id, || self.op(cx, function, id, env))?;
            env.set_all(&function.op(id).results, results);
        }
        Ok(())
    }
}

impl Walker for Recorder<'_> {
    type Value = Tile;

    fn op(&mut self, cx: &Context<'_>, function: &Function, id: OpId, env: &mut Env<Tile>) -> PyResult<Vec<Tile>> {
        let op = function.op(id);
        let effect = matches!(op.op.kind, OpKind::Effect(_));
        if let Some(wanted) = self.wanted
            && (effect || !op.results.iter().any(|result| wanted.contains(result)))
        {
            // What a loop's body prints was printed on the way there.
            return Ok(Vec::new());
        }
        if !op.results.iter().any(|result| self.active.contains(result)) {
            return Plain.op(cx, function, id, env);
        }
        match op.op.kind {
            OpKind::Control(ControlOp::For) => self.for_loop(cx, function, id, env),
            OpKind::Control(ControlOp::While) => Err(cx.interp.value_error(
                "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop \
                 values. Try using lax.scan, or using fori_loop with static start/stop."
                    .to_string(),
            )),
            OpKind::Control(ControlOp::Call) => self.call(cx, function, id, env),
            OpKind::Control(ControlOp::Cond) => Plain.op(cx, function, id, env),
            OpKind::Launch => Err(no_gradient(cx)),
            OpKind::Pure { .. } => match derivative(op.op.0) {
                Some(_) => Plain.op(cx, function, id, env),
                None => Err(undifferentiable(cx, op.op.name)),
            },
            _ => Err(unsupported(cx, "derivative", op.op.name)),
        }
    }
}

/// A launch has tangents and no way back.
fn no_gradient(cx: &Context<'_>) -> Box<pallas_python::Stop> {
    cx.interp.error_with(
        &cx.interp.types().value_error,
        "Linearization failed to produce known values for all output primals. This is typically caused by \
         attempting to differentiate a function uses an operation that does not support reverse-mode autodiff.",
        Diagnosis {
            help: Some(
                "a launch has no gradient of its own: put it into a function with `jax.custom_vjp`, whose backward \
                 rule launches a kernel for the gradients"
                    .to_string(),
            ),
            ..Diagnosis::default()
        },
    )
}

/// Refuses launches that depend on the `wanted` parameters, but for those in functions with rules of their own: JAX makes a linear
/// function of what has a way back.
///
/// # Errors
/// For the first launch.
pub fn check_linear(cx: &Context<'_>, function: &Function, wanted: &[bool]) -> PyResult<()> {
    let active = seeded(function, wanted);
    let mut regions = vec![function.body];
    while let Some(region) = regions.pop() {
        for &id in &function.region(region).ops {
            let op = function.op(id);
            let is_active = op.results.iter().any(|result| active.contains(result));
            match op.op.kind {
                OpKind::Launch if is_active => return at(cx, function, id, || Err(no_gradient(cx))),
                OpKind::Control(_) if custom::rule_of(cx, op).is_none() => regions.extend(&op.regions),
                _ => {}
            }
        }
    }
    Ok(())
}

impl Recorder<'_> {
    fn for_loop(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        id: OpId,
        env: &mut Env<Tile>,
    ) -> PyResult<Vec<Tile>> {
        let op = function.op(id);
        let (lower, upper) = bounds(cx, function, op)?;
        let rounds = usize::try_from(upper.saturating_sub(lower)).unwrap_or(0);
        let body = op.regions[0];
        let operands = env.all(cx, &op.operands)?;
        let needed = needed(function, body, self.active);
        let params = &function.region(body).params;
        let kept: Vec<usize> = (1..params.len()).filter(|&index| needed.contains(&params[index])).collect();
        let mut carries = operands[2..].to_vec();
        for &index in &kept {
            let ty = operands[index + 1].ty();
            let shape = std::iter::once(rounds).chain(ty.shape.iter().copied()).collect();
            carries.push(primitive::full(cx, &shape, ty.dtype, primitive::zero_scalar(ty.dtype))?);
        }
        let count = operands.len() - 2;
        let first = primitive::scalar(operands[0].dtype(), Scalar::Int(lower.into()));
        let results = loops::for_loop(cx, &operands[0], &operands[1], &carries, &mut |index, carries| {
            let round = primitive::binary(cx, &ops::SUB, &index, &first)?;
            let (now, stacks) = carries.split_at(count);
            env.set_all(params, std::iter::once(index).chain(now.iter().cloned()));
            let mut next = Plain.region(cx, function, body, env)?;
            for (stack, &index) in stacks.iter().zip(&kept) {
                next.push(set_row(cx, stack, &round, &now[index - 1])?);
            }
            Ok(next)
        })?;
        let (results, stacks) = results.split_at(count);
        let stacks = kept.iter().map(|&index| params[index]).zip(stacks.iter().cloned()).collect();
        self.residuals.insert(id, Residual::Loop(stacks));
        Ok(results.to_vec())
    }

    fn call(&mut self, cx: &Context<'_>, function: &Function, id: OpId, env: &mut Env<Tile>) -> PyResult<Vec<Tile>> {
        let op = function.op(id);
        let operands = env.all(cx, &op.operands)?;
        match custom::rule_of(cx, op) {
            None | Some(CustomRule::Mapping(_)) => {
                let region = op.regions[0];
                env.set_all(&function.region(region).params, operands);
                self.record(cx, function, region, env)?;
                env.all(cx, &function.region(region).yields)
            }
            Some(CustomRule::Reverse(rule)) => {
                let (results, kept) = rule.forward(cx, &operands)?;
                self.residuals.insert(id, Residual::Custom(kept));
                Ok(results)
            }
            Some(CustomRule::Forward(rule)) => {
                let (results, back) = linearized(cx, &*rule, &operands)?;
                self.residuals.insert(id, Residual::Linear(Rc::new(back)));
                Ok(results)
            }
        }
    }
}

/// The results of a `custom_jvp` function, and the way back through its tangents.
fn linearized(cx: &Context<'_>, rule: &dyn ForwardRule, operands: &[Tile]) -> PyResult<(Vec<Tile>, Pullback)> {
    let count = operands.len();
    let types: Vec<TensorType> = operands.iter().chain(operands).map(Tile::ty).collect();
    let outcome = stage_at(cx, "custom_jvp", true, &types, operands, |tiles| {
        let (primals, tangents) = tiles.split_at(count);
        let (mut results, tangents) = rule.jvp(cx, primals, tangents)?;
        results.extend(tangents);
        Ok(Value::tuple(results.into_iter().map(|tile| Value::object(ArrayObject { tile })).collect::<Vec<_>>()))
    })?;
    let Outcome::Staged(staged) = outcome else {
        return Err(cx.interp.runtime_error("a derivative gave something unknown".to_string()));
    };
    let mut arguments = operands.to_vec();
    for operand in operands {
        arguments.push(zeros_like(cx, operand)?);
    }
    let mut wanted = vec![false; count];
    wanted.resize(2 * count, true);
    arguments.extend(staged.lifted);
    wanted.resize(arguments.len(), false);
    let (mut results, back) = vjp(cx, staged.function, arguments, &wanted)?;
    results.truncate(results.len() / 2);
    Ok((results, back))
}

/// The bounds of a loop whose way back is asked for; they have to be known.
pub(super) fn bounds(cx: &Context<'_>, function: &Function, op: &OpData) -> PyResult<(i64, i64)> {
    match (known_int(function, op.operands[0]), known_int(function, op.operands[1])) {
        (Some(lower), Some(upper)) => Ok((lower, upper)),
        _ => Err(cx.interp.value_error(
            "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop \
             values. Try using lax.scan, or using fori_loop with static start/stop."
                .to_string(),
        )),
    }
}

/// The values of a region that its way back reads, and everything they are computed from.
pub(super) fn needed(function: &Function, region: RegionId, active: &Dependent) -> HashSet<ValueId> {
    let mut needed = HashSet::new();
    for &id in function.region(region).ops.iter().rev() {
        let op = function.op(id);
        if op.results.iter().any(|result| active.contains(result)) {
            reads(function, op, &mut needed);
        }
        if op.results.iter().any(|result| needed.contains(result)) {
            needed.extend(&op.operands);
            for &inner in &op.regions {
                needed.extend(captured(function, inner));
            }
        }
    }
    needed
}

/// What the way back through one op reads.
fn reads(function: &Function, op: &OpData, needed: &mut HashSet<ValueId>) {
    match op.op.kind {
        OpKind::Pure { .. } => match derivative(op.op.0) {
            None | Some(Derivative::Zero) => {}
            Some(Derivative::Linear(_)) => {
                let whole = |id: &&ValueId| !function.ty(**id).dtype().is_float();
                needed.extend(op.operands.iter().filter(whole));
            }
            Some(Derivative::Diagonal { .. } | Derivative::General(..)) => {
                needed.extend(&op.operands);
                needed.extend(&op.results);
            }
        },
        // These leave residuals: they have to be run.
        _ => needed.extend(&op.results),
    }
}

/// Values that a region uses and that are defined outside of it.
pub(super) fn captured(function: &Function, region: RegionId) -> Vec<ValueId> {
    fn note(id: ValueId, inside: &HashSet<ValueId>, found: &mut Vec<ValueId>) {
        if !inside.contains(&id) && !found.contains(&id) {
            found.push(id);
        }
    }
    fn collect(function: &Function, region: RegionId, inside: &mut HashSet<ValueId>, found: &mut Vec<ValueId>) {
        let region = function.region(region);
        inside.extend(&region.params);
        for &id in &region.ops {
            let op = function.op(id);
            op.operands.iter().for_each(|&operand| note(operand, inside, found));
            for &inner in &op.regions {
                collect(function, inner, inside, found);
            }
            inside.extend(&op.results);
        }
        region.yields.iter().for_each(|&id| note(id, inside, found));
    }
    let (mut inside, mut found) = (HashSet::new(), Vec::new());
    collect(function, region, &mut inside, &mut found);
    found
}

/// The types that stand for values which were not computed.
pub(super) fn or_type(function: &Function, env: &Env<Tile>, id: ValueId) -> Tile {
    match (env.find(id), function.ty(id).tensor()) {
        (Some(tile), _) => tile.clone(),
        (None, Some(ty)) => Tile::Abstract(ty.clone()),
        (None, None) => Tile::Abstract(TensorType::scalar(DType::F32)),
    }
}

/// Active values that regions of an op use from outside.
pub(super) fn captured_active(function: &Function, op: &OpData, active: &Dependent) -> Vec<ValueId> {
    let mut found = Vec::new();
    for &region in &op.regions {
        for id in captured(function, region) {
            if active.contains(&id) && !found.contains(&id) {
                found.push(id);
            }
        }
    }
    found
}

/// What has a tangent if these parameters do.
pub(super) fn seeded(function: &Function, wanted: &[bool]) -> Dependent {
    let seeds = function.params().iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(&param, _)| param);
    active(function, seeds.collect::<Vec<_>>())
}
