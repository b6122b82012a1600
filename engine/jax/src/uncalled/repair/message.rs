//! Messages with numbers in them: `shapes (1024, 3072) and (1024, 5120) do not fit` names dimensions, since every dimension of
//! which nothing is known has a length of its own.

use super::super::planner::Kind;
use super::Lesson;
use super::place::{Place, Reading};

impl Lesson<'_> {
    /// If a message has two shapes, or two lengths, that should have been the same, or a slice that a dimension has to hold.
    pub(super) fn message(&mut self) -> bool {
        if self.failure.message.starts_with("this slice ") {
            return self.longer();
        }
        if self.failure.message.starts_with("this block has ") {
            return self.of_block();
        }
        let shapes = shapes(self.failure.message);
        for (at, first) in shapes.iter().enumerate() {
            for second in &shapes[at + 1..] {
                if self.equate_shapes(first, second) {
                    return true;
                }
            }
        }
        let mut made: Vec<i64> =
            numbers(self.failure.message).into_iter().filter(|number| self.is_made(*number)).collect();
        made.dedup();
        match made.as_slice() {
            [first, second] if first != second => self.replace(*second, *first),
            _ => false,
        }
    }

    /// Makes two shapes fit that are aligned at their ends; dimensions of 1 fit anything. If one of them is the shape of an
    /// argument, and was expected to have more dimensions, it gets them.
    fn equate_shapes(&mut self, first: &[i64], second: &[i64]) -> bool {
        if first.len() > second.len() && self.failure.message.contains("xpected") {
            let arrays = self.of_shape(second);
            if !arrays.is_empty() {
                return self.set(&Place::Shape(arrays), &Reading::Ints(first.to_vec()));
            }
        }
        let is_exact = self.failure.message.contains("xpected shape") && first.len() == second.len();
        let pairs = first.iter().rev().zip(second.iter().rev());
        let pairs = pairs.filter(|(a, b)| a != b && (is_exact || **a != 1 && **b != 1));
        pairs.fold(false, |any, (a, b)| {
            let done = match (self.is_made(*a), self.is_made(*b)) {
                (_, true) => self.replace(*b, *a),
                (true, false) => self.replace(*a, *b),
                (false, false) => false,
            };
            done || any
        })
    }
}

impl Lesson<'_> {
    /// `this block has 4 dimensions, but args[2] has 2 (shape (1024, 3072))`: the array has as many.
    fn of_block(&mut self) -> bool {
        let (numbers, shapes) = (numbers(self.failure.message), shapes(self.failure.message));
        let arrays = shapes.last().map(|shape| self.of_shape(shape)).unwrap_or_default();
        match numbers.first() {
            Some(rank) if !arrays.is_empty() => self.set(&Place::Rank(arrays), &Reading::Int(*rank)),
            _ => false,
        }
    }

    /// `program (2, 0): position 2 along dimension 0 of k_ref, which has 2`, with `grid axis 0 has 1024 programs, but k_ref has only 2
    /// blocks`, or `rows 96..128 of x_ref, which has 64`; `columns 128..5120 of o_ref` of a block that does not move: the array ends with it.
    pub(super) fn outside(&mut self, help: &str) -> bool {
        let evidence = self.failure.message;
        let after = |text: &str, words: &str| {
            let rest = text.split_once(words)?.1;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<i64>().ok()
        };
        if help.contains("does not move along") {
            let start = evidence.split_once("..").and_then(|(front, _)| front.rsplit(' ').next()?.parse::<i64>().ok());
            let (Some(start), Some(end)) = (start, after(evidence, "..")) else { return false };
            return start > 0 && self.is_made(end) && self.lengthen(end, start);
        }
        let Some(length) = after(evidence, ", which has ").filter(|length| self.is_made(*length)) else { return false };
        let by_blocks = match (after(help, " has "), after(help, " has only ")) {
            (Some(programs), Some(blocks)) if blocks > 0 && length % blocks == 0 => {
                (length / blocks).checked_mul(programs)
            }
            _ => None,
        };
        let needed = by_blocks.or_else(|| after(evidence, ".."));
        needed.is_some_and(|needed| needed > length && self.lengthen(length, needed))
    }

    /// `this slice takes elements 3 to 10 of a dimension of 8`: the dimension ends behind the slice.
    fn longer(&mut self) -> bool {
        let after = |words: &str| {
            let rest = self.failure.message.split_once(words)?.1;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<i64>().ok()
        };
        let last = after(" to ").or_else(|| after("starts at "));
        let (Some(last), Some(dim)) = (last, after("of a dimension of ")) else { return false };
        self.is_made(dim) && self.replace(dim, last + 1)
    }

    /// The arrays among the arguments that have a shape.
    pub(super) fn of_shape(&self, shape: &[i64]) -> Vec<usize> {
        let is_of = |index: &usize| match &self.made[*index].kind {
            Kind::Array(ty, _) => ty.shape.iter().map(|dim| i64::try_from(*dim).unwrap_or(0)).eq(shape.iter().copied()),
            _ => false,
        };
        (0..self.made.len()).filter(is_of).collect()
    }
}

/// All sequences of numbers in brackets or parentheses.
pub(super) fn shapes(text: &str) -> Vec<Vec<i64>> {
    let mut shapes = Vec::new();
    for (at, _) in text.match_indices(['(', '[']) {
        let rest = &text[at + 1..];
        let Some(end) = rest.find(|c: char| !(c.is_ascii_digit() || c == ',' || c == ' ')) else { continue };
        let parts = rest[..end].split(',').map(str::trim).filter(|part| !part.is_empty());
        if rest[end..].starts_with([')', ']'])
            && let Some(numbers) = parts.map(|part| part.parse().ok()).collect::<Option<Vec<i64>>>()
            && !numbers.is_empty()
        {
            shapes.push(numbers);
        }
    }
    shapes
}

/// All numbers.
fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_numbers_are_found() {
        let text = "v shape (8, 1024) must be [8, 3072], not (a, 1)";
        assert_eq!(shapes(text), [vec![8, 1024], vec![8, 3072]]);
        assert_eq!(numbers("got 5 and (7,)"), [5, 7]);
        assert_eq!(shapes("f32[(99999999999999999999)]"), Vec::<Vec<i64>>::new());
    }
}
