//! Code of a chain whose operands lie as they did before: what is left to find out is where each begins, and that all of it lies in its
//! array.

use super::super::chain::Chain;
use super::super::layout::{Dim, View};
use super::super::ready::{Reach, Start};
use super::super::target::Target;
use super::super::walk::Piece;
use super::Compilation;
use super::Kind;
use super::made::{Code, GOES_ON};
use super::memory::{Call, OPERANDS};
use super::run::{Behind, Elements, Operands, Way, ahead};
use crate::buffer::{Buffer, with_elements};
use crate::isa::{Isa, isa};
use smallvec::SmallVec;
use std::sync::Arc;

/// What was found out of a chain and the way in which its operands lie, the result last.
#[derive(Debug)]
pub(in super::super) struct Prepared {
    isa: Isa,
    /// None where the loops have to do it.
    code: Option<Made>,
}

#[derive(Debug)]
struct Made {
    code: Arc<Code>,
    kinds: SmallVec<[Kind; 8]>,
    behind: SmallVec<[Behind; 8]>,
    /// Bytes from row to row.
    pitches: SmallVec<[isize; 8]>,
}

impl Prepared {
    /// Prepares a chain for operands that lie as these do; whether its rows are added up.
    pub(in super::super) fn new(
        chain: &Chain,
        reads: &[View<'_>],
        target: &Target<'_>,
        (dims, adds): (&[Dim], bool),
    ) -> Prepared {
        Prepared { isa: isa(), code: Made::new(chain, reads, target, (dims, adds)) }
    }

    /// Computes chunks to where `target` begins; false if the loops have to do it. `read` says where the operand with a number
    /// begins.
    #[inline]
    pub(in super::super) fn run<'a>(
        &self,
        (pieces, reach, distances): (&[Piece], &[Reach], Option<&[isize]>),
        read: &impl Fn(usize) -> Start<'a>,
        (target, start): (&mut Buffer, isize),
        call: &mut Call,
    ) -> bool {
        let Some(made) = &self.code else { return false };
        if self.isa != isa() || Compilation::now() == Compilation::Never {
            return false;
        }
        let Some((result, kinds)) = made.kinds.split_last() else { return false };
        let mut begins = [0; OPERANDS];
        let mut behind = [None; OPERANDS];
        let mut begin = |number: usize, elements: Elements, base: isize, kind: &Kind| {
            let Reach { first, last } = reach[number];
            let inside = base.wrapping_add(first) >= 0
                && base.wrapping_add(last) < elements.length as isize
                && elements.size == kind.size as usize;
            assert!(inside, "a chain reads or writes beyond its arrays");
            begins[number] = elements.address.wrapping_add_signed(base * elements.size as isize);
        };
        for (number, kind) in kinds.iter().enumerate() {
            let Start { buffer, base, next } = read(number);
            let elements = with_elements!(buffer, elements => Elements::of(elements));
            begin(number, elements, base as isize, kind);
            if kind.is_ahead {
                behind[number] = made.behind[number].bytes(next, kind.size as usize);
            }
        }
        let elements = with_elements!(target, elements => Elements::of_mut(elements));
        begin(kinds.len(), elements, start, result);
        for (to, &pitch) in call.pitches.iter_mut().zip(&made.pitches) {
            *to = pitch;
        }
        let mut together = 1;
        if let (true, Some(distances), [first, ..]) = (GOES_ON, distances, pieces) {
            together = pieces.len();
            let steps = call.steps.iter_mut().zip(&made.kinds).zip(distances).zip(&made.pitches);
            for (((step, kind), distance), pitch) in steps {
                let rows = if result.adds { 0 } else { first.rows as isize - 1 };
                *step = distance * kind.size as isize - rows * pitch;
            }
        }
        for piece in pieces.iter().step_by(together) {
            (call.rows, call.columns) = (piece.rows, piece.columns);
            for (number, kind) in made.kinds.iter().enumerate() {
                let size = kind.size as usize;
                let address = begins[number].wrapping_add_signed(piece.offsets[number] * size as isize);
                call.addresses[number] = address;
                if kind.is_ahead {
                    let further = ahead(behind[number], (piece.rows, piece.columns), made.pitches[number], size);
                    call.ahead[number] = address.wrapping_add_signed(further);
                }
            }
            // All that the pieces reach was just found to lie in its array, whose elements are of the size that the code takes
            // them for; there are as many operands as the code was made for, and nobody else has the target.
            #[expect(unsafe_code, reason = "code takes addresses")]
            unsafe {
                made.code.call(call, together);
            }
        }
        true
    }
}

impl Made {
    fn new(chain: &Chain, reads: &[View<'_>], target: &Target<'_>, (dims, adds): (&[Dim], bool)) -> Option<Made> {
        let Operands { ways, mut kinds, behind } = chain.code_operands(reads, target, dims)?;
        kinds.last_mut()?.adds = adds;
        if ways.contains(&Way::Brought) {
            return None;
        }
        let (inner, outer) = dims.split_last()?;
        let outer = outer.last().unwrap_or(inner);
        let pitches = kinds.iter().zip(&outer.strides).map(|(kind, &stride)| stride * kind.size as isize).collect();
        let code = chain.codes.of(chain, &kinds)?.clone();
        Some(Made { code, kinds, behind, pitches })
    }
}
