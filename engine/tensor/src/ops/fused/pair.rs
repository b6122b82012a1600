//! Sums of rows, and a second chain that reads each row with its sum, as a softmax has them: the second chain goes one row behind the first,
//! both in one code. What takes its time in the first are instructions that wait for each other, and in the second what goes to
//! memory, so that each has done while the other waits.
//!
//! Only for rows of `float32` that are long, and where there is code for both; everywhere else one goes after the other.

#[cfg(target_arch = "x86_64")]
use super::code::Beside;
use super::lanes::Lanes;
use super::ready::{Ready, Reduction, Start};
use super::target::Target;
use crate::buffer::Buffer;
use crate::ops::reduce::ReduceOp;
use crate::ops::reduce_lanes::WINDOW;
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

/// Elements of a row from which on a call for each of them costs little.
const LONG: usize = 1025;

/// Two chains that can go side by side.
#[derive(Debug)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only code asks"))]
pub struct Pair {
    pub(super) rows: usize,
    pub(super) length: usize,
    /// Which reads of the second chain are the rows of the first one, and their sums.
    pub(super) kept: usize,
    pub(super) sums: usize,
    /// Where the result goes through the caches, and past them.
    #[cfg(target_arch = "x86_64")]
    made: [OnceLock<Option<Beside>>; 2],
}

impl Pair {
    /// A reduction whose rows and sums are two reads of a second chain, which nobody else reads; none where they are something else, or
    /// where it does not pay.
    pub fn new((first, reduction): (&Ready, Reduction), second: &Ready, (kept, sums): (usize, usize)) -> Option<Pair> {
        let Reduction { op, sizes: [length, inner], keeps } = reduction;
        let &[rows, columns] = &first.chain.shape[..] else { return None };
        let is_sum = op == ReduceOp::Sum && inner == 1 && columns == length && keeps && length.is_multiple_of(WINDOW);
        let are_rows = second.chain.shape == first.chain.shape
            && second.strides.get(kept)?[..] == [length as isize, 1]
            && second.strides.get(sums)?[..] == [1, 0]
            && [kept, sums].iter().all(|&read| second.first.get(read) == Some(&0));
        let pays = rows > 1 && length >= LONG;
        (is_sum && are_rows && pays).then(|| Pair {
            rows,
            length,
            kept,
            sums,
            #[cfg(target_arch = "x86_64")]
            made: Default::default(),
        })
    }

    /// Computes both; false if nothing was done. `read` says where the reads of each begin, of the second chain but for the rows and the
    /// sums.
    pub fn run<'a>(
        &self,
        (first, second): (&Ready, &Ready),
        (read, read_second): (impl Fn(usize) -> Start<'a>, impl Fn(usize) -> Option<Start<'a>>),
        (rows, sums): (&mut Buffer, &mut Buffer),
        target: &mut Target<'_>,
        lanes: &mut Lanes,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let work = |ready: &Ready| ready.size() as u64 * ready.chain.len() as u64;
            // (Both are counted.)
            let pays = [first, second].map(|ready| ready.chain.pays(work(ready)));
            let operands = (&read, &read_second);
            if pays != [true; 2] {
                return false;
            }
            let known = &self.made[usize::from(target.streams)];
            let made = || Beside::new(self, (first, second), operands, (rows, sums), target);
            let Some(made) = known.get_or_init(made) else { return false };
            made.run(self, (first, second), operands, (rows, sums), target, lanes)
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = (first, second, read, read_second, rows, sums, target, lanes);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::in_each_way;
    use super::super::{Chain, ChainBuilder, Code, Compilation, Place};
    use super::*;
    use crate::dtype::DType;
    use crate::isa::Isa;
    use crate::ops::{BinaryOp, UnaryOp};
    use crate::shape::Shape;
    use smallvec::SmallVec;
    use std::borrow::Cow;
    use std::sync::Arc;

    /// Numbers of which some count as zero.
    fn floats(count: usize, step: f32) -> Buffer {
        let value = |i: usize| match i % 97 {
            3 => 3e-39,
            5 => -1.5e-38,
            7 => -0.0,
            _ => i as f32 * step % 3.0 - 1.5,
        };
        Buffer::F32((0..count).map(value).collect())
    }

