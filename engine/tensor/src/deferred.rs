//! Elementwise results that are computed when somebody looks at them.
//!
//! Inside of [`deferring`], an elementwise operation on many elements only notes what it would do. When the result is wanted,
//! the whole expression becomes a chain ([`crate::ops::fused`]), which goes through memory once, on all cores: what was five
//! passes becomes one. The digits are those of the operations one by one.
//!
//! Only what nobody else holds is fused: an array that a variable names is computed once, as itself. Nothing here decides what
//! is elementwise; operations say so by asking [`put_off`]. What no chain computes, but can be made a stretch at a time
//! ([`by_stretches`]), is read by chains as it is made. Whoever needs one block after the other need not have all elements at
//! all ([`blocks`]), and something is known of elements before there are any ([`bounds`]).

mod blocks;
mod bounds;
mod expression;

pub use blocks::Unmade;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;

use crate::array::{Array, room_like};
use crate::buffer::{Buffer, BufferMut, Element, with_elements, with_elements_mut};
use crate::dtype::DType;
use crate::error::OpError;
use crate::lack::{lack, with_memory};
use crate::ops::fused::{Chain, Code, Lanes, Target, View, stream};
use crate::range::Steps;
use crate::recycled;
use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::threads::{LARGE, Restore, available, spread};
use expression::{Expression, Read};

/// Elements from which on putting off is worth its trouble.
const LEAST: usize = 1 << 15;
/// Elements that are made at a time: a few arrays of them fit the second cache.
const CHUNK: usize = 1 << 15;
/// Chunks that a thread takes at a time.
const CHUNKS: usize = 4;
/// Operations that are put off before the operands of the next one are computed first.
const MOST: usize = 64;
/// Bytes from which on a result gets its memory when it is put off, while it can still be refused.
const HUGE: usize = 1 << 30;

thread_local! {
    static DEFERS: Cell<bool> = const { Cell::new(false) };
}

/// Runs something whose elementwise operations on many elements may be put off until their results are wanted.
pub fn deferring<R>(work: impl FnOnce() -> R) -> R {
    let _before = Restore(&DEFERS, DEFERS.replace(true));
    work()
}

/// Runs something whose operations are not put off, inside of [`deferring`] or not.
pub fn at_once<R>(work: impl FnOnce() -> R) -> R {
    let _before = Restore(&DEFERS, DEFERS.replace(false));
    work()
}

/// Makes a stretch of a result, the one with these numbers, in one dimension.
type Make = dyn Fn(Range<usize>) -> Result<Array, OpError> + Send + Sync;

/// What it takes to make a stretch by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Price {
    /// Elements that are there only move.
    Moves,
    /// Nobody knows.
    Unknown,
}

/// How a result comes about.
enum Work {
    /// By an operation of chains.
    Step(Code),
    /// Each stretch by itself, at a price for an element.
    Made(Box<Make>, Price),
    /// The same of numbers at equal distances.
    Steps(Steps),
    /// All elements are the operand's one.
    Same,
}

/// What there is to do for a result.
struct Recipe {
    operands: SmallVec<[Array; 3]>,
    work: Work,
    dtype: DType,
    /// How many operations this is, with those of the operands.
    operations: usize,
}

/// Elements that may not have been computed yet.
pub(crate) struct Later {
    length: usize,
    /// No elements, of the type that they will have.
    none: Buffer,
    result: OnceLock<Arc<Buffer>>,
    /// Memory for a result that is so large that there may be none.
    room: Mutex<Option<Buffer>>,
    /// Until the result is there.
    recipe: Mutex<Option<Arc<Recipe>>>,
    /// Whether somebody has computed blocks of it without keeping them.
    passed: AtomicBool,
}

impl Later {
    /// How many elements there will be.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The elements, if they have been computed.
    pub(crate) fn computed(&self) -> Option<&Arc<Buffer>> {
        self.result.get()
    }

