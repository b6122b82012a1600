//! Asynchronous copies, phase barriers, and addresses in clusters (PTX ISA 9.7.9.22 to 9.7.9.28, 9.7.13.15).

use super::{Decoded, Decoder};
use crate::inst::Op;
use crate::ops::Words;
use crate::parse::{Operand, Statement};
use crate::types::Space;

pub(super) fn decode(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    if !words.has("async") || words.has("bulk") || words.has("mbarrier") {
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

pub(super) fn phase(_: &mut Decoder<'_>, _: &Words<'_>, statement: &Statement) -> Decoded {
    Err(format!("`{}`", statement.name))
}

pub(super) fn cluster(_: &mut Decoder<'_>, _: &Words<'_>, statement: &Statement) -> Decoded {
    Err(format!("`{}`", statement.name))
}
