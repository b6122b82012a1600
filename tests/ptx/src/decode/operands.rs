//! Operands as instructions want them.

use super::Decoder;
use crate::inst::{Address, Lanes, Map, Regs};
use crate::module::Reg;
use crate::parse::Operand;
use crate::types::{Space, extended, low};

impl Decoder<'_> {
    /// A register.
    pub(super) fn reg(&self, operand: &Operand) -> Result<Reg, String> {
        match operand {
            Operand::Reg(reg) => {
                self.touched.borrow_mut().push(*reg);
                Ok(*reg)
            }
            Operand::Name(name) => Err(format!("`{name}`")),
            other => Err(format!("{other:?} where a register should be")),
        }
    }

    /// A register, or nobody wants the result.
    pub(super) fn sink(&self, operand: &Operand) -> Result<Option<Reg>, String> {
        match operand {
            Operand::Sink => Ok(None),
            other => self.reg(other).map(Some),
        }
    }

    /// A register, or several in braces.
    pub(super) fn list(&self, operand: &Operand) -> Result<Box<[Reg]>, String> {
        match operand {
            Operand::List(parts) => self.regs(parts),
            other => Ok(Box::new([self.reg(other)?])),
        }
    }

    pub(super) fn regs(&self, parts: &[Operand]) -> Result<Box<[Reg]>, String> {
        parts.iter().map(|part| self.reg(part)).collect()
    }

    pub(super) fn sinks(&self, parts: &[Operand]) -> Result<Regs, String> {
        parts.iter().map(|part| self.sink(part)).collect()
    }

    /// `p` or `!p`
    pub(super) fn predicate(&self, operand: &Operand) -> Result<(Reg, bool), String> {
        match operand {
            Operand::Not(reg) => Ok((*reg, true)),
            other => Ok((self.reg(other)?, false)),
        }
    }

    /// An immediate.
    pub(super) fn number(&self, operand: &Operand) -> Result<u64, String> {
        let reg = self.reg(operand)?;
        self.module.known(reg).ok_or_else(|| "a register where an immediate should be".to_string())
    }

    /// `[base + offset]`
    pub(super) fn address(&mut self, operand: &Operand, space: Space) -> Result<Address, String> {
        match operand {
            Operand::At(parts) => {
                let (base, offset) = match parts.as_slice() {
                    [Operand::Reg(base)] => (*base, 0),
                    [Operand::Sum(base, offset)] => (*base, *offset),
                    other => return Err(format!("the address {other:?}")),
                };
                self.touched.borrow_mut().push(base);
                Ok(Address { space, base, offset })
            }
            other => Err(format!("{other:?} where an address should be")),
        }
    }
}

/// A computation with one operand, a predicate, negated before.
pub(super) fn negated(map: Map, which: usize) -> Map {
    Box::new(move |to, from| {
        let not = from[which].map(|bit| bit & 1 ^ 1);
        let mut given: [&Lanes; 4] = from;
        given[which] = &not;
        map(to, given);
    })
}

/// A computation whose result keeps its sign in a wider register.
pub(super) fn widened(map: Map, bits: u32, width: u32) -> Map {
    Box::new(move |to, from| {
        map(to, from);
        for value in to {
            *value = low(extended(*value, bits) as u64, width);
        }
    })
}