    /// The elements.
    pub(crate) fn elements(&self) -> &Arc<Buffer> {
        self.result.get_or_init(|| {
            let room = self.room.lock().unwrap_or_else(PoisonError::into_inner).take();
            let recipe = self.recipe();
            let result = match (recipe, room) {
                // New memory is all zeros.
                (Some(recipe), room) if recipe.is_zero() => room.unwrap_or_else(|| zeros(&self.none, self.length)),
                (recipe, room) => {
                    let (mut result, is_used) = match room {
                        Some(room) => (room, false),
                        None => unwritten(&self.none, self.length),
                    };
                    if let Some(recipe) = recipe {
                        compute(&recipe, self.length, (&mut result, is_used));
                    }
                    result
                }
            };
            *self.recipe.lock().unwrap_or_else(PoisonError::into_inner) = None;
            Arc::new(result)
        })
    }

    fn recipe(&self) -> Option<Arc<Recipe>> {
        self.recipe.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        if let Some(buffer) = self.result.get_mut().and_then(Arc::get_mut)
            && recycled::is_large(buffer)
        {
            recycled::keep(std::mem::replace(buffer, Buffer::U8(Vec::new())));
        }
    }
}

/// Puts off an operation of chains; `None` where it is to be computed at once, also because it would be refused. Operands
/// have one shape, but for those of one element.
pub(crate) fn put_off(operands: &[&Array], code: Code, dtype: DType) -> Option<Array> {
    if !DEFERS.get() {
        return None;
    }
    let widest = operands.iter().max_by_key(|operand| operand.size())?;
    let fits = |operand: &&&Array| operand.size() == 1 || operand.shape() == widest.shape();
    let dtypes: SmallVec<[DType; 3]> = operands.iter().map(|operand| operand.dtype()).collect();
    if widest.size() < LEAST || !operands.iter().all(|operand| fits(&operand)) || code.dtype(&dtypes, dtype).is_err() {
        return None;
    }
    let none = crate::array::none_of_dtype(dtype);
    note(operands.iter().map(|&operand| operand.clone()).collect(), widest.shape(), Work::Step(code), (dtype, none))
}

/// Puts off repeating the one element of an array; `None` where it is to be done at once.
pub(crate) fn repeated(one: &Array, shape: &Shape) -> Option<Array> {
    if !DEFERS.get() || one.size() != 1 || shape.checked_size()? < LEAST {
        return None;
    }
    let one = one.clone().relabel(Shape::scalar());
    let like = (one.dtype(), crate::array::none_of_dtype(one.dtype()));
    note(SmallVec::from_iter([one]), shape, Work::Same, like)
}

/// An array whose stretches can be made apart from each other, each in one dimension: put off inside of [`deferring`],
/// elsewhere made at once, on all cores if there is much of it.
///
/// # Errors
/// Those of `make`, and [`OpError::TooLarge`].
pub fn by_stretches(
    shape: impl Into<Shape>,
    make: impl Fn(Range<usize>) -> Result<Array, OpError> + Send + Sync + 'static,
) -> Result<Array, OpError> {
    made(shape.into(), Price::Unknown, make)
}

/// [`by_stretches`], with what that takes.
pub(crate) fn made(
    shape: Shape,
    price: Price,
    make: impl Fn(Range<usize>) -> Result<Array, OpError> + Send + Sync + 'static,
) -> Result<Array, OpError> {
    let size = shape.checked_size().ok_or_else(|| OpError::too_large(&shape))?;
    if size < LEAST || !DEFERS.get() && (size < LARGE || available() == 1) {
        return Ok(make(0..size)?.relabel(shape));
    }
    // What would be refused is refused for no elements as well.
    let empty = make(0..0)?;
    let like = (empty.dtype(), empty.buffer().clone());
    let result = note(SmallVec::new(), &shape, Work::Made(Box::new(make), price), like);
    let result = result.ok_or_else(|| OpError::too_large(&shape))?;
    if !DEFERS.get() {
        with_memory(|| result.buffer().len()).map_err(|_| OpError::too_large(result.shape()))?;
    }
    Ok(result)
}

