//! Integers of every base and size, floats, imaginary numbers.

use super::Lower;
use super::string::too_many_digits;
use crate::ast::Constant;
use std::sync::Arc;
use tree_sitter::Node;

impl Lower<'_> {
    /// Lowers a numeric literal.
    pub(super) fn number(&mut self, node: Node<'_>) -> Constant {
        let text = self.text(node);
        match parse_number(text) {
            Ok(constant) => constant,
            Err(message) => {
                let span = self.span(node);
                self.error(span, message);
                Constant::Int(0)
            }
        }
    }
}

/// The value of a literal as Python's tokenizer reads it.
fn parse_number(text: &str) -> Result<Constant, String> {
    let bytes = text.as_bytes();
    let radix = match bytes {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        _ => 10,
    };
    if text.ends_with('_') || text.contains("__") {
        return Err("invalid decimal literal".into());
    }
    if radix != 10 {
        let digits: String = text[2..].chars().filter(|c| *c != '_').collect();
        if digits.ends_with(['l', 'L']) {
            let kind = ["hexadecimal", "octal", "binary"][[16, 8, 2].iter().position(|r| *r == radix).unwrap_or(0)];
            return Err(format!("invalid {kind} literal"));
        }
        return integer(&digits, radix);
    }
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    if let Some(imaginary) = plain.strip_suffix(['j', 'J']) {
        return imaginary.parse().map(Constant::Imaginary).map_err(|_| "invalid decimal literal".into());
    }
    if plain.ends_with(['l', 'L']) {
        return Err("invalid decimal literal".into());
    }
    if plain.contains(['.', 'e', 'E']) {
        if text.contains("_.") || text.contains("_e") || text.contains("_E") {
            return Err("invalid decimal literal".into());
        }
        return plain.parse().map(Constant::Float).map_err(|_| "invalid decimal literal".into());
    }
    if plain.len() > 1 && plain.starts_with('0') && plain.bytes().any(|b| b != b'0') {
        return Err("leading zeros in decimal integer literals are not permitted; \
             use an 0o prefix for octal integers"
            .into());
    }
    integer(&plain, 10)
}

/// An integer of digits in `radix`: a machine word where it fits, decimal digits where not.
fn integer(digits: &str, radix: u32) -> Result<Constant, String> {
    if let Ok(value) = i64::from_str_radix(digits, radix) {
        return Ok(Constant::Int(value));
    }
    if radix == 10 {
        if digits.len() > 4300 {
            return Err(too_many_digits(digits.len()));
        }
        return Ok(Constant::BigInt(Arc::from(digits.trim_start_matches('0'))));
    }
    if digits.len() > 16_384 {
        return Err("integer literal too large".into());
    }
    // Limbs of nine decimal digits, least significant first.
    let mut limbs: Vec<u64> = vec![0];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(radix).ok_or("invalid digit")?);
        for limb in &mut limbs {
            let value = *limb * u64::from(radix) + carry;
            *limb = value % 1_000_000_000;
            carry = value / 1_000_000_000;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut decimal = limbs.pop().unwrap_or(0).to_string();
    for limb in limbs.iter().rev() {
        decimal.push_str(&format!("{limb:09}"));
    }
    Ok(Constant::BigInt(Arc::from(decimal)))
}

#[cfg(test)]
mod tests {
    use super::parse_number;
    use crate::ast::Constant;

    #[test]
    fn bases_and_underscores() {
        assert_eq!(parse_number("0x_ff"), Ok(Constant::Int(255)));
        assert_eq!(parse_number("0o17"), Ok(Constant::Int(15)));
        assert_eq!(parse_number("0B1_01"), Ok(Constant::Int(5)));
        assert_eq!(parse_number("1_000"), Ok(Constant::Int(1000)));
        assert_eq!(parse_number("00"), Ok(Constant::Int(0)));
        assert_eq!(parse_number("1_0.5e-1_0"), Ok(Constant::Float(10.5e-10)));
        assert_eq!(parse_number("1."), Ok(Constant::Float(1.0)));
        assert_eq!(parse_number(".5j"), Ok(Constant::Imaginary(0.5)));
        assert!(parse_number("012").is_err());
        assert!(parse_number("12L").is_err());
    }

    #[test]
    fn integers_past_the_machine_word() {
        // Python: 0xffff_ffff_ffff_ffff, 2**100, 2**63
        assert_eq!(parse_number("0xffff_ffff_ffff_ffff"), Ok(Constant::BigInt("18446744073709551615".into())));
        assert_eq!(
            parse_number("0x10000000000000000000000000"),
            Ok(Constant::BigInt("1267650600228229401496703205376".into()))
        );
        assert_eq!(parse_number("9223372036854775808"), Ok(Constant::BigInt("9223372036854775808".into())));
    }
}
