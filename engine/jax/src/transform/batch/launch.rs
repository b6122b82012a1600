//! Launches on lanes: one more grid axis in front, along which every operand with lanes takes its own block
//! (`_pallas_call_batching_rule` of jax/_src/pallas/pallas_call.py). The kernel keeps seeing its own axes.

use super::control::row;
use super::fetched;
use super::{Axis, Call, Lane};
use crate::context::Context;
use crate::pallas;
use crate::primitive;
use crate::tile::Tile;
use pallas_ir::{
    Attribute, Attributes, AxisSemantics, BlockDim, Builder, Function, Launch, Op, OpData, OpKind, Operand, Role,
    TensorType, Type, ValueId, ops,
};
use pallas_python::raise::PyResult;
use pallas_tensor::{Array, DType, Scalar};
use std::sync::Arc;

/// Whether an op is a launch whose kernel asks for its number along the axis.
pub(super) fn asks_for_lane(op: &OpData, axis: &Axis) -> bool {
    match op.attributes.get("launch") {
        Some(Attribute::Launch(launch)) => {
            launch.kernel.ops.iter().any(|op| asks(op, axis) || named(op, axis).is_some())
        }
        _ => false,
    }
}

/// Whether an op is a launch of devices that act on each other.
pub(super) fn is_of_all(op: &OpData, axis: &Axis) -> bool {
    match op.attributes.get("launch") {
        Some(Attribute::Launch(launch)) => axis.shards && acts_on_others(launch),
        _ => false,
    }
}

/// Whether an op of a kernel asks for its number along the axis.
fn asks(op: &OpData, axis: &Axis) -> bool {
    op.op.name == ops::AXIS_INDEX.name && axis.name.is_some() && op.attributes.str("axis") == axis.name.as_deref()
}

/// Which of the axes that an op names this one is.
fn named(op: &OpData, axis: &Axis) -> Option<usize> {
    let name = axis.name.as_deref()?;
    match op.op.kind {
        OpKind::Agent(_) => op.attributes.str("names")?.split(',').position(|other| other == name),
        _ => None,
    }
}

/// The kernel with an answer where it asks for its number along the axis.
fn answered(kernel: &Function, axis: &Axis, op: Op, attributes: &Attributes) -> Function {
    let mut kernel = kernel.clone();
    for asking in kernel.ops.iter_mut().filter(|op| asks(op, axis)) {
        (asking.op, asking.attributes) = (op, attributes.clone());
    }
    kernel
}

/// The rule.
pub(super) fn rule(cx: &Context<'_>, call: &Call<'_>) -> PyResult<Vec<Lane>> {
    let Some(Attribute::Launch(launch)) = call.attributes.get("launch") else {
        return Err(cx.interp.runtime_error("a launch op without its launch".to_string()));
    };
    let extents = launch.dynamic.len();
    let scalars = extents + launch.with_role(Role::Prefetch).count();
    let differ = |lanes: &[Lane]| lanes.iter().any(|lane| lane.batched);
    // Devices that act on each other run at the same time, whatever each of them fetches.
    let together = call.axis.shards && call.axis.size > 1 && acts_on_others(launch);
    if together && differ(&call.operands[..extents]) {
        return Err(cx.interp.not_implemented_error(
            "a grid whose extent differs from device to device, in a kernel whose devices act on each other, is not provided \
             by the workbench: take the largest extent, and skip programs with pl.when",
        ));
    }
    if !together && differ(&call.operands[..scalars]) {
        return one_by_one(cx, call, launch);
    }
    // An output that aliases an input needs the input to have lanes as well.
    let mut operands = call.operands.clone();
    for &(input, _) in &launch.aliases {
        if let Some(lane) = operands.get_mut(extents + input).filter(|lane| !lane.batched) {
            *lane = Lane::batched(lane.spread(cx, call.axis.size)?);
        }
    }
    let mut arguments: Vec<Tile> = operands.iter().map(|lane| lane.tile.clone()).collect();
    let mut batched = with_axis(launch, call.axis, &operands[extents..]);
    for number in (0..scalars - extents).filter(|number| operands[extents + number].batched) {
        fetched::deal(&mut batched, number, call.axis.size);
    }
    if let Some(present) = call.present.as_ref().filter(|_| together) {
        fetched::take_part(&mut batched, call.axis.size);
        batched.spans.parted = Some(present.parted);
        arguments.insert(extents, primitive::convert(cx, &present.devices, DType::I32, false)?);
    }
    Ok(pallas::call::apply(cx, &Arc::new(batched), &arguments)?.into_iter().map(Lane::batched).collect())
}

