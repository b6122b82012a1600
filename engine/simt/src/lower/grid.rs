//! Which axes of the grid are blocks, and which are loops inside of a block.
//!
//! Interpret mode runs programs one after the other. Programs may run at the same time only if none sees what another did:
//! if they write different elements and nothing is carried from one to the next. An axis is a loop unless the program says
//! that it is parallel, or that is proved: where two programs write to the same block, they differ along loops only, and
//! no scratch memory lives across programs.

use pallas_ir::{AxisSemantics, BlockDim, BlockMap, Launch, OpKind, Operand, Role, Target};
use std::collections::HashMap;

/// The axes of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// For each axis whether it is a loop.
    pub looped: Vec<bool>,
    /// The axis of teams of threads inside of a block.
    pub teams: Option<usize>,
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
}

/// What is known of the ids of the programs that a block runs: those along the axes that are no loops.
pub fn ids_of(launch: &Launch, block: usize) -> Vec<Option<usize>> {
    let plan = plan(launch);
    let mut rest = block;
    let mut ids = vec![None; launch.grid.len()];
    for (axis, id) in ids.iter_mut().enumerate().rev() {
        let extent = launch.grid[axis].max(1);
        match () {
            () if extent == 1 => *id = Some(0),
            () if plan.looped[axis] || plan.teams == Some(axis) => {}
            () => {
                *id = Some(rest % extent);
                rest /= extent;
            }
        }
    }
    ids
}

/// Blocks of a cluster: those that differ along its axes only, which are the last ones before that of teams.
pub fn cluster(launch: &Launch) -> usize {
    let axes = launch.semantics.iter().zip(&launch.grid);
    axes.filter(|(axis, _)| **axis == AxisSemantics::Cluster).map(|(_, &extent)| extent).product()
}

/// Decides.
pub fn plan(launch: &Launch) -> Plan {
    let said = |axis: usize| launch.semantics.get(axis).copied();
    if launch.has_agents() {
        // Such programs say themselves what runs at the same time: everything.
        let teams = (0..launch.grid.len()).find(|&axis| said(axis) == Some(AxisSemantics::Thread));
        return Plan { looped: vec![false; launch.grid.len()], teams };
    }
    let mut looped: Vec<bool> =
        (0..launch.grid.len()).map(|axis| said(axis) == Some(AxisSemantics::Arbitrary)).collect();
    if launch.target == Target::Triton {
        return Plan { looped, teams: None };
    }
    let carries = !launch.scratch.is_empty() || writes_inputs(launch) || launch.kernel.ops.iter().any(is_print);
    let mut shares = vec![carries; looped.len()];
    for (_, operand) in launch.with_role(Role::Output) {
        revisits(operand, &launch.grid, &mut shares);
    }
    for (axis, looped) in looped.iter_mut().enumerate() {
        *looped |= shares[axis] && said(axis) != Some(AxisSemantics::Parallel);
    }
    Plan { looped, teams: None }
}

/// Prints come in the order of the programs.
fn is_print(op: &pallas_ir::OpData) -> bool {
    matches!(op.op.kind, OpKind::Effect(_))
}

/// Whether the kernel may write to what it is given, which the next program then sees.
fn writes_inputs(launch: &Launch) -> bool {
    let inputs = launch.operands.iter().filter(|operand| operand.role != Role::Output).count();
    let params = &launch.kernel.params()[..inputs.min(launch.kernel.params().len())];
    let mut shown: Vec<_> = params.to_vec();
    for op in &launch.kernel.ops {
        let first = op.operands.first();
        match &op.op.kind {
            OpKind::Memory(pallas_ir::op::MemoryOp::View | pallas_ir::op::MemoryOp::Reinterpret)
                if first.is_some_and(|value| shown.contains(value)) =>
            {
                shown.extend(&op.results);
            }
            OpKind::Memory(pallas_ir::op::MemoryOp::Load) | OpKind::Pure { .. } => {}
            OpKind::Copy(_) if !op.operands.get(1).is_some_and(|value| shown.contains(value)) => {}
            _ if op.operands.iter().any(|value| shown.contains(value)) => return true,
            _ => {}
        }
    }
    false
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
