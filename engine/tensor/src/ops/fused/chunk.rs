//! One chunk of a chain: where its operands meet it, and all operations over it, one after the other, in the innermost cache.

use super::calm::Calm;
use super::chain::{Chain, Code, Slot, Step};
use super::convert::{cast, reinterpret};
use super::lanes::{Lane, Lanes, lane_of, with_lane};
use super::layout::View;
use super::lines::{Lines, Out};
use super::loops::{self, Compute};
use super::target::{Target, store};
use super::walk::Piece;
use crate::buffer::BufferMut;
use crate::dtype::DType;
use crate::ops::binary::BinaryOp;
use crate::ops::unary::UnaryOp;
use smallvec::SmallVec;

/// Rows that are shorter are brought together rather than taken from where they lie, one after the other.
const NARROW: usize = 32;

/// How a read meets a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// It has not been looked at.
    Nowhere,
    /// The rows lie there, so far apart: elements one behind the other, or one for a row.
    There { start: usize, pitch: isize, each: bool },
    /// One element, which was brought to the register, meets all.
    One(isize),
    /// The elements were brought to the register: from where on, and how many rows and columns.
    Brought(isize, usize, usize),
}

/// A chunk on its way.
pub(super) struct Frame<'a> {
    chain: &'a Chain,
    reads: &'a [View<'a>],
    at: SmallVec<[At; 8]>,
    rows: usize,
    columns: usize,
    /// How many elements the results of the operations so far have.
    extents: SmallVec<[Extent; 16]>,
}

/// How many elements of a chunk the result of an operation has: what is the same along rows is computed once for each row, as the
/// positions are that a mask compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// One for each.
    Each,
    /// One for each row.
    Row,
    /// One row, the same for all rows.
    Column,
}

impl<'a> Frame<'a> {
    /// Before the first chunk. (Where it is wanted: it is too large to be handed on.)
    #[inline(always)]
    pub(super) fn new(chain: &'a Chain, reads: &'a [View<'a>]) -> Frame<'a> {
        let at = SmallVec::from_elem(At::Nowhere, reads.len());
        let extents = SmallVec::from_elem(Extent::Each, chain.steps.len());
        Frame { chain, reads, at, rows: 0, columns: 0, extents }
    }

    /// The extent of what an operand is.
    #[inline(always)]
    fn extent(&self, slot: Slot) -> (bool, bool) {
        match slot {
            Slot::Register(_, step) => (self.extents[step] == Extent::Row, self.extents[step] == Extent::Column),
            Slot::Read(read) => match self.at[read] {
                At::There { pitch, each: true, .. } => (false, pitch == 0),
                At::There { pitch, each: false, .. } => (true, pitch == 0),
                At::One(_) => (true, true),
                At::Brought(..) | At::Nowhere => (false, false),
            },
        }
    }

    /// The extent of the result of an operation that is not the last one.
    #[inline(always)]
    fn extent_of(&self, args: &[Slot]) -> Extent {
        let (mut row, mut column) = (true, self.rows > 1);
        for &slot in args {
            let (is_row, is_column) = self.extent(slot);
            row &= is_row;
            column &= is_column;
        }
        match (row, column) {
            (true, _) => Extent::Row,
            (false, true) => Extent::Column,
            (false, false) => Extent::Each,
        }
    }

    /// Whether the operand of a step may be taken as one long row.
    #[inline(always)]
    fn is_flat(&self, slot: Slot) -> bool {
        match slot {
            Slot::Register(_, step) => self.rows == 1 || self.extents[step] == Extent::Each,
            Slot::Read(read) => match self.at[read] {
                At::There { pitch, each: true, .. } => pitch == self.columns as isize,
                At::There { pitch, each: false, .. } => pitch == 0,
                At::One(_) | At::Brought(..) | At::Nowhere => true,
            },
        }
    }
}

/// An operand of a step, of whatever type.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    frame: &'a Frame<'a>,
    lanes: &'a Lanes,
    slot: Slot,
}

impl<'a> Source<'a> {
    #[inline(always)]
    pub(super) fn lines<T: Lane>(self) -> Lines<'a, T> {
        let pitch = self.frame.columns as isize;
        let read = match self.slot {
            Slot::Register(register, step) => {
                let elements = self.lanes.register(register);
                return match self.frame.extents[step] {
                    Extent::Each => Lines::each(elements, 0, pitch),
                    Extent::Row => Lines::one(elements, 0, 1),
                    Extent::Column => Lines::each(elements, 0, 0),
                };
            }
            Slot::Read(read) => read,
        };
        let register = || self.lanes.register(self.frame.chain.reads[read].register);
        match self.frame.at[read] {
            At::There { start, pitch, each } => {
                let elements = T::slice(self.frame.reads[read].buffer).unwrap_or_default();
                match each {
                    true => Lines::each(elements, start, pitch),
                    false => Lines::one(elements, start, pitch),
                }
            }
            At::One(_) => Lines::one(register(), 0, 0),
            At::Brought(..) | At::Nowhere => Lines::each(register(), 0, pitch),
        }
    }
}

