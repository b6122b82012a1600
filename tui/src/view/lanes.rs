//! Lanes in the pipeline's pane: what warpgroups, copies and tensor cores of the first blocks of a GPU do, or devices, cores and links of
//! TPUs, or what the multiprocessors of a device did, all of it in the width that there is, and where they wait.

use super::cut;
use super::pipeline::clock;
use crate::report::profile::words::time;
use crate::styles::{self, Styles, Texture};
use pallas_engine::report::{LaneEvent, Lanes};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Lanes of which the longest waits are told in words.
const TOLD: usize = 3;

/// Draws a head, which says what the lanes are of and what textures mean, a clock of its own, a line for each lane, and the longest waits in words, as far as there
/// is room; the line behind them.
pub(super) fn draw(lanes: &Lanes, what: &str, styles: Styles, area: Rect, buffer: &mut Buffer) -> u16 {
    if area.height < 2 || area.width < 8 {
        return area.y;
    }
    let line = |y: u16| Rect { x: area.x + 1, y, width: area.width - 1, height: 1 };
    let part = if lanes.complete { "" } else { ", in part" };
    let clocked = area.height > 3;
    let room = usize::from(area.height) - 1 - usize::from(clocked);
    let hidden = lanes.lanes.len().saturating_sub(room);
    let more = if hidden > 0 { format!(", +{hidden} lanes") } else { String::new() };
    let head = format!("{what}: {}{part}{more}", time(lanes.time));
    let mut spans = vec![Span::styled(cut(&head, area.width as usize - 1), styles::BOLD)];
    spans.extend(legend(lanes, styles));
    Line::from(spans).render(line(area.y), buffer);
    // Lanes differ in the ends of their names.
    let longest = lanes.lanes.iter().map(|lane| lane.name.chars().count()).max().unwrap_or(0);
    let names = u16::try_from(longest + 1).unwrap_or(u16::MAX).min(area.width / 3);
    let plot = Rect { x: area.x + names + 1, width: area.width.saturating_sub(names + 2), height: 1, ..area };
    let mut y = area.y + 1;
    if clocked {
        clock(&(0.0..lanes.time), Rect { y, ..plot }, buffer);
        y += 1;
    }
    for (number, lane) in lanes.lanes.iter().enumerate() {
        if y >= area.bottom() {
            return y;
        }
        let name = cut(&lane.name, (names as usize).saturating_sub(1));
        Line::from(Span::raw(name)).render(line(y), buffer);
        for (x, stage) in (plot.x..).zip(strip(lanes, number, plot.width)) {
            let Some(look) = stage.map(texture) else { continue };
            buffer.set_string(x, y, symbol(look, styles), look.style());
        }
        y += 1;
    }
    for words in waits(lanes) {
        // A line stays free below.
        if y + 1 >= area.bottom() {
            break;
        }
        Line::from(Span::styled(cut(&words, area.width as usize - 1), styles::DIM)).render(line(y), buffer);
        y += 1;
    }
    y
}

fn symbol(look: Texture, styles: Styles) -> String {
    if styles.ascii { look.letter.to_string() } else { look.symbol.to_string() }
}

/// What the textures of these lanes mean.
fn legend(lanes: &Lanes, styles: Styles) -> Vec<Span<'static>> {
    let stages = [
        ("compute", "computes"),
        ("copy_in", "brings in"),
        ("copy_out", "writes out"),
        ("send", "sends"),
        ("wait", "waits"),
    ];
    let is = |event: &str, stage: &str| event == stage || (event, stage) == ("product", "compute");
    let there = stages.into_iter().filter(|(stage, _)| lanes.events.iter().any(|event| is(&event.stage, stage)));
    there
        .flat_map(|(stage, words)| {
            let look = texture(stage);
            [
                Span::styled(format!("  {}", symbol(look, styles)), look.style()),
                Span::styled(format!(" {words}"), styles::DIM),
            ]
        })
        .collect()
}

/// What a lane waits for: all of it, and the longest of its waits.
struct Waits<'a> {
    lane: usize,
    what: &'a str,
    sum: f64,
    count: usize,
    longest: &'a LaneEvent,
}

/// Who waits longest, for what, and what ends it.
fn waits(lanes: &Lanes) -> Vec<String> {
    let mut sums: Vec<Waits<'_>> = Vec::new();
    for event in lanes.events.iter().filter(|event| event.stage == "wait") {
        let what = if event.name.is_empty() { event.buffer.as_str() } else { event.name.as_str() };
        let lasts = |event: &LaneEvent| event.end - event.start;
        match sums.iter_mut().find(|sum| (sum.lane, sum.what) == (event.lane, what)) {
            Some(sum) => {
                sum.sum += lasts(event);
                sum.count += 1;
                if lasts(event) > lasts(sum.longest) {
                    sum.longest = event;
                }
            }
            None => sums.push(Waits { lane: event.lane, what, sum: lasts(event), count: 1, longest: event }),
        }
    }
    sums.sort_by(|one, other| other.sum.total_cmp(&one.sum));
    sums.iter().take(TOLD).map(|waits| words(lanes, waits)).collect()
}

/// `thread 1 waits 2.75 µs for full in 3 waits, longest for full[1], phase 2, until the copy of x_smem[1] by thread 0`
fn words(lanes: &Lanes, waits: &Waits<'_>) -> String {
    let who = lanes.lanes.get(waits.lane).map_or("?", |lane| &lane.name);
    let mut words = format!("{who} waits {}", time(waits.sum));
    let subject = waits.longest.subject();
    match waits.count {
        1 if subject.is_empty() => {}
        1 => words.push_str(&format!(" for {subject}")),
        count if waits.what.is_empty() => words.push_str(&format!(" in {count} waits")),
        count if subject == waits.what => words.push_str(&format!(" for {subject} in {count} waits, longest")),
        count => words.push_str(&format!(" for {} in {count} waits, longest for {subject}", waits.what)),
    }
    if let Some(cause) = lanes.cause(waits.longest) {
        words.push_str(&format!(" until {cause}"));
    }
    if let Some(place) = waits.longest.place {
        words.push_str(&format!(" (line {})", place.line));
    }
    words
}

fn texture(stage: &str) -> Texture {
    match stage {
        "copy_in" => styles::COPY_IN,
        "copy_out" => styles::COPY_OUT,
        "send" => styles::SEND,
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
    use pallas_engine::report::Lane;

    fn event(stage: &str, start: f64, end: f64) -> LaneEvent {
        LaneEvent { stage: stage.to_string(), start, end, ..LaneEvent::default() }
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
        let area = Rect::new(0, 0, 40, 2);
        let mut buffer = Buffer::empty(area);
        assert_eq!(draw(&lanes, "first blocks", crate::view::tests::COLOURS, area, &mut buffer), 2);
        assert!((0..40).any(|x| buffer[(x, 1)].symbol() == "█"));
        let wide = Rect::new(0, 0, 90, 6);
        let mut buffer = Buffer::empty(wide);
        assert_eq!(draw(&lanes, "first blocks", crate::view::tests::COLOURS, wide, &mut buffer), 4);
        let row = |y: u16| (0..90).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        assert!(row(0).contains("8 ns  █ computes  ▒ brings in  ┄ waits"), "{}", row(0));
        assert!(
            row(1).contains("╷0 ns") && row(2).starts_with(" thread 0 ") && row(3).contains("thread 0 waits 2.75 ns")
        );
    }
}
