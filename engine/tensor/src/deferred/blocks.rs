//! Blocks of elements that have not been computed: whoever goes through all of them once, block by block, need not have them in
//! memory. Each block has the elements that it would have there, to the bit.
//!
//! Nobody knows who looks at the array afterwards; then everything is computed once more. So only what costs about as much to
//! compute as to write down and to read back is done so, and only once.

use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{CHUNK, DEFERS, Expression, Price, Read, Recipe, Work};
use crate::array::Array;
use crate::error::OpError;
use crate::ops::fused::{Chain, Code, Lanes, Target, View};
use crate::ops::{BinaryOp, UnaryOp};
use crate::shape::Shape;
use crate::threads::Restore;

/// Elements from which on an array is worth not being there.
const LEAST: usize = 1 << 18;
/// Elements of a row from which on what is moved to it costs no more than that.
const LONG: usize = 1 << 10;
/// What computing an element may cost, in operations as cheap as a sum.
const CHEAP: usize = 16;

/// What computes the blocks of an array, all of one shape.
pub struct Unmade {
    chain: Chain,
    reads: Vec<Read>,
    /// Rows of a block, elements of each, and the distance of rows in the array.
    rows: usize,
    run: usize,
    pitch: usize,
    /// What was made of what the chain reads.
    made: Vec<Option<Array>>,
}

impl std::fmt::Debug for Unmade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unmade").field("rows", &self.rows).field("run", &self.run).finish_non_exhaustive()
    }
}

/// How a block lies in an array: rows, elements of each, and their distance; `None` where rows are not evenly apart.
fn rows_of(array: &Shape, block: &[usize]) -> Option<(usize, usize, usize)> {
    if array.rank() != block.len() || block.iter().zip(array).any(|(&part, &all)| part == 0 || part > all) {
        return None;
    }
    let (mut rows, mut run, mut pitch, mut stride) = (1, 1, 0, 1);
    let mut goes_on = true;
    for (&part, &all) in block.iter().zip(array).rev() {
        match (goes_on, part) {
            (true, _) => run *= part,
            (false, 1) => {}
            (false, _) if rows == 1 => (rows, pitch) = (part, stride),
            (false, _) => return None,
        }
        // A row ends with a dimension that the block has in part.
        goes_on &= part == all;
        stride *= all;
    }
    Some((rows, run, pitch))
}

/// What an operation costs for an element, as often as a sum.
fn price(code: Code) -> usize {
    match code {
        Code::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min) => 1,
        Code::Binary(BinaryOp::Div | BinaryOp::Rem) | Code::NearRemainder => 3,
        Code::Unary(UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Square) => 1,
        Code::Compare(_) | Code::Select | Code::Convert => 1,
        Code::IntegerPow(2 | 3) => 2,
        _ => CHEAP + 1,
    }
}

/// What computing an element of a result costs, in rows of so many, as far as it has not been computed and is not among what is
/// `known`.
fn price_of(recipe: &Recipe, run: usize, known: &mut SmallVec<[usize; 16]>) -> usize {
    let own = match recipe.work {
        Work::Step(code) => price(code),
        Work::Steps(_) => 1,
        Work::Same => 0,
        Work::Made(_, Price::Moves) if run >= LONG => 2,
        Work::Made(..) => CHEAP + 1,
    };
    let operands = recipe.operands.iter().filter_map(Array::put_off).filter(|later| later.computed().is_none());
    operands.fold(own, |sum, later| {
        let place = std::ptr::from_ref(later).addr();
        if sum > CHEAP || known.contains(&place) {
            return sum;
        }
        known.push(place);
        sum + later.recipe().map_or(0, |recipe| price_of(&recipe, run, known))
    })
}

/// The recipe of an array whose blocks may be computed apart, in rows of so many elements.
fn cheap(array: &Array, run: usize) -> Option<Arc<Recipe>> {
    let later = array.put_off().filter(|later| later.computed().is_none() && later.len() >= LEAST)?;
    later.recipe().filter(|recipe| {
        !matches!(recipe.work, Work::Same | Work::Made(..)) && price_of(recipe, run, &mut SmallVec::new()) <= CHEAP
    })
}

