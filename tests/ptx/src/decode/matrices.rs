//! Products of matrices, and their fragments (PTX ISA 9.7.14, 9.7.15).

use super::{Decoded, Decoder};
use crate::inst::Op;
use crate::ops::Words;
use crate::ops::products::Matrices;
use crate::parse::Statement;
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
        _ => Err(unknown()),
    }
}

/// `m16n8k16`
pub(super) fn shape(word: &str) -> Option<(usize, usize, usize)> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}
