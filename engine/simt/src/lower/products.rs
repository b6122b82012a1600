//! Products of warpgroups (`wgmma`): accumulators stay in registers from the beginning of their scope to its end, factors are read by
//! tensor cores from shared memory, where they lie in panels, or come from registers. A read of an accumulator waits for its products.

use super::context::{Lower, Tile};
use super::refs::RefView;
use super::transfers::Panels;
use crate::Refusal;
use crate::ir::{Factor, MemoryId, Op, Product, Space, Ty, Value};
use crate::layout::{Layout, log2};
use pallas_ir::op::AgentOp;
use pallas_ir::{Function, OpData, OpKind, RefType, Type, ValueId};
use pallas_tensor::{DType, Scalar};

/// How the accumulator is dealt of warpgroups that share rows and columns ([`Product::groups`]).
pub(crate) fn sums([rows, columns]: [usize; 2], groups: [usize; 2]) -> Layout {
    let (row, column) = (|bit: usize| 1u32 << (log2(columns) + bit), |bit: usize| 1u32 << bit);
    let own = [log2(rows) - log2(groups[0]), log2(columns) - log2(groups[1])];
    let regs = [1, row(3)].into_iter().chain((3..own[1]).map(column)).chain((6..own[0]).map(row));
    let threads = [2, 4, row(0), row(1), row(2), row(4), row(5)].into_iter();
    let threads = threads.chain((own[0]..log2(rows)).map(row)).chain((own[1]..log2(columns)).map(column));
    Layout { shape: [rows, columns].as_slice().into(), regs: regs.collect(), threads: threads.collect() }
}

/// How a left factor in registers is dealt.
pub(crate) fn left([rows, terms]: [usize; 2], per_word: usize, groups: [usize; 2]) -> Layout {
    let (row, term) = (|bit: usize| 1u32 << (log2(terms) + bit), |bit: usize| 1u32 << bit);
    let (word, own) = (log2(per_word), log2(rows) - log2(groups[0]));
    let within = (0..word).map(term).chain([row(3), term(word + 2)]);
    let regs = within.chain((word + 3..log2(terms)).map(term)).chain((6..own).map(row));
    let threads = [term(word), term(word + 1), row(0), row(1), row(2), row(4), row(5)].into_iter();
    // Warpgroups that share columns have the same rows.
    let threads = threads.chain((own..log2(rows)).map(row)).chain((0..log2(groups[1])).map(|_| 0));
    Layout { shape: [rows, terms].as_slice().into(), regs: regs.collect(), threads: threads.collect() }
}

/// The accumulator of a product, and how it is dealt; `None` if it does not fit.
pub(crate) fn accumulates(function: &Function, op: &OpData) -> Option<(ValueId, Layout)> {
    if !matches!(op.op.kind, OpKind::Agent(AgentOp::Product)) {
        return None;
    }
    let acc = *op.operands.first()?;
    let &[rows, columns] = &function.ty(acc).shape()[..] else { return None };
    fits(rows, columns).then(|| (acc, sums([rows, columns], [1, 1])))
}

fn fits(rows: usize, columns: usize) -> bool {
    rows >= Product::ROWS && columns >= 8 && rows.is_power_of_two() && columns.is_power_of_two()
}

