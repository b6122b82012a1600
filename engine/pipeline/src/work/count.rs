//! Walks a kernel as a program runs it: scalars that follow from program ids are computed, so that branches are taken and
//! loops have trip counts; what depends on data is unknown. The ids that were asked for are remembered: programs that
//! agree in them do the same work, and are counted once.

use super::copied;
use super::price::{Price, operations, price};
use super::{LaunchWork, Unknown, Work};
use crate::moves::Order;
use pallas_ir::function::{LocationId, OpData, RegionId, ValueId};
use pallas_ir::op::{ControlOp, CopyOp, EvalContext, OpKind, ProgramOp};
use pallas_ir::{Attribute, Function, Launch, Type};
use pallas_tensor::{Array, DType, Scalar};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// So many combinations of ids are counted one by one.
const MOST_COMBINATIONS: usize = 1 << 12;
/// Turns of a loop whose body branches are walked one by one up to here, and further in all of a program's loops.
const MOST_TURNS: usize = 256;

/// Counts the work of a launch.
pub fn launch_work(launch: &Launch) -> LaunchWork {
    let order = Order::new(&launch.grid);
    let mut axes: BTreeSet<usize> = BTreeSet::new();
    let mut unknown = BTreeSet::new();
    if order.programs() == 0 {
        return LaunchWork::default();
    }
    loop {
        let list: Vec<usize> = axes.iter().copied().collect();
        let combinations = list.iter().fold(1usize, |n, &axis| n.saturating_mul(launch.grid[axis]));
        if combinations > MOST_COMBINATIONS {
            return first_for_all(launch, &order, list);
        }
        let each = (order.programs() / combinations) as u128;
        let mut result = LaunchWork { axes: list, ..LaunchWork::default() };
        let mut places: BTreeMap<LocationId, u128> = BTreeMap::new();
        let mut asked = BTreeSet::new();
        unknown.clear();
        for combination in 0..combinations {
            let ids = ids_of(combination, &result.axes, &launch.grid);
            let mut walk = Walk::new(launch, ids);
            walk.region(launch.kernel.body);
            asked.extend(walk.asked);
            unknown.extend(walk.unknown);
            result.total.add_times(&walk.work, each);
            for (place, flops) in walk.places {
                let sum = places.entry(place).or_default();
                *sum = sum.saturating_add(flops.saturating_mul(each));
            }
            result.programs.push(walk.work);
        }
        if asked.is_subset(&axes) {
            result.places = places.into_iter().collect();
            result.unknown = unknown.into_iter().collect();
            return result;
        }
        axes.extend(asked);
    }
}

/// Where programs differ in too many ways: the first one stands for all, and that is said.
fn first_for_all(launch: &Launch, order: &Order, axes: Vec<usize>) -> LaunchWork {
    let mut walk = Walk::new(launch, vec![0; launch.grid.len()]);
    walk.region(launch.kernel.body);
    let all = order.programs() as u128;
    let mut unknown: BTreeSet<Unknown> = walk.unknown.into_iter().collect();
    let names: Vec<String> = axes.iter().map(usize::to_string).collect();
    unknown.insert(Unknown {
        place: None,
        what: format!(
            "the work depends on the program ids along axes {} in too many ways; every program is counted as program 0",
            names.join(", ")
        ),
    });
    let mut total = Work::default();
    total.add_times(&walk.work, all);
    LaunchWork {
        axes: Vec::new(),
        programs: vec![walk.work],
        total,
        places: walk.places.into_iter().map(|(place, flops)| (place, flops.saturating_mul(all))).collect(),
        unknown: unknown.into_iter().collect(),
    }
}

fn ids_of(mut combination: usize, axes: &[usize], grid: &[usize]) -> Vec<usize> {
    let mut ids = vec![0; grid.len()];
    for &axis in axes.iter().rev() {
        ids[axis] = combination % grid[axis];
        combination /= grid[axis];
    }
    ids
}

/// A scalar that is known, with the grid axes that it follows from.
#[derive(Clone)]
struct Known {
    value: Array,
    axes: BTreeSet<usize>,
}

struct Walk<'a> {
    launch: &'a Launch,
    kernel: &'a Function,
    ids: Vec<usize>,
    known: HashMap<ValueId, Known>,
    work: Work,
    places: BTreeMap<LocationId, u128>,
    /// Axes whose ids decided a branch or a trip count.
    asked: BTreeSet<usize>,
    unknown: BTreeSet<Unknown>,
    /// Operations count so many times: trip counts of the loops around.
    times: u128,
    turns: usize,
}

