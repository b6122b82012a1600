//! Text that breaks where it has to: a group stands on one line if it fits there, else every break of it is taken.
//! (Oppen's and Wadler's way of laying out.)

/// The width that lines keep to where they can.
const WIDTH: usize = 80;

/// A piece of text.
pub(super) enum Document {
    /// As it is.
    Text(String),
    /// A new line; on one line this text.
    Break(&'static str),
    /// One after the other.
    Join(Vec<Document>),
    /// With lines that begin further right.
    Nest(usize, Box<Document>),
    /// Either all on one line or broken at every break.
    Group(Box<Document>),
}

impl Document {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Document::Text(text.into())
    }

    pub(super) fn nest(by: usize, parts: Vec<Document>) -> Self {
        Document::Nest(by, Box::new(Document::Join(parts)))
    }

    pub(super) fn group(parts: Vec<Document>) -> Self {
        Document::Group(Box::new(Document::Join(parts)))
    }

    /// Parts with something between.
    pub(super) fn separated(parts: Vec<Document>, between: &'static str) -> Self {
        let mut all = Vec::with_capacity(parts.len() * 2);
        for part in parts {
            if !all.is_empty() {
                all.push(Document::Break(between));
            }
            all.push(part);
        }
        Document::Join(all)
    }

    /// The text, laid out.
    pub(super) fn format(&self) -> String {
        let mut out = String::new();
        let mut column = 0;
        self.write(&mut out, &mut column, 0, false);
        out
    }

    /// The length on one line.
    fn flat(&self) -> usize {
        match self {
            Document::Text(text) => text.chars().count(),
            Document::Break(text) => text.len(),
            Document::Join(parts) => parts.iter().map(Document::flat).sum(),
            Document::Nest(_, inner) | Document::Group(inner) => inner.flat(),
        }
    }

    fn write(&self, out: &mut String, column: &mut usize, indent: usize, flat: bool) {
        match self {
            Document::Text(text) => {
                out.push_str(text);
                *column += text.chars().count();
            }
            Document::Break(text) if flat => {
                out.push_str(text);
                *column += text.len();
            }
            Document::Break(_) => {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                *column = indent;
            }
            Document::Join(parts) => parts.iter().for_each(|part| part.write(out, column, indent, flat)),
            Document::Nest(by, inner) => inner.write(out, column, indent + by, flat),
            Document::Group(inner) => {
                let fits = flat || *column + inner.flat() <= WIDTH;
                inner.write(out, column, indent, fits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> Document {
        let items = (0..count).map(|i| Document::text(format!("item{i}"))).collect();
        let inner = Document::nest(2, vec![Document::Break(""), Document::separated(items, ", ")]);
        Document::group(vec![Document::text("["), inner, Document::Break(""), Document::text("]")])
    }

    #[test]
    fn what_fits_stands_on_one_line() {
        assert_eq!(list(2).format(), "[item0, item1]");
    }

    #[test]
    fn what_does_not_fit_breaks_everywhere() {
        let text = list(20).format();
        assert!(text.starts_with("[\n  item0\n  item1\n"));
        assert!(text.ends_with("\n  item19\n]"));
    }
}
