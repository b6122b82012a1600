//! Blocks that nobody has copied: what an input's Ref holds is a window on the array, what is stored to an output's Ref a
//! chain of operations, and what it held before nothing at all, until somebody wants either as an array of its own. A chain that nobody wants before its block moves
//! on is computed right into the output.
//!
//! Whoever looks at a buffer's array calls [`Memory::settle`] first. The machine does so for every step that takes a Ref.

use crate::arena::LARGE;
use crate::error::RunError;
use crate::machine::Value;
use crate::memory::{Memory, View, ViewDim};
use crate::scalars::Scalars;
use pallas_ir::DimIndex;
use pallas_tensor::ops::fused::{Chain, Inlaid, Lanes, Layer, Place, Target, View as Elements};
use pallas_tensor::{Array, DType, Scalar, Shape};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// How a window lies in its array.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    /// Distance of neighbours along each dimension.
    pub(crate) strides: SmallVec<[isize; 6]>,
}

/// Part of an array that nobody writes to while the window is there.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) array: Rc<Array>,
    /// The position of the first element.
    pub(crate) base: usize,
    pub(crate) layout: Rc<Layout>,
    /// How much farther the next program's block lies, where that is known.
    pub(crate) next: Option<isize>,
}

impl Window {
    /// The part of it that a subscript selects, which is found in a view of the Ref's own dimensions.
    pub(crate) fn select(&self, selected: &View, dims: &[DimIndex]) -> Window {
        let mut base = self.base as isize;
        let (mut sizes, mut strides) = (Shape::default(), SmallVec::new());
        let mut subscript = dims.iter();
        for (dim, &line) in selected.dims.iter().zip(&self.layout.strides) {
            match *dim {
                ViewDim::At(position) => base += position as isize * line,
                ViewDim::Range { start, size, stride } => {
                    base += start as isize * line;
                    if !matches!(subscript.next(), Some(DimIndex::At(_))) {
                        sizes.push(size);
                        strides.push(stride as isize * line);
                    }
                }
            }
        }
        let layout = Rc::new(Layout { shape: sizes, strides });
        Window { array: self.array.clone(), base: base as usize, layout, next: self.next }
    }

    /// A copy of the elements.
    pub(crate) fn copied(&self) -> Result<Array, RunError> {
        Ok(self.array.gathered(self.base, &self.layout.shape, &self.layout.strides)?)
    }
}

/// What a buffer holds as soon as somebody looks.
#[derive(Debug)]
pub(crate) enum Later {
    /// A block of an array.
    Block(Window),
    /// The result of operations.
    Chain(Rc<Pending>),
    /// One value in every element: a block that nobody has written.
    Unwritten(Shape, Scalar),
}

/// Operations that have not been done, with all that they need.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The number of the chain.
    pub(crate) chain: usize,
    /// What it reads: tiles and windows.
    pub(crate) reads: SmallVec<[Value; 4]>,
    /// What was stored over parts of it, in order.
    pub(crate) over: Vec<Over>,
}

/// Operations whose result belongs to part of a block.
#[derive(Debug)]
pub(crate) struct Over {
    /// The number of the chain.
    pub(crate) chain: usize,
    /// What it reads.
    pub(crate) reads: SmallVec<[Value; 4]>,
    /// Where its elements are in the block.
    pub(crate) place: Place,
    /// Both chains as one, where they can be that and this is the first part.
    pub(crate) inlaid: Option<Rc<Inlaid>>,
}

/// Where and how things that are computed chunk by chunk are kept, for all programs of a run.
#[derive(Debug, Default)]
pub(crate) struct Workshop {
    /// The chains of the kernel, by number.
    pub(crate) chains: Vec<Arc<Chain>>,
    /// Chains that go on with another one, by their own number, which of their reads that is, and its number: the number of both
    /// as one, which none is where they stay two.
    pub(crate) joined: HashMap<(usize, usize, usize), Option<usize>>,
    /// By the numbers of a chain and one that was put over a part of it first: both as one, where they can be that.
    pub(crate) inlaid: HashMap<(usize, usize), Option<Rc<Inlaid>>>,
    pub(crate) lanes: Lanes,
    pub(crate) tiles: crate::arena::Tiles,
    pub(crate) scalars: Scalars,
}

