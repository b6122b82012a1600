//! The blocks of the program at the cursor: each operand's array as an outline with the block in it, and what is true of
//! it in words.
//!
//! ```text
//! ┌──────────┐  x  in  f32[512,256]
//! │          │  block (128, 256) at (2, 0) = (i, 0)
//! │██████████│  rows 256..384, all columns
//! │          │  shared with 3 programs
//! └──────────┘
//! ```

use super::outline::Outline;
use super::{cut, empty, frame, row};
use crate::app::coverage::Coverage;
use crate::app::facts::OperandFacts;
use crate::app::report::{grouped, plural, tuple};
use crate::app::{App, Pane, View};
use crate::styles::{self, Styles};
use pallas_engine::{Role, Severity};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::rc::Rc;

/// Columns that an outline may always take.
const NARROWEST: u16 = 16;
/// Columns of the widest outline.
const WIDEST: u16 = 44;

/// Draws the pane.
pub(super) fn draw(app: &App, styles: Styles, area: Rect, buffer: &mut Buffer) {
    let title = match app.launch() {
        Some(_) => format!(" Program {} ", tuple(&app.program)),
        None => " Program ".to_string(),
    };
    let order = app.launch().map(|report| {
        let number = app.number();
        let total = report.launch.programs();
        format!(" {} of {} ", crate::app::report::grouped(number.saturating_add(1)), crate::app::report::grouped(total))
    });
    let note = Line::from(Span::styled(order.unwrap_or_default(), styles::DIM));
    let inner = frame(app, styles, Pane::Blocks, area, Line::from(title), note, buffer);
    let Some(report) = app.launch() else {
        super::launches::nothing(app, inner, buffer);
        return;
    };
    let operands = &report.launch.operands;
    if operands.is_empty() {
        empty(inner, &["no operands"], buffer);
        return;
    }
    if report.launch.programs() == 0 {
        empty(inner, &["no programs", "an extent of the grid is 0"], buffer);
        return;
    }
    let facts: Vec<OperandFacts> =
        operands.iter().map(|operand| OperandFacts::new(&report.launch, operand, &app.program)).collect();
    let shown = facts.len().saturating_sub(app.blocks_scroll).max(1);
    let cards = &facts[facts.len() - shown..];
    // Equal shares, no card higher than is useful.
    let share =
        (inner.height as usize / shown).clamp(1, if app.maximised || app.view == View::Blocks { 14 } else { 9 }) as u16;
    let first = facts.len() - shown;
    let coverages: Vec<Option<Rc<Coverage>>> = (first..facts.len()).map(|at| app.coverage(at)).collect();
    let pictures: Vec<Option<(Outline<'_>, (u16, u16))>> = cards
        .iter()
        .zip(&coverages)
        .map(|(facts, coverage)| {
            let coverage = coverage.as_deref().map(|coverage| (coverage, app.number()));
            picture(facts, coverage, inner.width, share)
        })
        .collect();
    // Words begin in one column, right of the widest picture.
    let widest = pictures.iter().flatten().map(|(_, (width, _))| width + 2).max().unwrap_or(0);
    let mut line = 0;
    for ((facts, picture), coverage) in cards.iter().zip(pictures).zip(&coverages) {
        let height = share.min(inner.height.saturating_sub(line));
        if height == 0 {
            break;
        }
        let card = Rect { y: inner.y + line, height, ..inner };
        let words = Rect { x: card.x + widest, width: card.width.saturating_sub(widest), ..card };
        let coverage = coverage.as_deref().map(|coverage| (coverage, app.number()));
        line += draw_card(facts, picture, coverage, styles, card, words, buffer);
    }
    if inner.height >= 12 && line as usize + report.launch.scratch.len() < inner.height as usize {
        let key = "█ this program  ░ visited until now  × never visited";
        let area = Rect { y: inner.bottom() - 1, height: 1, ..inner };
        Line::from(Span::styled(cut(key, area.width as usize), styles::DIM)).right_aligned().render(area, buffer);
    }
    for (at, scratch) in report.launch.scratch.iter().enumerate() {
        let Some(area) = row(inner, line as usize + at) else { break };
        let text = {
            let extents: Vec<String> = scratch.shape.iter().map(usize::to_string).collect();
            let (dtype, space) = (scratch.dtype.short_name(), scratch.space.name());
            format!("scratch  {dtype}[{}] in {space}, stays between programs", extents.join(","))
        };
        Line::from(Span::styled(cut(&text, area.width as usize), styles::DIM)).render(area, buffer);
    }
}

/// An operand's outline and its size, where a picture says something and there is room for one.
fn picture<'a>(
    facts: &'a OperandFacts,
    coverage: Option<(&'a Coverage, usize)>,
    width: u16,
    height: u16,
) -> Option<(Outline<'a>, (u16, u16))> {
    if height < 4 || width < 50 || facts.shape.is_empty() {
        return None;
    }
    let outline =
        Outline { shape: &facts.shape, region: facts.region.as_deref(), color: styles::role(facts.role), coverage };
    let size = outline.size(((width / 3).clamp(NARROWEST, WIDEST), height));
    Some((outline, size))
}

/// Draws one operand, and gives the lines that it took.
fn draw_card(
    facts: &OperandFacts,
    picture: Option<(Outline<'_>, (u16, u16))>,
    coverage: Option<(&Coverage, usize)>,
    styles: Styles,
    card: Rect,
    words: Rect,
    buffer: &mut Buffer,
) -> u16 {
    let mut drawn = 0;
    if let Some((outline, (width, height))) = picture {
        let height = height.min(card.height);
        outline.draw(styles, Rect { width: width.min(card.width), height, ..card }, buffer);
        drawn = height;
    }
    let mut lines = lines(facts, words.width as usize, card.height as usize);
    if let Some((text, style)) = coverage.filter(|_| card.height > 4).and_then(|(c, at)| covered(facts, c, at)) {
        lines.push(Line::from(Span::styled(cut(&text, words.width as usize), style)));
    }
    let count = lines.len() as u16;
    // Beside a picture, words stand in its middle.
    let from = drawn.saturating_sub(count) / 2;
    for (at, line) in lines.into_iter().enumerate() {
        if let Some(area) = row(words, from as usize + at) {
            line.render(area, buffer);
        }
    }
    // Words without a picture keep a line free after them, where there is one.
    let taken = if drawn > 0 { drawn.max(count) } else { count + u16::from(count < card.height) };
    taken.min(card.height)
}

/// How much of the array has been visited, and what is wrong with that.
fn covered(facts: &OperandFacts, coverage: &Coverage, number: usize) -> Option<(String, Style)> {
    let output = facts.role == Role::Output;
    let warning = styles::severity(Severity::Warning);
    if coverage.overlaps {
        return Some(("blocks lie over each other".to_string(), if output { warning } else { styles::DIM }));
    }
    if !coverage.is_counted() {
        return None;
    }
    let missing = coverage.blocks.saturating_sub(coverage.visited);
    let verb = if output { "written" } else { "read" };
    if missing > 0 {
        let text = format!("{} of {} are never {verb}", grouped(missing), plural(coverage.blocks, "block"));
        return Some((text, if output { warning } else { styles::DIM }));
    }
    let until = coverage.until(number)?;
    Some((format!("{} of {} {verb} until now", grouped(until), plural(coverage.blocks, "block")), styles::DIM))
}

/// What is true of an operand, in at most so many lines.
fn lines(facts: &OperandFacts, width: usize, height: usize) -> Vec<Line<'static>> {
    let color = Style::new().fg(styles::role(facts.role));
    let bad = styles::severity(Severity::Error);
    let part_style = if facts.is_outside() { bad } else { Style::new() };
    let head = vec![
        Span::styled(facts.name.clone(), color.patch(styles::BOLD)),
        Span::styled(format!("  {}  ", facts.role()), styles::DIM),
        Span::raw(facts.array.clone()),
    ];
    let block = vec![
        Span::raw(format!("block {} at {}", facts.block, facts.index())),
        Span::styled(format!(" = {}", facts.formula), styles::DIM),
    ];
    let part = vec![Span::styled(facts.part(), part_style)];
    let sharing = vec![Span::styled(facts.sharing(), styles::DIM)];
    let mut lines: Vec<Vec<Span<'static>>> = match height {
        0 => Vec::new(),
        1 => {
            let index = Span::raw(format!("  {}  ", facts.index()));
            let both =
                vec![head[0].clone(), index, part[0].clone(), Span::styled(" · ", styles::DIM), sharing[0].clone()];
            vec![both]
        }
        2 => vec![
            [head, vec![Span::raw("  ")], vec![block[0].clone()]].concat(),
            [vec![Span::raw("    ")], part, vec![Span::styled(" · ", styles::DIM)], sharing].concat(),
        ],
        3 => vec![head, block, [part, vec![Span::styled(" · ", styles::DIM)], sharing].concat()],
        _ => vec![head, block, part, sharing],
    };
    for line in &mut lines {
        fit(line, width);
    }
    lines.into_iter().map(Line::from).collect()
}

/// Cuts a line of spans to a width, at the end.
fn fit(line: &mut Vec<Span<'static>>, width: usize) {
    let mut left = width;
    for span in line.iter_mut() {
        let text = cut(&span.content, left);
        left = left.saturating_sub(Line::from(text.as_str()).width());
        span.content = text.into();
    }
    line.retain(|span| !span.content.is_empty());
}

/// One line for each operand: the strip under the grid where the blocks have no pane.
pub(super) fn details(app: &App, area: Rect, buffer: &mut Buffer) {
    let Some(report) = app.launch().filter(|report| report.launch.programs() > 0) else { return };
    let operands = &report.launch.operands;
    for (at, operand) in operands.iter().enumerate() {
        let Some(line_area) = row(area, at) else { break };
        let more = at + 1 == area.height as usize && operands.len() > at + 1;
        let facts = OperandFacts::new(&report.launch, operand, &app.program);
        let mut line = vec![Span::raw(" ")];
        line.extend(lines(&facts, area.width as usize - 1, 1).remove(0).spans);
        if more {
            let text = format!("  and {}: press 3", plural(operands.len() - at - 1, "more operand"));
            line.push(Span::styled(text, styles::DIM));
        }
        Line::from(line).render(line_area, buffer);
    }
}
