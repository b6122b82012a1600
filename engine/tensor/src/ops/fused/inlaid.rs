//! A result of which one part is written over, as one chain: rows that the part is in go through once, with all their columns, and
//! a mask says of each column whose it is. What the part reads is read for the columns beside it too, and comes to nothing there.
//!
//! Only for a part that has most of the columns of its rows, of what is there to be read; everything else is the business of
//! [`super::layers`].

use super::chain::{Arg, Chain, ChainBuilder, Code, Slot};
use super::lanes::Lanes;
use super::layers::{Layer, Rows};
use super::layout::{Place, Strides, View};
use super::target::Target;
use crate::buffer::{Buffer, with_elements};
use crate::dtype::DType;
use crate::ops::strided::signed_strides;
use crate::shape::Shape;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// Elements of a result for which it pays to find out whether both are one chain.
const WORTH: usize = 1 << 12;
/// What both read, at most: there is no code for more.
const READS: usize = 14;
/// The operations of both, at most.
const STEPS: usize = 64;

/// A chain and one that is put over part of its result, as one.
#[derive(Debug)]
pub struct Inlaid {
    /// Over all columns of the rows that the part is in. It reads what is read below, then what is read for the part, then the mask.
    chain: Chain,
    place: Place,
    /// For each dimension of the result that of the part, if it has it.
    dims: SmallVec<[Option<usize>; 6]>,
    /// The dimension of the result that rows are along, and those that the part is in.
    axis: usize,
    rows: Range<usize>,
    /// Of a row, which columns are the part's.
    mask: Buffer,
    strides: Strides,
}

impl Inlaid {
    /// None where the part is a small one, or not made of neighbours, or both chains are too long for one.
    pub fn new(under: &Chain, over: &Chain, place: &Place) -> Option<Inlaid> {
        let shape = under.shape();
        let fits = under.reads() + over.reads() < READS && under.len() + over.len() < STEPS;
        if shape.size() < WORTH || !fits || under.dtype() != over.dtype() || !place.is_inside(shape, over.shape()) {
            return None;
        }
        let mut dims: SmallVec<[Option<usize>; 6]> = SmallVec::from_elem(None, shape.rank());
        for (number, dim) in place.dims.iter().enumerate() {
            let (axis, step) = (*dim)?;
            let dim = dims.get_mut(axis).filter(|dim| step == 1 && dim.is_none())?;
            *dim = Some(number);
        }
        let Rows { axis, length, .. } = Rows::of(shape);
        let sizes = dims.iter().map(|dim| dim.map_or(1, |dim| over.shape()[dim]));
        let parts: SmallVec<[Range<usize>; 6]> =
            sizes.zip(&place.starts).map(|(size, &start)| start..start + size).collect();
        let rows = parts.get(axis)?.clone();
        let mut all = shape.clone();
        *all.get_mut(axis)? = rows.len();
        // The dimensions of a row stand behind it.
        let mut row = shape.clone();
        row.iter_mut().take(axis + 1).for_each(|size| *size = 1);
        let mut strides = signed_strides(&row);
        let is_part = |column: usize| {
            let along = |axis: usize| column / strides[axis].unsigned_abs() % shape[axis];
            (axis + 1..shape.rank()).all(|axis| parts[axis].contains(&along(axis)))
        };
        let mask: Vec<bool> = (0..length).map(is_part).collect();
        if 4 * mask.iter().filter(|&&is_part| is_part).count() < 3 * length {
            return None;
        }
        strides.iter_mut().take(axis + 1).for_each(|stride| *stride = 0);
        let chain = both(under, over, &all, &dims, axis)?;
        Some(Inlaid { chain, place: place.clone(), dims, axis, rows, mask: Buffer::Bool(mask), strides })
    }

    /// Whether it is for a part that lies there.
    pub fn is_for(&self, place: &Place) -> bool {
        self.place == *place
    }