impl<'a> Walk<'a> {
    fn new(launch: &'a Launch, ids: Vec<usize>) -> Walk<'a> {
        Walk {
            launch,
            kernel: &launch.kernel,
            ids,
            known: HashMap::new(),
            work: Work::default(),
            places: BTreeMap::new(),
            asked: BTreeSet::new(),
            unknown: BTreeSet::new(),
            times: 1,
            turns: MOST_TURNS,
        }
    }

    fn region(&mut self, region: RegionId) {
        for &id in &self.kernel.region(region).ops {
            let op = self.kernel.op(id);
            match &op.op.kind {
                OpKind::Control(control) => self.control(op, *control),
                _ => self.plain(op),
            }
        }
    }

    fn plain(&mut self, op: &OpData) {
        match operations(self.kernel, op) {
            Some((unit, dtype, count)) => {
                let count = count.saturating_mul(self.times);
                self.work.add(unit, dtype, count);
                if unit != super::Unit::Other && count > 0 {
                    let place = self.places.entry(op.location).or_default();
                    *place = place.saturating_add(count);
                }
            }
            None => self.doubt(op, format!("the operations of `{}` are not counted", op.op.name)),
        }
        match &op.op.kind {
            OpKind::Program(question) => self.program(op, *question),
            OpKind::Pure { .. } => self.scalar(op),
            OpKind::Copy(CopyOp::Start) => self.copies(copied::started(self.kernel, op)),
            _ => {}
        }
    }

    fn copies(&mut self, bytes: u128) {
        self.work.copied = self.work.copied.saturating_add(bytes.saturating_mul(self.times));
    }

    fn program(&mut self, op: &OpData, question: ProgramOp) {
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok());
        let (Some(axis), Some(&result)) = (axis, op.results.first()) else { return };
        if axis >= self.ids.len() {
            return;
        }
        let (number, axes) = match question {
            ProgramOp::ProgramId => (self.ids[axis], BTreeSet::from([axis])),
            ProgramOp::NumPrograms if self.launch.dynamic.contains(&axis) => return,
            ProgramOp::NumPrograms => (self.launch.grid[axis], BTreeSet::new()),
        };
        let value = Array::scalar(DType::I32, Scalar::Int(number as i128));
        self.known.insert(result, Known { value, axes });
    }

    /// Computes scalars from known scalars.
    fn scalar(&mut self, op: &OpData) {
        let OpKind::Pure { eval, .. } = &op.op.kind else { return };
        let is_scalar = |ty: &Type| ty.shape().iter().all(|&extent| extent == 1);
        for &result in &op.results {
            // A value of an earlier turn of the loop is not this one's.
            self.known.remove(&result);
        }
        if !op.results.iter().all(|&value| is_scalar(self.kernel.ty(value))) || price(op.op) == Price::Unpriced {
            return;
        }
        let operands: Option<Vec<&Known>> = op.operands.iter().map(|value| self.known.get(value)).collect();
        let Some(operands) = operands else { return };
        let axes: BTreeSet<usize> = operands.iter().flat_map(|known| known.axes.iter().copied()).collect();
        let values = operands.iter().map(|known| known.value.clone()).collect();
        let types: Vec<Type> = op.results.iter().map(|&value| self.kernel.ty(value).clone()).collect();
        let context = EvalContext { attributes: &op.attributes, results: &types };
        if let Ok(results) = eval(&context, values) {
            for (&id, value) in op.results.iter().zip(results) {
                self.known.insert(id, Known { value, axes: axes.clone() });
            }
        }
    }

    fn integer(&mut self, value: Option<&ValueId>) -> Option<i128> {
        let known = self.known.get(value?)?;
        let item = known.value.item()?;
        let number = item.as_int().or_else(|| item.as_bool().map(i128::from))?;
        self.asked.extend(known.axes.iter().copied());
        Some(number)
    }

    fn control(&mut self, op: &OpData, control: ControlOp) {
        match control {
            ControlOp::For => self.run_for(op),
            ControlOp::While => {
                self.doubt(op, "the trip count of this `while` loop depends on data; one turn is counted".to_string());
                for &region in &op.regions {
                    self.region(region);
                }
            }
            ControlOp::Cond => self.run_cond(op),
            ControlOp::Pipeline => self.run_pipeline(op),
            ControlOp::Scoped => {
                for &region in &op.regions {
                    self.region(region);
                }
            }
            ControlOp::Call => {
                for &region in &op.regions {
                    let params = self.kernel.region(region).params.clone();
                    for (param, operand) in params.into_iter().zip(&op.operands) {
                        match self.known.get(operand).cloned() {
                            Some(known) => self.known.insert(param, known),
                            None => self.known.remove(&param),
                        };
                    }
                    self.region(region);
                }
            }
        }
    }

