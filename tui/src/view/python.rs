//! Colours for Python source.

use pallas_engine::SourceFile;
use pallas_engine::syntax::Class;
use ratatui::style::{Color, Modifier, Style};
use std::ops::Range;

/// ANSI colours, so that they follow the terminal's theme; not blue, which many themes make too dark to read.
pub(super) fn style(class: Class) -> Style {
    match class {
        Class::Comment => Style::new().add_modifier(Modifier::DIM),
        Class::String => Style::new().fg(Color::Green),
        Class::Number => Style::new().fg(Color::Cyan),
        Class::Keyword => Style::new().fg(Color::Magenta),
        Class::Decorator => Style::new().fg(Color::Yellow),
        Class::Definition => Style::new().add_modifier(Modifier::BOLD),
        // Calls are most of a kernel: they stand out by what is around them.
        Class::Call => Style::new(),
    }
}

/// The pieces that reach into the lines `from..=to` (one-based) of a source.
pub(super) fn within<'a>(
    pieces: &'a [(Range<usize>, Class)],
    source: &SourceFile,
    from: u32,
    to: u32,
) -> &'a [(Range<usize>, Class)] {
    let (start, end) = (source.line_range(from).start, source.line_range(to).end);
    let first = pieces.partition_point(|(range, _)| range.end <= start);
    let last = pieces.partition_point(|(range, _)| range.start < end);
    pieces.get(first..last.max(first)).unwrap_or(&[])
}
