//! Asynchronous copies, phase barriers, and addresses in clusters (PTX ISA 9.7.9.22 to 9.7.9.28, 9.7.13.15).

use super::{Decoded, Decoder};
use crate::asynchronous::{Bulk, Phase};
use crate::inst::Op;
use crate::ops::{self, Words};
use crate::parse::{Operand, Statement};
use crate::types::Space;

pub(super) fn decode(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    if words.has("bulk") {
        return bulk(decoder, words, statement);
    }
    if !words.has("async") || words.has("mbarrier") {
        return Err(unknown());
    }
    match statement.args.as_slice() {
        [to @ Operand::At(_), from @ Operand::At(_), bytes, given @ ..] => {
            let (to, from) = (decoder.address(to, Space::Shared)?, decoder.address(from, Space::Global)?);
            let given = given.first().map(|given| decoder.reg(given)).transpose()?;
            Ok(Op::CopyAsync { to, from, bytes: decoder.number(bytes)? as u32, given })
        }
        [] if words.has("commit_group") => Ok(Op::CommitCopies),
        [] if words.has("wait_all") => Ok(Op::WaitCopies { pending: None }),
        [pending] if words.has("wait_group") => Ok(Op::WaitCopies { pending: Some(decoder.number(pending)? as u32) }),
        _ => Err(unknown()),
    }
}

/// Copies of boxes.
fn bulk(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    let args = statement.args.as_slice();
    let done = |bulk| Ok(Op::Bulk(Box::new(bulk)));
    if let [] | [Operand::Reg(_)] = args {
        let read = words.modifiers.last() == Some(&"read") || words.has("read");
        return match args {
            [] if words.has("commit_group") => done(Bulk::Commit),
            [pending] if words.has("wait_group") => done(Bulk::Wait { pending: decoder.number(pending)? as u32, read }),
            _ => Err(unknown()),
        };
    }
    if !words.has("tensor") || words.has("im2col") {
        return Err(unknown());
    }
    let boxed = |decoder: &mut Decoder<'_>, operand: &Operand| match operand {
        Operand::At(parts) => match parts.as_slice() {
            [map, Operand::List(begins)] => {
                let map = decoder.address(&Operand::At(vec![map.clone()]), Space::Generic)?;
                Ok((map, decoder.regs(begins)?))
            }
            _ => Err(unknown()),
        },
        _ => Err(unknown()),
    };
    let brings = words.modifiers.iter().position(|word| word.starts_with("shared"))
        < words.modifiers.iter().position(|word| *word == "global");
    match args {
        [to, from, barrier, rest @ ..] if brings && words.has("mbarrier::complete_tx::bytes") => {
            let (map, begins) = boxed(decoder, from)?;
            let blocks = match (words.has("multicast::cluster"), rest) {
                (true, [mask, ..]) => Some(decoder.reg(mask)?),
                (true, _) => return Err(unknown()),
                _ => None,
            };
            let (to, barrier) = (decoder.address(to, Space::Shared)?, decoder.address(barrier, Space::Shared)?);
            let pair = words.has("cta_group::2");
            done(Bulk::Bring { to, map, begins, barrier, blocks, pair })
        }
        [to, from] if !brings && words.has("bulk_group") => {
            let (map, begins) = boxed(decoder, to)?;
            let combine = match words.has("reduce") {
                true => Some(super::memory::combine(words).ok_or_else(unknown)?),
                false => None,
            };
            done(Bulk::Send { from: decoder.address(from, Space::Shared)?, map, begins, combine })
        }
        _ => Err(unknown()),
    }
}

pub(super) fn phase(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    let shared = |decoder: &mut Decoder<'_>, at: &Operand| decoder.address(at, Space::Shared);
    let generic = !words.modifiers.iter().any(|word| word.starts_with("shared"));
    if generic {
        return Err(unknown());
    }
    let parity = words.has("parity");
    let phase = match (words.modifiers[0], statement.args.as_slice()) {
        ("init", [at, count]) => Phase::Init { at: shared(decoder, at)?, count: decoder.reg(count)? },
        ("inval", [at]) => Phase::Invalidate { at: shared(decoder, at)? },
        ("expect_tx" | "complete_tx", [at, bytes]) => {
            let come = words.modifiers[0] == "complete_tx";
            Phase::Bytes { at: shared(decoder, at)?, bytes: decoder.reg(bytes)?, come }
        }
        ("arrive", [to, at, rest @ ..]) if !words.has("noComplete") => {
            let given = rest.first().map(|given| decoder.reg(given)).transpose()?;
            let (count, bytes) = if words.has("expect_tx") { (None, given) } else { (given, None) };
            Phase::Arrive { at: shared(decoder, at)?, to: decoder.sink(to)?, count, bytes }
        }
        (test @ ("test_wait" | "try_wait"), [to, at, phase, ..]) => Phase::Test {
            at: shared(decoder, at)?,
            to: decoder.reg(to)?,
            phase: decoder.reg(phase)?,
            by_parity: parity,
            waits: test == "try_wait",
        },
        _ => return Err(unknown()),
    };
    Ok(Op::Phase(phase))
}

/// `mapa` and `getctarank`: an address of shared memory says the block's rank, and where it is there.
pub(super) fn cluster(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let map = match words.stem {
        "mapa" => ops::map(|at, block, _, _| at & !0xff00_0000 | (block & 0xff) << 24),
        _ => ops::map(|at, _, _, _| at >> 24 & 0xff),
    };
    let (Some(map), [to, at, rest @ ..]) = (map, statement.args.as_slice()) else {
        return Err(format!("`{}`", statement.name));
    };
    let block = rest.first().map_or(Ok(0), |block| decoder.reg(block))?;
    Ok(Op::Map { to: decoder.reg(to)?, from: [decoder.reg(at)?, block, 0, 0], map })
}
