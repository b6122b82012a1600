//! Max-plus algebra: what a pipeline does to its clocks is to take maxima and to add durations, so that a step is a
//! matrix, and many equal steps are a power of it. Exact: times are whole femtoseconds.

use std::cell::RefCell;
use std::rc::Rc;

/// Femtoseconds. A femtosecond is a third of a byte at 3 TB/s, and 128 bits hold them for longer than there is time.
pub type Ticks = i128;

/// No dependence; small enough that no sum of it with a duration reaches a real time.
const NEVER: Ticks = i128::MIN / 4;

/// Rows of a max-plus linear map: `clock[i] = max over j of (before[j] + at(i, j))`. With one column it is a state: the
/// clocks themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    columns: usize,
    cells: Vec<Ticks>,
}

impl Rows {
    /// A map that changes nothing.
    pub(crate) fn identity(size: usize) -> Rows {
        let mut rows = Rows { columns: size, cells: vec![NEVER; size * size] };
        for at in 0..size {
            rows.cells[at * size + at] = 0;
        }
        rows
    }

    /// The state in which every clock stands at 0, and nothing is under way.
    pub(crate) fn state(size: usize) -> Rows {
        Rows { columns: 1, cells: vec![0; size] }
    }

    fn height(&self) -> usize {
        self.cells.len() / self.columns.max(1)
    }

    fn row(&self, at: usize) -> &[Ticks] {
        &self.cells[at * self.columns..(at + 1) * self.columns]
    }

    /// The time of a clock, of a state.
    pub(crate) fn time(&self, clock: usize) -> Ticks {
        self.cells[clock * self.columns]
    }

    /// Lets time pass on a clock.
    pub(crate) fn advance(&mut self, clock: usize, by: Ticks) {
        let columns = self.columns;
        for cell in &mut self.cells[clock * columns..(clock + 1) * columns] {
            *cell = sum(*cell, by);
        }
    }

    /// A clock waits for another.
    pub(crate) fn join(&mut self, clock: usize, other: usize) {
        for column in 0..self.columns {
            let there = self.cells[other * self.columns + column];
            let here = &mut self.cells[clock * self.columns + column];
            *here = (*here).max(there);
        }
    }

    /// A clock takes the time of another.
    pub(crate) fn copy(&mut self, clock: usize, other: usize) {
        let (from, columns) = (other * self.columns, self.columns);
        self.cells.copy_within(from..from + columns, clock * columns);
    }

    /// First this map, then `next`.
    pub(crate) fn then(&self, next: &Rows) -> Rows {
        let (height, columns) = (next.height(), self.columns);
        let mut cells = vec![NEVER; height * columns];
        for (at, out) in cells.chunks_mut(columns.max(1)).enumerate() {
            for (between, &delay) in next.row(at).iter().enumerate() {
                if delay <= NEVER {
                    continue;
                }
                for (cell, &before) in out.iter_mut().zip(self.row(between)) {
                    *cell = (*cell).max(sum(before, delay));
                }
            }
        }
        Rows { columns, cells }
    }
}

/// A map with its powers of two, each of which is worked out once: whoever asks for many programs of a grid asks for the
/// same ones again and again.
#[derive(Debug)]
pub(crate) struct Powers {
    /// The map, its square, the square of that, and so on.
    known: RefCell<Vec<Rc<Rows>>>,
}

impl Powers {
    /// Those of a map.
    pub(crate) fn of(rows: Rows) -> Powers {
        Powers { known: RefCell::new(vec![Rc::new(rows)]) }
    }

    /// The map squared so many times.
    fn squared(&self, times: usize) -> Rc<Rows> {
        let mut known = self.known.borrow_mut();
        while known.len() <= times {
            let last = &known[known.len() - 1];
            let next = last.then(last);
            known.push(Rc::new(next));
        }
        known[times].clone()
    }

    /// `rows`, then the map so many times.
    pub(crate) fn after(&self, mut rows: Rows, times: usize) -> Rows {
        for bit in 0..usize::BITS as usize {
            if times >> bit == 0 {
                break;
            }
            if times >> bit & 1 == 1 {
                rows = rows.then(&self.squared(bit));
            }
        }
        rows
    }
}

fn sum(a: Ticks, b: Ticks) -> Ticks {
    if a <= NEVER || b <= NEVER { NEVER } else { a.saturating_add(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two clocks that wait for each other crosswise.
    fn step() -> Rows {
        let mut rows = Rows::identity(3);
        rows.advance(0, 5);
        rows.join(1, 0);
        rows.advance(1, 2);
        rows.copy(2, 0);
        rows.join(0, 1);
        rows
    }

    #[test]
    fn a_power_is_the_step_many_times() {
        let powers = Powers::of(step());
        for times in (0..20).rev().chain(0..20) {
            let mut one_by_one = Rows::state(3);
            for _ in 0..times {
                one_by_one = one_by_one.then(&step());
            }
            assert_eq!(powers.after(Rows::state(3), times), one_by_one, "{times} times");
        }
    }

    #[test]
    fn a_map_of_a_state_is_what_its_steps_do() {
        let mut state = Rows::state(3);
        state.advance(0, 5);
        state.join(1, 0);
        state.advance(1, 2);
        state.copy(2, 0);
        state.join(0, 1);
        assert_eq!(Rows::state(3).then(&step()), state);
        assert_eq!((state.time(0), state.time(1), state.time(2)), (7, 7, 5));
    }
}
