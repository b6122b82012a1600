//! Which operations of a chain cannot meet or make a subnormal number, if what the chain reads is zero or not nearer to zero
//! than some limit: they need not flush anything, which is most of what they do otherwise.
//!
//! Whether what is read is such is looked at chunk by chunk ([`Calm::holds`] is asked by the run); where it is not, operations
//! flush as they do elsewhere. Results are the same to the bit: flushing leaves all other numbers alone. Infinities and NaN
//! make no subnormal numbers with the operations that are looked at here.

use super::chain::{Chain, Code, Slot};
#[cfg(target_arch = "x86_64")]
use super::lines::LANES;
use super::lines::Lines;
use crate::buffer::Buffer;
use crate::dtype::DType;
use crate::isa::for_each_isa;
use crate::ops::binary::BinaryOp;
use crate::ops::elementwise::Operand;
use crate::ops::unary::UnaryOp;
use smallvec::SmallVec;

/// The exponent of the smallest number that is not subnormal.
const NORMAL: i32 = -126;
/// Binary digits of an `f32` behind its first one.
const DIGITS: i32 = 23;
/// Of numbers of which there are none.
const NONE: i32 = 1000;

/// Limits that are tried, the easiest to keep first: sums of anything, squares of differences, products of a few numbers.
const LIMITS: [i32; 5] = [-103, -40, -30, -24, -18];

/// What is known of numbers, apart from infinities and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    /// Those that are not zero are at least `2^least` in magnitude.
    least: i32,
    /// They are multiples of `2^grain`.
    grain: i32,
    /// None of them is zero.
    nonzero: bool,
}

impl Known {
    const NOTHING: Known = Known { least: -149, grain: -149, nonzero: false };

    /// Numbers with 24 binary digits.
    fn new(least: i32, grain: i32, nonzero: bool) -> Known {
        Known { least, grain: grain.max(least - DIGITS), nonzero: nonzero && least >= NORMAL }
    }

    /// Numbers that are that large if they are not zero.
    fn from(least: i32) -> Known {
        Known::new(least, least - DIGITS, false)
    }

    fn scalar(x: f32) -> Known {
        match x {
            _ if !x.is_finite() => Known { least: NONE, grain: NONE, nonzero: true },
            0.0 => Known { least: NONE, grain: NONE, nonzero: false },
            _ if !x.is_normal() => Known::NOTHING,
            _ => {
                let exponent = ((x.to_bits() >> DIGITS) & 0xff).cast_signed() - 127;
                let digits = (x.to_bits() | 1 << DIGITS).trailing_zeros().cast_signed();
                Known::new(exponent, exponent - DIGITS + digits.min(DIGITS), true)
            }
        }
    }

    fn is_normal(self) -> bool {
        self.least >= NORMAL
    }

    fn either(self, other: Known) -> Known {
        Known::new(self.least.min(other.least), self.grain.min(other.grain), self.nonzero && other.nonzero)
    }

    /// The sum of this, which has `digits` binary digits behind its first, and another.
    fn plus(self, digits: i32, other: Known) -> Known {
        let grain = self.grain.min(other.grain);
        // What is left of a number that is not zero, if it is not half of it, is left by one that is at least half of it, and
        // has no digits below those of such a one.
        let left_of = |this: Known, digits: i32| if this.nonzero { this.least - 1 - digits } else { grain };
        Known::new(grain.max(left_of(self, digits.max(DIGITS))).max(left_of(other, digits.max(DIGITS))), grain, false)
    }

    /// The product, with all of its digits.
    fn times(self, other: Known) -> Known {
        let least = self.least + other.least;
        let grain = (self.grain + other.grain).max(least - 2 * DIGITS - 1);
        Known { least, grain, nonzero: self.nonzero && other.nonzero }
    }

    fn rounded(self) -> Known {
        Known::new(self.least, self.grain, self.nonzero)
    }
}

/// What need not be flushed in chunks whose numbers keep a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calm {
    /// Twice the bits of the limit, less one: see [`calm`].
    limit: u32,
    /// By number, the operations that need not flush.
    steps: u64,
    /// How many chunks were looked at, and how many of them have numbers below the limit.
    looked: u32,
    failed: u32,
}