/// Extents of the grid or prefetched scalars that differ from lane to lane: a launch for each lane.
fn one_by_one(cx: &Context<'_>, call: &Call<'_>, launch: &Arc<Launch>) -> PyResult<Vec<Lane>> {
    let mut rows: Vec<Vec<Tile>> = Vec::new();
    for lane in 0..call.axis.size {
        let mut arguments = Vec::with_capacity(call.operands.len());
        for operand in &call.operands {
            arguments.push(if operand.batched { row(cx, &operand.tile, lane)? } else { operand.tile.clone() });
        }
        let number = Attribute::Array(Array::scalar(DType::I32, Scalar::Int(lane as i128)));
        let number = Attributes::none().with("value", number);
        let kernel = answered(&launch.kernel, call.axis, Op(&ops::CONSTANT), &number);
        let results = pallas::call::apply(cx, &Arc::new(Launch { kernel, ..(**launch).clone() }), &arguments)?;
        rows.resize_with(results.len(), Vec::new);
        for (column, result) in rows.iter_mut().zip(results) {
            column.push(primitive::expand_dims(cx, &result, &[0])?);
        }
    }
    rows.iter()
        .map(|column| Ok(Lane::batched(primitive::concatenate(cx, &column.iter().collect::<Vec<_>>(), 0)?)))
        .collect()
}

/// The launch with one more axis in front.
fn with_axis(launch: &Launch, axis: &Axis, lanes: &[Lane]) -> Launch {
    let size = axis.size;
    let inputs = lanes.len();
    let operands = launch
        .operands
        .iter()
        .enumerate()
        .map(|(index, operand)| {
            let batched = index >= inputs || lanes[index].batched;
            operand_with_axis(operand, size, batched, launch.grid.len())
        })
        .collect();
    let mut grid = vec![size];
    grid.extend(&launch.grid);
    let rest = || launch.semantics.iter().copied();
    let semantics = match (axis.shards && acts_on_others(launch), launch.semantics.is_empty()) {
        (true, false) => std::iter::once(AxisSemantics::Device).chain(rest()).collect(),
        (true, true) => {
            let own = std::iter::repeat_n(AxisSemantics::Arbitrary, launch.grid.len());
            std::iter::once(AxisSemantics::Device).chain(own).collect()
        }
        (false, true) => Vec::new(),
        (false, false) => std::iter::once(AxisSemantics::Parallel).chain(rest()).collect(),
    };
    Launch {
        kernel: {
            let first = Attributes::none().with("axis", Attribute::Int(0));
            placed(answered(&shifted_axes(&launch.kernel), axis, Op(&ops::PROGRAM_ID), &first), axis)
        },
        grid,
        dynamic: launch.dynamic.iter().map(|axis| axis + 1).collect(),
        operands,
        scratch: launch.scratch.iter().map(|ty| shifted_barrier(ty.clone())).collect(),
        aliases: launch.aliases.clone(),
        semantics,
        target: launch.target,
        written_for: launch.written_for,
        vmem_limit: launch.vmem_limit,
        meeting: launch.meeting,
        interpretation: launch.interpretation,
        staged: Vec::new(),
        spans: launch.spans.clone(),
    }
}

/// Whether the kernel signals, copies to or waits for other devices, or runs on several cores, so that all devices have to run
/// at the same time. Blocks of a GPU signal each other without any of this.
fn acts_on_others(launch: &Launch) -> bool {
    let acts = |op: &OpData| {
        matches!(op.op.kind, OpKind::Semaphore(_))
            || (matches!(op.op.kind, OpKind::Copy(_)) && op.attributes.flag("remote"))
    };
    launch.reaches_devices()
        || !launch.has_agents()
            && (launch.semantics.contains(&AxisSemantics::Core)
                || launch.semantics.contains(&AxisSemantics::Device)
                || launch.kernel.ops.iter().any(acts))
}

