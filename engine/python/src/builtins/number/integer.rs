//! Arithmetic of `int`, exact and unbounded, small while it fits. Results past [`MAX_BITS`] are refused before the work
//! is done, so that `10 ** 10 ** 10` answers at once. Raises nothing itself: see [`NumberError`].

use super::NumberError;
use crate::int::Int;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// Bits of the longest integer that arithmetic makes: 32 MiB, some ten million decimal digits.
pub const MAX_BITS: u64 = 1 << 28;

/// Longest result of `**`, whose cost grows faster than its size.
const MAX_POWER_BITS: u64 = 1 << 26;

type Outcome<T> = Result<T, NumberError>;

/// Number of bits of the absolute value; 0 for 0.
pub fn bit_length(value: &Int) -> u64 {
    match value {
        Int::Small(value) => u64::from(64 - value.unsigned_abs().leading_zeros()),
        Int::Big(value) => value.bits(),
    }
}

/// `a + b`
pub fn add(a: &Int, b: &Int) -> Int {
    if let (Int::Small(a), Int::Small(b)) = (a, b)
        && let Some(sum) = a.checked_add(*b)
    {
        return Int::Small(sum);
    }
    Int::from(a.to_big() + b.to_big())
}

/// `a - b`
pub fn subtract(a: &Int, b: &Int) -> Int {
    if let (Int::Small(a), Int::Small(b)) = (a, b)
        && let Some(difference) = a.checked_sub(*b)
    {
        return Int::Small(difference);
    }
    Int::from(a.to_big() - b.to_big())
}

/// `a * b`; an error where the product would be too long.
pub fn multiply(a: &Int, b: &Int) -> Outcome<Int> {
    if let (Int::Small(a), Int::Small(b)) = (a, b)
        && let Some(product) = a.checked_mul(*b)
    {
        return Ok(Int::Small(product));
    }
    if bit_length(a) + bit_length(b) > MAX_BITS {
        return Err(NumberError::Memory);
    }
    Ok(Int::from(a.to_big() * b.to_big()))
}

/// `divmod(a, b)`, rounding down; `None` where `b` is zero.
pub fn divide_floor(a: &Int, b: &Int) -> Option<(Int, Int)> {
    if b.is_zero() {
        return None;
    }
    if let (Int::Small(a), Int::Small(b)) = (a, b)
        && let Some(quotient) = a.checked_div(*b)
    {
        let remainder = a % b;
        let down = remainder != 0 && (remainder < 0) != (*b < 0);
        return Some(if down {
            (Int::Small(quotient - 1), Int::Small(remainder + b))
        } else {
            (Int::Small(quotient), Int::Small(remainder))
        });
    }
    let (quotient, remainder) = a.to_big().div_mod_floor(&b.to_big());
    Some((Int::from(quotient), Int::from(remainder)))
}

/// `a / b`, correctly rounded whatever the size of the operands.
pub fn divide_true(a: &Int, b: &Int) -> Outcome<f64> {
    if b.is_zero() {
        return Err(NumberError::ZeroDivision("division by zero"));
    }
    const EXACT: u64 = 1 << 53;
    if let (Int::Small(a), Int::Small(b)) = (a, b)
        && a.unsigned_abs() <= EXACT
        && b.unsigned_abs() <= EXACT
    {
        return Ok(*a as f64 / *b as f64);
    }
    let negative = a.is_negative() != b.is_negative();
    let quotient = divide_magnitudes(a.to_big().magnitude(), b.to_big().magnitude())?;
    Ok(if negative { -quotient } else { quotient })
}

/// The algorithm of CPython's `long_true_divide`: two bits more than a float holds, the rest as a sticky bit.
fn divide_magnitudes(a: &BigUint, b: &BigUint) -> Outcome<f64> {
    const MANTISSA: i64 = 53;
    const LEAST_EXPONENT: i64 = -1021;
    const MOST_EXPONENT: i64 = 1024;
    if a.is_zero() {
        return Ok(0.0);
    }
    let too_large = NumberError::Overflow("integer division result too large for a float");
    let difference = a.bits() as i64 - b.bits() as i64;
    if difference > MOST_EXPONENT {
        return Err(too_large);
    }
    if difference < LEAST_EXPONENT - MANTISSA - 1 {
        return Ok(0.0);
    }
    let shift = difference.max(LEAST_EXPONENT) - MANTISSA - 2;
    let (scaled, mut inexact) = if shift <= 0 {
        (a << shift.unsigned_abs(), false)
    } else {
        let lost = a.trailing_zeros().is_some_and(|zeros| zeros < shift as u64);
        (a >> shift as u64, lost)
    };
    let (quotient, remainder) = scaled.div_rem(b);
    inexact |= !remainder.is_zero();
    // The quotient has at most 57 bits by the choice of `shift`.
    let mut quotient = quotient.to_u64().unwrap_or(u64::MAX);
    let bits = i64::from(64 - quotient.leading_zeros());
    let extra = bits.max(LEAST_EXPONENT - shift) - MANTISSA;
    let mask = 1u64 << (extra - 1);
    let low = quotient | u64::from(inexact);
    if low & mask != 0 && low & (3 * mask - 1) != 0 {
        quotient = low + mask;
    } else {
        quotient = low;
    }
    quotient &= !(2 * mask - 1);
    let result = super::float::load_exponent(quotient as f64, shift as i32);
    if result.is_infinite() { Err(too_large) } else { Ok(result) }
}

