//! Products on tensor cores. The factors lie in shared memory, in pieces that `ldmatrix` reads without two of them in one bank,
//! or are in registers already as the instruction wants them; warps share the rows and columns. What is beyond the extents is 0
//! and adds nothing.

use super::anchors::Deal;
use super::context::Lower;
use super::dot::Plain;
use super::moves::{Conversion, Map, classify};
use super::number::Number;
use super::rows::WholeRows;
use super::stage::Stage;
use crate::Refusal;
use crate::ir::{MemoryId, Mma, Op, Ty, Value};
use crate::layout::{Layout, log2};
use pallas_ir::{OpData, ValueId, ops};
use pallas_tensor::{DType, Scalar};

/// Lanes are numbered by so many bits.
pub(crate) const LANE_BITS: usize = 5;
/// Rows of an instruction's result.
pub(crate) const ROWS: usize = Mma::M;
/// More steps than this are a loop of so many at a time.
const UNROLLED: usize = 16;
const GROUP: usize = 8;

/// The instruction for a product, if there is one.
pub(crate) fn unit(plain: &Plain, deal: Deal) -> Option<Mma> {
    let [a, b] = plain.dtypes;
    let sums = plain.sums();
    let takes = a == b
        && match a {
            DType::BF16 | DType::F16 => sums == DType::F32,
            DType::F8E4M3Fn | DType::F8E5M2 => sums == DType::F32 && deal.capability >= 89,
            DType::I8 | DType::U8 => sums == DType::I32,
            // Ten bits of mantissa are fewer than asked for, unless they are asked for.
            DType::F32 => sums == DType::F32 && plain.precision.as_deref() == Some("TF32_TF32_F32"),
            _ => false,
        };
    let [m, n, k] = plain.extents;
    let unit = Mma { dtype: a, rows: 1, columns: 1 };
    if !takes || m < Mma::M || n < Mma::N || k < unit.terms() {
        return None;
    }
    let shares = Shares::new(m, n, deal);
    Some(Mma {
        dtype: a,
        rows: 1 << (log2(m) - shares.rows - log2(Mma::M)),
        columns: 1 << (log2(n) - shares.columns - log2(Mma::N)),
    })
}

/// Whether tensor cores of some device can do it.
pub(crate) fn fits(plain: &Plain) -> bool {
    unit(
        plain,
        Deal { threads: LANE_BITS, vector: 0, capability: u32::MAX, whole: WholeRows::default(), warpgroups: false },
    )
    .is_some()
}

/// How warps share a result of so many rows and columns, as powers of two.
struct Shares {
    rows: usize,
    columns: usize,
}

impl Shares {
    /// What each warp has is as square as can be: then it reads least. Of two ways the one with more warps along the rows, which
    /// leaves rows whole; so do products that are asked to.
    fn new(m: usize, n: usize, deal: Deal) -> Shares {
        let warps = deal.threads - LANE_BITS;
        let (most_rows, most_columns) = (log2(m) - log2(Mma::M), log2(n) - log2(Mma::N));
        let used = warps.min(most_rows + most_columns);
        let first = used.saturating_sub(most_columns);
        let whole = deal.whole.has(m);
        let reads = |rows: &usize| if whole { 0 } else { (m >> rows) + (n >> (used - rows)) };
        let rows = (first..=used.min(most_rows)).rev().min_by_key(reads).unwrap_or(0);
        Shares { rows, columns: used - rows }
    }

    /// What bits of the warp's number flip: first those that share rows, then those that share columns; warps that are left over
    /// do the same again.
    fn flips(&self, warps: usize, row: impl Fn(usize) -> u32, column: impl Fn(usize) -> u32) -> Vec<u32> {
        let flip = |bit: usize| match bit {
            bit if bit < self.rows => row(bit),
            bit if bit < self.rows + self.columns => column(bit - self.rows),
            _ => 0,
        };
        (0..warps).map(flip).collect()
    }
}

/// Bits of a factor's two axes: what a bit of the free one flips, and what a bit of the terms does.
struct Axes {
    shape: [usize; 2],
    free: usize,
    terms: usize,
}

impl Axes {
    fn new(free: usize, terms: usize, terms_last: bool) -> Axes {
        match terms_last {
            true => Axes { shape: [free, terms], free: log2(terms), terms: 0 },
            false => Axes { shape: [terms, free], free: 0, terms: log2(free) },
        }
    }

    fn free(&self, bit: usize) -> u32 {
        1 << (self.free + bit)
    }

    fn term(&self, bit: usize) -> u32 {
        1 << (self.terms + bit)
    }
}