/// Numbers at equal distances, in row-major order: as [`by_stretches`].
///
/// # Errors
/// [`OpError::TooLarge`].
pub fn stepped(shape: impl Into<Shape>, steps: Steps) -> Result<Array, OpError> {
    let shape = shape.into();
    let size = shape.checked_size().ok_or_else(|| OpError::too_large(&shape))?;
    if size < LEAST || !DEFERS.get() {
        return by_stretches(shape, move |range| steps.stretch(&range));
    }
    let like = (steps.dtype(), crate::array::none_of_dtype(steps.dtype()));
    note(SmallVec::new(), &shape, Work::Steps(steps), like).ok_or_else(|| OpError::too_large(&shape))
}

/// Notes what there is to do for a result of a dtype; `None` if there is no memory for it.
fn note(operands: SmallVec<[Array; 3]>, shape: &Shape, work: Work, (dtype, none): (DType, Buffer)) -> Option<Array> {
    let length = shape.size();
    let room = match length.saturating_mul(element_size(&none)) {
        0..HUGE => None,
        _ => Some(with_elements!(&none, elements => room(elements, shape))?),
    };
    let mut operations = 1;
    for operand in &operands {
        operations += operand.put_off().and_then(Later::recipe).map_or(0, |recipe| recipe.operations);
    }
    if operations > MOST {
        operands.iter().for_each(|operand| {
            operand.buffer();
        });
        operations = 1;
    }
    let recipe = Arc::new(Recipe { operands, work, dtype, operations });
    let (room, recipe, passed) = (Mutex::new(room), Mutex::new(Some(recipe)), AtomicBool::new(false));
    let later = Later { length, none, result: OnceLock::new(), room, recipe, passed };
    Some(Array::later(dtype, shape.clone(), later))
}

/// Computes a result of so many elements, in memory that was used before or not.
fn compute(recipe: &Arc<Recipe>, length: usize, (result, is_used): (&mut Buffer, bool)) {
    // What is computed now is computed at once.
    let _before = Restore(&DEFERS, DEFERS.replace(false));
    // Each operation was asked, and each stretch made without elements, when it was put off, so that only memory for a few
    // thousand elements can be missing.
    let out_of_memory = || lack(size_of::<[u64; CHUNK]>());
    let chain = match &recipe.work {
        Work::Step(_) => Some(Expression::chain(recipe, [length].into()).unwrap_or_else(|_| out_of_memory())),
        Work::Made(..) | Work::Steps(_) | Work::Same => None,
    };
    let streams = is_used && length >= stream::LARGE;
    let mut jobs = Vec::with_capacity(length.div_ceil(CHUNK * CHUNKS));
    let mut rest = result.as_mut();
    let mut start = 0;
    while start < length {
        let count = (CHUNK * CHUNKS).min(length - start);
        let (part, others) = rest.split_at(count);
        jobs.push((start..start + count, part));
        start += count;
        rest = others;
    }
    spread(jobs, |(range, part)| {
        let done = match &chain {
            Some((chain, reads)) => run(chain, reads, range.clone(), Target::stretch(part, range.start, streams)),
            None => make(recipe, range, part),
        };
        if done.is_err() {
            out_of_memory();
        }
    });
}

