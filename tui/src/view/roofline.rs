//! The roofline of the machine with the launches of the file: FLOP per byte to the right, FLOP per second up, both by
//! powers. Under the slope the path to memory is the limit, under the flat part the arithmetic is.
//!
//! ```text
//!  197 TFLOP/s      ╭────────────
//!                 ╱
//!               ╱  ● matmul_kernel
//!  0.1 FLOP/B ╱             1 kFLOP/B
//! ```

use super::{cut, empty, frame};
use crate::app::{App, Pane};
use crate::report::profile::words::{digits, percent, scaled};
use crate::styles::{self, Styles};
use pallas_engine::report::{LaunchReport, Report};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// A point: FLOP per byte, FLOP per second.
type Point = (f64, f64);

/// Where a launch stands by the model; none for one without FLOPs or copies.
fn point(launch: &LaunchReport) -> Option<Point> {
    let m = &launch.modelled;
    let intensity = m.intensity.filter(|value| *value > 0.0)?;
    (m.time > 0.0 && m.flops > 0).then(|| (intensity, m.flops as f64 / m.time * 1e9))
}

/// The plane of the plot, by powers of ten.
struct Plane {
    area: Rect,
    x: (f64, f64),
    y: (f64, f64),
}

impl Plane {
    /// Column of an intensity, and half-line of a rate, from the bottom.
    fn column(&self, intensity: f64) -> f64 {
        (intensity.log10() - self.x.0) / (self.x.1 - self.x.0) * f64::from(self.area.width.saturating_sub(1))
    }

    fn height(&self, rate: f64) -> f64 {
        (rate.log10() - self.y.0) / (self.y.1 - self.y.0) * f64::from(self.area.height.saturating_sub(1))
    }

    fn intensity(&self, column: f64) -> f64 {
        10f64.powf(self.x.0 + column / f64::from(self.area.width.saturating_sub(1).max(1)) * (self.x.1 - self.x.0))
    }

    fn cell(&self, (intensity, rate): Point) -> Option<(u16, u16)> {
        let (column, height) = (self.column(intensity).round(), self.height(rate).round());
        let inside = column >= 0.0 && height >= 0.0 && column < f64::from(self.area.width);
        let inside = inside && height < f64::from(self.area.height);
        inside.then(|| (self.area.x + column as u16, self.area.bottom() - 1 - height as u16))
    }
}

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let machine =
        app.profile().map_or(String::new(), |(report, launch)| format!(" {} ", report.machine_of(launch).name));
    let note = Line::from(Span::styled(machine, styles::DIM));
    let inner = frame(app, styles, Pane::Roofline, area, Line::from(" Roofline, modelled "), note, buffer);
    let Some((report, launch)) = app.profile() else { return };
    if inner.width < 24 || inner.height < 6 {
        return;
    }
    let Some(own) = point(launch) else {
        let why =
            if launch.modelled.flops == 0 { "this kernel does no arithmetic" } else { "this launch copies nothing" };
        empty(inner, &[why, "a roofline is about FLOPs per byte that is copied"], buffer);
        return;
    };
    let peak = launch.modelled.peak;
    let machine = report.machine_of(launch);
    let bandwidth = machine.bandwidth.value;
    if peak <= 0.0 || bandwidth <= 0.0 {
        return;
    }
    let roof = |intensity: f64| peak.min(bandwidth * intensity);
    let ridge = peak / bandwidth;
    // Launches on other machines have other roofs.
    let here = |other: &LaunchReport| report.machine_of(other).key == machine.key;
    let points: Vec<Option<Point>> = report.launches.iter().map(|other| point(other).filter(|_| here(other))).collect();
    let shown = points.iter().flatten();
    let (mut low, mut high) = (own.0.min(ridge), own.0.max(ridge));
    let mut least = own.1.min(roof(own.0));
    for (intensity, rate) in shown.clone() {
        low = low.min(*intensity);
        high = high.max(*intensity);
        least = least.min(*rate);
    }
    let x = ((low / 4.0).log10().floor(), (high * 4.0).log10().ceil());
    let top = shown.map(|point| point.1).fold(peak, f64::max);
    let y = ((least / 2.0).min(roof(10f64.powf(x.0))).log10().floor().max(top.log10() - 8.0), (top * 2.0).log10());
    let plot = Rect { height: inner.height - 3, ..inner };
    let plane = Plane { area: plot, x, y };
    line(&plane, &roof, ridge, styles, buffer);
    // The launch at the cursor comes last, so that it is seen.
    for (at, point) in points.iter().enumerate().filter(|(at, _)| *at != app.launch) {
        if let Some((x, y)) = point.and_then(|point| plane.cell(point)) {
            buffer.set_string(x, y, letter(at), styles::DIM);
        }
    }
    if let Some((x, y)) = plane.cell(own) {
        buffer.set_string(x, y, "●", styles::ACTIVE);
        let name = cut(&launch.kernel, (plot.right().saturating_sub(x + 2)) as usize);
        let free = |at: u16| buffer.cell((at, y)).is_none_or(|cell| cell.symbol() == " ");
        if (x + 1..plot.right().min(x + 2 + name.chars().count() as u16)).all(free) {
            buffer.set_string(x + 2, y, name, styles::BOLD);
        } else if let Some(from) = x.checked_sub(plot.x + launch.kernel.chars().count() as u16 + 1) {
            buffer.set_string(plot.x + from, y, &launch.kernel, styles::BOLD);
        }
    }
    axis(&plane, report, launch, own, inner, buffer);
}

