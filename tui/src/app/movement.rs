//! Moving: through the grid, through lists, through text.

use super::layout::{self, Layout};
use super::map::{self, Drawn, Map};
use super::{App, Pane};
use crate::keymap::{Action, Direction};
use std::time::Duration;

/// How long a step of the animation stays.
pub(super) const FRAME: Duration = Duration::from_millis(150);

/// Programs that a jump covers where each has its own cell.
const JUMP: usize = 8;

impl App {
    /// Moves in the focused pane.
    pub(super) fn move_cursor(&mut self, action: Action) {
        match self.focus {
            Pane::Grid => self.move_in_grid(action),
            Pane::Findings => {
                let shown = self.shown_findings();
                let at = shown.iter().position(|finding| *finding == self.finding).unwrap_or(0);
                if let Some(&next) = in_list(at, shown.len(), action).and_then(|next| shown.get(next)) {
                    self.choose_finding(next);
                }
            }
            Pane::Values => self.move_in_values(action),
            Pane::Ir => {
                let page =
                    Layout::of(self).pane(Pane::Ir).map_or(JUMP, |area| layout::inside(area).height as usize / 2);
                if let Some(next) = in_text(self.ir_scroll, self.ir().lines().count(), page, action) {
                    self.ir_scroll = next;
                }
                let widest = self.ir().lines().map(|line| line.chars().count()).max().unwrap_or(0);
                self.slide(action, widest);
            }
            Pane::Launches => {
                let count = self.report.as_ref().map_or(0, |report| report.launches.len());
                if let Some(next) = in_list(self.launch, count, action) {
                    self.choose_launch(next);
                }
            }
            Pane::Blocks => {
                let operands = self.launch().map_or(0, |report| report.launch.operands.len());
                if let Some(next) = in_list(self.blocks_scroll, operands, action) {
                    self.blocks_scroll = next;
                }
            }
            Pane::Summary => {
                let bottom = crate::view::summary::bottom(self);
                if let Some(next) = in_list(self.summary_scroll.min(bottom), bottom + 1, action) {
                    self.summary_scroll = next;
                }
            }
            Pane::Lines => {
                if let Some(next) = in_list(self.cost_line, self.costs().len(), action) {
                    self.cost_line = next;
                }
            }
            Pane::Timings | Pane::Roofline => {}
            Pane::Pipeline => self.move_in_pipeline(action),
            Pane::Source => self.scroll_source(action),
        }
    }

    /// To a program before or after the cursor's in the order of the grid.
    pub(super) fn step_program(&mut self, by: i64) {
        let Some(launch) = self.launch().map(|report| report.launch.clone()) else { return };
        let Some(last) = launch.programs().checked_sub(1) else { return };
        let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        let number = self.number();
        let there = if by < 0 { number.saturating_sub(distance) } else { number.saturating_add(distance).min(last) };
        self.program = launch.program(there);
        self.panned = 0;
    }

    fn move_in_pipeline(&mut self, action: Action) {
        let Some(timeline) = self.timeline_on_screen() else { return };
        let by = |steps: usize| i64::try_from(steps.saturating_mul(timeline.stride)).unwrap_or(i64::MAX);
        let was_there = match action {
            Action::Move(Direction::Right) => self.step_rehearsed(1),
            Action::Move(Direction::Left) => self.step_rehearsed(-1),
            Action::Jump(Direction::Right) => self.jump_rehearsed(true),
            Action::Jump(Direction::Left) => self.jump_rehearsed(false),
            Action::First => self.step_rehearsed(i64::MIN),
            Action::Last => self.step_rehearsed(i64::MAX),
            _ => false,
        };
        match action {
            _ if was_there => {}
            Action::Move(Direction::Right) => self.step_program(by(timeline.fold.max(1))),
            Action::Move(Direction::Left) => self.step_program(-by(timeline.fold.max(1))),
            Action::Jump(Direction::Right) => self.step_program(by((timeline.count / 2).max(1))),
            Action::Jump(Direction::Left) => self.step_program(-by((timeline.count / 2).max(1))),
            Action::First => self.step_program(i64::MIN),
            Action::Last => self.step_program(i64::MAX),
            Action::Move(_) | Action::Jump(_) => {
                if let Some(lane) = in_list(self.lane, self.lane_count(), action) {
                    self.lane = lane;
                }
            }
            _ => {}
        }
    }

    /// One more frame of the animation of steps.
    pub(super) fn play(&mut self) {
        if self.playing && self.now.saturating_sub(self.played) >= FRAME {
            self.played = self.now;
            let before = self.number();
            self.move_in_pipeline(Action::Move(Direction::Right));
            self.playing = self.number() > before;
        }
    }

    fn move_in_grid(&mut self, action: Action) {
        let Some(launch) = self.launch().map(|report| report.launch.clone()) else { return };
        if launch.programs() == 0 {
            return;
        }
        match action {
            Action::First => self.program.fill(0),
            Action::Last => self.program = launch.grid.iter().map(|extent| extent - 1).collect(),
            Action::NextSlice => self.step_slice(&launch.grid, 1),
            Action::PreviousSlice => self.step_slice(&launch.grid, -1),
            // Off the screen, moves go along the axes all the same.
            Action::Move(direction) => match self.map() {
                Some(map) => self.walk(&map, direction, (1, 1)),
                None => self.step_blind(&launch.grid, direction),
            },
            Action::Jump(direction) => {
                if let Some(map) = self.map() {
                    let of = |per_cell: usize| if per_cell > 1 { per_cell } else { JUMP };
                    let by = match map.drawn {
                        // A line's cells are as high as one line of programs.
                        Drawn::Line(_) => (JUMP, of(map.per_cell.1)),
                        _ => (of(map.per_cell.0), of(map.per_cell.1)),
                    };
                    self.walk(&map, direction, by);
                }
            }
            _ => {}
        }
    }

