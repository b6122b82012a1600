//! Variables (PTX ISA 5.4): where they lie, how large they are, what they hold at first.

use super::arguments::{Arg, until};
use super::tokens::{Placed, Token};
use super::{Wrong, wrong};
use crate::types::Type;

/// A variable as it is declared.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) align: usize,
    pub(crate) bytes: usize,
    /// Whether its size is not said: dynamic shared memory.
    pub(crate) open: bool,
    /// What it holds: numbers, and names of other variables by their position.
    pub(crate) initial: Vec<u8>,
    pub(crate) addresses: Vec<(usize, String)>,
}

/// Reads a declaration after its state space up to `end` (`;`, `,` or `)`), which stays.
pub(crate) fn variable(tokens: &[Placed], at: &mut usize) -> Result<Variable, Wrong> {
    let line = tokens.get(*at).map_or(0, |token| token.line);
    let (mut align, mut ty, mut vector) = (None, None, 1);
    let name = loop {
        let Some(Placed { token: Token::Word(word), .. }) = tokens.get(*at) else {
            return wrong(line, "a declaration without a name");
        };
        *at += 1;
        match word.as_str() {
            ".align" => {
                let Some(Placed { token: Token::Int(value), .. }) = tokens.get(*at) else {
                    return wrong(line, "`.align` without a number");
                };
                align = Some(*value as usize);
                *at += 1;
            }
            ".v2" => vector = 2,
            ".v4" => vector = 4,
            ".ptr" | ".global" | ".shared" | ".const" | ".local" | ".attribute" => {}
            word if word.starts_with('.') => match Type::named(&word[1..]) {
                Some(named) => ty = Some(named),
                None => return wrong(line, format!("`{word}` in a declaration is not known here")),
            },
            name => break name.to_string(),
        }
    };
    let Some(ty) = ty else { return wrong(line, format!("`{name}` has no type")) };
    let (mut count, mut open) = (vector, false);
    while let Some(Placed { token: Token::Sign('['), .. }) = tokens.get(*at) {
        *at += 1;
        match until(tokens, at, ']')?.as_slice() {
            [] => open = true,
            [Arg::Int(extent)] => count *= *extent as usize,
            other => return wrong(line, format!("{other:?} is no extent")),
        }
    }
    let size = ty.bytes();
    let mut variable = Variable {
        name,
        align: align.unwrap_or(size * vector).max(1),
        bytes: if open { 0 } else { count * size },
        open,
        initial: Vec::new(),
        addresses: Vec::new(),
    };
    if let Some(Placed { token: Token::Sign('='), .. }) = tokens.get(*at) {
        *at += 1;
        initial(&mut variable, tokens, at, size)?;
    }
    Ok(variable)
}

fn initial(variable: &mut Variable, tokens: &[Placed], at: &mut usize, size: usize) -> Result<(), Wrong> {
    let line = tokens.get(*at).map_or(0, |token| token.line);
    let values = match tokens.get(*at).map(|token| &token.token) {
        Some(Token::Sign('{')) => {
            *at += 1;
            until(tokens, at, '}')?
        }
        _ => {
            let end = tokens[*at..].iter().position(|token| token.token == Token::Sign(';')).unwrap_or(0);
            let values = until(&tokens[..=*at + end], at, ';')?;
            *at -= 1;
            values
        }
    };
    flat(variable, &values, size, line)?;
    variable.bytes = variable.bytes.max(variable.initial.len());
    variable.initial.resize(variable.bytes, 0);
    Ok(())
}

fn flat(variable: &mut Variable, values: &[Arg], size: usize, line: u32) -> Result<(), Wrong> {
    for value in values {
        let bits = match value {
            Arg::Int(bits) | Arg::F64(bits) => *bits,
            Arg::F32(bits) => u64::from(*bits),
            Arg::Name(name, offset) => {
                variable.addresses.push((variable.initial.len(), name.clone()));
                *offset as u64
            }
            Arg::List(values) => {
                flat(variable, values, size, line)?;
                continue;
            }
            other => return wrong(line, format!("{other:?} is no value of a variable")),
        };
        variable.initial.extend(&bits.to_le_bytes()[..size.min(8)]);
    }
    Ok(())
}