/// Strides of an array's own dimensions.
fn strides_of(shape: &Shape) -> SmallVec<[isize; 6]> {
    shape.strides().iter().map(|&stride| stride as isize).collect()
}

/// What a chain reads, found where it lies.
fn view<'a>(
    chain: &'a Chain,
    read: usize,
    value: &'a Value,
    scalars: Option<&'a Scalars>,
) -> Result<Elements<'a>, RunError> {
    let malformed = || RunError::malformed("what a chain reads is not there");
    if let &Value::Number(number) = value {
        let fits = chain.read_type(read).is_some_and(|(dtype, shape)| dtype == number.dtype() && shape.rank() == 0);
        let element =
            scalars.and_then(|scalars| scalars.element(read, number)).filter(|_| fits).ok_or_else(malformed)?;
        return Ok(chain.view_of(read, element));
    }
    if chain.read_type(read).is_none() || chain.read_type(read) != type_of(value) {
        return Err(malformed());
    }
    match value {
        Value::Tile(array) => Ok(chain.view_of(read, array.buffer())),
        Value::Window(window) => {
            let view = chain.view_at(read, window.array.buffer(), window.base, &window.layout.strides);
            Ok(Elements { next: window.next, ..view })
        }
        Value::Coming(_) | Value::Ref(_) | Value::Number(_) | Value::Empty => Err(malformed()),
    }
}

/// What a chain reads, each found where it lies.
pub(crate) fn views<'a>(
    chain: &'a Chain,
    reads: impl Iterator<Item = &'a Value> + Clone,
    scalars: &'a mut Scalars,
) -> Result<Views<'a>, RunError> {
    for (read, value) in reads.clone().enumerate() {
        if let &Value::Number(number) = value {
            scalars.hold(read, number);
        }
    }
    let scalars: &Scalars = scalars;
    let mut views = Views::new();
    for (number, value) in reads.enumerate() {
        views.push(view(chain, number, value, Some(scalars))?);
    }
    Ok(views)
}

/// The same of what was put off, in which numbers are tiles.
fn views_of_tiles<'a>(chain: &'a Chain, reads: impl Iterator<Item = &'a Value>) -> Result<Views<'a>, RunError> {
    reads.enumerate().map(|(read, value)| view(chain, read, value, None)).collect()
}

pub(crate) type Views<'a> = SmallVec<[Elements<'a>; 6]>;

impl Pending {
    /// The chain of the whole block.
    pub(crate) fn chain<'a>(&self, chains: &'a [Arc<Chain>]) -> Result<&'a Chain, RunError> {
        numbered(chains, self.chain)
    }

    /// Computes the block.
    pub(crate) fn compute(
        &self,
        chains: &[Arc<Chain>],
        target: &mut Target<'_>,
        lanes: &mut Lanes,
    ) -> Result<(), RunError> {
        let chain = self.chain(chains)?;
        let reads = views_of_tiles(chain, self.reads.iter())?;
        if self.over.is_empty() {
            chain.run(&reads, target, lanes);
            return Ok(());
        }
        let found: Result<Vec<(&Chain, Views<'_>)>, RunError> = self
            .over
            .iter()
            .map(|over| {
                let chain = numbered(chains, over.chain)?;
                Ok((chain, views_of_tiles(chain, over.reads.iter())?))
            })
            .collect();
        let found = found?;
        let layers = self.over.iter().zip(&found);
        let layers: Vec<Layer<'_>> = layers
            .map(|(over, (chain, reads))| Layer { chain, reads, place: &over.place, inlaid: over.inlaid.as_deref() })
            .collect();
        Ok(chain.run_under(&reads, &layers, target, lanes)?)
    }
}

/// A chain by its number.
pub(crate) fn numbered(chains: &[Arc<Chain>], number: usize) -> Result<&Chain, RunError> {
    chains.get(number).map(|chain| &**chain).ok_or_else(|| RunError::malformed("a chain is missing"))
}