/// `base ** exponent` for an exponent that is not negative.
pub fn power(base: &Int, exponent: &Int) -> Outcome<Int> {
    match base {
        Int::Small(0) => return Ok(Int::Small(i64::from(exponent.is_zero()))),
        Int::Small(1) => return Ok(Int::Small(1)),
        Int::Small(-1) => return Ok(Int::Small(if is_odd(exponent) { -1 } else { 1 })),
        _ => {}
    }
    let exponent = exponent.to_i64().and_then(|e| u32::try_from(e).ok()).ok_or(NumberError::Memory)?;
    if let Int::Small(base) = base
        && let Some(power) = base.checked_pow(exponent)
    {
        return Ok(Int::Small(power));
    }
    if bit_length(base).saturating_mul(u64::from(exponent)) > MAX_POWER_BITS {
        return Err(NumberError::Memory);
    }
    Ok(Int::from(base.to_big().pow(exponent)))
}

/// `pow(base, exponent, modulus)`
pub fn power_modulo(base: &Int, exponent: &Int, modulus: &Int) -> Outcome<Int> {
    if modulus.is_zero() {
        return Err(NumberError::Value("pow() 3rd argument cannot be 0"));
    }
    let modulus = modulus.to_big();
    let mut base = base.to_big();
    let mut exponent = exponent.to_big();
    if exponent.is_negative() {
        let inverse = base.extended_gcd(&modulus);
        if !inverse.gcd.abs().is_one() {
            return Err(NumberError::Value("base is not invertible for the given modulus"));
        }
        base = if inverse.gcd.is_negative() { -inverse.x } else { inverse.x };
        exponent = -exponent;
    }
    // The cost is that of `bits(exponent)` multiplications of the modulus' length.
    if modulus.bits().saturating_mul(exponent.bits()) > MAX_POWER_BITS {
        return Err(NumberError::Memory);
    }
    Ok(Int::from(base.mod_floor(&modulus).modpow(&exponent, &modulus)))
}

/// `a << count`
pub fn shift_left(a: &Int, count: &Int) -> Outcome<Int> {
    if count.is_negative() {
        return Err(NumberError::Value("negative shift count"));
    }
    if a.is_zero() {
        return Ok(Int::Small(0));
    }
    let Some(count) = count.to_i64() else {
        return Err(NumberError::Overflow("too many digits in integer"));
    };
    let count = count as u64;
    if count.saturating_add(bit_length(a)) > MAX_BITS {
        return Err(NumberError::Memory);
    }
    match a {
        Int::Small(value) if bit_length(a) + count < 64 => Ok(Int::Small(value << count)),
        _ => Ok(Int::from(a.to_big() << count)),
    }
}

/// `a >> count`, rounding down.
pub fn shift_right(a: &Int, count: &Int) -> Outcome<Int> {
    if count.is_negative() {
        return Err(NumberError::Value("negative shift count"));
    }
    let all_gone = Int::Small(if a.is_negative() { -1 } else { 0 });
    let Some(count) = count.to_i64() else {
        return Ok(all_gone);
    };
    match a {
        Int::Small(value) => Ok(Int::Small(value >> count.min(63))),
        Int::Big(value) if (count as u64) < value.bits() => Ok(Int::from(&**value >> count as u64)),
        Int::Big(_) => Ok(all_gone),
    }
}

/// `a & b` on the two's complement without end.
pub fn and(a: &Int, b: &Int) -> Int {
    match (a, b) {
        (Int::Small(a), Int::Small(b)) => Int::Small(a & b),
        _ => Int::from(a.to_big() & b.to_big()),
    }
}

/// `a | b`
pub fn or(a: &Int, b: &Int) -> Int {
    match (a, b) {
        (Int::Small(a), Int::Small(b)) => Int::Small(a | b),
        _ => Int::from(a.to_big() | b.to_big()),
    }
}

/// `a ^ b`
pub fn xor(a: &Int, b: &Int) -> Int {
    match (a, b) {
        (Int::Small(a), Int::Small(b)) => Int::Small(a ^ b),
        _ => Int::from(a.to_big() ^ b.to_big()),
    }
}

/// `-a`
pub fn negate(a: &Int) -> Int {
    match a {
        Int::Small(value) => value.checked_neg().map_or_else(|| Int::from(-BigInt::from(*value)), Int::Small),
        Int::Big(value) => Int::from(-&**value),
    }
}

/// `~a`
pub fn invert(a: &Int) -> Int {
    match a {
        Int::Small(value) => Int::Small(!value),
        Int::Big(value) => Int::from(-&**value - 1),
    }
}

