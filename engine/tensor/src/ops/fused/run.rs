//! Chains in motion: chunk after chunk, where its operands lie, through all operations, to where the result belongs.

use super::CHUNK;
use super::chain::{Chain, Code, Slot, Step};
use super::convert::cast;
use super::lanes::{Lane, Lanes, lane_of, with_lane};
use super::layout::{Dim, View, merged};
use super::loops::{self, Compute};
use crate::array::Array;
use crate::buffer::BufferMut;
use crate::dtype::DType;
use crate::ops::elementwise::Operand;
use crate::ops::strided::signed_strides;
use crate::ops::unary::UnaryOp;
use smallvec::SmallVec;
use std::borrow::Cow;

/// Rows shorter than this go through a chain several at a time.
const SHORT: usize = 256;

/// Where the result of a chain goes.
#[derive(Debug)]
pub struct Target<'a> {
    pub(crate) elements: BufferMut<'a>,
    /// The position of the first element. Before the start where only later ones are written.
    pub(crate) base: isize,
    /// Strides by dimension of the result.
    pub(crate) strides: Cow<'a, [isize]>,
}

impl<'a> Target<'a> {
    /// All of an array, copied first if another one shares its elements.
    pub fn whole(array: &'a mut Array) -> Target<'a> {
        let strides = signed_strides(array.shape()).to_vec();
        Target::inside(array, 0, strides)
    }

    /// Elements of an array: the position of the first, and strides by dimension of the result.
    pub fn inside(array: &'a mut Array, base: usize, strides: impl Into<Cow<'a, [isize]>>) -> Target<'a> {
        Target { elements: array.make_mut().as_mut(), base: base as isize, strides: strides.into() }
    }
}

/// How a read meets a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// It has not been looked at.
    Nowhere,
    /// The elements lie one behind the other from here on.
    Here(usize),
    /// One element, which was brought to the register, meets all.
    One(isize),
    /// The elements were brought to the register: from where on, and how many rows and columns.
    Brought(isize, usize, usize),
}

/// A chunk on its way.
struct Frame<'a> {
    chain: &'a Chain,
    reads: &'a [View<'a>],
    at: SmallVec<[At; 8]>,
    length: usize,
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
    pub(super) fn operand<T: Lane>(self) -> Operand<'a, T> {
        let length = self.frame.length;
        let read = match self.slot {
            Slot::Register(register) => return self.lanes.operand(register, length),
            Slot::Read(read) => read,
        };
        let register = self.frame.chain.reads[read].register;
        match self.frame.at[read] {
            At::Here(start) => match T::slice(self.frame.reads[read].buffer) {
                Some(elements) => Operand::Each(&elements[start..start + length]),
                None => Operand::All(T::default()),
            },
            At::One(_) => Operand::All(T::bank(self.lanes)[usize::from(register)][0]),
            At::Brought(..) | At::Nowhere => self.lanes.operand(register, length),
        }
    }
}