impl Workshop {
    /// What a window shows, as a tile.
    fn copy(&mut self, window: &Window) -> Result<Array, RunError> {
        let mut tile = self.tiles.take(window.array.dtype(), &window.layout.shape)?;
        window.array.gather(window.base, &window.layout.strides, &mut tile)?;
        self.tiles.keep(&tile);
        Ok(tile)
    }

    /// The number of a chain that goes on with another one at one of its reads, if both can be one.
    pub(crate) fn joined(&mut self, chain: usize, read: usize, before: usize) -> Option<usize> {
        let Workshop { chains, joined, .. } = self;
        *joined.entry((chain, read, before)).or_insert_with(|| {
            let both = chains.get(chain)?.joined(read, chains.get(before)?)?;
            chains.push(Arc::new(both));
            Some(chains.len() - 1)
        })
    }

    /// A chain and one that is put over part of its result as one, if they can be that. (A part that moves from program to program
    /// is written over what is there.)
    pub(crate) fn inlaid(&mut self, under: usize, over: usize, place: &Place) -> Option<Rc<Inlaid>> {
        let Workshop { chains, inlaid, .. } = self;
        let find = || Some(Rc::new(Inlaid::new(chains.get(under)?, chains.get(over)?, place)?));
        inlaid.entry((under, over)).or_insert_with(find).clone().filter(|inlaid| inlaid.is_for(place))
    }

    /// The result of operations as a tile.
    pub(crate) fn tile(&mut self, pending: &Pending) -> Result<Array, RunError> {
        let Workshop { chains, lanes, tiles, .. } = self;
        let chain = pending.chain(chains)?;
        let mut tile = tiles.take(chain.dtype(), chain.shape())?;
        pending.compute(chains, &mut Target::whole(&mut tile), lanes)?;
        tiles.keep(&tile);
        Ok(tile)
    }
}

impl Memory {
    /// Makes what a buffer holds an array, where it is not one yet.
    pub(crate) fn settle(&mut self, buffer: usize) -> Result<(), RunError> {
        let later = match self.buffers.get_mut(buffer) {
            Some(slot) => slot.later.take(),
            None => None,
        };
        let array = match later {
            None => return Ok(()),
            Some(Later::Block(window)) => self.workshop.copy(&window)?,
            Some(Later::Chain(pending)) => self.workshop.tile(&pending)?,
            Some(Later::Unwritten(shape, value)) => Array::full(self.buffers[buffer].array.dtype(), shape, value)?,
        };
        self.buffers[buffer].array = array;
        Ok(())
    }

    /// Has a buffer show part of an input in the place of a copy of it; false where it has to be copied.
    pub(crate) fn lend(&mut self, source: &View, destination: &View) -> bool {
        /// A copy of fewer elements costs less than what reading them elsewhere may.
        const FEW: usize = 256;
        let (Some(from), Some(to)) = (self.buffers.get(source.buffer), self.buffers.get(destination.buffer)) else {
            return false;
        };
        let plain = source.through.is_none() && destination.through.is_none();
        let stays = from.is_input && !from.written && from.later.is_none() && to.journal.is_none();
        let whole = self.shape(destination.buffer).is_some_and(|shape| destination.is_whole(shape));
        let fits = self.lends && plain && stays && whole && from.array.dtype() == to.array.dtype();
        if !fits || source.overhangs(from.array.shape()) {
            return false;
        }
        let (mut base, mut shape, mut strides) = (0, Shape::default(), SmallVec::new());
        for (dim, &line) in source.dims.iter().zip(&from.array.shape().strides()) {
            match *dim {
                ViewDim::At(position) => base += position * line,
                ViewDim::Range { start, size, stride } => {
                    base += start * line;
                    shape.push(size);
                    strides.push((stride * line) as isize);
                }
            }
        }
        if shape.size() < FEW || self.shape(destination.buffer) != Some(&shape) {
            return false;
        }
        let layout = Layout { shape, strides };
        // The next window on an array mostly lies as the last one did: what threads share is not counted again.
        let moved = match &to.later {
            Some(Later::Block(last)) if last.array.shares_all_with(&from.array) && *last.layout == layout => {
                Window { base, ..last.clone() }
            }
            _ => Window { array: Rc::new(from.array.clone()), base, layout: Rc::new(layout), next: None },
        };
        self.defer(destination.buffer, Later::Block(moved), true);
        self.known(destination.buffer);
        true
    }