/// Other launches are numbered.
fn letter(at: usize) -> String {
    char::from_digit((at as u32 + 1) % 36, 36).unwrap_or('+').to_string()
}

/// The roof, column by column.
fn line(plane: &Plane, roof: &dyn Fn(f64) -> f64, ridge: f64, styles: Styles, buffer: &mut Buffer) {
    for column in 0..plane.area.width {
        let intensity = plane.intensity(f64::from(column));
        let height = plane.height(roof(intensity));
        let next = plane.height(roof(plane.intensity(f64::from(column) + 1.0)));
        if height < -0.5 {
            continue;
        }
        let flat = intensity >= ridge;
        let line = height.round().max(0.0);
        let upper = next.round().min(f64::from(plane.area.height - 1));
        let x = plane.area.x + column;
        let mut put = |line: f64, symbol: &str| {
            if line >= 0.0 && line < f64::from(plane.area.height) {
                buffer.set_string(x, plane.area.bottom() - 1 - line as u16, symbol, Style::new());
            }
        };
        match (flat, upper > line) {
            (true, _) => put(line, "─"),
            // A slope that gains less than a line keeps to the lower or the upper part of the cell.
            (false, false) => put(line, if styles.ascii || height.fract() < 0.5 { "." } else { "·" }),
            (false, true) => {
                let mut at = line;
                while at < upper {
                    put(at, "╱");
                    at += 1.0;
                }
            }
        }
    }
}

/// What the ends of the axes are, and what is true of the launch.
fn axis(plane: &Plane, report: &Report, launch: &LaunchReport, own: Point, inner: Rect, buffer: &mut Buffer) {
    let m = &launch.modelled;
    let peak = scaled(m.peak, "FLOP/s");
    buffer.set_string(inner.x + 1, inner.y, format!("{peak} at best"), styles::DIM);
    let y = inner.bottom() - 3;
    let rule = "─".repeat(inner.width as usize);
    buffer.set_string(inner.x, y, rule, styles::DIM);
    let ends = (
        format!(" {}", scaled(10f64.powf(plane.x.0), "FLOP/B")),
        format!("{} ", scaled(10f64.powf(plane.x.1), "FLOP/B")),
    );
    buffer.set_string(inner.x, y + 1, &ends.0, styles::DIM);
    let right = inner.right().saturating_sub(ends.1.chars().count() as u16);
    buffer.set_string(right, y + 1, &ends.1, styles::DIM);
    let bandwidth = report.machine_of(launch).bandwidth.value;
    let ridge = m.peak / bandwidth;
    let middle = format!("ridge at {}", digits(ridge));
    let at = inner.x + (plane.column(ridge).max(0.0) as u16).min(inner.width);
    let from = at.saturating_sub(middle.chars().count() as u16 / 2);
    let after = inner.x + ends.0.chars().count() as u16 + 1;
    if from >= after && from + (middle.chars().count() as u16) < right {
        buffer.set_string(from, y + 1, middle, styles::DIM);
    }
    let roof = m.peak.min(bandwidth * own.0);
    let text = format!(" {} FLOP/B, {}: {} of the roof", digits(own.0), scaled(own.1, "FLOP/s"), percent(own.1 / roof));
    Line::from(Span::styled(cut(&text, inner.width as usize), styles::BOLD))
        .render(Rect { y: y + 2, height: 1, ..inner }, buffer);
}