/// `abs(a)`
pub fn absolute(a: &Int) -> Int {
    if a.is_negative() { negate(a) } else { a.clone() }
}

/// Whether the lowest bit is set.
pub fn is_odd(a: &Int) -> bool {
    match a {
        Int::Small(value) => value & 1 != 0,
        Int::Big(value) => value.is_odd(),
    }
}

/// The nearest float. OverflowError where it is too large.
pub fn to_float(a: &Int) -> Outcome<f64> {
    let value = a.to_f64();
    if value.is_finite() { Ok(value) } else { Err(NumberError::Overflow("int too large to convert to float")) }
}

/// Exact comparison of an integer with a float; `None` for NaN.
pub fn compare_float(a: &Int, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    if b.is_infinite() {
        return Some(if b > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    const EXACT: u64 = 1 << 53;
    if let Int::Small(a) = a
        && a.unsigned_abs() <= EXACT
    {
        return (*a as f64).partial_cmp(&b);
    }
    let floor = super::float::to_integer(b.floor())?;
    Some(a.cmp(&floor).then(if b > b.floor() { Ordering::Less } else { Ordering::Equal }))
}

/// `round(a, -digits)` for `digits` above zero: half to even.
pub fn round_to_tens(a: &Int, digits: u64) -> Int {
    // More digits than the number has (a bit is less than a third of a digit): it rounds to zero.
    if digits > bit_length(a) / 3 + 2 {
        return Int::Small(0);
    }
    let unit = BigInt::from(10).pow(digits as u32);
    let (quotient, remainder) = a.to_big().div_mod_floor(&unit);
    let up = match (&remainder * BigInt::from(2)).cmp(&unit) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => quotient.is_odd(),
    };
    Int::from((if up { quotient + 1 } else { quotient }) * unit)
}

/// The digits of `int(text, base)`: sign, prefix and underscores as Python allows. `base` is 0 or 2 to 36.
/// `Err(None)` where the text is no integer, `Err(Some(digits))` where it has too many decimal digits.
pub fn parse(text: &str, base: u32) -> Result<Int, Option<usize>> {
    let text = text.trim_matches(crate::builtins::text::is_space);
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let prefix = match digits.get(..2) {
        Some("0x" | "0X") => Some(16),
        Some("0o" | "0O") => Some(8),
        Some("0b" | "0B") => Some(2),
        _ => None,
    };
    let (base, mut digits, prefixed) = match prefix {
        Some(of_prefix) if base == 0 || base == of_prefix => (of_prefix, &digits[2..], true),
        _ => (base, digits, false),
    };
    // `0x_ff` is allowed, `_ff` is not.
    if prefixed {
        digits = digits.strip_prefix('_').unwrap_or(digits);
    }
    let decimal_by_default = base == 0;
    let base = if decimal_by_default { 10 } else { base };
    let mut values = Vec::with_capacity(digits.len());
    let mut after_underscore = true;
    for c in digits.chars() {
        if c == '_' {
            if after_underscore {
                return Err(None);
            }
            after_underscore = true;
            continue;
        }
        let digit = c.to_digit(36).or_else(|| crate::builtins::text::decimal_value(c)).filter(|digit| *digit < base);
        values.push(digit.ok_or(None)? as u8);
        after_underscore = false;
    }
    if after_underscore {
        return Err(None);
    }
    // `int('010', 0)` is an error, as the literal would be.
    if decimal_by_default && values.len() > 1 && values[0] == 0 && values.iter().any(|digit| *digit != 0) {
        return Err(None);
    }
    if !base.is_power_of_two() && values.len() > MAX_DECIMAL_DIGITS {
        return Err(Some(values.len()));
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    // Every digit is below the base, so the conversion cannot fail.
    BigInt::from_radix_be(sign, &values, base).map(Int::from).ok_or(None)
}

/// CPython's limit on conversions between `int` and decimal text.
pub const MAX_DECIMAL_DIGITS: usize = 4300;

/// `str(a)`. ValueError past 4300 digits, as in CPython.
pub fn to_decimal(a: &Int) -> Outcome<String> {
    // 4300 digits are 14285 bits: shorter ones need no count.
    if bit_length(a) > 14_281 {
        let too_long = NumberError::Value(
            "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit",
        );
        if bit_length(a) > 14_290 {
            return Err(too_long);
        }
        let text = a.to_string();
        return if text.trim_start_matches('-').len() > MAX_DECIMAL_DIGITS { Err(too_long) } else { Ok(text) };
    }
    Ok(a.to_string())
}

/// Digits of the absolute value in base 2, 8, 16 (lower case) or 10.
pub fn magnitude_in_base(a: &Int, base: u32) -> String {
    match a {
        Int::Small(value) => {
            let value = value.unsigned_abs();
            match base {
                2 => format!("{value:b}"),
                8 => format!("{value:o}"),
                16 => format!("{value:x}"),
                _ => value.to_string(),
            }
        }
        Int::Big(value) => value.magnitude().to_str_radix(base),
    }
}
