//! Loads, stores, atomics and addresses (PTX ISA 9.7.9.8 to 9.7.9.20, 9.7.13.5, 9.7.13.6).

use super::{Decoded, Decoder};
use crate::inst::{Combine, Op};
use crate::memory::{LOCAL, SHARED};
use crate::ops::{self, Words};
use crate::parse::{Operand, Statement};
use crate::types::{Kind, Space, Type};

fn space(words: &Words<'_>) -> Space {
    words.modifiers.iter().find_map(|word| Space::named(word)).unwrap_or(Space::Generic)
}

fn ty(words: &Words<'_>) -> Result<Type, String> {
    words.ty().ok_or_else(|| "an access without a type".to_string())
}

pub(super) fn load(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let [to, at, ..] = statement.args.as_slice() else { return Err("a load of nothing".to_string()) };
    let ty = ty(words)?;
    let at = decoder.address(at, space(words))?;
    let to: Box<[_]> = match to {
        Operand::List(parts) => decoder.sinks(parts)?,
        // 128 bits are two registers that follow each other.
        other if ty.bits == 128 => {
            let first = decoder.reg(other)?;
            Box::new([Some(first), Some(first + 1)])
        }
        other => Box::new([decoder.sink(other)?]),
    };
    let ty = if ty.bits == 128 { Type { bits: 64, ..ty } } else { ty };
    Ok(Op::Load { to, at, ty })
}

pub(super) fn store(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    if words.has("async") || words.has("bulk") {
        return Err("an asynchronous store".to_string());
    }
    let [at, from, ..] = statement.args.as_slice() else { return Err("a store of nothing".to_string()) };
    let ty = ty(words)?;
    let at = decoder.address(at, space(words))?;
    let mut from = decoder.list(from)?;
    let mut of = ty;
    if ty.bits == 128 {
        from = Box::new([from[0], from[0] + 1]);
        of = Type { bits: 64, ..ty };
    }
    Ok(Op::Store { at, from, ty: of })
}

/// What an operation combines, by its name.
pub(super) fn combine(words: &Words<'_>) -> Option<Combine> {
    words.modifiers.iter().find_map(|word| {
        Some(match *word {
            "and" => Combine::And,
            "or" => Combine::Or,
            "xor" => Combine::Xor,
            "exch" => Combine::Exchange,
            "cas" => Combine::CompareAndSwap,
            "add" => Combine::Add,
            "inc" => Combine::Inc,
            "dec" => Combine::Dec,
            "min" => Combine::Min,
            "max" => Combine::Max,
            _ => return None,
        })
    })
}

pub(super) fn atomic(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    if words.has("async") {
        return Err("an asynchronous reduction".to_string());
    }
    let combine = combine(words).ok_or("an atomic operation without a name")?;
    let ty = ty(words)?;
    let (to, rest) = match (words.stem, statement.args.as_slice()) {
        ("atom", [to, rest @ ..]) => (Some(to), rest),
        (_, rest) => (None, rest),
    };
    let [at, values @ ..] = rest else { return Err("an atomic operation on nothing".to_string()) };
    let at = decoder.address(at, space(words))?;
    if let [Operand::List(parts)] = values {
        let to = match to {
            Some(Operand::List(parts)) => decoder.sinks(parts)?,
            _ => parts.iter().map(|_| None).collect(),
        };
        return Ok(Op::ReduceVector { to, at, combine, ty, values: decoder.regs(parts)? });
    }
    let to = to.map(|to| decoder.sink(to)).transpose()?.flatten();
    let values = match values {
        [value] => [decoder.reg(value)?, 0],
        [value, other, ..] => [decoder.reg(value)?, decoder.reg(other)?],
        [] => return Err("an atomic operation without a value".to_string()),
    };
    if ty.kind == Kind::Tf32 || ty.bits == 128 {
        return Err("an atomic operation on this type".to_string());
    }
    Ok(Op::Atomic { to, at, combine, ty, values })
}

/// Between generic addresses and those of a state space, which lies at one place for every thread.
pub(super) fn address(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    if matches!(words.stem, "prefetch" | "prefetchu" | "applypriority") {
        return Ok(Op::Nothing);
    }
    let ([to, from], Some(space)) =
        (statement.args.as_slice(), words.modifiers.iter().find_map(|word| Space::named(word)))
    else {
        return Err(format!("`{}`", statement.name));
    };
    let (to, added) = (
        decoder.reg(to)?,
        match from {
            Operand::Sum(_, offset) => *offset as u64,
            _ => 0,
        },
    );
    let from = match from {
        Operand::Sum(base, _) => *base,
        other => decoder.reg(other)?,
    };
    let base = match space {
        Space::Shared => SHARED,
        Space::Local => LOCAL,
        _ => 0,
    };
    let map = match words.stem {
        "cvta" if words.has("to") => ops::map(move |a, _, _, _| a.wrapping_add(added).wrapping_sub(base)),
        "cvta" => ops::map(move |a, _, _, _| a.wrapping_add(added).wrapping_add(base)),
        "isspacep" => ops::map(move |a, _, _, _| u64::from(crate::memory::space_of(a) == space)),
        _ => None,
    };
    Ok(Op::Map { to, from: [from, 0, 0, 0], map: map.ok_or_else(|| format!("`{}`", statement.name))? })
}
