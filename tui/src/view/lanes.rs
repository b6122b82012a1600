//! Lanes of a GPU kernel in the pipeline's pane: what warpgroups, copies and tensor cores of the first blocks do, or the
//! multiprocessors of a device did, all of it in the width that there is, and where they wait.

use super::cut;
use crate::report::profile::words::time;
use crate::styles::{self, Styles, Texture};
use pallas_engine::report::Lanes;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Draws a head, which says what they are of, and a line for each lane, as far as there is room; the line behind them.
pub(super) fn draw(lanes: &Lanes, what: &str, names: u16, styles: Styles, area: Rect, buffer: &mut Buffer) -> u16 {
    if area.height < 2 || area.width < 8 {
        return area.y;
    }
    let line = |y: u16| Rect { x: area.x + 1, y, width: area.width - 1, height: 1 };
    let part = if lanes.complete { "" } else { ", in part" };
    let hidden = lanes.lanes.len().saturating_sub(usize::from(area.height) - 1);
    let more = if hidden > 0 { format!(", +{hidden} lanes") } else { String::new() };
    let head = format!("{what}: {}{part}{more}", time(lanes.time));
    Line::from(Span::styled(cut(&head, area.width as usize - 1), styles::BOLD)).render(line(area.y), buffer);
    let mut y = area.y + 1;
    let columns = area.width.saturating_sub(names + 2);
    for (number, lane) in lanes.lanes.iter().enumerate() {
        if y >= area.bottom() {
            break;
        }
        let name = cut(&lane.name, (names as usize).saturating_sub(1));
        Line::from(Span::raw(name)).render(line(y), buffer);
        for (x, stage) in (area.x + names + 1..).zip(strip(lanes, number, columns)) {
            let Some(look) = stage.map(texture) else { continue };
            let letter = look.letter.to_string();
            let symbol = if styles.ascii { &*letter } else { look.symbol };
            buffer.set_string(x, y, symbol, look.style());
        }
        y += 1;
    }
    y
}

fn texture(stage: &str) -> Texture {
    match stage {
        "copy_in" => styles::COPY_IN,
        "copy_out" => styles::COPY_OUT,
        "wait" => styles::WAIT,
        _ => styles::COMPUTE,
    }
}

/// What a lane does for most of each column; nothing where it does nothing.
fn strip(lanes: &Lanes, number: usize, columns: u16) -> Vec<Option<&str>> {
    let width = lanes.time / f64::from(columns.max(1));
    let mut longest: Vec<(f64, Option<&str>)> = vec![(0.0, None); columns as usize];
    for event in lanes.events.iter().filter(|event| event.lane == number && width > 0.0) {
        let (first, last) = ((event.start / width) as usize, (event.end / width) as usize);
        for (column, best) in longest.iter_mut().enumerate().take(last + 1).skip(first) {
            let from = event.start.max(column as f64 * width);
            let to = event.end.min((column + 1) as f64 * width);
            if to - from > best.0 {
                *best = (to - from, Some(&event.stage));
            }
        }
    }
    longest.into_iter().map(|(_, stage)| stage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_engine::report::{Lane, LaneEvent};

    fn event(stage: &str, start: f64, end: f64) -> LaneEvent {
        LaneEvent { lane: 0, stage: stage.to_string(), name: String::new(), start, end, bytes: 0, place: None }
    }

    #[test]
    fn a_column_shows_what_takes_most_of_it() {
        let lanes = Lanes {
            lanes: vec![Lane { name: "thread 0".to_string(), kind: "thread".to_string() }],
            events: vec![event("wait", 0.0, 2.75), event("compute", 2.75, 5.0), event("copy_in", 6.0, 8.0)],
            time: 8.0,
            complete: true,
        };
        let shown = strip(&lanes, 0, 4);
        assert_eq!(shown, [Some("wait"), Some("compute"), Some("compute"), Some("copy_in")]);
        let area = Rect::new(0, 0, 40, 3);
        let mut buffer = Buffer::empty(area);
        assert_eq!(draw(&lanes, "first blocks", 12, crate::view::tests::COLOURS, area, &mut buffer), 2);
        assert!((0..40).any(|x| buffer[(x, 1)].symbol() == "█"));
    }
}
