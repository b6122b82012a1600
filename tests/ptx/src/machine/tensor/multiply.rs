//! Products into tensor memory (PTX ISA 9.7.16.10): of one block, or of two that have half of the rows and half of the columns each.

use super::super::cluster::Cluster;
use super::super::warp::Warp;
use super::queue::{Work, elements, same, whole};
use crate::asynchronous::panels::Panel;
use crate::fault::Cause;
use crate::formats::{Round, narrow, wide};
use crate::inst::Address;
use crate::tensor_memory::cells::{Region, TensorMemory};
use crate::tensor_memory::descriptor::{Said, panel};
use crate::tensor_memory::layout::{self, Lies};
use crate::tensor_memory::{Left, Multiply};
use crate::types::{Kind, Type, extended, low};

/// Bytes along the inner dimension of what is stored of a left factor.
const INNER: usize = 32;

enum From {
    Shared(Panel),
    /// In tensor memory, from that column on.
    Columns(usize),
}

/// A product whose operands are known.
pub(super) struct Product {
    said: Said,
    lies: Lies,
    first: usize,
    left: From,
    right: Panel,
    adds: bool,
    places: Option<usize>,
    scales: Option<[usize; 2]>,
    /// How many scales a row has.
    vector: usize,
    /// What shared memory held: of each block both factors, as far as they are there.
    held: Vec<Vec<u64>>,
}

impl Warp {
    /// What a thread asks for; what it reads and writes is noted in `work`.
    pub(super) fn product_of(
        &self,
        cluster: &mut Cluster,
        multiply: &Multiply,
        lane: usize,
        work: &mut Work,
    ) -> Result<Product, Cause> {
        let undefined = Cause::Undefined;
        let value = |reg: u32| self.regs[reg as usize][lane];
        let sparse = multiply.places.is_some();
        let descriptor = value(multiply.said) as u32;
        let said = Said::of(multiply.kind, descriptor, multiply.group, sparse, multiply.vector).map_err(undefined)?;
        let sums = self.address(&multiply.sums, lane) as u32;
        let lies = Lies::of(said.extents[0], multiply.group, sums as usize >> 16).map_err(undefined)?;
        let (first, columns) = (sums as usize & 0xffff, said.extents[1]);
        let bytes = said.factors[0].bytes();
        let thin = 1 + usize::from(sparse);
        let described = |reg: u32, bytes: usize, turned: bool| {
            let word = value(reg);
            let found = panel(word).map_err(undefined)?;
            match found.fits(bytes, turned) {
                true => Ok(found),
                false => Err(undefined(format!(
                    "the descriptor {word:#x}: a row of {bytes} bytes goes over the end of its swizzle"
                ))),
            }
        };
        let left = match multiply.left {
            Left::Described(reg) => From::Shared(described(reg, INNER, said.turned[0])?),
            Left::InTensor(at) => From::Columns(whole(self.address(&at, lane) as u32)?),
        };
        let right = described(multiply.right, INNER * thin, said.turned[1])?;
        if lies != Lies::Whole && (matches!(left, From::Columns(_)) || sparse || said.scales.is_some()) {
            let what =
                "a product of 64 rows of a block with a left factor in tensor memory, with scales, or of a sparse one";
            return Err(Cause::Unsupported(what.to_string()));
        }
        if said.factors[0].bits < 8 && matches!(left, From::Columns(_)) {
            return Err(Cause::Unsupported("a left factor of four bits in tensor memory".to_string()));
        }
        if said.turned[0] && matches!(left, From::Columns(_)) {
            return Err(undefined("a left factor in tensor memory whose rows follow each other".to_string()));
        }
        let places = multiply.places.map(|at| whole(self.address(&at, lane) as u32)).transpose()?;
        match (said.selector, bytes) {
            (Some(2..), 2) | (Some(1..), 1) | (Some(_), 4..) => {
                return Err(undefined(format!("the selector {:?} for places of {:?}", said.selector, said.factors[0])));
            }
            _ => {}
        }
        let columns_of = |[a, b]: [Address; 2]| {
            let at = |of: &Address| whole(self.address(of, lane) as u32);
            Ok::<_, Cause>([at(&a)?, at(&b)?])
        };
        let scales = multiply.scales.map(columns_of).transpose()?;
        for &block in &work.blocks {
            let region = |first: usize, columns: usize| Region { block, chunks: 0xff, first, columns };
            work.writes.push(lies.region(block, first, columns));
            if let From::Columns(first) = left {
                work.reads.push(region(first, INNER / 4));
            }
            work.reads.extend(places.map(|first| region(first, 2)));
            if let Some([a, b]) = scales {
                work.reads.extend([region(a, lies.rows() / 32), region(b, columns.div_ceil(32))]);
            }
        }
        let adds = (value(multiply.adds.0) & 1 == 1) != multiply.adds.1;
        let mut product =
            Product { said, lies, first, left, right, adds, places, scales, vector: multiply.vector, held: Vec::new() };
        product.held = product.factors(cluster, &work.blocks)?;
        Ok(product)
    }
}

