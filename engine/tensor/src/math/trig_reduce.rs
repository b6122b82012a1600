//! Reduction of an angle to a quarter turn: the integer part and the rest.
//!
//! This is the reduction of Arm's optimized routines (`math/sincosf.h`), which all three functions of
//! [`super::trig`] start with: a product in double precision for usual angles, integer arithmetic
//! with 192 bits of `4 / pi` for large ones. The rest is good to 33 bits.

const fn wide(pattern: u64) -> f64 {
    f64::from_bits(pattern)
}

/// `2^24 * 2 / pi`: the quarter's number comes out of the integer part above bit 24.
const QUARTERS_PER_RADIAN: f64 = wide(0x4164_5f30_6dc9_c883);
const QUARTER_TURN: f64 = wide(0x3ff9_21fb_5444_2d18);
/// `pi * 2^-64`: a fixed-point number with 62 fraction bits, in quarter turns, to radians.
const PI_TIMES_2_POW_MINUS_64: f64 = wide(0x3c19_21fb_5444_2d18);
/// From this magnitude the reduction needs more digits of pi than a double has.
pub(super) const LARGE: f32 = 120.0;

/// `4 / pi` to 192 bits; each entry is 32 bits of it, starting 8 bits after the one before.
const FOUR_OVER_PI: [u32; 24] = [
    0x0000_00a2,
    0x0000_a2f9,
    0x00a2_f983,
    0xa2f9_836e,
    0xf983_6e4e,
    0x836e_4e44,
    0x6e4e_4415,
    0x4e44_1529,
    0x4415_29fc,
    0x1529_fc27,
    0x29fc_2757,
    0xfc27_57d1,
    0x2757_d1f5,
    0x57d1_f534,
    0xd1f5_34dd,
    0xf534_ddc0,
    0x34dd_c0db,
    0xddc0_db62,
    0xc0db_6295,
    0xdb62_9599,
    0x6295_993c,
    0x9599_3c43,
    0x993c_4390,
    0x3c43_9041,
];

/// The rest within pi / 4 and the number of quarter turns, for finite `x` of at least 0.75.
#[inline]
pub(super) fn reduce(x: f32) -> (f64, i32) {
    if x.abs() < LARGE {
        let angle = f64::from(x);
        // Below 2^31: 120 * 2^24 * 2 / pi.
        let quarter = ((angle * QUARTERS_PER_RADIAN) as i32 + 0x0080_0000) >> 24;
        (angle - f64::from(quarter) * QUARTER_TURN, quarter)
    } else {
        let (rest, quarter) = reduce_large(x.to_bits());
        if x.is_sign_negative() { (-rest, -quarter) } else { (rest, quarter) }
    }
}

/// What is added to a small integer so that the sum has it in its lowest bits.
const TO_LOW_BITS: f64 = 6_755_399_441_055_744.0;

/// [`reduce`] below [`LARGE`], the number of quarter turns modulo 2^32. The same numbers in arithmetic that goes through
/// several at once: every step on the way to the quarter is exact.
#[inline(always)]
pub(super) fn reduce_usual(x: f32) -> (f64, u32) {
    let angle = f64::from(x);
    let quarter = (((angle * QUARTERS_PER_RADIAN).trunc() + 8_388_608.0) * (1.0 / 16_777_216.0)).floor();
    (angle - quarter * QUARTER_TURN, (quarter + TO_LOW_BITS).to_bits() as u32)
}

/// The same for a magnitude of at least 2, in integer arithmetic: a 24-bit number times 96 bits of
/// `4 / pi` around its exponent gives the angle in quarter turns modulo four.
fn reduce_large(pattern: u32) -> (f64, i32) {
    // At most 15, and the largest index used is 8 more: within the table's 24.
    let first = ((pattern >> 26) & 15) as usize;
    let shift = (pattern >> 23) & 7;
    let number = ((pattern & 0x00ff_ffff) | 0x0080_0000) << shift;
    let high = u64::from(number.wrapping_mul(FOUR_OVER_PI[first]));
    let middle = u64::from(number) * u64::from(FOUR_OVER_PI[first + 4]);
    let low = u64::from(number) * u64::from(FOUR_OVER_PI[first + 8]);
    let angle = ((low >> 32) | (high << 32)).wrapping_add(middle);
    let quarter = angle.wrapping_add(1 << 61) >> 62;
    let rest = angle.wrapping_sub(quarter << 62) as i64;
    (rest as f64 * PI_TIMES_2_POW_MINUS_64, quarter as i32)
}

/// [`reduce`] as a sum of two singles, and the number of quarter turns: what `tanf` of glibc does
/// before fdlibm's kernel, in place of fdlibm's own reduction.
#[inline]
pub(super) fn reduce_pair(x: f32) -> (f32, f32, i32) {
    let (rest, quarter) = reduce(x);
    let head = rest as f32;
    (head, (rest - f64::from(head)) as f32, quarter)
}
