//! Forward through a launch: a kernel that computes the tangents beside the values (`_pallas_call_jvp_rule` of
//! jax/_src/pallas/pallas_call.py). There is no way back through a launch, in JAX neither.

use super::jvp::{Dual, Pushing};
use super::{active, zeros};
use crate::context::Context;
use crate::pallas;
use crate::tile::Tile;
use crate::trace::{Trace, TraceKind};
use crate::transform::eval::unsupported;
use crate::transform::walk::{Env, Walker};
use pallas_ir::{
    Attribute, Attributes, Function, Launch, Op, OpData, Operand, RefType, RegionId, Role, Type, ValueId, ops,
};
use pallas_python::raise::PyResult;
use std::collections::HashMap;
use std::sync::Arc;

/// The results of a launch with their tangents.
///
/// # Errors
/// What JAX refuses: extents of the grid that are computed, prefetched scalars, aliases.
pub(super) fn launch(cx: &Context<'_>, op: &OpData, operands: &[Dual]) -> PyResult<Vec<Dual>> {
    let Some(Attribute::Launch(launch)) = op.attributes.get("launch") else {
        return Err(cx.interp.runtime_error("a launch op without its launch".to_string()));
    };
    let refused = if !launch.dynamic.is_empty() {
        Some("interpret with dynamic grid bounds unsupported")
    } else if launch.with_role(Role::Prefetch).count() > 0 {
        Some("JVP of a pallas_call with prefetched scalars is not supported.")
    } else if !launch.aliases.is_empty() {
        Some("JVP with aliasing not supported.")
    } else {
        None
    };
    if let Some(message) = refused {
        return Err(cx.interp.error(&cx.interp.types().not_implemented_error, message.to_string()));
    }
    let moving: Vec<bool> = operands.iter().map(|dual| dual.tangent.is_some()).collect();
    let tangents = operands.iter().filter_map(|dual| dual.tangent.clone());
    let arguments: Vec<Tile> = operands.iter().map(|dual| dual.primal.clone()).chain(tangents).collect();
    let pushed = Arc::new(with_tangents(cx, launch, &moving)?);
    let results = pallas::call::apply(cx, &pushed, &arguments)?;
    let outputs: Vec<&Operand> = launch.with_role(Role::Output).map(|(_, operand)| operand).collect();
    let (primals, tangents) = results.split_at(outputs.len());
    let mut tangents = tangents.iter().cloned();
    Ok(primals
        .iter()
        .cloned()
        .zip(&outputs)
        .map(|(primal, output)| {
            let tangent = if output.array.dtype.is_float() { tangents.next() } else { None };
            Dual { primal, tangent }
        })
        .collect())
}

/// The launch with the tangents of its inputs and outputs for further operands.
fn with_tangents(cx: &Context<'_>, launch: &Launch, moving: &[bool]) -> PyResult<Launch> {
    let tangent = |operand: &Operand| Operand { name: format!("{}_tangent", operand.name).into(), ..operand.clone() };
    let inputs: Vec<&Operand> = launch.with_role(Role::Input).map(|(_, operand)| operand).collect();
    let outputs: Vec<&Operand> = launch.with_role(Role::Output).map(|(_, operand)| operand).collect();
    let moving_inputs: Vec<&Operand> =
        inputs.iter().zip(moving).filter(|(_, moving)| **moving).map(|(operand, _)| *operand).collect();
    let moving_outputs: Vec<&Operand> =
        outputs.iter().filter(|operand| operand.array.dtype.is_float()).copied().collect();
    let moving_scratch: Vec<bool> = launch.scratch.iter().map(|scratch| scratch.dtype.is_float()).collect();
    let kernel = kernel_with_tangents(cx, launch, moving, &moving_scratch)?;
    let scratch: Vec<RefType> = launch
        .scratch
        .iter()
        .cloned()
        .chain(launch.scratch.iter().zip(&moving_scratch).filter(|(_, moving)| **moving).map(|(ty, _)| ty.clone()))
        .collect();
    let operands = inputs
        .iter()
        .map(|&operand| operand.clone())
        .chain(moving_inputs.iter().map(|&operand| tangent(operand)))
        .chain(outputs.iter().map(|&operand| operand.clone()))
        .chain(moving_outputs.iter().map(|&operand| tangent(operand)))
        .collect();
    Ok(Launch {
        kernel,
        grid: launch.grid.clone(),
        dynamic: launch.dynamic.clone(),
        operands,
        scratch,
        aliases: Vec::new(),
        semantics: launch.semantics.clone(),
        target: launch.target,
        written_for: launch.written_for,
        vmem_limit: launch.vmem_limit,
        meeting: launch.meeting,
        interpretation: launch.interpretation,
        staged: Vec::new(),
        spans: launch.spans.clone(),
    })
}

