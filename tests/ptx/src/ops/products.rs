//! `mma.sync`: which lane has which elements of a fragment, and the product (PTX ISA 9.7.14.5).

use crate::formats::{Round, narrow, wide};
use crate::inst::Lanes;
use crate::module::Reg;
use crate::types::{Type, extended, low};

/// A product of a warp.
pub(crate) struct Matrices {
    /// m, n, k
    pub(crate) shape: [usize; 3],
    /// Of `A`, `B`, and of `C` and `D`.
    pub(crate) types: [Type; 3],
    /// Of `A`, `B`, `C`, `D`.
    pub(crate) registers: [Box<[Reg]>; 4],
    pub(crate) saturates: bool,
}

impl Matrices {
    /// Whether each matrix has as many registers as the layouts below give it.
    pub(crate) fn fits(&self) -> bool {
        let [m, n, k] = self.shape;
        let [a, b, c] = self.types;
        // `m8n8k4` of `f64` has fragments of its own.
        if c.bits == 64 && (m, n, k) != (8, 8, 4) || a.bits != b.bits || (m != 16 && c.bits != 64) || n != 8 {
            return false;
        }
        let words = |elements: usize, ty: Type| (elements * ty.bits as usize).div_ceil(32 * ty.bits.max(32) as usize);
        let lists = [words(m * k, a), words(k * n, b), words(m * n, c), words(m * n, c)];
        lists.iter().zip(&self.registers).all(|(words, registers)| *words == registers.len())
    }

    /// How many elements of a factor stand in a register.
    fn in_register(ty: Type) -> usize {
        (32 / ty.bits.min(32)) as usize
    }

    /// Where an element of `A` is: lane, register, and its number in the register.
    fn place_a(&self, row: usize, column: usize) -> (usize, usize, usize) {
        let per = Self::in_register(self.types[0]);
        // Rows go in groups of 8; a group's columns in runs of four registers.
        let run = 4 * per;
        let lane = row % 8 * 4 + column % run / per;
        let rows = self.shape[0] / 8;
        (lane, row / 8 + column / run * rows, column % per)
    }

    fn place_b(&self, row: usize, column: usize) -> (usize, usize, usize) {
        let per = Self::in_register(self.types[1]);
        let run = 4 * per;
        (column % 8 * 4 + row % run / per, row / run, row % per)
    }

    /// Of `C` and `D`: each lane has two neighbours of a row.
    fn place_c(&self, row: usize, column: usize) -> (usize, usize, usize) {
        let lane = row % 8 * 4 + column / 2;
        match self.types[2].bits {
            16 => (lane, row / 8, column % 2),
            _ => (lane, row / 8 * 2 + column % 2, 0),
        }
    }

    fn element(ty: Type, value: u64, number: usize) -> u64 {
        low(value >> (number as u32 * ty.bits % 64), ty.bits)
    }

    /// The registers of `D`.
    pub(crate) fn product(&self, read: impl Fn(Reg) -> Lanes) -> Vec<Lanes> {
        let [m, n, k] = self.shape;
        let [ta, tb, tc] = self.types;
        let of = |which: usize| self.registers[which].iter().map(|reg| read(*reg)).collect::<Vec<Lanes>>();
        let (a, b, mut d) = (of(0), of(1), of(2));
        let at = |regs: &[Lanes], ty: Type, (lane, reg, number): (usize, usize, usize)| {
            Self::element(ty, regs[reg][lane], number)
        };
        if ta.integer() {
            let number = |ty: Type, bits: u64| if ty.signed() { extended(bits, ty.bits) } else { bits as i64 };
            for row in 0..m {
                for column in 0..n {
                    let (lane, reg, _) = self.place_c(row, column);
                    let product = |inner| {
                        number(ta, at(&a, ta, self.place_a(row, inner)))
                            * number(tb, at(&b, tb, self.place_b(inner, column)))
                    };
                    let sum = (0..k).map(product).sum::<i64>() + extended(d[reg][lane], 32);
                    let sum = if self.saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                    d[reg][lane] = low(sum as u64, 32);
                }
            }
            return d;
        }
        let left: Vec<f64> = (0..m * k).map(|e| wide(ta, at(&a, ta, self.place_a(e / k, e % k)))).collect();
        let right: Vec<f64> = (0..k * n).map(|e| wide(tb, at(&b, tb, self.place_b(e % k, e / k)))).collect();
        for row in 0..m {
            for column in 0..n {
                let (lane, reg, number) = self.place_c(row, column);
                let (x, y) = (&left[row * k..][..k], &right[column * k..][..k]);
                let sum: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                let sum = sum + wide(tc, Self::element(tc, d[reg][lane], number));
                let bits = narrow(tc, sum, Round::Nearest);
                let shift = number as u32 * tc.bits % 64;
                d[reg][lane] = d[reg][lane] & !(low(u64::MAX, tc.bits) << shift) | bits << shift;
            }
        }
        d
    }
}
