//! Products of warpgroups (PTX ISA 9.7.15): each of the four warps computes its 16 rows.

use super::Context;
use super::access::shared;
use super::begin::shared_base;
use super::cluster::{Cluster, Stopped};
use super::warp::Warp;
use crate::asynchronous::panels::Panel;
use crate::asynchronous::{Factor, Product};
use crate::fault::Cause;
use crate::formats::{Round, to_f32, wide};
use crate::inst::Lanes;
use crate::types::{Type, extended, low};

/// Bytes along the inner dimension that an instruction takes.
const INNER: usize = 32;
/// Rows of a warp.
const ROWS: usize = 16;

/// A factor in shared memory, and what it held.
pub(crate) struct Lent {
    panel: Panel,
    rows: std::ops::Range<usize>,
    turned: bool,
    ty: Type,
    held: Vec<u64>,
}

/// Products that nobody has waited for.
#[derive(Default)]
pub(crate) struct Flight {
    open: Vec<Lent>,
    groups: std::collections::VecDeque<Vec<Lent>>,
}

fn held(
    cluster: &mut Cluster,
    block: usize,
    panel: &Panel,
    rows: std::ops::Range<usize>,
    turned: bool,
    ty: Type,
) -> Result<Vec<u64>, Cause> {
    let bytes = ty.bytes();
    let mut elements = Vec::with_capacity(rows.len() * INNER / bytes);
    for row in rows {
        for inner in 0..INNER / bytes {
            let at = panel.place(row, inner, bytes, turned);
            let found = shared(cluster, shared_base(block) | at, bytes)?;
            elements.push(found.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }
    Ok(elements)
}

/// An element of a factor; a sum of 32 products of bytes is exact in double precision, too.
fn value(ty: Type, bits: u64) -> f64 {
    match (ty.integer(), ty.signed()) {
        (false, _) => wide(ty, bits),
        (true, true) => extended(bits, ty.bits) as f64,
        (true, false) => bits as f64,
    }
}

impl Warp {
    pub(crate) fn product(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        product: &Product,
        here: u32,
    ) -> Result<(), Stopped> {
        let lane = here.trailing_zeros();
        if here != u32::MAX {
            return Err((Cause::Undefined(format!("a product of lanes {here:#x} alone")), lane));
        }
        let done = match product {
            Product::Multiply { .. } => self.multiply(context, cluster, block, product),
            Product::Commit => {
                let group = std::mem::take(&mut self.flight.open);
                self.flight.groups.push_back(group);
                Ok(())
            }
            Product::Wait(pending) => self.landed(cluster, block, *pending as usize),
        };
        done.map_err(|cause| (cause, lane))
    }

    /// Looks whether what products read is still what it was: until they are waited for, they may read it at any time.
    fn landed(&mut self, cluster: &mut Cluster, block: usize, pending: usize) -> Result<(), Cause> {
        while self.flight.groups.len() > pending {
            for lent in self.flight.groups.pop_front().unwrap_or_default() {
                let now = held(cluster, block, &lent.panel, lent.rows.clone(), lent.turned, lent.ty)?;
                if now != lent.held {
                    let what = "shared memory was written that a product on its way may still read";
                    return Err(Cause::Undefined(what.to_string()));
                }
            }
        }
        Ok(())
    }

    fn lend(
        &mut self,
        cluster: &mut Cluster,
        block: usize,
        reg: u32,
        rows: std::ops::Range<usize>,
        turned: bool,
        ty: Type,
    ) -> Result<Vec<f64>, Cause> {
        let word = self.regs[reg as usize][0];
        let panel = Panel::of(word).ok_or_else(|| Cause::Undefined(format!("the descriptor {word:#x}")))?;
        let held = held(cluster, block, &panel, rows.clone(), turned, ty)?;
        let values = held.iter().map(|bits| value(ty, *bits)).collect();
        self.flight.open.push(Lent { panel, rows, turned, ty, held });
        Ok(values)
    }

    fn multiply(
        &mut self,
        context: &mut Context<'_>,
        cluster: &mut Cluster,
        block: usize,
        product: &Product,
    ) -> Result<(), Cause> {
        let Product::Multiply { columns, ty, sums, left, right, adds, negates, turned } = product else {
            return Ok(());
        };
        let inner = INNER / ty.bytes();
        let first = self.number % 4 * ROWS;
        let a = match left {
            Factor::Described(reg) => self.lend(cluster, block, *reg, first..first + ROWS, turned[0], *ty)?,
            Factor::Registers(regs) => self.fragment(regs, *ty),
        };
        let b = self.lend(cluster, block, *right, 0..*columns, turned[1], *ty)?;
        let adds = (self.regs[adds.0 as usize][0] & 1 == 1) != adds.1;
        let sign = if negates[0] == negates[1] { 1.0 } else { -1.0 };
        let mut results: Vec<Lanes> = vec![[0; 32]; sums.len()];
        for row in 0..ROWS {
            let x = &a[row * inner..][..inner];
            for column in 0..*columns {
                let y = &b[column * inner..][..inner];
                let sum: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                let lane = row % 8 * 4 + column % 8 / 2;
                let reg = column / 8 * 4 + row / 8 * 2 + column % 2;
                let was = self.regs[sums[reg] as usize][lane] as u32;
                results[reg][lane] = u64::from(match ty.integer() {
                    // Exact in double precision; without `.satfinite` it goes round.
                    true => (sum as i32).wrapping_add(if adds { was as i32 } else { 0 }) as u32,
                    false => {
                        let was = if adds { f64::from(f32::from_bits(was)) } else { 0.0 };
                        to_f32(sign * sum + was, Round::Nearest).to_bits()
                    }
                });
            }
        }
        for (to, values) in sums.iter().zip(&results) {
            self.write(*to, u32::MAX, values);
        }
        context.ran.products += 1;
        let terms = (ROWS * columns * inner) as u64;
        context.ran.terms += terms;
        context.ran.instructions += terms / super::PRODUCT;
        Ok(())
    }

    /// The left factor from registers, which lie as those of `mma` do.
    fn fragment(&self, regs: &[u32], ty: Type) -> Vec<f64> {
        let (inner, per) = (INNER / ty.bytes(), 4 / ty.bytes());
        let element = |number: usize| {
            let (row, column) = (number / inner, number % inner);
            let (lane, reg) = (row % 8 * 4 + column % (4 * per) / per, row / 8 + column / (4 * per) * 2);
            value(ty, low(self.regs[regs[reg] as usize][lane] >> (column % per * ty.bits as usize), ty.bits))
        };
        (0..ROWS * inner).map(element).collect()
    }
}
