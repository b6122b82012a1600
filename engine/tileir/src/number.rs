//! Integers that are known, or that the program computes: positions, starts, block indices. A multiple remembers what it is a
//! multiple of, so that the number of a block is found again in the place of its first element.

use crate::Refusal;
use crate::emit::Emitter;
use crate::ops::arith;
use crate::types::Tile;
use pallas_tensor::DType;

/// A position.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    /// Known.
    Known(i64),
    /// So many times an `i32`.
    Times(Tile, i64),
}

use Number::{Known, Times};

impl Number {
    /// Of a scalar.
    pub(crate) fn of(e: &mut Emitter, tile: &Tile) -> Result<Number, Refusal> {
        if let Some(known) = tile.known {
            return Ok(Known(known));
        }
        if let (Some((of, factor)), DType::I32) = (tile.multiple, tile.dtype) {
            return Ok(Times(Tile::new(of, DType::I32, &[]), factor));
        }
        Ok(Times(crate::ops::convert::cast(e, tile, DType::I32)?, 1))
    }

    /// As a scalar.
    pub(crate) fn tile(&self, e: &mut Emitter) -> Result<Tile, Refusal> {
        match self {
            Known(number) => e.index(*number),
            Times(tile, 1) => Ok(tile.clone()),
            Times(tile, factor) => {
                let by = e.index(*factor)?;
                let product = arith::binary(e, "mul", tile, &by)?;
                Ok(Tile { multiple: Some((tile.value, *factor)), ..product })
            }
        }
    }

    /// So many times it; `factor` is not negative.
    pub(crate) fn times(&self, e: &mut Emitter, factor: i64) -> Result<Number, Refusal> {
        Ok(match self {
            Known(number) => Known(number.saturating_mul(factor)),
            Times(..) if factor == 0 => Known(0),
            Times(tile, own) => match own.checked_mul(factor).filter(|product| i32::try_from(*product).is_ok()) {
                Some(product) => Times(tile.clone(), product),
                None => {
                    let tile = self.tile(e)?;
                    Times(tile, factor)
                }
            },
        })
    }

    /// The number that this is so many times of, if it is known to be a multiple.
    pub(crate) fn part(&self, by: i64) -> Option<Number> {
        match self {
            Known(number) => (number % by == 0).then(|| Known(number / by)),
            Times(tile, factor) => (factor % by == 0).then(|| Times(tile.clone(), factor / by)),
        }
    }

    pub(crate) fn add(&self, e: &mut Emitter, other: &Number) -> Result<Number, Refusal> {
        Ok(match (self, other) {
            (Known(a), Known(b)) => Known(a.saturating_add(*b)),
            (Known(0), number) | (number, Known(0)) => number.clone(),
            (Times(tile, factor), Known(by)) | (Known(by), Times(tile, factor)) if by % factor == 0 => {
                let by = e.index(by / factor)?;
                Times(arith::binary(e, "add", tile, &by)?, *factor)
            }
            (Times(a, x), Times(b, y)) => {
                let common = gcd(*x, *y);
                let a = Times(a.clone(), x / common).tile(e)?;
                let b = Times(b.clone(), y / common).tile(e)?;
                Times(arith::binary(e, "add", &a, &b)?, common)
            }
            (a, b) => {
                let (a, b) = (a.tile(e)?, b.tile(e)?);
                Times(arith::binary(e, "add", &a, &b)?, 1)
            }
        })
    }

    /// What counts from the end if it is negative.
    pub(crate) fn wrapped(&self, e: &mut Emitter, end: i64) -> Result<Number, Refusal> {
        match self {
            Known(number) if *number < 0 => Ok(Known(number.saturating_add(end))),
            Known(number) => Ok(Known(*number)),
            Times(tile, factor) if end % factor == 0 => {
                let zero = e.index(0)?;
                let end = e.index(end / factor)?;
                let is_negative = arith::compare(e, "lt", tile, &zero)?;
                let moved = arith::binary(e, "add", tile, &end)?;
                Ok(Times(arith::select(e, &is_negative, &moved, tile)?, *factor))
            }
            this => {
                let tile = this.tile(e)?;
                Times(Tile { multiple: None, ..tile }, 1).wrapped(e, end)
            }
        }
    }

    /// Moved into `low..=high`; `low` is not above `high`.
    pub(crate) fn clamp(&self, e: &mut Emitter, low: i64, high: i64) -> Result<Number, Refusal> {
        match self {
            Known(number) => Ok(Known(*number.clamp(&low, &high.max(low)))),
            _ if low >= high => Ok(Known(low)),
            Times(tile, factor) if low % factor == 0 && high % factor == 0 => {
                let (low, high) = (e.index(low / factor)?, e.index(high / factor)?);
                let above = arith::binary(e, "max", tile, &low)?;
                Ok(Times(arith::binary(e, "min", &above, &high)?, *factor))
            }
            this => {
                let tile = this.tile(e)?;
                Times(Tile { multiple: None, ..tile }, 1).clamp(e, low, high)
            }
        }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
