//! `str.encode`, `bytes.decode`: UTF-8, ASCII, Latin-1, UTF-16 and UTF-32, with CPython's error handlers and messages.

use crate::builtins::table::{known, this_bytes, this_str};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use std::rc::Rc;

/// The encodings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Ascii,
    Latin1,
    /// Bytes per unit, big-endian, and whether a mark stands in front.
    Wide {
        bytes: usize,
        big: bool,
        mark: bool,
    },
}

impl Encoding {
    fn find(interp: &Interp, name: &str) -> PyResult<Encoding> {
        let plain: String =
            name.chars().map(|c| if matches!(c, '-' | ' ') { '_' } else { c.to_ascii_lowercase() }).collect();
        let wide = |bytes, big, mark| Encoding::Wide { bytes, big, mark };
        Ok(match plain.as_str() {
            "utf_8" | "utf8" | "u8" | "cp65001" => Encoding::Utf8,
            "ascii" | "us_ascii" | "646" => Encoding::Ascii,
            "latin_1" | "latin1" | "iso_8859_1" | "iso8859_1" | "8859" | "l1" => Encoding::Latin1,
            "utf_16" | "utf16" => wide(2, false, true),
            "utf_16_le" | "utf_16le" => wide(2, false, false),
            "utf_16_be" | "utf_16be" => wide(2, true, false),
            "utf_32" | "utf32" => wide(4, false, true),
            "utf_32_le" | "utf_32le" => wide(4, false, false),
            "utf_32_be" | "utf_32be" => wide(4, true, false),
            _ => {
                return Err(interp.error(&interp.types().lookup_error, format!("unknown encoding: {name}")));
            }
        })
    }

    fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Ascii => "ascii",
            Encoding::Latin1 => "latin-1",
            Encoding::Wide { bytes: 2, .. } => "utf-16",
            Encoding::Wide { .. } => "utf-32",
        }
    }
}

fn option_text(interp: &Interp, value: Option<&Value>, default: &str, function: &str, name: &str) -> PyResult<Rc<str>> {
    match value.map(|value| interp.plain(value)) {
        None => Ok(Rc::from(default)),
        Some(Value::Str(text)) => Ok(text),
        Some(other) => {
            Err(interp
                .type_error(format!("{function}() argument '{name}' must be str, not {}", interp.type_name(&other))))
        }
    }
}

/// `str.encode(encoding, errors)`
pub(super) fn encode(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, encoding, errors] = arguments.take();
    let text = this_str(interp, &this, "encode")?;
    let encoding = option_text(interp, Some(&encoding), "utf-8", "encode", "encoding")?;
    let errors = option_text(interp, Some(&errors), "strict", "encode", "errors")?;
    Ok(Value::Bytes(Rc::from(encode_text(interp, &text, &encoding, &errors)?)))
}

/// `text.encode(encoding, errors)`
pub(crate) fn encode_text(interp: &Interp, text: &str, encoding: &str, errors: &str) -> PyResult<Vec<u8>> {
    let encoding = Encoding::find(interp, encoding)?;
    let limit = match encoding {
        // Rust's strings hold no surrogates, so UTF-8 is what they are.
        Encoding::Utf8 => return Ok(text.as_bytes().to_vec()),
        Encoding::Wide { bytes, big, mark } => return Ok(encode_wide(text, bytes, big, mark)),
        Encoding::Ascii => 128,
        Encoding::Latin1 => 256,
    };
    let mut encoded = Vec::with_capacity(text.len());
    for (position, c) in text.chars().enumerate() {
        let code = u32::from(c);
        if code < limit {
            encoded.push(code as u8);
            continue;
        }
        match errors {
            "ignore" => {}
            "replace" => encoded.push(b'?'),
            "backslashreplace" => {
                let mut escaped = String::new();
                crate::builtins::text::escape_into(&mut escaped, c);
                encoded.extend(escaped.bytes());
            }
            "xmlcharrefreplace" => encoded.extend(format!("&#{code};").bytes()),
            "strict" => {
                let mut shown = String::new();
                crate::builtins::text::escape_into(&mut shown, c);
                let message = format!(
                    "'{}' codec can't encode character '{shown}' in position {position}: ordinal not in range({limit})",
                    encoding.name()
                );
                return Err(interp.error(&interp.types().unicode_encode_error, message));
            }
            other => return Err(unknown_handler(interp, other)),
        }
    }
    Ok(encoded)
}

fn unknown_handler(interp: &Interp, name: &str) -> Box<Stop> {
    interp.error(&interp.types().lookup_error, format!("unknown error handler name '{name}'"))
}

fn encode_wide(text: &str, bytes: usize, big: bool, mark: bool) -> Vec<u8> {
    let mut encoded = Vec::with_capacity((text.len() + 1) * bytes);
    let mut push = |unit: u32| {
        let whole = if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        encoded.extend(if big { &whole[4 - bytes..] } else { &whole[..bytes] });
    };
    if mark {
        push(0xfeff);
    }
    for c in text.chars() {
        if bytes == 2 {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| push(u32::from(*unit)));
        } else {
            push(u32::from(c));
        }
    }
    encoded
}

/// `bytes.decode(encoding, errors)`
pub(super) fn decode(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, encoding, errors] = arguments.take();
    let bytes = this_bytes(interp, &this, "decode")?;
    let encoding = option_text(interp, Some(&encoding), "utf-8", "decode", "encoding")?;
    let errors = option_text(interp, Some(&errors), "strict", "decode", "errors")?;
    decode_bytes(interp, &bytes, &encoding, &errors).map(Value::from)
}

