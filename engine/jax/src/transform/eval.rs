//! Evaluates a traced function as it is: with tiles.

use super::custom;
use super::loops;
use super::walk::{Env, Walker};
use crate::context::Context;
use crate::lax::control;
use crate::pallas;
use crate::tile::Tile;
use pallas_ir::{Attribute, ControlOp, Function, OpId, OpKind};
use pallas_python::raise::PyResult;

/// The walker.
pub struct Plain;

impl Walker for Plain {
    type Value = Tile;

    fn op(&mut self, cx: &Context<'_>, function: &Function, id: OpId, env: &mut Env<Tile>) -> PyResult<Vec<Tile>> {
        let op = function.op(id);
        let operands = env.all(cx, &op.operands)?;
        let region = |index: usize| function.region(op.regions[index]);
        match &op.op.kind {
            OpKind::Control(ControlOp::For) => {
                loops::for_loop(cx, &operands[0], &operands[1], &operands[2..], &mut |index, carries| {
                    env.set_all(&region(0).params, std::iter::once(index).chain(carries));
                    self.region(cx, function, op.regions[0], env)
                })
            }
            OpKind::Control(ControlOp::While) => {
                let (mut testing, mut running) = (env.clone(), env.clone());
                loops::while_loop(
                    cx,
                    &operands,
                    &mut |carries| {
                        testing.set_all(&region(0).params, carries);
                        let yields = Plain.region(cx, function, op.regions[0], &mut testing)?;
                        yields.into_iter().next().ok_or_else(|| no_verdict(cx))
                    },
                    &mut |carries| {
                        running.set_all(&region(1).params, carries);
                        self.region(cx, function, op.regions[1], &mut running)
                    },
                )
            }
            OpKind::Control(ControlOp::Cond) => loops::branch(cx, &operands[0], op.regions.len(), &mut |index| {
                self.region(cx, function, op.regions[index], env)
            }),
            OpKind::Control(ControlOp::Call) => {
                if let Some(results) = custom::again(cx, function, op, env, &operands)? {
                    return Ok(results);
                }
                env.set_all(&region(0).params, operands);
                self.region(cx, function, op.regions[0], env)
            }
            OpKind::Launch => match op.attributes.get("launch") {
                Some(Attribute::Launch(launch)) => pallas::call::apply(cx, launch, &operands),
                _ => Err(cx.interp.runtime_error("a launch op without its launch".to_string())),
            },
            OpKind::Effect(_) => {
                control::effect(cx, op.op.0, &operands, op.attributes.clone())?;
                Ok(Vec::new())
            }
            OpKind::Pure { .. } => {
                let operands: Vec<&Tile> = operands.iter().collect();
                Ok(cx.bind_all(op.op.0, &operands, op.attributes.clone())?.into_vec())
            }
            OpKind::Control(ControlOp::Scoped | ControlOp::Pipeline)
            | OpKind::Memory(_)
            | OpKind::Program(_)
            | OpKind::Copy(_)
            | OpKind::Semaphore(_)
            | OpKind::Agent(_) => Err(unsupported(cx, "transformation", op.op.name)),
        }
    }
}

/// A loop without a test.
pub fn no_verdict(cx: &Context<'_>) -> Box<pallas_python::Stop> {
    cx.interp.runtime_error("the condition of a loop yields nothing".to_string())
}

/// There is no rule for an op.
pub fn unsupported(cx: &Context<'_>, what: &str, op: &str) -> Box<pallas_python::Stop> {
    cx.interp.error(
        &cx.interp.types().not_implemented_error,
        format!("the {what} of `{op}` is not provided by the workbench yet"),
    )
}
