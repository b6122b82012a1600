//! Integers below a bound: Lemire's method for `Generator`, masks with rejection for `RandomState`
//! (numpy/random/src/distributions/distributions.c).

use super::bits::Bits;
use pallas_tensor::DType;

/// Which method turns words into bounded integers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// `Generator.integers`
    Lemire,
    /// `RandomState.randint`
    Masked,
}

/// The smallest 2**n - 1 that is not below `most`.
fn mask(most: u64) -> u64 {
    if most == 0 { 0 } else { u64::MAX >> most.leading_zeros() }
}

/// An integer in `0..=most`.
pub(super) fn bounded(bits: &mut Bits, most: u64, method: Method) -> u64 {
    match (most, method) {
        (0, _) => 0,
        (0xffff_ffff, _) => bits.next_u32().into(),
        (u64::MAX, _) => bits.next_u64(),
        (most, Method::Lemire) if most < 0xffff_ffff => {
            let range = most + 1;
            let mut product = u64::from(bits.next_u32()) * range;
            if (product as u32 as u64) < range {
                let threshold = (0xffff_ffff - most) % range;
                while (product as u32 as u64) < threshold {
                    product = u64::from(bits.next_u32()) * range;
                }
            }
            product >> 32
        }
        (most, Method::Lemire) => {
            let range = u128::from(most) + 1;
            let mut product = u128::from(bits.next_u64()) * range;
            if u128::from(product as u64) < range {
                let threshold = (u64::MAX - most) % (most + 1);
                while (product as u64) < threshold {
                    product = u128::from(bits.next_u64()) * range;
                }
            }
            (product >> 64) as u64
        }
        (most, Method::Masked) => {
            let mask = mask(most);
            loop {
                let word = if most < 0xffff_ffff { u64::from(bits.next_u32()) } else { bits.next_u64() };
                if word & mask <= most {
                    return word & mask;
                }
            }
        }
    }
}

/// Pieces of 8 or 16 bits (or single bits), cut from words of 32.
struct Pieces {
    width: u32,
    word: u32,
    left: u32,
}

impl Pieces {
    fn next(&mut self, bits: &mut Bits) -> u32 {
        if self.left == 0 {
            self.word = bits.next_u32();
            self.left = 32 / self.width - 1;
        } else {
            self.word >>= self.width;
            self.left -= 1;
        }
        self.word & ((1 << self.width) - 1)
    }
}

/// `count` integers in `low..=low + most` as an array of `dtype` is filled with them: narrow dtypes share words.
pub(super) fn fill(bits: &mut Bits, low: i128, most: u64, count: usize, dtype: DType, method: Method) -> Vec<i128> {
    let width = match dtype {
        DType::Bool => 1,
        DType::I8 | DType::U8 => 8,
        DType::I16 | DType::U16 => 16,
        _ => return (0..count).map(|_| low + i128::from(bounded(bits, most, method))).collect(),
    };
    let mut pieces = Pieces { width, word: 0, left: 0 };
    let full = (1u64 << width) - 1;
    (0..count)
        .map(|_| {
            if most == 0 {
                return low;
            }
            if most >= full {
                return low + i128::from(pieces.next(bits));
            }
            let value = match method {
                Method::Lemire => {
                    let range = most + 1;
                    let mut product = u64::from(pieces.next(bits)) * range;
                    if product & full < range {
                        let threshold = (full - most) % range;
                        while product & full < threshold {
                            product = u64::from(pieces.next(bits)) * range;
                        }
                    }
                    product >> width
                }
                Method::Masked => {
                    let mask = mask(most);
                    loop {
                        let value = u64::from(pieces.next(bits)) & mask;
                        if value <= most {
                            break value;
                        }
                    }
                }
            };
            low + i128::from(value)
        })
        .collect()
}

/// Shuffles in place down to position `first`.
pub(super) fn shuffle<T>(bits: &mut Bits, items: &mut [T], first: usize, method: Method) {
    for at in (first.max(1)..items.len()).rev() {
        let other = bounded(bits, at as u64, method) as usize;
        items.swap(at, other);
    }
}