/// The kernel with Refs to tangents: parameters are inputs, their tangents, outputs, their tangents, scratch, its tangents.
fn kernel_with_tangents(
    cx: &Context<'_>,
    launch: &Launch,
    moving: &[bool],
    moving_scratch: &[bool],
) -> PyResult<Function> {
    let kernel = &launch.kernel;
    let name = format!("jvp_{}", kernel.name);
    let trace = Trace::new(cx, TraceKind::Kernel, &name, name.clone(), Some(launch.extents()));
    let params = kernel.params();
    let inputs = launch.with_role(Role::Input).count();
    let outputs = launch.with_role(Role::Output).count();
    let groups = [&params[..inputs], &params[inputs..inputs + outputs], &params[inputs + outputs..]];
    let float = |id: &ValueId| kernel.ty(*id).dtype().is_float();
    let mut places = HashMap::new();
    for (number, group) in groups.into_iter().enumerate() {
        let add = |id: &ValueId, tangent: bool| {
            let name = kernel.value(*id).name.clone();
            let name = name.map(|name| if tangent { format!("{name}_tangent").into() } else { name });
            trace.param(kernel.ty(*id).clone(), name)
        };
        let primals: Vec<ValueId> = group.iter().map(|id| add(id, false)).collect();
        for (index, (id, primal)) in group.iter().zip(primals).enumerate() {
            let moves = match number {
                0 => moving[index],
                1 => float(id),
                _ => moving_scratch[index],
            };
            let tangent = moves.then(|| add(id, true));
            places.insert(*id, Place { primal, tangent });
        }
    }
    let seeds: Vec<ValueId> = places.iter().filter(|(_, place)| place.tangent.is_some()).map(|(&id, _)| id).collect();
    let mut walker = Pushing { active: active(kernel, seeds), places };
    trace.within(cx, || {
        let mut env = Env::new(kernel);
        walker.region(cx, kernel, kernel.body, &mut env).map(|_| ())
    })?;
    Ok(trace.finish(Vec::new()))
}

/// A Ref and the Ref to its tangent, in the kernel that is being built.
#[derive(Clone, Copy)]
pub(super) struct Place {
    primal: ValueId,
    tangent: Option<ValueId>,
}

