//! The format-spec mini-language: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`, read and refused
//! as CPython's `formatter_unicode.c` does.

/// Why a spec, or its use on a value, is refused: ValueError, or OverflowError.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// ValueError
    Value(String),
    /// OverflowError
    Overflow(String),
}

impl FormatError {
    pub(super) fn value(message: impl Into<String>) -> Self {
        FormatError::Value(message.into())
    }
}

/// Where the padding goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// `<`
    Left,
    /// `>`
    Right,
    /// `^`
    Center,
    /// `=`: between sign and digits.
    AfterSign,
}

/// How positive numbers are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `+`
    Plus,
    /// A space.
    Space,
    /// `-`
    Minus,
}

/// A parsed spec.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are the parts of the mini-language")]
pub struct Spec {
    pub fill: char,
    pub align: Option<Align>,
    pub sign: Option<Sign>,
    /// `z`
    pub no_negative_zero: bool,
    /// `#`
    pub alternate: bool,
    pub width: usize,
    /// `,` or `_`
    pub grouping: Option<char>,
    pub precision: Option<usize>,
    pub kind: Option<char>,
}

impl Spec {
    /// Reads `text`. `numeric` types are aligned right by default, so that `0` before the width means `=`.
    /// `default_kind` is what errors name where no type is written; `type_name` the value's type.
    pub fn parse(text: &str, numeric: bool, default_kind: Option<char>, type_name: &str) -> Result<Spec, FormatError> {
        let characters: Vec<char> = text.chars().collect();
        let mut at = 0;
        let peek = |at: usize| characters.get(at).copied();
        let mut spec = Spec {
            fill: ' ',
            align: None,
            sign: None,
            no_negative_zero: false,
            alternate: false,
            width: 0,
            grouping: None,
            precision: None,
            kind: None,
        };
        let mut filled = false;
        if let Some(align) = peek(1).and_then(alignment) {
            spec.fill = characters[0];
            spec.align = Some(align);
            filled = true;
            at = 2;
        } else if let Some(align) = peek(0).and_then(alignment) {
            spec.align = Some(align);
            at = 1;
        }
        spec.sign = match peek(at) {
            Some('+') => Some(Sign::Plus),
            Some(' ') => Some(Sign::Space),
            Some('-') => Some(Sign::Minus),
            _ => None,
        };
        at += usize::from(spec.sign.is_some());
        spec.no_negative_zero = peek(at) == Some('z');
        at += usize::from(spec.no_negative_zero);
        spec.alternate = peek(at) == Some('#');
        at += usize::from(spec.alternate);
        if !filled && peek(at) == Some('0') {
            spec.fill = '0';
            if spec.align.is_none() && numeric {
                spec.align = Some(Align::AfterSign);
            }
            at += 1;
        }
        spec.width = digits(&characters, &mut at)?.unwrap_or(0);
        if peek(at) == Some(',') {
            spec.grouping = Some(',');
            at += 1;
        }
        if peek(at) == Some('_') {
            if spec.grouping.is_some() {
                return Err(FormatError::value("Cannot specify both ',' and '_'."));
            }
            spec.grouping = Some('_');
            at += 1;
        }
        if peek(at) == Some(',') && spec.grouping == Some('_') {
            return Err(FormatError::value("Cannot specify both ',' and '_'."));
        }
        if peek(at) == Some('.') {
            at += 1;
            let precision = digits(&characters, &mut at)?;
            spec.precision = Some(precision.ok_or_else(|| FormatError::value("Format specifier missing precision"))?);
        }
        if characters.len() > at + 1 {
            return Err(FormatError::value(format!(
                "Invalid format specifier '{text}' for object of type '{type_name}'"
            )));
        }
        spec.kind = peek(at);
        if let Some(separator) = spec.grouping {
            let kind = spec.kind.or(default_kind);
            let fits = match kind {
                None | Some('d' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F') => true,
                Some('b' | 'o' | 'x' | 'X') => separator == '_',
                Some(_) => false,
            };
            if !fits {
                let kind = kind.unwrap_or(' ');
                let shown = if (' '..'\u{80}').contains(&kind) {
                    kind.to_string()
                } else {
                    format!("\\x{:x}", u32::from(kind))
                };
                return Err(FormatError::value(format!("Cannot specify '{separator}' with '{shown}'.")));
            }
        }
        Ok(spec)
    }
}

fn alignment(c: char) -> Option<Align> {
    Some(match c {
        '<' => Align::Left,
        '>' => Align::Right,
        '^' => Align::Center,
        '=' => Align::AfterSign,
        _ => return None,
    })
}

/// A run of digits as a number; `None` where there is none.
fn digits(characters: &[char], at: &mut usize) -> Result<Option<usize>, FormatError> {
    let start = *at;
    let mut value: i64 = 0;
    while let Some(digit) = characters.get(*at).and_then(|c| crate::builtins::text::decimal_value(*c)) {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(i64::from(digit)))
            .ok_or_else(|| FormatError::value("Too many decimal digits in format string"))?;
        *at += 1;
    }
    Ok((*at > start).then_some(value as usize))
}

/// `text` padded to `width` characters with `fill`.
pub fn pad(text: &str, width: usize, fill: char, align: Align) -> String {
    let missing = width.saturating_sub(crate::builtins::text::length(text));
    let before = match align {
        Align::Left => 0,
        Align::Right | Align::AfterSign => missing,
        Align::Center => missing / 2,
    };
    let mut padded = String::with_capacity(text.len() + missing * fill.len_utf8());
    padded.extend(std::iter::repeat_n(fill, before));
    padded.push_str(text);
    padded.extend(std::iter::repeat_n(fill, missing - before));
    padded
}
