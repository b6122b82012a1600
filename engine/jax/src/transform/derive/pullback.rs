//! Backward: cotangents of the parameters from cotangents of the results, op by op in reverse.

use super::tape::{Recorder, Residual, bounds, captured_active, needed, or_type, seeded};
use super::{Derivative, Point, add_any, derivative, instantiate, sum, undifferentiable, zeros};
use crate::context::Context;
use crate::lax::control::row;
use crate::primitive;
use crate::tile::Tile;
use crate::transform::custom::{self, CustomRule};
use crate::transform::eval::unsupported;
use crate::transform::flow::Dependent;
use crate::transform::loops;
use crate::transform::named;
use crate::transform::walk::{Env, Walker, at};
use pallas_ir::{Attribute, Attributes, ControlOp, Function, OpId, OpKind, RegionId, TensorType, ValueId, ops};
use pallas_python::raise::PyResult;
use pallas_tensor::Scalar;
use std::collections::HashMap;
use std::rc::Rc;

/// What a forward pass left: enough to go back any number of times.
pub struct Pullback {
    function: Rc<Function>,
    wanted: Vec<bool>,
    active: Dependent,
    env: Env<Tile>,
    residuals: HashMap<OpId, Residual>,
    varying: Vec<(Rc<str>, Dependent)>,
}

/// Evaluates `function` and keeps the way back to the `wanted` parameters.
///
/// # Errors
/// What its ops raise; `NotImplementedError` where an op has no derivative.
pub fn vjp(
    cx: &Context<'_>,
    function: Rc<Function>,
    arguments: Vec<Tile>,
    wanted: &[bool],
) -> PyResult<(Vec<Tile>, Pullback)> {
    let active = seeded(&function, wanted);
    let varying = named::varying_values(cx, &function, &arguments)?;
    let mut residuals = HashMap::new();
    let mut env = Env::new(&function);
    env.set_all(function.params(), arguments);
    let mut recorder = Recorder { active: &active, residuals: &mut residuals, wanted: None };
    let results = recorder.region(cx, &function, function.body, &mut env)?;
    Ok((results, Pullback { function, wanted: wanted.to_vec(), active, env, residuals, varying }))
}

impl Pullback {
    /// Cotangents of the parameters; `None` for zero, and where they are not wanted.
    ///
    /// # Errors
    /// What the rules raise.
    pub fn apply(&self, cx: &Context<'_>, cotangents: Vec<Option<Tile>>) -> PyResult<Vec<Option<Tile>>> {
        let mut back =
            Back { function: &self.function, active: &self.active, varying: &self.varying, given: HashMap::new() };
        let yields = &self.function.region(self.function.body).yields;
        for (&id, cotangent) in yields.iter().zip(cotangents) {
            back.add(cx, id, cotangent)?;
        }
        back.region(cx, self.function.body, &self.env, &self.residuals)?;
        let params = self.function.params().iter().zip(&self.wanted);
        Ok(params.map(|(param, &wanted)| back.given.remove(param).filter(|_| wanted)).collect())
    }
}

/// A way back under way.
struct Back<'a> {
    function: &'a Function,
    active: &'a Dependent,
    /// For axes of shards: the values that may differ along them.
    varying: &'a [(Rc<str>, Dependent)],
    /// Cotangents so far.
    given: HashMap<ValueId, Tile>,
}

