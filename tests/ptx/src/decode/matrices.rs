//! Products of matrices, and their fragments (PTX ISA 9.7.14, 9.7.15).

use super::{Decoded, Decoder};
use crate::asynchronous::{Factor, Product};
use crate::inst::Op;
use crate::ops::Words;
use crate::ops::products::Matrices;
use crate::parse::{Operand, Statement};
use crate::types::{Space, Type};

pub(super) fn decode(decoder: &mut Decoder<'_>, words: &Words<'_>, statement: &Statement) -> Decoded {
    let unknown = || format!("`{}`", statement.name);
    let turned = words.has("trans");
    match (words.stem, statement.args.as_slice()) {
        ("ldmatrix", [to, at]) if words.has("m8n8") && words.has("b16") => {
            Ok(Op::LoadMatrix { to: decoder.list(to)?, at: decoder.address(at, Space::Shared)?, turned })
        }
        ("stmatrix", [at, from]) if words.has("m8n8") && words.has("b16") => {
            Ok(Op::StoreMatrix { at: decoder.address(at, Space::Shared)?, from: decoder.list(from)?, turned })
        }
        ("mma", [d, a, b, c]) if words.has("sync") && !words.has("sp") => {
            let (m, n, k) = words.modifiers.iter().find_map(|word| shape(word)).ok_or_else(unknown)?;
            let [td, ta, tb, tc] = words.types().collect::<Vec<Type>>()[..] else { return Err(unknown()) };
            if !words.has("row") || !words.has("col") || td != tc {
                return Err(unknown());
            }
            let [d, a, b, c] = [d, a, b, c].map(|operand| decoder.list(operand));
            let matrices = Matrices {
                shape: [m, n, k],
                types: [ta, tb, td],
                registers: [a?, b?, c?, d?],
                saturates: words.has("satfinite"),
            };
            matrices.fits().then(|| Op::Multiply(Box::new(matrices))).ok_or_else(unknown)
        }
        ("wgmma", _) if words.has("fence") => Ok(Op::Nothing),
        ("wgmma", []) if words.has("commit_group") => Ok(Op::Product(Box::new(Product::Commit))),
        ("wgmma", [pending]) if words.has("wait_group") => {
            Ok(Op::Product(Box::new(Product::Wait(decoder.number(pending)? as u32))))
        }
        ("wgmma", [sums, left, right, adds, rest @ ..]) if words.has("mma_async") && !words.has("sp") => {
            let (m, columns, k) = words.modifiers.iter().find_map(|word| shape(word)).ok_or_else(unknown)?;
            let [sum, ty, other] = words.types().collect::<Vec<Type>>()[..] else { return Err(unknown()) };
            let wanted = Type::named(if ty.integer() { "s32" } else { "f32" });
            if m != 64 || ty != other || words.has("satfinite") || wanted != Some(sum) || k * ty.bytes() != 32 {
                return Err(unknown());
            }
            // Signs of both factors, and which of those in shared memory are turned.
            let said = rest.iter().map(|said| decoder.number(said)).collect::<Result<Vec<u64>, _>>()?;
            let negative = |number: usize| said.get(number).is_some_and(|said| *said as u32 == u32::MAX);
            let turned = |number: usize| said.get(number).is_some_and(|said| *said == 1);
            let (left, turned) = match left {
                Operand::List(regs) => (Factor::Registers(decoder.regs(regs)?), [false, turned(2)]),
                other => (Factor::Described(decoder.reg(other)?), [turned(2), turned(3)]),
            };
            let sums = decoder.list(sums)?;
            if sums.len() != columns / 2 || matches!(&left, Factor::Registers(regs) if regs.len() != 4) {
                return Err(unknown());
            }
            let (right, adds) = (decoder.reg(right)?, decoder.predicate(adds)?);
            let negates = [negative(0), negative(1)];
            Ok(Op::Product(Box::new(Product::Multiply { columns, ty, sums, left, right, adds, negates, turned })))
        }
        _ => Err(unknown()),
    }
}

/// `m16n8k16`
pub(super) fn shape(word: &str) -> Option<(usize, usize, usize)> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}