impl Array {
    /// Whether blocks of this shape may be computed instead of all elements: the first time that somebody asks, if nobody has
    /// looked at the elements yet and they are cheap.
    pub fn may_stay_unmade(&self, block: &[usize]) -> bool {
        rows_of(self.shape(), block).is_some_and(|(_, run, _)| cheap(self, run).is_some())
            && self.put_off().is_some_and(|later| !later.passed.swap(true, Ordering::Relaxed))
    }

    /// What computes blocks of this shape; `None` where the elements are there, or cannot be computed so.
    pub fn unmade(&self, block: &[usize]) -> Option<Unmade> {
        let (rows, run, pitch) = rows_of(self.shape(), block)?;
        let recipe = cheap(self, run)?;
        let shape = if rows == 1 { Shape::from([run]) } else { Shape::from([rows, run]) };
        let (chain, reads) = Expression::chain(&recipe, shape).ok()?;
        let made = reads.iter().map(|_| None).collect();
        Some(Unmade { chain, reads, rows, run, pitch, made })
    }
}

impl Unmade {
    /// Computes the block whose first element has this number in the array, in place of all elements of a tile, which has as
    /// many and the array's dtype.
    ///
    /// # Errors
    /// If there is no memory for a few thousand elements.
    pub fn block(&mut self, first: usize, tile: &mut Array, lanes: &mut Lanes) -> Result<(), OpError> {
        let (rows, run, pitch) = (self.rows, self.run, self.pitch);
        if tile.size() != rows * run || tile.dtype() != self.chain.dtype() {
            return Err(OpError::shapes("block", tile.shape(), self.chain.shape()));
        }
        // What is computed now is computed at once.
        let _before = Restore(&DEFERS, DEFERS.replace(false));
        let (is_row, all) = (rows == 1, rows * run);
        let dims = |pitch: usize| -> SmallVec<[isize; 2]> {
            if is_row { SmallVec::from_slice(&[1]) } else { SmallVec::from_slice(&[pitch as isize, 1]) }
        };
        let (here, there) = (dims(run), dims(pitch));
        let mut target = Target::inside(tile, 0, here.to_vec());
        // What is made goes through while it is in the caches.
        let step = match is_row {
            true => CHUNK,
            false => (CHUNK / run).max(1) * run,
        };
        for from in (0..all).step_by(step) {
            let to = all.min(from + step);
            for (read, made) in self.reads.iter().zip(&mut self.made) {
                let Read::Made(recipe) = read else { continue };
                if is_row {
                    recipe.renew(first + from..first + to, made)?;
                    continue;
                }
                if made.as_ref().is_none_or(|made| made.size() != to - from) {
                    *made = Some(Array::unwritten(recipe.dtype, [to - from])?);
                }
                let Some(made) = made else { continue };
                let mut rest = made.make_mut().as_mut();
                for row in from / run..to / run {
                    let (this, others) = rest.split_at(run);
                    rest = others;
                    let start = first + row * pitch;
                    recipe.fill(start..start + run, this)?;
                }
            }
            let reads = self.reads.iter().zip(&self.made).enumerate();
            let views = reads.filter_map(|(number, (read, made))| match (read, made) {
                (Read::Made(_), Some(made)) => {
                    Some(self.chain.view_at(number, made.buffer(), 0usize.wrapping_sub(from), &here))
                }
                (Read::Made(_), None) => None,
                (Read::Array(array), _) if array.size() == 1 => Some(self.chain.view_of(number, array.buffer())),
                (Read::Array(array), _) => Some(self.chain.view_at(number, array.buffer(), first, &there)),
            });
            let views: SmallVec<[View<'_>; 8]> = views.collect();
            self.chain.run_between(&views, &mut target, lanes, from, to);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deferred::{deferring, stepped};
    use crate::dtype::DType;
    use crate::ops::{binary, reshape, unary};
    use crate::range::Steps;
    use crate::scalar::Scalar;

    const SHAPE: [usize; 3] = [4, 512, 384];

    /// `(arange * 0.37 % 5 - 2.5) * y` in three dimensions.
    fn expression(y: &Array) -> Result<Array, OpError> {
        let number = |x| Array::scalar(DType::F32, Scalar::Float(x));
        let places = stepped([SHAPE.iter().product()], Steps::Singles { start: 0.0, step: 1.0 })?;
        let wave = binary(BinaryOp::Rem, binary(BinaryOp::Mul, places, number(0.37))?, number(5.0))?;
        binary(BinaryOp::Mul, reshape(&binary(BinaryOp::Sub, wave, number(2.5))?, SHAPE)?, y.clone())
    }

    fn factors() -> Array {
        let elements: Vec<f32> = (0..SHAPE.iter().product()).map(|i: usize| (i % 97) as f32 - 40.0).collect();
        Array::from_f32s(SHAPE, &elements).expect("as many")
    }

    #[test]
    fn blocks_have_the_bits_of_the_array() {
        let y = factors();
        let now = expression(&y).expect("floats");
        let later = deferring(|| expression(&y)).expect("floats");
        let mut lanes = Lanes::default();
        for (block, starts) in [
            ([1, 64, 128], vec![[0, 0, 0], [2, 64, 256], [3, 448, 128]]),
            ([1, 1, 384], vec![[1, 17, 0]]),
            ([1, 512, 384], vec![[2, 0, 0]]),
            ([4, 1, 384], vec![[0, 5, 0]]),
            ([2, 512, 384], vec![[1, 0, 0]]),
            ([1, 7, 384], vec![[1, 99, 0]]),
        ] {
            let mut unmade = later.unmade(&block).expect("cheap");
            for start in starts {
                let first = (start[0] * SHAPE[1] + start[1]) * SHAPE[2] + start[2];
                let mut tile = Array::zeros(DType::F32, block).expect("small");
                unmade.block(first, &mut tile, &mut lanes).expect("they fit");
                let end: Vec<usize> = start.iter().zip(&block).map(|(start, size)| start + size).collect();
                let expected = crate::ops::slice(&now, &start, &end, None).expect("inside");
                assert!(tile.same_bits(&expected), "{block:?} at {start:?}");
            }
        }
        assert!(later.put_off().is_some_and(|later| later.computed().is_none()));
        // Whoever looks afterwards finds all of it.
        assert!(later.same_bits(&now));
        assert!(later.unmade(&[1, 1, 384]).is_none(), "it is there");
    }

    /// What is stretched, cut out or laid another way on the way there.
    #[test]
    fn blocks_of_what_moves_have_the_bits_of_the_array() {
        let y = factors();
        let moved = || -> Result<Array, OpError> {
            let first = crate::ops::slice(&y, &[0, 0, 0], &[SHAPE[0], SHAPE[1], 1], None)?;
            let column = crate::ops::broadcast_in_dim(&first, SHAPE, &[0, 1, 2])?;
            let row = crate::ops::slice(&y, &[1, 5, 0], &[2, 6, SHAPE[2]], None)?;
            let row = crate::ops::broadcast_in_dim(&row, SHAPE, &[0, 1, 2])?;
            binary(BinaryOp::Mul, binary(BinaryOp::Sub, y.clone(), column)?, row)
        };
        let (now, later) = (moved().expect("floats"), deferring(moved).expect("floats"));
        assert!(later.unmade(&[1, 64, 128]).is_none(), "rows are short");
        let block = [1, 32, 384];
        let mut unmade = later.unmade(&block).expect("cheap");
        for start in [0, 96, 480] {
            let mut tile = Array::zeros(DType::F32, block).expect("small");
            unmade.block((SHAPE[1] + start) * SHAPE[2], &mut tile, &mut Lanes::default()).expect("they fit");
            let expected = crate::ops::slice(&now, &[1, start, 0], &[2, start + 32, 384], None).expect("inside");
            assert!(tile.same_bits(&expected), "from row {start}");
        }
        assert!(later.put_off().is_some_and(|later| later.computed().is_none()));
    }

    #[test]
    fn what_costs_much_or_is_asked_for_again_is_computed_whole() {
        let (y, row) = (factors(), [1, 1, 384]);
        let later = deferring(|| expression(&y)).expect("floats");
        assert!(!later.may_stay_unmade(&[2, 2, 3]), "its rows are not evenly apart");
        assert!(later.may_stay_unmade(&row));
        assert!(!later.may_stay_unmade(&row));
        let dear = deferring(|| unary(UnaryOp::Tanh, expression(&y)?)).expect("floats");
        assert!(!dear.may_stay_unmade(&row));
        assert!(!expression(&y).expect("floats").may_stay_unmade(&row));
    }
}