    /// `exp(x - y)` where `y` is one number for each row, and of its rows and their sums `rows / sums * z`.
    fn chains(rows: usize, length: usize) -> [Arc<Chain>; 2] {
        let shape = Shape::from([rows, length]);
        let of_row = Place { dims: [Some((0, 1)), None].into_iter().collect(), starts: SmallVec::from_elem(0, 1) };
        let mut builder = ChainBuilder::new(shape.clone());
        let x = builder.read(DType::F32, shape.clone(), Place::same(2)).expect("all of it");
        let y = builder.read(DType::F32, Shape::from([rows]), of_row.clone()).expect("one for a row");
        let less = builder.step(Code::Binary(BinaryOp::Sub), &[x, y], DType::F32).expect("floats");
        builder.step(Code::Unary(UnaryOp::Exp), &[less], DType::F32).expect("floats");
        let first = builder.finish().expect("two operations");
        let mut builder = ChainBuilder::new(shape.clone());
        let z = builder.read(DType::F32, shape.clone(), Place::same(2)).expect("all of it");
        let kept = builder.read(DType::F32, shape, Place::same(2)).expect("all of it");
        let sums = builder.read(DType::F32, Shape::from([rows]), of_row).expect("one for a row");
        let share = builder.step(Code::Binary(BinaryOp::Div), &[kept, sums], DType::F32).expect("floats");
        builder.step(Code::Binary(BinaryOp::Mul), &[share, z], DType::F32).expect("floats");
        [first, builder.finish().expect("two operations")].map(Arc::new)
    }

    #[test]
    fn two_chains_side_by_side_compute_what_they_compute_one_after_the_other() {
        in_each_way(|isa, compilation| {
            // Whole windows, and fewer and more columns than go through at a time; targets that lie apart, and begin anywhere.
            for (rows, length, pitch, base) in [(2, 1056, 1056, 0), (5, 2048, 2050, 7), (8, 4128, 5000, 3)] {
                let [first, second] = chains(rows, length);
                let even: &[isize] = &[length as isize, 1];
                let reduction = Reduction { op: ReduceOp::Sum, sizes: [length, 1], keeps: true };
                let ready = Ready::reducing(&first, &[even, &[1]], reduction).expect("small");
                // What the second chain reads beside them lies in a larger array.
                let then = Ready::new(&second, &[&[pitch, 1], even, &[1]], even).expect("small");
                let pair = Pair::new((&ready, reduction), &then, (1, 2)).expect("rows and their sums");
                let (x, y, z) = (floats(rows * length, 0.37), floats(rows, 0.11), floats(rows * pitch as usize, 0.23));
                fn start(buffer: &Buffer, next: Option<isize>) -> Start<'_> {
                    Start { buffer, base: 0, next }
                }
                let read = |number: usize| [start(&x, Some(7)), start(&y, None)][number];
                for streams in [false, true] {
                    let mut lanes = Lanes::default();
                    let empty = |size: usize| Buffer::F32(vec![0.0; size]);
                    let room = base + rows * pitch as usize;
                    let run = |pairs: bool, lanes: &mut Lanes| {
                        let (mut kept, mut sums, mut out) = (empty(rows * length), empty(rows), empty(room));
                        let strides = Cow::Owned(vec![pitch, 1]);
                        let mut target = Target { elements: out.as_mut(), base: base as isize, strides, streams };
                        if pairs {
                            let read_then = |number: usize| (number == 0).then(|| start(&z, None));
                            let both = (&mut kept, &mut sums);
                            let done = pair.run((&ready, &then), (read, read_then), both, &mut target, lanes);
                            let may = cfg!(target_arch = "x86_64") && isa != Isa::Baseline;
                            assert_eq!(done, may && compilation == Compilation::Always, "{isa:?}, {compilation:?}");
                            if !done {
                                return None;
                            }
                        } else {
                            ready.reduce(reduction, read, Some(&mut kept), &mut sums, lanes);
                            let reads = [start(&z, None), start(&kept, None), start(&sums, None)];
                            then.run_to(|number| reads[number], &mut target, lanes);
                        }
                        Some([kept, sums, out])
                    };
                    let expected = run(false, &mut lanes);
                    if let Some(found) = run(true, &mut lanes) {
                        assert!(
                            expected == Some(found),
                            "{rows} rows of {length} with {isa:?}, past the caches: {streams}"
                        );
                    }
                }
            }
        });
    }

    #[test]
    fn rows_of_something_else_are_no_pair() {
        let [first, second] = chains(4, 2048);
        let even: &[isize] = &[2048, 1];
        let pair = |op: ReduceOp, keeps: bool, apart: &[isize], (kept, sums): (usize, usize)| {
            let reduction = Reduction { op, sizes: [2048, 1], keeps };
            let ready = Ready::reducing(&first, &[even, &[1]], reduction).expect("small");
            let then = Ready::new(&second, &[even, even, apart], even).expect("small");
            Pair::new((&ready, reduction), &then, (kept, sums)).is_some()
        };
        assert!(pair(ReduceOp::Sum, true, &[1], (1, 2)));
        assert!(!pair(ReduceOp::Max, true, &[1], (1, 2)));
        assert!(!pair(ReduceOp::Sum, false, &[1], (1, 2)), "rows that nobody keeps");
        assert!(!pair(ReduceOp::Sum, true, &[2], (1, 2)), "sums that lie apart");
        assert!(!pair(ReduceOp::Sum, true, &[1], (2, 1)), "sums in the place of rows");
        assert!(!pair(ReduceOp::Sum, true, &[1], (1, 3)), "no such read");
    }
}
