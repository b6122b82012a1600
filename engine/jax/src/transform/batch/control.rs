//! Loops, branches, calls and effects on lanes.

use super::{Batch, Call, Lane, Present, place};
use crate::context::Context;
use crate::lax::control as lax_control;
use crate::primitive;
use crate::tile::Tile;
use crate::transform::custom;
use crate::transform::eval::{no_verdict, unsupported};
use crate::transform::loops;
use crate::transform::walk::{Env, Walker};
use pallas_ir::{ControlOp, Function, OpData, RegionId, ValueId, ops};
use pallas_python::raise::PyResult;
use pallas_syntax::Span;
use pallas_tensor::{DType, Scalar, Shape};

impl Batch<'_> {
    /// An op with regions.
    pub(super) fn control(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        op: &OpData,
        kind: ControlOp,
        operands: Vec<Lane>,
        env: &mut Env<Lane>,
    ) -> PyResult<Vec<Lane>> {
        match kind {
            ControlOp::For if operands[0].batched || operands[1].batched => {
                self.uneven_for(cx, function, op, operands, env)
            }
            ControlOp::For => {
                let with_lanes = self.which(&op.results);
                let carries = self.tiles(cx, &operands[2..], &with_lanes)?;
                let (lower, upper) = (&operands[0].tile, &operands[1].tile);
                let results = loops::for_loop(cx, lower, upper, &carries, &mut |index, carries| {
                    let params = &function.region(op.regions[0]).params;
                    let lanes = lanes(carries, &with_lanes);
                    env.set_all(params, std::iter::once(Lane::shared(index)).chain(lanes));
                    let yields = self.region(cx, function, op.regions[0], env)?;
                    self.tiles(cx, &yields, &with_lanes)
                })?;
                Ok(lanes(results, &with_lanes).collect())
            }
            ControlOp::While => self.while_loop(cx, function, op, operands, env),
            ControlOp::Cond if operands[0].batched => self.select(cx, function, op, &operands[0].tile, env),
            ControlOp::Cond => {
                let with_lanes = self.which(&op.results);
                let results = loops::branch(cx, &operands[0].tile, op.regions.len(), &mut |index| {
                    let yields = self.region(cx, function, op.regions[index], env)?;
                    self.tiles(cx, &yields, &with_lanes)
                })?;
                Ok(lanes(results, &with_lanes).collect())
            }
            ControlOp::Call => {
                let (axis, region) = (self.axis, op.regions[0]);
                let mut body = |lanes: Vec<Lane>| {
                    env.set_all(&function.region(region).params, lanes);
                    self.region(cx, function, region, env)
                };
                match custom::batched(cx, op, &operands, axis, &mut body)? {
                    Some(results) => Ok(results),
                    None => body(operands),
                }
            }
            ControlOp::Scoped | ControlOp::Pipeline => Err(unsupported(cx, "batching rule", op.op.name)),
        }
    }

    /// Which of some values have lanes.
    fn which(&self, values: &[ValueId]) -> Vec<bool> {
        values.iter().map(|value| self.lanes.contains(value)).collect()
    }

    /// Values as tiles, spread where the others of their kind have lanes.
    fn tiles(&self, cx: &Context<'_>, values: &[Lane], with_lanes: &[bool]) -> PyResult<Vec<Tile>> {
        values
            .iter()
            .zip(with_lanes)
            .map(|(lane, &with)| if with { lane.spread(cx, self.axis.size) } else { Ok(lane.tile.clone()) })
            .collect()
    }

    /// A loop whose bounds differ from lane to lane: runs while any lane goes on, and keeps the others as they are.
    fn uneven_for(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        op: &OpData,
        operands: Vec<Lane>,
        env: &mut Env<Lane>,
    ) -> PyResult<Vec<Lane>> {
        let size = self.axis.size;
        let upper = operands[1].spread(cx, size)?;
        let mut carries = vec![operands[0].spread(cx, size)?];
        for lane in &operands[2..] {
            carries.push(lane.spread(cx, size)?);
        }
        let mut test = |carries: Vec<Tile>| {
            let going = primitive::binary(cx, &ops::LT, &carries[0], &upper)?;
            primitive::reduce(cx, &ops::REDUCE_OR, &going, &[0])
        };
        let mut body = |carries: Vec<Tile>| {
            let going = primitive::binary(cx, &ops::LT, &carries[0], &upper)?;
            let params = &function.region(op.regions[0]).params;
            env.set_all(params, carries.iter().cloned().map(Lane::batched));
            let before = self.present.clone();
            self.present = self.with(cx, &going, place(function, op))?;
            let yields = self.region(cx, function, op.regions[0], env)?;
            self.present = before;
            let one = primitive::broadcast_to(cx, &one(&carries[0]), carries[0].shape())?;
            let mut next = vec![primitive::binary(cx, &ops::ADD, &carries[0], &one)?];
            for (before, after) in carries[1..].iter().zip(&yields) {
                next.push(choose(cx, &going, &after.spread(cx, size)?, before)?);
            }
            next[0] = choose(cx, &going, &next[0], &carries[0])?;
            Ok(next)
        };
        let results = loops::while_loop(cx, &carries, &mut test, &mut body)?;
        Ok(results.into_iter().skip(1).map(Lane::batched).collect())
    }

    fn while_loop(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        op: &OpData,
        operands: Vec<Lane>,
        env: &mut Env<Lane>,
    ) -> PyResult<Vec<Lane>> {
        let [test_region, body_region] = [op.regions[0], op.regions[1]];
        let steered = function.region(test_region).yields.iter().any(|value| self.lanes.contains(value));
        let with_lanes = if steered { vec![true; op.results.len()] } else { self.which(&op.results) };
        let carries = self.tiles(cx, &operands, &with_lanes)?;
        let size = self.axis.size;
        let outside = env.clone();
        let among = |present: Option<Present>| Batch { axis: self.axis, lanes: self.lanes.clone(), present };
        let verdict = |carries: &[Tile]| -> PyResult<Lane> {
            let mut env = outside.clone();
            env.set_all(&function.region(test_region).params, lanes(carries.to_vec(), &with_lanes));
            let yields = among(self.present.clone()).region(cx, function, test_region, &mut env)?;
            yields.into_iter().next().ok_or_else(|| no_verdict(cx))
        };
        let mut test = |carries: Vec<Tile>| {
            let verdict = verdict(&carries)?;
            if verdict.batched { primitive::reduce(cx, &ops::REDUCE_OR, &verdict.tile, &[0]) } else { Ok(verdict.tile) }
        };
        let mut body = |carries: Vec<Tile>| {
            let mut env = outside.clone();
            env.set_all(&function.region(body_region).params, lanes(carries.clone(), &with_lanes));
            let going = match steered {
                true => Some(verdict(&carries)?.spread(cx, size)?),
                false => None,
            };
            let present = match &going {
                Some(going) => self.with(cx, going, place(function, op))?,
                None => self.present.clone(),
            };
            let yields = among(present).region(cx, function, body_region, &mut env)?;
            let next = self.tiles(cx, &yields, &with_lanes)?;
            let Some(going) = going else { return Ok(next) };
            next.iter().zip(&carries).map(|(after, before)| choose(cx, &going, after, before)).collect()
        };
        let results = loops::while_loop(cx, &carries, &mut test, &mut body)?;
        Ok(lanes(results, &with_lanes).collect())
    }

    /// Which devices of those that are here go on where `going` says so.
    fn with(&self, cx: &Context<'_>, going: &Tile, parted: Span) -> PyResult<Option<Present>> {
        if !self.axis.shards {
            return Ok(None);
        }
        let devices = match &self.present {
            Some(present) => primitive::binary(cx, &ops::AND, &present.devices, going)?,
            None => going.clone(),
        };
        Ok(Some(Present { devices, parted }))
    }

    /// A branch that differs from lane to lane: every branch is evaluated, and each lane takes its own.
    fn select(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        op: &OpData,
        which: &Tile,
        env: &mut Env<Lane>,
    ) -> PyResult<Vec<Lane>> {
        if let Some(effect) = op.regions.iter().find_map(|&region| effect_in(function, region)) {
            return Err(cx.interp.error(
                &cx.interp.types().not_implemented_error,
                format!("IO effect not supported in vmap-of-cond: `{effect}` in a branch that lanes take differently."),
            ));
        }
        let size = self.axis.size;
        let which = if which.dtype() == DType::Bool {
            which.clone()
        } else {
            let last = primitive::scalar(which.dtype(), Scalar::Int(op.regions.len() as i128 - 1));
            let first = primitive::scalar(which.dtype(), Scalar::Int(0));
            cx.bind(&ops::CLAMP, &[&first, which, &last], pallas_ir::Attributes::none())?
        };
        let mut branches = Vec::with_capacity(op.regions.len());
        for (number, &region) in op.regions.iter().enumerate() {
            let before = self.present.clone();
            if self.axis.shards {
                let taken = primitive::convert(cx, &which, DType::I32, false)?;
                let number = primitive::full(cx, taken.shape(), DType::I32, Scalar::Int(number as i128))?;
                let here = primitive::binary(cx, &ops::EQ, &taken, &number)?;
                self.present = self.with(cx, &here, place(function, op))?;
            }
            let yields = self.region(cx, function, region, env)?;
            self.present = before;
            branches.push(yields.iter().map(|lane| lane.spread(cx, size)).collect::<PyResult<Vec<_>>>()?);
        }
        (0..op.results.len())
            .map(|index| {
                let cases: Vec<&Tile> = branches.iter().map(|branch| &branch[index]).collect();
                let [first, ..] = cases[..] else { return Err(no_verdict(cx)) };
                let which = primitive::broadcast_in_dim(cx, &which, first.shape(), &[0])?;
                let operands: Vec<&Tile> = std::iter::once(&which).chain(cases).collect();
                Ok(Lane::batched(cx.bind(&ops::SELECT_N, &operands, pallas_ir::Attributes::none())?))
            })
            .collect()
    }
}

