//! The hint line: the keys that are useful now, as many as fit, from the keymap; or something said in passing.

use crate::app::prompt::Asks;
use crate::app::{App, Pane};
use crate::keymap;
use crate::styles;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Draws the hint line.
pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    if let Some((text, _)) = &app.toast {
        Line::from(Span::styled(format!(" {text}"), styles::BOLD)).render(area, buffer);
        return;
    }
    if let Some(problem) = app.watch_problem.as_ref().filter(|_| app.now.as_secs() < 10) {
        Line::from(Span::styled(format!(" {problem}"), styles::ACTIVE)).render(area, buffer);
        return;
    }
    if app.help.is_some() || app.prompt.as_ref().is_some_and(|prompt| prompt.asks == Asks::Command) {
        // What is open takes the keys.
        let keys: &[(&str, &str)] = match app.help {
            Some(_) => &[("jk arrows", "scroll"), ("g G", "top and bottom"), ("esc", "close")],
            None => &[("arrows", "select"), ("enter", "run"), ("C-u", "clear"), ("esc", "close")],
        };
        let keys = keys.iter().flat_map(|(keys, hint)| {
            [Span::styled(*keys, styles::BOLD), Span::styled(format!(" {hint}  "), styles::DIM)]
        });
        Line::from_iter(std::iter::once(Span::raw(" ")).chain(keys)).render(area, buffer);
        return;
    }
    const MORE: &str = "? more ";
    let mut line = Line::from(" ");
    for binding in keymap::bindings(app.place()).filter(|binding| !binding.hint.is_empty() && useful(app, binding.hint))
    {
        let width = binding.shown.len() + binding.hint.len() + 3;
        if line.width() + width + MORE.len() > area.width as usize {
            continue;
        }
        line.push_span(Span::styled(binding.shown, styles::BOLD));
        line.push_span(Span::styled(format!(" {}  ", binding.hint), styles::DIM));
    }
    line.push_span(Span::styled(MORE, styles::DIM));
    line.render(area, buffer);
}

/// Keys that would do nothing now are not hinted at.
fn useful(app: &App, hint: &str) -> bool {
    let Some(report) = &app.report else { return matches!(hint, "stop" | "command" | "quit") };
    match hint {
        "select" | "open" => match app.focus {
            Pane::Findings => !report.findings.is_empty(),
            _ => !report.launches.is_empty(),
        },
        "finding" => !report.findings.is_empty(),
        "launch" => report.launches.len() > 1,
        "stop" => app.run.is_some(),
        "move" | "metric" | "machine" | "step" | "lane" | "event" | "zoom" | "play" | "pan" | "mark" | "measured"
        | "Ref" | "before/after" | "store" | "heat map" | "IR or code" => !report.launches.is_empty(),
        _ => true,
    }
}