    /// Computes the result of `under`, and over it the layer; false, and nothing was done, where there is nothing to be read beside
    /// the part.
    pub(super) fn run(
        &self,
        (under, reads): (&Chain, &[View<'_>]),
        layer: &Layer<'_>,
        target: &mut Target<'_>,
        lanes: &mut Lanes,
    ) -> bool {
        let below = reads.iter().map(|read| self.below(read));
        let Some(over) = layer.reads.iter().map(|read| self.beside(read)).collect::<Option<SmallVec<[_; 8]>>>() else {
            return false;
        };
        let mask = View { buffer: &self.mask, base: 0, strides: Cow::Borrowed(&self.strides[..]), next: None };
        let views: SmallVec<[View<'_>; READS]> = below.chain(over).chain([mask]).collect();
        let length = Rows::of(under.shape()).length;
        let Range { start, end } = self.rows;
        under.run_between(reads, target, lanes, 0, start * length);
        {
            let base = target.base + start as isize * target.strides[self.axis];
            let strides = Cow::Borrowed(&target.strides[..]);
            let mut part = Target { elements: target.elements.reborrow(), base, strides, streams: target.streams };
            self.chain.run(&views, &mut part, lanes);
        }
        under.run_between(reads, target, lanes, end * length, under.shape().size());
        true
    }

    /// What is read below, for the rows that the part is in.
    fn below<'a>(&self, read: &'a View<'_>) -> View<'a> {
        let down = self.rows.start as isize * read.strides[self.axis];
        let strides = Cow::Borrowed(&read.strides[..]);
        View { buffer: read.buffer, base: read.base.wrapping_add_signed(down), strides, next: read.next }
    }

    /// What is read for the part, and beside it for all columns of its rows; none where that is not all there.
    fn beside<'a>(&self, read: &View<'a>) -> Option<View<'a>> {
        let strides: SmallVec<[isize; 6]> =
            self.dims.iter().map(|dim| dim.map_or(0, |dim| read.strides[dim])).collect();
        let mut base = read.base as isize;
        for (axis, (&start, stride)) in self.place.starts.iter().zip(&strides).enumerate() {
            base -= if axis == self.axis { 0 } else { start as isize * stride };
        }
        let (mut first, mut last) = (base, base);
        for (&size, &stride) in self.chain.shape().iter().zip(&strides) {
            let along = (size as isize - 1) * stride;
            (first, last) = (first + along.min(0), last + along.max(0));
        }
        let length = with_elements!(read.buffer, elements => elements.len());
        let is_there = first >= 0 && last < length as isize;
        is_there.then(|| View {
            buffer: read.buffer,
            base: base as usize,
            strides: Cow::Owned(strides.into_vec()),
            next: read.next,
        })
    }
}

/// Both as one chain, for rows of a shape.
fn both(under: &Chain, over: &Chain, all: &Shape, dims: &[Option<usize>], axis: usize) -> Option<Chain> {
    let starts: SmallVec<[usize; 6]> = SmallVec::from_elem(0, all.rank());
    let along = |varies: &dyn Fn(usize) -> bool| Place {
        dims: (0..all.rank()).map(|axis| varies(axis).then_some((axis, 1))).collect(),
        starts: starts.clone(),
    };
    let mut builder = ChainBuilder::new(all.clone());
    for read in &under.reads {
        let varies = |axis: usize| read.place.dims[axis].is_some();
        builder.read(read.dtype, all.clone(), along(&varies)).ok()?;
    }
    for read in &over.reads {
        let varies = |axis: usize| dims[axis].is_some_and(|dim| read.place.dims[dim].is_some());
        builder.read(read.dtype, all.clone(), along(&varies)).ok()?;
    }
    let mask = builder.read(DType::Bool, all.clone(), along(&|other| other > axis)).ok()?;
    for step in &under.steps {
        let args = step.args.iter().map(Slot::arg).collect();
        builder.steps.push((step.code, args, step.dtype, step.result));
    }
    for step in &over.steps {
        let args = step.args.iter().map(|slot| match slot.arg() {
            Arg::Read(read) => Arg::Read(under.reads.len() + read),
            Arg::Result(result) => Arg::Result(under.steps.len() + result),
        });
        builder.steps.push((step.code, args.collect(), step.dtype, step.result));
    }
    // The result of a chain without operations is what it reads last.
    let result = |chain: &Chain, (reads, steps): (usize, usize)| match chain.is_empty() {
        true => Some(Arg::Read((reads + chain.reads.len()).checked_sub(1)?)),
        false => Some(Arg::Result(steps + chain.steps.len() - 1)),
    };
    let cases = [result(under, (0, 0))?, result(over, (under.reads.len(), under.steps.len()))?];
    builder.step(Code::Select, &[mask, cases[0], cases[1]], under.dtype()).ok()?;
    builder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Random, in_each_way, same, values};
    use super::*;
    use crate::ops::BinaryOp;
    use crate::{Array, DType};

