//! The source around the kernel of the launch or around the selected finding, whose place is underlined and named. Beside
//! each line stands what it costs: the time that was measured, or the FLOPs that are modelled.
//!
//! ```text
//! ┌ Source  kernels/matmul.py ──────────────────────────────────────┐
//! │ 18 │           pl.BlockSpec((128, 64), lambda i, j, k: (i, k)), │
//! │    │           ^^^^^^^^^^^^^^ PL120 the last block stands out    │
//! │ 19 │           pl.BlockSpec((64, 128), lambda i, j, k: (k, j)), │
//! └─────────────────────────────────────────────────────────────────┘
//! ```

use super::bars::bar;
use super::{cut, empty, frame, python, row, slide};
use crate::app::costs::{CostKind, LineCost};
use crate::app::{Anchor, App, Pane};
use crate::report::profile::words::{scaled, time};
use crate::styles::{self, Styles};
use crate::wrap::wrap;
use pallas_engine::syntax::Class;
use pallas_engine::{Finding, SourceFile};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::borrow::Cow;
use std::ops::Range;

/// What a tab is drawn as.
const TAB: &str = "    ";
/// Lines above the anchor.
const ABOVE: i64 = 3;

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let Some(report) = app.report.as_ref() else {
        frame(app, styles, Pane::Source, area, Line::from(" Source "), Line::default(), buffer);
        return;
    };
    let span = app.anchor_span();
    let source = span.map_or(&report.source, |span| report.source_of(span));
    let note = match (app.anchor, app.finding(), app.launch()) {
        (Anchor::Finding, Some(finding), _) => format!(" {} ", finding.code),
        (_, _, Some(launch)) => format!(" {} ", launch.launch.kernel.name),
        _ => String::new(),
    };
    let path = span.map_or(Cow::Borrowed(&*source.path), |span| source.shown(span.start).path);
    let title = Line::from(format!(" Source  {path} "));
    let inner = frame(app, styles, Pane::Source, area, title, Line::from(Span::styled(note, styles::DIM)), buffer);
    if source.text.is_empty() {
        empty(inner, &["the file is empty", "press e to write something"], buffer);
        return;
    }
    let anchor = span.map_or(1, |span| i64::from(source.line_of(span.start)));
    let finding = app.finding().filter(|finding| app.anchor == Anchor::Finding && finding.span.file == source.id);
    // Nothing is gained from empty lines after the end of the file.
    let fullest = source.line_count() as i64 + 1 - i64::from(inner.height);
    let first = if app.source_scroll > 0 { anchor - ABOVE } else { (anchor - ABOVE).min(fullest.max(1)) };
    let top = (first + app.source_scroll).max(1) as u32;
    let last = (source.line_count() as u32).min(top.saturating_add(u32::from(inner.height)));
    let gutter = source.line_count().to_string().len();
    let pieces = app.highlights(source);
    let pieces = python::within(&pieces, source, top, last);
    let costs = Costs::new(app, source, inner.width);
    let mut at = 0;
    for number in top..=last {
        let Some(area) = row(inner, at) else { break };
        let beside = costs.as_ref().map_or(0, Costs::columns);
        let width = (inner.width as usize).saturating_sub(gutter + 4 + beside);
        let mut line = Line::from(Span::styled(format!(" {:>gutter$} │ ", shown(source, number)), styles::DIM));
        line.spans.extend(costs.iter().flat_map(|costs| costs.cell(number, styles)));
        line.spans.extend(slide(code(source, number, finding, pieces), app.sideways, width).spans);
        line.render(area, buffer);
        at += 1;
        let seen = width + app.sideways;
        for marker in finding.map(|finding| markers(source, number, finding, seen)).unwrap_or_default() {
            let Some(area) = row(inner, at) else { break };
            let mut line = Line::from(Span::styled(format!(" {:gutter$} │ {:beside$}", "", ""), styles::DIM));
            line.spans.extend(slide(Line::from(marker), app.sideways, width).spans);
            line.render(area, buffer);
            at += 1;
        }
    }
}

/// The number that people know a line by; the line before a notebook's cell has none, and says the cell's.
fn shown(source: &SourceFile, number: u32) -> String {
    match source.shown_line(number) {
        (Some(cell), _) if cell.mark == number => String::new(),
        (_, line) => line.to_string(),
    }
}

/// Columns of a bar.
const BAR: usize = 6;

/// What the lines of a file cost, as it is shown beside them.
struct Costs {
    lines: Vec<(u32, f64, String)>,
    /// Columns of the bar; none where the code needs them.
    bar: usize,
}

