//! Ops on numbers: scalars of `int32`, `float32` and flags that are computed from program ids, carried from round to round or read
//! from tables. Their results stand in registers by value: a tile of one element is allocated, and a kernel of small programs does
//! little else.

use super::{Finder, Known, Yields};
use crate::tape::NumberOp;
use pallas_ir::op::{ControlOp, MemoryOp, ProgramOp};
use pallas_ir::{DimIndex, Op, OpId, OpKind, ValueId, ops};
use pallas_tensor::DType;
use pallas_tensor::ops::{BinaryOp, CompareOp};

impl Finder<'_> {
    /// Finds them, once it is known who reads what.
    pub(super) fn numbers(&mut self, yields: Yields) {
        let function = self.known.function;
        let tiles: &[ValueId] = match yields {
            Yields::Tiles => &function.region(function.body).yields,
            Yields::Numbers => &[],
        };
        for region in &self.known.function.regions {
            for &id in &region.ops {
                let taken = self.known.is_skipped(id)
                    || self.fusion.absorbed.contains(&id)
                    || self.fusion.groups.contains_key(&id)
                    || self.known.reciprocals.contains(&id)
                    || self.result(id).is_some_and(|(result, _)| tiles.contains(&result));
                let Some((result, _)) = self.result(id).filter(|_| !taken) else { continue };
                let takes = |reader: &Option<OpId>| reader.is_none_or(|reader| self.takes_number(reader));
                if !self.readers[result.0 as usize].iter().all(takes) {
                    continue;
                }
                if let Some(op) = number(&self.known, id) {
                    self.fusion.numbers.insert(id, op);
                } else if is_element(&self.known, id) {
                    self.fusion.elements.insert(id);
                    self.fusion.windows.remove(&id);
                }
            }
        }
    }

    /// Whether the step of an op takes a value from its register without asking for a tile to lie there.
    fn takes_number(&self, reader: OpId) -> bool {
        match self.known.function.op(reader).op.kind {
            OpKind::Control(kind) => kind != ControlOp::Pipeline,
            OpKind::Agent(_) => false,
            _ => !self.fusion.products.contains_key(&reader),
        }
    }
}

/// Whether an op loads one integer.
fn is_element(known: &Known<'_>, id: OpId) -> bool {
    let op = known.function.op(id);
    let reference = op.operands.first().and_then(|&reference| known.function.ty(reference).as_ref_type());
    matches!(op.op.kind, OpKind::Memory(MemoryOp::Load))
        && reference.is_some_and(|ty| ty.dtype == DType::I32)
        && ["masked", "other", "padded"].iter().all(|flag| !op.attributes.flag(flag))
        && op.attributes.index().is_some_and(|index| index.0.iter().all(|dim| matches!(dim, DimIndex::At(_))))
}

/// What an op does to numbers, if it takes them and gives one.
fn number(known: &Known<'_>, id: OpId) -> Option<NumberOp> {
    let op = known.function.op(id);
    let dtype = |value: ValueId| known.tensor(value).filter(|ty| ty.shape.rank() == 0).map(|ty| ty.dtype);
    let result = dtype(*op.results.first()?)?;
    if let OpKind::Program(kind) = op.op.kind {
        let axis = op.attributes.int("axis").and_then(|axis| usize::try_from(axis).ok())?;
        return (result == DType::I32).then_some(match kind {
            ProgramOp::ProgramId => NumberOp::ProgramId(axis),
            ProgramOp::NumPrograms => NumberOp::NumPrograms(axis),
        });
    }
    let reads = known.reads(id);
    let floats = result == DType::F32 && reads.iter().all(|&value| dtype(value) == Some(DType::F32));
    if let Some(contraction) = known.contractions.get(&id) {
        let (form, divides) = (contraction.form, contraction.divides);
        return (floats && reads.len() == 3).then_some(NumberOp::MultiplyAdd { form, divides });
    }
    let binary = || BinaryOp::all().find(|known| known.name() == op.op.name);
    let all = |reads: &[ValueId], wanted: DType| reads.iter().all(|&value| dtype(value) == Some(wanted));
    let (integers, flags) = (all(&reads, DType::I32), all(&reads, DType::Bool));
    let found = match (reads.len(), result) {
        (1, DType::I32 | DType::Bool) if op.op == Op(&ops::CONVERT_ELEMENT_TYPE) => {
            let known = matches!(dtype(reads[0]), Some(DType::I32 | DType::Bool));
            known.then_some(if result == DType::Bool { NumberOp::Flag } else { NumberOp::Integer })
        }
        (2, DType::I32) if integers && ops::is_elementwise_binary(op.op) => {
            binary().filter(|found| found.accepts(DType::I32)).map(NumberOp::Binary)
        }
        (2, DType::F32) if floats && ops::is_elementwise_binary(op.op) => {
            binary().filter(|found| found.accepts(DType::F32)).map(NumberOp::Float)
        }
        (2, DType::Bool) if integers || flags => {
            let compared = CompareOp::all().find(|known| known.name() == op.op.name).map(NumberOp::Compare);
            compared.or_else(|| binary().filter(|found| flags && found.accepts(DType::Bool)).map(NumberOp::Flags))
        }
        (1, DType::I32) if integers && op.op == Op(&ops::SIGN) => Some(NumberOp::Sign),
        (3, DType::I32 | DType::Bool | DType::F32) if op.op == Op(&ops::SELECT_N) => {
            let (which, cases) = reads.split_first()?;
            (dtype(*which) == Some(DType::Bool) && all(cases, result)).then_some(NumberOp::Select(result))
        }
        _ => None,
    };
    found.filter(|_| matches!(op.op.kind, OpKind::Pure { .. }))
}
