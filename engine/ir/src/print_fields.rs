//! The fields of a `debug_print`, as `jax.debug.print` reads its format: those of Python's `str.format`. What values look like, and
//! format specifications, are not known here.

/// The text around the fields of a format, and which of `count` values each field shows; there is one piece of text more than there are
/// fields. `{}`, `{0}` and `{name}` are fields, `{{` and `}}` braces. What no field shows comes at the end, as Triton's `debug_print`
/// with a mere prefix shows it; a field without a value is text.
pub fn print_fields(format: &str, count: usize) -> (Vec<String>, Vec<usize>) {
    let (mut pieces, mut order, mut text, mut next) = (Vec::new(), Vec::new(), String::new(), 0);
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
        let number = name.parse().unwrap_or_else(|_| {
            next += 1;
            next - 1
        });
        if number < count {
            pieces.push(std::mem::take(&mut text));
            order.push(number);
        } else {
            text.push_str(&format!("{{{field}}}"));
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    for number in (0..count).filter(|number| !order.contains(number)).collect::<Vec<_>>() {
        let begins = text.is_empty() && pieces.is_empty();
        if !begins && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        pieces.push(std::mem::take(&mut text));
        order.push(number);
    }
    pieces.push(text);
    (pieces, order)
}

#[cfg(test)]
mod tests {
    use super::print_fields;

    #[test]
    fn fields_are_numbered_and_braces_doubled() {
        assert_eq!(
            print_fields("x[{index}] = {value:.2f}", 2),
            (vec!["x[".into(), "] = ".into(), String::new()], vec![0, 1])
        );
        assert_eq!(print_fields("{1} {{{0}}}", 2).1, [1, 0]);
        assert_eq!(print_fields("{1} {{{0}}}", 2).0, ["", " {", "}"]);
        assert_eq!(print_fields("value", 1), (vec!["value ".into(), String::new()], vec![0]));
        assert_eq!(print_fields("{} {}", 1).0, ["", " {}"]);
    }
}
