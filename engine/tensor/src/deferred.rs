//! Elementwise results that are computed when somebody looks at them.
//!
//! Inside of [`deferring`], an elementwise operation on many elements only notes what it would do. When the result is wanted,
//! the whole expression is computed chunk by chunk, while each chunk is in the innermost caches, on all cores: what was five
//! passes over memory becomes one. The chunks are computed by the same operations, so the digits are the same.
//!
//! Only what nobody else holds is fused: an array that a variable names is computed once, as itself. Nothing here decides what
//! is elementwise; operations say so by asking [`put_off`], with a function that computes a stretch of the result from
//! stretches of the operands.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;

use crate::array::{Array, check_room};
use crate::buffer::{Buffer, BufferMut, Element, with_elements, with_elements_mut};
use crate::error::OpError;
use crate::recycled;
use crate::shape::Shape;
use crate::threads::{Restore, available, spread};

/// Elements from which on putting off is worth its trouble.
const LEAST: usize = 1 << 15;
/// Elements from which on an operation is worth several threads, where it is not put off.
const LARGE: usize = 1 << 18;
/// Elements that are computed at a time: a few operands of them fit the second cache.
const CHUNK: usize = 1 << 13;
/// Chunks that a thread takes at a time.
const CHUNKS: usize = 16;
/// Operations that are put off before the operands of the next one are computed first.
const MOST: usize = 64;

thread_local! {
    static DEFERS: Cell<bool> = const { Cell::new(false) };
}

/// Runs something whose elementwise operations on many elements may be put off until their results are wanted.
pub fn deferring<R>(work: impl FnOnce() -> R) -> R {
    let _before = Restore(&DEFERS, DEFERS.replace(true));
    work()
}

/// Stretches of the operands, in one dimension; an operand of one element is that element.
pub(crate) type Stretches = SmallVec<[Array; 3]>;
/// Computes a stretch of a result, the one with these numbers.
type Compute = dyn Fn(Stretches, Range<usize>) -> Result<Array, OpError> + Send + Sync;

/// What there is to do for a result.
struct Recipe {
    operands: SmallVec<[Array; 3]>,
    compute: Box<Compute>,
    /// How many operations this is, with those of the operands.
    operations: usize,
}

/// Elements that may not have been computed yet.
pub(crate) struct Later {
    length: usize,
    /// No elements, of the type that they will have.
    none: Buffer,
    result: OnceLock<Arc<Buffer>>,
    /// Until the result is there.
    recipe: Mutex<Option<Arc<Recipe>>>,
}

impl Later {
    /// How many elements there will be.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// No elements, of the type that they will have.
    pub(crate) fn none(&self) -> &Buffer {
        &self.none
    }

    /// The elements, if they have been computed.
    pub(crate) fn computed(&self) -> Option<&Arc<Buffer>> {
        self.result.get()
    }

    /// The elements.
    pub(crate) fn elements(&self) -> &Arc<Buffer> {
        self.result.get_or_init(|| {
            let result = self
                .recipe()
                .map_or_else(|| Buffer::U8(Vec::new()), |recipe| compute(&recipe, &self.none, self.length));
            *self.recipe.lock().unwrap_or_else(PoisonError::into_inner) = None;
            Arc::new(result)
        })
    }