impl Pushing {
    /// An op on Refs: done to the Ref, and to the Ref of its tangent.
    pub(super) fn memory(&mut self, cx: &Context<'_>, op: &OpData, env: &Env<Dual>) -> PyResult<Vec<Dual>> {
        let Some(trace) = cx.trace() else { return Err(unsupported(cx, "derivative", op.op.name)) };
        let Some(&place) = self.places.get(&op.operands[0]) else {
            return Err(cx.interp.runtime_error(format!("`{}` of a Ref that is not known", op.op.name)));
        };
        let operands = env.all(cx, &op.operands[1..])?;
        // The value that is written comes first, and what a masked load gives elsewhere last: both have tangents.
        let written = matches!(op.op.name, "store" | "swap" | "atomic");
        let given = op.attributes.flag("other");
        let carries = |index: usize| (written && index == 0) || (given && index + 1 == operands.len());
        let values = |tangents: bool| -> PyResult<Vec<ValueId>> {
            operands
                .iter()
                .enumerate()
                .map(|(index, dual)| match (&dual.tangent, tangents && carries(index)) {
                    (Some(tangent), true) => cx.value_in(&trace, tangent),
                    (None, true) => cx.value_in(&trace, &zeros(cx, &dual.primal.ty())?),
                    (_, false) => cx.value_in(&trace, &dual.primal),
                })
                .collect()
        };
        if op.op.name == "atomic" && op.attributes.str("combine") != Some("add") && place.tangent.is_some() {
            return Err(unsupported(cx, "derivative", "atomic"));
        }
        let run = |target: ValueId, tangents: bool| -> PyResult<Option<ValueId>> {
            let mut all = vec![target];
            all.extend(values(tangents)?);
            Ok(trace.add(cx, op.op, &all, op.attributes.clone(), &[])?.first().copied())
        };
        let primal = run(place.primal, false)?;
        let tangent = match place.tangent {
            Some(target) => run(target, true)?,
            None => None,
        };
        let (Some(&result), Some(primal)) = (op.results.first(), primal) else { return Ok(Vec::new()) };
        if op.op.name == "view" {
            self.places.insert(result, Place { primal, tangent });
            return Ok(Vec::new());
        }
        let tile = |value: ValueId| trace.tile(value);
        let primal = tile(primal).ok_or_else(|| cx.interp.runtime_error("a load has no result".to_string()))?;
        Ok(vec![Dual { primal, tangent: tangent.and_then(tile) }])
    }

    /// Allocations: each float Ref gets a Ref for its tangent beside it.
    pub(super) fn scoped(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        op: &OpData,
        env: &mut Env<Dual>,
    ) -> PyResult<Vec<Dual>> {
        let Some(trace) = cx.trace() else { return Err(unsupported(cx, "derivative", op.op.name)) };
        let region: RegionId = op.regions[0];
        let params = &function.region(region).params;
        let types: Vec<Type> = params.iter().map(|&id| function.ty(id).clone()).collect();
        let moving: Vec<Type> = types.iter().filter(|ty| ty.dtype().is_float()).cloned().collect();
        let all: Vec<Type> = types.iter().cloned().chain(moving).collect();
        let flags: Vec<bool> = op.results.iter().map(|result| self.active.contains(result)).collect();
        let (inner, ()) = trace.in_region(&all, |inside| {
            let (primals, mut tangents) = (&inside[..params.len()], inside[params.len()..].iter().copied());
            for ((&id, &primal), ty) in params.iter().zip(primals).zip(&types) {
                let tangent = if ty.dtype().is_float() { tangents.next() } else { None };
                self.places.insert(id, Place { primal, tangent });
            }
            let yields = self.region(cx, function, region, env)?;
            let tiles = super::control::flat(cx, &yields, &flags)?;
            Ok((tiles.iter().map(|tile| cx.value_in(&trace, tile)).collect::<PyResult<_>>()?, ()))
        })?;
        let results = trace.add(cx, Op(&ops::SCOPED), &[], Attributes::none(), &[inner])?;
        let tiles = results.into_iter().filter_map(|value| trace.tile(value)).collect();
        Ok(super::control::paired(tiles, &flags))
    }

    /// A question to the grid.
    pub(super) fn program(&mut self, cx: &Context<'_>, op: &OpData) -> PyResult<Vec<Dual>> {
        let Some(trace) = cx.trace() else { return Err(unsupported(cx, "derivative", op.op.name)) };
        let results = trace.add(cx, op.op, &[], op.attributes.clone(), &[])?;
        Ok(results.into_iter().filter_map(|value| trace.tile(value)).map(Dual::constant).collect())
    }
}
