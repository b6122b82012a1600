//! Reads launches.

use super::parse::function;
use super::print_launch::role_name;
use super::words::{ParseError, Parsed, Parser};
use crate::interpretation::{DeviceOptions, Interpretation};
use crate::launch::{AxisSemantics, BlockDim, Launch, LaunchSpans, Meeting, Operand, OperandSpans, Role, Target};
use crate::types::MemorySpace;

/// Reads what [`super::print_launch`] prints.
///
/// # Errors
/// The first word that does not belong, with its line and column.
pub fn parse_launch(text: &str) -> Result<Launch, ParseError> {
    let mut parser = Parser::new(text)?;
    let launch = launch(&mut parser)?;
    parser.finish()?;
    Ok(launch)
}

/// `launch grid=[...] { ... }`.
pub(super) fn launch(parser: &mut Parser<'_>) -> Parsed<Launch> {
    parser.expect_word("launch")?;
    parser.expect_word("grid")?;
    parser.expect('=')?;
    let extents = parser.list('[', ']', |parser| match parser.accept_word("dynamic") {
        true => Ok(None),
        false => parser.size("the extent of a grid axis, or `dynamic`").map(Some),
    })?;
    let dynamic = extents.iter().enumerate().filter(|(_, extent)| extent.is_none()).map(|(axis, _)| axis).collect();
    let grid = extents.iter().map(|extent| extent.unwrap_or(1)).collect();
    let mut semantics = Vec::new();
    if parser.accept_word("semantics") {
        parser.expect('=')?;
        semantics =
            parser.list('[', ']', |parser| match AxisSemantics::ALL.iter().find(|s| parser.is_word(s.name())) {
                Some(&found) => {
                    parser.advance();
                    Ok(found)
                }
                None => parser.expected("`parallel`, `arbitrary`, `device`, `core`, `cluster` or `thread`"),
            })?;
    }
    let target = compiler(parser);
    let mut written_for = Target::Unsaid;
    if parser.accept_word("written_for") {
        parser.expect('=')?;
        written_for = compiler(parser);
    }
    let mut vmem_limit = None;
    if parser.accept_word("vmem_limit") {
        parser.expect('=')?;
        vmem_limit = Some(parser.size("a number of bytes")?);
    }
    let mut meeting = Meeting::default();
    if parser.accept_word("collective") {
        parser.expect('=')?;
        meeting.collective = Some(parser.int("a collective id")?);
    }
    meeting.skipped = parser.accept_word("skips_device_barrier");
    meeting.unused = parser.accept_word("collective_may_be_unused");
    let interpretation = match parser.accept_word("interpret") {
        true => interpretation(parser)?,
        false => Interpretation::Unsaid,
    };
    parser.expect('{')?;
    // A launch inside a function is a level too.
    parser.depth += 1;
    let (mut operands, mut scratch, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
    let kernel = loop {
        if parser.accept_word("scratch") {
            scratch.push(parser.ref_type()?);
        } else if parser.accept_word("alias") {
            let input = parser.size("the number of an input")?;
            if *parser.peek() != super::lex::Token::Arrow {
                return parser.expected("`->`");
            }
            parser.advance();
            aliases.push((input, parser.size("the number of an output")?));
        } else if parser.accept_word("kernel") {
            break function(parser)?;
        } else {
            operands.push(operand(parser)?);
        }
    };
    parser.expect('}')?;
    parser.depth -= 1;
    Ok(Launch {
        kernel,
        grid,
        dynamic,
        operands,
        scratch,
        aliases,
        semantics,
        target,
        written_for,
        vmem_limit,
        meeting,
        interpretation,
        staged: Vec::new(),
        spans: LaunchSpans::default(),
    })
}

/// One of the words for what a launch is compiled with, if one comes next.
fn compiler(parser: &mut Parser<'_>) -> Target {
    let said = Target::WORDS.iter().find(|(word, _)| parser.accept_word(word));
    said.map_or(Target::Unsaid, |&(_, target)| target)
}

/// `=plain`, `=device[eager, cores=2]`.
fn interpretation(parser: &mut Parser<'_>) -> Parsed<Interpretation> {
    parser.expect('=')?;
    if parser.accept_word("plain") {
        return Ok(Interpretation::Plain);
    }
    parser.expect_word("device")?;
    let mut options = DeviceOptions::default();
    parser.list('[', ']', |parser| {
        let word = parser.word("an option")?;
        let number = match parser.accept('=') {
            true => u32::try_from(parser.size("a number")?).ok(),
            false => None,
        };
        match options.set(&word, number) {
            true => Ok(()),
            false => Err(parser.error(
                "expected `eager`, `zeroed`, `lenient`, `races`, `skips_floats`, `padded`, `cores=`, `seed=` or `recorder=`",
            )),
        }
    })?;
    Ok(Interpretation::Device(options))
}

fn operand(parser: &mut Parser<'_>) -> Parsed<Operand> {
    let roles = [Role::Prefetch, Role::Input, Role::Output];
    let Some(&role) = roles.iter().find(|role| parser.is_word(role_name(**role))) else {
        return parser.expected("`prefetch`, `input`, `output`, `scratch`, `alias` or `kernel`");
    };
    parser.advance();
    let name = parser.symbol("the operand's name, such as `@x`")?;
    parser.expect(':')?;
    let array = parser.tensor_type()?;
    parser.expect_word("block")?;
    parser.expect('=')?;
    let block = parser.list('[', ']', block_dimension)?;
    let mut space = MemorySpace::Default;
    if parser.accept_word("space") {
        parser.expect('=')?;
        space = parser.space()?;
    }
    let mut buffers = None;
    if parser.accept_word("buffers") {
        parser.expect('=')?;
        buffers = Some(parser.size("the number of buffer slots")?);
    }
    let index_map = match parser.accept_word("map") {
        true => Some(function(parser)?),
        false => None,
    };
    Ok(Operand { name, role, array, block, index_map, space, buffers, spans: OperandSpans::default() })
}

pub(super) fn block_dimension(parser: &mut Parser<'_>) -> Parsed<BlockDim> {
    if parser.accept_word("squeezed") {
        return Ok(BlockDim::Squeezed);
    }
    if parser.accept_word("element") {
        parser.expect('(')?;
        let size = parser.size("the number of elements")?;
        parser.expect(',')?;
        let low = parser.size("the padding before")?;
        parser.expect(',')?;
        let high = parser.size("the padding after")?;
        parser.expect(')')?;
        return Ok(BlockDim::Element { size, low, high });
    }
    parser.size("a block size, `squeezed` or `element(...)`").map(BlockDim::Blocked)
}