    /// Has a buffer hold something as soon as somebody looks, and nothing of what it held.
    pub(crate) fn defer(&mut self, buffer: usize, later: Later, written: bool) {
        if self.buffers[buffer].array.size() > 1 {
            // Its memory is for others, or for what comes in its place.
            drop(self.take(buffer));
        }
        let slot = &mut self.buffers[buffer];
        (slot.later, slot.written) = (Some(later), written);
    }

    /// Has a buffer hold the result of operations from now on.
    pub(crate) fn store_later(&mut self, buffer: usize, pending: Pending) {
        self.defer(buffer, Later::Chain(Rc::new(pending)), true);
        self.known(buffer);
    }

    /// A copy of all of a block that lies in its array, if it is a large one: the Ref goes on showing the array, so that the copy goes
    /// when its readers are done.
    pub(crate) fn copied(&mut self, view: &View) -> Option<Result<Array, RunError>> {
        let Memory { buffers, workshop, .. } = self;
        let window = match &buffers.get(view.buffer)?.later {
            Some(Later::Block(window)) => window,
            _ => return None,
        };
        let plain = view.through.is_none() && view.is_whole(&window.layout.shape);
        let bytes = window.layout.shape.size().saturating_mul(window.array.dtype().size_bytes());
        (plain && bytes >= LARGE).then(|| workshop.copy(window))
    }

    /// What a buffer holds if parts of it may be stored over; none where they have to be written.
    pub(crate) fn stored_over(&mut self, buffer: usize) -> Option<&mut Pending> {
        /// As many parts keep what they read.
        const MOST: usize = 4;
        match &mut self.buffers.get_mut(buffer)?.later {
            // What somebody has read stays what it was.
            Some(Later::Chain(pending)) => Rc::get_mut(pending).filter(|known| known.over.len() < MOST),
            _ => None,
        }
    }

    /// The shape of what a buffer holds.
    pub(crate) fn shape(&self, buffer: usize) -> Option<&Shape> {
        let slot = self.buffers.get(buffer)?;
        match &slot.later {
            Some(Later::Block(window)) => Some(&window.layout.shape),
            Some(Later::Chain(pending)) => self.workshop.chains.get(pending.chain).map(|chain| chain.shape()),
            Some(Later::Unwritten(shape, _)) => Some(shape),
            None => Some(slot.array.shape()),
        }
    }

    /// All of what a Ref shows, where that is an array as it lies.
    pub(crate) fn held(&self, view: &View) -> Option<&Array> {
        let slot = self.buffers.get(view.buffer).filter(|slot| slot.later.is_none())?;
        let plain = view.through.is_none() && view.is_whole(slot.array.shape());
        (plain && !self.unknown.contains(&view.buffer)).then_some(&slot.array)
    }

    /// The window that a buffer holds, if it holds one.
    pub(crate) fn window(&self, buffer: usize) -> Option<&Window> {
        match self.buffers.get(buffer) {
            Some(slot) => match &slot.later {
                Some(Later::Block(window)) => Some(window),
                _ => None,
            },
            None => None,
        }
    }
}

/// The layout of blocks of an array: strides of its dimensions, without those that the Ref does not have.
pub(crate) fn block_layout(array: &Shape, reference: &Shape, kept: impl Fn(usize) -> bool) -> Rc<Layout> {
    let strides = strides_of(array).into_iter().enumerate().filter(|&(axis, _)| kept(axis)).map(|(_, s)| s).collect();
    Rc::new(Layout { shape: reference.clone(), strides })
}

/// The type of what a value holds.
pub(crate) fn type_of(value: &Value) -> Option<(DType, &Shape)> {
    match value {
        Value::Tile(array) => Some((array.dtype(), array.shape())),
        Value::Window(window) => Some((window.array.dtype(), &window.layout.shape)),
        Value::Coming(_) | Value::Ref(_) | Value::Number(_) | Value::Empty => None,
    }
}
