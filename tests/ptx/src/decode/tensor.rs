//! Tensor memory, and the products into it (PTX ISA 9.7.16).

use super::{Decoded, Decoder};
use crate::inst::Op;
use crate::ops::Words;
use crate::parse::{Operand, Statement};
use crate::tensor_memory::descriptor::Kind;
use crate::tensor_memory::{CopyShape, Left, Multiply, Tensor};
use crate::types::Space;

pub(super) fn decode(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    let args = statement.args.as_slice();
    let group = match (words.has("cta_group::1"), words.has("cta_group::2")) {
        (true, false) => Some(1),
        (false, true) => Some(2),
        _ => None,
    };
    let (group, what) = (group.ok_or_else(unknown), words.modifiers.first().copied().unwrap_or_default());
    // Addresses of tensor memory are numbers of 32 bits, in no state space.
    let at = |decoder: &mut Decoder<'_>, operand: &Operand| decoder.address(operand, Space::Generic);
    let tensor = match (what, args) {
        ("alloc", [to, columns]) => {
            let to = decoder.address(to, if words.has("shared::cta") { Space::Shared } else { Space::Generic })?;
            Tensor::Ask { to, columns: decoder.reg(columns)?, group: group? }
        }
        ("dealloc", [at, columns]) => {
            Tensor::GiveBack { at: decoder.reg(at)?, columns: decoder.reg(columns)?, group: group? }
        }
        ("relinquish_alloc_permit", []) => Tensor::AskNoMore { group: group? },
        ("wait::ld", []) => Tensor::WaitLoads,
        ("wait::st", []) => Tensor::WaitStores,
        ("fence::before_thread_sync", []) => Tensor::Before,
        ("fence::after_thread_sync", []) => Tensor::After,
        ("ld", [to, from]) => {
            let to = decoder.list(to)?;
            moved(words, to.len()).ok_or_else(unknown)?;
            Tensor::Load { to, at: at(decoder, from)? }
        }
        ("st", [to, from]) => {
            let from = decoder.list(from)?;
            moved(words, from.len()).ok_or_else(unknown)?;
            Tensor::Store { at: at(decoder, to)?, from }
        }
        ("cp", [to, from]) => {
            let shape = copied(words).ok_or_else(unknown)?;
            Tensor::Copy { group: group?, to: at(decoder, to)?, from: decoder.reg(from)?, shape }
        }
        ("commit", [barrier, rest @ ..]) if words.has("mbarrier::arrive::one") && words.has("b64") => {
            let blocks = match (words.has("multicast::cluster"), rest) {
                (true, [mask]) => Some(decoder.reg(mask)?),
                (false, []) => None,
                _ => return Err(unknown()),
            };
            let space = if words.has("shared::cluster") { Space::Shared } else { Space::Generic };
            Tensor::Commit { group: group?, at: decoder.address(barrier, space)?, blocks }
        }
        ("mma", [sums, left, right, rest @ ..]) => Tensor::Multiply(Box::new(
            multiply(decoder, words, group?, [sums, left, right], rest).ok_or_else(unknown)??,
        )),
        _ => return Err(unknown()),
    };
    Ok(Op::Tensor(Box::new(tensor)))
}

/// Whether a load or a store of so many registers is known: those of a lane for each thread.
fn moved(words: &Words<'_>, registers: usize) -> Option<()> {
    let ["ld" | "st", "sync", "aligned", "32x32b", count, "b32"] = words.modifiers[..] else { return None };
    let count: usize = count.strip_prefix('x')?.parse().ok()?;
    (count == registers && count.is_power_of_two() && count <= 128).then_some(())
}

fn copied(words: &Words<'_>) -> Option<CopyShape> {
    let ["cp", _, shape @ ..] = &words.modifiers[..] else { return None };
    Some(match shape {
        ["128x256b"] => CopyShape { rows: 128, bytes: 32, times: 1 },
        ["128x128b"] => CopyShape { rows: 128, bytes: 16, times: 1 },
        ["32x128b", "warpx4"] => CopyShape { rows: 32, bytes: 16, times: 4 },
        _ => return None,
    })
}

/// `None` if something of it is not known here.
fn multiply(
    decoder: &mut Decoder<'_>,
    words: &Words<'_>,
    group: usize,
    [sums, left, right]: [&Operand; 3],
    rest: &[Operand],
) -> Option<Result<Multiply, String>> {
    let kind = words.modifiers.iter().find_map(|word| Kind::named(word))?;
    let (sparse, scaled) = (words.has("sp"), kind.scaled());
    let sizes = ["scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"];
    let known = |word: &&str| {
        let scale = *word == "block_scale" || sizes.contains(word);
        matches!(*word, "mma" | "sp" | "cta_group::1" | "cta_group::2")
            || Kind::named(word).is_some()
            || scale && scaled
    };
    if !words.modifiers.iter().all(known) {
        return None;
    }
    let mut said = words.modifiers.iter().filter(|word| sizes.contains(word));
    let vector = kind.vector(said.next().copied())?;
    if said.next().is_some() || sparse && kind.four_bits() || scaled != words.has("block_scale") {
        return None;
    }
    let (places, rest) = match (sparse, rest) {
        (true, [places, rest @ ..]) => (Some(places), rest),
        (false, rest) => (None, rest),
        _ => return None,
    };
    let (said, scales, adds) = match rest {
        [said, adds] if !scaled => (said, None, adds),
        [said, a, b, adds] if scaled => (said, Some([a, b]), adds),
        _ => return None,
    };
    let mut all = || {
        let mut at = |operand: &Operand| decoder.address(operand, Space::Generic);
        let sums = at(sums)?;
        let places = places.map(&mut at).transpose()?;
        let scales = match scales {
            Some([a, b]) => Some([at(a)?, at(b)?]),
            None => None,
        };
        let left = match left {
            Operand::At(_) => Left::InTensor(at(left)?),
            other => Left::Described(decoder.reg(other)?),
        };
        let (right, said, adds) = (decoder.reg(right)?, decoder.reg(said)?, decoder.predicate(adds)?);
        Ok(Multiply { group, kind, sums, left, right, said, adds, places, scales, vector })
    };
    Some(all())
}
