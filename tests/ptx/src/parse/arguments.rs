//! Operands as they are written (PTX ISA 6.1 to 6.4).

use super::tokens::{Placed, Token};
use super::{Wrong, wrong};

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Arg {
    /// A register, a variable, a label, with what is added to its address.
    Name(String, i64),
    Int(u64),
    F32(u32),
    F64(u64),
    /// `!%p1`
    Not(String),
    /// `_`
    Sink,
    /// `{a, b}`
    List(Vec<Arg>),
    /// `[a]`, `[a, {b, c}]`
    At(Vec<Arg>),
    /// `(a, b)`
    Group(Vec<Arg>),
    /// `a|b`
    Pair(Box<Arg>, Box<Arg>),
}

/// Reads operands, separated by commas, up to a sign, which is read, too.
pub(crate) fn until(tokens: &[Placed], at: &mut usize, end: char) -> Result<Vec<Arg>, Wrong> {
    let mut args = Vec::new();
    loop {
        let Some(next) = tokens.get(*at) else { return wrong(line(tokens, *at), format!("`{end}` is missing")) };
        match &next.token {
            Token::Sign(sign) if *sign == end => {
                *at += 1;
                return Ok(args);
            }
            Token::Sign(',') => *at += 1,
            Token::Sign('|') => {
                *at += 1;
                let second = one(tokens, at)?;
                let Some(first) = args.pop() else { return wrong(next.line, "nothing stands before `|`") };
                args.push(Arg::Pair(Box::new(first), Box::new(second)));
            }
            Token::Sign('+') => {
                *at += 1;
                let added = integer(tokens, at)?;
                match args.last_mut() {
                    Some(Arg::Name(_, offset)) => *offset = offset.wrapping_add(added),
                    _ => return wrong(next.line, "only to a name something is added"),
                }
            }
            _ => args.push(one(tokens, at)?),
        }
    }
}

fn line(tokens: &[Placed], at: usize) -> u32 {
    tokens.get(at).or(tokens.last()).map_or(1, |token| token.line)
}

/// An integer with its sign.
pub(crate) fn integer(tokens: &[Placed], at: &mut usize) -> Result<i64, Wrong> {
    match one(tokens, at)? {
        Arg::Int(value) => Ok(value as i64),
        other => wrong(line(tokens, *at), format!("an integer should stand where {other:?} does")),
    }
}

fn one(tokens: &[Placed], at: &mut usize) -> Result<Arg, Wrong> {
    let Some(token) = tokens.get(*at) else { return wrong(line(tokens, *at), "the text ends in a statement") };
    *at += 1;
    Ok(match &token.token {
        Token::Word(word) if word == "_" => Arg::Sink,
        Token::Word(word) => Arg::Name(word.clone(), 0),
        Token::Int(value) => Arg::Int(*value),
        Token::F32(bits) => Arg::F32(*bits),
        Token::F64(bits) => Arg::F64(*bits),
        Token::Sign('-') => match one(tokens, at)? {
            Arg::Int(value) => Arg::Int(value.wrapping_neg()),
            other => return wrong(token.line, format!("{other:?} cannot be negative")),
        },
        Token::Sign('!') => match one(tokens, at)? {
            Arg::Name(name, 0) => Arg::Not(name),
            other => return wrong(token.line, format!("{other:?} is no predicate")),
        },
        Token::Sign('{') => Arg::List(until(tokens, at, '}')?),
        Token::Sign('[') => Arg::At(until(tokens, at, ']')?),
        Token::Sign('(') => Arg::Group(until(tokens, at, ')')?),
        other => return wrong(token.line, format!("{other:?} is no operand")),
    })
}