impl Lower<'_> {
    /// An accumulator, which begins with zeros.
    pub(crate) fn accumulator(&mut self, ty: &RefType) -> Result<RefView, Refusal> {
        let layout = match ty.shape[..] {
            [rows, columns] if fits(rows, columns) && ty.dtype == DType::F32 => sums([rows, columns], [1, 1]),
            _ => {
                let what = format!("an accumulator of {} {}", ty.extents(), ty.dtype.name());
                return Err(Refusal::new(format!("{what} is not lowered"), self.b.span)
                    .with_help("tensor cores take 64, 128 or 256 rows of float32, and columns in powers of two"));
            }
        };
        let number = self.b.kernel().memories.len();
        let len = layout.registers();
        let memory = self.b.memory(format!("sums_{number}"), ty.dtype, len as usize, Space::Registers);
        let zero = self.b.constant(ty.dtype, Scalar::zero(ty.dtype), len);
        self.b.add(Op::Keep(memory), &[zero], &[], Vec::new());
        self.teams.accumulators.insert(memory, layout);
        Ok(RefView::whole(memory, &ty.shape, false))
    }

    /// How an accumulator is dealt, if a Ref is one.
    fn accumulated(&self, op: &OpData) -> Result<Option<(MemoryId, Layout)>, Refusal> {
        let view = self.reference(op.operands[0])?;
        let Some(layout) = self.teams.accumulators.get(&view.memory) else { return Ok(None) };
        let whole = op.attributes.index().is_some_and(|index| index.is_full(&layout.shape));
        match whole && view.shape() == layout.shape.as_slice() && !op.attributes.flag("masked") {
            true => Ok(Some((view.memory, layout.clone()))),
            false => Err(self.refuse_because(op, "of a part of an accumulator is not lowered yet")),
        }
    }

    /// A load or store of an accumulator; `false` if the Ref is none.
    pub(crate) fn lower_accumulator(&mut self, op: &OpData, writes: bool) -> Result<bool, Refusal> {
        let Some((memory, layout)) = self.accumulated(op)? else { return Ok(false) };
        self.b.add(Op::WaitProducts(0), &[], &[], Vec::new());
        if writes {
            let tile = self.held(op.operands[1])?;
            let value = self.relaid(&tile, &layout);
            self.b.add(Op::Keep(memory), &[value], &[], Vec::new());
        } else {
            let ty = Ty { dtype: DType::F32, regs: layout.registers() };
            let value = self.b.add(Op::Take(memory), &[], &[ty], Vec::new())[0];
            self.set_dealt(op.results[0], value, layout);
        }
        Ok(true)
    }

    pub(crate) fn lower_product(&mut self, op: &OpData) -> Result<(), Refusal> {
        let acc = self.reference(op.operands[0])?;
        let right = self.reference(op.operands[2])?;
        let dtype = self.function.ty(op.operands[2]).dtype();
        let (&[rows, columns], &[terms, _]) =
            (&self.function.ty(op.operands[0]).shape()[..], &self.function.ty(op.operands[2]).shape()[..])
        else {
            return Err(self.malformed());
        };
        if !self.teams.accumulators.contains_key(&acc.memory) || !matches!(dtype.bits(), 8 | 16) || !dtype.is_float() {
            return Err(self.refuse_because(op, &format!("of {} is not lowered yet", dtype.name())));
        }
        let (right, from) = self.factor(op, &right, 1)?;
        let (left, operand) = match self.function.ty(op.operands[1]) {
            Type::Ref(_) => {
                let view = self.reference(op.operands[1])?;
                let (factor, begin) = self.factor(op, &view, 0)?;
                (Some(factor), begin)
            }
            Type::Tensor(_) => (None, self.left(op, [rows, terms], 4 / dtype.size_bytes())?),
        };
        let product = Product { acc: acc.memory, dtype, extents: [rows, columns, terms], left, right, groups: [1, 1] };
        if !terms.is_multiple_of(product.step()) {
            let why = format!("sums up {} terms at a time, and the factors have {terms}", product.step());
            return Err(self.refuse_because(op, &why));
        }
        self.b.add(Op::Multiply(product), &[operand, from], &[], Vec::new());
        Ok(())
    }

    fn left(&mut self, op: &OpData, shape: [usize; 2], per_word: usize) -> Result<Value, Refusal> {
        let tile: Tile = self.held(op.operands[1])?;
        if !shape.iter().all(|extent| extent.is_power_of_two()) || shape[1] < 8 * per_word {
            return Err(self
                .refuse_because(op, "of factors in registers whose extents are no powers of two is not lowered yet"));
        }
        let layout = left(shape, per_word, [1, 1]);
        Ok(self.relaid(&tile, &layout))
    }

    /// A factor in shared memory, and where it begins. `side`: which axis is summed up.
    pub(crate) fn factor(&mut self, op: &OpData, view: &RefView, side: usize) -> Result<(Factor, Value), Refusal> {
        let Some(panels) = self.teams.panels.get(&view.memory).copied() else {
            let why = "takes factors from shared memory whose rows are 32 bytes or more, in powers of two, and come in eights";
            return Err(self.refuse_because(op, why));
        };
        let view = &self.by_bytes(op, view.clone())?;
        let strides: Vec<i64> =
            view.axes().into_iter().map(|(position, _, step)| view.dims[position].stride * step).collect();
        let pitch = panels.columns as i64;
        let columns_last = match strides.as_slice() {
            [rows, 1] if *rows == pitch => true,
            [1, rows] if *rows == pitch => false,
            _ => return Err(self.refuse_because(op, "of a part of a matrix that is not in rows is not lowered yet")),
        };
        // The terms are the last axis on the left, the first one on the right.
        let terms_last = columns_last == (side == 0);
        let begin = self.panel_begin(view, panels).and_then(|(slot, row, column)| {
            let far = row.times(&mut self.b, panels.width as i64);
            let column = self.divided(column, panels.width)?;
            let column = column.times(&mut self.b, (panels.rows * panels.width) as i64);
            let begin = slot.add(&mut self.b, far);
            Some(begin.add(&mut self.b, column))
        });
        let Some(begin) = begin else {
            let why = format!("of a factor that does not begin at a multiple of {} columns", panels.width);
            return Err(self.refuse_because(op, &why));
        };
        let Panels { rows, swizzle, .. } = panels;
        let dtype = self.b.kernel().memory(view.memory).dtype;
        let is_of_warpgroup = matches!(op.op.kind, OpKind::Agent(AgentOp::Product));
        if is_of_warpgroup && !terms_last && dtype.size_bytes() != 2 {
            return Err(self.refuse_because(
                op,
                "of a factor of eight bits whose terms are not its rows is not what tensor cores take",
            ));
        }
        let factor = Factor { memory: view.memory, rows, swizzle, terms_last };
        Ok((factor, begin.value(&mut self.b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_sums_is_what_a_product_says() {
        for (extents, groups) in [([128, 32], [1, 1]), ([128, 32], [2, 1]), ([64, 64], [1, 2]), ([256, 64], [2, 2])] {
            let right = Factor { memory: MemoryId(0), rows: 8, swizzle: 128, terms_last: true };
            let [rows, columns] = extents;
            let product = Product {
                acc: MemoryId(1),
                dtype: DType::BF16,
                extents: [rows, columns, 16],
                left: None,
                right,
                groups,
            };
            let layout = sums(extents, groups);
            assert_eq!(layout.registers() as usize, product.registers());
            for (register, thread) in
                (0..layout.registers()).flat_map(|r| (0..1 << layout.threads.len()).map(move |t| (r, t)))
            {
                let place = layout.place(register, thread);
                let [row, column] = product.place(register as usize, thread as usize);
                assert_eq!([layout.coord(place, 0) as usize, layout.coord(place, 1) as usize], [row, column]);
            }
        }
    }

    #[test]
    fn every_element_of_an_accumulator_has_one_place() {
        let layout = sums([128, 32], [1, 1]);
        let mut places: Vec<u32> = (0..layout.registers())
            .flat_map(|r| (0..128).map(move |t| (r, t)))
            .map(|(r, t)| layout.place(r, t))
            .collect();
        places.sort_unstable();
        assert!(places.iter().enumerate().all(|(number, &place)| number as u32 == place));
        // Row 16 * w + g, column 2 * t.
        let place = layout.place(0, 32 * 3 + 5 * 4 + 2);
        assert_eq!((layout.coord(place, 0), layout.coord(place, 1)), (16 * 3 + 5, 4));
    }
}
