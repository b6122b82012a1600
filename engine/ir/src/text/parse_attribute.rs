//! Reads what ops carry: attributes, and the static entries of subscripts.

use super::lex::Token;
use super::parse_launch::launch;
use super::pipeline::pipeline;
use super::words::{Parsed, Parser};
use crate::attribute::{Attribute, Attributes, DimIndex, Position};
use crate::op::Op;
use std::sync::Arc;

/// The distance of elements in a slice.
pub(super) fn stride(parser: &mut Parser<'_>) -> Parsed<usize> {
    let at = parser.next;
    match parser.size("the distance of elements")? {
        0 => Err(parser.error_at(at, "the distance of elements is at least 1")),
        stride => Ok(stride),
    }
}

/// `3`, `0:8` or `0:8:2`.
pub(super) fn static_dimension(parser: &mut Parser<'_>) -> Parsed<DimIndex> {
    let start = parser.int("a position")?;
    if !parser.accept(':') {
        return Ok(DimIndex::At(Position::Static(start)));
    }
    let at = parser.next;
    let end = parser.int("the end of the slice")?;
    let stride = match parser.accept(':') {
        true => stride(parser)?,
        false => 1,
    };
    let span = i128::from(end) - i128::from(start);
    let size =
        usize::try_from(span).map_err(|_| parser.error_at(at, "the slice ends before it begins"))?.div_ceil(stride);
    Ok(DimIndex::Slice { start: Position::Static(start), size, stride })
}

/// `name=value`, the name one of the op's.
pub(super) fn attribute(parser: &mut Parser<'_>, op: Op, attributes: &mut Attributes) -> Parsed<()> {
    let at = parser.next;
    let name = parser.word("an attribute")?;
    let Some(&known) = op.attributes.iter().find(|known| **known == name) else {
        let known = match op.attributes {
            [] => "no attributes".into(),
            names => names.join(", "),
        };
        return Err(parser.error_at(at, format!("{} has no attribute `{name}`; it takes {known}", op.name)));
    };
    if attributes.get(known).is_some() {
        return Err(parser.error_at(at, format!("the attribute `{name}` is given twice")));
    }
    parser.expect('=')?;
    let value = match parser.peek().clone() {
        Token::Mark('[') => lists(parser)?,
        Token::Text(text) => {
            parser.next += 1;
            Attribute::Str(text.into())
        }
        Token::Int(_) => Attribute::Int(parser.int("an integer")?),
        Token::Float(value) => {
            parser.next += 1;
            Attribute::Float(value)
        }
        Token::Word(word) => match word.as_str() {
            "true" | "false" => {
                parser.next += 1;
                Attribute::Bool(word == "true")
            }
            "launch" => Attribute::Launch(Arc::new(launch(parser)?)),
            "pipeline" => Attribute::Pipeline(Arc::new(pipeline(parser)?)),
            "dense" => {
                let data = parser.data()?;
                parser.expect(':')?;
                let ty = parser.tensor_type()?;
                Attribute::Array(parser.array(&data, &ty)?)
            }
            _ => Attribute::DType(parser.dtype()?),
        },
        _ => return parser.expected("the value of an attribute"),
    };
    *attributes = std::mem::take(attributes).with(known, value);
    Ok(())
}

/// `[0, 1]` or `[[0], [1]]`.
fn lists(parser: &mut Parser<'_>) -> Parsed<Attribute> {
    if *parser.peek_second() == Token::Mark('[') {
        let lists = parser.list('[', ']', |parser| parser.list('[', ']', |parser| parser.int("an integer")))?;
        return Ok(Attribute::IntLists(lists));
    }
    let ints = parser.list('[', ']', |parser| parser.int("an integer"))?;
    Ok(Attribute::Ints(ints))
}
