//! The `is...` methods of `str`.

use crate::builtins::table::{known, this_str};
use crate::builtins::text;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

/// Rows whose answer is that a test holds for every character, and that there is one.
macro_rules! every {
    ($($name:ident $method:literal $test:expr;)*) => {
        $(pub(super) fn $name(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
            known!(arguments);
            let [this] = arguments.take();
            let text = this_str(interp, &this, $method)?;
            Ok(Value::Bool(!text.is_empty() && text.chars().all($test)))
        })*
    };
}

every! {
    is_alphanumeric "isalnum" |c| text::is_alphabetic(c) || text::is_numeric(c);
    is_alphabetic "isalpha" text::is_alphabetic;
    is_decimal "isdecimal" |c| text::decimal_value(c).is_some();
    is_digit "isdigit" text::is_digit;
    is_numeric "isnumeric" text::is_numeric;
    is_space "isspace" text::is_space;
}

/// Rows with a test of the whole text.
macro_rules! whole {
    ($($name:ident $method:literal $test:expr;)*) => {
        $(pub(super) fn $name(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
            known!(arguments);
            let [this] = arguments.take();
            let text = this_str(interp, &this, $method)?;
            let test: fn(&str) -> bool = $test;
            Ok(Value::Bool(test(&text)))
        })*
    };
}

whole! {
    is_ascii "isascii" str::is_ascii;
    is_printable "isprintable" |text| text.chars().all(text::is_printable);
    is_lower "islower" |text| text.chars().any(char::is_lowercase)
        && !text.chars().any(|c| c.is_uppercase() || text::is_title_case(c));
    is_upper "isupper" |text| text.chars().any(char::is_uppercase)
        && !text.chars().any(|c| c.is_lowercase() || text::is_title_case(c));
    is_title "istitle" title_cased;
    is_identifier "isidentifier" identifier;
}

fn title_cased(text: &str) -> bool {
    let (mut inside, mut seen) = (false, false);
    for c in text.chars() {
        let starts = c.is_uppercase() || text::is_title_case(c);
        if starts && inside || c.is_lowercase() && !inside {
            return false;
        }
        inside = starts || c.is_lowercase();
        seen |= inside;
    }
    seen
}

fn identifier(text: &str) -> bool {
    let mut characters = text.chars();
    let starts = |c: char| c == '_' || c.is_alphabetic();
    characters.next().is_some_and(starts) && characters.all(|c| starts(c) || c.is_alphanumeric())
}
