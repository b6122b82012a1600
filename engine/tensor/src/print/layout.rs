//! Brackets, line breaks and summaries: numpy's `array2string` and `_formatArray`.

use crate::array::Array;
use crate::print::element::ElementFormat;
use crate::print::options::PrintOptions;
use crate::scalar::Scalar;

/// What `np.array2string` returns: the elements in brackets, with `separator` between them,
/// laid out to stand after `prefix` and before `suffix`, neither of which is included.
pub fn array2string(array: &Array, options: &PrintOptions, separator: &str, prefix: &str, suffix: &str) -> String {
    if array.size() == 0 {
        return "[]".to_owned();
    }
    let summarised = array.size() > options.threshold;
    let edge = summarised.then_some(options.edgeitems);
    let mut values = Vec::new();
    shown_values(array, edge, 0, 0, &mut values);
    let layout =
        Layout { array, format: ElementFormat::new(array.dtype(), array.rank(), &values, options), separator, edge };
    let indent = " ".repeat(prefix.chars().count() + 1);
    let width = options.linewidth.saturating_sub(suffix.chars().count());
    layout.nested(0, 0, &indent, width as isize)
}

/// Half of the elements shown along a dimension of this length, or `None` if all are.
fn shown_edge(length: usize, edge: Option<usize>) -> Option<usize> {
    edge.filter(|&edge| length > 2 * edge)
}

/// The elements that will be shown, so that hidden ones do not widen the columns.
fn shown_values(array: &Array, edge: Option<usize>, axis: usize, start: usize, values: &mut Vec<Scalar>) {
    let Some(&length) = array.shape().get(axis) else {
        values.extend(array.get(start));
        return;
    };
    let stride: usize = array.shape()[axis + 1..].iter().product();
    let ranges = match shown_edge(length, edge) {
        Some(edge) => [0..edge, length - edge..length],
        None => [0..length, 0..0],
    };
    for index in ranges.into_iter().flatten() {
        shown_values(array, edge, axis + 1, start + index * stride, values);
    }
}

struct Layout<'a> {
    array: &'a Array,
    format: ElementFormat,
    separator: &'a str,
    edge: Option<usize>,
}

/// Text under construction: finished lines, and the line that grows.
struct Lines<'a> {
    finished: String,
    line: String,
    indent: &'a str,
    width: isize,
}

impl Lines<'_> {
    /// Puts a word on the line, or on the next if it would be too long there.
    fn word(&mut self, word: &str) {
        let too_long = self.line.len() as isize + word.len() as isize > self.width;
        // A line with nothing but its indent cannot be helped by a break.
        if too_long && self.line.len() > self.indent.len() {
            self.finished.push_str(self.line.trim_end());
            self.finished.push('\n');
            self.line = self.indent.to_owned();
        }
        self.line.push_str(word);
    }
}

impl Layout<'_> {
    /// The text of the sub-array whose first element is at `start`, from `axis` on.
    fn nested(&self, axis: usize, start: usize, indent: &str, width: isize) -> String {
        let Some(&length) = self.array.shape().get(axis) else {
            return self.element(start);
        };
        let axes_left = self.array.rank() - axis;
        let stride: usize = self.array.shape()[axis + 1..].iter().product();
        let (leading, trailing) = match shown_edge(length, self.edge) {
            Some(edge) => (0..edge, length - edge..length),
            None => (0..0, 0..length),
        };
        let summary = shown_edge(length, self.edge).is_some();
        let text = if axes_left == 1 {
            self.row(start, leading, summary, trailing, indent, width)
        } else {
            let deeper = format!("{indent} ");
            let child = |index: usize| {
                let text = self.nested(axis + 1, start + index * stride, &deeper, width - 1);
                format!("{indent}{text}")
            };
            let mut parts: Vec<String> = leading.map(child).collect();
            if summary {
                parts.push(format!("{indent}..."));
            }
            parts.extend(trailing.map(child));
            let separator = format!("{}{}", self.separator.trim_end(), "\n".repeat(axes_left - 1));
            parts.join(&separator)
        };
        // The caller has already indented the first line.
        format!("[{}]", text.get(indent.len()..).unwrap_or_default())
    }

    fn row(
        &self,
        start: usize,
        leading: std::ops::Range<usize>,
        summary: bool,
        trailing: std::ops::Range<usize>,
        indent: &str,
        width: isize,
    ) -> String {
        let mut lines = Lines {
            finished: String::new(),
            line: indent.to_owned(),
            indent,
            width: width - self.separator.trim_end().len().max(1) as isize,
        };
        let last = trailing.end.saturating_sub(1);
        for index in leading {
            lines.word(&self.element(start + index));
            lines.line.push_str(self.separator);
        }
        if summary {
            lines.word("...");
            lines.line.push_str(self.separator);
        }
        for index in trailing {
            lines.word(&self.element(start + index));
            if index != last {
                lines.line.push_str(self.separator);
            }
        }
        lines.finished + &lines.line
    }

    fn element(&self, index: usize) -> String {
        // Every index is inside: they are made from the shape.
        self.array.get(index).map_or_else(String::new, |value| self.format.text(value))
    }
}
