//! The mouse: a click on a tab, a program, an entry or a pane selects it; the wheel moves or zooms what it is over; drawn over the
//! pipeline it marks a span, as `w` does.

use super::layout::{self, Layout};
use super::{App, Effect, Pane};
use crate::keymap::{Action, Direction};
use ratatui::layout::{Position, Rect};

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Click {
    /// A button went down.
    Press,
    /// It moved while the button was down.
    Drag,
    /// The button went up.
    Release,
    /// The wheel turned up.
    Up,
    /// The wheel turned down.
    Down,
}

impl App {
    /// What the mouse did at a place.
    pub(super) fn mouse(&mut self, click: Click, column: u16, row: u16) -> Option<Effect> {
        match click {
            Click::Drag => {
                self.drag(column);
                return None;
            }
            Click::Release => {
                self.dragged = None;
                return None;
            }
            _ => {}
        }
        if self.help.is_some() || self.prompt.is_some() {
            let moves = if click == Click::Up { Direction::Up } else { Direction::Down };
            if self.help.is_some() && click != Click::Press {
                return self.act(Action::Move(moves));
            }
            self.help = None;
            self.prompt = None;
            return None;
        }
        let layout = Layout::of(self);
        let at = Position { x: column, y: row };
        if click == Click::Press && layout.tabs.contains(at) {
            if let Some(view) = crate::view::tabs::at(self, layout.tabs.width, column) {
                self.go(view);
            }
            return None;
        }
        let &(pane, area) = layout.panes.iter().find(|(_, area)| area.contains(at))?;
        let before = self.focus;
        self.focus = pane;
        match click {
            Click::Press => {
                let inner = layout::inside(area);
                if inner.contains(at) {
                    self.press(pane, inner, column - inner.x, row - inner.y);
                }
                return None;
            }
            // They were carried out above.
            Click::Drag | Click::Release => {}
            Click::Up | Click::Down => {
                let up = click == Click::Up;
                match pane {
                    Pane::Grid | Pane::Pipeline => {
                        self.act(if up { Action::ZoomIn } else { Action::ZoomOut });
                    }
                    _ => {
                        let direction = if up { Direction::Up } else { Direction::Down };
                        self.move_cursor(Action::Move(direction));
                    }
                }
            }
        }
        self.focus = before;
        None
    }

    /// The pointer moved with its button down: from where it was pressed to where it is now is the span that is measured.
    fn drag(&mut self, column: u16) {
        let (Some(from), Some(pane)) = (self.dragged, Layout::of(self).pane(Pane::Pipeline)) else { return };
        let (inner, Some((_, launch))) = (layout::inside(pane), self.profile()) else { return };
        let columns = crate::view::pipeline::columns(launch, inner.width);
        let begin = usize::from(inner.width).saturating_sub(columns + 1) + usize::from(inner.x);
        // Beyond an edge means the edge.
        let at = usize::from(column).saturating_sub(begin).min(columns.saturating_sub(1));
        let Some(to) = self.timeline(columns).and_then(|timeline| timeline.step_near(at, columns)) else { return };
        if to != from || self.marks.1.is_some() {
            self.marks = (Some(from), Some(to));
        }
    }

    /// A click inside of a pane, at a place counted from its inner corner.
    fn press(&mut self, pane: Pane, inner: Rect, column: u16, row: u16) {
        let (x, y) = (usize::from(column), usize::from(row));
        let listed = |selected: usize, count: usize, head: usize| {
            let top = crate::view::first_shown(selected, count, usize::from(inner.height).saturating_sub(head));
            y.checked_sub(head).map(|line| top + line).filter(|&at| at < count)
        };
        match pane {
            Pane::Grid => {
                let Some(map) = self.map_in(inner) else { return };
                let place = x.checked_sub(map.ruler).zip(y.checked_sub(1));
                if let Some(program) = place.and_then(|(x, y)| map.cell_at(x, y)).and_then(|cell| map.first_in(cell)) {
                    self.program = program;
                }
            }
            Pane::Launches => {
                let count = self.report.as_ref().map_or(0, |report| report.launches.len());
                if let Some(launch) = listed(self.launch, count, 1) {
                    self.choose_launch(launch);
                }
            }
            Pane::Findings => {
                let shown = self.shown_findings();
                if let Some(&finding) = shown.get(y) {
                    self.choose_finding(finding);
                }
            }
            Pane::Lines => {
                if let Some(line) = listed(self.cost_line, self.costs().len(), 1) {
                    self.cost_line = line;
                }
            }
            Pane::Pipeline => {
                let Some((_, launch)) = self.profile() else { return };
                let columns = crate::view::pipeline::columns(launch, inner.width);
                let from = usize::from(inner.width).saturating_sub(columns + 1);
                let Some(timeline) = self.timeline(columns) else { return };
                let Some(step) = x.checked_sub(from).and_then(|column| timeline.step_at(column, columns)) else {
                    return;
                };
                let by = step as i64 - self.step() as i64;
                self.step_program(by.saturating_mul(timeline.stride as i64));
                // What was pressed stays under the pointer.
                self.stay_at(&timeline);
                self.dragged = Some(self.step());
            }
            Pane::Values => {
                let count = self.tiles().map_or(0, <[_]>::len);
                let lines = (count + 1).min(usize::from(inner.height) / 2);
                if let Some(at) = listed(self.values.selected, count, 1).filter(|_| y < lines) {
                    self.values.selected = at;
                    self.values.store = None;
                    self.values.element = (0, 0);
                }
            }
            _ => {}
        }
    }
}
