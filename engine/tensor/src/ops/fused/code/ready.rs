//! Code of a chain whose operands lie as they did before: what is left to find out is where each begins, and that all of it lies in its
//! array.

use super::super::chain::Chain;
use super::super::layout::{Dim, View};
use super::super::ready::{Reach, Start};
use super::super::target::Target;
use super::super::walk::Piece;
use super::Compilation;
use super::Kind;
use super::made::Code;
use super::memory::Call;
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
    /// Prepares a chain for operands that lie as these do.
    pub(in super::super) fn new(chain: &Chain, reads: &[View<'_>], target: &Target<'_>, dims: &[Dim]) -> Prepared {
        Prepared { isa: isa(), code: Made::new(chain, reads, target, dims) }
    }

    /// Computes chunks to where `target` begins; false if the loops have to do it.
    #[inline]
    pub(in super::super) fn run(
        &self,
        (pieces, reach): (&[Piece], &[Reach]),
        reads: &[Start<'_>],
        (target, start): (&mut Buffer, isize),
    ) -> bool {
        let Some(made) = &self.code else { return false };
        if self.isa != isa() || Compilation::now() == Compilation::Never {
            return false;
        }
        assert_eq!(reads.len() + 1, made.kinds.len(), "a chain reads as many operands as it was prepared for");
        let mut call = Call::default();
        let mut begins: SmallVec<[usize; 8]> = SmallVec::new();
        let target = with_elements!(target, elements => Elements::of_mut(elements));
        let read =
            |read: &Start<'_>| (with_elements!(read.buffer, elements => Elements::of(elements)), read.base as isize);
        for ((elements, base), (kind, reach)) in
            reads.iter().map(read).chain([(target, start)]).zip(made.kinds.iter().zip(reach))
        {
            let inside = base.wrapping_add(reach.first) >= 0
                && base.wrapping_add(reach.last) < elements.length as isize
                && elements.size == kind.size as usize;
            assert!(inside, "a chain reads or writes beyond its arrays");
            begins.push(elements.address.wrapping_add_signed(base * elements.size as isize));
        }
        call.pitches[..made.pitches.len()].copy_from_slice(&made.pitches);
        for piece in pieces {
            (call.rows, call.columns) = (piece.rows, piece.columns);
            for (number, (&begin, kind)) in begins.iter().zip(&made.kinds).enumerate() {
                let size = kind.size as usize;
                let address = begin.wrapping_add_signed(piece.offsets[number] * size as isize);
                call.addresses[number] = address;
                if kind.is_ahead {
                    let behind = made.behind[number].bytes(reads.get(number).and_then(|read| read.next), size);
                    let further = ahead(behind, (piece.rows, piece.columns), made.pitches[number], size);
                    call.ahead[number] = address.wrapping_add_signed(further);
                }
            }
            // All that the pieces reach was just found to lie in its array, whose elements are of the size that the code takes
            // them for; there are as many operands as the code was made for, and nobody else has the target.
            #[expect(unsafe_code, reason = "code takes addresses")]
            unsafe {
                made.code.call(&mut call);
            }
        }
        true
    }
}

impl Made {
    fn new(chain: &Chain, reads: &[View<'_>], target: &Target<'_>, dims: &[Dim]) -> Option<Made> {
        let Operands { ways, kinds, behind } = chain.code_operands(reads, target, dims)?;
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
