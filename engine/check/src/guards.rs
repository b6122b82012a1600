//! What has to hold for an op to be reached: branches that are taken, loops that run. Judged over boxes of program ids and
//! loop counters.

use crate::evaluate::{Slice, Slot};
use crate::search::{Bounds, Verdict};
use crate::walk::Enclosing;
use pallas_ir::op::ControlOp;
use pallas_ir::{Function, Known, Launch, OpId, OpKind, RegionId};

/// A region that has to be entered on the way to an access.
enum Guard {
    /// Region number `.1` of `.2` of a `cond`, chosen by `.0`.
    Chosen(Slot, usize, usize),
    /// The body of a `for`: variable number, and its bounds.
    Counted(usize, Slot, Slot),
    /// Entered or not depends on data.
    Unknown,
}

/// The guards of an op, outermost first.
pub(crate) struct Guards(Vec<Guard>);

fn is_for(kernel: &Function, op: OpId) -> bool {
    matches!(kernel.op(op).op.kind, OpKind::Control(ControlOp::For))
}

/// Makes the counters of the loops around an op variables.
pub(crate) fn count(function: &Function, path: &[Enclosing], slice: &mut Slice<'_>) {
    for enclosing in path {
        if is_for(function, enclosing.op) {
            slice.add_counter(enclosing.op);
        }
    }
}

impl Guards {
    /// What has to hold for the regions of a path to be entered; `None` where they never are.
    pub(crate) fn of(kernel: &Function, path: &[Enclosing], slice: &mut Slice<'_>) -> Option<Guards> {
        let mut guards = Vec::new();
        let mut counters = 0;
        for enclosing in path {
            let op = kernel.op(enclosing.op);
            let operand = |number: usize| op.operands.get(number).copied();
            guards.push(match op.op.kind {
                OpKind::Control(ControlOp::Scoped) => continue,
                OpKind::Control(ControlOp::For) => {
                    let variable = slice.variables_before_counters() + counters;
                    counters += 1;
                    let (lower, upper) = (slice.add(operand(0)?), slice.add(operand(1)?));
                    Guard::Counted(variable, lower, upper)
                }
                OpKind::Control(ControlOp::Cond) => {
                    let regions: &[RegionId] = &op.regions;
                    Guard::Chosen(slice.add(operand(0)?), enclosing.region, regions.len())
                }
                _ => Guard::Unknown,
            });
        }
        Some(Guards(guards))
    }

    /// The box of all executions: unmentioned variables stand still, counters run over all that their bounds allow.
    pub(crate) fn executions(&self, launch: &Launch, slice: &Slice<'_>) -> Bounds {
        let mentioned = slice.mentions();
        let mut bounds: Bounds = launch
            .grid
            .iter()
            .zip(&mentioned)
            .map(|(&extent, &mentioned)| (0, if mentioned { extent as i64 - 1 } else { 0 }))
            .collect();
        // Counters are evaluated with whatever outer counters can be; inner bounds may depend on outer counters.
        for guard in &self.0 {
            if let Guard::Counted(_, lower, upper) = guard {
                let known = slice.evaluate(&bounds);
                let (lower, upper) = (lower.of(&known).interval(), upper.of(&known).interval());
                let range = (lower.lower, upper.upper.saturating_sub(1));
                bounds.push((range.0, range.1.max(range.0)));
            }
        }
        bounds
    }

    /// Whether the executions of a box enter all regions.
    pub(crate) fn reached(&self, bounds: &[(i64, i64)], known: &[Known]) -> Verdict {
        let mut reached = Verdict::Yes;
        for guard in &self.0 {
            match guard.judge(bounds, known) {
                Verdict::No => return Verdict::No,
                Verdict::Maybe => reached = Verdict::Maybe,
                Verdict::Yes => {}
            }
        }
        reached
    }
}

impl Guard {
    /// Whether the executions of a box enter the region.
    fn judge(&self, bounds: &[(i64, i64)], known: &[Known]) -> Verdict {
        match self {
            Guard::Unknown => Verdict::Maybe,
            Guard::Chosen(which, region, regions) => {
                let which = which.of(known).interval();
                let last = (*regions as i64 - 1).max(0);
                let (low, high) = (which.lower.clamp(0, last), which.upper.clamp(0, last));
                let region = *region as i64;
                match (low..=high).contains(&region) {
                    false => Verdict::No,
                    true if low == high => Verdict::Yes,
                    true => Verdict::Maybe,
                }
            }
            Guard::Counted(variable, lower, upper) => {
                let Some(&(low, high)) = bounds.get(*variable) else {
                    return Verdict::Maybe;
                };
                let (lower, upper) = (lower.of(known).interval(), upper.of(known).interval());
                if high < lower.lower || low >= upper.upper {
                    return Verdict::No;
                }
                match low >= lower.upper && high < upper.lower {
                    true => Verdict::Yes,
                    false => Verdict::Maybe,
                }
            }
        }
    }
}