impl Costs {
    /// The costs for a pane of this width, where there are any.
    fn new(app: &App, source: &SourceFile, width: u16) -> Option<Costs> {
        let all = app.costs();
        let measured = app.cost_kind == CostKind::Best && all.iter().any(|cost| cost.time > 0.0);
        let of = |cost: &LineCost| if measured { cost.time } else { cost.flops as f64 };
        let whole: f64 = all.iter().map(of).sum();
        if app.cost_kind == CostKind::Hidden || whole <= 0.0 || width < 56 {
            return None;
        }
        let text = |cost: &LineCost| if measured { time(cost.time) } else { scaled(cost.flops as f64, "F") };
        let own = all.iter().filter(|cost| cost.file == source.id.0 && of(cost) > 0.0);
        let lines: Vec<_> = own.map(|cost| (cost.line, of(cost) / whole, text(cost))).collect();
        (!lines.is_empty()).then_some(Costs { lines, bar: if width < 80 { 0 } else { BAR } })
    }

    /// Columns of what a line costs: a time or a share, a bar, and a rule.
    fn columns(&self) -> usize {
        8 + if self.bar > 0 { 1 + self.bar } else { 0 } + 3
    }

    fn cell(&self, number: u32, styles: Styles) -> Vec<Span<'static>> {
        let rule = Span::styled(" │ ", styles::DIM);
        match self.lines.iter().find(|(line, ..)| *line == number) {
            Some((_, share, text)) => {
                let look = styles::COMPUTE.style();
                match self.bar {
                    0 => vec![Span::raw(format!("{text:>8}")), rule],
                    width => vec![Span::raw(format!("{text:>8} ")), bar(*share, width, look, styles), rule],
                }
            }
            None => vec![Span::raw(" ".repeat(self.columns() - 3)), rule],
        }
    }
}

/// One line of source.
fn code(
    source: &SourceFile,
    number: u32,
    finding: Option<&Finding>,
    pieces: &[(Range<usize>, Class)],
) -> Line<'static> {
    let range = source.line_range(number);
    let mut line = Line::default();
    let pointed = finding.map(|finding| finding.span.range());
    let mut at = range.start;
    // Cut the line wherever a class or the finding begins or ends.
    let mut cuts: Vec<usize> = pieces.iter().flat_map(|(piece, _)| [piece.start, piece.end]).collect();
    cuts.extend(pointed.iter().flat_map(|pointed| [pointed.start, pointed.end]));
    cuts.push(range.end);
    cuts.retain(|&cut| cut > range.start && cut <= range.end && source.text.is_char_boundary(cut));
    cuts.sort_unstable();
    cuts.dedup();
    for end in cuts {
        let piece = pieces.iter().find(|(piece, _)| piece.start <= at && end <= piece.end);
        let mut style = piece.map_or(Style::new(), |(_, class)| python::style(*class));
        if pointed.as_ref().is_some_and(|pointed| pointed.start <= at && end <= pointed.end) {
            style = style.patch(styles::POINTED);
        }
        line.push_span(Span::styled(source.text[at..end].replace('\t', TAB), style));
        at = end;
    }
    line
}

/// The lines under a line of source that say what is found there: carets, and a text after them, or below them where
/// there is no room.
fn markers(source: &SourceFile, number: u32, finding: &Finding, width: usize) -> Vec<Span<'static>> {
    let place = |span: pallas_engine::Span| {
        let start = source.line_column(span.start);
        if start.line != number || span.file != source.id {
            return None;
        }
        let end = source.line_column(span.end);
        let last = if end.line == number { end.column } else { source.line(number).chars().count() as u32 + 1 };
        let before: String = source.line(number).chars().take(start.column.saturating_sub(1) as usize).collect();
        let indent = Line::from(before.replace('\t', TAB)).width();
        Some((indent, last.saturating_sub(start.column).max(1) as usize))
    };
    let head = format!("{} {}", finding.code, finding.message);
    let notes = std::iter::once((finding.span, head, styles::severity(finding.severity)));
    let notes = notes.chain(finding.labels.iter().map(|label| (label.span, label.text.clone(), styles::DIM)));
    let mut markers = Vec::new();
    for (span, text, style) in notes {
        let Some((indent, carets)) = place(span) else { continue };
        let carets = format!("{}{}", " ".repeat(indent), "^".repeat(carets));
        let beside = format!("{carets} {text}");
        if Line::from(beside.as_str()).width() <= width {
            markers.push(Span::styled(beside, style));
            continue;
        }
        markers.push(Span::styled(cut(&carets, width), style));
        let indent = " ".repeat(indent.min(width / 4));
        for piece in wrap(&text, width.saturating_sub(indent.len())) {
            markers.push(Span::styled(format!("{indent}{piece}"), style));
        }
    }
    markers
}

#[cfg(test)]
mod tests {
    use super::shown;
    use pallas_engine::{FileId, SourceFile};

    #[test]
    fn lines_of_a_notebook_are_those_of_their_cells() {
        let source = SourceFile::new(FileId(0), "a.ipynb", "# %% cell 1\nx\ny\n# %% cell 2\nz\n");
        let numbers: Vec<String> = (1..=5).map(|line| shown(&source, line)).collect();
        assert_eq!(numbers, ["", "1", "2", "", "1"]);
    }
}