impl Calm {
    /// Finds the limit that is easiest to keep of those that spare the most, if it spares enough. `scalar` is the element of a
    /// read that is the same for all.
    pub(super) fn new(chain: &Chain, scalar: impl Fn(usize) -> Option<f32>) -> Option<Calm> {
        if chain.spared == 0 {
            return None;
        }
        let mut best: Option<(u32, i32, u64)> = None;
        for limit in LIMITS {
            let (spared, steps) = spared(chain, limit, &scalar);
            if best.is_none_or(|best| spared > best.0) {
                best = Some((spared, limit, steps));
            }
            if spared >= chain.spared {
                break;
            }
        }
        let (spared, limit, steps) = best?;
        // To look at a number costs as much as to flush one and a half, and more where rows begin anywhere in memory.
        let looks: u32 = chain.reads.iter().map(|read| read.looks()).sum();
        let bits = f32::from_bits(((limit + 127) << DIGITS).cast_unsigned()).to_bits();
        (2 * spared > looks).then_some(Calm { limit: (bits << 1) - 1, steps, looked: 0, failed: 0 })
    }

    /// Whether an operation need not flush.
    pub(super) fn spares(&self, step: usize) -> bool {
        step < 64 && self.steps >> step & 1 == 1
    }

    /// Counts a chunk; false where so many are not calm that it is not worth looking.
    pub(super) fn goes_on(&mut self, is_calm: bool) -> bool {
        self.looked += 1;
        self.failed += u32::from(!is_calm);
        self.failed < 3 || self.failed < self.looked / 4
    }

    /// Whether elements that are read keep the limit.
    pub(super) fn holds(&self, rows: usize, columns: usize, x: &Lines<'_, f32>) -> bool {
        keeps(self.limit, rows, columns, x)
    }
}

/// How many numbers operations would flush, at most: what [`Calm`] may spare.
pub(super) fn most(chain: &Chain) -> u32 {
    chain.steps.iter().map(|step| flushes(step.code, step.dtype, step.clean, &step.args, &step.calm_args)).sum()
}

/// How many numbers an operation flushes.
fn flushes(code: Code, dtype: DType, clean: bool, args: &[Slot], calm_args: &[Slot]) -> u32 {
    let sums = matches!(code, Code::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul));
    match code {
        _ if dtype != DType::F32 => 0,
        Code::Flush => 1,
        _ if !sums && !matches!(code, Code::MultiplyAdd { divides: false, .. }) => 0,
        _ if clean => 1,
        // (Registers that hold what was flushed are among them; they are flushed again.)
        _ => 1 + args.len().max(calm_args.len()) as u32,
    }
}

/// How many numbers need not be flushed, and by which operations, if all that is read keeps a limit.
fn spared(chain: &Chain, limit: i32, scalar: impl Fn(usize) -> Option<f32>) -> (u32, u64) {
    let reads: SmallVec<[Known; 8]> = chain
        .reads
        .iter()
        .enumerate()
        .map(|(number, read)| match read.is_scalar() {
            true => scalar(number).map_or(Known::NOTHING, Known::scalar),
            false if read.lane == DType::F32 => Known::from(limit),
            false => Known::NOTHING,
        })
        .collect();
    let mut registers: SmallVec<[Known; 16]> = SmallVec::new();
    let (mut spared, mut steps) = (0, 0u64);
    for (number, step) in chain.steps.iter().enumerate().take(64) {
        let is_single = |dtype: DType| matches!(dtype, DType::F32 | DType::BF16 | DType::F16);
        let of = |slot: &Slot| match *slot {
            Slot::Read(read) => reads[read],
            Slot::Register(register, _) => registers.get(usize::from(register)).copied().unwrap_or(Known::NOTHING),
        };
        let mut known: SmallVec<[Known; 4]> = step.calm_args.iter().map(of).collect();
        // What a case is chosen by is no number that goes on.
        match step.code {
            Code::Select => known.drain(..1.min(known.len())),
            Code::Choose { .. } => known.drain(..2.min(known.len())),
            _ => known.drain(..0),
        };
        let result = match (step.code, &known[..]) {
            (Code::Convert, &[x]) if is_single(step.dtype) && step.result == DType::F32 => x,
            (Code::Convert, _) if step.dtype.is_integer() && step.result == DType::F32 => Known::new(0, 0, false),
            _ if step.dtype != DType::F32 || step.result != DType::F32 => Known::NOTHING,
            (code, known) => result(code, known),
        };
        let count = flushes(step.code, step.dtype, step.clean, &step.args, &step.calm_args);
        if count > 0 && result.is_normal() && known.iter().all(|known| known.is_normal()) {
            spared += count;
            steps |= 1 << number;
        }
        if is_single(step.result) {
            let place = usize::from(step.out);
            registers.resize(registers.len().max(place + 1), Known::NOTHING);
            // What is not spared is flushed.
            let flushed = count > 0 && !result.is_normal();
            registers[place] = if flushed { Known::new(NORMAL, result.grain, false) } else { result };
        }
    }
    (spared, steps)
}

