//! Products by fused multiply-adds. Both factors lie in shared memory; every thread has a tile of the result, and for each term
//! takes the elements of its rows and its columns and adds what each pair gives.

use super::anchors::Deal;
use super::context::Lower;
use super::dot::Plain;
use super::number::Number;
use crate::Refusal;
use crate::ir::{Op, Ty, Value};
use crate::layout::{Layout, log2};
use pallas_ir::{OpData, ops};
use pallas_tensor::{DType, Scalar};

/// The most registers for sums and elements of the factors.
const REGISTERS: usize = 160;
/// The most terms at a time.
const TERMS: usize = 4;
/// Columns next to each other, as a power of two.
const COLUMNS: usize = 2;

/// Whether a product can be computed so.
pub(crate) fn fits(plain: &Plain) -> bool {
    plain.result != DType::Bool && plain.dtypes.iter().all(|dtype| *dtype != DType::Bool) && plain.extents[2] > 0
}

/// How the sums are dealt: columns in registers, then in lanes, rows in lanes and warps, the rest in registers, rows and columns by
/// turns.
pub(crate) fn sums(plain: &Plain, deal: Deal) -> Layout {
    let [m, n, _] = plain.extents;
    let (rows, columns) = (log2(m), log2(n));
    let spare = (rows + columns).saturating_sub(deal.threads);
    let near = COLUMNS.min(spare).min(columns);
    let across = (columns - near).min(deal.threads.div_ceil(2));
    let down = rows.min(deal.threads - across);
    let across = (columns - near).min(deal.threads - down);
    let (row, column) = (|bit: usize| 1u32 << (columns + bit), |bit: usize| 1u32 << bit);
    let regs = (0..near).map(column).chain((near + across..columns).map(column)).chain((down..rows).map(row));
    let mut threads: Vec<u32> = (near..near + across).map(column).chain((0..down).map(row)).collect();
    threads.resize(deal.threads, 0);
    Layout { shape: [m, n].as_slice().into(), regs: regs.collect(), threads: threads.into() }
}

impl Lower<'_> {
    pub(crate) fn lower_fma(&mut self, op: &OpData, plain: &Plain) -> Result<(), Refusal> {
        let k = plain.extents[2];
        let layout = sums(plain, self.deal);
        let ty = Ty { dtype: plain.sums(), regs: layout.registers() };
        let is_row = |flips: &u32| layout.coord(*flips, 0) != 0;
        let rows = 1usize << layout.regs.iter().filter(|flips| is_row(flips)).count();
        let columns = layout.registers() as usize / rows;
        let fits = |terms: &usize| {
            k.is_multiple_of(*terms)
                && (ty.regs as usize + (rows + columns) * terms) <= REGISTERS.max(ty.regs as usize + rows + columns)
        };
        let terms = (1..=TERMS).rev().filter(|terms| terms.is_power_of_two()).find(fits).unwrap_or(1);
        // Registers of the sums are columns first, then rows.
        let left = self.side(plain, 0, &layout, terms, is_row)?;
        let right = self.side(plain, 1, &layout, terms, |flips| !is_row(flips))?;
        let zero = self.b.constant(ty.dtype, Scalar::zero(ty.dtype), ty.regs);
        let (lower, upper) = (self.b.int(0), self.b.int((k / terms) as i64));
        let params = self.b.open(&[Ty { dtype: DType::I32, regs: 1 }, ty]);
        let first = Number::Computed(params[0]).times(&mut self.b, terms as i64);
        let [left, right] = [left, right].map(|(memory, index, step)| {
            let far = first.times(&mut self.b, step).value(&mut self.b);
            let index = self.b.binary(&ops::ADD, index, far);
            let value = self.b.load(memory, index, None, None, false);
            self.b.convert(value, ty.dtype)
        });
        let mut total = params[1];
        for term in 0..terms {
            let nth =
                |of: &dyn Fn(usize) -> usize| -> Vec<u32> { (0..ty.regs as usize).map(|r| of(r) as u32).collect() };
            // On the left terms are the lowest bits of a register's number, on the right the highest: as they lie in memory.
            let of_left = |r: usize| match plain.terms_last[0] {
                true => r / columns * terms + term,
                false => term * rows + r / columns,
            };
            let of_right = |r: usize| match plain.terms_last[1] {
                true => r % columns * terms + term,
                false => term * columns + r % columns,
            };
            let (a, b) = (self.b.pick(left, nth(&of_left)), self.b.pick(right, nth(&of_right)));
            let product = self.b.binary(&ops::MUL, a, b);
            total = self.b.binary(&ops::ADD, total, product);
        }
        let body = self.b.close(vec![total]);
        let total = self.b.add(Op::For, &[lower, upper, zero], &[ty], vec![body])[0];
        let value = self.b.convert(total, plain.result);
        self.set_dealt(op.results[0], value, layout);
        Ok(())
    }

    /// A factor in shared memory, where each thread's elements of the first terms lie, and how far terms are apart.
    fn side(
        &mut self,
        plain: &Plain,
        side: usize,
        sums: &Layout,
        terms: usize,
        own: impl Fn(&u32) -> bool,
    ) -> Result<(crate::ir::MemoryId, Value, i64), Refusal> {
        let value = if side == 0 { plain.left } else { plain.right };
        let stage = self.staged(value, side, false)?;
        let (free, last) = (plain.extents[side], plain.terms_last[side]);
        let k = plain.extents[2];
        let (free_bit, term_bit) = if last { (log2(k), 0) } else { (0, log2(free)) };
        let moved = |flips: u32| sums.coord(flips, side) << free_bit;
        let along: Vec<u32> = sums.regs.iter().filter(|flips| own(flips)).map(|&flips| moved(flips)).collect();
        let of_terms: Vec<u32> = (0..log2(terms)).map(|bit| 1 << (term_bit + bit)).collect();
        let regs = if last { [of_terms, along].concat() } else { [along, of_terms].concat() };
        let threads = sums.threads.iter().map(|&flips| moved(flips)).collect();
        let shape = if last { [free, k] } else { [k, free] };
        let layout = Layout { shape: shape.as_slice().into(), regs: regs.into(), threads };
        let index = self.b.coord(&stage.address(&layout), 0);
        Ok((stage.memory, index, 1 << term_bit))
    }
}
