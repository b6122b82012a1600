//! Positions outside of a Ref, told of where that was asked for. What the kernel computes stays the same: positions are moved inside
//! or dropped as ever, and the kernel goes on.

use super::access::Place;
use super::context::{Lower, Tile};
use super::number::Number;
use super::refs::RefView;
use crate::ir::{Op, Value};
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
        self.b.add(Op::Check(format!("{verb} `{name}` outside of what the Ref shows")), &[outside], &[], Vec::new());
    }
}
