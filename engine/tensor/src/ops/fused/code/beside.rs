//! Two chains over the same rows in one code, the second one row behind the first: see [`Pair`].

use super::super::lanes::Lanes;
use super::super::layout::{Dim, View, merged};
use super::super::pair::Pair;
use super::super::ready::{Ready, Start};
use super::super::rows::Rows;
use super::super::target::Target;
use super::Kind;
use super::made::Code;
use super::memory::{Call, OPERANDS};
use super::run::{Behind, Elements, Operands, Way, ahead};
use crate::buffer::{Buffer, Element, with_elements, with_elements_mut};
use crate::isa::{Isa, isa};
use crate::ops::reduce_lanes::Combine;
use smallvec::SmallVec;
use std::borrow::Cow;

/// The code of both, and how operands have to lie for it.
#[derive(Debug)]
pub(in super::super) struct Beside {
    isa: Isa,
    code: Code,
    /// Of the reads of the first chain, its rows, the reads of the second one, and its result.
    kinds: SmallVec<[Kind; 8]>,
    behind: SmallVec<[Behind; 8]>,
    /// How the target lies.
    strides: SmallVec<[isize; 2]>,
}

/// Where an operand's rows begin.
#[derive(Clone, Copy, Debug, Default)]
struct Begin {
    address: usize,
    pitch: isize,
    ahead: usize,
}

impl Begin {
    fn row(self, row: usize) -> usize {
        self.address.wrapping_add_signed(row as isize * self.pitch)
    }
}

