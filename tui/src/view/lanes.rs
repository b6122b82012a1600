//! Lanes in the pipeline's pane: what warpgroups, copies and tensor cores of the first blocks of a GPU do, or devices, cores and links of
//! TPUs, or what the multiprocessors of a device did, all of it in the width that there is, and where they wait.

use super::cut;
use super::pipeline::clock;
use crate::app::report::grouped;
use crate::report::profile::words::{bytes, time};
use crate::styles::{self, Styles, Texture};
use pallas_engine::report::{Lane, LaneEvent, Lanes};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Lanes of which the longest waits are told in words.
const TOLD: usize = 3;

/// Where the cursor is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chosen {
    pub(super) lane: Option<usize>,
    /// By position among the events of all lanes.
    pub(super) event: Option<usize>,
    /// Whether the pane has the keys.
    pub(super) focus: bool,
}

/// Draws a head, which says what the lanes are of and what textures mean, a clock of its own, a line for each lane, and the
/// longest waits in words, as far as there is room; the line behind them. Of more lanes than fit those around the cursor are drawn.
pub(super) fn draw(lanes: &Lanes, what: &str, chosen: Chosen, styles: Styles, area: Rect, buffer: &mut Buffer) -> u16 {
    if area.height < 2 || area.width < 8 {
        return area.y;
    }
    let line = |y: u16| Rect { x: area.x + 1, y, width: area.width - 1, height: 1 };
    let part = if lanes.complete { "" } else { ", in part" };
    let clocked = area.height > 3;
    let room = usize::from(area.height) - 1 - usize::from(clocked);
    let hidden = lanes.lanes.len().saturating_sub(room);
    let more = if hidden > 0 { format!(", +{hidden} lanes") } else { String::new() };
    let names = names(lanes);
    let head = format!("{what}: {}{part}{more}", time(lanes.time));
    let mut spans = vec![Span::styled(cut(&head, area.width as usize - 1), styles::BOLD)];
    spans.extend(legend(lanes, styles, area.width < 88));
    Line::from(spans).render(line(area.y), buffer);
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let width = u16::try_from(longest + 1).unwrap_or(u16::MAX).min(area.width / 3);
    let plot = Rect { x: area.x + width + 1, width: area.width.saturating_sub(width + 2), height: 1, ..area };
    let mut y = area.y + 1;
    if clocked {
        clock(&(0.0..lanes.time), Rect { y, ..plot }, buffer);
        y += 1;
    }
    let from = chosen.lane.map_or(0, |lane| (lane + 1).saturating_sub(room)).min(hidden);
    for (number, name) in names.iter().enumerate().skip(from) {
        if y >= area.bottom() {
            return y;
        }
        let is_chosen = chosen.lane == Some(number);
        let style = if is_chosen && chosen.focus { styles::SELECTED } else { Style::default() };
        let name = cut(name, (width as usize).saturating_sub(1));
        Line::from(Span::styled(name, style)).render(line(y), buffer);
        let shown = strip(lanes, number, plot.width);
        for (x, event) in (plot.x..).zip(&shown) {
            let Some(event) = event.and_then(|at| lanes.events.get(at)) else { continue };
            let look = texture(&event.stage);
            buffer.set_string(x, y, symbol(look, styles), look.style());
        }
        label(lanes, &shown, chosen.event.filter(|_| is_chosen), Rect { y, ..plot }, buffer);
        y += 1;
    }
    for words in waits(lanes) {
        // A line stays free below.
        if y + 1 >= area.bottom() {
            break;
        }
        Line::from(Span::styled(cut(&lanes.short(&words), area.width as usize - 1), styles::DIM))
            .render(line(y), buffer);
        y += 1;
    }
    y
}

/// Lanes as they are called here, where engines stand below those that they work for.
fn names(lanes: &Lanes) -> Vec<String> {
    let named = |lane: &Lane| {
        let first = lane.name.split(" of ").next().unwrap_or_default();
        match lane.kind.as_str() {
            "copies" | "products" => {
                // Those of a device are named by operands and slots.
                let which = lane.name.rsplit_once(" (").and_then(|(before, end)| {
                    let number: usize = end.strip_suffix(')')?.parse().ok()?;
                    (!before.ends_with("block") && !before.ends_with("device")).then(|| format!(" ({number})"))
                });
                match first == lane.name && which.is_none() {
                    true if lane.name.starts_with("SM ") => lane.name.clone(),
                    true => format!(" {first}"),
                    false => format!(" {}{}", first.split(" (").next().unwrap_or_default(), which.unwrap_or_default()),
                }
            }
            "link" => format!(" {}", lane.name.replacen("link from device ", "link ", 1)),
            _ => lanes.short(&lane.name),
        }
    };
    lanes.lanes.iter().map(named).collect()
}

/// Slots at the beginnings of copies and products, as far as there is room, and the event at the cursor.
fn label(lanes: &Lanes, shown: &[Option<usize>], chosen: Option<usize>, plot: Rect, buffer: &mut Buffer) {
    let mut from = 0;
    while from < shown.len() {
        let width = shown[from..].iter().take_while(|event| **event == shown[from]).count();
        let event = shown[from].and_then(|at| lanes.events.get(at)).filter(|event| event.stage != "wait");
        let slot = event.and_then(|event| event.slot).map(|slot| slot.to_string());
        let x = plot.x + from as u16;
        if let Some(slot) = slot.filter(|slot| width > slot.len()) {
            buffer.set_string(x, plot.y, slot, styles::BOLD);
        }
        if shown[from].is_some() && shown[from] == chosen {
            buffer.set_style(Rect { x, width: width as u16, height: 1, ..plot }, styles::SELECTED);
        }
        from += width;
    }
}

