//! Forward through loops, branches and calls: the tangents of carries are carried beside them.

use super::jvp::{Dual, Pushing};
use super::{instantiate, zeros_like};
use crate::context::Context;
use crate::tile::Tile;
use crate::transform::custom::{self, CustomRule};
use crate::transform::eval::{Plain, no_verdict, unsupported};
use crate::transform::loops;
use crate::transform::walk::{Env, Walker};
use pallas_ir::{ControlOp, Function, OpData, ValueId};
use pallas_python::raise::PyResult;

impl Pushing {
    /// An op with regions.
    pub(super) fn control(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        op: &OpData,
        kind: ControlOp,
        operands: Vec<Dual>,
        env: &mut Env<Dual>,
    ) -> PyResult<Vec<Dual>> {
        let moving: Vec<bool> = op.results.iter().map(|result| self.active.contains(result)).collect();
        match kind {
            ControlOp::For => {
                let carries = flat(cx, &operands[2..], &moving)?;
                let (lower, upper) = (&operands[0].primal, &operands[1].primal);
                let results = loops::for_loop(cx, lower, upper, &carries, &mut |index, carries| {
                    let params = &function.region(op.regions[0]).params;
                    let counter = Dual::constant(index);
                    env.set_all(params, std::iter::once(counter).chain(paired(carries, &moving)));
                    let yields = self.region(cx, function, op.regions[0], env)?;
                    flat(cx, &yields, &moving)
                })?;
                Ok(paired(results, &moving))
            }
            ControlOp::While => {
                let carries = flat(cx, &operands, &moving)?;
                let mut testing = primals(env, function);
                let results = loops::while_loop(
                    cx,
                    &carries,
                    &mut |carries| {
                        testing.set_all(&function.region(op.regions[0]).params, carries);
                        let yields = Plain.region(cx, function, op.regions[0], &mut testing)?;
                        yields.into_iter().next().ok_or_else(|| no_verdict(cx))
                    },
                    &mut |carries| {
                        env.set_all(&function.region(op.regions[1]).params, paired(carries, &moving));
                        let yields = self.region(cx, function, op.regions[1], env)?;
                        flat(cx, &yields, &moving)
                    },
                )?;
                Ok(paired(results, &moving))
            }
            ControlOp::Cond => {
                let results = loops::branch(cx, &operands[0].primal, op.regions.len(), &mut |index| {
                    let yields = self.region(cx, function, op.regions[index], env)?;
                    flat(cx, &yields, &moving)
                })?;
                Ok(paired(results, &moving))
            }
            ControlOp::Call => {
                let rule = custom::rule_of(cx, op).filter(|_| operands.iter().any(|dual| dual.tangent.is_some()));
                match rule {
                    Some(CustomRule::Forward(rule)) => {
                        let primals: Vec<Tile> = operands.iter().map(|dual| dual.primal.clone()).collect();
                        let mut tangents = Vec::with_capacity(operands.len());
                        for dual in operands {
                            tangents.push(instantiate(cx, dual.tangent, &dual.primal)?);
                        }
                        let (results, tangents) = rule.jvp(cx, &primals, &tangents)?;
                        let tangents = tangents.into_iter().map(|tile| tile.dtype().is_float().then_some(tile));
                        Ok(results
                            .into_iter()
                            .zip(tangents)
                            .map(|(primal, tangent)| Dual { primal, tangent })
                            .collect())
                    }
                    Some(CustomRule::Reverse(_)) => Err(cx
                        .interp
                        .type_error("can't apply forward-mode autodiff (jvp) to a custom_vjp function.".to_string())),
                    None | Some(CustomRule::Mapping(_)) => {
                        env.set_all(&function.region(op.regions[0]).params, operands);
                        self.region(cx, function, op.regions[0], env)
                    }
                }
            }
            ControlOp::Scoped | ControlOp::Pipeline => Err(unsupported(cx, "derivative", op.op.name)),
        }
    }
}

/// Values, then the tangents of those that move.
pub(super) fn flat(cx: &Context<'_>, duals: &[Dual], moving: &[bool]) -> PyResult<Vec<Tile>> {
    let mut tiles: Vec<Tile> = duals.iter().map(|dual| dual.primal.clone()).collect();
    for (dual, _) in duals.iter().zip(moving).filter(|(_, moving)| **moving) {
        tiles.push(match &dual.tangent {
            Some(tangent) => tangent.clone(),
            None => zeros_like(cx, &dual.primal)?,
        });
    }
    Ok(tiles)
}

/// The opposite of [`flat`].
pub(super) fn paired(mut tiles: Vec<Tile>, moving: &[bool]) -> Vec<Dual> {
    let mut tangents = tiles.split_off(moving.len().min(tiles.len())).into_iter();
    tiles
        .into_iter()
        .zip(moving)
        .map(|(primal, &moving)| Dual { primal, tangent: if moving { tangents.next() } else { None } })
        .collect()
}

/// The values without their tangents.
fn primals(env: &Env<Dual>, function: &Function) -> Env<Tile> {
    let mut plain = Env::new(function);
    for id in 0..function.values.len() {
        let id = ValueId(id as u32);
        if let Some(dual) = env.find(id) {
            plain.set(id, dual.primal.clone());
        }
    }
    plain
}
