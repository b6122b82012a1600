//! Where panes are, for a terminal of some size. One place for breakpoints; panels only fill the rectangle they get.

use super::{App, Pane, Size};
use ratatui::layout::Rect;

/// Which layout a terminal gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Only the status line and a verdict.
    Small,
    /// One pane and a strip with details.
    Medium,
    /// All panes.
    Wide,
}

/// The least that a pane is drawn in.
pub(crate) const SMALLEST: Size = Size { width: 60, height: 16 };
/// The least that all panes are drawn in.
const WIDE: Size = Size { width: 110, height: 30 };

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
    } else if size.width >= SMALLEST.width && size.height >= SMALLEST.height {
        Class::Medium
    } else {
        Class::Small
    }
}

impl Layout {
    /// The layout of what the app shows.
    ///
    /// ```text
    /// status                                    status
    /// tabs                                      tabs
    /// ┌ Grid ─────────┐┌ Program ───────────┐   ┌ Grid ───────────┐
    /// │               ││ operands, drawn    │   │                 │
    /// │               │└────────────────────┘   │                 │
    /// └───────────────┘┌ Source ────────────┐   └─────────────────┘
    /// ┌ Findings ─────┐│                    │   details
    /// └───────────────┘└────────────────────┘   details
    /// ┌ Launches ───────────────────────────┐   details
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
        if class == Class::Wide && !app.maximised {
            layout.panes = overview(app, body);
        } else if app.focus == Pane::Grid && class == Class::Medium && app.launch().is_some() {
            let lines = app.launch().map_or(0, |report| report.launch.operands.len()).clamp(1, 4) as u16;
            let pane = Rect { height: body.height - lines, ..body };
            layout.details = Rect { y: body.y + pane.height, height: lines, ..body };
            layout.panes = vec![(Pane::Grid, pane)];
        } else {
            layout.panes = vec![(app.focus, body)];
        }
        layout
    }

    /// The rectangle of a pane, if it is on the screen.
    pub(crate) fn pane(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(at, _)| *at == pane).map(|(_, area)| *area)
    }
}

/// All panes of the wide layout: on the left what is where, on the right what it is.
fn overview(app: &App, body: Rect) -> Vec<(Pane, Rect)> {
    let (findings, launches) = app.report.as_ref().map_or((0, 0), |r| (r.findings.len(), r.launches.len()));
    let left = body.width * 9 / 20;
    let column = |x: u16, width: u16| Rect { x: body.x + x, width, ..body };
    // Lists take what they need, up to a quarter of the height.
    let list = |entries: usize| if entries == 0 { 0 } else { (entries as u16).saturating_add(2).min(body.height / 4) };
    let mut panes = Vec::new();
    let launches = if launches > 1 { list(launches) } else { 0 };
    let grid = body.height - launches;
    panes.push((Pane::Grid, Rect { height: grid, ..column(0, left) }));
    if launches > 0 {
        panes.push((Pane::Launches, Rect { y: body.y + grid, height: launches, ..column(0, left) }));
    }
    let operands = app.launch().map_or(0, |report| report.launch.operands.len());
    // The selected finding is told in full under the list.
    let findings = if findings == 0 { 0 } else { list(findings.saturating_add(5)) };
    let rest = body.height - findings;
    // Seven lines show an operand well; the source keeps two fifths.
    let blocks = (operands as u16).saturating_mul(7).saturating_add(2).clamp(5, (rest * 3 / 5).max(5));
    let right = column(left, body.width - left);
    panes.push((Pane::Blocks, Rect { height: blocks, ..right }));
    if findings > 0 {
        panes.push((Pane::Findings, Rect { y: body.y + blocks, height: findings, ..right }));
    }
    panes.push((Pane::Source, Rect { y: body.y + blocks + findings, height: rest - blocks, ..right }));
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