fn operand_with_axis(operand: &Operand, size: usize, batched: bool, axes: usize) -> Operand {
    let mut operand = operand.clone();
    if operand.role == Role::Prefetch {
        return operand;
    }
    let rank = operand.block.len();
    operand.index_map = match operand.index_map.take() {
        Some(map) => Some(map_with_axis(&map, batched)),
        None if batched => Some(whole_map(axes, rank)),
        None => None,
    };
    if batched {
        operand.block.insert(0, BlockDim::Squeezed);
        let shape = std::iter::once(size).chain(operand.array.shape.iter().copied()).collect();
        operand.array = TensorType { shape, ..operand.array };
    }
    operand
}

/// An index map with the lane's number for a first parameter, and for a first index if the operand has lanes.
fn map_with_axis(map: &Function, batched: bool) -> Function {
    let mut map = map.clone();
    let lane = ValueId(map.values.len() as u32);
    map.values.push(pallas_ir::ValueData { ty: Type::Tensor(TensorType::scalar(DType::I32)), name: None });
    let body = map.body.0 as usize;
    map.regions[body].params.insert(0, lane);
    if batched {
        map.regions[body].yields.insert(0, lane);
    }
    map
}

/// The map of an operand that was one whole block: the lane's number, then zeros.
fn whole_map(axes: usize, rank: usize) -> Function {
    let mut builder = Builder::new("index_map", pallas_ir::Location::default());
    let scalar = || Type::Tensor(TensorType::scalar(DType::I32));
    let lane = builder.param(scalar(), None);
    for _ in 0..axes {
        builder.param(scalar(), None);
    }
    let zero = Attributes::none().with("value", Attribute::Array(Array::scalar(DType::I32, Scalar::Int(0))));
    let location = pallas_ir::Location::default();
    let zero = builder.add(Op(&ops::CONSTANT), &[], zero, &[], location).ok().and_then(|v| v.first().copied());
    let yields = std::iter::once(lane).chain((0..rank).filter_map(|_| zero)).collect();
    builder.finish(yields)
}

/// The kernel, where ops that name the axis find it.
fn placed(mut kernel: Function, axis: &Axis) -> Function {
    for op in &mut kernel.ops {
        let Some(place) = named(op, axis) else { continue };
        let count = op.attributes.str("names").map_or(0, |names| names.split(',').count());
        let mut devices = op.attributes.ints("devices").map_or_else(|| vec![-1; count], <[i64]>::to_vec);
        devices[place] = 0;
        op.attributes.0.retain(|(name, _)| *name != "devices");
        op.attributes.0.push(("devices", Attribute::Ints(devices)));
    }
    kernel
}

/// A Ref whose barriers name axes of the grid where they are now.
fn shifted_barrier(mut ty: pallas_ir::RefType) -> pallas_ir::RefType {
    if let Some(barrier) = &mut ty.barrier {
        barrier.across.iter_mut().for_each(|set| *set <<= 1);
    }
    ty
}

/// The kernel, asking for its axes where they are now.
fn shifted_axes(kernel: &Function) -> Function {
    let mut kernel = kernel.clone();
    for op in &mut kernel.ops {
        if !matches!(op.op.kind, OpKind::Program(_) | OpKind::Agent(_)) {
            continue;
        }
        for (name, value) in &mut op.attributes.0 {
            match (&**name, value) {
                ("axis", Attribute::Int(axis)) => *axis += 1,
                ("axes" | "devices", Attribute::Ints(axes)) => {
                    axes.iter_mut().filter(|axis| **axis >= 0).for_each(|axis| *axis += 1);
                }
                _ => {}
            }
        }
    }
    for value in &mut kernel.values {
        if let Type::Ref(ty) = &value.ty {
            value.ty = Type::Ref(shifted_barrier(ty.clone()));
        }
    }
    kernel
}
