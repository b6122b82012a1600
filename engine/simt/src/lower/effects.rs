//! Questions to the grid, and prints.

use super::context::{Lower, Tile};
use super::number::Number;
use crate::Refusal;
use crate::ir::{Op, Value};
use pallas_ir::op::ProgramOp;
use pallas_ir::{OpData, print_fields};
use pallas_tensor::{DType, Scalar};

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

    /// Scalars in one line. The elements of a tile are with many threads: each is a line, in which the place in the tile stands before
    /// it, `x = [0, 1]: 2.5`, as Mosaic GPU prints arrays.
    pub(crate) fn lower_print(&mut self, op: &OpData) -> Result<(), Refusal> {
        let format = op.attributes.str("format").unwrap_or_default().to_string();
        let mut operands = Vec::new();
        for &operand in &op.operands {
            operands.push(self.held(operand)?);
        }
        let (pieces, order) = print_fields(&format, operands.len());
        let operands: Vec<Tile> = order.into_iter().map(|number| operands[number].clone()).collect();
        let Some(first) = operands.iter().find(|operand| !is_scalar(operand)) else {
            let values: Vec<_> = operands.iter().map(|operand| operand.value).collect();
            self.b.add(Op::Print { pieces, masked: false }, &values, &[], Vec::new());
            return Ok(());
        };
        let (shape, layout) = (first.shape.clone(), first.layout.clone());
        if operands.iter().any(|operand| !is_scalar(operand) && operand.shape != shape) {
            return Err(
                self.refuse_because(op, "of tiles of several shapes is not lowered: print each by a call of its own")
            );
        }
        let coords: Vec<Value> = (0..shape.len()).map(|dim| self.b.coord(&layout, dim)).collect();
        let (mut values, mut texts, mut text) = (Vec::new(), Vec::new(), String::new());
        let mut pieces = pieces.into_iter();
        for operand in operands {
            text.extend(pieces.next());
            if is_scalar(&operand) {
                values.push(operand.value);
            } else {
                for (dim, &coord) in coords.iter().enumerate() {
                    text.push_str(if dim == 0 { "[" } else { ", " });
                    texts.push(std::mem::take(&mut text));
                    values.push(coord);
                }
                text.push_str("]: ");
                values.push(self.relaid(&operand, &layout));
            }
            texts.push(std::mem::take(&mut text));
        }
        text.extend(pieces);
        texts.push(text);
        let elements = self.elements(&layout);
        let mask = self.once(&layout, elements);
        values.push(mask.unwrap_or_else(|| self.b.constant(DType::Bool, Scalar::Bool(true), layout.registers())));
        self.b.add(Op::Print { pieces: texts, masked: true }, &values, &[], Vec::new());
        Ok(())
    }
}

fn is_scalar(tile: &Tile) -> bool {
    tile.shape.iter().product::<usize>() == 1
}