    /// A window in the middle of an array that has so many elements more on each side, and what a chain sees of it.
    struct Window {
        array: Array,
        base: usize,
        strides: Strides,
    }

    impl Window {
        fn new(dtype: DType, shape: &Shape, margin: usize, random: &mut Random) -> Window {
            let sizes: Shape = shape.iter().map(|size| size + 2 * margin).collect();
            let strides = signed_strides(&sizes);
            let base = strides.iter().map(|stride| margin * stride.unsigned_abs()).sum();
            Window { array: values(dtype, &sizes, random), base, strides }
        }

        fn view<'a>(&'a self, chain: &'a Chain, read: usize) -> View<'a> {
            chain.view_at(read, self.array.buffer(), self.base, &self.strides)
        }
    }

    /// The sum of two arrays times the second one, of an array and one row of another, or what is read.
    fn some(dtype: DType, shape: &Shape, margin: usize, random: &mut Random) -> (Chain, Vec<Window>) {
        let mut builder = ChainBuilder::new(shape.clone());
        let rank = shape.rank();
        let mut windows = vec![Window::new(dtype, shape, margin, random)];
        let x = builder.read(dtype, shape.clone(), Place::same(rank)).expect("all of it");
        let kind = random.below(3);
        if kind > 0 {
            windows.push(Window::new(dtype, shape, margin, random));
            let mut place = Place::same(rank);
            if kind == 2 {
                place.dims[0] = None;
            }
            let y = builder.read(dtype, shape.clone(), place).expect("inside");
            let sum = builder.step(Code::Binary(BinaryOp::Add), &[x, y], dtype).expect("numbers");
            builder.step(Code::Binary(BinaryOp::Mul), &[sum, y], dtype).expect("numbers");
        }
        (builder.finish().expect("short"), windows)
    }

    /// A part with most columns, or with some only.
    fn part(shape: &Shape, random: &mut Random) -> (Place, Shape) {
        let mut place = Place { dims: Default::default(), starts: Default::default() };
        let mut sizes = Shape::default();
        for (axis, &size) in shape.iter().enumerate() {
            let start = random.below(3).min(size - 1);
            place.starts.push(start);
            let end = size - random.below(3).min(size - start - 1);
            if end - start > 1 || random.below(2) == 0 {
                sizes.push(end - start);
                place.dims.push(Some((axis, 1)));
            }
        }
        (place, sizes)
    }

