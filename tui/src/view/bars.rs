//! Bars: a share as a bar that is exact to an eighth of a column, and stages stacked in one bar. Each stage has a colour
//! and a texture of its own, so that they are told apart without colours too.

use crate::styles::{self, Styles};
use ratatui::style::Style;
use ratatui::text::Span;

/// Eighths of a column.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// A bar for a share of `width` columns, in exactly that width.
pub(super) fn bar(share: f64, width: usize, style: Style, styles: Styles) -> Span<'static> {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * width as f64 * 8.0).round() as usize;
    let (full, rest) = if styles.ascii { ((eighths + 4) / 8, 0) } else { (eighths / 8, eighths % 8) };
    let mut text = "█".repeat(full.min(width));
    if full < width {
        text.push_str(EIGHTHS[rest]);
    }
    // What is there at all is seen.
    if text.is_empty() && share > 0.0 && width > 0 {
        text.push_str(if styles.ascii { "." } else { EIGHTHS[1] });
    }
    let pad = width.saturating_sub(text.chars().count());
    text.push_str(&" ".repeat(pad));
    Span::styled(text, style)
}

/// A part of a stacked bar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// How much of it there is.
    pub(super) amount: f64,
    /// How it looks.
    pub(super) look: styles::Texture,
}

/// Parts of `whole` side by side in `width` columns; what they leave is empty.
pub(super) fn stacked(parts: &[Part], whole: f64, width: usize) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let (mut sum, mut at) = (0.0, 0);
    for part in parts {
        sum += part.amount.max(0.0);
        let share = if whole > 0.0 { (sum / whole).clamp(0.0, 1.0) } else { 0.0 };
        let end = ((share * width as f64).round() as usize).max(at);
        if end > at {
            spans.push(Span::styled(part.look.symbol.repeat(end - at), part.look.style()));
        }
        at = end;
    }
    spans.push(Span::raw(" ".repeat(width.saturating_sub(at))));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::styles::Depth;

    const FULL: Styles = Styles { depth: Depth::True, ascii: false, ramp: crate::styles::Ramp::Viridis };

    #[test]
    fn bars_are_as_wide_as_they_should_be() {
        for share in [-1.0, 0.0, 0.001, 0.3, 0.5, 0.999, 1.0, 7.0, f64::NAN] {
            for width in 0..9 {
                let bar = bar(share, width, Style::new(), FULL);
                assert_eq!(bar.content.chars().count(), width, "{share} {width}");
                assert_eq!(bar.content.trim().is_empty(), width == 0 || share.is_nan() || share <= 0.0);
            }
        }
        assert_eq!(bar(0.5, 3, Style::new(), FULL).content, "█▌ ");
        assert_eq!(bar(0.5, 3, Style::new(), Styles { ascii: true, ..FULL }).content, "██ ");
    }

    #[test]
    fn parts_fill_their_share() {
        let part = |amount, look| Part { amount, look };
        let parts = [part(1.0, styles::COMPUTE), part(0.0, styles::COPY_IN), part(2.0, styles::WAIT)];
        let text: String = stacked(&parts, 4.0, 8).iter().map(|span| span.content.to_string()).collect();
        assert_eq!(text, "██┄┄┄┄  ");
        let text: String = stacked(&parts, 0.0, 2).iter().map(|span| span.content.to_string()).collect();
        assert_eq!(text, "  ");
    }
}