fn layout(shape: &[usize], regs: Vec<u32>, lanes: [u32; 5], warps: Vec<u32>) -> Layout {
    Layout { shape: shape.into(), regs: regs.into(), threads: lanes.into_iter().chain(warps).collect() }
}

/// How the sums are dealt.
pub(crate) fn sums(plain: &Plain, deal: Deal) -> Layout {
    let [m, n, _] = plain.extents;
    let warps = deal.threads - LANE_BITS;
    let shares = Shares::new(m, n, deal);
    let (row, column) = (|bit: usize| 1u32 << (log2(n) + bit), |bit: usize| 1u32 << bit);
    let (row_bits, column_bits) = (log2(m) - shares.rows, log2(n) - shares.columns);
    let regs = [1, row(3)].into_iter().chain((3..column_bits).map(column)).chain((4..row_bits).map(row));
    let warps = shares.flips(warps, |bit| row(row_bits + bit), |bit| column(column_bits + bit));
    layout(&[m, n], regs.collect(), [2, 4, row(0), row(1), row(2)], warps)
}

/// A factor, ready to be taken step by step.
enum Source {
    /// Registers of each step, one step after the other.
    Registers(Value),
    /// Addresses of pieces in shared memory, of one step after the other.
    Matrix { memory: MemoryId, addresses: Value, trans: bool, words: u32 },
    /// Addresses of single elements in shared memory.
    Elements { memory: MemoryId, addresses: Value },
}

/// A factor's own view of the product.
struct Factor {
    value: ValueId,
    axes: Axes,
    terms_last: bool,
    side: usize,
    /// Bits of the free axis that each warp has, and what bits of the warp's number flip.
    own: usize,
    warps: Vec<u32>,
}