    /// Moves by so many programs down or right, and stops at the edge.
    fn walk(&mut self, map: &Map, direction: Direction, by: (usize, usize)) {
        if let Drawn::Line(axis) = map.drawn {
            let by = match direction {
                Direction::Left | Direction::Right => by.1,
                Direction::Up | Direction::Down => by.0.saturating_mul(map.extent.1),
            };
            let last = self.launch().map_or(0, |report| report.launch.grid[axis].saturating_sub(1));
            let id = self.program[axis];
            let there = match direction {
                Direction::Left | Direction::Up => id.checked_sub(by),
                Direction::Right | Direction::Down => id.checked_add(by).filter(|&id| id <= last),
            };
            // To the end by columns, but not off the end of a line by lines.
            let sideways = matches!(direction, Direction::Left | Direction::Right);
            let edge = if matches!(direction, Direction::Left) { 0 } else { last };
            self.program[axis] = there.unwrap_or(if sideways { edge } else { id });
            return;
        }
        let (row, column) = map.position(&self.program);
        let (last_row, last_column) = (map.extent.0 - 1, map.extent.1 - 1);
        let there = match direction {
            Direction::Left => (row, column.saturating_sub(by.1)),
            Direction::Right => (row, column.saturating_add(by.1).min(last_column)),
            Direction::Up => (row.saturating_sub(by.0), column),
            Direction::Down => (row.saturating_add(by.0).min(last_row), column),
        };
        if let Some(program) = map.program(there) {
            self.program = program;
        }
    }

    fn step_blind(&mut self, grid: &[usize], direction: Direction) {
        let axis = match (map::drawn(grid, self.pair), direction) {
            (Drawn::Plane { down, .. }, Direction::Up | Direction::Down) => down,
            (Drawn::Plane { right, .. }, _) => right,
            (Drawn::Line(axis), _) => axis,
            (Drawn::Nothing, _) => return,
        };
        let last = grid[axis].saturating_sub(1);
        let id = &mut self.program[axis];
        match direction {
            Direction::Left | Direction::Up => *id = id.saturating_sub(1),
            Direction::Right | Direction::Down => *id = (*id + 1).min(last),
        }
    }

    /// Steps along the axes that are not drawn, the last fastest, and around at the end.
    fn step_slice(&mut self, grid: &[usize], step: i64) {
        let Drawn::Plane { down, right } = map::drawn(grid, self.pair) else { return };
        for axis in (0..grid.len()).rev().filter(|&axis| axis != down && axis != right) {
            let id = self.program[axis];
            let (next, carries) = if step > 0 {
                if id + 1 < grid[axis] { (id + 1, false) } else { (0, true) }
            } else if id > 0 {
                (id - 1, false)
            } else {
                (grid[axis] - 1, true)
            };
            self.program[axis] = next;
            if !carries {
                return;
            }
        }
    }

    /// Text whose longest line has so many columns, sideways.
    fn slide(&mut self, action: Action, widest: usize) {
        self.sideways = match action {
            Action::Move(Direction::Right) => (self.sideways + JUMP).min(widest.saturating_sub(JUMP)),
            Action::Move(Direction::Left) => self.sideways.saturating_sub(JUMP),
            _ => return,
        };
    }

    fn scroll_source(&mut self, action: Action) {
        let (Some(report), Some(span)) = (&self.report, self.anchor_span()) else { return };
        let source = report.source_of(span);
        let anchor = i64::from(source.line_of(span.start));
        let last = source.line_count() as i64;
        let page = Layout::of(self).pane(Pane::Source).map_or(8, |area| i64::from(layout::inside(area).height / 2));
        let widest = source.text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let there = match action {
            Action::Move(Direction::Left | Direction::Right) => return self.slide(action, widest),
            Action::Move(Direction::Down) => self.source_scroll + 1,
            Action::Move(Direction::Up) => self.source_scroll - 1,
            Action::Jump(Direction::Down) => self.source_scroll + page,
            Action::Jump(Direction::Up) => self.source_scroll - page,
            Action::First => 1 - anchor,
            Action::Last => last - anchor,
            _ => return,
        };
        self.source_scroll = there.clamp(1 - anchor, last - anchor);
    }
}

/// The entry of a list that a move leads to.
fn in_list(at: usize, count: usize, action: Action) -> Option<usize> {
    in_text(at, count, JUMP, action)
}

/// The line of a text that a move leads to, where a jump goes over so many.
fn in_text(at: usize, count: usize, jump: usize, action: Action) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match action {
        Action::Move(Direction::Down) => Some((at + 1).min(last)),
        Action::Move(Direction::Up) => Some(at.saturating_sub(1)),
        Action::Jump(Direction::Down) => Some((at + jump).min(last)),
        Action::Jump(Direction::Up) => Some(at.saturating_sub(jump)),
        Action::First => Some(0),
        Action::Last => Some(last),
        _ => None,
    }
}