    fn run_for(&mut self, op: &OpData) {
        let Some(&body) = op.regions.first() else { return };
        let (lower, upper) = (self.integer(op.operands.first()), self.integer(op.operands.get(1)));
        let params = &self.kernel.region(body).params;
        for param in params {
            self.known.remove(param);
        }
        let (Some(lower), Some(upper)) = (lower, upper) else {
            self.doubt(op, "the trip count of this loop depends on data; one turn is counted".to_string());
            self.region(body);
            return;
        };
        let turns = (upper - lower).max(0);
        let one_by_one = self.branches(body) && turns <= self.turns as i128;
        if !one_by_one {
            let times = self.times;
            self.times = times.saturating_mul(turns as u128);
            if turns > 0 {
                self.region(body);
            }
            self.times = times;
            return;
        }
        self.turns -= turns as usize;
        let counter = params.first().copied();
        // The counter follows from what the bounds follow from.
        let axes: BTreeSet<usize> = [op.operands.first(), op.operands.get(1)]
            .into_iter()
            .flatten()
            .filter_map(|value| self.known.get(value))
            .flat_map(|known| known.axes.iter().copied())
            .collect();
        for turn in lower..upper {
            if let Some(counter) = counter {
                let value = Array::scalar(self.kernel.ty(counter).dtype(), Scalar::Int(turn));
                self.known.insert(counter, Known { value, axes: axes.clone() });
            }
            self.region(body);
        }
    }

    /// The body of a pipeline, once per step of its grid.
    fn run_pipeline(&mut self, op: &OpData) {
        let (Some(Attribute::Pipeline(pipeline)), Some(&body)) = (op.attributes.get("pipeline"), op.regions.last())
        else {
            return;
        };
        let ids: Vec<ValueId> = self.kernel.region(body).params.iter().copied().take(pipeline.grid.len()).collect();
        for id in &ids {
            self.known.remove(id);
        }
        let extents: Option<Vec<usize>> = pipeline.grid.iter().copied().collect();
        let Some(extents) = extents else {
            self.doubt(op, "the grid of this pipeline depends on data; one step is counted".to_string());
            let one = vec![1; pipeline.grid.len()];
            self.copies(copied::of_pipeline(self.kernel, op, pipeline, &one));
            self.region(body);
            return;
        };
        self.copies(copied::of_pipeline(self.kernel, op, pipeline, &extents));
        let steps = extents.iter().fold(1usize, |steps, &extent| steps.saturating_mul(extent));
        if !self.branches(body) || steps > self.turns || pipeline.offsets {
            let times = self.times;
            self.times = times.saturating_mul(steps as u128);
            if steps > 0 {
                self.region(body);
            }
            self.times = times;
            return;
        }
        self.turns -= steps;
        let axes: Vec<usize> = (0..extents.len()).collect();
        for step in 0..steps {
            for (&param, id) in ids.iter().zip(ids_of(step, &axes, &extents)) {
                let value = Array::scalar(DType::I32, Scalar::Int(id as i128));
                self.known.insert(param, Known { value, axes: BTreeSet::new() });
            }
            self.region(body);
        }
    }

    /// Whether a region, or one inside of it, has something to decide.
    fn branches(&self, region: RegionId) -> bool {
        self.kernel.region(region).ops.iter().any(|&id| {
            let op = self.kernel.op(id);
            let decides = matches!(op.op.kind, OpKind::Control(ControlOp::For | ControlOp::Cond));
            decides || op.regions.iter().any(|&inner| self.branches(inner))
        })
    }

    fn run_cond(&mut self, op: &OpData) {
        if let Some(which) = self.integer(op.operands.first()) {
            let last = op.regions.len().saturating_sub(1) as i128;
            if let Some(&region) = op.regions.get(which.clamp(0, last.max(0)) as usize) {
                self.region(region);
            }
            return;
        }
        let mut dearest: Option<(Work, BTreeMap<LocationId, u128>)> = None;
        let (work, places) = (std::mem::take(&mut self.work), std::mem::take(&mut self.places));
        for &region in &op.regions {
            self.region(region);
            let (work, places) = (std::mem::take(&mut self.work), std::mem::take(&mut self.places));
            if dearest.as_ref().is_none_or(|(best, _)| work.operations() > best.operations()) {
                dearest = Some((work, places));
            }
        }
        (self.work, self.places) = (work, places);
        if let Some((work, places)) = dearest {
            if work.operations() > 0 {
                let what = "which branch is taken depends on data; the one with the most work is counted";
                self.doubt(op, what.to_string());
            }
            self.work.add_times(&work, 1);
            for (place, flops) in places {
                *self.places.entry(place).or_default() += flops;
            }
        }
    }

    fn doubt(&mut self, op: &OpData, what: String) {
        self.unknown.insert(Unknown { place: Some(op.location), what });
    }
}
