//! The tabs: the views with their digits, and whether the file is watched.
//!
//! ```text
//!  1 Overview │ 2 Grid │ 3 Blocks │ 4 Source │ 5 Findings (2)                                      watching · ? help
//! ```

use crate::app::{App, View};
use crate::styles;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// How much of the tabs is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelled {
    /// `1 Overview │ 2 Grid`
    Full,
    /// `1Overview 2Grid`
    Tight,
    /// `1 Overview 2 3 4`: the name of the view on the screen only.
    Digits,
}

/// Draws the tabs, as much of them as fits.
pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let width = area.width as usize;
    let fits = [Spelled::Full, Spelled::Tight].into_iter().find(|spelled| line(app, *spelled).width() <= width);
    let line = line(app, fits.unwrap_or(Spelled::Digits));
    let watching = match &app.watch_problem {
        _ if app.paused => "not watching",
        Some(_) => "watching slowly",
        None => "watching",
    };
    for right in [format!("{watching} · ? help "), "? help ".to_string()] {
        let right = Line::from(Span::styled(right, styles::DIM));
        if line.width() + right.width() < width {
            right.right_aligned().render(area, buffer);
            break;
        }
    }
    line.render(area, buffer);
}

fn line(app: &App, spelled: Spelled) -> Line<'static> {
    let mut line = Line::default();
    if spelled == Spelled::Full {
        line.push_span(Span::raw(" "));
    }
    for (number, from, to) in places(app, spelled) {
        let view = View::ALL[number];
        line.push_span(Span::styled(if from > line.width() { gap(spelled) } else { "" }, styles::DIM));
        let style = if app.view == view { styles::SELECTED } else { ratatui::style::Style::new() };
        let text = text(app, number, spelled);
        debug_assert_eq!(Line::from(text.as_str()).width(), to - from);
        line.push_span(Span::styled(text, style));
    }
    line
}

fn gap(spelled: Spelled) -> &'static str {
    if spelled == Spelled::Full { " │ " } else { " " }
}

fn text(app: &App, number: usize, spelled: Spelled) -> String {
    let view = View::ALL[number];
    let findings = app.report.as_ref().map_or(0, |report| report.findings.len());
    let count = if view == View::Findings && findings > 0 { format!(" ({findings})") } else { String::new() };
    match spelled {
        Spelled::Full => format!("{} {}{count}", number + 1, view.name()),
        Spelled::Tight => format!("{}{}", number + 1, view.name()),
        Spelled::Digits if app.view == view => format!("{} {}", number + 1, view.name()),
        Spelled::Digits => (number + 1).to_string(),
    }
}

/// Each tab's number, first column and column behind its last.
fn places(app: &App, spelled: Spelled) -> Vec<(usize, usize, usize)> {
    let mut at = usize::from(spelled == Spelled::Full);
    let mut places = Vec::new();
    for number in 0..View::ALL.len() {
        if number > 0 {
            at += Line::from(gap(spelled)).width();
        }
        let width = Line::from(text(app, number, spelled).as_str()).width();
        places.push((number, at, at + width));
        at += width;
    }
    places
}

/// The view whose tab is at a column.
pub(crate) fn at(app: &App, width: u16, column: u16) -> Option<View> {
    let fits =
        [Spelled::Full, Spelled::Tight].into_iter().find(|spelled| line(app, *spelled).width() <= width as usize);
    let places = places(app, fits.unwrap_or(Spelled::Digits));
    let found = places.into_iter().find(|(_, from, to)| (*from..*to).contains(&(column as usize)))?;
    View::ALL.get(found.0).copied()
}