/// What is known of an operation's results.
fn result(code: Code, operands: &[Known]) -> Known {
    match (code, operands) {
        (Code::Binary(BinaryOp::Add | BinaryOp::Sub), &[x, y]) => x.plus(DIGITS, y),
        (Code::Binary(BinaryOp::Mul), &[x, y]) => x.times(y).rounded(),
        (Code::Unary(UnaryOp::Square), &[x]) => x.times(x).rounded(),
        (Code::MultiplyAdd { divides: false, .. }, &[x, y, z]) => x.times(y).plus(2 * DIGITS + 1, z),
        (Code::Binary(BinaryOp::Max | BinaryOp::Min) | Code::Select | Code::Choose { .. }, &[x, y]) => x.either(y),
        (Code::Unary(UnaryOp::Neg | UnaryOp::Abs) | Code::Flush, &[x]) => x,
        // The function is the number itself near zero, and not less than that elsewhere.
        (Code::Unary(UnaryOp::Tanh), &[x]) => Known::from(x.least.min(-12)),
        (Code::Unary(UnaryOp::Exp | UnaryOp::Logistic), _) | (Code::ByReciprocal, _) => Known::from(NORMAL),
        _ => Known::NOTHING,
    }
}

/// Twice the bits of a number, less one: they have no sign then, and zero is the greatest.
#[inline(always)]
fn twice(x: f32) -> u32 {
    (x.to_bits() << 1).wrapping_sub(1)
}

/// Whether no element but zeros is nearer to zero than a limit, which is given as [`twice`] the bits.
fn keeps(limit: u32, rows: usize, columns: usize, x: &Lines<'_, f32>) -> bool {
    #[cfg(target_arch = "x86_64")]
    if crate::isa::isa() == crate::isa::Isa::Avx512 {
        // The processor was just asked.
        #[expect(unsafe_code, reason = "no safe way to call a function for a certain instruction set")]
        return unsafe { keeps_wide(limit, rows, columns, x) };
    }
    keeps_row_by_row(limit, rows, columns, x)
}

/// [`keeps`] for all rows side by side: to find the least of sixteen takes as long as some of them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn keeps_wide(limit: u32, rows: usize, columns: usize, x: &Lines<'_, f32>) -> bool {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_cmplt_epu32_mask, _mm512_loadu_si512, _mm512_maskz_loadu_epi32, _mm512_min_epu32,
        _mm512_set1_epi32,
    };
    let one = _mm512_set1_epi32(-1);
    let mut least = one;
    for row in 0..rows {
        let x = match x.row(row, columns) {
            Operand::All(x) if twice(x) < limit => return false,
            Operand::All(_) => continue,
            Operand::Each(x) => x,
        };
        let (groups, rest) = x.as_chunks::<LANES>();
        for group in groups {
            // The group is as long as a vector.
            #[expect(unsafe_code, reason = "vector loads take pointers")]
            let bits = unsafe { _mm512_loadu_si512(group.as_ptr().cast()) };
            least = _mm512_min_epu32(least, _mm512_add_epi32(_mm512_add_epi32(bits, bits), one));
        }
        // Fewer than sixteen are left; zeros stand in the place of the others.
        let mask = (1u16 << rest.len()) - 1;
        #[expect(unsafe_code, reason = "vector loads take pointers")]
        let bits = unsafe { _mm512_maskz_loadu_epi32(mask, rest.as_ptr().cast()) };
        least = _mm512_min_epu32(least, _mm512_add_epi32(_mm512_add_epi32(bits, bits), one));
    }
    _mm512_cmplt_epu32_mask(least, _mm512_set1_epi32(limit.cast_signed())) == 0
}

for_each_isa! {
/// [`keeps`] with ordinary loops.
#[allow(clippy::needless_range_loop, reason = "what iterators call is not always compiled for the instruction set")]
fn keeps_row_by_row<F>(limit: u32, rows: usize, columns: usize, x: &Lines<'_, f32>) -> bool {
    let mut least = u32::MAX;
    for row in 0..rows {
        match x.row(row, columns) {
            Operand::All(x) => least = least.min(twice(x)),
            Operand::Each(x) => {
                for i in 0..x.len() {
                    least = least.min(twice(x[i]));
                }
            }
        }
    }
    least >= limit
}
}

/// The element that is the same for all, if a read is one.
pub(super) fn scalar(buffer: &Buffer, base: usize) -> Option<f32> {
    match buffer {
        Buffer::F32(elements) => elements.get(base).copied(),
        _ => None,
    }
}
