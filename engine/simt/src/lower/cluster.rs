//! Blocks of a cluster: arrivals at barriers of several of them, and copies that they make together. A block is named by its number
//! in the cluster; which number that is follows from ids along the cluster's axes.

use super::context::Lower;
use super::number::{Number, binary};
use super::refs::{RefView, Shown};
use crate::Refusal;
use crate::ir::{MemoryId, Op, Share, Value};
use pallas_ir::{AxisSemantics, BarrierType, OpData, ops};

/// How far a block is away along each axis of the cluster, around its end.
pub(crate) type Far = Vec<usize>;

/// An axis of the cluster.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// Of the grid.
    axis: usize,
    extent: usize,
    /// How far apart the numbers of neighbours are.
    stride: i64,
}

impl Lower<'_> {
    /// Axes of the cluster, in the grid's order.
    fn cluster(&self) -> Vec<Axis> {
        let semantics = self.launch.semantics.iter().enumerate();
        let axes = semantics.filter(|(_, axis)| **axis == AxisSemantics::Cluster).map(|(axis, _)| axis);
        let mut axes: Vec<Axis> = axes.map(|axis| Axis { axis, extent: self.grid[axis], stride: 1 }).collect();
        let mut stride = 1;
        for axis in axes.iter_mut().rev() {
            axis.stride = stride;
            stride *= axis.extent as i64;
        }
        axes
    }

    /// The number of the block whose ids are these along the cluster's axes.
    fn block_number(&mut self, axes: &[Axis], ids: &[Number]) -> Number {
        let mut number = Number::Known(0);
        for (axis, id) in axes.iter().zip(ids) {
            let far = id.times(&mut self.b, axis.stride);
            number = number.add(&mut self.b, far);
        }
        number
    }

    /// The number of the block that is so far away.
    fn away(&mut self, far: &Far) -> Number {
        let axes = self.cluster();
        let mut ids = Vec::new();
        for (axis, &far) in axes.iter().zip(far) {
            let id = self.ids[axis.axis];
            ids.push(match far {
                0 => id,
                far => {
                    let sum = id.add(&mut self.b, Number::Known(far as i64));
                    binary(&mut self.b, &ops::REM, sum, Number::Known(axis.extent as i64))
                }
            });
        }
        self.block_number(&axes, &ids)
    }

    /// Where who arrives at a barrier arrives: in all blocks along one of its sets of axes.
    pub(crate) fn reached(&self, barrier: &BarrierType) -> Result<Vec<Far>, Refusal> {
        let axes = self.cluster();
        let mut reached: Vec<Far> = Vec::new();
        for &set in barrier.across.iter().filter(|&&set| set != 0) {
            let outside = |axis: usize| self.grid[axis] > 1 && axes.iter().all(|other| other.axis != axis);
            if BarrierType::axes(set).any(outside) {
                return Err(self.unknown("a barrier of blocks that are not in one cluster"));
            }
            let mut found: Vec<Far> = vec![vec![0; axes.len()]];
            for (position, axis) in axes.iter().enumerate().filter(|(_, axis)| set >> axis.axis & 1 == 1) {
                let along =
                    |far: Far| (0..axis.extent).map(move |at| [&far[..position], &[at], &far[position + 1..]].concat());
                found = found.into_iter().flat_map(along).collect();
            }
            reached.extend(found);
        }
        if reached.is_empty() {
            reached.push(vec![0; axes.len()]);
        }
        reached.sort_unstable();
        reached.dedup();
        Ok(reached)
    }

    /// An arrival, in all blocks that it reaches.
    pub(crate) fn lower_arrive(&mut self, op: &OpData) -> Result<(), Refusal> {
        let (phases, which) = self.phases(op.operands[0])?;
        if let Some(&set) = self.teams.led.get(&phases) {
            let led: Vec<Axis> = self.cluster().into_iter().filter(|axis| set >> axis.axis & 1 == 1).collect();
            let across = self.b.kernel().cluster > 1;
            let first = if across { Some(self.first(&led).value(&mut self.b)) } else { None };
            let operands: Vec<Value> = [which].into_iter().chain(first).collect();
            self.b.add(Op::Arrive { phases, alone: false, across }, &operands, &[], Vec::new());
            return Ok(());
        }
        for far in self.teams.reached.get(&phases).cloned().unwrap_or_default() {
            if far.iter().all(|&far| far == 0) {
                self.b.add(Op::Arrive { phases, alone: false, across: false }, &[which], &[], Vec::new());
                continue;
            }
            let there = self.away(&far).value(&mut self.b);
            self.b.add(Op::Arrive { phases, alone: false, across: true }, &[which, there], &[], Vec::new());
        }
        Ok(())
    }

    /// The axes of the cluster along which blocks make a copy together; `None` where one is not of the cluster.
    fn together(&self, op: &OpData) -> Option<Vec<Axis>> {
        let axes = self.cluster();
        let named = op.attributes.ints("axes").unwrap_or_default();
        let named: Vec<usize> = named.iter().filter_map(|&axis| usize::try_from(axis).ok()).collect();
        let named = named.into_iter().filter(|&axis| self.grid.get(axis).is_some_and(|&extent| extent > 1));
        named.map(|axis| axes.iter().find(|other| other.axis == axis).copied()).collect()
    }

    /// Which of those blocks this one is, and how many there are.
    fn index(&mut self, axes: &[Axis]) -> (Number, usize) {
        let mut index = Number::Known(0);
        for axis in axes {
            let far = index.times(&mut self.b, axis.extent as i64);
            index = far.add(&mut self.b, self.ids[axis.axis]);
        }
        (index, axes.iter().map(|axis| axis.extent).product())
    }

    /// The number of the first of those blocks.
    fn first(&mut self, together: &[Axis]) -> Number {
        let axes = self.cluster();
        let is_led = |axis: &Axis| together.iter().any(|other| other.axis == axis.axis);
        let ids: Vec<Number> =
            axes.iter().map(|axis| if is_led(axis) { Number::Known(0) } else { self.ids[axis.axis] }).collect();
        self.block_number(&axes, &ids)
    }

    /// A copy that all get: each brings a part of it to all of them. `false` if it cannot be divided so; then each brings all of it
    /// for itself.
    pub(crate) fn copied_together(
        &mut self,
        op: &OpData,
        global: &RefView,
        shared: &RefView,
        (phases, which): (MemoryId, Value),
    ) -> Result<bool, Refusal> {
        let Some(together) = self.together(op).filter(|axes| !axes.is_empty()) else { return Ok(false) };
        let (index, count) = self.index(&together);
        let rows = if self.teams.panels.contains_key(&shared.memory) { 8 } else { 1 };
        let (Some(from), Some(to)) =
            (self.divided_rows(global, index, count, rows), self.divided_rows(shared, index, count, rows))
        else {
            return Ok(false);
        };
        let Some((map, pieces)) = self.boxes(&from, &to) else { return Ok(false) };
        let bytes = shared.shape().iter().product::<usize>() * self.b.kernel().memory(shared.memory).dtype.size_bytes();
        self.b.add(Op::Expect { phases, bytes }, &[which], &[], Vec::new());
        // Which blocks those are, seen from the first of them.
        let mut seen = vec![0];
        for axis in &together {
            let along = |at: i64| (0..axis.extent as i64).map(move |step| at + step * axis.stride);
            seen = seen.into_iter().flat_map(along).collect();
        }
        let mask: i64 = seen.iter().map(|at| 1 << at).sum();
        let mask = match self.first(&together) {
            Number::Known(first) => Number::Known(mask << first),
            first => binary(&mut self.b, &ops::SHIFT_LEFT, Number::Known(mask), first),
        };
        let mask = mask.value(&mut self.b);
        self.brought(map, pieces, shared.memory, (phases, which), (Share::All, Some(mask)));
        self.b.add(Op::Arrive { phases, alone: true, across: false }, &[which], &[], Vec::new());
        Ok(true)
    }

    /// The part of a Ref that the block with this index of so many brings: rows of the first dimension that has several, in whole
    /// groups of some.
    fn divided_rows(&mut self, view: &RefView, index: Number, count: usize, group: usize) -> Option<RefView> {
        let (position, size, step) = view.axes().into_iter().find(|axis| axis.1 != 1)?;
        if step != 1 || !size.is_multiple_of(count * group) {
            return None;
        }
        let mut part = view.clone();
        let dim = &mut part.dims[position];
        dim.shown = Shown::Range { size: size / count, step };
        let far = index.times(&mut self.b, (size / count) as i64);
        dim.offset = dim.offset.add(&mut self.b, far);
        Some(part)
    }

    /// A copy of which every block brings a part, or all of it, for itself, and only the first one counts when all have come.
    pub(crate) fn copied_for_leader(
        &mut self,
        op: &OpData,
        global: &RefView,
        shared: &RefView,
        (phases, which): (MemoryId, Value),
    ) -> Result<(), Refusal> {
        let Some(together) = self.together(op) else {
            return Err(self.refuse_because(op, "along axes that are not of a cluster is not lowered yet"));
        };
        let (index, count) = self.index(&together);
        let mut global = global.clone();
        if let Some(axis) = op.attributes.int("partitioned").and_then(|axis| usize::try_from(axis).ok()) {
            let size = shared.shape().get(axis).copied().unwrap_or(0);
            let part = global.axes().get(axis).copied().filter(|part| part.2 == 1 && part.1 == size * count);
            let Some((position, ..)) = part else {
                return Err(self.refuse_because(op, "of which the blocks do not get equal parts"));
            };
            let dim = &mut global.dims[position];
            dim.shown = Shown::Range { size, step: 1 };
            let far = index.times(&mut self.b, size as i64);
            dim.offset = dim.offset.add(&mut self.b, far);
        }
        let Some((map, pieces)) = self.boxes(&global, shared) else {
            return Err(self.refuse_because(
                op,
                "that only one block counts, and that is no box for an engine, is not lowered yet",
            ));
        };
        let bytes = shared.shape().iter().product::<usize>() * self.b.kernel().memory(shared.memory).dtype.size_bytes();
        let leads = self.leads(index);
        let first = self.first(&together).value(&mut self.b);
        let share = (Share::Leader, Some(first));
        self.brought(map, pieces, shared.memory, (phases, which), share);
        self.b.open(&[]);
        self.b.add(Op::Expect { phases, bytes: bytes * count }, &[which], &[], Vec::new());
        self.b.add(Op::Arrive { phases, alone: true, across: false }, &[which], &[], Vec::new());
        let arrives = self.b.close(Vec::new());
        self.b.add(Op::Switch, &[leads], &[], vec![Default::default(), arrives]);
        Ok(())
    }

    /// Of two blocks that multiply together along an axis: whether this one leads, as 0 or 1, and the number of the one that does. Tensor
    /// cores pair blocks whose numbers follow each other, the first of which is even.
    pub(crate) fn pair(&mut self, op: &OpData) -> Result<(Value, Value), Refusal> {
        let named = op.attributes.int("axis").and_then(|axis| usize::try_from(axis - 1).ok());
        let axis = self.cluster().into_iter().find(|axis| Some(axis.axis) == named);
        let Some(axis) = axis.filter(|axis| axis.extent == 2 && axis.stride == 1) else {
            return Err(self.refuse_because(op, "of blocks that are no two neighbours is not what tensor cores do"));
        };
        let (index, _) = self.index(&[axis]);
        let first = self.first(&[axis]).value(&mut self.b);
        Ok((self.leads(index), first))
    }

    /// 1 in the first block of those that do something together, 0 in the others.
    pub(crate) fn leads(&mut self, index: Number) -> Value {
        let (index, zero) = (index.value(&mut self.b), self.b.int(0));
        let leads = self.b.binary(&ops::EQ, index, zero);
        self.b.convert(leads, pallas_tensor::DType::I32)
    }
}