impl Product {
    /// How many terms all of it has.
    pub(super) fn terms(&self) -> u64 {
        let [rows, columns] = self.said.extents;
        (rows * columns * self.inner() * self.thin()) as u64
    }

    /// Whether another one adds up in the same place in the same shape.
    pub(super) fn same(&self, other: &Product) -> bool {
        (self.first, self.lies, self.said.extents) == (other.first, other.lies, other.said.extents)
            && self.said.sums == other.said.sums
    }

    /// Elements of a row of the left factor that are stored.
    fn inner(&self) -> usize {
        INNER * 8 / self.said.factors[0].bits as usize
    }

    fn thin(&self) -> usize {
        1 + usize::from(self.said.selector.is_some())
    }

    /// What shared memory has of the factors: the left one's and the right one's elements of each block.
    fn factors(&self, cluster: &mut Cluster, blocks: &[usize]) -> Result<Vec<Vec<u64>>, Cause> {
        let [a, b] = self.said.factors.map(Type::bytes);
        // Of four bits there are two in what is read.
        let inner = if self.said.factors[0].bits < 8 { INNER } else { self.inner() };
        let mut all = Vec::new();
        for &block in blocks {
            all.push(match &self.left {
                From::Shared(panel) => {
                    elements(cluster, block, panel, [self.lies.rows(), inner, a], self.said.turned[0])?
                }
                From::Columns(_) => Vec::new(),
            });
            let extents = [self.said.extents[1] / blocks.len(), inner * self.thin(), b];
            all.push(elements(cluster, block, &self.right, extents, self.said.turned[1])?);
        }
        Ok(all)
    }

    /// Multiplies, in all blocks.
    pub(super) fn finish(&self, cluster: &mut Cluster, blocks: &[usize]) -> Result<(), Cause> {
        let mut now = self.factors(cluster, blocks)?;
        same(&self.held, &now)?;
        if self.said.factors[0].bits < 8 {
            let apart = |bytes: &Vec<u64>| bytes.iter().flat_map(|byte| [byte & 0xf, byte >> 4]).collect();
            now = now.iter().map(apart).collect();
        }
        let right: Vec<u64> = now.iter().skip(1).step_by(2).flatten().copied().collect();
        for (number, block) in blocks.iter().enumerate() {
            let memory = cluster.tensors.of(*block);
            let left = self.left(memory, &now[2 * number])?;
            match self.said.sums.kind {
                Kind::Signed => self.whole_numbers(memory, &left, &right),
                _ => self.floats(memory, &left, &right)?,
            }
        }
        Ok(())
    }

    /// The left factor's elements with all of its terms, 0 where a sparse one has none.
    fn left(&self, memory: &TensorMemory, shared: &[u64]) -> Result<Vec<u64>, Cause> {
        let (inner, ty) = (self.inner(), self.said.factors[0]);
        let per = 4 / ty.bytes();
        let stored: Vec<u64> = match self.left {
            From::Shared(_) => shared.to_vec(),
            From::Columns(first) => (0..self.lies.rows() * inner)
                .map(|number| {
                    let (row, element) = (number / inner, number % inner);
                    let word = u64::from(memory.cell(row, first + element / per));
                    low(word >> (element % per * ty.bits as usize), ty.bits)
                })
                .collect(),
        };
        let (Some(selector), Some(places)) = (self.said.selector, self.places) else { return Ok(stored) };
        let mut full = vec![0; 2 * stored.len()];
        for row in 0..self.lies.rows() {
            let mut before = None;
            for element in 0..inner {
                let (lane, column, bit) = layout::place(row, element, ty.bytes(), selector);
                let place = (memory.cell(lane, places + column) >> bit & 3) as usize;
                // Of the two of a group the second one stands behind the first.
                if element % 2 == 1 && before.is_some_and(|before| before >= place) {
                    let what = format!("places {before:?} and {place} of the two terms of a group, in row {row}");
                    return Err(Cause::Undefined(what));
                }
                before = Some(place);
                full[row * 2 * inner + element / 2 * 4 + place] = stored[row * inner + element];
            }
        }
        Ok(full)
    }

