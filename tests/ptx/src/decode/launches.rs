//! Blocks that take over others before they begin (PTX ISA 9.7.13.18, `clusterlaunchcontrol`). What the sixteen bytes of an answer mean is
//! nobody's business but the hardware's: here the first eight have a bit that says that there is a block, and its number along x; the
//! others have those along y and z.

use super::{Decoded, Decoder};
use crate::asynchronous::Claim;
use crate::inst::Op;
use crate::ops::Words;
use crate::parse::{Operand, Statement};
use crate::types::Space;

/// The bit of an answer that says that there is a block.
pub(crate) const FOUND: u64 = 1 << 63;

pub(super) fn decode(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    let axis = |word: &&str| match *word {
        "get_first_ctaid::x" => Some(0),
        "get_first_ctaid::y" => Some(1),
        "get_first_ctaid::z" => Some(2),
        _ => None,
    };
    match statement.args.as_slice() {
        [to, barrier] if words.has("try_cancel") && words.has("mbarrier::complete_tx::bytes") => {
            let space = if words.has("shared::cta") { Space::Shared } else { return Err(unknown()) };
            let (to, barrier) = (decoder.address(to, space)?, decoder.address(barrier, space)?);
            Ok(Op::Claim(Claim { to, barrier, everywhere: words.has("multicast::cluster::all") }))
        }
        [to, Operand::Reg(from)] if words.has("query_cancel") => {
            let to = decoder.reg(to)?;
            decoder.reg(&Operand::Reg(*from))?;
            if words.has("is_canceled") {
                return Ok(Op::Map {
                    to,
                    from: [*from, 0, 0, 0],
                    map: crate::ops::map(|word, _, _, _| word >> 63).ok_or_else(unknown)?,
                });
            }
            let axis = words.modifiers.iter().find_map(axis).ok_or_else(unknown)?;
            // An answer without a block has no number.
            let map = crate::ops::map(move |first, second, _, _| match (first & FOUND, axis) {
                (0, _) => 0x7fba_abcd,
                (_, 0) => first & 0xffff_ffff,
                (_, 1) => second & 0xffff_ffff,
                _ => second >> 32,
            });
            Ok(Op::Map { to, from: [*from, *from + 1, 0, 0], map: map.ok_or_else(unknown)? })
        }
        _ => Err(unknown()),
    }
}