impl Beside {
    pub(in super::super) fn new<'a>(
        pair: &Pair,
        (first, second): (&Ready, &Ready),
        (read, read_second): (&impl Fn(usize) -> Start<'a>, &impl Fn(usize) -> Option<Start<'a>>),
        (rows, sums): (&mut Buffer, &mut Buffer),
        target: &mut Target<'_>,
    ) -> Option<Beside> {
        if target.strides.last() != Some(&1) || target.strides.len() != 2 {
            return None;
        }
        let strides = SmallVec::from_slice(&target.strides);
        let dims = |ready: &Ready, target: &[isize]| {
            let reads = &ready.strides[..ready.chain.reads.len()];
            let dims = merged(&ready.chain.shape, reads.iter().map(|strides| &strides[..]).chain([target]));
            // Rows that lie one behind the other are one long one.
            dims.last().is_some_and(|inner| inner.size.is_multiple_of(pair.length)).then_some(dims)
        };
        let dims: [SmallVec<[Dim; 4]>; 2] = [dims(first, &first.chain.even)?, dims(second, &target.strides)?];
        let of_second = {
            let views = second.views(&|number| pair.start(number, read_second, (&*rows, &*sums)));
            second.chain.code_operands(&views, target, &dims[1])?
        };
        let of_first = {
            let views = first.views(read);
            let kept = Target {
                elements: rows.as_mut(),
                base: 0,
                strides: Cow::Borrowed(&first.chain.even[..]),
                streams: false,
            };
            first.chain.code_operands(&views, &kept, &dims[0])?
        };
        let both = [of_first, of_second];
        if both.iter().any(|Operands { ways, .. }| ways.contains(&Way::Brought)) {
            return None;
        }
        let kinds: SmallVec<[Kind; 8]> = both.iter().flat_map(|operands| operands.kinds.iter().copied()).collect();
        let behind = both.iter().flat_map(|operands| operands.behind.iter().copied()).collect();
        if kinds.len() > OPERANDS {
            return None;
        }
        let isa = isa();
        let code = Code::both(&first.chain, &second.chain, &kinds, isa)?;
        Some(Beside { isa, code, kinds, behind, strides })
    }

    pub(in super::super) fn run<'a>(
        &self,
        pair: &Pair,
        (first, second): (&Ready, &Ready),
        (read, read_second): (&impl Fn(usize) -> Start<'a>, &impl Fn(usize) -> Option<Start<'a>>),
        (rows, sums): (&mut Buffer, &mut Buffer),
        target: &mut Target<'_>,
        lanes: &mut Lanes,
    ) -> bool {
        let fits = self.isa == isa() && self.strides[..] == target.strides[..];
        let Some(alone) = first.groups.first().filter(|group| fits && group.to == pair.length) else { return false };
        let starts = |number: usize| match number.checked_sub(first.chain.reads.len() + 1) {
            None => Some((read(number), &first.strides[number])),
            Some(number) => Some((read_second(number)?, &second.strides[number])),
        };
        let last = self.kinds.len() - 1;
        let kept = first.chain.reads.len();
        let mut begins = [Begin::default(); OPERANDS];
        let inside = |elements: Elements, base: isize, pitch: isize, kind: &Kind| {
            let columns = if kind.is_one { 1 } else { pair.length };
            assert!(
                elements.size == kind.size as usize && elements.holds(base, pitch, pair.rows, columns),
                "a chain reads or writes beyond its arrays"
            );
            let size = elements.size as isize;
            Begin { address: elements.address.wrapping_add_signed(base * size), pitch: pitch * size, ahead: 0 }
        };
        for number in (0..last).filter(|&number| number != kept) {
            let Some((Start { buffer, base, next }, strides)) = starts(number) else { continue };
            let (kind, elements) = (&self.kinds[number], with_elements!(buffer, elements => Elements::of(elements)));
            let begin = inside(elements, base as isize, strides[0], kind);
            let behind = self.behind[number].bytes(next, elements.size);
            let further = ahead(behind, (1, pair.length), begin.pitch, elements.size);
            begins[number] = Begin { ahead: begin.address.wrapping_add_signed(further), ..begin };
        }
        begins[last] = {
            let elements = with_elements_mut!(&mut target.elements, elements => Elements::of_mut(elements));
            let begin = inside(elements, target.base, target.strides[0], &self.kinds[last]);
            let further = ahead(None, (1, pair.length), begin.pitch, elements.size);
            Begin { ahead: begin.address.wrapping_add_signed(further), ..begin }
        };
        let (Some(of_rows), Some(of_sums)) = (f32::slice_mut(rows), f32::slice_mut(sums)) else { return false };
        if of_rows.len() < pair.rows * pair.length || of_sums.len() < pair.rows {
            return false;
        }

        // The first row goes alone.
        let is_alone = first
            .code(read, || crate::buffer::BufferMut::F32(&mut []))
            .is_some_and(|code| code.run(alone.parts(), read, (rows, 0), &mut lanes.call));
        if !is_alone {
            return false;
        }
        for row in 0..pair.rows {
            let (Some(of_rows), Some(of_sums)) = (f32::slice_mut(rows), f32::slice_mut(sums)) else { return false };
            if row > 0 {
                let (to, of_last) = (Elements::of_mut(of_rows), Elements::of_mut(of_sums));
                let call = &mut lanes.call;
                (call.rows, call.columns) = (1, pair.length);
                for (number, begin) in begins.iter().enumerate().take(last + 1) {
                    let shift = |elements: Elements, place: usize| elements.address + place * elements.size;
                    call.addresses[number] = match number.checked_sub(kept + 1) {
                        None if number == kept => shift(to, row * pair.length),
                        Some(number) if number == pair.kept => shift(to, (row - 1) * pair.length),
                        Some(number) if number == pair.sums => shift(of_last, row - 1),
                        None => begin.row(row),
                        Some(_) => begin.row(row - 1),
                    };
                    call.ahead[number] = begin.ahead.wrapping_add_signed(row as isize * begin.pitch);
                }
                self.call(call);
            }
            let mut sum = Rows::new(Combine::Sum, [pair.length, 1], &mut of_sums[row..=row], &mut lanes.windows);
            sum.take(0, &of_rows[row * pair.length..][..pair.length]);
            sum.finish();
        }
        // And so does the last one.
        let views: SmallVec<[View<'_>; 6]> = second.views(&|number| pair.start(number, read_second, (&*rows, &*sums)));
        let size = pair.rows * pair.length;
        second.chain.run_between(&views, target, lanes, size - pair.length, size);
        true
    }

    fn call(&self, call: &mut Call) {
        // All rows of all operands were found to lie in their arrays, whose elements are of the size that the code takes them for; the
        // rows of the first chain and their sums are as long as they have to be, a row is read when it is written no more, and nobody
        // else has any of them.
        #[expect(unsafe_code, reason = "code takes addresses")]
        unsafe {
            self.code.call(call, 1);
        }
    }
}

impl Pair {
    /// Where a read of the second chain begins.
    fn start<'b, 'a: 'b>(
        &self,
        number: usize,
        read: &impl Fn(usize) -> Option<Start<'a>>,
        (rows, sums): (&'b Buffer, &'b Buffer),
    ) -> Start<'b> {
        let begins = |buffer: &'b Buffer| Start { buffer, base: 0, next: None };
        match number {
            _ if number == self.kept => begins(rows),
            _ if number == self.sums => begins(sums),
            _ => read(number).unwrap_or(begins(rows)),
        }
    }
}
