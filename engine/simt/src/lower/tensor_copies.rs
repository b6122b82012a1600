//! Copies from shared into tensor memory: matrices with a row for each lane, and scales of factors.

use super::context::Lower;
use super::number::Number;
use super::refs::{RefView, Shown};
use crate::Refusal;
use crate::ir::{MemoryId, Op, Scales, Space, TensorCopy, TensorProduct, TensorSource, Value};
use pallas_ir::op::AgentOp;
use pallas_ir::{OpData, OpKind, RefType, ValueId};
use pallas_tensor::DType;

/// What every copy of a matrix takes of a row.
const BYTES: usize = 32;
/// The most rows that have scales.
const MOST_ROWS: usize = 256;

impl Lower<'_> {
    /// Ops that take a Ref, or a part of it, with the position at which they take it.
    pub(crate) fn uses(&self, param: ValueId) -> Vec<(&OpData, usize)> {
        let mut shown = vec![param];
        let (mut seen, mut uses) = (0, Vec::new());
        while seen < shown.len() {
            for op in &self.function.ops {
                let Some(position) = op.operands.iter().position(|&operand| operand == shown[seen]) else { continue };
                uses.push((op, position));
                if position == 0 && matches!(op.op.kind, OpKind::Memory(_)) {
                    let views = op.results.iter().filter(|&&value| self.function.ty(value).as_ref_type().is_some());
                    shown.extend(views.copied());
                }
            }
            seen += 1;
        }
        uses
    }

    /// Tensor memory that has scales, if that is what a Ref is for.
    pub(crate) fn scales(&mut self, ty: &RefType, param: ValueId) -> Result<Option<RefView>, Refusal> {
        let is_copied = |op: &OpData| op.attributes.str("what") == Some("scales");
        let is_for_scales = self.uses(param).iter().any(|(op, position)| match op.op.kind {
            OpKind::Agent(AgentOp::CopyToTmem) => *position == 1 && is_copied(op),
            OpKind::Agent(AgentOp::Mma) => *position >= 4 && op.attributes.flag("scaled"),
            _ => false,
        });
        if !is_for_scales {
            return Ok(None);
        }
        let scales = match ty.shape[..] {
            [rows, count] if TensorProduct::terms_of_scale(ty.dtype).is_some() => Scales { rows, count },
            _ => return Err(self.unknown(&format!("scales of {} {}", ty.extents(), ty.dtype.name()))),
        };
        let [rows, count] = Scales::TILE;
        let fits = scales.rows.is_multiple_of(rows) && scales.count.is_multiple_of(count) && scales.rows <= MOST_ROWS;
        if !fits || scales.rows == 0 || scales.count == 0 {
            let why = format!("{} {} scales are not what tensor memory has", ty.extents(), ty.dtype.name());
            return Err(
                Refusal::new(why, self.b.span).with_help("rows come in 128s, up to 256, and scales of a row in fours")
            );
        }
        let number = self.b.kernel().memories.len();
        let memory = self.b.memory(format!("scales_{number}"), ty.dtype, scales.width(), Space::Tensor);
        self.teams.scales.insert(memory, scales);
        Ok(Some(RefView::whole(memory, &ty.shape, false)))
    }

    /// The scales of a factor, of which a product takes all.
    pub(crate) fn scales_of(&mut self, op: &OpData, position: usize) -> Result<(MemoryId, Scales), Refusal> {
        let view = self.reference(*op.operands.get(position).ok_or_else(|| self.malformed())?)?;
        let whole = |scales: &Scales| view.shape() == [scales.rows, scales.count];
        match self.teams.scales.get(&view.memory).copied() {
            Some(scales) if whole(&scales) => Ok((view.memory, scales)),
            _ => Err(self.refuse_because(op, "with a part of scales is not lowered yet")),
        }
    }

    /// The scales of both factors of a product.
    pub(crate) fn scales_of_factors(
        &mut self,
        op: &OpData,
        dtype: DType,
        [rows, columns, terms]: [usize; 3],
        in_lanes: bool,
    ) -> Result<[MemoryId; 2], Refusal> {
        let first = 4 + usize::from(op.attributes.flag("barrier"));
        let (left, of_left) = self.scales_of(op, first)?;
        let (right, of_right) = self.scales_of(op, first + 1)?;
        let [scale, other] = [left, right].map(|memory| self.b.kernel().memory(memory).dtype);
        let block = TensorProduct::terms_of_scale(scale).unwrap_or(TensorProduct::SCALED);
        let why = if !matches!(dtype, DType::F8E4M3Fn | DType::F8E5M2 | DType::F4E2M1Fn) {
            format!("of {} with scales is not what tensor cores take", dtype.name())
        } else if scale != other {
            format!("takes scales of one dtype, and has {} and {}", scale.name(), other.name())
        } else if dtype != DType::F4E2M1Fn && scale != DType::F8E8M0Fnu {
            format!("of {} takes scales of float8_e8m0fnu, not of {}", dtype.name(), scale.name())
        } else if rows != TensorProduct::LANES || in_lanes {
            "with scales takes 128 rows from shared memory; anything else is not lowered yet".to_string()
        } else if columns > TensorProduct::COLUMNS || !columns.is_multiple_of(32) {
            "with scales takes columns in 32s, up to 256".to_string()
        } else if of_left.count * block != terms || of_right.count != of_left.count {
            format!("of {terms} terms takes {} scales for each row of either factor", terms / block)
        } else if of_left.rows != rows || of_right.rows < columns {
            "takes a row of scales for each row of either factor".to_string()
        } else {
            return Ok([left, right]);
        };
        Err(self.refuse_because(op, &why))
    }

    pub(crate) fn lower_tensor_copy(&mut self, op: &OpData) -> Result<(), Refusal> {
        match op.attributes.str("what") {
            Some("scales") => self.by_leader(op, Self::copied_scales),
            Some("metadata") => self.copied_places(op),
            _ => self.by_leader(op, Self::copied_rows),
        }
    }

    fn copied_scales(&mut self, op: &OpData, first: Option<Value>) -> Result<(), Refusal> {
        let source = self.reference(op.operands[0])?;
        let (to, scales) = self.scales_of(op, 1)?;
        let shape = [scales.tiles(), scales.count / 4, Scales::LANES, 16];
        let is_dense = source.is_dense();
        let space = &self.b.kernel().memory(source.memory).space;
        let lies = matches!(space, Space::Shared | Space::Team) && !self.teams.panels.contains_key(&source.memory);
        if source.shape() != shape || !is_dense || !lies {
            let why = format!(
                "of scales that do not lie in shared memory as {shape:?}, one after the other, is not lowered yet"
            );
            return Err(self.refuse_because(op, &why));
        }
        let begin = self.begin_of(&source).value(&mut self.b);
        let column = Number::Known(0).value(&mut self.b);
        let extents = [scales.rows, scales.count];
        let copy = TensorCopy { to, from: TensorSource::Scales(source.memory), extents, pair: first.is_some() };
        self.b.add(Op::CopyTensor(copy), &[column, begin], &[], Vec::new());
        Ok(())
    }

    fn copied_rows(&mut self, op: &OpData, first: Option<Value>) -> Result<(), Refusal> {
        let (source, target) = (self.reference(op.operands[0])?, self.reference(op.operands[1])?);
        let (to, column, extents) = self.columns(op, &target)?;
        let (factor, begin) = self.factor(op, &source, 0)?;
        let bytes = extents[1] * self.b.kernel().memory(to).dtype.size_bytes();
        if !factor.terms_last || extents[0] != TensorProduct::LANES || !bytes.is_multiple_of(BYTES) {
            return Err(
                self.refuse_because(op, "that is not 128 rows of whole 32 bytes is not what tensor memory takes")
            );
        }
        let rows_only = source.dims.iter().all(|dim| !matches!(dim.shown, Shown::Range { step, .. } if step != 1));
        if !rows_only {
            return Err(self.refuse_because(op, "of every other row or column is not lowered yet"));
        }
        let copy = TensorCopy { to, from: TensorSource::Rows(factor), extents, pair: first.is_some() };
        self.b.add(Op::CopyTensor(copy), &[column, begin], &[], Vec::new());
        Ok(())
    }
}
