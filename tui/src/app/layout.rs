//! Where panes are, for a terminal of some size. One place for breakpoints; panels only fill the rectangle they get.

use super::{App, Pane, Size, View};
use ratatui::layout::Rect;

/// Which layout a terminal gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Only the status line and a verdict.
    Small,
    /// The focused pane alone.
    Tight,
    /// One pane and a strip with details.
    Medium,
    /// All panes.
    Wide,
}

/// The least that a pane is drawn in.
pub(crate) const SMALLEST: Size = Size { width: 40, height: 10 };
/// The least that a pane shares with others.
const MEDIUM: Size = Size { width: 60, height: 16 };
/// The least that all panes are drawn in.
const WIDE: Size = Size { width: 110, height: 30 };
/// The fewest lines that the kernel's lines are shown in, frame and head included.
const LINES: u16 = 5;

/// The rectangles of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Which kind it is.
    pub(crate) class: Class,
    /// The status line.
    pub(crate) status: Rect,
    /// Tabs; empty in the small layout.
    pub(crate) tabs: Rect,
    /// Panes that are on the screen.
    pub(crate) panes: Vec<(Pane, Rect)>,
    /// A strip with the operands of the program at the cursor, where the blocks have no pane.
    pub(crate) details: Rect,
    /// The hint line.
    pub(crate) hints: Rect,
}

/// The class of a size.
pub(crate) fn class(size: Size) -> Class {
    if size.width >= WIDE.width && size.height >= WIDE.height {
        Class::Wide
    } else if size.width >= MEDIUM.width && size.height >= MEDIUM.height {
        Class::Medium
    } else if size.width >= SMALLEST.width && size.height >= SMALLEST.height {
        Class::Tight
    } else {
        Class::Small
    }
}

impl Layout {
    /// The layout of what the app shows. The overview, on a wide terminal and on a medium one:
    ///
    /// ```text
    /// status                                    status
    /// tabs                                      tabs
    /// ┌ Launches ───────────────────────────┐   ┌ Launches ───────┐
    /// └─────────────────────────────────────┘   └─────────────────┘
    /// ┌ Summary ──────┐┌ Grid ──────────────┐   ┌ Summary ────────┐
    /// │               ││                    │   │                 │
    /// └───────────────┘└────────────────────┘   │                 │
    /// ┌ Findings ─────┐┌ Source ────────────┐   │                 │
    /// └───────────────┘└────────────────────┘   └─────────────────┘
    /// hints                                     hints
    /// ```
    pub(crate) fn of(app: &App) -> Layout {
        let Size { width, height } = app.size;
        let class = class(app.size);
        let line = |at: u16| Rect { x: 0, y: at.min(height), width, height: u16::from(at < height) };
        let empty = Rect::default();
        if class == Class::Small {
            return Layout { class, status: line(0), tabs: empty, panes: Vec::new(), details: empty, hints: empty };
        }
        let body = Rect { x: 0, y: 2, width, height: height - 3 };
        let mut layout = Layout {
            class,
            status: line(0),
            tabs: line(1),
            panes: Vec::new(),
            details: empty,
            hints: line(height - 1),
        };
        if app.maximised || class == Class::Tight {
            layout.panes = vec![(app.focus, body)];
            return layout;
        }
        layout.panes = match (app.view, class) {
            (View::Overview, Class::Wide) => overview(app, body),
            (View::Overview, _) => {
                let (launches, rest) = split(body, launches(app, body));
                vec![(Pane::Launches, launches), (second(app, Pane::Launches, Pane::Summary), rest)]
            }
            (View::Timings, Class::Wide) => {
                let (top, lines) = split(body, body.height / 2);
                let (stages, roofline) = sides(top, 13);
                vec![(Pane::Timings, stages), (Pane::Roofline, roofline), (Pane::Lines, lines)]
            }
            // A table without its last rows would hide where the time goes.
            (View::Timings, _) if body.height < stages(app).saturating_add(LINES) => vec![(app.focus, body)],
            (View::Timings, _) => {
                let (stages, rest) = split(body, stages(app));
                vec![(Pane::Timings, stages), (second(app, Pane::Timings, Pane::Lines), rest)]
            }
            (View::Grid, Class::Wide) => {
                let (grid, blocks) = sides(body, 11);
                vec![(Pane::Grid, grid), (Pane::Blocks, blocks)]
            }
            (View::Grid, _) if app.launch().is_some() && app.focus == Pane::Grid => {
                let lines = app.launch().map_or(0, |report| report.launch.operands.len()).clamp(1, 4) as u16;
                let (grid, details) = split(body, body.height - lines);
                layout.details = details;
                vec![(Pane::Grid, grid)]
            }
            (View::Findings, Class::Wide) => {
                let (findings, source) = sides(body, 10);
                vec![(Pane::Findings, findings), (Pane::Source, source)]
            }
            _ => vec![(app.focus, body)],
        };
        layout
    }

    /// The rectangle of a pane, if it is on the screen.
    pub(crate) fn pane(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(at, _)| *at == pane).map(|(_, area)| *area)
    }
}

/// So many lines on top, and the rest.
fn split(area: Rect, lines: u16) -> (Rect, Rect) {
    let lines = lines.min(area.height);
    (Rect { height: lines, ..area }, Rect { y: area.y + lines, height: area.height - lines, ..area })
}

/// The pane that shares a medium terminal with the first one of its view.
fn second(app: &App, first: Pane, usual: Pane) -> Pane {
    if app.focus == first { usual } else { app.focus }
}

/// Lines of the table of stages with its border, head, and sum.
fn stages(app: &App) -> u16 {
    let rows = app.profile().map_or(0, |(_, launch)| crate::view::timings::count(launch));
    u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(5)
}

/// So many twentieths on the left, and the rest.
fn sides(area: Rect, left: u16) -> (Rect, Rect) {
    let left = (u32::from(area.width) * u32::from(left) / 20) as u16;
    (Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area })
}

/// Lines of the list of launches with its border and its head.
fn launches(app: &App, body: Rect) -> u16 {
    let count = app.report.as_ref().map_or(0, |report| report.launches.len());
    u16::try_from(count.max(1)).unwrap_or(u16::MAX).saturating_add(3).min((body.height / 3).max(4))
}

/// What the wide overview shows: how it stands on the left, what that is about on the right.
fn overview(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    let (top, rest) = split(body, launches(app, body));
    let (left, right) = sides(rest, 10);
    let mut panes = vec![(Pane::Launches, top)];
    let findings = app.report.as_ref().map_or(0, |report| report.findings.len());
    // The selected finding is told in full under the list.
    let wanted = u16::try_from(findings).unwrap_or(u16::MAX).saturating_add(7);
    let findings = if findings == 0 { 0 } else { wanted.min(left.height * 2 / 5) };
    let (summary, findings) = split(left, left.height - findings);
    panes.push((Pane::Summary, summary));
    if findings.height > 0 {
        panes.push((Pane::Findings, findings));
    }
    let (grid, source) = split(right, right.height / 2);
    panes.push((Pane::Grid, grid));
    panes.push((Pane::Source, source));
    panes
}

/// The inside of a pane, without its border.
pub(crate) fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}
