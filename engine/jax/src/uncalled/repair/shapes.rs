//! Messages that say which shape or rank an array should have had: reshapes that do not come out, copies between Refs of other
//! ranks, paddings for more dimensions.

use super::super::planner::Kind;
use super::Lesson;
use super::message::shapes;
use super::place::{Place, Reading};
use pallas_syntax::ast::{Arg, ExprKind};

impl Lesson<'_> {
    /// If a message says which shape or rank an argument should have had.
    pub(super) fn shape(&mut self) -> bool {
        let message = self.failure.message;
        let shapes = shapes(message);
        match shapes.as_slice() {
            [from, to, ..] if message.contains("cannot reshape array of shape") => self.reshaped(from, to),
            [from, to, ..] if message.contains("must have the same shape, got") => self.copied(from, to),
            [wanted, ..] if message.contains("pad_width with nd=") => self.padded(wanted),
            _ => false,
        }
    }

    /// The argument that cannot be reshaped has the shape already that it is to get.
    fn reshaped(&mut self, from: &[i64], to: &[i64]) -> bool {
        let arrays = self.of_shape(from);
        !arrays.is_empty() && self.set(&Place::Shape(arrays), &Reading::Ints(to.to_vec()))
    }

    /// Of two Refs that a copy is between, the one with more dimensions is of an argument with too many: its last
    /// dimension tells which.
    fn copied(&mut self, from: &[i64], to: &[i64]) -> bool {
        let (long, short) = if from.len() > to.len() { (from, to) } else { (to, from) };
        let Some(last) = long.last().filter(|_| long.len() > short.len()) else { return false };
        let has_it = |index: &usize| match &self.made[*index].kind {
            Kind::Array(ty, _) => {
                ty.shape.rank() == long.len() && ty.shape.last().is_some_and(|dim| i64::try_from(*dim) == Ok(*last))
            }
            _ => false,
        };
        let arrays: Vec<usize> = (0..self.made.len()).filter(has_it).collect();
        !arrays.is_empty()
            && i64::try_from(short.len()).is_ok_and(|rank| self.set(&Place::Rank(arrays), &Reading::Int(rank)))
    }

    /// `jnp.pad(x, ((0, n), (0, 0)))` where `x` has other than two dimensions.
    fn padded(&mut self, widths: &[i64]) -> bool {
        let Some(rank) = widths.first().copied() else { return false };
        let calls = self.expressions().into_iter().filter_map(|expr| match expr.kind {
            ExprKind::Call { args, .. } => Some(args),
            _ => None,
        });
        let first = calls.last().and_then(|args| match args.into_iter().next() {
            Some(Arg::Positional(first)) => Some(first),
            _ => None,
        });
        let arrays = first.map(|first| self.arrays(&first)).unwrap_or_default();
        !arrays.is_empty() && self.set(&Place::Rank(arrays), &Reading::Int(rank))
    }
}
