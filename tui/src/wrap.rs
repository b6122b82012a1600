//! Breaking text into lines, for panes and for pages.

use ratatui::text::Line;

/// Breaks a text into lines of at most so many columns, at spaces where there are any.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    let mut lines = vec![String::new()];
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        // A number keeps its unit.
        let unit =
            ["s", "ms", "µs", "ns", "%", "B", "kB", "MB", "GB"].contains(&word.trim_end_matches([',', ';', '.']));
        match words.last_mut().filter(|last| unit && last.ends_with(|c: char| c.is_ascii_digit())) {
            Some(last) => *last = format!("{last} {word}"),
            None => words.push(word.to_string()),
        }
    }
    for word in &words {
        let last = lines.last().map_or(0, |line| Line::from(line.as_str()).width());
        let fits = last == 0 || last + 1 + Line::from(word.as_str()).width() <= width;
        if !fits {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_breaks_at_spaces() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 8), ["unbreakable"]);
        assert_eq!(wrap("", 8), [""]);
        assert_eq!(wrap("it takes 12 µs, no more", 12), ["it takes", "12 µs, no", "more"]);
    }
}