/// `str(object, encoding, errors)`
pub(super) fn decode_object(
    interp: &Interp,
    object: &Value,
    encoding: Option<&Value>,
    errors: Option<&Value>,
) -> PyResult<Value> {
    let encoding = option_text(interp, encoding, "utf-8", "str", "encoding")?;
    let errors = option_text(interp, errors, "strict", "str", "errors")?;
    match interp.plain(object) {
        Value::Bytes(bytes) => decode_bytes(interp, &bytes, &encoding, &errors).map(Value::from),
        Value::Str(_) => Err(interp.type_error("decoding str is not supported")),
        other => {
            Err(interp
                .type_error(format!("decoding to str: need a bytes-like object, {} found", interp.type_name(&other))))
        }
    }
}

/// A stretch that does not decode: its length and why.
struct Broken {
    length: usize,
    reason: &'static str,
}

fn decode_bytes(interp: &Interp, bytes: &[u8], encoding: &str, errors: &str) -> PyResult<String> {
    let mut encoding = Encoding::find(interp, encoding)?;
    let mut at = 0;
    if let Encoding::Wide { bytes: unit, mark: true, .. } = encoding {
        let (little, big_mark): (&[u8], &[u8]) =
            if unit == 2 { (&[0xff, 0xfe], &[0xfe, 0xff]) } else { (&[0xff, 0xfe, 0, 0], &[0, 0, 0xfe, 0xff]) };
        let big = bytes.starts_with(big_mark);
        if big || bytes.starts_with(little) {
            at = unit;
        }
        encoding = Encoding::Wide { bytes: unit, big, mark: false };
    }
    let mut decoded = String::with_capacity(bytes.len());
    while at < bytes.len() {
        match step(&bytes[at..], encoding) {
            Ok((text, length)) => {
                decoded.push_str(&text);
                at += length;
            }
            Err(broken) => {
                match errors {
                    "ignore" => {}
                    "replace" => decoded.push('\u{fffd}'),
                    "backslashreplace" => {
                        bytes[at..at + broken.length].iter().for_each(|b| decoded.push_str(&format!("\\x{b:02x}")));
                    }
                    "strict" => return Err(undecodable(interp, bytes, at, &broken, encoding)),
                    other => return Err(unknown_handler(interp, other)),
                }
                at += broken.length;
            }
        }
    }
    Ok(decoded)
}

fn undecodable(interp: &Interp, bytes: &[u8], at: usize, broken: &Broken, encoding: Encoding) -> Box<Stop> {
    let name = encoding.name();
    let Broken { length, reason } = broken;
    let message = if *length == 1 {
        format!("'{name}' codec can't decode byte 0x{:02x} in position {at}: {reason}", bytes[at])
    } else {
        format!("'{name}' codec can't decode bytes in position {at}-{}: {reason}", at + length - 1)
    };
    interp.error(&interp.types().unicode_decode_error, message)
}

/// The next stretch of text and its length in bytes. `bytes` is not empty.
fn step(bytes: &[u8], encoding: Encoding) -> Result<(String, usize), Broken> {
    match encoding {
        Encoding::Utf8 => match std::str::from_utf8(bytes) {
            Ok(text) => Ok((text.to_owned(), bytes.len())),
            Err(error) if error.valid_up_to() > 0 => {
                let valid = &bytes[..error.valid_up_to()];
                Ok((String::from_utf8_lossy(valid).into_owned(), valid.len()))
            }
            Err(error) => Err(match error.error_len() {
                None => Broken { length: bytes.len(), reason: "unexpected end of data" },
                Some(length) => Broken {
                    length,
                    reason: if matches!(bytes[0], 0xc2..=0xf4) {
                        "invalid continuation byte"
                    } else {
                        "invalid start byte"
                    },
                },
            }),
        },
        Encoding::Ascii if bytes[0] >= 128 => Err(Broken { length: 1, reason: "ordinal not in range(128)" }),
        Encoding::Ascii | Encoding::Latin1 => Ok((char::from(bytes[0]).to_string(), 1)),
        Encoding::Wide { bytes: width, big, .. } => {
            let unit = |at: usize| -> Option<u32> {
                let piece = bytes.get(at * width..(at + 1) * width)?;
                let value = |total: u32, byte: &u8| total << 8 | u32::from(*byte);
                Some(if big { piece.iter().fold(0, value) } else { piece.iter().rev().fold(0, value) })
            };
            let truncated = Broken { length: bytes.len(), reason: "truncated data" };
            let first = unit(0).ok_or(truncated)?;
            if width == 2 && (0xd800..0xdc00).contains(&first) {
                let end = Broken { length: bytes.len(), reason: "unexpected end of data" };
                let second = unit(1).ok_or(end)?;
                if (0xdc00..0xe000).contains(&second) {
                    let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    return Ok((char::from_u32(code).map(String::from).unwrap_or_default(), 4));
                }
                return Err(Broken { length: 2, reason: "illegal UTF-16 surrogate" });
            }
            match char::from_u32(first) {
                Some(c) => Ok((c.to_string(), width)),
                None if width == 2 => Err(Broken { length: 2, reason: "illegal encoding" }),
                None => Err(Broken { length: 4, reason: "code point not in range(0x110000)" }),
            }
        }
    }
}
