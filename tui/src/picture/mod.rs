//! A drawn frame as an SVG picture, for documents. Text stays text, that can be selected and searched; blocks, shades and
//! lines of borders are drawn as shapes, so that no font leaves gaps between them. No terminal is needed, nor is a screen.

mod colours;
mod glyphs;

pub(crate) use colours::Paper;

use glyphs::{CELL, LINE, shape};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use ratatui::text::Span;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Around the frame.
const MARGIN: usize = 10;
/// Where letters stand in their line.
const BASELINE: usize = 14;

/// A colour with how much of it covers what is below, in percent.
type Ink = ([u8; 3], u8);

/// What a cell looks like, resolved to colours.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    fore: [u8; 3],
    back: Option<[u8; 3]>,
    letters: Modifier,
}

/// The frame on a paper. The title is for readers that do not see it.
pub(crate) fn svg(buffer: &Buffer, paper: Paper, title: &str) -> String {
    let (width, height) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let (wide, high) = (width * CELL + 2 * MARGIN, height * LINE + 2 * MARGIN);
    // What is behind symbols, and the symbols that are shapes.
    let (mut grounds, mut shapes) = (Shapes::default(), Shapes::default());
    let mut letters = String::new();
    for (row, cells) in buffer.content.chunks(width.max(1)).take(height).enumerate() {
        let y = MARGIN + row * LINE;
        let mut run = Run::default();
        let mut column = 0;
        while let Some(cell) = cells.get(column) {
            let symbol = cell.symbol();
            let columns = Span::raw(symbol).width().max(1);
            let (x, look) = (MARGIN + column * CELL, look(cell, paper));
            if let Some(back) = look.back {
                grounds.add((back, 100), x, y, (0, 0, columns * CELL, LINE));
            }
            let is_hidden = cell.modifier.contains(Modifier::HIDDEN);
            match shape(symbol).filter(|_| !is_hidden) {
                Some(shape) => {
                    run.end(&mut letters);
                    let ink = (look.fore, shape.opacity);
                    shape.boxes.iter().for_each(|&part| shapes.add(ink, x, y, part));
                }
                None if is_hidden || symbol.trim().is_empty() && !is_lined(look) => run.spaces += columns,
                None => {
                    if !run.fits(look) {
                        run.end(&mut letters);
                        run = Run::begin(look, x, y + BASELINE);
                    }
                    run.add(symbol, columns);
                }
            }
            column += columns;
        }
        run.end(&mut letters);
    }
    let [back, fore] = [paper.back(), paper.fore()].map(hex);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\" \
         role=\"img\" font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"15\" fill=\"{fore}\">\n<title>{}</title>\n<rect width=\"{wide}\" height=\"{high}\" rx=\"6\" \
         fill=\"{back}\"/>\n{}{}{letters}</svg>\n",
        escaped(title),
        grounds.paths(),
        shapes.paths(),
    )
}

fn look(cell: &Cell, paper: Paper) -> Look {
    let (mut fore, mut back) = (paper.colour(cell.fg), paper.colour(cell.bg));
    if cell.modifier.contains(Modifier::REVERSED) {
        (fore, back) = (Some(back.unwrap_or(paper.back())), Some(fore.unwrap_or(paper.fore())));
    }
    let mut fore = fore.unwrap_or(paper.fore());
    if cell.modifier.contains(Modifier::DIM) {
        fore = colours::between(fore, back.unwrap_or(paper.back()));
    }
    let drawn = Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    Look { fore, back, letters: cell.modifier & drawn }
}

/// Whether a space is seen.
fn is_lined(look: Look) -> bool {
    look.letters.intersects(Modifier::UNDERLINED | Modifier::CROSSED_OUT)
}

/// Boxes by colour: one path for each, however many cells it has.
#[derive(Default)]
struct Shapes {
    boxes: BTreeMap<Ink, Vec<(usize, usize, usize, usize)>>,
}

impl Shapes {
    /// A box, given within its cell by left, top, right and bottom.
    fn add(&mut self, ink: Ink, x: usize, y: usize, (left, top, right, bottom): (usize, usize, usize, usize)) {
        let boxes = self.boxes.entry(ink).or_default();
        let (x, y, width, height) = (x + left, y + top, right - left, bottom - top);
        match boxes.last_mut() {
            // Neighbours along a line are one box.
            Some(last) if last.1 == y && last.3 == height && last.0 + last.2 == x => last.2 += width,
            _ => boxes.push((x, y, width, height)),
        }
    }

    fn paths(&self) -> String {
        let mut text = String::new();
        for ((colour, opacity), boxes) in &self.boxes {
            let _ = write!(text, "<path fill=\"{}\"", hex(*colour));
            if *opacity < 100 {
                let _ = write!(text, " fill-opacity=\"0.{opacity:02}\"");
            }
            text.push_str(" shape-rendering=\"crispEdges\" d=\"");
            for (x, y, width, height) in boxes {
                let _ = write!(text, "M{x} {y}h{width}v{height}h-{width}z");
            }
            text.push_str("\"/>\n");
        }
        text
    }
}

/// Letters of one look beside each other.
#[derive(Default)]
struct Run {
    look: Option<Look>,
    x: usize,
    y: usize,
    text: String,
    columns: usize,
    /// Spaces that belong to it if more letters follow.
    spaces: usize,
}

impl Run {
    fn begin(look: Look, x: usize, y: usize) -> Run {
        Run { look: Some(look), x, y, ..Run::default() }
    }

    fn fits(&self, look: Look) -> bool {
        // What is behind letters is drawn already.
        let same = |own: Look| own.fore == look.fore && own.letters == look.letters;
        self.look.is_some_and(same)
    }

    fn add(&mut self, symbol: &str, columns: usize) {
        self.text.push_str(&" ".repeat(self.spaces));
        self.text.push_str(symbol);
        self.columns += self.spaces + columns;
        self.spaces = 0;
    }

    fn end(&mut self, out: &mut String) {
        let run = std::mem::take(self);
        let Some(look) = run.look.filter(|_| !run.text.is_empty()) else { return };
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" fill=\"{}\"",
            run.x,
            run.y,
            run.columns * CELL,
            hex(look.fore)
        );
        let has = |modifier| look.letters.contains(modifier);
        if has(Modifier::BOLD) {
            out.push_str(" font-weight=\"bold\"");
        }
        if has(Modifier::ITALIC) {
            out.push_str(" font-style=\"italic\"");
        }
        let lines = [(Modifier::UNDERLINED, "underline"), (Modifier::CROSSED_OUT, "line-through")];
        let lines: Vec<&str> = lines.iter().filter(|(modifier, _)| has(*modifier)).map(|(_, name)| *name).collect();
        if !lines.is_empty() {
            let _ = write!(out, " text-decoration=\"{}\"", lines.join(" "));
        }
        let _ = writeln!(out, ">{}</text>", escaped(&run.text));
    }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text that XML takes as it is. Control characters have no place in it at all.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests;