impl Back<'_> {
    fn add(&mut self, cx: &Context<'_>, id: ValueId, cotangent: Option<Tile>) -> PyResult<()> {
        if !self.active.contains(&id) {
            return Ok(());
        }
        let total = sum(cx, self.given.remove(&id), cotangent)?;
        if let Some(total) = total {
            self.given.insert(id, total);
        }
        Ok(())
    }

    fn region(
        &mut self,
        cx: &Context<'_>,
        region: RegionId,
        env: &Env<Tile>,
        residuals: &HashMap<OpId, Residual>,
    ) -> PyResult<()> {
        for &id in self.function.region(region).ops.iter().rev() {
            let op = self.function.op(id);
            let cotangents: Vec<Option<Tile>> = op.results.iter().map(|result| self.given.remove(result)).collect();
            if cotangents.iter().any(Option::is_some) {
                at(cx, self.function, id, || self.op(cx, id, cotangents, env, residuals))?;
            }
        }
        Ok(())
    }

    fn op(
        &mut self,
        cx: &Context<'_>,
        id: OpId,
        cotangents: Vec<Option<Tile>>,
        env: &Env<Tile>,
        residuals: &HashMap<OpId, Residual>,
    ) -> PyResult<()> {
        let op = self.function.op(id);
        match op.op.kind {
            OpKind::Pure { .. } => self.pure(cx, id, &cotangents, env),
            OpKind::Control(ControlOp::For) => self.for_loop(cx, id, cotangents, env, residuals),
            OpKind::Control(ControlOp::Cond) => self.cond(cx, id, cotangents, env),
            OpKind::Control(ControlOp::Call) => self.call(cx, id, cotangents, env, residuals),
            _ => Err(unsupported(cx, "derivative", op.op.name)),
        }
    }

    fn pure(&mut self, cx: &Context<'_>, id: OpId, cotangents: &[Option<Tile>], env: &Env<Tile>) -> PyResult<()> {
        let op = self.function.op(id);
        let wanted: Vec<bool> = op.operands.iter().map(|operand| self.active.contains(operand)).collect();
        let operands: Vec<Tile> = op.operands.iter().map(|&id| or_type(self.function, env, id)).collect();
        let results: Vec<Tile> = op.results.iter().map(|&id| or_type(self.function, env, id)).collect();
        let point = Point { op: op.op.0, attributes: &op.attributes, operands: &operands, results: &results };
        let given = match derivative(op.op.0) {
            None => return Err(undifferentiable(cx, op.op.name)),
            Some(Derivative::Zero) => return Ok(()),
            Some(Derivative::Diagonal { reverse, .. }) => match cotangents.first() {
                Some(Some(g)) if wanted[0] => vec![Some(reverse(cx, &point, g)?)],
                _ => return Ok(()),
            },
            Some(Derivative::Linear(reverse) | Derivative::General(_, reverse)) => {
                reverse(cx, &point, cotangents, &wanted)?
            }
        };
        for (&operand, cotangent) in op.operands.iter().zip(given) {
            let cotangent = cotangent.map(|tile| self.gathered(cx, operand, &op.results, tile)).transpose()?;
            // JAX's promotion made a weak operand strong before the op; its way back makes the cotangent weak again.
            let weak = matches!(self.function.ty(operand).tensor(), Some(ty) if ty.weak);
            let cotangent = match cotangent {
                Some(tile) if weak => Some(primitive::convert(cx, &tile, tile.dtype(), true)?),
                cotangent => cotangent,
            };
            self.add(cx, operand, cotangent)?;
        }
        Ok(())
    }

    /// The cotangent of a value that is equal on all shards, where what was made of it differs: the sum over the shards.
    fn gathered(&self, cx: &Context<'_>, operand: ValueId, results: &[ValueId], cotangent: Tile) -> PyResult<Tile> {
        let differs = |along: &Dependent| !along.contains(&operand) && results.iter().any(|id| along.contains(id));
        self.varying.iter().filter(|(_, along)| differs(along)).try_fold(cotangent, |cotangent, (axis, _)| {
            let attributes = Attributes::none().with("axis_name", Attribute::Str((**axis).into()));
            cx.bind(&ops::PSUM_INVARIANT, &[&cotangent], attributes)
        })
    }

    fn ty(&self, id: ValueId) -> TensorType {
        match self.function.ty(id).tensor() {
            Some(ty) => TensorType { weak: false, ..ty.clone() },
            None => TensorType::scalar(pallas_tensor::DType::F32),
        }
    }

    /// Evaluates a region again as far as its way back needs it, and goes back through it. `cotangents` are those of what
    /// it yields; gives those of `targets`.
    fn inner(
        &self,
        cx: &Context<'_>,
        region: RegionId,
        mut env: Env<Tile>,
        cotangents: Vec<Option<Tile>>,
        targets: &[ValueId],
    ) -> PyResult<Vec<Tile>> {
        let wanted = needed(self.function, region, self.active);
        let mut residuals = HashMap::new();
        let mut recorder = Recorder { active: self.active, residuals: &mut residuals, wanted: Some(&wanted) };
        recorder.record(cx, self.function, region, &mut env)?;
        let mut back = Back { given: HashMap::new(), ..*self };
        for (&id, cotangent) in self.function.region(region).yields.iter().zip(cotangents) {
            back.add(cx, id, cotangent)?;
        }
        back.region(cx, region, &env, &residuals)?;
        targets
            .iter()
            .map(|target| match back.given.remove(target) {
                Some(tile) => Ok(tile),
                None => zeros(cx, &self.ty(*target)),
            })
            .collect()
    }

    fn for_loop(
        &mut self,
        cx: &Context<'_>,
        id: OpId,
        cotangents: Vec<Option<Tile>>,
        env: &Env<Tile>,
        residuals: &HashMap<OpId, Residual>,
    ) -> PyResult<()> {
        let op = self.function.op(id);
        let (lower, upper) = bounds(cx, self.function, op)?;
        let body = op.regions[0];
        let params = &self.function.region(body).params;
        let moving: Vec<usize> = (0..op.results.len()).filter(|&i| self.active.contains(&op.results[i])).collect();
        let outside = captured_active(self.function, op, self.active);
        let mut carries = Vec::with_capacity(moving.len() + outside.len());
        for &index in &moving {
            let like = Tile::Abstract(self.ty(op.results[index]));
            carries.push(instantiate(cx, cotangents[index].clone(), &like)?);
        }
        for &target in &outside {
            carries.push(zeros(cx, &self.ty(target))?);
        }
        let stacks = match residuals.get(&id) {
            Some(Residual::Loop(stacks)) => stacks.as_slice(),
            _ => &[],
        };
        let dtype = self.function.ty(op.operands[0]).dtype();
        let number = |value: i64| primitive::scalar(dtype, Scalar::Int(value.into()));
        let (lower, upper) = (number(lower), number(upper));
        let last = primitive::binary(cx, &ops::SUB, &upper, &number(1))?;
        let targets: Vec<ValueId> =
            moving.iter().map(|&index| params[index + 1]).chain(outside.iter().copied()).collect();
        let results = loops::for_loop(cx, &lower, &upper, &carries, &mut |step, carries| {
            // Rounds from the last to the first.
            let back = primitive::binary(cx, &ops::SUB, &step, &lower)?;
            let index = primitive::binary(cx, &ops::SUB, &last, &back)?;
            let round = primitive::binary(cx, &ops::SUB, &index, &lower)?;
            let mut env = env.clone();
            env.set(params[0], index);
            for (param, stack) in stacks {
                env.set(*param, row(cx, stack, &round)?);
            }
            let mut cotangents = vec![None; op.results.len()];
            for (&index, carry) in moving.iter().zip(&carries) {
                cotangents[index] = Some(carry.clone());
            }
            let mut next = self.inner(cx, body, env, cotangents, &targets)?;
            for (total, so_far) in next[moving.len()..].iter_mut().zip(&carries[moving.len()..]) {
                *total = add_any(cx, so_far, total)?;
            }
            Ok(next)
        })?;
        let (carried, summed) = results.split_at(moving.len());
        for (&index, cotangent) in moving.iter().zip(carried) {
            self.add(cx, op.operands[index + 2], Some(cotangent.clone()))?;
        }
        for (&target, cotangent) in outside.iter().zip(summed) {
            self.add(cx, target, Some(cotangent.clone()))?;
        }
        Ok(())
    }

    fn cond(&mut self, cx: &Context<'_>, id: OpId, cotangents: Vec<Option<Tile>>, env: &Env<Tile>) -> PyResult<()> {
        let op = self.function.op(id);
        let which = env.get(cx, op.operands[0])?;
        let targets = captured_active(self.function, op, self.active);
        let results = loops::branch(cx, &which, op.regions.len(), &mut |index| {
            self.inner(cx, op.regions[index], env.clone(), cotangents.clone(), &targets)
        })?;
        for (&target, cotangent) in targets.iter().zip(results) {
            self.add(cx, target, Some(cotangent))?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        cx: &Context<'_>,
        id: OpId,
        cotangents: Vec<Option<Tile>>,
        env: &Env<Tile>,
        residuals: &HashMap<OpId, Residual>,
    ) -> PyResult<()> {
        let op = self.function.op(id);
        let given = match (custom::rule_of(cx, op), residuals.get(&id)) {
            (None | Some(CustomRule::Mapping(_)), _) => {
                let region = self.function.region(op.regions[0]);
                for (&inner, cotangent) in region.yields.iter().zip(cotangents) {
                    self.add(cx, inner, cotangent)?;
                }
                self.region(cx, op.regions[0], env, residuals)?;
                region.params.iter().map(|param| self.given.remove(param)).collect()
            }
            (Some(CustomRule::Reverse(rule)), Some(Residual::Custom(kept))) => {
                let full = op
                    .results
                    .iter()
                    .zip(cotangents)
                    .map(|(&result, cotangent)| instantiate(cx, cotangent, &Tile::Abstract(self.ty(result))))
                    .collect::<PyResult<Vec<_>>>()?;
                rule.backward(cx, kept, &full)?
            }
            (Some(CustomRule::Forward(_)), Some(Residual::Linear(back))) => {
                let mut full = vec![None; op.results.len()];
                full.extend(cotangents);
                let mut given = back.apply(cx, full)?;
                given.drain(..op.operands.len());
                given.truncate(op.operands.len());
                given
            }
            _ => return Err(cx.interp.runtime_error(format!("`{}` left nothing for the way back", op.op.name))),
        };
        for (&operand, cotangent) in op.operands.iter().zip(given) {
            self.add(cx, operand, cotangent)?;
        }
        Ok(())
    }
}
