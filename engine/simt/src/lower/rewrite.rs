//! What passes over the SIMT IR have in common: instructions made on the way, values that became others, who is inside of what.

use crate::ir::{Inst, Kernel, Op, Region, Ty, Value};
use pallas_ir::{Attributes, OpDef, ops};
use pallas_syntax::Span;
use pallas_tensor::{DType, Scalar};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// Instructions at the end of a list.
pub(crate) struct Emit<'a> {
    pub(crate) kernel: &'a mut Kernel,
    pub(crate) insts: &'a mut Vec<Inst>,
    pub(crate) span: Span,
}

impl Emit<'_> {
    /// An instruction without regions.
    pub(crate) fn add(&mut self, op: Op, operands: &[Value], result: Option<Ty>) -> Option<Value> {
        let result = result.map(|ty| {
            self.kernel.values.push(ty);
            Value(self.kernel.values.len() as u32 - 1)
        });
        let results: SmallVec<[Value; 1]> = result.into_iter().collect();
        self.insts.push(Inst { op, operands: operands.into(), results, regions: Vec::new(), span: self.span });
        result
    }

    fn value(&mut self, op: Op, operands: &[Value], ty: Ty) -> Value {
        // There is a result: a type was given.
        self.add(op, operands, Some(ty)).unwrap_or(Value(0))
    }

    /// An `i32` in so many registers.
    pub(crate) fn int(&mut self, number: i64, regs: u32) -> Value {
        self.value(Op::Const(Scalar::Int(number.into())), &[], Ty { dtype: DType::I32, regs })
    }

    /// One register in the place of many.
    pub(crate) fn splat(&mut self, value: Value, regs: u32) -> Value {
        let ty = self.kernel.ty(value);
        if ty.regs == regs {
            return value;
        }
        self.value(Op::Pick(vec![0; regs as usize]), &[value], Ty { regs, ..ty })
    }

    /// An op of two operands with as many registers, that gives their dtype or a bool.
    pub(crate) fn binary(&mut self, op: &'static OpDef, left: Value, right: Value) -> Value {
        let ty = self.kernel.ty(left);
        let right = self.splat(right, ty.regs);
        let dtype = if matches!(op.name, "lt" | "ge" | "eq") { DType::Bool } else { ty.dtype };
        self.value(Op::Scalar(pallas_ir::Op(op), Attributes::none()), &[left, right], Ty { dtype, ..ty })
    }

    /// `which ? yes : no`.
    pub(crate) fn select(&mut self, which: Value, yes: Value, no: Value) -> Value {
        let ty = self.kernel.ty(yes);
        let (which, no) = (self.splat(which, ty.regs), self.splat(no, ty.regs));
        self.value(Op::Scalar(pallas_ir::Op(&ops::SELECT_N), Attributes::none()), &[which, no, yes], ty)
    }
}

/// Whether an instruction does nothing but compute, of what it is given alone.
pub(crate) fn is_pure(op: &Op) -> bool {
    matches!(op, Op::Const(_) | Op::Block | Op::Coord { .. } | Op::Owner(_) | Op::Scalar(..) | Op::Pick(_))
}

/// Everything that an instruction's regions define.
pub(crate) fn inside(inst: &Inst) -> HashSet<Value> {
    let mut values = HashSet::new();
    for region in &inst.regions {
        defined(region, &mut values);
    }
    values
}

/// Everything that a region defines, those inside of it included.
pub(crate) fn defined(region: &Region, values: &mut HashSet<Value>) {
    values.extend(&region.params);
    for inst in &region.insts {
        values.extend(&inst.results);
        for inner in &inst.regions {
            defined(inner, values);
        }
    }
}

/// How often every value is used.
pub(crate) fn uses(region: &Region, counts: &mut HashMap<Value, usize>) {
    for inst in &region.insts {
        for &operand in &inst.operands {
            *counts.entry(operand).or_default() += 1;
        }
        for inner in &inst.regions {
            uses(inner, counts);
        }
    }
    for &value in &region.yields {
        *counts.entry(value).or_default() += 1;
    }
}

/// Puts values in the place of others.
pub(crate) fn substitute(region: &mut Region, replaced: &HashMap<Value, Value>) {
    let change = |value: &mut Value| {
        while let Some(&other) = replaced.get(value) {
            *value = other;
        }
    };
    for inst in &mut region.insts {
        inst.operands.iter_mut().for_each(change);
        for inner in &mut inst.regions {
            substitute(inner, replaced);
        }
    }
    region.yields.iter_mut().for_each(change);
}