    #[test]
    fn a_part_goes_through_with_what_it_is_put_over() {
        in_each_way(|isa, compilation| {
            let (mut random, mut lanes, mut done) = (Random(31), Lanes::default(), 0);
            for round in 0..80 {
                let shape =
                    Shape::from(random.pick(&[[90, 1, 70], [1, 40, 133], [2, 40, 90], [70, 20, 33], [1, 1, 5000]]));
                let dtype = random.pick(&[DType::F32, DType::F32, DType::I32, DType::BF16, DType::F64]);
                let (place, sizes) = part(&shape, &mut random);
                let (under, own) = some(dtype, &shape, 1, &mut random);
                let (over, others) = some(dtype, &sizes, 4, &mut random);
                let Some(inlaid) = Inlaid::new(&under, &over, &place) else { continue };
                assert!(inlaid.is_for(&place));
                let reads: Vec<_> = own.iter().enumerate().map(|(read, window)| window.view(&under, read)).collect();
                let others: Vec<_> = others.iter().enumerate().map(|(read, window)| window.view(&over, read)).collect();
                let mut expected = Array::zeros(dtype, shape.clone()).expect("small");
                under.run(&reads, &mut Target::whole(&mut expected), &mut lanes);
                let (base, strides) = place.locate(0, &signed_strides(&shape));
                over.run(&others, &mut Target::inside(&mut expected, base, &strides[..]), &mut lanes);
                for streams in [false, true] {
                    let mut found = Array::zeros(dtype, shape.clone()).expect("small");
                    let layer = Layer { chain: &over, reads: &others, place: &place, inlaid: Some(&inlaid) };
                    let mut target = Target { streams, ..Target::whole(&mut found) };
                    if inlaid.run((&under, &reads), &layer, &mut target, &mut lanes) {
                        done += 1;
                        assert!(
                            same(&found, &expected),
                            "round {round}: {shape} of {dtype} with {isa:?}, {compilation:?}"
                        );
                    }
                }
            }
            assert!(done > 60, "{done} went through as one");
        });
    }

    #[test]
    fn what_is_not_there_beside_a_part_is_not_read() {
        let (mut random, mut lanes) = (Random(3), Lanes::default());
        let (shape, sizes) = (Shape::from([64, 64]), Shape::from([62, 62]));
        let place = Place { starts: [1, 1].into_iter().collect(), ..Place::same(2) };
        let (under, own) = some(DType::F32, &shape, 0, &mut random);
        // The array of the part is no longer than the part.
        let (over, others) = some(DType::F32, &sizes, 0, &mut random);
        let inlaid = Inlaid::new(&under, &over, &place).expect("most of all columns");
        let reads: Vec<_> = own.iter().enumerate().map(|(read, window)| window.view(&under, read)).collect();
        let others: Vec<_> = others.iter().enumerate().map(|(read, window)| window.view(&over, read)).collect();
        let mut found = Array::zeros(DType::F32, shape.clone()).expect("small");
        let layer = Layer { chain: &over, reads: &others, place: &place, inlaid: Some(&inlaid) };
        let before = found.clone();
        assert!(!inlaid.run((&under, &reads), &layer, &mut Target::whole(&mut found), &mut lanes));
        assert!(same(&found, &before), "nothing was written");
        under.run_under(&reads, &[layer], &mut Target::whole(&mut found), &mut lanes).expect("inside");
        assert!(!same(&found, &before));
    }

    #[test]
    fn few_columns_steps_and_short_results_stay_apart() {
        let mut random = Random(9);
        let under = |shape: &Shape, random: &mut Random| some(DType::F32, shape, 0, random).0;
        let shape = Shape::from([64, 64]);
        let all = under(&shape, &mut random);
        let part = |sizes: [usize; 2], step: usize, random: &mut Random| {
            let place = Place {
                dims: [Some((0, 1)), Some((1, step))].into_iter().collect(),
                starts: [0, 0].into_iter().collect(),
            };
            Inlaid::new(&all, &under(&Shape::from(sizes), random), &place).is_some()
        };
        assert!(part([2, 48], 1, &mut random));
        assert!(!part([64, 47], 1, &mut random), "less than three quarters");
        assert!(!part([64, 32], 2, &mut random), "every other column");
        let short = Shape::from([60, 60]);
        let place = Place::same(2);
        assert!(Inlaid::new(&under(&short, &mut random), &under(&short, &mut random), &place).is_none());
        assert!(Inlaid::new(&all, &under(&shape, &mut random), &place).is_some());
    }
}
