//! Which axes of the grid are blocks, and which are loops inside of a block.
//!
//! Interpret mode runs programs one after the other. Programs may run at the same time only if none sees what another did:
//! if they write different elements and nothing is carried from one to the next. An axis is a loop unless the program says
//! that it is parallel, or that is proved: where two programs write to the same block, they differ along loops only, and
//! so they do where one reads what the other has left in scratch memory.

pub use super::bands::Bands;
use pallas_ir::{
    AxisSemantics, BlockDim, BlockMap, Launch, Manner, OpId, OpKind, Operand, Role, Target, ValueId, Written, axis_name,
};
use pallas_syntax::Span;
use std::collections::HashMap;

/// The axes of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// For each axis whether it is a loop.
    pub looped: Vec<bool>,
    /// For each axis that is a loop, why.
    pub reasons: Vec<Option<Reason>>,
    /// The axis of teams of threads inside of a block.
    pub teams: Option<usize>,
    /// How blocks go through programs along two axes, if not one row after the other.
    pub bands: Option<Bands>,
}

/// Why programs along an axis run one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The program says so.
    Said,
    /// They write to the same blocks of an output: the operand.
    Revisits(usize),
    /// They may find in a scratch Ref what another has left there: the kernel's parameter, where, and how.
    Carries(ValueId, OpId, Manner),
    /// The kernel may write to an input: where.
    WritesInput(OpId),
    /// The kernel prints, and lines come in the order of the programs.
    Prints(OpId),
}

impl Reason {
    /// In words; `place` says where something stands in the source.
    pub fn words(self, launch: &Launch, place: &dyn Fn(Span) -> String) -> String {
        let kernel = &launch.kernel;
        let at = |op: OpId| place(kernel.location(op).span);
        let name = |value: ValueId| kernel.value(value).name.as_deref().unwrap_or("scratch memory").to_string();
        match self {
            Reason::Said => "the program says so".to_string(),
            Reason::Revisits(operand) => {
                let name = launch.operands.get(operand).map_or("an output", |operand| &*operand.name);
                format!("programs that differ along it write to the same block of {name}")
            }
            Reason::Carries(scratch, op, Manner::Reads) => {
                format!("{} is read at {} where its program may not have written all of it", name(scratch), at(op))
            }
            Reason::Carries(scratch, op, Manner::Otherwise) => {
                let what = kernel.op(op).op.name;
                format!(
                    "{} is used by `{what}` at {}, which may leave something for the next program",
                    name(scratch),
                    at(op)
                )
            }
            Reason::WritesInput(op) => {
                format!("what is written to an input at {} is there for the next program", at(op))
            }
            Reason::Prints(op) => format!("what is printed at {} comes in the order of the programs", at(op)),
        }
    }
}

/// More programs than this are not looked at one by one.
const LOOKED_AT: usize = 1 << 16;

impl Plan {
    /// How many blocks there are.
    pub fn blocks(&self, grid: &[usize]) -> usize {
        let parallel = (0..grid.len()).filter(|&axis| !self.looped[axis] && self.teams != Some(axis));
        let blocks = parallel.map(|axis| grid[axis]).product();
        if grid.contains(&0) { 0 } else { blocks }
    }

    /// A line for each axis of several programs that run in order, with the reason, and one for bands; `place` says where something
    /// stands.
    pub fn words(&self, launch: &Launch, place: &dyn Fn(Span) -> String) -> Vec<String> {
        let several = self
            .reasons
            .iter()
            .enumerate()
            .filter(|(axis, _)| launch.grid.get(*axis).is_some_and(|&extent| extent > 1));
        let line = |(axis, reason): (usize, &Option<Reason>)| {
            let words = (*reason)?.words(launch, place);
            Some(format!("programs along axis {axis} ({}) run in order: {words}", axis_name(axis)))
        };
        several.filter_map(line).chain(self.bands.map(|bands| bands.words(launch))).collect()
    }

    /// What is known of the ids of the programs that a block runs: those along the axes that are no loops.
    pub fn ids_of(&self, grid: &[usize], block: usize) -> Vec<Option<usize>> {
        let mut rest = block;
        let mut ids: Vec<Option<usize>> = grid.iter().map(|&extent| (extent == 1).then_some(0)).collect();
        if let Some(bands) = self.bands {
            let extents = bands.axes.map(|axis| grid[axis].max(1));
            let programs = extents[0] * extents[1];
            for (axis, id) in bands.axes.into_iter().zip(bands.ids(extents, rest % programs)) {
                ids[axis] = Some(id);
            }
            rest /= programs;
        }
        for (axis, id) in ids.iter_mut().enumerate().rev() {
            let extent = grid[axis].max(1);
            if id.is_none() && !self.looped[axis] && self.teams != Some(axis) {
                *id = Some(rest % extent);
                rest /= extent;
            }
        }
        ids
    }
}

/// Blocks of a cluster: those that differ along its axes only, which are the last ones before that of teams.
pub fn cluster(launch: &Launch) -> usize {
    let axes = launch.semantics.iter().zip(&launch.grid);
    axes.filter(|(axis, _)| **axis == AxisSemantics::Cluster).map(|(_, &extent)| extent).product()
}

