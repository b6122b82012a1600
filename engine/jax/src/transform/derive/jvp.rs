//! Forward: evaluates a traced function on pairs of a value and its tangent.

use super::kernel::Place;
use super::{Derivative, Point, active, derivative, instantiate, undifferentiable};
use crate::context::Context;
use crate::tile::Tile;
use crate::transform::eval::Plain;
use crate::transform::flow::Dependent;
use crate::transform::walk::{Env, Walker};
use pallas_ir::{ControlOp, Function, OpData, OpId, OpKind, ValueId};
use pallas_python::raise::PyResult;
use std::collections::HashMap;

/// A value and its tangent; `None` for zero.
#[derive(Clone)]
pub struct Dual {
    /// The value.
    pub primal: Tile,
    /// Its tangent.
    pub tangent: Option<Tile>,
}

impl Dual {
    /// A value that does not change.
    pub fn constant(primal: Tile) -> Self {
        Dual { primal, tangent: None }
    }
}

/// Evaluates `function` on pairs.
///
/// # Errors
/// What its ops raise; `NotImplementedError` where an op has no derivative.
pub fn jvp(cx: &Context<'_>, function: &Function, arguments: Vec<Dual>) -> PyResult<Vec<Dual>> {
    let seeds = function.params().iter().zip(&arguments).filter(|(_, dual)| dual.tangent.is_some());
    let active = active(function, seeds.map(|(&param, _)| param).collect::<Vec<_>>());
    let mut env = Env::new(function);
    env.set_all(function.params(), arguments);
    Pushing { active, places: HashMap::new() }.region(cx, function, function.body, &mut env)
}

/// The walker.
pub(super) struct Pushing {
    /// Values that have a tangent.
    pub(super) active: Dependent,
    /// In a kernel: what stands for its Refs.
    pub(super) places: HashMap<ValueId, Place>,
}

impl Walker for Pushing {
    type Value = Dual;

    fn op(&mut self, cx: &Context<'_>, function: &Function, id: OpId, env: &mut Env<Dual>) -> PyResult<Vec<Dual>> {
        let op = function.op(id);
        match op.op.kind {
            OpKind::Memory(_) => return self.memory(cx, op, env),
            OpKind::Program(_) => return self.program(cx, op),
            OpKind::Control(ControlOp::Scoped) => return self.scoped(cx, function, op, env),
            _ => {}
        }
        let operands = env.all(cx, &op.operands)?;
        if let OpKind::Control(kind) = op.op.kind {
            return self.control(cx, function, op, kind, operands, env);
        }
        if matches!(op.op.kind, OpKind::Launch) && operands.iter().any(|dual| dual.tangent.is_some()) {
            return super::kernel::launch(cx, op, &operands);
        }
        let mut plain = Env::new(function);
        plain.set_all(&op.operands, operands.iter().map(|dual| dual.primal.clone()));
        let results = Plain.op(cx, function, id, &mut plain)?;
        let tangents = if operands.iter().any(|dual| dual.tangent.is_some()) {
            let primals: Vec<Tile> = operands.iter().map(|dual| dual.primal.clone()).collect();
            let given: Vec<Option<Tile>> = operands.into_iter().map(|dual| dual.tangent).collect();
            tangents(cx, op, &primals, &results, &given)?
        } else {
            vec![None; results.len()]
        };
        Ok(results.into_iter().zip(tangents).map(|(primal, tangent)| Dual { primal, tangent }).collect())
    }
}

/// Tangents of the results of a pure op.
pub(super) fn tangents(
    cx: &Context<'_>,
    op: &OpData,
    primals: &[Tile],
    results: &[Tile],
    given: &[Option<Tile>],
) -> PyResult<Vec<Option<Tile>>> {
    if results.iter().all(|result| !result.dtype().is_float()) {
        return Ok(vec![None; results.len()]);
    }
    let at = Point { op: op.op.0, attributes: &op.attributes, operands: primals, results };
    match derivative(op.op.0) {
        None => Err(undifferentiable(cx, op.op.name)),
        Some(Derivative::Zero) => Ok(vec![None; results.len()]),
        Some(Derivative::Diagonal { forward, .. }) => match given.first() {
            Some(Some(tangent)) => Ok(vec![Some(forward(cx, &at, tangent)?)]),
            _ => Ok(vec![None]),
        },
        Some(Derivative::General(forward, _)) => forward(cx, &at, given),
        Some(Derivative::Linear(_)) => {
            let operands = primals
                .iter()
                .zip(given)
                .map(|(primal, tangent)| {
                    if primal.dtype().is_float() {
                        instantiate(cx, tangent.clone(), primal)
                    } else {
                        Ok(primal.clone())
                    }
                })
                .collect::<PyResult<Vec<_>>>()?;
            let operands: Vec<&Tile> = operands.iter().collect();
            let tangents = cx.bind_all(op.op.0, &operands, op.attributes.clone())?;
            Ok(tangents.into_iter().map(Some).collect())
        }
    }
}