    fn recipe(&self) -> Option<Arc<Recipe>> {
        self.recipe.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The operands, as many as the operation takes.
///
/// # Errors
/// Where there are others, which cannot be.
pub(crate) fn taken<const N: usize>(operands: Stretches) -> Result<[Array; N], OpError> {
    let wrong = |_| OpError::argument("deferred", format!("{N} operands were expected"));
    <[Array; N]>::try_from(operands.into_vec()).map_err(wrong)
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

/// Puts off an elementwise operation; `None` where it is to be computed at once, also because it would be refused. Operands
/// have one shape, but for those of one element.
pub(crate) fn put_off(
    operands: &[&Array],
    compute: impl Fn(Stretches) -> Result<Array, OpError> + Send + Sync + 'static,
) -> Option<Array> {
    if !DEFERS.get() {
        return None;
    }
    let widest = operands.iter().max_by_key(|operand| operand.size())?;
    let fits = |operand: &&&Array| operand.size() == 1 || operand.shape() == widest.shape();
    if widest.size() < LEAST || !operands.iter().all(|operand| fits(&operand)) {
        return None;
    }
    let shape = widest.shape().clone();
    note(operands.iter().map(|&operand| operand.clone()).collect(), shape, move |stretches, _| compute(stretches))
}

/// An array whose stretches can be computed apart from each other, each in one dimension: put off inside of [`deferring`],
/// elsewhere computed at once, on all cores if there is much of it.
///
/// # Errors
/// Those of `compute`, and [`OpError::TooLarge`].
pub fn by_stretches(
    shape: impl Into<Shape>,
    compute: impl Fn(Range<usize>) -> Result<Array, OpError> + Send + Sync + 'static,
) -> Result<Array, OpError> {
    let shape = shape.into();
    let size = shape.checked_size().ok_or_else(|| OpError::too_large(&shape))?;
    if size < LEAST || !DEFERS.get() && (size < LARGE || available() == 1) {
        return Ok(compute(0..size)?.relabel(shape));
    }
    check_room::<u64>(&shape)?;
    let refused = match compute(0..0) {
        Ok(_) => OpError::too_large(&shape),
        Err(error) => error,
    };
    let result = note(SmallVec::new(), shape, move |_, range| compute(range)).ok_or(refused)?;
    if !DEFERS.get() {
        result.buffer();
    }
    Ok(result)
}

fn note(
    operands: SmallVec<[Array; 3]>,
    shape: Shape,
    compute: impl Fn(Stretches, Range<usize>) -> Result<Array, OpError> + Send + Sync + 'static,
) -> Option<Array> {
    // Whatever would be refused is refused for no elements as well, and computed at once for the sake of its error.
    let empty = compute(operands.iter().map(Array::sample).collect(), 0..0).ok()?;
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
    let (dtype, none) = (empty.dtype(), empty.buffer().clone());
    let recipe = Arc::new(Recipe { operands, compute: Box::new(compute), operations });
    let later = Later { length: shape.size(), none, result: OnceLock::new(), recipe: Mutex::new(Some(recipe)) };
    Some(Array::later(dtype, shape, later))
}

/// Where an operand of a step comes from.
enum Source {
    /// A step before, and whether this is its last use.
    Step(usize, bool),
    /// A stretch of an array that is there.
    Stretch(Array),
    /// An array of one element.
    One(Array),
}

/// An operation on a chunk.
struct Step {
    recipe: Arc<Recipe>,
    sources: SmallVec<[Source; 3]>,
}

/// The operations behind a result, in order; the last is the result.
struct Steps {
    steps: Vec<Step>,
    /// Results that steps have, by where they are kept.
    known: Vec<(usize, usize)>,
    /// How often a result that is put off is an operand in here.
    uses: Vec<(usize, usize)>,
}

impl Steps {
    fn new(recipe: &Arc<Recipe>) -> Steps {
        let mut steps = Steps { steps: Vec::new(), known: Vec::new(), uses: Vec::new() };
        steps.count(recipe);
        steps.add(recipe);
        // The last time that a step's result is taken it need not be kept.
        let mut seen = vec![false; steps.steps.len()];
        for step in steps.steps.iter_mut().rev() {
            for source in step.sources.iter_mut().rev() {
                if let Source::Step(number, last) = source {
                    *last = !std::mem::replace(&mut seen[*number], true);
                }
            }
        }
        steps
    }

    fn count(&mut self, recipe: &Arc<Recipe>) {
        for later in recipe.operands.iter().filter_map(Array::put_off).filter(|later| later.computed().is_none()) {
            let place = std::ptr::from_ref(later).addr();
            match self.uses.iter_mut().find(|(known, _)| *known == place) {
                Some((_, uses)) => *uses += 1,
                None => {
                    self.uses.push((place, 1));
                    if let Some(recipe) = later.recipe() {
                        self.count(&recipe);
                    }
                }
            }
        }
    }

    /// Adds a result and what it needs; gives its number.
    fn add(&mut self, recipe: &Arc<Recipe>) -> usize {
        let sources = recipe.operands.iter().map(|operand| self.source(operand)).collect();
        self.steps.push(Step { recipe: recipe.clone(), sources });
        self.steps.len() - 1
    }

    fn source(&mut self, operand: &Array) -> Source {
        if operand.size() == 1 {
            return Source::One(operand.clone().relabel(Shape::scalar()));
        }
        let Some(later) = operand.put_off().filter(|later| later.computed().is_none()) else {
            return Source::Stretch(operand.clone());
        };
        let place = std::ptr::from_ref(later).addr();
        if let Some(&(_, step)) = self.known.iter().find(|(known, _)| *known == place) {
            return Source::Step(step, false);
        }
        let uses = self.uses.iter().find(|(known, _)| *known == place).map_or(0, |(_, uses)| *uses);
        match later.recipe().filter(|_| operand.holders() <= uses) {
            Some(recipe) => {
                let step = self.add(&recipe);
                self.known.push((place, step));
                Source::Step(step, false)
            }
            // Somebody else will want it, too.
            None => {
                operand.buffer();
                Source::Stretch(operand.clone())
            }
        }
    }

    /// Computes a stretch of the result.
    fn run(&self, range: &Range<usize>) -> Result<Array, OpError> {
        let mut results: Vec<Option<Array>> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let mut operands = Stretches::new();
            for source in &step.sources {
                operands.push(match source {
                    Source::One(array) => array.clone(),
                    Source::Stretch(array) => array.stretch(range),
                    Source::Step(number, last) => {
                        let result = if *last { results[*number].take() } else { results[*number].clone() };
                        result.ok_or_else(|| OpError::argument("deferred", "a result is missing".to_string()))?
                    }
                });
            }
            results.push(Some((step.recipe.compute)(operands, range.clone())?));
        }
        results.pop().flatten().ok_or_else(|| OpError::argument("deferred", "there is no operation".to_string()))
    }
}

/// Computes a result of so many elements.
fn compute(recipe: &Arc<Recipe>, none: &Buffer, length: usize) -> Buffer {
    // What is computed now is computed at once.
    let _before = Restore(&DEFERS, DEFERS.replace(false));
    let steps = Steps::new(recipe);
    let mut result = unwritten(none, length);
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
    spread(jobs, |(range, mut part)| {
        for from in range.clone().step_by(CHUNK) {
            let to = range.end.min(from + CHUNK);
            match steps.run(&(from..to)) {
                Ok(chunk) => put(&mut part, from - range.start, &chunk),
                // The same operations have been tried without elements, so that only memory can be missing, without which
                // nothing goes on.
                Err(_) => std::alloc::handle_alloc_error(std::alloc::Layout::new::<[u64; CHUNK]>()),
            }
        }
    });
    result
}

/// So many elements of the type of a buffer's, which are to be written.
fn unwritten(like: &Buffer, length: usize) -> Buffer {
    fn unwritten<T: Element>(_like: &[T], length: usize) -> Buffer {
        T::wrap(recycled::take(length))
    }
    with_elements!(like, elements => unwritten(elements, length))
}

fn put(part: &mut BufferMut<'_>, start: usize, chunk: &Array) {
    with_elements_mut!(part, target => {
        if let Some(values) = Element::slice(chunk.buffer()) {
            target[start..start + values.len()].copy_from_slice(values);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::ops::{
        BinaryOp, CompareOp, UnaryOp, binary, broadcast_in_dim, compare, convert, reshape, select, unary,
    };
    use crate::scalar::Scalar;

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
