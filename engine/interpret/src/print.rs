//! Text of `debug_print`, as `jax.debug.print` formats it: Python's `str.format` with arrays as numpy prints them.
//! Format specifications are not applied here.

use pallas_tensor::Array;
use pallas_tensor::print::numpy_str;

/// Fills `{}` and `{0}` fields from the values; `{{` and `}}` are braces. What is left of the values is appended, as
/// Triton's `debug_print` with a mere prefix shows it. A field without a value stays as it is.
pub fn format_debug_print(format: &str, values: &[Array]) -> String {
    let mut text = String::new();
    let mut used = vec![false; values.len()];
    let mut next = 0;
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| brace == "{") else {
            text.push_str(brace);
            continue;
        };
        let field = &rest[..end];
        let name = field.split([':', '!']).next().unwrap_or_default();
        let index = match name.parse() {
            Ok(index) => index,
            Err(_) => {
                next += 1;
                next - 1
            }
        };
        match values.get(index) {
            Some(value) => {
                used[index] = true;
                text.push_str(&numpy_str(value));
            }
            None => {
                text.push('{');
                text.push_str(field);
                text.push('}');
            }
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    for (value, used) in values.iter().zip(used) {
        if !used {
            if !text.is_empty() && !text.ends_with(char::is_whitespace) {
                text.push(' ');
            }
            text.push_str(&numpy_str(value));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_fields() {
        let five = Array::from_i32s([], &[5]).expect("one");
        let line = Array::from_f32s([3], &[0.0, 1.0, 2.5]).expect("three");
        let both = [five, line];
        assert_eq!(format_debug_print("i={} {{x}}", &both[..1]), "i=5 {x}");
        assert_eq!(format_debug_print("{1} {0}", &both), "[0.  1.  2.5] 5");
        assert_eq!(format_debug_print("i:", &both[..1]), "i: 5");
        assert_eq!(format_debug_print("{} {", &both[..1]), "5 {");
        assert_eq!(format_debug_print("{}{}", &both[..1]), "5{}");
    }
}