/// The first effect in a region, by name.
fn effect_in(function: &Function, region: RegionId) -> Option<&'static str> {
    function.region(region).ops.iter().find_map(|&id| {
        let op = function.op(id);
        let here = matches!(op.op.kind, pallas_ir::OpKind::Effect(_)).then_some(op.op.0.name);
        here.or_else(|| op.regions.iter().find_map(|&region| effect_in(function, region)))
    })
}

fn one(like: &Tile) -> Tile {
    primitive::scalar(like.dtype(), Scalar::Int(1))
}

fn lanes(tiles: Vec<Tile>, with_lanes: &[bool]) -> impl Iterator<Item = Lane> {
    tiles.into_iter().zip(with_lanes).map(|(tile, &batched)| Lane { tile, batched }).collect::<Vec<_>>().into_iter()
}

/// `after` in the lanes where `going`, else `before`.
fn choose(cx: &Context<'_>, going: &Tile, after: &Tile, before: &Tile) -> PyResult<Tile> {
    let going = primitive::broadcast_in_dim(cx, going, before.shape(), &[0])?;
    let after = primitive::convert(cx, after, before.dtype(), before.weak())?;
    primitive::select(cx, &going, &after, before)
}

/// Prints are made once per lane, in order.
pub(super) fn effect(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    for lane in 0..call.axis.size {
        let mut operands = Vec::with_capacity(call.operands.len());
        for operand in &call.operands {
            operands.push(if operand.batched { row(cx, &operand.tile, lane)? } else { operand.tile.clone() });
        }
        lax_control::effect(cx, call.op, &operands, call.attributes.clone())?;
    }
    Ok(Vec::new())
}

/// One lane.
pub(super) fn row(cx: &Context<'_>, tile: &Tile, lane: usize) -> PyResult<Tile> {
    let shape: &Shape = tile.shape();
    let start: Vec<usize> = std::iter::once(lane).chain(shape.iter().skip(1).map(|_| 0)).collect();
    let limit: Vec<usize> = std::iter::once(lane + 1).chain(shape.iter().skip(1).copied()).collect();
    let part = primitive::slice(cx, tile, &start, &limit, &vec![1; shape.len()])?;
    primitive::squeeze(cx, &part, &[0])
}
