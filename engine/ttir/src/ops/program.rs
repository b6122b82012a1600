//! Questions to the grid, and prints.

use super::{Results, one};
use crate::Refusal;
use crate::lower::Lowering;
use pallas_ir::op::{EffectOp, ProgramOp};
use pallas_ir::{OpData, OpKind};
use pallas_tensor::Kind;
use smallvec::smallvec;

/// The family.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: &OpData) -> Result<Option<Results>, Refusal> {
    match op.op.kind {
        OpKind::Program(question) => {
            let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok()).unwrap_or(0);
            let tile = match question {
                ProgramOp::ProgramId => lowering.programs.get(axis).cloned(),
                // Known, and right also where Triton's axes are not those of the grid.
                ProgramOp::NumPrograms => match lowering.grid.get(axis) {
                    Some(&extent) => Some(lowering.emitter.index(extent as i64)?),
                    None => None,
                },
            };
            tile.map(|tile| Ok(one(tile))).unwrap_or_else(|| Err(Refusal::new(format!("the grid has no axis {axis}"))))
        }
        OpKind::Effect(EffectOp::DebugPrint) => {
            let format = op.attributes.str("format").unwrap_or_default();
            if format.contains(['{', '}']) {
                return Err(Refusal::new(
                    "pl.debug_print() does not support placeholders when lowering to Triton: values are printed after the text",
                ));
            }
            let tiles = lowering.tiles(op)?;
            let signs: Vec<String> =
                tiles.iter().map(|tile| u8::from(tile.dtype.kind() == Kind::Signed).to_string()).collect();
            let names: Vec<String> = tiles.iter().map(|tile| tile.name.to_string()).collect();
            let types: Vec<String> = tiles.iter().map(|tile| tile.ty()).collect();
            let signs =
                if signs.is_empty() { "array<i32>".to_string() } else { format!("array<i32: {}>", signs.join(", ")) };
            let arguments = match tiles.is_empty() {
                true => String::new(),
                false => format!(" : {} : {}", names.join(", "), types.join(", ")),
            };
            let text = format.escape_default();
            lowering.emitter.line(&format!("tt.print \" {text} \" {{hex = false, isSigned = {signs}}}{arguments}"));
            Ok(Some(smallvec![]))
        }
        _ => Ok(None),
    }
}
