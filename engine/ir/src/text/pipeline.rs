//! The attribute of pipeline ops as text:
//! `pipeline(grid=[4, dynamic], offsets=true, input @x block=[16, squeezed] slots=2, output @o block=[16, 128] whole)`.

use super::parse_launch::block_dimension;
use super::print::write_symbol;
use super::print_launch::{role_name, write_block};
use super::words::{Parsed, Parser};
use crate::launch::{OperandSpans, Role};
use crate::pipeline::{Pipeline, PipelineOperand, Window};
use std::fmt::Write;

/// Prints it.
pub(super) fn write_pipeline(out: &mut String, pipeline: &Pipeline) {
    let extents = pipeline.grid.iter().map(|extent| extent.map_or("dynamic".to_string(), |n| n.to_string()));
    // Writing to a string does not fail.
    let _ = write!(out, "pipeline(grid=[{}]", extents.collect::<Vec<_>>().join(", "));
    for (word, set) in [("offsets", pipeline.offsets), ("synchronous", pipeline.synchronous)] {
        if set {
            let _ = write!(out, ", {word}=true");
        }
    }
    for operand in &pipeline.operands {
        let _ = write!(out, ", {} ", role_name(operand.role));
        write_symbol(out, &operand.name);
        out.push_str(" block=[");
        write_block(out, &operand.block);
        out.push(']');
        let _ = match operand.window {
            Window::Slots { count, lookahead } => {
                write!(out, " slots={count}{}", if lookahead { " lookahead" } else { "" })
            }
            Window::Whole => write!(out, " whole"),
            Window::InPlace => write!(out, " in_place"),
        };
    }
    out.push(')');
}

/// Reads it.
pub(super) fn pipeline(parser: &mut Parser<'_>) -> Parsed<Pipeline> {
    parser.expect_word("pipeline")?;
    parser.expect('(')?;
    parser.expect_word("grid")?;
    parser.expect('=')?;
    let grid = parser.list('[', ']', |parser| match parser.accept_word("dynamic") {
        true => Ok(None),
        false => parser.size("the extent of a grid axis, or `dynamic`").map(Some),
    })?;
    let mut found = Pipeline { grid, offsets: false, synchronous: false, operands: Vec::new() };
    while parser.accept(',') {
        match (parser.accept_word("offsets"), parser.accept_word("synchronous")) {
            (false, false) => found.operands.push(operand(parser)?),
            (offsets, synchronous) => {
                parser.expect('=')?;
                parser.expect_word("true")?;
                found.offsets |= offsets;
                found.synchronous |= synchronous;
            }
        }
    }
    parser.expect(')')?;
    Ok(found)
}

fn operand(parser: &mut Parser<'_>) -> Parsed<PipelineOperand> {
    let Some(&role) = [Role::Input, Role::Output].iter().find(|role| parser.is_word(role_name(**role))) else {
        return parser.expected("`input` or `output`");
    };
    parser.advance();
    let name = parser.symbol("the operand's name, such as `@x`")?;
    parser.expect_word("block")?;
    parser.expect('=')?;
    let block = parser.list('[', ']', block_dimension)?;
    let window = if parser.accept_word("whole") {
        Window::Whole
    } else if parser.accept_word("in_place") {
        Window::InPlace
    } else {
        parser.expect_word("slots")?;
        parser.expect('=')?;
        let count = parser.size("the number of buffer slots")?;
        Window::Slots { count, lookahead: parser.accept_word("lookahead") }
    };
    Ok(PipelineOperand { name, role, block, window, spans: OperandSpans::default() })
}