impl Chain {
    /// One chunk: rows of columns. Before each step it says which one this is, of how many.
    pub(super) fn chunk(
        &self,
        frame: &mut Frame<'_>,
        strides: (&[isize], &[isize]),
        (piece, calm): (&Piece, &mut Option<Calm>),
        target: &mut Target<'_>,
        lanes: &mut Lanes,
        before: impl Fn(&Target<'_>, (usize, usize)),
    ) {
        let &Piece { rows, columns, ref offsets } = piece;
        (frame.rows, frame.columns) = (rows, columns);
        for (number, read) in self.reads.iter().enumerate() {
            let offset = offsets[number];
            // The distance of rows does not matter where there is one.
            let (along, down) = (strides.0[number], if rows == 1 { 0 } else { strides.1[number] });
            let wide = columns >= NARROW || rows == 1;
            let at = match along {
                0 if read.dtype == read.lane && (wide || down == 0) => {
                    At::There { start: offset as usize, pitch: down, each: false }
                }
                0 if down == 0 => At::One(offset),
                1 if read.dtype == read.lane && rows == 1 => {
                    At::There { start: offset as usize, pitch: columns as isize, each: true }
                }
                1 if read.dtype == read.lane && (wide || down == columns as isize) => {
                    At::There { start: offset as usize, pitch: down, each: true }
                }
                _ => At::Brought(offset, rows, columns),
            };
            // What the chunk before has brought need not be brought again.
            let kept = frame.at[number] == at && (rows == 1 || down == 0);
            frame.at[number] = at;
            let buffer = frame.reads[number].buffer;
            match at {
                _ if kept => {}
                At::One(offset) => with_lane!(read.lane, T => {
                    let mut chunk = lanes.take::<T>(read.register);
                    T::load(&mut chunk[..1], buffer, offset as usize, 1);
                    lanes.put(read.register, chunk);
                }),
                At::Brought(..) => with_lane!(read.lane, T => {
                    let mut chunk = lanes.take::<T>(read.register);
                    for (row, part) in chunk[..rows * columns].chunks_exact_mut(columns).enumerate() {
                        T::load(part, buffer, (offset + row as isize * down) as usize, along);
                    }
                    lanes.put(read.register, chunk);
                }),
                At::There { .. } | At::Nowhere => {}
            }
        }
        let last = self.reads.len();
        let (along, offset) = (strides.0[last], offsets[last]);
        let down = if rows == 1 { columns as isize } else { strides.1[last] };
        let parts = self.steps.len().max(1);
        let Some((step, others)) = self.steps.split_last() else {
            // Nothing to compute: a copy.
            before(target, (0, 1));
            let slot = Slot::Read(last.saturating_sub(1));
            with_lane!(lane_of(self.result).unwrap_or(DType::F32), T => {
                let mut chunk = lanes.take::<T>(self.spare);
                let lines = Source { frame, lanes, slot }.lines::<T>();
                match (T::all_mut(&mut target.elements), along) {
                    (Some(elements), 1) if !target.streams => {
                        let mut out = Out { elements, start: offset as usize, pitch: down, rows, columns };
                        out.each_of(&lines, |_, _| {});
                    }
                    _ => {
                        let (start, pitch) = (0, columns as isize);
                        Out { elements: &mut chunk, start, pitch, rows, columns }.each_of(&lines, |_, _| {});
                        store(&chunk[..rows * columns], target, offset, (down, columns), along);
                    }
                }
                lanes.put(self.spare, chunk);
            });
            return;
        };
        let is_calm = calm.as_ref().is_some_and(|calm| self.is_calm(calm, frame, lanes));
        if let Some(known) = calm
            && !known.goes_on(is_calm)
        {
            *calm = None;
        }
        let spares = calm.filter(|_| is_calm);
        let care = |number: usize, step: &Step| match spares {
            Some(calm) if calm.spares(number) => Care::Nothing,
            _ if step.clean => Care::Result,
            _ => Care::All,
        };
        for (number, step) in others.iter().enumerate() {
            before(target, (number, parts));
            if is_calm && matches!((step.code, &step.args[..]), (Code::Flush, [Slot::Read(_)])) {
                // Its readers take what is read.
                continue;
            }
            let args = if is_calm { &step.calm_args } else { &step.args };
            frame.extents[number] = frame.extent_of(args);
            execute((number, step), (is_calm, care(number, step)), frame, lanes, None);
        }
        before(target, (parts - 1, parts));
        let care = (is_calm, care(parts - 1, step));
        if along == 1 && lane_of(step.result) == Some(step.result) && !target.streams {
            execute((parts - 1, step), care, frame, lanes, Some((&mut target.elements, offset as usize, down)));
            return;
        }
        execute((parts - 1, step), care, frame, lanes, None);
        with_lane!(lane_of(step.result).unwrap_or(DType::F32), T => {
            let chunk = lanes.take::<T>(step.out);
            store(&chunk[..rows * columns], target, offset, (down, columns), along);
            lanes.put(step.out, chunk);
        });
    }
}

impl Chain {
    /// Whether everything that a chunk reads keeps a limit.
    fn is_calm(&self, calm: &Calm, frame: &Frame<'_>, lanes: &Lanes) -> bool {
        let reads = self.reads.iter().enumerate().filter(|(_, read)| read.lane == DType::F32 && !read.is_scalar());
        reads.into_iter().all(|(number, _)| {
            let slot = Slot::Read(number);
            let (rows, columns) = match frame.is_flat(slot) {
                true => (1, frame.rows * frame.columns),
                false => (frame.rows, frame.columns),
            };
            calm.holds(rows, columns, &Source { frame, lanes, slot }.lines())
        })
    }
}

/// What an operation flushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// Operands and results.
    All,
    /// Results: no operand is subnormal.
    Result,
    /// Neither operands nor results are subnormal.
    Nothing,
}

