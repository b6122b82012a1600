//! Block maps as text for people: `(i, 0)`, `(2*i + j, k)`.

use super::{BlockMap, IndexForm};

/// Names of grid axes where an index map does not name them.
const AXES: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// The name of a grid axis: `i`, `j`, `k`, ... and `p6` where letters end.
pub fn axis_name(axis: usize) -> String {
    AXES.get(axis).map_or_else(|| format!("p{axis}"), |name| (*name).to_string())
}

impl IndexForm {
    /// One coefficient per grid axis; `None` where the form is not affine.
    pub fn coefficients(&self) -> Option<&[i64]> {
        match self {
            IndexForm::Affine { coefficients, .. } => Some(coefficients),
            IndexForm::General | IndexForm::Unknown => None,
        }
    }

    /// The form as an expression over the axes: `0`, `i`, `2*i + j - 1`; `f(i, j)` for another function of the program
    /// ids, and `data` where it depends on data.
    pub fn formula(&self, axes: &[String]) -> String {
        let (constant, coefficients) = match self {
            IndexForm::Affine { constant, coefficients } => (*constant, coefficients),
            IndexForm::General => return format!("f({})", axes.join(", ")),
            IndexForm::Unknown => return "data".to_string(),
        };
        let mut text = String::new();
        for (coefficient, axis) in coefficients.iter().zip(axes).filter(|(c, _)| **c != 0) {
            let factor = coefficient.unsigned_abs();
            match (text.is_empty(), *coefficient < 0) {
                (true, false) => {}
                (true, true) => text.push('-'),
                (false, false) => text.push_str(" + "),
                (false, true) => text.push_str(" - "),
            }
            if factor != 1 {
                text.push_str(&format!("{factor}*"));
            }
            text.push_str(axis);
        }
        if text.is_empty() {
            return constant.to_string();
        }
        match constant {
            0 => {}
            1.. => text.push_str(&format!(" + {constant}")),
            _ => text.push_str(&format!(" - {}", constant.unsigned_abs())),
        }
        text
    }
}

impl BlockMap<'_> {
    /// The block indices as expressions over the axes of a grid with `axes` axes, `(i, 0)`. Axes have the names that
    /// the index map gives them, and [`axis_name`]s otherwise.
    pub fn formula(&self, axes: usize) -> String {
        let map = self.operand.index_map.as_ref();
        let names: Vec<String> = (0..axes)
            .map(|axis| {
                let named = map.and_then(|map| map.value(*map.params().get(axis)?).name.as_deref());
                named.map_or_else(|| axis_name(axis), str::to_string)
            })
            .collect();
        let parts: Vec<String> = self.dims.iter().map(|form| form.formula(&names)).collect();
        match &parts[..] {
            [one] => format!("({one},)"),
            _ => format!("({})", parts.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn affine(constant: i64, coefficients: &[i64]) -> String {
        let axes: Vec<String> = (0..coefficients.len()).map(axis_name).collect();
        IndexForm::Affine { constant, coefficients: coefficients.to_vec() }.formula(&axes)
    }

    #[test]
    fn affine_forms_read_as_they_are_written() {
        assert_eq!(affine(0, &[0, 0]), "0");
        assert_eq!(affine(3, &[]), "3");
        assert_eq!(affine(0, &[1, 0]), "i");
        assert_eq!(affine(0, &[2, 1]), "2*i + j");
        assert_eq!(affine(-1, &[1, 0]), "i - 1");
        assert_eq!(affine(4, &[-1, 0]), "-i + 4");
        assert_eq!(affine(0, &[1, -3]), "i - 3*j");
        assert_eq!(affine(i64::MIN, &[1]), "i - 9223372036854775808");
    }

    #[test]
    fn other_forms_say_what_they_are() {
        let axes = vec!["i".to_string(), "j".to_string()];
        assert_eq!(IndexForm::General.formula(&axes), "f(i, j)");
        assert_eq!(IndexForm::Unknown.formula(&axes), "data");
        assert_eq!(axis_name(7), "p7");
    }
}