impl Lower<'_> {
    pub(crate) fn lower_mma(&mut self, op: &OpData, plain: &Plain, unit: Mma) -> Result<(), Refusal> {
        let [m, n, k] = plain.extents;
        let warps = self.log_threads - LANE_BITS;
        let shares = Shares::new(m, n, self.deal);
        let left = Axes::new(m, k, plain.terms_last[0]);
        let right = Axes::new(n, k, plain.terms_last[1]);
        let (row_bits, column_bits) = (log2(m) - shares.rows, log2(n) - shares.columns);
        let left = Factor {
            value: plain.left,
            warps: shares.flips(warps, |bit| left.free(row_bits + bit), |_| 0),
            axes: left,
            terms_last: plain.terms_last[0],
            side: 0,
            own: row_bits,
        };
        let right = Factor {
            value: plain.right,
            warps: shares.flips(warps, |_| 0, |bit| right.free(column_bits + bit)),
            axes: right,
            terms_last: plain.terms_last[1],
            side: 1,
            own: column_bits,
        };
        let steps = k.div_ceil(unit.terms());
        let left = self.source(&left, unit, steps)?;
        let right = self.source(&right, unit, steps)?;
        let to = sums(plain, self.deal);
        let ty = Ty { dtype: plain.sums(), regs: to.registers() };
        let mut total = self.b.constant(ty.dtype, Scalar::zero(ty.dtype), ty.regs);
        let registers = [&left, &right].iter().any(|source| matches!(source, Source::Registers(_)));
        if steps <= UNROLLED || !steps.is_multiple_of(GROUP) || registers {
            for step in 0..steps {
                total = self.multiplied(&left, &right, unit, step, (total, None));
            }
        } else {
            let (lower, upper) = (self.b.int(0), self.b.int((steps / GROUP) as i64));
            let params = self.b.open(&[Ty { dtype: DType::I32, regs: 1 }, ty]);
            let first = Number::Computed(params[0]).times(&mut self.b, (GROUP * unit.terms()) as i64);
            let far = |terms_last: bool, free: usize| if terms_last { 1 } else { 1i64 << log2(free) };
            let moved = [far(plain.terms_last[0], m), far(plain.terms_last[1], n)];
            let mut inside = params[1];
            for step in 0..GROUP {
                let moved = moved.map(|far| first.times(&mut self.b, far));
                inside = self.multiplied(&left, &right, unit, step, (inside, Some(moved)));
            }
            let body = self.b.close(vec![inside]);
            total = self.b.add(Op::For, &[lower, upper, total], &[ty], vec![body])[0];
        }
        let value = self.b.convert(total, plain.result);
        self.set_dealt(op.results[0], value, to);
        Ok(())
    }

    /// One step: fragments of both factors, and their product added to the total.
    fn multiplied(
        &mut self,
        left: &Source,
        right: &Source,
        unit: Mma,
        step: usize,
        (total, moved): (Value, Option<[Number; 2]>),
    ) -> Value {
        let [a, b, _] = unit.registers();
        let regs = [a * unit.rows, b * unit.columns];
        let [left, right] = [(left, 0), (right, 1)]
            .map(|(source, side)| self.fragment(source, unit, regs[side], step, moved.map(|m| m[side])));
        let ty = self.b.ty(total);
        self.b.add(Op::Mma(unit), &[left, right, total], &[ty], Vec::new())[0]
    }

    fn fragment(&mut self, source: &Source, unit: Mma, regs: u32, step: usize, moved: Option<Number>) -> Value {
        let nth = |regs: u32| -> Vec<u32> { (0..regs).map(|register| step as u32 * regs + register).collect() };
        let far = |this: &mut Self, index: Value| match moved {
            Some(moved) => {
                let moved = moved.value(&mut this.b);
                this.b.binary(&ops::ADD, index, moved)
            }
            None => index,
        };
        match *source {
            Source::Registers(value) => self.b.pick(value, nth(regs)),
            Source::Elements { memory, addresses } => {
                let index = self.b.pick(addresses, nth(regs));
                let index = far(self, index);
                self.b.load(memory, index, None, None, false)
            }
            Source::Matrix { memory, addresses, trans, words } => {
                let index = self.b.pick(addresses, nth(regs / (words * unit.per_word())));
                let index = far(self, index);
                let ty = Ty { dtype: unit.dtype, regs };
                self.b.add(Op::LoadMatrix { memory, trans, words }, &[index], &[ty], Vec::new())[0]
            }
        }
    }

    /// Where a factor's fragments come from.
    fn source(&mut self, factor: &Factor, unit: Mma, steps: usize) -> Result<Source, Refusal> {
        let axes = &factor.axes;
        let (word, step) = (log2(unit.per_word() as usize), log2(unit.terms()));
        let last = axes.shape[if factor.terms_last { 1 } else { 0 }];
        let later: Vec<u32> = (step..log2(last)).map(|bit| axes.term(bit)).collect();
        // Bits of the free axis that a fragment's words have: one more than rows of a piece on the left.
        let whole = if factor.side == 0 { 4 } else { 3 };
        let more: Vec<u32> = (whole..factor.own).map(|bit| axes.free(bit)).collect();
        let mut within: Vec<u32> = (0..word).map(|bit| axes.term(bit)).collect();
        if factor.side == 0 {
            within.push(axes.free(3));
        }
        within.push(axes.term(word + 2));
        let lanes = [axes.term(word), axes.term(word + 1), axes.free(0), axes.free(1), axes.free(2)];
        let regs = [within, more.clone(), later.clone()].concat();
        let fragments = layout(&axes.shape, regs, lanes, factor.warps.clone());
        let tile = self.held(factor.value)?;
        let is_whole = tile.shape.iter().all(|extent| extent.is_power_of_two());
        if factor.side == 0 && is_whole && steps <= UNROLLED {
            let map = Map::row_major(&tile.shape);
            if let Conversion::Registers(table) = classify((&tile.layout, &map), (&fragments, &map), self.log_threads) {
                return Ok(Source::Registers(self.b.pick(tile.value, table)));
            }
        }
        let trans = !factor.terms_last;
        // Words of several elements have to lie in memory as they lie in registers; only pairs can be turned.
        let matrix = !trans || unit.per_word() == 2;
        let stage = self.staged(factor.value, factor.side, matrix)?;
        if !matrix {
            let addresses = self.b.coord(&stage.address(&fragments), 0);
            return Ok(Source::Elements { memory: stage.memory, addresses });
        }
        let rows = match trans {
            false => [axes.free(0), axes.free(1), axes.free(2)],
            true => [axes.term(0), axes.term(1), axes.term(2)],
        };
        let second = axes.term(word + 2);
        // Four words at once; of a right factor those of two tiles of columns, if there are two.
        let (pieces, regs, words) = match (factor.side, more.split_first()) {
            (0, _) => ([axes.free(3), second], more, 4),
            (_, Some((&first, rest))) => ([second, first], rest.to_vec(), 4),
            (_, None) => ([second, 0], Vec::new(), 2),
        };
        let lanes = [rows[0], rows[1], rows[2], pieces[0], pieces[1]];
        let pieces = layout(&axes.shape, [regs, later].concat(), lanes, factor.warps.clone());
        let addresses = self.addresses(stage, &pieces);
        Ok(Source::Matrix { memory: stage.memory, addresses, trans, words })
    }

    fn addresses(&mut self, stage: Stage, layout: &Layout) -> Value {
        self.b.coord(&stage.address(layout), 0)
    }
}
