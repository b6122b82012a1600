//! Products on tensor cores: `bf16` and `f16`, where there are rows, columns and terms enough for a tile. The factors lie in shared
//! memory; warps share the rows first, then the columns, and each thread loads what the instruction wants of its lane. What is
//! beyond the extents is 0 and adds nothing.

use super::context::Lower;
use super::dot::Operands;
use super::moves::Map;
use super::number::Number;
use crate::Refusal;
use crate::ir::{Mma, Op, Ty, Value};
use crate::layout::{Layout, log2};
use pallas_tensor::{DType, Scalar};
use smallvec::SmallVec;

/// Lanes are numbered by so many bits.
const LANE_BITS: usize = 5;

/// Whether tensor cores can do it.
pub(crate) fn fits(dtypes: [DType; 2], result: DType, m: usize, n: usize, k: usize) -> bool {
    let [a, b] = dtypes;
    a == b
        && matches!(a, DType::BF16 | DType::F16)
        && result.is_float()
        && result != DType::F64
        && m >= Mma::M
        && n >= Mma::N
        && k >= Mma::K
}

/// How warps share a result of so many rows and columns, as powers of two.
struct Shares {
    rows: usize,
    columns: usize,
}

impl Shares {
    fn new(m: usize, n: usize, warps: usize) -> Shares {
        let rows = warps.min(log2(m) - log2(Mma::M));
        Shares { rows, columns: (warps - rows).min(log2(n) - log2(Mma::N)) }
    }

    /// What bits of the warp's number flip: `first` those that share rows, `second` those that share columns; warps that are left
    /// over do the same again.
    fn flips(&self, warps: usize, row: impl Fn(usize) -> u32, column: impl Fn(usize) -> u32) -> Vec<u32> {
        (0..warps)
            .map(|bit| match bit {
                bit if bit < self.rows => row(bit),
                bit if bit < self.rows + self.columns => column(bit - self.rows),
                _ => 0,
            })
            .collect()
    }
}

impl Lower<'_> {
    /// The sums, dealt as tiles of their shape are.
    pub(crate) fn lower_mma(&mut self, dot: &Operands, dtype: DType, shape: [usize; 3]) -> Result<Value, Refusal> {
        let [m, n, k] = shape;
        let warps = self.log_threads - LANE_BITS;
        let shares = Shares::new(m, n, warps);
        let (row_bits, column_bits) = (log2(m) - shares.rows, log2(n) - shares.columns);
        let layout = |shape: [usize; 2], regs: Vec<u32>, lanes: [u32; 5], warps: Vec<u32>| Layout {
            shape: SmallVec::from_slice(&shape),
            regs: regs.into(),
            threads: lanes.into_iter().chain(warps).collect::<SmallVec<[u32; 10]>>(),
        };
        // Places in a: row, term; in b: term, column; in c: row, column. Lower bits are the last dimension's.
        let term = log2(Mma::K);
        let (of_a, of_b, of_c) =
            (|bit: usize| 1u32 << (term + bit), |bit: usize| 1u32 << bit, |bit: usize| 1u32 << (log2(n) + bit));
        let b_term = |bit: usize| 1u32 << (log2(n) + bit);
        let more = |from: usize, to: usize, flips: &dyn Fn(usize) -> u32| (from..to).map(flips).collect::<Vec<u32>>();
        let a = layout(
            [m, Mma::K],
            [vec![1, of_a(3), 8], more(4, row_bits, &of_a)].concat(),
            [2, 4, of_a(0), of_a(1), of_a(2)],
            shares.flips(warps, |bit| of_a(row_bits + bit), |_| 0),
        );
        let b = layout(
            [Mma::K, n],
            [vec![b_term(0), b_term(3)], more(3, column_bits, &of_b)].concat(),
            [b_term(1), b_term(2), of_b(0), of_b(1), of_b(2)],
            shares.flips(warps, |_| 0, |bit| of_b(column_bits + bit)),
        );
        let c = layout(
            [m, n],
            [vec![1, of_c(3)], more(3, column_bits, &of_b), more(4, row_bits, &of_c)].concat(),
            [2, 4, of_c(0), of_c(1), of_c(2)],
            shares.flips(warps, |bit| of_c(row_bits + bit), |bit| of_b(column_bits + bit)),
        );
        let mma = Mma { dtype, rows: 1 << (row_bits - 4), columns: 1 << (column_bits - 3) };
        let sums = Ty { dtype: DType::F32, regs: c.registers() };
        let zero = self.b.constant(DType::F32, Scalar::Float(0.0), c.registers());
        let a_index = self.address(&a, &[dot.left.free, dot.left.term], Number::Known(0));
        let b_index = self.address(&b, &[dot.right.term, dot.right.free], Number::Known(0));
        let (a_mask, b_mask) = (self.rows(&a, 0, m), self.rows(&b, 1, n));
        let (lower, upper) = (self.b.int(0), self.b.int(k.div_ceil(Mma::K) as i64));
        let params = self.b.open(&[Ty { dtype: DType::I32, regs: 1 }, sums]);
        let first = Number::Computed(params[0]).times(&mut self.b, Mma::K as i64);
        let mut load = |factor: &super::dot::Side, layout: &Layout, dim: usize, index: Value, mask: Option<Value>| {
            let far = first.times(&mut self.b, factor.term).value(&mut self.b);
            let index = self.b.binary(&pallas_ir::ops::ADD, index, far);
            let mask = match k.is_multiple_of(Mma::K) {
                true => mask,
                false => {
                    let coord = self.b.coord(layout, dim);
                    let first = first.value(&mut self.b);
                    let at = self.b.binary(&pallas_ir::ops::ADD, coord, first);
                    let end = self.b.int(k as i64);
                    let inside = self.b.binary(&pallas_ir::ops::LT, at, end);
                    Some(self.both(mask, inside))
                }
            };
            self.b.load(factor.stage, index, mask, None, false)
        };
        let left = load(&dot.left, &a, 1, a_index, a_mask);
        let right = load(&dot.right, &b, 0, b_index, b_mask);
        let sum = self.b.add(Op::Mma(mma), &[left, right, params[1]], &[sums], Vec::new())[0];
        let body = self.b.close(vec![sum]);
        let total = self.b.add(Op::For, &[lower, upper, zero], &[sums], vec![body])[0];
        let map = Map::row_major(&[m, n]);
        let to = self.layout(&[m, n]);
        self.redeal(&[(total, c, map.clone())], &to, &map)
    }

    /// Registers that are inside of an extent that is no power of two.
    fn rows(&mut self, layout: &Layout, dim: usize, extent: usize) -> Option<Value> {
        if extent.is_power_of_two() {
            return None;
        }
        let coord = self.b.coord(layout, dim);
        let end = self.b.int(extent as i64);
        Some(self.b.binary(&pallas_ir::ops::LT, coord, end))
    }
}