/// Decides.
pub fn plan(launch: &Launch) -> Plan {
    let said = |axis: usize| launch.semantics.get(axis).copied();
    let axes = launch.grid.len();
    if launch.has_agents() {
        // Such programs say themselves what runs at the same time: everything.
        let teams = (0..axes).find(|&axis| said(axis) == Some(AxisSemantics::Thread));
        return Plan { looped: vec![false; axes], reasons: vec![None; axes], teams, bands: None };
    }
    let mut reasons: Vec<Option<Reason>> =
        (0..axes).map(|axis| (said(axis) == Some(AxisSemantics::Arbitrary)).then_some(Reason::Said)).collect();
    if launch.target != Target::Triton {
        for (axis, shared) in shared(launch).into_iter().enumerate() {
            if said(axis) != Some(AxisSemantics::Parallel) {
                reasons[axis] = reasons[axis].or(shared);
            }
        }
    }
    let looped: Vec<bool> = reasons.iter().map(Option::is_some).collect();
    let bands = Bands::of(launch, &looped);
    Plan { looped, reasons, teams: None, bands }
}

/// For each axis why programs along it cannot run at the same time.
fn shared(launch: &Launch) -> Vec<Option<Reason>> {
    let kernel = &launch.kernel;
    let prints = (0..kernel.ops.len()).find(|&op| matches!(kernel.ops[op].op.kind, OpKind::Effect(_)));
    let prints = prints.map(|op| Reason::Prints(OpId(op as u32)));
    if let Some(reason) = writes_inputs(launch).map(Reason::WritesInput).or(prints) {
        return vec![Some(reason); launch.grid.len()];
    }
    let mut reasons = vec![None; launch.grid.len()];
    for (number, operand) in launch.with_role(Role::Output) {
        let mut shares = vec![false; launch.grid.len()];
        revisits(operand, &launch.grid, &mut shares);
        for (reason, _) in reasons.iter_mut().zip(shares).filter(|(_, shares)| *shares) {
            reason.get_or_insert(Reason::Revisits(number));
        }
    }
    let scratch = &kernel.params()[kernel.params().len().saturating_sub(launch.scratch.len())..];
    if scratch.is_empty() {
        return reasons;
    }
    let written = Written::of(kernel, &launch.grid, scratch.iter().copied());
    for &reference in scratch {
        if let Some(carried) = written.carried(reference) {
            for reason in &mut reasons[carried.axis..] {
                reason.get_or_insert(Reason::Carries(reference, carried.op, carried.manner));
            }
        }
    }
    reasons
}

/// Where the kernel may write to what it is given, which the next program then sees.
fn writes_inputs(launch: &Launch) -> Option<OpId> {
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output).count();
    let params = &launch.kernel.params()[..inputs.min(launch.kernel.params().len())];
    let mut shown: Vec<_> = params.to_vec();
    for (number, op) in (0..).zip(&launch.kernel.ops) {
        let first = op.operands.first();
        match &op.op.kind {
            OpKind::Memory(pallas_ir::op::MemoryOp::View | pallas_ir::op::MemoryOp::Reinterpret)
                if first.is_some_and(|value| shown.contains(value)) =>
            {
                shown.extend(&op.results);
            }
            OpKind::Memory(pallas_ir::op::MemoryOp::Load) | OpKind::Pure { .. } => {}
            OpKind::Copy(_) if !op.operands.get(1).is_some_and(|value| shown.contains(value)) => {}
            _ if op.operands.iter().any(|value| shown.contains(value)) => return Some(OpId(number)),
            _ => {}
        }
    }
    None
}

/// Marks axes along which programs that write to one block differ.
fn revisits(operand: &Operand, grid: &[usize], shares: &mut [bool]) {
    let all = |shares: &mut [bool]| shares.iter_mut().zip(grid).for_each(|(shares, &extent)| *shares |= extent > 1);
    let programs = grid.iter().fold(1usize, |total, &extent| total.saturating_mul(extent));
    let blocks = operand.block.iter().all(|dim| !matches!(dim, BlockDim::Element { .. }));
    let map = BlockMap::new(operand, grid.len());
    if !map.is_known() || !blocks || programs > LOOKED_AT {
        return match blocks && map.is_affine() {
            true => affine(&map, shares),
            false => all(shares),
        };
    }
    let mut first: HashMap<Vec<i64>, Vec<usize>> = HashMap::new();
    let mut ids = vec![0; grid.len()];
    for _ in 0..programs {
        let Some(indices) = map.indices(&ids) else { return all(shares) };
        // What lies outside is moved inside, onto another block.
        let inside = indices.iter().zip(&operand.block).zip(operand.array.shape.iter());
        let indices: Vec<i64> = inside
            .map(|((&index, dim), &extent)| {
                let blocks = dim.blocks(extent) as i64;
                let index = if index < 0 { index + blocks } else { index };
                index.clamp(0, (blocks - 1).max(0))
            })
            .collect();
        match first.get(&indices) {
            Some(other) => shares.iter_mut().zip(other.iter().zip(&ids)).for_each(|(s, (a, b))| *s |= a != b),
            None => {
                first.insert(indices, ids.clone());
            }
        }
        for (id, &extent) in ids.iter_mut().zip(grid).rev() {
            *id += 1;
            if *id < extent {
                break;
            }
            *id = 0;
        }
    }
}

/// Without looking at programs: an axis is apart if an index depends on it and on nothing else.
fn affine(map: &BlockMap<'_>, shares: &mut [bool]) {
    for (axis, shares) in shares.iter_mut().enumerate() {
        let apart = map.dims.iter().any(|form| match form {
            pallas_ir::IndexForm::Affine { coefficients, .. } => {
                coefficients.iter().enumerate().all(|(other, &factor)| (factor != 0) == (other == axis))
            }
            _ => false,
        });
        *shares |= !apart;
    }
}
