//! A result of which parts are written over by others, computed some rows at a time: what stays is written once, and what all of
//! them read is near while they do.

use super::chain::Chain;
use super::inlaid::Inlaid;
use super::lanes::Lanes;
use super::layout::{Place, View};
use super::stream;
use super::target::Target;
use crate::buffer::{Buffer, BufferMut, Element, with_elements_mut};
use crate::error::OpError;
use crate::ops::strided::{Pattern, signed_strides};
use crate::shape::Shape;
use std::borrow::Cow;
use std::ops::Range;

/// Bytes of a result that are computed before the next ones: about half of what the innermost cache holds.
const GROUP: usize = 1 << 15;

/// What takes the place of part of a result.
#[derive(Debug)]
pub struct Layer<'a> {
    /// What computes it.
    pub chain: &'a Chain,
    /// What that reads.
    pub reads: &'a [View<'a>],
    /// Where it belongs.
    pub place: &'a Place,
    /// It and what it is put over as one chain, where it is the only one and they were found to be one.
    pub inlaid: Option<&'a Inlaid>,
}

impl Layer<'_> {
    /// Its dimension along one of the result's, and the distance of its positions there.
    fn along(&self, axis: usize) -> Option<(usize, usize)> {
        let dims = self.place.dims.iter().enumerate();
        dims.filter_map(|(number, dim)| Some((number, (*dim)?)))
            .find(|(_, (other, _))| *other == axis)
            .map(|(number, (_, step))| (number, step.max(1)))
    }
}

/// The rows of a result: along the first dimension of more than one element.
pub(super) struct Rows {
    pub(super) axis: usize,
    pub(super) count: usize,
    /// Elements of one.
    pub(super) length: usize,
}

impl Rows {
    pub(super) fn of(shape: &Shape) -> Rows {
        let axis = shape.iter().position(|&size| size != 1).unwrap_or(0);
        let count = shape.get(axis).copied().unwrap_or(1);
        Rows { axis, count, length: shape.size() / count.max(1) }
    }

    /// The shape of some of them.
    fn part(&self, shape: &Shape, group: &Range<usize>) -> Shape {
        let mut sizes = shape.clone();
        if let Some(size) = sizes.get_mut(self.axis) {
            *size = group.len();
        }
        sizes
    }
}

