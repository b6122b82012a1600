//! Questions to the grid, and prints.

use super::context::Lower;
use super::number::Number;
use crate::Refusal;
use crate::ir::Op;
use pallas_ir::OpData;
use pallas_ir::op::ProgramOp;

/// The text between fields, and which operand each field shows, as interpret mode reads a format: `{}`, `{0}` and `{name}` are fields,
/// `{{` and `}}` braces; what no field shows comes at the end.
fn fields(format: &str, count: usize) -> (Vec<String>, Vec<usize>) {
    let (mut pieces, mut order, mut text, mut next) = (Vec::new(), Vec::new(), String::new(), 0);
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}').filter(|_| brace == "{") else {
            text.push_str(brace);
            continue;
        };
        let field = &rest[..end];
        let name = field.split([':', '!']).next().unwrap_or_default();
        let number = name.parse().unwrap_or_else(|_| {
            next += 1;
            next - 1
        });
        if number < count {
            pieces.push(std::mem::take(&mut text));
            order.push(number);
        } else {
            text.push_str(&format!("{{{field}}}"));
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    for number in (0..count).filter(|number| !order.contains(number)).collect::<Vec<_>>() {
        let begins = text.is_empty() && pieces.is_empty();
        if !begins && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        pieces.push(std::mem::take(&mut text));
        order.push(number);
    }
    pieces.push(text);
    (pieces, order)
}

impl Lower<'_> {
    pub(crate) fn lower_program(&mut self, op: &OpData, question: ProgramOp) -> Result<(), Refusal> {
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(usize::MAX);
        let number = match question {
            ProgramOp::ProgramId => self.ids.get(axis).copied(),
            ProgramOp::NumPrograms => self.grid.get(axis).map(|&extent| Number::Known(extent as i64)),
        };
        let number = number.ok_or_else(|| self.refuse_because(op, "asks for an axis that the grid does not have"))?;
        let value = number.value(&mut self.b);
        self.set(op, value);
        Ok(())
    }

    /// Scalars only: the elements of a tile are with many threads.
    pub(crate) fn lower_print(&mut self, op: &OpData) -> Result<(), Refusal> {
        let format = op.attributes.str("format").unwrap_or_default().to_string();
        let mut operands = Vec::new();
        for &operand in &op.operands {
            let tile = self.held(operand)?;
            if tile.shape.iter().product::<usize>() != 1 {
                return Err(self.refuse_because(op, "of a tile is not lowered yet, only of scalars"));
            }
            operands.push(tile.value);
        }
        let (pieces, order) = fields(&format, operands.len());
        let operands: Vec<_> = order.into_iter().map(|number| operands[number]).collect();
        self.b.add(Op::Print(pieces), &operands, &[], Vec::new());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::fields;

    fn read(format: &str, count: usize) -> (Vec<String>, Vec<usize>) {
        fields(format, count)
    }

    #[test]
    fn fields_are_read_as_interpret_mode_reads_them() {
        assert_eq!(read("x[{index}] = {value:.2f}", 2), (vec!["x[".into(), "] = ".into(), String::new()], vec![0, 1]));
        assert_eq!(read("{1} {{{0}}}", 2).1, [1, 0]);
        assert_eq!(read("{1} {{{0}}}", 2).0, ["", " {", "}"]);
        assert_eq!(read("value", 1), (vec!["value ".into(), String::new()], vec![0]));
        assert_eq!(read("{} {}", 1).0, ["", " {}"]);
    }
}