    /// Rows with what each has.
    fn rows<'a>(&self, left: &'a [u64]) -> impl Iterator<Item = (usize, &'a [u64])> {
        left.chunks_exact(self.inner() * self.thin()).enumerate()
    }

    fn whole_numbers(&self, memory: &mut TensorMemory, left: &[u64], right: &[u64]) {
        let number = |ty: Type| move |bits: &u64| if ty.signed() { extended(*bits, ty.bits) } else { *bits as i64 };
        let [a, b] = self.said.factors;
        let right: Vec<i64> = right.iter().map(number(b)).collect();
        let columns = self.said.extents[1];
        for (row, left) in self.rows(left) {
            let left: Vec<i64> = left.iter().map(number(a)).collect();
            for (column, right) in right.chunks_exact(left.len()).enumerate() {
                let (lane, at) = self.lies.place(row, column, columns);
                let was = if self.adds { extended(u64::from(memory.cell(lane, self.first + at)), 32) } else { 0 };
                let sum: i64 = was + left.iter().zip(right).map(|(x, y)| x * y).sum::<i64>();
                let sum = if self.said.saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                memory.put(lane, self.first + at, sum as u32);
            }
        }
    }

    fn floats(&self, memory: &mut TensorMemory, left: &[u64], right: &[u64]) -> Result<(), Cause> {
        let ([a, b], sums, columns) = (self.said.factors, self.said.sums, self.said.extents[1]);
        let sign = if self.said.negates[0] == self.said.negates[1] { 1.0 } else { -1.0 };
        let right: Vec<f64> = right.iter().map(|bits| wide(b, *bits)).collect();
        let of_rows = self.scales(memory, 0, self.lies.rows())?;
        let of_columns = self.scales(memory, 1, columns)?;
        let parts = self.vector.max(1);
        for (row, left) in self.rows(left) {
            let left: Vec<f64> = left.iter().map(|bits| wide(a, *bits)).collect();
            let block = left.len() / parts;
            for (column, right) in right.chunks_exact(left.len()).enumerate() {
                let (lane, at) = self.lies.place(row, column, columns);
                let part = |(number, (left, right)): (usize, (&[f64], &[f64]))| {
                    let sum: f64 = left.iter().zip(right).map(|(x, y)| x * y).sum();
                    sum * of_rows[row * parts + number] * of_columns[column * parts + number]
                };
                let sum: f64 = left.chunks_exact(block).zip(right.chunks_exact(block)).enumerate().map(part).sum();
                let mut sum = sign * sum;
                if self.adds {
                    sum += wide(sums, low(u64::from(memory.cell(lane, self.first + at)), sums.bits));
                }
                memory.put(lane, self.first + at, narrow(sums, sum, Round::Nearest) as u32);
            }
        }
        Ok(())
    }

    /// The scales of so many rows of a factor, all of a row one after the other; ones where there are none.
    fn scales(&self, memory: &TensorMemory, which: usize, count: usize) -> Result<Vec<f64>, Cause> {
        let (Some(first), Some(byte)) = (self.scales, self.said.scales) else { return Ok(vec![1.0; count]) };
        let one = |(row, number): (usize, usize)| {
            let (lane, column) = layout::scale(row);
            let bits = memory.cell(lane, first[which] + column) >> (8 * (byte[which] + number)) & 0xff;
            match self.said.fractions {
                false => Ok(exponent(bits)),
                true if bits < 0x80 => Ok(Type::named("e4m3").map_or(f64::NAN, |ty| wide(ty, bits.into()))),
                true => Err(Cause::Undefined(format!("a scale of type UE4M3 with a sign: {bits:#x}, of row {row}"))),
            }
        };
        (0..count).flat_map(|row| (0..self.vector.max(1)).map(move |number| (row, number))).map(one).collect()
    }
}

/// A scale of type UE8M0: a power of two, or NaN.
fn exponent(bits: u32) -> f64 {
    if bits == 0xff { f64::NAN } else { 2.0_f64.powi(bits as i32 - 127) }
}
