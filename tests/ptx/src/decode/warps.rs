//! What the lanes of a warp do together (PTX ISA 9.7.9.6, 9.7.13.9 to 9.7.13.14).

use super::{Decoded, Decoder};
use crate::inst::{Combine, Op, Vote, Way};
use crate::ops::Words;
use crate::parse::{Operand, Statement};

pub(super) fn decode(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    if words.stem == "activemask" {
        let [to] = statement.args.as_slice() else { return Err(unknown()) };
        return Ok(Op::ActiveMask { to: decoder.reg(to)? });
    }
    // What comes before Volta has no members.
    if words.stem != "elect" && !words.has("sync") {
        return Err(unknown());
    }
    let (to, found) = match statement.args.first() {
        Some(Operand::Pair(to, found)) => (decoder.sink(to)?, decoder.sink(found)?),
        Some(to) => (decoder.sink(to)?, None),
        None => return Err(unknown()),
    };
    let rest = &statement.args[1..];
    match (words.stem, rest) {
        ("shfl", [from, lane, clamp, members]) => {
            let way = match () {
                () if words.has("up") => Way::Up,
                () if words.has("down") => Way::Down,
                () if words.has("bfly") => Way::Butterfly,
                () => Way::Index,
            };
            let [from, lane, clamp, members] = [from, lane, clamp, members].map(|operand| decoder.reg(operand));
            Ok(Op::Shuffle { way, to, found, from: from?, lane: lane?, clamp: clamp?, members: members? })
        }
        ("vote", [from, members]) => {
            let vote = match () {
                () if words.has("all") => Vote::All,
                () if words.has("any") => Vote::Any,
                () if words.has("uni") => Vote::Uniform,
                () => Vote::Ballot,
            };
            let (from, members) = (decoder.predicate(from)?, decoder.reg(members)?);
            Ok(Op::Vote { vote, to: to.ok_or_else(unknown)?, from, members })
        }
        ("match", [from, members]) => {
            let bits = words.ty().map_or(32, |ty| ty.bits);
            let (from, members) = (decoder.reg(from)?, decoder.reg(members)?);
            Ok(Op::Match { all: words.has("all"), to: to.ok_or_else(unknown)?, found, from, bits, members })
        }
        ("redux", [from, members]) => {
            let combine = match () {
                () if words.has("add") => Combine::Add,
                () if words.has("min") => Combine::Min,
                () if words.has("max") => Combine::Max,
                () if words.has("and") => Combine::And,
                () if words.has("or") => Combine::Or,
                () => Combine::Xor,
            };
            let ty = words.ty().filter(|ty| ty.integer()).ok_or_else(unknown)?;
            let (from, members) = (decoder.reg(from)?, decoder.reg(members)?);
            Ok(Op::Redux { combine, ty, to: to.ok_or_else(unknown)?, from, members })
        }
        ("elect", [members]) => Ok(Op::Elect { to, found: found.ok_or_else(unknown)?, members: decoder.reg(members)? }),
        _ => Err(unknown()),
    }
}