impl Chain {
    /// Computes the result. `reads` are what [`Chain::place`] says of the arrays, in their order.
    pub fn run(&self, reads: &[View<'_>], target: &mut Target<'_>, lanes: &mut Lanes) {
        self.run_between(reads, target, lanes, 0, self.shape.size());
    }

    /// Computes elements of the result from one position in row-major order to another. Where it is not all of them, both
    /// stand between rows: everything but the first dimension is complete.
    pub(super) fn run_between(
        &self,
        reads: &[View<'_>],
        target: &mut Target<'_>,
        lanes: &mut Lanes,
        from: usize,
        to: usize,
    ) {
        if from >= to || reads.len() != self.reads.len() {
            return;
        }
        let strides = reads.iter().map(|read| &read.strides[..]).chain([&target.strides[..]]);
        let dims = merged(&self.shape, strides);
        let mut frame = Frame { chain: self, reads, at: SmallVec::from_elem(At::Nowhere, reads.len()), length: 0 };
        let (Some(inner), outer) = (dims.last(), &dims[..dims.len() - 1]) else { return };
        // Short rows of the dimension before go through together.
        let rows_of = match outer.last() {
            Some(rows) if inner.size < SHORT => Some(rows),
            _ => None,
        };
        let mut counters: SmallVec<[usize; 4]> = SmallVec::from_elem(0, outer.len());
        let mut offsets: SmallVec<[isize; 8]> =
            reads.iter().map(|read| read.base as isize).chain([target.base]).collect();
        let mut rest = from / inner.size;
        for (dim, counter) in outer.iter().zip(&mut counters).rev() {
            *counter = rest % dim.size;
            rest /= dim.size;
            advance(&mut offsets, dim, *counter);
        }
        let mut column = from % inner.size;
        advance(&mut offsets, inner, column);
        let mut left = to - from;
        while left > 0 {
            // Offsets are those of `column` in the row that `counters` say.
            let mut rows = 1;
            if let (Some(dim), Some(&counter), 0) = (rows_of, counters.last(), column)
                && left >= inner.size
            {
                rows = (CHUNK / inner.size).min(dim.size - counter).min(left / inner.size).max(1);
                self.chunk(&mut frame, (dim, rows), (inner, inner.size), &offsets, target, lanes);
                left -= rows * inner.size;
            } else {
                while column < inner.size && left > 0 {
                    let count = (inner.size - column).min(left).min(CHUNK);
                    self.chunk(&mut frame, (inner, 1), (inner, count), &offsets, target, lanes);
                    advance(&mut offsets, inner, count);
                    (column, left) = (column + count, left - count);
                }
                retreat(&mut offsets, inner, column);
                column = 0;
            }
            // To the next row, and where a dimension is done, to the next one of the dimension around it.
            for (dim, counter) in outer.iter().zip(&mut counters).rev() {
                *counter += rows;
                advance(&mut offsets, dim, rows);
                if *counter < dim.size {
                    break;
                }
                retreat(&mut offsets, dim, *counter);
                (*counter, rows) = (0, 1);
            }
        }
    }

    /// One chunk: rows of columns.
    fn chunk(
        &self,
        frame: &mut Frame<'_>,
        (outer, rows): (&Dim, usize),
        (inner, columns): (&Dim, usize),
        offsets: &[isize],
        target: &mut Target<'_>,
        lanes: &mut Lanes,
    ) {
        frame.length = rows * columns;
        for (number, read) in self.reads.iter().enumerate() {
            let (along, down, offset) = (inner.strides[number], outer.strides[number], offsets[number]);
            let at = if along == 0 && (rows == 1 || down == 0) {
                At::One(offset)
            } else if read.dtype == read.lane && along == 1 && (rows == 1 || down == columns as isize) {
                At::Here(offset as usize)
            } else {
                At::Brought(offset, rows, columns)
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
                At::Here(_) | At::Nowhere => {}
            }
        }
        let last = self.reads.len();
        let (along, down, offset) = (inner.strides[last], outer.strides[last], offsets[last]);
        let together = along == 1 && (rows == 1 || down == columns as isize);
        let Some((step, before)) = self.steps.split_last() else {
            // Nothing to compute: a copy.
            let slot = Slot::Read(last.saturating_sub(1));
            with_lane!(lane_of(self.result).unwrap_or(DType::F32), T => {
                let mut chunk = lanes.take::<T>(self.spare);
                loops::copy(&mut chunk[..rows * columns], Source { frame, lanes, slot }.operand::<T>());
                store(&chunk[..rows * columns], target, offset, (down, columns), along);
                lanes.put(self.spare, chunk);
            });
            return;
        };
        for step in before {
            execute(step, frame, lanes, None);
        }
        let direct = together && lane_of(step.result) == Some(step.result);
        if direct {
            execute(step, frame, lanes, Some((&mut target.elements, offset as usize)));
            return;
        }
        execute(step, frame, lanes, None);
        with_lane!(lane_of(step.result).unwrap_or(DType::F32), T => {
            let chunk = lanes.take::<T>(step.out);
            store(&chunk[..rows * columns], target, offset, (down, columns), along);
            lanes.put(step.out, chunk);
        });
    }
}

/// Moves all offsets along a dimension.
#[inline(always)]
fn advance(offsets: &mut [isize], dim: &Dim, count: usize) {
    for (offset, stride) in offsets.iter_mut().zip(&dim.strides) {
        *offset += stride * count as isize;
    }
}

/// Moves all offsets back.
#[inline(always)]
fn retreat(offsets: &mut [isize], dim: &Dim, count: usize) {
    for (offset, stride) in offsets.iter_mut().zip(&dim.strides) {
        *offset -= stride * count as isize;
    }
}

/// Puts the rows of a chunk where they belong.
fn store<T: Lane>(chunk: &[T], target: &mut Target<'_>, offset: isize, (down, columns): (isize, usize), along: isize) {
    for (row, part) in chunk.chunks_exact(columns).enumerate() {
        T::store(&mut target.elements, (offset + row as isize * down) as usize, along, part);
    }
}

/// Elements to write to right away, and where.
type Direct<'a, 'b> = Option<(&'a mut BufferMut<'b>, usize)>;

/// Has the result of a step written, to its register or right where it belongs.
#[inline(always)]
fn written<T: Lane>(
    step: &Step,
    length: usize,
    lanes: &mut Lanes,
    direct: Direct<'_, '_>,
    compute: impl FnOnce(&mut [T], &Lanes),
) {
    if let Some((elements, start)) = direct {
        if let Some(elements) = T::all_mut(elements) {
            compute(&mut elements[start..start + length], lanes);
        }
        return;
    }
    let mut chunk = lanes.take::<T>(step.out);
    compute(&mut chunk[..length], lanes);
    lanes.put(step.out, chunk);
}

/// One operation over one chunk.
fn execute(step: &Step, frame: &Frame<'_>, lanes: &mut Lanes, direct: Direct<'_, '_>) {
    let (dtype, length) = (step.dtype, frame.length);
    let lane = lane_of(dtype).unwrap_or(DType::F32);
    macro_rules! arg {
        ($lanes:ident, $place:literal) => {
            Source { frame, lanes: $lanes, slot: step.args[$place] }.operand()
        };
    }
    match step.code {
        Code::Unary(UnaryOp::IsFinite) => written::<bool>(step, length, lanes, direct, |out, lanes| match lane {
            DType::F64 => loops::is_finite(out, arg!(lanes, 0), f64::is_finite),
            _ => loops::is_finite(out, arg!(lanes, 0), f32::is_finite),
        }),
        Code::Unary(op) => with_lane!(lane, T => written::<T>(step, length, lanes, direct, |out, lanes| {
            T::unary(op, dtype, out, arg!(lanes, 0));
        })),
        Code::IntegerPow(exponent) => with_lane!(lane, T => written::<T>(step, length, lanes, direct, |out, lanes| {
            T::integer_pow(exponent, dtype, out, arg!(lanes, 0));
        })),
        Code::Binary(op) => with_lane!(lane, T => written::<T>(step, length, lanes, direct, |out, lanes| {
            T::binary(op, dtype, step.clean, out, arg!(lanes, 0), arg!(lanes, 1));
        })),
        Code::Compare(op) => with_lane!(lane, T => written::<bool>(step, length, lanes, direct, |out, lanes| {
            loops::compare::<T>(op, out, arg!(lanes, 0), arg!(lanes, 1));
        })),
        Code::Select => with_lane!(lane, T => written::<T>(step, length, lanes, direct, |out, lanes| {
            loops::select(out, arg!(lanes, 0), arg!(lanes, 1), arg!(lanes, 2));
        })),
        Code::Convert if dtype == DType::BF16 && step.result == DType::Bool => {
            // Subnormal 16-bit numbers are not zero here.
            written::<bool>(step, length, lanes, direct, |out, lanes| {
                loops::is_finite::<f32>(out, arg!(lanes, 0), |x| x != 0.0);
            });
        }
        Code::Convert => {
            with_lane!(lane_of(step.result).unwrap_or(DType::F32), T => {
                written::<T>(step, length, lanes, direct, |out, lanes| {
                    cast::<T>(dtype, Source { frame, lanes, slot: step.args[0] }, out);
                    <T as Lane>::round(step.result, out);
                });
            });
        }
        Code::MultiplyAdd { form, divides } => written::<f32>(step, length, lanes, direct, |out, lanes| {
            let operands = [arg!(lanes, 0), arg!(lanes, 1), arg!(lanes, 2)];
            loops::multiply_add(form, divides, step.clean, out, operands);
        }),
        Code::Flush => written::<f32>(step, length, lanes, direct, |out, lanes| loops::flushed(out, arg!(lanes, 0))),
        Code::ByReciprocal => written::<f32>(step, length, lanes, direct, |out, lanes| {
            loops::by_reciprocal(out, arg!(lanes, 0), arg!(lanes, 1));
        }),
    }
}
