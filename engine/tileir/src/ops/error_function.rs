//! The error function and its complement in single precision, by the polynomials that XLA takes: Eigen's for `erf`, those of
//! Cephes for `erfc`. Highest powers first.

use super::{arith, math};
use crate::emit::Emitter;
use crate::types::Tile;
use crate::{Refusal, no};
use pallas_tensor::DType;

/// From here on `erf` is 1.
const ONE: f32 = f32::from_bits(0x4075_47cb);
const NUMERATOR: [u32; 5] = [0x3970_2d51, 0x3b5f_5da2, 0x3d50_b6eb, 0x3e3d_a740, 0x3f90_6eba];
const DENOMINATOR: [u32; 7] =
    [0xb3fd_3906, 0x37c5_88df, 0x3a85_6d28, 0x3c66_87d4, 0x3de3_4c21, 0x3efe_b44a, 0x3f80_0000];
/// In `x^2`, of `erf(x) / x` within 1.
const NEAR: [u32; 7] = [0x38a4_b519, 0xba51_fb80, 0x3baa_02d9, 0xbcdb_fc87, 0x3de7_167c, 0xbec0_939f, 0x3f90_6eba];
/// In `1 / x^2`, from 1 to 2.
const MIDDLE: [u32; 9] = [
    0x3cbe_9cf4,
    0xbe0e_0868,
    0x3ebc_cbd0,
    0xbf15_1cf8,
    0x3f1e_f9e3,
    0xbefd_28c0,
    0x3eae_5471,
    0xbe8c_5880,
    0x3f10_56e6,
];
/// In `1 / x^2`, from 2 on.
const FAR: [u32; 8] =
    [0xc127_a483, 0x414f_a29c, 0xc0ef_db4a, 0x403a_f1fa, 0xbf81_f436, 0x3ed7_fc3e, 0xbe90_6c5d, 0x3f10_6eb9];

fn polynomial(e: &mut Emitter, x: &Tile, coefficients: &[u32]) -> Result<Tile, Refusal> {
    let mut sum: Option<Tile> = None;
    for &bits in coefficients {
        let next = e.like(x, f32::from_bits(bits).into())?;
        sum = Some(match sum {
            None => next,
            Some(sum) => {
                let product = arith::binary(e, "mul", &sum, x)?;
                arith::binary(e, "add", &product, &next)?
            }
        });
    }
    sum.ok_or_else(|| no("a polynomial has no coefficients"))
}

fn single(x: &Tile) -> Result<(), Refusal> {
    match x.dtype {
        DType::F32 => Ok(()),
        other => {
            Err(no(format!("the error function of {} has no Tile IR", other.name()))
                .with_help("take the SIMT back end"))
        }
    }
}

/// `erf(x)`
pub(crate) fn erf(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    single(x)?;
    let square = arith::binary(e, "mul", x, x)?;
    let above = polynomial(e, &square, &NUMERATOR)?;
    let above = arith::binary(e, "mul", x, &above)?;
    let below = polynomial(e, &square, &DENOMINATOR)?;
    let value = arith::binary(e, "div", &above, &below)?;
    let (most, one, minus) = (e.like(x, ONE.into())?, e.like(x, 1.0)?, e.like(x, -1.0)?);
    let least = e.like(x, -f64::from(ONE))?;
    let is_above = arith::compare(e, "ge", x, &most)?;
    let is_below = arith::compare(e, "le", x, &least)?;
    let value = arith::select(e, &is_above, &one, &value)?;
    arith::select(e, &is_below, &minus, &value)
}

/// `1 - erf(x)`
pub(crate) fn erfc(e: &mut Emitter, x: &Tile) -> Result<Tile, Refusal> {
    single(x)?;
    let (zero, one, two) = (e.like(x, 0.0)?, e.like(x, 1.0)?, e.like(x, 2.0)?);
    let size = math::abs(e, x)?;
    let square = arith::binary(e, "mul", x, x)?;
    let near = polynomial(e, &square, &NEAR)?;
    let near = arith::binary(e, "mul", x, &near)?;
    let near = arith::binary(e, "sub", &one, &near)?;
    let inverse = arith::binary(e, "div", &one, &square)?;
    let middle = polynomial(e, &inverse, &MIDDLE)?;
    let far = polynomial(e, &inverse, &FAR)?;
    let is_middle = arith::compare(e, "lt", &size, &two)?;
    let sum = arith::select(e, &is_middle, &middle, &far)?;
    let negative = math::negated(e, &square)?;
    let power = math::function(e, "exp", &[&negative])?;
    let reciprocal = arith::binary(e, "div", &one, &size)?;
    let tail = arith::binary(e, "mul", &power, &reciprocal)?;
    let tail = arith::binary(e, "mul", &tail, &sum)?;
    // Where the power is 0 the polynomial may be no number.
    let is_nothing = arith::compare(e, "eq", &power, &zero)?;
    let tail = arith::select(e, &is_nothing, &zero, &tail)?;
    let rest = arith::binary(e, "sub", &two, &tail)?;
    let is_negative = arith::compare(e, "lt", x, &zero)?;
    let outer = arith::select(e, &is_negative, &rest, &tail)?;
    let is_near = arith::compare(e, "lt", &size, &one)?;
    arith::select(e, &is_near, &near, &outer)
}