/// Computes a stretch of a chain's result.
fn run(chain: &Chain, reads: &[Read], range: Range<usize>, mut target: Target<'_>) -> Result<(), OpError> {
    let mut lanes = Lanes::default();
    // What is made goes through while it is in the caches.
    let step = if reads.iter().any(|read| matches!(read, Read::Made(_))) { CHUNK } else { range.len() };
    let mut made: Vec<Option<Array>> = reads.iter().map(|_| None).collect();
    for from in range.clone().step_by(step.max(1)) {
        let to = range.end.min(from + step);
        for (read, made) in reads.iter().zip(&mut made) {
            if let Read::Made(recipe) = read {
                recipe.renew(from..to, made)?;
            }
        }
        let views = reads.iter().zip(&made).enumerate().filter_map(|(number, (read, made))| match (read, made) {
            // Its first element is the one with the number `from`.
            (Read::Made(_), Some(made)) => Some(chain.view_at(number, made.buffer(), 0usize.wrapping_sub(from), &[1])),
            (Read::Made(_), None) => None,
            (Read::Array(array), _) => Some(chain.view_of(number, array.buffer())),
        });
        let views: SmallVec<[View<'_>; 8]> = views.collect();
        chain.run_between(&views, &mut target, &mut lanes, from, to);
    }
    Ok(())
}

/// Makes a stretch of a result that is no chain's.
fn make(recipe: &Recipe, range: Range<usize>, mut part: BufferMut<'_>) -> Result<(), OpError> {
    for from in range.clone().step_by(CHUNK) {
        let to = range.end.min(from + CHUNK);
        let (this, rest) = part.split_at(to - from);
        part = rest;
        recipe.fill(from..to, this)?;
    }
    Ok(())
}

impl Recipe {
    /// Whether all bits are zero.
    fn is_zero(&self) -> bool {
        let zero = || Array::scalar(self.dtype, Scalar::zero(self.dtype));
        matches!(self.work, Work::Same) && self.operands.first().is_some_and(|one| one.same_bits(&zero()))
    }

    /// Makes a stretch in the place of the last one.
    fn renew(&self, range: Range<usize>, last: &mut Option<Array>) -> Result<(), OpError> {
        match (&self.work, last) {
            (Work::Steps(steps), Some(last)) if last.size() == range.len() => {
                steps.fill(&range, last.make_mut().as_mut());
            }
            (_, last) => *last = Some(self.stretch(range)?),
        }
        Ok(())
    }

    /// Makes a stretch where it belongs.
    fn fill(&self, range: Range<usize>, mut target: BufferMut<'_>) -> Result<(), OpError> {
        if let Work::Steps(steps) = &self.work {
            steps.fill(&range, target);
            return Ok(());
        }
        let stretch = self.stretch(range)?;
        with_elements_mut!(&mut target, target => {
            if let Some(values) = Element::slice(stretch.buffer()) {
                target[..values.len()].copy_from_slice(values);
            }
        });
        Ok(())
    }

    fn stretch(&self, range: Range<usize>) -> Result<Array, OpError> {
        match &self.work {
            Work::Made(make, _) => make(range),
            Work::Steps(steps) => steps.stretch(&range),
            Work::Same => match self.operands.first().and_then(|one| one.get(0)) {
                Some(one) => Array::full(self.dtype, [range.len()], one),
                None => Err(OpError::argument("deferred", "there is no element to repeat")),
            },
            Work::Step(_) => Err(OpError::argument("deferred", "an operation has no stretches")),
        }
    }
}

fn element_size(buffer: &Buffer) -> usize {
    fn size<T>(_like: &[T]) -> usize {
        size_of::<T>()
    }
    with_elements!(buffer, elements => size(elements))
}

/// Memory for a result of the type of `_like`, which nobody touches before it is written; `None` if there is not as much.
fn room<T: Element>(_like: &[T], shape: &Shape) -> Option<Buffer> {
    Some(T::wrap(recycled::zeros(shape.size())?))
}

/// So many zeros of the type of a buffer's.
fn zeros(like: &Buffer, length: usize) -> Buffer {
    fn zeros<T: Element>(_like: &[T], length: usize) -> Buffer {
        T::wrap(recycled::zeros(length).unwrap_or_else(|| lack(length.saturating_mul(size_of::<T>()))))
    }
    with_elements!(like, elements => zeros(elements, length))
}

/// So many elements of the type of a buffer's, which are to be written, and whether their memory was used before.
fn unwritten(like: &Buffer, length: usize) -> (Buffer, bool) {
    room_like(like, length).unwrap_or_else(|| lack(length.saturating_mul(element_size(like))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::ops::{
        BinaryOp, CompareOp, UnaryOp, binary, broadcast_in_dim, compare, convert, reshape, select, unary,
    };

    /// Several jobs, and a last chunk that is not full.
    const SIZE: usize = 3 * CHUNK * CHUNKS + 1234;

    fn values(step: f32) -> Array {
        let elements: Vec<f32> = (0..SIZE).map(|i| (i as f32 * step) % 7.3 - 3.1).collect();
        Array::from_f32s([SIZE], &elements).expect("as many")
    }

    /// `where(x < 1, tanh(x) * y + x, y)` in halves, and so on: operands that come twice, one element for all, other types.
    fn expression(x: &Array, y: &Array) -> Result<Array, OpError> {
        let one = Array::scalar(DType::F32, Scalar::Float(1.0));
        let tanh = unary(UnaryOp::Tanh, x.clone())?;
        let sum = binary(BinaryOp::Add, binary(BinaryOp::Mul, tanh.clone(), y.clone())?, x.clone())?;
        let less = compare(CompareOp::Lt, x, &one)?;
        let chosen = select(&less, &sum, &broadcast_in_dim(&one, [SIZE], &[])?)?;
        let narrow = convert(&binary(BinaryOp::Rem, chosen, one)?, DType::BF16)?;
        binary(BinaryOp::Sub, narrow, convert(&tanh, DType::BF16)?)
    }

    #[test]
    fn what_is_put_off_has_the_same_bits() {
        let (x, y) = (values(0.37), values(0.53));
        let now = expression(&x, &y).expect("they fit");
        assert!(now.put_off().is_none());
        let later = deferring(|| expression(&x, &y)).expect("they fit");
        assert!(later.put_off().is_some_and(|later| later.computed().is_none()));
        assert_eq!((later.shape(), later.dtype(), later.size()), (now.shape(), now.dtype(), now.size()));
        assert!(later.same_bits(&now));
        // Under another shape it is the same elements.
        let row = deferring(|| reshape(&expression(&x, &y)?, [1, SIZE])).expect("they fit");
        assert!(reshape(&row, [SIZE]).expect("the size").same_bits(&now));
    }

    #[test]
    fn what_changes_afterwards_does_not_reach_what_was_put_off() {
        let mut x = values(0.37);
        let now = unary(UnaryOp::Exp, x.clone()).expect("floats");
        let later = deferring(|| unary(UnaryOp::Exp, x.clone())).expect("floats");
        assert!(x.set(5, Scalar::Float(9.0)));
        assert!(later.same_bits(&now));
        assert_ne!(x, values(0.37));
    }

    #[test]
    fn what_somebody_holds_is_computed_as_itself() {
        let (x, y) = (values(0.37), values(0.53));
        let (held, used) = deferring(|| {
            let held = binary(BinaryOp::Add, x.clone(), y.clone()).expect("floats");
            let used = unary(UnaryOp::Neg, held.clone()).expect("floats");
            (held, used)
        });
        used.buffer();
        assert!(held.put_off().is_some_and(|later| later.computed().is_some()));
        assert_eq!(held, binary(BinaryOp::Add, x, y).expect("floats"));
    }

    #[test]
    fn long_chains_end() {
        let one = Array::scalar(DType::F32, Scalar::Float(1.0));
        let mut x = values(0.0);
        let first = x.get(0).and_then(Scalar::as_f64).expect("a number");
        for _ in 0..1000 {
            x = deferring(|| binary(BinaryOp::Add, x.clone(), one.clone())).expect("floats");
        }
        let sum = x.get(SIZE - 1).and_then(Scalar::as_f64).expect("a number");
        assert!((sum - first - 1000.0).abs() < 0.1, "{sum}");
    }

    #[test]
    fn what_is_refused_is_refused_at_once() {
        let (x, words) = (values(0.37), convert(&values(0.37), DType::I32).expect("numbers"));
        assert!(deferring(|| binary(BinaryOp::Add, x.clone(), words.clone())).is_err());
        assert!(deferring(|| unary(UnaryOp::Exp, words)).is_err());
        assert!(deferring(|| compare(CompareOp::Lt, &x, &values(0.1).relabel(Shape::from([1, SIZE])))).is_err());
    }
}