impl Chain {
    /// Computes the result, and over it the layers, one after the other.
    ///
    /// # Errors
    /// If a layer does not lie inside, or has another dtype.
    pub fn run_under(
        &self,
        reads: &[View<'_>],
        layers: &[Layer<'_>],
        target: &mut Target<'_>,
        lanes: &mut Lanes,
    ) -> Result<(), OpError> {
        if layers.is_empty() {
            self.run(reads, target, lanes);
            return Ok(());
        }
        if let [layer @ Layer { inlaid: Some(inlaid), .. }] = layers
            && inlaid.run((self, reads), layer, target, lanes)
        {
            return Ok(());
        }
        let rows = Rows::of(self.shape());
        for layer in layers {
            let shape = layer.chain.shape();
            let is_inside = layer.chain.dtype() == self.dtype() && layer.place.is_inside(self.shape(), shape);
            // Its rows are rows of the result, one behind the other.
            let outer = layer.along(rows.axis).map_or(&[][..], |(dim, _)| &shape[..dim]);
            if !is_inside || outer.iter().any(|&size| size != 1) {
                return Err(OpError::shapes("layer", self.shape(), shape));
            }
        }
        let bytes = with_elements_mut!(&target.elements, elements => size_of_val(&**elements) / elements.len().max(1));
        let most = (GROUP / (rows.length * bytes).max(1)).clamp(1, rows.count.max(1));
        let mut room = target.streams.then(|| lanes.room(&target.elements, most * rows.length));
        let strides = signed_strides(self.shape());
        for from in (0..rows.count).step_by(most) {
            let group = from..(from + most).min(rows.count);
            let Some(room) = &mut room else {
                self.group(reads, layers, (&rows, &group), target, lanes);
                continue;
            };
            let (base, strides) = (-((from * rows.length) as isize), Cow::Borrowed(&strides[..]));
            let mut near = Target { elements: room.as_mut(), base, strides, streams: false };
            self.group(reads, layers, (&rows, &group), &mut near, lanes);
            put(room, self.shape(), (&rows, &group), target);
        }
        if let Some(room) = room {
            lanes.room = Some(room);
            stream::done();
        }
        Ok(())
    }

    /// Some rows of all.
    fn group(
        &self,
        reads: &[View<'_>],
        layers: &[Layer<'_>],
        (rows, group): (&Rows, &Range<usize>),
        target: &mut Target<'_>,
        lanes: &mut Lanes,
    ) {
        if !self.copied(reads, (rows, group), target) {
            self.run_between(reads, target, lanes, group.start * rows.length, group.end * rows.length);
        }
        for layer in layers {
            let shape = layer.chain.shape();
            let start = layer.place.starts.get(rows.axis).copied().unwrap_or(0);
            let (count, step) = layer.along(rows.axis).map_or((1, 1), |(dim, step)| (shape[dim], step));
            // Rows of the layer that are among these.
            let before = |row: usize| row.saturating_sub(start).div_ceil(step).min(count);
            let (from, to) = (before(group.start), before(group.end));
            if from == to {
                continue;
            }
            let length = shape.size() / count;
            let (base, strides) = layer.place.locate_signed(target.base, &target.strides);
            let (elements, strides) = (target.elements.reborrow(), Cow::Borrowed(&strides[..]));
            let mut part = Target { elements, base, strides, streams: false };
            layer.chain.run_between(layer.reads, &mut part, lanes, from * length, to * length);
        }
    }
}

impl Chain {
    /// Copies rows where there is nothing to compute and they come one behind the other; false where that is not so.
    fn copied(&self, reads: &[View<'_>], (rows, group): (&Rows, &Range<usize>), target: &mut Target<'_>) -> bool {
        let ([read], true) = (reads, self.is_empty()) else { return false };
        let even = signed_strides(self.shape());
        if !self.shape().iter().zip(even.iter().zip(&*target.strides)).all(|(&size, (a, b))| size == 1 || a == b) {
            return false;
        }
        let from = read.base as isize + group.start as isize * read.strides.get(rows.axis).copied().unwrap_or(0);
        let pattern = Pattern::new(from, &rows.part(self.shape(), group), &read.strides);
        let start = (target.base + (group.start * rows.length) as isize) as usize;
        with_elements_mut!(&mut target.elements, elements => match Element::slice(read.buffer) {
            Some(source) => {
                pattern.read_into(source, &mut elements[start..start + group.len() * rows.length]);
                true
            }
            None => false,
        })
    }
}

impl Lanes {
    /// Memory for so many elements of a kind; whoever takes it puts it back.
    fn room(&mut self, like: &BufferMut<'_>, count: usize) -> Buffer {
        fn new<T: Element>(_: &[T], count: usize) -> Buffer {
            T::wrap(vec![T::default(); count])
        }
        fn holds<T: Element>(_: &[T], room: &Buffer, count: usize) -> bool {
            T::slice(room).is_some_and(|room| room.len() >= count)
        }
        let kept = self.room.take();
        with_elements_mut!(like, elements => match kept {
            Some(room) if holds(elements, &room, count) => room,
            _ => new(elements, count),
        })
    }
}

/// Writes rows where they belong, past the caches.
fn put(room: &Buffer, shape: &Shape, (rows, group): (&Rows, &Range<usize>), target: &mut Target<'_>) {
    let sizes = rows.part(shape, group);
    let down = target.strides.get(rows.axis).copied().unwrap_or(0);
    let pattern = Pattern::new(target.base + group.start as isize * down, &sizes, &target.strides);
    with_elements_mut!(&mut target.elements, elements => {
        if let Some(room) = Element::slice(room) {
            pattern.write_by(elements, &room[..group.len() * rows.length], stream::copy);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Random, same, values};
    use super::super::{ChainBuilder, Code};
    use super::*;
    use crate::ops::BinaryOp;
    use crate::{Array, DType};

    /// Part of a result, at random, and its shape.
    fn part(shape: &Shape, random: &mut Random) -> (Place, Shape) {
        let mut place = Place { dims: Default::default(), starts: Default::default() };
        let mut sizes = Shape::default();
        for (axis, &size) in shape.iter().enumerate() {
            let start = random.below(size);
            place.starts.push(start);
            if random.below(5) > 0 {
                let step = 1 + random.below(4) / 3;
                sizes.push(1 + random.below((size - 1 - start) / step + 1));
                place.dims.push(Some((axis, step)));
            }
        }
        (place, sizes)
    }

    /// A product, and what it reads.
    fn product(dtype: DType, shape: &Shape, random: &mut Random) -> (Chain, [Array; 2]) {
        let mut builder = ChainBuilder::new(shape.clone());
        let same = || Place::same(shape.rank());
        let reads = [(); 2].map(|()| builder.read(dtype, shape.clone(), same()).expect("all of it"));
        builder.step(Code::Binary(BinaryOp::Mul), &reads, dtype).expect("numbers");
        (builder.finish().expect("short"), [(); 2].map(|()| values(dtype, shape, random)))
    }

    /// A chain of no operations.
    fn nothing(dtype: DType, shape: &Shape, random: &mut Random) -> (Chain, [Array; 2]) {
        let mut builder = ChainBuilder::new(shape.clone());
        builder.read(dtype, shape.clone(), Place::same(shape.rank())).expect("all of it");
        (builder.finish().expect("short"), [(); 2].map(|()| values(dtype, shape, random)))
    }

    #[test]
    fn what_is_put_over_parts_is_what_it_is_one_after_the_other() {
        let mut random = Random(23);
        let mut lanes = Lanes::default();
        for round in 0..240 {
            let shape = Shape::from(random.pick(&[[700, 1, 40], [1, 300, 77], [3, 5, 7], [2, 40, 900], [1, 1, 33]]));
            let dtype = random.pick(&[DType::F32, DType::I32, DType::BF16]);
            let streams = round % 2 == 0;
            let (first, arrays) = match round % 3 {
                0 => nothing(dtype, &shape, &mut random),
                _ => product(dtype, &shape, &mut random),
            };
            let others: Vec<_> = (0..random.below(4))
                .map(|_| {
                    let (place, sizes) = part(&shape, &mut random);
                    let (chain, arrays) = product(dtype, &sizes, &mut random);
                    (place, chain, arrays)
                })
                .collect();
            let mut expected = Array::zeros(dtype, shape.clone()).expect("small");
            let own: Vec<_> = (0..first.reads()).map(|read| first.view_of(read, arrays[read].buffer())).collect();
            first.run(&own, &mut Target::whole(&mut expected), &mut lanes);
            let reads: Vec<_> = others
                .iter()
                .map(|(_, chain, arrays)| [chain.view_of(0, arrays[0].buffer()), chain.view_of(1, arrays[1].buffer())])
                .collect();
            for ((place, chain, _), reads) in others.iter().zip(&reads) {
                let (base, strides) = place.locate(0, &signed_strides(&shape));
                chain.run(reads, &mut Target::inside(&mut expected, base, &strides[..]), &mut lanes);
            }
            let mut found = Array::zeros(dtype, shape.clone()).expect("small");
            let layers: Vec<Layer<'_>> = others
                .iter()
                .zip(&reads)
                .map(|((place, chain, _), reads)| Layer { chain, reads, place, inlaid: None })
                .collect();
            let mut target = Target { streams, ..Target::whole(&mut found) };
            first.run_under(&own, &layers, &mut target, &mut lanes).expect("inside");
            assert!(same(&found, &expected), "round {round}: {shape} of {dtype}");
        }
    }

    #[test]
    fn what_does_not_lie_inside_is_refused() {
        let mut random = Random(5);
        let (shape, mut lanes) = (Shape::from([6, 8]), Lanes::default());
        let (first, arrays) = product(DType::F32, &shape, &mut random);
        let own = [first.view_of(0, arrays[0].buffer()), first.view_of(1, arrays[1].buffer())];
        let place = Place { starts: [1, 0].into_iter().collect(), ..Place::same(2) };
        let mut found = Array::zeros(DType::F32, shape).expect("small");
        let layers = [Layer { chain: &first, reads: &own, place: &place, inlaid: None }];
        assert!(first.run_under(&own, &layers, &mut Target::whole(&mut found), &mut lanes).is_err());
    }
}
