//! Products by warpgroups (`wgmma`) of programs that do not say themselves what threads do. Both factors lie in shared memory, in the
//! panels that tensor cores read by themselves, or the left one is in registers as they take it; sums stay in registers. Whether a
//! product goes this way is decided in [`fits`] and nowhere else.
//!
//! A product is waited for where it was started. What comes later moves that: [`rounds`](super::rounds) takes sums that a loop carries
//! out of it, and [`ahead`](super::ahead) then leaves the product of a round under way while the next one begins.

use super::anchors::Deal;
use super::context::Lower;
use super::dot::Plain;
use super::moves::{Conversion, Map, classify};
use super::products;
use super::stage::Swizzle;
use crate::Refusal;
use crate::ir::{Factor, Op, Product, Space, Ty, Value, WARP};
use crate::layout::Layout;
use pallas_ir::OpData;
use pallas_tensor::{DType, Scalar};

/// The generation that has the instructions.
pub(crate) const CAPABILITY: u32 = 90;
/// Registers of a thread that sums may take.
const REGISTERS: usize = 128;
/// Bytes of both factors.
const BYTES: usize = 64 << 10;
/// The fewest columns of a warpgroup.
const COLUMNS: usize = 8;
/// Bytes of a row of a panel, at least and at most.
const ROW: [usize; 2] = [32, 128];

/// How many warpgroups share the rows of a product, and how many its columns; if it goes another way, why, or nothing where there are no
/// warpgroups to speak of. It goes this way on Hopper, with four warps or more, if
/// - the factors are `bf16` or `f16`, or floats of eight bits whose terms are the last axis of both, and are summed up in `f32`;
/// - rows, columns and terms are powers of two: 64 rows or more, 8 columns for each warpgroup, a step of terms (32 bytes);
/// - a row of either factor, of the right one as far as it is a warpgroup's, has 32 bytes or more;
/// - the sums take no more than 128 registers of a thread, and the factors no more than 64 KiB.
pub(crate) fn fits(plain: &Plain, deal: Deal) -> Result<[usize; 2], String> {
    if !deal.warpgroups {
        return Err(String::new());
    }
    let ([m, n, k], dtype) = (plain.extents, plain.dtypes[0]);
    let bytes = dtype.size_bytes();
    let taken = match dtype {
        DType::BF16 | DType::F16 => true,
        DType::F8E4M3Fn | DType::F8E5M2 => plain.terms_last == [true; 2],
        _ => false,
    };
    let count = (1usize << deal.threads) / Product::THREADS;
    let down = count.min(m / Product::ROWS).max(1);
    let across = (count / down).max(1);
    let row = |side: usize, free: usize| if plain.terms_last[side] { k * bytes } else { free * bytes };
    let why = match () {
        () if !taken || dtype != plain.dtypes[1] || plain.sums() != DType::F32 => format!(
            "these take bf16 and f16, and floats of eight bits whose terms are the last axis of both, summed up in f32, and this is {} by {} in {}",
            dtype.short_name(),
            plain.dtypes[1].short_name(),
            plain.sums().short_name()
        ),
        () if !plain.extents.iter().all(|extent| extent.is_power_of_two()) => {
            "rows, columns and terms have to be powers of two".to_string()
        }
        () if count == 0 => format!("a block has {} warps, and a warpgroup four", (1u32 << deal.threads) / WARP),
        () if m < Product::ROWS => format!("there are fewer than {} rows", Product::ROWS),
        () if n / across < COLUMNS => format!("there are fewer than {COLUMNS} columns for each of {across} warpgroups"),
        () if k * bytes < ROW[0] => format!("there are fewer than {} terms", ROW[0] / bytes),
        () if row(0, m) < ROW[0] || row(1, n / across) < ROW[0] => {
            format!("a row of a factor in memory has fewer than {} bytes", ROW[0])
        }
        () if m * n > REGISTERS << deal.threads => format!("sums take more than {REGISTERS} registers of a thread"),
        () if (m + n) * k * bytes > BYTES => format!("the factors take more than {BYTES} bytes of shared memory"),
        () => return Ok([down, across]),
    };
    Err(why)
}

/// How the sums are dealt.
pub(crate) fn sums(plain: &Plain, groups: [usize; 2]) -> Layout {
    products::sums([plain.extents[0], plain.extents[1]], groups)
}

impl Lower<'_> {
    pub(crate) fn lower_by_warpgroups(
        &mut self,
        op: &OpData,
        plain: &Plain,
        groups: [usize; 2],
    ) -> Result<(), Refusal> {
        let begin = self.b.int(0);
        let (left, operand) = match self.in_fragments(plain, groups)? {
            Some(value) => (None, value),
            None => (Some(self.in_panels_of_its_own(plain, 0, 1)?), begin),
        };
        let right = self.in_panels_of_its_own(plain, 1, groups[1])?;
        let to = sums(plain, groups);
        let ty = Ty { dtype: DType::F32, regs: to.registers() };
        let number = self.b.kernel().memories.len();
        let acc = self.b.memory(format!("sums_{number}"), ty.dtype, ty.regs as usize, Space::Registers);
        let product = Product { acc, dtype: plain.dtypes[0], extents: plain.extents, left, right, groups };
        let zero = self.b.constant(ty.dtype, Scalar::zero(ty.dtype), ty.regs);
        self.b.add(Op::Keep(acc), &[zero], &[], Vec::new());
        self.b.add(Op::Multiply(product), &[operand, begin], &[], Vec::new());
        self.b.add(Op::WaitProducts(0), &[], &[], Vec::new());
        let total = self.b.add(Op::Take(acc), &[], &[ty], Vec::new())[0];
        let value = self.b.convert(total, plain.result);
        self.set_dealt(op.results[0], value, to);
        Ok(())
    }

    /// The left factor as tensor cores take it from registers, if threads have it so.
    fn in_fragments(&mut self, plain: &Plain, groups: [usize; 2]) -> Result<Option<Value>, Refusal> {
        let ([rows, _, terms], tile) = (plain.extents, self.held(plain.left)?);
        let per_word = 4 / plain.dtypes[0].size_bytes();
        if !plain.terms_last[0] || terms < 8 * per_word {
            return Ok(None);
        }
        let (to, map) = (products::left([rows, terms], per_word, groups), Map::row_major(&tile.shape));
        match classify((&tile.layout, &map), (&to, &map), self.log_threads) {
            Conversion::Registers(table) => Ok(Some(self.b.pick(tile.value, table))),
            _ => Ok(None),
        }
    }

    /// A factor in shared memory. Warpgroups that share its columns begin where a panel begins.
    fn in_panels_of_its_own(&mut self, plain: &Plain, side: usize, shared: usize) -> Result<Factor, Refusal> {
        let (value, terms_last) = ([plain.left, plain.right][side], plain.terms_last[side]);
        let tile = self.held(value)?;
        let bytes = self.b.ty(tile.value).dtype.size_bytes();
        let &[rows, columns] = tile.shape.as_slice() else { return Err(self.malformed()) };
        let own = if terms_last { columns } else { columns / shared.max(1) };
        let swizzle = (own * bytes).min(ROW[1]);
        let stage = self.staged_as(value, side, Swizzle::panels([rows, columns], swizzle, bytes))?;
        Ok(Factor { memory: stage.memory, rows, swizzle, terms_last })
    }
}
