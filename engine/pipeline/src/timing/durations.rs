//! How long the kernel takes, program by program, and copies of so many bytes.

use crate::max_plus::Ticks;
use crate::moves::Order;

/// The kernel's duration, program by program: a table over the axes that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durations {
    /// The axes, ascending.
    pub axes: Vec<usize>,
    /// One per combination of ids along them, the last axis fastest.
    pub ticks: Vec<Ticks>,
}

impl Durations {
    /// The same for every program.
    pub fn constant(ticks: Ticks) -> Durations {
        Durations { axes: Vec::new(), ticks: vec![ticks] }
    }

    /// Position in the table of a program.
    pub fn position(&self, order: &Order, program: usize) -> usize {
        self.axes.iter().fold(0, |at, &axis| at * order.grid()[axis] + order.id(axis, program))
    }

    pub(super) fn of(&self, order: &Order, program: usize) -> Ticks {
        self.ticks.get(self.position(order, program)).copied().unwrap_or(0)
    }

    /// The sum over a grid.
    pub fn total(&self, order: &Order) -> Ticks {
        match self.ticks.len() {
            0 => 0,
            combinations => {
                let each = (order.programs() / combinations) as Ticks;
                self.ticks.iter().sum::<Ticks>().saturating_mul(each)
            }
        }
    }

    /// The id from which on ids along an axis behave as `id` does, up to and without the next one that does not.
    pub(super) fn same_until(&self, order: &Order, axis: usize, id: usize) -> usize {
        let extent = order.grid()[axis];
        let Some(place) = self.axes.iter().position(|&a| a == axis) else { return extent };
        let stride: usize = self.axes[place + 1..].iter().map(|&a| order.grid()[a]).product();
        let equal = |a: usize, b: usize| {
            let mut low = 0;
            while low < self.ticks.len() {
                let slab = |id: usize| &self.ticks[low + id * stride..low + (id + 1) * stride];
                if slab(a) != slab(b) {
                    return false;
                }
                low += stride * extent;
            }
            true
        };
        (id + 1..extent).find(|&next| !equal(id, next)).unwrap_or(extent)
    }
}

/// Sums of durations over all programs before one, by formula.
#[derive(Clone, Debug)]
pub struct Sums<'a> {
    durations: &'a Durations,
    order: &'a Order,
    /// For each axis, and behind the last one: totals of all programs that have the ids of the axes before it in common.
    totals: Vec<Vec<Ticks>>,
}

impl Durations {
    /// Prepares to sum over parts of a grid.
    pub fn sums<'a>(&'a self, order: &'a Order) -> Sums<'a> {
        let mut totals = vec![self.ticks.clone()];
        for axis in (0..order.grid().len()).rev() {
            let extent = order.grid()[axis];
            let behind = &totals[totals.len() - 1];
            totals.push(match self.axes.contains(&axis) {
                true => behind.chunks(extent.max(1)).map(|row| row.iter().sum()).collect(),
                false => behind.iter().map(|total| total.saturating_mul(extent as Ticks)).collect(),
            });
        }
        totals.reverse();
        Sums { durations: self, order, totals }
    }
}

impl Sums<'_> {
    /// The durations of all programs before this one; of all there are for the number behind the last.
    pub fn until(&self, program: usize) -> Ticks {
        let order = self.order;
        if program >= order.programs() {
            return self.totals[0].iter().sum();
        }
        let mut sum: Ticks = 0;
        // Where the ids of the axes so far stand in the table.
        let mut row = 0;
        for axis in 0..order.grid().len() {
            let (id, extent, behind) = (order.id(axis, program), order.grid()[axis], &self.totals[axis + 1]);
            if self.durations.axes.contains(&axis) {
                row *= extent;
                sum += behind.get(row..row + id).unwrap_or_default().iter().sum::<Ticks>();
                row += id;
            } else {
                sum += behind.get(row).copied().unwrap_or(0).saturating_mul(id as Ticks);
            }
        }
        sum
    }
}

/// Clocks of a copy: how long it occupies the path, and the latency after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// The latency of a copy.
    pub latency: Ticks,
    /// Femtoseconds per byte, as a fraction.
    pub per_byte: (Ticks, Ticks),
}

impl Rates {
    /// A latency in seconds and a bandwidth in bytes per second.
    pub fn new(latency: f64, bandwidth: f64) -> Rates {
        // Bandwidths are whole numbers of kilobytes per second.
        let kilobytes = (bandwidth / 1e3).round().max(1.0) as Ticks;
        Rates { latency: ticks(latency), per_byte: (1_000_000_000_000, kilobytes) }
    }

    /// How long so many bytes occupy the path.
    pub fn transfer(&self, bytes: u128) -> Ticks {
        let bytes = Ticks::try_from(bytes).unwrap_or(Ticks::MAX / self.per_byte.0.max(1));
        bytes.saturating_mul(self.per_byte.0) / self.per_byte.1.max(1)
    }
}

/// Femtoseconds of so many seconds.
pub fn ticks(seconds: f64) -> Ticks {
    (seconds * 1e15).round() as Ticks
}

/// Seconds of so many femtoseconds.
pub fn seconds(ticks: Ticks) -> f64 {
    ticks as f64 / 1e15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_a_walk() {
        for (grid, axes) in [
            (vec![], vec![]),
            (vec![5], vec![]),
            (vec![5], vec![0]),
            (vec![3, 4], vec![1]),
            (vec![3, 4, 2], vec![0, 2]),
            (vec![2, 3, 4], vec![1]),
            (vec![2, 3, 2], vec![0, 1, 2]),
        ] {
            let order = Order::new(&grid);
            let combinations: usize = axes.iter().map(|&axis: &usize| grid[axis]).product();
            let ticks = (0..combinations as Ticks).map(|at| at * at + 1).collect();
            let durations = Durations { axes, ticks };
            let sums = durations.sums(&order);
            let mut walked = 0;
            for program in 0..order.programs() {
                assert_eq!(sums.until(program), walked, "{grid:?} {durations:?} {program}");
                walked += durations.of(&order, program);
            }
            assert_eq!(sums.until(order.programs()), walked);
            assert_eq!(walked, durations.total(&order));
        }
    }
}
