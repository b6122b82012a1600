//! Variants of a program in which parameters have other values: where a parameter stands in the text, which values there are to try,
//! and the text with some of them. Nothing runs here.

mod places;

pub use places::{Place, candidates, places};

/// A parameter with the values that are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the program: `bm`.
    pub name: String,
    /// Values as Python writes them.
    pub values: Vec<String>,
}

impl Parameter {
    /// `bm=64,128,256`; values may be in brackets: `block=(8,128),(16,128)`.
    ///
    /// # Errors
    /// What is wrong with the text, and what is expected.
    pub fn parse(text: &str) -> Result<Parameter, String> {
        let expected = || format!("`{text}` is not of the form bm=64,128,256");
        let (name, values) = text.split_once('=').ok_or_else(expected)?;
        let name = name.trim();
        let first = name.chars().next().ok_or_else(expected)?;
        if first.is_ascii_digit() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Err(expected());
        }
        let values = split(values).ok_or_else(|| format!("`{text}`: a bracket is not closed"))?;
        if values.iter().any(|value| value.is_empty()) {
            return Err(expected());
        }
        let mut kept: Vec<String> = Vec::new();
        for value in values.into_iter().filter(|value| is_plain(value)) {
            if !kept.iter().any(|other| other == value) {
                kept.push(value.to_string());
            }
        }
        match kept.is_empty() {
            true => Err(format!("`{text}`: values are numbers, strings, names, or tuples of them")),
            false => Ok(Parameter { name: name.to_string(), values: kept }),
        }
    }
}

/// At commas that are in no brackets; `None` if brackets do not fit.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    parts.push(text[from..].trim());
    (depth == 0).then_some(parts)
}

/// Whether a value stays on its line and is one expression wherever it is put.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c.is_alphanumeric() || " _.-+*()[],'\"".contains(c))
}

/// Every combination, the last parameter changing fastest: for each parameter the number of its value.
pub fn points(parameters: &[Parameter]) -> Vec<Vec<usize>> {
    let mut points = vec![Vec::new()];
    for parameter in parameters {
        let longer = |point: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..parameter.values.len()).map(|value| [&point[..], &[value]].concat()).collect()
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// The text with other values at places of it, which do not overlap.
pub fn variant(text: &str, changes: &[(&Place, &str)]) -> String {
    let mut changes: Vec<_> = changes.to_vec();
    changes.sort_by_key(|(place, _)| std::cmp::Reverse(place.range.start));
    let mut out = text.to_string();
    for (place, value) in changes {
        if out.is_char_boundary(place.range.start) && out.is_char_boundary(place.range.end) {
            out.replace_range(place.range.clone(), value);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_syntax::{FileId, SourceFile, parse};
    use std::sync::Arc;

    const TEXT: &str = "\
BLOCK_K = 64
rows, columns = 8, 128


def matmul(x, y, *, bm=128, bn: int = 128, dtype=None):
  tile = 16
  return pl.pallas_call(kernel, grid=(x.shape[0] // bm,), name=\"m\")(x, y)


def run(x, bm=32):
  return matmul(x, x, bm=bm, bn=256)


run(1, bm=16)
";

    fn found(name: &str, function: Option<&str>) -> Vec<String> {
        let source = Arc::new(SourceFile::new(FileId(0), "k.py", TEXT));
        let module = parse(source);
        places(&module, function, name)
            .into_iter()
            .map(|place| format!("{} {}", &TEXT[place.range], place.line))
            .collect()
    }

    #[test]
    fn a_parameter_stands_where_it_gets_its_value() {
        assert_eq!(found("BLOCK_K", None), ["64 1"]);
        assert_eq!(found("columns", None), ["128 2"]);
        assert_eq!(found("bm", None), ["128 5", "32 10", "16 14"], "and not where one is handed on");
        assert_eq!(found("bm", Some("matmul")), ["128 5"]);
        assert_eq!(found("bm", Some("run")), ["32 10", "16 14"]);
        assert_eq!(found("bn", Some("matmul")), ["128 5", "256 11"]);
        assert_eq!(found("tile", Some("matmul")), ["16 6"]);
        assert_eq!(found("tile", None), ["16 6"]);
        assert_eq!(found("nothing", None), Vec::<String>::new());
    }

    #[test]
    fn what_could_be_tuned_is_known() {
        let module = parse(Arc::new(SourceFile::new(FileId(0), "k.py", TEXT)));
        assert_eq!(candidates(&module, None), ["BLOCK_K", "rows", "columns", "bm", "bn", "tile"]);
        assert_eq!(candidates(&module, Some("run")), ["bm", "bn"]);
    }

    #[test]
    fn values_may_be_in_brackets() {
        let parameter = Parameter::parse("block=(8, 128), (16,128),(8, 128)").expect("a parameter");
        assert_eq!(parameter.values, ["(8, 128)", "(16,128)"]);
        assert_eq!(Parameter::parse(" bm = 64").expect("a parameter").name, "bm");
        for wrong in ["bm", "=1", "1=2", "bm=", "bm=1,,2", "bm=(1", "bm=1)", "b m=1", "bm=a;b"] {
            assert!(Parameter::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn points_are_all_combinations_and_variants_have_their_values() {
        let parameters = ["bm=1,2", "bn=3,4,5"].map(|text| Parameter::parse(text).expect("a parameter"));
        let points = points(&parameters);
        assert_eq!(points.len(), 6);
        assert_eq!((points[0].as_slice(), points[5].as_slice()), (&[0, 0][..], &[1, 2][..]));
        assert_eq!(super::points(&[]), [Vec::<usize>::new()]);
        let module = parse(Arc::new(SourceFile::new(FileId(0), "k.py", TEXT)));
        let (bm, bn) = (places(&module, None, "bm"), places(&module, None, "bn"));
        let changes: Vec<_> =
            bm.iter().map(|place| (place, "512")).chain(bn.iter().map(|place| (place, "9"))).collect();
        let changed = variant(TEXT, &changes);
        assert!(changed.contains("*, bm=512, bn: int = 9,") && changed.contains("run(1, bm=512)"), "{changed}");
        assert_eq!(changed.lines().count(), TEXT.lines().count());
    }
}
