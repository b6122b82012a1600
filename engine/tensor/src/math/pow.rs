//! Powers: `pow`, `integer_pow` and `square`.
//!
//! `pow` is a call of the C library's `powf`; this is Arm's optimized routine (`math/powf.c`), which
//! glibc has had since 2.28: `2^(y log2 x)` in double precision with two tables, within 0.82 units
//! in the last place. `integer_pow` is JAX's own expansion into products.

use super::arith::flush;

const fn bits(pattern: u64) -> f64 {
    f64::from_bits(pattern)
}

/// `1 / c` and `log2(c)` for the middles `c` of 16 intervals that cover one octave from 0.69921875.
const LOG2_TABLE: [(f64, f64); 16] = [
    (bits(0x3ff6_61ec_79f8_f3be), bits(0xbfde_fec6_5b96_3019)),
    (bits(0x3ff5_71ed_4aaf_883d), bits(0xbfdb_0b68_32d4_fca4)),
    (bits(0x3ff4_9539_f0f0_10b0), bits(0xbfd7_418b_0a1f_b77b)),
    (bits(0x3ff3_c995_b0b8_0385), bits(0xbfd3_9de9_1a6d_cf7b)),
    (bits(0x3ff3_0d19_0c88_64a5), bits(0xbfd0_1d9b_f3f2_b631)),
    (bits(0x3ff2_5e22_7b0b_8ea0), bits(0xbfc9_7c1d_1b3b_7af0)),
    (bits(0x3ff1_bb4a_4a1a_343f), bits(0xbfc2_f9e3_93af_3c9f)),
    (bits(0x3ff1_2358_f08a_e5ba), bits(0xbfb9_60cb_bf78_8d5c)),
    (bits(0x3ff0_953f_4199_00a7), bits(0xbfaa_6f9d_b647_5fce)),
    (1.0, 0.0),
    (bits(0x3fee_608c_fd9a_47ac), bits(0x3fb3_38ca_9f24_f53d)),
    (bits(0x3fec_a4b3_1f02_6aa0), bits(0x3fc4_76a9_5438_91ba)),
    (bits(0x3feb_2036_576a_fce6), bits(0x3fce_840b_4ac4_e4d2)),
    (bits(0x3fe9_c2d1_63a1_aa2d), bits(0x3fd4_0645_f0c6_651c)),
    (bits(0x3fe8_86e6_0378_41ed), bits(0x3fd8_8e9c_2c1b_9ff8)),
    (bits(0x3fe7_67dc_f553_4862), bits(0x3fdc_e0a4_4eb1_7bcc)),
];
/// `log2(1 + r) / r` near zero, highest power first.
const LOG2_POLYNOMIAL: [f64; 5] = [
    bits(0x3fd2_7616_c949_6e0b),
    bits(0xbfd7_1969_a075_c67a),
    bits(0x3fde_c70a_6ca7_badd),
    bits(0xbfe7_1547_48be_f6c8),
    bits(0x3ff7_1547_652a_b82b),
];
/// The pattern of the first interval's start.
const LOG2_START: u32 = 0x3f33_0000;

/// The pattern of `2^(i / 32)` less `i << 47`, so that adding the whole exponent's bits is enough.
const EXP2_TABLE: [u64; 32] = [
    0x3ff0_0000_0000_0000,
    0x3fef_d9b0_d315_8574,
    0x3fef_b558_6cf9_890f,
    0x3fef_9301_d012_5b51,
    0x3fef_72b8_3c7d_517b,
    0x3fef_5487_3168_b9aa,
    0x3fef_387a_6e75_6238,
    0x3fef_1e9d_f51f_dee1,
    0x3fef_06fe_0a31_b715,
    0x3fee_f1a7_373a_a9cb,
    0x3fee_dea6_4c12_3422,
    0x3fee_ce08_6061_892d,
    0x3fee_bfda_d536_2a27,
    0x3fee_b42b_569d_4f82,
    0x3fee_ab07_dd48_5429,
    0x3fee_a47e_b03a_5585,
    0x3fee_a09e_667f_3bcd,
    0x3fee_9f75_e8ec_5f74,
    0x3fee_a114_73eb_0187,
    0x3fee_a589_994c_ce13,
    0x3fee_ace5_422a_a0db,
    0x3fee_b737_b0cd_c5e5,
    0x3fee_c491_82a3_f090,
    0x3fee_d503_b23e_255d,
    0x3fee_e89f_995a_d3ad,
    0x3fee_ff76_f2fb_5e47,
    0x3fef_199b_dd85_529c,
    0x3fef_3720_dcef_9069,
    0x3fef_5818_dcfb_a487,
    0x3fef_7c97_337b_9b5f,
    0x3fef_a4af_a2a4_90da,
    0x3fef_d076_5b6e_4540,
];
/// `2^r` near zero as `((E[0] r + E[1]) r^2 + (E[2] r + 1))`.
const EXP2_POLYNOMIAL: [f64; 3] =
    [bits(0x3fac_6af8_4b91_2394), bits(0x3fce_bfce_50fa_c4f3), bits(0x3fe6_2e42_ff0c_52d6)];
