//! The clocks at any program without the programs before it: a run of programs with equal surroundings is a power of one
//! max-plus matrix, and an axis of the grid a product of such powers.

use super::{NOW, Timing};
use crate::max_plus::{Powers, Rows};
use crate::schedule::{Direction, Stream};
use std::rc::Rc;

/// What the matrix of a run of programs depends on: all programs with the ids of some axes in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The first axis that runs through all its ids; the rank of the grid for a single program.
    axis: usize,
    /// The axis of the step into the first program; `None` at the beginning.
    enter: Option<usize>,
    /// Axes of the steps behind the last program; short at the end.
    follow: Vec<usize>,
    /// Where in the table of durations the first program stands.
    durations: usize,
}

impl Timing {
    /// The clocks before the iteration of a program.
    pub(super) fn state_at(&self, program: usize) -> Rows {
        let mut state = self.begun();
        if !self.is_regular() {
            for earlier in 0..program {
                self.run(earlier, &mut state, &mut |_| {});
            }
            return state;
        }
        let order = self.order();
        let mut first = 0;
        for axis in 0..order.grid().len() {
            let ids = (program - first) / order.inner(axis);
            state = self.sweeps_along(axis, first, ids, state);
            first += ids * order.inner(axis);
        }
        state
    }

    /// Runs the first `count` ids of an axis, the axes behind it through all of theirs, from program `first` on.
    fn sweeps_along(&self, axis: usize, first: usize, count: usize, mut rows: Rows) -> Rows {
        let order = self.order();
        let (extent, inner) = (order.grid()[axis], order.inner(axis));
        // From here on what follows differs from what follows in the middle of the axis.
        let tail = extent.saturating_sub(2 + self.ahead.div_ceil(inner.max(1)));
        let mut id = 0;
        while id < count {
            let until = match id {
                0 => 1,
                _ if id < tail => self.durations.same_until(order, axis, id).min(tail),
                _ => id + 1,
            };
            let until = until.min(count);
            let sweep = self.sweep(axis + 1, first + id * inner);
            rows = sweep.after(rows, until - id);
            id = until;
        }
        rows
    }

    /// The matrix of all programs from `first` on whose ids differ only along `axis` and those behind it.
    fn sweep(&self, axis: usize, first: usize) -> Rc<Powers> {
        let key = self.key(axis, first);
        if let Some(known) = self.sweeps.borrow().get(&key) {
            return known.clone();
        }
        let rows = if axis == self.order().grid().len() {
            self.matrix(&key)
        } else {
            self.sweeps_along(axis, first, self.order().grid()[axis], Rows::identity(self.clocks))
        };
        let powers = Rc::new(Powers::of(rows));
        self.sweeps.borrow_mut().insert(key, powers.clone());
        powers
    }

    fn key(&self, axis: usize, first: usize) -> Key {
        let order = self.order();
        let size = if axis == 0 { order.programs() } else { order.inner(axis - 1) };
        // A grid may have more programs than can be numbered.
        let next = first.saturating_add(size);
        let follow = (next..next.saturating_add(self.ahead)).take_while(|&program| program < order.programs());
        Key {
            axis,
            enter: (first > 0).then(|| order.axis_into(first)),
            follow: follow.map(|program| order.axis_into(program)).collect(),
            durations: self.durations.position(order, first),
        }
    }

    /// The matrix of one program: [`Timing::run`] with the questions to the program's number answered from its
    /// surroundings.
    fn matrix(&self, key: &Key) -> Rows {
        let mut rows = Rows::identity(self.clocks);
        let moves = |stream: &Stream, axis: usize| stream.moves.along(axis) == Some(true);
        let is_new = |stream: &Stream| key.enter.is_some_and(|axis| moves(stream, axis));
        self.enter(&mut rows, is_new);
        let streams = || self.schedule.streams.iter().enumerate();
        for (at, stream) in streams().filter(|(_, stream)| stream.direction == Direction::In) {
            match stream.ahead() {
                0 if key.enter.is_none() || is_new(stream) => self.issue(&mut rows, at, self.first_clock[at]),
                0 => {}
                ahead => {
                    let Some(steps) = key.follow.get(..ahead) else { continue };
                    if steps.last().is_some_and(|&axis| moves(stream, axis)) {
                        let position = steps.iter().filter(|&&axis| moves(stream, axis)).count();
                        self.issue(&mut rows, at, self.first_clock[at] + position);
                    }
                }
            }
        }
        for (at, stream) in streams().filter(|(_, stream)| stream.direction == Direction::In) {
            if key.enter.is_none() || is_new(stream) {
                rows.join(NOW, self.first_clock[at]);
            }
        }
        rows.advance(NOW, self.durations.ticks.get(key.durations).copied().unwrap_or(0));
        let ends = |stream: &Stream| key.follow.first().is_none_or(|&axis| moves(stream, axis));
        let outputs = || streams().filter(|(_, stream)| stream.direction == Direction::Out && ends(stream));
        for (at, _) in outputs() {
            self.shift_out(&mut rows, at);
            self.issue(&mut rows, at, self.first_clock[at]);
        }
        for (at, _) in outputs() {
            rows.join(NOW, self.last_clock(at));
        }
        rows
    }
}