/// Elements to write to right away, where, and the distance of rows there.
type Direct<'a, 'b> = Option<(&'a mut BufferMut<'b>, usize, isize)>;

/// Has the result of a step written, to its register or right where it belongs.
#[inline(always)]
fn written<T: Lane>(
    (extent, step, args): (Extent, &Step, &[Slot]),
    frame: &Frame<'_>,
    lanes: &mut Lanes,
    direct: Direct<'_, '_>,
    compute: impl FnOnce(&mut Out<'_, T>, &Lanes),
) {
    let columns = frame.columns;
    let pitch = direct.as_ref().map_or(columns as isize, |direct| direct.2);
    let flat = pitch == columns as isize && args.iter().all(|&slot| frame.is_flat(slot));
    let (pitch, rows, columns) = match extent {
        Extent::Row => (1, frame.rows, 1),
        Extent::Column => (pitch, 1, columns),
        Extent::Each if flat => (pitch, 1, frame.rows * columns),
        Extent::Each => (pitch, frame.rows, columns),
    };
    if let Some((elements, start, pitch)) = direct {
        if let Some(elements) = T::all_mut(elements) {
            compute(&mut Out { elements, start, pitch, rows, columns }, lanes);
        }
        return;
    }
    let mut chunk = lanes.take::<T>(step.out);
    compute(&mut Out { elements: &mut chunk, start: 0, pitch, rows, columns }, lanes);
    lanes.put(step.out, chunk);
}

/// One operation over one chunk; whether all that is read keeps the limit of the chain's [`Calm`], and what is flushed.
fn execute(
    (number, step): (usize, &Step),
    (is_calm, care): (bool, Care),
    frame: &Frame<'_>,
    lanes: &mut Lanes,
    direct: Direct<'_, '_>,
) {
    let extent = frame.extents[number];
    let args = if is_calm { &step.calm_args[..] } else { &step.args[..] };
    let dtype = step.dtype;
    let lane = lane_of(dtype).unwrap_or(DType::F32);
    macro_rules! arg {
        ($lanes:ident, $place:literal) => {
            Source { frame, lanes: $lanes, slot: args[$place] }.lines()
        };
    }
    match step.code {
        Code::Unary(UnaryOp::IsFinite) => {
            written::<bool>((extent, step, args), frame, lanes, direct, |out, lanes| match lane {
                DType::F64 => loops::is_finite(out, &arg!(lanes, 0), f64::is_finite),
                _ => loops::is_finite(out, &arg!(lanes, 0), f32::is_finite),
            })
        }
        Code::Unary(op) => {
            with_lane!(lane, T => written::<T>((extent, step, args), frame, lanes, direct, |out, lanes| {
                T::unary(op, dtype, out, &arg!(lanes, 0));
            }))
        }
        Code::IntegerPow(exponent) => {
            with_lane!(lane, T => written::<T>((extent, step, args), frame, lanes, direct, |out, lanes| {
                T::integer_pow(exponent, dtype, out, &arg!(lanes, 0));
            }))
        }
        Code::Binary(op) => {
            with_lane!(lane, T => written::<T>((extent, step, args), frame, lanes, direct, |out, lanes| {
                T::binary(op, dtype, care, out, &arg!(lanes, 0), &arg!(lanes, 1));
            }))
        }
        Code::NearRemainder => written::<f32>((extent, step, args), frame, lanes, direct, |out, lanes| {
            f32::binary(BinaryOp::Rem, dtype, care, out, &arg!(lanes, 0), &arg!(lanes, 1));
        }),
        Code::Compare(op) => {
            with_lane!(lane, T => written::<bool>((extent, step, args), frame, lanes, direct, |out, lanes| {
                loops::compare::<T>(op, out, &arg!(lanes, 0), &arg!(lanes, 1));
            }))
        }
        Code::Select => with_lane!(lane, T => written::<T>((extent, step, args), frame, lanes, direct, |out, lanes| {
            loops::select(out, &arg!(lanes, 0), &arg!(lanes, 1), &arg!(lanes, 2));
        })),
        Code::Choose { op, of } => written::<f32>((extent, step, args), frame, lanes, direct, |out, lanes| {
            let cases = [&arg!(lanes, 2), &arg!(lanes, 3)];
            match of {
                DType::I32 => loops::choose_by::<i32>(op, out, [&arg!(lanes, 0), &arg!(lanes, 1)], cases),
                _ => loops::choose_by::<f32>(op, out, [&arg!(lanes, 0), &arg!(lanes, 1)], cases),
            }
        }),
        Code::Convert if dtype == DType::BF16 && step.result == DType::Bool => {
            // Subnormal 16-bit numbers are not zero here.
            written::<bool>((extent, step, args), frame, lanes, direct, |out, lanes| {
                loops::is_finite::<f32>(out, &arg!(lanes, 0), |x| x != 0.0);
            });
        }
        Code::Convert => {
            with_lane!(lane_of(step.result).unwrap_or(DType::F32), T => {
                written::<T>((extent, step, args), frame, lanes, direct, |out, lanes| {
                    cast::<T>(dtype, Source { frame, lanes, slot: args[0] }, out);
                    out.each(|_, out| <T as Lane>::round(step.result, out));
                });
            });
        }
        Code::MultiplyAdd { form, divides } => {
            written::<f32>((extent, step, args), frame, lanes, direct, |out, lanes| {
                let operands = [&arg!(lanes, 0), &arg!(lanes, 1), &arg!(lanes, 2)];
                loops::multiply_add(form, divides, care, out, operands);
            })
        }
        Code::Bits => with_lane!(lane_of(step.result).unwrap_or(DType::F32), T => {
            written::<T>((extent, step, args), frame, lanes, direct, |out, lanes| {
                reinterpret::<T>(dtype, Source { frame, lanes, slot: args[0] }, out);
            });
        }),
        Code::Flush => written::<f32>((extent, step, args), frame, lanes, direct, |out, lanes| {
            loops::flushed(out, &arg!(lanes, 0))
        }),
        Code::ByReciprocal => written::<f32>((extent, step, args), frame, lanes, direct, |out, lanes| {
            loops::by_reciprocal(out, &arg!(lanes, 0), &arg!(lanes, 1));
        }),
    }
}
