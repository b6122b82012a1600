//! Positions outside of a Ref, told of where that was asked for. What the kernel computes stays the same: positions are moved inside
//! or dropped as ever, and the kernel goes on. Likewise what is stored to an element that somebody watches.

use super::access::Place;
use super::context::{Lower, Tile};
use super::number::Number;
use super::refs::RefView;
use crate::ir::{Doubt, Op, Space, Value};
use pallas_ir::ops;

impl Lower<'_> {
    /// Remembers where a position is not the one that was asked for.
    pub(crate) fn doubt(&mut self, asked: Value, taken: Value) {
        if self.checked {
            let outside = self.b.binary(&ops::NE, asked, taken);
            self.outside.push(outside);
        }
    }

    /// The same of numbers.
    pub(crate) fn doubt_number(&mut self, asked: Number, taken: Number) {
        if self.checked && asked != taken {
            let (asked, taken) = (asked.value(&mut self.b), taken.value(&mut self.b));
            self.doubt(asked, taken);
        }
    }

    /// Tells of them: of elements that there are, where no mask leaves them out.
    pub(crate) fn tell(&mut self, view: &RefView, place: &Place, mask: Option<&Tile>, verb: &str) {
        let doubts = place.outside.clone();
        let Some((&first, rest)) = doubts.split_first() else { return };
        let mut outside = rest.iter().fold(first, |all, &one| self.b.binary(&ops::OR, all, one));
        let elements = self.elements(&place.layout);
        let mask = mask.map(|mask| self.spread(mask, &place.layout, place.layout.shape.len()));
        for mask in elements.into_iter().chain(mask) {
            outside = self.b.binary(&ops::AND, outside, mask);
        }
        let name = self.b.kernel().memory(view.memory).name.clone();
        self.check(Doubt::Outside, outside, format!("{verb} `{name}` outside of what the Ref shows"));
    }

    fn check(&mut self, doubt: Doubt, bad: Value, words: String) {
        let program = self.program_number();
        self.b.add(Op::Check(doubt, words), &[bad, program], &[], Vec::new());
    }

    /// Tells of numbers that are none, where they are stored to an output.
    pub(crate) fn tell_of_nan(&mut self, view: &RefView, value: Value, once: Option<Value>) {
        let memory = self.b.kernel().memory(view.memory);
        if !self.traps_nan || !memory.dtype.is_float() || !matches!(memory.space, Space::Operand { .. }) {
            return;
        }
        let words = format!("stores NaN to `{}`", memory.name);
        let mut bad = self.b.binary(&ops::NE, value, value);
        if let Some(once) = once {
            bad = self.b.binary(&ops::AND, bad, once);
        }
        self.check(Doubt::NotANumber, bad, words);
    }

    /// Tells where another block has written to what this one reads or writes.
    pub(crate) fn own(&mut self, view: &RefView, index: Value, mask: Option<Value>, writes: bool) {
        let memory = self.b.kernel().memory(view.memory);
        if !self.checked || !matches!(memory.space, Space::Operand { .. }) {
            return;
        }
        let verb = if writes { "writes" } else { "reads" };
        let words = format!("{verb} `{}` where another program writes", memory.name);
        let regs = self.b.ty(index).regs;
        let mask = mask.map(|mask| self.b.splat(mask, regs));
        let program = self.program_number();
        let operands: Vec<Value> = [index, program].into_iter().chain(mask).collect();
        let op = Op::Owned { memory: view.memory, writes, masked: mask.is_some(), words };
        self.b.add(op, &operands, &[], Vec::new());
    }

    /// The element of a Ref's array that somebody watches.
    fn watched_of(&self, view: &RefView) -> Option<usize> {
        let Space::Operand { operand, .. } = self.b.kernel().memory(view.memory).space else { return None };
        self.watched.filter(|watched| watched.operand == operand).map(|watched| watched.element)
    }

    /// Whether somebody watches an element of a Ref's array.
    pub(crate) fn is_watched(&self, view: &RefView) -> bool {
        self.watched_of(view).is_some()
    }

    /// Notes what is stored to the element that is watched.
    pub(crate) fn witness(&mut self, view: &RefView, index: Value, value: Value, once: Option<Value>) {
        let memory = view.memory;
        let Some(element) = self.watched_of(view).and_then(|element| i32::try_from(element).ok()) else { return };
        let regs = self.b.ty(index).regs;
        let value = self.b.splat(value, regs);
        let once = once.map(|once| self.b.splat(once, regs));
        let program = self.program_number();
        let operands: Vec<Value> = [index, value, program].into_iter().chain(once).collect();
        let op = Op::Witness { memory, element, masked: once.is_some() };
        self.b.add(op, &operands, &[], Vec::new());
    }
}