/// Adding and taking away this rounds to a multiple of 1 / 32, whose number is in the low bits.
const ROUND_TO_32NDS: f64 = bits(0x42e8_0000_0000_0000);
/// A greater product `y log2 x` overflows `f32`.
const OVERFLOW: f64 = bits(0x405f_ffff_ffd1_d571);
/// A product at or below this underflows even the subnormals.
const UNDERFLOW: f64 = -150.0;

/// `log2` of a positive number from its pattern; the exponent may be negative (as two's complement).
fn log2(pattern: u32) -> f64 {
    let offset = pattern.wrapping_sub(LOG2_START);
    let (inverse, logarithm) = LOG2_TABLE[((offset >> 19) & 15) as usize];
    let top = offset & 0xff80_0000;
    let fraction = f64::from(f32::from_bits(pattern.wrapping_sub(top)));
    let r = fraction * inverse - 1.0;
    let start = logarithm + f64::from((top as i32) >> 23);
    let square = r * r;
    let high = LOG2_POLYNOMIAL[0] * r + LOG2_POLYNOMIAL[1];
    let middle = LOG2_POLYNOMIAL[2] * r + LOG2_POLYNOMIAL[3];
    let low = LOG2_POLYNOMIAL[4] * r + start;
    high * (square * square) + (middle * square + low)
}

/// `2^x`, rounded to `f32` once, for `x` between [`UNDERFLOW`] and [`OVERFLOW`].
fn exp2(x: f64) -> f32 {
    let shifted = x + ROUND_TO_32NDS;
    let number = shifted.to_bits();
    let r = x - (shifted - ROUND_TO_32NDS);
    let scale = EXP2_TABLE[(number & 31) as usize].wrapping_add(number << 47);
    let high = EXP2_POLYNOMIAL[0] * r + EXP2_POLYNOMIAL[1];
    let low = EXP2_POLYNOMIAL[2] * r + 1.0;
    ((high * (r * r) + low) * f64::from_bits(scale)) as f32
}

/// What kind of number an exponent is, where the sign of a negative base depends on it.
#[derive(PartialEq, Eq)]
enum Parity {
    Fraction,
    Odd,
    Even,
}

fn parity(y: f32) -> Parity {
    if y.trunc() != y {
        Parity::Fraction
    } else if (y * 0.5).trunc() != y * 0.5 {
        Parity::Odd
    } else {
        Parity::Even
    }
}

/// `x` to the power `y` as `jax.lax.pow` (`jnp.power` with a float exponent) computes it.
#[must_use]
pub fn pow(x: f32, y: f32) -> f32 {
    // As in C: one for any base, NaN included, at a zero exponent, and for the base one.
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    if y.is_infinite() {
        let size = x.abs();
        return if size == 1.0 {
            1.0
        } else if (size < 1.0) == (y > 0.0) {
            0.0
        } else {
            f32::INFINITY
        };
    }
    let negative = x.is_sign_negative() && parity(y) == Parity::Odd;
    let signed = |value: f32| if negative { -value } else { value };
    if x == 0.0 || x.is_infinite() {
        return signed(if (x == 0.0) == (y > 0.0) { 0.0 } else { f32::INFINITY });
    }
    if x.is_sign_negative() && parity(y) == Parity::Fraction {
        return f32::NAN;
    }
    let size = x.abs();
    // A subnormal base is flushed where the C source scales it up, and leaves this exponent.
    let pattern = if size < f32::MIN_POSITIVE { 0_u32.wrapping_sub(23 << 23) } else { size.to_bits() };
    let product = f64::from(flush(y)) * log2(pattern);
    signed(if product > OVERFLOW {
        f32::INFINITY
    } else if product <= UNDERFLOW {
        0.0
    } else {
        flush(exp2(product))
    })
}

/// `x` to a fixed integer power as `jax.lax.integer_pow` (`x ** 3`) computes it: squarings and
/// products from the low bit of the exponent up, and `1 / result` for a negative exponent
/// (`_integer_pow` of `jax/_src/lax/lax.py`).
#[must_use]
pub fn integer_pow(x: f32, exponent: i32) -> f32 {
    if exponent == 0 {
        return 1.0;
    }
    let mut rest = exponent.unsigned_abs();
    let mut square = flush(x);
    let mut product = None;
    while rest > 0 {
        if rest & 1 == 1 {
            product = Some(product.map_or(square, |so_far: f32| flush(so_far * square)));
        }
        rest >>= 1;
        if rest > 0 {
            square = flush(square * square);
        }
    }
    let product = product.unwrap_or(1.0);
    if exponent < 0 { flush(1.0 / product) } else { product }
}

/// `x * x`, as `jnp.square` computes it.
#[inline]
#[must_use]
pub fn square(x: f32) -> f32 {
    let x = flush(x);
    flush(x * x)
}