/// What the event at the cursor is about.
pub(super) fn tell(lanes: &Lanes, event: usize, area: Rect, buffer: &mut Buffer) {
    let Some(chosen) = lanes.events.get(event) else { return };
    let name = |lane: usize| lanes.lanes.get(lane).map_or("?", |lane| lane.name.as_str());
    let own = || lanes.events.iter().enumerate().filter(|(_, other)| other.lane == chosen.lane);
    let before = own().filter(|(at, _)| *at <= event).count();
    let head = format!("event {} of {} of {}", grouped(before), grouped(own().count()), name(chosen.lane));
    let subject = chosen.subject();
    let doing = match chosen.stage.as_str() {
        "wait" => format!("waits for {}", if subject.is_empty() { "it" } else { subject.as_str() }),
        "copy_in" => format!("brings in {subject}"),
        "copy_out" => format!("writes out {subject}"),
        "send" => format!("sends {subject}"),
        "product" => format!("multiplies with {subject}"),
        _ if subject.is_empty() => "computes".to_string(),
        _ => subject.clone(),
    };
    let bytes_of = if chosen.bytes > 0 { format!(", {}", bytes(chosen.bytes)) } else { String::new() };
    let line = chosen.place.map_or(String::new(), |place| format!(", line {}", place.line));
    let mut lines = vec![
        (head, styles::BOLD),
        (
            format!(
                "  {doing}{bytes_of}: {} to {} ({}){line}",
                time(chosen.start),
                time(chosen.end),
                time(chosen.end - chosen.start)
            ),
            texture(&chosen.stage).style(),
        ),
    ];
    if let Some(cause) = lanes.cause(chosen) {
        let at = chosen.ended_by.and_then(|cause| cause.event).and_then(|at| lanes.events.get(at));
        let when = at.map_or(String::new(), |at| format!(", {} to {}", time(at.start), time(at.end)));
        lines.push((format!("  until {cause}{when}"), Style::default()));
    }
    if chosen.agent != chosen.lane {
        lines.push((format!("  for {}", name(chosen.agent)), Style::default()));
    }
    if !chosen.name.is_empty() && !chosen.buffer.is_empty() {
        let phase = chosen.phase.map_or(String::new(), |phase| format!(", phase {phase}"));
        lines.push((format!("  counted by {}{phase}", chosen.name), Style::default()));
    }
    for (y, (text, style)) in (area.y..area.bottom()).zip(lines) {
        let line = Rect { x: area.x + 1, y, width: area.width.saturating_sub(1), height: 1 };
        Line::from(Span::styled(cut(&lanes.short(&text), line.width as usize), style)).render(line, buffer);
    }
}

fn symbol(look: Texture, styles: Styles) -> String {
    if styles.ascii { look.letter.to_string() } else { look.symbol.to_string() }
}

/// What the textures of these lanes mean.
fn legend(lanes: &Lanes, styles: Styles, short: bool) -> Vec<Span<'static>> {
    let stages = [
        ("compute", "computes"),
        ("copy_in", if short { "in" } else { "brings in" }),
        ("copy_out", if short { "out" } else { "writes out" }),
        ("send", "sends"),
        ("wait", "waits"),
    ];
    let is = |event: &str, stage: &str| event == stage || (event, stage) == ("product", "compute");
    let gap = if short { " " } else { "  " };
    let there = stages.into_iter().filter(|(stage, _)| lanes.events.iter().any(|event| is(&event.stage, stage)));
    there
        .flat_map(|(stage, words)| {
            let look = texture(stage);
            [
                Span::styled(format!("{gap}{}", symbol(look, styles)), look.style()),
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

/// The event that takes most of each column of a lane, by position; nothing where nothing is done.
fn strip(lanes: &Lanes, number: usize, columns: u16) -> Vec<Option<usize>> {
    let width = lanes.time / f64::from(columns.max(1));
    let mut longest: Vec<(f64, Option<usize>)> = vec![(0.0, None); columns as usize];
    let own = lanes.events.iter().enumerate().filter(|(_, event)| event.lane == number && width > 0.0);
    for (at, event) in own {
        let (first, last) = ((event.start / width) as usize, (event.end / width) as usize);
        for (column, best) in longest.iter_mut().enumerate().take(last + 1).skip(first) {
            let from = event.start.max(column as f64 * width);
            let to = event.end.min((column + 1) as f64 * width);
            if to - from > best.0 {
                *best = (to - from, Some(at));
            }
        }
    }
    longest.into_iter().map(|(_, event)| event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(shown, [Some(0), Some(1), Some(1), Some(2)]);
        let area = Rect::new(0, 0, 40, 2);
        let mut buffer = Buffer::empty(area);
        assert_eq!(draw(&lanes, "first blocks", Chosen::default(), crate::view::tests::COLOURS, area, &mut buffer), 2);
        assert!((0..40).any(|x| buffer[(x, 1)].symbol() == "█"));
        let wide = Rect::new(0, 0, 90, 6);
        let mut buffer = Buffer::empty(wide);
        assert_eq!(draw(&lanes, "first blocks", Chosen::default(), crate::view::tests::COLOURS, wide, &mut buffer), 4);
        let row = |y: u16| (0..90).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        assert!(row(0).contains("8 ns  █ computes  ▒ brings in  ┄ waits"), "{}", row(0));
        assert!(
            row(1).contains("╷0 ns") && row(2).starts_with(" thread 0 ") && row(3).contains("thread 0 waits 2.75 ns")
        );
    }
}
