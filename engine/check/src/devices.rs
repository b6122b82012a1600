//! Which devices of a mesh a kernel names, and those that there are not. A name is taken for wrong only if a program is known to
//! come there, on a device that is known to compute it.

use crate::evaluate::{Slice, Slot};
use crate::guards::{self, Guards};
use crate::search::{Bounds, Outcome, Verdict, search};
use crate::walk::{Enclosing, Sources, walk};
use pallas_ir::{Certainty, CopyOp, Function, Launch, OpData, OpId, OpKind, SemaphoreOp, ValueId};

/// Boxes that are looked at per op.
const BUDGET: usize = 4096;

/// A device that there is not.
pub(crate) struct Absent {
    /// The op that names it.
    pub(crate) op: OpId,
    /// The value that does.
    pub(crate) value: ValueId,
    /// The axis of the mesh along which it is outside; `None` where devices have one number among all.
    pub(crate) axis: Option<usize>,
    /// How many there are along it.
    pub(crate) count: usize,
    /// What is named.
    pub(crate) id: i64,
    /// Where: an id along each axis of the grid, then loop counters.
    pub(crate) point: Vec<i64>,
    /// Whether every program does it.
    pub(crate) certainty: Certainty,
}

/// A number that names a device.
#[derive(Clone, Copy)]
struct Named {
    value: ValueId,
    axis: Option<usize>,
    count: usize,
}

/// The ops that name devices outside of the launch's mesh, in order, one for each place in the source.
pub(crate) fn absent(launch: &Launch) -> Vec<Absent> {
    let mut found: Vec<Absent> = Vec::new();
    let axes = launch.device_axes().min(launch.grid.len());
    let mesh = &launch.grid[..axes];
    if mesh.iter().product::<usize>() < 2 || launch.programs() == 0 || !launch.dynamic.is_empty() {
        return found;
    }
    let kernel = &launch.kernel;
    let sources = Sources::new(kernel);
    walk(kernel, |id, path| {
        let op = kernel.op(id);
        let span = kernel.location(id).span;
        if found.iter().any(|known| kernel.location(known.op).span == span) {
            return;
        }
        for named in named(kernel, op, mesh) {
            if let Some((id_there, point, certainty)) = outside(launch, &sources, path, named) {
                let Named { value, axis, count } = named;
                found.push(Absent { op: id, value, axis, count, id: id_there, point, certainty });
                return;
            }
        }
    });
    found
}

/// The numbers with which an op names a device.
fn named(kernel: &Function, op: &OpData, mesh: &[usize]) -> Vec<Named> {
    let first = match op.op.kind {
        OpKind::Copy(CopyOp::Start) => 4,
        OpKind::Semaphore(SemaphoreOp::Signal) => 2,
        _ => return Vec::new(),
    };
    let Some(kind) = op.attributes.str("device") else { return Vec::new() };
    let cores = usize::from(op.attributes.flag("core"));
    let ids = op.operands.get(first..op.operands.len().saturating_sub(cores)).unwrap_or_default();
    let along = |(axis, (&value, &count)): (usize, (&ValueId, &usize))| Named { value, axis: Some(axis), count };
    match ids {
        [id] if mesh.len() > 1 && kind == "axes" => match coordinates(kernel, *id, mesh) {
            Some(values) => values.iter().zip(mesh).enumerate().map(along).collect(),
            None => vec![Named { value: *id, axis: None, count: mesh.iter().product() }],
        },
        [id] => vec![Named { value: *id, axis: None, count: mesh.iter().product() }],
        ids if ids.len() == mesh.len() => ids.iter().zip(mesh).enumerate().map(along).collect(),
        _ => Vec::new(),
    }
}

/// What a number was put together of, one for each axis: `(a * 4) + b`.
fn coordinates(kernel: &Function, number: ValueId, mesh: &[usize]) -> Option<Vec<ValueId>> {
    let of = |value: ValueId, name: &str| {
        let op = kernel.op(kernel.definition(value)?);
        match op.operands[..] {
            [left, right] if op.op.name == name => Some((left, right)),
            _ => None,
        }
    };
    let mut values = Vec::new();
    let mut outer = number;
    for _ in 1..mesh.len() {
        let (product, inner) = of(outer, "add")?;
        values.push(inner);
        outer = of(product, "mul")?.0;
    }
    values.push(outer);
    values.reverse();
    Some(values)
}

/// A number that is outside of its range: what it is, where, and how that is known.
fn outside(launch: &Launch, sources: &Sources, path: &[Enclosing], named: Named) -> Option<(i64, Vec<i64>, Certainty)> {
    let kernel = &launch.kernel;
    let mut slice = Slice::of_kernel(kernel, sources, launch);
    guards::count(kernel, path, &mut slice);
    let slot: Slot = slice.add(named.value);
    let guards = Guards::of(kernel, path, &mut slice)?;
    let last = named.count as i64 - 1;
    let judge = |bounds: &[(i64, i64)]| {
        let known = slice.evaluate(bounds);
        let id = slot.of(&known).interval();
        let is_outside = if id.lower >= 0 && id.upper <= last {
            Verdict::No
        } else if id.upper < 0 || id.lower > last {
            Verdict::Yes
        } else {
            Verdict::Maybe
        };
        is_outside.min(guards.reached(bounds, &known))
    };
    let budget = if slice.depends_on_data() { 64 } else { BUDGET };
    let Outcome::Found { point, everywhere } = search(guards.executions(launch, &slice), budget, judge) else {
        return None;
    };
    let exactly: Bounds = point.iter().map(|&value| (value, value)).collect();
    let id = slot.of(&slice.evaluate(&exactly)).interval().value()?;
    Some((id, point, if everywhere { Certainty::Proved } else { Certainty::Found }))
}
